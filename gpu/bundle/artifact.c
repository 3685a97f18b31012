/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/bundle/artifact.h"

#include <inttypes.h>
#include <string.h>

#include "codegen/spirv/plan-binding.h"
#include "codegen/spirv/plan-features.h"
#include "gpu/bundle/records.h"
#include "gpu/compile.h"
#include "lib/checked.h"
#include "lib/reader.h"

static const char *const section_names[BUNDLE_N_SECTIONS] = {
  [BUNDLE_SECTION_HEADER] = "header",
  [BUNDLE_SECTION_PROPERTIES] = "properties",
  [BUNDLE_SECTION_ARGUMENTS] = "arguments",
  [BUNDLE_SECTION_CODE] = "code",
  [BUNDLE_SECTION_PRINTERS] = "printers",
  [BUNDLE_SECTION_CONSTANTS] = "constants",
  [BUNDLE_SECTION_SOURCE_MAP] = "source-map"
};

const char *
bundle_section_name (enum bundle_section section)
{
  return section_names[section];
}

void
bundle_sections_clear (GBytes *sections[BUNDLE_N_SECTIONS])
{
  for (guint i = 0; i < BUNDLE_N_SECTIONS; i++)
    g_clear_pointer (&sections[i], g_bytes_unref);
}

struct bundle_artifact *
bundle_artifact_ref (struct bundle_artifact *artifact)
{
  g_atomic_ref_count_inc (&artifact->references);
  return artifact;
}

void
bundle_artifact_unref (struct bundle_artifact *artifact)
{
  if (!g_atomic_ref_count_dec (&artifact->references))
    return;
  for (uint32_t i = 0; artifact->layouts != NULL && i < artifact->result.n_arguments; i++)
    g_clear_pointer (&artifact->layouts[i], gabbro_layout_unref);
  g_free (artifact->layouts);
  g_clear_pointer (&artifact->constants, g_bytes_unref);
  spirv_result_clear (&artifact->result);
  g_clear_pointer (&artifact->types, xir_context_unref);
  g_free (artifact);
}

void
bundle_artifact_digest_types (const struct bundle_artifact *artifact, uint8_t result[GB_DIGEST_SIZE])
{
  struct gb_digest digest;

  gb_digest_init (&digest);
  gb_digest_append_u32 (&digest, artifact->result.n_arguments);
  for (uint32_t i = 0; i < artifact->result.n_arguments; i++)
    {
      const struct spirv_argument *argument = &artifact->result.arguments[i];

      gb_digest_append_string (&digest, argument->name);
      gb_digest_append_u8 (&digest, argument->is_const);
      gb_digest_append_u8 (&digest, argument->is_restrict);
      gb_digest_append_string (&digest, argument->type->text);
    }
  gb_digest_finish (&digest, result);
}

/* Where the header keeps the digest of a section; NULL for the header itself. */
static uint8_t *
digest_of_section (struct bundle_header *header, enum bundle_section section)
{
  uint8_t *const places[BUNDLE_N_SECTIONS] = {
    [BUNDLE_SECTION_PROPERTIES] = header->properties,
    [BUNDLE_SECTION_ARGUMENTS] = header->arguments,
    [BUNDLE_SECTION_CODE] = header->code,
    [BUNDLE_SECTION_PRINTERS] = header->printers,
    [BUNDLE_SECTION_CONSTANTS] = header->constants,
    [BUNDLE_SECTION_SOURCE_MAP] = header->source_map
  };

  return places[section];
}

/* Writing. */

static void
fill_header (const struct bundle_artifact *artifact, GBytes *const sections[BUNDLE_N_SECTIONS], struct bundle_header *header)
{
  const struct spirv_result *result = &artifact->result;

  *header = (struct bundle_header) {
    .header_version = BUNDLE_HEADER_VERSION,
    .pipeline_version = BUNDLE_PIPELINE_VERSION,
    .n_properties = result->n_bindings,
    .code_size = g_bytes_get_size (sections[BUNDLE_SECTION_CODE]),
    .group_size_x = result->group_size[0],
    .group_size_y = result->group_size[1],
    .group_size_z = result->group_size[2],
    .n_arguments = result->n_arguments,
    .arguments_size = g_bytes_get_size (sections[BUNDLE_SECTION_ARGUMENTS]),
    .push_constant_size = result->push_constant_size,
    .argument_size = result->argument_size,
    .arguments_in_block = result->arguments_in_block,
    .needs_whole_groups = result->needs_whole_groups,
    .print_record = result->print.metadata_offset,
    .print_dispatch = result->print.dispatch_offset,
    .n_printers = result->print.n_sites,
    .subgroup_size = artifact->subgroup_size,
    .bindless_buffers = g_strcmp0 (artifact->bindless, "bindless-buffers") == 0,
    .bindless_2d = g_strcmp0 (artifact->bindless, "bindless-2d") == 0,
    .bindless_3d = g_strcmp0 (artifact->bindless, "bindless-3d") == 0,
    .printers_size = g_bytes_get_size (sections[BUNDLE_SECTION_PRINTERS]),
    .constants_size = g_bytes_get_size (sections[BUNDLE_SECTION_CONSTANTS]),
    .source_map_size = g_bytes_get_size (sections[BUNDLE_SECTION_SOURCE_MAP]),
    .shared_size = artifact->shared_size,
    .compile_flags = artifact->compile_flags,
    .optimization_level = artifact->optimization_level,
    .dialect = BUNDLE_DIALECT_XIR_SPIRV,
    .features = result->required_features
  };
  memcpy (header->identity, artifact->identity, sizeof header->identity);
  bundle_artifact_digest_types (artifact, header->types);
  for (guint i = BUNDLE_SECTION_HEADER + 1; i < BUNDLE_N_SECTIONS; i++)
    {
      gsize size;
      const void *data = g_bytes_get_data (sections[i], &size);

      gb_digest_of (data, size, digest_of_section (header, (enum bundle_section) i));
    }
}

static void
note_header (struct bundle_artifact *artifact, GBytes *header)
{
  gsize size;
  const void *data = g_bytes_get_data (header, &size);

  gb_digest_of (data, size, artifact->header_digest);
}

void
bundle_artifact_write (struct bundle_artifact *artifact, GBytes *sections[BUNDLE_N_SECTIONS])
{
  struct bundle_header header;

  bundle_write_records (artifact, sections);
  fill_header (artifact, sections, &header);
  sections[BUNDLE_SECTION_HEADER] = bundle_header_write (&header);
  note_header (artifact, sections[BUNDLE_SECTION_HEADER]);
}

bool
bundle_artifact_encode (struct bundle_artifact *artifact, GBytes *sections[BUNDLE_N_SECTIONS], GError **error)
{
  GBytes *parts[BUNDLE_N_SECTIONS] = { NULL };
  const struct bundle_expectation expectation = { .dialect = BUNDLE_DIALECT_XIR_SPIRV };
  struct bundle_artifact *again;

  bundle_artifact_write (artifact, parts);
  /* What would be refused later is refused now, whatever the reason. */
  again = bundle_artifact_decode (parts, &expectation, error);
  if (again == NULL)
    {
      g_prefix_error (error, _("The kernel “%s” cannot be saved: "), artifact->kernel);
      bundle_sections_clear (parts);
      return false;
    }
  bundle_artifact_unref (again);
  memcpy (sections, parts, sizeof parts);
  return true;
}

/* Reading. */

static bool
check_identity (const struct bundle_header *header, const struct bundle_expectation *expectation, GError **error)
{
  if (expectation->identity != NULL && memcmp (expectation->identity, header->identity, GB_DIGEST_SIZE) != 0)
    return bundle_refuse (error, _("the header field “%s” says that it is of another kernel, compiler or device"), "identity");
  if (expectation->types != NULL && memcmp (expectation->types, header->types, GB_DIGEST_SIZE) != 0)
    return bundle_refuse (error, _("the header field “%s” says that its arguments are of other types"), "types");
  if (header->dialect != expectation->dialect)
    return bundle_refuse (error, _("the header field “%s” is %u instead of %u"), "dialect", header->dialect, expectation->dialect);
  return true;
}

static bool
check_sizes (const struct bundle_header *header, GBytes *const sections[BUNDLE_N_SECTIONS], GError **error)
{
  static const char *const fields[BUNDLE_N_SECTIONS] = {
    [BUNDLE_SECTION_PROPERTIES] = "property-count",
    [BUNDLE_SECTION_ARGUMENTS] = "arguments-size",
    [BUNDLE_SECTION_CODE] = "code-size",
    [BUNDLE_SECTION_PRINTERS] = "printers-size",
    [BUNDLE_SECTION_CONSTANTS] = "constants-size",
    [BUNDLE_SECTION_SOURCE_MAP] = "source-map-size"
  };

  for (guint i = BUNDLE_SECTION_HEADER + 1; i < BUNDLE_N_SECTIONS; i++)
    {
      uint64_t size = bundle_header_section_size (header, (enum bundle_section) i);

      if (g_bytes_get_size (sections[i]) != size)
        return bundle_refuse (error, _("the section “%s” has %zu bytes; by the header field “%s” it should have %" PRIu64),
                              section_names[i], g_bytes_get_size (sections[i]), fields[i], size);
    }
  return true;
}

static bool
check_digests (struct bundle_header *header, GBytes *const sections[BUNDLE_N_SECTIONS], GError **error)
{
  for (guint i = BUNDLE_SECTION_HEADER + 1; i < BUNDLE_N_SECTIONS; i++)
    {
      uint8_t digest[GB_DIGEST_SIZE];
      gsize size;
      const void *data = g_bytes_get_data (sections[i], &size);

      gb_digest_of (data, size, digest);
      if (memcmp (digest, digest_of_section (header, (enum bundle_section) i), GB_DIGEST_SIZE) != 0)
        return bundle_refuse (error, _("the section “%s” does not fit the header field “%s-digest”: it was changed or damaged"),
                              section_names[i], section_names[i]);
    }
  return true;
}

static bool
wrong_field (const char *field, uint64_t value, uint64_t right, GError **error)
{
  return bundle_refuse (error, _("the header field “%s” is %" PRIu64 ", where the rest of it says %" PRIu64), field, value, right);
}

/* What prints has all that it takes, once: a buffer, and behind all other values and records the number of the dispatch
 * and the buffer's record. A kernel whose prints were all dead may still have the number. */
static bool
check_print (const struct bundle_header *header, struct spirv_result *result, GError **error)
{
  uint64_t values_end = 0, records_end = 0, dispatch, record;
  uint32_t n_buffers = 0;

  result->print.binding = G_MAXUINT32;
  for (uint32_t i = 0; i < result->n_bindings; i++)
    if (result->bindings[i].kind == SPIRV_BINDING_PRINT_BUFFER)
      {
        result->print.binding = i;
        n_buffers++;
      }
  for (uint32_t i = 0; i < result->n_arguments; i++)
    {
      const struct spirv_argument *argument = &result->arguments[i];

      if (!xir_type_is_resource (argument->type))
        values_end = MAX (values_end, (uint64_t) argument->offset + argument->size);
      else if (argument->metadata_offset != G_MAXUINT32)
        records_end = MAX (records_end, (uint64_t) argument->metadata_offset + SPIRV_METADATA_SIZE);
    }
  dispatch = GB_ALIGN_UP (values_end, sizeof (uint32_t));
  record = MAX (dispatch + sizeof (uint32_t), records_end);
  if (n_buffers != (header->n_printers > 0))
    return wrong_field ("printer-count", header->n_printers, n_buffers, error);
  if (header->print_dispatch != dispatch && (n_buffers > 0 || header->print_dispatch != G_MAXUINT32))
    return wrong_field ("print-dispatch", header->print_dispatch, dispatch, error);
  if (header->print_record != (n_buffers > 0 ? record : G_MAXUINT32))
    return wrong_field ("print-record", header->print_record, n_buffers > 0 ? record : G_MAXUINT32, error);
  return true;
}

/* Header and records say the same. */
static bool
check_records (const struct bundle_header *header, const struct bundle_artifact *artifact, GError **error)
{
  const uint32_t head = sizeof (struct spirv_dispatch_constants);
  const struct spirv_result *result = &artifact->result;
  bool has_block = result->n_bindings > 0 && result->bindings[0].kind == SPIRV_BINDING_ARGUMENT_BLOCK;
  uint8_t types[GB_DIGEST_SIZE];
  uint64_t end = bundle_argument_end (result);

  bundle_artifact_digest_types (artifact, types);
  if (memcmp (types, header->types, GB_DIGEST_SIZE) != 0)
    return bundle_refuse (error, _("the header field “%s” does not fit the types of the arguments"), "types");
  if (header->argument_size != GB_ALIGN_UP (end, 4))
    return wrong_field ("argument-bytes", header->argument_size, GB_ALIGN_UP (end, 4), error);
  if (header->arguments_in_block != has_block)
    return wrong_field ("arguments-in-block", header->arguments_in_block, has_block, error);
  if (header->push_constant_size != head + (has_block ? 0 : header->argument_size))
    return wrong_field ("push-constant-size", header->push_constant_size, head + (has_block ? 0 : header->argument_size), error);
  return true;
}

/* The image of a binding is of the type of its argument. */
static bool
is_image_of (const struct spirv_result *result, const struct spirv_binding *binding, const struct spirv_interface_binding *declared)
{
  const struct xir_type *type = result->arguments[binding->argument].type;

  return type->kind == XIR_TYPE_TEXTURE && type->dimension == declared->dimension && type->element->kind == declared->component;
}

static bool
check_binding (const struct spirv_result *result, uint32_t number, const struct spirv_interface_binding *declared, GError **error)
{
  const struct spirv_binding *binding = number < result->n_bindings ? &result->bindings[number] : NULL;
  enum spirv_binding_kind kind = declared->kind;

  if (binding != NULL && kind == SPIRV_BINDING_STORAGE_BUFFER
      && (binding->kind == SPIRV_BINDING_ARGUMENT_BLOCK || binding->kind == SPIRV_BINDING_PRINT_BUFFER))
    kind = binding->kind;
  if (binding == NULL || binding->kind != kind
      || ((kind == SPIRV_BINDING_SAMPLED_IMAGE || kind == SPIRV_BINDING_STORAGE_IMAGE) && !is_image_of (result, binding, declared)))
    return bundle_refuse (error, _("the code has a resource at the binding %u that the section “%s” does not have"), number, "properties");
  return true;
}

/* Each capability of the code is there for a feature that the header has; what the header has beside them, the
 * emitter alone knows. */
static bool
check_features (const struct bundle_header *header, const struct spirv_interface *interface, GError **error)
{
  uint64_t known = spirv_features_of_emitter ();

  for (uint32_t i = 0; i < interface->n_features; i++)
    {
      known |= interface->features[i];
      if ((interface->features[i] & header->features) == 0)
        return wrong_field ("features", header->features, header->features | interface->features[i], error);
    }
  return (header->features & ~known) == 0 || wrong_field ("features", header->features, header->features & known, error);
}

/* Header, records and code say the same. What the optimiser has taken away may be missing in the code. */
static bool
check_interface (const struct bundle_header *header, const struct spirv_result *result, const struct spirv_interface *interface,
                 GError **error)
{
  const struct
  {
    const char *field;
    uint64_t value, right;
  } exact[] = {
    { "group-size-x", header->group_size_x, interface->group_size[0] },
    { "group-size-y", header->group_size_y, interface->group_size[1] },
    { "group-size-z", header->group_size_z, interface->group_size[2] },
    { "shared-size", header->shared_size, interface->shared_size },
  };

  for (guint i = 0; i < G_N_ELEMENTS (exact); i++)
    if (exact[i].value != exact[i].right)
      return wrong_field (exact[i].field, exact[i].value, exact[i].right, error);
  if (!check_features (header, interface, error))
    return false;
  if (interface->push_constant_size > header->push_constant_size)
    return wrong_field ("push-constant-size", header->push_constant_size, interface->push_constant_size, error);
  for (uint32_t i = 0; i < interface->n_bindings; i++)
    if (interface->bindings[i].used && !check_binding (result, i, &interface->bindings[i], error))
      return false;
  return true;
}

static bool
check_code (const struct bundle_header *header, const struct spirv_result *result, GError **error)
{
  struct spirv_interface interface;
  GError *spirv_error = NULL;

  if (spirv_inspect (result->words, result->n_words, &interface, &spirv_error)
      && spirv_validate (result->words, result->n_words, &spirv_error))
    return check_interface (header, result, &interface, error);
  bundle_refuse (error, _("the section “%s” is no SPIR-V that can be used: %s"), "code", spirv_error->message);
  g_error_free (spirv_error);
  return false;
}

static void
take_header (const struct bundle_header *header, struct bundle_artifact *artifact)
{
  struct spirv_result *result = &artifact->result;

  memcpy (artifact->identity, header->identity, sizeof artifact->identity);
  artifact->compile_flags = header->compile_flags;
  artifact->optimization_level = header->optimization_level;
  artifact->shared_size = header->shared_size;
  artifact->subgroup_size = header->subgroup_size;
  artifact->bindless = header->bindless_buffers ? "bindless-buffers" : header->bindless_2d ? "bindless-2d"
                       : header->bindless_3d ? "bindless-3d" : NULL;
  result->entry_point = "main";
  result->group_size[0] = header->group_size_x;
  result->group_size[1] = header->group_size_y;
  result->group_size[2] = header->group_size_z;
  result->required_features = header->features;
  result->argument_size = header->argument_size;
  result->arguments_in_block = header->arguments_in_block != 0;
  result->needs_whole_groups = header->needs_whole_groups != 0;
  result->push_constant_size = header->push_constant_size;
  result->print.metadata_offset = header->print_record;
  result->print.dispatch_offset = header->print_dispatch;
}

struct bundle_artifact *
bundle_artifact_decode (GBytes *const sections[BUNDLE_N_SECTIONS], const struct bundle_expectation *expectation, GError **error)
{
  struct bundle_artifact *artifact;
  struct bundle_header header;
  gsize size;
  const uint8_t *data = g_bytes_get_data (sections[BUNDLE_SECTION_HEADER], &size);

  if (!bundle_header_read (data, size, &header, error) || !check_identity (&header, expectation, error)
      || !check_sizes (&header, sections, error) || !check_digests (&header, sections, error))
    return NULL;
  artifact = g_new0 (struct bundle_artifact, 1);
  g_atomic_ref_count_init (&artifact->references);
  artifact->types = xir_context_new ();
  gb_arena_init (&artifact->result.arena, 0);
  take_header (&header, artifact);
  note_header (artifact, sections[BUNDLE_SECTION_HEADER]);
  if (!bundle_read_records (&header, sections, artifact, error) || !check_print (&header, &artifact->result, error)
      || !check_records (&header, artifact, error)
      || !check_code (&header, &artifact->result, error))
    g_clear_pointer (&artifact, bundle_artifact_unref);
  else if (expectation->kernel != NULL && !g_str_equal (expectation->kernel, artifact->kernel))
    {
      bundle_refuse (error, _("it is of the kernel “%s” instead of “%s”"), artifact->kernel, expectation->kernel);
      g_clear_pointer (&artifact, bundle_artifact_unref);
    }
  return artifact;
}

/* One piece. */

GBytes *
bundle_artifact_join (GBytes *const sections[BUNDLE_N_SECTIONS])
{
  GByteArray *out = g_byte_array_new ();

  for (guint i = 0; i < BUNDLE_N_SECTIONS; i++)
    {
      gsize size;
      const void *data = g_bytes_get_data (sections[i], &size);

      gb_writer_bytes (out, data, size);
    }
  return g_byte_array_free_to_bytes (out);
}

bool
bundle_artifact_split (GBytes *bytes, GBytes *sections[BUNDLE_N_SECTIONS], GError **error)
{
  struct bundle_header header;
  gsize size, at = 0;
  const uint8_t *data = g_bytes_get_data (bytes, &size);
  uint64_t whole = 0;

  if (!bundle_header_read (data, MIN (size, bundle_header_size ()), &header, error))
    return false;
  /* Each size has its limit, so that their sum does not wrap. */
  for (guint i = 0; i < BUNDLE_N_SECTIONS; i++)
    whole += bundle_header_section_size (&header, (enum bundle_section) i);
  if (whole != size)
    return bundle_refuse (error, _("it has %zu bytes; by its header it should have %" PRIu64), size, whole);
  for (guint i = 0; i < BUNDLE_N_SECTIONS; i++)
    {
      gsize part = (gsize) bundle_header_section_size (&header, (enum bundle_section) i);

      sections[i] = g_bytes_new_from_bytes (bytes, at, part);
      at += part;
    }
  return true;
}

/* Using. */

/* What the format has room for and this library does not do. */
static bool
check_abilities (const struct bundle_artifact *artifact, GError **error)
{
  if (artifact->subgroup_size != 0)
    g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_NOT_SUPPORTED,
                 _("The kernel “%s”: the header field “%s” asks for subgroups of %u threads, which this library cannot ask a device for"),
                 artifact->kernel, "subgroup-size", artifact->subgroup_size);
  else if (artifact->bindless != NULL)
    g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_NOT_SUPPORTED,
                 _("The kernel “%s”: the header field “%s” asks for an array of resources, which this library cannot bind"),
                 artifact->kernel, artifact->bindless);
  else
    return true;
  return false;
}

bool
bundle_artifact_check_target (const struct bundle_artifact *artifact, const struct spirv_target *target, GError **error)
{
  const struct spirv_result *result = &artifact->result;
  const struct spirv_demand demand = {
    .group_size = { result->group_size[0], result->group_size[1], result->group_size[2] },
    .bindings = result->bindings,
    .n_bindings = result->n_bindings,
    .push_constant_size = result->push_constant_size,
    .shared_size = artifact->shared_size
  };
  GError *spirv_error = NULL;

  if (!check_abilities (artifact, error))
    return false;
  if (spirv_features_check (result->required_features, target, &spirv_error) && spirv_check_demand (&demand, target, &spirv_error))
    return true;
  g_set_error (error, GABBRO_COMPILE_ERROR, GABBRO_COMPILE_ERROR_TARGET, _("The kernel “%s”: %s"), artifact->kernel, spirv_error->message);
  g_error_free (spirv_error);
  return false;
}
