/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Any compute shader in hand-written Vulkan: its pipeline, pictures, and dispatches that depend on each other. */

#pragma once

#include "tests/bench/hand.h"

#define HAND_MAX_BINDINGS 4
#define HAND_PUSH_SIZE    128

struct hand_image
{
  VkImage image;
  VkImageView view;
  VkDeviceMemory memory;
  uint32_t side;
};

/* A picture if it has an image, else a buffer. */
struct hand_resource
{
  struct hand_image image;
  struct hand_buffer buffer;
};

struct hand_binding
{
  VkDescriptorType type;
  const struct hand_resource *resource;
};

struct hand_shader
{
  VkShaderModule module;
  VkDescriptorSetLayout set_layout;
  VkPipelineLayout layout;
  VkPipeline pipeline;
  VkDescriptorPool pool;
  VkDescriptorSet set;
  uint8_t push[HAND_PUSH_SIZE];
};

/* Square, rgba8, for reading and writing by shaders. */
void hand_image_new  (struct hand *hand, struct hand_image *image, uint32_t side);
void hand_image_free (struct hand *hand, struct hand_image *image);

/* The whole of a resource from a buffer, or to it; waits. */
void hand_fill (struct hand *hand, const struct hand_resource *resource, const struct hand_buffer *from);
void hand_read (struct hand *hand, const struct hand_resource *resource, const struct hand_buffer *to);

/* Its resources are bound in order. */
void hand_shader_new  (struct hand *hand, struct hand_shader *shader, const uint32_t *words, gsize n_words,
                       const struct hand_binding *bindings, uint32_t n_bindings);
void hand_shader_free (struct hand *hand, struct hand_shader *shader);

/* `n` dispatches, each behind a barrier; hand_submit() runs them. */
void hand_shader_record (struct hand *hand, const struct hand_shader *shader, const uint32_t groups[2], uint32_t n);
