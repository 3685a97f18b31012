/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* From a plan to a command buffer. Nothing here allocates, locks or formats for
 * each command: descriptor sets come from chunks that the shader's store hands out,
 * equal arguments share a set, and what is bound already is not bound again. */

#include "config.h"

#include "gpu/drivers/vulkan/device.h"
#include "lib/checked.h"

/* Sets that a plan gets for a shader at first; each further chunk is four times as large. */
#define FIRST_CHUNK 32u

struct encoding
{
  const struct vulkan_device_table *vk;
  VkDevice device;
  VkCommandBuffer commands;
  struct vulkan_encoder *encoder;
  uint32_t queue;
  bool computes;                        /* the queue does */
  struct vulkan_set_chunk *chunks;
  uint32_t left;                        /* commands that may need a set */

  /* What is bound. */
  const struct vulkan_shader *shader;
  VkDescriptorSet set;
  const void *push_constants;

  /* The last barrier, in both forms: most are equal. */
  struct gabbro_barrier barrier;
  VkMemoryBarrier2 converted;
};

/* Barriers. */

static VkPipelineStageFlags2
stages (const struct encoding *encoding, uint32_t from)
{
  VkPipelineStageFlags2 to = VK_PIPELINE_STAGE_2_NONE;

  /* A queue that only copies knows no shader stage by name. */
  if ((from & GABBRO_STAGE_COMPUTE) != 0)
    to |= encoding->computes ? VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT : VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  if ((from & GABBRO_STAGE_TRANSFER) != 0)
    to |= VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;
  if ((from & GABBRO_STAGE_HOST) != 0)
    to |= VK_PIPELINE_STAGE_2_HOST_BIT;
  if ((from & GABBRO_STAGE_ALL) != 0)
    to |= VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  return to;
}

static VkAccessFlags2
accesses (uint32_t from)
{
  static const struct
  {
    uint32_t from;
    VkAccessFlags2 to;
  } table[] = {
    { GABBRO_ACCESS_SHADER_READ, VK_ACCESS_2_SHADER_READ_BIT },
    { GABBRO_ACCESS_SHADER_WRITE, VK_ACCESS_2_SHADER_WRITE_BIT },
    { GABBRO_ACCESS_TRANSFER_READ, VK_ACCESS_2_TRANSFER_READ_BIT },
    { GABBRO_ACCESS_TRANSFER_WRITE, VK_ACCESS_2_TRANSFER_WRITE_BIT },
    { GABBRO_ACCESS_HOST_READ, VK_ACCESS_2_HOST_READ_BIT },
    { GABBRO_ACCESS_HOST_WRITE, VK_ACCESS_2_HOST_WRITE_BIT },
    { GABBRO_ACCESS_MEMORY_READ, VK_ACCESS_2_MEMORY_READ_BIT },
    { GABBRO_ACCESS_MEMORY_WRITE, VK_ACCESS_2_MEMORY_WRITE_BIT },
  };
  VkAccessFlags2 to = VK_ACCESS_2_NONE;

  for (unsigned i = 0; i < G_N_ELEMENTS (table); i++)
    if ((from & table[i].from) != 0)
      to |= table[i].to;
  return to;
}

static void
encode_barrier (struct encoding *encoding, const struct gabbro_barrier *barrier)
{
  const VkDependencyInfo info = { .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
                                  .memoryBarrierCount = 1,
                                  .pMemoryBarriers = &encoding->converted };

  if (barrier->source_stages == 0 && barrier->destination_stages == 0)
    return;
  if (memcmp (barrier, &encoding->barrier, sizeof *barrier) != 0)
    {
      encoding->barrier = *barrier;
      encoding->converted = (VkMemoryBarrier2) { .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
                                                 .srcStageMask = stages (encoding, barrier->source_stages),
                                                 .srcAccessMask = accesses (barrier->source_access),
                                                 .dstStageMask = stages (encoding, barrier->destination_stages),
                                                 .dstAccessMask = accesses (barrier->destination_access) };
    }
  encoding->vk->CmdPipelineBarrier2 (encoding->commands, &info);
}

/* Copies and fills. */

static void
encode_copy_buffer (struct encoding *encoding, const struct gabbro_copy_buffer *copy)
{
  const struct vulkan_buffer *source = vulkan_pointer (copy->source);
  const struct vulkan_buffer *destination = vulkan_pointer (copy->destination);
  const VkBufferCopy region = { copy->source_offset, copy->destination_offset, copy->size };

  encoding->vk->CmdCopyBuffer (encoding->commands, source->buffer, destination->buffer, 1, &region);
}

static void
encode_copy_image (struct encoding *encoding, const struct gabbro_copy_image *copy)
{
  const struct vulkan_buffer *buffer = vulkan_pointer (copy->buffer);
  const struct gabbro_image_level *level = &copy->level;
  const struct vulkan_image *image = vulkan_pointer (level->image);
  const VkBufferImageCopy region = { .bufferOffset = copy->buffer_offset,
                                     .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, level->level, 0, 1 },
                                     .imageExtent = { level->width, level->height, level->depth } };

  if (copy->command.kind == GABBRO_COMMAND_COPY_BUFFER_TO_IMAGE)
    encoding->vk->CmdCopyBufferToImage (encoding->commands, buffer->buffer, image->image, VK_IMAGE_LAYOUT_GENERAL, 1,
                                        &region);
  else
    encoding->vk->CmdCopyImageToBuffer (encoding->commands, image->image, VK_IMAGE_LAYOUT_GENERAL, buffer->buffer, 1,
                                        &region);
}

static void
encode_copy_image_to_image (struct encoding *encoding, const struct gabbro_copy_image_to_image *copy)
{
  const struct vulkan_image *source = vulkan_pointer (copy->source.image);
  const struct vulkan_image *destination = vulkan_pointer (copy->destination.image);
  const VkImageCopy region = { .srcSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, copy->source.level, 0, 1 },
                               .dstSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, copy->destination.level, 0, 1 },
                               .extent = { copy->source.width, copy->source.height, copy->source.depth } };

  encoding->vk->CmdCopyImage (encoding->commands, source->image, VK_IMAGE_LAYOUT_GENERAL, destination->image,
                              VK_IMAGE_LAYOUT_GENERAL, 1, &region);
}

static void
encode_fill (struct encoding *encoding, const struct gabbro_fill_buffer *fill)
{
  const struct vulkan_buffer *buffer = vulkan_pointer (fill->buffer);

  encoding->vk->CmdFillBuffer (encoding->commands, buffer->buffer, fill->offset, fill->size, fill->value);
}

/* Descriptor sets. */

static unsigned
hash_arguments (const struct vulkan_shader *shader, const struct gabbro_descriptor *descriptors)
{
  uint64_t hash = (uint64_t) (uintptr_t) shader;

  for (uint32_t i = 0; i < shader->n_bindings; i++)
    hash = (hash ^ descriptors[i].handle ^ descriptors[i].offset << 7 ^ descriptors[i].size << 19)
           * UINT64_C (0x9e3779b97f4a7c15);
  return (unsigned) (hash >> 32) % VULKAN_SET_TABLE_SIZE;
}

static VkResult
new_set (struct encoding *encoding, struct vulkan_shader *shader, VkDescriptorSet *out)
{
  struct vulkan_set_cursor *cursor = &shader->cursors[encoding->queue];

  if (cursor->epoch != encoding->encoder->epoch || cursor->chunk->n_used == cursor->chunk->n_sets)
    {
      bool first = cursor->epoch != encoding->encoder->epoch;
      uint32_t wanted = first ? FIRST_CHUNK : cursor->chunk->n_sets * 4;
      struct vulkan_set_chunk *chunk;
      VkResult result = vulkan_set_store_take (shader->sets, MIN (wanted, encoding->left), &chunk);
      if (result != VK_SUCCESS)
        return result;
      chunk->next = encoding->chunks;
      encoding->chunks = chunk;
      cursor->chunk = chunk;
      cursor->epoch = encoding->encoder->epoch;
    }
  *out = cursor->chunk->sets[cursor->chunk->n_used++];
  return VK_SUCCESS;
}

static void
write_set (struct encoding *encoding, const struct vulkan_shader *shader, const struct gabbro_descriptor *descriptors,
           VkDescriptorSet set)
{
  union vulkan_descriptor_data *data = encoding->encoder->scratch;

  for (uint32_t i = 0; i < shader->n_bindings; i++)
    if (shader->bindings[i] == GABBRO_BINDING_STORAGE_BUFFER)
      {
        const struct vulkan_buffer *buffer = vulkan_pointer (descriptors[i].handle);
        data[i].buffer = (VkDescriptorBufferInfo) { buffer->buffer, descriptors[i].offset,
                                                  GB_ALIGN_UP (descriptors[i].size, 4) };
      }
    else
      {
        const struct vulkan_image *image = vulkan_pointer (descriptors[i].handle);
        data[i].image = (VkDescriptorImageInfo) { VK_NULL_HANDLE, image->views[descriptors[i].offset], VK_IMAGE_LAYOUT_GENERAL };
      }
  encoding->vk->UpdateDescriptorSetWithTemplate (encoding->device, set, shader->update, data);
}

static VkResult
find_set (struct encoding *encoding, struct vulkan_shader *shader, const struct gabbro_descriptor *descriptors,
          VkDescriptorSet *out)
{
  struct vulkan_encoder *encoder = encoding->encoder;
  struct vulkan_set_entry *entry = &encoder->table[hash_arguments (shader, descriptors)];
  VkResult result;

  if (entry->epoch == encoder->epoch && entry->shader == shader
      && memcmp (entry->descriptors, descriptors, shader->n_bindings * sizeof *descriptors) == 0)
    {
      *out = entry->set;
      return VK_SUCCESS;
    }
  result = new_set (encoding, shader, out);
  if (result != VK_SUCCESS)
    return result;
  write_set (encoding, shader, descriptors, *out);
  *entry = (struct vulkan_set_entry) { encoder->epoch, shader, descriptors, *out };
  return VK_SUCCESS;
}

/* Dispatches. */

static void
bind_shader (struct encoding *encoding, const struct vulkan_shader *shader)
{
  if (encoding->shader == shader)
    return;
  encoding->vk->CmdBindPipeline (encoding->commands, VK_PIPELINE_BIND_POINT_COMPUTE, shader->pipeline);
  /* Another layout may disturb both. */
  encoding->shader = shader;
  encoding->set = VK_NULL_HANDLE;
  encoding->push_constants = NULL;
  if (shader->n_bindings > encoding->encoder->n_scratch)
    {
      encoding->encoder->n_scratch = shader->n_bindings;
      encoding->encoder->scratch
        = g_renew (union vulkan_descriptor_data, encoding->encoder->scratch, shader->n_bindings);
    }
}

static VkResult
encode_dispatch (struct encoding *encoding, const struct gabbro_dispatch *dispatch)
{
  struct vulkan_shader *shader = vulkan_pointer (dispatch->shader);
  uint32_t push_size = shader->push_constant_size;

  bind_shader (encoding, shader);
  if (shader->n_bindings != 0)
    {
      VkDescriptorSet set;
      VkResult result = find_set (encoding, shader, dispatch->descriptors, &set);
      if (result != VK_SUCCESS)
        return result;
      if (set != encoding->set)
        encoding->vk->CmdBindDescriptorSets (encoding->commands, VK_PIPELINE_BIND_POINT_COMPUTE, shader->layout, 0, 1,
                                             &set, 0, NULL);
      encoding->set = set;
    }
  if (push_size != 0)
    {
      if (encoding->push_constants == NULL || memcmp (encoding->push_constants, dispatch->push_constants, push_size) != 0)
        encoding->vk->CmdPushConstants (encoding->commands, shader->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, push_size,
                                        dispatch->push_constants);
      encoding->push_constants = dispatch->push_constants;
    }
  encoding->vk->CmdDispatch (encoding->commands, dispatch->groups[0], dispatch->groups[1], dispatch->groups[2]);
  return VK_SUCCESS;
}

static VkResult
encode_command (struct encoding *encoding, const struct gabbro_command *command)
{
  encoding->left--;
  switch (command->kind)
    {
    case GABBRO_COMMAND_COPY_BUFFER:
      encode_copy_buffer (encoding, (const struct gabbro_copy_buffer *) command);
      break;
    case GABBRO_COMMAND_COPY_BUFFER_TO_IMAGE:
    case GABBRO_COMMAND_COPY_IMAGE_TO_BUFFER:
      encode_copy_image (encoding, (const struct gabbro_copy_image *) command);
      break;
    case GABBRO_COMMAND_COPY_IMAGE:
      encode_copy_image_to_image (encoding, (const struct gabbro_copy_image_to_image *) command);
      break;
    case GABBRO_COMMAND_FILL_BUFFER:
      encode_fill (encoding, (const struct gabbro_fill_buffer *) command);
      break;
    case GABBRO_COMMAND_DISPATCH:
      return encode_dispatch (encoding, (const struct gabbro_dispatch *) command);
    }
  return VK_SUCCESS;
}

VkResult
vulkan_encode (struct vulkan_device *device, struct vulkan_queue *queue, const struct gabbro_command_plan *plan,
               VkCommandBuffer commands, struct vulkan_set_chunk **chunks)
{
  struct encoding encoding = { .vk = &device->vk,
                               .device = device->device,
                               .commands = commands,
                               .encoder = &queue->encoder,
                               .queue = queue->index,
                               .computes = (queue->flags & GABBRO_QUEUE_COMPUTE) != 0,
                               .chunks = *chunks,
                               .left = plan->n_commands + 1 };
  VkResult result = VK_SUCCESS;

  /* Entries and cursors of older plans are void; 0 is that of those never used. */
  queue->encoder.epoch++;
  for (uint32_t i = 0; i < plan->n_layers && result == VK_SUCCESS; i++)
    {
      const struct gabbro_layer *layer = &plan->layers[i];
      encode_barrier (&encoding, &layer->before);
      for (uint32_t j = 0; j < layer->count && result == VK_SUCCESS; j++)
        result = encode_command (&encoding, plan->commands[layer->first + j]);
    }
  if (result == VK_SUCCESS)
    encode_barrier (&encoding, &plan->last);
  *chunks = encoding.chunks;
  return result;
}

void
vulkan_encode_transitions (struct vulkan_device *device, VkCommandBuffer commands, const uint64_t *images,
                           uint32_t n_images)
{
  for (uint32_t i = 0; i < n_images; i++)
    {
      struct vulkan_image *image = vulkan_pointer (images[i]);
      const VkImageMemoryBarrier2 barrier = { .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2,
                                              .srcStageMask = VK_PIPELINE_STAGE_2_NONE,
                                              .dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
                                              .dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT,
                                              .oldLayout = VK_IMAGE_LAYOUT_UNDEFINED,
                                              .newLayout = VK_IMAGE_LAYOUT_GENERAL,
                                              .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                              .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                              .image = image->image,
                                              .subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0, 1 } };
      const VkDependencyInfo info = { .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
                                      .imageMemoryBarrierCount = 1,
                                      .pImageMemoryBarriers = &barrier };
      if (g_atomic_int_get (&image->ready) == 0)
        device->vk.CmdPipelineBarrier2 (commands, &info);
    }
}
