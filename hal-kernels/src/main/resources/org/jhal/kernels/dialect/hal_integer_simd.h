// SPDX-License-Identifier: Apache-2.0
// Integer functions: of words that hold two or four numbers, sums of products, averages, and shifts of two words.
#ifndef HAL_INTEGER_SIMD_H
#define HAL_INTEGER_SIMD_H
#include "hal_names.h"
#if defined(HAL_HOST) || defined(HAL_HIP)

// NAME2 for the halves of a word and NAME4 for its bytes. `expression` is about a and b, two numbers that lie in the same
// place, and `mask`, all ones of their width. What is cut off of it is its upper part.
#define HAL_PARTS(name, count, parameters, type, expression)          \
  HAL_FUNCTION unsigned name##count parameters {                      \
    const unsigned mask = count == 2 ? 0xFFFF : 0xFF;                 \
    unsigned result = 0;                                              \
    for (unsigned at = 0; at < 32; at += 32 / count) {                \
      const int a = (type)(x >> at), b = (type)(y >> at);             \
      (void)a, (void)b;                                               \
      result |= ((unsigned)(expression) & mask) << at;                \
    }                                                                 \
    return result;                                                    \
  }
#define HAL_SIGNED(name, expression)                                         \
  HAL_PARTS(name, 2, (unsigned x, unsigned y), short, expression)            \
  HAL_PARTS(name, 4, (unsigned x, unsigned y), signed char, expression)
#define HAL_UNSIGNED(name, expression)                                       \
  HAL_PARTS(name, 2, (unsigned x, unsigned y), unsigned short, expression)   \
  HAL_PARTS(name, 4, (unsigned x, unsigned y), unsigned char, expression)
#define HAL_OF_ONE_WORD(name, both)                                          \
  HAL_FUNCTION unsigned name##2(unsigned x) { return both##2(x, x); }        \
  HAL_FUNCTION unsigned name##4(unsigned x) { return both##4(x, x); }

// The nearest number of `mask`'s width.
HAL_FUNCTION int hal_signed_part(int value, unsigned mask) {
  const int most = (int)(mask >> 1);
  return value > most ? most : value < -most - 1 ? -most - 1 : value;
}
HAL_FUNCTION int hal_unsigned_part(int value, unsigned mask) {
  return value < 0 ? 0 : value > (int)mask ? (int)mask : value;
}

HAL_UNSIGNED(__vadd, a + b)
HAL_UNSIGNED(__vsub, a - b)
HAL_SIGNED(__vaddss, hal_signed_part(a + b, mask))
HAL_SIGNED(__vsubss, hal_signed_part(a - b, mask))
HAL_UNSIGNED(__vaddus, hal_unsigned_part(a + b, mask))
HAL_UNSIGNED(__vsubus, hal_unsigned_part(a - b, mask))
HAL_SIGNED(__vabsdiffs, a > b ? a - b : b - a)
HAL_UNSIGNED(__vabsdiffu, a > b ? a - b : b - a)
HAL_SIGNED(__vavgs, (a + b + (a + b >= 0)) >> 1)
HAL_UNSIGNED(__vavgu, (a + b + 1) >> 1)
HAL_UNSIGNED(__vhaddu, (a + b) >> 1)
HAL_SIGNED(__vmaxs, a > b ? a : b)
HAL_SIGNED(__vmins, a < b ? a : b)
HAL_UNSIGNED(__vmaxu, a > b ? a : b)
HAL_UNSIGNED(__vminu, a < b ? a : b)
HAL_SIGNED(hal_vabs, a < 0 ? -a : a)
HAL_SIGNED(hal_vabsss, hal_signed_part(a < 0 ? -a : a, mask))
HAL_SIGNED(hal_vneg, -a)
HAL_SIGNED(hal_vnegss, hal_signed_part(-a, mask))
HAL_OF_ONE_WORD(__vabs, hal_vabs)
HAL_OF_ONE_WORD(__vabsss, hal_vabsss)
HAL_OF_ONE_WORD(__vneg, hal_vneg)
HAL_OF_ONE_WORD(__vnegss, hal_vnegss)
// __vcmpNAME: all ones where it is true; __vsetNAME: 1
#define HAL_COMPARED(signs, name, order)             \
  signs(__vcmp##name, a order b ? mask : 0)          \
  signs(__vset##name, a order b)
HAL_COMPARED(HAL_UNSIGNED, eq, ==)
HAL_COMPARED(HAL_UNSIGNED, ne, !=)
HAL_COMPARED(HAL_SIGNED, ges, >=)
HAL_COMPARED(HAL_SIGNED, gts, >)
HAL_COMPARED(HAL_SIGNED, les, <=)
HAL_COMPARED(HAL_SIGNED, lts, <)
HAL_COMPARED(HAL_UNSIGNED, geu, >=)
HAL_COMPARED(HAL_UNSIGNED, gtu, >)
HAL_COMPARED(HAL_UNSIGNED, leu, <=)
HAL_COMPARED(HAL_UNSIGNED, ltu, <)
// The sum of the absolute differences.
#define HAL_DIFFERENCES(name, count, type)                                      \
  HAL_FUNCTION unsigned name##count(unsigned x, unsigned y) {                   \
    unsigned sum = 0;                                                           \
    for (unsigned at = 0; at < 32; at += 32 / count) {                          \
      const int a = (type)(x >> at), b = (type)(y >> at);                       \
      sum += (unsigned)(a > b ? a - b : b - a);                                 \
    }                                                                           \
    return sum;                                                                 \
  }
HAL_DIFFERENCES(__vsads, 2, short)
HAL_DIFFERENCES(__vsads, 4, signed char)
HAL_DIFFERENCES(__vsadu, 2, unsigned short)
HAL_DIFFERENCES(__vsadu, 4, unsigned char)

// Sums of products of four bytes, or of two halves of x with the lower or upper two bytes of y.
#define HAL_DOT(result, name, first, second, count, shift)                                        \
  HAL_FUNCTION result name(result x, result y, result sum) {                                      \
    unsigned all = (unsigned)sum;                                                                 \
    for (unsigned i = 0; i < count; i++) {                                                        \
      const int a = (first)((unsigned)x >> (32 / count) * i), b = (second)((unsigned)y >> (shift + 8 * i)); \
      all += (unsigned)(a * b);                                                                   \
    }                                                                                             \
    return (result)all;                                                                           \
  }
HAL_DOT(int, __dp4a, signed char, signed char, 4, 0)
HAL_DOT(unsigned, __dp4a, unsigned char, unsigned char, 4, 0)
HAL_DOT(int, __dp2a_lo, short, signed char, 2, 0)
HAL_DOT(unsigned, __dp2a_lo, unsigned short, unsigned char, 2, 0)
HAL_DOT(int, __dp2a_hi, short, signed char, 2, 16)
HAL_DOT(unsigned, __dp2a_hi, unsigned short, unsigned char, 2, 16)
HAL_FUNCTION int __dp4a(char4 x, char4 y, int sum) { return sum + x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w; }
HAL_FUNCTION unsigned __dp4a(uchar4 x, uchar4 y, unsigned sum) {
  return sum + (unsigned)(x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w);
}
HAL_FUNCTION int __dp2a_lo(short2 x, char4 y, int sum) { return sum + x.x * y.x + x.y * y.y; }
HAL_FUNCTION int __dp2a_hi(short2 x, char4 y, int sum) { return sum + x.x * y.z + x.y * y.w; }
HAL_FUNCTION unsigned __dp2a_lo(ushort2 x, uchar4 y, unsigned sum) { return sum + (unsigned)(x.x * y.x + x.y * y.y); }
HAL_FUNCTION unsigned __dp2a_hi(ushort2 x, uchar4 y, unsigned sum) { return sum + (unsigned)(x.x * y.z + x.y * y.w); }

// The place of a bit that is set: the one at `base`, or the |nth| one from there, upward or downward; ~0 if there is none.
HAL_FUNCTION unsigned __fns(unsigned mask, unsigned base, int nth) {
  if (nth == 0) return mask >> (base & 31) & 1 ? base : ~0u;
  const int step = nth > 0 ? 1 : -1;
  for (int at = (int)base, left = nth * step; at >= 0 && at < 32; at += step) {
    if ((mask >> at & 1) && --left == 0) return (unsigned)at;
  }
  return ~0u;
}
#endif

#ifdef HAL_HOST
static inline int __hadd(int x, int y) { return (int)(((long long)x + y) >> 1); }
static inline int __rhadd(int x, int y) { return (int)(((long long)x + y + 1) >> 1); }
static inline unsigned __uhadd(unsigned x, unsigned y) { return (unsigned)(((unsigned long long)x + y) >> 1); }
static inline unsigned __urhadd(unsigned x, unsigned y) { return (unsigned)(((unsigned long long)x + y + 1) >> 1); }
static inline unsigned __usad(unsigned x, unsigned y, unsigned z) { return (x > y ? x - y : y - x) + z; }
static inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? low : shift ? high << shift | low >> (32 - shift) : high;
}
static inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? high : shift ? high << (32 - shift) | low >> shift : low;
}
static inline unsigned long long __brevll(unsigned long long x) {
  return (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32));
}
#endif
#endif
