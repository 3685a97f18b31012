/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which adapter is meant: pure functions over lists of machines that nobody has. */

#include "config.h"

#include "gpu/select.h"
#include "tests/gpu/device-test.h"

static const struct gabbro_adapter_info infos[] = {
  { .name = "llvmpipe (LLVM 19)", .type = GABBRO_ADAPTER_TYPE_CPU, .vendor_id = 0x10005, .device_id = 0, .device_memory = 1000,
    .device_uuid = { 0x6d, 0x65, 0x73, 0x61 } },
  { .name = "Radeon Pro 5500M", .type = GABBRO_ADAPTER_TYPE_DISCRETE, .vendor_id = 0x1002, .device_id = 0x7340, .device_memory = 8,
    .device_uuid = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0xab },
    .has_pci = true, .pci_bus = 1, .pci_device = 0, .pci_function = 0 },
  { .name = "Radeon Pro 5600M", .type = GABBRO_ADAPTER_TYPE_DISCRETE, .vendor_id = 0x1002, .device_id = 0x7360, .device_memory = 16,
    .has_pci = true, .pci_domain = 0x10, .pci_bus = 0x2a, .pci_device = 3, .pci_function = 1 },
  { .name = "Intel Iris", .type = GABBRO_ADAPTER_TYPE_INTEGRATED, .vendor_id = 0x8086, .device_id = 0x3e9b, .device_memory = 32 },
  { .name = "Virtio", .type = GABBRO_ADAPTER_TYPE_VIRTUAL, .device_memory = 64 },
  { .name = "Broken Monster", .type = GABBRO_ADAPTER_TYPE_DISCRETE, .vendor_id = 0x10de, .device_id = 0x2330, .device_memory = 1000 },
  { .name = "Grüne Karte", .type = GABBRO_ADAPTER_TYPE_OTHER, .device_memory = 1 },
};

#define N G_N_ELEMENTS (infos)

static void
fill (struct gabbro_candidate candidates[N])
{
  static char paths[N][32];

  for (guint i = 0; i < N; i++)
    {
      g_snprintf (paths[i], sizeof paths[i], "/adapters/vulkan%u", i);
      candidates[i] = (struct gabbro_candidate) { &infos[i], i == 0 ? "soft" : "vulkan", paths[i], i == 5 ? "no timeline" : NULL };
    }
}

START_TEST (wanted)
{
  static const struct { const char *text; int found; } cases[] = {
    { "/adapters/vulkan3", 3 }, { "vulkan3", 3 }, { "VULKAN4", 4 },
    { "01020304-0506-0708-090a-0b0c0d0e0fab", 1 }, { "0102030405060708090A0B0C0D0E0FAB", 1 },
    { "0000:01:00.0", 1 }, { "01:00.0", 1 }, { "0010:2a:03.1", 2 }, { "2a:03.1", -1 }, { "02:00.0", -1 },
    { "soft", 0 }, { "Soft", 0 },
    { "5500", 1 }, { "radeon", 2 }, { "radeon pro", 2 }, { "IRIS", 3 }, { "llvmpipe", 0 }, { "GRÜNE", 6 },
    /* A driver is more than part of a name; what works is more than what does not. */
    { "vulkan", 2 }, { "monster", 5 },
    { "", -1 }, { "nothing", -1 }, { "vulkan9", -1 }, { "\xff", -1 }, { "010203", -1 }, { "/", -1 },
    { "01020304-0506-0708-090a-0b0c0d0e0fabab", -1 },
  };
  struct gabbro_candidate candidates[N];

  fill (candidates);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    ck_assert_msg (gabbro_select_wanted (candidates, N, cases[i].text, NULL) == cases[i].found, "“%s”: %d, not %d", cases[i].text,
                   gabbro_select_wanted (candidates, N, cases[i].text, NULL), cases[i].found);
  ck_assert_int_eq (gabbro_select_wanted (candidates, 0, "vulkan", NULL), -1);
}
END_TEST

START_TEST (mesa)
{
  static const struct { const char *text; int found; } cases[] = {
    { "1002:7340", 1 }, { "1002:7360!", 2 }, { "0x1002:0x7360", 2 }, { "8086:3E9B", 3 }, { "10005:0", 0 },
    { "1002:1", -1 }, { "1002", -1 }, { "", -1 }, { ":", -1 }, { "1002:", -1 }, { "1002:7340x", -1 }, { "1002:7340!!", -1 }, { "list", -1 },
  };
  struct gabbro_candidate candidates[N];

  fill (candidates);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    ck_assert_msg (gabbro_select_mesa (candidates, N, cases[i].text, NULL) == cases[i].found, "“%s”: %d, not %d", cases[i].text,
                   gabbro_select_mesa (candidates, N, cases[i].text, NULL), cases[i].found);
}
END_TEST

/* Take the best away, again and again. */
START_TEST (best)
{
  static const int order[] = { 2, 1, 3, 4, 6, 0 };
  struct gabbro_candidate candidates[N];

  fill (candidates);
  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    {
      ck_assert_int_eq (gabbro_select_best (candidates, N, NULL), order[i]);
      candidates[order[i]].unusable = "taken";
    }
  ck_assert_int_eq (gabbro_select_best (candidates, N, NULL), -1);
  ck_assert_int_eq (gabbro_select_best (candidates, 0, NULL), -1);
}
END_TEST

struct told
{
  GString *text;
};

static void
note_step (enum gabbro_select_rule rule, const guint *left, guint n_left, gpointer data)
{
  struct told *told = data;

  g_string_append_printf (told->text, "%d:", (int) rule);
  for (guint i = 0; i < n_left; i++)
    g_string_append_printf (told->text, " %u", left[i]);
  g_string_append_c (told->text, ';');
}

/* Each rule that was tried, with whom it left, and none after the choice is made. */
START_TEST (explained)
{
  struct told told = { g_string_new (NULL) };
  const struct gabbro_select_trace trace = { note_step, &told };
  struct gabbro_candidate candidates[N];

  fill (candidates);
  ck_assert_int_eq (gabbro_select_best (candidates, N, &trace), 2);
  ck_assert_str_eq (told.text->str, "6: 0 1 2 3 4 6;7: 1 2;8: 2;");
  g_string_truncate (told.text, 0);
  ck_assert_int_eq (gabbro_select_wanted (candidates, N, "radeon", &trace), 2);
  ck_assert_str_eq (told.text->str, "0:;1:;2:;3:;4: 1 2;6: 1 2;7: 1 2;8: 2;");
  g_string_truncate (told.text, 0);
  ck_assert_int_eq (gabbro_select_wanted (candidates, N, "vulkan3", &trace), 3);
  ck_assert_str_eq (told.text->str, "0: 3;");
  g_string_truncate (told.text, 0);
  ck_assert_int_eq (gabbro_select_mesa (candidates, N, "1:1", &trace), -1);
  ck_assert_str_eq (told.text->str, "5:;");
  g_string_truncate (told.text, 0);
  candidates[1] = candidates[2];
  ck_assert_int_eq (gabbro_select_best (candidates, N, &trace), 1);
  ck_assert_str_eq (told.text->str, "6: 0 1 2 3 4 6;7: 1 2;8: 1 2;9: 1;");
  g_string_free (told.text, TRUE);
}
END_TEST

START_TEST (formats)
{
  char *uuid = gabbro_format_uuid (infos[1].device_uuid), *pci = gabbro_format_pci (&infos[2]);

  ck_assert_str_eq (uuid, "01020304-0506-0708-090a-0b0c0d0e0fab");
  ck_assert_str_eq (pci, "0010:2a:03.1");
  g_free (uuid);
  g_free (pci);
}
END_TEST

/* One that is only there by name: never the best, and behind all others that fit. */
START_TEST (only_by_name)
{
  static const struct gabbro_adapter_info checker = { .name = "Radeon of the mind", .type = GABBRO_ADAPTER_TYPE_CPU, .device_memory = 4000 };
  struct gabbro_candidate candidates[N + 1];

  fill (candidates);
  candidates[N] = (struct gabbro_candidate) { .info = &checker, .driver = "reference", .path = "/adapters/reference0", .only_by_name = true };
  ck_assert_int_eq (gabbro_select_best (candidates + N, 1, NULL), -1);
  ck_assert_uint_eq (gabbro_select_count (candidates, N + 1), N);
  ck_assert_int_eq (gabbro_select_mesa (candidates + N, 1, "0:0", NULL), -1);
  ck_assert_int_eq (gabbro_select_wanted (candidates, N + 1, "reference", NULL), N);
  ck_assert_int_eq (gabbro_select_wanted (candidates, N + 1, "mind", NULL), N);
  ck_assert_int_eq (gabbro_select_wanted (candidates, N + 1, "radeon", NULL), 2);
  for (guint i = 0; i < N; i++)
    candidates[i].unusable = "gone";
  ck_assert_int_eq (gabbro_select_best (candidates, N + 1, NULL), -1);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("select");
  TCase *test_case = gb_test_case (suite, "select");

  tcase_add_test (test_case, wanted);
  tcase_add_test (test_case, mesa);
  tcase_add_test (test_case, best);
  tcase_add_test (test_case, explained);
  tcase_add_test (test_case, only_by_name);
  tcase_add_test (test_case, formats);
  return suite;
}

GB_TEST_MAIN (make_suite)
