/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a person says to gabbro run --break, and what is answered. */

#include "config.h"

#include <gabbro/gabbro.h>
#include <string.h>

#include "tests/tool/test-parts.h"
#include "tools/watch.h"

static const char source[] =
  "kernel(4) void work(buffer<uint> b)\n"
  "{\n"
  "    uint i = global_id.x;\n"
  "    uint twice = i + i;\n"
  "    b[i] = twice;\n"
  "}\n";

static GString *printed;

static void
keep (const gchar *text)
{
  g_string_append (printed, text);
}

/* Runs six threads of it while `commands` are given; what is printed comes back, and what the buffer has. */
static char *
converse (const struct tool_watch *watch, const char *commands, guint32 words[6], bool *has_quit)
{
  GVariantDict options;
  g_variant_dict_init (&options, NULL);
  g_variant_dict_insert (&options, "driver-path", "s", "/");
  g_autoptr (GError) error = NULL;
  g_autoptr (GabbroContext) context = gabbro_context_new (g_variant_dict_end (&options), &error);
  g_autoptr (GabbroDevice) device = gabbro_context_open_device (context, "reference", &error);
  g_autoptr (GHashTable) sources = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) g_bytes_unref);
  g_autoptr (GabbroModule) module = gabbro_module_new_from_source ("work.gk", source, -1, &error);
  g_autoptr (GabbroKernel) kernel = gabbro_module_get_kernel (module, "work", &error);
  g_autofree char *text = g_strdup (commands);
  FILE *input = fmemopen (text, strlen (text), "r");
  struct tool_debugger *debugger;
  GPrintFunc before = g_set_print_handler (keep);

  g_hash_table_insert (sources, (gpointer) "work.gk", g_bytes_new_static (source, strlen (source)));
  debugger = tool_debugger_new (watch, "work.gk", sources, input, true);
  printed = g_string_new (NULL);
  ck_assert (tool_debugger_attach (debugger, device, &error));
  g_autoptr (GabbroShader) shader = gabbro_shader_new (device, kernel, GABBRO_COMPILE_DEFAULT, GABBRO_OPTIMIZATION_DEFAULT, &error);
  g_autoptr (GabbroStream) stream = gabbro_stream_new (device, NULL, &error);
  g_autoptr (GabbroBuffer) buffer = gabbro_buffer_new (device, "uint", 6, &error);
  g_autoptr (GabbroCommandList) list = gabbro_command_list_new (device, &error);
  gabbro_command_list_fill (list, buffer, 0, 24, 99, &error);
  gabbro_command_list_run (list, shader, 6, 1, 1, &error, "b", buffer, NULL);
  ck_assert_ptr_null (error);
  ck_assert (gabbro_stream_submit (stream, list, &error) && gabbro_stream_synchronize (stream, -1, &error));
  tool_debugger_finish (debugger, device, true);
  *has_quit = tool_debugger_has_quit (debugger);
  ck_assert (gabbro_buffer_download (buffer, 0, words, 24, &error));
  tool_debugger_free (debugger);
  g_set_print_handler (before);
  fclose (input);
  return g_string_free (printed, FALSE);
}

START_TEST (test_conversation)
{
  static const struct tool_watch watch = { .break_file = (char *) "work.gk", .break_line = 4 };
  guint32 words[6];
  bool has_quit;
  g_autofree char *text = converse (&watch, "print i\np twice\nnonsense\nstep\n\np twice\ncontinue\n", words, &has_quit);

  ck_assert_str_eq (text,
                    "thread (0, 0, 0) of work\n"
                    "work.gk:4: uint twice = i + i;\n"
                    "    b = buffer of 6 elements\n"
                    "    i = 0\n"
                    "(gabbro)     i = 0\n"
                    "(gabbro)     there is no variable 'twice' here\n"
                    "(gabbro) commands: continue, step (or an empty line), print [NAME], quit\n"
                    "(gabbro)     twice = 0\n"
                    "work.gk:5: b[i] = twice;\n"
                    "(gabbro)     b[0] = 0\n"
                    "work.gk:6: }\n"
                    "(gabbro)     twice = 0\n"
                    "(gabbro) the thread has ended\n");
  ck_assert (!has_quit);
  for (guint i = 0; i < 6; i++)
    ck_assert_uint_eq (words[i], 2 * i);
}
END_TEST

START_TEST (test_quit)
{
  static const struct tool_watch watch = { .has_thread = true, .thread = { 5, 0, 0 }, .break_file = (char *) "work.gk", .break_line = 5 };
  guint32 words[6];
  bool has_quit;
  g_autofree char *text = converse (&watch, "p\nq\n", words, &has_quit);

  ck_assert_str_eq (text,
                    "thread (5, 0, 0) of work\n"
                    "work.gk:5: b[i] = twice;\n"
                    "    b = buffer of 6 elements\n"
                    "    i = 5\n"
                    "    twice = 10\n"
                    "(gabbro)     b = buffer of 6 elements\n"
                    "    i = 5\n"
                    "    twice = 10\n"
                    "(gabbro) ");
  ck_assert (has_quit);
}
END_TEST

/* Nobody answers any more: the rest runs through. */
START_TEST (test_end_of_input)
{
  static const struct tool_watch watch = { .break_file = (char *) "work.gk", .break_line = 3 };
  guint32 words[6];
  bool has_quit;
  g_autofree char *text = converse (&watch, "s\n", words, &has_quit);

  ck_assert_ptr_nonnull (strstr (text, "work.gk:4: uint twice = i + i;\n(gabbro) \nthe thread has ended\n"));
  ck_assert (!has_quit);
  ck_assert_uint_eq (words[5], 10);
}
END_TEST

void
add_debugger_tests (Suite *suite)
{
  TCase *test_case = gb_test_case (suite, "debugger");

  tcase_add_test (test_case, test_conversation);
  tcase_add_test (test_case, test_quit);
  tcase_add_test (test_case, test_end_of_input);
}
