/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/bundle/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <inttypes.h>
#include <string.h>

#include "lib/checked.h"
#include "lib/reader.h"

#define BLOCK            512
#define CHUNK            (256 * 1024)
#define MAX_GENERATOR    128
/* Lines of the manifest: "kernel NAME DIGEST"; the last is "manifest DIGEST", of those before it. */
#define MAX_MANIFEST     (256 + (gsize) BUNDLE_MAX_KERNELS * (BUNDLE_MAX_KERNEL_NAME + GB_DIGEST_HEX_SIZE + 16))
#define MANIFEST_HEAD    "gabbro-bundle 1\ngenerator "
#define ZSTD_LEVEL       "9"

static const uint8_t zstd_magic[4] = { 0x28, 0xb5, 0x2f, 0xfd };

void
bundle_member_free (gpointer data)
{
  struct bundle_member *member = data;

  g_free (member->name);
  bundle_sections_clear (member->sections);
  g_free (member);
}

static int
compare_members (gconstpointer a, gconstpointer b)
{
  const struct bundle_member *const *first = a, *const *second = b;

  return strcmp ((*first)->name, (*second)->name);
}

/* The digest of a header has those of the sections in it, so that the manifest holds the whole bundle together. */
static GBytes *
make_manifest (GPtrArray *members, const char *generator)
{
  GString *text = g_string_new (MANIFEST_HEAD);
  uint8_t digest[GB_DIGEST_SIZE];
  char hex[GB_DIGEST_HEX_SIZE];

  g_string_append_printf (text, "%s\n", generator);
  for (guint i = 0; i < members->len; i++)
    {
      const struct bundle_member *member = members->pdata[i];
      gsize size;
      const void *data = g_bytes_get_data (member->sections[BUNDLE_SECTION_HEADER], &size);

      gb_digest_of (data, size, digest);
      gb_digest_to_hex (digest, hex);
      g_string_append_printf (text, "kernel %s %s\n", member->name, hex);
    }
  gb_digest_of (text->str, text->len, digest);
  gb_digest_to_hex (digest, hex);
  g_string_append_printf (text, "manifest %s\n", hex);
  return g_string_free_to_bytes (text);
}

/* Writing. */

static la_ssize_t
append (struct archive *archive, void *data, const void *buffer, size_t length)
{
  gb_writer_bytes (data, buffer, length);
  return (la_ssize_t) length;
}

static bool
fail_with (struct archive *archive, GError **error)
{
  const char *why = archive_error_string (archive);

  g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_FAILED, _("The bundle cannot be made: %s"), why != NULL ? why : "?");
  return false;
}

static bool
write_entry (struct archive *archive, const char *name, GBytes *bytes, GError **error)
{
  struct archive_entry *entry = archive_entry_new ();
  gsize size;
  const void *data = g_bytes_get_data (bytes, &size);
  bool good;

  archive_entry_set_pathname (entry, name);
  archive_entry_set_filetype (entry, AE_IFREG);
  archive_entry_set_perm (entry, 0644);
  archive_entry_set_size (entry, (la_int64_t) size);
  archive_entry_set_mtime (entry, 0, 0);
  archive_entry_set_uid (entry, 0);
  archive_entry_set_gid (entry, 0);
  good = archive_write_header (archive, entry) == ARCHIVE_OK && archive_write_data (archive, data, size) == (la_ssize_t) size;
  archive_entry_free (entry);
  return good || fail_with (archive, error);
}

static bool
write_members (struct archive *archive, GPtrArray *members, const char *generator, GError **error)
{
  GBytes *manifest = make_manifest (members, generator);
  bool good = write_entry (archive, BUNDLE_MANIFEST, manifest, error);

  g_bytes_unref (manifest);
  for (guint i = 0; i < members->len && good; i++)
    for (guint section = 0; section < BUNDLE_N_SECTIONS && good; section++)
      {
        const struct bundle_member *member = members->pdata[i];
        char *name = g_strconcat (member->name, "/", bundle_section_name ((enum bundle_section) section), NULL);

        good = write_entry (archive, name, member->sections[section], error);
        g_free (name);
      }
  return good;
}

/* libarchive would run a program where it was built without zstd. */
static bool
set_compression (struct archive *archive, bool compress, GError **error)
{
  if (!compress)
    return archive_write_add_filter_none (archive) == ARCHIVE_OK || fail_with (archive, error);
  if (archive_write_add_filter_zstd (archive) != ARCHIVE_OK)
    {
      g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_NOT_SUPPORTED, _("Bundles cannot be compressed: libarchive was built without zstd"));
      return false;
    }
  return archive_write_set_filter_option (archive, "zstd", "compression-level", ZSTD_LEVEL) == ARCHIVE_OK || fail_with (archive, error);
}

GBytes *
bundle_archive_write (GPtrArray *members, const char *generator, bool compress, GError **error)
{
  struct archive *archive = archive_write_new ();
  GByteArray *out = g_byte_array_new ();
  bool good = (archive_write_set_format_ustar (archive) == ARCHIVE_OK && archive_write_set_bytes_in_last_block (archive, 1) == ARCHIVE_OK)
              || fail_with (archive, error);

  good = good && set_compression (archive, compress, error)
         && (archive_write_open2 (archive, out, NULL, append, NULL, NULL) == ARCHIVE_OK || fail_with (archive, error))
         && write_members (archive, members, generator, error)
         && (archive_write_close (archive) == ARCHIVE_OK || fail_with (archive, error));
  archive_write_free (archive);
  if (good)
    return g_byte_array_free_to_bytes (out);
  g_byte_array_unref (out);
  return NULL;
}

/* Decompressing. */

static bool
too_large (uint64_t limit, GError **error)
{
  return bundle_refuse (error, _("The bundle is larger than %" PRIu64 " bytes"), limit);
}

static bool
inflate (struct archive *archive, GByteArray *out, uint64_t limit, GError **error)
{
  struct archive_entry *entry;
  uint8_t *chunk = g_malloc (CHUNK);
  la_ssize_t n = archive_read_next_header (archive, &entry) == ARCHIVE_OK ? 1 : -1;
  bool good = true;

  while (n > 0 && good)
    {
      n = archive_read_data (archive, chunk, CHUNK);
      if (n > 0 && (uint64_t) n > limit - out->len)
        good = too_large (limit, error);
      else if (n > 0)
        gb_writer_bytes (out, chunk, (gsize) n);
    }
  g_free (chunk);
  if (good && n < 0)
    good = bundle_refuse (error, _("The bundle cannot be decompressed: it is cut off or damaged"));
  return good;
}

/* The tar inside, or the bytes themselves where they are not compressed. */
static GBytes *
decompress (GBytes *bytes, GError **error)
{
  struct archive *archive;
  GByteArray *out;
  gsize size;
  const uint8_t *data = g_bytes_get_data (bytes, &size);
  uint64_t limit = MIN (BUNDLE_MAX_SIZE, size * (uint64_t) BUNDLE_MAX_RATIO + (1 << 20));
  bool good;

  if (size > BUNDLE_MAX_SIZE)
    {
      too_large (BUNDLE_MAX_SIZE, error);
      return NULL;
    }
  if (size < sizeof zstd_magic || memcmp (data, zstd_magic, sizeof zstd_magic) != 0)
    return g_bytes_ref (bytes);
  archive = archive_read_new ();
  out = g_byte_array_new ();
  good = archive_read_support_filter_zstd (archive) == ARCHIVE_OK && archive_read_support_format_raw (archive) == ARCHIVE_OK;
  if (!good)
    g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_NOT_SUPPORTED,
                 _("The bundle is compressed, and libarchive was built without zstd"));
  else if (archive_read_open_memory (archive, data, size) != ARCHIVE_OK)
    good = bundle_refuse (error, _("The bundle cannot be decompressed: it is cut off or damaged"));
  good = good && inflate (archive, out, limit, error);
  archive_read_free (archive);
  if (good)
    return g_byte_array_free_to_bytes (out);
  g_byte_array_unref (out);
  return NULL;
}

/* Reading. */

struct input
{
  struct archive *archive;
  GBytes *bytes;
  GHashTable *members;                   /* name -> struct bundle_member */
  GBytes *manifest;
  gsize end;                             /* of the entries that have been read */
};

/* Names as they can be shown. */
static bool
refuse_entry (const char *name, const char *why, GError **error)
{
  char *shown = name != NULL ? g_utf8_make_valid (name, -1) : g_strdup ("?");
  bool answer = bundle_refuse (error, _("The entry “%s” of the bundle %s"), shown, why);

  g_free (shown);
  return answer;
}

static bool
leads_elsewhere (const char *name)
{
  char **parts = g_strsplit (name, "/", -1);
  bool parent = false;

  for (char **part = parts; *part != NULL; part++)
    parent = parent || g_str_equal (*part, "..");
  g_strfreev (parts);
  return parent || name[0] == '/';
}

/* "kernel/section" in two. */
static bool
split_name (const char *name, char **kernel, enum bundle_section *section)
{
  const char *slash = strchr (name, '/');

  if (slash == NULL || slash == name || slash - name > BUNDLE_MAX_KERNEL_NAME)
    return false;
  for (const char *at = name; at < slash; at++)
    if (!g_ascii_isalnum (*at) && *at != '_')
      return false;
  for (guint i = 0; i < BUNDLE_N_SECTIONS; i++)
    if (g_str_equal (slash + 1, bundle_section_name ((enum bundle_section) i)))
      {
        *kernel = g_strndup (name, (gsize) (slash - name));
        *section = (enum bundle_section) i;
        return true;
      }
  return false;
}

/* The kind of thing that it is, whatever its name. */
static bool
check_entry (const struct input *in, struct archive_entry *entry, GError **error)
{
  const char *name = archive_entry_pathname (entry);

  if (name == NULL)
    return refuse_entry (NULL, _("has no name"), error);
  if (archive_format (in->archive) != ARCHIVE_FORMAT_TAR_USTAR)
    return refuse_entry (name, _("is not of the tar format ustar"), error);
  if (leads_elsewhere (name))
    return refuse_entry (name, _("leads out of the bundle"), error);
  if (archive_entry_hardlink (entry) != NULL || archive_entry_symlink (entry) != NULL || archive_entry_filetype (entry) == AE_IFLNK)
    return refuse_entry (name, _("is a link"), error);
  if (archive_entry_filetype (entry) != AE_IFREG)
    return refuse_entry (name, _("is no regular file"), error);
  if (!archive_entry_size_is_set (entry) || archive_entry_size (entry) < 0 || archive_entry_sparse_count (entry) > 0)
    return refuse_entry (name, _("has no size"), error);
  return true;
}

static uint64_t
size_limit (enum bundle_section section)
{
  const uint64_t limits[BUNDLE_N_SECTIONS] = {
    [BUNDLE_SECTION_HEADER] = bundle_header_size (),
    [BUNDLE_SECTION_PROPERTIES] = BUNDLE_MAX_PROPERTIES * 16,
    [BUNDLE_SECTION_ARGUMENTS] = BUNDLE_MAX_ARGUMENTS,
    [BUNDLE_SECTION_CODE] = BUNDLE_MAX_CODE,
    [BUNDLE_SECTION_PRINTERS] = BUNDLE_MAX_PRINTER_SIZE,
    [BUNDLE_SECTION_CONSTANTS] = BUNDLE_MAX_CONSTANTS,
    [BUNDLE_SECTION_SOURCE_MAP] = BUNDLE_MAX_SOURCE_MAP
  };

  return limits[section];
}

/* A part of the bytes that are in memory already: what an entry claims to have costs nothing. */
static GBytes *
take_bytes (struct input *in, struct archive_entry *entry, uint64_t limit, GError **error)
{
  uint64_t size = (uint64_t) archive_entry_size (entry);
  gsize begin = (gsize) archive_read_header_position (in->archive) + BLOCK;

  if (size > limit)
    {
      bundle_refuse (error, _("The entry “%s” of the bundle has %" PRIu64 " bytes, the limit is %" PRIu64), archive_entry_pathname (entry),
                     size, limit);
      return NULL;
    }
  if (!gb_range_fits (begin, size, g_bytes_get_size (in->bytes)))
    {
      refuse_entry (archive_entry_pathname (entry), _("is cut off"), error);
      return NULL;
    }
  in->end = begin + (gsize) size;
  return g_bytes_new_from_bytes (in->bytes, begin, (gsize) size);
}

static struct bundle_member *
find_member (struct input *in, const char *kernel, GError **error)
{
  struct bundle_member *member = g_hash_table_lookup (in->members, kernel);

  if (member != NULL)
    return member;
  if (g_hash_table_size (in->members) >= BUNDLE_MAX_KERNELS)
    {
      bundle_refuse (error, _("The bundle has more than %d kernels"), BUNDLE_MAX_KERNELS);
      return NULL;
    }
  member = g_new0 (struct bundle_member, 1);
  member->name = g_strdup (kernel);
  g_hash_table_insert (in->members, member->name, member);
  return member;
}

static bool
take_section (struct input *in, struct archive_entry *entry, const char *kernel, enum bundle_section section, GError **error)
{
  struct bundle_member *member = find_member (in, kernel, error);

  if (member == NULL)
    return false;
  if (member->sections[section] != NULL)
    return refuse_entry (archive_entry_pathname (entry), _("is there twice"), error);
  member->sections[section] = take_bytes (in, entry, size_limit (section), error);
  return member->sections[section] != NULL;
}

static bool
take_entry (struct input *in, struct archive_entry *entry, GError **error)
{
  const char *name = archive_entry_pathname (entry);
  enum bundle_section section;
  char *kernel;
  bool good;

  if (!check_entry (in, entry, error))
    return false;
  if (g_str_equal (name, BUNDLE_MANIFEST))
    {
      if (in->manifest != NULL)
        return refuse_entry (name, _("is there twice"), error);
      in->manifest = take_bytes (in, entry, MAX_MANIFEST, error);
      return in->manifest != NULL;
    }
  if (in->manifest == NULL)
    return bundle_refuse (error, _("This is no bundle: its first entry is not “%s”"), BUNDLE_MANIFEST);
  if (!split_name (name, &kernel, &section))
    return refuse_entry (name, _("is none that a bundle has"), error);
  good = take_section (in, entry, kernel, section, error);
  g_free (kernel);
  return good;
}

/* Tar ends with two blocks of zeros at least, and nothing but zeros follows the last entry. */
static bool
check_tail (const struct input *in, GError **error)
{
  gsize size, at;
  const uint8_t *data = g_bytes_get_data (in->bytes, &size);

  at = in->end;
  if (size % BLOCK != 0 || size - at < 2 * BLOCK || GB_ALIGN_UP (at, BLOCK) > size - 2 * BLOCK)
    return bundle_refuse (error, _("The bundle is cut off: its end is missing"));
  for (; at < size; at++)
    if (data[at] != 0)
      return bundle_refuse (error, _("Something follows the end of the bundle"));
  return true;
}

static bool
read_entries (struct input *in, GError **error)
{
  struct archive_entry *entry;
  int status = ARCHIVE_OK;
  gsize size;
  const void *data = g_bytes_get_data (in->bytes, &size);

  if (archive_read_support_format_tar (in->archive) != ARCHIVE_OK || archive_read_open_memory (in->archive, data, size) != ARCHIVE_OK)
    return bundle_refuse (error, _("This is no bundle: it is no tar archive"));
  /* Whatever libarchive only warns of has no place in a bundle. */
  while ((status = archive_read_next_header (in->archive, &entry)) == ARCHIVE_OK)
    if (!take_entry (in, entry, error))
      return false;
  if (status != ARCHIVE_EOF)
    return in->manifest == NULL ? bundle_refuse (error, _("This is no bundle: it is no tar archive"))
                                : bundle_refuse (error, _("The bundle is damaged behind byte %zu"), in->end);
  if (in->manifest == NULL)
    return bundle_refuse (error, _("This is no bundle: it has no entry “%s”"), BUNDLE_MANIFEST);
  return check_tail (in, error);
}

/* The one line that the kernels do not decide. */
static char *
read_generator (GBytes *manifest)
{
  gsize size, length = strlen (MANIFEST_HEAD), n = 0;
  const char *text = g_bytes_get_data (manifest, &size);

  if (size < length || memcmp (text, MANIFEST_HEAD, length) != 0)
    return NULL;
  while (n < size - length && n <= MAX_GENERATOR && g_ascii_isprint (text[length + n]))
    n++;
  return n < size - length && text[length + n] == '\n' ? g_strndup (text + length, n) : NULL;
}

static bool
check_members (GPtrArray *members, GError **error)
{
  for (guint i = 0; i < members->len; i++)
    for (guint section = 0; section < BUNDLE_N_SECTIONS; section++)
      {
        const struct bundle_member *member = members->pdata[i];

        if (member->sections[section] == NULL)
          return bundle_refuse (error, _("The kernel “%s” of the bundle has no section “%s”"), member->name,
                                bundle_section_name ((enum bundle_section) section));
      }
  return true;
}

static GPtrArray *
take_members (struct input *in, char **generator, GError **error)
{
  GPtrArray *members = g_ptr_array_new_with_free_func (bundle_member_free);
  char *by = read_generator (in->manifest);
  GBytes *expected = NULL;
  GHashTableIter iter;
  gpointer member;
  bool good;

  g_hash_table_iter_init (&iter, in->members);
  while (g_hash_table_iter_next (&iter, NULL, &member))
    {
      g_ptr_array_add (members, member);
      g_hash_table_iter_steal (&iter);
    }
  g_ptr_array_sort (members, compare_members);
  good = by != NULL || bundle_refuse (error, _("The manifest of the bundle is malformed, or of a version that this library does not know"));
  good = good && check_members (members, error);
  if (good)
    {
      expected = make_manifest (members, by);
      good = g_bytes_equal (expected, in->manifest)
             || bundle_refuse (error, _("The manifest does not fit the kernels of the bundle: it was changed or damaged"));
    }
  g_clear_pointer (&expected, g_bytes_unref);
  if (good)
    *generator = by;
  else
    {
      g_free (by);
      g_clear_pointer (&members, g_ptr_array_unref);
    }
  return members;
}

GPtrArray *
bundle_archive_read (GBytes *bytes, char **generator, GError **error)
{
  struct input in = { .bytes = decompress (bytes, error) };
  GPtrArray *members = NULL;

  if (in.bytes == NULL)
    return NULL;
  in.archive = archive_read_new ();
  in.members = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, bundle_member_free);
  if (read_entries (&in, error))
    members = take_members (&in, generator, error);
  archive_read_free (in.archive);
  g_hash_table_unref (in.members);
  g_clear_pointer (&in.manifest, g_bytes_unref);
  g_bytes_unref (in.bytes);
  return members;
}
