/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tests/fuzz/fuzz.h"

#include <string.h>

#define MAX_CHANGES 6

/* --- the corpus -------------------------------------------------------------------------------- */

void
fuzz_corpus_add (struct fuzz_corpus *corpus, GBytes *bytes)
{
  if (corpus->texts == NULL)
    corpus->texts = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  g_ptr_array_add (corpus->texts, bytes);
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

void
fuzz_corpus_add_folder (struct fuzz_corpus *corpus, const char *folder, const char *suffix)
{
  const char *top = g_getenv ("top_srcdir"), *name;
  g_autofree char *path = g_build_filename (top != NULL ? top : ".", folder, NULL);
  GDir *dir = g_dir_open (path, 0, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  if (dir == NULL)
    g_error ("There is no folder %s", path);
  while ((name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, suffix))
      g_ptr_array_add (names, g_build_filename (path, name, NULL));
  g_dir_close (dir);
  /* In the same order everywhere, or a seed would mean something else on each disk. */
  g_ptr_array_sort (names, compare_names);
  for (guint i = 0; i < names->len; i++)
    {
      char *text;
      gsize size;

      if (!g_file_get_contents (names->pdata[i], &text, &size, NULL))
        g_error ("%s cannot be read", (const char *) names->pdata[i]);
      fuzz_corpus_add (corpus, g_bytes_new_take (text, size));
    }
}

const GBytes *
fuzz_corpus_pick (const struct fuzz_corpus *corpus, struct dice *dice)
{
  return corpus->texts->pdata[dice_below (dice, corpus->texts->len)];
}

GByteArray *
fuzz_copy (const GBytes *bytes)
{
  gsize size;
  const guint8 *data = g_bytes_get_data ((GBytes *) bytes, &size);
  GByteArray *copy = g_byte_array_new ();

  return g_byte_array_append (copy, data, (guint) size);
}

/* Few changes leave more that is taken, and that leads deeper. */
static guint
count_changes (struct dice *dice)
{
  guint n = 1;

  while (n < MAX_CHANGES && dice_percent (dice, 45))
    n++;
  return n;
}

/* --- bytes ------------------------------------------------------------------------------------- */

guint64
fuzz_odd_number (struct dice *dice)
{
  static const guint64 odd[] = {
    0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 1000, 1023, 1024, 1025, 4096, 0x7fff, 0x8000, 0xffff, 0x10000,
    0xffffff, 0x7fffffff, 0x80000000u, 0xfffffffe, 0xffffffff, G_GUINT64_CONSTANT (0x100000000), G_GUINT64_CONSTANT (0x7fffffffffffffff),
    G_GUINT64_CONSTANT (0x8000000000000000), G_GUINT64_CONSTANT (0xfffffffffffffffe), G_GUINT64_CONSTANT (0xffffffffffffffff)
  };

  return dice_percent (dice, 75) ? odd[dice_below (dice, G_N_ELEMENTS (odd))] : dice_next (dice) >> dice_below (dice, 64);
}

static void
insert (GByteArray *data, guint at, gconstpointer piece, guint size)
{
  guint behind = data->len - at;

  if (size == 0 || data->len + size > FUZZ_MAX_INPUT)
    return;
  g_byte_array_set_size (data, data->len + size);
  memmove (data->data + at + size, data->data + at, behind);
  memcpy (data->data + at, piece, size);
}

/* A piece of it somewhere else, in place of what is there or before it. */
static void
copy_piece (GByteArray *data, guint from, guint length, guint to, bool in_place)
{
  g_autofree guint8 *piece = g_memdup2 (data->data + from, length);

  if (!in_place)
    insert (data, to, piece, length);
  else
    memcpy (data->data + to, piece, MIN (length, data->len - to));
}

static void
change_bytes (GByteArray *data, struct dice *dice)
{
  guint at = dice_below (dice, data->len + 1), left = data->len - at;
  guint wanted = 1 + dice_below (dice, 48), length = MIN (left, wanted), width = 1u << dice_below (dice, 4);
  guint64 word = GUINT64_TO_LE (fuzz_odd_number (dice));

  switch (dice_below (dice, 8))
    {
    case 0:
      if (left > 0)
        data->data[at] ^= (guint8) (1 << dice_below (dice, 8));
      break;
    case 1:
      if (left > 0)
        data->data[at] = (guint8) dice_next (dice);
      break;
    case 2:
      at -= at % width;
      G_GNUC_FALLTHROUGH;
    case 3:
      if (data->len - at >= width)
        memcpy (data->data + at, &word, width);
      break;
    case 4:
      if (length > 0)
        g_byte_array_remove_range (data, at, length);
      break;
    case 5:
    case 6:
      if (length > 0)
        copy_piece (data, at, length, dice_below (dice, data->len + 1), dice_percent (dice, 70));
      break;
    default:
      insert (data, dice_percent (dice, 30) ? data->len : at, &word, width);
    }
}

void
fuzz_mutate_bytes (GByteArray *data, struct dice *dice)
{
  for (guint n = count_changes (dice); n > 0; n--)
    change_bytes (data, dice);
}

/* --- text -------------------------------------------------------------------------------------- */

enum token
{
  TOKEN_BLANK,
  TOKEN_WORD,
  TOKEN_NUMBER,
  TOKEN_SIGN
};

static enum token
token_of (guint8 byte)
{
  if (g_ascii_isspace (byte))
    return TOKEN_BLANK;
  if (g_ascii_isdigit (byte))
    return TOKEN_NUMBER;
  return g_ascii_isalpha (byte) || byte == '_' ? TOKEN_WORD : TOKEN_SIGN;
}

/* A word begins with a letter and goes on with digits too; a sign is one byte. */
static bool
belongs (guint8 before, guint8 byte, enum token kind)
{
  enum token other = token_of (byte);

  if (kind == TOKEN_SIGN)
    return false;
  return other == kind || (kind == TOKEN_WORD && other == TOKEN_NUMBER)
         || (kind == TOKEN_NUMBER && (other == TOKEN_WORD || byte == '.')) || (before == 'e' && byte == '-' && kind == TOKEN_NUMBER);
}

static guint
token_end (const guint8 *text, guint size, guint at)
{
  enum token kind = token_of (text[at]);
  guint end = at + 1;

  while (end < size && belongs (text[end - 1], text[end], kind))
    end++;
  return end;
}

/* The beginning of a token that is no blank, at or behind a random place; `size` if there is none. */
static guint
find_token (const guint8 *text, guint size, struct dice *dice)
{
  guint at = size > 0 ? dice_below (dice, size) : 0;

  while (at > 0 && at < size && token_of (text[at]) != TOKEN_SIGN && token_of (text[at - 1]) != TOKEN_BLANK && token_of (text[at - 1]) != TOKEN_SIGN)
    at--;
  while (at < size && token_of (text[at]) == TOKEN_BLANK)
    at++;
  return at;
}

static guint
tokens_end (const guint8 *text, guint size, guint at, guint n)
{
  while (n > 0 && at < size)
    {
      if (token_of (text[at]) != TOKEN_BLANK)
        n--;
      at = token_end (text, size, at);
    }
  return at;
}

static void
replace (GByteArray *text, guint at, guint end, gconstpointer piece, guint size)
{
  g_autofree guint8 *copy = g_memdup2 (piece, size);

  if (end > at)
    g_byte_array_remove_range (text, at, end - at);
  insert (text, at, copy, size);
}

/* A token of the same kind out of this text or another. */
static void
exchange_token (GByteArray *text, guint at, const struct fuzz_corpus *corpus, struct dice *dice)
{
  gsize size;
  const guint8 *other = g_bytes_get_data ((GBytes *) fuzz_corpus_pick (corpus, dice), &size);
  enum token kind = token_of (text->data[at]);

  if (dice_percent (dice, 60))
    {
      other = text->data;
      size = text->len;
    }
  for (guint tries = 0; tries < 16; tries++)
    {
      guint from = find_token (other, (guint) size, dice);

      if (from == size || (token_of (other[from]) != kind && tries < 12))
        continue;
      replace (text, at, token_end (text->data, text->len, at), other + from, token_end (other, (guint) size, from) - from);
      return;
    }
}

/* Whole lines, or what stands between braces. */
static void
take_lines (GByteArray *text, guint at, const struct fuzz_corpus *corpus, struct dice *dice)
{
  gsize size;
  const guint8 *other = g_bytes_get_data ((GBytes *) fuzz_corpus_pick (corpus, dice), &size);
  guint from = size > 0 ? dice_below (dice, (guint) size) : 0, end = from, n = 1 + dice_below (dice, 12);

  while (from > 0 && other[from - 1] != '\n')
    from--;
  while (end < size && n > 0)
    if (other[end++] == '\n')
      n--;
  while (at > 0 && text->data[at - 1] != '\n')
    at--;
  insert (text, at, other + from, end - from);
}

/* What nests, nests deeper. */
static void
repeat_tokens (GByteArray *text, guint at, struct dice *dice)
{
  guint end = tokens_end (text->data, text->len, at, 1 + dice_below (dice, 4));
  guint n = dice_percent (dice, 80) ? 1 + dice_below (dice, 5) : 1u << dice_below (dice, 13);
  g_autoptr (GByteArray) piece = g_byte_array_new ();

  for (guint i = 0; i < n && piece->len < FUZZ_MAX_INPUT / 64; i++)
    g_byte_array_append (piece, text->data + at, end - at);
  insert (text, at, piece->data, piece->len);
}

static void
write_number (GByteArray *text, guint at, struct dice *dice)
{
  static const char *const formats[] = { "%" G_GUINT64_FORMAT, "0x%" G_GINT64_MODIFIER "x", "-%" G_GUINT64_FORMAT, "%" G_GUINT64_FORMAT "u",
                                         "%" G_GUINT64_FORMAT ".5", "%" G_GUINT64_FORMAT "e30" };
  char number[48];

  g_snprintf (number, sizeof number, formats[dice_percent (dice, 50) ? 0 : dice_below (dice, G_N_ELEMENTS (formats))], fuzz_odd_number (dice));
  replace (text, at, token_end (text->data, text->len, at), number, (guint) strlen (number));
}

static void
change_text (GByteArray *text, const struct fuzz_corpus *corpus, const char *const *words, struct dice *dice)
{
  guint at = find_token (text->data, text->len, dice);
  const char *word = words[dice_below (dice, g_strv_length ((char **) words))];
  guint end, other;

  if (at == text->len)
    {
      g_byte_array_append (text, (const guint8 *) word, (guint) strlen (word));
      return;
    }
  end = tokens_end (text->data, text->len, at, 1 + dice_below (dice, 4));
  switch (dice_below (dice, 12))
    {
    case 0:
      g_byte_array_remove_range (text, at, end - at);
      break;
    case 1:
      other = find_token (text->data, text->len, dice);
      copy_piece (text, at, end - at, other, false);
      break;
    case 2:
      replace (text, at, at, word, (guint) strlen (word));
      break;
    case 3:
      replace (text, at, token_end (text->data, text->len, at), word, (guint) strlen (word));
      break;
    case 4:
      write_number (text, at, dice);
      break;
    case 5:
      take_lines (text, at, corpus, dice);
      break;
    case 6:
      repeat_tokens (text, at, dice);
      break;
    case 7:
      change_bytes (text, dice);
      break;
    default:
      exchange_token (text, at, corpus, dice);
    }
}

void
fuzz_mutate_text (GByteArray *text, const struct fuzz_corpus *corpus, const char *const *words, struct dice *dice)
{
  for (guint n = count_changes (dice); n > 0; n--)
    change_text (text, corpus, words, dice);
}
