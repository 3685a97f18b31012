/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/gabbro-private.h"

#include "gpu/async.h"
#include "gpu/context-core.h"
#include "gpu/pipelines.h"
#include "gpu/print-private.h"
#include "gpu/report-private.h"
#include "gpu/trace-private.h"

/**
 * GabbroDevice:
 *
 * An opened adapter: everything that computes or holds data hangs from one. Objects
 * of different devices cannot be mixed.
 *
 * A device that is lost (it was reset or removed) stays lost: each call answers with
 * %GABBRO_ERROR_DEVICE_LOST. After fork() each call of the child answers with
 * %GABBRO_ERROR_WRONG_PROCESS. Dropping the last reference does not wait for work in
 * flight: that is seen to behind the scenes.
 *
 * Thread-safe.
 *
 * Since: 0.1
 */
struct _GabbroDevice
{
  GObject parent_instance;

  GabbroAdapter *adapter;
  GabbroContext *context;
  struct gabbro_core *core;
  struct gb_node *node, *queues_node, *streams_node;
  char *path;
  GPtrArray *queues;                     /* of GabbroQueue, without references to the device */
  struct gabbro_notifier *notifier;      /* of the loss and of reports */
  struct gabbro_notifier *print_notifier;
  struct audience *audience;             /* of the core */
  bool told_lost;                        /* of the main context */
};

/* Lines that a program that does not iterate its main context can have waiting for it. */
#define MAX_UNTOLD_PRINTS 65536

enum { LOST, REPORT, PRINT, PRINTS_DROPPED, N_SIGNALS };

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (GabbroDevice, gabbro_device, G_TYPE_OBJECT)

#define IS_WHOLE(self) (GABBRO_IS_DEVICE (self) && (self)->core != NULL)

gboolean
gabbro_device_is_whole (gpointer object)
{
  GabbroDevice *self = object;

  return IS_WHOLE (self);
}

/**
 * GabbroDevice:adapter:
 *
 * The adapter that was opened.
 *
 * Since: 0.1
 */

/**
 * GabbroDevice:context:
 *
 * The context, which the device keeps. Constant.
 *
 * Since: 0.1
 */

/**
 * GabbroDevice:path:
 *
 * Its path in the tree of the context. Constant.
 *
 * Since: 0.1
 */

/**
 * GabbroDevice:n-queues:
 *
 * The number of queues that the device runs work on. Constant.
 *
 * Since: 0.1
 */

/**
 * GabbroDevice:is-lost:
 *
 * Whether the device was lost. Becomes %TRUE once at the most; notified in the main context that
 * was the thread-default one when the device was opened.
 *
 * Since: 0.1
 */

static const struct gabbro_property gabbro_device_property_rows[] = {
  GABBRO_OWNER ("adapter", GabbroDevice, adapter, gabbro_adapter_get_type),
  GABBRO_TYPED ("context", OBJECT, gabbro_device_get_context, gabbro_context_get_type),
  GABBRO_PLAIN ("path", STRING, gabbro_device_get_path),
  GABBRO_PLAIN ("n-queues", UINT, gabbro_device_get_n_queues),
  GABBRO_PLAIN ("is-lost", BOOLEAN, gabbro_device_is_lost),
};

GABBRO_DEFINE_PROPERTIES (gabbro_device)

static void
gabbro_device_finalize (GObject *object)
{
  GabbroDevice *self = GABBRO_DEVICE (object);

  gabbro_notifier_end (&self->notifier);
  gabbro_notifier_end (&self->print_notifier);
  if (self->core != NULL)
    {
      for (guint i = 0; i < self->queues->len; i++)
        gabbro_queue_end (self->queues->pdata[i], gabbro_core_is_foreign (self->core));
      if (!gabbro_core_is_foreign (self->core))
        {
          gabbro_node_clear (&self->queues_node);
          gabbro_node_clear (&self->streams_node);
          gabbro_node_clear (&self->node);
          gabbro_pipelines_save (self->adapter, self->core);
        }
      gabbro_core_close (self->core);
    }
  g_clear_pointer (&self->queues, g_ptr_array_unref);
  g_free (self->path);
  g_clear_object (&self->adapter);
  g_clear_object (&self->context);
  G_OBJECT_CLASS (gabbro_device_parent_class)->finalize (object);
}

static void
install_print_signals (void)
{
  /**
   * GabbroDevice::print:
   * @self: a device
   * @print: the line
   *
   * A kernel has printed a line, or an assert() in it has failed. Emitted once for each, after the list with the
   * dispatch has been completed; those of a list come dispatch by dispatch, those of a dispatch thread by thread, in the
   * order of x, then y, then z, and those of a thread as it printed them. In the main context that was the
   * thread-default one when the device was opened, and never under a lock.
   *
   * While no handler is connected, lines go to standard output by g_print(), failed assertions to standard error by
   * g_printerr(), from a thread of the library and before whoever waits for the list has the result.
   *
   * What a kernel prints goes through a buffer of limited size (the option `print-buffer` of gabbro_context_new()). A
   * line that finds no room is dropped and counted, see #GabbroDevice::prints-dropped.
   *
   * Since: 0.1
   */
  signals[PRINT] = g_signal_new ("print", GABBRO_TYPE_DEVICE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                 G_TYPE_NONE, 1, GABBRO_TYPE_PRINT | G_SIGNAL_TYPE_STATIC_SCOPE);

  /**
   * GabbroDevice::prints-dropped:
   * @self: a device
   * @count: how many lines
   *
   * Lines, perhaps failed assertions among them, were dropped, because the buffer that a command list prints to was
   * full, or because 65536 lines and more of earlier lists
   * wait for #GabbroDevice::print. Comes behind the lines that were kept, while a handler
   * of #GabbroDevice::print is connected; standard error says it otherwise.
   *
   * Since: 0.1
   */
  signals[PRINTS_DROPPED] = g_signal_new ("prints-dropped", GABBRO_TYPE_DEVICE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                          G_TYPE_NONE, 1, G_TYPE_UINT64);
}

static void
gabbro_device_class_init (GabbroDeviceClass *class)
{
  G_OBJECT_CLASS (class)->finalize = gabbro_device_finalize;
  gabbro_properties_install (class, &gabbro_device_properties);

  /**
   * GabbroDevice::lost:
   * @self: a device
   * @error: what a call would give: %GABBRO_ERROR_DEVICE_LOST
   *
   * The device was lost. Emitted once at the most, in the main context that was the thread-default
   * one when the device was opened, and never under a lock: a handler may open the device again.
   *
   * Since: 0.1
   */
  signals[LOST] = g_signal_new ("lost", GABBRO_TYPE_DEVICE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                G_TYPE_NONE, 1, G_TYPE_ERROR | G_SIGNAL_TYPE_STATIC_SCOPE);

  /**
   * GabbroDevice::report:
   * @self: a device
   * @report: what was found
   *
   * A kernel has done what no kernel may do. Emitted by devices of the reference driver that were opened
   * with the option `check` of gabbro_context_new() (`GABBRO_CHECK`), once for each place, kind and object, after
   * the dispatch in which it was found has ended, for what happens while a handler is connected; in the main context that
   * was the thread-default one when the device was opened, and never under a lock. gabbro_device_list_reports() has
   * what came before.
   *
   * Where checks are asked for by the environment alone, and no handler is connected, a report is logged as a message
   * of the domain "Gabbro", which GLib writes to standard error.
   *
   * Since: 0.1
   */
  signals[REPORT] = g_signal_new ("report", GABBRO_TYPE_DEVICE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, 1, GABBRO_TYPE_REPORT | G_SIGNAL_TYPE_STATIC_SCOPE);
  install_print_signals ();
}

static void
gabbro_device_init (GabbroDevice *self)
{
}

/* The tree's view of a device. */

static enum gb_show
show_budget (struct gb_node *node, gpointer state, const struct gb_attribute *attribute, struct gb_value *value, GError **error)
{
  struct gabbro_core *core = state;
  uint64_t used, budget;

  if (core->ops->memory_budget == NULL || !core->ops->memory_budget (core->driver, &used, &budget))
    return GB_SHOW_ABSENT;
  gb_value_set_u64 (value, attribute->data != NULL ? budget : used);
  return GB_SHOW_OK;
}

/* Drivers that compile nothing have no such numbers. */
static enum gb_show
show_pipelines (struct gb_node *node, gpointer state, const struct gb_attribute *attribute, struct gb_value *value, GError **error)
{
  struct gabbro_core *core = state;
  const uint64_t *number = attribute->data != NULL ? &core->driver->n_pipelines_found : &core->driver->n_pipelines_compiled;

  if (core->ops->pipelines_save == NULL)
    return GB_SHOW_ABSENT;
  gb_value_set_u64 (value, __atomic_load_n (number, __ATOMIC_RELAXED));
  return GB_SHOW_OK;
}

static const struct gb_attribute device_attributes[] = {
  GB_ATTRIBUTE ("allocated", N_("Memory held by buffers and images"), u64, GB_UNIT_BYTES, struct gabbro_core, allocated_bytes),
  GB_ATTRIBUTE ("submissions", N_("Submissions to queues"), u64, GB_UNIT_COUNT, struct gabbro_core, n_submissions),
  GB_ATTRIBUTE ("commands", N_("Commands of finished lists"), u64, GB_UNIT_COUNT, struct gabbro_core, n_dispatches),
  GB_ATTRIBUTE ("barriers", N_("Memory barriers between their layers"), u64, GB_UNIT_COUNT, struct gabbro_core, n_barriers),
  GB_ATTRIBUTE ("collapsed-resources", N_("Resources whose byte ranges were given up for the whole"), u64, GB_UNIT_COUNT,
                struct gabbro_core, n_collapsed_resources),
  GB_ATTRIBUTE ("compiled-kernels", N_("Kernels that were compiled for it"), u64, GB_UNIT_COUNT, struct gabbro_core, n_compiled),
  GB_ATTRIBUTE ("cached-kernels", N_("Kernels that the shader cache had"), u64, GB_UNIT_COUNT, struct gabbro_core, n_cached),
  GB_ATTRIBUTE_FUNC ("compiled-pipelines", N_("Kernels that its driver compiled"), GB_VALUE_U64, GB_UNIT_COUNT, show_pipelines),
  { .name = "cached-pipelines", .description = N_("Kernels that its driver found compiled in the shader cache"), .type = GB_VALUE_U64,
    .unit = GB_UNIT_COUNT, .mode = GB_ATTRIBUTE_READ, .show = show_pipelines, .data = "found" },
  GB_ATTRIBUTE ("print-buffer", N_("Room for what the kernels of a list print"), u64, GB_UNIT_BYTES, struct gabbro_core, print_buffer_size),
  GB_ATTRIBUTE ("prints", N_("Lines that kernels printed"), u64, GB_UNIT_COUNT, struct gabbro_core, n_prints),
  GB_ATTRIBUTE ("dropped-prints", N_("Lines that found no room there"), u64, GB_UNIT_COUNT, struct gabbro_core, n_dropped_prints),
  GB_ATTRIBUTE ("lost", N_("Whether the device was lost"), bool, GB_UNIT_NONE, struct gabbro_core, lost),
  GB_ATTRIBUTE_FUNC ("memory-used", N_("Device memory in use by this process"), GB_VALUE_U64, GB_UNIT_BYTES, show_budget),
  { .name = "memory-budget", .description = N_("Device memory that this process may use"), .type = GB_VALUE_U64,
    .unit = GB_UNIT_BYTES, .mode = GB_ATTRIBUTE_READ, .show = show_budget, .data = "budget" },
};

static const struct gb_attribute_group device_group = {
  .name = NULL, .title = N_("Device"), .attributes = device_attributes, .n_attributes = G_N_ELEMENTS (device_attributes)
};

static const struct gb_attribute_group *const device_groups[] = { &device_group };
static const struct gb_node_type device_type = { "device", NULL, NULL };

/* The loss is told in the tree and by signals, reports by signals. */

struct audience
{
  struct gb_node *node;
  struct gabbro_notifier *notifier;
  bool writes_reports;                   /* that nobody listens to, to standard error */
  GMutex lock;
  GPtrArray *reports;                    /* all; lock */
  GPtrArray *untold;                     /* for the signal; lock */
  struct gabbro_notifier *print_notifier;
  GPtrArray *prints;                     /* for the signal; lock */
  guint64 n_dropped_prints;              /* likewise */
  struct gabbro_tracer *tracer;          /* trace_lock */
  GMutex trace_lock;                     /* of one gabbro_device_set_trace() at a time */
};

static GPtrArray *
reports_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) gabbro_report_unref);
}

static bool
has_listener (gpointer object)
{
  return gabbro_has_handler (object, signals[LOST], NULL) || gabbro_has_handler (object, signals[REPORT], NULL)
         || gabbro_has_handler (object, 0, "is-lost");
}

static void
emit_reports (GabbroDevice *self)
{
  GPtrArray *taken;

  g_mutex_lock (&self->audience->lock);
  taken = self->audience->untold;
  self->audience->untold = reports_new ();
  g_mutex_unlock (&self->audience->lock);
  for (guint i = 0; i < taken->len; i++)
    g_signal_emit (self, signals[REPORT], 0, taken->pdata[i]);
  g_ptr_array_unref (taken);
}

static void
emit_lost (GabbroDevice *self)
{
  GError *error = NULL;

  if (self->told_lost || gabbro_core_check_alive (self->core, &error))
    return;
  self->told_lost = true;
  g_object_notify (G_OBJECT (self), "is-lost");
  g_signal_emit (self, signals[LOST], 0, error);
  g_error_free (error);
}

/* A kernel may be reported and then lose its device. */
static void
emit_news (gpointer object)
{
  emit_reports (object);
  emit_lost (object);
}

static const struct gabbro_notifier_class notifier_class = { emit_news, has_listener };

static void
on_lost (gpointer data)
{
  const struct audience *audience = data;

  gb_node_emit (audience->node, GB_UEVENT_LOST);
  gabbro_notifier_tell (audience->notifier);
}

static bool
hears_reports (gpointer object)
{
  return gabbro_has_handler (object, signals[REPORT], NULL);
}

/* Libraries are quiet, but here the user has asked, and no program will show it. */
static void
print_report (const GabbroReport *report)
{
  char *text = gabbro_report_to_string (report);

  g_log_structured ("Gabbro", G_LOG_LEVEL_MESSAGE, "MESSAGE", "%s", text);
  g_free (text);
}

/* By the driver, which does not repeat itself and knows a limit. */
static void
on_report (gpointer data, const struct check_report *found, gpointer origin)
{
  struct audience *audience = data;
  GabbroReport *report = gabbro_report_new (found, origin);

  if (audience->writes_reports && !gabbro_notifier_asks (audience->notifier, hears_reports))
    print_report (report);
  g_mutex_lock (&audience->lock);
  if (gabbro_notifier_tell (audience->notifier))
    g_ptr_array_add (audience->untold, gabbro_report_ref (report));
  g_ptr_array_add (audience->reports, report);
  g_mutex_unlock (&audience->lock);
}

/* Lines of kernels. */

static GPtrArray *
prints_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) gabbro_print_unref);
}

static bool
has_print_listener (gpointer object)
{
  return gabbro_has_handler (object, signals[PRINT], NULL);
}

static void
emit_prints (gpointer object)
{
  GabbroDevice *self = object;
  struct audience *audience = self->audience;
  guint64 n_dropped;
  GPtrArray *taken;

  g_mutex_lock (&audience->lock);
  taken = audience->prints;
  audience->prints = prints_new ();
  n_dropped = audience->n_dropped_prints;
  audience->n_dropped_prints = 0;
  g_mutex_unlock (&audience->lock);
  for (guint i = 0; i < taken->len; i++)
    g_signal_emit (self, signals[PRINT], 0, taken->pdata[i]);
  if (n_dropped > 0)
    g_signal_emit (self, signals[PRINTS_DROPPED], 0, n_dropped);
  g_ptr_array_unref (taken);
}

static const struct gabbro_notifier_class print_notifier_class = { emit_prints, has_print_listener };

/* Nobody listens: as a program that prints would do it. */
static void
show_prints (GPtrArray *prints, uint32_t n_dropped)
{
  for (guint i = 0; i < prints->len; i++)
    {
      char *text = gabbro_print_to_string (prints->pdata[i]);

      if (gabbro_print_is_failure (prints->pdata[i]))
        g_printerr ("%s\n", text);
      else
        g_print ("%s\n", text);
      g_free (text);
    }
  if (n_dropped > 0)
    g_printerr (ngettext ("%u line that kernels printed was dropped: the buffer for them was full\n",
                          "%u lines that kernels printed were dropped: the buffer for them was full\n", n_dropped), n_dropped);
}

/* On the watcher. */
static void
on_print (gpointer data, GPtrArray *prints, uint32_t n_dropped)
{
  struct audience *audience = data;
  bool told, has_room;

  g_mutex_lock (&audience->lock);
  told = gabbro_notifier_tell (audience->print_notifier);
  has_room = audience->prints->len < MAX_UNTOLD_PRINTS;
  for (guint i = 0; told && has_room && i < prints->len; i++)
    g_ptr_array_add (audience->prints, gabbro_print_ref (prints->pdata[i]));
  if (told)
    audience->n_dropped_prints += n_dropped + (has_room ? 0 : prints->len);
  g_mutex_unlock (&audience->lock);
  if (!told)
    show_prints (prints, n_dropped);
}

static struct audience *
audience_new (GabbroDevice *self)
{
  struct audience *audience = g_new0 (struct audience, 1);

  audience->node = gb_node_ref (self->node);
  audience->notifier = gabbro_notifier_ref (self->notifier);
  audience->writes_reports = gabbro_context_get_core (self->context)->prints_reports;
  g_mutex_init (&audience->lock);
  g_mutex_init (&audience->trace_lock);
  audience->reports = reports_new ();
  audience->untold = reports_new ();
  audience->print_notifier = gabbro_notifier_ref (self->print_notifier);
  audience->prints = prints_new ();
  return audience;
}

static void
free_audience (gpointer data)
{
  struct audience *audience = data;

  gb_node_unref (audience->node);
  gabbro_notifier_unref (audience->notifier);
  g_ptr_array_unref (audience->reports);
  g_ptr_array_unref (audience->untold);
  gabbro_notifier_unref (audience->print_notifier);
  g_ptr_array_unref (audience->prints);
  g_mutex_clear (&audience->lock);
  g_mutex_clear (&audience->trace_lock);
  gabbro_tracer_free (audience->tracer);
  g_free (audience);
}

static void
add_nodes (GabbroDevice *self)
{
  struct gabbro_context_core *context = gabbro_context_get_core (self->context);
  char *name = g_strdup_printf ("%d", 1 + g_atomic_int_add (&context->next_device, 1));

  self->node = gb_node_new (context->tree, &device_type, name, NULL);
  gb_node_add_groups (self->node, device_groups, G_N_ELEMENTS (device_groups), self->core);
  if (self->core->driver->n_groups > 0)
    gb_node_add_groups (self->node, self->core->driver->groups, self->core->driver->n_groups, self->core->driver);
  gb_node_add (self->node, gabbro_adapter_get_devices_node (self->adapter), NULL);
  /* As it is in the tree, unless the adapter has gone meanwhile. */
  self->path = g_strdup_printf ("%s/devices/%s", gabbro_adapter_get_path (self->adapter), name);
  self->queues_node = gabbro_folder_new (context->tree, self->node, "queues");
  self->streams_node = gabbro_folder_new (context->tree, self->node, "streams");
  g_free (name);
}

GabbroDevice *
gabbro_device_new (GabbroAdapter *adapter, GError **error)
{
  struct gabbro_driver_device *driver_device;
  GabbroContext *context = gabbro_adapter_dup_context (adapter);
  struct gabbro_context_core *context_core;
  const char *drop;
  GabbroDevice *self;
  GError *driver_error = NULL;

  if (context == NULL)
    {
      g_set_error_literal (error, GABBRO_ERROR, GABBRO_ERROR_INVALID_STATE, _("The context of the adapter is gone"));
      return NULL;
    }
  driver_device = gabbro_adapter_open_driver (adapter, &driver_error);
  if (driver_device == NULL)
    {
      g_set_error (error, GABBRO_ERROR, gabbro_core_translate_code (driver_error), _("The adapter “%s” cannot be opened: %s"),
                   gabbro_adapter_get_name (adapter), driver_error->message);
      g_error_free (driver_error);
      g_object_unref (context);
      return NULL;
    }
  context_core = gabbro_context_get_core (context);
  drop = gabbro_context_core_option (context_core, "drop-barrier");
  self = g_object_new (GABBRO_TYPE_DEVICE, NULL);
  self->adapter = g_object_ref (adapter);
  self->context = context;
  self->core = gabbro_core_new (context_core, gabbro_adapter_get_driver_adapter (adapter), driver_device,
                                drop != NULL ? (guint) g_ascii_strtoull (drop, NULL, 10) : 0);
  add_nodes (self);
  self->notifier = gabbro_notifier_new (self, &notifier_class);
  self->print_notifier = gabbro_notifier_new (self, &print_notifier_class);
  self->audience = audience_new (self);
  self->core->on_lost = on_lost;
  self->core->on_print = on_print;
  self->core->on_lost_data = self->audience;
  self->core->on_lost_destroy = free_audience;
  driver_device->report = on_report;
  driver_device->report_data = self->audience;
  self->queues = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < self->core->n_queues; i++)
    g_ptr_array_add (self->queues, gabbro_queue_new (self, i, self->queues_node));
  return self;
}

struct gabbro_core *
gabbro_device_get_core (GabbroDevice *self)
{
  return self->core;
}

struct gb_node *
gabbro_device_get_streams_node (GabbroDevice *self)
{
  return self->streams_node;
}

gboolean
gabbro_device_check (GabbroDevice *self, GError **error)
{
  return gabbro_core_check_alive (self->core, error);
}

/**
 * gabbro_device_get_adapter:
 * @self: a device
 *
 * Gets the adapter of a device. Thread-safe; does not block.
 *
 * Returns: (transfer none): the adapter that was opened
 *
 * Since: 0.1
 */
GabbroAdapter *
gabbro_device_get_adapter (GabbroDevice *self)
{
  g_return_val_if_fail (IS_WHOLE (self), NULL);

  return self->adapter;
}

/**
 * gabbro_device_get_context:
 * @self: a device
 *
 * Gets the context of a device. Thread-safe; does not block.
 *
 * Returns: (transfer none): the context, which the device keeps
 *
 * Since: 0.1
 */
GabbroContext *
gabbro_device_get_context (GabbroDevice *self)
{
  g_return_val_if_fail (IS_WHOLE (self), NULL);

  return self->context;
}

/**
 * gabbro_device_get_path:
 * @self: a device
 *
 * Gets the path of a device, which names it as long as the context lives. Thread-safe; does not block.
 *
 * Returns: its path in the tree of the context
 *
 * Since: 0.1
 */
const char *
gabbro_device_get_path (GabbroDevice *self)
{
  g_return_val_if_fail (IS_WHOLE (self), NULL);

  return self->path;
}

/**
 * gabbro_device_get_n_queues:
 * @self: a device
 *
 * Counts the queues of a device. Thread-safe; does not block.
 *
 * Returns: the number of queues that the device runs work on, at least 1
 *
 * Since: 0.1
 */
guint
gabbro_device_get_n_queues (GabbroDevice *self)
{
  g_return_val_if_fail (IS_WHOLE (self), 0);

  return self->queues->len;
}

/**
 * gabbro_device_get_queue:
 * @self: a device
 * @index: its number, from 0; queue 0 can compute and copy
 *
 * Gets a queue of a device. Thread-safe; does not block.
 *
 * Returns: (transfer none) (nullable): the queue, or %NULL past the last
 *
 * Since: 0.1
 */
GabbroQueue *
gabbro_device_get_queue (GabbroDevice *self, guint index)
{
  g_return_val_if_fail (IS_WHOLE (self), NULL);

  return index < self->queues->len ? self->queues->pdata[index] : NULL;
}

/**
 * gabbro_device_is_lost:
 * @self: a device
 *
 * Asks whether a device was lost. Thread-safe; does not block.
 *
 * Returns: whether the device was lost
 *
 * Since: 0.1
 */
gboolean
gabbro_device_is_lost (GabbroDevice *self)
{
  g_return_val_if_fail (IS_WHOLE (self), FALSE);

  return __atomic_load_n (&self->core->lost, __ATOMIC_ACQUIRE);
}

/**
 * gabbro_device_list_reports:
 * @self: a device
 *
 * Lists what checks have found so far, see #GabbroDevice::report: first what happened first, and at
 * the end, where there was more than is kept, a note that says so. Thread-safe; does not block.
 *
 * Returns: (transfer container) (element-type GabbroReport): the reports, none where nothing checks
 *
 * Since: 0.1
 */
GPtrArray *
gabbro_device_list_reports (GabbroDevice *self)
{
  GPtrArray *reports;

  g_return_val_if_fail (IS_WHOLE (self), NULL);

  reports = reports_new ();
  /* In a forked child the lock may be held for ever. */
  if (gabbro_core_is_foreign (self->core))
    return reports;
  g_mutex_lock (&self->audience->lock);
  for (guint i = 0; i < self->audience->reports->len; i++)
    g_ptr_array_add (reports, gabbro_report_ref (self->audience->reports->pdata[i]));
  g_mutex_unlock (&self->audience->lock);
  return reports;
}

/**
 * gabbro_device_set_trace: (skip)
 * @self: a device
 * @thread: (array fixed-size=3) (nullable): which thread of each dispatch to look at, or %NULL for the first that comes
 *   to @line
 * @file: (nullable): what the source is called that @line is of, the kernel's own or one that it imports; %NULL for the
 *   kernel's own
 * @line: where that is; 0 for any line
 * @function: (nullable): called for each line that the thread comes to, or %NULL for nobody any more
 * @user_data: for @function
 * @destroy: (nullable): called with @user_data when @function is not called any more
 * @error: return location for an error
 *
 * Looks at one thread while it runs, line by line of the source, in kernels of shaders that are made after this call.
 * The reference driver can do that. What was set before is replaced, once the dispatch that runs has ended: so it is not
 * to be called from @function.
 *
 * Thread-safe; blocks while a dispatch runs.
 *
 * Returns: whether it is set; %FALSE with %GABBRO_ERROR_NOT_SUPPORTED for other drivers, or another error
 *
 * Since: 0.1
 */
gboolean
gabbro_device_set_trace (GabbroDevice *self, const guint *thread, const char *file, guint line, GabbroTraceFunc function,
                         gpointer user_data, GDestroyNotify destroy, GError **error)
{
  struct audience *audience;
  struct gabbro_tracer *tracer, *old = NULL;
  GError *driver_error = NULL;
  bool ok;

  g_return_val_if_fail (IS_WHOLE (self), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  audience = self->audience;
  if (!gabbro_device_check (self, error))
    return FALSE;
  if (self->core->ops->set_trace == NULL)
    {
      g_set_error (error, GABBRO_ERROR, GABBRO_ERROR_NOT_SUPPORTED,
                   _("The driver of “%s” cannot show how a thread runs; the driver “reference” can"), self->core->name);
      return FALSE;
    }
  tracer = function != NULL ? gabbro_tracer_new (thread, file, line, function, user_data, destroy) : NULL;
  g_mutex_lock (&audience->trace_lock);
  ok = self->core->ops->set_trace (self->core->driver, tracer != NULL ? &tracer->trace : NULL, &driver_error);
  if (ok)
    {
      old = audience->tracer;
      audience->tracer = tracer;
    }
  g_mutex_unlock (&audience->trace_lock);
  gabbro_tracer_free (old);
  if (ok)
    return TRUE;
  if (tracer != NULL)
    g_free (tracer->file);
  g_free (tracer);
  gabbro_core_translate_error (self->core, driver_error, error, _("A thread of “%s” cannot be looked at"), self->core->name);
  return FALSE;
}

/**
 * gabbro_device_synchronize:
 * @self: a device
 * @timeout_us: microseconds to wait at the most, -1 for as long as it takes
 * @error: return location for an error
 *
 * Waits until everything that was submitted to any stream of the device before the
 * call has completed, downloads and completion functions included. Operations that
 * wait for an event nobody signals are waited for too. Not to be called from a
 * completion function.
 *
 * Thread-safe; blocks.
 *
 * Returns: whether all is done; %FALSE with %GABBRO_ERROR_TIMED_OUT otherwise, or
 *   another error
 *
 * Since: 0.1
 */
gboolean
gabbro_device_synchronize (GabbroDevice *self, gint64 timeout_us, GError **error)
{
  struct gabbro_wait wait = { 0 };

  g_return_val_if_fail (IS_WHOLE (self), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  if (!gabbro_device_check (self, error))
    return FALSE;
  gabbro_wait_init_device (&wait, self->core);
  return gabbro_wait_block (&wait, gabbro_deadline (timeout_us), error);
}

/**
 * gabbro_device_synchronize_async:
 * @self: a device
 * @cancellable: (nullable): a #GCancellable
 * @callback: (scope async) (closure user_data): called when it is done
 * @user_data: for @callback
 *
 * As gabbro_device_synchronize(), without blocking and without a limit. Thread-safe; @callback is
 * called in the thread-default main context of the caller.
 *
 * Since: 0.1
 */
void
gabbro_device_synchronize_async (GabbroDevice *self, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data)
{
  struct gabbro_async *async;
  GError *error = NULL;
  GTask *task;

  g_return_if_fail (IS_WHOLE (self));
  g_return_if_fail (cancellable == NULL || G_IS_CANCELLABLE (cancellable));

  task = gabbro_task_new (self, gabbro_device_synchronize_async);
  if (!gabbro_device_check (self, &error))
    {
      gabbro_task_fail (task, error);
      return;
    }
  async = gabbro_async_new (task, NULL, NULL, NULL);
  gabbro_wait_init_device (&async->wait, self->core);
  gabbro_async_start (async);
}

/**
 * gabbro_device_synchronize_finish:
 * @self: a device
 * @result: what the callback was given
 * @error: return location for an error
 *
 * Gives what gabbro_device_synchronize_async() led to, in its callback. Thread-safe; does not block.
 *
 * Returns: whether all is done
 *
 * Since: 0.1
 */
gboolean
gabbro_device_synchronize_finish (GabbroDevice *self, GAsyncResult *result, GError **error)
{
  return gabbro_task_finish_boolean (self, result, gabbro_device_synchronize_async, error);
}
