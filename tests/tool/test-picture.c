/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Pictures: what is written is read back, what is broken is refused. */

#include "config.h"

#include "tests/tool/test-parts.h"

#include <math.h>
#include <string.h>

#include "tools/picture.h"
#include "tools/report.h"

#define WIDTH 37
#define HEIGHT 23

static void
fill_texels (guint8 *texels)
{
  for (guint i = 0; i < WIDTH * HEIGHT * 4; i++)
    texels[i] = (guint8) (i * 7 + i / 5);
}

static char *
write_picture (const char *folder, const char *name, gconstpointer texels, bool floats)
{
  GError *error = NULL;
  char *filename = g_build_filename (folder, name, NULL);
  struct tool_writer *writer = tool_writer_new (filename, &error);
  ck_assert_ptr_nonnull (writer);
  ck_assert (tool_picture_write (writer, tool_picture_type (name), WIDTH, HEIGHT, floats, texels, &error));
  ck_assert (tool_writer_commit (writer, &error));
  ck_assert_ptr_null (error);
  return filename;
}

START_TEST (test_png)
{
  GError *error = NULL;
  struct tool_picture picture;
  guint8 texels[WIDTH * HEIGHT * 4];
  char *folder = make_folder ();

  fill_texels (texels);
  char *filename = write_picture (folder, "a.png", texels, false);
  ck_assert (tool_picture_read (&picture, filename, &error));
  ck_assert_uint_eq (picture.width, WIDTH);
  ck_assert_uint_eq (picture.height, HEIGHT);
  ck_assert_uint_eq (g_bytes_get_size (picture.texels), sizeof texels);
  ck_assert_mem_eq (g_bytes_get_data (picture.texels, NULL), texels, sizeof texels);
  tool_picture_clear (&picture);
  g_free (filename);
  g_free (folder);
}
END_TEST

START_TEST (test_floats_are_clamped)
{
  GError *error = NULL;
  struct tool_picture picture;
  static float texels[WIDTH * HEIGHT * 4];
  char *folder = make_folder ();

  texels[0] = -3.0f;
  texels[1] = 0.5f;
  texels[2] = 7.0f;
  texels[3] = NAN;
  texels[4] = 1.0f / 255.0f;
  texels[5] = INFINITY;
  texels[6] = -INFINITY;
  texels[7] = 1.0f;
  char *filename = write_picture (folder, "f.png", texels, true);
  ck_assert (tool_picture_read (&picture, filename, &error));
  static const guint8 expected[8] = { 0, 128, 255, 0, 1, 255, 0, 255 };
  ck_assert_mem_eq (g_bytes_get_data (picture.texels, NULL), expected, sizeof expected);
  tool_picture_clear (&picture);
  g_free (filename);
  g_free (folder);
}
END_TEST

START_TEST (test_jpeg)
{
  GError *error = NULL;
  struct tool_picture picture;
  guint8 texels[WIDTH * HEIGHT * 4];
  char *folder = make_folder ();

  for (guint i = 0; i < WIDTH * HEIGHT; i++)
    memcpy (texels + i * 4, "\x40\x80\xc0\x10", 4);
  char *filename = write_picture (folder, "a.JPG", texels, false);
  ck_assert (tool_picture_read (&picture, filename, &error));
  ck_assert_uint_eq (picture.width, WIDTH);
  ck_assert_uint_eq (picture.height, HEIGHT);
  const guint8 *read = g_bytes_get_data (picture.texels, NULL);
  ck_assert_int_le (ABS (read[400] - 0x40), 4);
  ck_assert_int_le (ABS (read[401] - 0x80), 4);
  ck_assert_int_le (ABS (read[402] - 0xc0), 4);
  ck_assert_int_eq (read[403], 255);
  tool_picture_clear (&picture);
  g_free (filename);
  g_free (folder);
}
END_TEST

/* Every length but the whole one; the reader must not take one of them for good. */
START_TEST (test_cut_short)
{
  static const char *const names[] = { "a.png", "a.jpeg" };
  guint8 texels[WIDTH * HEIGHT * 4];
  char *folder = make_folder ();
  char *contents;
  gsize size;

  fill_texels (texels);
  char *filename = write_picture (folder, names[_i], texels, false);
  ck_assert (g_file_get_contents (filename, &contents, &size, NULL));
  gsize last = size - 1;
  for (gsize length = 0; length <= last; length += length < 64 ? 1 : 37)
    {
      GError *error = NULL;
      struct tool_picture picture;
      char *cut = write_bytes (folder, "cut", contents, MIN (length, last));
      ck_assert_msg (!tool_picture_read (&picture, cut, &error), "%s cut to %zu bytes", names[_i], length);
      ck_assert_ptr_nonnull (error);
      g_error_free (error);
      g_free (cut);
    }
  g_free (contents);
  g_free (filename);
  g_free (folder);
}
END_TEST

/* Any byte changed: an answer or an error, never a crash. */
START_TEST (test_damaged)
{
  static const char *const names[] = { "a.png", "a.jpeg" };
  guint8 texels[WIDTH * HEIGHT * 4];
  char *folder = make_folder ();
  char *contents;
  gsize size;

  fill_texels (texels);
  char *filename = write_picture (folder, names[_i], texels, false);
  ck_assert (g_file_get_contents (filename, &contents, &size, NULL));
  for (gsize at = 0; at < size; at += at < 256 ? 1 : 29)
    {
      GError *error = NULL;
      struct tool_picture picture = { 0 };
      contents[at] = (char) ~contents[at];
      char *damaged = write_bytes (folder, "damaged", contents, size);
      contents[at] = (char) ~contents[at];
      ck_assert (tool_picture_read (&picture, damaged, &error) == (error == NULL));
      tool_picture_clear (&picture);
      g_clear_error (&error);
      g_free (damaged);
    }
  g_free (contents);
  g_free (filename);
  g_free (folder);
}
END_TEST

static guint32
crc_of (const guint8 *data, gsize size)
{
  guint32 crc = 0xffffffff;
  for (gsize i = 0; i < size; i++)
    {
      crc ^= data[i];
      for (int bit = 0; bit < 8; bit++)
        crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320 : 0);
    }
  return ~crc;
}

/* A good header that promises `width` x `height`, and next to nothing behind it. */
START_TEST (test_bombs)
{
  static const guint32 sides[][2] = {
    { 0x7fffffff, 0x7fffffff }, { 0x10000, 0x10000 }, { 40000, 1 }, { 1, 40000 }, { 16384, 16384 }, { 0, 5 },
  };
  guint8 file[8 + 25 + 12] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n', 0, 0, 0, 13, 'I', 'H', 'D', 'R' };
  GError *error = NULL;
  struct tool_picture picture;
  char *folder = make_folder ();

  for (guint i = 0; i < 2; i++)
    {
      for (guint byte = 0; byte < 4; byte++)
        file[16 + i * 4 + byte] = (guint8) (sides[_i][i] >> (24 - byte * 8));
    }
  file[24] = 8;
  file[25] = 6;
  guint32 crc = crc_of (file + 12, 17);
  for (guint byte = 0; byte < 4; byte++)
    file[29 + byte] = (guint8) (crc >> (24 - byte * 8));
  memcpy (file + 33, "\0\0\0\0IDAT\x35\xaf\x06\x1e", 12);
  char *filename = write_bytes (folder, "bomb.png", file, sizeof file);
  ck_assert (!tool_picture_read (&picture, filename, &error));
  ck_assert_ptr_nonnull (error);
  if (sides[_i][0] != 0 && sides[_i][0] < 100000)
    ck_assert_msg (strstr (error->message, "allowed") != NULL, "%s", error->message);
  g_error_free (error);
  g_free (filename);
  g_free (folder);
}
END_TEST

START_TEST (test_other_files)
{
  static const char *const contents[] = { "", "GIF89a", "not a picture", "\x89PNG\r\n\x1a\n", "\xff\xd8\xff" };
  char *folder = make_folder ();

  for (gsize i = 0; i < G_N_ELEMENTS (contents); i++)
    {
      GError *error = NULL;
      struct tool_picture picture;
      char *filename = write_bytes (folder, "x.png", contents[i], strlen (contents[i]));
      ck_assert (!tool_picture_read (&picture, filename, &error));
      ck_assert_ptr_nonnull (error);
      g_error_free (error);
      g_free (filename);
    }
  g_free (folder);
}
END_TEST

START_TEST (test_types)
{
  ck_assert_int_eq (tool_picture_type ("a.png"), TOOL_PICTURE_PNG);
  ck_assert_int_eq (tool_picture_type ("a.b.PNG"), TOOL_PICTURE_PNG);
  ck_assert_int_eq (tool_picture_type ("a.jpg"), TOOL_PICTURE_JPEG);
  ck_assert_int_eq (tool_picture_type ("a.Jpeg"), TOOL_PICTURE_JPEG);
  ck_assert_int_eq (tool_picture_type ("png"), TOOL_PICTURE_NONE);
  ck_assert_int_eq (tool_picture_type ("a.gif"), TOOL_PICTURE_NONE);
}
END_TEST

void
add_picture_tests (Suite *suite)
{
  TCase *test_case = gb_test_case (suite, "picture");
  tcase_add_test (test_case, test_png);
  tcase_add_test (test_case, test_floats_are_clamped);
  tcase_add_test (test_case, test_jpeg);
  tcase_add_loop_test (test_case, test_cut_short, 0, 2);
  tcase_add_loop_test (test_case, test_damaged, 0, 2);
  tcase_add_loop_test (test_case, test_bombs, 0, 6);
  tcase_add_test (test_case, test_other_files);
  tcase_add_test (test_case, test_types);
}
