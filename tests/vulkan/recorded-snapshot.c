/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tests/vulkan/recorded-snapshot.h"

#include <stdio.h>
#include <string.h>

#include "tests/test-main.h"

struct recording
{
  struct vulkan_snapshot *snapshot;
  bool *seen;                           /* of vulkan_fields */
  const char *part;                     /* that the section fills; or NULL */
  bool in_extensions, in_memory, in_queues, in_pci;
  const struct vulkan_field *array;     /* whose numbers follow line by line */
  unsigned axis;
  int heap, type, family;
};

static const struct
{
  const char *section, *part;
} parts[] = {
  { "VkPhysicalDeviceLimits:", "limits" },
  { "VkPhysicalDeviceVulkan11Properties:", "properties11" },
  { "VkPhysicalDeviceVulkan12Properties:", "properties12" },
  { "VkPhysicalDeviceVulkan13Properties:", "properties13" },
  { "VkPhysicalDeviceFeatures:", "features10" },
  { "VkPhysicalDeviceVulkan11Features:", "features11" },
  { "VkPhysicalDeviceVulkan12Features:", "features12" },
  { "VkPhysicalDeviceVulkan13Features:", "features13" },
  { "VkPhysicalDeviceShaderAtomicFloatFeaturesEXT:", "atomic_float" },
  { "VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT:", "atomic_float2" },
  { "VkPhysicalDeviceShaderClockFeaturesKHR:", "shader_clock" },
};

static void
begin_section (struct recording *recording, const char *line)
{
  recording->part = NULL;
  for (unsigned i = 0; i < G_N_ELEMENTS (parts); i++)
    if (strcmp (line, parts[i].section) == 0)
      recording->part = parts[i].part;
  recording->in_extensions = g_str_has_prefix (line, "Device Extensions:");
  recording->in_queues = strcmp (line, "VkQueueFamilyProperties:") == 0;
  recording->in_pci = strcmp (line, "VkPhysicalDevicePCIBusInfoPropertiesEXT:") == 0;
  if (g_str_has_prefix (line, "memoryHeaps:") || g_str_has_prefix (line, "memoryTypes:"))
    recording->in_memory = true;
  else
    recording->in_memory = false;
  recording->array = NULL;
}

static uint64_t
number (const char *text)
{
  if (strcmp (text, "true") == 0)
    return 1;
  return g_ascii_strtoull (text, NULL, 0);
}

static void
read_uuid (const char *text, uint8_t uuid[VK_UUID_SIZE])
{
  unsigned n = 0;

  for (; *text != '\0' && n < VK_UUID_SIZE * 2; text++)
    if (g_ascii_isxdigit (*text))
      {
        unsigned digit = (unsigned) g_ascii_xdigit_value (*text);
        uuid[n / 2] = (uint8_t) (n % 2 == 0 ? digit << 4 : uuid[n / 2] | digit);
        n++;
      }
}

static void
read_general (struct recording *recording, const char *name, const char *value)
{
  struct vulkan_snapshot *snapshot = recording->snapshot;

  if (strcmp (name, "apiVersion") == 0)
    snapshot->api_version = (uint32_t) number (strchr (value, '(') + 1);
  else if (strcmp (name, "driverVersion") == 0)
    snapshot->driver_version = (uint32_t) number (strchr (value, '(') + 1);
  else if (strcmp (name, "vendorID") == 0)
    snapshot->vendor_id = (uint32_t) number (value);
  else if (strcmp (name, "deviceID") == 0)
    snapshot->device_id = (uint32_t) number (value);
  else if (strcmp (name, "deviceName") == 0)
    g_strlcpy (snapshot->name, value, sizeof snapshot->name);
  else if (strcmp (name, "deviceType") == 0)
    snapshot->type = strcmp (value, "PHYSICAL_DEVICE_TYPE_CPU") == 0            ? VK_PHYSICAL_DEVICE_TYPE_CPU
                     : strcmp (value, "PHYSICAL_DEVICE_TYPE_DISCRETE_GPU") == 0 ? VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU
                                                                               : VK_PHYSICAL_DEVICE_TYPE_OTHER;
  else if (strcmp (name, "deviceUUID") == 0)
    read_uuid (value, snapshot->properties11.deviceUUID);
  else if (strcmp (name, "driverUUID") == 0)
    read_uuid (value, snapshot->properties11.driverUUID);
  else if (strcmp (name, "driverName") == 0)
    g_strlcpy (snapshot->properties12.driverName, value, VK_MAX_DRIVER_NAME_SIZE);
  else if (strcmp (name, "driverInfo") == 0)
    g_strlcpy (snapshot->properties12.driverInfo, value, VK_MAX_DRIVER_INFO_SIZE);
}

static void
read_pci (struct recording *recording, const char *name, const char *value)
{
  struct vulkan_snapshot *snapshot = recording->snapshot;

  snapshot->has_pci = true;
  if (strcmp (name, "pciDomain") == 0)
    snapshot->pci_domain = (uint32_t) number (value);
  else if (strcmp (name, "pciBus") == 0)
    snapshot->pci_bus = (uint32_t) number (value);
  else if (strcmp (name, "pciDevice") == 0)
    snapshot->pci_device = (uint32_t) number (value);
  else if (strcmp (name, "pciFunction") == 0)
    snapshot->pci_function = (uint32_t) number (value);
}

static void
read_queue (struct recording *recording, const char *name, const char *value)
{
  static const struct
  {
    const char *name;
    VkQueueFlags flag;
  } flags[] = {
    { "QUEUE_GRAPHICS", VK_QUEUE_GRAPHICS_BIT },         { "QUEUE_COMPUTE", VK_QUEUE_COMPUTE_BIT },
    { "QUEUE_TRANSFER", VK_QUEUE_TRANSFER_BIT },         { "QUEUE_SPARSE_BINDING", VK_QUEUE_SPARSE_BINDING_BIT },
    { "QUEUE_VIDEO_DECODE", 0x20 /* in every version */ }, { "QUEUE_OPTICAL_FLOW", 0x100 },
  };
  struct vulkan_queue_family *family;

  if (recording->family < 0)
    return;
  family = &recording->snapshot->families[recording->family];
  if (strcmp (name, "queueCount") == 0)
    family->count = (uint32_t) number (value);
  else if (strcmp (name, "timestampValidBits") == 0)
    family->timestamp_bits = (uint32_t) number (value);
  else if (strcmp (name, "queueFlags") == 0)
    for (unsigned i = 0; i < G_N_ELEMENTS (flags); i++)
      if (strstr (value, flags[i].name) != NULL)
        family->flags |= flags[i].flag;
}

static void
read_memory (struct recording *recording, const char *name, const char *value)
{
  VkPhysicalDeviceMemoryProperties *memory = &recording->snapshot->memory;

  if (strcmp (name, "size") == 0)
    memory->memoryHeaps[recording->heap].size = number (value);
  else if (strcmp (name, "heapIndex") == 0)
    memory->memoryTypes[recording->type].heapIndex = (uint32_t) number (value);
  else if (strcmp (name, "propertyFlags") == 0)
    memory->memoryTypes[recording->type].propertyFlags = (VkMemoryPropertyFlags) number (value);
}

static void
read_field (struct recording *recording, const char *name, const char *value)
{
  const struct vulkan_field *field = vulkan_field_find (recording->part, name);

  recording->array = NULL;
  if (field == NULL)
    return;
  recording->seen[field - vulkan_fields] = true;
  vulkan_field_set (field, recording->snapshot, 0, number (value));
}

/* Names of flags, one a line, below "subgroupSupportedStages" and "subgroupSupportedOperations". */
static void
read_subgroup_flag (struct recording *recording, const char *text)
{
  static const char *const operations[] = { "BASIC", "VOTE", "ARITHMETIC", "BALLOT", "SHUFFLE", "SHUFFLE_RELATIVE", "CLUSTERED", "QUAD" };

  if (strcmp (text, "SHADER_STAGE_COMPUTE_BIT") == 0)
    recording->snapshot->properties11.subgroupSupportedStages |= VK_SHADER_STAGE_COMPUTE_BIT;
  for (unsigned i = 0; i < G_N_ELEMENTS (operations); i++)
    if (g_str_has_prefix (text, "SUBGROUP_FEATURE_") && g_str_has_suffix (text, "_BIT")
        && strlen (text) == strlen ("SUBGROUP_FEATURE_") + strlen (operations[i]) + strlen ("_BIT")
        && strncmp (text + strlen ("SUBGROUP_FEATURE_"), operations[i], strlen (operations[i])) == 0)
      recording->snapshot->properties11.subgroupSupportedOperations |= 1u << i;
}

/* A line that is no "name = value". */
static void
read_word (struct recording *recording, char *text)
{
  int index;

  if (recording->part != NULL && strcmp (recording->part, "properties11") == 0)
    read_subgroup_flag (recording, text);
  if (recording->array != NULL && g_ascii_isdigit (text[0]))
    {
      if (recording->axis < 3)
        vulkan_field_set (recording->array, recording->snapshot, recording->axis++, number (text));
    }
  else if (recording->part != NULL && strstr (text, ": count = 3") != NULL)
    {
      *strchr (text, ':') = '\0';
      recording->array = vulkan_field_find (recording->part, text);
      recording->axis = 0;
      if (recording->array != NULL)
        recording->seen[recording->array - vulkan_fields] = true;
    }
  else if (sscanf (text, "memoryHeaps[%d]", &index) == 1)
    {
      recording->heap = index;
      recording->snapshot->memory.memoryHeapCount = (uint32_t) index + 1;
    }
  else if (sscanf (text, "memoryTypes[%d]", &index) == 1)
    {
      recording->type = index;
      recording->snapshot->memory.memoryTypeCount = (uint32_t) index + 1;
    }
  else if (sscanf (text, "queueProperties[%d]", &index) == 1)
    {
      recording->family = index;
      recording->snapshot->n_families = (uint32_t) index + 1;
    }
  else if (strcmp (text, "MEMORY_HEAP_DEVICE_LOCAL_BIT") == 0)
    recording->snapshot->memory.memoryHeaps[recording->heap].flags |= VK_MEMORY_HEAP_DEVICE_LOCAL_BIT;
}

static void
read_extension (struct recording *recording, const char *text)
{
  for (unsigned i = 0; i < VULKAN_N_EXTENSIONS; i++)
    {
      size_t length = strlen (vulkan_extension_names[i]);
      if (strncmp (text, vulkan_extension_names[i], length) == 0 && !g_ascii_isalnum (text[length])
          && text[length] != '_')
        recording->snapshot->extensions[i] = true;
    }
}

static void
read_line (struct recording *recording, char *line)
{
  char *equals, *count, *value;

  if (line[0] != '\t' && line[0] != ' ' && line[0] != '\0' && line[0] != '-' && line[0] != '=')
    begin_section (recording, line);
  line = g_strstrip (line);
  if (recording->in_extensions)
    {
      read_extension (recording, line);
      return;
    }
  equals = strstr (line, " = ");
  count = strstr (line, ": count = ");
  if (equals == NULL || (count != NULL && count < equals))
    {
      read_word (recording, line);
      return;
    }
  value = g_strstrip (equals + 3);
  *equals = '\0';
  line = g_strchomp (line);
  read_general (recording, line, value);
  if (recording->part != NULL)
    read_field (recording, line, value);
  else if (recording->in_queues)
    read_queue (recording, line, value);
  else if (recording->in_memory)
    read_memory (recording, line, value);
  else if (recording->in_pci)
    read_pci (recording, line, value);
}

static bool
snapshot_has (const struct vulkan_snapshot *snapshot, enum vulkan_extension extension)
{
  return extension == VULKAN_N_EXTENSIONS || snapshot->extensions[extension];
}

void
recorded_snapshot (const char *name, struct vulkan_snapshot *snapshot)
{
  struct recording recording = { .snapshot = snapshot, .family = -1 };
  const char *srcdir = g_getenv ("srcdir");
  char *file = g_strdup_printf ("%s/tests/data/vulkaninfo-%s.txt", srcdir != NULL ? srcdir : ".", name);
  char *text = NULL, **lines;

  vulkan_snapshot_init (snapshot);
  recording.seen = g_new0 (bool, vulkan_n_fields);
  ck_assert_msg (g_file_get_contents (file, &text, NULL, NULL), "%s cannot be read", file);
  lines = g_strsplit (text, "\n", -1);
  for (unsigned i = 0; lines[i] != NULL; i++)
    read_line (&recording, lines[i]);
  for (unsigned i = 0; i < vulkan_n_fields; i++)
    ck_assert_msg (recording.seen[i] || !snapshot_has (snapshot, vulkan_part_extension (vulkan_fields[i].part)), "%s has no %s.%s", file, vulkan_fields[i].part, vulkan_fields[i].name);
  g_strfreev (lines);
  g_free (text);
  g_free (file);
  g_free (recording.seen);
}
