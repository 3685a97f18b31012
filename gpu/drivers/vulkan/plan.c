/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/drivers/vulkan/plan.h"

#include <stdio.h>
#include <string.h>

#define MIB ((uint64_t) 1 << 20)

static void
add_reason (struct vulkan_plan *plan, const char *format, ...) G_GNUC_PRINTF (2, 3);

static void
add_reason (struct vulkan_plan *plan, const char *format, ...)
{
  size_t used = strlen (plan->unusable);
  va_list arguments;

  if (used != 0)
    used = g_strlcat (plan->unusable, "; ", sizeof plan->unusable);
  if (used >= sizeof plan->unusable)
    return;
  va_start (arguments, format);
  vsnprintf (plan->unusable + used, sizeof plan->unusable - used, format, arguments);
  va_end (arguments);
}

/* Features. */

/* Parts of the snapshot and the same parts of the plan. */
static VkBool32 *
planned_feature (struct vulkan_plan *plan, const struct vulkan_field *field)
{
  static const struct
  {
    const char *part;
    size_t from, to;
  } parts[] = {
    { "features10", offsetof (struct vulkan_snapshot, features10), offsetof (struct vulkan_plan, features10) },
    { "features11", offsetof (struct vulkan_snapshot, features11), offsetof (struct vulkan_plan, features11) },
    { "features12", offsetof (struct vulkan_snapshot, features12), offsetof (struct vulkan_plan, features12) },
    { "features13", offsetof (struct vulkan_snapshot, features13), offsetof (struct vulkan_plan, features13) },
    { "atomic_float", offsetof (struct vulkan_snapshot, atomic_float), offsetof (struct vulkan_plan, atomic_float) },
    { "atomic_float2", offsetof (struct vulkan_snapshot, atomic_float2), offsetof (struct vulkan_plan, atomic_float2) },
    { "shader_clock", offsetof (struct vulkan_snapshot, shader_clock), offsetof (struct vulkan_plan, shader_clock) },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (parts); i++)
    if (strcmp (field->part, parts[i].part) == 0)
      return (VkBool32 *) (void *) ((char *) plan + field->offset - parts[i].from + parts[i].to);
  return NULL;
}

/* Features of an extension come with it alone, and the second one for float atomics with the first. */
static bool
has_extension (const struct vulkan_snapshot *snapshot, enum vulkan_extension extension)
{
  return extension == VULKAN_N_EXTENSIONS
         || (snapshot->extensions[extension]
             && (extension != VULKAN_EXTENSION_SHADER_ATOMIC_FLOAT_2 || snapshot->extensions[VULKAN_EXTENSION_SHADER_ATOMIC_FLOAT]));
}

/* What generated code may use of it all. */
static void
plan_target (struct vulkan_plan *plan, const struct vulkan_snapshot *snapshot)
{
  VkSubgroupFeatureFlags operations = (snapshot->properties11.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0
                                      ? snapshot->properties11.subgroupSupportedOperations : 0;
  const struct
  {
    bool has;
    uint64_t feature;
  } table[] = {
    { plan->features10.shaderStorageImageReadWithoutFormat, GABBRO_TARGET_STORAGE_IMAGE_READ_WITHOUT_FORMAT },
    { plan->features10.shaderStorageImageWriteWithoutFormat, GABBRO_TARGET_STORAGE_IMAGE_WRITE_WITHOUT_FORMAT },
    { snapshot->properties12.shaderSignedZeroInfNanPreserveFloat32, GABBRO_TARGET_SIGNED_ZERO_INF_NAN_PRESERVE_FLOAT32 },
    { snapshot->properties12.shaderRoundingModeRTEFloat32, GABBRO_TARGET_ROUNDING_MODE_RTE_FLOAT32 },
    { (operations & VK_SUBGROUP_FEATURE_BASIC_BIT) != 0, GABBRO_TARGET_SUBGROUP_BASIC },
    { (operations & VK_SUBGROUP_FEATURE_VOTE_BIT) != 0, GABBRO_TARGET_SUBGROUP_VOTE },
    { (operations & VK_SUBGROUP_FEATURE_ARITHMETIC_BIT) != 0, GABBRO_TARGET_SUBGROUP_ARITHMETIC },
    { (operations & VK_SUBGROUP_FEATURE_BALLOT_BIT) != 0, GABBRO_TARGET_SUBGROUP_BALLOT },
    { (operations & VK_SUBGROUP_FEATURE_SHUFFLE_BIT) != 0, GABBRO_TARGET_SUBGROUP_SHUFFLE },
    { plan->atomic_float.shaderBufferFloat32Atomics, GABBRO_TARGET_BUFFER_FLOAT32_ATOMICS },
    { plan->atomic_float.shaderBufferFloat32AtomicAdd, GABBRO_TARGET_BUFFER_FLOAT32_ATOMIC_ADD },
    { plan->atomic_float2.shaderBufferFloat32AtomicMinMax, GABBRO_TARGET_BUFFER_FLOAT32_ATOMIC_MIN_MAX },
    { plan->atomic_float.shaderSharedFloat32Atomics, GABBRO_TARGET_SHARED_FLOAT32_ATOMICS },
    { plan->atomic_float.shaderSharedFloat32AtomicAdd, GABBRO_TARGET_SHARED_FLOAT32_ATOMIC_ADD },
    { plan->atomic_float2.shaderSharedFloat32AtomicMinMax, GABBRO_TARGET_SHARED_FLOAT32_ATOMIC_MIN_MAX },
    { plan->features12.shaderInt8, GABBRO_TARGET_INT8 },
    { plan->features10.shaderInt16, GABBRO_TARGET_INT16 },
    { plan->features10.shaderInt64, GABBRO_TARGET_INT64 },
    { plan->features12.shaderFloat16, GABBRO_TARGET_FLOAT16 },
    { plan->features10.shaderFloat64, GABBRO_TARGET_FLOAT64 },
    { plan->features12.storageBuffer8BitAccess, GABBRO_TARGET_STORAGE_BUFFER_8 },
    { plan->features11.storageBuffer16BitAccess, GABBRO_TARGET_STORAGE_BUFFER_16 },
    { snapshot->properties12.shaderSignedZeroInfNanPreserveFloat16, GABBRO_TARGET_SIGNED_ZERO_INF_NAN_PRESERVE_FLOAT16 },
    { snapshot->properties12.shaderSignedZeroInfNanPreserveFloat64, GABBRO_TARGET_SIGNED_ZERO_INF_NAN_PRESERVE_FLOAT64 },
    { snapshot->properties12.shaderRoundingModeRTEFloat16, GABBRO_TARGET_ROUNDING_MODE_RTE_FLOAT16 },
    { snapshot->properties12.shaderRoundingModeRTEFloat64, GABBRO_TARGET_ROUNDING_MODE_RTE_FLOAT64 },
    { plan->features12.shaderBufferInt64Atomics, GABBRO_TARGET_BUFFER_INT64_ATOMICS },
    { plan->features12.shaderSharedInt64Atomics, GABBRO_TARGET_SHARED_INT64_ATOMICS },
    { plan->features12.shaderSubgroupExtendedTypes, GABBRO_TARGET_SUBGROUP_EXTENDED_TYPES },
    { plan->shader_clock.shaderDeviceClock, GABBRO_TARGET_DEVICE_CLOCK },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (table); i++)
    if (table[i].has)
      plan->target_features |= table[i].feature;
}

static void
plan_features (struct vulkan_plan *plan, const struct vulkan_snapshot *snapshot)
{
  for (unsigned i = 0; i < vulkan_n_fields; i++)
    {
      const struct vulkan_field *field = &vulkan_fields[i];

      enum vulkan_extension extension = vulkan_part_extension (field->part);

      if (field->want == VULKAN_WANT_REPORT || !has_extension (snapshot, extension))
        continue;
      if (vulkan_field_get (field, snapshot, 0) != 0)
        {
          *planned_feature (plan, field) = VK_TRUE;
          if (extension != VULKAN_N_EXTENSIONS)
            plan->uses[extension] = true;
        }
      else if (field->want == VULKAN_WANT_REQUIRE)
        add_reason (plan, "the device has no %s", field->name);
    }
  /* The first extension is there for the second. */
  if (plan->uses[VULKAN_EXTENSION_SHADER_ATOMIC_FLOAT_2])
    plan->uses[VULKAN_EXTENSION_SHADER_ATOMIC_FLOAT] = true;
  plan_target (plan, snapshot);
}

static void
plan_extensions (struct vulkan_plan *plan, const struct vulkan_snapshot *snapshot)
{
  plan->memory_budget = snapshot->extensions[VULKAN_EXTENSION_MEMORY_BUDGET];
  if (plan->memory_budget)
    plan->extensions[plan->n_extensions++] = vulkan_extension_names[VULKAN_EXTENSION_MEMORY_BUDGET];
  for (unsigned i = 0; i < VULKAN_N_EXTENSIONS; i++)
    if (plan->uses[i])
      plan->extensions[plan->n_extensions++] = vulkan_extension_names[i];
}

/* Queues. */

#define NO_FAMILY UINT32_MAX

static unsigned
queue_flags (VkQueueFlags flags)
{
  unsigned result = 0;

  if ((flags & VK_QUEUE_COMPUTE_BIT) != 0)
    result |= GABBRO_QUEUE_COMPUTE;
  if ((flags & VK_QUEUE_GRAPHICS_BIT) != 0)
    result |= GABBRO_QUEUE_GRAPHICS;
  if ((flags & VK_QUEUE_SPARSE_BINDING_BIT) != 0)
    result |= GABBRO_QUEUE_SPARSE;
  /* Families that compute or draw can copy even if they do not say so. */
  if ((flags & (VK_QUEUE_TRANSFER_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_GRAPHICS_BIT)) != 0)
    result |= GABBRO_QUEUE_TRANSFER;
  return result;
}

/* The first family that has `with` and nothing of `without`. */
static uint32_t
find_family (const struct vulkan_snapshot *snapshot, VkQueueFlags with, VkQueueFlags without)
{
  for (uint32_t i = 0; i < snapshot->n_families; i++)
    if (snapshot->families[i].count > 0 && (snapshot->families[i].flags & with) == with
        && (snapshot->families[i].flags & without) == 0)
      return i;
  return NO_FAMILY;
}

/* False: the device has no more queues of this family, or is full. */
static bool
add_queue (struct vulkan_plan *plan, const struct vulkan_snapshot *snapshot, uint32_t family, uint32_t most)
{
  uint32_t at = 0;

  if (family == NO_FAMILY || plan->n_queues >= most)
    return false;
  while (at < plan->n_families && plan->families[at] != family)
    at++;
  if (at == plan->n_families)
    {
      plan->families[plan->n_families++] = family;
      plan->family_queues[at] = 0;
    }
  if (plan->family_queues[at] >= snapshot->families[family].count)
    return false;
  plan->queues[plan->n_queues++] = (struct gabbro_queue_info) {
    .flags = queue_flags (snapshot->families[family].flags), .family = family, .index = plan->family_queues[at]++
  };
  return true;
}

/* Queue 0 is of the family that can do most; then one queue that computes beside
 * it, of a family made for that if there is one; then one that only copies. */
static void
plan_queues (struct vulkan_plan *plan, const struct vulkan_snapshot *snapshot, const struct vulkan_plan_options *options)
{
  /* Decoders and the like can copy too, but slowly or not everything. */
  const VkQueueFlags special = ~(VkQueueFlags) (VK_QUEUE_TRANSFER_BIT | VK_QUEUE_SPARSE_BINDING_BIT);
  uint32_t most = MIN (snapshot->max_queues, GABBRO_MAX_QUEUES);
  uint32_t main_family = find_family (snapshot, VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT, 0);
  uint32_t async = find_family (snapshot, VK_QUEUE_COMPUTE_BIT, VK_QUEUE_GRAPHICS_BIT);
  uint32_t copies = find_family (snapshot, VK_QUEUE_TRANSFER_BIT, special);

  if (options != NULL && options->max_queues != 0)
    most = MIN (most, options->max_queues);
  if (main_family == NO_FAMILY)
    main_family = async;
  if (!add_queue (plan, snapshot, main_family, most))
    {
      add_reason (plan, "the device has no queue that computes");
      return;
    }
  if (async == NO_FAMILY || async == main_family || !add_queue (plan, snapshot, async, most))
    add_queue (plan, snapshot, main_family, most);
  add_queue (plan, snapshot, copies, most);
}

/* Memory. */

static uint64_t
largest_power_of_two (uint64_t value)
{
  uint64_t power = 1;

  while (power <= value / 2)
    power *= 2;
  return power;
}

/* Lower is better; VULKAN_NO_TYPE: of no use. Types that protect, are made lazily
 * or want flushes are of no use at all. */
static uint32_t
rank_type (const struct vulkan_memory_plan *memory, const VkPhysicalDeviceMemoryProperties *properties, uint32_t type,
           enum gabbro_memory_use use)
{
  VkMemoryPropertyFlags flags = properties->memoryTypes[type].propertyFlags;
  uint32_t heap = properties->memoryTypes[type].heapIndex;
  bool local = (flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) != 0;
  bool cached = memory->cached[type];
  bool in_main = heap == memory->main_heap;

  if ((flags & ~(VkMemoryPropertyFlags) (VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT
                                         | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT))
      != 0)
    return VULKAN_NO_TYPE;
  switch (use)
    {
    case GABBRO_MEMORY_DEVICE:
      /* The window of a discrete card is a heap of its own, and small: after the main heap. */
      return (in_main ? 0 : local ? 4 : 8) + (in_main && memory->map[type] ? 0 : 2) + (cached ? 0 : 1);
    case GABBRO_MEMORY_UPLOAD:
      if (!memory->map[type])
        return VULKAN_NO_TYPE;
      return (local && !in_main ? 4 : 0) + (local ? 2 : 0) + (cached ? 1 : 0);
    case GABBRO_MEMORY_READBACK:
      if (!memory->map[type])
        return VULKAN_NO_TYPE;
      return (cached ? 0 : 4) + (local && !in_main ? 2 : 0) + (local ? 1 : 0);
    }
  return VULKAN_NO_TYPE;
}

static void
order_types (struct vulkan_memory_plan *memory, const VkPhysicalDeviceMemoryProperties *properties,
             enum gabbro_memory_use use)
{
  uint32_t ranks[VK_MAX_MEMORY_TYPES];
  uint32_t n = 0;

  for (uint32_t type = 0; type < properties->memoryTypeCount; type++)
    {
      uint32_t rank = rank_type (memory, properties, type, use);
      uint64_t size = memory->heap_size[memory->type_heap[type]];
      uint32_t at = n;

      if (rank == VULKAN_NO_TYPE || size == 0)
        continue;
      /* Of equal rank the larger heap comes first, else the order of the device, which means something. */
      while (at > 0
             && (ranks[at - 1] > rank
                 || (ranks[at - 1] == rank && memory->heap_size[memory->type_heap[memory->order[use][at - 1]]] < size)))
        {
          ranks[at] = ranks[at - 1];
          memory->order[use][at] = memory->order[use][at - 1];
          at--;
        }
      ranks[at] = rank;
      memory->order[use][at] = type;
      n++;
    }
  memory->n_order[use] = n;
}

static void
plan_memory (struct vulkan_plan *plan, const struct vulkan_snapshot *snapshot)
{
  const VkPhysicalDeviceMemoryProperties *properties = &snapshot->memory;
  struct vulkan_memory_plan *memory = &plan->memory;
  const VkMemoryPropertyFlags coherent = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  bool found = false;

  memory->n_types = properties->memoryTypeCount;
  memory->n_heaps = properties->memoryHeapCount;
  for (uint32_t i = 0; i < memory->n_heaps; i++)
    {
      bool local = (properties->memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0;

      memory->heap_size[i] = properties->memoryHeaps[i].size;
      if (local && (!found || memory->heap_size[i] > memory->heap_size[memory->main_heap]))
        {
          memory->main_heap = i;
          found = true;
        }
      memory->largest_block[i] = CLAMP (largest_power_of_two (memory->heap_size[i] / 8), MIB / 4, 64 * MIB);
      memory->first_block[i] = MIN (memory->largest_block[i], 8 * MIB);
    }
  memory->map_device = !snapshot->hide_mappable;
  for (uint32_t i = 0; i < memory->n_types; i++)
    {
      VkMemoryPropertyFlags flags = properties->memoryTypes[i].propertyFlags;

      memory->type_heap[i] = properties->memoryTypes[i].heapIndex;
      memory->map[i] = (flags & coherent) == coherent;
      memory->cached[i] = memory->map[i] && (flags & VK_MEMORY_PROPERTY_HOST_CACHED_BIT) != 0;
    }
  for (unsigned use = 0; use < VULKAN_N_MEMORY_USES; use++)
    order_types (memory, properties, (enum gabbro_memory_use) use);
  if (memory->n_order[GABBRO_MEMORY_DEVICE] == 0)
    add_reason (plan, "the device has no memory for buffers");
  else if (memory->n_order[GABBRO_MEMORY_UPLOAD] == 0)
    add_reason (plan, "the device has no memory that the host can map coherently");
}

/* Limits. */

static void
plan_limits (struct vulkan_plan *plan, const struct vulkan_snapshot *snapshot)
{
  const VkPhysicalDeviceLimits *from = &snapshot->limits;
  struct gabbro_limits *to = &plan->limits;
  uint64_t heap = plan->memory.n_heaps > 0 ? plan->memory.heap_size[plan->memory.main_heap] : 0;
  uint64_t allocation = snapshot->properties11.maxMemoryAllocationSize;
  uint64_t buffer = snapshot->properties13.maxBufferSize;

  /* maxMemoryAllocationSize is soft: larger ones may work, so a buffer is held against it only when
   * the device says nothing of buffers. */
  to->max_allocation_size = allocation != 0 ? MIN (allocation, heap) : heap;
  to->max_buffer_size = buffer != 0 ? MIN (buffer, heap) : to->max_allocation_size;
  to->max_storage_buffer_range = from->maxStorageBufferRange;
  to->storage_buffer_offset_alignment = (uint32_t) MIN (MAX (from->minStorageBufferOffsetAlignment, 4), 1u << 30);
  /* Of the largest texel that there is; also enough for queues that only copy. */
  to->buffer_image_copy_offset_alignment = 16;
  to->max_push_constants = from->maxPushConstantsSize;
  for (unsigned i = 0; i < 3; i++)
    {
      to->max_group_count[i] = from->maxComputeWorkGroupCount[i];
      to->max_group_size[i] = from->maxComputeWorkGroupSize[i];
    }
  to->max_group_invocations = from->maxComputeWorkGroupInvocations;
  to->max_shared_memory = from->maxComputeSharedMemorySize;
  to->max_image_2d = from->maxImageDimension2D;
  to->max_image_3d = from->maxImageDimension3D;
  to->max_storage_buffers = MIN (from->maxPerStageDescriptorStorageBuffers, from->maxDescriptorSetStorageBuffers);
  to->max_storage_images = MIN (from->maxPerStageDescriptorStorageImages, from->maxDescriptorSetStorageImages);
  to->max_sampled_images = MIN (from->maxPerStageDescriptorSampledImages, from->maxDescriptorSetSampledImages);
  to->max_resources = from->maxPerStageResources;
  to->max_timeline_difference = snapshot->properties12.maxTimelineSemaphoreValueDifference;
  to->subgroup_size = snapshot->properties11.subgroupSize;
}

static const struct
{
  VkFormatFeatureFlags2 needs;
  enum gabbro_format_use use;
} format_uses[] = {
  { VK_FORMAT_FEATURE_2_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_2_TRANSFER_DST_BIT, GABBRO_FORMAT_CAN_COPY },
  { VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT, GABBRO_FORMAT_CAN_READ },
  { VK_FORMAT_FEATURE_2_STORAGE_IMAGE_BIT | VK_FORMAT_FEATURE_2_STORAGE_READ_WITHOUT_FORMAT_BIT, GABBRO_FORMAT_CAN_STORAGE_READ },
  { VK_FORMAT_FEATURE_2_STORAGE_IMAGE_BIT | VK_FORMAT_FEATURE_2_STORAGE_WRITE_WITHOUT_FORMAT_BIT, GABBRO_FORMAT_CAN_STORAGE_WRITE },
};

static void
plan_formats (struct vulkan_plan *plan, const struct vulkan_snapshot *snapshot)
{
  for (int i = 0; i < GB_N_TEXEL_FORMATS; i++)
    {
      const struct vulkan_format *format = &snapshot->formats[i];
      bool is_off = gb_texel_infos[i].component == GB_TEXEL_BLOCK && !plan->features10.textureCompressionBC;
      uint32_t uses = 0;

      for (unsigned j = 0; j < G_N_ELEMENTS (format_uses); j++)
        if ((format->features & format_uses[j].needs) == format_uses[j].needs)
          uses |= format_uses[j].use;
      plan->image_usage[i] = vulkan_format_usage (format->features);
      for (unsigned j = 0; j < 2; j++)
        {
          const VkImageFormatProperties *images = &format->images[j];
          uint32_t side = j == 0 ? snapshot->limits.maxImageDimension2D : snapshot->limits.maxImageDimension3D;

          if ((uses & GABBRO_FORMAT_CAN_COPY) == 0 || images->maxMipLevels == 0 || is_off)
            continue;
          plan->formats[i][j] = (struct gabbro_format_support) {
            .uses = uses,
            .max_size = { MIN (images->maxExtent.width, side), MIN (images->maxExtent.height, side),
                          j == 0 ? 1 : MIN (images->maxExtent.depth, side) },
            .max_levels = images->maxMipLevels,
            .max_bytes = images->maxResourceSize,
          };
        }
    }
}

void
vulkan_plan_make (const struct vulkan_snapshot *snapshot, const struct vulkan_plan_options *options,
                  struct vulkan_plan *plan)
{
  memset (plan, 0, sizeof *plan);
  plan->features11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
  plan->features12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  plan->features13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
  plan->atomic_float.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT;
  plan->atomic_float2.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_2_FEATURES_EXT;
  plan->shader_clock.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR;

  if (snapshot->api_version < VK_API_VERSION_1_3)
    add_reason (plan, "Vulkan 1.3 is needed, the device has %u.%u", VK_API_VERSION_MAJOR (snapshot->api_version),
                VK_API_VERSION_MINOR (snapshot->api_version));
  plan_features (plan, snapshot);
  plan_extensions (plan, snapshot);
  plan_queues (plan, snapshot, options);
  plan_memory (plan, snapshot);
  plan_limits (plan, snapshot);
  plan_formats (plan, snapshot);
}

void
vulkan_plan_request (const struct vulkan_plan *plan, struct vulkan_device_request *request)
{
  uint32_t n_priorities = 0;

  memset (request, 0, sizeof *request);
  request->features13 = plan->features13;
  request->atomic_float = plan->atomic_float;
  request->atomic_float2 = plan->atomic_float2;
  request->shader_clock = plan->shader_clock;
  if (plan->uses[VULKAN_EXTENSION_SHADER_CLOCK])
    {
      request->shader_clock.pNext = request->features13.pNext;
      request->features13.pNext = &request->shader_clock;
    }
  if (plan->uses[VULKAN_EXTENSION_SHADER_ATOMIC_FLOAT_2])
    {
      request->atomic_float2.pNext = request->features13.pNext;
      request->features13.pNext = &request->atomic_float2;
    }
  if (plan->uses[VULKAN_EXTENSION_SHADER_ATOMIC_FLOAT])
    {
      request->atomic_float.pNext = request->features13.pNext;
      request->features13.pNext = &request->atomic_float;
    }
  request->features12 = plan->features12;
  request->features12.pNext = &request->features13;
  request->features11 = plan->features11;
  request->features11.pNext = &request->features12;
  request->features10.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  request->features10.pNext = &request->features11;
  request->features10.features = plan->features10;
  for (uint32_t i = 0; i < plan->n_families; i++)
    {
      request->queues[i] = (VkDeviceQueueCreateInfo) { .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                                       .queueFamilyIndex = plan->families[i],
                                                       .queueCount = plan->family_queues[i],
                                                       .pQueuePriorities = &request->priorities[n_priorities] };
      for (uint32_t j = 0; j < plan->family_queues[i]; j++)
        request->priorities[n_priorities++] = 0.5f;
    }
  request->info = (VkDeviceCreateInfo) { .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                         .pNext = &request->features10,
                                         .queueCreateInfoCount = plan->n_families,
                                         .pQueueCreateInfos = request->queues,
                                         .enabledExtensionCount = plan->n_extensions,
                                         .ppEnabledExtensionNames = plan->extensions };
}
