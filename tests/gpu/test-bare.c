/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Objects that no function of ours has made: bindings let a program write g_object_new() for any class. Every
 * function refuses one, with a critical and its default; properties show defaults; nothing crashes. And the other
 * end of life: whole objects whose dispose has been run, even twice, which some bindings do by themselves. */

#include "config.h"

#include <gabbro/gabbro-vulkan.h>

#include "tests/gpu/device-test.h"

static guint n_criticals;
static GHashTable *seen;

static struct
{
  GabbroContext *context;
  GabbroAdapter *adapter;
  GabbroDevice *device;
  GabbroQueue *queue;
  GabbroStream *stream;
  GabbroEvent *event;
  GabbroBuffer *buffer;
  GabbroMapping *mapping;
  GabbroImage *image;
  GabbroModule *module;
  GabbroKernel *kernel;
  GabbroShader *shader;
  GabbroCommandList *list;
  GabbroBundle *bundle;
  GabbroCache *cache;
  GBytes *bytes;
  GVariant *variant;
  GAsyncResult *result;
} bare;

static guint8 word[4];

static void
count (const char *domain, GLogLevelFlags level, const char *text, gpointer data)
{
  if (level & G_LOG_LEVEL_CRITICAL)
    n_criticals++;
  else
    g_log_default_handler (domain, level, text, data);
}

static void
note (const char *call)
{
  const char *end = strchr (call, ' ');

  g_hash_table_add (seen, g_strndup (call, (gsize) (end - call)));
}

#define REFUSES_AS(call, statement)                                              \
  do                                                                             \
    {                                                                            \
      guint before = n_criticals;                                                \
      statement;                                                                 \
      ck_assert_msg (n_criticals > before, "%s says nothing", call);             \
      note (call);                                                               \
    }                                                                            \
  while (0)

#define REFUSES(call)      REFUSES_AS (#call, ck_assert_msg (!(call), "%s answers something", #call))
#define REFUSES_VOID(call) REFUSES_AS (#call, call)

/* All classes; the members above are in the same order. */
static GType
type_at (guint index)
{
  static GType (*const functions[]) (void) = {
    gabbro_context_get_type, gabbro_adapter_get_type, gabbro_device_get_type, gabbro_queue_get_type, gabbro_stream_get_type,
    gabbro_event_get_type, gabbro_buffer_get_type, gabbro_mapping_get_type, gabbro_image_get_type, gabbro_module_get_type,
    gabbro_kernel_get_type, gabbro_shader_get_type, gabbro_command_list_get_type, gabbro_bundle_get_type, gabbro_cache_get_type,
  };

  return index < G_N_ELEMENTS (functions) ? functions[index] () : G_TYPE_INVALID;
}

static gpointer *
objects (void)
{
  return (gpointer *) &bare;
}

static void
set_up (void)
{
  g_log_set_always_fatal (G_LOG_FATAL_MASK);
  g_log_set_handler ("Gabbro", G_LOG_LEVEL_MASK, count, NULL);
  if (seen == NULL)
    seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; type_at (i) != G_TYPE_INVALID; i++)
    objects ()[i] = g_object_new (type_at (i), NULL);
  bare.bytes = g_bytes_new (word, sizeof word);
  bare.variant = g_variant_ref_sink (g_variant_new_uint32 (1));
  bare.result = G_ASYNC_RESULT (g_task_new (NULL, NULL, NULL, NULL));
}

static void
tear_down (void)
{
  for (guint i = 0; type_at (i) != G_TYPE_INVALID; i++)
    g_object_unref (objects ()[i]);
  g_bytes_unref (bare.bytes);
  g_variant_unref (bare.variant);
  g_object_unref (bare.result);
}

static void
never_ready (GObject *object, GAsyncResult *result, gpointer data)
{
  ck_abort_msg ("a function that was refused has begun");
}

static void
never (const GError *error, gpointer data)
{
  ck_abort_msg ("a completion function was called");
}

static void
adapter_functions (void)
{
  REFUSES (gabbro_adapter_dup_context (bare.adapter));
  REFUSES (gabbro_adapter_get_name (bare.adapter));
  REFUSES (gabbro_adapter_get_driver (bare.adapter));
  REFUSES (gabbro_adapter_get_path (bare.adapter));
  REFUSES (gabbro_adapter_get_uuid (bare.adapter));
  REFUSES (gabbro_adapter_get_pci_address (bare.adapter));
  REFUSES (gabbro_adapter_get_kind (bare.adapter));
  REFUSES (gabbro_adapter_get_memory_size (bare.adapter));
  REFUSES (gabbro_adapter_get_format_usage (bare.adapter, 0, 2));
  REFUSES (gabbro_adapter_get_unusable_reason (bare.adapter));
  REFUSES (gabbro_adapter_dup_twin (bare.adapter));
  REFUSES (gabbro_adapter_open (bare.adapter, NULL));
  REFUSES_VOID (gabbro_adapter_open_async (bare.adapter, NULL, never_ready, NULL));
  REFUSES (gabbro_adapter_open_finish (bare.adapter, bare.result, NULL));
}

static void
bundle_functions (void)
{
  GabbroKernel *kernels[] = { bare.kernel };
  GFile *file = g_file_new_for_path ("/nowhere");

  REFUSES (gabbro_bundle_new_from_bytes (NULL, NULL));
  REFUSES_VOID (gabbro_bundle_new_from_bytes_async (NULL, NULL, never_ready, NULL));
  REFUSES (gabbro_bundle_new_from_bytes_finish (bare.result, NULL));
  REFUSES (gabbro_bundle_new_from_file (NULL, NULL, NULL));
  REFUSES_VOID (gabbro_bundle_new_from_file_async (NULL, NULL, never_ready, NULL));
  REFUSES (gabbro_bundle_new_from_file_finish (bare.result, NULL));
  REFUSES (gabbro_bundle_new_from_resource (NULL, NULL, NULL));
  REFUSES_VOID (gabbro_bundle_new_from_resource_async (NULL, NULL, NULL, never_ready, NULL));
  REFUSES (gabbro_bundle_new_from_resource_finish (bare.result, NULL));
  REFUSES (gabbro_bundle_new_from_kernels (kernels, 1, NULL, 0, 0, NULL));
  REFUSES_VOID (gabbro_bundle_new_from_kernels_async (kernels, 1, NULL, 0, 0, NULL, never_ready, NULL));
  REFUSES (gabbro_bundle_new_from_kernels_finish (bare.result, NULL));
  REFUSES (gabbro_bundle_get_generator (bare.bundle));
  REFUSES (gabbro_bundle_list_kernels (bare.bundle));
  REFUSES (gabbro_bundle_get_kernel (bare.bundle, NULL, NULL));
  REFUSES (gabbro_bundle_describe_kernel (bare.bundle, NULL, NULL));
  REFUSES (gabbro_bundle_get_section (bare.bundle, NULL, "code", NULL));
  REFUSES (gabbro_bundle_verify (bare.bundle, NULL));
  REFUSES (gabbro_bundle_check_adapter (bare.bundle, NULL, bare.adapter, NULL));
  REFUSES (gabbro_bundle_create_shader (bare.bundle, bare.device, NULL, NULL));
  REFUSES_VOID (gabbro_bundle_create_shader_async (bare.bundle, bare.device, NULL, NULL, never_ready, NULL));
  REFUSES (gabbro_bundle_create_shader_finish (bare.bundle, bare.result, NULL));
  REFUSES (gabbro_bundle_to_bytes (bare.bundle, 0, NULL));
  REFUSES (gabbro_bundle_save (bare.bundle, file, 0, NULL, NULL));
  REFUSES_VOID (gabbro_bundle_save_async (bare.bundle, file, 0, NULL, never_ready, NULL));
  REFUSES (gabbro_bundle_save_finish (bare.bundle, bare.result, NULL));
  g_object_unref (file);
  REFUSES (gabbro_cache_get_folder (bare.cache));
  REFUSES (gabbro_cache_list (bare.cache, NULL));
  REFUSES (gabbro_cache_remove (bare.cache, "x", NULL));
  REFUSES (gabbro_cache_trim (bare.cache, 0, NULL, NULL));
}

static void
buffer_functions (void)
{
  REFUSES (gabbro_buffer_new (bare.device, "x", 1, NULL));
  REFUSES (gabbro_buffer_new_bytes (bare.device, 4, NULL));
  REFUSES (gabbro_buffer_new_for_argument (bare.device, bare.kernel, 1, 1, NULL));
  REFUSES (gabbro_buffer_new_view (bare.buffer, 1, 1, NULL));
  REFUSES (gabbro_buffer_get_device (bare.buffer));
  REFUSES (gabbro_buffer_get_element_type (bare.buffer));
  REFUSES (gabbro_buffer_get_element_size (bare.buffer));
  REFUSES (gabbro_buffer_get_length (bare.buffer));
  REFUSES (gabbro_buffer_get_size (bare.buffer));
  REFUSES (gabbro_buffer_get_offset (bare.buffer));
  REFUSES (gabbro_buffer_upload (bare.buffer, 0, word, 4, NULL));
  REFUSES (gabbro_buffer_upload_bytes (bare.buffer, 0, bare.bytes, NULL));
  REFUSES_VOID (gabbro_buffer_upload_bytes_async (bare.buffer, 0, bare.bytes, NULL, never_ready, NULL));
  REFUSES (gabbro_buffer_upload_bytes_finish (bare.buffer, bare.result, NULL));
  REFUSES (gabbro_buffer_download (bare.buffer, 0, word, 4, NULL));
  REFUSES (gabbro_buffer_download_bytes (bare.buffer, 0, 4, NULL));
  REFUSES_VOID (gabbro_buffer_download_bytes_async (bare.buffer, 0, 4, NULL, never_ready, NULL));
  REFUSES (gabbro_buffer_download_bytes_finish (bare.buffer, bare.result, NULL));
  REFUSES (gabbro_buffer_map (bare.buffer, GABBRO_MAP_READ, NULL));
  REFUSES_VOID (gabbro_buffer_map_async (bare.buffer, GABBRO_MAP_READ, NULL, never_ready, NULL));
  REFUSES (gabbro_buffer_map_finish (bare.buffer, bare.result, NULL));
}

static void
command_list_functions (void)
{
  GVariant *value = g_variant_ref_sink (g_variant_new_int32 (1));

  REFUSES (gabbro_command_list_new (bare.device, NULL));
  REFUSES (gabbro_command_list_get_device (bare.list));
  REFUSES (gabbro_command_list_upload (bare.list, bare.buffer, 0, word, 4, NULL));
  REFUSES (gabbro_command_list_upload_bytes (bare.list, bare.buffer, 0, bare.bytes, NULL));
  REFUSES (gabbro_command_list_download (bare.list, bare.buffer, 0, word, 4, NULL));
  REFUSES (gabbro_command_list_upload_image (bare.list, bare.image, word, 4, NULL));
  REFUSES (gabbro_command_list_download_image (bare.list, bare.image, word, 4, NULL));
  REFUSES (gabbro_command_list_copy_buffer (bare.list, bare.buffer, 0, bare.buffer, 0, 4, NULL));
  REFUSES (gabbro_command_list_copy_buffer_to_image (bare.list, bare.buffer, 0, bare.image, NULL));
  REFUSES (gabbro_command_list_copy_image_to_buffer (bare.list, bare.image, bare.buffer, 0, NULL));
  REFUSES (gabbro_command_list_copy_image (bare.list, bare.image, bare.image, NULL));
  REFUSES (gabbro_command_list_fill (bare.list, bare.buffer, 0, 4, 1, NULL));
  REFUSES (gabbro_command_list_set_shader (bare.list, bare.shader, NULL));
  REFUSES (gabbro_command_list_set_buffer (bare.list, 1, bare.buffer, NULL));
  REFUSES (gabbro_command_list_set_image (bare.list, 1, bare.image, NULL));
  REFUSES (gabbro_command_list_set_value (bare.list, 1, word, 4, NULL));
  REFUSES (gabbro_command_list_set_bool (bare.list, 1, 1, NULL));
  REFUSES (gabbro_command_list_set_int (bare.list, 1, 1, NULL));
  REFUSES (gabbro_command_list_set_uint (bare.list, 1, 1, NULL));
  REFUSES (gabbro_command_list_set_variant (bare.list, 1, value, NULL));
  REFUSES (gabbro_command_list_set_float (bare.list, 1, 1, NULL));
  REFUSES (gabbro_command_list_dispatch (bare.list, 1, 1, 1, NULL));
  REFUSES (gabbro_command_list_run (bare.list, bare.shader, 1, 1, 1, NULL, NULL, NULL));
  REFUSES (gabbro_command_list_add_completion (bare.list, never, NULL, NULL, NULL));
  REFUSES (gabbro_command_list_freeze (bare.list, bare.queue, NULL));
  REFUSES (gabbro_command_list_update_value (bare.list, 1, 1, word, 4, NULL));
  REFUSES (gabbro_command_list_is_frozen (bare.list));
  REFUSES (gabbro_command_list_get_n_commands (bare.list));
  REFUSES (gabbro_command_list_get_n_barriers (bare.list));
  REFUSES (gabbro_command_list_explain_barriers (bare.list));
  g_variant_unref (value);
}

static void
context_functions (void)
{
  REFUSES (gabbro_context_get_n_adapters (bare.context));
  REFUSES (gabbro_context_get_adapter (bare.context, 1));
  REFUSES (gabbro_context_rescan (bare.context, NULL));
  REFUSES_VOID (gabbro_context_rescan_async (bare.context, NULL, never_ready, NULL));
  REFUSES (gabbro_context_rescan_finish (bare.context, bare.result, NULL));
  REFUSES (gabbro_context_select_adapter (bare.context, "x", NULL, NULL));
  REFUSES (gabbro_context_explain_selection (bare.context, "x"));
  REFUSES (gabbro_context_open_device (bare.context, "x", NULL));
  REFUSES_VOID (gabbro_context_open_device_async (bare.context, "x", NULL, never_ready, NULL));
  REFUSES (gabbro_context_open_device_finish (bare.context, bare.result, NULL));
  REFUSES (gabbro_context_list_drivers (bare.context));
  REFUSES (gabbro_context_list_messages (bare.context));
  REFUSES (gabbro_context_list_nodes (bare.context, "x", NULL));
  REFUSES (gabbro_context_list_attributes (bare.context, "x", NULL));
  REFUSES (gabbro_context_get_attribute (bare.context, "x", "x", NULL));
  REFUSES (gabbro_context_set_attribute (bare.context, "x", "x", bare.variant, NULL));
}

static void
device_functions (void)
{
  REFUSES (gabbro_device_get_adapter (bare.device));
  REFUSES (gabbro_device_get_context (bare.device));
  REFUSES (gabbro_device_get_path (bare.device));
  REFUSES (gabbro_device_get_n_queues (bare.device));
  REFUSES (gabbro_device_get_queue (bare.device, 1));
  REFUSES (gabbro_device_is_lost (bare.device));
  REFUSES (gabbro_device_list_reports (bare.device));
  REFUSES (gabbro_device_set_trace (bare.device, NULL, NULL, 0, NULL, NULL, NULL, NULL));
  REFUSES (gabbro_device_synchronize (bare.device, 1, NULL));
  REFUSES_VOID (gabbro_device_synchronize_async (bare.device, NULL, never_ready, NULL));
  REFUSES (gabbro_device_synchronize_finish (bare.device, bare.result, NULL));
}

static void
event_functions (void)
{
  REFUSES (gabbro_event_new (bare.device, NULL));
  REFUSES (gabbro_event_get_device (bare.event));
  REFUSES (gabbro_event_get_value (bare.event));
  REFUSES (gabbro_event_signal (bare.event, 1, NULL));
  REFUSES (gabbro_event_is_completed (bare.event, 1));
  REFUSES (gabbro_event_synchronize (bare.event, 1, 1, NULL));
  REFUSES_VOID (gabbro_event_synchronize_async (bare.event, 1, NULL, never_ready, NULL));
  REFUSES (gabbro_event_synchronize_finish (bare.event, bare.result, NULL));
}

static void
image_functions (void)
{
  REFUSES (gabbro_image_new_2d (bare.device, 0, 1, 1, NULL));
  REFUSES (gabbro_image_new_3d (bare.device, 0, 1, 1, 1, NULL));
  REFUSES (gabbro_image_new_with_levels (bare.device, 0, 2, 1, 1, 1, 1, NULL));
  REFUSES (gabbro_image_new_view (bare.image, 0, NULL));
  REFUSES (gabbro_image_get_device (bare.image));
  REFUSES (gabbro_image_get_format (bare.image));
  REFUSES (gabbro_image_get_width (bare.image));
  REFUSES (gabbro_image_get_height (bare.image));
  REFUSES (gabbro_image_get_depth (bare.image));
  REFUSES (gabbro_image_get_n_dimensions (bare.image));
  REFUSES (gabbro_image_get_n_levels (bare.image));
  REFUSES (gabbro_image_get_level (bare.image));
  REFUSES (gabbro_image_get_size (bare.image));
  REFUSES (gabbro_image_upload (bare.image, word, 4, NULL));
  REFUSES (gabbro_image_upload_bytes (bare.image, bare.bytes, NULL));
  REFUSES_VOID (gabbro_image_upload_bytes_async (bare.image, bare.bytes, NULL, never_ready, NULL));
  REFUSES (gabbro_image_upload_bytes_finish (bare.image, bare.result, NULL));
  REFUSES (gabbro_image_download (bare.image, word, 4, NULL));
  REFUSES (gabbro_image_download_bytes (bare.image, NULL));
  REFUSES_VOID (gabbro_image_download_bytes_async (bare.image, NULL, never_ready, NULL));
  REFUSES (gabbro_image_download_bytes_finish (bare.image, bare.result, NULL));
}

static void
kernel_functions (void)
{
  REFUSES (gabbro_kernel_get_module (bare.kernel));
  REFUSES (gabbro_kernel_get_name (bare.kernel));
  REFUSES_VOID (gabbro_kernel_get_group_size (bare.kernel, NULL, NULL, NULL));
  REFUSES (gabbro_kernel_get_n_arguments (bare.kernel));
  REFUSES (gabbro_kernel_find_argument (bare.kernel, "x") + 1);
  REFUSES (gabbro_kernel_get_argument_name (bare.kernel, 1));
  REFUSES (gabbro_kernel_get_argument_kind (bare.kernel, 1));
  REFUSES (gabbro_kernel_get_argument_type (bare.kernel, 1));
  REFUSES (gabbro_kernel_get_argument_element_type (bare.kernel, 1));
  REFUSES (gabbro_kernel_get_argument_size (bare.kernel, 1));
  REFUSES (gabbro_kernel_dup_argument_layout (bare.kernel, 1));
  REFUSES (gabbro_kernel_get_argument_usage (bare.kernel, 1));
  REFUSES (gabbro_kernel_compile_spirv (bare.kernel, bare.adapter, 0, 1, NULL));
  REFUSES_VOID (gabbro_kernel_compile_spirv_async (bare.kernel, bare.adapter, 0, 1, NULL, never_ready, NULL));
  REFUSES (gabbro_kernel_compile_spirv_finish (bare.kernel, bare.result, NULL));
  REFUSES (gabbro_kernel_compile_assembly (bare.kernel, bare.adapter, 0, 1, NULL));
  REFUSES_VOID (gabbro_kernel_compile_assembly_async (bare.kernel, bare.adapter, 0, 1, NULL, never_ready, NULL));
  REFUSES (gabbro_kernel_compile_assembly_finish (bare.kernel, bare.result, NULL));
}

static void
mapping_functions (void)
{
  REFUSES (gabbro_mapping_get_buffer (bare.mapping));
  REFUSES (gabbro_mapping_get_pointer (bare.mapping));
  REFUSES (gabbro_mapping_get_size (bare.mapping));
  REFUSES (gabbro_mapping_is_direct (bare.mapping));
  REFUSES (gabbro_mapping_dup_bytes (bare.mapping, NULL));
  REFUSES (gabbro_mapping_unmap (bare.mapping, NULL));
  REFUSES_VOID (gabbro_mapping_unmap_async (bare.mapping, NULL, never_ready, NULL));
  REFUSES (gabbro_mapping_unmap_finish (bare.mapping, bare.result, NULL));
}

static void
module_functions (void)
{
  REFUSES (gabbro_module_get_name (bare.module));
  REFUSES (gabbro_module_get_warnings (bare.module));
  REFUSES (gabbro_module_print (bare.module, 0));
  REFUSES (gabbro_module_list_kernels (bare.module));
  REFUSES (gabbro_module_get_kernel (bare.module, "x", NULL));
}

static void
queue_functions (void)
{
  REFUSES (gabbro_queue_dup_device (bare.queue));
  REFUSES (gabbro_queue_get_index (bare.queue));
  REFUSES (gabbro_queue_get_flags (bare.queue));
}

static void
shader_functions (void)
{
  REFUSES (gabbro_shader_new (bare.device, bare.kernel, 0, 1, NULL));
  REFUSES_VOID (gabbro_shader_new_async (bare.device, bare.kernel, 0, 1, NULL, never_ready, NULL));
  REFUSES (gabbro_shader_get_device (bare.shader));
  REFUSES (gabbro_shader_get_kernel (bare.shader));
}

static void
stream_functions (void)
{
  REFUSES (gabbro_stream_new (bare.device, bare.queue, NULL));
  REFUSES (gabbro_stream_get_device (bare.stream));
  REFUSES (gabbro_stream_get_queue (bare.stream));
  REFUSES (gabbro_stream_get_failure (bare.stream));
  REFUSES (gabbro_stream_submit (bare.stream, bare.list, NULL));
  REFUSES (gabbro_stream_signal (bare.stream, bare.event, 1, NULL));
  REFUSES (gabbro_stream_wait (bare.stream, bare.event, 1, NULL));
  REFUSES (gabbro_stream_synchronize (bare.stream, 1, NULL));
  REFUSES_VOID (gabbro_stream_synchronize_async (bare.stream, NULL, never_ready, NULL));
  REFUSES (gabbro_stream_synchronize_finish (bare.stream, bare.result, NULL));
  REFUSES (gabbro_stream_run (bare.stream, bare.list, 1, NULL));
  REFUSES_VOID (gabbro_stream_run_async (bare.stream, bare.list, NULL, never_ready, NULL));
  REFUSES (gabbro_stream_run_finish (bare.stream, bare.result, NULL));
}

static void
vulkan_functions (void)
{
  REFUSES (gabbro_vulkan_adapter_get_instance_proc_addr (bare.adapter, NULL));
  REFUSES (gabbro_vulkan_adapter_get_instance (bare.adapter, NULL));
  REFUSES (gabbro_vulkan_adapter_get_physical_device (bare.adapter, NULL));
  REFUSES (gabbro_vulkan_device_get_handle (bare.device, NULL));
  REFUSES (gabbro_vulkan_queue_get_handle (bare.queue, NULL, NULL, NULL));
  REFUSES (gabbro_vulkan_queue_lock (bare.queue, NULL));
  REFUSES_VOID (gabbro_vulkan_queue_unlock (bare.queue));
  REFUSES (gabbro_vulkan_buffer_get_handle (bare.buffer, NULL, NULL, NULL));
  REFUSES (gabbro_vulkan_buffer_new_for_handle (bare.device, (VkBuffer) word, 0, 0, 0, "x", NULL, NULL, NULL));
  REFUSES (gabbro_vulkan_image_get_handle (bare.image, NULL, NULL, NULL));
  REFUSES (gabbro_vulkan_image_new_for_handle (bare.device, (VkImage) word, 0, 1, 1, 0, NULL, NULL, NULL));
}

/* Every function of a header that takes one of our objects is above. */
static void
check_complete (void)
{
  GRegex *regex = g_regex_new ("(gabbro_[a-z0-9_]+)\\s*\\(Gabbro(Context|Adapter|Device|Queue|Stream|Event|Buffer|Mapping|Image|Module|Kernel"
                               "|Shader|CommandList)\\s+\\*[a-z]", 0, 0, NULL);
  char *folder = g_build_filename (g_getenv ("top_srcdir"), "gpu", NULL);
  GDir *dir = g_dir_open (folder, 0, NULL);
  const char *entry;
  guint n = 0;

  ck_assert_ptr_nonnull (dir);
  while ((entry = g_dir_read_name (dir)) != NULL)
    {
      char *path = g_build_filename (folder, entry, NULL), *text = NULL;
      GMatchInfo *match = NULL;

      if (g_str_has_prefix (entry, "gabbro-") && g_str_has_suffix (entry, ".h") && !g_str_has_suffix (entry, "-private.h"))
        ck_assert (g_file_get_contents (path, &text, NULL, NULL));
      if (text != NULL)
        for (g_regex_match (regex, text, 0, &match); g_match_info_matches (match); g_match_info_next (match, NULL))
          {
            char *name = g_match_info_fetch (match, 1);

            ck_assert_msg (g_hash_table_contains (seen, name), "%s was not tried", name);
            g_free (name);
            n++;
          }
      g_clear_pointer (&match, g_match_info_unref);
      g_free (text);
      g_free (path);
    }
  ck_assert_uint_gt (n, 100);
  g_dir_close (dir);
  g_free (folder);
  g_regex_unref (regex);
}

START_TEST (functions)
{
  adapter_functions ();
  buffer_functions ();
  bundle_functions ();
  command_list_functions ();
  context_functions ();
  device_functions ();
  event_functions ();
  image_functions ();
  kernel_functions ();
  mapping_functions ();
  module_functions ();
  queue_functions ();
  shader_functions ();
  stream_functions ();
  vulkan_functions ();
  check_complete ();
}
END_TEST

/* Reads every readable property of an object, and gives their number. */
static guint
read_all (gpointer object)
{
  guint n = 0;
  GParamSpec **specs = g_object_class_list_properties (G_OBJECT_GET_CLASS (object), &n);

  for (guint i = 0; i < n; i++)
    {
      GValue value = G_VALUE_INIT;

      ck_assert (specs[i]->flags & G_PARAM_READABLE);
      g_value_init (&value, specs[i]->value_type);
      g_object_get_property (object, specs[i]->name, &value);
      g_value_unset (&value);
    }
  g_free (specs);
  return n;
}

/* Defaults, without a word. */
START_TEST (properties)
{
  guint n = 0, before = n_criticals;

  for (guint i = 0; type_at (i) != G_TYPE_INVALID; i++)
    {
      guint n_properties = 0;
      GParamSpec **specs = g_object_class_list_properties (G_OBJECT_GET_CLASS (objects ()[i]), &n_properties);

      for (guint j = 0; j < n_properties; j++)
        {
          GValue value = G_VALUE_INIT;

          g_value_init (&value, specs[j]->value_type);
          g_object_get_property (objects ()[i], specs[j]->name, &value);
          ck_assert_msg (g_param_value_defaults (specs[j], &value), "%s:%s", G_OBJECT_TYPE_NAME (objects ()[i]), specs[j]->name);
          g_value_unset (&value);
        }
      g_free (specs);
      n += n_properties;
    }
  ck_assert_uint_gt (n, 45);
  ck_assert_uint_eq (n_criticals, before);
  ck_assert_uint_eq (g_list_model_get_n_items (G_LIST_MODEL (bare.context)), 0);
  ck_assert_ptr_null (g_list_model_get_item (G_LIST_MODEL (bare.context), 0));
}
END_TEST

/* No property can be given: what an object hangs from, too, comes from the function that makes it. */
START_TEST (nothing_to_give)
{
  GabbroDevice *device = null_device ("1");
  GabbroStream *stream = new_stream (device, NULL);

  for (guint i = 0; type_at (i) != G_TYPE_INVALID; i++)
    {
      guint n_properties = 0;
      GParamSpec **specs = g_object_class_list_properties (G_OBJECT_GET_CLASS (objects ()[i]), &n_properties);

      for (guint j = 0; j < n_properties; j++)
        ck_assert_msg ((specs[j]->flags & G_PARAM_WRITABLE) == 0, "%s:%s", G_OBJECT_TYPE_NAME (objects ()[i]), specs[j]->name);
      g_free (specs);
    }
  /* A whole object that is given a bare one. */
  REFUSES (gabbro_stream_wait (stream, bare.event, 1, NULL));
  REFUSES (gabbro_stream_submit (stream, bare.list, NULL));
  REFUSES (gabbro_stream_new (device, bare.queue, NULL));
  g_object_unref (stream);
  g_object_unref (device);
}
END_TEST

static void
make_whole (GError **error)
{
  static const char source[] = "kernel(1) void f (buffer<uint> a) { a[0] = 1u; }";

  bare.context = null_context ("queues=2");
  bare.adapter = g_object_ref (gabbro_context_get_adapter (bare.context, 0));
  bare.device = gabbro_adapter_open (bare.adapter, error);
  bare.queue = g_object_ref (gabbro_device_get_queue (bare.device, 1));
  bare.stream = gabbro_stream_new (bare.device, bare.queue, error);
  bare.event = gabbro_event_new (bare.device, error);
  bare.buffer = gabbro_buffer_new (bare.device, "uint", 16, error);
  bare.mapping = gabbro_buffer_map (bare.buffer, GABBRO_MAP_READ, error);
  bare.image = gabbro_image_new_2d (bare.device, GABBRO_FORMAT_RGBA8_UNORM, 2, 2, error);
  bare.module = gabbro_module_new_from_source ("m", source, -1, error);
  bare.kernel = gabbro_module_get_kernel (bare.module, "f", error);
  bare.shader = gabbro_shader_new (bare.device, bare.kernel, GABBRO_COMPILE_DEFAULT, 0, error);
  bare.list = gabbro_command_list_new (bare.device, error);
  bare.bundle = gabbro_bundle_new_from_kernels (&bare.kernel, 1, NULL, GABBRO_COMPILE_DEFAULT, 0, error);
  bare.cache = gabbro_cache_new ("/nowhere", error);
}

static void
assert_property (gpointer object, const char *name, guint64 number, const char *text)
{
  GValue value = G_VALUE_INIT, shown = G_VALUE_INIT;

  g_object_get_property (object, name, &value);
  if (G_VALUE_HOLDS_STRING (&value))
    ck_assert_msg (g_strcmp0 (g_value_get_string (&value), text) == 0, "%s: %s", name, g_value_get_string (&value));
  else if (G_VALUE_HOLDS_OBJECT (&value))
    ck_assert_msg ((guintptr) g_value_get_object (&value) == number, "%s", name);
  else
    {
      g_value_init (&shown, G_TYPE_UINT64);
      ck_assert_msg (g_value_transform (&value, &shown) && g_value_get_uint64 (&shown) == number, "%s: not %" G_GUINT64_FORMAT, name, number);
    }
  g_value_unset (&value);
}

#define POINTER(object) ((guint64) (guintptr) (object))

/* Properties of whole objects say what the getters say. */
START_TEST (values)
{
  GError *error = NULL;
  GabbroBuffer *view;

  tear_down ();
  make_whole (&error);
  assert_no_error (error);
  view = new_view (bare.buffer, 2, 5);
  assert_property (bare.context, "n-adapters", 1, NULL);
  assert_property (bare.adapter, "context", POINTER (bare.context), NULL);
  assert_property (bare.adapter, "name", 0, "Null 0");
  assert_property (bare.adapter, "driver", 0, "null");
  assert_property (bare.adapter, "path", 0, "/adapters/null0");
  assert_property (bare.adapter, "uuid", 0, gabbro_adapter_get_uuid (bare.adapter));
  assert_property (bare.adapter, "pci-address", 0, NULL);
  assert_property (bare.adapter, "kind", GABBRO_ADAPTER_CPU, NULL);
  assert_property (bare.adapter, "memory-size", 1 << 30, NULL);
  assert_property (bare.adapter, "unusable-reason", 0, NULL);
  assert_property (bare.adapter, "twin", 0, NULL);
  assert_property (bare.device, "adapter", POINTER (bare.adapter), NULL);
  assert_property (bare.device, "context", POINTER (bare.context), NULL);
  assert_property (bare.device, "path", 0, gabbro_device_get_path (bare.device));
  assert_property (bare.device, "n-queues", 2, NULL);
  assert_property (bare.device, "is-lost", 0, NULL);
  assert_property (bare.queue, "device", POINTER (bare.device), NULL);
  assert_property (bare.queue, "index", 1, NULL);
  assert_property (bare.queue, "flags", gabbro_queue_get_flags (bare.queue), NULL);
  assert_property (bare.stream, "queue", POINTER (bare.queue), NULL);
  gabbro_event_signal (bare.event, 77, NULL);
  assert_property (bare.event, "value", 77, NULL);
  assert_property (view, "element-type", 0, "uint");
  assert_property (view, "element-size", 4, NULL);
  assert_property (view, "length", 5, NULL);
  assert_property (view, "size", 20, NULL);
  assert_property (view, "offset", 8, NULL);
  assert_property (bare.mapping, "buffer", POINTER (bare.buffer), NULL);
  assert_property (bare.mapping, "size", 64, NULL);
  assert_property (bare.mapping, "is-direct", 1, NULL);
  assert_property (bare.image, "format", GABBRO_FORMAT_RGBA8_UNORM, NULL);
  assert_property (bare.image, "width", 2, NULL);
  assert_property (bare.image, "height", 2, NULL);
  assert_property (bare.image, "size", 16, NULL);
  assert_property (bare.module, "name", 0, "m");
  assert_property (bare.module, "warnings", 0, gabbro_module_get_warnings (bare.module));
  assert_property (bare.kernel, "module", POINTER (bare.module), NULL);
  assert_property (bare.kernel, "name", 0, "f");
  assert_property (bare.kernel, "n-arguments", 1, NULL);
  assert_property (bare.shader, "kernel", POINTER (bare.kernel), NULL);
  ck_assert (gabbro_command_list_fill (bare.list, view, 0, 4, 1, &error) && gabbro_command_list_fill (bare.list, view, 0, 4, 2, &error));
  ck_assert (gabbro_command_list_freeze (bare.list, NULL, &error));
  assert_property (bare.bundle, "generator", 0, gabbro_bundle_get_generator (bare.bundle));
  assert_property (bare.cache, "folder", 0, "/nowhere");
  assert_property (bare.list, "is-frozen", 1, NULL);
  assert_property (bare.list, "n-commands", 2, NULL);
  assert_property (bare.list, "n-barriers", 1, NULL);
  g_object_unref (view);
  bare.bytes = g_bytes_new (word, sizeof word);
  bare.variant = g_variant_ref_sink (g_variant_new_uint32 (1));
  bare.result = G_ASYNC_RESULT (g_task_new (NULL, NULL, NULL, NULL));
}
END_TEST

/* What dispose leaves can still be used, and does not hurt. */
START_TEST (disposed)
{
  guint before = n_criticals, order = (guint) _i;
  GError *error = NULL;

  tear_down ();
  make_whole (&error);
  assert_no_error (error);
  for (guint round = 0; round < 2; round++)
    for (guint i = 0; type_at (i) != G_TYPE_INVALID; i++)
      {
        ck_assert_msg (G_OBJECT_TYPE (objects ()[i]) == type_at (i), "object %u", i);
        g_object_run_dispose (objects ()[i]);
        read_all (objects ()[i]);
      }
  ck_assert (gabbro_mapping_unmap (bare.mapping, &error));
  ck_assert (gabbro_command_list_fill (bare.list, bare.buffer, 0, 64, 7, &error));
  ck_assert (gabbro_stream_submit (bare.stream, bare.list, &error));
  ck_assert (gabbro_stream_signal (bare.stream, bare.event, 1, &error));
  ck_assert (gabbro_event_synchronize (bare.event, 1, 60 * SECOND, &error));
  ck_assert_uint_eq (first_word (bare.buffer), 7);
  ck_assert (gabbro_context_rescan (bare.context, &error));
  ck_assert (gabbro_context_select_adapter (bare.context, NULL, NULL, &error) == bare.adapter);
  ck_assert_ptr_nonnull (gabbro_kernel_get_name (bare.kernel));
  assert_no_error (error);
  ck_assert_uint_eq (n_criticals, before);
  for (guint i = 0; i < 15; i++)
    {
      guint at = order == 0 ? i : 14 - i;

      g_object_unref (objects ()[at]);
      objects ()[at] = g_object_new (type_at (at), NULL);
    }
  bare.bytes = g_bytes_new (word, sizeof word);
  bare.variant = g_variant_ref_sink (g_variant_new_uint32 (1));
  bare.result = G_ASYNC_RESULT (g_task_new (NULL, NULL, NULL, NULL));
}
END_TEST

static Suite *
make_suite (void)
{
  Suite *suite = suite_create ("bare");
  TCase *test_case = null_test_case (suite, "bare");

  tcase_add_checked_fixture (test_case, set_up, tear_down);
  tcase_add_test (test_case, functions);
  tcase_add_test (test_case, properties);
  tcase_add_test (test_case, nothing_to_give);
  tcase_add_test (test_case, values);
  tcase_add_loop_test (test_case, disposed, 0, 2);
  return suite;
}

GB_TEST_MAIN (make_suite)
