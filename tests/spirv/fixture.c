/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tests/spirv/fixture.h"

#include <spirv-tools/libspirv.h>
#include <string.h>

#include "codegen/frontend/frontend.h"
#include "codegen/xir/verify.h"

const struct spirv_target fixture_target = {
  .features = (UINT64_C (1) << SPIRV_N_FEATURES) - 1,
  .max_group_size = { 1024, 1024, 64 },
  .max_group_invocations = 1024,
  .max_shared_memory = 32768,
  .max_push_constants = 128,
  .max_storage_buffers = 1024,
  .max_storage_images = 64,
  .max_sampled_images = 64,
  .max_resources = 1024
};

const struct spirv_options fixture_options = { .optimization_level = 0 };

void
fixture_init (struct fixture *fixture)
{
  memset (fixture, 0, sizeof *fixture);
  fixture->context = xir_context_new ();
  fixture->module = xir_module_new (fixture->context, "test.gk");
  fixture->kernel = xir_function_new (fixture->module, XIR_FUNCTION_KERNEL, "test", NULL);
  fixture->kernel->group_size[0] = 64;
  fixture->kernel->group_size[1] = fixture->kernel->group_size[2] = 1;
  fixture->entry = xir_block_new (fixture->kernel);
  xir_builder_init (&fixture->builder, fixture->kernel);
  xir_builder_at_end (&fixture->builder, fixture->entry);
  fixture->inputs = g_hash_table_new (NULL, NULL);
  fixture->outputs = g_hash_table_new (NULL, NULL);
}

void
fixture_init_text (struct fixture *fixture, const char *text)
{
  struct gk_diagnostics diagnostics;
  GString *report = g_string_new (NULL);
  memset (fixture, 0, sizeof *fixture);
  fixture->context = xir_context_new ();
  fixture->inputs = g_hash_table_new (NULL, NULL);
  fixture->outputs = g_hash_table_new (NULL, NULL);
  gk_diagnostics_init (&diagnostics, "test.gk");
  struct gk_unit *unit = gk_unit_new (fixture->context, "test.gk", text, strlen (text), &diagnostics);
  gk_diagnostics_format (&diagnostics, report);
  ck_assert_msg (diagnostics.n_errors == 0, "%s", report->str);
  fixture->module = gk_unit_lower (unit);
  fixture->kernel = xir_module_find_function (fixture->module, "test");
  ck_assert_ptr_nonnull (fixture->kernel);
  gk_unit_free (unit);
  gk_diagnostics_clear (&diagnostics);
  g_string_free (report, TRUE);
}

void
fixture_clear (struct fixture *fixture)
{
  g_hash_table_unref (fixture->inputs);
  g_hash_table_unref (fixture->outputs);
  xir_module_free (fixture->module);
  xir_context_unref (fixture->context);
}

const struct xir_type *
fixture_type (struct fixture *fixture, enum xir_type_kind kind, uint32_t lanes)
{
  const struct xir_type *scalar = xir_type_scalar (fixture->context, kind);
  return lanes == 1 ? scalar : xir_type_vector (fixture->context, scalar, lanes);
}

struct xir_value *
fixture_argument (struct fixture *fixture, enum xir_argument_kind kind, const struct xir_type *type, const char *name)
{
  return &xir_function_add_argument (fixture->kernel, kind, type, name)->value;
}

struct xir_value *
fixture_uint (struct fixture *fixture, uint32_t value)
{
  return xir_constant_uint (fixture->module, value);
}

struct xir_value *
fixture_int (struct fixture *fixture, int32_t value)
{
  return xir_constant_int (fixture->module, value);
}

struct xir_value *
fixture_float (struct fixture *fixture, float value)
{
  return xir_constant_float (fixture->module, value);
}

static struct xir_value *
buffer_of (struct fixture *fixture, GHashTable *buffers, const struct xir_type *element, bool is_const)
{
  struct xir_value *known = g_hash_table_lookup (buffers, element);
  if (known != NULL)
    return known;
  known = fixture_argument (fixture, XIR_ARGUMENT_RESOURCE, xir_type_buffer (fixture->context, element),
                            is_const ? "input" : "output");
  xir_value_argument (known)->is_const = is_const;
  g_hash_table_insert (buffers, (gpointer) element, known);
  return known;
}

static struct xir_value *
thread_index (struct fixture *fixture)
{
  if (fixture->thread == NULL)
    {
      struct xir_value *zero = fixture_uint (fixture, 0);
      fixture->thread = xir_build_extract (&fixture->builder, xir_special_get (fixture->module, XIR_SPECIAL_GLOBAL_ID), &zero, 1);
    }
  return fixture->thread;
}

struct xir_value *
fixture_source (struct fixture *fixture, const struct xir_type *type, uint32_t salt)
{
  bool is_bool = xir_type_is_bool (type);
  const struct xir_type *stored = is_bool ? xir_type_with_scalar (fixture->context, type, XIR_TYPE_UINT32) : type;
  struct xir_value *index = xir_build_binary (&fixture->builder, XIR_OP_ADD, thread_index (fixture), fixture_uint (fixture, salt));
  struct xir_value *value = xir_build_buffer_read (&fixture->builder, buffer_of (fixture, fixture->inputs, stored, true), &index, 1);
  return is_bool ? xir_build_cast (&fixture->builder, type, value) : value;
}

void
fixture_sink (struct fixture *fixture, struct xir_value *value)
{
  if (xir_type_is_bool (value->type))
    value = xir_build_cast (&fixture->builder, xir_type_with_scalar (fixture->context, value->type, XIR_TYPE_UINT32), value);
  struct xir_value *index = xir_build_binary (&fixture->builder, XIR_OP_ADD, thread_index (fixture),
                                              fixture_uint (fixture, 64 * fixture->n_sinks++));
  xir_build_buffer_write (&fixture->builder, buffer_of (fixture, fixture->outputs, value->type, false), value, &index, 1);
}

void
fixture_compile (struct fixture *fixture, const struct spirv_options *options, struct spirv_result *result)
{
  GError *error = NULL;
  bool done = spirv_compile (fixture->module, "test", &fixture_target, options, result, &error);
  ck_assert_msg (done, "%s", error != NULL ? error->message : "no error set");
  ck_assert_ptr_null (error);
}

static void
validate_as_vulkan_1_3 (const struct spirv_result *result)
{
  spv_context context = spvContextCreate (SPV_ENV_VULKAN_1_3);
  spv_diagnostic diagnostic = NULL;
  spv_const_binary_t binary = { result->words, result->n_words };
  spv_result_t status = spvValidate (context, &binary, &diagnostic);
  ck_assert_msg (status == SPV_SUCCESS, "%s", diagnostic != NULL ? diagnostic->error : "invalid");
  spvDiagnosticDestroy (diagnostic);
  spvContextDestroy (context);
}

void
fixture_compile_all (struct fixture *fixture)
{
  for (uint32_t level = 0; level <= 3; level++)
    {
      struct spirv_options options = { .optimization_level = level, .xir_optimization = level % 2 == 1, .debug_names = level >= 2 };
      struct spirv_result result;
      fixture_compile (fixture, &options, &result);
      validate_as_vulkan_1_3 (&result);
      /* The optimiser must have been able to work on it. */
      uint32_t *words = NULL;
      gsize n_words = 0;
      char *note = NULL;
      GError *error = NULL;
      bool optimized = spirv_optimize (result.words, result.n_words, level, NULL, &words, &n_words, &note, &error);
      ck_assert_msg (optimized, "level %u: %s", level, error != NULL ? error->message : "?");
      ck_assert_msg (note == NULL || fixture->optimizer_may_give_up, "level %u: %s", level, note);
      ck_assert_msg (result.optimizer_note == NULL || fixture->optimizer_may_give_up, "level %u: %s", level, result.optimizer_note);
      ck_assert (error == NULL && words != NULL);
      g_free (note);
      g_free (words);
      spirv_result_clear (&result);
    }
}

void
fixture_refused_by (struct fixture *fixture, const struct spirv_target *target, enum spirv_error code, const char *needle)
{
  GError *error = NULL;
  struct spirv_result result, untouched;
  memset (&result, 0x5a, sizeof result);
  untouched = result;
  ck_assert (!spirv_compile (fixture->module, "test", target, &fixture_options, &result, &error));
  ck_assert_ptr_nonnull (error);
  ck_assert_msg (strstr (error->message, needle) != NULL, "“%s” does not say “%s”", error->message, needle);
  ck_assert_msg (g_error_matches (error, SPIRV_ERROR, (int) code), "%s: code %d", error->message, error->code);
  ck_assert_mem_eq (&result, &untouched, sizeof result);
  g_error_free (error);
}

void
fixture_refused (struct fixture *fixture, enum spirv_error code, const char *needle)
{
  fixture_refused_by (fixture, &fixture_target, code, needle);
}

#define FOR_EACH_INSTRUCTION(at, result) \
  for (gsize at = 5; at < (result)->n_words; at += (result)->words[at] >> SpvWordCountShift)

uint32_t
fixture_count (const struct spirv_result *result, SpvOp op)
{
  uint32_t n = 0;
  FOR_EACH_INSTRUCTION (at, result)
    n += (result->words[at] & SpvOpCodeMask) == (uint32_t) op;
  return n;
}

uint32_t
fixture_count_decoration (const struct spirv_result *result, SpvDecoration decoration)
{
  uint32_t n = 0;
  FOR_EACH_INSTRUCTION (at, result)
    n += (result->words[at] & SpvOpCodeMask) == SpvOpDecorate && result->words[at + 2] == (uint32_t) decoration;
  return n;
}

const uint32_t *
fixture_find (const struct spirv_result *result, SpvOp op, uint32_t word, uint32_t value)
{
  FOR_EACH_INSTRUCTION (at, result)
    if ((result->words[at] & SpvOpCodeMask) == (uint32_t) op && (word == 0 || result->words[at + word] == value))
      return result->words + at;
  return NULL;
}

bool
fixture_is_decorated (const struct spirv_result *result, uint32_t id, SpvDecoration decoration)
{
  FOR_EACH_INSTRUCTION (at, result)
    if ((result->words[at] & SpvOpCodeMask) == SpvOpDecorate && result->words[at + 1] == id
        && result->words[at + 2] == (uint32_t) decoration)
      return true;
  return false;
}

/* Of the opcodes we write: those with a type and a result. */
static bool
has_typed_result (SpvOp op)
{
  switch (op)
    {
    case SpvOpName:
    case SpvOpMemberName:
    case SpvOpString:
    case SpvOpLine:
    case SpvOpDecorate:
    case SpvOpMemberDecorate:
    case SpvOpEntryPoint:
    case SpvOpExecutionMode:
    case SpvOpMemoryModel:
    case SpvOpExtInstImport:
    case SpvOpStore:
    case SpvOpImageWrite:
    case SpvOpSelectionMerge:
    case SpvOpLoopMerge:
    case SpvOpBranchConditional:
    case SpvOpSwitch:
      return false;
    default:
      return op < SpvOpTypeVoid || op > SpvOpTypeForwardPointer;
    }
}

uint32_t
fixture_variable (const struct spirv_result *result, uint32_t binding)
{
  for (gsize at = 5; at < result->n_words; at += result->words[at] >> SpvWordCountShift)
    if ((result->words[at] & SpvOpCodeMask) == SpvOpDecorate && result->words[at + 2] == SpvDecorationBinding
        && result->words[at + 3] == binding)
      return result->words[at + 1];
  ck_abort_msg ("no binding %u", binding);
  return 0;
}

const uint32_t *
fixture_definition (const struct spirv_result *result, uint32_t id)
{
  FOR_EACH_INSTRUCTION (at, result)
    if ((result->words[at] >> SpvWordCountShift) >= 3 && has_typed_result ((SpvOp) (result->words[at] & SpvOpCodeMask))
        && result->words[at + 2] == id)
      return result->words + at;
  return NULL;
}

uint32_t *
fixture_assemble (const char *text, gsize *n_words)
{
  spv_context context = spvContextCreate (SPV_ENV_VULKAN_1_2);
  spv_binary binary = NULL;
  spv_diagnostic diagnostic = NULL;
  uint32_t *words;

  spv_result_t status = spvTextToBinary (context, text, strlen (text), &binary, &diagnostic);
  ck_assert_msg (status == SPV_SUCCESS, "%s", diagnostic != NULL ? diagnostic->error : "");
  status = spvValidateBinary (context, binary->code, binary->wordCount, &diagnostic);
  ck_assert_msg (status == SPV_SUCCESS, "%s", diagnostic != NULL ? diagnostic->error : "");
  *n_words = binary->wordCount;
  words = g_memdup2 (binary->code, binary->wordCount * sizeof *words);
  spvBinaryDestroy (binary);
  spvDiagnosticDestroy (diagnostic);
  spvContextDestroy (context);
  return words;
}
