/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/drivers/vulkan/mask.h"

#include <string.h>

#include "gpu/driver-api/gabbro-driver.h"
#include "tests/test-main.h"
#include "tests/vulkan/recorded-snapshot.h"

static struct vulkan_snapshot snapshot;

static void
accept (const char *mask)
{
  GError *error = NULL;

  ck_assert_msg (vulkan_mask_apply (mask, &snapshot, &error), "%s: %s", mask, error != NULL ? error->message : "");
}

/* Refused with a message that contains all the texts, and nothing is changed. */
static void
refuse (const char *mask, const char *first, const char *second, const char *third)
{
  struct vulkan_snapshot before = snapshot;
  GError *error = NULL;

  ck_assert_msg (!vulkan_mask_apply (mask, &snapshot, &error), "%s was taken", mask);
  ck_assert_ptr_nonnull (error);
  ck_assert (g_error_matches (error, GABBRO_DRIVER_ERROR, GABBRO_DRIVER_ERROR_FAILED));
  ck_assert_msg (strstr (error->message, first) != NULL, "“%s” lacks “%s”", error->message, first);
  ck_assert_msg (strstr (error->message, second) != NULL, "“%s” lacks “%s”", error->message, second);
  ck_assert_msg (strstr (error->message, third) != NULL, "“%s” lacks “%s”", error->message, third);
  ck_assert (memcmp (&before, &snapshot, sizeof snapshot) == 0);
  g_error_free (error);
}

START_TEST (test_nothing)
{
  struct vulkan_snapshot before;

  recorded_snapshot ("llvmpipe-25.0.7", &snapshot);
  before = snapshot;
  accept (NULL);
  accept ("");
  accept (" , ,");
  ck_assert (memcmp (&before, &snapshot, sizeof snapshot) == 0);
}
END_TEST

/* Every row of the tables: equal and stricter are taken, looser is refused. */
START_TEST (test_every_row)
{
  for (unsigned i = 0; i < vulkan_n_fields; i++)
    {
      const struct vulkan_field *field = &vulkan_fields[i];
      char *mask;
      uint64_t value;

      recorded_snapshot ("llvmpipe-25.0.7", &snapshot);
      value = vulkan_field_get (field, &snapshot, 0);
      switch (field->order)
        {
        case VULKAN_ORDER_LOWER:
          mask = g_strdup_printf ("%s=%" G_GUINT64_FORMAT, field->name, value);
          accept (mask);
          g_free (mask);
          if (value < UINT32_MAX)
            {
              mask = g_strdup_printf ("%s=%" G_GUINT64_FORMAT, field->name, value + 1);
              refuse (mask, field->name, "looser", "");
              g_free (mask);
            }
          mask = g_strdup_printf ("%s=%" G_GUINT64_FORMAT, field->name, value / 2);
          accept (mask);
          ck_assert_uint_eq (vulkan_field_get (field, &snapshot, 0), value / 2);
          g_free (mask);
          break;
        case VULKAN_ORDER_HIGHER_ALIGNMENT:
          mask = g_strdup_printf ("%s=%" G_GUINT64_FORMAT, field->name, value * 4);
          accept (mask);
          ck_assert_uint_eq (vulkan_field_get (field, &snapshot, 0), value * 4);
          g_free (mask);
          mask = g_strdup_printf ("%s=%" G_GUINT64_FORMAT, field->name, value);
          refuse (mask, field->name, "looser", "");
          g_free (mask);
          mask = g_strdup_printf ("%s=%" G_GUINT64_FORMAT, field->name, value * 3);
          refuse (mask, field->name, "power of two", "");
          g_free (mask);
          break;
        case VULKAN_ORDER_FEATURE:
          mask = g_strdup_printf ("-%s", field->name);
          accept (mask);
          ck_assert_uint_eq (vulkan_field_get (field, &snapshot, 0), 0);
          g_free (mask);
          mask = g_strdup_printf ("%s=1", field->name);
          refuse (mask, field->name, "no value", "");
          g_free (mask);
          break;
        case VULKAN_ORDER_FIXED:
          mask = g_strdup_printf ("%s=1", field->name);
          refuse (mask, field->name, "stricter", "");
          g_free (mask);
          break;
        }
    }
}
END_TEST

START_TEST (test_names_do_not_clash)
{
  for (unsigned i = 0; i < vulkan_n_fields; i++)
    ck_assert_msg (vulkan_field_find (NULL, vulkan_fields[i].name) == &vulkan_fields[i], "%s is there twice",
                   vulkan_fields[i].name);
}
END_TEST

START_TEST (test_special)
{
  recorded_snapshot ("nvidia-h200", &snapshot);
  accept ("queueCount=3,memoryHeapSize=0x40000000,apiVersion=1.2,-mappableDeviceMemory,-VK_EXT_pci_bus_info");
  ck_assert_uint_eq (snapshot.max_queues, 3);
  ck_assert_uint_eq (snapshot.families[0].count, 3);
  ck_assert_uint_eq (snapshot.families[1].count, 2);
  ck_assert_uint_eq (snapshot.memory.memoryHeaps[0].size, 1 << 30);
  ck_assert_uint_eq (snapshot.memory.memoryHeaps[1].size, 1 << 30);
  ck_assert_uint_eq (snapshot.api_version, VK_API_VERSION_1_2);
  ck_assert (snapshot.hide_mappable);
  ck_assert (!snapshot.extensions[VULKAN_EXTENSION_PCI_BUS_INFO] && !snapshot.has_pci);
  refuse ("apiVersion=1.3", "apiVersion", "1.3", "1.2");
  refuse ("queueCount=100", "queueCount", "100", "looser");
  refuse ("queueCount=0", "queueCount", "at least 1", "");
  refuse ("maxComputeWorkGroupCount=0", "maxComputeWorkGroupCount", "at least 1", "");
  refuse ("maxComputeWorkGroupCount=5:5:0", "maxComputeWorkGroupCount", "at least 1", "");
  refuse ("maxTimelineSemaphoreValueDifference=0", "maxTimelineSemaphoreValueDifference", "at least 1", "");
  refuse ("memoryHeapSize=0x80000000", "memoryHeapSize", "2147483648", "1073741824");
}
END_TEST

START_TEST (test_mistakes)
{
  recorded_snapshot ("llvmpipe-25.0.7", &snapshot);
  refuse ("maxPushConstantsSize=257", "maxPushConstantsSize", "257", "256");
  refuse ("maxPushConstantsSize", "maxPushConstantsSize", "name=value", "");
  refuse ("-maxPushConstantsSize", "maxPushConstantsSize", "needs a value", "");
  refuse ("maxPushConstantsSize=", "maxPushConstantsSize", "not a number", "");
  refuse ("maxPushConstantsSize=-1", "maxPushConstantsSize", "not a number", "-1");
  refuse ("maxPushConstantsSize=0x", "maxPushConstantsSize", "not a number", "0x");
  refuse ("maxPushConstantsSize=12three", "maxPushConstantsSize", "12three", "not a number");
  refuse ("maxPushConstantsSize=99999999999999999999", "maxPushConstantsSize", "not a number", "");
  refuse ("maxComputeWorkGroupCount=1:2", "maxComputeWorkGroupCount", "3 numbers", "1:2");
  refuse ("maxComputeWorkGroupCount=1:2:70000", "maxComputeWorkGroupCount", "70000", "65535");
  refuse ("queueCount", "queueCount", "", "");
  refuse ("-nonsense", "nonsense", "", "");
  refuse ("nonsense=5", "nonsense", "", "");
  refuse ("VK_EXT_memory_budget=1", "VK_EXT_memory_budget", "no value", "");
  /* All or nothing. */
  refuse ("maxPushConstantsSize=128,nonsense=5", "nonsense", "", "");
  ck_assert_uint_eq (snapshot.limits.maxPushConstantsSize, 256);
}
END_TEST

/* Without a device names and forms are checked, values are not. */
START_TEST (test_check)
{
  GError *error = NULL;

  ck_assert (vulkan_mask_check (NULL, &error));
  ck_assert (vulkan_mask_check ("maxPushConstantsSize=1000000,queueCount=5000,-shaderInt64", &error));
  ck_assert (!vulkan_mask_check ("maxPushConstantsSizes=1", &error));
  g_clear_error (&error);
  ck_assert (!vulkan_mask_check ("minStorageBufferOffsetAlignment=3", &error));
  g_clear_error (&error);
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("mask");
  TCase *test_case = gb_test_case (suite, "mask");

  tcase_add_test (test_case, test_nothing);
  tcase_add_test (test_case, test_every_row);
  tcase_add_test (test_case, test_names_do_not_clash);
  tcase_add_test (test_case, test_special);
  tcase_add_test (test_case, test_mistakes);
  tcase_add_test (test_case, test_check);
  return suite;
}

GB_TEST_MAIN (make_suite)
