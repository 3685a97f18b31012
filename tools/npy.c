/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tools/npy.h"

#include <glib/gi18n.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "tools/report.h"

#define MAGIC "\x93NUMPY"
#define MAGIC_SIZE 6
#define PREFIX_SIZE 12            /* magic, version, the longer of the two lengths */

/* What has a size of one byte has no order of bytes. */
static const struct
{
  char kind;
  const char *sizes;
} kinds[] = { { 'f', "248" }, { 'i', "1248" }, { 'u', "1248" }, { 'b', "1" } };

struct parser
{
  const char *name;
  const char *at;
  const char *end;
  struct tool_npy *npy;
  bool has_type, has_order, has_shape, fortran_order;
};

static bool
malformed (struct parser *parser, GError **error)
{
  return tool_fail (error, _("%s: the header of the array is malformed"), parser->name);
}

static void
skip_blanks (struct parser *parser)
{
  while (parser->at < parser->end && (*parser->at == ' ' || *parser->at == '\n' || *parser->at == '\t'))
    parser->at++;
}

static bool
accept (struct parser *parser, char wanted)
{
  skip_blanks (parser);
  if (parser->at == parser->end || *parser->at != wanted)
    return false;
  parser->at++;
  return true;
}

/* A Python string without escapes. */
static char *
parse_string (struct parser *parser)
{
  skip_blanks (parser);
  if (parser->at == parser->end || (*parser->at != '\'' && *parser->at != '"'))
    return NULL;
  char quote = *parser->at++;
  const char *end = memchr (parser->at, quote, (gsize) (parser->end - parser->at));
  if (end == NULL || memchr (parser->at, '\\', (gsize) (end - parser->at)) != NULL
      || memchr (parser->at, '\0', (gsize) (end - parser->at)) != NULL)
    return NULL;
  char *string = g_strndup (parser->at, (gsize) (end - parser->at));
  parser->at = end + 1;
  return string;
}

static bool
accept_word (struct parser *parser, const char *word)
{
  gsize length = strlen (word);
  skip_blanks (parser);
  if ((gsize) (parser->end - parser->at) < length || memcmp (parser->at, word, length) != 0)
    return false;
  parser->at += length;
  return true;
}

char *
tool_npy_type_name (struct tool_npy_type type)
{
  return g_strdup_printf ("%c%c%u", type.size == 1 || type.kind == 'V' ? '|' : '<', type.kind, type.size);
}

/* "<f4" and the like; "|V16" for bytes. */
static bool
find_type (const char *text, struct tool_npy_type *type)
{
  char *end = NULL;
  guint64 size;

  if ((text[0] != '<' && text[0] != '|') || !g_ascii_isdigit (text[1] != '\0' ? text[2] : '\0'))
    return false;
  size = g_ascii_strtoull (text + 2, &end, 10);
  if (*end != '\0' || size == 0 || size > TOOL_NPY_MAX_SIZE)
    return false;
  *type = (struct tool_npy_type) { text[1], (guint) size };
  if (text[1] == 'V')
    return true;
  if (text[0] == '|' && size != 1)
    return false;
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      if (kinds[i].kind == text[1] && size < 10)
        return strchr (kinds[i].sizes, (int) ('0' + size)) != NULL;
    }
  return false;
}

static bool
parse_type (struct parser *parser, GError **error)
{
  skip_blanks (parser);
  if (parser->at < parser->end && *parser->at == '[')
    return tool_fail (error, _("%s: arrays of records are not supported; as bytes, array.view ('V…'), they are"), parser->name);
  g_autofree char *description = parse_string (parser);
  if (description == NULL)
    return malformed (parser, error);
  parser->has_type = find_type (description, &parser->npy->type);
  if (parser->has_type)
    return true;
  if (description[0] == '>' && description[1] != '\0')
    return tool_fail (error, _("%s: the numbers are big-endian ('%s'), little-endian ones are needed"), parser->name, description);
  return tool_fail (error, _("%s: numbers of the type '%s' are not supported, only f2 to f8, i1 to i8, u1 to u8, b1 and V"), parser->name, description);
}

static bool
parse_order (struct parser *parser, GError **error)
{
  parser->fortran_order = accept_word (parser, "True");
  if (!parser->fortran_order && !accept_word (parser, "False"))
    return malformed (parser, error);
  parser->has_order = true;
  return true;
}

static bool
parse_dimension (struct parser *parser, guint64 *dimension, GError **error)
{
  guint64 number = 0;
  skip_blanks (parser);
  if (parser->at == parser->end || !g_ascii_isdigit (*parser->at))
    return malformed (parser, error);
  for (; parser->at < parser->end && g_ascii_isdigit (*parser->at); parser->at++)
    {
      if (!g_uint64_checked_mul (&number, number, 10)
          || !g_uint64_checked_add (&number, number, (guint64) (*parser->at - '0')))
        return tool_fail (error, _("%s: a dimension of the array is too large"), parser->name);
    }
  /* As Python 2 wrote them. */
  accept (parser, 'L');
  *dimension = number;
  return true;
}

static bool
parse_shape (struct parser *parser, GError **error)
{
  struct tool_npy *npy = parser->npy;

  if (!accept (parser, '('))
    return malformed (parser, error);
  npy->n_dimensions = 0;
  while (!accept (parser, ')'))
    {
      guint64 dimension = 0;
      if (npy->n_dimensions == TOOL_NPY_MAX_DIMENSIONS)
        return tool_fail (error, _("%s: the array has more than %d dimensions"), parser->name,
                          TOOL_NPY_MAX_DIMENSIONS);
      if (!parse_dimension (parser, &dimension, error))
        return false;
      npy->shape[npy->n_dimensions++] = dimension;
      if (!accept (parser, ','))
        {
          if (!accept (parser, ')'))
            return malformed (parser, error);
          break;
        }
    }
  parser->has_shape = true;
  return true;
}

static bool
parse_entry (struct parser *parser, GError **error)
{
  g_autofree char *key = parse_string (parser);
  if (key == NULL || !accept (parser, ':'))
    return malformed (parser, error);
  if (strcmp (key, "descr") == 0 && !parser->has_type)
    return parse_type (parser, error);
  if (strcmp (key, "fortran_order") == 0 && !parser->has_order)
    return parse_order (parser, error);
  if (strcmp (key, "shape") == 0 && !parser->has_shape)
    return parse_shape (parser, error);
  return malformed (parser, error);
}

static bool
count_numbers (struct parser *parser, GError **error)
{
  struct tool_npy *npy = parser->npy;
  guint64 size;

  npy->n_numbers = 1;
  for (guint i = 0; i < npy->n_dimensions; i++)
    {
      if (!g_uint64_checked_mul (&npy->n_numbers, npy->n_numbers, npy->shape[i]))
        return tool_fail (error, _("%s: the array is too large"), parser->name);
    }
  if (!g_uint64_checked_mul (&size, npy->n_numbers, npy->type.size) || size > G_MAXSSIZE)
    return tool_fail (error, _("%s: the array is too large"), parser->name);
  if (parser->fortran_order && npy->n_dimensions > 1)
    return tool_fail (error, _("%s: the array is in Fortran order, C order is needed"), parser->name);
  return true;
}

bool
tool_npy_parse_header (struct tool_npy *npy, const char *name, const char *text, gsize length, GError **error)
{
  struct tool_npy parsed = { 0 };
  struct parser parser = { .name = name, .at = text, .end = text + length, .npy = &parsed };

  if (!accept (&parser, '{'))
    return malformed (&parser, error);
  while (!accept (&parser, '}'))
    {
      if (!parse_entry (&parser, error))
        return false;
      if (!accept (&parser, ',') && (parser.at == parser.end || *parser.at != '}'))
        return malformed (&parser, error);
    }
  skip_blanks (&parser);
  if (parser.at != parser.end || !parser.has_type || !parser.has_order || !parser.has_shape)
    return malformed (&parser, error);
  if (!count_numbers (&parser, error))
    return false;
  *npy = parsed;
  return true;
}

/* Reads and checks what stands before the dictionary; answers its length. */
static bool
read_prefix (int fd, const char *filename, const char *name, guint64 size, gsize *start, gsize *length, GError **error)
{
  guint8 prefix[PREFIX_SIZE] = { 0 };
  gssize n_read = tool_read_some (fd, filename, prefix, sizeof prefix, error);

  if (n_read < 0)
    return false;
  if (n_read < MAGIC_SIZE || memcmp (prefix, MAGIC, MAGIC_SIZE) != 0)
    return tool_fail (error, _("%s: is not an array file of NumPy (.npy)"), name);
  if (n_read < PREFIX_SIZE)
    return tool_fail (error, _("%s: is cut short"), name);
  guint8 major = prefix[6];
  if (major < 1 || major > 2 || prefix[7] != 0)
    return tool_fail (error, _("%s: has version %u.%u of the format, only 1.0 and 2.0 are supported"),
                      name, major, prefix[7]);
  *start = major == 1 ? 10 : 12;
  guint32 n_bytes = (guint32) prefix[8] | (guint32) prefix[9] << 8;
  if (major == 2)
    n_bytes |= (guint32) prefix[10] << 16 | (guint32) prefix[11] << 24;
  if (n_bytes > TOOL_NPY_MAX_HEADER)
    return tool_fail (error, _("%s: the header has %u bytes, %d are allowed"), name, n_bytes, TOOL_NPY_MAX_HEADER);
  if (size < *start || size - *start < n_bytes)
    return tool_fail (error, _("%s: is cut short"), name);
  *length = n_bytes;
  return true;
}

static void
swap_bytes (gpointer data, gsize size, struct tool_npy_type type)
{
#if G_BYTE_ORDER == G_BIG_ENDIAN
  guint8 *bytes = data;
  for (gsize i = 0; type.kind != 'V' && i < size; i += type.size)
    for (gsize j = 0; j < type.size / 2; j++)
      {
        guint8 byte = bytes[i + j];
        bytes[i + j] = bytes[i + type.size - 1 - j];
        bytes[i + type.size - 1 - j] = byte;
      }
#endif
}

static bool
read_data (int fd, const char *filename, const char *name, guint64 available, struct tool_npy *npy, GError **error)
{
  guint64 wanted = npy->n_numbers * npy->type.size;

  if (available != wanted)
    return tool_fail (error,
                      _("%s: the array needs %" PRIu64 " bytes by its shape, the file has %" PRIu64),
                      name, wanted, available);
  gpointer data = g_try_malloc (MAX ((gsize) wanted, 1));
  if (data == NULL)
    return tool_fail (error, _("%s: not enough memory for %" PRIu64 " bytes"), name, wanted);
  gssize n_read = tool_read_some (fd, filename, data, (gsize) wanted, error);
  if (n_read >= 0 && (guint64) n_read != wanted)
    tool_fail (error, _("%s: changed while it was read"), name);
  if (n_read < 0 || (guint64) n_read != wanted)
    {
      g_free (data);
      return false;
    }
  swap_bytes (data, (gsize) wanted, npy->type);
  npy->data = g_bytes_new_take (data, (gsize) wanted);
  return true;
}

static bool
read_open (struct tool_npy *npy, int fd, const char *filename, guint64 size, GError **error)
{
  g_autofree char *name = g_filename_display_name (filename);
  gsize start = 0, length = 0;

  if (!read_prefix (fd, filename, name, size, &start, &length, error))
    return false;
  g_autofree char *text = g_malloc (length + 1);
  if (lseek (fd, (off_t) start, SEEK_SET) < 0)
    return tool_fail (error, _("%s: cannot be read at a position"), name);
  gssize n_read = tool_read_some (fd, filename, text, length, error);
  if (n_read < 0)
    return false;
  if ((gsize) n_read != length)
    return tool_fail (error, _("%s: is cut short"), name);
  return tool_npy_parse_header (npy, name, text, length, error)
         && read_data (fd, filename, name, size - start - length, npy, error);
}

bool
tool_npy_read (struct tool_npy *npy, const char *filename, guint64 limit, GError **error)
{
  guint64 size;
  struct tool_npy loaded = { 0 };
  int fd = tool_open_input (filename, limit + TOOL_NPY_MAX_HEADER + PREFIX_SIZE, &size, error);

  if (fd < 0)
    return false;
  bool good = read_open (&loaded, fd, filename, size, error);
  close (fd);
  if (good)
    *npy = loaded;
  return good;
}

void
tool_npy_clear (struct tool_npy *npy)
{
  g_clear_pointer (&npy->data, g_bytes_unref);
}

bool
tool_npy_write (struct tool_writer *writer,
                struct tool_npy_type type,
                const guint64 *shape,
                guint n_dimensions,
                gpointer numbers,
                gsize size,
                GError **error)
{
  g_autoptr (GString) header = g_string_new (NULL);
  g_autofree char *name = tool_npy_type_name (type);

  g_string_append_printf (header, "{'descr': '%s', 'fortran_order': False, 'shape': (", name);
  for (guint i = 0; i < n_dimensions; i++)
    g_string_append_printf (header, "%s%" PRIu64, i > 0 ? ", " : "", shape[i]);
  g_string_append (header, n_dimensions == 1 ? ",), }" : "), }");
  /* Data begins at a multiple of 64, the byte before is the end of the line. */
  while ((10 + header->len + 1) % 64 != 0)
    g_string_append_c (header, ' ');
  g_string_append_c (header, '\n');

  guint8 prefix[10] = { 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0,
                        (guint8) (header->len & 0xff), (guint8) (header->len >> 8) };
  swap_bytes (numbers, size, type);
  return tool_writer_write (writer, prefix, sizeof prefix, error)
         && tool_writer_write (writer, header->str, header->len, error)
         && tool_writer_write (writer, numbers, size, error);
}
