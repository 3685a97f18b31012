/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/drivers/null/null.h"

#include <stddef.h>
#include <string.h>

#include "lib/file.h"

#define MOST_SETTINGS_BYTES 4096

enum rule
{
  RULE_NONE,
  RULE_POWER_OF_TWO,
  RULE_WORDS                    /* whole words of four bytes */
};

#define LIMITED(name, member, least, most, rule) \
  { name, offsetof (struct null_settings, member), sizeof (((struct null_settings *) 0)->member), least, most, rule }
#define MEMBER(name, member, most) LIMITED (name, member, 1, most, RULE_NONE)

static const struct
{
  const char *name;
  size_t offset, size;
  uint64_t least, most;
  enum rule rule;
} numbers[] = {
  MEMBER ("adapters", adapters, 8),
  MEMBER ("first", first, 200),
  MEMBER ("queues", host.queues, GABBRO_MAX_QUEUES),
  MEMBER ("copy-queues", host.copy_queues, GABBRO_MAX_QUEUES),
  MEMBER ("delay", host.delay, 60 * 1000 * 1000),
  MEMBER ("retire-delay", retire_delay, 60 * 1000 * 1000),
  MEMBER ("fail-buffer", fail_buffer, UINT64_MAX),
  MEMBER ("fail-submit", host.fail_submit, UINT64_MAX),
  MEMBER ("lose-submit", host.lose_submit, UINT64_MAX),
  MEMBER ("memory", host.memory, UINT64_MAX),
  MEMBER ("max-buffer-size", limits.max_buffer_size, UINT64_MAX),
  MEMBER ("max-allocation-size", limits.max_allocation_size, UINT64_MAX),
  MEMBER ("max-storage-buffer-range", limits.max_storage_buffer_range, UINT64_MAX),
  LIMITED ("storage-buffer-offset-alignment", limits.storage_buffer_offset_alignment, 1, 4096, RULE_POWER_OF_TWO),
  LIMITED ("max-push-constants", limits.max_push_constants, 128, 4096, RULE_WORDS),
  MEMBER ("max-group-count", limits.max_group_count[0], UINT32_MAX),
  MEMBER ("max-group-invocations", limits.max_group_invocations, 4096),
  MEMBER ("max-image-2d", limits.max_image_2d, 65536),
  MEMBER ("max-image-3d", limits.max_image_3d, 65536),
  MEMBER ("max-storage-buffers", limits.max_storage_buffers, UINT32_MAX),
  MEMBER ("max-storage-images", limits.max_storage_images, UINT32_MAX),
  MEMBER ("max-sampled-images", limits.max_sampled_images, UINT32_MAX),
  MEMBER ("max-resources", limits.max_resources, UINT32_MAX),
  MEMBER ("max-timeline-difference", limits.max_timeline_difference, UINT64_MAX),
};

static const struct null_settings defaults = {
  .adapters = 1,
  .host = { .queues = 1, .memory = UINT64_C (1) << 30 },
  .limits = {
    .max_buffer_size = UINT64_C (1) << 30,
    .max_allocation_size = UINT64_C (1) << 30,
    .max_storage_buffer_range = UINT64_C (1) << 27,
    .storage_buffer_offset_alignment = 256,
    .buffer_image_copy_offset_alignment = 4,
    .max_push_constants = 128,
    .max_group_count = { 65535, 65535, 65535 },
    .max_group_size = { 1024, 1024, 64 },
    .max_group_invocations = 1024,
    .max_shared_memory = 16384,
    .max_image_2d = 4096,
    .max_image_3d = 256,
    .max_storage_buffers = 16,
    .max_storage_images = 8,
    .max_sampled_images = 16,
    .max_resources = 128,
    .max_timeline_difference = INT32_MAX,
  },
};

/* What `value` ought to be and is not, or NULL. */
static const char *
broken_rule (uint64_t value, enum rule rule)
{
  if (rule == RULE_POWER_OF_TWO && (value & (value - 1)) != 0)
    return "a power of two";
  return rule == RULE_WORDS && value % 4 != 0 ? "a multiple of four" : NULL;
}

static bool
parse_number (struct null_settings *settings, const char *name, const char *text, GError **error)
{
  guint64 value;

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      char *member = (char *) settings + numbers[i].offset;
      uint32_t small;

      if (strcmp (numbers[i].name, name) != 0)
        continue;
      if (!g_ascii_string_to_unsigned (text, 10, numbers[i].least, numbers[i].most, &value, error))
        {
          g_prefix_error (error, "null: %s=%s: ", name, text);
          return false;
        }
      if (broken_rule (value, numbers[i].rule) != NULL)
        {
          g_set_error (error, GABBRO_DRIVER_ERROR, GABBRO_DRIVER_ERROR_FAILED, "null: %s=%s is not %s", name, text,
                       broken_rule (value, numbers[i].rule));
          return false;
        }
      small = (uint32_t) value;
      if (numbers[i].size == sizeof small)
        memcpy (member, &small, sizeof small);
      else
        memcpy (member, &value, sizeof value);
      return true;
    }
  g_set_error (error, GABBRO_DRIVER_ERROR, GABBRO_DRIVER_ERROR_FAILED, "null: there is no setting “%s”", name);
  return false;
}

static bool
parse_format (struct null_settings *settings, const char *name, GError **error)
{
  G_STATIC_ASSERT (GB_N_TEXEL_FORMATS <= 64);

  for (int i = 0; i < GB_N_TEXEL_FORMATS; i++)
    if (strcmp (gb_texel_infos[i].name, name) == 0)
      {
        settings->missing_formats |= UINT64_C (1) << i;
        return true;
      }
  g_set_error (error, GABBRO_DRIVER_ERROR, GABBRO_DRIVER_ERROR_FAILED, "null: there is no format “%s”", name);
  return false;
}

static bool
parse (struct null_settings *settings, const char *text, GError **error)
{
  struct null_settings parsed = defaults;
  char **words = g_strsplit (text, ",", -1);
  bool ok = true;

  for (char **word = words; *word != NULL && ok; word++)
    {
      char *equals = strchr (*word, '=');

      if ((*word)[0] == '\0' || strcmp (*word, "1") == 0)
        continue;
      if (strcmp (*word, "0") == 0)
        parsed.adapters = 0;
      else if (strcmp (*word, "unmapped") == 0)
        parsed.unmapped = true;
      else if (strcmp (*word, "pipelines") == 0)
        parsed.pipelines = true;
      else if (strcmp (*word, "hang") == 0)
        parsed.host.hang = true;
      else if (g_str_has_prefix (*word, "no-format="))
        ok = parse_format (&parsed, equals + 1, error);
      else if (equals == NULL)
        ok = parse_number (&parsed, *word, "", error);
      else
        {
          *equals = '\0';
          ok = parse_number (&parsed, *word, equals + 1, error);
        }
    }
  g_strfreev (words);
  if (ok && parsed.host.copy_queues >= parsed.host.queues)
    {
      g_set_error (error, GABBRO_DRIVER_ERROR, GABBRO_DRIVER_ERROR_FAILED,
                   "null: copy-queues=%u: of queues=%u the first one computes", parsed.host.copy_queues, parsed.host.queues);
      ok = false;
    }
  if (!ok)
    return false;
  parsed.limits.max_group_count[1] = parsed.limits.max_group_count[2] = parsed.limits.max_group_count[0];
  *settings = parsed;
  return true;
}

bool
null_settings_parse (struct null_settings *settings, const char *text, GError **error)
{
  GBytes *bytes;
  char *contents;
  bool ok;

  if (text[0] != '@')
    return parse (settings, text, error);
  bytes = gb_file_read (text + 1, MOST_SETTINGS_BYTES, error);
  if (bytes == NULL)
    {
      g_prefix_error (error, "null: ");
      return false;
    }
  contents = g_utf8_make_valid (g_bytes_get_data (bytes, NULL), (gssize) g_bytes_get_size (bytes));
  ok = parse (settings, g_strstrip (contents), error);
  g_free (contents);
  g_bytes_unref (bytes);
  return ok;
}
