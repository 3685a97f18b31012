/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The driver on a real device, with the validation layer and its synchronisation
 * checks on: a message fails the test. */

#include "config.h"

#include "tests/vulkan/harness.h"

#include <string.h>

#include "tests/vulkan/shaders.h"

static struct harness h;

/* Of the leak sanitizer, where there is one. */
void __lsan_disable (void) __attribute__ ((weak));
void __lsan_enable (void) __attribute__ ((weak));

static void
fill_words (void *at, uint32_t n, uint32_t first)
{
  for (uint32_t i = 0; i < n; i++)
    ((uint32_t *) at)[i] = first + i;
}

START_TEST (test_open_close)
{
  harness_open (&h, true, NULL);
  ck_assert_uint_ge (h.device->n_queues, 1);
  ck_assert_uint_eq (h.device->queues[0].flags & (GABBRO_QUEUE_COMPUTE | GABBRO_QUEUE_TRANSFER),
                     GABBRO_QUEUE_COMPUTE | GABBRO_QUEUE_TRANSFER);
  ck_assert_uint_ge (h.instance->adapters[0]->info.api_version, VK_API_VERSION_1_3);
  ck_assert_ptr_null (h.instance->adapters[0]->unusable);
  ck_assert_str_ne (h.instance->adapters[0]->info.name, "");
  harness_close (&h);
}
END_TEST

START_TEST (test_two_devices)
{
  struct gabbro_driver_device *second;
  struct gabbro_buffer_info buffer;
  GError *error = NULL;

  harness_open (&h, true, NULL);
  second = gabbro_driver.open (h.instance, h.instance->adapters[0], &error);
  ck_assert_ptr_nonnull (second);
  ck_assert (second->ops->buffer_create (second, 64, GABBRO_MEMORY_UPLOAD, &buffer, &error));
  second->ops->buffer_destroy (second, buffer.handle);
  second->ops->close (second);
  buffer = harness_buffer (&h, 64, GABBRO_MEMORY_UPLOAD);
  harness_buffer_free (&h, &buffer);
  harness_close (&h);
}
END_TEST

/* Native handles of another API, or of another kind than can be wrapped, are refused; outputs stay as they were. */
START_TEST (test_native_kinds)
{
  const enum gabbro_native_kind none = (enum gabbro_native_kind) 4711;
  const struct gabbro_image_request request = { GB_TEXEL_RGBA8_UNORM, 4, 4, 0, 1 };
  struct gabbro_native native = { .handle = 1 };
  uint64_t handle = 1;
  GError *error = NULL;

  harness_open (&h, true, NULL);
  ck_assert (gabbro_driver.get_adapter_native (h.instance->adapters[0], GABBRO_NATIVE_VULKAN_INSTANCE, &handle));
  ck_assert_uint_ne (handle, 1);
  ck_assert (h.device->ops->get_native (h.device, GABBRO_NATIVE_VULKAN_DEVICE, 0, &native, &error));
  ck_assert_uint_eq (native.handle, vulkan_handle (harness_vulkan (&h)->device));

  handle = native.handle = 1;
  ck_assert (!gabbro_driver.get_adapter_native (h.instance->adapters[0], none, &handle));
  ck_assert (!h.device->ops->get_native (h.device, none, 0, &native, &error));
  ck_assert (g_error_matches (error, GABBRO_DRIVER_ERROR, GABBRO_DRIVER_ERROR_NOT_SUPPORTED));
  g_clear_error (&error);
  ck_assert (!h.device->ops->buffer_wrap (h.device, GABBRO_NATIVE_VULKAN_IMAGE, 1, 4, &handle, &error));
  ck_assert (g_error_matches (error, GABBRO_DRIVER_ERROR, GABBRO_DRIVER_ERROR_NOT_SUPPORTED));
  g_clear_error (&error);
  ck_assert (!h.device->ops->image_wrap (h.device, GABBRO_NATIVE_VULKAN_BUFFER, 1, &request, &handle, &error));
  ck_assert (g_error_matches (error, GABBRO_DRIVER_ERROR, GABBRO_DRIVER_ERROR_NOT_SUPPORTED));
  g_clear_error (&error);
  ck_assert_uint_eq (handle, 1);
  ck_assert_uint_eq (native.handle, 1);
  harness_close (&h);
}
END_TEST

/* Each attribute of adapter and device answers something. */
static unsigned
show_groups (const struct gb_attribute_group *const *groups, unsigned n_groups, gpointer state)
{
  unsigned n = 0;

  for (unsigned i = 0; i < n_groups; i++)
    for (unsigned j = 0; j < groups[i]->n_attributes; j++)
      {
        const struct gb_attribute *attribute = &groups[i]->attributes[j];
        struct gb_value value = GB_VALUE_INIT;
        GError *error = NULL;
        enum gb_show answer = attribute->show (NULL, state, attribute, &value, &error);
        ck_assert_msg (answer != GB_SHOW_FAILED, "%s.%s", groups[i]->name, attribute->name);
        if (answer == GB_SHOW_OK)
          ck_assert_msg (value.type == attribute->type, "%s.%s has another type", groups[i]->name, attribute->name);
        for (const char *c = attribute->name; *c != '\0'; c++)
          ck_assert_msg (g_ascii_islower (*c) || g_ascii_isdigit (*c) || *c == '-', "%s", attribute->name);
        n += answer == GB_SHOW_OK;
        gb_value_clear (&value);
      }
  return n;
}

static bool
find_bool (const struct gb_attribute_group *const *groups, unsigned n_groups, gpointer state, const char *group,
           const char *name)
{
  for (unsigned i = 0; i < n_groups; i++)
    for (unsigned j = 0; strcmp (groups[i]->name, group) == 0 && j < groups[i]->n_attributes; j++)
      if (strcmp (groups[i]->attributes[j].name, name) == 0)
        {
          struct gb_value value = GB_VALUE_INIT;
          bool result;
          ck_assert_int_eq (groups[i]->attributes[j].show (NULL, state, &groups[i]->attributes[j], &value, NULL),
                            GB_SHOW_OK);
          result = value.as.boolean;
          gb_value_clear (&value);
          return result;
        }
  ck_abort_msg ("no attribute %s.%s", group, name);
  return false;
}

START_TEST (test_attributes)
{
  struct gabbro_driver_adapter *adapter;

  harness_open (&h, false, "-shaderStorageImageReadWithoutFormat");
  adapter = h.instance->adapters[0];
  ck_assert_uint_gt (show_groups (adapter->groups, adapter->n_groups, adapter), 100);
  ck_assert_uint_gt (show_groups (h.device->groups, h.device->n_groups, h.device), 60);
  ck_assert (find_bool (adapter->groups, adapter->n_groups, adapter, "vulkan-features", "timeline-semaphore"));
  ck_assert (find_bool (h.device->groups, h.device->n_groups, h.device, "vulkan-features-enabled", "timeline-semaphore"));
  /* Supported and not enabled; masked. */
  ck_assert (!find_bool (h.device->groups, h.device->n_groups, h.device, "vulkan-features-enabled", "robust-buffer-access"));
  ck_assert (!find_bool (adapter->groups, adapter->n_groups, adapter, "vulkan-features",
                         "shader-storage-image-read-without-format"));
  ck_assert_uint_eq (adapter->target_features & GABBRO_TARGET_STORAGE_IMAGE_READ_WITHOUT_FORMAT, 0);
  harness_close (&h);
}
END_TEST

START_TEST (test_buffers)
{
  struct gabbro_buffer_info infos[3];
  struct gabbro_buffer_info large;
  uint64_t used, budget;

  harness_open (&h, true, NULL);
  for (unsigned use = 0; use < 3; use++)
    {
      infos[use] = harness_buffer (&h, 1000 + use, (enum gabbro_memory_use) use);
      ck_assert_uint_ge (infos[use].allocated, 1000 + use);
      if (use != GABBRO_MEMORY_DEVICE)
        {
          ck_assert_ptr_nonnull (infos[use].mapped);
          memset (infos[use].mapped, 0x55, 1000 + use);
        }
    }
  ck_assert_uint_eq (harness_vulkan (&h)->memory.n_allocations,
                     h.instance->adapters[0]->info.type == GABBRO_ADAPTER_TYPE_CPU ? 1
                                                                                    : harness_vulkan (&h)->memory.n_allocations);
  large = harness_buffer (&h, 100 << 20, GABBRO_MEMORY_DEVICE);
  ck_assert (h.device->ops->memory_budget (h.device, &used, &budget));
  ck_assert_uint_ge (used, 100 << 20);
  ck_assert_uint_ge (budget, used);
  harness_buffer_free (&h, &large);
  for (unsigned use = 0; use < 3; use++)
    harness_buffer_free (&h, &infos[use]);
  harness_close (&h);
}
END_TEST

START_TEST (test_copy_and_fill)
{
  struct gabbro_buffer_info up, middle, down;
  struct plan *plan = plan_new ();
  const uint32_t *words;

  harness_open (&h, true, "-mappableDeviceMemory");
  up = harness_buffer (&h, 4096, GABBRO_MEMORY_UPLOAD);
  middle = harness_buffer (&h, 4096, GABBRO_MEMORY_DEVICE);
  ck_assert_ptr_null (middle.mapped);
  down = harness_buffer (&h, 4096, GABBRO_MEMORY_READBACK);
  fill_words (up.mapped, 1024, 7);
  plan_copy (plan, up.handle, 0, middle.handle, 0, 4096);
  plan_layer (plan, &barrier_transfer);
  plan_fill (plan, middle.handle, 1024, 512, 0xabcdef01);
  plan_layer (plan, &barrier_transfer);
  plan_copy (plan, middle.handle, 16, down.handle, 0, 4000);
  harness_run (&h, plan);
  words = down.mapped;
  for (uint32_t i = 0; i < 1000; i++)
    ck_assert_uint_eq (words[i], i + 4 >= 256 && i + 4 < 384 ? 0xabcdef01 : i + 4 + 7);
  harness_buffer_free (&h, &up);
  harness_buffer_free (&h, &middle);
  harness_buffer_free (&h, &down);
  plan_free (plan);
  harness_close (&h);
}
END_TEST

/* A chain of dependent dispatches between two buffers; every word counts them. */
static void
run_chain (uint32_t n_dispatches, const struct gabbro_barrier *barrier)
{
  enum { COUNT = 256 };
  struct gabbro_buffer_info a = harness_buffer (&h, COUNT * 4, GABBRO_MEMORY_UPLOAD);
  struct gabbro_buffer_info b = harness_buffer (&h, COUNT * 4, GABBRO_MEMORY_UPLOAD);
  uint64_t shader = harness_scale_shader (&h);
  struct plan *plan = plan_new ();
  const uint32_t *words = n_dispatches % 2 == 0 ? a.mapped : b.mapped;

  memset (a.mapped, 0, COUNT * 4);
  for (uint32_t i = 0; i < n_dispatches; i++)
    {
      if (i != 0)
        plan_layer (plan, barrier);
      plan_scale (plan, shader, i % 2 == 0 ? a.handle : b.handle, i % 2 == 0 ? b.handle : a.handle, COUNT, 1, 1);
    }
  harness_run (&h, plan);
  if (barrier == &barrier_compute)
    for (uint32_t i = 0; i < COUNT; i++)
      ck_assert_uint_eq (words[i], n_dispatches);
  h.device->ops->shader_destroy (h.device, shader);
  harness_buffer_free (&h, &a);
  harness_buffer_free (&h, &b);
  plan_free (plan);
}

START_TEST (test_chain)
{
  harness_open (&h, true, NULL);
  run_chain (1000, &barrier_compute);
  run_chain (3, &barrier_compute);
  harness_close (&h);
}
END_TEST

/* Checks the check: without its barriers the same chain must be reported. */
START_TEST (test_missing_barrier_is_seen)
{
  harness_open (&h, true, NULL);
  run_chain (2, &barrier_none);
  ck_assert_msg (harness_said (&h, "SYNC-HAZARD"), "synchronisation validation is not at work");
  ck_assert_uint_gt (h.n_bad, 0);
  h.n_bad = 0;
  harness_close (&h);
}
END_TEST

START_TEST (test_sets_are_shared)
{
  struct gabbro_buffer_info a, b;
  struct plan *plan = plan_new ();
  struct vulkan_frame *frame;
  uint64_t shader;
  unsigned n_sets = 0;
  GError *error = NULL;

  harness_open (&h, true, NULL);
  a = harness_buffer (&h, 4096, GABBRO_MEMORY_UPLOAD);
  b = harness_buffer (&h, 4096, GABBRO_MEMORY_UPLOAD);
  shader = harness_scale_shader (&h);
  for (uint32_t i = 0; i < 500; i++)
    {
      plan_layer (plan, &barrier_compute);
      plan_scale (plan, shader, a.handle, b.handle, 16 + 16 * (i % 2), 1, i);
    }
  ck_assert (harness_submit (&h, 0, plan, 0, &error));
  frame = gb_list_last (&harness_vulkan (&h)->queues[0].pending, struct vulkan_frame, link);
  ck_assert_ptr_nonnull (frame);
  for (const struct vulkan_set_chunk *chunk = frame->chunks; chunk != NULL; chunk = chunk->next)
    n_sets += chunk->n_used;
  ck_assert_uint_eq (n_sets, 2);
  harness_finish (&h, 0);
  plan_free (plan);

  /* And all different: chunks grow. */
  plan = plan_new ();
  for (uint32_t i = 0; i < 1000; i++)
    {
      plan_layer (plan, &barrier_compute);
      plan_scale (plan, shader, a.handle, b.handle, 16 + i, 1, i);
    }
  harness_run (&h, plan);
  ck_assert_uint_eq (((const uint32_t *) b.mapped)[0], ((const uint32_t *) a.mapped)[0] + 999);
  h.device->ops->shader_destroy (h.device, shader);
  harness_buffer_free (&h, &a);
  harness_buffer_free (&h, &b);
  plan_free (plan);
  harness_close (&h);
}
END_TEST

/* A shader may go before the watcher has given its descriptor sets back. */
START_TEST (test_shader_goes_before_retire)
{
  struct gabbro_buffer_info a;
  struct gabbro_point point = { 0, 1 };
  struct plan *plan = plan_new ();
  uint64_t shader;
  GError *error = NULL;

  harness_open (&h, true, NULL);
  a = harness_buffer (&h, 4096, GABBRO_MEMORY_UPLOAD);
  shader = harness_scale_shader (&h);
  plan_scale (plan, shader, a.handle, a.handle, 16, 1, 1);
  ck_assert (harness_submit (&h, 0, plan, 0, &error));
  ck_assert_int_eq (h.device->ops->wait (h.device, &point, 1, true, false, UINT64_MAX), GABBRO_WAIT_DONE);
  h.device->ops->shader_destroy (h.device, shader);
  h.device->ops->retire (h.device, 0, 1);
  harness_buffer_free (&h, &a);
  plan_free (plan);
  harness_close (&h);
}
END_TEST

static uint64_t
image_shader (void)
{
  static const enum gabbro_binding_kind bindings[] = { GABBRO_BINDING_SAMPLED_IMAGE, GABBRO_BINDING_STORAGE_IMAGE };
  const struct gabbro_artifact artifact = { .name = "exchange",
                                            .words = image_words,
                                            .n_words = G_N_ELEMENTS (image_words),
                                            .entry_point = "main",
                                            .group_size = { 8, 8, 1 },
                                            .bindings = bindings,
                                            .n_bindings = 2 };
  GError *error = NULL;
  uint64_t shader;

  ck_assert_msg (h.device->ops->shader_create (h.device, &artifact, &shader, &error), "%s",
                 error != NULL ? error->message : "");
  return shader;
}

enum { WIDTH = 100, HEIGHT = 37 };

struct image_job
{
  struct gabbro_buffer_info up, down;
  uint64_t source, target, shader;
  struct plan *plan;
};

static void
image_job_init (struct image_job *job)
{
  const struct gabbro_image_request request
    = { .format = GB_TEXEL_RGBA8_UNORM, .width = WIDTH, .height = HEIGHT, .n_levels = 1 };
  GError *error = NULL;

  job->up = harness_buffer (&h, WIDTH * HEIGHT * 4, GABBRO_MEMORY_UPLOAD);
  job->down = harness_buffer (&h, WIDTH * HEIGHT * 4, GABBRO_MEMORY_READBACK);
  ck_assert (h.device->ops->image_create (h.device, &request, &job->source, &error));
  ck_assert (h.device->ops->image_create (h.device, &request, &job->target, &error));
  job->shader = image_shader ();
  job->plan = plan_new ();
  fill_words (job->up.mapped, WIDTH * HEIGHT, 0x11223344);
  plan_image (job->plan, GABBRO_COMMAND_COPY_BUFFER_TO_IMAGE, job->up.handle, job->source, WIDTH, HEIGHT);
  plan_layer (job->plan, &barrier_full);
  {
    const struct gabbro_descriptor descriptors[] = { { .handle = job->source }, { .handle = job->target } };
    plan_dispatch (job->plan, job->shader, descriptors, 2, NULL, 0, (WIDTH + 7) / 8, (HEIGHT + 7) / 8);
  }
  plan_layer (job->plan, &barrier_full);
  plan_image (job->plan, GABBRO_COMMAND_COPY_IMAGE_TO_BUFFER, job->down.handle, job->target, WIDTH, HEIGHT);
  job->plan->images[0] = job->source;
  job->plan->images[1] = job->target;
  job->plan->plan.n_images = 2;
}

static void
image_job_check (const struct image_job *job)
{
  const uint8_t *from = job->up.mapped, *to = job->down.mapped;

  for (uint32_t i = 0; i < WIDTH * HEIGHT; i++)
    {
      ck_assert_uint_eq (to[i * 4 + 0], from[i * 4 + 2]);
      ck_assert_uint_eq (to[i * 4 + 1], from[i * 4 + 1]);
      ck_assert_uint_eq (to[i * 4 + 2], from[i * 4 + 0]);
      ck_assert_uint_eq (to[i * 4 + 3], from[i * 4 + 3]);
    }
}

static void
image_job_clear (struct image_job *job)
{
  h.device->ops->shader_destroy (h.device, job->shader);
  h.device->ops->image_destroy (h.device, job->source);
  h.device->ops->image_destroy (h.device, job->target);
  harness_buffer_free (&h, &job->up);
  harness_buffer_free (&h, &job->down);
  plan_free (job->plan);
}

START_TEST (test_images)
{
  struct image_job job;

  harness_open (&h, true, NULL);
  image_job_init (&job);
  for (unsigned i = 0; i < 3; i++)
    {
      memset (job.down.mapped, 0, WIDTH * HEIGHT * 4);
      harness_run (&h, job.plan);
      image_job_check (&job);
    }
  image_job_clear (&job);
  harness_close (&h);
}
END_TEST

START_TEST (test_image_in_prepared_list)
{
  struct image_job job;
  uint64_t prepared;
  GError *error = NULL;

  harness_open (&h, true, NULL);
  image_job_init (&job);
  job.plan->layers[0].before = barrier_full;
  ck_assert (h.device->ops->list_prepare (h.device, 0, &job.plan->plan, &prepared, &error));
  for (unsigned i = 0; i < 3; i++)
    ck_assert (harness_submit (&h, 0, NULL, prepared, &error));
  harness_finish (&h, 0);
  image_job_check (&job);
  h.device->ops->list_destroy (h.device, prepared);
  image_job_clear (&job);
  harness_close (&h);
}
END_TEST

START_TEST (test_prepared_list)
{
  enum { COUNT = 256, TIMES = 200 };
  struct gabbro_buffer_info a;
  struct plan *plan = plan_new ();
  uint64_t shader, prepared;
  GError *error = NULL;

  harness_open (&h, true, NULL);
  a = harness_buffer (&h, COUNT * 4, GABBRO_MEMORY_UPLOAD);
  memset (a.mapped, 0, COUNT * 4);
  shader = harness_scale_shader (&h);
  plan->layers[0].before = barrier_full;
  plan_scale (plan, shader, a.handle, a.handle, COUNT, 1, 1);
  plan_layer (plan, &barrier_compute);
  plan_scale (plan, shader, a.handle, a.handle, COUNT, 1, 2);
  ck_assert (h.device->ops->list_prepare (h.device, 0, &plan->plan, &prepared, &error));
  /* It keeps no pointer into the plan. */
  plan_free (plan);
  for (unsigned i = 0; i < TIMES; i++)
    ck_assert (harness_submit (&h, 0, NULL, prepared, &error));
  harness_finish (&h, 0);
  for (uint32_t i = 0; i < COUNT; i++)
    ck_assert_uint_eq (((const uint32_t *) a.mapped)[i], TIMES * 3);
  h.device->ops->list_destroy (h.device, prepared);
  h.device->ops->shader_destroy (h.device, shader);
  harness_buffer_free (&h, &a);
  harness_close (&h);
}
END_TEST

START_TEST (test_frames_are_used_again)
{
  struct gabbro_buffer_info a;
  struct plan *plan = plan_new ();

  harness_open (&h, true, NULL);
  a = harness_buffer (&h, 64, GABBRO_MEMORY_UPLOAD);
  plan->layers[0].before = barrier_full;
  plan_fill (plan, a.handle, 0, 64, 1);
  for (unsigned i = 0; i < 50; i++)
    harness_run (&h, plan);
  ck_assert_uint_eq (harness_vulkan (&h)->queues[0].n_ready, 1);
  harness_buffer_free (&h, &a);
  plan_free (plan);
  harness_close (&h);
}
END_TEST

/* Waiting. */

static gpointer
kick_later (gpointer data)
{
  g_usleep (50000);
  h.device->ops->kick (h.device);
  return NULL;
}

START_TEST (test_waits)
{
  struct gabbro_point points[] = { { 0, 1 }, { 0, 2 } };
  uint64_t value = 99;
  gint64 begin;
  GThread *thread;
  GError *error = NULL;

  harness_open (&h, true, NULL);
  ck_assert (h.device->ops->queue_value (h.device, 0, &value));
  ck_assert_uint_eq (value, 0);
  ck_assert_int_eq (h.device->ops->wait (h.device, points, 2, true, false, 0), GABBRO_WAIT_TIMED_OUT);
  begin = g_get_monotonic_time ();
  ck_assert_int_eq (h.device->ops->wait (h.device, points, 1, false, true, 20000000), GABBRO_WAIT_TIMED_OUT);
  ck_assert_int_ge (g_get_monotonic_time () - begin, 19000);
  /* A submission that only signals. */
  ck_assert (harness_submit (&h, 0, NULL, 0, &error));
  ck_assert_int_eq (h.device->ops->wait (h.device, points, 2, false, false, UINT64_MAX), GABBRO_WAIT_DONE);
  ck_assert_int_eq (h.device->ops->wait (h.device, points, 2, true, false, 1000000), GABBRO_WAIT_TIMED_OUT);
  ck_assert (h.device->ops->queue_value (h.device, 0, &value));
  ck_assert_uint_eq (value, 1);
  /* Kicks: from before, from another thread with and without work, twice in one. */
  h.device->ops->kick (h.device);
  h.device->ops->kick (h.device);
  ck_assert_int_eq (h.device->ops->wait (h.device, NULL, 0, false, true, UINT64_MAX), GABBRO_WAIT_DONE);
  ck_assert_int_eq (h.device->ops->wait (h.device, NULL, 0, false, true, 1000000), GABBRO_WAIT_TIMED_OUT);
  thread = g_thread_new ("kick", kick_later, NULL);
  ck_assert_int_eq (h.device->ops->wait (h.device, NULL, 0, false, true, UINT64_MAX), GABBRO_WAIT_DONE);
  g_thread_join (thread);
  thread = g_thread_new ("kick", kick_later, NULL);
  ck_assert_int_eq (h.device->ops->wait (h.device, &points[1], 1, true, true, UINT64_MAX), GABBRO_WAIT_DONE);
  g_thread_join (thread);
  ck_assert (h.device->ops->queue_value (h.device, 0, &value));
  ck_assert_uint_eq (value, 1);
  harness_close (&h);
}
END_TEST

/* While work runs a waiter must neither burn a processor nor miss the kick. */
START_TEST (test_wait_sleeps_while_work_runs)
{
  static const enum gabbro_binding_kind bindings[] = { GABBRO_BINDING_STORAGE_BUFFER };
  const struct gabbro_artifact artifact = { .name = "spin",
                                            .words = spin_words,
                                            .n_words = G_N_ELEMENTS (spin_words),
                                            .entry_point = "main",
                                            .group_size = { 1, 1, 1 },
                                            .push_constant_size = 4,
                                            .bindings = bindings,
                                            .n_bindings = 1 };
  /* Some tenths of a second. */
  const uint32_t count = 100000000;
  struct gabbro_descriptor descriptor = { .offset = 0, .size = 64 };
  struct gabbro_buffer_info result;
  struct gabbro_point point = { 0, 1 };
  struct plan *plan = plan_new ();
  struct timespec before, after;
  GThread *thread;
  uint64_t shader;
  GError *error = NULL;

  harness_open (&h, false, NULL);
  result = harness_buffer (&h, 64, GABBRO_MEMORY_UPLOAD);
  memset (result.mapped, 0, 64);
  ck_assert (h.device->ops->shader_create (h.device, &artifact, &shader, &error));
  descriptor.handle = result.handle;
  plan_dispatch (plan, shader, &descriptor, 1, &count, 4, 1, 1);
  ck_assert (harness_submit (&h, 0, plan, 0, &error));
  thread = g_thread_new ("kick", kick_later, NULL);
  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &before);
  ck_assert_int_eq (h.device->ops->wait (h.device, &point, 1, true, true, UINT64_MAX), GABBRO_WAIT_DONE);
  ck_assert_uint_eq (*(volatile uint32_t *) ((char *) result.mapped + 4), 0);
  ck_assert_int_eq (h.device->ops->wait (h.device, &point, 1, true, true, UINT64_MAX), GABBRO_WAIT_DONE);
  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &after);
  g_thread_join (thread);
  ck_assert_int_lt ((after.tv_sec - before.tv_sec) * 1000000000 + after.tv_nsec - before.tv_nsec, 100000000);
  harness_finish (&h, 0);
  ck_assert_uint_eq (((const uint32_t *) result.mapped)[1], 1);
  h.device->ops->shader_destroy (h.device, shader);
  harness_buffer_free (&h, &result);
  plan_free (plan);
  harness_close (&h);
}
END_TEST

/* All queues: each adds to the same words, in turn, by waits alone. */
START_TEST (test_queues_wait_for_each_other)
{
  enum { COUNT = 64 };
  struct gabbro_buffer_info a;
  struct plan *plan = plan_new ();
  uint64_t shader;
  struct gabbro_point last = { 0, 0 };
  unsigned n = 0;
  GError *error = NULL;

  harness_open (&h, true, NULL);
  a = harness_buffer (&h, COUNT * 4, GABBRO_MEMORY_UPLOAD);
  memset (a.mapped, 0, COUNT * 4);
  shader = harness_scale_shader (&h);
  plan_scale (plan, shader, a.handle, a.handle, COUNT, 1, 1);
  plan->layers[0].before = barrier_full;
  for (unsigned i = 0; i < 40; i++)
    {
      uint32_t queue = i % h.device->n_queues;
      struct gabbro_submission submission
        = { .waits = &last, .n_waits = i == 0 ? 0 : 1, .plan = &plan->plan, .signal = h.value[queue] + 1 };
      if ((h.device->queues[queue].flags & GABBRO_QUEUE_COMPUTE) == 0)
        continue;
      ck_assert (h.device->ops->submit (h.device, queue, &submission, &error));
      last = (struct gabbro_point) { queue, ++h.value[queue] };
      n++;
    }
  for (uint32_t i = 0; i < h.device->n_queues; i++)
    harness_finish (&h, i);
  ck_assert_uint_eq (((const uint32_t *) a.mapped)[COUNT - 1], n);
  h.device->ops->shader_destroy (h.device, shader);
  harness_buffer_free (&h, &a);
  plan_free (plan);
  harness_close (&h);
}
END_TEST

/* Threads make and destroy things while others submit. */
static gpointer
make_and_destroy (gpointer data)
{
  for (unsigned i = 0; i < 100; i++)
    {
      struct gabbro_buffer_info a = harness_buffer (&h, 100 + i * 1000, GABBRO_MEMORY_DEVICE);
      struct gabbro_buffer_info b = harness_buffer (&h, 10000 - i, GABBRO_MEMORY_UPLOAD);
      memset (b.mapped, 1, 10000 - i);
      harness_buffer_free (&h, &a);
      harness_buffer_free (&h, &b);
    }
  return NULL;
}

START_TEST (test_threads)
{
  GThread *threads[4];
  struct plan *plan = plan_new ();
  struct gabbro_buffer_info a;

  harness_open (&h, true, NULL);
  a = harness_buffer (&h, 64, GABBRO_MEMORY_UPLOAD);
  plan_fill (plan, a.handle, 0, 64, 1);
  plan->layers[0].before = barrier_full;
  for (unsigned i = 0; i < 4; i++)
    threads[i] = g_thread_new ("maker", make_and_destroy, NULL);
  for (unsigned i = 0; i < 100; i++)
    harness_run (&h, plan);
  for (unsigned i = 0; i < 4; i++)
    g_thread_join (threads[i]);
  harness_buffer_free (&h, &a);
  plan_free (plan);
  harness_close (&h);
}
END_TEST

/* Failures. */

START_TEST (test_lost)
{
  struct gabbro_buffer_info a;
  struct plan *plan = plan_new ();
  VkSemaphoreSignalInfo backwards = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .value = 1 };
  struct gabbro_point point = { 0, 100 };
  uint64_t value = 77;
  GError *error = NULL;

  harness_open (&h, false, NULL);
  a = harness_buffer (&h, 64, GABBRO_MEMORY_UPLOAD);
  plan_fill (plan, a.handle, 0, 64, 1);
  for (unsigned i = 0; i < 3; i++)
    harness_run (&h, plan);
  backwards.semaphore = harness_vulkan (&h)->queues[0].timeline;
  if (harness_vulkan (&h)->vk.SignalSemaphore (harness_vulkan (&h)->device, &backwards) == VK_ERROR_DEVICE_LOST)
    {
      ck_assert (!harness_submit (&h, 0, plan, 0, &error));
      ck_assert (g_error_matches (error, GABBRO_DRIVER_ERROR, GABBRO_DRIVER_ERROR_LOST));
      ck_assert_ptr_nonnull (strstr (error->message, "lost"));
      g_clear_error (&error);
      /* For good, and with the first reason. */
      ck_assert (!harness_submit (&h, 0, plan, 0, &error));
      ck_assert_ptr_nonnull (strstr (error->message, "vkQueueSubmit2"));
      g_clear_error (&error);
      ck_assert (!h.device->ops->queue_value (h.device, 0, &value));
      ck_assert_uint_eq (value, 77);
      ck_assert_int_eq (h.device->ops->wait (h.device, &point, 1, true, true, UINT64_MAX), GABBRO_WAIT_LOST);
      h.device->ops->kick (h.device);
      ck_assert_uint_eq (h.n_bad, 1);
      h.n_bad = 0;
    }
  harness_buffer_free (&h, &a);
  plan_free (plan);
  harness_close (&h);
}
END_TEST

START_TEST (test_out_of_memory)
{
  struct gabbro_buffer_info kept, info = { .handle = 5, .mapped = &info, .allocated = 6 };
  GError *error = NULL;

  harness_open (&h, true, "memoryHeapSize=16777216");
  kept = harness_buffer (&h, 1 << 20, GABBRO_MEMORY_DEVICE);
  ck_assert (!h.device->ops->buffer_create (h.device, 32 << 20, GABBRO_MEMORY_DEVICE, &info, &error));
  ck_assert (g_error_matches (error, GABBRO_DRIVER_ERROR, GABBRO_DRIVER_ERROR_OUT_OF_DEVICE_MEMORY));
  ck_assert_ptr_nonnull (strstr (error->message, "33554432"));
  ck_assert_ptr_nonnull (strstr (error->message, "16777216"));
  ck_assert_uint_eq (info.handle, 5);
  ck_assert_uint_eq (info.allocated, 6);
  g_clear_error (&error);
  harness_buffer_free (&h, &kept);
  harness_close (&h);
}
END_TEST

START_TEST (test_bad_artifact)
{
  static const uint32_t words[] = { 0x07230203, 0x00010500, 0, 1, 0 };
  const struct gabbro_artifact artifact
    = { .name = "broken", .words = words, .n_words = 5, .entry_point = "main", .group_size = { 1, 1, 1 } };
  uint64_t shader = 3;
  GError *error = NULL;

  harness_open (&h, false, NULL);
  /* Mesa loses some memory when it refuses a kernel. */
  if (__lsan_disable != NULL)
    __lsan_disable ();
  ck_assert (!h.device->ops->shader_create (h.device, &artifact, &shader, &error));
  if (__lsan_enable != NULL)
    __lsan_enable ();
  ck_assert_ptr_nonnull (error);
  ck_assert_ptr_nonnull (strstr (error->message, "broken"));
  ck_assert_uint_eq (shader, 3);
  g_clear_error (&error);
  harness_close (&h);
}
END_TEST

START_TEST (test_masked_away)
{
  GError *error = NULL;

  harness_init (&h, false, "-timelineSemaphore,apiVersion=1.2");
  ck_assert_int_eq (harness_probe (&h, &error), GABBRO_PROBE_BOUND);
  ck_assert_ptr_nonnull (h.instance->adapters[0]->unusable);
  ck_assert_ptr_null (gabbro_driver.open (h.instance, h.instance->adapters[0], &error));
  ck_assert (g_error_matches (error, GABBRO_DRIVER_ERROR, GABBRO_DRIVER_ERROR_NOT_SUPPORTED));
  ck_assert_ptr_nonnull (strstr (error->message, "timelineSemaphore"));
  ck_assert_ptr_nonnull (strstr (error->message, "1.2"));
  g_clear_error (&error);
  harness_close (&h);

  harness_init (&h, false, "maxNonsense=1");
  ck_assert_int_eq (harness_probe (&h, &error), GABBRO_PROBE_FAILED);
  ck_assert_ptr_nonnull (strstr (error->message, "maxNonsense"));
  g_clear_error (&error);
  harness_close (&h);

  harness_init (&h, false, "maxPushConstantsSize=1000000");
  ck_assert_int_eq (harness_probe (&h, &error), GABBRO_PROBE_BOUND);
  ck_assert_ptr_nonnull (strstr (h.instance->adapters[0]->unusable, "maxPushConstantsSize"));
  harness_close (&h);
}
END_TEST

static Suite *
make_suite (void)
{
  const struct
  {
    const char *name;
    const TTest *test;
  } tests[] = {
    { "open", test_open_close },
    { "two-devices", test_two_devices },
    { "native-kinds", test_native_kinds },
    { "attributes", test_attributes },
    { "buffers", test_buffers },
    { "copies", test_copy_and_fill },
    { "chain", test_chain },
    { "missing-barrier", test_missing_barrier_is_seen },
    { "sets", test_sets_are_shared },
    { "shader-goes", test_shader_goes_before_retire },
    { "images", test_images },
    { "image-in-prepared-list", test_image_in_prepared_list },
    { "prepared-list", test_prepared_list },
    { "frames", test_frames_are_used_again },
    { "waits", test_waits },
    { "wait-sleeps", test_wait_sleeps_while_work_runs },
    { "queues", test_queues_wait_for_each_other },
    { "threads", test_threads },
    { "lost", test_lost },
    { "out-of-memory", test_out_of_memory },
    { "bad-artifact", test_bad_artifact },
    { "masked-away", test_masked_away },
  };
  Suite *suite = suite_create ("driver");

  for (unsigned i = 0; i < G_N_ELEMENTS (tests); i++)
    tcase_add_test (gb_test_case (suite, tests[i].name), tests[i].test);
  return suite;
}

int
main (void)
{
  int status = harness_device_status ();
  SRunner *runner;

  if (status != 0)
    return status;
  runner = srunner_create (make_suite ());
  srunner_run_all (runner, CK_ENV);
  status = srunner_ntests_failed (runner) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
  srunner_free (runner);
  return status;
}
