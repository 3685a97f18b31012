/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* SPIRV-Tools behind a C face: the one C++ file of the compiler. Only what the
 * C++ header optimizer.hpp has had since 2023.1 is used, because the C
 * optimiser came later. Passes are named by their command-line flags, which
 * lets a pass be asked for that an older version does not know. */

#include "config.h"

#include <glib.h>
#include <glib/gi18n-lib.h>

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

/* The trim pass understands a part of the capabilities only: every one that we
 * declare and that it would take away wrongly must keep it out. */
bool
may_trim (const std::vector<uint32_t> &words)
{
  for (size_t at = 5; at < words.size ();)
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

void
set_error (GError **error, enum spirv_error code, const char *format, const char *detail)
{
  char *message = g_strdup_printf (format, detail);
  g_set_error_literal (error, SPIRV_ERROR, code, message);
  g_free (message);
}

/* Runs one group; false with `error` set when a pass failed. */
bool
run_group (const group &passes, std::vector<uint32_t> *words, GError **error)
{
  messages log;
  spvtools::Optimizer optimizer (target_environment);
  optimizer.SetMessageConsumer (log.consumer ());
  for (const char *flag : passes.flags)
    if (!optimizer.RegisterPassFromFlag (flag))
      {
        set_error (error, SPIRV_ERROR_INTERNAL, _("SPIRV-Tools does not know the pass %s"), flag);
        return false;
      }
  spvtools::OptimizerOptions options;
  options.set_run_validator (false);
  std::vector<uint32_t> result;
  if (!optimizer.Run (words->data (), words->size (), &result, options))
    {
      set_error (error, SPIRV_ERROR_INTERNAL, _("the SPIR-V optimiser failed: %s"), log.text ());
      return false;
    }
  words->swap (result);
  return true;
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
optimize (const uint32_t *words, gsize n_words, uint32_t level, std::vector<uint32_t> *result, GError **error)
{
  if (n_words > largest_input)
    {
      g_set_error (error, SPIRV_ERROR, SPIRV_ERROR_TOO_LARGE,
                   _("a SPIR-V module of %zu words is not optimised, the limit is %zu"),
                   n_words, largest_input);
      return false;
    }
  result->assign (words, words + n_words);
  const gsize limit = n_words * growth_factor + growth_slack;
  const gint64 deadline = g_get_monotonic_time () + deadline_microseconds;
  for (const group &passes : groups_of_level (level))
    {
      if (!run_group (passes, result, error))
        return false;
      if (result->size () > limit)
        {
          g_set_error (error, SPIRV_ERROR, SPIRV_ERROR_TOO_LARGE,
                       _("the SPIR-V optimiser made %zu words of %zu, the limit is %zu"),
                       (gsize) result->size (), n_words, limit);
          return false;
        }
      if (g_get_monotonic_time () > deadline)
        {
          g_set_error (error, SPIRV_ERROR, SPIRV_ERROR_TOO_LARGE,
                       _("the SPIR-V optimiser was stopped after %" PRId64 " ms"),
                       (gint64) (deadline_microseconds / 1000));
          return false;
        }
    }
  if (level > 0)
    run_trim (result);
  return true;
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
spirv_optimize (const uint32_t *words, gsize n_words, uint32_t level, uint32_t **out, gsize *n_out, GError **error)
{
  try
    {
      std::vector<uint32_t> result;
      if (!optimize (words, n_words, level, &result, error))
        return false;
      if (!validate (target_environment, result.data (), result.size (), error))
        return false;
      *out = static_cast<uint32_t *> (g_memdup2 (result.data (), result.size () * sizeof (uint32_t)));
      *n_out = result.size ();
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
