/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/drivers/vulkan/device.h"

#include <time.h>

#define MILLISECOND UINT64_C (1000000)

/* A wait goes to sleep for so long at most, so that a loss that only another
 * thread saw is seen here too. */
#define LONGEST_SLEEP (1000 * MILLISECOND)
/* Where several semaphores cannot be waited for without spinning: how long it may
 * take until a kick is seen while work is running. */
#define SHARED_SLEEP MILLISECOND

bool
vulkan_kick_init (struct vulkan_device *device, GError **error)
{
  const VkSemaphoreTypeCreateInfo type = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                           .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE };
  const VkSemaphoreCreateInfo info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type };
  VkResult result = device->vk.CreateSemaphore (device->device, &info, NULL, &device->kick);

  g_mutex_init (&device->kick_mutex);
  if (result != VK_SUCCESS)
    vulkan_set_error (error, result, "semaphore for waking up");
  return result == VK_SUCCESS;
}

void
vulkan_kick_clear (struct vulkan_device *device)
{
  device->vk.DestroySemaphore (device->device, device->kick, NULL);
  g_mutex_clear (&device->kick_mutex);
}

void
vulkan_kick (struct gabbro_driver_device *base)
{
  struct vulkan_device *device = (struct vulkan_device *) base;
  VkResult result = VK_SUCCESS;

  g_mutex_lock (&device->kick_mutex);
  /* One that nobody has seen yet will wake the waiter as well. */
  if (device->kick_value == device->kick_seen)
    {
      const VkSemaphoreSignalInfo info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
                                           .semaphore = device->kick,
                                           .value = ++device->kick_value };
      result = device->vk.SignalSemaphore (device->device, &info);
    }
  g_mutex_unlock (&device->kick_mutex);
  vulkan_device_check (device, result, "vkSignalSemaphore");
  vulkan_log_flush (device->log);
}

/* Whether there was one. `next` is the value of the next. */
static bool
take_kick (struct vulkan_device *device, uint64_t *next)
{
  bool kicked;

  g_mutex_lock (&device->kick_mutex);
  kicked = device->kick_value != device->kick_seen;
  device->kick_seen = device->kick_value;
  *next = device->kick_value + 1;
  g_mutex_unlock (&device->kick_mutex);
  return kicked;
}

static bool
read_value (struct vulkan_device *device, uint32_t index, uint64_t *value)
{
  struct vulkan_queue *queue = &device->queues[index];
  uint64_t known = __atomic_load_n (&queue->completed, __ATOMIC_ACQUIRE);
  VkResult result = device->vk.GetSemaphoreCounterValue (device->device, queue->timeline, value);

  /* Some drivers answer success and the largest value when the device is lost. */
  if (result == VK_SUCCESS && *value == UINT64_MAX)
    result = VK_ERROR_DEVICE_LOST;
  if (vulkan_device_check (device, result, "vkGetSemaphoreCounterValue") == VK_ERROR_DEVICE_LOST)
    return false;
  if (result != VK_SUCCESS)
    *value = known;
  return true;
}

bool
vulkan_queue_value (struct gabbro_driver_device *base, uint32_t index, uint64_t *value)
{
  struct vulkan_device *device = (struct vulkan_device *) base;
  uint64_t read;
  bool ok = !vulkan_device_is_lost (device) && read_value (device, index, &read);

  /* Called under a lock of the library: what there is to log waits for the next call that may. */
  if (ok)
    *value = read;
  return ok;
}

/* Waiting. */

struct waiting
{
  struct vulkan_device *device;
  /* One a queue: all points of it are reached with this value, or one of them. */
  uint64_t values[GABBRO_MAX_QUEUES];
  bool wanted[GABBRO_MAX_QUEUES];
  uint32_t n_wanted;
  bool all, kick;
  uint64_t next_kick;
  uint64_t deadline;                    /* monotonic nanoseconds; UINT64_MAX: none */
};

static uint64_t
now (void)
{
  struct timespec time;

  clock_gettime (CLOCK_MONOTONIC, &time);
  return (uint64_t) time.tv_sec * UINT64_C (1000000000) + (uint64_t) time.tv_nsec;
}

static void
add_points (struct waiting *waiting, const struct gabbro_point *points, uint32_t n_points)
{
  for (uint32_t i = 0; i < n_points; i++)
    {
      uint32_t queue = points[i].queue;
      uint64_t *value = &waiting->values[queue];

      if (!waiting->wanted[queue])
        *value = points[i].value;
      else
        *value = waiting->all ? MAX (*value, points[i].value) : MIN (*value, points[i].value);
      waiting->n_wanted += !waiting->wanted[queue];
      waiting->wanted[queue] = true;
    }
}

enum progress { PROGRESS_NONE, PROGRESS_DONE, PROGRESS_LOST };

/* Crosses out what is reached. */
static enum progress
look (struct waiting *waiting)
{
  for (uint32_t i = 0; i < waiting->device->base.n_queues; i++)
    if (waiting->wanted[i])
      {
        uint64_t value;
        if (!read_value (waiting->device, i, &value))
          return PROGRESS_LOST;
        if (value < waiting->values[i])
          continue;
        if (!waiting->all)
          return PROGRESS_DONE;
        waiting->wanted[i] = false;
        waiting->n_wanted--;
      }
  return waiting->n_wanted == 0 && (waiting->all || !waiting->kick) ? PROGRESS_DONE : PROGRESS_NONE;
}

static VkResult
sleep_on (struct waiting *waiting, uint64_t time)
{
  struct vulkan_device *device = waiting->device;
  VkSemaphore semaphores[GABBRO_MAX_QUEUES + 1];
  uint64_t values[GABBRO_MAX_QUEUES + 1];
  VkSemaphoreWaitInfo info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                               .pSemaphores = semaphores,
                               .pValues = values };
  uint32_t n = 0;

  for (uint32_t i = 0; i < device->base.n_queues; i++)
    if (waiting->wanted[i])
      {
        semaphores[n] = device->queues[i].timeline;
        values[n++] = waiting->values[i];
      }
  if (waiting->kick)
    {
      semaphores[n] = device->kick;
      values[n++] = waiting->next_kick;
    }
  info.semaphoreCount = n;
  if (!waiting->all || waiting->kick)
    info.flags = VK_SEMAPHORE_WAIT_ANY_BIT;
  /* The first one alone, and a look at the others now and then. */
  if (n > 1 && info.flags != 0 && device->wait_any_spins)
    {
      info.semaphoreCount = 1;
      time = MIN (time, SHARED_SLEEP);
    }
  return device->vk.WaitSemaphores (device->device, &info, time);
}

static enum gabbro_wait_result
wait_loop (struct waiting *waiting)
{
  for (;;)
    {
      enum progress progress;
      uint64_t time = LONGEST_SLEEP;
      VkResult result;

      if (vulkan_device_is_lost (waiting->device))
        return GABBRO_WAIT_LOST;
      if (waiting->kick && take_kick (waiting->device, &waiting->next_kick))
        return GABBRO_WAIT_DONE;
      progress = look (waiting);
      if (progress != PROGRESS_NONE)
        return progress == PROGRESS_DONE ? GABBRO_WAIT_DONE : GABBRO_WAIT_LOST;
      if (waiting->deadline != UINT64_MAX)
        {
          uint64_t at = now ();
          if (at >= waiting->deadline)
            return GABBRO_WAIT_TIMED_OUT;
          time = MIN (time, waiting->deadline - at);
        }
      result = sleep_on (waiting, time);
      if (vulkan_device_check (waiting->device, result, "vkWaitSemaphores") == VK_ERROR_DEVICE_LOST)
        return GABBRO_WAIT_LOST;
      /* Out of memory, say: others may give some back. */
      if (result != VK_SUCCESS && result != VK_TIMEOUT)
        g_usleep (1000);
    }
}

enum gabbro_wait_result
vulkan_wait (struct gabbro_driver_device *base, const struct gabbro_point *points, uint32_t n_points, bool all, bool kick,
             uint64_t timeout)
{
  struct vulkan_device *device = (struct vulkan_device *) base;
  struct waiting waiting = { .device = device, .all = all, .kick = kick, .deadline = UINT64_MAX };
  enum gabbro_wait_result result;

  if (timeout != UINT64_MAX)
    {
      uint64_t at = now ();
      waiting.deadline = timeout < UINT64_MAX - at ? at + timeout : UINT64_MAX;
    }
  /* Nothing to wait for but a kick: that is not done at once. */
  if (n_points == 0 && kick)
    waiting.all = false;
  add_points (&waiting, points, n_points);
  result = wait_loop (&waiting);
  vulkan_log_flush (device->log);
  return result;
}
