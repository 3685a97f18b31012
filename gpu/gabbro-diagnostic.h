/* SPDX-License-Identifier: LGPL-2.1-or-later */

#ifndef GABBRO_DIAGNOSTIC_H
#define GABBRO_DIAGNOSTIC_H

#if !defined(GABBRO_INSIDE) && !defined(GABBRO_COMPILATION)
# error "Only <gabbro/gabbro.h> can be included directly."
#endif

#include <gabbro/gabbro-enums.h>

G_BEGIN_DECLS

#define GABBRO_TYPE_DIAGNOSTIC (gabbro_diagnostic_get_type ())

GABBRO_AVAILABLE_IN_0_1
GType             gabbro_diagnostic_get_type     (void) G_GNUC_CONST;
GABBRO_AVAILABLE_IN_0_1
GabbroDiagnostic *gabbro_diagnostic_ref          (GabbroDiagnostic       *self);
GABBRO_AVAILABLE_IN_0_1
void              gabbro_diagnostic_unref        (GabbroDiagnostic       *self);
GABBRO_AVAILABLE_IN_0_1
GabbroSeverity    gabbro_diagnostic_get_severity (const GabbroDiagnostic *self);
GABBRO_AVAILABLE_IN_0_1
const char       *gabbro_diagnostic_get_file     (const GabbroDiagnostic *self);
GABBRO_AVAILABLE_IN_0_1
guint             gabbro_diagnostic_get_line     (const GabbroDiagnostic *self);
GABBRO_AVAILABLE_IN_0_1
guint             gabbro_diagnostic_get_column   (const GabbroDiagnostic *self);
GABBRO_AVAILABLE_IN_0_1
const char       *gabbro_diagnostic_get_code     (const GabbroDiagnostic *self);
GABBRO_AVAILABLE_IN_0_1
const char       *gabbro_diagnostic_get_message  (const GabbroDiagnostic *self);
GABBRO_AVAILABLE_IN_0_1
const char       *gabbro_diagnostic_get_hint     (const GabbroDiagnostic *self);
GABBRO_AVAILABLE_IN_0_1
char             *gabbro_diagnostic_to_string    (const GabbroDiagnostic *self);
GABBRO_AVAILABLE_IN_0_1
gboolean          gabbro_diagnostic_explain      (const char             *code,
                                                  GabbroSeverity         *severity,
                                                  char                  **summary,
                                                  char                  **text,
                                                  char                  **wrong,
                                                  char                  **right);
GABBRO_AVAILABLE_IN_0_1
char            **gabbro_diagnostic_list_codes   (void);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GabbroDiagnostic, gabbro_diagnostic_unref)

G_END_DECLS

#endif
