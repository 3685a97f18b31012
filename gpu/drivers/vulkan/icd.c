/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/drivers/vulkan/icd.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/file.h"

#define MOST_MANIFEST_BYTES ((gsize) 1 << 20)

/* Version of the agreement between loader and driver: the last one that asks
 * nothing of the loader that we do not do. */
#define INTERFACE_VERSION 5

static void
icd_free (gpointer data)
{
  struct vulkan_icd *icd = data;

  g_free (icd->manifest);
  g_free (icd->library);
  g_free (icd->problem);
  g_free (icd);
}

/* Manifests. */

/* The string value of the first such key, quotes included; the two strings are all that is wanted of the file. */
static char *
find_string (const char *text, const char *key)
{
  const char *at = strstr (text, key);
  GString *path;

  if (at == NULL)
    return NULL;
  at += strlen (key);
  at += strspn (at, " \t\r\n");
  if (*at++ != ':')
    return NULL;
  at += strspn (at, " \t\r\n");
  if (*at++ != '"')
    return NULL;
  path = g_string_new (NULL);
  for (; *at != '\0' && *at != '"'; at++)
    {
      if (at[0] == '\\' && at[1] != '\0')
        at++;
      g_string_append_c (path, *at);
    }
  if (*at == '"' && path->len != 0)
    return g_string_free (path, FALSE);
  g_string_free (path, TRUE);
  return NULL;
}

static void
read_manifest (struct vulkan_icd *icd)
{
  GError *error = NULL;
  GBytes *bytes = gb_file_read_linked (icd->manifest, MOST_MANIFEST_BYTES, &error);
  char *text, *named, *width;

  if (bytes == NULL)
    {
      icd->problem = g_strdup (error->message);
      g_error_free (error);
      return;
    }
  text = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  g_bytes_unref (bytes);
  named = find_string (text, "\"library_path\"");
  width = find_string (text, "\"library_arch\"");
  icd->foreign = width != NULL && strcmp (width, sizeof (void *) == 8 ? "64" : "32") != 0;
  if (named != NULL && strchr (named, '/') != NULL && !g_path_is_absolute (named))
    {
      char *folder = g_path_get_dirname (icd->manifest);
      icd->library = g_build_filename (folder, named, NULL);
      g_free (folder);
    }
  else
    icd->library = g_steal_pointer (&named);
  g_free (named);
  g_free (width);
  g_free (text);
}

static void
add_manifest (GPtrArray *list, const char *file)
{
  struct vulkan_icd *icd;

  for (unsigned i = 0; i < list->len; i++)
    if (strcmp (((const struct vulkan_icd *) g_ptr_array_index (list, i))->manifest, file) == 0)
      return;
  if (!g_file_test (file, G_FILE_TEST_IS_REGULAR))
    return;
  icd = g_new0 (struct vulkan_icd, 1);
  icd->manifest = g_strdup (file);
  read_manifest (icd);
  g_ptr_array_add (list, icd);
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static void
add_folder (GPtrArray *list, const char *folder)
{
  GPtrArray *names;
  GDir *dir = g_dir_open (folder, 0, NULL);
  const char *name;

  if (dir == NULL)
    return;
  names = g_ptr_array_new_with_free_func (g_free);
  while ((name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ".json"))
      g_ptr_array_add (names, g_build_filename (folder, name, NULL));
  g_dir_close (dir);
  g_ptr_array_sort (names, compare_names);
  for (unsigned i = 0; i < names->len; i++)
    add_manifest (list, g_ptr_array_index (names, i));
  g_ptr_array_unref (names);
}

/* Files and folders with colons between. */
static void
add_paths (GPtrArray *list, const char *paths, const char *below)
{
  char **parts = g_strsplit (paths != NULL ? paths : "", ":", -1);

  for (unsigned i = 0; parts[i] != NULL; i++)
    {
      char *path = below != NULL ? g_build_filename (parts[i], below, NULL) : g_strdup (parts[i]);
      if (parts[i][0] == '\0')
        ;
      else if (g_file_test (path, G_FILE_TEST_IS_DIR))
        add_folder (list, path);
      else if (below == NULL)
        add_manifest (list, path);
      g_free (path);
    }
  g_strfreev (parts);
}

static bool
matches_any (const char *patterns, const char *name)
{
  char **parts = g_strsplit (patterns, ",", -1);
  bool found = false;

  for (unsigned i = 0; parts[i] != NULL && !found; i++)
    found = g_pattern_match_simple (g_strstrip (parts[i]), name);
  g_strfreev (parts);
  return found;
}

/* What VK_LOADER_DRIVERS_SELECT and _DISABLE leave. */
static void
filter (GPtrArray *list)
{
  const char *select = secure_getenv ("VK_LOADER_DRIVERS_SELECT");
  const char *disable = secure_getenv ("VK_LOADER_DRIVERS_DISABLE");

  for (unsigned i = list->len; i > 0; i--)
    {
      const struct vulkan_icd *icd = g_ptr_array_index (list, i - 1);
      char *name = g_path_get_basename (icd->manifest);
      if ((select != NULL && !matches_any (select, name)) || (disable != NULL && matches_any (disable, name)))
        g_ptr_array_remove_index (list, i - 1);
      g_free (name);
    }
}

GPtrArray *
vulkan_icd_list (void)
{
  GPtrArray *list = g_ptr_array_new_with_free_func (icd_free);
  const char *below = "vulkan/icd.d";
  const char *files = secure_getenv ("VK_DRIVER_FILES");

  if (files == NULL)
    files = secure_getenv ("VK_ICD_FILENAMES");
  if (files != NULL)
    add_paths (list, files, NULL);
  else
    {
      const char *config = secure_getenv ("XDG_CONFIG_DIRS"), *data = secure_getenv ("XDG_DATA_DIRS");

      add_paths (list, secure_getenv ("VK_ADD_DRIVER_FILES"), NULL);
      add_paths (list, g_get_user_config_dir (), below);
      add_paths (list, config != NULL ? config : "/etc/xdg", below);
      add_paths (list, "/usr/local/etc:/etc", below);
      add_paths (list, g_get_user_data_dir (), below);
      add_paths (list, data != NULL ? data : "/usr/local/share:/usr/share", below);
    }
  filter (list);
  return list;
}

/* Asking one. */

static PFN_vkGetInstanceProcAddr
find_entry (void *library)
{
  PFN_vkGetInstanceProcAddr get;
  VkResult (VKAPI_PTR *negotiate) (uint32_t *version);
  uint32_t version = INTERFACE_VERSION;

  /* The way that POSIX shows for functions. */
  *(void **) &negotiate = dlsym (library, "vk_icdNegotiateLoaderICDInterfaceVersion");
  if (negotiate != NULL && negotiate (&version) != VK_SUCCESS)
    return NULL;
  *(void **) &get = dlsym (library, "vk_icdGetInstanceProcAddr");
  if (get == NULL)
    *(void **) &get = dlsym (library, "vkGetInstanceProcAddr");
  return get;
}

/* A driver for another kind of processor lies beside ours on many machines. What it is for stands in the first bytes
 * of an ELF file, in those of this code as in those of the driver; dlerror() says it in words, which may be translated. */
static bool
is_of_other_machine (const char *library)
{
  Dl_info own;
  ElfW (Ehdr) header;
  const ElfW (Ehdr) *ours;
  int fd;
  ssize_t n;

  if (strchr (library, '/') == NULL || dladdr ((void *) (uintptr_t) find_entry, &own) == 0)
    return false;
  fd = open (library, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0)
    return false;
  n = read (fd, &header, offsetof (ElfW (Ehdr), e_version));
  close (fd);
  ours = own.dli_fbase;
  return n == offsetof (ElfW (Ehdr), e_version) && memcmp (header.e_ident, ELFMAG, SELFMAG) == 0
         && (header.e_ident[EI_CLASS] != ours->e_ident[EI_CLASS] || header.e_ident[EI_DATA] != ours->e_ident[EI_DATA]
             || header.e_machine != ours->e_machine);
}

VkResult
vulkan_icd_open (const struct vulkan_icd *icd, struct vulkan_log *log, const struct vulkan_connection_options *options,
                 struct vulkan_connection *connection, GError **error)
{
  PFN_vkGetInstanceProcAddr get;
  VkResult result;

  memset (connection, 0, sizeof *connection);
  if (icd->foreign)
    return VK_ERROR_INCOMPATIBLE_DRIVER;
  if (icd->problem != NULL)
    {
      g_set_error_literal (error, GABBRO_DRIVER_ERROR, GABBRO_DRIVER_ERROR_FAILED, icd->problem);
      return VK_ERROR_INITIALIZATION_FAILED;
    }
  if (icd->library == NULL)
    {
      g_set_error (error, GABBRO_DRIVER_ERROR, GABBRO_DRIVER_ERROR_FAILED, "%s names no library", icd->manifest);
      return VK_ERROR_INITIALIZATION_FAILED;
    }
  connection->library = dlopen (icd->library, RTLD_LAZY | RTLD_LOCAL);
  if (connection->library == NULL)
    {
      const char *reason = dlerror ();
      if (is_of_other_machine (icd->library))
        return VK_ERROR_INCOMPATIBLE_DRIVER;
      g_set_error (error, GABBRO_DRIVER_ERROR, GABBRO_DRIVER_ERROR_FAILED, "%s: %s", icd->manifest,
                   reason != NULL ? reason : icd->library);
      return VK_ERROR_INITIALIZATION_FAILED;
    }
  get = find_entry (connection->library);
  if (get == NULL)
    {
      g_set_error (error, GABBRO_DRIVER_ERROR, GABBRO_DRIVER_ERROR_FAILED, "%s: %s is no Vulkan driver", icd->manifest,
                   icd->library);
      result = VK_ERROR_INITIALIZATION_FAILED;
    }
  else
    {
      result = vulkan_connection_open (connection, get, log, options, error);
      if (result != VK_SUCCESS && result != VK_ERROR_INCOMPATIBLE_DRIVER)
        g_prefix_error (error, "%s: ", icd->manifest);
    }
  if (result != VK_SUCCESS)
    vulkan_connection_close (connection);
  return result;
}
