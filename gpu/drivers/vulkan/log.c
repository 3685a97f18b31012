/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/drivers/vulkan/log.h"

#include <string.h>

struct message
{
  enum gabbro_log_level level;
  char *text;
};

static void
message_free (gpointer data)
{
  struct message *message = data;

  g_free (message->text);
  g_free (message);
}

void
vulkan_log_init (struct vulkan_log *log, const struct gabbro_host *host)
{
  log->host = host;
  g_mutex_init (&log->mutex);
  log->waiting = g_ptr_array_new_with_free_func (message_free);
  log->n_waiting = 0;
}

void
vulkan_log_clear (struct vulkan_log *log)
{
  vulkan_log_flush (log);
  g_ptr_array_unref (log->waiting);
  g_mutex_clear (&log->mutex);
}

void
vulkan_log_add (struct vulkan_log *log, enum gabbro_log_level level, const char *format, ...)
{
  struct message *message = g_new (struct message, 1);
  va_list arguments;

  va_start (arguments, format);
  message->level = level;
  message->text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_mutex_lock (&log->mutex);
  g_ptr_array_add (log->waiting, message);
  g_atomic_int_set (&log->n_waiting, (gint) log->waiting->len);
  g_mutex_unlock (&log->mutex);
}

void
vulkan_log_flush_slow (struct vulkan_log *log)
{
  GPtrArray *messages;

  g_mutex_lock (&log->mutex);
  messages = log->waiting;
  log->waiting = g_ptr_array_new_with_free_func (message_free);
  g_atomic_int_set (&log->n_waiting, 0);
  g_mutex_unlock (&log->mutex);
  for (unsigned i = 0; i < messages->len; i++)
    {
      const struct message *message = g_ptr_array_index (messages, i);
      log->host->log (log->host->data, message->level, message->text);
    }
  g_ptr_array_unref (messages);
}

static VKAPI_ATTR VkBool32 VKAPI_CALL
receive (VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
         const VkDebugUtilsMessengerCallbackDataEXT *data, void *user_data)
{
  const char *id = data->pMessageIdName != NULL ? data->pMessageIdName : "";
  enum gabbro_log_level level = GABBRO_LOG_DEBUG;

  if ((severity & VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT) != 0)
    level = GABBRO_LOG_ERROR;
  else if ((severity & VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT) != 0)
    level = GABBRO_LOG_WARNING;
  /* Advice; that images stay in one layout, say, is meant so. */
  if ((types & VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT) == 0)
    level = MAX (level, GABBRO_LOG_INFO);
  /* The layers waited ten seconds for their own picture of a semaphore, on a machine that was busy; the
   * message itself says that this is a fault of the layers. */
  if (strcmp (id, "UNASSIGNED-VkSemaphore-state-timeout") == 0)
    level = MAX (level, GABBRO_LOG_INFO);
  vulkan_log_add (user_data, level, "%s%s%s", id, id[0] != '\0' ? ": " : "",
                  data->pMessage != NULL ? data->pMessage : "");
  return VK_FALSE;
}

void
vulkan_log_messenger_info (struct vulkan_log *log, VkDebugUtilsMessengerCreateInfoEXT *info)
{
  *info = (VkDebugUtilsMessengerCreateInfoEXT) {
    .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
    .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
    .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT,
    .pfnUserCallback = receive,
    .pUserData = log
  };
}
