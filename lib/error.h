/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The errors of this folder. Their texts name the thing, what was asked and
 * what the limit is, and can be shown to users. */

#pragma once

#include <glib.h>

#define GB_ERROR (gb_error_quark ())

enum gb_error
{
  GB_ERROR_FAILED,          /* a driver or attribute that gave no reason of its own */
  GB_ERROR_INVALID_NAME,
  GB_ERROR_EXISTS,
  GB_ERROR_NOT_FOUND,
  GB_ERROR_BAD_STATE,       /* added twice, parent not in the tree */
  GB_ERROR_NOT_READABLE,
  GB_ERROR_NOT_WRITABLE,
  GB_ERROR_WRONG_TYPE,
  GB_ERROR_OUT_OF_RANGE,
  GB_ERROR_WRONG_ABI,
};

GQuark gb_error_quark (void);
