/* SPDX-License-Identifier: LGPL-2.1-or-later */

#ifndef GABBRO_ERROR_H
#define GABBRO_ERROR_H

#if !defined(GABBRO_INSIDE) && !defined(GABBRO_COMPILATION)
# error "Only <gabbro/gabbro.h> can be included directly."
#endif

#include <gabbro/gabbro-types.h>

G_BEGIN_DECLS

#define GABBRO_ERROR (gabbro_error_quark ())
#define GABBRO_COMPILE_ERROR (gabbro_compile_error_quark ())

/**
 * GabbroError:
 * @GABBRO_ERROR_FAILED: A driver failed in a way that has no code of its own; the message repeats
 *   what it says. What to do: show the message. The call may be tried again; if it fails again
 *   the driver of the device is at fault, so look for an update of it.
 * @GABBRO_ERROR_INVALID_ARGUMENT: A value is out of its documented range or of the wrong kind; the
 *   message names the value and what is allowed. What to do: mend the call. The same call fails
 *   always.
 * @GABBRO_ERROR_INVALID_STATE: The object cannot do this now, such as a list that was submitted or
 *   a kernel that lacks arguments. What to do: make the calls in their order; a list that is to
 *   be submitted again has to be frozen.
 * @GABBRO_ERROR_LIMIT_EXCEEDED: The device allows less; the message names what was asked and what
 *   is allowed. What to do: divide the work, give a kernel a view of a buffer, or take another
 *   adapter. The limits are among the attributes of the adapter.
 * @GABBRO_ERROR_NOT_SUPPORTED: The device or its driver lacks the feature, such as kernels on a
 *   queue that only copies. What to do: use another queue or adapter, or do without.
 * @GABBRO_ERROR_NOT_FOUND: There is no such kernel, argument, node or attribute; the message names
 *   what there is, or what is near. What to do: mend the name.
 * @GABBRO_ERROR_NO_DRIVER: The path of an adapter was given whose driver is not there. What to do:
 *   install the driver module, or set the folder that it is in with the option `driver-path`
 *   (`GABBRO_DRIVER_PATH`).
 * @GABBRO_ERROR_NO_DEVICE: No adapter fits the request, or none can be used; the message names what
 *   there is. What to do: ask for less (%NULL takes the best there is), or install a Vulkan
 *   driver: Mesa's llvmpipe runs everywhere.
 * @GABBRO_ERROR_BAD_DRIVER: The driver that was asked for is there and cannot be loaded, or was
 *   built for another version of the library. What to do: install the module of this version
 *   of the library.
 * @GABBRO_ERROR_WRONG_DEVICE: Objects of different devices were mixed. What to do: make all that
 *   work together on one device, and copy between devices through the host.
 * @GABBRO_ERROR_OUT_OF_MEMORY: The device or the host has not enough memory; the message names what
 *   was asked for. What to do: drop buffers and images that are not needed, wait until the work
 *   that uses them is done, and try again, or divide the work.
 * @GABBRO_ERROR_DEVICE_LOST: The device was lost: it hung, was unplugged or was reset. Everything of
 *   it fails from now on, and what its memory held is gone. What to do: drop all objects of the
 *   device, open the adapter again and repeat the work; if it is lost again the work is too
 *   long for the driver's watchdog, or wrong.
 * @GABBRO_ERROR_WRONG_PROCESS: The object was made before fork(), and this is the child. What to do:
 *   make a context of its own in the child, or start processes with GSubprocess.
 * @GABBRO_ERROR_TIMED_OUT: The wait ended before the work did. Nothing else happened: the work goes
 *   on. What to do: wait again, or longer.
 * @GABBRO_ERROR_DEADLOCK: The operation would close a circle of streams that wait for each other;
 *   nothing was enqueued. The message names the circle. What to do: order waits and signals so
 *   that one stream can begin.
 * @GABBRO_ERROR_BAD_BUNDLE: What should be a bundle is none, was damaged or changed, or was made by
 *   another version of the library; the message names what does not fit. What to do: make the
 *   bundle anew from its sources, or fetch it again.
 *
 * What goes wrong at run time. Each message names the thing, what was asked and, where there is
 * one, the limit.
 *
 * Since: 0.1
 */
typedef enum
{
  GABBRO_ERROR_FAILED,
  GABBRO_ERROR_INVALID_ARGUMENT,
  GABBRO_ERROR_INVALID_STATE,
  GABBRO_ERROR_LIMIT_EXCEEDED,
  GABBRO_ERROR_NOT_SUPPORTED,
  GABBRO_ERROR_NOT_FOUND,
  GABBRO_ERROR_NO_DRIVER,
  GABBRO_ERROR_NO_DEVICE,
  GABBRO_ERROR_BAD_DRIVER,
  GABBRO_ERROR_WRONG_DEVICE,
  GABBRO_ERROR_OUT_OF_MEMORY,
  GABBRO_ERROR_DEVICE_LOST,
  GABBRO_ERROR_WRONG_PROCESS,
  GABBRO_ERROR_TIMED_OUT,
  GABBRO_ERROR_DEADLOCK,
  GABBRO_ERROR_BAD_BUNDLE
} GabbroError;

/**
 * GabbroCompileError:
 * @GABBRO_COMPILE_ERROR_SOURCE: The source has mistakes; the message holds them all, with their
 *   places. What to do: mend the source; gabbro-kernel(5) describes the language.
 * @GABBRO_COMPILE_ERROR_UNSUPPORTED: The source is right, but the code generator refuses something
 *   in it, which the message names, such as a type that storage cannot hold. What to do: write
 *   that part in another way.
 * @GABBRO_COMPILE_ERROR_TARGET: The adapter lacks a feature that the kernel needs, or allows less
 *   than it needs; the message names both. What to do: make smaller workgroups, use fewer
 *   buffers and images, or take another adapter.
 * @GABBRO_COMPILE_ERROR_TOO_LARGE: The kernel passes a limit of SPIR-V or of the compiler; the
 *   message names what it has and what is allowed. What to do: divide the kernel, or move large
 *   arguments into buffers.
 * @GABBRO_COMPILE_ERROR_INTERNAL: The compiler made something wrong of a source that is right. What
 *   to do: please report it, with the source and the message. Another optimisation level may
 *   work meanwhile.
 *
 * What goes wrong while a kernel is compiled. gabbro_compile_error_get_diagnostics() has it in
 * parts: each message with its file, line and column.
 *
 * Since: 0.1
 */
typedef enum
{
  GABBRO_COMPILE_ERROR_SOURCE,
  GABBRO_COMPILE_ERROR_UNSUPPORTED,
  GABBRO_COMPILE_ERROR_TARGET,
  GABBRO_COMPILE_ERROR_TOO_LARGE,
  GABBRO_COMPILE_ERROR_INTERNAL
} GabbroCompileError;

GABBRO_AVAILABLE_IN_0_1
GQuark     gabbro_error_quark                   (void);
GABBRO_AVAILABLE_IN_0_1
GQuark     gabbro_compile_error_quark           (void);
GABBRO_AVAILABLE_IN_0_1
GPtrArray *gabbro_compile_error_get_diagnostics (const GError *error);

G_END_DECLS

#endif
