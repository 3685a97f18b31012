/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What tests of artifacts and bundles share: a kernel with all that an artifact can have, its sections, and sections
 * with a part changed and every digest made to fit again. */

#pragma once

#include <gabbro/gabbro.h>
#include <string.h>

#include "gpu/bundle/archive.h"
#include "gpu/compile.h"
#include "lib/checked.h"
#include "tests/test-main.h"

#define BUNDLE_TEST_SOURCE \
  "struct Ball { float3 place; float radius; int2 cells[3]; };\n" \
  "kernel(8, 4, 2)\n" \
  "void all(const buffer<Ball> balls, restrict buffer<float> out, float gain, bool2 flags, Ball one,\n" \
  "         const image2d<float> picture, image2d<float> target)\n" \
  "{\n" \
  "  uint i = global_id.x + global_id.y + global_id.z;\n" \
  "  float4 texel = picture.read(int2(0, 0));\n" \
  "  if (i >= out.length) return;\n" \
  "  target.write(int2(0, 0), texel + target.read(int2(1, 1)));\n" \
  "  out[i] = balls[i].radius * gain + (flags.x ? one.radius : texel.x);\n" \
  "  print(\"{} and {} and {}\", gain, one, global_id);\n" \
  "  assert(gain > 0, \"äöü\");\n" \
  "}\n" \
  "kernel(64)\n" \
  "void fill(buffer<uint> out, uint value) { if (global_id.x < out.length) out[global_id.x] = value; }\n" \
  "kernel(1)\n" \
  "void nothing() { }\n" \
  "kernel(64)\n" \
  "void together(buffer<uint> out)\n" \
  "{\n" \
  "  shared uint best;\n" \
  "  shared float parts[64];\n" \
  "  uint l = local_id.x;\n" \
  "  parts[l] = 1;\n" \
  "  if (l == 0) best = 0;\n" \
  "  barrier();\n" \
  "  atomic_max(best, l);\n" \
  "  barrier();\n" \
  "  out[l] = best + uint(parts[63 - l]);\n" \
  "}\n"

#define assert_fine(error) \
  do { if ((error) != NULL) ck_abort_msg ("%s:%d: %s", __FILE__, __LINE__, (error)->message); } while (0)

/* A refusal says what is wrong. Clears the error. */
#define assert_refused(error, part)                                                                                \
  do                                                                                                               \
    {                                                                                                              \
      if (!g_error_matches (error, GABBRO_ERROR, GABBRO_ERROR_BAD_BUNDLE) || strstr ((error)->message, part) == NULL) \
        ck_abort_msg ("%s:%d: “%s” is not in “%s”", __FILE__, __LINE__, part, (error) != NULL ? (error)->message : "(none)"); \
      g_clear_error (&(error));                                                                                    \
    }                                                                                                              \
  while (0)

static inline GabbroKernel *
test_kernel (const char *source, const char *name)
{
  GError *error = NULL;
  GabbroModule *module = gabbro_module_new_from_source ("test.gk", source, -1, &error);
  GabbroKernel *kernel;

  assert_fine (error);
  kernel = gabbro_module_get_kernel (module, name, &error);
  assert_fine (error);
  g_object_unref (module);
  return kernel;
}

static inline struct bundle_artifact *
test_artifact_of (const char *source, const char *name)
{
  GError *error = NULL;
  GabbroKernel *kernel = test_kernel (source, name);
  struct bundle_artifact *artifact = gabbro_compile_artifact (kernel, NULL, GABBRO_COMPILE_BOUNDS_CHECKS, 2, &error);

  assert_fine (error);
  g_object_unref (kernel);
  return artifact;
}

static inline struct bundle_artifact *
test_artifact (const char *name)
{
  return test_artifact_of (BUNDLE_TEST_SOURCE, name);
}

static inline void
test_encode (struct bundle_artifact *artifact, GBytes *sections[BUNDLE_N_SECTIONS])
{
  GError *error = NULL;

  bundle_artifact_encode (artifact, sections, &error);
  assert_fine (error);
}

/* Constants too, which no compile makes. */
static inline struct bundle_artifact *
test_full_artifact (void)
{
  struct bundle_artifact *artifact = test_artifact ("all");

  artifact->constants = g_bytes_new_static ("constants", 9);
  artifact->result.optimizer_note = "a note";
  return artifact;
}

static inline struct bundle_artifact *
test_decode (GBytes *const sections[BUNDLE_N_SECTIONS], GError **error)
{
  const struct bundle_expectation expectation = { .dialect = BUNDLE_DIALECT_XIR_SPIRV };

  return bundle_artifact_decode (sections, &expectation, error);
}

/* Makes the header's digest fit the header again. */
static inline GBytes *
test_seal_header (GBytes *header)
{
  gsize size, n = bundle_header_size () - GB_DIGEST_SIZE;
  guint8 *data = g_bytes_unref_to_data (header, &size);
  struct gb_digest digest;

  if (size == bundle_header_size ())
    {
      gb_digest_init (&digest);
      gb_digest_append_string (&digest, "Gabbro compute artifact");
      gb_digest_append_bytes (&digest, data, n);
      gb_digest_finish (&digest, data + n);
    }
  return g_bytes_new_take (data, size);
}

static inline bool
test_find_field (const char *name, gsize *offset, gsize *size)
{
  const char *field;

  for (guint i = 0; (field = bundle_header_field (i, offset, size)) != NULL; i++)
    if (g_str_equal (field, name))
      return true;
  return false;
}

/* Puts the digest of the section, and its size where the header has it in bytes, into the header, and seals it. */
static inline void
test_reseal (GBytes *sections[BUNDLE_N_SECTIONS], enum bundle_section section)
{
  char *digest_field = g_strconcat (bundle_section_name (section), "-digest", NULL);
  char *size_field = g_strconcat (bundle_section_name (section), "-size", NULL);
  gsize offset, size, length, n_header;
  const void *data = g_bytes_get_data (sections[section], &length);
  guint8 *header = g_bytes_unref_to_data (sections[BUNDLE_SECTION_HEADER], &n_header);

  ck_assert (test_find_field (digest_field, &offset, &size));
  gb_digest_of (data, length, header + offset);
  if (test_find_field (size_field, &offset, &size))
    {
      guint64 number = GUINT64_TO_LE (length);
      memcpy (header + offset, &number, size);
    }
  sections[BUNDLE_SECTION_HEADER] = test_seal_header (g_bytes_new_take (header, n_header));
  g_free (digest_field);
  g_free (size_field);
}

static inline void
test_replace (GBytes **bytes, const guint8 *data, gsize size)
{
  g_bytes_unref (*bytes);
  *bytes = g_bytes_new (data, size);
}
