/* SPDX-License-Identifier: LGPL-2.1-or-later */

#ifndef GABBRO_TYPES_H
#define GABBRO_TYPES_H

#if !defined(GABBRO_INSIDE) && !defined(GABBRO_COMPILATION)
# error "Only <gabbro/gabbro.h> can be included directly."
#endif

#include <gio/gio.h>
#include <gabbro/gabbro-version.h>

G_BEGIN_DECLS

typedef struct _GabbroContext     GabbroContext;
typedef struct _GabbroAdapter     GabbroAdapter;
typedef struct _GabbroDevice      GabbroDevice;
typedef struct _GabbroQueue       GabbroQueue;
typedef struct _GabbroStream      GabbroStream;
typedef struct _GabbroEvent       GabbroEvent;
typedef struct _GabbroBuffer      GabbroBuffer;
typedef struct _GabbroLayout      GabbroLayout;
typedef struct _GabbroMapping     GabbroMapping;
typedef struct _GabbroImage       GabbroImage;
typedef struct _GabbroModule      GabbroModule;
typedef struct _GabbroKernel      GabbroKernel;
typedef struct _GabbroShader      GabbroShader;
typedef struct _GabbroCommandList GabbroCommandList;
typedef struct _GabbroBundle      GabbroBundle;
typedef struct _GabbroCache       GabbroCache;
typedef struct _GabbroAttribute   GabbroAttribute;
typedef struct _GabbroDiagnostic  GabbroDiagnostic;
typedef struct _GabbroReport      GabbroReport;
typedef struct _GabbroPrint       GabbroPrint;
typedef struct _GabbroTracePoint  GabbroTracePoint;

G_END_DECLS

#endif
