/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The checks on real kernels: tests/interpret/checks has for each of them a file with a
 * kernel `faulty`, and what is to be reported of it, and one `fine` that is nearly the
 * same, and of which nothing is. Lines of a file that begin with "//" and a word of these
 * say how it is run:
 *
 *   arg bytes N [none]     a buffer of N bytes, of words 1, 2, 3…; or of which nothing is initialised
 *   arg view A O N         N bytes from byte O on of the buffer that argument A has
 *   arg image W H [none]   a picture of four floats a texel
 *   arg words W…           a value of words; arg floats F…: of floats
 *   threads X [Y]          of the dispatch
 *   subgroup N             threads of one; 8 otherwise
 *   steps N                that a subgroup may take
 *   kinds all              NaN too
 *   expect KIND line L [with M] [name=value…]     a report, in order
 */

#include "config.h"

#include <string.h>

#include "codegen/interpret/check.h"
#include "codegen/xir/builder.h"
#include "codegen/xir/verify.h"
#include "tests/interpret/interpret-test.h"
#include "tests/test-main.h"

#define MAX_ARGUMENTS 8

struct bench
{
  const char *name;
  struct check *check;
  struct interpret_binding bindings[MAX_ARGUMENTS];
  struct interpret_image images[MAX_ARGUMENTS];
  uint8_t *blocks[MAX_ARGUMENTS];
  uint64_t sizes[MAX_ARGUMENTS];
  struct check_memory *memories[MAX_ARGUMENTS];
  guint n_arguments;
  uint32_t threads[3], subgroup_size;
  uint64_t steps;
  struct check_options options;
  GPtrArray *expected;           /* lines behind "expect" */
  GArray *reports;
};

static void
collect (const struct check_report *report, gpointer data)
{
  g_array_append_vals (data, report, 1);
}

static void
load_floats (const uint8_t *texel, uint32_t components[4])
{
  memcpy (components, texel, 16);
}

static void
store_floats (uint8_t *texel, const uint32_t components[4])
{
  memcpy (texel, components, 16);
}

static uint64_t
number (char **words, guint index)
{
  ck_assert_msg (index < g_strv_length (words), "“%s” wants more words", words[0]);
  return g_ascii_strtoull (words[index], NULL, 0);
}

static bool
has_word (char **words, const char *word)
{
  return g_strv_contains ((const char *const *) words, word);
}

static void
make_memory (struct bench *t, enum check_storage storage, uint64_t size, bool initialised)
{
  guint n = t->n_arguments;
  char *label = g_strdup_printf ("memory %u", n);

  t->blocks[n] = g_malloc (size + 16);
  t->sizes[n] = size;
  for (uint32_t i = 0; i < size / 4; i++)
    {
      uint32_t word = i + 1;
      memcpy (t->blocks[n] + 4 * (gsize) i, &word, 4);
    }
  t->memories[n] = check_memory_new (t->check, storage, size, initialised);
  check_memory_set_label (t->memories[n], label);
  t->bindings[n].shadow = t->memories[n];
  g_free (label);
}

static void
add_value (struct bench *t, char **words, bool are_floats)
{
  uint32_t *value = g_new0 (uint32_t, 16);

  for (guint i = 2; words[i] != NULL && i < 18; i++)
    {
      float real = (float) g_ascii_strtod (words[i], NULL);
      value[i - 2] = (uint32_t) g_ascii_strtoll (words[i], NULL, 0);
      if (are_floats)
        memcpy (&value[i - 2], &real, sizeof real);
    }
  t->blocks[t->n_arguments] = (uint8_t *) value;
  t->bindings[t->n_arguments].value = value;
}

static void
add_argument (struct bench *t, char **words)
{
  struct interpret_binding *binding = &t->bindings[t->n_arguments];

  ck_assert_uint_lt (t->n_arguments, MAX_ARGUMENTS);
  if (strcmp (words[1], "bytes") == 0)
    {
      make_memory (t, CHECK_STORAGE_BUFFER, number (words, 2), !has_word (words, "none"));
      binding->data = t->blocks[t->n_arguments];
      binding->size = t->sizes[t->n_arguments];
    }
  else if (strcmp (words[1], "view") == 0)
    {
      guint of = (guint) number (words, 2);
      binding->data = t->blocks[of] + number (words, 3);
      binding->size = number (words, 4);
      binding->shadow = t->memories[of];
      binding->shadow_offset = number (words, 3);
    }
  else if (strcmp (words[1], "image") == 0)
    {
      struct interpret_image *image = &t->images[t->n_arguments];
      uint64_t width = number (words, 2), height = number (words, 3);
      make_memory (t, CHECK_STORAGE_IMAGE, width * height * 16, !has_word (words, "none"));
      *image = (struct interpret_image) { t->blocks[t->n_arguments], { (uint32_t) width, (uint32_t) height, 1 }, 16,
                                          load_floats, store_floats };
      binding->image = image;
    }
  else
    add_value (t, words, strcmp (words[1], "floats") == 0);
  t->n_arguments++;
}

static void
take_line (struct bench *t, const char *line)
{
  char **words = g_strsplit (line, " ", -1);

  if (strcmp (words[0], "arg") == 0)
    add_argument (t, words);
  else if (strcmp (words[0], "threads") == 0)
    for (guint i = 0; i < 3; i++)
      t->threads[i] = i + 1 < g_strv_length (words) ? (uint32_t) number (words, i + 1) : 1;
  else if (strcmp (words[0], "subgroup") == 0)
    t->subgroup_size = (uint32_t) number (words, 1);
  else if (strcmp (words[0], "steps") == 0)
    t->steps = number (words, 1);
  else if (strcmp (words[0], "expect") == 0)
    g_ptr_array_add (t->expected, g_strdup (line + strlen ("expect ")));
  else
    ck_assert_msg (strcmp (words[0], "kinds") == 0 || strcmp (words[0], "SPDX-License-Identifier:") == 0
                   || g_ascii_isupper (words[0][0]), "%s: what is “%s”?", t->name, line);
  g_strfreev (words);
}

static void
bench_init (struct bench *t, const char *name, const char *text)
{
  char **lines = g_strsplit (text, "\n", -1);
  bool all = strstr (text, "\n// kinds all") != NULL;

  memset (t, 0, sizeof *t);
  t->name = name;
  t->options = (struct check_options) { all ? CHECK_ALL_KINDS : CHECK_DEFAULT_KINDS, 100 };
  t->reports = g_array_new (FALSE, FALSE, sizeof (struct check_report));
  t->check = check_new (&t->options, collect, t->reports);
  t->expected = g_ptr_array_new_with_free_func (g_free);
  t->subgroup_size = 8;
  for (guint i = 0; lines[i] != NULL; i++)
    if (g_str_has_prefix (lines[i], "// "))
      take_line (t, lines[i] + 3);
  g_strfreev (lines);
}

static void
bench_clear (struct bench *t)
{
  for (guint i = 0; i < t->n_arguments; i++)
    {
      check_memory_free (t->memories[i]);
      g_free (t->blocks[i]);
    }
  check_free (t->check);
  g_ptr_array_unref (t->expected);
  g_array_unref (t->reports);
}

static bool
run (struct bench *t, const struct xir_module *module, const char *kernel, bool checked, uint64_t seed)
{
  struct interpret_options options = { .subgroup_size = t->subgroup_size, .check = checked };
  struct interpret_dispatch dispatch = { .bindings = t->bindings, .seed = seed, .step_limit = t->steps, .n_workers = 1,
                                         .check = checked ? t->check : NULL };
  const struct xir_function *function = xir_module_find_function (module, kernel);
  GError *error = NULL;
  struct interpret_program *program = interpret_program_new (module, kernel, &options, &error);
  bool done;

  ck_assert_msg (program != NULL, "%s: %s", t->name, error != NULL ? error->message : "no error");
  ck_assert_uint_eq (function->n_arguments, t->n_arguments);
  for (int axis = 0; axis < 3; axis++)
    {
      dispatch.dispatch_size[axis] = t->threads[axis];
      dispatch.groups[axis] = (t->threads[axis] + function->group_size[axis] - 1) / function->group_size[axis];
    }
  dispatch.program = program;
  done = interpret_run (&dispatch, &error);
  ck_assert_msg (done || g_error_matches (error, INTERPRET_ERROR, INTERPRET_ERROR_STEP_LIMIT), "%s: %s", t->name,
                 error != NULL ? error->message : "no error");
  g_clear_error (&error);
  interpret_program_free (program);
  return done;
}

static char *
numbers_text (const uint32_t *numbers)
{
  return g_strdup_printf ("%u,%u,%u", numbers[0], numbers[1], numbers[2]);
}

/* What `word` asks of a report: "offset=4". */
static char *
answer (const struct check_report *report, const char *name)
{
  if (strcmp (name, "object") == 0)
    return g_strdup (report->object);
  if (strcmp (name, "label") == 0)
    return g_strdup (report->object_label);
  if (strcmp (name, "other-object") == 0)
    return g_strdup (report->other_object);
  if (strcmp (name, "value") == 0)
    return g_strdup (report->value);
  if (strcmp (name, "thread") == 0)
    return numbers_text (report->thread);
  if (strcmp (name, "group") == 0)
    return numbers_text (report->group);
  if (strcmp (name, "other") == 0)
    return numbers_text (report->other_thread);
  if (strcmp (name, "offset") == 0)
    return g_strdup_printf ("%" G_GUINT64_FORMAT, report->offset);
  if (strcmp (name, "size") == 0)
    return g_strdup_printf ("%" G_GUINT64_FORMAT, report->size);
  if (strcmp (name, "count") == 0)
    return g_strdup_printf ("%" G_GUINT64_FORMAT, report->count);
  if (strcmp (name, "index") == 0)
    return report->n_indices > 1 ? g_strdup_printf ("%d,%d", (int) report->index[0], (int) report->index[1])
                                 : g_strdup_printf ("%" G_GINT64_FORMAT, report->index[0]);
  if (strcmp (name, "limit") == 0)
    return g_strdup_printf ("%" G_GUINT64_FORMAT, report->limit[0]);
  ck_abort_msg ("no report has “%s”", name);
  return NULL;
}

static void
compare (const struct bench *t, const struct check_report *report, const char *expected)
{
  char **words = g_strsplit (expected, " ", -1);
  uint32_t other_line = 0;
  guint i = 3;

  ck_assert_msg (strcmp (check_kind_name (report->kind), words[0]) == 0, "%s: expected %s, found %s: %s", t->name, expected,
                 check_kind_name (report->kind), report->message);
  ck_assert_msg (number (words, 2) == report->location.line, "%s: expected %s, found line %u: %s", t->name, expected,
                 report->location.line, report->message);
  if (words[i] != NULL && strcmp (words[i], "with") == 0)
    {
      other_line = (uint32_t) number (words, 4);
      i = 5;
    }
  ck_assert_msg (other_line == report->other_location.line, "%s: expected %s, found line %u: %s", t->name, expected,
                 report->other_location.line, report->message);
  for (; words[i] != NULL; i++)
    {
      char **pair = g_strsplit (words[i], "=", 2);
      char *found = answer (report, pair[0]);
      g_strdelimit (pair[1], "_", ' ');
      ck_assert_msg (g_strcmp0 (found, pair[1]) == 0, "%s: expected %s, found %s: %s", t->name, words[i], found, report->message);
      g_free (found);
      g_strfreev (pair);
    }
  ck_assert_msg (report->message != NULL && report->message[0] != 0, "%s", expected);
  ck_assert_str_eq (report->file, t->name);
  g_strfreev (words);
}

static void
expect_all (const struct bench *t)
{
  for (guint i = 0; i < t->reports->len; i++)
    {
      const struct check_report *report = &g_array_index (t->reports, struct check_report, i);
      ck_assert_msg (i < t->expected->len, "%s: more than expected: %s on line %u: %s", t->name, check_kind_name (report->kind),
                     report->location.line, report->message);
      compare (t, report, g_ptr_array_index (t->expected, i));
    }
  ck_assert_msg (t->reports->len == t->expected->len, "%s: not reported: %s", t->name,
                 t->reports->len < t->expected->len ? (char *) g_ptr_array_index (t->expected, t->reports->len) : "?");
}

static const char *
folder (void)
{
  static char *path;

  if (path == NULL)
    path = g_build_filename (g_getenv ("top_srcdir") != NULL ? g_getenv ("top_srcdir") : ".", "tests", "interpret", "checks", NULL);
  return path;
}

static void
check_kernel (const struct interpreted *kernels, const char *name, const char *text, const char *kernel, bool faulty)
{
  struct bench t;

  bench_init (&t, name, text);
  if (!faulty)
    g_ptr_array_set_size (t.expected, 0);
  run (&t, kernels->module, kernel, true, 0);
  expect_all (&t);
  ck_assert_msg (!faulty || t.reports->len > 0, "%s: nothing is expected", name);
  bench_clear (&t);
}

/* With checks and without, memory is the same afterwards; whatever the order of threads, what is fine stays so. */
static void
compare_results (const struct interpreted *kernels, const char *name, const char *text, const char *kernel)
{
  struct bench with, without;

  bench_init (&with, name, text);
  bench_init (&without, name, text);
  ck_assert_int_eq (run (&with, kernels->module, kernel, true, 17), run (&without, kernels->module, kernel, false, 17));
  ck_assert_uint_eq (with.reports->len, 0);
  for (guint i = 0; i < with.n_arguments; i++)
    if (with.memories[i] != NULL)
      ck_assert_msg (memcmp (with.blocks[i], without.blocks[i], with.sizes[i]) == 0, "%s: %s: argument %u differs", name, kernel, i);
  bench_clear (&with);
  bench_clear (&without);
}

static GPtrArray *names;         /* of the files */

START_TEST (the_check_fires_and_stays_silent)
{
  const char *name = g_ptr_array_index (names, _i);
  char *path = g_build_filename (folder (), name, NULL), *text;
  struct interpreted kernels;

  ck_assert (g_file_get_contents (path, &text, NULL, NULL));
  interpreted_init (&kernels, name, text);
  check_kernel (&kernels, name, text, "faulty", true);
  check_kernel (&kernels, name, text, "fine", false);
  compare_results (&kernels, name, text, "fine");
  interpreted_clear (&kernels);
  g_free (text);
  g_free (path);
}
END_TEST

START_TEST (every_kind_has_a_file)
{
  GString *all = g_string_new (NULL);

  for (guint i = 0; i < names->len; i++)
    {
      char *path = g_build_filename (folder (), g_ptr_array_index (names, i), NULL), *text;
      ck_assert (g_file_get_contents (path, &text, NULL, NULL));
      g_string_append (all, text);
      g_free (text);
      g_free (path);
    }
  for (int kind = 0; kind < CHECK_N_KINDS; kind++)
    {
      char *line = g_strdup_printf ("// expect %s line ", check_kind_name (kind));
      ck_assert_msg (strstr (all->str, line) != NULL, "%s", line);
      g_free (line);
    }
  g_string_free (all, TRUE);
}
END_TEST

/* Variables of the language begin as zero; those of XIR, whose writer may know better, do not. A kernel of eight
 * threads with an array of two ints `row`, written on line 2 or 3, read on line 4, and a buffer `a`. */

enum local_writes { WRITES_ALL, WRITES_FIRST, WRITES_NONE, WRITES_IN_HALF, WRITES_BY_PART };

static const struct
{
  enum local_writes writes;
  uint32_t read;                 /* element */
  bool by_reference;             /* in a function */
  uint64_t count;                /* of reports; 0: none */
  uint32_t thread, offset;
} local_cases[] =
{
  { WRITES_ALL, 0, false, 0, 0, 0 },
  { WRITES_ALL, 1, true, 0, 0, 0 },
  { WRITES_FIRST, 0, false, 0, 0, 0 },
  { WRITES_FIRST, 1, false, 8, 0, 4 },
  { WRITES_FIRST, 0, true, 0, 0, 0 },
  { WRITES_FIRST, 1, true, 8, 0, 4 },
  { WRITES_NONE, 0, false, 8, 0, 0 },
  { WRITES_NONE, 0, true, 8, 0, 0 },
  { WRITES_IN_HALF, 1, false, 4, 4, 4 },
  { WRITES_IN_HALF, 1, true, 4, 4, 4 },
  { WRITES_BY_PART, 0, false, 0, 0, 0 },
  { WRITES_BY_PART, 1, false, 0, 0, 0 }
};

struct local_kernel
{
  struct xir_module *module;
  struct xir_builder b;
  const struct xir_type *int_type, *row_type;
  struct xir_value *row, *lane;
};

static struct xir_value *
place (struct local_kernel *k, struct xir_value *row, uint32_t element)
{
  struct xir_value *index = xir_constant_uint (k->module, element);
  return xir_build_gep (&k->b, row, &index, 1);
}

static void
write_row (struct local_kernel *k, enum local_writes writes)
{
  struct xir_value *one = xir_constant_int (k->module, 1);

  k->b.location.line = 2;
  if (writes == WRITES_ALL || writes == WRITES_IN_HALF)
    xir_build_store (&k->b, k->row, xir_constant_zero (k->module, k->row_type));
  if (writes == WRITES_FIRST || writes == WRITES_BY_PART)
    xir_build_store (&k->b, place (k, k->row, 0), one);
  k->b.location.line = 3;
  if (writes == WRITES_BY_PART)
    xir_build_store (&k->b, place (k, k->row, 1), one);
}

/* int get (inout int row[2]) */
static struct xir_function *
make_get (struct local_kernel *k, uint32_t element)
{
  struct xir_function *get = xir_function_new (k->module, XIR_FUNCTION_CALLABLE, "get", k->int_type);
  struct xir_argument *row = xir_function_add_argument (get, XIR_ARGUMENT_REFERENCE, k->row_type, "parameter");

  xir_block_new (get);
  xir_builder_init (&k->b, get);
  k->b.location.line = 4;
  xir_build_return (&k->b, xir_build_load (&k->b, place (k, &row->value, element)));
  return get;
}

static struct xir_module *
make_local (struct xir_context *context, int number)
{
  struct local_kernel k = { .module = xir_module_new (context, "local"),
                            .int_type = xir_type_scalar (context, XIR_TYPE_INT32) };
  struct xir_function *get, *kernel;
  struct xir_argument *a;
  struct xir_value *x = xir_constant_uint (k.module, 0), *value;
  enum local_writes writes = local_cases[number].writes;

  k.row_type = xir_type_array (context, k.int_type, 2);
  get = make_get (&k, local_cases[number].read);
  kernel = xir_function_new (k.module, XIR_FUNCTION_KERNEL, "kernel", NULL);
  kernel->group_size[0] = 8;
  kernel->group_size[1] = kernel->group_size[2] = 1;
  a = xir_function_add_argument (kernel, XIR_ARGUMENT_RESOURCE, xir_type_buffer (context, k.int_type), "a");
  xir_block_new (kernel);
  xir_builder_init (&k.b, kernel);
  k.row = xir_build_alloca (&k.b, XIR_STORAGE_LOCAL, k.row_type, "row");
  k.lane = xir_build_extract (&k.b, xir_special_get (k.module, XIR_SPECIAL_LOCAL_ID), &x, 1);
  if (writes == WRITES_IN_HALF)
    {
      struct xir_block *yes = xir_block_new (kernel), *no = xir_block_new (kernel), *merge = xir_block_new (kernel);
      xir_build_if (&k.b, xir_build_binary (&k.b, XIR_OP_LESS, k.lane, xir_constant_uint (k.module, 4)), yes, no, merge);
      xir_builder_at_end (&k.b, yes);
      write_row (&k, writes);
      xir_build_branch (&k.b, merge);
      xir_builder_at_end (&k.b, no);
      xir_build_branch (&k.b, merge);
      xir_builder_at_end (&k.b, merge);
    }
  else
    write_row (&k, writes);
  k.b.location.line = 4;
  value = local_cases[number].by_reference ? xir_build_call (&k.b, get, &k.row, 1)
          : xir_build_load (&k.b, place (&k, k.row, local_cases[number].read));
  k.b.location.line = 5;
  xir_build_buffer_write (&k.b, &a->value, value, &k.lane, 1);
  xir_build_return (&k.b, NULL);
  return k.module;
}

START_TEST (local_variables_are_written_first)
{
  struct xir_context *context = xir_context_new ();
  struct xir_module *module = make_local (context, _i);
  GString *text = g_string_new ("// arg bytes 32 none\n// threads 8\n");
  struct bench t;

  ck_assert_msg (xir_verify_module (module, text) == 0, "%s", text->str);
  if (local_cases[_i].count > 0)
    g_string_append_printf (text, "// expect uninitialised line 4 object=row thread=%u,0,0 count=%d index=%u limit=2 offset=%u size=4",
                            local_cases[_i].thread, (int) local_cases[_i].count, local_cases[_i].read, local_cases[_i].offset);
  bench_init (&t, "local", text->str);
  run (&t, module, "kernel", true, 0);
  expect_all (&t);
  bench_clear (&t);
  g_string_free (text, TRUE);
  xir_module_free (module);
  xir_context_unref (context);
}
END_TEST

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("checks");
  TCase *test_case = gb_test_case (suite, "kernels");
  GDir *dir = g_dir_open (folder (), 0, NULL);
  const char *name;

  names = g_ptr_array_new ();
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ".gk"))
      g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);
  if (dir != NULL)
    g_dir_close (dir);
  tcase_add_loop_test (test_case, the_check_fires_and_stays_silent, 0, (int) names->len);
  tcase_add_test (test_case, every_kind_has_a_file);
  tcase_add_loop_test (test_case, local_variables_are_written_first, 0, G_N_ELEMENTS (local_cases));
  return suite;
}

GB_TEST_MAIN (make_suite)
