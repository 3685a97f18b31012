/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/drivers/reference/reference.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#define MEMBER(name, member, least, most) \
  { name, offsetof (struct reference_settings, member), sizeof (((struct reference_settings *) 0)->member), least, most }

static const struct
{
  const char *name;
  size_t offset, size;
  uint64_t least, most;
} numbers[] = {
  MEMBER ("width", width, 1, 64),
  MEMBER ("threads", threads, 1, 1024),
  MEMBER ("seed", seed, 0, UINT64_MAX),
  MEMBER ("steps", steps, 0, UINT64_MAX),
  MEMBER ("reports", reports, 1, 1000000),
  MEMBER ("memory", host.memory, 1, UINT64_MAX),
  MEMBER ("queues", host.queues, 1, GABBRO_MAX_QUEUES),
  MEMBER ("copy-queues", host.copy_queues, 0, GABBRO_MAX_QUEUES),
  MEMBER ("lose-submit", host.lose_submit, 1, UINT64_MAX),
  MEMBER ("max-group-count", max_group_count, 1, UINT32_MAX),
  MEMBER ("max-push-constants", max_push_constants, 128, 4096),
};

/* With checks an endless loop is found in seconds, not never. */
#define CHECKED_STEPS UINT64_C (100000000)

/* Which words the check option has, as a list for people. */
static char *
list_checks (void)
{
  GString *words = g_string_new ("check");

  for (int kind = 0; kind < CHECK_N_KINDS; kind++)
    g_string_append_printf (words, ", %s", check_kind_name (kind));
  return g_string_free (words, FALSE);
}

static bool
fail_setting (const char *word, GError **error)
{
  GString *names = g_string_new (NULL);
  char *checks = list_checks ();

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    g_string_append_printf (names, "%s=, ", numbers[i].name);
  g_set_error (error, GABBRO_DRIVER_ERROR, GABBRO_DRIVER_ERROR_FAILED,
               "GABBRO_REFERENCE (the option “reference”) has no setting “%s”; there are: 0, 1, %s%s, and these with no- in front",
               word, names->str, checks);
  g_string_free (names, TRUE);
  g_free (checks);
  return false;
}

static bool
parse_number (struct reference_settings *settings, const char *name, const char *text, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      char *member = (char *) settings + numbers[i].offset;
      guint64 value;
      uint32_t small;

      if (strcmp (numbers[i].name, name) != 0)
        continue;
      if (!g_ascii_string_to_unsigned (text, 10, numbers[i].least, numbers[i].most, &value, NULL)
          || (strcmp (name, "width") == 0 && (value & (value - 1)) != 0))
        {
          g_set_error (error, GABBRO_DRIVER_ERROR, GABBRO_DRIVER_ERROR_FAILED,
                       "GABBRO_REFERENCE (the option “reference”): %s=%s is no %s from %" PRIu64 " to %" PRIu64, name, text,
                       strcmp (name, "width") == 0 ? "power of two" : "whole number", numbers[i].least, numbers[i].most);
          return false;
        }
      small = (uint32_t) value;
      if (numbers[i].size == sizeof small)
        memcpy (member, &small, sizeof small);
      else
        memcpy (member, &value, sizeof value);
      return true;
    }
  return fail_setting (name, error);
}

/* "check", the name of a kind, or that with "no-" in front. False: another word. */
static bool
parse_check (uint32_t *checks, const char *word)
{
  bool off = g_str_has_prefix (word, "no-");
  const char *name = off ? word + strlen ("no-") : word;
  enum check_kind kind;
  uint32_t kinds;

  if (strcmp (name, "check") == 0)
    kinds = off ? CHECK_ALL_KINDS : CHECK_DEFAULT_KINDS;
  else if (check_kind_from_name (name, &kind))
    kinds = CHECK_KIND_MASK (kind);
  else
    return false;
  *checks = off ? *checks & ~kinds : *checks | kinds;
  return true;
}

static bool
parse_word (struct reference_settings *settings, char *word, GError **error)
{
  char *equals = strchr (word, '=');

  if (word[0] == '\0' || strcmp (word, "1") == 0 || parse_check (&settings->checks, word))
    return true;
  if (strcmp (word, "0") == 0)
    {
      settings->absent = true;
      return true;
    }
  if (equals == NULL)
    return fail_setting (word, error);
  *equals = '\0';
  return parse_number (settings, word, equals + 1, error);
}

static bool
parse_check_word (struct reference_settings *settings, char *word, GError **error)
{
  if (strcmp (word, "1") == 0)
    settings->checks |= CHECK_DEFAULT_KINDS;
  else if (strcmp (word, "0") == 0)
    settings->checks = 0;
  else if (word[0] != '\0' && !parse_check (&settings->checks, word))
    {
      char *checks = list_checks ();
      g_set_error (error, GABBRO_DRIVER_ERROR, GABBRO_DRIVER_ERROR_FAILED,
                   "GABBRO_CHECK (the option “check”) has no word “%s”; there are: 0, 1, %s, and these with no- in front",
                   word, checks);
      g_free (checks);
      return false;
    }
  return true;
}

static bool
parse_words (struct reference_settings *settings, const char *text,
             bool (*parse) (struct reference_settings *settings, char *word, GError **error), GError **error)
{
  char **words = g_strsplit (text != NULL ? text : "", ",", -1);
  bool ok = true;

  for (char **word = words; *word != NULL && ok; word++)
    ok = parse (settings, g_strstrip (*word), error);
  g_strfreev (words);
  return ok;
}

/* Three quarters of what the machine has. */
static uint64_t
usual_memory (void)
{
  long pages = sysconf (_SC_PHYS_PAGES), size = sysconf (_SC_PAGESIZE);

  return pages > 0 && size > 0 ? (uint64_t) pages / 4 * 3 * (uint64_t) size : UINT64_C (1) << 30;
}

bool
reference_settings_parse (struct reference_settings *settings, const char *text, const char *check, GError **error)
{
  struct reference_settings parsed = {
    .host = { .queues = 1, .memory = usual_memory () }, .width = 32, .steps = UINT64_MAX, .reports = CHECK_DEFAULT_LIMIT,
    .max_group_count = UINT32_MAX, .max_push_constants = 256,
  };

  if (!parse_words (&parsed, text, parse_word, error) || !parse_words (&parsed, check, parse_check_word, error))
    return false;
  if (parsed.steps == UINT64_MAX)
    parsed.steps = parsed.checks != 0 ? CHECKED_STEPS : 0;
  *settings = parsed;
  return true;
}
