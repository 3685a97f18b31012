/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* SPIRV-Tools behind a C face: the one C++ file of the compiler. Only what the
 * C++ header optimizer.hpp has had since 2023.1 is used, because the C
 * optimiser came later. Passes are named by their command-line flags, which
 * lets a pass be asked for that an older version does not know. */

#include "config.h"

#include <glib.h>
#include <glib/gi18n-lib.h>

#include <algorithm>
#include <cstdarg>
#include <cstring>
#include <exception>
#include <inttypes.h>
#include <string>
#include <vector>

#include <spirv-tools/libspirv.h>
#include <spirv-tools/optimizer.hpp>
#include <spirv/unified1/spirv.h>

extern "C" {
#include "codegen/spirv/spirv.h"
}

namespace {

const spv_target_env target_environment = SPV_ENV_VULKAN_1_2;

/* Above this the optimiser may take minutes and gigabytes. */
const gsize largest_input = 1024 * 1024;
/* How much a module may grow between two groups of passes. */
const gsize growth_factor = 8;
const gsize growth_slack = 64 * 1024;
const gint64 deadline_microseconds = 5 * G_USEC_PER_SEC;

struct group
{
  std::vector<const char *> flags;
};

/* Groups end where the module is worth a look: after what shrinks it, and after what may make it grow. */
const std::vector<group> &
groups_of_level (uint32_t level)
{
  static const std::vector<group> none;
  static const std::vector<group> light = {
    { { "--eliminate-dead-branches", "--merge-blocks", "--simplify-instructions", "--eliminate-dead-code-aggressive" } }
  };
  static const std::vector<group> compute = {
    { { "--eliminate-dead-branches", "--merge-blocks", "--eliminate-local-single-block",
        "--eliminate-local-single-store", "--eliminate-dead-code-aggressive" } },
    { { "--scalar-replacement=100", "--ssa-rewrite", "--copy-propagate-arrays", "--ccp",
        "--eliminate-dead-branches", "--eliminate-dead-code-aggressive" } },
    { { "--loop-unroll" } },
    { { "--ccp", "--eliminate-dead-branches", "--if-conversion", "--simplify-instructions", "--merge-blocks",
        "--eliminate-dead-code-aggressive" } }
  };
  /* The performance recipe of SPIRV-Tools, cut into groups. */
  static const std::vector<group> full = {
    { { "--wrap-opkill", "--eliminate-dead-branches", "--merge-return", "--inline-entry-points-exhaustive",
        "--eliminate-dead-functions", "--eliminate-dead-code-aggressive" } },
    { { "--private-to-local", "--eliminate-local-single-block", "--eliminate-local-single-store",
        "--eliminate-dead-code-aggressive", "--scalar-replacement=100", "--convert-local-access-chains",
        "--eliminate-local-single-block", "--eliminate-local-single-store", "--eliminate-dead-code-aggressive" } },
    { { "--ssa-rewrite", "--eliminate-dead-code-aggressive", "--ccp", "--eliminate-dead-code-aggressive",
        "--loop-unroll", "--eliminate-dead-branches" } },
    { { "--redundancy-elimination", "--combine-access-chains", "--simplify-instructions", "--scalar-replacement=100",
        "--convert-local-access-chains", "--eliminate-local-single-block", "--eliminate-local-single-store",
        "--eliminate-dead-code-aggressive" } },
    { { "--ssa-rewrite", "--eliminate-dead-code-aggressive", "--vector-dce", "--eliminate-dead-inserts",
        "--eliminate-dead-branches", "--simplify-instructions", "--if-conversion", "--copy-propagate-arrays",
        "--reduce-load-size", "--eliminate-dead-code-aggressive", "--merge-blocks", "--redundancy-elimination",
        "--eliminate-dead-branches", "--merge-blocks", "--simplify-instructions" } }
  };
  switch (level)
    {
    case 0:
      return none;
    case 1:
      return light;
    case 2:
      return compute;
    default:
      return full;
    }
}

/* Keeps the first error that SPIRV-Tools reports; without a consumer its failures are silent. */
struct messages
{
  std::string first;

  spvtools::MessageConsumer
  consumer ()
  {
    return [this] (spv_message_level_t level, const char *, const spv_position_t &position, const char *text) {
      if (level > SPV_MSG_ERROR || !first.empty () || text == nullptr)
        return;
      first = text;
      if (position.index != 0)
        first += " (word " + std::to_string (position.index) + ")";
    };
  }

  const char *
  text () const
  {
    return first.empty () ? _("no reason given") : first.c_str ();
  }
};

const size_t first_instruction = 5;

/* The trim pass understands a part of the capabilities only: every one that we
 * declare and that it would take away wrongly must keep it out. */
bool
may_trim (const std::vector<uint32_t> &words)
{
  for (size_t at = first_instruction; at < words.size ();)
    {
      uint32_t count = words[at] >> SpvWordCountShift;
      if (count == 0 || (words[at] & SpvOpCodeMask) != SpvOpCapability)
        break;
      switch (words[at + 1])
        {
        case SpvCapabilityShader:
        case SpvCapabilityImageQuery:
        case SpvCapabilityStorageImageReadWithoutFormat:
        case SpvCapabilityStorageImageWriteWithoutFormat:
          break;
        default:
          return false;
        }
      at += count;
    }
  return true;
}

/* SPIRV-Tools puts whole instructions into its messages. */
const gsize longest_message = 300;

void
set_error (GError **error, enum spirv_error code, const char *format, const char *detail)
{
  static const char ellipsis[] = "…";
  char *text = g_strdup_printf (format, detail);
  char *message = g_utf8_make_valid (text, -1);
  if (strlen (message) > longest_message)
    {
      char *end = g_utf8_find_prev_char (message, message + longest_message - strlen (ellipsis) + 1);
      *end = '\0';
      char *cut = g_strconcat (message, ellipsis, nullptr);
      g_free (message);
      message = cut;
    }
  g_set_error_literal (error, SPIRV_ERROR, code, message);
  g_free (message);
  g_free (text);
}

/* Calls `visit` for each instruction: its opcode, its words and how many there are. */
template <typename visitor>
void
each_instruction (const std::vector<uint32_t> &words, visitor visit)
{
  for (size_t at = first_instruction; at < words.size ();)
    {
      uint32_t count = words[at] >> SpvWordCountShift;
      if (count == 0 || at + count > words.size ())
        break;
      visit (words[at] & SpvOpCodeMask, &words[at], count);
      at += count;
    }
}

/* SPIRV-Tools folds bitcasts of constants word by word, as if each component had 32 bits (tests: found/narrow-bitcast).
 * Those between other widths go through its passes as an instruction that it knows nothing about, and that no module for
 * Vulkan has. */
const uint32_t hidden_bitcast = SpvOpSatConvertSToU;

struct narrow_bitcasts
{
  std::vector<uint32_t> widths, types;   /* bits of a component, by type; type of each value */
  std::vector<size_t> places;
  size_t at = first_instruction;

  uint32_t
  width (uint32_t type) const
  {
    return type < widths.size () ? widths[type] : 0;
  }

  bool
  is_narrow (uint32_t type) const
  {
    return width (type) > 0 && width (type) < 32;
  }

  void
  visit (const spv_parsed_instruction_t *instruction)
  {
    const uint32_t *operands = instruction->words;
    uint32_t id = instruction->result_id;
    if (id < types.size () && instruction->type_id != 0)
      types[id] = instruction->type_id;
    else if (id < widths.size () && (instruction->opcode == SpvOpTypeInt || instruction->opcode == SpvOpTypeFloat))
      widths[id] = operands[2];
    else if (id < widths.size () && instruction->opcode == SpvOpTypeVector)
      widths[id] = width (operands[2]);
    if (instruction->opcode == SpvOpBitcast && operands[3] < types.size ()
        && (is_narrow (instruction->type_id) || is_narrow (types[operands[3]])))
      places.push_back (at);
    at += instruction->num_words;
  }
};

spv_result_t
visit_instruction (void *data, const spv_parsed_instruction_t *instruction)
{
  static_cast<narrow_bitcasts *> (data)->visit (instruction);
  return SPV_SUCCESS;
}

void
hide_narrow_bitcasts (std::vector<uint32_t> *words)
{
  bool any_bitcast = false, any_narrow = false;
  each_instruction (*words, [&any_bitcast, &any_narrow] (uint32_t opcode, const uint32_t *instruction, uint32_t count) {
    any_bitcast = any_bitcast || opcode == SpvOpBitcast;
    any_narrow = any_narrow || ((opcode == SpvOpTypeInt || opcode == SpvOpTypeFloat) && count > 2 && instruction[2] < 32);
  });
  if (!any_bitcast || !any_narrow)
    return;
  narrow_bitcasts bitcasts;
  bitcasts.widths.resize ((*words)[3]);
  bitcasts.types.resize ((*words)[3]);
  spv_context context = spvContextCreate (target_environment);
  spvBinaryParse (context, &bitcasts, words->data (), words->size (), nullptr, visit_instruction, nullptr);
  spvContextDestroy (context);
  for (size_t place : bitcasts.places)
    (*words)[place] = ((*words)[place] & ~static_cast<uint32_t> (SpvOpCodeMask)) | hidden_bitcast;
}

void
show_narrow_bitcasts (std::vector<uint32_t> *words)
{
  uint32_t *all = words->data ();
  each_instruction (*words, [all, words] (uint32_t opcode, const uint32_t *instruction, uint32_t) {
    if (opcode == hidden_bitcast)
      all[instruction - words->data ()] = (*instruction & ~static_cast<uint32_t> (SpvOpCodeMask)) | SpvOpBitcast;
  });
}

/* Runs some passes; false with `error` set when one failed. */
bool
run_passes (const std::vector<const char *> &flags, std::vector<uint32_t> *words, GError **error)
{
  messages log;
  spvtools::Optimizer optimizer (target_environment);
  optimizer.SetMessageConsumer (log.consumer ());
  for (const char *flag : flags)
    if (!optimizer.RegisterPassFromFlag (flag))
      {
        set_error (error, SPIRV_ERROR_INTERNAL, _("SPIRV-Tools does not know the pass %s"), flag);
        return false;
      }
  spvtools::OptimizerOptions options;
  options.set_run_validator (false);
  std::vector<uint32_t> result, input = *words;
  hide_narrow_bitcasts (&input);
  if (!optimizer.Run (input.data (), input.size (), &result, options))
    {
      set_error (error, SPIRV_ERROR_INTERNAL, _("the SPIR-V optimiser failed: %s"), log.text ());
      return false;
    }
  show_narrow_bitcasts (&result);
  words->swap (result);
  return true;
}

bool
has_extended_instruction (const std::vector<uint32_t> &words)
{
  bool any = false;
  each_instruction (words, [&any] (uint32_t opcode, const uint32_t *, uint32_t) { any = any || opcode == SpvOpExtInst; });
  return any;
}

/* The pass that propagates constants takes an extended instruction of constants that it cannot fold, such as UMax, for one
 * whose value will be known later, and then believes of a phi what its other operands say (tests: found/lost-phi). What
 * tells: behind the pass there is an extended instruction of nothing but constants, and something uses it. */
bool
has_lost_values (const std::vector<uint32_t> &words)
{
  enum state : uint8_t { other, constant, suspect };
  std::vector<uint8_t> states (words.size () > 3 ? words[3] : 0, other);
  bool lost = false;
  each_instruction (words, [&states] (uint32_t opcode, const uint32_t *instruction, uint32_t count) {
    bool all = opcode == SpvOpExtInst && count > 5;
    if (count > 2 && opcode >= SpvOpConstantTrue && opcode <= SpvOpSpecConstantOp && instruction[2] < states.size ())
      states[instruction[2]] = constant;
    for (uint32_t i = 5; i < count && all; i++)
      all = instruction[i] < states.size () && states[instruction[i]] == constant;
    if (all && instruction[2] < states.size ())
      states[instruction[2]] = suspect;
  });
  each_instruction (words, [&states, &lost] (uint32_t opcode, const uint32_t *instruction, uint32_t count) {
    for (uint32_t i = 1; i < count; i++)
      if (opcode != SpvOpExtInst || i != 2)
        lost = lost || (instruction[i] < states.size () && states[instruction[i]] == suspect);
  });
  return lost;
}

/* The pass that looks for values that are computed twice gives each block a copy of the table of all values in the blocks
 * that dominate it: what it takes grows with blocks times values, to hundreds of mebibytes for unrolled loops. An entry
 * has some 48 bytes, and on average half of the values are in a table. */
const uint64_t most_table_entries = UINT64_C (1) << 21;

bool
has_long_tables (const std::vector<uint32_t> &words)
{
  uint64_t n_blocks = 0, n_others = 0, most = 0;
  each_instruction (words, [&n_blocks, &n_others, &most] (uint32_t opcode, const uint32_t *, uint32_t) {
    if (opcode == SpvOpFunction)
      n_blocks = n_others = 0;
    else if (opcode == SpvOpLabel)
      n_blocks++;
    else
      n_others++;
    most = std::max (most, n_blocks * n_others);
  });
  return most > most_table_entries;
}

/* Where that takes too much, blocks that follow each other become one, and each is looked at alone. */
std::vector<const char *>
fitting_passes (const group &passes, const std::vector<uint32_t> &words)
{
  std::vector<const char *> flags;
  for (const char *flag : passes.flags)
    {
      bool whole = strcmp (flag, "--redundancy-elimination") == 0 && has_long_tables (words);
      if (whole)
        flags.push_back ("--merge-blocks");
      flags.push_back (whole ? "--local-redundancy-elimination" : flag);
    }
  return flags;
}

/* Runs one group; false with `error` set when a pass failed. */
bool
run_group (const group &passes, std::vector<uint32_t> *words, GError **error)
{
  std::vector<const char *> flags, all = fitting_passes (passes, *words);
  if (!has_extended_instruction (*words))
    return run_passes (all, words, error);
  for (const char *flag : all)
    {
      if (strcmp (flag, "--ccp") != 0)
        {
          flags.push_back (flag);
          continue;
        }
      if (!flags.empty () && !run_passes (flags, words, error))
        return false;
      flags.clear ();
      std::vector<uint32_t> propagated = *words;
      if (!run_passes ({ flag }, &propagated, error))
        return false;
      if (!has_lost_values (propagated))
        words->swap (propagated);
    }
  return flags.empty () || run_passes (flags, words, error);
}

/* Optional: older versions have no such pass, and then nothing happens. */
void
run_trim (std::vector<uint32_t> *words)
{
  if (!may_trim (*words))
    return;
  messages log;
  spvtools::Optimizer optimizer (target_environment);
  optimizer.SetMessageConsumer (log.consumer ());
  if (!optimizer.RegisterPassFromFlag ("--trim-capabilities"))
    return;
  spvtools::OptimizerOptions options;
  options.set_run_validator (false);
  std::vector<uint32_t> result;
  if (optimizer.Run (words->data (), words->size (), &result, options))
    words->swap (result);
}

bool
validate (spv_target_env environment, const uint32_t *words, gsize n_words, GError **error)
{
  spv_context context = spvContextCreate (environment);
  spv_diagnostic diagnostic = nullptr;
  spv_const_binary_t binary = { words, n_words };
  spv_result_t status = context != nullptr ? spvValidate (context, &binary, &diagnostic) : SPV_ERROR_OUT_OF_MEMORY;
  if (status != SPV_SUCCESS)
    {
      const char *text = diagnostic != nullptr && diagnostic->error != nullptr ? diagnostic->error : _("no reason given");
      set_error (error, SPIRV_ERROR_INTERNAL, _("the SPIR-V module is not valid: %s"), text);
    }
  spvDiagnosticDestroy (diagnostic);
  spvContextDestroy (context);
  return status == SPV_SUCCESS;
}

/* How one level went. `words` are always good to use: its input, or what the groups made of it. */
struct attempt
{
  std::vector<uint32_t> words;
  unsigned n_done = 0;           /* groups, or single passes of a careful attempt */
  bool complete = false;
  std::string reason;            /* of not being complete */
};

std::string
take_message (GError *error)
{
  std::string message = error->message;
  g_error_free (error);
  return message;
}

std::string formatted (const char *format, ...) G_GNUC_PRINTF (1, 2);

std::string
formatted (const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  char *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  std::string copy = text;
  g_free (text);
  return copy;
}

std::string
too_many_words (gsize n_words, const spirv_optimizer_limits &limits)
{
  return formatted (_("the SPIR-V optimiser made %zu words, the limit is %zu"), n_words, limits.words);
}

std::string
too_late (const spirv_optimizer_limits &limits)
{
  return formatted (_("the SPIR-V optimiser was stopped after %" PRId64 " ms"), (int64_t) (limits.time / 1000));
}

/* Group after group; the words of the last one that kept the limits stay. */
attempt
attempt_level (const std::vector<uint32_t> &input, uint32_t level, const spirv_optimizer_limits &limits)
{
  attempt result;
  result.words = input;
  const std::vector<group> &groups = groups_of_level (level);
  const gint64 deadline = g_get_monotonic_time () + limits.time;
  for (const group &passes : groups)
    {
      std::vector<uint32_t> words = result.words;
      GError *error = nullptr;
      if (!run_group (passes, &words, &error))
        {
          result.reason = take_message (error);
          return result;
        }
      if (words.size () > limits.words)
        {
          result.reason = too_many_words (words.size (), limits);
          return result;
        }
      result.words.swap (words);
      result.n_done++;
      if (result.n_done < groups.size () && g_get_monotonic_time () >= deadline)
        {
          result.reason = too_late (limits);
          return result;
        }
    }
  result.complete = true;
  return result;
}

/* Pass by pass, where the groups left an invalid module: every step is validated,
 * and a pass that breaks the module is left out. */
attempt
attempt_carefully (const std::vector<uint32_t> &input, uint32_t level, const spirv_optimizer_limits &limits)
{
  attempt result;
  result.words = input;
  std::string left_out;
  const gint64 deadline = g_get_monotonic_time () + limits.time;
  for (const group &passes : groups_of_level (level))
    for (const char *flag : passes.flags)
      {
        std::vector<uint32_t> words = result.words;
        const group single = { { flag } };
        if (g_get_monotonic_time () >= deadline)
          {
            result.reason = too_late (limits);
            return result;
          }
        if (run_group (single, &words, nullptr) && words.size () <= limits.words
            && validate (target_environment, words.data (), words.size (), nullptr))
          {
            result.words.swap (words);
            result.n_done++;
          }
        else if (left_out.find (flag) == std::string::npos)
          left_out += std::string (left_out.empty () ? "" : " ") + flag;
      }
  result.complete = left_out.empty ();
  if (!result.complete)
    result.reason = formatted (_("the SPIR-V optimiser did without %s, which broke the module"), left_out.c_str ());
  return result;
}

/* The trimmed words where they are valid. */
void
trim (std::vector<uint32_t> *words)
{
  std::vector<uint32_t> trimmed = *words;
  run_trim (&trimmed);
  if (trimmed == *words || validate (target_environment, trimmed.data (), trimmed.size (), nullptr))
    words->swap (trimmed);
}

/* One level, its words validated; false where nothing came of it. */
bool
optimize_at (const std::vector<uint32_t> &input, uint32_t level, const spirv_optimizer_limits &limits, attempt *result)
{
  *result = attempt_level (input, level, limits);
  if (result->n_done == 0 && !result->complete)
    return false;
  GError *error = nullptr;
  if (!validate (target_environment, result->words.data (), result->words.size (), &error))
    {
      std::string message = take_message (error);
      *result = attempt_carefully (input, level, limits);
      if (result->n_done == 0)
        {
          if (result->reason.empty ())
            result->reason = message;
          return false;
        }
    }
  if (level > 0)
    trim (&result->words);
  return true;
}

/* Level 2 makes less of a module and so may keep the limits where level 3 does not. */
bool
optimize (const uint32_t *words, gsize n_words, uint32_t level, const spirv_optimizer_limits &limits, attempt *result,
          std::string *note, GError **error)
{
  const uint32_t modest = 2;
  if (n_words > largest_input)
    {
      g_set_error (error, SPIRV_ERROR, SPIRV_ERROR_TOO_LARGE,
                   _("a SPIR-V module of %zu words is not optimised, the limit is %zu"),
                   n_words, largest_input);
      return false;
    }
  const std::vector<uint32_t> input (words, words + n_words);
  if (optimize_at (input, level, limits, result))
    {
      *note = result->reason;
      return true;
    }
  const std::string reason = result->reason;
  if (level > modest && optimize_at (input, modest, limits, result))
    {
      *note = formatted (_("%s; level %u took the place of level %u"), reason.c_str (), modest, level);
      if (!result->complete)
        *note += "; " + result->reason;
      return true;
    }
  g_set_error (error, SPIRV_ERROR, SPIRV_ERROR_INTERNAL, "%s", reason.c_str ());
  return false;
}

} /* namespace */

extern "C" bool
spirv_validate (const uint32_t *words, gsize n_words, GError **error)
{
  try
    {
      return validate (target_environment, words, n_words, error);
    }
  catch (const std::exception &exception)
    {
      set_error (error, SPIRV_ERROR_INTERNAL, _("the SPIR-V validator failed: %s"), exception.what ());
    }
  catch (...)
    {
      set_error (error, SPIRV_ERROR_INTERNAL, _("the SPIR-V validator failed: %s"), _("no reason given"));
    }
  return false;
}

extern "C" bool
spirv_optimize (const uint32_t *words, gsize n_words, uint32_t level, const struct spirv_optimizer_limits *limits,
                uint32_t **out, gsize *n_out, char **note, GError **error)
{
  try
    {
      const spirv_optimizer_limits usual = { deadline_microseconds, n_words * growth_factor + growth_slack };
      attempt result;
      std::string remark;
      if (!optimize (words, n_words, level, limits != nullptr ? *limits : usual, &result, &remark, error))
        return false;
      *out = static_cast<uint32_t *> (g_memdup2 (result.words.data (), result.words.size () * sizeof (uint32_t)));
      *n_out = result.words.size ();
      *note = remark.empty () ? nullptr : g_strdup (remark.c_str ());
      return true;
    }
  catch (const std::exception &exception)
    {
      set_error (error, SPIRV_ERROR_INTERNAL, _("the SPIR-V optimiser failed: %s"), exception.what ());
    }
  catch (...)
    {
      set_error (error, SPIRV_ERROR_INTERNAL, _("the SPIR-V optimiser failed: %s"), _("no reason given"));
    }
  return false;
}

extern "C" char *
spirv_disassemble (const uint32_t *words, gsize n_words, GError **error)
{
  char *copy = nullptr;
  try
    {
      spv_context context = spvContextCreate (target_environment);
      spv_text text = nullptr;
      spv_diagnostic diagnostic = nullptr;
      spv_result_t status = spvBinaryToText (context, words, n_words,
                                             SPV_BINARY_TO_TEXT_OPTION_INDENT | SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES,
                                             &text, &diagnostic);
      if (status == SPV_SUCCESS && text != nullptr)
        copy = g_strndup (text->str, text->length);
      else
        set_error (error, SPIRV_ERROR_INTERNAL, _("the words are not SPIR-V: %s"),
                   diagnostic != nullptr && diagnostic->error != nullptr ? diagnostic->error : _("no reason given"));
      spvTextDestroy (text);
      spvDiagnosticDestroy (diagnostic);
      spvContextDestroy (context);
    }
  catch (...)
    {
      set_error (error, SPIRV_ERROR_INTERNAL, _("the words are not SPIR-V: %s"), _("no reason given"));
    }
  return copy;
}
