/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tests/vulkan/harness.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/vulkan/shaders.h"

/* The synchronisation checks of the validation layer 1.3.239 lose some memory for
 * each command buffer. The layer stays loaded, so that the leak sanitizer still
 * knows whose that was. */
#define VALIDATION_LIBRARY "libVkLayer_khronos_validation.so"

__attribute__ ((visibility ("default"))) const char *__lsan_default_suppressions (void);

const char *
__lsan_default_suppressions (void)
{
  return "leak:" VALIDATION_LIBRARY "\n";
}

static void
host_log (void *data, enum gabbro_log_level level, const char *message)
{
  struct harness *harness = data;

  g_mutex_lock (&harness->mutex);
  g_ptr_array_add (harness->messages, g_strdup (message));
  if (level <= GABBRO_LOG_WARNING)
    {
      harness->n_bad++;
      g_printerr ("message: %s\n", message);
    }
  g_mutex_unlock (&harness->mutex);
}

static const char *
host_option (void *data, const char *name)
{
  struct harness *harness = data;

  if (strcmp (name, "device-mask") == 0)
    return harness->mask;
  if (strcmp (name, "validation") == 0)
    return harness->validation ? "1" : NULL;
  return NULL;
}

void
harness_init (struct harness *harness, bool validation, const char *mask)
{
  memset (harness, 0, sizeof *harness);
  if (validation)
    dlopen (VALIDATION_LIBRARY, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
  harness->host
    = (struct gabbro_host) { .abi = GABBRO_DRIVER_ABI, .data = harness, .log = host_log, .option = host_option };
  harness->mask = mask;
  harness->validation = validation;
  g_mutex_init (&harness->mutex);
  harness->messages = g_ptr_array_new_with_free_func (g_free);
  gb_undo_init (&harness->undo);
}

enum gabbro_probe_result
harness_probe (struct harness *harness, GError **error)
{
  return gabbro_driver.probe (&harness->host, &harness->undo, &harness->instance, error);
}

void
harness_open (struct harness *harness, bool validation, const char *mask)
{
  GError *error = NULL;
  enum gabbro_probe_result result;

  harness_init (harness, validation, mask);
  result = harness_probe (harness, &error);
  ck_assert_msg (result == GABBRO_PROBE_BOUND, "probe: %s", error != NULL ? error->message : "nothing here");
  harness->device = gabbro_driver.open (harness->instance, harness->instance->adapters[0], &error);
  ck_assert_msg (harness->device != NULL, "open: %s", error != NULL ? error->message : "no error");
}

void
harness_close (struct harness *harness)
{
  if (harness->device != NULL)
    harness->device->ops->close (harness->device);
  gb_undo_run (&harness->undo);
  ck_assert_msg (harness->n_bad == 0, "%u messages, see above", harness->n_bad);
  g_ptr_array_unref (harness->messages);
  g_mutex_clear (&harness->mutex);
}

bool
harness_said (struct harness *harness, const char *text)
{
  bool found = false;

  g_mutex_lock (&harness->mutex);
  for (unsigned i = 0; i < harness->messages->len; i++)
    found = found || strstr (g_ptr_array_index (harness->messages, i), text) != NULL;
  g_mutex_unlock (&harness->mutex);
  return found;
}

int
harness_device_status (void)
{
  int status = 0;
  pid_t child = fork ();

  if (child == 0)
    {
      struct harness harness;
      GError *error = NULL;
      harness_init (&harness, false, NULL);
      /* A failure is for the tests to show. */
      _exit (harness_probe (&harness, &error) == GABBRO_PROBE_NOTHING ? 77 : 0);
    }
  if (child < 0 || waitpid (child, &status, 0) != child || !WIFEXITED (status))
    return 0;
  if (WEXITSTATUS (status) == 77)
    g_print ("SKIP: there is no Vulkan device\n");
  return WEXITSTATUS (status);
}

struct gabbro_buffer_info
harness_buffer (struct harness *harness, uint64_t size, enum gabbro_memory_use use)
{
  struct gabbro_buffer_info info;
  GError *error = NULL;

  memset (&info, 0, sizeof info);
  ck_assert_msg (harness->device->ops->buffer_create (harness->device, size, use, &info, &error), "buffer: %s",
                 error != NULL ? error->message : "no error");
  return info;
}

void
harness_buffer_free (struct harness *harness, const struct gabbro_buffer_info *buffer)
{
  harness->device->ops->buffer_destroy (harness->device, buffer->handle);
}

uint64_t
harness_scale_shader (struct harness *harness)
{
  static const enum gabbro_binding_kind bindings[] = { GABBRO_BINDING_STORAGE_BUFFER, GABBRO_BINDING_STORAGE_BUFFER };
  const struct gabbro_artifact artifact = { .name = "scale",
                                            .words = scale_words,
                                            .n_words = G_N_ELEMENTS (scale_words),
                                            .entry_point = "main",
                                            .group_size = { 64, 1, 1 },
                                            .push_constant_size = sizeof (struct scale_arguments),
                                            .bindings = bindings,
                                            .n_bindings = G_N_ELEMENTS (bindings) };
  GError *error = NULL;
  uint64_t shader;

  ck_assert_msg (harness->device->ops->shader_create (harness->device, &artifact, &shader, &error), "shader: %s",
                 error != NULL ? error->message : "no error");
  return shader;
}

/* Plans. */

const struct gabbro_barrier barrier_none;
const struct gabbro_barrier barrier_compute
  = { GABBRO_STAGE_COMPUTE, GABBRO_ACCESS_SHADER_READ | GABBRO_ACCESS_SHADER_WRITE, GABBRO_STAGE_COMPUTE,
      GABBRO_ACCESS_SHADER_READ | GABBRO_ACCESS_SHADER_WRITE };
const struct gabbro_barrier barrier_transfer
  = { GABBRO_STAGE_TRANSFER, GABBRO_ACCESS_TRANSFER_WRITE, GABBRO_STAGE_TRANSFER,
      GABBRO_ACCESS_TRANSFER_READ | GABBRO_ACCESS_TRANSFER_WRITE };
const struct gabbro_barrier barrier_full
  = { GABBRO_STAGE_ALL, GABBRO_ACCESS_MEMORY_WRITE, GABBRO_STAGE_ALL,
      GABBRO_ACCESS_MEMORY_READ | GABBRO_ACCESS_MEMORY_WRITE };
const struct gabbro_barrier barrier_to_host
  = { GABBRO_STAGE_ALL, GABBRO_ACCESS_MEMORY_WRITE, GABBRO_STAGE_HOST, GABBRO_ACCESS_HOST_READ };

struct plan *
plan_new (void)
{
  struct plan *plan = g_new0 (struct plan, 1);

  plan->memory = g_ptr_array_new_with_free_func (g_free);
  plan->plan.commands = plan->commands;
  plan->plan.layers = plan->layers;
  plan->plan.images = plan->images;
  plan->plan.n_layers = 1;
  plan->plan.last = barrier_to_host;
  return plan;
}

void
plan_free (struct plan *plan)
{
  g_ptr_array_unref (plan->memory);
  g_free (plan);
}

static void *
plan_keep (struct plan *plan, const void *data, size_t size)
{
  void *copy = g_memdup2 (data, size);

  if (copy != NULL)
    g_ptr_array_add (plan->memory, copy);
  return copy;
}

static void
plan_add (struct plan *plan, struct gabbro_command *command, enum gabbro_command_kind kind)
{
  ck_assert_uint_lt (plan->plan.n_commands, PLAN_MOST_COMMANDS);
  command->kind = kind;
  command->layer = plan->plan.n_layers - 1;
  command->index = plan->plan.n_commands;
  plan->commands[plan->plan.n_commands++] = command;
  plan->layers[plan->plan.n_layers - 1].count++;
}

void
plan_layer (struct plan *plan, const struct gabbro_barrier *before)
{
  struct gabbro_layer *layer = &plan->layers[plan->plan.n_layers++];

  layer->first = plan->plan.n_commands;
  layer->before = *before;
}

void
plan_copy (struct plan *plan, uint64_t source, uint64_t source_offset, uint64_t destination, uint64_t destination_offset,
           uint64_t size)
{
  const struct gabbro_copy_buffer copy = { .source = source,
                                           .destination = destination,
                                           .source_offset = source_offset,
                                           .destination_offset = destination_offset,
                                           .size = size };

  plan_add (plan, plan_keep (plan, &copy, sizeof copy), GABBRO_COMMAND_COPY_BUFFER);
}

void
plan_fill (struct plan *plan, uint64_t buffer, uint64_t offset, uint64_t size, uint32_t value)
{
  const struct gabbro_fill_buffer fill = { .buffer = buffer, .offset = offset, .size = size, .value = value };

  plan_add (plan, plan_keep (plan, &fill, sizeof fill), GABBRO_COMMAND_FILL_BUFFER);
}

void
plan_image (struct plan *plan, enum gabbro_command_kind kind, uint64_t buffer, uint64_t image, uint32_t width,
            uint32_t height)
{
  const struct gabbro_copy_image copy = { .buffer = buffer, .level = { image, 0, width, height, 1, 0, 0 } };

  plan_add (plan, plan_keep (plan, &copy, sizeof copy), kind);
}

void
plan_dispatch (struct plan *plan, uint64_t shader, const struct gabbro_descriptor *descriptors, uint32_t n,
               const void *push_constants, size_t push_size, uint32_t x, uint32_t y)
{
  const struct gabbro_dispatch dispatch = { .shader = shader,
                                            .descriptors = plan_keep (plan, descriptors, n * sizeof *descriptors),
                                            .push_constants = plan_keep (plan, push_constants, push_size),
                                            .groups = { x, y, 1 } };

  plan_add (plan, plan_keep (plan, &dispatch, sizeof dispatch), GABBRO_COMMAND_DISPATCH);
}

void
plan_scale (struct plan *plan, uint64_t shader, uint64_t a, uint64_t b, uint32_t count, uint32_t scale, uint32_t add)
{
  const struct gabbro_descriptor descriptors[] = { { .handle = a, .offset = 0, .size = count * 4 },
                                                   { .handle = b, .offset = 0, .size = count * 4 } };
  const struct scale_arguments arguments = { scale, add, count };

  plan_dispatch (plan, shader, descriptors, 2, &arguments, sizeof arguments, (count + 63) / 64, 1);
}

bool
harness_submit (struct harness *harness, uint32_t queue, const struct plan *plan, uint64_t prepared, GError **error)
{
  struct gabbro_submission submission = { .plan = plan != NULL ? &plan->plan : NULL,
                                          .prepared = prepared,
                                          .signal = harness->value[queue] + 1 };

  if (!harness->device->ops->submit (harness->device, queue, &submission, error))
    return false;
  harness->value[queue]++;
  return true;
}

void
harness_finish (struct harness *harness, uint32_t queue)
{
  const struct gabbro_point point = { queue, harness->value[queue] };

  ck_assert_int_eq (harness->device->ops->wait (harness->device, &point, 1, true, false, UINT64_MAX), GABBRO_WAIT_DONE);
  harness->device->ops->retire (harness->device, queue, point.value);
}

void
harness_run (struct harness *harness, const struct plan *plan)
{
  GError *error = NULL;

  ck_assert_msg (harness_submit (harness, 0, plan, 0, &error), "submit: %s", error != NULL ? error->message : "no error");
  harness_finish (harness, 0);
}
