/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/bundle/describe.h"

static void
add_digest (GVariantDict *dict, const char *name, const uint8_t digest[GB_DIGEST_SIZE])
{
  char hex[GB_DIGEST_HEX_SIZE];

  gb_digest_to_hex (digest, hex);
  g_variant_dict_insert (dict, name, "s", hex);
}

static GVariant *
list_features (uint64_t features)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE_STRING_ARRAY);
  for (unsigned i = 0; i < SPIRV_N_FEATURES; i++)
    if ((features >> i & 1) != 0)
      g_variant_builder_add (&builder, "s", spirv_feature_name ((enum spirv_feature) i));
  return g_variant_builder_end (&builder);
}

static GVariant *
list_flags (uint32_t flags)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE_STRING_ARRAY);
  if ((flags & GABBRO_COMPILE_BOUNDS_CHECKS) != 0)
    g_variant_builder_add (&builder, "s", "bounds-checks");
  if ((flags & GABBRO_COMPILE_NO_XIR_OPTIMIZATION) != 0)
    g_variant_builder_add (&builder, "s", "no-xir-optimization");
  if ((flags & GABBRO_COMPILE_DEBUG_NAMES) != 0)
    g_variant_builder_add (&builder, "s", "debug-names");
  return g_variant_builder_end (&builder);
}

static GVariant *
group_size (const struct spirv_result *result)
{
  return g_variant_new_fixed_array (G_VARIANT_TYPE_UINT32, result->group_size, G_N_ELEMENTS (result->group_size), sizeof (uint32_t));
}

/* By the names of an adapter's attributes in the group "limits". */
static GVariant *
list_requirements (const struct bundle_artifact *artifact)
{
  const struct spirv_result *result = &artifact->result;
  uint32_t counts[SPIRV_BINDING_PRINT_BUFFER + 1] = { 0 };
  GVariantDict dict;

  for (uint32_t i = 0; i < result->n_bindings; i++)
    counts[result->bindings[i].kind]++;
  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert_value (&dict, "max-group-size", group_size (result));
  g_variant_dict_insert (&dict, "max-group-invocations", "t",
                         (guint64) result->group_size[0] * result->group_size[1] * result->group_size[2]);
  g_variant_dict_insert (&dict, "max-shared-memory", "t", (guint64) artifact->shared_size);
  g_variant_dict_insert (&dict, "max-push-constants", "t", (guint64) result->push_constant_size);
  g_variant_dict_insert (&dict, "max-storage-buffers", "t",
                         (guint64) counts[SPIRV_BINDING_ARGUMENT_BLOCK] + counts[SPIRV_BINDING_STORAGE_BUFFER]
                         + counts[SPIRV_BINDING_PRINT_BUFFER]);
  g_variant_dict_insert (&dict, "max-storage-images", "t", (guint64) counts[SPIRV_BINDING_STORAGE_IMAGE]);
  g_variant_dict_insert (&dict, "max-sampled-images", "t", (guint64) counts[SPIRV_BINDING_SAMPLED_IMAGE]);
  g_variant_dict_insert (&dict, "max-resources", "t", (guint64) result->n_bindings);
  return g_variant_dict_end (&dict);
}

GVariant *
bundle_artifact_describe (const struct bundle_artifact *artifact)
{
  const struct spirv_result *result = &artifact->result;
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "name", "s", artifact->kernel);
  g_variant_dict_insert (&dict, "source-name", "s", artifact->source_name);
  add_digest (&dict, "source-digest", artifact->source_digest);
  g_variant_dict_insert (&dict, "line", "u", artifact->location.line);
  g_variant_dict_insert (&dict, "optimization-level", "u", artifact->optimization_level);
  g_variant_dict_insert_value (&dict, "compile-flags", list_flags (artifact->compile_flags));
  g_variant_dict_insert_value (&dict, "group-size", group_size (result));
  g_variant_dict_insert (&dict, "code-size", "t", (guint64) result->n_words * sizeof (uint32_t));
  g_variant_dict_insert (&dict, "push-constant-size", "u", result->push_constant_size);
  g_variant_dict_insert (&dict, "shared-size", "t", (guint64) artifact->shared_size);
  g_variant_dict_insert_value (&dict, "features", list_features (result->required_features));
  g_variant_dict_insert_value (&dict, "requirements", list_requirements (artifact));
  add_digest (&dict, "identity", artifact->identity);
  add_digest (&dict, "digest", artifact->header_digest);
  return g_variant_dict_end (&dict);
}
