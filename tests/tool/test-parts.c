/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The parts of the gabbro command that need no device. */

#include "config.h"

#include "tests/tool/test-parts.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/arrays.h"
#include "tools/files.h"
#include "tools/npy.h"
#include "tools/options.h"
#include "tools/output.h"
#include "tools/record.h"
#include "tools/report.h"
#include "tools/requirement.h"
#include "tools/suggest.h"
#include "tools/types.h"
#include "tools/values.h"

char *
make_folder (void)
{
  GError *error = NULL;
  char *folder = g_dir_make_tmp (NULL, &error);
  ck_assert_ptr_null (error);
  return folder;
}

char *
write_bytes (const char *folder, const char *name, gconstpointer data, gsize size)
{
  char *filename = g_build_filename (folder, name, NULL);
  ck_assert (g_file_set_contents (filename, data, (gssize) size, NULL));
  return filename;
}

/* --- types and values -------------------------------------------------------------------- */

/* The layout of what `type` is, as an element of a buffer, with structures that it may name. */
static GabbroLayout *
make_layout (const char *type)
{
  char *source = g_strdup_printf ("struct Mixed { float3 v; int i; uint w[2]; };\nstruct Deep { Mixed m[2]; half h; };\n"
                                  "kernel(1) void k(const buffer<%s> in, buffer<int> out) { out[0] = 1; }\n", type);
  GError *error = NULL;
  GabbroModule *module = gabbro_module_new_from_source ("types.gk", source, -1, &error);
  ck_assert_msg (error == NULL, "%s: %s", type, error != NULL ? error->message : "");
  GabbroKernel *kernel = gabbro_module_get_kernel (module, "k", &error);
  GabbroLayout *layout = gabbro_kernel_dup_argument_layout (kernel, 0);
  ck_assert_ptr_nonnull (layout);
  g_object_unref (kernel);
  g_object_unref (module);
  g_free (source);
  return layout;
}

START_TEST (test_shapes)
{
  static const struct
  {
    const char *type;
    GabbroLayoutKind scalar;
    gsize scalar_size;
    guint64 n_numbers;
    guint n_dimensions;
    guint64 dimensions[3];
  } cases[] = {
    { "float", GABBRO_LAYOUT_FLOAT, 4, 1, 0, { 0 } },
    { "uchar3", GABBRO_LAYOUT_UCHAR, 1, 3, 1, { 3 } },
    { "long2", GABBRO_LAYOUT_LONG, 8, 2, 1, { 2 } },
    { "fp8e5m2x4", GABBRO_LAYOUT_FP8E5M2, 1, 4, 1, { 4 } },
    { "float3x3", GABBRO_LAYOUT_FLOAT, 4, 9, 2, { 3, 3 } },
    { "Mixed", GABBRO_LAYOUT_STRUCT, 32, 6, 0, { 0 } },
    { "Deep", GABBRO_LAYOUT_STRUCT, 80, 13, 0, { 0 } },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      GabbroLayout *layout = make_layout (cases[i].type);
      struct tool_shape shape;
      ck_assert (tool_shape_init (&shape, layout));
      ck_assert_int_eq (shape.scalar, cases[i].scalar);
      ck_assert_msg (shape.scalar_size == cases[i].scalar_size, "%s: %zu", cases[i].type, shape.scalar_size);
      ck_assert_uint_eq (tool_type_n_numbers (layout), cases[i].n_numbers);
      ck_assert_uint_eq (shape.n_dimensions, cases[i].n_dimensions);
      ck_assert_mem_eq (shape.dimensions, cases[i].dimensions, cases[i].n_dimensions * sizeof (guint64));
      gabbro_layout_unref (layout);
    }
}
END_TEST

START_TEST (test_type_names)
{
  static const char *const good[] = { "float", "bool3", "ulong4", "fp8e4m3x2", "float4x4", "int[3]", "float[4][8]", "float[" };
  static const char *const bad[] = { "", "flot", "float5", "float1", "fp8e4m32", "float 4", "x.npy", "[3]", "float[x]", "buffer", "Mixed" };

  for (gsize i = 0; i < G_N_ELEMENTS (good); i++)
    ck_assert_msg (tool_type_is_name (good[i]), "%s", good[i]);
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    ck_assert_msg (!tool_type_is_name (bad[i]), "%s", bad[i]);
}
END_TEST

static GBytes *
parse_value (const char *type, const char *text, GError **error)
{
  GabbroLayout *layout = make_layout (type);
  GBytes *bytes = tool_value_parse (layout, "a", text, error);
  if (bytes != NULL)
    ck_assert_uint_eq (g_bytes_get_size (bytes), gabbro_layout_get_size (layout));
  gabbro_layout_unref (layout);
  return bytes;
}

START_TEST (test_values)
{
  GError *error = NULL;
  GBytes *bytes = parse_value ("Mixed", "1,-2.5,1e3,-7,4294967295,0x10", &error);

  ck_assert_ptr_null (error);
  struct
  {
    float vector[3];
    float padding;
    gint32 integer;
    guint32 whole[2];
    guint32 end;
  } expected;
  memset (&expected, 0, sizeof expected);
  expected.vector[0] = 1;
  expected.vector[1] = -2.5f;
  expected.vector[2] = 1000;
  expected.integer = -7;
  expected.whole[0] = 4294967295u;
  expected.whole[1] = 16;
  ck_assert_mem_eq (g_bytes_get_data (bytes, NULL), &expected, sizeof expected);
  g_bytes_unref (bytes);
}
END_TEST

/* What is written is what a value of the type shows, at the ends of its range too. */
START_TEST (test_values_back)
{
  static const struct
  {
    const char *type, *text, *shown;
  } cases[] = {
    { "float3", "1,0.1,16777217", "(1, 0.1, 16777216)" }, { "float", "-3.4028235e38", "-3.4028235e+38" },
    { "char2", "-128,127", "(-128, 127)" }, { "uchar", "255", "255" }, { "short", "-32768", "-32768" }, { "ushort", "0xffff", "65535" },
    { "int", "-2147483648", "-2147483648" }, { "uint", "4294967295", "4294967295" },
    { "long", "-9223372036854775808", "-9223372036854775808" }, { "ulong", "18446744073709551615", "18446744073709551615" },
    { "half2", "0.1,65504", "(0.0999756, 65504)" }, { "double", "0.1", "0.1" }, { "double", "1e308", "1e+308" },
    { "double", "0.30000000000000004", "0.30000000000000004" }, { "bfloat", "3.140625", "3.14062" }, { "fp8e4m3", "448", "448" },
    { "fp8e5m2x2", "-57344,0.5", "(-57344, 0.5)" }, { "float2x2", "1,2,3,4", "((1, 2), (3, 4))" },
    { "Mixed", "1,2,3,4,5,6", "((1, 2, 3), 4, (5, 6))" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      GError *error = NULL;
      GabbroLayout *layout = make_layout (cases[i].type);
      GBytes *bytes = parse_value (cases[i].type, cases[i].text, &error);
      GString *text = g_string_new (NULL);
      ck_assert_msg (error == NULL, "%s: %s", cases[i].type, error != NULL ? error->message : "");
      tool_value_append (text, layout, g_bytes_get_data (bytes, NULL));
      ck_assert_str_eq (text->str, cases[i].shown);
      g_string_free (text, TRUE);
      g_bytes_unref (bytes);
      gabbro_layout_unref (layout);
    }
}
END_TEST

START_TEST (test_values_refused)
{
  static const struct
  {
    const char *type, *text;
  } cases[] = {
    { "float", "" }, { "float", "abc" }, { "float", "1.5x" }, { "float", " 1" }, { "float", "1 " },
    { "float", "nan" }, { "float", "inf" }, { "float", "-infinity" }, { "float", "1e39" }, { "float", "1e999" },
    { "float", "1,2" }, { "float2", "1" }, { "float2", "1," }, { "float2", "1,2,3" },
    { "int", "1.0" }, { "int", "2147483648" }, { "int", "-2147483649" }, { "int", "99999999999999999999" },
    { "int", "0x" }, { "int", "--1" }, { "int", "1e3" }, { "uint", "-1" }, { "uint", "4294967296" }, { "uint", "nan" },
    { "char", "128" }, { "char", "-129" }, { "uchar", "256" }, { "uchar", "-1" }, { "short", "32768" }, { "ushort", "65536" },
    { "long", "9223372036854775808" }, { "long", "-9223372036854775809" }, { "ulong", "18446744073709551616" }, { "ulong", "-1" },
    { "half", "65536" }, { "half", "1e5" }, { "double", "1e309" }, { "bfloat", "3.5e38" }, { "fp8e4m3", "449" }, { "fp8e5m2", "1e5" },
    { "float2x2", "1,2,3" }, { "Mixed", "1,2,3,4,5" }, { "Mixed", "1,2,3,4.5,5,6" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      GError *error = NULL;
      GBytes *bytes = parse_value (cases[i].type, cases[i].text, &error);
      ck_assert_msg (bytes == NULL, "%s: %s", cases[i].type, cases[i].text);
      ck_assert (g_error_matches (error, TOOL_ERROR, TOOL_ERROR_USAGE));
      ck_assert_ptr_null (strchr (error->message, '\n'));
      g_error_free (error);
    }
}
END_TEST

START_TEST (test_padding)
{
  GabbroLayout *vector = make_layout ("float3"), *matrix = make_layout ("float3x3");
  const float tight[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
  const float padded[] = { 1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 0 };
  float *made = tool_array_pad (vector, tight, 2), *columns = tool_array_pad (matrix, tight, 1);

  ck_assert_mem_eq (made, padded, 8 * sizeof (float));
  ck_assert_mem_eq (columns, padded, sizeof padded);
  float *back = tool_array_unpad (vector, made, 2), *numbers = tool_array_unpad (matrix, columns, 1);
  ck_assert_mem_eq (back, tight, 6 * sizeof (float));
  ck_assert_mem_eq (numbers, tight, sizeof tight);
  ck_assert_ptr_null (tool_array_pad (vector, tight, G_MAXSIZE / 2));
  g_free (made);
  g_free (back);
  g_free (columns);
  g_free (numbers);
  gabbro_layout_unref (vector);
  gabbro_layout_unref (matrix);
}
END_TEST

/* The language has no buffers of arrays of structures, but the layouts of bundles may be any. */
START_TEST (test_padding_of_structures)
{
  GabbroLayout *deep = make_layout ("Deep"), *array = gabbro_layout_get_member_layout (deep, 0);
  gsize size = (gsize) gabbro_layout_get_size (array);
  g_autofree guint8 *bytes = g_malloc (2 * size);

  ck_assert_int_eq (gabbro_layout_get_kind (array), GABBRO_LAYOUT_ARRAY);
  for (gsize i = 0; i < 2 * size; i++)
    bytes[i] = (guint8) (i + 1);
  g_autofree guint8 *made = tool_array_pad (array, bytes, 2), *back = tool_array_unpad (array, bytes, 2);
  ck_assert_mem_eq (made, bytes, 2 * size);
  ck_assert_mem_eq (back, bytes, 2 * size);
  gabbro_layout_unref (deep);
}
END_TEST

/* --- NPY ----------------------------------------------------------------------------------- */

START_TEST (test_npy_round_trip)
{
  GError *error = NULL;
  char *folder = make_folder ();
  char *filename = g_build_filename (folder, "a.npy", NULL);
  guint64 shape[] = { 2, 3 };
  gint32 numbers[] = { 1, -2, 3, -4, 5, -6 };
  gint32 expected[6];
  struct tool_npy npy;

  memcpy (expected, numbers, sizeof expected);
  struct tool_writer *writer = tool_writer_new (filename, &error);
  ck_assert (tool_npy_write (writer, (struct tool_npy_type) { 'i', 4 }, shape, 2, numbers, sizeof numbers, &error));
  ck_assert (tool_writer_commit (writer, &error));
  ck_assert (tool_npy_read (&npy, filename, 1024, &error));
  ck_assert_int_eq (npy.type.kind, 'i');
  ck_assert_uint_eq (npy.type.size, 4);
  ck_assert_uint_eq (npy.n_dimensions, 2);
  ck_assert_uint_eq (npy.shape[0], 2);
  ck_assert_uint_eq (npy.shape[1], 3);
  ck_assert_mem_eq (g_bytes_get_data (npy.data, NULL), expected, sizeof expected);
  tool_npy_clear (&npy);

  char *contents;
  gsize size;
  ck_assert (g_file_get_contents (filename, &contents, &size, NULL));
  ck_assert_uint_eq (size, 128 - 64 + 64 + sizeof expected);
  ck_assert_mem_eq (contents, "\x93NUMPY\x01\x00\x76\x00{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }", 68);
  ck_assert_int_eq (contents[127], '\n');
  g_free (contents);
  g_free (filename);
  g_free (folder);
}
END_TEST

START_TEST (test_npy_headers)
{
  static const struct
  {
    const char *text;
    gint64 n_numbers;           /* -1: refused */
  } cases[] = {
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }  \n", 12 },
    { "{\"shape\":(7,),\"fortran_order\":False,\"descr\":\"<u4\"}", 7 },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (), }", 1 },
    { "{'descr': '<f4', 'fortran_order': True, 'shape': (9L,), }", 9 },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 18446744073709551615), }", 0 },
    { "{'descr': '<f4', 'fortran_order': True, 'shape': (3, 4), }", -1 },
    { "{'descr': '>f4', 'fortran_order': False, 'shape': (3,), }", -1 },
    { "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }", 3 },
    { "{'descr': '<f2', 'fortran_order': False, 'shape': (3,), }", 3 },
    { "{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }", 3 },
    { "{'descr': '<i8', 'fortran_order': False, 'shape': (2305843009213693952,), }", -1 },
    { "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }", 3 },
    { "{'descr': '|V48', 'fortran_order': False, 'shape': (3,), }", 3 },
    { "{'descr': '|V0', 'fortran_order': False, 'shape': (3,), }", -1 },
    { "{'descr': '|V99999999999999999999', 'fortran_order': False, 'shape': (3,), }", -1 },
    { "{'descr': '<f1', 'fortran_order': False, 'shape': (3,), }", -1 },
    { "{'descr': '<f12', 'fortran_order': False, 'shape': (3,), }", -1 },
    { "{'descr': '<f16', 'fortran_order': False, 'shape': (3,), }", -1 },
    { "{'descr': '|f4', 'fortran_order': False, 'shape': (3,), }", -1 },
    { "{'descr': '<c8', 'fortran_order': False, 'shape': (3,), }", -1 },
    { "{'descr': '<U4', 'fortran_order': False, 'shape': (3,), }", -1 },
    { "{'descr': '<', 'fortran_order': False, 'shape': (3,), }", -1 },
    { "{'descr': '', 'fortran_order': False, 'shape': (3,), }", -1 },
    { "{'descr': '<f4x', 'fortran_order': False, 'shape': (3,), }", -1 },
    { "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3,), }", -1 },
    { "{'descr': '<f4', 'fortran_order': False, }", -1 },
    { "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", -1 },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), 'more': 1}", -1 },
    { "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (3,), }", -1 },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (-3,), }", -1 },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (3 4), }", -1 },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (18446744073709551616,), }", -1 },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", -1 },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904,), }", -1 },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1), }", -1 },
    { "{'descr': '<f4", -1 }, { "{", -1 }, { "", -1 }, { "{}", -1 }, { "{'descr'", -1 },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), } x", -1 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      GError *error = NULL;
      struct tool_npy npy = { 0 };
      /* Without the byte that ends a string, so that reading past the end is seen. */
      gsize length = strlen (cases[i].text);
      char *text = g_malloc (MAX (length, 1));
      memcpy (text, cases[i].text, length);
      bool good = tool_npy_parse_header (&npy, "x.npy", text, length, &error);
      ck_assert_msg (good == (cases[i].n_numbers >= 0), "%s", cases[i].text);
      ck_assert (good == (error == NULL));
      if (good)
        ck_assert_uint_eq (npy.n_numbers, (guint64) cases[i].n_numbers);
      g_clear_error (&error);
      g_free (text);
    }
}
END_TEST

static char *
make_npy (const char *folder, guint version, guint32 header_length, const char *header, gsize n_bytes)
{
  GByteArray *file = g_byte_array_new ();
  guint8 prefix[12] = { 0x93, 'N', 'U', 'M', 'P', 'Y', (guint8) version, 0, (guint8) header_length,
                        (guint8) (header_length >> 8), (guint8) (header_length >> 16), (guint8) (header_length >> 24) };
  guint8 zero = 0;

  g_byte_array_append (file, prefix, version == 1 ? 10 : 12);
  g_byte_array_append (file, (const guint8 *) header, (guint) strlen (header));
  for (gsize i = 0; i < n_bytes; i++)
    g_byte_array_append (file, &zero, 1);
  char *filename = write_bytes (folder, "x.npy", file->data, file->len);
  g_byte_array_unref (file);
  return filename;
}

START_TEST (test_npy_files)
{
  static const char header[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }\n";
  static const struct
  {
    guint version;
    guint32 header_length;
    gsize n_bytes;
    bool good;
  } cases[] = {
    { 1, sizeof header - 1, 12, true }, { 2, sizeof header - 1, 12, true }, { 3, sizeof header - 1, 12, false },
    { 1, sizeof header - 1, 11, false }, { 1, sizeof header - 1, 13, false }, { 1, sizeof header - 1, 0, false },
    { 1, 65535, 12, false }, { 2, 0xffffffff, 12, false }, { 2, 0x7fffffff, 12, false }, { 1, 0, 12, false },
    { 1, 5, 12, false }, { 0, sizeof header - 1, 12, false },
  };
  char *folder = make_folder ();

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      GError *error = NULL;
      struct tool_npy npy = { 0 };
      char *filename = make_npy (folder, cases[i].version, cases[i].header_length, header, cases[i].n_bytes);
      ck_assert_msg (tool_npy_read (&npy, filename, 1024, &error) == cases[i].good, "case %zu", i);
      ck_assert ((error == NULL) == cases[i].good);
      tool_npy_clear (&npy);
      g_clear_error (&error);
      g_free (filename);
    }
  g_free (folder);
}
END_TEST

/* --- files ---------------------------------------------------------------------------------- */

START_TEST (test_read_bounded)
{
  GError *error = NULL;
  char *folder = make_folder ();
  char *filename = write_bytes (folder, "a", "12345", 5);

  GBytes *bytes = tool_read_file (filename, 5, &error);
  ck_assert_ptr_nonnull (bytes);
  ck_assert_uint_eq (g_bytes_get_size (bytes), 5);
  g_bytes_unref (bytes);
  ck_assert_ptr_null (tool_read_file (filename, 4, &error));
  ck_assert_ptr_nonnull (strstr (error->message, "5 bytes, 4 are allowed"));
  g_clear_error (&error);

  char *fifo = g_build_filename (folder, "fifo", NULL);
  ck_assert_int_eq (mkfifo (fifo, 0600), 0);
  const char *const others[] = { folder, "/dev/zero", fifo, "/nowhere/at/all", "" };
  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    {
      ck_assert_ptr_null (tool_read_file (others[i], 100, &error));
      ck_assert_ptr_nonnull (error);
      g_clear_error (&error);
      if (i < 3)
        {
          ck_assert (!tool_check_output (others[i], &error));
          g_clear_error (&error);
        }
    }
  g_free (fifo);
  g_free (filename);
  g_free (folder);
}
END_TEST

static guint
count_entries (const char *folder)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  guint n_entries = 0;
  while (g_dir_read_name (dir) != NULL)
    n_entries++;
  g_dir_close (dir);
  return n_entries;
}

START_TEST (test_write)
{
  GError *error = NULL;
  char *folder = make_folder ();
  char *target = write_bytes (folder, "target", "old", 3);
  char *link = g_build_filename (folder, "link", NULL);
  char *contents;
  struct stat status;

  ck_assert_int_eq (chmod (target, 0640), 0);
  ck_assert_int_eq (symlink ("target", link), 0);

  struct tool_writer *writer = tool_writer_new (link, &error);
  ck_assert (tool_writer_write (writer, "half", 4, &error));
  ck_assert_uint_eq (count_entries (folder), 3);
  tool_writer_give_up (writer);
  ck_assert_uint_eq (count_entries (folder), 2);
  ck_assert (g_file_get_contents (target, &contents, NULL, NULL));
  ck_assert_str_eq (contents, "old");
  g_free (contents);

  ck_assert (tool_write_file (link, "new", 3, &error));
  ck_assert_uint_eq (count_entries (folder), 2);
  ck_assert (g_file_get_contents (target, &contents, NULL, NULL));
  ck_assert_str_eq (contents, "new");
  g_free (contents);
  ck_assert (g_file_test (link, G_FILE_TEST_IS_SYMLINK));
  ck_assert_int_eq (stat (target, &status), 0);
  ck_assert_uint_eq (status.st_mode & 0777, 0640);

  char *nowhere = g_build_filename (folder, "none", "x", NULL);
  ck_assert (!tool_write_file (nowhere, "new", 3, &error));
  g_clear_error (&error);
  g_free (nowhere);
  g_free (link);
  g_free (target);
  g_free (folder);
}
END_TEST

/* --- options and suggestions ------------------------------------------------------------------ */

static const struct tool_option table[] = {
  { "json", 'j', NULL, "" },
  { "level", 'O', "LEVEL", "" },
  { NULL }
};

START_TEST (test_options)
{
  const char *arguments[] = { "a", "-jO2", "--", "--json", NULL };
  struct tool_options options;
  GError *error = NULL;
  guint64 level = 0;

  ck_assert (tool_options_parse (&options, table, (char **) arguments, &error));
  ck_assert_uint_eq (tool_options_n_operands (&options), 2);
  ck_assert_str_eq (tool_options_operand (&options, 0), "a");
  ck_assert_str_eq (tool_options_operand (&options, 1), "--json");
  ck_assert (tool_options_has (&options, "json"));
  ck_assert (tool_options_get_number (&options, "level", 0, 3, &level, &error));
  ck_assert_uint_eq (level, 2);
  ck_assert (!tool_options_get_number (&options, "level", 0, 1, &level, &error));
  g_clear_error (&error);
  ck_assert (tool_options_at_most (&options, 2, &error));
  ck_assert (!tool_options_at_most (&options, 1, &error));
  g_clear_error (&error);
  tool_options_clear (&options);
}
END_TEST

START_TEST (test_options_refused)
{
  static const char *const cases[][3] = {
    { "--jso", NULL }, { "--json=yes", NULL }, { "--level", NULL }, { "--level=", NULL }, { "-O", NULL },
    { "-x", NULL }, { "--json", "-j", NULL }, { "--", NULL } /* fine */, { "--=", NULL }, { "-\xff", NULL },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      struct tool_options options;
      GError *error = NULL;
      bool good = tool_options_parse (&options, table, (char **) cases[i], &error);
      ck_assert_msg (good == (strcmp (cases[i][0], "--") == 0), "%s", cases[i][0]);
      if (good)
        tool_options_clear (&options);
      else
        ck_assert (g_error_matches (error, TOOL_ERROR, TOOL_ERROR_USAGE));
      if (i == 0)
        ck_assert_ptr_nonnull (strstr (error->message, "--json"));
      g_clear_error (&error);
    }
}
END_TEST

static const struct tool_option many_table[] = {
  { "feature", 'f', "NAME", "", .many = true },
  { "color", 0, "WHEN", "", "auto always never" },
  { NULL }
};

START_TEST (test_options_many)
{
  const char *arguments[] = { "--feature=a", "-fb", "--feature", "a", "--color=never", NULL };
  const char *const wrong[][3] = { { "--color=nver", NULL }, { "--color", "", NULL }, { "--color=auto", "--color=auto", NULL } };
  struct tool_options options;
  GError *error = NULL;

  ck_assert (tool_options_parse (&options, many_table, (char **) arguments, &error));
  const char *const *all = tool_options_get_all (&options, "feature");
  ck_assert_str_eq (all[0], "a");
  ck_assert_str_eq (all[1], "b");
  ck_assert_str_eq (all[2], "a");
  ck_assert_ptr_null (all[3]);
  ck_assert_str_eq (tool_options_get (&options, "feature"), "a");
  ck_assert_str_eq (tool_options_get (&options, "color"), "never");
  ck_assert_ptr_null (tool_options_get_all (&options, "nothing"));
  tool_options_clear (&options);
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      ck_assert (!tool_options_parse (&options, many_table, (char **) wrong[i], &error));
      ck_assert (g_error_matches (error, TOOL_ERROR, TOOL_ERROR_USAGE));
      ck_assert (i != 0 || strstr (error->message, "did you mean 'never'") != NULL);
      g_clear_error (&error);
    }
}
END_TEST

/* --- requirements ------------------------------------------------------------------------- */

static struct tool_record *
load_record (const char *folder, const char *attributes, GError **error)
{
  char *text = g_strdup_printf ("{ \"schema\": 1, \"adapter\": { \"name\": \"x\", \"attributes\": %s } }", attributes);
  char *filename = write_bytes (folder, "record.json", text, strlen (text));
  struct tool_record *record = tool_record_new_from_file (filename, error);

  g_unlink (filename);
  g_free (filename);
  g_free (text);
  return record;
}

START_TEST (test_requirements)
{
  static const struct
  {
    const char *text;
    bool met;
  } limits[] = {
    { "small=4096", true }, { "small==4096", true }, { "small>=4K", true }, { "small>=4.0K", true }, { "small>4095", true },
    { "small>4096", false }, { "small<4096", false }, { "small<=4096", true }, { "small<4097", true }, { "small>=4097", false },
    { "small>=1T", false }, { "small>=4096.5", false }, { "SM-ALL>=1", true }, { "general/small>=1", true }, { "group/small>=1", false },
    { "group/large>=16E", false }, { "large>=18446744073709551615", true }, { "exact>=9007199254740993", true },
    { "exact>=9007199254740994", false }, { "list>=2", true }, { "list>=3", false }, { "list<=4", true }, { "real>1.4", true },
    { "real>1.5", false }, { "version>=1.4", true }, { "version>=1.4.305", true }, { "version>=1.4.306", false },
    { "version<1.10", true }, { "version>=2", false }, { "word=cpu", true }, { "word=gpu", false }, { "word>=3", false },
    { "flag=1", false }, { "absent>=1", false },
  };
  static const struct
  {
    const char *text;
    bool met, known;
  } features[] = {
    { "flag", true, true }, { "FLAG", true, true }, { "no-flag", false, true }, { "noFlag", false, true }, { "group/no_flag", false, true },
    { "basic", true, true }, { "VK_there", true, true }, { "VK_not_there", false, true }, { "small", false, false }, { "absent", false, false },
  };
  char *folder = make_folder ();
  GError *error = NULL;
  struct tool_record *record = load_record (folder,
    "{ \"small\": 4096, \"exact\": 9007199254740993, \"real\": 1.5, \"version\": \"1.4.305\", \"word\": \"cpu\", \"flag\": true,"
    "  \"list\": [ 4, 2, 3 ], \"group\": { \"large\": 1.8446744073709552e19, \"no-flag\": false, \"words\": [ \"basic\", \"VK_there\" ] } }",
    &error);

  ck_assert_ptr_null (error);
  ck_assert_ptr_nonnull (record);
  for (gsize i = 0; i < G_N_ELEMENTS (limits); i++)
    {
      struct tool_requirement *requirement = tool_requirement_new_limit (limits[i].text, &error);
      if (requirement == NULL)
        {
          /* 16E is no number. */
          ck_assert_str_eq (limits[i].text, "group/large>=16E");
          g_clear_error (&error);
          continue;
        }
      char *reason = tool_requirement_check (requirement, record);
      ck_assert_msg ((reason == NULL) == limits[i].met, "%s: %s", limits[i].text, reason);
      g_free (reason);
      tool_requirement_free (requirement);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (features); i++)
    {
      struct tool_requirement *requirement = tool_requirement_new_feature (features[i].text, &error);
      char *reason = tool_requirement_check (requirement, record);
      ck_assert_msg ((reason == NULL) == features[i].met, "%s: %s", features[i].text, reason);
      ck_assert_msg (tool_requirement_is_known (requirement, record) == features[i].known, "%s", features[i].text);
      g_free (reason);
      tool_requirement_free (requirement);
    }
  tool_record_free (record);
  ck_assert_ptr_null (load_record (folder, "{ \"a\": { \"b\": {} } }", &error));
  g_clear_error (&error);
  g_rmdir (folder);
  g_free (folder);
}
END_TEST

START_TEST (test_suggest)
{
  static const char *const names[] = { "list", "info", "compile", "run", NULL };
  char *long_name = g_strnfill (100000, 'x');

  ck_assert_uint_eq (tool_edit_distance ("", ""), 0);
  ck_assert_uint_eq (tool_edit_distance ("abc", ""), 3);
  ck_assert_uint_eq (tool_edit_distance ("kitten", "sitting"), 3);
  ck_assert_uint_eq (tool_edit_distance ("lsit", "list"), 1);
  ck_assert_str_eq (tool_nearest ("lsit", names), "list");
  ck_assert_str_eq (tool_nearest ("complie", names), "compile");
  ck_assert_ptr_null (tool_nearest ("zzzzzz", names));
  ck_assert_ptr_null (tool_nearest (long_name, names));
  ck_assert_ptr_null (tool_nearest ("", names));
  g_free (long_name);
}
END_TEST

START_TEST (test_humanise)
{
  static const struct
  {
    guint64 number;
    const char *unit, *text;
  } cases[] = {
    { 0, "bytes", "0 B" }, { 1023, "bytes", "1023 B" }, { 1536, "bytes", "1.50 KiB (1536 bytes)" },
    { 25165824000, "bytes", "23.4 GiB (25165824000 bytes)" },
    { G_MAXUINT64, "bytes", "16.0 EiB (18446744073709551615 bytes)" },
    { 1500000000, "hertz", "1.50 GHz (1500000000 Hz)" }, { 1, "nanoseconds", "1 ns" }, { 7, "count", "7" },
    { 7, NULL, "7" }, { 7, "percent", "7 %" }, { 1, "bits", "1 bit" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      char *text = tool_humanise (cases[i].number, cases[i].unit);
      ck_assert_str_eq (text, cases[i].text);
      g_free (text);
    }
}
END_TEST

START_TEST (test_printable)
{
  char *text = tool_printable ("a\n\033[31mb\xff\t\xe2\x80\xae");
  ck_assert_str_eq (text, "a ?[31mb\xef\xbf\xbd ?");
  g_free (text);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("tool");
  TCase *values = gb_test_case (suite, "values");
  tcase_add_test (values, test_shapes);
  tcase_add_test (values, test_type_names);
  tcase_add_test (values, test_values);
  tcase_add_test (values, test_values_back);
  tcase_add_test (values, test_values_refused);
  tcase_add_test (values, test_padding);
  tcase_add_test (values, test_padding_of_structures);
  TCase *npy = gb_test_case (suite, "npy");
  tcase_add_test (npy, test_npy_round_trip);
  tcase_add_test (npy, test_npy_headers);
  tcase_add_test (npy, test_npy_files);
  TCase *files = gb_test_case (suite, "files");
  tcase_add_test (files, test_read_bounded);
  tcase_add_test (files, test_write);
  TCase *text = gb_test_case (suite, "text");
  tcase_add_test (text, test_options);
  tcase_add_test (text, test_options_refused);
  tcase_add_test (text, test_options_many);
  tcase_add_test (text, test_requirements);
  tcase_add_test (text, test_suggest);
  tcase_add_test (text, test_humanise);
  tcase_add_test (text, test_printable);
  add_debugger_tests (suite);
  add_picture_tests (suite);
  return suite;
}

GB_TEST_MAIN (make_suite)
