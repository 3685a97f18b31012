/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every code of every error domain: one call that yields it, what it says, and for
 * limits that it says what was asked and what is allowed. */

#include "config.h"

#include <sys/wait.h>
#include <unistd.h>

#include "codegen/xir/verify.h"
#include "tests/gpu/device-test.h"

/* The error of a call that has to fail. */
#define failing(name, ...) ({ GError *failure = NULL; ck_assert_msg (!(name (__VA_ARGS__, &failure)), "%s worked", #name); failure; })

/* The seam that the compiler's own faults come through: see Makefile-tests-gpu.am. */
static gboolean verifier_finds_a_fault;

guint __real_xir_verify_module (const struct xir_module *module, GString *report);
guint __wrap_xir_verify_module (const struct xir_module *module, GString *report);

guint
__wrap_xir_verify_module (const struct xir_module *module, GString *report)
{
  if (!verifier_finds_a_fault)
    return __real_xir_verify_module (module, report);
  if (report != NULL)
    g_string_append (report, "a fault by request");
  return 1;
}

/* Objects of one test; all of them are dropped at its end. */

static GPtrArray *garbage;

static void
begin_garbage (void)
{
  garbage = g_ptr_array_new_with_free_func (g_object_unref);
}

static gpointer
keep (gpointer object)
{
  g_ptr_array_add (garbage, object);
  return object;
}

/* Newest first, as their dependencies want it. */
static void
end_garbage (void)
{
  while (garbage->len > 0)
    g_ptr_array_remove_index (garbage, garbage->len - 1);
  g_clear_pointer (&garbage, g_ptr_array_unref);
}

static GabbroDevice *
device_with (const char *settings)
{
  return keep (null_device (settings));
}

static GabbroCommandList *
list_of (GabbroDevice *device)
{
  return keep (new_list (device));
}

/* The source is right; what is asked of the device is too much. */
static GError *
compile_on (const char *settings, const char *source)
{
  GabbroDevice *device = device_with (settings);
  GabbroKernel *kernel = keep (new_kernel (source, NULL));

  return failing (gabbro_shader_new, device, kernel, GABBRO_COMPILE_DEFAULT, 0);
}

/* The source is right; no device can have the kernel. */
static GError *
kernel_of (const char *source)
{
  GError *error = NULL;
  GabbroModule *module = gabbro_module_new_from_source ("test.gk", source, -1, &error);

  assert_no_error (error);
  return failing (gabbro_module_get_kernel, keep (module), NULL);
}

static GError *
read_source (const char *source)
{
  return failing (gabbro_module_new_from_source, "test.gk", source, -1);
}

/* GabbroError. */

static GError *
failed (void)
{
  GabbroBuffer *buffer = keep (new_buffer (device_with ("unmapped,fail-submit=1"), "uint", 4));
  guint32 word = 1;

  return failing (gabbro_buffer_upload, buffer, 0, &word, sizeof word);
}

static GError *
invalid_argument (void)
{
  return failing (gabbro_buffer_new, device_with ("1"), "flaot", 4);
}

static GError *
invalid_state (void)
{
  GabbroDevice *device = device_with ("1");
  GabbroBuffer *buffer = keep (new_buffer (device, "uint", 4));
  GabbroStream *stream = keep (new_stream (device, NULL));
  GabbroCommandList *list = keep (fill_list (device, buffer, 1));

  submit (stream, list);
  return failing (gabbro_stream_submit, stream, list);
}

static GError *
limit_exceeded (void)
{
  return failing (gabbro_buffer_new, device_with ("max-buffer-size=1000"), "float", 251);
}

static GError *
not_supported (void)
{
  GabbroDevice *device = device_with ("queues=2,copy-queues=1");
  GabbroStream *stream = keep (new_stream (device, gabbro_device_get_queue (device, 1)));
  GabbroCommandList *list = list_of (device);
  GabbroShader *shader = keep (new_shader (device, "kernel(1) void k(buffer<uint> a) { a[0] = 1; }", NULL));
  GabbroBuffer *buffer = keep (new_buffer (device, "uint", 4));
  GError *error = NULL;

  gabbro_command_list_run (list, shader, 1, 1, 1, &error, "a", buffer, NULL);
  assert_no_error (error);
  return failing (gabbro_stream_submit, stream, list);
}

static GError *
not_found (void)
{
  GError *error = NULL;
  GabbroModule *module = keep (gabbro_module_new_from_source ("test.gk", "kernel(1) void kay() { }", -1, &error));

  assert_no_error (error);
  return failing (gabbro_module_get_kernel, module, "may");
}

static GError *
no_driver (void)
{
  return failing (gabbro_context_open_device, keep (null_context ("1")), "/adapters/vulkan0");
}

static GError *
no_device (void)
{
  return failing (gabbro_context_open_device, keep (null_context ("1")), "radeon");
}

static GError *
bad_driver (void)
{
  const char *build = g_getenv ("top_builddir");
  char *from = g_build_filename (build != NULL ? build : ".", "tests/gpu/.libs/broken-driver-abi.so", NULL);
  char *folder = g_dir_make_tmp ("gabbro-test-XXXXXX", NULL), *to = g_strconcat (folder, "/gabbro-driver-abi.so", NULL), *contents;
  GError *error = NULL;
  GabbroContext *context;
  gsize length;

  g_file_get_contents (from, &contents, &length, &error);
  assert_no_error (error);
  g_file_set_contents (to, contents, (gssize) length, &error);
  assert_no_error (error);
  context = keep (context_with ("null", "1", "driver-path", folder, NULL));
  g_unlink (to);
  g_rmdir (folder);
  g_free (contents);
  g_free (from);
  g_free (folder);
  g_free (to);
  /* By its path as well as by its name. */
  error = failing (gabbro_context_open_device, context, "/adapters/abi0");
  assert_gabbro_error (error, GABBRO_ERROR_BAD_DRIVER);
  return failing (gabbro_context_open_device, context, "abi");
}

static GError *
wrong_device (void)
{
  GabbroDevice *device = device_with ("1"), *other = device_with ("1");
  GabbroBuffer *buffer = keep (new_buffer (other, "uint", 4));

  return failing (gabbro_command_list_fill, list_of (device), buffer, 0, 4, 1);
}

static GError *
out_of_memory (void)
{
  return failing (gabbro_buffer_new, device_with ("memory=96"), "float", 25);
}

static GError *
device_lost (void)
{
  GabbroDevice *device = device_with ("unmapped,lose-submit=1");
  GabbroBuffer *buffer = keep (new_buffer (device, "uint", 4));
  guint32 word = 1;

  return failing (gabbro_buffer_upload, buffer, 0, &word, sizeof word);
}

/* The child says through a pipe what it was told. */
static GError *
wrong_process (void)
{
  GabbroDevice *device = device_with ("1");
  int ends[2], status;
  char text[1024];
  ssize_t length;
  char **parts;
  GError *error;
  pid_t child;

  ck_assert_int_eq (pipe (ends), 0);
  child = fork ();
  ck_assert_int_ge (child, 0);
  if (child == 0)
    {
      GError *told = NULL;

      gabbro_buffer_new (device, "uint", 4, &told);
      if (told != NULL)
        dprintf (ends[1], "%s\n%d\n%s", g_quark_to_string (told->domain), told->code, told->message);
      _exit (0);
    }
  close (ends[1]);
  length = read (ends[0], text, sizeof text - 1);
  close (ends[0]);
  ck_assert_int_eq (waitpid (child, &status, 0), child);
  ck_assert_int_gt (length, 0);
  text[length] = '\0';
  parts = g_strsplit (text, "\n", 3);
  ck_assert_uint_eq (g_strv_length (parts), 3);
  error = g_error_new_literal (g_quark_from_string (parts[0]), atoi (parts[1]), parts[2]);
  g_strfreev (parts);
  return error;
}

static GError *
timed_out (void)
{
  GabbroDevice *device = device_with ("hang");
  GabbroBuffer *buffer = keep (new_buffer (device, "uint", 4));
  GabbroStream *stream = keep (new_stream (device, NULL));

  submit_list (stream, fill_list (device, buffer, 1));
  return failing (gabbro_stream_synchronize, stream, 1000);
}

static GError *
deadlock (void)
{
  GabbroDevice *device = device_with ("1");
  GabbroStream *stream = keep (new_stream (device, NULL));
  GabbroEvent *event = keep (new_event (device));
  GError *error = NULL;

  gabbro_stream_wait (stream, event, 1, &error);
  assert_no_error (error);
  error = failing (gabbro_stream_signal, stream, event, 1);
  gabbro_event_signal (event, 1, NULL);
  return error;
}

/* GabbroCompileError. */

static GError *
bad_source (void)
{
  return read_source ("kernel(1) void k() { nonsense = 1; }");
}

/* Words of 32 bits are all that such elements have. */
static GError *
unsupported (void)
{
  return kernel_of ("struct S { ulong count; bool used; };\nkernel(1) void k(buffer<S> out) { atomic_add(out[0].count, 1ul); }");
}

static GError *
target (void)
{
  return compile_on ("max-group-invocations=32", "kernel(64) void k(buffer<uint> a) { a[0] = 1; }");
}

static GError *
too_large (void)
{
  GString *source = g_string_new ("kernel(1) void k(buffer<int> a)\n{\n");
  GError *error;

  for (int i = 0; i < 1500; i++)
    g_string_append_printf (source, "if (a[%d] == %d) { a[%d] = 1; }\n", i, i, i + 1);
  g_string_append (source, "}\n");
  error = kernel_of (source->str);
  g_string_free (source, TRUE);
  return error;
}

static GError *
internal (void)
{
  GError *error;

  verifier_finds_a_fault = TRUE;
  error = read_source ("kernel(1) void k() { }");
  verifier_finds_a_fault = FALSE;
  return error;
}

static GError *
bad_bundle (void)
{
  GBytes *bytes = g_bytes_new_static ("words", 5);
  GError *error = failing (gabbro_bundle_new_from_bytes, bytes);

  g_bytes_unref (bytes);
  return error;
}

/* What the message names: the thing that was asked for. */
struct row
{
  int code;
  const char *thing;
  GError *(*provoke) (void);
};

static const struct row rows[] = {
  { GABBRO_ERROR_FAILED, "submission number 1 fails by request", failed },
  { GABBRO_ERROR_INVALID_ARGUMENT, "“flaot”", invalid_argument },
  { GABBRO_ERROR_INVALID_STATE, "only a frozen list can be submitted again", invalid_state },
  { GABBRO_ERROR_LIMIT_EXCEEDED, "251 elements of 4 bytes", limit_exceeded },
  { GABBRO_ERROR_NOT_SUPPORTED, "Queue 1 of “Null 0” only copies", not_supported },
  { GABBRO_ERROR_NOT_FOUND, "“may”", not_found },
  { GABBRO_ERROR_NO_DRIVER, "“vulkan0”; there are: null, reference", no_driver },
  { GABBRO_ERROR_NO_DEVICE, "“radeon”; there are: “Null 0”", no_device },
  { GABBRO_ERROR_BAD_DRIVER, "“abi” cannot be used: The driver “abi” was built for interface 4711", bad_driver },
  { GABBRO_ERROR_WRONG_DEVICE, "The buffer belongs to another device", wrong_device },
  { GABBRO_ERROR_OUT_OF_MEMORY, "100 bytes asked for, 96 available", out_of_memory },
  { GABBRO_ERROR_DEVICE_LOST, "lost", device_lost },
  { GABBRO_ERROR_WRONG_PROCESS, "The device “Null 0” was opened before fork()", wrong_process },
  { GABBRO_ERROR_TIMED_OUT, "The wait for", timed_out },
  { GABBRO_ERROR_DEADLOCK, "waits for event", deadlock },
  { GABBRO_ERROR_BAD_BUNDLE, "This is no bundle: it is no tar archive", bad_bundle },
};

static const struct row compile_rows[] = {
  { GABBRO_COMPILE_ERROR_SOURCE, "test.gk:1:22: error: unknown name `nonsense`", bad_source },
  { GABBRO_COMPILE_ERROR_UNSUPPORTED, "argument “out”", unsupported },
  { GABBRO_COMPILE_ERROR_TARGET, "The kernel “k”: the kernel needs 64 threads in a workgroup", target },
  { GABBRO_COMPILE_ERROR_TOO_LARGE, "function “k” has", too_large },
  { GABBRO_COMPILE_ERROR_INTERNAL, "test.gk: the compiler made invalid code; please report this\na fault by request", internal },
};

/* All values of the enumeration have their row, and each row is true. */
static void
check_rows (GType type, GQuark domain, const struct row *table, guint n_rows)
{
  GEnumClass *class = g_type_class_ref (type);

  ck_assert_uint_gt (class->n_values, 0);
  for (guint i = 0; i < class->n_values; i++)
    {
      const GEnumValue *value = &class->values[i];
      const struct row *row = NULL;
      GError *error;

      for (guint j = 0; j < n_rows && row == NULL; j++)
        row = table[j].code == value->value ? &table[j] : NULL;
      ck_assert_msg (row != NULL, "%s has no row in this test", value->value_name);
      begin_garbage ();
      error = row->provoke ();
      ck_assert_ptr_nonnull (error);
      ck_assert_msg (error->domain == domain && error->code == value->value, "not %s but %s %d: %s", value->value_name,
                     g_quark_to_string (error->domain), error->code, error->message);
      ck_assert_uint_gt (strlen (error->message), 0);
      ck_assert (g_utf8_validate (error->message, -1, NULL));
      ck_assert_msg (strstr (error->message, row->thing) != NULL, "%s: “%s” is not in “%s”", value->value_name, row->thing,
                     error->message);
      g_error_free (error);
      end_garbage ();
    }
  ck_assert_uint_eq (class->n_values, n_rows);
  g_type_class_unref (class);
}

START_TEST (every_error)
{
  check_rows (GABBRO_TYPE_ERROR, GABBRO_ERROR, rows, G_N_ELEMENTS (rows));
}
END_TEST

START_TEST (every_compile_error)
{
  check_rows (GABBRO_TYPE_COMPILE_ERROR, GABBRO_COMPILE_ERROR, compile_rows, G_N_ELEMENTS (compile_rows));
}
END_TEST

/* Limits. */

static GError *
image_size (void)
{
  return failing (gabbro_image_new_2d, device_with ("max-image-2d=16"), GABBRO_FORMAT_RGBA8_UNORM, 17, 1);
}

/* One buffer argument on a device that allows little. */
static GError *
run_small (const char *settings, guint64 length, guint x)
{
  GabbroDevice *device = device_with (settings);
  GabbroShader *shader = keep (new_shader (device, "kernel(1) void k(buffer<uint> a) { a[0] = 1; }", NULL));
  GabbroBuffer *buffer = keep (new_buffer (device, "uint", length));
  GabbroCommandList *list = list_of (device);
  GError *error = NULL;

  ck_assert (!gabbro_command_list_run (list, shader, x, 1, 1, &error, "a", buffer, NULL));
  return error;
}

static GError *
buffer_range (void)
{
  return run_small ("max-storage-buffer-range=1024", 1000, 1);
}

static GError *
no_threads (void)
{
  return run_small ("1", 4, 0);
}

/* Threads that work together run whole workgroups, unless the kernel tells them apart. */
static GError *
whole_groups (void)
{
  GabbroDevice *device = device_with ("1");
  GabbroShader *shader = keep (new_shader (device, "kernel(8, 2) void k(buffer<uint> a) { barrier(); a[0] = 1; }", NULL));
  GabbroShader *other = keep (new_shader (device, "kernel(8, 2) void k(buffer<uint> a) { barrier(); if (in_dispatch()) a[0] = 1; }", NULL));
  GabbroBuffer *buffer = keep (new_buffer (device, "uint", 4));
  GError *error = NULL;

  ck_assert (gabbro_command_list_run (list_of (device), shader, 16, 2, 1, &error, "a", buffer, NULL));
  ck_assert (gabbro_command_list_run (list_of (device), other, 17, 3, 1, &error, "a", buffer, NULL));
  ck_assert (!gabbro_command_list_run (list_of (device), shader, 16, 3, 1, &error, "a", buffer, NULL));
  return error;
}

static GError *
threads (void)
{
  GabbroDevice *device = device_with ("1");
  GabbroShader *shader = keep (new_shader (device, "kernel(8) void k(buffer<uint> a) { a[0] = 1; }", NULL));
  GError *error = NULL;

  ck_assert (!gabbro_command_list_run (list_of (device), shader, G_MAXUINT32, 1, 1, &error, "a", keep (new_buffer (device, "uint", 4)), NULL));
  return error;
}

static GError *
dispatch_parts (void)
{
  return run_small ("max-group-count=1", 4, 65537);
}

static GError *
copy_alignment (void)
{
  GabbroDevice *device = device_with ("1");
  GabbroBuffer *buffer = keep (new_buffer (device, "uint", 64));
  GabbroImage *image = keep (new_image (device, GABBRO_FORMAT_RGBA32_FLOAT, 1, 1));

  return failing (gabbro_command_list_copy_buffer_to_image, list_of (device), buffer, 4, image);
}

static GError *
group_size (void)
{
  return compile_on ("1", "kernel(1, 1, 65) void k(buffer<uint> a) { a[0] = 1; }");
}

static GError *
buffers (void)
{
  return compile_on ("max-storage-buffers=1", "kernel(1) void k(buffer<uint> a, buffer<uint> b) { a[0] = b[0]; }");
}

static GError *
written_images (void)
{
  return compile_on ("max-storage-images=1", "kernel(1) void k(image2d<float> a, image2d<float> b)\n"
                                             "{ a.write(int2(0), float4(1)); b.write(int2(0), float4(1)); }");
}

static GError *
argument_bytes (void)
{
  return kernel_of ("struct S { float v[10000]; };\nkernel(1) void k(buffer<float> a, S s, S t) { a[0] = s.v[1] + t.v[2]; }");
}

static GError *
source_size (void)
{
  gsize size = 16 * 1024 * 1024 + 1;
  char *source = g_strnfill (size, ' ');
  GError *error = failing (gabbro_module_new_from_source, "test.gk", source, (gssize) size);

  g_free (source);
  return error;
}

static GError *
variable_size (void)
{
  return read_source ("kernel(1) void k(buffer<int> a) { int v[20000]; v[0] = 1; a[0] = v[0]; }");
}

static GError *
array_size (void)
{
  return read_source ("kernel(1) void k(buffer<int> a) { int v[0x7fffffff]; a[0] = v[0]; }");
}

static GError *
struct_size (void)
{
  return read_source ("struct S { int a[0x40000000]; int b; };\nkernel(1) void k(buffer<S> a) { a[0].b = 1; }");
}

static GError *
struct_depth (void)
{
  GString *source = g_string_new ("struct S0 { int a; };\n");
  GError *error;

  for (int i = 1; i < 70; i++)
    g_string_append_printf (source, "struct S%d { S%d a; };\n", i, i - 1);
  g_string_append (source, "kernel(1) void k(buffer<S69> a) { }\n");
  error = read_source (source->str);
  g_string_free (source, TRUE);
  return error;
}

static GError *
struct_description (void)
{
  GString *source = g_string_new ("struct A {");
  GError *error;

  for (int i = 0; i < 1024; i++)
    g_string_append_printf (source, " float3 m%d;", i);
  g_string_append (source, " };\nkernel(1) void k(buffer<A> a) { }\n");
  error = read_source (source->str);
  g_string_free (source, TRUE);
  return error;
}

static GError *
struct_members (void)
{
  GString *source = g_string_new ("struct A {");
  GError *error;

  for (int i = 0; i < 1025; i++)
    g_string_append_printf (source, " int m%d;", i);
  g_string_append (source, " };\nkernel(1) void k(buffer<A> a) { }\n");
  error = read_source (source->str);
  g_string_free (source, TRUE);
  return error;
}

static GError *
number_size (void)
{
  return read_source ("const uint N = 99999999999999999999u;\nkernel(1) void k() { }");
}

static GError *
nesting (void)
{
  char *open = g_strnfill (300, '('), *shut = g_strnfill (300, ')');
  char *source = g_strdup_printf ("kernel(1) void k(buffer<int> a) { a[0] = %s1%s; }", open, shut);
  GError *error = read_source (source);

  g_free (open);
  g_free (shut);
  g_free (source);
  return error;
}

/* A function of many lines that is copied for each way of giving it three of twelve buffers. */
static GError *
copies (void)
{
  GString *source = g_string_new ("int f(buffer<int> a, buffer<int> b, buffer<int> c)\n{\n  int s = a[0] + b[0] + c[0];\n");
  GError *error;

  for (int i = 0; i < 200; i++)
    g_string_append_printf (source, "  s += a[%d] * b[%d];\n", i, i);
  g_string_append (source, "  return s;\n}\nkernel(1) void k(");
  for (int i = 0; i < 12; i++)
    g_string_append_printf (source, "%sbuffer<int> b%d", i > 0 ? ", " : "", i);
  g_string_append (source, ")\n{\n");
  for (int i = 0; i < 12 * 12 * 12; i++)
    g_string_append_printf (source, "  b0[%d] = f(b%d, b%d, b%d);\n", i, i / 144, i / 12 % 12, i % 12);
  g_string_append (source, "}\n");
  error = kernel_of (source->str);
  g_string_free (source, TRUE);
  return error;
}

/* Each says what was asked and what is allowed. */
static const struct limit
{
  const char *name;
  gboolean of_compiler;
  int code;
  const char *asked, *allowed;
  GError *(*provoke) (void);
} limits[] = {
  { "buffer", FALSE, GABBRO_ERROR_LIMIT_EXCEEDED, "251 elements of 4 bytes", "1000 bytes", limit_exceeded },
  { "memory", FALSE, GABBRO_ERROR_OUT_OF_MEMORY, "100 bytes", "96", out_of_memory },
  { "image", FALSE, GABBRO_ERROR_LIMIT_EXCEEDED, "17×1", "16×16", image_size },
  { "buffer range", FALSE, GABBRO_ERROR_LIMIT_EXCEEDED, "4000", "1024 bytes", buffer_range },
  { "no threads", FALSE, GABBRO_ERROR_INVALID_ARGUMENT, "0×1×1", "at least one thread", no_threads },
  { "whole groups", FALSE, GABBRO_ERROR_INVALID_ARGUMENT, "16×3×1 threads", "8×2×1", whole_groups },
  { "threads", FALSE, GABBRO_ERROR_LIMIT_EXCEEDED, "4294967295×1×1", "4294967288", threads },
  { "dispatch", FALSE, GABBRO_ERROR_LIMIT_EXCEEDED, "65537 parts", "65536", dispatch_parts },
  { "alignment", FALSE, GABBRO_ERROR_LIMIT_EXCEEDED, "Byte 4", "multiple of 16", copy_alignment },
  { "group invocations", TRUE, GABBRO_COMPILE_ERROR_TARGET, "64 threads", "at most 32", target },
  { "group size", TRUE, GABBRO_COMPILE_ERROR_TARGET, "65 threads", "at most 64", group_size },
  { "buffers", TRUE, GABBRO_COMPILE_ERROR_TARGET, "2 storage buffers", "at most 1", buffers },
  { "images", TRUE, GABBRO_COMPILE_ERROR_TARGET, "2 images", "at most 1", written_images },
  { "blocks", TRUE, GABBRO_COMPILE_ERROR_TOO_LARGE, "4501 blocks", "4096", too_large },
  { "arguments", TRUE, GABBRO_COMPILE_ERROR_TOO_LARGE, "80000 bytes", "65536", argument_bytes },
  { "copies", TRUE, GABBRO_COMPILE_ERROR_TOO_LARGE, "524289 instructions", "524288", copies },
  { "source", TRUE, GABBRO_COMPILE_ERROR_SOURCE, "16777217 bytes", "16777216", source_size },
  { "variable", TRUE, GABBRO_COMPILE_ERROR_SOURCE, "80000 bytes", "65536", variable_size },
  { "array", TRUE, GABBRO_COMPILE_ERROR_SOURCE, "8589934588 bytes", "4294967296", array_size },
  { "struct", TRUE, GABBRO_COMPILE_ERROR_SOURCE, "4294967300 bytes", "4294967296", struct_size },
  { "struct depth", TRUE, GABBRO_COMPILE_ERROR_SOURCE, "65 levels", "64", struct_depth },
  { "struct description", TRUE, GABBRO_COMPILE_ERROR_SOURCE, "16394 bytes", "16384", struct_description },
  { "struct members", TRUE, GABBRO_COMPILE_ERROR_SOURCE, "1025 members", "1024", struct_members },
  { "number", TRUE, GABBRO_COMPILE_ERROR_SOURCE, "99999999999999999999", "18446744073709551615", number_size },
  { "nesting", TRUE, GABBRO_COMPILE_ERROR_SOURCE, "257 levels", "256", nesting },
};

START_TEST (limits_name_both)
{
  const struct limit *limit = &limits[_i];
  GError *error;

  begin_garbage ();
  error = limit->provoke ();
  ck_assert_msg (error->domain == (limit->of_compiler ? GABBRO_COMPILE_ERROR : GABBRO_ERROR) && error->code == limit->code,
                 "%s: %s %d: %s", limit->name, g_quark_to_string (error->domain), error->code, error->message);
  ck_assert_msg (strstr (error->message, limit->asked) != NULL, "%s: “%s” is not in “%s”", limit->name, limit->asked, error->message);
  ck_assert_msg (strstr (error->message, limit->allowed) != NULL, "%s: “%s” is not in “%s”", limit->name, limit->allowed,
                 error->message);
  g_error_free (error);
  end_garbage ();
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("errors");

  tcase_add_test (null_test_case (suite, "run time"), every_error);
  tcase_add_test (null_test_case (suite, "compiler"), every_compile_error);
  tcase_add_loop_test (null_test_case (suite, "limits"), limits_name_both, 0, G_N_ELEMENTS (limits));
  return suite;
}

GB_TEST_MAIN (make_suite)
