/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "lib/reader.h"

#include <string.h>

void
gb_reader_init (struct gb_reader *reader,
                gconstpointer data,
                gsize size)
{
  /* An empty reader still has an address that empty ranges can point at. */
  reader->data = data != NULL ? data : (gconstpointer) "";
  reader->size = data != NULL ? size : 0;
  reader->position = 0;
  reader->failed = data == NULL && size != 0;
}

bool
gb_reader_failed (const struct gb_reader *reader)
{
  return reader->failed;
}

gsize
gb_reader_left (const struct gb_reader *reader)
{
  return reader->failed ? 0 : reader->size - reader->position;
}

const guint8 *
gb_reader_bytes (struct gb_reader *reader,
                 gsize size)
{
  const guint8 *result;

  if (reader->failed || size > reader->size - reader->position)
    {
      reader->failed = true;
      return NULL;
    }
  result = reader->data + reader->position;
  reader->position += size;
  return result;
}

static guint64
read_little_endian (struct gb_reader *reader,
                    guint size)
{
  const guint8 *bytes = gb_reader_bytes (reader, size);
  guint64 value = 0;

  if (bytes == NULL)
    return 0;
  for (guint i = 0; i < size; i++)
    value |= (guint64) bytes[i] << (8 * i);
  return value;
}

guint8
gb_reader_u8 (struct gb_reader *reader)
{
  return (guint8) read_little_endian (reader, 1);
}

guint16
gb_reader_u16 (struct gb_reader *reader)
{
  return (guint16) read_little_endian (reader, 2);
}

guint32
gb_reader_u32 (struct gb_reader *reader)
{
  return (guint32) read_little_endian (reader, 4);
}

guint64
gb_reader_u64 (struct gb_reader *reader)
{
  return read_little_endian (reader, 8);
}

guint64
gb_reader_uleb128 (struct gb_reader *reader)
{
  guint64 value = 0;

  for (guint shift = 0; shift < 64; shift += 7)
    {
      const guint8 *byte = gb_reader_bytes (reader, 1);
      guint64 digit;

      if (byte == NULL)
        return 0;
      digit = *byte & 0x7f;
      /* The tenth byte has one bit of a 64-bit value; a last byte of zero
       * makes a longer form than necessary. */
      if ((shift == 63 && *byte > 1) || (shift != 0 && *byte == 0))
        break;
      value |= digit << shift;
      if ((*byte & 0x80) == 0)
        return value;
    }
  reader->failed = true;
  return 0;
}

gint64
gb_reader_sleb_zigzag (struct gb_reader *reader)
{
  guint64 value = gb_reader_uleb128 (reader);

  return (gint64) ((value >> 1) ^ (0 - (value & 1)));
}

static void
write_little_endian (GByteArray *out,
                     guint64 value,
                     guint size)
{
  guint8 bytes[8];

  for (guint i = 0; i < size; i++)
    bytes[i] = (guint8) (value >> (8 * i));
  g_byte_array_append (out, bytes, size);
}

void
gb_writer_u8 (GByteArray *out,
              guint8 value)
{
  write_little_endian (out, value, 1);
}

void
gb_writer_u16 (GByteArray *out,
               guint16 value)
{
  write_little_endian (out, value, 2);
}

void
gb_writer_u32 (GByteArray *out,
               guint32 value)
{
  write_little_endian (out, value, 4);
}

void
gb_writer_u64 (GByteArray *out,
               guint64 value)
{
  write_little_endian (out, value, 8);
}

void
gb_writer_uleb128 (GByteArray *out,
                   guint64 value)
{
  guint8 bytes[10];
  guint size = 0;

  while (value > 0x7f)
    {
      bytes[size++] = (guint8) (value & 0x7f) | 0x80;
      value >>= 7;
    }
  bytes[size++] = (guint8) value;
  g_byte_array_append (out, bytes, size);
}

void
gb_writer_sleb_zigzag (GByteArray *out,
                       gint64 value)
{
  guint64 sign = value < 0 ? G_MAXUINT64 : 0;

  gb_writer_uleb128 (out, ((guint64) value << 1) ^ sign);
}

void
gb_writer_bytes (GByteArray *out,
                 gconstpointer data,
                 gsize size)
{
  /* GByteArray counts in guint; larger data goes in pieces until the array
   * itself refuses. */
  while (size != 0)
    {
      guint piece = (guint) MIN (size, (gsize) G_MAXINT32);

      g_byte_array_append (out, data, piece);
      data = (const guint8 *) data + piece;
      size -= piece;
    }
}
