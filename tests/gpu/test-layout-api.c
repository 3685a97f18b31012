/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* GabbroLayout: what it says, values in both directions, every refusal, random round trips,
 * and kernels that read what gabbro_command_list_set_variant() gave them. */

#include "config.h"

#include "tests/gpu/device-test.h"

#include <float.h>
#include <math.h>

static const char source[] =
  "struct Inner { float3 direction; float weight; };\n"
  "struct Params { float gain; int2 offset; Inner inner[2]; uint count; float3 list[3]; };\n"
  "kernel(1) void take(buffer<float> out, buffer<Params> all, image2d<float> image, Params p, bool flag, bool3 flags, int i, uint u,\n"
  "                    float3 v, float f)\n"
  "{\n"
  "  out[0] = p.gain; out[1] = float(p.offset.x); out[2] = float(p.offset.y);\n"
  "  out[3] = p.inner[1].direction.z; out[4] = p.inner[1].weight; out[5] = float(p.count); out[6] = p.list[2].y;\n"
  "  out[7] = flag ? 1.0 : 0.0; out[8] = flags.x ? 1.0 : 0.0; out[9] = flags.y ? 1.0 : 0.0; out[10] = flags.z ? 1.0 : 0.0;\n"
  "  out[11] = float(i); out[12] = float(u); out[13] = v.z; out[14] = f; out[15] = all[0].gain;\n"
  "  image.write(int2(0, 0), float4(0.0));\n"
  "}\n";

static GabbroLayout *
layout_of (const char *text, const char *argument)
{
  GabbroKernel *kernel = new_kernel (text, NULL);
  GabbroLayout *layout = gabbro_kernel_dup_argument_layout (kernel, (guint) gabbro_kernel_find_argument (kernel, argument));

  g_object_unref (kernel);
  return layout;
}

START_TEST (description)
{
  GabbroLayout *params = layout_of (source, "p"), *element = layout_of (source, "all"), *list, *vector, *other;

  ck_assert_str_eq (gabbro_layout_get_name (params), "Params");
  ck_assert_int_eq (gabbro_layout_get_kind (params), GABBRO_LAYOUT_STRUCT);
  ck_assert_uint_eq (gabbro_layout_get_size (params), 144);
  ck_assert_uint_eq (gabbro_layout_get_alignment (params), 16);
  ck_assert_uint_eq (gabbro_layout_get_length (params), 0);
  ck_assert_uint_eq (gabbro_layout_get_stride (params), 0);
  ck_assert_ptr_null (gabbro_layout_get_element (params));
  ck_assert_uint_eq (gabbro_layout_get_n_members (params), 5);
  ck_assert_str_eq (gabbro_layout_get_member_name (params, 2), "inner");
  ck_assert_uint_eq (gabbro_layout_get_member_offset (params, 1), 8);
  ck_assert_uint_eq (gabbro_layout_get_member_offset (params, 2), 16);
  ck_assert_uint_eq (gabbro_layout_get_member_offset (params, 3), 80);
  ck_assert_uint_eq (gabbro_layout_get_member_offset (params, 4), 96);
  ck_assert_ptr_null (gabbro_layout_get_member_name (params, 5));
  ck_assert_ptr_null (gabbro_layout_get_member_layout (params, 5));
  ck_assert_uint_eq (gabbro_layout_get_member_offset (params, 5), 0);

  list = gabbro_layout_get_member_layout (params, 4);
  ck_assert_int_eq (gabbro_layout_get_kind (list), GABBRO_LAYOUT_ARRAY);
  ck_assert_str_eq (gabbro_layout_get_name (list), "float3[3]");
  ck_assert_uint_eq (gabbro_layout_get_length (list), 3);
  ck_assert_uint_eq (gabbro_layout_get_stride (list), 16);
  ck_assert_uint_eq (gabbro_layout_get_size (list), 48);
  vector = gabbro_layout_get_element (list);
  ck_assert_int_eq (gabbro_layout_get_kind (vector), GABBRO_LAYOUT_VECTOR);
  ck_assert_uint_eq (gabbro_layout_get_length (vector), 3);
  ck_assert_uint_eq (gabbro_layout_get_stride (vector), 4);
  ck_assert_uint_eq (gabbro_layout_get_size (vector), 16);
  ck_assert_int_eq (gabbro_layout_get_kind (gabbro_layout_get_element (vector)), GABBRO_LAYOUT_FLOAT);
  ck_assert_str_eq (gabbro_layout_get_name (gabbro_layout_get_element (vector)), "float");
  gabbro_layout_unref (params);

  /* Of a buffer its element; of an image nothing. */
  ck_assert_str_eq (gabbro_layout_get_name (element), "Params");
  ck_assert_ptr_null (layout_of (source, "image"));
  ck_assert_ptr_null (layout_of (source, "nothing"));
  gabbro_layout_unref (element);

  other = layout_of (source, "flags");
  ck_assert_uint_eq (gabbro_layout_get_size (other), 16);
  ck_assert_int_eq (gabbro_layout_get_kind (gabbro_layout_get_element (other)), GABBRO_LAYOUT_BOOL);
  gabbro_layout_unref (other);
}
END_TEST

/* Layouts agree with what the code generator wants. */
START_TEST (sizes)
{
  GabbroKernel *kernel = new_kernel (source, NULL);

  for (guint i = 0; i < gabbro_kernel_get_n_arguments (kernel); i++)
    {
      GabbroLayout *layout = gabbro_kernel_dup_argument_layout (kernel, i);

      ck_assert_uint_eq (layout != NULL ? gabbro_layout_get_size (layout) : 0, gabbro_kernel_get_argument_size (kernel, i));
      g_clear_pointer (&layout, gabbro_layout_unref);
    }
  g_object_unref (kernel);
}
END_TEST

static GVariant *
parse (const char *text)
{
  GError *error = NULL;
  GVariant *value = g_variant_parse (NULL, text, NULL, NULL, &error);

  assert_no_error (error);
  return value;
}

static char *
round_trip (const char *argument, const char *text)
{
  GabbroLayout *layout = layout_of (source, argument);
  GError *error = NULL;
  GVariant *value = parse (text), *back;
  GBytes *bytes = gabbro_layout_pack (layout, value, &error);
  char *shown;

  assert_no_error (error);
  ck_assert_uint_eq (g_bytes_get_size (bytes), gabbro_layout_get_size (layout));
  back = gabbro_layout_unpack (layout, bytes, 0, &error);
  assert_no_error (error);
  ck_assert (!g_variant_is_floating (back));
  shown = g_variant_print (back, FALSE);
  g_variant_unref (back);
  g_variant_unref (value);
  g_bytes_unref (bytes);
  gabbro_layout_unref (layout);
  return shown;
}

#define PARAMS "{'gain': <0.5>, 'offset': <(-1, 2)>, 'inner': <[{'direction': <(1.0, 2.0, 3.0)>, 'weight': <4.0>}, " \
               "{'direction': <(5.0, 6.0, 7.0)>, 'weight': <8.0>}]>, 'count': <9>, 'list': <[(1.0, 2.0, 3.0), (4.0, 5.0, 6.0), (7.0, 8.0, 9.0)]>}"

/* A uint comes back as one. */
#define PARAMS_BACK "{'gain': <0.5>, 'offset': <(-1, 2)>, 'inner': <[{'direction': <(1.0, 2.0, 3.0)>, 'weight': <4.0>}, " \
                    "{'direction': <(5.0, 6.0, 7.0)>, 'weight': <8.0>}]>, 'count': <uint32 9>, 'list': <[(1.0, 2.0, 3.0), (4.0, 5.0, 6.0), (7.0, 8.0, 9.0)]>}"

START_TEST (values)
{
  static const struct { const char *argument, *text, *back; } cases[] = {
    { "i", "byte 0x07", "7" }, { "i", "int16 -7", "-7" }, { "i", "uint16 7", "7" }, { "i", "-2147483647", "-2147483647" },
    { "i", "uint32 2147483647", "2147483647" }, { "i", "int64 -2147483648", "-2147483648" }, { "i", "uint64 2147483647", "2147483647" },
    { "i", "-3.0", "-3" }, { "i", "<<<5>>>", "5" },
    { "u", "4294967295.0", "4294967295" }, { "u", "uint64 4294967295", "4294967295" }, { "u", "int64 0", "0" },
    { "f", "0.1", "0.10000000149011612" }, { "f", "16777216", "16777216.0" }, { "f", "int64 -16777216", "-16777216.0" },
    { "f", "uint64 9223372036854775808", "9.2233720368547758e+18" }, { "f", "int64 -9223372036854775808", "-9.2233720368547758e+18" },
    { "f", "1e-60", "0.0" }, { "f", "3.4028234663852886e38", "3.4028234663852886e+38" },
    { "flag", "true", "true" }, { "flags", "(true, false, true)", "(true, false, true)" }, { "flags", "[true, true, false]", "(true, true, false)" },
    { "v", "(1, 2.0, byte 0x03)", "(1.0, 2.0, 3.0)" }, { "v", "[1, 2, 3]", "(1.0, 2.0, 3.0)" }, { "v", "[<1>, <uint32 2>, <3.5>]", "(1.0, 2.0, 3.5)" },
    { "p", PARAMS, PARAMS_BACK },
    { "p", "(0.5, [-1, 2], (((1, 2, 3), 4), ((5, 6, 7), 8)), uint64 9, [[1, 2, 3], [4, 5, 6], [7, 8, 9]])", PARAMS_BACK },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      char *shown = round_trip (cases[i].argument, cases[i].text);

      ck_assert_str_eq (shown, cases[i].back);
      g_free (shown);
    }
}
END_TEST

START_TEST (refusals)
{
  static const struct { const char *argument, *text, *part; } cases[] = {
    { "i", "int64 2147483648", "from -2147483648 to 2147483647, not 2147483648" }, { "i", "int64 -2147483649", "not -2147483649" },
    { "i", "uint64 18446744073709551615", "not 18446744073709551615" }, { "i", "0.5", "not 0.5" }, { "i", "'text'", "“s”" }, { "i", "true", "“b”" },
    { "i", "2147483648.0", "2147483647" }, { "i", "[1]", "“ai”" }, { "i", "1e300", "1e+300" },
    { "u", "-1", "from 0 to 4294967295, not -1" }, { "u", "uint64 4294967296", "4294967296" }, { "u", "-1.0", "-1.0" },
    { "f", "16777217", "16777217" }, { "f", "int64 -16777217", "-16777217" }, { "f", "uint64 18446744073709551615", "18446744073709551615" },
    { "f", "1e39", "3.40282347e+38, not 9.99" },
    { "flag", "1", "“i”" }, { "flags", "(true, false)", "3 values, not 2" }, { "v", "(1.0, 2.0, 3.0, 4.0)", "3 values, not 4" },
    { "v", "5.0", "tuple or array of 3" }, { "v", "{'x': 1.0, 'y': 1.0, 'z': 1.0}", "“a{sd}”" }, { "v", "(1.0, 'a', 3.0)", "“[1]”" },
    { "p", "5", "a dictionary of its members" }, { "p", "(1, 2)", "5 members, not 2" }, { "p", "{'gain': 1.0}", "“offset” of Params is missing" },
    { "p", "{'gian': 1.0}", "did you mean “gain”?" }, { "p", "{'something': 1.0}", "there are: gain, offset, inner, count, list" },
    { "p", "@a{sv} {}", "“gain” of Params is missing" }, { "p", "[{'gain', 1.0}, {'gain', 1.0}]", "“gain” is there twice" },
    { "p", "(0.5, (-1, 2), (((1, 2, 3), 4), ((5, 6, 'x'), 8)), 9, [[1, 2, 3], [4, 5, 6], [7, 8, 9]])", "“inner[1].direction[2]”" },
    { "p", "(0.5, (-1, 2), (((1, 2, 3), 4), ((5, 6, 7), 8)), -9, [[1, 2, 3], [4, 5, 6], [7, 8, 9]])", "“count”" },
    { "p", "(0.5, (-1, 2), (((1, 2, 3), 4), ((5, 6, 7), 8)), 9, [[1, 2, 3], [4, 5, 6]])", "“list”: A float3[3] has 3 values, not 2" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      GabbroLayout *layout = layout_of (source, cases[i].argument);
      GError *error = NULL;
      GVariant *value = parse (cases[i].text);

      ck_assert_msg (gabbro_layout_pack (layout, value, &error) == NULL, "%s takes %s", cases[i].argument, cases[i].text);
      assert_message (error, cases[i].part);
      assert_gabbro_error (error, GABBRO_ERROR_INVALID_ARGUMENT);
      g_variant_unref (value);
      gabbro_layout_unref (layout);
    }
}
END_TEST

START_TEST (special_reals)
{
  static const double reals[] = { NAN, INFINITY, -INFINITY, -0.0, 0.0, FLT_MIN, 0x1p-149 };
  GabbroLayout *layout = layout_of (source, "f");

  for (guint i = 0; i < G_N_ELEMENTS (reals); i++)
    {
      GError *error = NULL;
      GBytes *bytes = gabbro_layout_pack (layout, g_variant_new_double (reals[i]), &error);
      gfloat wanted = (gfloat) reals[i];

      assert_no_error (error);
      if (!isnan (wanted))
        ck_assert_mem_eq (g_bytes_get_data (bytes, NULL), &wanted, sizeof wanted);
      else
        {
          memcpy (&wanted, g_bytes_get_data (bytes, NULL), sizeof wanted);
          ck_assert (isnan (wanted));
        }
      g_bytes_unref (bytes);
    }
  gabbro_layout_unref (layout);
}
END_TEST

START_TEST (offsets)
{
  GabbroLayout *layout = layout_of (source, "v");
  const guint8 data[19] = { 0 };
  GBytes *bytes = g_bytes_new_static (data, sizeof data);
  GError *error = NULL;
  GVariant *value = gabbro_layout_unpack (layout, bytes, 3, &error);

  assert_no_error (error);
  g_variant_unref (value);
  for (gsize offset = 4; offset != 3; offset = offset == 4 ? 19 : offset == 19 ? 20 : offset == 20 ? G_MAXSIZE : 3)
    {
      ck_assert_ptr_null (gabbro_layout_unpack (layout, bytes, offset, &error));
      assert_message (error, "16 bytes");
      assert_gabbro_error (error, GABBRO_ERROR_INVALID_ARGUMENT);
    }
  g_bytes_unref (bytes);
  gabbro_layout_unref (layout);
}
END_TEST

/* Random types and values. */

static void
random_type (GRand *random, GString *structures, GString *declaration, const char *name, guint depth, guint *n)
{
  static const char *const scalars[] = { "int", "uint", "float" };
  guint choice = (guint) g_rand_int_range (random, 0, depth > 0 ? 4 : 2);

  if (choice == 3)
    {
      guint number = (*n)++, n_members = (guint) g_rand_int_range (random, 1, 5);
      GString *own = g_string_new (NULL);

      g_string_append_printf (own, "struct S%u { ", number);
      for (guint i = 0; i < n_members; i++)
        {
          char *member = g_strdup_printf ("m%u", i);

          random_type (random, structures, own, member, depth - 1, n);
          g_string_append (own, "; ");
          g_free (member);
        }
      g_string_append_printf (structures, "%s};\n", own->str);
      g_string_append_printf (declaration, "S%u %s", number, name);
      g_string_free (own, TRUE);
    }
  else
    {
      g_string_append (declaration, scalars[g_rand_int_range (random, 0, 3)]);
      if (choice >= 1)
        g_string_append_printf (declaration, "%d", g_rand_int_range (random, 2, 5));
      g_string_append_printf (declaration, " %s", name);
    }
  if (depth > 0 && g_rand_boolean (random))
    g_string_append_printf (declaration, "[%d]", g_rand_int_range (random, 1, 4));
}

/* Marks bytes that carry a value. */
static void
mark (GabbroLayout *layout, guint8 *used)
{
  if (gabbro_layout_get_element (layout) != NULL)
    for (guint64 i = 0; i < gabbro_layout_get_length (layout); i++)
      mark (gabbro_layout_get_element (layout), used + i * gabbro_layout_get_stride (layout));
  else if (gabbro_layout_get_n_members (layout) == 0)
    memset (used, 1, 4);
  for (guint i = 0; i < gabbro_layout_get_n_members (layout); i++)
    mark (gabbro_layout_get_member_layout (layout, i), used + gabbro_layout_get_member_offset (layout, i));
}

/* Bytes to a value and back give the bytes, with zeros where there is nothing. */
START_TEST (random_round_trips)
{
  GRand *random = g_rand_new_with_seed (4711);

  for (guint round = 0; round < 300; round++)
    {
      GString *text = g_string_new (NULL), *declaration = g_string_new (NULL);
      GError *error = NULL;
      GabbroLayout *layout;
      GVariant *value;
      GBytes *bytes, *back;
      guint8 *data, *used;
      guint n = 0;
      gsize size;

      random_type (random, text, declaration, "p", 3, &n);
      g_string_append_printf (text, "kernel(1) void k(buffer<uint> out, %s) { out[0] = 1u; }\n", declaration->str);
      layout = layout_of (text->str, "p");
      size = gabbro_layout_get_size (layout);
      data = g_malloc0 (size);
      used = g_malloc0 (size);
      mark (layout, used);
      for (gsize i = 0; i < size; i++)
        data[i] = used[i] ? (guint8) g_rand_int_range (random, 0, 64) : 0;       /* no NaN, whose payload may change */
      bytes = g_bytes_new_take (data, size);
      value = gabbro_layout_unpack (layout, bytes, 0, &error);
      assert_no_error (error);
      back = gabbro_layout_pack (layout, value, &error);
      assert_no_error (error);
      ck_assert_msg (g_bytes_equal (bytes, back), "%s", text->str);
      g_bytes_unref (bytes);
      g_bytes_unref (back);
      g_variant_unref (value);
      gabbro_layout_unref (layout);
      g_free (used);
      g_string_free (text, TRUE);
      g_string_free (declaration, TRUE);
    }
  g_rand_free (random);
}
END_TEST

/* As deep as the language lets structures go: there and back, or refused. */
START_TEST (deep)
{
  GString *text = g_string_new ("struct S0 { float x; };\n");
  GError *error = NULL;
  GabbroModule *module;
  guint n = 0;

  do
    {
      n++;
      g_string_append_printf (text, "struct S%u { S%u x; };\n", n, n - 1);
      g_clear_error (&error);
      module = n < 20 ? NULL : gabbro_module_new_from_source ("deep.gk", text->str, -1, &error);
      g_clear_object (&module);
    }
  while (error == NULL && n < 100);
  g_clear_error (&error);
  for (guint depth = 1; depth < n - 1; depth++)
    {
      GString *whole = g_string_new (text->str);
      GabbroLayout *layout;
      GVariant *value;
      GBytes *bytes, *back;

      g_string_truncate (whole, (gsize) (strstr (text->str, "\n") - text->str) + 1);
      for (guint i = 1; i <= depth; i++)
        g_string_append_printf (whole, "struct S%u { S%u x; };\n", i, i - 1);
      g_string_append_printf (whole, "kernel(1) void k(buffer<uint> out, buffer<S%u> p) { out[0] = 1u; }\n", depth);
      layout = layout_of (whole->str, "p");
      bytes = g_bytes_new_static ("\0\0\200?", 4);
      value = gabbro_layout_unpack (layout, bytes, 0, &error);
      assert_no_error (error);
      back = gabbro_layout_pack (layout, value, &error);
      assert_no_error (error);
      ck_assert (g_bytes_equal (bytes, back));
      g_bytes_unref (bytes);
      g_bytes_unref (back);
      g_variant_unref (value);
      gabbro_layout_unref (layout);
      g_string_free (whole, TRUE);
    }
  g_string_free (text, TRUE);
}
END_TEST

/* Kernels. */

static void
set (GabbroCommandList *list, GabbroKernel *kernel, const char *argument, const char *text)
{
  GError *error = NULL;

  gabbro_command_list_set_variant (list, (guint) gabbro_kernel_find_argument (kernel, argument), parse (text), &error);
  assert_no_error (error);
}

START_TEST (kernel_reads_values)
{
  static const float wanted[15] = { 0.5f, -1, 2, 7, 8, 9, 8, 1, 1, 0, 1, -5, 6, 3, 0.25f };
  struct device_test test = device_test_begin ();
  GabbroKernel *kernel = new_kernel (source, NULL);
  GError *error = NULL;
  GabbroShader *shader = gabbro_shader_new (test.device, kernel, GABBRO_COMPILE_DEFAULT, GABBRO_OPTIMIZATION_DEFAULT, &error);
  GabbroBuffer *out = new_buffer (test.device, "float", 16), *all = gabbro_buffer_new_for_argument (test.device, kernel, 1, 1, NULL);
  GabbroImage *image = new_image (test.device, GABBRO_FORMAT_RGBA8_UNORM, 1, 1);
  GabbroCommandList *list = new_list (test.device);
  float got[16];

  assert_no_error (error);
  gabbro_command_list_set_shader (list, shader, &error);
  gabbro_command_list_fill (list, all, 0, gabbro_buffer_get_size (all), 0, &error);
  gabbro_command_list_set_buffer (list, 0, out, &error);
  gabbro_command_list_set_buffer (list, 1, all, &error);
  gabbro_command_list_set_image (list, 2, image, &error);
  set (list, kernel, "p", PARAMS);
  set (list, kernel, "flag", "true");
  set (list, kernel, "flags", "(true, false, true)");
  set (list, kernel, "i", "-5");
  set (list, kernel, "u", "6");
  set (list, kernel, "v", "[1, 2, 3]");
  set (list, kernel, "f", "0.25");
  gabbro_command_list_dispatch (list, 1, 1, 1, &error);
  gabbro_command_list_download (list, out, 0, got, sizeof got, &error);
  assert_no_error (error);
  gabbro_stream_submit (test.stream, list, &error);
  gabbro_stream_synchronize (test.stream, 60 * SECOND, &error);
  assert_no_error (error);
  for (guint i = 0; i < 15; i++)
    ck_assert_msg (memcmp (&got[i], &wanted[i], sizeof wanted[i]) == 0, "value %u is %g", i, (double) got[i]);
  g_object_unref (list);
  g_object_unref (image);
  g_object_unref (all);
  g_object_unref (out);
  g_object_unref (shader);
  g_object_unref (kernel);
  device_test_end (&test);
}
END_TEST

START_TEST (list_refusals)
{
  struct device_test test = null_test_begin ("1");
  GabbroKernel *kernel = new_kernel (source, NULL);
  GError *error = NULL;
  GabbroShader *shader = gabbro_shader_new (test.device, kernel, GABBRO_COMPILE_DEFAULT, GABBRO_OPTIMIZATION_DEFAULT, &error);
  static const struct { const char *argument, *text, *part; } cases[] = {
    { "u", "-1", "“u” of “take”: The type uint has the whole numbers from 0" }, { "out", "1", "is a buffer" }, { "p", "{'gian': 1.0}", "“gain”" },
  };

  assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      GabbroCommandList *list = new_list (test.device);

      /* Without a shader. */
      ck_assert (!gabbro_command_list_set_variant (list, 0, g_variant_new_int32 (1), &error));
      assert_gabbro_error (error, GABBRO_ERROR_INVALID_STATE);
      g_object_unref (list);
      list = new_list (test.device);
      gabbro_command_list_set_shader (list, shader, &error);
      ck_assert (!gabbro_command_list_set_variant (list, (guint) gabbro_kernel_find_argument (kernel, cases[i].argument),
                                                   parse (cases[i].text), &error));
      assert_message (error, cases[i].part);
      assert_gabbro_error (error, GABBRO_ERROR_INVALID_ARGUMENT);
      g_object_unref (list);
    }
  g_object_unref (shader);
  g_object_unref (kernel);
  device_test_end (&test);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("layout-api");
  TCase *test_case = null_test_case (suite, "layout");

  tcase_add_test (test_case, description);
  tcase_add_test (test_case, sizes);
  tcase_add_test (test_case, values);
  tcase_add_test (test_case, refusals);
  tcase_add_test (test_case, special_reals);
  tcase_add_test (test_case, offsets);
  tcase_add_test (test_case, random_round_trips);
  tcase_add_test (test_case, deep);
  test_case = null_test_case (suite, "kernels");
  tcase_add_test (test_case, kernel_reads_values);
  tcase_add_test (test_case, list_refusals);
  return suite;
}

GB_TEST_MAIN (make_suite)
