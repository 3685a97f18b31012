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
 * @GABBRO_ERROR_FAILED: something failed that has no code of its own
 * @GABBRO_ERROR_INVALID_ARGUMENT: a value is out of its documented range or of the wrong kind
 * @GABBRO_ERROR_INVALID_STATE: the object cannot do this now, such as a list that was submitted
 * @GABBRO_ERROR_LIMIT_EXCEEDED: the device allows less; the message names asked and allowed
 * @GABBRO_ERROR_NOT_SUPPORTED: the device or driver lacks the feature
 * @GABBRO_ERROR_NOT_FOUND: no such kernel, argument, node or attribute
 * @GABBRO_ERROR_NO_DRIVER: no driver of that name
 * @GABBRO_ERROR_NO_DEVICE: no adapter fits the request
 * @GABBRO_ERROR_BAD_DRIVER: a driver module cannot be loaded or has another ABI
 * @GABBRO_ERROR_WRONG_DEVICE: objects of different devices were mixed
 * @GABBRO_ERROR_OUT_OF_MEMORY: the device has not enough memory
 * @GABBRO_ERROR_DEVICE_LOST: the device was lost; open it again
 * @GABBRO_ERROR_WRONG_PROCESS: the object was made before fork()
 * @GABBRO_ERROR_TIMED_OUT: the wait ended before the work did
 * @GABBRO_ERROR_DEADLOCK: the operation would close a cycle of waits
 *
 * What goes wrong at run time.
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
  GABBRO_ERROR_DEADLOCK
} GabbroError;

/**
 * GabbroCompileError:
 * @GABBRO_COMPILE_ERROR_SOURCE: the source has errors; the message holds every diagnostic
 * @GABBRO_COMPILE_ERROR_UNSUPPORTED: the code generator refuses a construct by name
 * @GABBRO_COMPILE_ERROR_TARGET: the adapter lacks a feature or limit that the kernel needs
 * @GABBRO_COMPILE_ERROR_TOO_LARGE: the kernel passes a limit of SPIR-V
 * @GABBRO_COMPILE_ERROR_INTERNAL: a fault of the compiler; please report it with the source
 *
 * What goes wrong while a kernel is compiled.
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
GQuark gabbro_error_quark         (void);
GABBRO_AVAILABLE_IN_0_1
GQuark gabbro_compile_error_quark (void);

G_END_DECLS

#endif
