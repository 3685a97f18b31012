/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/report-private.h"

#include <inttypes.h>
#include <string.h>

#include "codegen/diagnostic.h"

/**
 * GabbroReport:
 *
 * Something that a kernel may not do and has done: what the reference driver has found while it ran
 * the kernel with checks (the option `check` of gabbro_context_new()). It comes by #GabbroDevice::report,
 * and gabbro_device_list_reports() has all of them. Constant; thread-safe.
 *
 * Since: 0.1
 */
struct _GabbroReport
{
  gatomicrefcount references;
  GabbroReportKind kind;
  guint line, column;
  guint64 count;
  gboolean has_thread;
  guint thread[3];
  char *message, *kernel, *file, *object;
  GVariant *variant;
  const char *hint;                      /* static, or NULL */
  char *text;                            /* as a terminal shows it, without the last newline */
};

G_DEFINE_BOXED_TYPE (GabbroReport, gabbro_report, gabbro_report_ref, gabbro_report_unref)

/* The kinds of both sides, and what one can do. */
static const struct
{
  GabbroReportKind kind;
  const char *hint;
} kinds[] = {
  [CHECK_OUT_OF_BOUNDS] = { GABBRO_REPORT_OUT_OF_BOUNDS, N_("compare the index with the length before it is used") },
  [CHECK_UNINITIALISED] = { GABBRO_REPORT_UNINITIALISED, N_("fill it, or write it in an earlier dispatch or before a barrier") },
  [CHECK_RACE] = { GABBRO_REPORT_RACE, N_("put a barrier between the two, where they are of one workgroup; else use an atomic operation, or two dispatches") },
  [CHECK_DIVERGENT_BARRIER] = { GABBRO_REPORT_DIVERGENT_BARRIER, N_("move the barrier to where all threads of a workgroup pass") },
  [CHECK_MISALIGNED] = { GABBRO_REPORT_MISALIGNED, N_("begin the view, or the load or store of bytes, at a multiple of the alignment of what lies there") },
  [CHECK_OVERLAP] = { GABBRO_REPORT_OVERLAP, N_("give one of the two another range, or a copy") },
  [CHECK_SHIFT_RANGE] = { GABBRO_REPORT_SHIFT_RANGE, N_("the count is taken modulo the width; other devices and languages differ") },
  [CHECK_CONVERT_RANGE] = { GABBRO_REPORT_CONVERT_RANGE, N_("the result is the nearest integer of the type, 0 for NaN; clamp it if that is meant") },
  [CHECK_DIVISION_BY_ZERO] = { GABBRO_REPORT_DIVISION_BY_ZERO, N_("compare the divisor with 0 first") },
  [CHECK_NAN] = { GABBRO_REPORT_NAN, N_("look at the operands: a root or logarithm of a negative number, 0 / 0, or infinities") },
  [CHECK_ENDLESS_LOOP] = { GABBRO_REPORT_ENDLESS_LOOP, N_("see whether the condition can become false; GABBRO_REFERENCE=steps=N allows more") },
  [CHECK_UNREACHABLE] = { GABBRO_REPORT_UNREACHABLE, N_("see what leads there: on other devices anything may happen then") },
  [CHECK_INACTIVE_LANE] = { GABBRO_REPORT_INACTIVE_LANE, N_("read it where all threads pass, or take subgroup_read_first()") },
  [CHECK_ASSERT] = { GABBRO_REPORT_ASSERT, N_("a text with values, as in assert(a < b, \"{} {}\", a, b), lets each such thread print them") },
  [CHECK_N_KINDS] = { GABBRO_REPORT_NOTE, NULL },
};

static const char *
hint_of (const struct check_report *report)
{
  const char *hint = (guint) report->kind < G_N_ELEMENTS (kinds) ? kinds[report->kind].hint : NULL;

  if (report->kind == CHECK_DIVISION_BY_ZERO && report->overflows)
    return _("the result is the dividend again; other devices and languages differ");
  return hint != NULL ? _(hint) : NULL;
}

/* The line of a text, without its end; NULL where there is none. */
static const char *
find_line (GBytes *source, guint line, gsize *length)
{
  gsize size;
  const char *at = source != NULL ? g_bytes_get_data (source, &size) : NULL, *end, *newline;

  if (at == NULL || line == 0)
    return NULL;
  end = at + size;
  for (; line > 1; line--)
    {
      newline = memchr (at, '\n', (gsize) (end - at));
      if (newline == NULL)
        return NULL;
      at = newline + 1;
    }
  newline = memchr (at, '\n', (gsize) (end - at));
  *length = (gsize) ((newline != NULL ? newline : end) - at);
  return at;
}

struct gabbro_origin *
gabbro_origin_new (GBytes *text, const struct xir_module *module)
{
  struct gabbro_origin *origin = g_atomic_rc_box_new0 (struct gabbro_origin);

  origin->text = g_bytes_ref (text);
  origin->files = g_new0 (char *, module->files->len + 1);
  for (guint i = 0; i < module->files->len; i++)
    origin->files[i] = g_strdup (xir_module_file (module, i + 1));
  return origin;
}

static void
clear_origin (gpointer data)
{
  struct gabbro_origin *origin = data;

  g_bytes_unref (origin->text);
  g_strfreev (origin->files);
}

void
gabbro_origin_unref (struct gabbro_origin *origin)
{
  g_atomic_rc_box_release_full (origin, clear_origin);
}

/* The file of a place. */
static const char *
find_file (const struct check_report *report, struct xir_location location, const struct gabbro_origin *origin)
{
  return origin != NULL && location.file > 0 && location.file <= g_strv_length (origin->files) ? origin->files[location.file - 1]
                                                                                             : report->file;
}

/* The text of what is imported is not at hand. */
static void
append_place (GString *out, enum gk_severity severity, const struct check_report *report, struct xir_location location,
              const struct gabbro_origin *origin, const char *message)
{
  struct gk_diagnostics diagnostics;
  gsize length = 0;
  const char *line = origin != NULL && location.file == 0 ? find_line (origin->text, location.line, &length) : NULL;

  gk_diagnostics_init (&diagnostics, find_file (report, location, origin));
  gk_diagnostics_add (&diagnostics, severity, 0, location.line, MAX (location.column, 1), 1, line, length, NULL, "%s", message);
  gk_diagnostics_format (&diagnostics, out);
  gk_diagnostics_clear (&diagnostics);
}

static void
append_thread (GString *out, const uint32_t thread[3], const uint32_t group[3])
{
  g_string_append_printf (out, _("thread (%u, %u, %u) of workgroup (%u, %u, %u)"), thread[0], thread[1], thread[2],
                          group[0], group[1], group[2]);
}

/* As compilers do: the place with its line, then the other place, then who and how often. */
static char *
format (const struct check_report *report, const struct gabbro_origin *origin)
{
  GString *text = g_string_new (NULL), *other = g_string_new (NULL);
  const char *hint = hint_of (report);
  enum gk_severity severity = report->kind == CHECK_N_KINDS ? GK_SEVERITY_NOTE : GK_SEVERITY_ERROR;
  char *message = report->kind == CHECK_N_KINDS ? g_strdup (report->message)
                                                : g_strdup_printf ("%s [%s]", report->message, check_kind_name (report->kind));

  append_place (text, severity, report, report->location, origin, message);
  /* Where the other one is not known the message has said all. */
  if (report->has_other && report->other_location.line > 0)
    {
      append_thread (other, report->other_thread, report->other_group);
      g_string_append (other, _(" was here"));
      append_place (text, GK_SEVERITY_NOTE, report, report->other_location, origin, other->str);
    }
  if (report->kernel != NULL)
    {
      g_string_append_printf (text, _("  in the kernel “%s”"), report->kernel);
      if (report->has_thread)
        g_string_append_printf (text, _(", workgroup (%u, %u, %u)"), report->group[0], report->group[1], report->group[2]);
      if (report->count > 1)
        g_string_append_printf (text, _("; %" PRIu64 " times"), report->count);
      g_string_append_c (text, '\n');
    }
  if (hint != NULL)
    {
      g_string_append (text, "  ");
      g_string_append_printf (text, _("hint: %s"), hint);
      g_string_append_c (text, '\n');
    }
  g_string_truncate (text, text->len - 1);
  g_string_free (other, TRUE);
  g_free (message);
  return g_string_free (text, FALSE);
}

/* The same for programs. */

static void
add_string (GVariantBuilder *builder, const char *key, const char *value)
{
  char *valid;

  if (value == NULL)
    return;
  valid = g_utf8_make_valid (value, -1);
  g_variant_builder_add (builder, "{sv}", key, g_variant_new_string (valid));
  g_free (valid);
}

static void
add_three (GVariantBuilder *builder, const char *key, const uint32_t three[3])
{
  g_variant_builder_add (builder, "{sv}", key, g_variant_new_fixed_array (G_VARIANT_TYPE_UINT32, three, 3, sizeof *three));
}

static void
add_place_of (GVariantBuilder *builder, const char *line, const char *column, struct xir_location location)
{
  if (location.line == 0)
    return;
  g_variant_builder_add (builder, "{sv}", line, g_variant_new_uint32 (location.line));
  g_variant_builder_add (builder, "{sv}", column, g_variant_new_uint32 (location.column));
}

static void
add_access (GVariantBuilder *builder, const struct check_report *report)
{
  static const char *const storages[] = {
    [CHECK_STORAGE_BUFFER] = "buffer", [CHECK_STORAGE_IMAGE] = "image", [CHECK_STORAGE_SHARED] = "shared",
    [CHECK_STORAGE_LOCAL] = "local",
  };
  static const char *const accesses[] = { [CHECK_READ] = "read", [CHECK_WRITE] = "write", [CHECK_ATOMIC] = "atomic" };

  if (report->has_storage)
    {
      add_string (builder, "storage", storages[report->storage]);
      add_string (builder, "access", accesses[report->access]);
      if (report->has_other)
        add_string (builder, "other-access", accesses[report->other_access]);
    }
  if (report->size > 0)
    {
      g_variant_builder_add (builder, "{sv}", "offset", g_variant_new_uint64 (report->offset));
      g_variant_builder_add (builder, "{sv}", "size", g_variant_new_uint64 (report->size));
    }
  if (report->n_indices > 0)
    g_variant_builder_add (builder, "{sv}", "index", g_variant_new_fixed_array (G_VARIANT_TYPE_INT64, report->index,
                                                                              report->n_indices, sizeof *report->index));
  if (report->limit[0] > 0)
    g_variant_builder_add (builder, "{sv}", "limit", g_variant_new_fixed_array (G_VARIANT_TYPE_UINT64, report->limit,
                                                                              MAX (report->n_indices, 1), sizeof *report->limit));
}

static GVariant *
describe (const struct check_report *report, const struct gabbro_origin *origin)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE_VARDICT);
  add_string (&builder, "kind", check_kind_name (report->kind));
  add_string (&builder, "message", report->message);
  add_string (&builder, "hint", hint_of (report));
  add_string (&builder, "kernel", report->kernel);
  add_string (&builder, "file", find_file (report, report->location, origin));
  add_place_of (&builder, "line", "column", report->location);
  if (report->has_thread)
    {
      add_three (&builder, "thread", report->thread);
      add_three (&builder, "group", report->group);
      add_three (&builder, "local", report->local);
    }
  if (report->has_other)
    {
      add_string (&builder, "other-file", find_file (report, report->other_location, origin));
      add_place_of (&builder, "other-line", "other-column", report->other_location);
      add_three (&builder, "other-thread", report->other_thread);
      add_three (&builder, "other-group", report->other_group);
      add_three (&builder, "other-local", report->other_local);
    }
  add_string (&builder, "object", report->object);
  add_string (&builder, "object-label", report->object_label);
  add_string (&builder, "other-object", report->other_object);
  add_access (&builder, report);
  add_string (&builder, "value", report->value);
  g_variant_builder_add (&builder, "{sv}", "count", g_variant_new_uint64 (report->count));
  return g_variant_ref_sink (g_variant_builder_end (&builder));
}

GabbroReport *
gabbro_report_new (const struct check_report *report, const struct gabbro_origin *origin)
{
  GabbroReport *self = g_new0 (GabbroReport, 1);

  g_atomic_ref_count_init (&self->references);
  self->kind = (guint) report->kind < G_N_ELEMENTS (kinds) ? kinds[report->kind].kind : GABBRO_REPORT_NOTE;
  self->line = report->location.line;
  self->column = report->location.line > 0 ? report->location.column : 0;
  self->count = report->count;
  self->has_thread = report->has_thread;
  memcpy (self->thread, report->thread, sizeof self->thread);
  self->message = g_strdup (report->message);
  self->kernel = g_strdup (report->kernel);
  self->file = g_strdup (find_file (report, report->location, origin));
  self->object = g_strdup (report->object);
  self->variant = describe (report, origin);
  self->hint = hint_of (report);
  self->text = format (report, origin);
  return self;
}

/**
 * gabbro_report_ref:
 * @self: a report
 *
 * Thread-safe; does not block.
 *
 * Returns: (transfer full): @self
 *
 * Since: 0.1
 */
GabbroReport *
gabbro_report_ref (GabbroReport *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  g_atomic_ref_count_inc (&self->references);
  return self;
}

/**
 * gabbro_report_unref:
 * @self: (transfer full): a report
 *
 * Drops a reference; the last one frees it. Thread-safe; does not block.
 *
 * Since: 0.1
 */
void
gabbro_report_unref (GabbroReport *self)
{
  g_return_if_fail (self != NULL);

  if (!g_atomic_ref_count_dec (&self->references))
    return;
  g_free (self->message);
  g_free (self->kernel);
  g_free (self->file);
  g_free (self->object);
  g_variant_unref (self->variant);
  g_free (self->text);
  g_free (self);
}

/**
 * gabbro_report_get_kind:
 * @self: a report
 *
 * Thread-safe; does not block.
 *
 * Returns: what kind of mistake it is about
 *
 * Since: 0.1
 */
GabbroReportKind
gabbro_report_get_kind (const GabbroReport *self)
{
  g_return_val_if_fail (self != NULL, GABBRO_REPORT_NOTE);

  return self->kind;
}

/**
 * gabbro_report_get_message:
 * @self: a report
 *
 * Thread-safe; does not block.
 *
 * Returns: (transfer none): what is wrong, in the user's language, without place and thread
 *
 * Since: 0.1
 */
const char *
gabbro_report_get_message (const GabbroReport *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->message;
}

/**
 * gabbro_report_get_hint:
 * @self: a report
 *
 * Thread-safe; does not block.
 *
 * Returns: (transfer none) (nullable): what one can do about mistakes of this kind, or %NULL
 *
 * Since: 0.1
 */
const char *
gabbro_report_get_hint (const GabbroReport *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->hint;
}

/**
 * gabbro_report_get_kernel:
 * @self: a report
 *
 * Thread-safe; does not block.
 *
 * Returns: (transfer none) (nullable): the kernel that ran, or %NULL for a note about the reports themselves
 *
 * Since: 0.1
 */
const char *
gabbro_report_get_kernel (const GabbroReport *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->kernel;
}

/**
 * gabbro_report_get_file:
 * @self: a report
 *
 * Thread-safe; does not block.
 *
 * Returns: (transfer none) (nullable): the name that was given with the source, or %NULL where there is none
 *
 * Since: 0.1
 */
const char *
gabbro_report_get_file (const GabbroReport *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->file;
}

/**
 * gabbro_report_get_line:
 * @self: a report
 *
 * Thread-safe; does not block.
 *
 * Returns: the line, counted from 1; 0 where it is about no place in particular
 *
 * Since: 0.1
 */
guint
gabbro_report_get_line (const GabbroReport *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->line;
}

/**
 * gabbro_report_get_column:
 * @self: a report
 *
 * Thread-safe; does not block.
 *
 * Returns: the place in the line, counted from 1 in bytes of UTF-8; 0 where there is no line
 *
 * Since: 0.1
 */
guint
gabbro_report_get_column (const GabbroReport *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->column;
}

/**
 * gabbro_report_get_object:
 * @self: a report
 *
 * Thread-safe; does not block.
 *
 * Returns: (transfer none) (nullable): the name of the argument or variable that was accessed, or %NULL where
 *   it is about none
 *
 * Since: 0.1
 */
const char *
gabbro_report_get_object (const GabbroReport *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->object;
}

/**
 * gabbro_report_get_thread:
 * @self: a report
 * @x: (out) (optional): the thread's place in the dispatch in the first dimension
 * @y: (out) (optional): in the second
 * @z: (out) (optional): in the third
 *
 * Gets the first thread that did it. Thread-safe; does not block.
 *
 * Returns: whether it is about a thread; otherwise nothing is set
 *
 * Since: 0.1
 */
gboolean
gabbro_report_get_thread (const GabbroReport *self, guint *x, guint *y, guint *z)
{
  g_return_val_if_fail (self != NULL, FALSE);

  if (!self->has_thread)
    return FALSE;
  if (x != NULL)
    *x = self->thread[0];
  if (y != NULL)
    *y = self->thread[1];
  if (z != NULL)
    *z = self->thread[2];
  return TRUE;
}

/**
 * gabbro_report_get_count:
 * @self: a report
 *
 * Gets how often it happened, at the same place with the same object, in the dispatch that it was found
 * in. Later dispatches make no further report of it. Thread-safe; does not block.
 *
 * Returns: how often, at least 1
 *
 * Since: 0.1
 */
guint64
gabbro_report_get_count (const GabbroReport *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->count;
}

/**
 * gabbro_report_to_variant:
 * @self: a report
 *
 * Everything that is known, for programs: a dictionary of type a{sv} with `kind` (such as "race"), `message`,
 * `count`, and as far as they apply `hint`, `kernel`, `file`, `line`, `column`, `thread`, `group` and `local`
 * (three numbers each), the same from `file` on with `other-` in front for the second thread of a race or barrier, `object`,
 * `object-label`, `other-object`, `storage` ("buffer", "image", "shared", "local"), `access` and `other-access`
 * ("read", "write", "atomic"), `offset` and `size` in bytes, `index` and `limit` (lists of numbers) and `value`.
 * Thread-safe; does not block.
 *
 * Returns: (transfer full): the dictionary
 *
 * Since: 0.1
 */
GVariant *
gabbro_report_to_variant (const GabbroReport *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return g_variant_ref (self->variant);
}

/**
 * gabbro_report_to_string:
 * @self: a report
 *
 * As compilers print mistakes, for a terminal: "file:line:column: error: message [kind]", then the line itself
 * with the place marked, the other place of a race, thread and workgroup, a hint. Thread-safe; does not block.
 *
 * Returns: (transfer full): some lines of text, without a newline at the end
 *
 * Since: 0.1
 */
char *
gabbro_report_to_string (const GabbroReport *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return g_strdup (self->text);
}
