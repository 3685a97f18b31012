/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "lib/list.h"

#include "tests/test-main.h"

struct item
{
  int number;
  struct gb_list link;
};

/* The numbers as text, forwards, and checks the way back. */
static char *
spell (struct gb_list *head)
{
  GString *text = g_string_new (NULL);
  struct gb_list *back = head->prev;
  guint n_forwards = 0;
  guint n_backwards = 0;

  gb_list_for_each (item, head, struct item, link)
    {
      g_string_append_printf (text, "%d ", item->number);
      n_forwards++;
    }
  for (; back != head; back = back->prev)
    n_backwards++;
  ck_assert_uint_eq (n_forwards, n_backwards);
  return g_string_free (text, FALSE);
}

static void
expect (struct gb_list *head, const char *wanted)
{
  char *text = spell (head);

  ck_assert_str_eq (text, wanted);
  g_free (text);
}

START_TEST (order)
{
  struct item items[5];
  struct gb_list head;

  gb_list_init (&head);
  ck_assert (gb_list_is_empty (&head));
  ck_assert_ptr_null (gb_list_first (&head, struct item, link));
  ck_assert_ptr_null (gb_list_last (&head, struct item, link));
  for (int i = 0; i < 5; i++)
    items[i].number = i;
  gb_list_append (&head, &items[1].link);
  gb_list_append (&head, &items[3].link);
  gb_list_prepend (&head, &items[0].link);
  gb_list_insert_after (&items[1].link, &items[2].link);
  gb_list_append (&head, &items[4].link);
  expect (&head, "0 1 2 3 4 ");
  ck_assert_ptr_eq (gb_list_first (&head, struct item, link), &items[0]);
  ck_assert_ptr_eq (gb_list_last (&head, struct item, link), &items[4]);

  gb_list_remove (&items[2].link);
  gb_list_remove (&items[2].link);
  expect (&head, "0 1 3 4 ");
}
END_TEST

START_TEST (remove_while_walking)
{
  struct gb_list head;

  gb_list_init (&head);
  for (int i = 0; i < 6; i++)
    {
      struct item *item = g_new0 (struct item, 1);
      item->number = i;
      gb_list_append (&head, &item->link);
    }
  gb_list_for_each_safe (item, &head, struct item, link)
    if (item->number % 2 == 0)
      {
        gb_list_remove (&item->link);
        g_free (item);
      }
  expect (&head, "1 3 5 ");
  gb_list_for_each_safe (item, &head, struct item, link)
    g_free (item);
}
END_TEST

START_TEST (splice)
{
  struct item items[4];
  struct gb_list a, b;

  gb_list_init (&a);
  gb_list_init (&b);
  for (int i = 0; i < 4; i++)
    {
      items[i].number = i;
      gb_list_append (i < 2 ? &a : &b, &items[i].link);
    }
  gb_list_splice (&a, &b);
  expect (&a, "0 1 2 3 ");
  ck_assert (gb_list_is_empty (&b));
  gb_list_splice (&a, &b);
  expect (&a, "0 1 2 3 ");
  gb_list_splice (&b, &a);
  expect (&b, "0 1 2 3 ");
  ck_assert (gb_list_is_empty (&a));
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("list");
  TCase *test_case = gb_test_case (suite, "list");

  tcase_add_test (test_case, order);
  tcase_add_test (test_case, remove_while_walking);
  tcase_add_test (test_case, splice);
  return suite;
}

GB_TEST_MAIN (make_suite)
