/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/diagnostic-private.h"

/**
 * gabbro_error_quark:
 *
 * The domain of #GabbroError, as %GABBRO_ERROR. Thread-safe; does not block.
 *
 * Returns: the quark
 *
 * Since: 0.1
 */
G_DEFINE_QUARK (gabbro-error-quark, gabbro_error)

/* What an error of the compiler carries beside its message. GLib keeps it in front of the GError. */
struct compile_error
{
  GPtrArray *diagnostics;                /* constant, shared by copies; NULL: an error that is not of our making */
};

static struct compile_error *
private_of (const GError *error)
{
  /* As G_DEFINE_EXTENDED_ERROR, which would name the domain with an underscore. */
  const gsize alignment = 2 * sizeof (gsize);
  const gsize size = (sizeof (struct compile_error) + alignment - 1) & ~(alignment - 1);

  return (struct compile_error *) (((guint8 *) error) - size);
}

static void
compile_error_init (GError *error)
{
  private_of (error)->diagnostics = NULL;
}

static void
compile_error_copy (const GError *from, GError *to)
{
  GPtrArray *diagnostics = private_of (from)->diagnostics;

  private_of (to)->diagnostics = diagnostics != NULL ? g_ptr_array_ref (diagnostics) : NULL;
}

static void
compile_error_clear (GError *error)
{
  g_clear_pointer (&private_of (error)->diagnostics, g_ptr_array_unref);
}

/**
 * gabbro_compile_error_quark:
 *
 * The domain of #GabbroCompileError, as %GABBRO_COMPILE_ERROR. Thread-safe; does not block.
 *
 * Returns: the quark
 *
 * Since: 0.1
 */
GQuark
gabbro_compile_error_quark (void)
{
  static gsize quark;

  if (g_once_init_enter (&quark))
    g_once_init_leave (&quark, g_error_domain_register_static ("gabbro-compile-error-quark", sizeof (struct compile_error),
                                                               compile_error_init, compile_error_copy, compile_error_clear));
  return (GQuark) quark;
}

void
gabbro_compile_error_set (GError **error, GabbroCompileError code, GPtrArray *diagnostics, const char *message)
{
  if (error == NULL)
    {
      g_ptr_array_unref (diagnostics);
      return;
    }
  *error = g_error_new_literal (GABBRO_COMPILE_ERROR, code, message);
  private_of (*error)->diagnostics = diagnostics;
}

/**
 * gabbro_compile_error_get_diagnostics:
 * @error: an error
 *
 * What the compiler had to say, one by one: for %GABBRO_COMPILE_ERROR_SOURCE each mistake and
 * warning of the source in the order of its lines, for the other codes one entry with as much of
 * the place as is known. Copies of an error have the same diagnostics. Bindings whose errors
 * keep no more than code and message have gabbro_module_check_source().
 *
 * Thread-safe; does not block.
 *
 * Returns: (transfer container) (element-type GabbroDiagnostic): a new array, which keeps its
 *   elements alive; empty for errors of other domains than %GABBRO_COMPILE_ERROR and for those
 *   that were not made by this library
 *
 * Since: 0.1
 */
GPtrArray *
gabbro_compile_error_get_diagnostics (const GError *error)
{
  GPtrArray *diagnostics;

  g_return_val_if_fail (error != NULL, NULL);

  diagnostics = error->domain == GABBRO_COMPILE_ERROR ? private_of (error)->diagnostics : NULL;
  return gabbro_diagnostics_copy (diagnostics);
}
