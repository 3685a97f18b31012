/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/drivers/vulkan/device.h"

/* Frames that wait for work, a queue. */
#define MOST_READY 64

/* Frames. */

static void
frame_free (struct vulkan_device *device, struct vulkan_frame *frame)
{
  vulkan_set_chunks_return (frame->chunks);
  device->vk.DestroyCommandPool (device->device, frame->pool, NULL);
  g_free (frame);
}

static VkResult
alloc_commands (struct vulkan_device *device, VkCommandPool pool, VkCommandBuffer *out)
{
  const VkCommandBufferAllocateInfo info = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                             .commandPool = pool,
                                             .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                             .commandBufferCount = 1 };

  return device->vk.AllocateCommandBuffers (device->device, &info, out);
}

static VkResult
frame_new (struct vulkan_device *device, struct vulkan_queue *queue, struct vulkan_frame **out)
{
  const VkCommandPoolCreateInfo info = { .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                         .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
                                         .queueFamilyIndex = queue->family };
  struct vulkan_frame *frame = g_new0 (struct vulkan_frame, 1);
  VkResult result = device->vk.CreateCommandPool (device->device, &info, NULL, &frame->pool);

  if (result == VK_SUCCESS)
    result = alloc_commands (device, frame->pool, &frame->commands);
  if (result != VK_SUCCESS)
    {
      frame_free (device, frame);
      return result;
    }
  gb_list_init (&frame->link);
  *out = frame;
  return VK_SUCCESS;
}

static VkResult
take_frame (struct vulkan_device *device, struct vulkan_queue *queue, struct vulkan_frame **out)
{
  struct vulkan_frame *frame;
  VkResult result;

  g_mutex_lock (&queue->frames_mutex);
  frame = gb_list_first (&queue->ready, struct vulkan_frame, link);
  if (frame != NULL)
    {
      gb_list_remove (&frame->link);
      queue->n_ready--;
    }
  g_mutex_unlock (&queue->frames_mutex);
  if (frame == NULL)
    return frame_new (device, queue, out);
  result = device->vk.ResetCommandPool (device->device, frame->pool, 0);
  if (result != VK_SUCCESS)
    {
      frame_free (device, frame);
      return result;
    }
  *out = frame;
  return VK_SUCCESS;
}

/* The frame is not in use, or no more. */
static void
give_frame_back (struct vulkan_device *device, struct vulkan_queue *queue, struct vulkan_frame *frame)
{
  bool keep;

  vulkan_set_chunks_return (frame->chunks);
  frame->chunks = NULL;
  g_mutex_lock (&queue->frames_mutex);
  keep = queue->n_ready < MOST_READY;
  if (keep)
    {
      gb_list_append (&queue->ready, &frame->link);
      queue->n_ready++;
    }
  g_mutex_unlock (&queue->frames_mutex);
  if (!keep)
    frame_free (device, frame);
}

void
vulkan_retire (struct gabbro_driver_device *base, uint32_t index, uint64_t value)
{
  struct vulkan_device *device = (struct vulkan_device *) base;
  struct vulkan_queue *queue = &device->queues[index];
  struct gb_list done;

  gb_list_init (&done);
  if (__atomic_load_n (&queue->completed, __ATOMIC_RELAXED) < value)
    __atomic_store_n (&queue->completed, value, __ATOMIC_RELEASE);
  g_mutex_lock (&queue->frames_mutex);
  for (;;)
    {
      struct vulkan_frame *frame = gb_list_first (&queue->pending, struct vulkan_frame, link);
      if (frame == NULL || frame->value > value)
        break;
      gb_list_remove (&frame->link);
      gb_list_append (&done, &frame->link);
    }
  g_mutex_unlock (&queue->frames_mutex);
  gb_list_for_each_safe (frame, &done, struct vulkan_frame, link)
    {
      gb_list_remove (&frame->link);
      give_frame_back (device, queue, frame);
    }
  vulkan_log_flush (device->log);
}

bool
vulkan_queue_init (struct vulkan_device *device, uint32_t index, GError **error)
{
  const VkSemaphoreTypeCreateInfo type = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                           .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE };
  const VkSemaphoreCreateInfo info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type };
  struct vulkan_queue *queue = &device->queues[index];
  const struct gabbro_queue_info *planned = &device->plan->queues[index];
  VkResult result;

  queue->index = index;
  queue->family = planned->family;
  queue->flags = planned->flags;
  g_mutex_init (&queue->mutex);
  g_mutex_init (&queue->frames_mutex);
  gb_list_init (&queue->pending);
  gb_list_init (&queue->ready);
  device->vk.GetDeviceQueue (device->device, planned->family, planned->index, &queue->queue);
  if (queue->queue == NULL)
    {
      g_set_error (error, GABBRO_DRIVER_ERROR, GABBRO_DRIVER_ERROR_FAILED,
                   "the device gives no queue %u of family %u, though it says to have it", planned->index,
                   planned->family);
      return false;
    }
  result = device->vk.CreateSemaphore (device->device, &info, NULL, &queue->timeline);
  if (result != VK_SUCCESS)
    vulkan_set_error (error, result, "timeline of queue %u", index);
  return result == VK_SUCCESS;
}

void
vulkan_queue_clear (struct vulkan_device *device, uint32_t index)
{
  struct vulkan_queue *queue = &device->queues[index];

  gb_list_splice (&queue->ready, &queue->pending);
  gb_list_for_each_safe (frame, &queue->ready, struct vulkan_frame, link)
    {
      gb_list_remove (&frame->link);
      frame_free (device, frame);
    }
  device->vk.DestroySemaphore (device->device, queue->timeline, NULL);
  g_free (queue->encoder.scratch);
  g_mutex_clear (&queue->mutex);
  g_mutex_clear (&queue->frames_mutex);
}

/* Submission. */

struct submitting
{
  struct vulkan_device *device;
  struct vulkan_queue *queue;
  const struct gabbro_submission *submission;
  const uint64_t *images;
  uint32_t n_images;
  struct vulkan_frame *frame;           /* NULL: none is needed */
  VkSemaphoreSubmitInfo waits[GABBRO_MAX_QUEUES];
  uint32_t n_waits;
  VkCommandBufferSubmitInfo commands[2];
  uint32_t n_commands;
};

/* The largest value of a queue stands for all of it. */
static void
add_wait (struct submitting *submitting, uint32_t queue, uint64_t value)
{
  VkSemaphore timeline = submitting->device->queues[queue].timeline;

  for (uint32_t i = 0; i < submitting->n_waits; i++)
    if (submitting->waits[i].semaphore == timeline)
      {
        submitting->waits[i].value = MAX (submitting->waits[i].value, value);
        return;
      }
  submitting->waits[submitting->n_waits++]
    = (VkSemaphoreSubmitInfo) { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
                                .semaphore = timeline,
                                .value = value,
                                .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT };
}

static void
add_commands (struct submitting *submitting, VkCommandBuffer commands)
{
  submitting->commands[submitting->n_commands++]
    = (VkCommandBufferSubmitInfo) { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, .commandBuffer = commands };
}

static VkResult
begin (struct vulkan_device *device, VkCommandBuffer commands)
{
  const VkCommandBufferBeginInfo info = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                          .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT };

  return device->vk.BeginCommandBuffer (commands, &info);
}

static VkResult
encode_transitions (struct submitting *submitting)
{
  struct vulkan_device *device = submitting->device;
  struct vulkan_frame *frame = submitting->frame;
  VkResult result = VK_SUCCESS;

  if (frame->transitions == NULL)
    result = alloc_commands (device, frame->pool, &frame->transitions);
  if (result == VK_SUCCESS)
    result = begin (device, frame->transitions);
  if (result != VK_SUCCESS)
    return result;
  vulkan_encode_transitions (device, frame->transitions, submitting->images, submitting->n_images);
  add_commands (submitting, frame->transitions);
  return device->vk.EndCommandBuffer (frame->transitions);
}

static VkResult
encode_plan (struct submitting *submitting)
{
  struct vulkan_device *device = submitting->device;
  struct vulkan_frame *frame = submitting->frame;
  VkResult result = begin (device, frame->commands);

  if (result == VK_SUCCESS)
    result = vulkan_encode (device, submitting->queue, submitting->submission->plan, frame->commands, &frame->chunks);
  if (result != VK_SUCCESS)
    return result;
  add_commands (submitting, frame->commands);
  return device->vk.EndCommandBuffer (frame->commands);
}

static VkResult
encode (struct submitting *submitting, bool transitions)
{
  const struct gabbro_submission *submission = submitting->submission;
  const struct vulkan_prepared *prepared = vulkan_pointer (submission->prepared);
  VkResult result = VK_SUCCESS;

  if (transitions || submission->plan != NULL)
    result = take_frame (submitting->device, submitting->queue, &submitting->frame);
  if (result == VK_SUCCESS && transitions)
    result = encode_transitions (submitting);
  if (result == VK_SUCCESS && submission->plan != NULL)
    result = encode_plan (submitting);
  if (result == VK_SUCCESS && prepared != NULL)
    add_commands (submitting, prepared->commands);
  return result;
}

static VkResult
queue_submit (struct submitting *submitting)
{
  struct vulkan_queue *queue = submitting->queue;
  const VkSemaphoreSubmitInfo signal = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
                                         .semaphore = queue->timeline,
                                         .value = submitting->submission->signal,
                                         .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT };
  const VkSubmitInfo2 info = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
                               .waitSemaphoreInfoCount = submitting->n_waits,
                               .pWaitSemaphoreInfos = submitting->waits,
                               .commandBufferInfoCount = submitting->n_commands,
                               .pCommandBufferInfos = submitting->commands,
                               .signalSemaphoreInfoCount = 1,
                               .pSignalSemaphoreInfos = &signal };

  return submitting->device->vk.QueueSubmit2 (queue->queue, 1, &info, VK_NULL_HANDLE);
}

/* The queue's mutex is held; with `transitions` also the layout mutex. */
static VkResult
submit_locked (struct submitting *submitting, bool transitions)
{
  struct vulkan_queue *queue = submitting->queue;
  VkResult result = encode (submitting, transitions);
  struct vulkan_frame *frame = submitting->frame;

  if (frame != NULL)
    {
      /* Before the queue may signal the value, so that retire finds it. */
      frame->value = submitting->submission->signal;
      g_mutex_lock (&queue->frames_mutex);
      gb_list_append (&queue->pending, &frame->link);
      g_mutex_unlock (&queue->frames_mutex);
    }
  if (result == VK_SUCCESS)
    result = queue_submit (submitting);
  if (result != VK_SUCCESS && frame != NULL)
    {
      g_mutex_lock (&queue->frames_mutex);
      gb_list_remove (&frame->link);
      g_mutex_unlock (&queue->frames_mutex);
      give_frame_back (submitting->device, queue, frame);
    }
  for (uint32_t i = 0; transitions && result == VK_SUCCESS && i < submitting->n_images; i++)
    {
      struct vulkan_image *image = vulkan_pointer (submitting->images[i]);
      if (g_atomic_int_get (&image->ready) != 0)
        continue;
      image->ready_queue = queue->index;
      image->ready_value = submitting->submission->signal;
      g_atomic_int_set (&image->ready, 1);
    }
  return result;
}

/* Whether an image has still to be put into its layout. Others may have been by
 * another queue, and that must be waited for. */
static bool
look_at_images (struct submitting *submitting)
{
  bool transitions = false;

  for (uint32_t i = 0; i < submitting->n_images; i++)
    {
      struct vulkan_image *image = vulkan_pointer (submitting->images[i]);
      if (g_atomic_int_get (&image->ready) == 0)
        transitions = true;
      else if (image->ready_queue != submitting->queue->index
               && __atomic_load_n (&submitting->device->queues[image->ready_queue].completed, __ATOMIC_ACQUIRE)
                    < image->ready_value)
        add_wait (submitting, image->ready_queue, image->ready_value);
    }
  return transitions;
}

static void
fill_submitting (struct submitting *submitting, const struct gabbro_submission *submission)
{
  const struct vulkan_prepared *prepared = vulkan_pointer (submission->prepared);

  submitting->submission = submission;
  if (submission->plan != NULL)
    {
      submitting->images = submission->plan->images;
      submitting->n_images = submission->plan->n_images;
    }
  else if (prepared != NULL)
    {
      submitting->images = prepared->images;
      submitting->n_images = prepared->n_images;
    }
  for (uint32_t i = 0; i < submission->n_waits; i++)
    add_wait (submitting, submission->waits[i].queue, submission->waits[i].value);
}

bool
vulkan_submit (struct gabbro_driver_device *base, uint32_t index, const struct gabbro_submission *submission,
               GError **error)
{
  struct vulkan_device *device = (struct vulkan_device *) base;
  struct submitting submitting = { .device = device, .queue = &device->queues[index] };
  bool transitions;
  VkResult result;

  if (vulkan_device_is_lost (device))
    {
      vulkan_device_set_lost_error (device, error);
      return false;
    }
  fill_submitting (&submitting, submission);
  transitions = look_at_images (&submitting);
  if (transitions)
    {
      g_mutex_lock (&device->layout_mutex);
      /* Another queue may have been faster. */
      transitions = look_at_images (&submitting);
      if (!transitions)
        g_mutex_unlock (&device->layout_mutex);
    }
  g_mutex_lock (&submitting.queue->mutex);
  result = submit_locked (&submitting, transitions);
  g_mutex_unlock (&submitting.queue->mutex);
  if (transitions)
    g_mutex_unlock (&device->layout_mutex);

  if (vulkan_device_check (device, result, "vkQueueSubmit2") == VK_ERROR_DEVICE_LOST)
    vulkan_device_set_lost_error (device, error);
  else if (result != VK_SUCCESS)
    vulkan_set_error (error, result, "submission to queue %u", index);
  vulkan_log_flush (device->log);
  return result == VK_SUCCESS;
}
