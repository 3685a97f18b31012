/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The codec: what is written is read back, and whatever is changed is refused by name: each byte, each field with the
 * digests made to fit, each section cut and extended. */

#include "config.h"

#include "codegen/spirv/plan-features.h"
#include "tests/bundle/bundle-test.h"

static void
assert_same_layout (GabbroLayout *one, GabbroLayout *other)
{
  ck_assert_int_eq (one != NULL, other != NULL);
  if (one == NULL)
    return;
  ck_assert_str_eq (gabbro_layout_get_name (one), gabbro_layout_get_name (other));
  ck_assert_int_eq (gabbro_layout_get_kind (one), gabbro_layout_get_kind (other));
  ck_assert_uint_eq (gabbro_layout_get_size (one), gabbro_layout_get_size (other));
  ck_assert_uint_eq (gabbro_layout_get_alignment (one), gabbro_layout_get_alignment (other));
  ck_assert_uint_eq (gabbro_layout_get_length (one), gabbro_layout_get_length (other));
  ck_assert_uint_eq (gabbro_layout_get_stride (one), gabbro_layout_get_stride (other));
  assert_same_layout (gabbro_layout_get_element (one), gabbro_layout_get_element (other));
  ck_assert_uint_eq (gabbro_layout_get_n_members (one), gabbro_layout_get_n_members (other));
  for (guint i = 0; i < gabbro_layout_get_n_members (one); i++)
    {
      ck_assert_str_eq (gabbro_layout_get_member_name (one, i), gabbro_layout_get_member_name (other, i));
      ck_assert_uint_eq (gabbro_layout_get_member_offset (one, i), gabbro_layout_get_member_offset (other, i));
      assert_same_layout (gabbro_layout_get_member_layout (one, i), gabbro_layout_get_member_layout (other, i));
    }
}

static void
assert_same_arguments (const struct bundle_artifact *one, const struct bundle_artifact *other)
{
  ck_assert_uint_eq (one->result.n_arguments, other->result.n_arguments);
  for (guint i = 0; i < one->result.n_arguments; i++)
    {
      const struct spirv_argument *a = &one->result.arguments[i], *b = &other->result.arguments[i];

      ck_assert_str_eq (a->name, b->name);
      ck_assert_pstr_eq (a->source_type, b->source_type);
      ck_assert_str_eq (a->type->text, b->type->text);
      ck_assert_int_eq (a->is_const, b->is_const);
      ck_assert_int_eq (a->is_restrict, b->is_restrict);
      ck_assert_uint_eq (a->usage, b->usage);
      ck_assert_uint_eq (a->offset, b->offset);
      ck_assert_uint_eq (a->size, b->size);
      ck_assert_uint_eq (a->metadata_offset, b->metadata_offset);
      ck_assert_uint_eq (a->binding, b->binding);
      assert_same_layout (one->layouts[i], other->layouts[i]);
    }
}

static void
assert_same_print (const struct spirv_print *a, const struct spirv_print *b)
{
  ck_assert_uint_eq (a->binding, b->binding);
  ck_assert_uint_eq (a->metadata_offset, b->metadata_offset);
  ck_assert_uint_eq (a->dispatch_offset, b->dispatch_offset);
  ck_assert_uint_eq (a->n_sites, b->n_sites);
  for (guint i = 0; i < a->n_sites; i++)
    {
      ck_assert_str_eq (a->sites[i].format, b->sites[i].format);
      ck_assert_pstr_eq (a->sites[i].condition, b->sites[i].condition);
      ck_assert_pstr_eq (a->sites[i].file, b->sites[i].file);
      ck_assert_uint_eq (a->sites[i].line, b->sites[i].line);
      ck_assert_uint_eq (a->sites[i].column, b->sites[i].column);
      ck_assert_uint_eq (a->sites[i].n_types, b->sites[i].n_types);
      for (guint j = 0; j < a->sites[i].n_types; j++)
        ck_assert_str_eq (a->sites[i].types[j]->text, b->sites[i].types[j]->text);
    }
}

static void
assert_same (const struct bundle_artifact *one, const struct bundle_artifact *other)
{
  const struct spirv_result *a = &one->result, *b = &other->result;

  ck_assert_str_eq (one->kernel, other->kernel);
  ck_assert_str_eq (one->source_name, other->source_name);
  ck_assert_mem_eq (one->source_digest, other->source_digest, GB_DIGEST_SIZE);
  ck_assert_mem_eq (one->identity, other->identity, GB_DIGEST_SIZE);
  ck_assert_mem_eq (one->header_digest, other->header_digest, GB_DIGEST_SIZE);
  ck_assert_uint_eq (one->location.line, other->location.line);
  ck_assert_uint_eq (one->location.column, other->location.column);
  ck_assert_uint_eq (one->compile_flags, other->compile_flags);
  ck_assert_uint_eq (one->optimization_level, other->optimization_level);
  ck_assert_uint_eq (one->shared_size, other->shared_size);
  ck_assert_uint_eq (a->n_words, b->n_words);
  ck_assert_mem_eq (a->words, b->words, a->n_words * sizeof *a->words);
  ck_assert_str_eq (a->entry_point, b->entry_point);
  ck_assert_mem_eq (a->group_size, b->group_size, sizeof a->group_size);
  ck_assert_uint_eq (a->required_features, b->required_features);
  ck_assert_uint_eq (a->argument_size, b->argument_size);
  ck_assert_int_eq (a->arguments_in_block, b->arguments_in_block);
  ck_assert_int_eq (a->needs_whole_groups, b->needs_whole_groups);
  ck_assert_uint_eq (a->push_constant_size, b->push_constant_size);
  ck_assert_pstr_eq (a->optimizer_note, b->optimizer_note);
  ck_assert_uint_eq (a->n_bindings, b->n_bindings);
  ck_assert_mem_eq (a->bindings, b->bindings, a->n_bindings * sizeof *a->bindings);
  assert_same_arguments (one, other);
  assert_same_print (&a->print, &b->print);
  ck_assert_int_eq (one->constants != NULL, other->constants != NULL);
  ck_assert (one->constants == NULL || g_bytes_equal (one->constants, other->constants));
}

static void
round_trip (struct bundle_artifact *artifact)
{
  GBytes *sections[BUNDLE_N_SECTIONS], *again[BUNDLE_N_SECTIONS], *joined, *split[BUNDLE_N_SECTIONS];
  struct bundle_artifact *read;
  GError *error = NULL;

  test_encode (artifact, sections);
  read = test_decode (sections, &error);
  assert_fine (error);
  assert_same (artifact, read);
  test_encode (read, again);
  joined = bundle_artifact_join (sections);
  ck_assert (bundle_artifact_split (joined, split, &error));
  for (guint i = 0; i < BUNDLE_N_SECTIONS; i++)
    {
      ck_assert (g_bytes_equal (sections[i], again[i]));
      ck_assert (g_bytes_equal (sections[i], split[i]));
    }
  bundle_sections_clear (sections);
  bundle_sections_clear (again);
  bundle_sections_clear (split);
  g_bytes_unref (joined);
  bundle_artifact_unref (read);
  bundle_artifact_unref (artifact);
}

START_TEST (test_round_trip)
{
  struct bundle_artifact *artifact;

  round_trip (test_artifact ("all"));
  round_trip (test_artifact ("fill"));
  round_trip (test_artifact ("nothing"));
  artifact = test_artifact ("together");
  ck_assert (artifact->result.needs_whole_groups);
  ck_assert_uint_eq (artifact->shared_size, 4 + 64 * 4);
  round_trip (artifact);
  round_trip (test_full_artifact ());
}
END_TEST

/* What the front end takes has to be what artifacts take. */
START_TEST (test_longest_names)
{
  char *name = g_strnfill (GK_MAX_NAME, 'n'), *text = g_strnfill (GK_MAX_TEXT, 't');
  char *source = g_strdup_printf ("struct %s { float %s; };\nkernel(1) void %s(buffer<%s> %s)\n"
                                  "{ print(\"%s\"); assert(%s[0].%s >= 0, \"%s\"); }\n",
                                  name, name, name, name, name, text, name, name, text);

  name[0] = 'k';
  memcpy (strstr (source, " void ") + strlen (" void "), "k", 1);
  round_trip (test_artifact_of (source, name));
  g_free (source);
  g_free (text);
  g_free (name);
}
END_TEST

/* A member that comes to the result has to come to the codec, or to the list of those that it leaves out: times,
 * inlined_size, and the module of spirv_lower(), which is never saved. */
START_TEST (test_members)
{
  if (sizeof (gpointer) == 8)
    {
      ck_assert_msg (sizeof (struct spirv_result) == sizeof (struct gb_arena) + 184, "struct spirv_result has changed: %zu",
                     sizeof (struct spirv_result) - sizeof (struct gb_arena));
      ck_assert_msg (sizeof (struct spirv_argument) == 48, "struct spirv_argument has changed: %zu", sizeof (struct spirv_argument));
      ck_assert_msg (sizeof (struct spirv_print_site) == 48, "struct spirv_print_site has changed: %zu", sizeof (struct spirv_print_site));
      ck_assert_msg (sizeof (struct spirv_binding) == 16, "struct spirv_binding has changed: %zu", sizeof (struct spirv_binding));
    }
}
END_TEST

/* What reading makes of sections; they are dropped. */
static void
read_refused (GBytes *sections[BUNDLE_N_SECTIONS], const char *part, const char *what)
{
  GError *error = NULL;
  struct bundle_artifact *artifact = test_decode (sections, &error);

  ck_assert_msg (artifact == NULL, "%s was taken", what);
  assert_refused (error, part);
  bundle_sections_clear (sections);
}

static void
take_copies (GBytes *const from[BUNDLE_N_SECTIONS], GBytes *to[BUNDLE_N_SECTIONS])
{
  for (guint i = 0; i < BUNDLE_N_SECTIONS; i++)
    to[i] = g_bytes_ref (from[i]);
}

/* One bit of each byte of the header: the digest says so, or before it magic and versions do. */
START_TEST (test_header_bytes)
{
  struct bundle_artifact *artifact = test_full_artifact ();
  GBytes *sections[BUNDLE_N_SECTIONS];
  gsize size = bundle_header_size ();

  test_encode (artifact, sections);
  for (gsize at = 0; at < size; at++)
    for (guint bit = 0; bit < 8; bit++)
      {
        GBytes *changed[BUNDLE_N_SECTIONS];
        guint8 *header = g_memdup2 (g_bytes_get_data (sections[0], NULL), size);

        header[at] ^= (guint8) (1 << bit);
        take_copies (sections, changed);
        test_replace (&changed[0], header, size);
        read_refused (changed, at < 8 ? "does not begin" : at < 16 ? "header-version" : at < 20 ? "pipeline-version" : "header-digest", "a bit");
        g_free (header);
      }
  bundle_sections_clear (sections);
  bundle_artifact_unref (artifact);
}
END_TEST

/* A reader that says whom it expects, and then asks a device that has everything. */
static struct bundle_artifact *
load_strictly (GBytes *const sections[BUNDLE_N_SECTIONS], const struct bundle_artifact *original, GError **error)
{
  const struct spirv_target target = {
    .features = UINT64_MAX, .max_group_size = { 1024, 1024, 1024 }, .max_group_invocations = 1024, .max_shared_memory = 65536,
    .max_push_constants = 256, .max_storage_buffers = 64, .max_storage_images = 64, .max_sampled_images = 64, .max_resources = 64
  };
  uint8_t types[GB_DIGEST_SIZE];
  const struct bundle_expectation expectation = {
    .dialect = BUNDLE_DIALECT_XIR_SPIRV, .identity = original->identity, .types = types, .kernel = original->kernel
  };
  struct bundle_artifact *artifact;

  bundle_artifact_digest_types (original, types);
  artifact = bundle_artifact_decode (sections, &expectation, error);
  if (artifact != NULL && !bundle_artifact_check_target (artifact, &target, error))
    g_clear_pointer (&artifact, bundle_artifact_unref);
  return artifact;
}

/* Fields that say how the kernel was compiled or must be called, and nothing that its code says too: another value that can
 * be is another artifact. Of the features those that have no capability are so. */
static bool
is_free (const char *field, gsize bit)
{
  if (g_str_equal (field, "features"))
    return bit < 64 && (spirv_features_of_emitter () >> bit & 1) != 0;
  return g_str_equal (field, "compile-flags") || g_str_equal (field, "optimization-level") || g_str_equal (field, "whole-groups");
}

/* Each bit of each field, with the header's digest made to fit: the field itself is named. */
START_TEST (test_header_fields)
{
  struct bundle_artifact *artifact = test_full_artifact ();
  GBytes *sections[BUNDLE_N_SECTIONS];
  gsize size = bundle_header_size (), offset, length;
  const char *field;

  test_encode (artifact, sections);
  for (guint i = 0; (field = bundle_header_field (i, &offset, &length)) != NULL; i++)
    for (gsize bit = 0; bit < length * 8; bit++)
      {
        GBytes *changed[BUNDLE_N_SECTIONS];
        guint8 *header = g_memdup2 (g_bytes_get_data (sections[0], NULL), size);
        struct bundle_artifact *read;
        GError *error = NULL;

        if (g_str_equal (field, "header-digest"))
          {
            g_free (header);
            continue;
          }
        header[offset + bit / 8] ^= (guint8) (1 << bit % 8);
        take_copies (sections, changed);
        test_replace (&changed[0], header, size);
        changed[0] = test_seal_header (changed[0]);
        read = load_strictly (changed, artifact, &error);
        if (read != NULL)
          ck_assert_msg (is_free (field, bit), "bit %zu of %s was taken", bit, field);
        else
          ck_assert_msg (strstr (error->message, field) != NULL, "bit %zu of %s: %s", bit, field, error->message);
        g_clear_pointer (&read, bundle_artifact_unref);
        g_clear_error (&error);
        bundle_sections_clear (changed);
        g_free (header);
      }
  bundle_sections_clear (sections);
  bundle_artifact_unref (artifact);
}
END_TEST

START_TEST (test_header_length)
{
  struct bundle_artifact *artifact = test_artifact ("fill");
  GBytes *sections[BUNDLE_N_SECTIONS];
  gsize size = bundle_header_size ();
  guint8 *header;

  test_encode (artifact, sections);
  header = g_malloc0 (size + 64);
  memcpy (header, g_bytes_get_data (sections[0], NULL), size);
  for (gsize n = 0; n < size + 64; n++)
    {
      GBytes *changed[BUNDLE_N_SECTIONS];

      if (n == size)
        continue;
      take_copies (sections, changed);
      test_replace (&changed[0], header, n);
      read_refused (changed, "header", "another length");
    }
  g_free (header);
  bundle_sections_clear (sections);
  bundle_artifact_unref (artifact);
}
END_TEST

/* Each byte of each section: the digest of the section says so. */
START_TEST (test_section_bytes)
{
  struct bundle_artifact *artifact = test_full_artifact ();
  GBytes *sections[BUNDLE_N_SECTIONS];

  test_encode (artifact, sections);
  for (guint section = 1; section < BUNDLE_N_SECTIONS; section++)
    {
      char *field = g_strconcat (bundle_section_name ((enum bundle_section) section), "-digest", NULL);
      gsize size;
      const guint8 *data = g_bytes_get_data (sections[section], &size);

      ck_assert_uint_gt (size, 0);
      for (gsize at = 0; at < size; at++)
        {
          GBytes *changed[BUNDLE_N_SECTIONS];
          guint8 *copy = g_memdup2 (data, size);

          copy[at] ^= (guint8) (1 << at % 8);
          take_copies (sections, changed);
          test_replace (&changed[section], copy, size);
          read_refused (changed, field, field);
          g_free (copy);
        }
      g_free (field);
    }
  bundle_sections_clear (sections);
  bundle_artifact_unref (artifact);
}
END_TEST

/* Cut and extended; then again with a header that says so: the records themselves do not fit. */
START_TEST (test_section_lengths)
{
  struct bundle_artifact *artifact = test_full_artifact ();
  GBytes *sections[BUNDLE_N_SECTIONS];
  static const char *const fields[] = {
    NULL, "property-count", "arguments-size", "code-size", "printers-size", "constants-size", "source-map-size"
  };

  test_encode (artifact, sections);
  for (guint section = 1; section < BUNDLE_N_SECTIONS; section++)
    {
      gsize size;
      const guint8 *data = g_bytes_get_data (sections[section], &size);
      guint8 *longer = g_malloc0 (size + 8);

      memcpy (longer, data, size);
      for (gsize n = 0; n <= size + 8; n++)
        {
          GBytes *changed[BUNDLE_N_SECTIONS];

          if (n == size)
            continue;
          take_copies (sections, changed);
          test_replace (&changed[section], longer, n);
          read_refused (changed, fields[section], "another size");
          /* Any bytes are constants. */
          if (section == BUNDLE_SECTION_CONSTANTS)
            continue;
          take_copies (sections, changed);
          test_replace (&changed[section], longer, n);
          test_reseal (changed, (enum bundle_section) section);
          read_refused (changed, section == BUNDLE_SECTION_CODE ? "code" : bundle_section_name ((enum bundle_section) section),
                        "another size with a header that fits");
        }
      g_free (longer);
    }
  bundle_sections_clear (sections);
  bundle_artifact_unref (artifact);
}
END_TEST

/* Each bit of each record with digests that fit: refused, or read as something that is whole in itself. */
START_TEST (test_records)
{
  struct bundle_artifact *artifact = test_full_artifact ();
  GBytes *sections[BUNDLE_N_SECTIONS];
  guint n_taken = 0, n_refused = 0;

  test_encode (artifact, sections);
  for (guint section = 1; section < BUNDLE_N_SECTIONS; section++)
    {
      gsize size;
      const guint8 *data = g_bytes_get_data (sections[section], &size);

      for (gsize bit = 0; bit < size * 8; bit += section == BUNDLE_SECTION_CODE ? 13 : 1)
        {
          GBytes *changed[BUNDLE_N_SECTIONS], *again[BUNDLE_N_SECTIONS];
          guint8 *copy = g_memdup2 (data, size);
          struct bundle_artifact *read;
          GError *error = NULL;

          copy[bit / 8] ^= (guint8) (1 << bit % 8);
          take_copies (sections, changed);
          test_replace (&changed[section], copy, size);
          test_reseal (changed, (enum bundle_section) section);
          read = test_decode (changed, &error);
          if (read == NULL)
            {
              n_refused++;
              ck_assert (g_error_matches (error, GABBRO_ERROR, GABBRO_ERROR_BAD_BUNDLE));
            }
          else
            {
              n_taken++;
              test_encode (read, again);
              bundle_sections_clear (again);
            }
          g_clear_error (&error);
          g_clear_pointer (&read, bundle_artifact_unref);
          bundle_sections_clear (changed);
          g_free (copy);
        }
    }
  ck_assert_uint_gt (n_refused, 1000);
  ck_assert_uint_gt (n_taken, 10);
  bundle_sections_clear (sections);
  bundle_artifact_unref (artifact);
}
END_TEST

/* Two kernels of one interface, the code of one in the other: all digests fit, and yet they do not belong together. */
START_TEST (test_mixed)
{
  struct bundle_artifact *one = test_artifact ("fill"), *other = test_artifact ("nothing"), *all = test_artifact ("all");
  GBytes *sections[BUNDLE_N_SECTIONS], *code[BUNDLE_N_SECTIONS];

  test_encode (one, sections);
  test_encode (all, code);
  test_replace (&sections[BUNDLE_SECTION_CODE], g_bytes_get_data (code[BUNDLE_SECTION_CODE], NULL),
                g_bytes_get_size (code[BUNDLE_SECTION_CODE]));
  test_reseal (sections, BUNDLE_SECTION_CODE);
  read_refused (sections, "group-size-x", "code of another kernel");
  bundle_sections_clear (code);
  bundle_artifact_unref (one);
  bundle_artifact_unref (other);
  bundle_artifact_unref (all);
}
END_TEST

START_TEST (test_expectations)
{
  struct bundle_artifact *artifact = test_artifact ("fill"), *read;
  GBytes *sections[BUNDLE_N_SECTIONS];
  uint8_t wrong[GB_DIGEST_SIZE] = { 0 };
  const struct
  {
    struct bundle_expectation expectation;
    const char *part;
  } cases[] = {
    { { .dialect = BUNDLE_DIALECT_XIR_SPIRV, .identity = wrong }, "identity" },
    { { .dialect = BUNDLE_DIALECT_XIR_SPIRV, .types = wrong }, "types" },
    { { .dialect = BUNDLE_DIALECT_XIR_SPIRV, .kernel = "empty" }, "fill" },
    { { .dialect = BUNDLE_DIALECT_LLVM_SPIRV }, "dialect" },
  };
  GError *error = NULL;

  test_encode (artifact, sections);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      ck_assert_ptr_null (bundle_artifact_decode (sections, &cases[i].expectation, &error));
      assert_refused (error, cases[i].part);
    }
  read = load_strictly (sections, artifact, &error);
  assert_fine (error);
  bundle_artifact_unref (read);
  bundle_sections_clear (sections);
  bundle_artifact_unref (artifact);
}
END_TEST

/* What a device lacks is named. */
START_TEST (test_targets)
{
  struct bundle_artifact *artifact = test_artifact ("all");
  const struct spirv_target whole = {
    .features = UINT64_MAX, .max_group_size = { 1024, 1024, 1024 }, .max_group_invocations = 1024, .max_shared_memory = 65536,
    .max_push_constants = 256, .max_storage_buffers = 64, .max_storage_images = 64, .max_sampled_images = 64, .max_resources = 64
  };
  struct spirv_target small[6];
  static const char *const parts[] = { "along x", "threads in a workgroup", "storage buffers", "written", "push constants", "WithoutFormat" };
  GError *error = NULL;

  for (guint i = 0; i < 6; i++)
    small[i] = whole;
  small[0].max_group_size[0] = 7;
  small[1].max_group_invocations = 63;
  small[2].max_storage_buffers = 1;
  small[3].max_storage_images = 0;
  small[4].max_push_constants = 32;
  small[5].features = 0;
  ck_assert (bundle_artifact_check_target (artifact, &whole, &error));
  for (guint i = 0; i < 6; i++)
    {
      /* The arguments are in a block where they do not fit. */
      if (i == 4 && artifact->result.push_constant_size <= 32)
        continue;
      ck_assert (!bundle_artifact_check_target (artifact, &small[i], &error));
      ck_assert (g_error_matches (error, GABBRO_COMPILE_ERROR, GABBRO_COMPILE_ERROR_TARGET));
      ck_assert_msg (strstr (error->message, parts[i]) != NULL, "%s", error->message);
      g_clear_error (&error);
    }
  bundle_artifact_unref (artifact);
}
END_TEST

/* One piece: any other length is refused. */
START_TEST (test_split)
{
  struct bundle_artifact *artifact = test_artifact ("fill");
  GBytes *sections[BUNDLE_N_SECTIONS], *split[BUNDLE_N_SECTIONS] = { NULL }, *joined;
  gsize size;
  const guint8 *data;
  guint8 *longer;

  test_encode (artifact, sections);
  joined = bundle_artifact_join (sections);
  data = g_bytes_get_data (joined, &size);
  longer = g_malloc0 (size + 4);
  memcpy (longer, data, size);
  for (gsize n = 0; n <= size + 4; n++)
    {
      GBytes *bytes = g_bytes_new (longer, n);
      GError *error = NULL;
      bool good = bundle_artifact_split (bytes, split, &error);

      ck_assert_int_eq (good, n == size);
      if (!good)
        assert_refused (error, "");
      bundle_sections_clear (split);
      g_bytes_unref (bytes);
    }
  g_free (longer);
  g_bytes_unref (joined);
  bundle_sections_clear (sections);
  bundle_artifact_unref (artifact);
}
END_TEST

/* The bytes of these versions, 1 and 2, stay what they are: those of a kernel that does nothing, but for the parts that
 * the version of the library and of SPIRV-Tools decide. */
START_TEST (test_format)
{
  struct bundle_artifact *artifact = test_artifact ("nothing");
  GBytes *sections[BUNDLE_N_SECTIONS];
  gsize offset, size, n;
  const guint8 *header;

  test_encode (artifact, sections);
  header = g_bytes_get_data (sections[0], &n);
  ck_assert_uint_eq (n, 430);
  ck_assert_mem_eq (header, "GABBROAF\1\0\0\0\0\0\0\0\3\0\0\0", 20);
  ck_assert (test_find_field ("group-size-x", &offset, &size) && size == 4);
  ck_assert_mem_eq (header + offset, "\1\0\0\0\1\0\0\0\1\0\0\0", 12);
  ck_assert (test_find_field ("dialect", &offset, &size) && size == 1 && header[offset] == BUNDLE_DIALECT_XIR_SPIRV);
  /* No layouts. */
  ck_assert_uint_eq (g_bytes_get_size (sections[BUNDLE_SECTION_ARGUMENTS]), 4);
  ck_assert_mem_eq (g_bytes_get_data (sections[BUNDLE_SECTION_SOURCE_MAP], NULL), "\7\0\0\0nothing\7\0\0\0test.gk", 22);
  bundle_sections_clear (sections);
  bundle_artifact_unref (artifact);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("artifact");
  TCase *codec = gb_test_case (suite, "codec"), *header = gb_test_case (suite, "header"), *parts = gb_test_case (suite, "sections");

  tcase_add_test (codec, test_round_trip);
  tcase_add_test (codec, test_longest_names);
  tcase_add_test (codec, test_members);
  tcase_add_test (codec, test_mixed);
  tcase_add_test (codec, test_expectations);
  tcase_add_test (codec, test_targets);
  tcase_add_test (codec, test_split);
  tcase_add_test (codec, test_format);
  tcase_add_test (header, test_header_bytes);
  tcase_add_test (header, test_header_fields);
  tcase_add_test (header, test_header_length);
  tcase_add_test (parts, test_section_bytes);
  tcase_add_test (parts, test_section_lengths);
  tcase_add_test (parts, test_records);
  return suite;
}

GB_TEST_MAIN (make_suite)
