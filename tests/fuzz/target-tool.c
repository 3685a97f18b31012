/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the gabbro command reads beside kernels and bundles: arrays of NumPy, pictures, saved adapters, and the texts of its
 * command line. Each input is given to every reader; all but one refuse it at once. */

#include "config.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/targets.h"
#include "tools/arrays.h"
#include "tools/npy.h"
#include "tools/picture.h"
#include "tools/record.h"
#include "tools/report.h"
#include "tools/requirement.h"
#include "tools/types.h"
#include "tools/values.h"

#define ARRAY_LIMIT (16 << 20)
#define TEXT_LIMIT  65536

static const char *const json_words[] = {
  "{", "}", "[", "]", ",", ":", "\"", "null", "true", "false", "-1", "1e400", "\"adapter\"", "\"attributes\"", "\"limits\"", "\"schema\"", "\"name\"",
  "\"kernel-features\"", "\"unusable\"", "\"\\u0000\"", "\"\\ud800\"", "18446744073709551616", "9223372036854775808", NULL
};
static const char *const line_words[] = {
  "bool", "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float", "double", "bfloat", "fp8e4m3", "fp8e5m2", "x4", "2",
  "3", "4", "float3x3", "matrix<float,3,3>", "struct<16,", "vector<", "array<", ",", "<", ">", "[", "]", "[8]", "true", "false", "nan", "inf", "-inf",
  "0x", "1e39", "-0", ">=", "<=", "==", ">", "<", "GiB", "1.3", "MiB", "sections/", NULL
};
static const char *const lines[] = {
  "float4\n1,2,3,4", "long2\n1,-0x7f", "Mixed\n1,2,3,4,5,6", "half\n0.5", "uchar3\n0,128,255", "fp8e4m3x2\n448,-0.25", "double\n1e308",
  "bfloat2\n1,2", "float3x3\n1,2,3,4,5,6,7,8,9", "Deep\n1,2,3,4,5,6,7", "max-buffer-size>=1GiB\napi-version>=1.2",
  "shader-int64\nmax-group-size==1024"
};
/* The types of which values are parsed, as arguments. */
static const char types_source[] =
  "struct Mixed { float3 v; int i; uint w[2]; };\n"
  "struct Deep { Mixed m; half h; };\n"
  "kernel(1) void types(const buffer<float4> a, const buffer<long2> b, const buffer<Mixed> c, const buffer<half> d, const buffer<uchar3> e,\n"
  "  const buffer<fp8e4m3x2> f, const buffer<double> g, const buffer<bfloat2> h, const buffer<float3x3> i, const buffer<Deep> j) { }\n";
static const char *const npy_types[] = { "<f4", "<i4", "<u4", "<f8", "<f2", "<i8", "<u8", "<i2", "<u2", "|i1", "|u1", "|b1" };

static struct fuzz_corpus arrays, pictures, adapters, texts;
static GPtrArray *layouts;
/* What a kernel asks of an adapter. */
static GVariant *needs;
static struct tool_record *sound_record;

/* An input as a file that is nowhere. */
static char *
make_file (const guint8 *data, gsize size, int *fd)
{
  *fd = memfd_create ("fuzz", MFD_CLOEXEC);
  if (*fd < 0 || (size > 0 && write (*fd, data, size) != (gssize) size))
    g_error ("There is no room for a file of %zu bytes", size);
  return g_strdup_printf ("/proc/self/fd/%d", *fd);
}

static void
add_array (const char *type, guint8 major, const char *shape, gsize n_bytes)
{
  GByteArray *data = g_byte_array_new ();
  g_autofree char *header = g_strdup_printf ("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", type, shape);
  guint32 length = GUINT32_TO_LE ((guint32) strlen (header));
  guint8 version[2] = { major, 0 };

  g_byte_array_append (data, (const guint8 *) "\x93NUMPY", 6);
  g_byte_array_append (data, version, sizeof version);
  g_byte_array_append (data, (const guint8 *) &length, major == 1 ? 2 : 4);
  g_byte_array_append (data, (const guint8 *) header, (guint) strlen (header));
  for (gsize i = 0; i < n_bytes; i++)
    {
      guint8 byte = (guint8) (i * 37);

      g_byte_array_append (data, &byte, 1);
    }
  fuzz_corpus_add (&arrays, g_byte_array_free_to_bytes (data));
}

static void
add_picture (const char *name, guint width, guint height)
{
  /* Several of these programs may begin at once. */
  g_autofree char *unique = g_strdup_printf ("fuzz-%d-%s", (int) getpid (), name);
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), unique, NULL), *data = NULL;
  g_autofree guint8 *texels = g_malloc (width * height * 4u);
  struct tool_writer *writer;
  GError *error = NULL;
  gsize size;

  for (guint i = 0; i < width * height * 4; i++)
    texels[i] = (guint8) (i * 7 + i / 5);
  writer = tool_writer_new (path, &error);
  if (writer == NULL || !tool_picture_write (writer, tool_picture_type (name), width, height, false, texels, &error)
      || !tool_writer_commit (writer, &error) || !g_file_get_contents (path, &data, &size, &error))
    g_error ("%s", error->message);
  unlink (path);
  fuzz_corpus_add (&pictures, g_bytes_new_take (g_steal_pointer (&data), size));
}

static void
prepare_layouts (void)
{
  GError *error = NULL;
  g_autoptr (GabbroModule) module = gabbro_module_new_from_source ("types.gk", types_source, -1, &error);
  g_autoptr (GabbroKernel) kernel = module != NULL ? gabbro_module_get_kernel (module, "types", &error) : NULL;

  if (kernel == NULL)
    g_error ("%s", error->message);
  layouts = g_ptr_array_new_with_free_func ((GDestroyNotify) gabbro_layout_unref);
  for (guint i = 0; i < gabbro_kernel_get_n_arguments (kernel); i++)
    g_ptr_array_add (layouts, gabbro_kernel_dup_argument_layout (kernel, i));
}

static void
prepare_tool (void)
{
  const char *top = g_getenv ("top_srcdir");
  g_autofree char *path = g_build_filename (top != NULL ? top : ".", "tests/fuzz/adapter.json", NULL);
  GError *error = NULL;

  prepare_layouts ();
  for (guint i = 0; i < G_N_ELEMENTS (npy_types); i++)
    add_array (npy_types[i], 1, "(3, 4)", 12 * (gsize) (npy_types[i][2] - '0'));
  add_array ("<f4", 2, "(64,)", 256);
  add_array ("<f4", 1, "()", 4);
  add_array ("<u4", 1, "(2, 3, 4)", 96);
  add_picture ("fuzz.png", 19, 7);
  add_picture ("fuzz.jpg", 19, 7);
  add_picture ("fuzz-large.png", 120, 90);
  fuzz_corpus_add_folder (&adapters, "tests/fuzz", ".json");
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    fuzz_corpus_add (&texts, g_bytes_new_static (lines[i], strlen (lines[i])));
  needs = g_variant_ref_sink (g_variant_new_parsed (
    "{'requirements': <{'max-group-size': <@au [8, 8, 1]>, 'max-storage-buffers': <uint64 4>, 'max-group-invocations': <uint64 64>}>,"
    " 'features': <['shaderStorageImageReadWithoutFormat']>}"));
  sound_record = tool_record_new_from_file (path, &error);
  if (sound_record == NULL)
    g_error ("%s", error->message);
}

/* --- making ------------------------------------------------------------------------------------ */

static guint32
sum_of_chunk (const guint8 *data, gsize size)
{
  guint32 sum = 0xffffffff;

  for (gsize i = 0; i < size; i++)
    {
      sum ^= data[i];
      for (guint bit = 0; bit < 8; bit++)
        sum = (sum >> 1) ^ ((sum & 1) != 0 ? 0xedb88320u : 0);
    }
  return ~sum;
}

/* Sums of PNG's chunks that fit, as far as their lengths lead. */
static void
mend_chunks (GByteArray *data)
{
  for (gsize at = 8; at + 12 <= data->len;)
    {
      guint32 length, sum;

      memcpy (&length, data->data + at, 4);
      length = GUINT32_FROM_BE (length);
      if (length > data->len - at - 12)
        return;
      sum = GUINT32_TO_BE (sum_of_chunk (data->data + at + 4, length + 4));
      memcpy (data->data + at + 8 + length, &sum, 4);
      at += 12 + (gsize) length;
    }
}

static GByteArray *
make_array (struct dice *dice)
{
  GByteArray *data = fuzz_copy (fuzz_corpus_pick (&arrays, dice));
  g_autoptr (GByteArray) header = NULL;
  guint begin = data->data[6] == 1 ? 10 : 12, n;

  if (dice_percent (dice, 30))
    {
      fuzz_mutate_bytes (data, dice);
      return data;
    }
  /* The header as text, with a length that is true. */
  n = data->data[8] + 256u * data->data[9];
  header = g_byte_array_append (g_byte_array_new (), data->data + begin, n);
  fuzz_mutate_text (header, &arrays, line_words, dice);
  g_byte_array_remove_range (data, begin, n);
  data->data[8] = (guint8) header->len;
  data->data[9] = (guint8) (header->len >> 8);
  if (data->data[6] == 2)
    {
      data->data[10] = (guint8) (header->len >> 16);
      data->data[11] = (guint8) (header->len >> 24);
    }
  g_byte_array_append (header, data->data + begin, data->len - begin);
  g_byte_array_set_size (data, begin);
  return g_byte_array_append (data, header->data, header->len);
}

static GByteArray *
make_input (struct dice *dice)
{
  GByteArray *data;

  switch (dice_below (dice, 4))
    {
    case 0:
      return make_array (dice);
    case 1:
      data = fuzz_copy (fuzz_corpus_pick (&pictures, dice));
      fuzz_mutate_bytes (data, dice);
      if (dice_percent (dice, 80))
        mend_chunks (data);
      return data;
    case 2:
      data = fuzz_copy (fuzz_corpus_pick (&adapters, dice));
      fuzz_mutate_text (data, &adapters, json_words, dice);
      return data;
    default:
      data = fuzz_copy (fuzz_corpus_pick (&texts, dice));
      fuzz_mutate_text (data, &texts, line_words, dice);
      return data;
    }
}

/* --- trying ------------------------------------------------------------------------------------ */

static bool
is_fine (bool good, GError **error)
{
  fuzz_check (good == (*error == NULL), "a refusal says why, and nothing else does");
  fuzz_check (good || (*error)->message[0] != '\0', "refused without a word");
  g_clear_error (error);
  return good;
}

static bool
try_array (const char *filename)
{
  struct tool_npy npy = { 0 };
  GError *error = NULL;
  guint64 n = 1;

  if (!is_fine (tool_npy_read (&npy, filename, ARRAY_LIMIT, &error), &error))
    return false;
  for (guint i = 0; i < npy.n_dimensions; i++)
    n *= npy.shape[i];
  fuzz_check (n == npy.n_numbers, "the shape is not as large as the array");
  fuzz_check (npy.n_numbers == 0 || g_bytes_get_size (npy.data) % npy.n_numbers == 0, "an array with a part of a number");
  tool_npy_clear (&npy);
  return true;
}

static bool
try_picture (const char *filename)
{
  struct tool_picture picture = { 0 };
  GError *error = NULL;

  if (!is_fine (tool_picture_read (&picture, filename, &error), &error))
    return false;
  fuzz_check (g_bytes_get_size (picture.texels) == (gsize) picture.width * picture.height * 4, "texels are missing");
  tool_picture_clear (&picture);
  return true;
}

static bool
try_adapter (const char *filename)
{
  GError *error = NULL;
  struct tool_record *record = tool_record_new_from_file (filename, &error);

  if (!is_fine (record != NULL, &error))
    return false;
  for (guint i = 0; i < sound_record->facts->len; i++)
    {
      const struct tool_fact *fact = g_ptr_array_index (sound_record->facts, i);
      g_autofree char *text = g_strdup_printf ("%s/%s>=1", fact->section, fact->name);
      struct tool_requirement *limit = tool_requirement_new_limit (text, NULL);

      tool_record_find (record, fact->name);
      if (limit != NULL)
        g_free (tool_requirement_check (limit, record));
      tool_requirement_free (limit);
    }
  g_free (tool_record_check_kernel (record, needs));
  tool_record_free (record);
  return true;
}

static bool
try_value (GabbroLayout *layout, const char *text)
{
  GError *error = NULL;
  g_autoptr (GString) shown = g_string_new (NULL);
  GBytes *bytes = tool_value_parse (layout, "a", text, &error);

  if (!is_fine (bytes != NULL, &error))
    return false;
  fuzz_check (g_bytes_get_size (bytes) == gabbro_layout_get_size (layout), "the value is not as large as its type");
  tool_value_append (shown, layout, g_bytes_get_data (bytes, NULL));
  g_bytes_unref (bytes);
  return true;
}

/* A type and a value of it; a requirement a line. */
static bool
try_lines (const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, "\n", 8);
  bool taken = false;

  for (guint i = 0; i < layouts->len && parts[0] != NULL && parts[1] != NULL; i++)
    if (g_str_equal (gabbro_layout_get_name (layouts->pdata[i]), parts[0]))
      taken = try_value (layouts->pdata[i], parts[1]);
  for (guint i = 0; parts[i] != NULL; i++)
    {
      GError *error = NULL;
      struct tool_requirement *limit = tool_requirement_new_limit (parts[i], &error);

      tool_type_is_name (parts[i]);
      if (is_fine (limit != NULL, &error))
        {
          g_free (tool_requirement_check (limit, sound_record));
          taken = true;
        }
      tool_requirement_free (limit);
    }
  return taken;
}

/* As each type of buffer: most are not of that type. */
static bool
try_elements (const char *filename)
{
  bool taken = false;

  for (guint i = 0; i < layouts->len; i++)
    {
      GabbroLayout *layout = layouts->pdata[i];
      GBytes *data = NULL;
      GError *error = NULL;
      guint64 length = 0;

      if (is_fine (tool_array_read (layout, "a", filename, &data, &length, &error), &error))
        {
          g_autofree gpointer back = tool_array_unpad (layout, g_bytes_get_data (data, NULL), (gsize) length);

          fuzz_check (back != NULL && g_bytes_get_size (data) == length * gabbro_layout_get_size (layout), "elements are missing");
          g_bytes_unref (data);
          taken = true;
        }
    }
  return taken;
}

static bool
attempt_tool (const guint8 *data, gsize size)
{
  int fd;
  g_autofree char *filename = make_file (data, size, &fd);
  bool taken = (try_array (filename) && try_elements (filename)) | try_picture (filename) | try_adapter (filename);

  close (fd);
  /* What comes by a command line has no NUL. */
  if (size <= TEXT_LIMIT && memchr (data, '\0', size) == NULL && g_utf8_validate ((const char *) data, (gssize) size, NULL))
    {
      g_autofree char *text = g_strndup ((const char *) data, size);

      taken |= try_lines (text);
    }
  return taken;
}

const struct fuzz_target fuzz_tool = {
  .name = "tool",
  .extension = "input",
  .smoke_rounds = 3000,
  .prepare = prepare_tool,
  .make = make_input,
  .attempt = attempt_tool,
};

const struct fuzz_target *const fuzz_targets[] = { &fuzz_tool, NULL };
