/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* SHA-256 over a canonical form: numbers are little-endian in their full width,
 * strings and byte ranges have their length before them, so that two different
 * records never give the same input. */

#pragma once

#include <glib.h>
#include <stdbool.h>

#define GB_DIGEST_SIZE     32
#define GB_DIGEST_HEX_SIZE (GB_DIGEST_SIZE * 2 + 1)

struct gb_digest
{
  GChecksum *checksum;
};

void gb_digest_init          (struct gb_digest *digest);
/* For a digest that is given up; gb_digest_finish() clears too. */
void gb_digest_clear         (struct gb_digest *digest);
void gb_digest_append_u8     (struct gb_digest *digest, guint8 value);
void gb_digest_append_u32    (struct gb_digest *digest, guint32 value);
void gb_digest_append_u64    (struct gb_digest *digest, guint64 value);
/* The length as a u64, then the bytes. */
void gb_digest_append_bytes  (struct gb_digest *digest, gconstpointer data, gsize size);
/* As bytes; NULL differs from the empty string. */
void gb_digest_append_string (struct gb_digest *digest, const char *text);
/* The bytes alone, as sha256sum(1) sees them. */
void gb_digest_append_raw    (struct gb_digest *digest, gconstpointer data, gsize size);
void gb_digest_finish        (struct gb_digest *digest, guint8 result[GB_DIGEST_SIZE]);

/* SHA-256 of one range of bytes. */
void gb_digest_of       (gconstpointer data, gsize size, guint8 result[GB_DIGEST_SIZE]);
void gb_digest_to_hex   (const guint8 digest[GB_DIGEST_SIZE], char text[GB_DIGEST_HEX_SIZE]);
/* Lower-case hexadecimal of the right length; false otherwise. */
bool gb_digest_from_hex (const char *text, guint8 result[GB_DIGEST_SIZE]);
