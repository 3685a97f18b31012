/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What tests of the public library share: contexts on the null driver and on
 * llvmpipe with validation, kernels from text, errors.
 *
 * Open devices inside a test, or in a checked fixture: Check forks for each test. */

#pragma once

#include <gabbro/gabbro.h>

#include <glib/gstdio.h>
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tests/test-main.h"

#define SECOND G_USEC_PER_SEC

/* At the most so many microseconds, where calls must return soon; more under valgrind. */
static inline gint64
soon (gint64 microseconds)
{
  const char *factor = g_getenv ("GABBRO_TEST_PATIENCE");
  return factor != NULL ? microseconds * g_ascii_strtoll (factor, NULL, 10) : microseconds;
}

/* So many rounds, and fewer under valgrind. */
static inline guint
rounds (guint n)
{
  return g_getenv ("GABBRO_TEST_PATIENCE") != NULL ? n / 10 : n;
}

/* The call worked: `error` is NULL. */
#define assert_no_error(error) \
  do { if ((error) != NULL) ck_abort_msg ("%s:%d: %s", __FILE__, __LINE__, (error)->message); } while (0)

/* The call failed with this code, and said something. Clears the error. */
#define assert_error(error, domain_, code_)                                                                     \
  do                                                                                                            \
    {                                                                                                           \
      if ((error) == NULL)                                                                                      \
        ck_abort_msg ("%s:%d: no error where %s was due", __FILE__, __LINE__, #code_);                          \
      if ((error)->domain != (domain_) || (error)->code != (int) (code_))                                       \
        ck_abort_msg ("%s:%d: not %s but %s %d: %s", __FILE__, __LINE__, #code_,                                \
                      g_quark_to_string ((error)->domain), (error)->code, (error)->message);                    \
      ck_assert_uint_gt (strlen ((error)->message), 0);                                                         \
      g_clear_error (&(error));                                                                                 \
    }                                                                                                           \
  while (0)

#define assert_gabbro_error(error, code) assert_error (error, GABBRO_ERROR, code)

/* The message has this in it. */
#define assert_message(error, part)                                                                            \
  do                                                                                                           \
    {                                                                                                          \
      if ((error) == NULL || strstr ((error)->message, (part)) == NULL)                                        \
        ck_abort_msg ("%s:%d: “%s” is not in “%s”", __FILE__, __LINE__, (part), (error) ? (error)->message : "(none)"); \
    }                                                                                                          \
  while (0)

/* A folder without driver modules, made before Check forks; and the one driver away that would be there all the same. */

static char *empty_folder;

static inline void
make_empty_folder (void)
{
  empty_folder = g_dir_make_tmp ("gabbro-test-XXXXXX", NULL);
  g_setenv ("GABBRO_REFERENCE", "0", TRUE);
}

static inline void
remove_empty_folder (void)
{
  g_unsetenv ("GABBRO_REFERENCE");
  g_rmdir (empty_folder);
  g_clear_pointer (&empty_folder, g_free);
}

/* A test case whose tests may use the null driver. */
static inline TCase *
null_test_case (Suite *suite, const char *name)
{
  TCase *test_case = gb_test_case (suite, name);

  tcase_add_unchecked_fixture (test_case, make_empty_folder, remove_empty_folder);
  return test_case;
}

/* Pairs of option and value, then NULL. */
static inline GVariant *
options_of (const char *first, va_list rest)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE_VARDICT);
  for (const char *name = first; name != NULL; name = va_arg (rest, const char *))
    g_variant_builder_add (&builder, "{sv}", name, g_variant_new_string (va_arg (rest, const char *)));
  return g_variant_builder_end (&builder);
}

static inline GabbroContext *
context_with (const char *first, ...)
{
  GError *error = NULL;
  GabbroContext *context;
  va_list rest;

  va_start (rest, first);
  context = gabbro_context_new (options_of (first, rest), &error);
  va_end (rest);
  assert_no_error (error);
  ck_assert_ptr_nonnull (context);
  return context;
}

/* A context with nothing but the null driver, as `settings` say. */
static inline GabbroContext *
null_context (const char *settings)
{
  return context_with ("null", settings, "driver-path", empty_folder, NULL);
}

static inline GabbroDevice *
open_device (GabbroContext *context, const char *wanted)
{
  GError *error = NULL;
  GabbroDevice *device = gabbro_context_open_device (context, wanted, &error);

  assert_no_error (error);
  ck_assert_ptr_nonnull (device);
  return device;
}

/* Opens the null driver and keeps no context. */
static inline GabbroDevice *
null_device (const char *settings)
{
  GabbroContext *context = null_context (settings);
  GabbroDevice *device = open_device (context, "null");

  g_object_unref (context);
  return device;
}

#define VALIDATION_LIBRARY "libVkLayer_khronos_validation.so"

/* The synchronisation checks of the layer lose a little memory of their own for each command buffer. */
__attribute__ ((visibility ("default"))) const char *__lsan_default_suppressions (void);

const char *
__lsan_default_suppressions (void)
{
  return "leak:" VALIDATION_LIBRARY "\n";
}

/* Everything that the validation layers can find, for contexts made from now on. */
static inline void
enable_validation (void)
{
  g_setenv ("VK_LAYER_ENABLES", "VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT", TRUE);
  g_setenv ("VK_LAYER_SYNCVAL_SHADER_ACCESSES_HEURISTIC", "1", TRUE);
  /* It stays loaded, so that the leak sanitizer still knows it at the end. */
  dlopen (VALIDATION_LIBRARY, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
}

/* llvmpipe with validation; further pairs of option and value, then NULL. */
static inline GabbroContext *
vulkan_context (const char *first, ...)
{
  GError *error = NULL;
  GabbroContext *context;
  GVariantBuilder builder;
  va_list rest;

  enable_validation ();
  g_variant_builder_init (&builder, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add (&builder, "{sv}", "validation", g_variant_new_string ("1"));
  va_start (rest, first);
  for (const char *name = first; name != NULL; name = va_arg (rest, const char *))
    g_variant_builder_add (&builder, "{sv}", name, g_variant_new_string (va_arg (rest, const char *)));
  va_end (rest);
  context = gabbro_context_new (g_variant_builder_end (&builder), &error);
  assert_no_error (error);
  return context;
}

static inline guint
count_validation_messages (GabbroContext *context, gboolean print)
{
  char **messages = gabbro_context_list_messages (context);
  guint n = 0;

  for (char **message = messages; *message != NULL; message++)
    {
      n++;
      if (print)
        fprintf (stderr, "message: %s\n", *message);
    }
  g_strfreev (messages);
  return n;
}

/* The validation layers have said nothing. Called at the end of every test of a device. */
static inline void
assert_silent (GabbroContext *context)
{
  ck_assert_msg (count_validation_messages (context, TRUE) == 0, "there are messages, see above");
}

/* The device of one test. */
struct device_test
{
  GabbroContext *context;
  GabbroDevice *device;
  GabbroStream *stream;
};

static inline struct device_test
device_test_on (GabbroContext *context, const char *wanted)
{
  struct device_test test = { .context = context };
  GError *error = NULL;

  test.device = open_device (context, wanted);
  test.stream = gabbro_stream_new (test.device, NULL, &error);
  assert_no_error (error);
  return test;
}

static inline struct device_test
device_test_begin (void)
{
  return device_test_on (vulkan_context (NULL, NULL), "vulkan");
}

static inline struct device_test
masked_test_begin (const char *mask)
{
  return device_test_on (vulkan_context ("device-mask", mask, NULL), "vulkan");
}

static inline struct device_test
null_test_begin (const char *settings)
{
  return device_test_on (null_context (settings), "null");
}

/* The reference driver and no other. */
static inline GabbroContext *
reference_context (const char *settings, const char *check)
{
  return context_with ("driver-path", empty_folder, "reference", settings, "check", check, NULL);
}

static inline struct device_test
reference_test_begin (const char *settings, const char *check)
{
  return device_test_on (reference_context (settings, check), "reference");
}

static inline void
device_test_end (struct device_test *test)
{
  GError *error = NULL;

  gabbro_device_synchronize (test->device, 60 * SECOND, &error);
  assert_no_error (error);
  g_clear_object (&test->stream);
  g_clear_object (&test->device);
  assert_silent (test->context);
  g_clear_object (&test->context);
}

/* Objects, without the checks around each. */

static inline GabbroBuffer *
new_buffer (GabbroDevice *device, const char *type, guint64 length)
{
  GError *error = NULL;
  GabbroBuffer *buffer = gabbro_buffer_new (device, type, length, &error);

  assert_no_error (error);
  return buffer;
}

static inline GabbroBuffer *
new_view (GabbroBuffer *buffer, guint64 first, guint64 length)
{
  GError *error = NULL;
  GabbroBuffer *view = gabbro_buffer_new_view (buffer, first, length, &error);

  assert_no_error (error);
  return view;
}

static inline GabbroImage *
new_image (GabbroDevice *device, GabbroFormat format, guint width, guint height)
{
  GError *error = NULL;
  GabbroImage *image = gabbro_image_new_2d (device, format, width, height, &error);

  assert_no_error (error);
  return image;
}

static inline GabbroStream *
new_stream (GabbroDevice *device, GabbroQueue *queue)
{
  GError *error = NULL;
  GabbroStream *stream = gabbro_stream_new (device, queue, &error);

  assert_no_error (error);
  return stream;
}

static inline GabbroEvent *
new_event (GabbroDevice *device)
{
  GError *error = NULL;
  GabbroEvent *event = gabbro_event_new (device, &error);

  assert_no_error (error);
  return event;
}

static inline GabbroCommandList *
new_list (GabbroDevice *device)
{
  GError *error = NULL;
  GabbroCommandList *list = gabbro_command_list_new (device, &error);

  assert_no_error (error);
  return list;
}

static inline GabbroKernel *
new_kernel (const char *source, const char *name)
{
  GError *error = NULL;
  GabbroModule *module = gabbro_module_new_from_source ("test.gk", source, -1, &error);
  GabbroKernel *kernel;

  assert_no_error (error);
  kernel = gabbro_module_get_kernel (module, name, &error);
  assert_no_error (error);
  g_object_unref (module);
  return kernel;
}

static inline GabbroShader *
new_shader (GabbroDevice *device, const char *source, const char *name)
{
  GError *error = NULL;
  GabbroKernel *kernel = new_kernel (source, name);
  GabbroShader *shader = gabbro_shader_new (device, kernel, GABBRO_COMPILE_DEFAULT, GABBRO_OPTIMIZATION_DEFAULT, &error);

  assert_no_error (error);
  g_object_unref (kernel);
  return shader;
}

static inline void
submit (GabbroStream *stream, GabbroCommandList *list)
{
  GError *error = NULL;

  gabbro_stream_submit (stream, list, &error);
  assert_no_error (error);
}

/* Submits and drops. */
static inline void
submit_list (GabbroStream *stream, GabbroCommandList *list)
{
  submit (stream, list);
  g_object_unref (list);
}

static inline void
synchronize (GabbroStream *stream)
{
  GError *error = NULL;

  gabbro_stream_synchronize (stream, 60 * SECOND, &error);
  assert_no_error (error);
}

static inline void
upload (GabbroBuffer *buffer, gconstpointer data, gsize size)
{
  GError *error = NULL;

  gabbro_buffer_upload (buffer, 0, data, size, &error);
  assert_no_error (error);
}

static inline void
download (GabbroBuffer *buffer, gpointer data, gsize size)
{
  GError *error = NULL;

  gabbro_buffer_download (buffer, 0, data, size, &error);
  assert_no_error (error);
}

static inline guint32
first_word (GabbroBuffer *buffer)
{
  guint32 word;

  download (buffer, &word, sizeof word);
  return word;
}

/* A list that fills a whole buffer with one word, and one that copies the whole of it. */
static inline GabbroCommandList *
fill_list (GabbroDevice *device, GabbroBuffer *buffer, guint32 word)
{
  GError *error = NULL;
  GabbroCommandList *list = new_list (device);

  gabbro_command_list_fill (list, buffer, 0, gabbro_buffer_get_size (buffer), word, &error);
  assert_no_error (error);
  return list;
}

static inline GabbroCommandList *
copy_list (GabbroDevice *device, GabbroBuffer *from, GabbroBuffer *to)
{
  GError *error = NULL;
  GabbroCommandList *list = new_list (device);

  gabbro_command_list_copy_buffer (list, from, 0, to, 0, gabbro_buffer_get_size (from), &error);
  assert_no_error (error);
  return list;
}

/* Recorded without an error: submits it and waits. */
static inline void
finish_list (struct device_test *test, GabbroCommandList *list, const GError *error)
{
  if (error != NULL)
    ck_abort_msg ("%s", error->message);
  submit_list (test->stream, list);
  synchronize (test->stream);
}
