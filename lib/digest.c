/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "lib/digest.h"

#include <string.h>

void
gb_digest_init (struct gb_digest *digest)
{
  digest->checksum = g_checksum_new (G_CHECKSUM_SHA256);
}

void
gb_digest_clear (struct gb_digest *digest)
{
  g_clear_pointer (&digest->checksum, g_checksum_free);
}

void
gb_digest_append_raw (struct gb_digest *digest,
                      gconstpointer data,
                      gsize size)
{
  const guint8 *bytes = data;

  /* g_checksum_update() takes a signed length. */
  while (size != 0)
    {
      gssize piece = (gssize) MIN (size, (gsize) G_MAXSSIZE);

      g_checksum_update (digest->checksum, bytes, piece);
      bytes += piece;
      size -= (gsize) piece;
    }
}

static void
append_number (struct gb_digest *digest,
               guint64 value,
               guint size)
{
  guint8 bytes[8];

  for (guint i = 0; i < size; i++)
    bytes[i] = (guint8) (value >> (8 * i));
  g_checksum_update (digest->checksum, bytes, (gssize) size);
}

void
gb_digest_append_u8 (struct gb_digest *digest,
                     guint8 value)
{
  append_number (digest, value, 1);
}

void
gb_digest_append_u32 (struct gb_digest *digest,
                      guint32 value)
{
  append_number (digest, value, 4);
}

void
gb_digest_append_u64 (struct gb_digest *digest,
                      guint64 value)
{
  append_number (digest, value, 8);
}

void
gb_digest_append_bytes (struct gb_digest *digest,
                        gconstpointer data,
                        gsize size)
{
  append_number (digest, size, 8);
  gb_digest_append_raw (digest, data, size);
}

void
gb_digest_append_string (struct gb_digest *digest,
                         const char *text)
{
  /* No string is this long, so NULL has a length of its own. */
  if (text == NULL)
    append_number (digest, G_MAXUINT64, 8);
  else
    gb_digest_append_bytes (digest, text, strlen (text));
}

void
gb_digest_finish (struct gb_digest *digest,
                  guint8 result[GB_DIGEST_SIZE])
{
  gsize size = GB_DIGEST_SIZE;

  g_checksum_get_digest (digest->checksum, result, &size);
  gb_digest_clear (digest);
}

void
gb_digest_of (gconstpointer data,
              gsize size,
              guint8 result[GB_DIGEST_SIZE])
{
  struct gb_digest digest;

  gb_digest_init (&digest);
  gb_digest_append_raw (&digest, data, size);
  gb_digest_finish (&digest, result);
}

void
gb_digest_to_hex (const guint8 digest[GB_DIGEST_SIZE],
                  char text[GB_DIGEST_HEX_SIZE])
{
  static const char digits[] = "0123456789abcdef";

  for (gsize i = 0; i < GB_DIGEST_SIZE; i++)
    {
      text[2 * i] = digits[digest[i] >> 4];
      text[2 * i + 1] = digits[digest[i] & 15];
    }
  text[GB_DIGEST_HEX_SIZE - 1] = '\0';
}

bool
gb_digest_from_hex (const char *text,
                    guint8 result[GB_DIGEST_SIZE])
{
  guint8 bytes[GB_DIGEST_SIZE];

  if (strnlen (text, GB_DIGEST_HEX_SIZE) != GB_DIGEST_SIZE * 2)
    return false;
  for (gsize i = 0; i < GB_DIGEST_SIZE * 2; i++)
    if (!g_ascii_isxdigit (text[i]) || g_ascii_isupper (text[i]))
      return false;

  for (gsize i = 0; i < GB_DIGEST_SIZE; i++)
    bytes[i] = (guint8) (g_ascii_xdigit_value (text[2 * i]) << 4
                         | g_ascii_xdigit_value (text[2 * i + 1]));
  memcpy (result, bytes, sizeof bytes);
  return true;
}
