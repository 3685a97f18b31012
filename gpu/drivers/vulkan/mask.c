/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/drivers/vulkan/mask.h"

#include <inttypes.h>
#include <string.h>

#include "gpu/driver-api/gabbro-driver.h"
#include "lib/checked.h"

struct entry
{
  char *name;
  char *value;                          /* NULL: "-name" */
};

typedef bool (*entry_func) (const struct entry *entry, struct vulkan_snapshot *snapshot, GError **error);

static bool
fail (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* Always false. */
static bool
fail (GError **error, const char *format, ...)
{
  va_list arguments;
  char *text;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error (error, GABBRO_DRIVER_ERROR, GABBRO_DRIVER_ERROR_FAILED, "device mask: %s", text);
  g_free (text);
  return false;
}

static bool
parse_number (const struct entry *entry, const char *text, uint64_t *number, GError **error)
{
  const char *digits = text;
  unsigned base = 10;

  if (g_str_has_prefix (text, "0x"))
    {
      digits = text + 2;
      base = 16;
    }
  /* The parser of GLib lets a sign through. */
  if (!g_ascii_isxdigit (digits[0]) || !g_ascii_string_to_unsigned (digits, base, 0, G_MAXUINT64, number, NULL))
    return fail (error, "%s: “%s” is not a number", entry->name, text);
  return true;
}

static bool
refuse_looser (const struct entry *entry, uint64_t asked, uint64_t has, GError **error)
{
  return fail (error, "%s: %" PRIu64 " is looser than the device, which has %" PRIu64, entry->name,
               asked, has);
}

/* Without one of these nothing can ever run, and code divides by them. */
static bool
is_never_zero (const struct vulkan_field *field)
{
  return strcmp (field->name, "maxComputeWorkGroupCount") == 0 || strcmp (field->name, "maxTimelineSemaphoreValueDifference") == 0;
}

static bool
apply_limit (const struct entry *entry, const struct vulkan_field *field, struct vulkan_snapshot *snapshot,
             GError **error)
{
  unsigned axes = field->kind == VULKAN_KIND_U32X3 ? 3 : 1;
  unsigned n_parts;
  char **parts;
  bool ok;
  uint64_t value[3];

  if (field->order == VULKAN_ORDER_FIXED)
    return fail (error, "%s says how the device is and cannot be made stricter", entry->name);
  parts = g_strsplit (entry->value, ":", -1);
  n_parts = g_strv_length (parts);
  if (n_parts > 1 && n_parts != axes)
    ok = fail (error, "%s has %u numbers, “%s” has not", entry->name, axes, entry->value);
  else if (n_parts == 0)
    ok = parse_number (entry, "", value, error);
  else
    ok = true;
  for (unsigned i = 0; ok && i < axes; i++)
    ok = parse_number (entry, parts[n_parts == 1 ? 0 : i], &value[i], error);
  for (unsigned i = 0; ok && i < axes; i++)
    {
      uint64_t has = snapshot != NULL ? vulkan_field_get (field, snapshot, i) : 0;
      if (field->order == VULKAN_ORDER_HIGHER_ALIGNMENT)
        {
          if (!gb_is_power_of_two (value[i]))
            ok = fail (error, "%s: %" PRIu64 " is not a power of two", entry->name, value[i]);
          else if (snapshot != NULL && value[i] < has)
            ok = refuse_looser (entry, value[i], has, error);
        }
      else if (value[i] == 0 && is_never_zero (field))
        ok = fail (error, "%s: a device has at least 1", entry->name);
      else if (snapshot != NULL && value[i] > has)
        ok = refuse_looser (entry, value[i], has, error);
    }
  for (unsigned i = 0; ok && snapshot != NULL && i < axes; i++)
    vulkan_field_set (field, snapshot, i, value[i]);
  g_strfreev (parts);
  return ok;
}

static bool
apply_queue_count (const struct entry *entry, struct vulkan_snapshot *snapshot, GError **error)
{
  uint64_t value, has = 0;

  if (!parse_number (entry, entry->value, &value, error))
    return false;
  if (value == 0)
    return fail (error, "%s: a device has at least 1 queue", entry->name);
  if (snapshot == NULL)
    return true;
  for (uint32_t i = 0; i < snapshot->n_families; i++)
    has += snapshot->families[i].count;
  if (value > has)
    return refuse_looser (entry, value, has, error);
  snapshot->max_queues = (uint32_t) value;
  for (uint32_t i = 0; i < snapshot->n_families; i++)
    snapshot->families[i].count = MIN (snapshot->families[i].count, snapshot->max_queues);
  return true;
}

static bool
apply_heap_size (const struct entry *entry, struct vulkan_snapshot *snapshot, GError **error)
{
  uint64_t value, largest = 0;

  if (!parse_number (entry, entry->value, &value, error))
    return false;
  if (snapshot == NULL)
    return true;
  for (uint32_t i = 0; i < snapshot->memory.memoryHeapCount; i++)
    largest = MAX (largest, snapshot->memory.memoryHeaps[i].size);
  if (value > largest)
    return refuse_looser (entry, value, largest, error);
  for (uint32_t i = 0; i < snapshot->memory.memoryHeapCount; i++)
    snapshot->memory.memoryHeaps[i].size = MIN (snapshot->memory.memoryHeaps[i].size, value);
  return true;
}

static bool
apply_api_version (const struct entry *entry, struct vulkan_snapshot *snapshot, GError **error)
{
  char **parts = g_strsplit (entry->value, ".", 3);
  uint64_t major = 0, minor = 0;
  bool ok;
  uint32_t version;

  if (g_strv_length (parts) != 2)
    ok = fail (error, "%s: “%s” is not a version like 1.2", entry->name, entry->value);
  else
    ok = parse_number (entry, parts[0], &major, error) && parse_number (entry, parts[1], &minor, error);
  g_strfreev (parts);
  if (!ok || snapshot == NULL)
    return ok;
  version = VK_MAKE_API_VERSION (0, (uint32_t) MIN (major, 127), (uint32_t) MIN (minor, 1023), 0);
  if (version > snapshot->api_version)
    return fail (error, "%s: %s is looser than the device, which has %u.%u", entry->name, entry->value,
                 VK_API_VERSION_MAJOR (snapshot->api_version), VK_API_VERSION_MINOR (snapshot->api_version));
  snapshot->api_version = version;
  return true;
}

static bool
apply_mappable (const struct entry *entry, struct vulkan_snapshot *snapshot, GError **error)
{
  if (snapshot != NULL)
    snapshot->hide_mappable = true;
  return true;
}

/* Bits of VkSubgroupFeatureFlagBits. */
static bool
apply_subgroup_operations (const struct entry *entry, struct vulkan_snapshot *snapshot, GError **error)
{
  uint64_t value;

  if (!parse_number (entry, entry->value, &value, error))
    return false;
  if (snapshot == NULL)
    return true;
  if ((value & ~(uint64_t) snapshot->properties11.subgroupSupportedOperations) != 0)
    return refuse_looser (entry, value, snapshot->properties11.subgroupSupportedOperations, error);
  snapshot->properties11.subgroupSupportedOperations = (VkSubgroupFeatureFlags) value;
  return true;
}

static const struct
{
  const char *name;
  bool has_value;
  entry_func apply;
} special[] = {
  { "queueCount", true, apply_queue_count },
  { "memoryHeapSize", true, apply_heap_size },
  { "apiVersion", true, apply_api_version },
  { "subgroupSupportedOperations", true, apply_subgroup_operations },
  { "mappableDeviceMemory", false, apply_mappable },
};

static bool
check_form (const struct entry *entry, bool has_value, GError **error)
{
  if (has_value && entry->value == NULL)
    return fail (error, "%s needs a value: %s=…", entry->name, entry->name);
  if (!has_value && entry->value != NULL)
    return fail (error, "%s takes no value: write -%s", entry->name, entry->name);
  return true;
}

static bool
apply_entry (const struct entry *entry, struct vulkan_snapshot *snapshot, GError **error)
{
  const struct vulkan_field *field;

  for (unsigned i = 0; i < G_N_ELEMENTS (special); i++)
    if (strcmp (entry->name, special[i].name) == 0)
      return check_form (entry, special[i].has_value, error) && special[i].apply (entry, snapshot, error);
  for (unsigned i = 0; i < VULKAN_N_EXTENSIONS; i++)
    if (strcmp (entry->name, vulkan_extension_names[i]) == 0)
      {
        if (!check_form (entry, false, error))
          return false;
        if (snapshot != NULL)
          snapshot->extensions[i] = false;
        if (snapshot != NULL && i == VULKAN_EXTENSION_PCI_BUS_INFO)
          snapshot->has_pci = false;
        return true;
      }
  for (int i = 0; i < GB_N_TEXEL_FORMATS; i++)
    if (strcmp (entry->name, gb_texel_infos[i].name) == 0)
      {
        if (!check_form (entry, false, error))
          return false;
        if (snapshot != NULL)
          snapshot->formats[i] = (struct vulkan_format) { 0 };
        return true;
      }
  field = vulkan_field_find (NULL, entry->name);
  if (field == NULL)
    return fail (error, "“%s” is no limit, feature, extension or format of images that is known", entry->name);
  if (!check_form (entry, field->order != VULKAN_ORDER_FEATURE, error))
    return false;
  if (field->order != VULKAN_ORDER_FEATURE)
    return apply_limit (entry, field, snapshot, error);
  if (snapshot != NULL)
    vulkan_field_set (field, snapshot, 0, 0);
  return true;
}

/* Cuts `text` in place. */
static bool
read_entry (char *text, struct entry *entry, GError **error)
{
  char *equals = strchr (text, '=');

  entry->value = NULL;
  if (equals != NULL)
    {
      *equals = '\0';
      entry->value = g_strstrip (equals + 1);
    }
  entry->name = g_strstrip (text);
  if (entry->name[0] == '-' && equals == NULL)
    entry->name++;
  else if (equals == NULL)
    return fail (error, "“%s” is neither name=value nor -name", entry->name);
  return true;
}

static bool
apply_all (const char *mask, struct vulkan_snapshot *snapshot, GError **error)
{
  char **items = g_strsplit (mask, ",", -1);
  bool ok = true;

  for (unsigned i = 0; ok && items[i] != NULL; i++)
    {
      struct entry entry;
      if (g_strstrip (items[i])[0] == '\0')
        continue;
      ok = read_entry (items[i], &entry, error) && apply_entry (&entry, snapshot, error);
    }
  g_strfreev (items);
  return ok;
}

bool
vulkan_mask_check (const char *mask, GError **error)
{
  return mask == NULL || apply_all (mask, NULL, error);
}

bool
vulkan_mask_apply (const char *mask, struct vulkan_snapshot *snapshot, GError **error)
{
  struct vulkan_snapshot masked = *snapshot;

  if (mask == NULL)
    return true;
  if (!apply_all (mask, &masked, error))
    return false;
  *snapshot = masked;
  return true;
}
