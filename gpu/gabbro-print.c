/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/print-private.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "codegen/passes/print-record.h"
#include "codegen/xir/evaluate-private.h"
#include "codegen/xir/format.h"

/**
 * GabbroPrint:
 *
 * One line that a thread of a kernel has printed with print(), or the failure of an assert(); see gabbro-kernel(5). It
 * comes by #GabbroDevice::print. Constant; thread-safe.
 *
 * Since: 0.1
 */
struct _GabbroPrint
{
  gatomicrefcount references;
  struct gabbro_printer *printer;
  const struct spirv_print_site *site;   /* of the printer */
  uint32_t dispatch, thread[3];
  char *text;
};

G_DEFINE_BOXED_TYPE (GabbroPrint, gabbro_print, gabbro_print_ref, gabbro_print_unref)

/* Values as text. */

/* As few digits as read back the same; seventeen always do. */
static void
append_float (GString *out, enum xir_type_kind kind, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE], format[8];

  if (isnan (value) || isinf (value))
    {
      g_string_append (out, isnan (value) ? "nan" : value < 0 ? "-inf" : "inf");
      return;
    }
  for (int digits = 1; digits <= 17; digits++)
    {
      g_snprintf (format, sizeof format, "%%.%dg", digits);
      g_ascii_formatd (text, sizeof text, format, value);
      if (evaluate_bits_of_real (kind, g_ascii_strtod (text, NULL)) == evaluate_bits_of_real (kind, value))
        break;
    }
  g_string_append (out, text);
}

static void
append_scalar (GString *out, enum xir_type_kind kind, const uint32_t *words)
{
  uint64_t wide;

  switch (kind)
    {
    case XIR_TYPE_BOOL:
      g_string_append (out, words[0] != 0 ? "true" : "false");
      break;
    case XIR_TYPE_UINT8:
    case XIR_TYPE_UINT16:
    case XIR_TYPE_UINT32:
      g_string_append_printf (out, "%" PRIu32, words[0]);
      break;
    case XIR_TYPE_INT64:
    case XIR_TYPE_UINT64:
      wide = (uint64_t) words[1] << 32 | words[0];
      if (kind == XIR_TYPE_UINT64)
        g_string_append_printf (out, "%" PRIu64, wide);
      else
        g_string_append_printf (out, "%" PRId64, (int64_t) wide);
      break;
    case XIR_TYPE_FLOAT64:
      append_float (out, kind, evaluate_real_of_bits (kind, (uint64_t) words[1] << 32 | words[0]));
      break;
    case XIR_TYPE_FLOAT32:
    case XIR_TYPE_FLOAT16:
    case XIR_TYPE_BFLOAT16:
    case XIR_TYPE_FLOAT8_E4M3:
    case XIR_TYPE_FLOAT8_E5M2:
      /* A record has narrow ones as floats. */
      append_float (out, kind, evaluate_real_of_bits (XIR_TYPE_FLOAT32, words[0]));
      break;
    default:
      g_string_append_printf (out, "%" PRId32, (int32_t) words[0]);
    }
}

/* Returns the words behind the value. */
static const uint32_t *
append_value (GString *out, const struct xir_type *type, const uint32_t *words)
{
  const char *brackets = type->kind == XIR_TYPE_VECTOR ? "()" : type->kind == XIR_TYPE_MATRIX ? "<>"
                         : type->kind == XIR_TYPE_ARRAY ? "[]" : "{}";

  if (xir_type_is_scalar (type))
    {
      append_scalar (out, type->kind, words);
      return words + xir_print_words (type);
    }
  g_string_append_c (out, brackets[0]);
  for (uint64_t i = 0; i < type->count; i++)
    {
      if (i > 0)
        g_string_append (out, ", ");
      words = append_value (out, xir_type_child (type, i), words);
    }
  g_string_append_c (out, brackets[1]);
  return words;
}

static char *
format_line (const struct spirv_print_site *site, const uint32_t *words)
{
  GString *text = g_string_new (NULL);
  const char *at = site->format;
  bool is_wrong;
  uint32_t n = 0;

  while (xir_format_next (&at, text, &is_wrong) && n < site->n_types)
    words = append_value (text, site->types[n++], words);
  /* A line ends anyway; who is used to writing it need not change. */
  if (text->len > 0 && text->str[text->len - 1] == '\n')
    g_string_truncate (text, text->len - 1);
  return g_string_free (text, FALSE);
}

GabbroPrint *
gabbro_print_new (const struct gabbro_printer *printer, const struct spirv_print_site *site, const uint32_t *record)
{
  GabbroPrint *self = g_new0 (GabbroPrint, 1);

  g_atomic_ref_count_init (&self->references);
  self->printer = gabbro_printer_ref ((struct gabbro_printer *) printer);
  self->site = site;
  self->dispatch = record[1];
  memcpy (self->thread, record + 2, sizeof self->thread);
  self->text = format_line (site, record + XIR_PRINT_RECORD_HEADER);
  return self;
}

/**
 * gabbro_print_ref:
 * @self: a line
 *
 * Takes a reference. Thread-safe; does not block.
 *
 * Returns: (transfer full): @self
 *
 * Since: 0.1
 */
GabbroPrint *
gabbro_print_ref (GabbroPrint *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  g_atomic_ref_count_inc (&self->references);
  return self;
}

/**
 * gabbro_print_unref:
 * @self: (transfer full): a line
 *
 * Drops a reference. Thread-safe; does not block.
 *
 * Since: 0.1
 */
void
gabbro_print_unref (GabbroPrint *self)
{
  g_return_if_fail (self != NULL);

  if (!g_atomic_ref_count_dec (&self->references))
    return;
  gabbro_printer_unref (self->printer);
  g_free (self->text);
  g_free (self);
}

/**
 * gabbro_print_get_text:
 * @self: a line
 *
 * Gets what was printed: the format with the values in it, without a newline at the end. Of an assert() it may be
 * empty. Thread-safe; does not block.
 *
 * Returns: (transfer none): the text
 *
 * Since: 0.1
 */
const char *
gabbro_print_get_text (const GabbroPrint *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->text;
}

/**
 * gabbro_print_is_failure:
 * @self: a line
 *
 * Asks whether an assert() has failed, or something was printed. Thread-safe; does not block.
 *
 * Returns: whether it is of an assert()
 *
 * Since: 0.1
 */
gboolean
gabbro_print_is_failure (const GabbroPrint *self)
{
  g_return_val_if_fail (self != NULL, FALSE);

  return self->site->condition != NULL;
}

/**
 * gabbro_print_get_condition:
 * @self: a line
 *
 * Gets what had to be true, as it stands in the source. Thread-safe; does not block.
 *
 * Returns: (transfer none) (nullable): the condition of an assert(), %NULL for a print()
 *
 * Since: 0.1
 */
const char *
gabbro_print_get_condition (const GabbroPrint *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->site->condition;
}

/**
 * gabbro_print_get_kernel:
 * @self: a line
 *
 * Gets the kernel that ran. Thread-safe; does not block.
 *
 * Returns: (transfer none): its name
 *
 * Since: 0.1
 */
const char *
gabbro_print_get_kernel (const GabbroPrint *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->printer->kernel;
}

/**
 * gabbro_print_get_file:
 * @self: a line
 *
 * Gets the file in which the print() or assert() stands: the name of the module, or the last part of the name of an
 * imported file. Thread-safe; does not block.
 *
 * Returns: (transfer none): the name
 *
 * Since: 0.1
 */
const char *
gabbro_print_get_file (const GabbroPrint *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->site->file;
}

/**
 * gabbro_print_get_line:
 * @self: a line
 *
 * Gets the line in which the print() or assert() stands. Thread-safe; does not block.
 *
 * Returns: the line, the first one is 1
 *
 * Since: 0.1
 */
guint
gabbro_print_get_line (const GabbroPrint *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->site->line;
}

/**
 * gabbro_print_get_column:
 * @self: a line
 *
 * Gets the place in that line. Thread-safe; does not block.
 *
 * Returns: the column in bytes, the first one is 1
 *
 * Since: 0.1
 */
guint
gabbro_print_get_column (const GabbroPrint *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->site->column;
}

/**
 * gabbro_print_get_dispatch:
 * @self: a line
 *
 * Gets which dispatch of its command list it is of: dispatches of kernels that print are counted in the order in which
 * they were recorded. Thread-safe; does not block.
 *
 * Returns: the number, the first one is 0
 *
 * Since: 0.1
 */
guint
gabbro_print_get_dispatch (const GabbroPrint *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->dispatch;
}

/**
 * gabbro_print_get_thread:
 * @self: a line
 * @x: (out) (optional): the thread's place in the dispatch in the first dimension
 * @y: (out) (optional): in the second
 * @z: (out) (optional): in the third
 *
 * Gets the thread that printed it, its `global_id`. Thread-safe; does not block.
 *
 * Since: 0.1
 */
void
gabbro_print_get_thread (const GabbroPrint *self, guint *x, guint *y, guint *z)
{
  g_return_if_fail (self != NULL);

  if (x != NULL)
    *x = self->thread[0];
  if (y != NULL)
    *y = self->thread[1];
  if (z != NULL)
    *z = self->thread[2];
}

static void
add_string (GVariantBuilder *builder, const char *key, const char *value)
{
  char *valid = g_utf8_make_valid (value, -1);

  g_variant_builder_add (builder, "{sv}", key, g_variant_new_string (valid));
  g_free (valid);
}

/**
 * gabbro_print_to_variant:
 * @self: a line
 *
 * Everything that is known, for programs: a dictionary of type a{sv} with `text`, `kernel`, `file`, `line`, `column`,
 * `dispatch`, `thread` (three numbers), `failure` (a bool) and, of an assert(), `condition`. Thread-safe; does not block.
 *
 * Returns: (transfer full): the dictionary
 *
 * Since: 0.1
 */
GVariant *
gabbro_print_to_variant (const GabbroPrint *self)
{
  GVariantBuilder builder;

  g_return_val_if_fail (self != NULL, NULL);

  g_variant_builder_init (&builder, G_VARIANT_TYPE_VARDICT);
  add_string (&builder, "text", self->text);
  add_string (&builder, "kernel", self->printer->kernel);
  add_string (&builder, "file", self->site->file);
  g_variant_builder_add (&builder, "{sv}", "line", g_variant_new_uint32 (self->site->line));
  g_variant_builder_add (&builder, "{sv}", "column", g_variant_new_uint32 (self->site->column));
  g_variant_builder_add (&builder, "{sv}", "dispatch", g_variant_new_uint32 (self->dispatch));
  g_variant_builder_add (&builder, "{sv}", "thread", g_variant_new_fixed_array (G_VARIANT_TYPE_UINT32, self->thread, 3, sizeof *self->thread));
  g_variant_builder_add (&builder, "{sv}", "failure", g_variant_new_boolean (gabbro_print_is_failure (self)));
  if (self->site->condition != NULL)
    add_string (&builder, "condition", self->site->condition);
  return g_variant_ref_sink (g_variant_builder_end (&builder));
}

/**
 * gabbro_print_to_string:
 * @self: a line
 *
 * As a terminal shows it: of a print() its text, of an assert() "file:line:column: assertion failed: condition", then
 * its text and the thread. Thread-safe; does not block.
 *
 * Returns: (transfer full): the text, without a newline at the end
 *
 * Since: 0.1
 */
char *
gabbro_print_to_string (const GabbroPrint *self)
{
  const struct spirv_print_site *site;
  GString *out;

  g_return_val_if_fail (self != NULL, NULL);

  site = self->site;
  if (site->condition == NULL)
    return g_strdup (self->text);
  out = g_string_new (NULL);
  g_string_append_printf (out, "%s:%u:%u: ", site->file, site->line, site->column);
  g_string_append_printf (out, _("assertion failed: %s"), site->condition);
  if (self->text[0] != '\0')
    g_string_append_printf (out, ": %s", self->text);
  g_string_append_c (out, '\n');
  g_string_append_printf (out, _("  in the kernel “%s”, thread (%u, %u, %u)"), self->printer->kernel, self->thread[0], self->thread[1],
                          self->thread[2]);
  return g_string_free (out, FALSE);
}
