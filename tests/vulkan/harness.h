/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A host for the driver, a device, and plans made by hand. Messages of the
 * validation layer are collected; harness_close() fails when there were any. */

#pragma once

#include "tests/test-main.h"

#include "gpu/drivers/vulkan/device.h"

extern const struct gabbro_driver gabbro_driver;

struct harness
{
  struct gabbro_host host;
  const char *mask;
  bool validation;
  GMutex mutex;
  GPtrArray *messages;
  unsigned n_bad;                       /* errors and warnings */
  struct gb_undo undo;
  struct gabbro_driver_instance *instance;
  struct gabbro_driver_device *device;
  uint64_t value[GABBRO_MAX_QUEUES];    /* the last one submitted */
};

void harness_init  (struct harness *harness, bool validation, const char *mask);
/* Probes only. */
enum gabbro_probe_result harness_probe (struct harness *harness, GError **error);
/* Probes and opens the first adapter; fails the test otherwise. */
void harness_open  (struct harness *harness, bool validation, const char *mask);
void harness_close (struct harness *harness);
/* Whether a message contains the text. */
bool harness_said  (struct harness *harness, const char *text);

/* 77 when there is no Vulkan device at all, else 0; to be called before any test. */
int harness_device_status (void);

static inline struct vulkan_device *
harness_vulkan (struct harness *harness)
{
  return (struct vulkan_device *) harness->device;
}

struct gabbro_buffer_info harness_buffer (struct harness *harness, uint64_t size, enum gabbro_memory_use use);
void     harness_buffer_free (struct harness *harness, const struct gabbro_buffer_info *buffer);
uint64_t harness_scale_shader (struct harness *harness);

/* A plan that grows command by command. */

#define PLAN_MOST_COMMANDS 1100

struct scale_arguments
{
  uint32_t scale, add, count;
};

struct plan
{
  struct gabbro_command_plan plan;
  const struct gabbro_command *commands[PLAN_MOST_COMMANDS];
  struct gabbro_layer layers[PLAN_MOST_COMMANDS];
  uint64_t images[8];
  GPtrArray *memory;
};

extern const struct gabbro_barrier barrier_none, barrier_compute, barrier_transfer, barrier_full, barrier_to_host;

struct plan *plan_new  (void);
void         plan_free (struct plan *plan);
/* What follows is in a new layer, behind this barrier. */
void plan_layer    (struct plan *plan, const struct gabbro_barrier *before);
void plan_copy     (struct plan *plan, uint64_t source, uint64_t source_offset, uint64_t destination,
                    uint64_t destination_offset, uint64_t size);
void plan_fill     (struct plan *plan, uint64_t buffer, uint64_t offset, uint64_t size, uint32_t value);
void plan_image    (struct plan *plan, enum gabbro_command_kind kind, uint64_t buffer, uint64_t image, uint32_t width,
                    uint32_t height);
void plan_dispatch (struct plan *plan, uint64_t shader, const struct gabbro_descriptor *descriptors, uint32_t n,
                    const void *push_constants, size_t push_size, uint32_t x, uint32_t y);
/* b = a * scale + add over `count` words. */
void plan_scale    (struct plan *plan, uint64_t shader, uint64_t a, uint64_t b, uint32_t count, uint32_t scale,
                    uint32_t add);

/* Submits to a queue with the next value. */
bool harness_submit (struct harness *harness, uint32_t queue, const struct plan *plan, uint64_t prepared,
                     GError **error);
/* Submits to queue 0, waits, retires; fails the test otherwise. */
void harness_run    (struct harness *harness, const struct plan *plan);
void harness_finish (struct harness *harness, uint32_t queue);
