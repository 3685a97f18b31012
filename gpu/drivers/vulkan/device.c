/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/drivers/vulkan/device.h"

/* Loss. */

bool
vulkan_device_is_lost (struct vulkan_device *device)
{
  return g_atomic_int_get (&device->lost) != 0;
}

VkResult
vulkan_device_check (struct vulkan_device *device, VkResult result, const char *what)
{
  if (result != VK_ERROR_DEVICE_LOST)
    return result;
  /* The first reason is kept; what fails later fails because of it. */
  if (g_atomic_int_compare_and_exchange (&device->losing, 0, 1))
    {
      g_snprintf (device->lost_reason, sizeof device->lost_reason, "%s answered VK_ERROR_DEVICE_LOST", what);
      g_atomic_int_set (&device->lost, 1);
      vulkan_log_add (device->log, GABBRO_LOG_ERROR, "%s: the device is lost: %s", device->adapter->base.info.name,
                      device->lost_reason);
    }
  return result;
}

void
vulkan_device_set_lost_error (struct vulkan_device *device, GError **error)
{
  g_set_error (error, GABBRO_DRIVER_ERROR, GABBRO_DRIVER_ERROR_LOST, "%s: the device is lost: %s",
               device->adapter->base.info.name, vulkan_device_is_lost (device) ? device->lost_reason : "just now");
}

void
vulkan_device_name (struct vulkan_device *device, VkObjectType type, uint64_t object, const char *name)
{
  const VkDebugUtilsObjectNameInfoEXT info = { .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
                                               .objectType = type,
                                               .objectHandle = object,
                                               .pObjectName = name };

  if (device->vk.SetDebugUtilsObjectNameEXT != NULL)
    device->vk.SetDebugUtilsObjectNameEXT (device->device, &info);
}

/* Memory. */

static void
read_heaps (void *data, struct vulkan_heap_state *state)
{
  vulkan_adapter_heap_state (data, state->budget, state->usage);
}

static bool
memory_budget (struct gabbro_driver_device *base, uint64_t *used, uint64_t *budget)
{
  struct vulkan_device *device = (struct vulkan_device *) base;
  uint64_t left;

  vulkan_memory_heap (&device->memory, device->plan->memory.main_heap, used, &left);
  *budget = *used + left;
  vulkan_log_flush (device->log);
  return true;
}

/* Opening and closing. */

static void
device_free (struct vulkan_device *device, uint32_t n_queues)
{
  struct vulkan_log *log = device->log;

  if (device->device != NULL)
    {
      for (uint32_t i = 0; i < n_queues; i++)
        vulkan_queue_clear (device, i);
      if (device->kick != VK_NULL_HANDLE)
        vulkan_kick_clear (device);
      vulkan_memory_clear (&device->memory);
      device->vk.DestroyPipelineCache (device->device, device->pipelines, NULL);
      device->vk.DestroyDevice (device->device, NULL);
    }
  g_mutex_clear (&device->layout_mutex);
  g_free (device);
  vulkan_log_flush (log);
}

static void
device_close (struct gabbro_driver_device *base)
{
  struct vulkan_device *device = (struct vulkan_device *) base;

  /* A lost device may never answer; all work is given up then. */
  if (!vulkan_device_is_lost (device))
    device->vk.DeviceWaitIdle (device->device);
  device_free (device, device->base.n_queues);
}

static const struct gabbro_device_ops ops = {
  .close = device_close,
  .buffer_create = vulkan_buffer_create,
  .buffer_destroy = vulkan_buffer_destroy,
  .image_create = vulkan_image_create,
  .image_destroy = vulkan_image_destroy,
  .shader_create = vulkan_shader_create,
  .shader_destroy = vulkan_shader_destroy,
  .list_prepare = vulkan_list_prepare,
  .list_destroy = vulkan_list_destroy,
  .submit = vulkan_submit,
  .queue_value = vulkan_queue_value,
  .wait = vulkan_wait,
  .kick = vulkan_kick,
  .retire = vulkan_retire,
  .memory_budget = memory_budget,
  .get_native = vulkan_get_native,
  .queue_lock = vulkan_queue_lock,
  .queue_unlock = vulkan_queue_unlock,
  .buffer_wrap = vulkan_buffer_wrap,
  .image_wrap = vulkan_image_wrap,
  .pipelines_load = vulkan_pipelines_load,
  .pipelines_save = vulkan_pipelines_save,
};

static bool
create_handle (struct vulkan_device *device, GError **error)
{
  const struct vulkan_connection *connection = device->adapter->connection;
  struct vulkan_device_request *request = g_new (struct vulkan_device_request, 1);
  const char *missing;
  VkResult result;

  vulkan_plan_request (device->plan, request);
  result = connection->vk.CreateDevice (device->adapter->physical, &request->info, NULL, &device->device);
  g_free (request);
  if (result != VK_SUCCESS)
    {
      device->device = NULL;
      vulkan_set_error (error, result, "%s cannot be opened", device->adapter->base.info.name);
      return false;
    }
  missing = vulkan_device_table_load (&device->vk, connection->vk.GetDeviceProcAddr, device->device);
  if (missing == NULL)
    return true;
  g_set_error (error, GABBRO_DRIVER_ERROR, GABBRO_DRIVER_ERROR_FAILED, "%s: the driver has no %s",
               device->adapter->base.info.name, missing);
  /* The table may lack what a proper end takes, but for this. */
  if (device->vk.DestroyDevice != NULL)
    device->vk.DestroyDevice (device->device, NULL);
  device->device = NULL;
  return false;
}

struct gabbro_driver_device *
vulkan_device_open (struct gabbro_driver_instance *base, struct gabbro_driver_adapter *base_adapter, GError **error)
{
  struct vulkan_adapter *adapter = (struct vulkan_adapter *) base_adapter;
  struct vulkan_device *device;
  uint32_t n_queues = 0;
  bool ok;

  if (adapter->base.unusable != NULL)
    {
      g_set_error (error, GABBRO_DRIVER_ERROR, GABBRO_DRIVER_ERROR_NOT_SUPPORTED, "%s cannot be used: %s",
                   adapter->base.info.name, adapter->base.unusable);
      return NULL;
    }
  device = g_new0 (struct vulkan_device, 1);
  device->base.ops = &ops;
  device->base.groups = vulkan_device_groups;
  device->base.n_groups = vulkan_device_n_groups;
  device->adapter = adapter;
  device->plan = &adapter->plan;
  device->log = adapter->connection->log;
  /* Drivers in software emulate timelines and look at each semaphore in turn, without a pause. */
  device->wait_any_spins = adapter->base.info.type == GABBRO_ADAPTER_TYPE_CPU;
  g_mutex_init (&device->layout_mutex);

  ok = create_handle (device, error);
  if (ok)
    {
      vulkan_memory_init (&device->memory, &device->vk, device->device, &device->plan->memory,
                          device->plan->memory_budget ? read_heaps : NULL, adapter);
      ok = vulkan_kick_init (device, error);
    }
  while (ok && n_queues < device->plan->n_queues)
    {
      device->base.queues[n_queues] = device->plan->queues[n_queues];
      ok = vulkan_queue_init (device, n_queues++, error);
    }
  if (!ok)
    {
      device_free (device, n_queues);
      return NULL;
    }
  device->base.n_queues = n_queues;
  vulkan_log_flush (device->log);
  return &device->base;
}
