/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/bundle/records.h"

#include <string.h>

#include "codegen/spirv/plan-binding.h"
#include "codegen/xir/format.h"
#include "gpu/command/recorder.h"
#include "lib/checked.h"
#include "lib/reader.h"

#define NO_TEXT  G_MAXUINT32
#define MAX_NAME 1024                    /* bytes of a name of an argument */
#define MAX_TEXT (64 * 1024)             /* bytes of other texts */
#define PRINTER_SIZE 24                  /* bytes of one at the least */

/* Part of the format: append only. */
enum argument_flag { ARGUMENT_CONST = 1, ARGUMENT_RESTRICT = 2 };

/* Texts. */

void
bundle_write_text (GByteArray *out, const char *text)
{
  if (text == NULL)
    {
      gb_writer_u32 (out, NO_TEXT);
      return;
    }
  gb_writer_u32 (out, (uint32_t) strlen (text));
  gb_writer_bytes (out, text, strlen (text));
}

const char *
bundle_read_text (struct gb_reader *reader, struct gb_arena *arena, gsize limit)
{
  uint32_t length = gb_reader_u32 (reader);
  const guint8 *bytes;

  if (gb_reader_failed (reader) || length == NO_TEXT)
    return NULL;
  bytes = length <= limit ? gb_reader_bytes (reader, length) : NULL;
  if (bytes == NULL || !g_utf8_validate_len ((const char *) bytes, length, NULL))
    {
      reader->failed = true;
      return NULL;
    }
  return gb_arena_strndup (arena, (const char *) bytes, length);
}

/* Writing. */

static GBytes *
write_properties (const struct spirv_result *result)
{
  GByteArray *out = g_byte_array_new ();

  for (uint32_t i = 0; i < result->n_bindings; i++)
    {
      gb_writer_u32 (out, result->bindings[i].kind);
      gb_writer_u32 (out, result->bindings[i].set);
      gb_writer_u32 (out, result->bindings[i].binding);
      gb_writer_u32 (out, result->bindings[i].argument);
    }
  return g_byte_array_free_to_bytes (out);
}

static GBytes *
write_arguments (const struct bundle_artifact *artifact)
{
  GByteArray *out = g_byte_array_new ();

  for (uint32_t i = 0; i < artifact->result.n_arguments; i++)
    {
      const struct spirv_argument *argument = &artifact->result.arguments[i];

      gb_writer_u32 (out, argument->type->kind);
      gb_writer_u32 (out, argument->usage);
      gb_writer_u32 (out, argument->size);
      gb_writer_u32 (out, argument->binding);
      gb_writer_u32 (out, argument->offset);
      gb_writer_u32 (out, argument->metadata_offset);
      gb_writer_u8 (out, (argument->is_const ? ARGUMENT_CONST : 0) | (argument->is_restrict ? ARGUMENT_RESTRICT : 0));
      bundle_write_text (out, argument->name);
      bundle_write_text (out, argument->source_type);
      bundle_write_text (out, argument->type->text);
    }
  bundle_write_layouts (out, artifact->layouts, artifact->result.n_arguments);
  return g_byte_array_free_to_bytes (out);
}

static GBytes *
write_code (const struct spirv_result *result)
{
  GByteArray *out = g_byte_array_new ();

  for (gsize i = 0; i < result->n_words; i++)
    gb_writer_u32 (out, result->words[i]);
  return g_byte_array_free_to_bytes (out);
}

static GBytes *
write_printers (const struct spirv_print *print)
{
  GByteArray *out = g_byte_array_new ();

  for (uint32_t i = 0; i < print->n_sites; i++)
    {
      const struct spirv_print_site *site = &print->sites[i];

      gb_writer_u32 (out, site->line);
      gb_writer_u32 (out, site->column);
      bundle_write_text (out, site->file);
      bundle_write_text (out, site->condition);
      bundle_write_text (out, site->format);
      gb_writer_u32 (out, site->n_types);
      for (uint32_t j = 0; j < site->n_types; j++)
        bundle_write_text (out, site->types[j]->text);
    }
  return g_byte_array_free_to_bytes (out);
}

static GBytes *
write_source_map (const struct bundle_artifact *artifact)
{
  GByteArray *out = g_byte_array_new ();

  bundle_write_text (out, artifact->kernel);
  bundle_write_text (out, artifact->source_name);
  gb_writer_bytes (out, artifact->source_digest, sizeof artifact->source_digest);
  gb_writer_u32 (out, artifact->location.line);
  gb_writer_u32 (out, artifact->location.column);
  bundle_write_text (out, artifact->result.optimizer_note);
  return g_byte_array_free_to_bytes (out);
}

void
bundle_write_records (const struct bundle_artifact *artifact, GBytes *sections[BUNDLE_N_SECTIONS])
{
  sections[BUNDLE_SECTION_PROPERTIES] = write_properties (&artifact->result);
  sections[BUNDLE_SECTION_ARGUMENTS] = write_arguments (artifact);
  sections[BUNDLE_SECTION_CODE] = write_code (&artifact->result);
  sections[BUNDLE_SECTION_PRINTERS] = write_printers (&artifact->result.print);
  sections[BUNDLE_SECTION_CONSTANTS] = artifact->constants != NULL ? g_bytes_ref (artifact->constants) : g_bytes_new (NULL, 0);
  sections[BUNDLE_SECTION_SOURCE_MAP] = write_source_map (artifact);
}

/* Reading. */

static void
open_section (GBytes *const sections[BUNDLE_N_SECTIONS], enum bundle_section section, struct gb_reader *reader)
{
  gsize size;
  const void *data = g_bytes_get_data (sections[section], &size);

  gb_reader_init (reader, data, size);
}

static bool
at_end (const struct gb_reader *reader)
{
  return !gb_reader_failed (reader) && gb_reader_left (reader) == 0;
}

static bool
malformed (enum bundle_section section, GError **error)
{
  return bundle_refuse (error, _("the section “%s” is malformed"), bundle_section_name (section));
}

static bool
malformed_record (enum bundle_section section, uint32_t number, GError **error)
{
  static const char *const counts[BUNDLE_N_SECTIONS] = {
    [BUNDLE_SECTION_PROPERTIES] = "property-count",
    [BUNDLE_SECTION_ARGUMENTS] = "argument-count",
    [BUNDLE_SECTION_PRINTERS] = "printer-count"
  };

  return bundle_refuse (error, _("record %u of the section “%s”, which by the header field “%s” it has, is malformed"), number,
                        bundle_section_name (section), counts[section]);
}

static bool
is_name (const char *text)
{
  if (text == NULL || !(g_ascii_isalpha (text[0]) || text[0] == '_'))
    return false;
  for (const char *at = text; *at != '\0'; at++)
    if (!g_ascii_isalnum (*at) && *at != '_')
      return false;
  return strlen (text) <= BUNDLE_MAX_KERNEL_NAME;
}

static bool
read_source_map (GBytes *const sections[BUNDLE_N_SECTIONS], struct bundle_artifact *artifact, GError **error)
{
  struct gb_arena *arena = &artifact->result.arena;
  struct gb_reader reader;
  const guint8 *digest;

  open_section (sections, BUNDLE_SECTION_SOURCE_MAP, &reader);
  artifact->kernel = bundle_read_text (&reader, arena, MAX_NAME);
  artifact->source_name = bundle_read_text (&reader, arena, MAX_TEXT);
  digest = gb_reader_bytes (&reader, GB_DIGEST_SIZE);
  if (digest != NULL)
    memcpy (artifact->source_digest, digest, GB_DIGEST_SIZE);
  artifact->location.line = gb_reader_u32 (&reader);
  artifact->location.column = gb_reader_u32 (&reader);
  artifact->result.optimizer_note = bundle_read_text (&reader, arena, MAX_TEXT);
  if (!at_end (&reader) || artifact->source_name == NULL)
    return malformed (BUNDLE_SECTION_SOURCE_MAP, error);
  return is_name (artifact->kernel)
         || bundle_refuse (error, _("the name of its kernel is none that a kernel can have, or longer than %d bytes"), BUNDLE_MAX_KERNEL_NAME);
}

static bool
is_consistent_binding (const struct spirv_binding *binding, uint32_t number)
{
  if (binding->kind > SPIRV_BINDING_PRINT_BUFFER || binding->set != 0 || binding->binding != number)
    return false;
  if (binding->kind == SPIRV_BINDING_PRINT_BUFFER)
    return binding->argument == G_MAXUINT32;
  return binding->kind != SPIRV_BINDING_ARGUMENT_BLOCK || (number == 0 && binding->argument == G_MAXUINT32);
}

static bool
read_properties (const struct bundle_header *header, GBytes *const sections[BUNDLE_N_SECTIONS], struct spirv_result *result, GError **error)
{
  struct gb_reader reader;

  open_section (sections, BUNDLE_SECTION_PROPERTIES, &reader);
  result->n_bindings = (uint32_t) header->n_properties;
  result->bindings = gb_arena_array (&result->arena, struct spirv_binding, result->n_bindings + 1);
  for (uint32_t i = 0; i < result->n_bindings; i++)
    {
      struct spirv_binding *binding = &result->bindings[i];

      binding->kind = (enum spirv_binding_kind) gb_reader_u32 (&reader);
      binding->set = gb_reader_u32 (&reader);
      binding->binding = gb_reader_u32 (&reader);
      binding->argument = gb_reader_u32 (&reader);
      if (!is_consistent_binding (binding, i))
        return malformed_record (BUNDLE_SECTION_PROPERTIES, i, error);
      if (binding->argument >= result->n_arguments && binding->kind != SPIRV_BINDING_ARGUMENT_BLOCK
          && binding->kind != SPIRV_BINDING_PRINT_BUFFER)
        return bundle_refuse (error, _("record %u of the section “%s” is of argument %u; by the header field “%s” there are %u"), i,
                              bundle_section_name (BUNDLE_SECTION_PROPERTIES), binding->argument, "argument-count", result->n_arguments);
    }
  return at_end (&reader) || malformed (BUNDLE_SECTION_PROPERTIES, error);
}

/* Of a value or of a buffer: what it is, where it lies, which binding. */
static bool
is_consistent_argument (const struct spirv_result *result, uint32_t number)
{
  const struct spirv_argument *argument = &result->arguments[number];
  const struct spirv_binding *binding = argument->binding < result->n_bindings ? &result->bindings[argument->binding] : NULL;
  bool is_resource = xir_type_is_resource (argument->type);

  if (argument->usage > (SPIRV_USAGE_READ | SPIRV_USAGE_WRITE)
      || (argument->is_restrict && argument->type->kind != XIR_TYPE_BUFFER))
    return false;
  if (!is_resource)
    return xir_type_is_data (argument->type) && argument->binding == G_MAXUINT32 && argument->metadata_offset == G_MAXUINT32
           && argument->size > 0 && gb_range_fits (argument->offset, argument->size, SPIRV_MAX_ARGUMENT_SIZE);
  if (argument->type->kind != XIR_TYPE_BUFFER && argument->type->kind != XIR_TYPE_TEXTURE)
    return false;
  if (argument->metadata_offset != G_MAXUINT32
      && (argument->metadata_offset % SPIRV_METADATA_ALIGNMENT != 0
          || !gb_range_fits (argument->metadata_offset, SPIRV_METADATA_SIZE, SPIRV_MAX_ARGUMENT_SIZE)))
    return false;
  if (argument->binding == G_MAXUINT32)
    return argument->size == 0 && argument->offset == 0;
  return binding != NULL && binding->argument == number
         && (binding->kind == SPIRV_BINDING_STORAGE_BUFFER) == (argument->type->kind == XIR_TYPE_BUFFER);
}

static bool
read_argument (struct gb_reader *reader, struct bundle_artifact *artifact, uint32_t number)
{
  struct gb_arena *arena = &artifact->result.arena;
  struct spirv_argument *argument = &artifact->result.arguments[number];
  uint32_t kind = gb_reader_u32 (reader);
  const char *type;
  guint8 flags;

  argument->usage = gb_reader_u32 (reader);
  argument->size = gb_reader_u32 (reader);
  argument->binding = gb_reader_u32 (reader);
  argument->offset = gb_reader_u32 (reader);
  argument->metadata_offset = gb_reader_u32 (reader);
  flags = gb_reader_u8 (reader);
  argument->is_const = (flags & ARGUMENT_CONST) != 0;
  argument->is_restrict = (flags & ARGUMENT_RESTRICT) != 0;
  argument->name = bundle_read_text (reader, arena, MAX_NAME);
  argument->source_type = bundle_read_text (reader, arena, MAX_TEXT);
  type = bundle_read_text (reader, arena, XIR_TYPE_MAX_TEXT);
  argument->type = type != NULL ? xir_type_parse (artifact->types, type) : NULL;
  return !gb_reader_failed (reader) && argument->type != NULL && argument->type->kind == kind
         && flags <= (ARGUMENT_CONST | ARGUMENT_RESTRICT)
         && is_consistent_argument (&artifact->result, number);
}

/* Every binding has the argument that has it, and none is in two. */
static bool
check_back_references (const struct spirv_result *result, GError **error)
{
  for (uint32_t i = 0; i < result->n_bindings; i++)
    {
      uint32_t argument = result->bindings[i].argument;

      if (argument != G_MAXUINT32 && result->arguments[argument].binding != i)
        return malformed_record (BUNDLE_SECTION_PROPERTIES, i, error);
    }
  return true;
}

/* A value is as large as its layout, an element as its. */
static bool
fits_layout (const struct spirv_argument *argument, GabbroLayout *layout)
{
  uint64_t size = argument->size;

  if (argument->type->kind == XIR_TYPE_TEXTURE)
    return layout == NULL;
  if (argument->type->kind == XIR_TYPE_BUFFER)
    {
      if (argument->type->element == NULL)
        return layout == NULL;
      size = argument->type->element->size;
    }
  return layout != NULL && gabbro_layout_get_size (layout) == size;
}

static bool
read_arguments (const struct bundle_header *header, GBytes *const sections[BUNDLE_N_SECTIONS], struct bundle_artifact *artifact,
                GError **error)
{
  struct spirv_result *result = &artifact->result;
  struct gb_reader reader;

  open_section (sections, BUNDLE_SECTION_ARGUMENTS, &reader);
  for (uint32_t i = 0; i < result->n_arguments; i++)
    if (!read_argument (&reader, artifact, i))
      return malformed_record (BUNDLE_SECTION_ARGUMENTS, i, error);
  artifact->layouts = g_new0 (GabbroLayout *, result->n_arguments + 1);
  if (!bundle_read_layouts (&reader, artifact->layouts, result->n_arguments))
    return bundle_refuse (error, _("the layouts in the section “%s” are malformed"), bundle_section_name (BUNDLE_SECTION_ARGUMENTS));
  for (uint32_t i = 0; i < result->n_arguments; i++)
    if (!fits_layout (&result->arguments[i], artifact->layouts[i]))
      return malformed_record (BUNDLE_SECTION_ARGUMENTS, i, error);
  if (!at_end (&reader))
    return bundle_refuse (error, _("the section “%s” does not end after the %u arguments of the header field “%s”"),
                          bundle_section_name (BUNDLE_SECTION_ARGUMENTS), result->n_arguments, "argument-count");
  return check_back_references (result, error);
}

/* Also whether the format and the types go together, and whether a record has room. */
static bool
read_types (struct gb_reader *reader, struct bundle_artifact *artifact, struct spirv_print_site *site)
{
  struct gb_arena *arena = &artifact->result.arena;
  uint32_t n_places, n_words = 0;

  if (gb_reader_failed (reader) || site->format == NULL || !xir_format_count (site->format, &n_places) || site->n_types != n_places
      || site->n_types > XIR_PRINT_MAX_WORDS)
    return false;
  site->types = gb_arena_array (arena, const struct xir_type *, site->n_types + 1);
  for (uint32_t i = 0; i < site->n_types; i++)
    {
      const char *text = bundle_read_text (reader, arena, XIR_TYPE_MAX_TEXT);

      site->types[i] = text != NULL ? xir_type_parse (artifact->types, text) : NULL;
      if (site->types[i] == NULL || !xir_type_is_data (site->types[i]))
        return false;
      n_words += xir_print_words (site->types[i]);
      if (n_words > XIR_PRINT_MAX_WORDS)
        return false;
    }
  return true;
}

static bool
read_printer (struct gb_reader *reader, struct bundle_artifact *artifact, struct spirv_print_site *site)
{
  struct gb_arena *arena = &artifact->result.arena;

  site->line = gb_reader_u32 (reader);
  site->column = gb_reader_u32 (reader);
  site->file = bundle_read_text (reader, arena, MAX_TEXT);
  site->condition = bundle_read_text (reader, arena, MAX_TEXT);
  site->format = bundle_read_text (reader, arena, MAX_TEXT);
  site->n_types = gb_reader_u32 (reader);
  return read_types (reader, artifact, site);
}

static bool
read_printers (const struct bundle_header *header, GBytes *const sections[BUNDLE_N_SECTIONS], struct bundle_artifact *artifact,
               GError **error)
{
  struct spirv_print *print = &artifact->result.print;
  struct gb_reader reader;

  open_section (sections, BUNDLE_SECTION_PRINTERS, &reader);
  /* So many that are none cost no memory. */
  if (header->n_printers > gb_reader_left (&reader) / PRINTER_SIZE)
    return bundle_refuse (error, _("the section “%s” is too short for the %u of the header field “%s”"),
                          bundle_section_name (BUNDLE_SECTION_PRINTERS), header->n_printers, "printer-count");
  print->sites = gb_arena_array (&artifact->result.arena, struct spirv_print_site, header->n_printers + 1);
  for (uint32_t i = 0; i < header->n_printers; i++)
    {
      if (!read_printer (&reader, artifact, &print->sites[i]))
        return malformed_record (BUNDLE_SECTION_PRINTERS, i, error);
      print->n_sites = i + 1;
    }
  return at_end (&reader) || bundle_refuse (error, _("the section “%s” does not end after the %u of the header field “%s”"),
                                            bundle_section_name (BUNDLE_SECTION_PRINTERS), header->n_printers, "printer-count");
}

static void
read_code (GBytes *const sections[BUNDLE_N_SECTIONS], struct spirv_result *result)
{
  struct gb_reader reader;

  open_section (sections, BUNDLE_SECTION_CODE, &reader);
  result->n_words = gb_reader_left (&reader) / sizeof (uint32_t);
  result->words = gb_arena_array (&result->arena, uint32_t, result->n_words);
  for (gsize i = 0; i < result->n_words; i++)
    result->words[i] = gb_reader_u32 (&reader);
}

uint64_t
bundle_argument_end (const struct spirv_result *result)
{
  uint64_t end = 0;

  if (result->print.dispatch_offset != G_MAXUINT32)
    end = (uint64_t) result->print.dispatch_offset + sizeof (uint32_t);
  if (result->print.metadata_offset != G_MAXUINT32)
    end = MAX (end, (uint64_t) result->print.metadata_offset + SPIRV_METADATA_SIZE);
  for (uint32_t i = 0; i < result->n_arguments; i++)
    {
      const struct spirv_argument *argument = &result->arguments[i];

      if (!xir_type_is_resource (argument->type))
        end = MAX (end, (uint64_t) argument->offset + argument->size);
      else if (argument->metadata_offset != G_MAXUINT32)
        end = MAX (end, (uint64_t) argument->metadata_offset + SPIRV_METADATA_SIZE);
    }
  return end;
}

bool
bundle_read_records (const struct bundle_header *header, GBytes *const sections[BUNDLE_N_SECTIONS], struct bundle_artifact *artifact,
                     GError **error)
{
  struct spirv_result *result = &artifact->result;

  result->n_arguments = header->n_arguments;
  result->arguments = gb_arena_alloc0 (&result->arena, (result->n_arguments + 1) * sizeof *result->arguments);
  if (!read_source_map (sections, artifact, error) || !read_properties (header, sections, result, error)
      || !read_arguments (header, sections, artifact, error) || !read_printers (header, sections, artifact, error))
    return false;
  if (header->constants_size > 0)
    artifact->constants = g_bytes_ref (sections[BUNDLE_SECTION_CONSTANTS]);
  read_code (sections, result);
  return true;
}
