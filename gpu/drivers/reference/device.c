/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/drivers/reference/reference.h"

static void
retire (struct gabbro_driver_device *base, uint32_t queue, uint64_t value)
{
}

static void
device_close (struct gabbro_driver_device *base)
{
  struct reference_device *device = reference_device_of (base);

  host_device_stop (&device->host);
  g_clear_pointer (&device->check, check_free);
  g_mutex_clear (&device->step_lock);
  g_free (device);
}

/* Waits for the step that runs: nobody is called any more that was before. */
static bool
set_trace (struct gabbro_driver_device *base, const struct interpret_trace *trace, GError **error)
{
  struct reference_device *device = reference_device_of (base);

  if (trace != NULL)
    g_atomic_int_set (&device->traces, 1);
  g_mutex_lock (&device->step_lock);
  device->trace = trace;
  g_mutex_unlock (&device->step_lock);
  return true;
}

static const struct gabbro_device_ops reference_ops = {
  .close = device_close,
  .buffer_create = reference_buffer_create,
  .buffer_destroy = reference_memory_destroy,
  .image_create = reference_image_create,
  .image_destroy = reference_memory_destroy,
  .shader_create = reference_shader_create,
  .shader_destroy = reference_shader_destroy,
  .list_prepare = host_list_prepare,
  .list_destroy = host_list_destroy,
  .submit = host_submit,
  .queue_value = host_queue_value,
  .wait = host_wait,
  .kick = host_kick,
  .retire = retire,
  .memory_budget = host_memory_budget,
  .set_trace = set_trace,
};

static const struct host_class reference_class = {
  .thread_name = "gabbro-reference", .dispatch_new = reference_dispatch_new, .run_step = reference_run_step
};

/* On the queue's thread, while it runs the step. */
static void
on_report (const struct check_report *report, gpointer data)
{
  struct reference_device *device = data;
  const struct gabbro_driver_device *base = &device->host.base;

  if (base->report != NULL)
    base->report (base->report_data, report, device->origin);
}

struct gabbro_driver_device *
reference_device_open (struct gabbro_driver_instance *instance, struct gabbro_driver_adapter *adapter, GError **error)
{
  struct reference_device *device = g_new0 (struct reference_device, 1);
  const struct reference_settings *settings = &gb_container_of (adapter, struct reference_adapter, base)->settings;
  const struct check_options options = { .kinds = settings->checks, .limit = settings->reports };

  device->settings = settings;
  g_mutex_init (&device->step_lock);
  if (settings->checks != 0)
    device->check = check_new (&options, on_report, device);
  device->host.base.ops = &reference_ops;
  host_device_start (&device->host, &reference_class, gb_container_of (instance, struct reference_instance, base)->host,
                     &settings->host);
  return &device->host.base;
}
