/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* gabbro compile: kernel source into the forms it takes on its way to a device. */

#include "config.h"

#include <gabbro/gabbro.h>
#include <glib/gi18n.h>
#include <string.h>
#include <unistd.h>

#include "tools/adapters.h"
#include "tools/command.h"
#include "tools/files.h"
#include "tools/kernels.h"
#include "tools/report.h"

enum form
{
  FORM_AST,
  FORM_XIR,
  FORM_LAYOUT,
  FORM_LAYOUT_C,
  FORM_LAYOUT_PYTHON,
  FORM_LAYOUT_GVARIANT,
  FORM_SPIRV,
  FORM_ASM,
  FORM_BUNDLE,
  FORM_NONE                     /* a check */
};

static const struct
{
  const char *name;
  int format;                   /* of the whole file, or -1 */
} forms[] = {
  [FORM_AST] = { "ast", GABBRO_MODULE_AST },
  [FORM_XIR] = { "xir", GABBRO_MODULE_XIR },
  [FORM_LAYOUT] = { "layout", GABBRO_MODULE_LAYOUT },
  [FORM_LAYOUT_C] = { "layout-c", GABBRO_MODULE_LAYOUT_C },
  [FORM_LAYOUT_PYTHON] = { "layout-python", GABBRO_MODULE_LAYOUT_PYTHON },
  [FORM_LAYOUT_GVARIANT] = { "layout-gvariant", GABBRO_MODULE_LAYOUT_GVARIANT },
  [FORM_SPIRV] = { "spirv", -1 },
  [FORM_ASM] = { "asm", -1 },
  [FORM_BUNDLE] = { "bundle", -1 },
  [FORM_NONE] = { NULL, -1 }
};

static const struct tool_option options_of_compile[] = {
  { "emit", 0, N_("FORM"), N_("what to write: ast, xir, layout (or -c, -python, -gvariant behind it), spirv, asm or bundle"),
    "ast xir layout layout-c layout-python layout-gvariant spirv asm bundle" },
  { "output", 'o', N_("FILE"), N_("where to (standard output); '-' is standard output") },
  { "kernel", 0, N_("NAME"), N_("which kernel, for spirv and asm") },
  { "device", 0, N_("ADAPTER"), N_("compile for what this adapter can do") },
  { "compress", 0, NULL, N_("make a bundle smaller with zstd") },
  TOOL_COMPILE_OPTIONS,
  { NULL }
};

static const struct tool_example examples[] = {
  { "compile saxpy.gk", N_("check the file: nothing is written") },
  { "compile saxpy.gk -o saxpy.spv", N_("write SPIR-V") },
  { "compile sobel.gk gaussian-blur.gk -o filters.gabbro", N_("write a bundle with all their kernels") },
  { "compile gaussian-blur.gk --emit=asm --kernel=blur_rows -O0", N_("show readable SPIR-V, not optimised") },
  { "compile gaussian-blur.gk --emit=xir", N_("show the intermediate representation of all kernels") },
  { "compile gaussian-blur.gk --emit=layout", N_("show where arguments and members of structures lie") },
  { "compile particles.gk --emit=layout-c -o particles.h", N_("declare its structures for a program in C") },
  { NULL }
};

struct job
{
  GabbroModule *module;
  const char *filename;
  const char *kernel;           /* NULL: the only one */
  GabbroAdapter *adapter;       /* NULL: none in particular */
  GabbroCompileFlags flags;
  gint level;
};

static enum form
find_form (const struct tool_options *options)
{
  const char *name = tool_options_get (options, "emit"), *output = tool_options_get (options, "output");
  enum form form = FORM_AST;

  if (name == NULL)
    return output == NULL ? FORM_NONE : g_str_has_suffix (output, ".gabbro") ? FORM_BUNDLE : FORM_SPIRV;
  /* It is one of the option's words. */
  while (forms[form].name != NULL && strcmp (forms[form].name, name) != 0)
    form++;
  return form;
}

static GBytes *
bytes_of_text (char *text)
{
  return text != NULL ? g_bytes_new_take (text, strlen (text)) : NULL;
}

static GBytes *
compile (const struct job *job, enum form form, GError **error)
{
  if (forms[form].format >= 0)
    return bytes_of_text (gabbro_module_print (job->module, (GabbroModuleFormat) forms[form].format));

  g_autoptr (GabbroKernel) kernel = tool_find_kernel (job->module, job->filename, job->kernel, error);
  if (kernel == NULL)
    return NULL;
  if (form == FORM_SPIRV)
    return gabbro_kernel_compile_spirv (kernel, job->adapter, job->flags, job->level, error);
  return bytes_of_text (gabbro_kernel_compile_assembly (kernel, job->adapter, job->flags, job->level, error));
}

/* Every kernel, or the one that was named, goes all the way; nothing is kept. */
static bool
check (const struct job *job, GError **error)
{
  g_auto (GStrv) kernels = gabbro_module_list_kernels (job->module);
  bool good = true;

  if (kernels == NULL || kernels[0] == NULL)
    {
      g_autofree char *shown = g_filename_display_name (job->filename);
      return tool_fail (error, _("%s: there is no kernel in it"), shown);
    }
  for (guint i = 0; good && kernels[i] != NULL; i++)
    {
      if (job->kernel != NULL && strcmp (job->kernel, kernels[i]) != 0)
        continue;
      g_autoptr (GabbroKernel) kernel = gabbro_module_get_kernel (job->module, kernels[i], error);
      g_autoptr (GBytes) words = kernel != NULL ? gabbro_kernel_compile_spirv (kernel, job->adapter, job->flags,
                                                                               job->level, error) : NULL;
      good = words != NULL;
    }
  return good;
}

static bool
write_result (const char *output, GBytes *result, GError **error)
{
  gsize size;
  const void *data = g_bytes_get_data (result, &size);

  if (output == NULL || strcmp (output, "-") == 0)
    return tool_write_stdout (data, size, error);
  return tool_write_file (output, data, size, error);
}

/* All that can be wrong with the command line, before a file is opened. */
static bool
check_options (const struct tool_options *options, enum form form, GError **error)
{
  const char *output = tool_options_get (options, "output");
  bool to_stdout = output == NULL || strcmp (output, "-") == 0;

  if (tool_options_n_operands (options) == 0)
    return tool_usage (error, _("a file with kernels is missing: gabbro compile FILE"));
  if (form != FORM_BUNDLE && tool_options_n_operands (options) > 1)
    return tool_usage (error, _("only a bundle is made of several files: -o FILE.gabbro"));
  if (form != FORM_BUNDLE && tool_options_has (options, "compress"))
    return tool_usage (error, _("--compress: only bundles are compressed"));
  if (form == FORM_BUNDLE && tool_options_has (options, "kernel"))
    return tool_usage (error, _("--kernel: a bundle has all kernels of its files"));
  if (forms[form].format >= 0 && tool_options_has (options, "kernel"))
    return tool_usage (error, _("--kernel: %s shows the whole file"), forms[form].name);
  if (form == FORM_BUNDLE && to_stdout && isatty (STDOUT_FILENO) == 1)
    return tool_usage (error, _("a bundle is not for a terminal; give -o FILE"));
  if (form == FORM_SPIRV && to_stdout && isatty (STDOUT_FILENO) == 1)
    return tool_usage (error, _("SPIR-V is not for a terminal; give -o FILE, or --emit=asm to read it"));
  return to_stdout || tool_check_output (output, error);
}

/* Every kernel of every file. */
static bool
add_kernels (GPtrArray *kernels, const char *filename, const struct tool_options *options, GError **error)
{
  g_autoptr (GabbroModule) module = tool_load_module (filename, options, NULL, error);
  if (module == NULL)
    return false;
  g_auto (GStrv) names = gabbro_module_list_kernels (module);
  for (guint i = 0; names[i] != NULL; i++)
    {
      GabbroKernel *kernel = gabbro_module_get_kernel (module, names[i], error);
      if (kernel == NULL)
        return false;
      g_ptr_array_add (kernels, kernel);
    }
  if (names[0] != NULL)
    return true;
  g_autofree char *shown = g_filename_display_name (filename);
  return tool_fail (error, _("%s: there is no kernel in it"), shown);
}

static GBytes *
compile_bundle (const struct job *job, const struct tool_options *options, GError **error)
{
  g_autoptr (GPtrArray) kernels = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < tool_options_n_operands (options); i++)
    {
      if (!add_kernels (kernels, tool_options_operand (options, i), options, error))
        return NULL;
    }
  g_autoptr (GabbroBundle) bundle = gabbro_bundle_new_from_kernels ((GabbroKernel **) kernels->pdata, kernels->len, job->adapter,
                                                                    job->flags, job->level, error);
  if (bundle == NULL)
    return NULL;
  return gabbro_bundle_to_bytes (bundle, tool_options_has (options, "compress") ? GABBRO_BUNDLE_COMPRESS : GABBRO_BUNDLE_DEFAULT, error);
}

/* The adapter that was named; `context` keeps it. */
static bool
choose_adapter (const struct tool_options *options, GabbroContext **context, GabbroAdapter **adapter, GError **error)
{
  if (!tool_options_has (options, "device"))
    return true;
  *context = gabbro_context_new (NULL, error);
  if (*context != NULL)
    *adapter = tool_select_adapter (*context, tool_options_get (options, "device"), NULL, error);
  return *adapter != NULL;
}

static bool
run_bundle (struct job *job, const struct tool_options *options, GError **error)
{
  g_autoptr (GabbroContext) context = NULL;

  if (!choose_adapter (options, &context, &job->adapter, error))
    return false;
  g_autoptr (GBytes) result = compile_bundle (job, options, error);
  return result != NULL && write_result (tool_options_get (options, "output"), result, error);
}

static bool
run (const struct tool_options *options, GError **error)
{
  enum form form = find_form (options);
  struct job job = { .filename = tool_options_operand (options, 0) };

  if (!check_options (options, form, error) || !tool_compile_options (options, &job.flags, &job.level, error))
    return false;
  if (form == FORM_BUNDLE)
    return run_bundle (&job, options, error);
  g_autoptr (GabbroModule) module = tool_load_module (job.filename, options, NULL, error);
  if (module == NULL)
    return false;
  job.module = module;
  job.kernel = tool_options_get (options, "kernel");
  if (form == FORM_NONE && job.kernel != NULL)
    {
      g_autoptr (GabbroKernel) named = tool_find_kernel (module, job.filename, job.kernel, error);
      if (named == NULL)
        return false;
    }

  g_autoptr (GabbroContext) context = NULL;
  if (!choose_adapter (options, &context, &job.adapter, error))
    return false;
  if (form == FORM_NONE)
    return check (&job, error);
  g_autoptr (GBytes) result = compile (&job, form, error);
  return result != NULL && write_result (tool_options_get (options, "output"), result, error);
}

const struct tool_command tool_command_compile = {
  .name = "compile",
  .usage = N_("FILE… [--emit=FORM] [-o FILE] [OPTION]…"),
  .summary = N_("check a file with kernels, or show what becomes of it"),
  .text = N_("The forms: ast (syntax tree with types), xir (intermediate representation) and layout\n"
             "(where arguments lie, and members of structures) of the whole file; layout-c, layout-python\n"
             "and layout-gvariant, what a program declares to have the same structures; spirv (binary)\n"
             "and asm (the same to read) of one kernel; bundle of all kernels of all files, ready to be\n"
             "shipped and run.\n"
             "With -o alone the form is bundle when its name ends with .gabbro, otherwise spirv.\n"),
  .options = options_of_compile,
  .examples = examples,
  .run = run,
};
