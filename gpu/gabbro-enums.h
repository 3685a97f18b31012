/* SPDX-License-Identifier: LGPL-2.1-or-later */

#ifndef GABBRO_ENUMS_H
#define GABBRO_ENUMS_H

#if !defined(GABBRO_INSIDE) && !defined(GABBRO_COMPILATION)
# error "Only <gabbro/gabbro.h> can be included directly."
#endif

#include <gabbro/gabbro-types.h>

G_BEGIN_DECLS

/**
 * GabbroAdapterKind:
 * @GABBRO_ADAPTER_OTHER: none of the others
 * @GABBRO_ADAPTER_INTEGRATED: a GPU that shares the host's memory
 * @GABBRO_ADAPTER_DISCRETE: a GPU with memory of its own
 * @GABBRO_ADAPTER_VIRTUAL: a GPU of a virtual machine
 * @GABBRO_ADAPTER_CPU: a software implementation
 *
 * What kind of device an adapter stands for.
 *
 * Since: 0.1
 */
typedef enum
{
  GABBRO_ADAPTER_OTHER,
  GABBRO_ADAPTER_INTEGRATED,
  GABBRO_ADAPTER_DISCRETE,
  GABBRO_ADAPTER_VIRTUAL,
  GABBRO_ADAPTER_CPU
} GabbroAdapterKind;

/**
 * GabbroQueueFlags:
 * @GABBRO_QUEUE_CAN_COMPUTE: runs kernels
 * @GABBRO_QUEUE_CAN_TRANSFER: copies
 * @GABBRO_QUEUE_CAN_DRAW: draws
 * @GABBRO_QUEUE_CAN_BIND_SPARSE: binds sparse memory
 *
 * What a queue can do.
 *
 * Since: 0.1
 */
typedef enum /*< flags >*/
{
  GABBRO_QUEUE_CAN_COMPUTE     = 1 << 0,
  GABBRO_QUEUE_CAN_TRANSFER    = 1 << 1,
  GABBRO_QUEUE_CAN_DRAW        = 1 << 2,
  GABBRO_QUEUE_CAN_BIND_SPARSE = 1 << 3
} GabbroQueueFlags;

/**
 * GabbroFormat:
 * @GABBRO_FORMAT_RGBA8_UNORM: four bytes a texel, 0 to 255 stand for 0 to 1
 * @GABBRO_FORMAT_RGBA32_FLOAT: four floats a texel
 * @GABBRO_FORMAT_R8_UNORM: one byte a texel, 0 to 255 stand for 0 to 1
 * @GABBRO_FORMAT_R8_UINT: one unsigned 8-bit integer a texel
 * @GABBRO_FORMAT_R8_SINT: one signed 8-bit integer a texel
 * @GABBRO_FORMAT_RG8_UNORM: two bytes a texel, 0 to 255 stand for 0 to 1
 * @GABBRO_FORMAT_RG8_UINT: two unsigned 8-bit integers a texel
 * @GABBRO_FORMAT_RG8_SINT: two signed 8-bit integers a texel
 * @GABBRO_FORMAT_RGBA8_UINT: four unsigned 8-bit integers a texel
 * @GABBRO_FORMAT_RGBA8_SINT: four signed 8-bit integers a texel
 * @GABBRO_FORMAT_R16_UNORM: one 16-bit number a texel, 0 to 65535 stand for 0 to 1
 * @GABBRO_FORMAT_R16_UINT: one unsigned 16-bit integer a texel
 * @GABBRO_FORMAT_R16_SINT: one signed 16-bit integer a texel
 * @GABBRO_FORMAT_R16_FLOAT: one half a texel
 * @GABBRO_FORMAT_RG16_UNORM: two 16-bit numbers a texel, 0 to 65535 stand for 0 to 1
 * @GABBRO_FORMAT_RG16_UINT: two unsigned 16-bit integers a texel
 * @GABBRO_FORMAT_RG16_SINT: two signed 16-bit integers a texel
 * @GABBRO_FORMAT_RG16_FLOAT: two halves a texel
 * @GABBRO_FORMAT_RGBA16_UNORM: four 16-bit numbers a texel, 0 to 65535 stand for 0 to 1
 * @GABBRO_FORMAT_RGBA16_UINT: four unsigned 16-bit integers a texel
 * @GABBRO_FORMAT_RGBA16_SINT: four signed 16-bit integers a texel
 * @GABBRO_FORMAT_RGBA16_FLOAT: four halves a texel
 * @GABBRO_FORMAT_R32_UINT: one unsigned 32-bit integer a texel
 * @GABBRO_FORMAT_R32_SINT: one signed 32-bit integer a texel
 * @GABBRO_FORMAT_R32_FLOAT: one float a texel
 * @GABBRO_FORMAT_RG32_UINT: two unsigned 32-bit integers a texel
 * @GABBRO_FORMAT_RG32_SINT: two signed 32-bit integers a texel
 * @GABBRO_FORMAT_RG32_FLOAT: two floats a texel
 * @GABBRO_FORMAT_RGBA32_UINT: four unsigned 32-bit integers a texel
 * @GABBRO_FORMAT_RGBA32_SINT: four signed 32-bit integers a texel
 * @GABBRO_FORMAT_BC4_UNORM: one component, 8 bytes for 4×4 texels
 * @GABBRO_FORMAT_BC5_UNORM: two components, 16 bytes for 4×4 texels
 * @GABBRO_FORMAT_BC6H_UFLOAT: three halves without signs, 16 bytes for 4×4 texels
 * @GABBRO_FORMAT_BC7_UNORM: four components, 16 bytes for 4×4 texels
 *
 * The formats of images. Not every adapter has all of them, and what can be done with one differs:
 * see [method@Gabbro.Adapter.get_format_usage]. Components of more than one byte are in the order of
 * the host's bytes.
 *
 * A kernel sees four components of 32 bits. Those that a format has not are read as 0, 0 and 1. What
 * a kernel writes is converted: gabbro-kernel(5) says how.
 *
 * Since: 0.1
 */
typedef enum
{
  GABBRO_FORMAT_RGBA8_UNORM,
  GABBRO_FORMAT_RGBA32_FLOAT,
  GABBRO_FORMAT_R8_UNORM,
  GABBRO_FORMAT_R8_UINT,
  GABBRO_FORMAT_R8_SINT,
  GABBRO_FORMAT_RG8_UNORM,
  GABBRO_FORMAT_RG8_UINT,
  GABBRO_FORMAT_RG8_SINT,
  GABBRO_FORMAT_RGBA8_UINT,
  GABBRO_FORMAT_RGBA8_SINT,
  GABBRO_FORMAT_R16_UNORM,
  GABBRO_FORMAT_R16_UINT,
  GABBRO_FORMAT_R16_SINT,
  GABBRO_FORMAT_R16_FLOAT,
  GABBRO_FORMAT_RG16_UNORM,
  GABBRO_FORMAT_RG16_UINT,
  GABBRO_FORMAT_RG16_SINT,
  GABBRO_FORMAT_RG16_FLOAT,
  GABBRO_FORMAT_RGBA16_UNORM,
  GABBRO_FORMAT_RGBA16_UINT,
  GABBRO_FORMAT_RGBA16_SINT,
  GABBRO_FORMAT_RGBA16_FLOAT,
  GABBRO_FORMAT_R32_UINT,
  GABBRO_FORMAT_R32_SINT,
  GABBRO_FORMAT_R32_FLOAT,
  GABBRO_FORMAT_RG32_UINT,
  GABBRO_FORMAT_RG32_SINT,
  GABBRO_FORMAT_RG32_FLOAT,
  GABBRO_FORMAT_RGBA32_UINT,
  GABBRO_FORMAT_RGBA32_SINT,
  GABBRO_FORMAT_BC4_UNORM,
  GABBRO_FORMAT_BC5_UNORM,
  GABBRO_FORMAT_BC6H_UFLOAT,
  GABBRO_FORMAT_BC7_UNORM
} GabbroFormat;

/**
 * GabbroFormatUsage:
 * @GABBRO_FORMAT_CAN_BE_COPIED: there are images of the format, and they can be uploaded, downloaded and copied
 * @GABBRO_FORMAT_CAN_BE_READ: kernels can read them as const images
 * @GABBRO_FORMAT_CAN_BE_READ_AND_WRITTEN: kernels can read them as images that they may also write
 * @GABBRO_FORMAT_CAN_BE_WRITTEN: kernels can write them
 *
 * What can be done with images of a format.
 *
 * Since: 0.1
 */
typedef enum /*< flags >*/
{
  GABBRO_FORMAT_CAN_BE_COPIED           = 1 << 0,
  GABBRO_FORMAT_CAN_BE_READ             = 1 << 1,
  GABBRO_FORMAT_CAN_BE_READ_AND_WRITTEN = 1 << 2,
  GABBRO_FORMAT_CAN_BE_WRITTEN          = 1 << 3
} GabbroFormatUsage;

/**
 * GabbroMapFlags:
 * @GABBRO_MAP_READ: the host reads
 * @GABBRO_MAP_WRITE: the host writes
 *
 * What the host will do with a mapping.
 *
 * Since: 0.1
 */
typedef enum /*< flags >*/
{
  GABBRO_MAP_READ  = 1 << 0,
  GABBRO_MAP_WRITE = 1 << 1
} GabbroMapFlags;

/**
 * GabbroModuleFormat:
 * @GABBRO_MODULE_AST: the syntax tree with types
 * @GABBRO_MODULE_XIR: the intermediate representation
 * @GABBRO_MODULE_LAYOUT: where the arguments of kernels and the members of their structures lie
 * @GABBRO_MODULE_LAYOUT_C: the structures as a header for C and C++, with padding, alignment and assertions
 * @GABBRO_MODULE_LAYOUT_PYTHON: the structures as a module of Python with types of numpy
 * @GABBRO_MODULE_LAYOUT_GVARIANT: the structures as types of #GVariant: of values, as gabbro_layout_pack()
 *   takes them, and of bytes, where #GVariant has a type with the same memory
 *
 * The forms that gabbro_module_print() knows.
 *
 * Since: 0.1
 */
typedef enum
{
  GABBRO_MODULE_AST,
  GABBRO_MODULE_XIR,
  GABBRO_MODULE_LAYOUT,
  GABBRO_MODULE_LAYOUT_C,
  GABBRO_MODULE_LAYOUT_PYTHON,
  GABBRO_MODULE_LAYOUT_GVARIANT
} GabbroModuleFormat;

/**
 * GabbroCompileFlags:
 * @GABBRO_COMPILE_DEFAULT: nothing special
 * @GABBRO_COMPILE_BOUNDS_CHECKS: indices out of range read zero and write nothing
 * @GABBRO_COMPILE_NO_XIR_OPTIMIZATION: no constant folding of our own
 * @GABBRO_COMPILE_DEBUG_NAMES: keep names for debuggers
 *
 * Options of compiling a kernel.
 *
 * Since: 0.1
 */
typedef enum /*< flags >*/
{
  GABBRO_COMPILE_DEFAULT             = 0,
  GABBRO_COMPILE_BOUNDS_CHECKS       = 1 << 0,
  GABBRO_COMPILE_NO_XIR_OPTIMIZATION = 1 << 1,
  GABBRO_COMPILE_DEBUG_NAMES         = 1 << 2
} GabbroCompileFlags;

/**
 * GabbroBundleFlags:
 * @GABBRO_BUNDLE_DEFAULT: nothing special
 * @GABBRO_BUNDLE_COMPRESS: compressed with zstd
 *
 * How a bundle is written.
 *
 * Since: 0.1
 */
typedef enum /*< flags >*/
{
  GABBRO_BUNDLE_DEFAULT  = 0,
  GABBRO_BUNDLE_COMPRESS = 1 << 0
} GabbroBundleFlags;

/**
 * GABBRO_OPTIMIZATION_DEFAULT:
 *
 * The default of optimisation levels, which go from 0 (none) to 3 (all); it can be
 * changed by the environment variable `GABBRO_OPTIMIZATION`.
 *
 * Since: 0.1
 */
#define GABBRO_OPTIMIZATION_DEFAULT (-1)

/**
 * GabbroArgumentKind:
 * @GABBRO_ARGUMENT_VALUE: data, by value
 * @GABBRO_ARGUMENT_BUFFER: a buffer
 * @GABBRO_ARGUMENT_IMAGE: an image
 *
 * What an argument of a kernel is.
 *
 * Since: 0.1
 */
typedef enum
{
  GABBRO_ARGUMENT_VALUE,
  GABBRO_ARGUMENT_BUFFER,
  GABBRO_ARGUMENT_IMAGE
} GabbroArgumentKind;

/**
 * GabbroLayoutKind:
 * @GABBRO_LAYOUT_BOOL: true or false, as 1 or 0: 32 bits where it is an argument of its own, else a byte
 * @GABBRO_LAYOUT_INT: a signed number of 32 bits
 * @GABBRO_LAYOUT_UINT: an unsigned number of 32 bits
 * @GABBRO_LAYOUT_FLOAT: a real number, IEEE 754 single precision
 * @GABBRO_LAYOUT_VECTOR: two to four numbers or bools of one kind
 * @GABBRO_LAYOUT_ARRAY: elements, one after the other
 * @GABBRO_LAYOUT_STRUCT: members with names
 * @GABBRO_LAYOUT_CHAR: a signed number of 8 bits
 * @GABBRO_LAYOUT_UCHAR: an unsigned number of 8 bits
 * @GABBRO_LAYOUT_SHORT: a signed number of 16 bits
 * @GABBRO_LAYOUT_USHORT: an unsigned number of 16 bits
 * @GABBRO_LAYOUT_LONG: a signed number of 64 bits
 * @GABBRO_LAYOUT_ULONG: an unsigned number of 64 bits
 * @GABBRO_LAYOUT_HALF: a real number, IEEE 754 half precision
 * @GABBRO_LAYOUT_DOUBLE: a real number, IEEE 754 double precision
 * @GABBRO_LAYOUT_BFLOAT: a real number, the upper 16 bits of a float
 * @GABBRO_LAYOUT_FP8E4M3: a real number of 8 bits, four of them the exponent
 * @GABBRO_LAYOUT_FP8E5M2: a real number of 8 bits, five of them the exponent
 * @GABBRO_LAYOUT_MATRIX: two to four vectors of as many floats, which are its columns
 *
 * What a #GabbroLayout describes.
 *
 * Since: 0.1
 */
typedef enum
{
  GABBRO_LAYOUT_BOOL,
  GABBRO_LAYOUT_INT,
  GABBRO_LAYOUT_UINT,
  GABBRO_LAYOUT_FLOAT,
  GABBRO_LAYOUT_VECTOR,
  GABBRO_LAYOUT_ARRAY,
  GABBRO_LAYOUT_STRUCT,
  GABBRO_LAYOUT_CHAR,
  GABBRO_LAYOUT_UCHAR,
  GABBRO_LAYOUT_SHORT,
  GABBRO_LAYOUT_USHORT,
  GABBRO_LAYOUT_LONG,
  GABBRO_LAYOUT_ULONG,
  GABBRO_LAYOUT_HALF,
  GABBRO_LAYOUT_DOUBLE,
  GABBRO_LAYOUT_BFLOAT,
  GABBRO_LAYOUT_FP8E4M3,
  GABBRO_LAYOUT_FP8E5M2,
  GABBRO_LAYOUT_MATRIX
} GabbroLayoutKind;

/**
 * GabbroUsage:
 * @GABBRO_USAGE_NONE: the kernel does not touch it
 * @GABBRO_USAGE_READ: it reads it
 * @GABBRO_USAGE_WRITE: it writes it
 *
 * What a kernel does with an argument, found from its code.
 *
 * Since: 0.1
 */
typedef enum /*< flags >*/
{
  GABBRO_USAGE_NONE  = 0,
  GABBRO_USAGE_READ  = 1 << 0,
  GABBRO_USAGE_WRITE = 1 << 1
} GabbroUsage;

/**
 * GabbroSeverity:
 * @GABBRO_SEVERITY_ERROR: a mistake: the source cannot be compiled
 * @GABBRO_SEVERITY_WARNING: suspicious; it can be compiled
 * @GABBRO_SEVERITY_NOTE: a remark about the others
 *
 * How grave a #GabbroDiagnostic is.
 *
 * Since: 0.1
 */
typedef enum
{
  GABBRO_SEVERITY_ERROR,
  GABBRO_SEVERITY_WARNING,
  GABBRO_SEVERITY_NOTE
} GabbroSeverity;

/**
 * GabbroReportKind:
 * @GABBRO_REPORT_NOTE: about the reports themselves, such as how many were left out
 * @GABBRO_REPORT_OUT_OF_BOUNDS: an access outside a buffer, view, array or image
 * @GABBRO_REPORT_UNINITIALISED: a read of what nobody has written
 * @GABBRO_REPORT_RACE: two threads of one dispatch use the same bytes, nothing orders them, and one writes
 * @GABBRO_REPORT_DIVERGENT_BARRIER: threads of a workgroup wait at a barrier that others do not reach
 * @GABBRO_REPORT_MISALIGNED: a view that begins where no element may
 * @GABBRO_REPORT_OVERLAP: two arguments that share bytes, one of them written
 * @GABBRO_REPORT_SHIFT_RANGE: a shift or rotation by the width or more
 * @GABBRO_REPORT_CONVERT_RANGE: a number converted to an integer that cannot hold it
 * @GABBRO_REPORT_DIVISION_BY_ZERO: a division of integers that has no result
 * @GABBRO_REPORT_NAN: NaN from operands that are none
 * @GABBRO_REPORT_ENDLESS_LOOP: threads that ran further than they may
 * @GABBRO_REPORT_UNREACHABLE: a thread that came to a place which the source calls unreachable
 * @GABBRO_REPORT_INACTIVE_LANE: a value read from a thread of the subgroup that is not active
 * @GABBRO_REPORT_ASSERT: an assertion of the source that does not hold
 *
 * What a #GabbroReport is about.
 *
 * Since: 0.1
 */
typedef enum
{
  GABBRO_REPORT_NOTE,
  GABBRO_REPORT_OUT_OF_BOUNDS,
  GABBRO_REPORT_UNINITIALISED,
  GABBRO_REPORT_RACE,
  GABBRO_REPORT_DIVERGENT_BARRIER,
  GABBRO_REPORT_MISALIGNED,
  GABBRO_REPORT_OVERLAP,
  GABBRO_REPORT_SHIFT_RANGE,
  GABBRO_REPORT_CONVERT_RANGE,
  GABBRO_REPORT_DIVISION_BY_ZERO,
  GABBRO_REPORT_NAN,
  GABBRO_REPORT_ENDLESS_LOOP,
  GABBRO_REPORT_UNREACHABLE,
  GABBRO_REPORT_INACTIVE_LANE,
  GABBRO_REPORT_ASSERT
} GabbroReportKind;

G_END_DECLS

#endif
