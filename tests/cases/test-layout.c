/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A28: what lies where in buffers and in by-value arguments. The host uses C structures, whose
 * offsets the compiler checks against the table of gabbro-kernel(5), so that nothing here asks
 * the library where anything is. Every word has a value of its own; words that are padding keep
 * what was there before. */

#include "config.h"

#include "tests/gpu/device-test.h"

#include <stdalign.h>
#include <stddef.h>

#define BACKGROUND 0xaaaaaaaau
#define LENGTH     5                     /* elements of a buffer */
#define SENTINELS  32                    /* words behind it */

struct float3
{
  alignas (16) float x;
  float y, z;
};

struct float2
{
  alignas (8) float x;
  float y;
};

struct mixed
{
  float first;
  struct float3 middle;
  float last;
};

/* A28: a float, a vector, a float and the columns of a matrix; 14 values. */
struct a28
{
  float first;
  struct float3 middle;
  float last;
  struct float3 columns[3];
};

/* A29: matrices in structures in arrays in structures. */
struct deep
{
  guint32 head;
  struct { struct float3 m[3]; } held[2];
};

struct inner
{
  struct float3 direction;
  float weight;
};

struct outer
{
  float head;
  struct inner inner[2];
  struct float2 tail;
  gint32 count;
  struct float3 list[2];
  guint32 end;
};

/* 0, 16, 32, and round to 48; a vector of three takes the room of four. */
G_STATIC_ASSERT (sizeof (struct float3) == 16);
G_STATIC_ASSERT (offsetof (struct mixed, first) == 0);
G_STATIC_ASSERT (offsetof (struct mixed, middle) == 16);
G_STATIC_ASSERT (offsetof (struct mixed, last) == 32);
G_STATIC_ASSERT (sizeof (struct mixed) == 48);
G_STATIC_ASSERT (offsetof (struct a28, middle) == 16);
G_STATIC_ASSERT (offsetof (struct a28, last) == 32);
G_STATIC_ASSERT (offsetof (struct a28, columns) == 48);
G_STATIC_ASSERT (sizeof (struct a28) == 96);
G_STATIC_ASSERT (sizeof (struct deep) == 112);
G_STATIC_ASSERT (sizeof (struct inner) == 32);
G_STATIC_ASSERT (offsetof (struct outer, inner) == 16);
G_STATIC_ASSERT (offsetof (struct outer, tail) == 80);
G_STATIC_ASSERT (offsetof (struct outer, count) == 88);
G_STATIC_ASSERT (offsetof (struct outer, list) == 96);
G_STATIC_ASSERT (offsetof (struct outer, end) == 128);
G_STATIC_ASSERT (sizeof (struct outer) == 144);

static const char types[] =
  "struct Mixed { float first; float3 middle; float last; };\n"
  "struct A28 { float first; float3 middle; float last; float3x3 columns; };\n"
  "struct Holder { float3x3 m; };\n"
  "struct Deep { uint head; Holder held[2]; };\n"
  "struct Inner { float3 direction; float weight; };\n"
  "struct Outer { float head; Inner inner[2]; float2 tail; int count; float3 list[2]; uint end; };\n";

/* A type, and its words that hold data: where the host finds them and how a kernel names them. */
struct layout
{
  const char *name;
  const char *element;                   /* in the kernel language */
  guint size;
  guint n_words;
  guint offsets[20];
  const char *parts[20];                 /* member by member */
};

/* Elements of a bare matrix follow its name without a dot. */
#define DOT(part) ((part)[0] == '[' ? "" : ".")
#define AT(type, member) (guint) offsetof (struct type, member)

static const struct layout layouts[] = {
  { "mixed", "Mixed", sizeof (struct mixed), 5,
    { AT (mixed, first), AT (mixed, middle.x), AT (mixed, middle.y), AT (mixed, middle.z), AT (mixed, last) },
    { "first", "middle.x", "middle.y", "middle.z", "last" } },
  { "outer", "Outer", sizeof (struct outer), 19,
    { AT (outer, head), AT (outer, inner[0].direction.x), AT (outer, inner[0].direction.y),
      AT (outer, inner[0].direction.z), AT (outer, inner[0].weight), AT (outer, inner[1].direction.x),
      AT (outer, inner[1].direction.y), AT (outer, inner[1].direction.z), AT (outer, inner[1].weight),
      AT (outer, tail.x), AT (outer, tail.y), AT (outer, count), AT (outer, list[0].x), AT (outer, list[0].y),
      AT (outer, list[0].z), AT (outer, list[1].x), AT (outer, list[1].y), AT (outer, list[1].z), AT (outer, end) },
    { "head", "inner[0].direction.x", "inner[0].direction.y", "inner[0].direction.z", "inner[0].weight",
      "inner[1].direction.x", "inner[1].direction.y", "inner[1].direction.z", "inner[1].weight", "tail.x", "tail.y",
      "count", "list[0].x", "list[0].y", "list[0].z", "list[1].x", "list[1].y", "list[1].z", "end" } },
  { "a28", "A28", sizeof (struct a28), 14,
    { AT (a28, first), AT (a28, middle.x), AT (a28, middle.y), AT (a28, middle.z), AT (a28, last),
      AT (a28, columns[0].x), AT (a28, columns[0].y), AT (a28, columns[0].z), AT (a28, columns[1].x),
      AT (a28, columns[1].y), AT (a28, columns[1].z), AT (a28, columns[2].x), AT (a28, columns[2].y),
      AT (a28, columns[2].z) },
    { "first", "middle.x", "middle.y", "middle.z", "last", "columns[0].x", "columns[0].y", "columns[0].z",
      "columns[1].x", "columns[1].y", "columns[1].z", "columns[2].x", "columns[2].y", "columns[2].z" } },
#define NINE(at) (at), (at) + 4, (at) + 8, (at) + 16, (at) + 20, (at) + 24, (at) + 32, (at) + 36, (at) + 40
#define NINE_PARTS(name) name "[0].x", name "[0].y", name "[0].z", name "[1].x", name "[1].y", name "[1].z", \
                         name "[2].x", name "[2].y", name "[2].z"
  { "matrix", "float3x3", 48, 9, { NINE (0) }, { NINE_PARTS ("") } },
  { "holder", "Holder", 48, 9, { NINE (0) }, { NINE_PARTS ("m") } },
  { "deep", "Deep", sizeof (struct deep), 19, { 0, NINE (16), NINE (64) },
    { "head", NINE_PARTS ("held[0].m"), NINE_PARTS ("held[1].m") } },
  { "float3", "float3", sizeof (struct float3), 3, { 0, 4, 8 }, { "x", "y", "z" } },
};

static const struct
{
  gint level;
  GabbroCompileFlags flags;
} configurations[] = {
  { 0, GABBRO_COMPILE_NO_XIR_OPTIMIZATION },
  { 1, GABBRO_COMPILE_DEFAULT },
  { 2, GABBRO_COMPILE_BOUNDS_CHECKS },
  { 3, GABBRO_COMPILE_DEFAULT },
};

static struct device_test test;

static void
set_up (void)
{
  test = device_test_begin ();
}

static void
tear_down (void)
{
  device_test_end (&test);
}

static GabbroKernel *
kernel_of (const char *text)
{
  char *source = g_strconcat (types, text, NULL);
  GabbroKernel *kernel = new_kernel (source, "main_");

  g_free (source);
  return kernel;
}

static GabbroShader *
shader_of (GabbroKernel *kernel, guint configuration)
{
  GError *error = NULL;
  GabbroShader *shader = gabbro_shader_new (test.device, kernel, configurations[configuration].flags,
                                            configurations[configuration].level, &error);

  assert_no_error (error);
  return shader;
}

static void
run_kernel (GabbroKernel *kernel, guint configuration, guint n, const char *first, gpointer first_value, const char *second,
            gpointer second_value)
{
  GabbroShader *shader = shader_of (kernel, configuration);
  GabbroCommandList *list = new_list (test.device);
  GError *error = NULL;

  gabbro_command_list_run (list, shader, n, 1, 1, &error, first, first_value, second, second_value, NULL);
  assert_no_error (error);
  submit_list (test.stream, list);
  g_object_unref (shader);
}

static GabbroBuffer *
buffer_for (GabbroKernel *kernel, const char *argument, guint length)
{
  gint index = gabbro_kernel_find_argument (kernel, argument);
  GError *error = NULL;
  GabbroBuffer *buffer;

  ck_assert_int_ge (index, 0);
  buffer = gabbro_buffer_new_for_argument (test.device, kernel, (guint) index, length, &error);
  assert_no_error (error);
  return buffer;
}

/* A value that is a float, an int and a uint of some size: the kernels move bits only. */
static guint32
value_of (guint element, guint word)
{
  return 0x3f800000u + element * 0x10000u + word * 0x101u;
}

/* Elements with values where data is and the background where padding is. */
static guint32 *
host_elements (const struct layout *layout, guint n, guint32 salt)
{
  guint words = layout->size / 4;
  guint32 *data = g_new (guint32, n * words);

  for (guint i = 0; i < n * words; i++)
    data[i] = BACKGROUND;
  for (guint i = 0; i < n; i++)
    for (guint j = 0; j < layout->n_words; j++)
      data[i * words + layout->offsets[j] / 4] = value_of (i, j) + salt;
  return data;
}

/* "flat[20 * i + 3] = bitcast<uint>(in[i].last);" for every part. */
static char *
flatten (const struct layout *layout, const char *value)
{
  GString *text = g_string_new (NULL);

  for (guint j = 0; j < layout->n_words; j++)
    g_string_append_printf (text, "    flat[%u * i + %uu] = bitcast<uint>(%s%s%s);\n", layout->n_words, j, value,
                            DOT (layout->parts[j]), layout->parts[j]);
  return g_string_free (text, FALSE);
}

static void
check_flat (const struct layout *layout, GabbroBuffer *flat, guint n, guint32 salt)
{
  guint32 *words = g_new (guint32, n * layout->n_words);

  download (flat, words, n * layout->n_words * 4);
  for (guint i = 0; i < n; i++)
    for (guint j = 0; j < layout->n_words; j++)
      ck_assert_msg (words[i * layout->n_words + j] == value_of (i, j) + salt, "%s %u: %s is 0x%08x, not 0x%08x", layout->name, i,
                     layout->parts[j], words[i * layout->n_words + j], value_of (i, j) + salt);
  g_free (words);
}

/* The host fills, the kernel takes every word apart. */
static void
read_from_a_buffer_at (const struct layout *layout, guint configuration)
{
  char *body = flatten (layout, "in[i]");
  char *text = g_strdup_printf ("kernel(1) void main_(const buffer<%s> in, buffer<uint> flat)\n{\n    uint i = global_id.x;\n%s}\n",
                                layout->element, body);
  GabbroKernel *kernel = kernel_of (text);
  GabbroBuffer *in = buffer_for (kernel, "in", LENGTH), *flat = buffer_for (kernel, "flat", LENGTH * layout->n_words);
  guint32 *data = host_elements (layout, LENGTH, 0);

  ck_assert_uint_eq (gabbro_kernel_get_argument_size (kernel, 0), layout->size);
  ck_assert_uint_eq (gabbro_buffer_get_element_size (in), layout->size);
  upload (in, data, LENGTH * layout->size);
  run_kernel (kernel, configuration, LENGTH, "in", in, "flat", flat);
  check_flat (layout, flat, LENGTH, 0);
  g_free (data);
  g_object_unref (in);
  g_object_unref (flat);
  g_object_unref (kernel);
  g_free (text);
  g_free (body);
}

START_TEST (read_from_a_buffer)
{
  for (guint i = 0; i < G_N_ELEMENTS (configurations); i++)
    read_from_a_buffer_at (&layouts[_i], i);
}
END_TEST

/* A buffer of the background, with words behind it that are of no kernel. */
static GabbroBuffer *
background_buffer (guint size)
{
  GError *error = NULL;
  GabbroBuffer *buffer = gabbro_buffer_new_bytes (test.device, size, &error);
  GabbroCommandList *list;

  assert_no_error (error);
  list = fill_list (test.device, buffer, BACKGROUND);
  submit_list (test.stream, list);
  return buffer;
}

/* What the device wrote is what the host would have: values, padding and all behind them. */
static void
check_written (const struct layout *layout, GabbroBuffer *whole, guint32 salt)
{
  guint n_words = LENGTH * layout->size / 4;
  guint32 *wanted = host_elements (layout, LENGTH, salt), *words = g_new (guint32, n_words + SENTINELS);

  download (whole, words, (n_words + SENTINELS) * 4);
  for (guint i = 0; i < n_words; i++)
    ck_assert_msg (words[i] == wanted[i], "%s: byte %u of element %u is 0x%08x, not 0x%08x", layout->name,
                   i * 4 % layout->size, i * 4 / layout->size, words[i], wanted[i]);
  for (guint i = n_words; i < n_words + SENTINELS; i++)
    ck_assert_msg (words[i] == BACKGROUND, "%s: 0x%08x was written behind the buffer", layout->name, words[i]);
  g_free (wanted);
  g_free (words);
}

/* `body` writes all elements of `out` from those of `in`. */
static void
check_writing (const struct layout *layout, const char *body, guint configuration)
{
  char *text = g_strdup_printf ("kernel(1) void main_(const buffer<%s> in, buffer<%s> out)\n{\n    uint i = global_id.x;\n%s}\n",
                                layout->element, layout->element, body);
  GabbroKernel *kernel = kernel_of (text);
  GabbroBuffer *in = buffer_for (kernel, "in", LENGTH);
  GabbroBuffer *whole = background_buffer (LENGTH * layout->size + SENTINELS * 4);
  GabbroBuffer *out = new_view (whole, 0, LENGTH * layout->size);
  guint32 *data = host_elements (layout, LENGTH, 7);

  /* Padding of the source is another than that of the target, and must not travel. */
  for (guint i = 0; i < LENGTH * layout->size / 4; i++)
    if (data[i] == BACKGROUND)
      data[i] = 0x55555555;
  upload (in, data, LENGTH * layout->size);
  run_kernel (kernel, configuration, LENGTH, "in", in, "out", out);
  check_written (layout, whole, 7);
  g_free (data);
  g_object_unref (in);
  g_object_unref (out);
  g_object_unref (whole);
  g_object_unref (kernel);
  g_free (text);
}

static void
written_at_once_at (const struct layout *layout, guint configuration)
{
  check_writing (layout, "    out[i] = in[i];\n", configuration);
}

START_TEST (written_at_once)
{
  for (guint i = 0; i < G_N_ELEMENTS (configurations); i++)
    written_at_once_at (&layouts[_i], i);
}
END_TEST

/* Through a variable that is changed on its way. */
static void
written_through_a_variable_at (const struct layout *layout, guint configuration)
{
  char *body = g_strdup_printf ("    %s value = in[i];\n    %s copy = value;\n    copy%s%s = value%s%s;\n    out[i] = copy;\n",
                                layout->element, layout->element, DOT (layout->parts[0]), layout->parts[0],
                                DOT (layout->parts[0]), layout->parts[0]);

  check_writing (layout, body, configuration);
  g_free (body);
}

START_TEST (written_through_a_variable)
{
  for (guint i = 0; i < G_N_ELEMENTS (configurations); i++)
    written_through_a_variable_at (&layouts[_i], i);
}
END_TEST

static void
written_by_member_at (const struct layout *layout, guint configuration)
{
  GString *body = g_string_new (NULL);

  for (guint j = layout->n_words; j-- > 0; )
    g_string_append_printf (body, "    out[i]%s%s = in[i]%s%s;\n", DOT (layout->parts[j]), layout->parts[j],
                            DOT (layout->parts[j]), layout->parts[j]);
  check_writing (layout, body->str, configuration);
  g_string_free (body, TRUE);
}

START_TEST (written_by_member)
{
  for (guint i = 0; i < G_N_ELEMENTS (configurations); i++)
    written_by_member_at (&layouts[_i], i);
}
END_TEST

/* By value, with an argument before and one behind. */
static void
by_value_at (const struct layout *layout, guint configuration)
{
  char *body = flatten (layout, "value");
  char *text = g_strdup_printf ("kernel(1) void main_(float before, buffer<uint> flat, %s value, uint after)\n{\n"
                                "    uint i = global_id.x;\n%s"
                                "    flat[%u] = bitcast<uint>(before);\n    flat[%u] = after;\n}\n",
                                layout->element, body, layout->n_words, layout->n_words + 1);
  GabbroKernel *kernel = kernel_of (text);
  GabbroShader *shader = shader_of (kernel, configuration);
  GabbroBuffer *flat = buffer_for (kernel, "flat", layout->n_words + 2);
  GabbroCommandList *list = new_list (test.device);
  guint32 *data = host_elements (layout, 1, 3), ends[2], before_bits;
  const float before = -2.5f;
  GError *error = NULL;

  ck_assert_uint_eq (gabbro_kernel_get_argument_size (kernel, 2), layout->size);
  gabbro_command_list_set_shader (list, shader, &error);
  gabbro_command_list_set_float (list, 0, before, &error);
  gabbro_command_list_set_buffer (list, 1, flat, &error);
  gabbro_command_list_set_value (list, 2, data, layout->size, &error);
  gabbro_command_list_set_uint (list, 3, 0x12345678, &error);
  gabbro_command_list_dispatch (list, 1, 1, 1, &error);
  assert_no_error (error);
  /* The list has its own copy. */
  memset (data, 0, layout->size);
  submit_list (test.stream, list);
  check_flat (layout, flat, 1, 3);
  gabbro_buffer_download (flat, layout->n_words * 4, ends, sizeof ends, &error);
  assert_no_error (error);
  memcpy (&before_bits, &before, sizeof before_bits);
  ck_assert_uint_eq (ends[0], before_bits);
  ck_assert_uint_eq (ends[1], 0x12345678);
  g_free (data);
  g_object_unref (flat);
  g_object_unref (shader);
  g_object_unref (kernel);
  g_free (text);
  g_free (body);
}

START_TEST (by_value)
{
  for (guint i = 0; i < G_N_ELEMENTS (configurations); i++)
    by_value_at (&layouts[_i], i);
}
END_TEST

/* Arrays: one behind the other in steps of 16 bytes, in a buffer and by value, with an index that
 * only the device knows. */
static void
arrays_of_vectors_at (guint configuration)
{
  static const char text[] =
    "kernel(1) void main_(const buffer<float3> in, buffer<float3> out, float3 values[3], buffer<float> flat)\n"
    "{\n"
    "    uint i = global_id.x;\n"
    "    uint other = uint(in.length) - 1 - i;\n"
    "    out[other] = in[i] + values[i % 3];\n"
    "    for (uint j = 0; j < 3; ++j)\n"
    "        flat[3 * i + j] = values[i % 3][j];\n"
    "}\n";
  GabbroKernel *kernel = kernel_of (text);
  GabbroShader *shader = shader_of (kernel, configuration);
  GabbroBuffer *in = new_buffer (test.device, "float3", LENGTH), *flat = new_buffer (test.device, "float", 3 * LENGTH);
  GabbroBuffer *whole = background_buffer (LENGTH * 16 + SENTINELS * 4), *out = new_view (whole, 0, LENGTH * 16);
  GabbroCommandList *list = new_list (test.device);
  struct float3 data[LENGTH], values[3];
  guint32 words[LENGTH * 4 + SENTINELS];
  float copied[3 * LENGTH];
  GError *error = NULL;

  memset (data, 0x55, sizeof data);
  memset (values, 0x55, sizeof values);
  for (guint i = 0; i < LENGTH; i++)
    data[i].x = 10 * i + 1, data[i].y = 10 * i + 2, data[i].z = 10 * i + 3;
  for (guint i = 0; i < 3; i++)
    values[i].x = 100 * i + 100, values[i].y = 100 * i + 110, values[i].z = 100 * i + 120;
  upload (in, data, sizeof data);
  gabbro_command_list_run (list, shader, LENGTH, 1, 1, &error, "in", in, "out", out, "values", values, "flat", flat, NULL);
  assert_no_error (error);
  submit_list (test.stream, list);
  download (whole, words, sizeof words);
  download (flat, copied, sizeof copied);
  for (guint i = 0; i < LENGTH; i++)
    {
      float got[3];

      memcpy (got, words + (LENGTH - 1 - i) * 4, sizeof got);
      for (guint j = 0; j < 3; j++)
        {
          float value = 100 * (i % 3) + 100 + 10 * j;

          ck_assert_msg (copied[3 * i + j] == value, "values[%u][%u] is %g, not %g", i % 3, j, (double) copied[3 * i + j], (double) value);
          ck_assert_msg (got[j] == 10 * i + j + 1 + value, "out[%u][%u] is %g", LENGTH - 1 - i, j, (double) got[j]);
        }
      ck_assert_uint_eq (words[i * 4 + 3], BACKGROUND);
    }
  for (guint i = LENGTH * 4; i < G_N_ELEMENTS (words); i++)
    ck_assert_uint_eq (words[i], BACKGROUND);
  g_object_unref (in);
  g_object_unref (out);
  g_object_unref (whole);
  g_object_unref (flat);
  g_object_unref (shader);
  g_object_unref (kernel);
}

START_TEST (arrays_of_vectors)
{
  arrays_of_vectors_at ((guint) _i);
}
END_TEST

/* A29: columns written one by one at places that only the run knows. */
START_TEST (columns_at_run_time)
{
  static const char text[] =
    "kernel(1) void main_(const buffer<uint> in, buffer<Deep> out)\n{\n    uint i = global_id.x;\n"
    "    Deep deep;\n    deep.head = 7;\n"
    "    for (int k = 0; k < 2; ++k)\n        for (int c = 0; c < 3; ++c)\n        {\n"
    "            int first = k * 9 + c * 3;\n"
    "            out[i].held[k].m[in[c]] = float3(float(first + 1), float(first + 2), float(first + 3));\n"
    "            deep.held[k].m[in[c]].y = float(c);\n        }\n"
    "    out[i].head = deep.head + uint(deep.held[1].m[in[2]].y);\n}\n";
  GabbroKernel *kernel = kernel_of (text);
  GabbroBuffer *in = buffer_for (kernel, "in", 3), *whole = background_buffer (2 * sizeof (struct deep) + SENTINELS * 4);
  GabbroBuffer *out = new_view (whole, 0, 2 * sizeof (struct deep));
  guint32 places[3] = { 0, 1, 2 }, words[2 * sizeof (struct deep) / 4];

  upload (in, places, sizeof places);
  run_kernel (kernel, (guint) _i, 2, "in", in, "out", out);
  download (whole, words, sizeof words);
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    {
      guint at = i % 28, number = at < 4 ? 0 : (at - 4) / 12 * 9 + (at - 4) % 12 / 4 * 3 + (at - 4) % 4 + 1;
      gfloat real = (gfloat) number;
      guint32 wanted = at == 0 ? 9 : BACKGROUND;

      if (at >= 4 && (at - 4) % 4 != 3)
        memcpy (&wanted, &real, sizeof wanted);
      ck_assert_msg (words[i] == wanted, "word %u is 0x%08x, not 0x%08x", i, words[i], wanted);
    }
  g_object_unref (in);
  g_object_unref (out);
  g_object_unref (whole);
  g_object_unref (kernel);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("layout");
  TCase *test_case = gb_test_case (suite, "layout");

  tcase_add_checked_fixture (test_case, set_up, tear_down);
  tcase_add_loop_test (test_case, read_from_a_buffer, 0, G_N_ELEMENTS (layouts));
  tcase_add_loop_test (test_case, written_at_once, 0, G_N_ELEMENTS (layouts));
  tcase_add_loop_test (test_case, written_through_a_variable, 0, G_N_ELEMENTS (layouts));
  tcase_add_loop_test (test_case, written_by_member, 0, G_N_ELEMENTS (layouts));
  tcase_add_loop_test (test_case, by_value, 0, G_N_ELEMENTS (layouts));
  tcase_add_loop_test (test_case, columns_at_run_time, 0, G_N_ELEMENTS (configurations));
  tcase_add_loop_test (test_case, arrays_of_vectors, 0, G_N_ELEMENTS (configurations));
  return suite;
}

GB_TEST_MAIN (make_suite)
