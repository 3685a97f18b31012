/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Bounded little-endian readers and writers. A reader that runs past its end,
 * or meets a malformed number, fails for good: every later read gives zero, and
 * gb_reader_failed() says so, so that a parser checks once at the end of a
 * record instead of after each field. A writer grows a GByteArray. */

#pragma once

#include <glib.h>
#include <stdbool.h>

struct gb_reader
{
  const guint8 *data;
  gsize size;
  gsize position;
  bool failed;
};

void    gb_reader_init     (struct gb_reader *reader, gconstpointer data, gsize size);
bool    gb_reader_failed   (const struct gb_reader *reader);
gsize   gb_reader_left     (const struct gb_reader *reader);
guint8  gb_reader_u8       (struct gb_reader *reader);
guint16 gb_reader_u16      (struct gb_reader *reader);
guint32 gb_reader_u32      (struct gb_reader *reader);
guint64 gb_reader_u64      (struct gb_reader *reader);
/* Unsigned LEB128 in its shortest form; a longer form is malformed. */
guint64 gb_reader_uleb128  (struct gb_reader *reader);
/* Zigzag over ULEB128. */
gint64  gb_reader_sleb_zigzag (struct gb_reader *reader);
/* `size` bytes inside the reader's memory, or NULL when there are fewer. */
const guint8 *gb_reader_bytes (struct gb_reader *reader, gsize size);

void gb_writer_u8      (GByteArray *out, guint8 value);
void gb_writer_u16     (GByteArray *out, guint16 value);
void gb_writer_u32     (GByteArray *out, guint32 value);
void gb_writer_u64     (GByteArray *out, guint64 value);
void gb_writer_uleb128 (GByteArray *out, guint64 value);
void gb_writer_sleb_zigzag (GByteArray *out, gint64 value);
void gb_writer_bytes   (GByteArray *out, gconstpointer data, gsize size);
