/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The bits of floats. Those narrower than float are one algorithm over a table. */

#include "config.h"

#include "codegen/xir/evaluate-private.h"

#include <math.h>
#include <string.h>

/* FP8 is that of the OCP 8-bit floating point specification, in its saturating mode. */
struct format
{
  enum xir_type_kind kind;
  uint32_t width;
  int mantissa_bits;
  int bias;
  uint32_t largest;              /* bits of the largest finite number */
  uint32_t overflow;             /* bits of what is greater: infinity, or the largest number again */
  uint32_t nan;                  /* the one NaN that is made */
  bool has_infinity;
};

static const struct format formats[] = {
  { XIR_TYPE_FLOAT16, 16, 10, 15, 0x7bff, 0x7c00, 0x7e00, true },
  { XIR_TYPE_BFLOAT16, 16, 7, 127, 0x7f7f, 0x7f80, 0x7fc0, true },
  { XIR_TYPE_FLOAT8_E4M3, 8, 3, 7, 0x7e, 0x7e, 0x7f, false },
  { XIR_TYPE_FLOAT8_E5M2, 8, 2, 15, 0x7b, 0x7b, 0x7e, true },
};

static const struct format *
format_of (enum xir_type_kind kind)
{
  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    if (formats[i].kind == kind)
      return &formats[i];
  return NULL;
}

uint32_t
evaluate_width (enum xir_type_kind kind)
{
  switch (kind)
    {
    case XIR_TYPE_BOOL:
      return 1;
    case XIR_TYPE_INT8:
    case XIR_TYPE_UINT8:
    case XIR_TYPE_FLOAT8_E4M3:
    case XIR_TYPE_FLOAT8_E5M2:
      return 8;
    case XIR_TYPE_INT16:
    case XIR_TYPE_UINT16:
    case XIR_TYPE_FLOAT16:
    case XIR_TYPE_BFLOAT16:
      return 16;
    case XIR_TYPE_INT32:
    case XIR_TYPE_UINT32:
    case XIR_TYPE_FLOAT32:
      return 32;
    default:
      return 64;
    }
}

static double
read_narrow (const struct format *format,
             uint32_t bits)
{
  uint32_t sign = 1u << (format->width - 1), magnitude_bits = bits & (sign - 1);
  int exponent = (int) (magnitude_bits >> format->mantissa_bits);
  double mantissa = magnitude_bits & ((1u << format->mantissa_bits) - 1), magnitude;

  if (magnitude_bits > format->largest)
    magnitude = format->has_infinity && mantissa == 0 ? INFINITY : NAN;
  else if (exponent == 0)
    magnitude = ldexp (mantissa, 1 - format->bias - format->mantissa_bits);
  else
    magnitude = ldexp (mantissa + (1 << format->mantissa_bits), exponent - format->bias - format->mantissa_bits);
  return (bits & sign) != 0 ? -magnitude : magnitude;
}

/* Rounds to nearest even in one step. */
static uint32_t
write_narrow (const struct format *format,
              double real)
{
  uint32_t sign = signbit (real) ? 1u << (format->width - 1) : 0, bits;
  double magnitude = fabs (real);
  int exponent;

  if (isnan (real))
    return format->nan;
  if (isinf (real))
    return sign | format->overflow;
  if (magnitude == 0)
    return sign;
  frexp (magnitude, &exponent);
  if (exponent > format->bias + 2)
    return sign | format->overflow;
  if (exponent < 2 - format->bias)
    bits = (uint32_t) rint (ldexp (magnitude, format->bias + format->mantissa_bits - 1));
  else
    /* The leading bit of the mantissa is one more step of the exponent, and rounding
     * up to a power of two carries into it as it should. */
    bits = ((uint32_t) (exponent + format->bias - 2) << format->mantissa_bits)
           + (uint32_t) rint (ldexp (magnitude, format->mantissa_bits + 1 - exponent));
  return sign | (bits > format->largest ? format->overflow : bits);
}

double
evaluate_real_of_bits (enum xir_type_kind kind,
                       uint64_t bits)
{
  const struct format *format = format_of (kind);
  uint32_t word = (uint32_t) bits;
  float narrow;
  double real;

  if (format != NULL)
    return read_narrow (format, word);
  if (kind == XIR_TYPE_FLOAT32)
    {
      memcpy (&narrow, &word, sizeof narrow);
      return (double) narrow;
    }
  memcpy (&real, &bits, sizeof real);
  return real;
}

uint64_t
evaluate_bits_of_real (enum xir_type_kind kind,
                       double real)
{
  const struct format *format = format_of (kind);
  float narrow = (float) real;
  uint32_t word;
  uint64_t bits;

  if (format != NULL)
    return write_narrow (format, real);
  if (kind == XIR_TYPE_FLOAT32)
    {
      memcpy (&word, &narrow, sizeof word);
      return isnan (real) ? 0x7fc00000 : word;
    }
  memcpy (&bits, &real, sizeof bits);
  return isnan (real) ? UINT64_C (0x7ff8000000000000) : bits;
}
