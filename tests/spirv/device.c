/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tests/spirv/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_OBJECTS 40

struct object
{
  VkBuffer buffer;               /* the data itself, or the copy of the image's */
  VkDeviceMemory memory;
  void *mapped;
  gsize size;
  VkImage image;
  VkDeviceMemory image_memory;
  VkImageView view;
  uint32_t width, height;
};

struct run
{
  struct device *device;
  const struct spirv_result *kernel;
  struct object objects[MAX_OBJECTS];    /* by binding */
  VkShaderModule module;
  VkDescriptorSetLayout set_layout;
  VkPipelineLayout layout;
  VkPipeline pipeline;
  VkDescriptorPool pool;
  VkDescriptorSet set;
  VkCommandPool command_pool;
  VkCommandBuffer commands;
  uint8_t argument_bytes[65536];
};

static void
must (VkResult result, const char *what)
{
  if (result != VK_SUCCESS)
    {
      fprintf (stderr, "%s: VkResult %d\n", what, (int) result);
      abort ();
    }
}

static uint32_t
host_memory_type (struct device *device, uint32_t bits)
{
  VkPhysicalDeviceMemoryProperties properties;
  const VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  vkGetPhysicalDeviceMemoryProperties (device->physical, &properties);
  for (uint32_t i = 0; i < properties.memoryTypeCount; i++)
    if ((bits >> i & 1) != 0 && (properties.memoryTypes[i].propertyFlags & wanted) == wanted)
      return i;
  for (uint32_t i = 0; i < properties.memoryTypeCount; i++)
    if ((bits >> i & 1) != 0)
      return i;
  return 0;
}

static VkDeviceMemory
allocate (struct device *device, const VkMemoryRequirements *needs)
{
  VkDeviceMemory memory;
  const VkMemoryAllocateInfo info = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs->size,
                                      .memoryTypeIndex = host_memory_type (device, needs->memoryTypeBits) };
  must (vkAllocateMemory (device->device, &info, NULL, &memory), "vkAllocateMemory");
  return memory;
}

static void
make_buffer (struct device *device, struct object *object, const void *data, gsize size)
{
  const VkBufferCreateInfo info = { .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = MAX (size, 16),
                                    .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT
                                             | VK_BUFFER_USAGE_TRANSFER_DST_BIT };
  VkMemoryRequirements needs;
  must (vkCreateBuffer (device->device, &info, NULL, &object->buffer), "vkCreateBuffer");
  vkGetBufferMemoryRequirements (device->device, object->buffer, &needs);
  object->memory = allocate (device, &needs);
  must (vkBindBufferMemory (device->device, object->buffer, object->memory, 0), "vkBindBufferMemory");
  must (vkMapMemory (device->device, object->memory, 0, VK_WHOLE_SIZE, 0, &object->mapped), "vkMapMemory");
  memcpy (object->mapped, data, size);
  object->size = size;
}

static void
make_image (struct device *device, struct object *object, const struct device_argument *argument, const struct xir_type *element)
{
  VkFormat format = element->kind == XIR_TYPE_FLOAT32 ? VK_FORMAT_R32G32B32A32_SFLOAT
                    : element->kind == XIR_TYPE_INT32 ? VK_FORMAT_R32G32B32A32_SINT : VK_FORMAT_R32G32B32A32_UINT;
  const VkImageCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .imageType = VK_IMAGE_TYPE_2D, .format = format,
    .extent = { argument->width, argument->height, 1 }, .mipLevels = 1, .arrayLayers = 1, .samples = VK_SAMPLE_COUNT_1_BIT,
    .usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT
  };
  VkMemoryRequirements needs;
  must (vkCreateImage (device->device, &info, NULL, &object->image), "vkCreateImage");
  vkGetImageMemoryRequirements (device->device, object->image, &needs);
  object->image_memory = allocate (device, &needs);
  must (vkBindImageMemory (device->device, object->image, object->image_memory, 0), "vkBindImageMemory");
  const VkImageViewCreateInfo view = { .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, .image = object->image,
                                       .viewType = VK_IMAGE_VIEW_TYPE_2D, .format = format,
                                       .subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 } };
  must (vkCreateImageView (device->device, &view, NULL, &object->view), "vkCreateImageView");
  object->width = argument->width;
  object->height = argument->height;
}

static VkDescriptorType
descriptor_type (enum spirv_binding_kind kind)
{
  return kind == SPIRV_BINDING_SAMPLED_IMAGE ? VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE
         : kind == SPIRV_BINDING_STORAGE_IMAGE ? VK_DESCRIPTOR_TYPE_STORAGE_IMAGE : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
}

static void
pack_arguments (struct run *run, const struct device_argument *arguments)
{
  for (uint32_t i = 0; i < run->kernel->n_arguments; i++)
    {
      const struct spirv_argument *plan = &run->kernel->arguments[i];
      if (plan->size > 0 && arguments[i].size > 0)
        memcpy (run->argument_bytes + plan->offset, arguments[i].data, plan->size);
      if (plan->metadata_offset != G_MAXUINT32)
        {
          const uint32_t record[] = { arguments[i].first, arguments[i].length };
          memcpy (run->argument_bytes + plan->metadata_offset, record, sizeof record);
        }
    }
}

static void
make_objects (struct run *run, const struct device_argument *arguments)
{
  for (uint32_t i = 0; i < run->kernel->n_bindings; i++)
    {
      const struct spirv_binding *binding = &run->kernel->bindings[i];
      struct object *object = &run->objects[i];
      if (binding->kind == SPIRV_BINDING_ARGUMENT_BLOCK)
        {
          make_buffer (run->device, object, run->argument_bytes, run->kernel->argument_size);
          continue;
        }
      const struct device_argument *argument = &arguments[binding->argument];
      make_buffer (run->device, object, argument->data, argument->size);
      if (binding->kind != SPIRV_BINDING_STORAGE_BUFFER)
        make_image (run->device, object, argument, run->kernel->arguments[binding->argument].type->element);
    }
}

static void
make_pipeline (struct run *run)
{
  VkDevice device = run->device->device;
  VkDescriptorSetLayoutBinding bindings[MAX_OBJECTS];
  for (uint32_t i = 0; i < run->kernel->n_bindings; i++)
    bindings[i] = (VkDescriptorSetLayoutBinding) { i, descriptor_type (run->kernel->bindings[i].kind), 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL };
  const VkDescriptorSetLayoutCreateInfo set_info = { .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                     .bindingCount = run->kernel->n_bindings, .pBindings = bindings };
  must (vkCreateDescriptorSetLayout (device, &set_info, NULL, &run->set_layout), "vkCreateDescriptorSetLayout");
  const VkPushConstantRange range = { VK_SHADER_STAGE_COMPUTE_BIT, 0, run->kernel->push_constant_size };
  const VkPipelineLayoutCreateInfo layout_info = { .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1,
                                                   .pSetLayouts = &run->set_layout, .pushConstantRangeCount = 1, .pPushConstantRanges = &range };
  must (vkCreatePipelineLayout (device, &layout_info, NULL, &run->layout), "vkCreatePipelineLayout");
  const VkShaderModuleCreateInfo module_info = { .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                                 .codeSize = run->kernel->n_words * 4, .pCode = run->kernel->words };
  must (vkCreateShaderModule (device, &module_info, NULL, &run->module), "vkCreateShaderModule");
  const VkComputePipelineCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, .layout = run->layout,
    .stage = { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = VK_SHADER_STAGE_COMPUTE_BIT,
               .module = run->module, .pName = run->kernel->entry_point }
  };
  must (vkCreateComputePipelines (device, VK_NULL_HANDLE, 1, &info, NULL, &run->pipeline), "vkCreateComputePipelines");
}

static void
make_set (struct run *run)
{
  VkDevice device = run->device->device;
  const VkDescriptorPoolSize sizes[] = { { VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, MAX_OBJECTS }, { VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, MAX_OBJECTS },
                                         { VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, MAX_OBJECTS } };
  const VkDescriptorPoolCreateInfo pool_info = { .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 3,
                                                 .pPoolSizes = sizes };
  must (vkCreateDescriptorPool (device, &pool_info, NULL, &run->pool), "vkCreateDescriptorPool");
  const VkDescriptorSetAllocateInfo info = { .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorPool = run->pool,
                                             .descriptorSetCount = 1, .pSetLayouts = &run->set_layout };
  must (vkAllocateDescriptorSets (device, &info, &run->set), "vkAllocateDescriptorSets");
  for (uint32_t i = 0; i < run->kernel->n_bindings; i++)
    {
      const VkDescriptorBufferInfo buffer = { run->objects[i].buffer, 0, VK_WHOLE_SIZE };
      const VkDescriptorImageInfo image = { VK_NULL_HANDLE, run->objects[i].view, VK_IMAGE_LAYOUT_GENERAL };
      const VkWriteDescriptorSet write = { .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = run->set, .dstBinding = i,
                                           .descriptorCount = 1, .descriptorType = descriptor_type (run->kernel->bindings[i].kind),
                                           .pBufferInfo = &buffer, .pImageInfo = &image };
      vkUpdateDescriptorSets (device, 1, &write, 0, NULL);
    }
}

static void
barrier (struct run *run)
{
  const VkMemoryBarrier all = { .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT };
  vkCmdPipelineBarrier (run->commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &all, 0, NULL, 0, NULL);
}

static void
copy_images (struct run *run, bool back)
{
  for (uint32_t i = 0; i < run->kernel->n_bindings; i++)
    {
      struct object *object = &run->objects[i];
      if (object->image == VK_NULL_HANDLE)
        continue;
      const VkBufferImageCopy region = { .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
                                         .imageExtent = { object->width, object->height, 1 } };
      const VkImageMemoryBarrier to_general = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER, .dstAccessMask = VK_ACCESS_MEMORY_WRITE_BIT, .newLayout = VK_IMAGE_LAYOUT_GENERAL,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED, .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED, .image = object->image,
        .subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 }
      };
      if (back)
        vkCmdCopyImageToBuffer (run->commands, object->image, VK_IMAGE_LAYOUT_GENERAL, object->buffer, 1, &region);
      else
        {
          vkCmdPipelineBarrier (run->commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL,
                                1, &to_general);
          vkCmdCopyBufferToImage (run->commands, object->buffer, object->image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
        }
    }
}

static void
record (struct run *run, const struct spirv_dispatch_constants *dispatch)
{
  VkDevice device = run->device->device;
  uint8_t constants[256];
  const VkCommandPoolCreateInfo pool_info = { .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = run->device->family };
  must (vkCreateCommandPool (device, &pool_info, NULL, &run->command_pool), "vkCreateCommandPool");
  const VkCommandBufferAllocateInfo info = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = run->command_pool,
                                             .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY, .commandBufferCount = 1 };
  must (vkAllocateCommandBuffers (device, &info, &run->commands), "vkAllocateCommandBuffers");
  const VkCommandBufferBeginInfo begin = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO };
  must (vkBeginCommandBuffer (run->commands, &begin), "vkBeginCommandBuffer");
  copy_images (run, false);
  barrier (run);
  vkCmdBindPipeline (run->commands, VK_PIPELINE_BIND_POINT_COMPUTE, run->pipeline);
  vkCmdBindDescriptorSets (run->commands, VK_PIPELINE_BIND_POINT_COMPUTE, run->layout, 0, 1, &run->set, 0, NULL);
  memcpy (constants, dispatch, sizeof *dispatch);
  if (!run->kernel->arguments_in_block)
    memcpy (constants + sizeof *dispatch, run->argument_bytes, run->kernel->argument_size);
  vkCmdPushConstants (run->commands, run->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, run->kernel->push_constant_size, constants);
  uint32_t groups[3];
  for (int i = 0; i < 3; i++)
    groups[i] = (dispatch->dispatch_size[i] + run->kernel->group_size[i] - 1) / run->kernel->group_size[i] - dispatch->group_offset[i];
  vkCmdDispatch (run->commands, groups[0], groups[1], groups[2]);
  barrier (run);
  copy_images (run, true);
  must (vkEndCommandBuffer (run->commands), "vkEndCommandBuffer");
}

static void
read_back_and_free (struct run *run, const struct device_argument *arguments)
{
  VkDevice device = run->device->device;
  for (uint32_t i = 0; i < run->kernel->n_bindings; i++)
    {
      struct object *object = &run->objects[i];
      if (run->kernel->bindings[i].kind != SPIRV_BINDING_ARGUMENT_BLOCK)
        memcpy (arguments[run->kernel->bindings[i].argument].data, object->mapped, object->size);
      vkDestroyImageView (device, object->view, NULL);
      vkDestroyImage (device, object->image, NULL);
      vkFreeMemory (device, object->image_memory, NULL);
      vkDestroyBuffer (device, object->buffer, NULL);
      vkFreeMemory (device, object->memory, NULL);
    }
  vkDestroyCommandPool (device, run->command_pool, NULL);
  vkDestroyDescriptorPool (device, run->pool, NULL);
  vkDestroyPipeline (device, run->pipeline, NULL);
  vkDestroyShaderModule (device, run->module, NULL);
  vkDestroyPipelineLayout (device, run->layout, NULL);
  vkDestroyDescriptorSetLayout (device, run->set_layout, NULL);
}

bool
device_run (struct device *device, const struct spirv_result *kernel, const struct device_argument *arguments,
            const struct spirv_dispatch_constants *dispatch)
{
  if (kernel->n_bindings > MAX_OBJECTS || kernel->push_constant_size > 256)
    return false;
  struct run *run = g_new0 (struct run, 1);
  run->device = device;
  run->kernel = kernel;
  pack_arguments (run, arguments);
  make_objects (run, arguments);
  make_pipeline (run);
  make_set (run);
  record (run, dispatch);
  const VkSubmitInfo submit = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &run->commands };
  must (vkQueueSubmit (device->queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
  must (vkQueueWaitIdle (device->queue), "vkQueueWaitIdle");
  read_back_and_free (run, arguments);
  g_free (run);
  return true;
}

/* Float atomics of the two extensions, as the device has them and gets them. */
struct float_atomics
{
  VkPhysicalDeviceShaderAtomicFloatFeaturesEXT add;
  VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT min_max;
};

static void
find_float_atomics (const struct device *device, struct float_atomics *atomics)
{
  *atomics = (struct float_atomics) {
    { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT, .pNext = &atomics->min_max },
    { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_2_FEATURES_EXT }
  };
  VkPhysicalDeviceFeatures2 features = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &atomics->add };
  vkGetPhysicalDeviceFeatures2 (device->physical, &features);
}

/* What threads can do together. */
static void
describe_together (struct device *device, const struct float_atomics *atomics)
{
  VkPhysicalDeviceSubgroupProperties subgroup = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES };
  VkPhysicalDeviceProperties2 properties = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &subgroup };
  vkGetPhysicalDeviceProperties2 (device->physical, &properties);
  device->subgroup_size = subgroup.subgroupSize;
  const struct { bool has; enum spirv_feature feature; } table[] = {
    { (subgroup.supportedOperations & VK_SUBGROUP_FEATURE_BASIC_BIT) != 0, SPIRV_FEATURE_SUBGROUP_BASIC },
    { (subgroup.supportedOperations & VK_SUBGROUP_FEATURE_VOTE_BIT) != 0, SPIRV_FEATURE_SUBGROUP_VOTE },
    { (subgroup.supportedOperations & VK_SUBGROUP_FEATURE_ARITHMETIC_BIT) != 0, SPIRV_FEATURE_SUBGROUP_ARITHMETIC },
    { (subgroup.supportedOperations & VK_SUBGROUP_FEATURE_BALLOT_BIT) != 0, SPIRV_FEATURE_SUBGROUP_BALLOT },
    { (subgroup.supportedOperations & VK_SUBGROUP_FEATURE_SHUFFLE_BIT) != 0, SPIRV_FEATURE_SUBGROUP_SHUFFLE },
    { atomics->add.shaderBufferFloat32Atomics, SPIRV_FEATURE_BUFFER_FLOAT32_ATOMICS },
    { atomics->add.shaderBufferFloat32AtomicAdd, SPIRV_FEATURE_BUFFER_FLOAT32_ATOMIC_ADD },
    { atomics->min_max.shaderBufferFloat32AtomicMinMax, SPIRV_FEATURE_BUFFER_FLOAT32_ATOMIC_MIN_MAX },
    { atomics->add.shaderSharedFloat32Atomics, SPIRV_FEATURE_SHARED_FLOAT32_ATOMICS },
    { atomics->add.shaderSharedFloat32AtomicAdd, SPIRV_FEATURE_SHARED_FLOAT32_ATOMIC_ADD },
    { atomics->min_max.shaderSharedFloat32AtomicMinMax, SPIRV_FEATURE_SHARED_FLOAT32_ATOMIC_MIN_MAX }
  };
  for (gsize i = 0; i < G_N_ELEMENTS (table); i++)
    if (table[i].has)
      device->target.features |= UINT64_C (1) << table[i].feature;
}

static void
describe_target (struct device *device)
{
  VkPhysicalDeviceFloatControlsProperties floats = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES };
  VkPhysicalDeviceProperties2 properties = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &floats };
  vkGetPhysicalDeviceProperties2 (device->physical, &properties);
  const VkPhysicalDeviceLimits *limits = &properties.properties.limits;
  device->target = (struct spirv_target) {
    .features = UINT64_C (1) << SPIRV_FEATURE_STORAGE_IMAGE_READ_WITHOUT_FORMAT | UINT64_C (1) << SPIRV_FEATURE_STORAGE_IMAGE_WRITE_WITHOUT_FORMAT,
    .max_group_size = { limits->maxComputeWorkGroupSize[0], limits->maxComputeWorkGroupSize[1], limits->maxComputeWorkGroupSize[2] },
    .max_group_invocations = limits->maxComputeWorkGroupInvocations, .max_shared_memory = limits->maxComputeSharedMemorySize,
    .max_push_constants = 128, .max_storage_buffers = MAX_OBJECTS, .max_storage_images = MAX_OBJECTS, .max_sampled_images = MAX_OBJECTS,
    .max_resources = MAX_OBJECTS
  };
  const struct { VkBool32 has; enum spirv_feature feature; } rows[] = {
    { device->has.features.shaderInt64, SPIRV_FEATURE_INT64 },
    { device->has.features.shaderInt16, SPIRV_FEATURE_INT16 },
    { device->has.features.shaderFloat64, SPIRV_FEATURE_FLOAT64 },
    { device->has_11.storageBuffer16BitAccess, SPIRV_FEATURE_STORAGE_BUFFER_16 },
    { device->has_12.shaderInt8, SPIRV_FEATURE_INT8 },
    { device->has_12.shaderFloat16, SPIRV_FEATURE_FLOAT16 },
    { device->has_12.storageBuffer8BitAccess, SPIRV_FEATURE_STORAGE_BUFFER_8 },
    { device->has_12.shaderBufferInt64Atomics, SPIRV_FEATURE_BUFFER_INT64_ATOMICS },
    { device->has_12.shaderSharedInt64Atomics, SPIRV_FEATURE_SHARED_INT64_ATOMICS },
    { device->has_12.shaderSubgroupExtendedTypes, SPIRV_FEATURE_SUBGROUP_EXTENDED_TYPES },
    { floats.shaderSignedZeroInfNanPreserveFloat16, SPIRV_FEATURE_SIGNED_ZERO_INF_NAN_PRESERVE_FLOAT16 },
    { floats.shaderSignedZeroInfNanPreserveFloat32, SPIRV_FEATURE_SIGNED_ZERO_INF_NAN_PRESERVE_FLOAT32 },
    { floats.shaderSignedZeroInfNanPreserveFloat64, SPIRV_FEATURE_SIGNED_ZERO_INF_NAN_PRESERVE_FLOAT64 },
    { floats.shaderRoundingModeRTEFloat16, SPIRV_FEATURE_ROUNDING_MODE_RTE_FLOAT16 },
    { floats.shaderRoundingModeRTEFloat32, SPIRV_FEATURE_ROUNDING_MODE_RTE_FLOAT32 },
    { floats.shaderRoundingModeRTEFloat64, SPIRV_FEATURE_ROUNDING_MODE_RTE_FLOAT64 },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++)
    if (rows[i].has)
      device->target.features |= UINT64_C (1) << rows[i].feature;
}

/* All that the device has of what kernels may need. */
static void
choose_features (struct device *device)
{
  VkPhysicalDeviceFeatures all;
  device->has_12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  device->has_11 = (VkPhysicalDeviceVulkan11Features) { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                                                        .pNext = &device->has_12 };
  device->has = (VkPhysicalDeviceFeatures2) { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &device->has_11 };
  vkGetPhysicalDeviceFeatures2 (device->physical, &device->has);
  all = device->has.features;
  device->has.features = (VkPhysicalDeviceFeatures) {
    .shaderStorageImageReadWithoutFormat = VK_TRUE, .shaderStorageImageWriteWithoutFormat = VK_TRUE,
    .shaderInt64 = all.shaderInt64, .shaderInt16 = all.shaderInt16, .shaderFloat64 = all.shaderFloat64
  };
  device->has_11 = (VkPhysicalDeviceVulkan11Features) { .sType = device->has_11.sType, .pNext = &device->has_12,
                                                        .storageBuffer16BitAccess = device->has_11.storageBuffer16BitAccess };
  device->has_12 = (VkPhysicalDeviceVulkan12Features) {
    .sType = device->has_12.sType, .shaderInt8 = device->has_12.shaderInt8, .shaderFloat16 = device->has_12.shaderFloat16,
    .storageBuffer8BitAccess = device->has_12.storageBuffer8BitAccess
  };
}

struct device *
device_open (void)
{
  struct device *device = g_new0 (struct device, 1);
  const VkApplicationInfo application = { .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_2 };
  const VkInstanceCreateInfo instance_info = { .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application };
  uint32_t n = 1;
  if (vkCreateInstance (&instance_info, NULL, &device->instance) != VK_SUCCESS
      || vkEnumeratePhysicalDevices (device->instance, &n, &device->physical) < 0 || n == 0)
    {
      fprintf (stderr, "no Vulkan device\n");
      device_close (device);
      return NULL;
    }
  const float priority = 1.0f;
  const VkDeviceQueueCreateInfo queue = { .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueFamilyIndex = 0, .queueCount = 1,
                                          .pQueuePriorities = &priority };
  choose_features (device);
  struct float_atomics atomics;
  find_float_atomics (device, &atomics);
  const char *extensions[2];
  uint32_t n_extensions = 0;
  if (atomics.add.shaderBufferFloat32Atomics)
    extensions[n_extensions++] = VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME;
  if (atomics.min_max.shaderBufferFloat32AtomicMinMax)
    extensions[n_extensions++] = VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME;
  device->has_12.pNext = n_extensions == 2 ? &atomics.add : NULL;
  const VkDeviceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &device->has,
                                    .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue,
                                    .enabledExtensionCount = n_extensions == 2 ? 2 : 0, .ppEnabledExtensionNames = extensions };
  if (vkCreateDevice (device->physical, &info, NULL, &device->device) != VK_SUCCESS)
    {
      fprintf (stderr, "the Vulkan device cannot be opened\n");
      device_close (device);
      return NULL;
    }
  vkGetDeviceQueue (device->device, 0, 0, &device->queue);
  describe_target (device);
  if (n_extensions != 2)
    atomics = (struct float_atomics) { .add = { .pNext = NULL } };
  describe_together (device, &atomics);
  return device;
}

void
device_close (struct device *device)
{
  if (device == NULL)
    return;
  if (device->device != VK_NULL_HANDLE)
    vkDestroyDevice (device->device, NULL);
  if (device->instance != VK_NULL_HANDLE)
    vkDestroyInstance (device->instance, NULL);
  g_free (device);
}

/* Asked in a child: a process that has had a Vulkan instance must not be forked for tests. */
static bool
has_device (void)
{
  int status = 0;
  pid_t child = fork ();
  if (child == 0)
    _exit (device_open () != NULL ? 0 : 1);
  return child > 0 && waitpid (child, &status, 0) == child && WIFEXITED (status) && WEXITSTATUS (status) == 0;
}

int
device_test_main (Suite *(*make_suite) (void))
{
  if (!has_device ())
    {
      printf ("SKIP: no Vulkan device\n");
      return 77;
    }
  SRunner *runner = srunner_create (make_suite ());
  srunner_run_all (runner, CK_ENV);
  int failed = srunner_ntests_failed (runner);
  srunner_free (runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
