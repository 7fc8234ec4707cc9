// SPDX-License-Identifier: Apache-2.0
// Exact results, rounded in a direction. A result is high + rest, where the rest is below one unit of high's last place,
// and only its sign matters.
#ifndef HAL_DIRECTED_H
#define HAL_DIRECTED_H

enum hal_mode { HAL_RN, HAL_RZ, HAL_RU, HAL_RD };

HAL_FUNCTION unsigned long long hal_bits_of(double x) { return (unsigned long long)__double_as_longlong(x); }
HAL_FUNCTION double hal_double_of_bits(unsigned long long bits) { return __longlong_as_double((long long)bits); }
HAL_FUNCTION int hal_sign(double x) { return (x > 0) - (x < 0); }
HAL_FUNCTION bool hal_is_finite(double x) { return x - x == 0; }

// (high + rest) * 2^scale as a number with so many bits of precision, whose largest exponent is `most`. `high` is finite
// and not 0. The bits are in the IEEE order: sign, exponent, fraction.
template <int Precision, int Most>
HAL_FUNCTION unsigned long long hal_directed(double high, int rest, int scale, hal_mode mode) {
  unsigned long long bits = hal_bits_of(high);
  const unsigned long long negative = bits >> 63, sign = negative << (Precision + (Most == 15 ? 4 : Most == 127 ? 7 : 10));
  bits &= ~0ull >> 1;
  int exponent = (int)(bits >> 52);
  unsigned long long fraction = bits & (~0ull >> 12);
  if (exponent > 0) {
    fraction |= 1ull << 52;
  } else {
    for (exponent = 1; !(fraction >> 52); exponent--) fraction <<= 1;
  }
  // Two bits more, the last of which stands for all that follows: then value = fraction * 2^(exponent - 54) exactly.
  fraction <<= 2;
  if (rest) fraction += (rest > 0) == (negative == 0) ? 1 : -1;
  exponent += scale - 1023;
  if (!(fraction >> 54)) {  // the rest was taken from a power of two
    fraction = (fraction << 1) | 1;
    exponent--;
  }
  const int least = 1 - Most;
  int drop = 55 - Precision;
  if (exponent < least) {
    drop = least - exponent < 64 ? drop + least - exponent : 64;
    exponent = least;
  }
  const unsigned long long kept = drop > 55 ? 0 : fraction >> drop;
  const unsigned long long dropped = drop > 55 ? fraction : fraction & ((1ull << drop) - 1);
  bool up = mode == HAL_RU ? !negative && dropped : mode == HAL_RD ? negative && dropped : false;
  if (mode == HAL_RN && drop <= 55) {
    const unsigned long long half = 1ull << (drop - 1);
    up = dropped > half || (dropped == half && (kept & 1));
  }
  // A carry goes into the exponent, which is what it should do.
  unsigned long long result = kept + up + ((unsigned long long)(exponent - least) << (Precision - 1));
  const unsigned long long infinity = (2ull * Most + 1) << (Precision - 1);
  if (result >= infinity) {
    const bool stays = mode == HAL_RZ || (mode == HAL_RU && negative) || (mode == HAL_RD && !negative);
    result = stays ? infinity - 1 : infinity;
  }
  return result | sign;
}

// The nearest number toward which a sum of two is rounded, and what is missing.
struct hal_sum {
  double high, rest;
};
HAL_FUNCTION hal_sum hal_two_sum(double x, double y) {
  hal_sum sum;
  sum.high = x + y;
  const double back = sum.high - x;
  sum.rest = (x - (sum.high - back)) + (y - back);
  return sum;
}
HAL_FUNCTION double hal_fused(double x, double y, double z) {
#ifdef HAL_HOST
  return __builtin_fma(x, y, z);
#else
  return fma(x, y, z);
#endif
}
// A product that no compiler fuses with a sum.
HAL_FUNCTION double hal_product(double x, double y) { return hal_fused(x, y, 0.0); }
// x * 2^e, if the result is a normal number.
HAL_FUNCTION double hal_times_power(double x, int e) {
  return hal_double_of_bits(hal_bits_of(x) + ((unsigned long long)(long long)e << 52));
}
// The exponent of a finite number that is not 0, and the number divided by that power of two: 1 <= |x| < 2.
HAL_FUNCTION int hal_split(double& x) {
  int by = 0;
  if ((hal_bits_of(x) << 1) >> 53 == 0) {
    x *= 18014398509481984.0;  // 2^54
    by = -54;
  }
  const int exponent = (int)(hal_bits_of(x) << 1 >> 53) - 1023;
  x = hal_times_power(x, -exponent);
  return exponent + by;
}

// A result before it is rounded. If it is special, `high` is it.
struct hal_exact {
  double high;
  int rest, scale;
  bool special;
};
HAL_FUNCTION hal_exact hal_made(double high, double rest, int scale, bool special) {
  hal_exact exact;
  exact.high = high;
  exact.rest = hal_sign(rest);
  exact.scale = scale;
  exact.special = special || high == 0;
  return exact;
}
// The zero that a sum of numbers is, which is negative if both are, or if it is rounded down and one is.
HAL_FUNCTION double hal_zero(double x, double y, hal_mode mode) {
  const bool one = hal_bits_of(x) >> 63, other = hal_bits_of(y) >> 63;
  return one && other ? -0.0 : (one || other) && mode == HAL_RD ? -0.0 : 0.0;
}

// A quarter of a number; of one that is too small for that, its sign is what counts beside a large one.
HAL_FUNCTION double hal_quarter(double x) {
  const double quarter = x * 0.25;
  return x != 0 && quarter == 0 ? hal_sign(x) * 1e-300 : quarter;
}
HAL_FUNCTION hal_exact hal_exact_sum(double x, double y, hal_mode mode) {
  if (!hal_is_finite(x) || !hal_is_finite(y)) return hal_made(x + y, 0, 0, true);
  if (x == -y) return hal_made(hal_zero(x, y, mode), 0, 0, true);
  int scale = 0;
  if (x > 8e307 || x < -8e307 || y > 8e307 || y < -8e307) {
    x = hal_quarter(x);  // so that the sum does not overflow
    y = hal_quarter(y);
    scale = 2;
  }
  const hal_sum sum = hal_two_sum(x, y);
  return hal_made(sum.high, sum.rest, scale, false);
}
HAL_FUNCTION hal_exact hal_exact_product(double x, double y) {
  if (!hal_is_finite(x) || !hal_is_finite(y) || x == 0 || y == 0) return hal_made(x * y, 0, 0, true);
  const int scale = hal_split(x) + hal_split(y);
  const double high = hal_product(x, y);
  return hal_made(high, hal_fused(x, y, -high), scale, false);
}
HAL_FUNCTION hal_exact hal_exact_quotient(double x, double y) {
  if (!hal_is_finite(x) || !hal_is_finite(y) || x == 0 || y == 0) return hal_made(x / y, 0, 0, true);
  int scale = hal_split(x);
  scale -= hal_split(y);
  const double high = x / y;
  return hal_made(high, hal_fused(-high, y, x) * hal_sign(y), scale, false);
}
HAL_FUNCTION hal_exact hal_exact_root(double x) {
#ifdef HAL_HOST
#define HAL_ROOT(x) __builtin_sqrt(x)
#else
#define HAL_ROOT(x) sqrt(x)
#endif
  if (!(x > 0) || !hal_is_finite(x)) return hal_made(HAL_ROOT(x), 0, 0, true);
  int scale = hal_split(x);
  if (scale & 1) {
    x *= 2;
    scale--;
  }
  const double high = HAL_ROOT(x);
  return hal_made(high, hal_fused(-high, high, x), scale / 2, false);
#undef HAL_ROOT
}
HAL_FUNCTION hal_exact hal_exact_fused(double x, double y, double z, hal_mode mode) {
  const bool special = !hal_is_finite(x) || !hal_is_finite(y) || !hal_is_finite(z);
  if (special) return hal_made(hal_fused(x, y, z), 0, 0, true);
  if (x == 0 || y == 0) {
    return z == 0 ? hal_made(hal_zero(x * y, z, mode), 0, 0, true) : hal_made(z, 0, 0, false);
  }
  int scale = hal_split(x);
  scale += hal_split(y);
  const double high = hal_product(x, y);
  const double low = hal_fused(x, y, -high);
  if (z == 0) return hal_made(high, low, scale, false);
  const int by = hal_split(z) - scale;
  if (by > 150) return hal_made(z, high, by + scale, false);  // the product is less than a unit of z's last place
  const double added = by < -400 ? hal_sign(z) * 1e-100 : hal_times_power(z, by);
  const hal_sum first = hal_two_sum(high, added);
  const hal_sum second = hal_two_sum(first.rest, low);
  hal_sum whole = hal_two_sum(first.high, second.high);
  double last = second.rest;
  if (whole.high == 0) {
    whole.high = last;
    last = 0;
  }
  if (whole.high == 0) return hal_made(hal_zero(hal_sign(high), hal_sign(z), mode), 0, 0, true);
  return hal_made(whole.high, whole.rest != 0 ? whole.rest : last, scale, false);
}
HAL_FUNCTION hal_exact hal_exact_integer(long long x) {
  const hal_sum sum = hal_two_sum((double)(x >> 32) * 4294967296.0, (double)(x & 0xFFFFFFFFll));
  return hal_made(sum.high, sum.rest, 0, false);
}
HAL_FUNCTION hal_exact hal_exact_unsigned(unsigned long long x) {
  const hal_sum sum = hal_two_sum((double)(x >> 32) * 4294967296.0, (double)(x & 0xFFFFFFFFull));
  return hal_made(sum.high, sum.rest, 0, false);
}
HAL_FUNCTION hal_exact hal_exact_number(double x) { return hal_made(x, 0, 0, !hal_is_finite(x)); }

HAL_FUNCTION float hal_to_float(hal_exact x, hal_mode mode) {
  return x.special ? (float)x.high : __uint_as_float((unsigned)hal_directed<24, 127>(x.high, x.rest, x.scale, mode));
}
HAL_FUNCTION double hal_to_double(hal_exact x, hal_mode mode) {
  return x.special ? x.high : hal_double_of_bits(hal_directed<53, 1023>(x.high, x.rest, x.scale, mode));
}
// The bits of a number of another kind; those of NaN are `nan`.
template <int Precision, int Most>
HAL_FUNCTION unsigned short hal_to_short(hal_exact x, hal_mode mode, unsigned short nan) {
  if (!x.special) return (unsigned short)hal_directed<Precision, Most>(x.high, x.rest, x.scale, mode);
  if (x.high != x.high) return nan;
  const unsigned infinity = (2u * Most + 1) << (Precision - 1);
  return (unsigned short)((hal_bits_of(x.high) >> 63 ? 0x8000u : 0) | (x.high == 0 ? 0 : infinity));
}
#endif
