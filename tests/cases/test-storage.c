/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A30, A31, and all that a device sees as words only: byte buffers, buffers whose elements have no layout that Vulkan
 * allows, arguments by value with narrow parts. Each kernel runs at several levels on llvmpipe and on the reference driver;
 * the host works out from the table of gabbro-kernel(5) where every byte goes, and all others keep what they were. */

#include "config.h"

#include "tests/gpu/device-test.h"

#define BACKGROUND 0xaa
#define THREADS    64
#define SIZE       8192

static const struct
{
  gboolean on_reference;
  gint level;
  GabbroCompileFlags flags;
} configurations[] = {
  { FALSE, 0, GABBRO_COMPILE_NO_XIR_OPTIMIZATION },
  { FALSE, 2, GABBRO_COMPILE_BOUNDS_CHECKS },
  { FALSE, 3, GABBRO_COMPILE_DEFAULT },
  { TRUE, 0, GABBRO_COMPILE_DEFAULT },
};

static struct device_test tests[2];

static void
set_up (void)
{
  tests[0] = device_test_begin ();
  tests[1] = device_test_on (context_with ("reference", "1", NULL), "reference");
}

static void
tear_down (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    device_test_end (&tests[i]);
}

/* Bytes that are no NaN as any float, and true as any bool but each fourth. */
static void
fill (guint8 *in)
{
  for (guint i = 0; i < SIZE; i++)
    in[i] = i % 4 == 2 ? 0 : (guint8) (1 + (i * 7 + i / 64) % 60);
}

struct run
{
  const char *text;                      /* of the kernel main_ (in, out) and perhaps a value */
  gconstpointer value;                   /* of the third argument; NULL: none */
  gsize value_size;
  guint in_offset, in_size;              /* bytes of the view that the kernel gets; 0: all */
  guint out_size;
  const guint *slices;                   /* NULL, or where views of both begin: it takes a pair for each, and no others */
};

#define N_SLICES 4

static GabbroBuffer *
bytes_of (GabbroDevice *device, const guint8 *data)
{
  GError *error = NULL;
  GabbroBuffer *buffer = gabbro_buffer_new_bytes (device, SIZE, &error);

  assert_no_error (error);
  upload (buffer, data, SIZE);
  return buffer;
}

static void
set_view (GabbroCommandList *list, guint argument, GabbroBuffer *buffer, guint begin, guint end)
{
  GabbroBuffer *view = new_view (buffer, begin, end - begin);
  GError *error = NULL;

  gabbro_command_list_set_buffer (list, argument, view, &error);
  assert_no_error (error);
  g_object_unref (view);
}

static void
set_buffers (GabbroCommandList *list, const struct run *run, GabbroBuffer *in, GabbroBuffer *out)
{
  if (run->slices == NULL)
    {
      set_view (list, 0, in, run->in_offset, run->in_offset + (run->in_size != 0 ? run->in_size : SIZE));
      set_view (list, 1, out, 0, run->out_size != 0 ? run->out_size : SIZE);
      return;
    }
  for (guint i = 0; i < N_SLICES; i++)
    {
      set_view (list, 2 * i, in, run->slices[i], run->slices[i + 1]);
      set_view (list, 2 * i + 1, out, run->slices[i], run->slices[i + 1]);
    }
}

static void
run_at (const struct run *run, GabbroKernel *kernel, guint configuration, const guint8 *in_data, guint8 *out_data)
{
  struct device_test *test = &tests[configurations[configuration].on_reference];
  GError *error = NULL;
  GabbroShader *shader = gabbro_shader_new (test->device, kernel, configurations[configuration].flags,
                                            configurations[configuration].level, &error);
  GabbroBuffer *in = bytes_of (test->device, in_data), *out = bytes_of (test->device, out_data);
  GabbroCommandList *list = new_list (test->device);

  assert_no_error (error);
  gabbro_command_list_set_shader (list, shader, &error);
  assert_no_error (error);
  set_buffers (list, run, in, out);
  if (run->value != NULL)
    gabbro_command_list_set_value (list, 2, run->value, run->value_size, &error);
  assert_no_error (error);
  gabbro_command_list_dispatch (list, THREADS, 1, 1, &error);
  assert_no_error (error);
  submit_list (test->stream, list);
  download (out, out_data, SIZE);
  g_object_unref (in);
  g_object_unref (out);
  g_object_unref (shader);
}

/* `wanted` is what `out` holds afterwards. */
static void
check_run (const struct run *run, const guint8 *in, const guint8 *wanted)
{
  GabbroKernel *kernel = new_kernel (run->text, "main_");

  for (guint i = 0; i < G_N_ELEMENTS (configurations); i++)
    {
      guint8 out[SIZE];

      memset (out, BACKGROUND, SIZE);
      run_at (run, kernel, i, in, out);
      for (guint k = 0; k < SIZE; k++)
        ck_assert_msg (out[k] == wanted[k], "%s\nconfiguration %u: byte %u is %u, not %u", run->text, i, k, out[k], wanted[k]);
    }
  g_object_unref (kernel);
}

/* Types, and which of their bytes hold something. Those that all arithmetic knows come first. */

struct type
{
  const char *name;
  guint scalar;                          /* bytes */
  gboolean is_bool;
};

static const struct type scalars[] = {
  { "char", 1, FALSE }, { "uchar", 1, FALSE }, { "short", 2, FALSE }, { "ushort", 2, FALSE }, { "int", 4, FALSE },
  { "uint", 4, FALSE }, { "long", 8, FALSE }, { "ulong", 8, FALSE }, { "half", 2, FALSE }, { "float", 4, FALSE },
  { "double", 8, FALSE }, { "bool", 1, TRUE }, { "bfloat", 2, FALSE }, { "fp8e4m3", 1, FALSE }, { "fp8e5m2", 1, FALSE }
};

#define N_NUMBERS 11
#define MAX_LANES 4

static guint
type_size (const struct type *type, guint lanes)
{
  return type->scalar * (lanes == 3 ? 4 : lanes);
}

static char *
type_name (const struct type *type, guint lanes)
{
  if (lanes == 1)
    return g_strdup (type->name);
  return g_strdup_printf ("%s%s%u", type->name, g_str_has_prefix (type->name, "fp8") ? "x" : "", lanes);
}

static void
copy_value (const struct type *type, guint lanes, guint8 *to, const guint8 *from)
{
  for (guint i = 0; i < type->scalar * lanes; i++)
    to[i] = type->is_bool ? from[i] != 0 : from[i];
}

/* Every number of lanes at every offset where it may lie, loaded and stored by 64 threads into neighbouring places. */
static void
check_bytes (const struct type *type)
{
  guint8 in[SIZE], wanted[SIZE];
  GString *text = g_string_new ("kernel(16) void main_(const byte_buffer in, byte_buffer out)\n{\n    uint i = global_id.x;\n");

  fill (in);
  memset (wanted, BACKGROUND, SIZE);
  for (guint lanes = 1, begin = 0; lanes <= MAX_LANES; begin += THREADS * type_size (type, lanes++))
    {
      guint step = type_size (type, lanes);
      g_autofree char *name = type_name (type, lanes);

      g_string_append_printf (text, "    out.store(%u * (63 - i) + %u, in.load<%s>(int(i) * %u + %u));\n", step, begin + 64, name, step,
                              begin);
      for (guint i = 0; i < THREADS; i++)
        copy_value (type, lanes, wanted + begin + (63 - i) * step + 64, in + begin + i * step);
    }
  g_string_append (text, "}\n");
  check_run (&(struct run) { .text = text->str }, in, wanted);
  g_string_free (text, TRUE);
}

/* The same as elements of buffers: some are words, some are not. */
static void
check_elements (const struct type *type)
{
  guint8 in[SIZE], wanted[SIZE];
  guint slices[N_SLICES + 1] = { 0 };
  GString *text = g_string_new ("kernel(16) void main_("), *body = g_string_new (NULL);

  G_STATIC_ASSERT (N_SLICES == MAX_LANES);
  fill (in);
  memset (wanted, BACKGROUND, SIZE);
  for (guint lanes = 1; lanes <= MAX_LANES; lanes++)
    {
      guint step = type_size (type, lanes), begin = slices[lanes - 1];
      g_autofree char *name = type_name (type, lanes);

      g_string_append_printf (text, "%sconst buffer<%s> in%u, buffer<%s> out%u", lanes > 1 ? ", " : "", name, lanes, name, lanes);
      g_string_append_printf (body, "    out%u[64 - i] = in%u[i];\n", lanes, lanes);
      for (guint i = 0; i < THREADS; i++)
        copy_value (type, lanes, wanted + begin + (64 - i) * step, in + begin + i * step);
      /* The last one is written behind as many as there are threads, and what comes next may begin there. */
      slices[lanes] = begin + (THREADS + 4) * step;
    }
  g_string_append_printf (text, ")\n{\n    uint i = global_id.x;\n%s}\n", body->str);
  check_run (&(struct run) { .text = text->str, .slices = slices }, in, wanted);
  g_string_free (body, TRUE);
  g_string_free (text, TRUE);
}

/* By value, between narrow neighbours. */
static void
check_values (const struct type *type)
{
  guint8 in[SIZE], wanted[SIZE];
  guint at = 0, alignment = 1;
  GString *text = g_string_new ("struct Odd {"), *body = g_string_new (NULL);

  fill (in);
  memset (wanted, BACKGROUND, SIZE);
  for (guint lanes = 1; lanes <= MAX_LANES; lanes++)
    {
      guint size = type_size (type, lanes);
      g_autofree char *name = type_name (type, lanes);

      alignment = MIN (size, 16);
      g_string_append_printf (text, " uchar before%u; %s value%u;", lanes, name, lanes);
      g_string_append_printf (body, " out.store(%u, odd.value%u); out.store(%u, odd.before%u);", 64 * lanes, lanes, 2 * lanes + 1, lanes);
      wanted[2 * lanes + 1] = in[at];
      at = (at + alignment) / alignment * alignment;
      copy_value (type, lanes, wanted + 64 * lanes, in + at);
      at += size;
    }
  wanted[1] = in[at];
  g_string_append_printf (text, " uchar behind; };\nkernel(1) void main_(const byte_buffer in, byte_buffer out, Odd odd)\n"
                          "{ if (global_id.x == 0) {%s out.store(1, odd.behind); } }\n", body->str);
  check_run (&(struct run) { .text = text->str, .value = in, .value_size = (at + alignment) / alignment * alignment }, in, wanted);
  g_string_free (body, TRUE);
  g_string_free (text, TRUE);
}

START_TEST (every_type)
{
  check_bytes (&scalars[_i]);
  check_elements (&scalars[_i]);
  check_values (&scalars[_i]);
}
END_TEST

/* A structure of all kinds of parts, by its layout in C. */

#define MIXED \
  "struct Inner { bool3 flags; half weight; };\n" \
  "struct Mixed { bool alive; uint count; Inner inner[2]; double3 far; uchar last; long id; short2 pair; float3x3 turn;\n" \
  "               bool4 lanes; ulong4 wide; char end; };\n"

/* Bytes that hold something: from, how many, whether they are bool. */
static const struct { guint at, size; gboolean is_bool; } mixed_parts[] = {
  { 0, 1, TRUE }, { 4, 4, FALSE }, { 8, 3, TRUE }, { 12, 2, FALSE }, { 16, 3, TRUE }, { 20, 2, FALSE }, { 32, 24, FALSE },
  { 64, 1, FALSE }, { 72, 8, FALSE }, { 80, 4, FALSE }, { 96, 12, FALSE }, { 112, 12, FALSE }, { 128, 12, FALSE },
  { 144, 4, TRUE }, { 160, 32, FALSE }, { 192, 1, FALSE }
};

#define MIXED_SIZE 208

static void
copy_mixed (guint8 *to, const guint8 *from)
{
  for (guint i = 0; i < G_N_ELEMENTS (mixed_parts); i++)
    for (guint k = mixed_parts[i].at; k < mixed_parts[i].at + mixed_parts[i].size; k++)
      to[k] = mixed_parts[i].is_bool ? from[k] != 0 : from[k];
}

#define N_MIXED 8

static const char *const mixed_texts[] = {
  MIXED "kernel(1) void main_(const buffer<Mixed> in, buffer<Mixed> out)\n"
  "{ uint i = global_id.x; if (i < 8) out[i] = in[i]; }\n",
  MIXED "kernel(1) void main_(const byte_buffer in, byte_buffer out)\n"
  "{ uint i = global_id.x; if (i < 8) out.store(i * 208, in.load<Mixed>(i * 208)); }\n",
  /* Part by part, by indices that are not known. */
  MIXED "void copy(const buffer<Mixed> in, buffer<Mixed> out, uint i)\n"
  "{\n"
  "    out[i].alive = in[i].alive; out[i].count = in[i].count; out[i].far = in[i].far; out[i].last = in[i].last;\n"
  "    out[i].id = in[i].id; out[i].pair.yx = in[i].pair.yx; out[i].end = in[i].end;\n"
  "    for (uint k = 0; k < 2; ++k)\n"
  "    {\n"
  "        out[i].inner[k].weight = in[i].inner[k].weight;\n"
  "        for (uint l = 0; l < 3; ++l) out[i].inner[k].flags[l] = in[i].inner[k].flags[l];\n"
  "    }\n"
  "    for (uint k = 0; k < 4; ++k) { out[i].lanes[k] = in[i].lanes[k]; out[i].wide[k] = in[i].wide[k]; }\n"
  "    for (uint k = 0; k < 3; ++k) for (uint l = 0; l < 3; ++l) out[i].turn[k][l] = in[i].turn[k][l];\n"
  "}\n"
  "kernel(1) void main_(const buffer<Mixed> in, buffer<Mixed> out)\n"
  "{ uint i = global_id.x; if (i < 8) copy(in, out, i); }\n"
};

START_TEST (mixed_structures)
{
  guint8 in[SIZE], wanted[SIZE];

  fill (in);
  memset (wanted, BACKGROUND, SIZE);
  for (guint i = 0; i < N_MIXED; i++)
    copy_mixed (wanted + i * MIXED_SIZE, in + i * MIXED_SIZE);
  for (guint i = 0; i < G_N_ELEMENTS (mixed_texts); i++)
    check_run (&(struct run) { .text = mixed_texts[i], .in_size = 39 * MIXED_SIZE, .out_size = 39 * MIXED_SIZE }, in, wanted);
}
END_TEST

/* The same by value, taken whole and in parts. */
static const char *const value_texts[] = {
  MIXED "kernel(1) void main_(const byte_buffer in, byte_buffer out, Mixed m)\n"
  "{ uint i = global_id.x; if (i < 8) out.store(i * 208, m); }\n",
  MIXED "kernel(1) void main_(const byte_buffer in, byte_buffer out, Mixed m)\n"
  "{\n"
  "    uint i = global_id.x, at = i * 208;\n"
  "    if (i >= 8)\n"
  "        return;\n"
  "    out.store(at, m.alive); out.store(at + 4, m.count); out.store(at + 32, m.far); out.store(at + 64, m.last);\n"
  "    out.store(at + 72, m.id); out.store(at + 80, m.pair); out.store(at + 96, m.turn);\n"
  "    out.store(at + 160, m.wide); out.store(at + 192, m.end);\n"
  "    for (uint k = 0; k < 2; ++k)\n"
  "    {\n"
  "        out.store(at + 8 + k * 8, m.inner[k].flags);\n"
  "        out.store(at + 12 + k * 8, m.inner[k].weight);\n"
  "    }\n"
  "    for (uint k = 0; k < 4; ++k) out.store(at + 144 + k, m.lanes[k]);\n"
  "}\n"
};

START_TEST (mixed_values)
{
  guint8 in[SIZE], wanted[SIZE];

  fill (in);
  memset (wanted, BACKGROUND, SIZE);
  for (guint i = 0; i < N_MIXED; i++)
    copy_mixed (wanted + i * MIXED_SIZE, in);
  for (guint i = 0; i < G_N_ELEMENTS (value_texts); i++)
    check_run (&(struct run) { .text = value_texts[i], .value = in, .value_size = MIXED_SIZE }, in, wanted);
}
END_TEST

/* A30: bools between words that must stay what they are; neighbours are written by different threads. */
START_TEST (a30)
{
  static const char text[] =
    "struct Cell { uint before; bool one; bool2 two; bool3 three; bool4 four; uint behind; };\n"
    "kernel(64) void main_(const buffer<bool> in, buffer<Cell> out)\n"
    "{\n"
    "    uint i = global_id.x, k = i % 4, c = i / 4;\n"
    "    if (k == 0) { out[c].before = 7; out[c].behind = 9; out[c].one = in[i]; }\n"
    "    if (k < 2) out[c].two[k] = in[i];\n"
    "    if (k < 3) out[c].three[k] = in[i];\n"
    "    out[c].four[k] = !in[i];\n"
    "}\n";
  guint8 in[SIZE], wanted[SIZE];

  fill (in);
  memset (wanted, BACKGROUND, SIZE);
  for (guint c = 0; c < THREADS / 4; c++)
    {
      const guint32 sentinels[] = { 7, 9 };
      const guint8 *from = in + c * 4;
      guint8 *to = wanted + c * 20;

      memcpy (to, &sentinels[0], 4);
      memcpy (to + 16, &sentinels[1], 4);
      to[4] = from[0] != 0;
      for (guint k = 0; k < 4; k++)
        {
          if (k < 2)
            to[6 + k] = from[k] != 0;
          if (k < 3)
            to[8 + k] = from[k] != 0;
          to[12 + k] = from[k] == 0;
        }
    }
  check_run (&(struct run) { .text = text, .out_size = 20 * 20 }, in, wanted);
}
END_TEST

/* A31: 4096 bytes of elements of 8 are 512; a view of 1024 bytes from byte 256 on is 128, and begins there. */
static const struct { const char *type; guint offset, size, element; } lengths[] = {
  { "buffer<uint2>", 0, 4096, 8 }, { "buffer<uint2>", 256, 1024, 8 }, { "byte_buffer", 0, 4096, 1 }, { "byte_buffer", 256, 1024, 1 },
  { "byte_buffer", 20, 7, 1 }, { "buffer<bool>", 0, 4096, 1 }, { "buffer<bool>", 257, 1023, 1 }, { "buffer<Odd>", 12, 36, 12 }
};

static void
check_length (guint row)
{
  gboolean has_bytes = lengths[row].element == 1 && strstr (lengths[row].type, "bool") == NULL;
  char *text = g_strdup_printf ("struct Odd { bool a; uint b; bool c; };\n"
                                "bool first(buffer<bool> b) { return b[0]; }\n"
                                "bool first_of_two(const buffer<uint2> b) { return b[0].x != 0; }\n"
                                "kernel(1) void main_(const %s in, buffer<uint> out)\n"
                                "{ if (global_id.x == 0) { out[0] = in.length; out[1] = %s; } }\n", lengths[row].type,
                                has_bytes ? "uint(in.load<uchar>(1))"
                                : strstr (lengths[row].type, "uint2") != NULL ? "in[1].x"
                                : strstr (lengths[row].type, "Odd") != NULL ? "in[1].b" : "uint(in[1])");
  guint8 in[SIZE], wanted[SIZE];
  guint at = lengths[row].offset;
  guint32 words[2] = { lengths[row].size / lengths[row].element, 0 };

  fill (in);
  memset (wanted, BACKGROUND, SIZE);
  if (lengths[row].element == 8)
    memcpy (&words[1], in + at + 8, 4);
  else if (lengths[row].element == 12)
    memcpy (&words[1], in + at + 16, 4);
  else
    words[1] = has_bytes ? in[at + 1] : in[at + 1] != 0;
  memcpy (wanted, words, sizeof words);
  check_run (&(struct run) { .text = text, .in_offset = at, .in_size = lengths[row].size }, in, wanted);
  g_free (text);
}

START_TEST (a31)
{
  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
    check_length (i);
}
END_TEST

/* An offset that is no multiple is rounded down; what is not there is zero, where bounds are checked. */
START_TEST (odd_offsets)
{
  static const char text[] =
    "kernel(1) void main_(const byte_buffer in, byte_buffer out)\n"
    "{\n"
    "    uint i = global_id.x;\n"
    "    if (i >= 8) return;\n"
    "    out.store(i * 16, in.load<uint>(i)); out.store(i * 16 + 5, in.load<ushort>(i));\n"
    "}\n";
  guint8 in[SIZE], wanted[SIZE];

  fill (in);
  memset (wanted, BACKGROUND, SIZE);
  for (guint i = 0; i < 8; i++)
    {
      memcpy (wanted + i * 16, in + i / 4 * 4, 4);
      memcpy (wanted + i * 16 + 4, in + i / 2 * 2, 2);
    }
  check_run (&(struct run) { .text = text }, in, wanted);
}
END_TEST

/* Where bounds are checked nothing is read from behind the end or written there. */
START_TEST (bounds)
{
  static const char text[] =
    "kernel(1) void main_(byte_buffer in, buffer<uint> out)\n"
    "{\n"
    "    int i = int(global_id.x);\n"
    "    if (i >= 16) return;\n"
    "    int at = i == 15 ? -4 : i;\n"
    "    out[i * 4] = in.load<uint>(at); out[i * 4 + 1] = uint(in.load<ushort>(at)); out[i * 4 + 2] = uint(in.load<uchar>(at));\n"
    "    if (i == 9) in.store(at, 5); if (i == 10) in.store(at, uchar(200));\n"
    "}\n";
  GabbroKernel *kernel = new_kernel (text, "main_");
  guint8 in[SIZE];

  fill (in);
  for (guint c = 0; c < G_N_ELEMENTS (configurations); c++)
    {
      guint32 out[SIZE / 4];
      const struct run run = { .text = text, .in_offset = 64, .in_size = 10 };

      if (configurations[c].flags != GABBRO_COMPILE_BOUNDS_CHECKS && !configurations[c].on_reference)
        continue;
      memset (out, BACKGROUND, SIZE);
      run_at (&run, kernel, c, in, (guint8 *) out);
      for (guint i = 0; i < 16; i++)
        {
          guint32 word = 0, half = 0;

          memcpy (&word, in + 64 + i / 4 * 4, 4);
          memcpy (&half, in + 64 + i / 2 * 2, 2);
          ck_assert_uint_eq (out[i * 4], i / 4 * 4 + 4 <= 10 ? word : 0);
          ck_assert_uint_eq (out[i * 4 + 1], i / 2 * 2 + 2 <= 10 ? half : 0);
          ck_assert_uint_eq (out[i * 4 + 2], i < 10 ? in[64 + i] : 0);
        }
    }
  g_object_unref (kernel);
}
END_TEST

/* A byte buffer begins at a whole word. */
START_TEST (refused_views)
{
  static const char text[] = "kernel(1) void main_(const byte_buffer in, byte_buffer out) { out.store(0, in.load<uint>(0)); }\n";
  GabbroShader *shader = new_shader (tests[0].device, text, "main_");
  GabbroCommandList *list = new_list (tests[0].device);
  GError *error = NULL;
  GabbroBuffer *buffer = gabbro_buffer_new_bytes (tests[0].device, 64, &error), *view;

  assert_no_error (error);
  gabbro_command_list_set_shader (list, shader, &error);
  assert_no_error (error);
  view = new_view (buffer, 6, 8);
  ck_assert (!gabbro_command_list_set_buffer (list, 0, view, &error));
  assert_message (error, "6");
  assert_gabbro_error (error, GABBRO_ERROR_INVALID_ARGUMENT);
  g_object_unref (view);
  g_object_unref (buffer);
  g_object_unref (list);
  g_object_unref (shader);
}
END_TEST

/* Atomics of elements that are words: what has no instruction on them is a loop. */
START_TEST (atomics_in_words)
{
  static const char text[] =
    "struct Cell { bool alive; int least; uint most; float sum; uint bits; int old; bool end; };\n"
    "kernel(16) void main_(const byte_buffer in, buffer<Cell> out)\n"
    "{\n"
    "    int i = int(global_id.x);\n"
    "    atomic_min(out[0].least, -i); atomic_max(out[0].most, uint(i)); atomic_add(out[1].sum, 1.0); atomic_sub(out[2].sum, 0.5);\n"
    "    atomic_or(out[0].bits, 1u << (i % 32)); atomic_max(out[3].sum, float(i)); atomic_compare_exchange(out[i].old, -1431655766, i);\n"
    "    out[i].alive = true; out[i].end = false;\n"
    "}\n";
  GabbroKernel *kernel = new_kernel (text, "main_");
  guint8 in[SIZE];

  fill (in);
  for (guint c = 0; c < G_N_ELEMENTS (configurations); c++)
    {
      struct cell { guint8 alive; gint32 least; guint32 most; float sum; guint32 bits; gint32 old; guint8 end; } out[SIZE / 28 + 2];
      const struct run run = { .text = text, .out_size = 28 * 292 };

      G_STATIC_ASSERT (sizeof (struct cell) == 28);
      memset (out, BACKGROUND, sizeof out);
      out[0].least = 5;
      out[0].most = 3;
      out[0].bits = 0;
      for (guint i = 0; i < 4; i++)
        out[i].sum = 2;
      run_at (&run, kernel, c, in, (guint8 *) out);
      ck_assert_int_eq (out[0].least, -63);
      ck_assert_uint_eq (out[0].most, 63);
      ck_assert_uint_eq (out[0].bits, G_MAXUINT32);
      ck_assert_float_eq (out[1].sum, 66);
      ck_assert_float_eq (out[2].sum, -30);
      ck_assert_float_eq (out[3].sum, 63);
      for (guint i = 0; i < THREADS; i++)
        {
          ck_assert_int_eq (out[i].old, (gint) i);
          ck_assert_uint_eq (out[i].alive, 1);
          ck_assert_uint_eq (out[i].end, 0);
        }
    }
  g_object_unref (kernel);
}
END_TEST

/* 64-bit atomics in buffers and shared memory: each op by all threads, the old values a permutation. */
START_TEST (long_atomics)
{
  static const char text[] =
    "struct Cell { uint before; %s sum; %s low; %s high; %s bits; %s last; %s sum_of_group; };\n"
    "kernel(64) void main_(const buffer<%s> in, buffer<Cell> out)\n"
    "{\n"
    "    shared %s part[2];\n"
    "    uint i = global_id.x; %s v = in[0] + %s(i);\n"
    "    if (i == 0) part[1] = 0;\n"
    "    barrier();\n"
    "    out[i + 1].sum = atomic_add(out[0].sum, 1l);\n"
    "    atomic_min(out[0].low, v); atomic_max(out[0].high, v); atomic_xor(out[0].bits, v); atomic_sub(out[0].sum_of_group, 2l);\n"
    "    atomic_compare_exchange(out[i + 1].last, in[1], v); atomic_exchange(out[i + 1].low, v);\n"
    "    atomic_add(part[1], v);\n"
    "    barrier();\n"
    "    if (i == 0) out[0].last = part[1];\n"
    "}\n";
  static const char *const types[] = { "long", "ulong" };
  struct cell { guint32 before; gint64 sum, low, high, bits, last, sum_of_group; };

  for (guint k = 0; k < G_N_ELEMENTS (types); k++)
    {
      g_auto (GStrv) parts = g_strsplit (text, "%s", -1);
      g_autofree char *joined = g_strjoinv (types[k], parts);
      g_auto (GStrv) literals = g_strsplit (joined, k == 0 ? "none" : "1l)", -1);
      g_autofree char *first = g_strjoinv ("1ul)", literals);
      g_auto (GStrv) twos = g_strsplit (first, k == 0 ? "none" : "2l)", -1);
      g_autofree char *source = g_strjoinv ("2ul)", twos);
      GabbroKernel *kernel = new_kernel (source, "main_");
      gint64 start = k == 0 ? -5000000000 : G_GINT64_CONSTANT (-9000000000000000000);
      gint64 in[SIZE / 8] = { start, 77 };

      for (guint c = 0; c < G_N_ELEMENTS (configurations); c++)
        {
          struct cell out[SIZE / sizeof (struct cell) + 1];
          const struct run run = { .text = source, .out_size = SIZE / sizeof (struct cell) * sizeof (struct cell) };
          gint64 bits = 0, sum = 0;
          guint64 seen = 0;

          G_STATIC_ASSERT (sizeof (struct cell) == 56);
          memset (out, 0, sizeof out);
          out[0] = (struct cell) { 1, G_GINT64_CONSTANT (0xffffffff), start + 20, start + 20, 0, 0, 3 };
          for (guint i = 0; i < THREADS; i++)
            out[i + 1].last = 77;
          run_at (&run, kernel, c, (guint8 *) in, (guint8 *) out);
          for (guint i = 0; i < THREADS; i++)
            {
              bits ^= start + i;
              /* Sums wrap. */
              sum = (gint64) ((guint64) sum + (guint64) (start + i));
              ck_assert_int_eq (out[i + 1].last, start + i);
              ck_assert_int_eq (out[i + 1].low, start + i);
              ck_assert_int_ge (out[i + 1].sum, G_GINT64_CONSTANT (0xffffffff));
              ck_assert_int_lt (out[i + 1].sum, G_GINT64_CONSTANT (0xffffffff) + THREADS);
              seen |= G_GUINT64_CONSTANT (1) << (out[i + 1].sum - G_GINT64_CONSTANT (0xffffffff));
            }
          ck_assert_uint_eq (seen, G_MAXUINT64);
          ck_assert_int_eq (out[0].sum, G_GINT64_CONSTANT (0xffffffff) + THREADS);
          ck_assert_int_eq (out[0].low, start);
          ck_assert_int_eq (out[0].high, start + 63);
          ck_assert_int_eq (out[0].bits, bits);
          ck_assert_int_eq (out[0].last, sum);
          ck_assert_int_eq (out[0].sum_of_group, 3 - 2 * THREADS);
        }
      g_object_unref (kernel);
    }
}
END_TEST

/* A device without them says so by name. */
START_TEST (refused_atomics)
{
  static const struct { const char *text, *part; } rows[] = {
    { "kernel(1) void main_(buffer<long> b) { atomic_add(b[0], 1); }\n", "shaderBufferInt64Atomics" },
    { "kernel(1) void main_(buffer<long> b) { shared long x; atomic_add(x, 1); }\n", "shaderSharedInt64Atomics" },
    { "kernel(1) void main_(buffer<long> b) { b[0] = subgroup_sum(b[0]); }\n", "shaderSubgroupExtendedTypes" },
  };
  struct device_test masked = masked_test_begin ("-shaderBufferInt64Atomics,-shaderSharedInt64Atomics,-shaderSubgroupExtendedTypes");

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      GabbroKernel *kernel = new_kernel (rows[i].text, "main_");
      GError *error = NULL;

      ck_assert_ptr_null (gabbro_shader_new (masked.device, kernel, GABBRO_COMPILE_DEFAULT, GABBRO_OPTIMIZATION_DEFAULT, &error));
      assert_message (error, rows[i].part);
      g_clear_error (&error);
      g_object_unref (kernel);
    }
  device_test_end (&masked);
}
END_TEST

START_TEST (refused_atomics_in_words)
{
  static const char text[] = "struct S { bool b; long l; };\nkernel(1) void main_(buffer<S> b) { atomic_add(b[0].l, 1); }\n";
  GError *error = NULL;
  GabbroModule *module = gabbro_module_new_from_source ("test.gk", text, -1, &error);

  assert_no_error (error);
  ck_assert_ptr_null (gabbro_module_get_kernel (module, "main_", &error));
  assert_message (error, "words");
  g_clear_error (&error);
  g_object_unref (module);
}
END_TEST

/* Subgroups over values of every width. The results are small, so that floats are exact. */
static gint64
wrapped (const struct type *type, gint64 value)
{
  gboolean is_unsigned = type->name[0] == 'u';

  if (type->scalar == 1)
    return is_unsigned ? (guint8) value : (gint8) value;
  if (type->scalar == 2)
    return is_unsigned ? (guint16) value : (gint16) value;
  return value;
}

START_TEST (subgroups_of_every_number)
{
  const struct type *type = &scalars[_i];
  gboolean is_real = strcmp (type->name, "half") == 0 || strcmp (type->name, "float") == 0 || strcmp (type->name, "double") == 0;
  g_autofree char *text
    = g_strdup_printf ("kernel(64) void main_(const byte_buffer in, buffer<int> out)\n{\n    uint i = global_id.x;\n"
                       "    %s x = %s(i %% 7 + 1); out[i * 8] = int(subgroup_size);\n"
                       "    out[i * 8 + 1] = int(subgroup_sum(x)); out[i * 8 + 2] = int(subgroup_max(x));\n"
                       "    out[i * 8 + 3] = int(subgroup_prefix_sum(x)); out[i * 8 + 4] = int(subgroup_read(x, 1u));\n"
                       "    out[i * 8 + 5] = int(subgroup_read_first(x)) * 10 + int(subgroup_all_equal(x));\n"
                       "    out[i * 8 + 6] = int(%s); out[i * 8 + 7] = int(subgroup_min(%s2(x, -x)).y);\n}\n", type->name, type->name,
                       is_real ? "subgroup_product(%s(2 - i % 2))" : "subgroup_xor(x)", type->name);
  guint8 in[SIZE];

  if (is_real)
    {
      g_auto (GStrv) parts = g_strsplit (text, "%s(2 - i % 2)", -1);
      g_autofree char *product = g_strdup_printf ("%s(i %% 4 == 0 ? 2 : 1)", type->name);
      char *joined = g_strjoinv (product, parts);

      g_free (text);
      text = joined;
    }
  fill (in);
  {
    GabbroKernel *kernel = new_kernel (text, "main_");

    for (guint c = 0; c < G_N_ELEMENTS (configurations); c++)
      {
        const struct run run = { .text = text };
        gint32 out[SIZE / 4];

        memset (out, BACKGROUND, SIZE);
        run_at (&run, kernel, c, in, (guint8 *) out);
        for (guint i = 0; i < THREADS; i++)
          {
            guint size = (guint) out[i * 8], start = i / size * size;
            gint64 sum = 0, before = 0, most = 0, least = G_MAXINT64, bits = 0, product = 1;

            for (guint k = start; k < start + size && k < THREADS; k++)
              {
                gint64 x = k % 7 + 1;

                before = k == i ? sum : before;
                sum += x;
                most = MAX (most, x);
                least = MIN (least, type->name[0] == 'u' ? wrapped (type, type->scalar == 4 ? (guint32) -x : -x) : -x);
                bits ^= x;
                product *= k % 4 == 0 ? 2 : 1;
              }
            ck_assert_int_eq (out[i * 8 + 1], (gint32) wrapped (type, sum));
            ck_assert_int_eq (out[i * 8 + 2], (gint32) most);
            ck_assert_int_eq (out[i * 8 + 3], (gint32) wrapped (type, before));
            ck_assert_int_eq (out[i * 8 + 4], (gint32) ((start + 1) % 7 + 1));
            ck_assert_int_eq (out[i * 8 + 5], (gint32) (start % 7 + 1) * 10);
            ck_assert_int_eq (out[i * 8 + 6], (gint32) (is_real ? product : bits));
            ck_assert_int_eq (out[i * 8 + 7], (gint32) least);
          }
      }
    g_object_unref (kernel);
  }
}
END_TEST

static Suite *
storage_suite (void)
{
  Suite *suite = suite_create ("storage");
  TCase *test_case = gb_test_case (suite, "storage");

  tcase_add_checked_fixture (test_case, set_up, tear_down);
  tcase_add_loop_test (test_case, every_type, 0, G_N_ELEMENTS (scalars));
  tcase_add_test (test_case, mixed_structures);
  tcase_add_test (test_case, mixed_values);
  tcase_add_test (test_case, a30);
  tcase_add_test (test_case, a31);
  tcase_add_test (test_case, odd_offsets);
  tcase_add_test (test_case, bounds);
  tcase_add_test (test_case, refused_views);
  tcase_add_test (test_case, atomics_in_words);
  tcase_add_test (test_case, long_atomics);
  tcase_add_test (test_case, refused_atomics);
  tcase_add_test (test_case, refused_atomics_in_words);
  tcase_add_loop_test (test_case, subgroups_of_every_number, 0, N_NUMBERS);
  return suite;
}

GB_TEST_MAIN (storage_suite)
