// SPDX-License-Identifier: Apache-2.0
// The functions of C's <math.h>, under their names, as far as a compiler for Vulkan leaves them to a library. Vulkan's own are
// not accurate enough. Those of float are computed in double. HAL_C(name) is how a function of that name is declared.
#ifndef HAL_LIBM_H
#define HAL_LIBM_H

#define HAL_M static inline __attribute__((always_inline))
#define HAL_SLOW static __attribute__((noinline)) // not worth copies
HAL_M unsigned long long hal_m_bits(double x) { unsigned long long b; __builtin_memcpy(&b, &x, 8); return b; }
HAL_M double hal_m_double(unsigned long long b) { double x; __builtin_memcpy(&x, &b, 8); return x; }
HAL_M unsigned hal_m_word(float x) { unsigned b; __builtin_memcpy(&b, &x, 4); return b; }
HAL_M float hal_m_float(unsigned b) { float x; __builtin_memcpy(&x, &b, 4); return x; }
HAL_M double hal_m_abs(double x) { return hal_m_double(hal_m_bits(x) & ~0ull >> 1); }
HAL_M double hal_m_signed(double size, double sign) {
  return hal_m_double((hal_m_bits(size) & ~0ull >> 1) | (hal_m_bits(sign) & 1ull << 63));
}
#define HAL_M_INF hal_m_double(0x7FFull << 52)
#define HAL_M_NAN hal_m_double(0x7FF8ull << 48)

// Integers of 128 bits, which the compiler lacks.
struct hal_wide { unsigned long long high, low; };
HAL_M hal_wide hal_m_wide_product(unsigned long long x, unsigned long long y) {
  const unsigned long long a = x >> 32, b = x & 0xFFFFFFFF, c = y >> 32, d = y & 0xFFFFFFFF;
  const unsigned long long middle = a * d + (b * d >> 32), other = b * c + (middle & 0xFFFFFFFF);
  return {a * c + (middle >> 32) + (other >> 32), x * y};
}
HAL_M hal_wide hal_m_wide_left(hal_wide x, int by) { // by 0 to 127
  if (by == 0) return x;
  return by < 64 ? hal_wide{x.high << by | x.low >> (64 - by), x.low << by} : hal_wide{x.low << (by - 64), 0};
}
HAL_M hal_wide hal_m_wide_right(hal_wide x, int by) {
  if (by == 0) return x;
  return by < 64 ? hal_wide{x.high >> by, x.low >> by | x.high << (64 - by)} : hal_wide{0, x.high >> (by - 64)};
}
HAL_M hal_wide hal_m_wide_sum(hal_wide x, hal_wide y) {
  const unsigned long long low = x.low + y.low;
  return {x.high + y.high + (low < x.low), low};
}
HAL_M hal_wide hal_m_wide_difference(hal_wide x, hal_wide y) {
  return {x.high - y.high - (x.low < y.low), x.low - y.low};
}
HAL_M bool hal_m_wide_less(hal_wide x, hal_wide y) { return x.high < y.high || (x.high == y.high && x.low < y.low); }

// Numbers as the sum of two, the second at most half a unit of the first.
struct hal_pair { double high, low; };
HAL_M hal_pair hal_m_sum(double a, double b) {
  const double s = a + b, t = s - a;
  return {s, (a - (s - t)) + (b - t)};
}
HAL_M hal_pair hal_m_fast_sum(double a, double b) { // if a is the larger one
  const double s = a + b;
  return {s, b - (s - a)};
}
HAL_M hal_pair hal_m_product(double a, double b) { // without overflow, below 2^970
  const double c = a * 134217729.0, d = b * 134217729.0;
  const double a1 = c - (c - a), a2 = a - a1, b1 = d - (d - b), b2 = b - b1, p = a * b;
  return {p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2};
}
HAL_M hal_pair hal_m_times(hal_pair a, hal_pair b) {
  const hal_pair p = hal_m_product(a.high, b.high);
  return hal_m_fast_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}
HAL_M hal_pair hal_m_plus(hal_pair a, hal_pair b) {
  const hal_pair s = hal_m_sum(a.high, b.high);
  return hal_m_fast_sum(s.high, s.low + (a.low + b.low));
}

// x * 2^n, rounded once.
HAL_SLOW double hal_m_scaled(double x, int n) {
  if (n > 2200) n = 2200;
  if (n < -2200) n = -2200;
  while (n > 1023) x *= hal_m_double(0x7FEull << 52), n -= 1023;
  if (n < -1022) {
    // The last step rounds, the ones before are exact while the number is normal.
    while (n < -1022 - 1000 + 53) x *= hal_m_double((1023ull - 900) << 52), n += 900;
    if (n < -1022) x *= hal_m_double((unsigned long long)(1023 + n + 969) << 52), n = -969;
  }
  return x * hal_m_double((unsigned long long)(1023 + n) << 52);
}
// The exponent, and the number scaled to [1, 2). Not for 0, infinity and NaN.
HAL_M int hal_m_split(double x, double* part) {
  int more = 0;
  unsigned long long b = hal_m_bits(x);
  if (!(b >> 52 & 0x7FF)) b = hal_m_bits(x * 18014398509481984.0), more = -54;
  *part = hal_m_double((b & ~(0x7FFull << 52)) | 0x3FFull << 52);
  return (int)(b >> 52 & 0x7FF) - 1023 + more;
}

// ---- exponential functions ----

// exp(r + low) - 1 for |r| <= 0.35
HAL_M hal_pair hal_m_exp_part(double r, double low) {
  double p = 1.0 / 87178291200.0;
  p = p * r + 1.0 / 6227020800.0;
  p = p * r + 1.0 / 479001600.0;
  p = p * r + 1.0 / 39916800.0;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  const hal_pair square = hal_m_product(r, r * 0.5);
  const hal_pair sum = hal_m_fast_sum(r, square.high);
  return hal_m_fast_sum(sum.high, sum.low + (square.low + p * r * r * r + low * (1 + r + r * r * (0.5 + r * (1.0 / 6 + r / 24)))));
}
HAL_SLOW double hal_m_exp(double x, double low) {
  if (x != x) return x;
  if (x > 710) return HAL_M_INF;
  if (x < -746) return 0;
  const double k = __builtin_rint(x * 1.4426950408889634);
  const double high = x - k * 0x1.62e42fee00000p-1, rest = k * 0x1.a39ef35793c76p-33;
  const hal_pair r = hal_m_sum(high, -rest);
  const hal_pair e = hal_m_exp_part(r.high, r.low + low);
  const hal_pair sum = hal_m_fast_sum(1, e.high);
  return hal_m_scaled(sum.high + (sum.low + e.low), (int)k);
}
HAL_SLOW double hal_m_exp2(double x) {
  if (x != x) return x;
  if (x >= 1024) return HAL_M_INF;
  if (x < -1076) return 0;
  const double k = __builtin_rint(x);
  const hal_pair r = hal_m_times({x - k, 0}, {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56});
  const hal_pair e = hal_m_exp_part(r.high, r.low);
  const hal_pair sum = hal_m_fast_sum(1, e.high);
  return hal_m_scaled(sum.high + (sum.low + e.low), (int)k);
}
HAL_SLOW double hal_m_expm1(double x) {
  if (x != x || x == 0) return x;
  if (x > 710) return HAL_M_INF;
  if (x < -40) return -1;
  const double k = __builtin_rint(x * 1.4426950408889634);
  const hal_pair r = hal_m_sum(x - k * 0x1.62e42fee00000p-1, -(k * 0x1.a39ef35793c76p-33));
  const hal_pair e = hal_m_exp_part(r.high, r.low);
  if (k == 0) return e.high + e.low;
  if (k > 1000) return hal_m_scaled(1 + e.high, (int)k);
  const double scale = hal_m_double((unsigned long long)(1023 + (int)k) << 52);
  const hal_pair sum = hal_m_sum(scale - 1, e.high * scale);
  return sum.high + (sum.low + e.low * scale);
}

// ---- logarithms ----

// log(x) for x > 0 and finite, as the pair of a number and its rest; `exponent` is what was taken out as a power of two
HAL_M hal_pair hal_m_log_part(double x, int* exponent) {
  double m;
  int e = hal_m_split(x, &m);
  if (m > 1.4142135623730951) m *= 0.5, e += 1;
  *exponent = e;
  const double f = m - 1, g = m + 1; // f is exact, g not
  const double rest = (m - (g - 1)) ;
  const double q = f / g;
  const hal_pair back = hal_m_product(q, g);
  const hal_pair s = hal_m_fast_sum(q, (((f - back.high) - back.low) - q * rest) / g);
  const hal_pair z = hal_m_times(s, s);
  double p = 1.0 / 27;
  p = p * z.high + 1.0 / 25;
  p = p * z.high + 1.0 / 23;
  p = p * z.high + 1.0 / 21;
  p = p * z.high + 1.0 / 19;
  p = p * z.high + 1.0 / 17;
  p = p * z.high + 1.0 / 15;
  p = p * z.high + 1.0 / 13;
  p = p * z.high + 1.0 / 11;
  p = p * z.high + 1.0 / 9;
  p = p * z.high + 1.0 / 7;
  p = p * z.high + 1.0 / 5;
  const hal_pair third = hal_m_times(z, {0x1.5555555555555p-2, 0x1.5555555555555p-56});
  const hal_pair tail = hal_m_plus(third, {p * z.high * z.high, 0});
  const hal_pair more = hal_m_times(s, tail);
  const hal_pair half = hal_m_plus(s, more);
  return {2 * half.high, 2 * half.low};
}
HAL_M hal_pair hal_m_log_pair(double x) {
  int e;
  const hal_pair part = hal_m_log_part(x, &e);
  const hal_pair power = hal_m_sum(e * 0x1.62e42fee00000p-1, e * 0x1.a39ef35600000p-33);
  return hal_m_plus({power.high, power.low + e * 0x1.93c7673007e5fp-65}, part);
}
HAL_M double hal_m_no_log(double x) { return x == 0 ? -HAL_M_INF : x > 0 || x != x ? x : HAL_M_NAN; }
HAL_M bool hal_m_has_log(double x) { return x > 0 && x < HAL_M_INF; }
HAL_SLOW double hal_m_log(double x) {
  if (!hal_m_has_log(x)) return hal_m_no_log(x);
  const hal_pair log = hal_m_log_pair(x);
  return log.high + log.low;
}
HAL_M double hal_m_log_in(double x, hal_pair per, double power) { // `power` is the logarithm of 2
  if (!hal_m_has_log(x)) return hal_m_no_log(x);
  int e;
  const hal_pair part = hal_m_times(hal_m_log_part(x, &e), per);
  const hal_pair sum = hal_m_sum(e * power, part.high);
  return sum.high + (sum.low + part.low);
}
HAL_SLOW double hal_m_log2(double x) {
  return hal_m_log_in(x, {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56}, 1);
}
HAL_SLOW double hal_m_log10(double x) {
  if (!hal_m_has_log(x)) return hal_m_no_log(x);
  const hal_pair log = hal_m_times(hal_m_log_pair(x), {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57});
  return log.high + log.low;
}
HAL_SLOW double hal_m_log1p(double x) {
  if (x == 0) return x;
  if (!(x > -1 && x < HAL_M_INF)) return x == -1 ? -HAL_M_INF : hal_m_no_log(x);
  const hal_pair u = hal_m_sum(1, x);
  const hal_pair log = hal_m_log_pair(u.high);
  return log.high + (log.low + u.low / u.high);
}

// ---- powers and roots ----

HAL_M bool hal_m_is_whole(double y) { return hal_m_abs(y) >= 4503599627370496.0 || __builtin_trunc(y) == y; }
HAL_M bool hal_m_is_odd(double y) {
  return hal_m_abs(y) < 9007199254740992.0 && hal_m_is_whole(y) && __builtin_trunc(y * 0.5) * 2 != y;
}
HAL_SLOW double hal_m_pow(double x, double y) {
  if (y == 0 || x == 1) return 1;
  if (x != x || y != y) return x + y;
  const double size = hal_m_abs(x), far = hal_m_abs(y);
  const double sign = x < 0 || hal_m_bits(x) >> 63 ? (hal_m_is_odd(y) ? -1.0 : 1.0) : 1.0;
  if (far == HAL_M_INF) return size == 1 ? 1 : (size > 1) == (y > 0) ? HAL_M_INF : 0;
  if (size == 0 || size == HAL_M_INF) return hal_m_signed((size == 0) == (y > 0) ? 0 : HAL_M_INF, sign);
  if (x < 0 && !hal_m_is_whole(y)) return HAL_M_NAN;
  if (size == 1) return sign;
  if (far > 1e20) return hal_m_signed((size > 1) == (y > 0) ? HAL_M_INF : 0, sign);
  const hal_pair log = hal_m_log_pair(size);
  const hal_pair product = hal_m_times(log, {y, 0});
  return hal_m_signed(hal_m_exp(product.high, product.low), sign);
}
// Newton's method, since Vulkan's root need not be exact.
extern "C" double hal_sqrt_f64(double x);
extern "C" float hal_sqrt_f32(float x);
HAL_M double hal_m_near_sqrt(double x) {
  const double root = hal_sqrt_f64(x);
  const hal_pair square = hal_m_product(root, root);
  const double step = ((x - square.high) - square.low) / (2 * root);
  const double half_unit = hal_m_double(hal_m_bits(root) & 0x7FFull << 52) * 0x1p-53;
  return hal_m_abs(step) > half_unit ? root + step : root;
}
HAL_SLOW double hal_m_sqrt(double x) {
  if (!(x > 0 && x < HAL_M_INF)) return x == 0 || x > 0 || x != x ? x : HAL_M_NAN;
  double m;
  int e = hal_m_split(x, &m);
  if (e & 1) m *= 2, e -= 1;
  return hal_m_scaled(hal_m_near_sqrt(m), e / 2);
}
HAL_SLOW double hal_m_cbrt(double x) {
  const double size = hal_m_abs(x);
  if (!(size > 0 && size < HAL_M_INF)) return x;
  double m;
  int e = hal_m_split(size, &m);
  int third = (e + 3000) / 3 - 1000;
  m *= hal_m_double((unsigned long long)(1023 + e - 3 * third) << 52);
  double root = hal_m_exp(hal_m_log(m) / 3, 0);
  const hal_pair square = hal_m_product(root, root);
  const hal_pair cube = hal_m_times(square, {root, 0});
  root -= ((cube.high - m) + cube.low) / (3 * square.high);
  return hal_m_signed(hal_m_scaled(root, third), x);
}
HAL_SLOW double hal_m_hypot(double x, double y) {
  double a = hal_m_abs(x), b = hal_m_abs(y);
  if (a == HAL_M_INF || b == HAL_M_INF) return HAL_M_INF;
  if (a != a || b != b) return HAL_M_NAN;
  if (a < b) { const double c = a; a = b, b = c; }
  if (b == 0) return a;
  double m;
  const int e = hal_m_split(a, &m);
  b = hal_m_scaled(b, -e);
  const hal_pair p = hal_m_product(m, m), q = hal_m_product(b, b);
  const hal_pair sum = hal_m_plus(p, q);
  const double root = hal_m_near_sqrt(sum.high);
  return hal_m_scaled(root + sum.low / (2 * root), e);
}

// ---- trigonometric functions ----

// x * 2 / pi, for x of any size: the nearest integer, of which 2 bits matter, and the rest in radians
HAL_SLOW int hal_m_far_quarter(double x, hal_pair* rest) {
  static constexpr unsigned long long bits[20] = {
      0xA2F9836E4E441529ull, 0xFC2757D1F534DDC0ull, 0xDB6295993C439041ull, 0xFE5163ABDEBBC561ull, 0xB7246E3A424DD2E0ull,
      0x06492EEA09D1921Cull, 0xFE1DEB1CB129A73Eull, 0xE88235F52EBB4484ull, 0xE99C7026B45F7E41ull, 0x3991D639835339F4ull,
      0x9C845F8BBDF9283Bull, 0x1FF897FFDE05980Full, 0xEF2F118B5A0A6D1Full, 0x6D367ECF27CB09B7ull, 0x4F463F669E5FEA2Dull,
      0x7527BAC7EBE5F17Bull, 0x3D0739F78A5292EAull, 0x6BFB5FB11F8D5D08ull, 0x56033046FC7B6BABull, 0xF0CFBC209AF4361Dull};
  double part;
  const int e = hal_m_split(x, &part) - 52; // x = m * 2^e
  const unsigned long long m = (hal_m_bits(part) & ~0ull >> 12) | 1ull << 52;
  // Bits of 2 / pi from 2^-(first + 1) on: those before it give multiples of 4 quarters.
  const int first = e - 2;
  unsigned long long w[3];
  if (first < 0) { // at most 38, since x is at least 10^5
    w[0] = bits[0] >> -first;
    w[1] = bits[0] << (64 + first) | bits[1] >> -first;
    w[2] = bits[1] << (64 + first) | bits[2] >> -first;
  } else {
    const int word = first / 64, shift = first % 64;
    for (int i = 0; i < 3; i++) {
      w[i] = bits[word + i] << shift | (shift ? bits[word + i + 1] >> (64 - shift) : 0);
    }
  }
  // m * w: its fraction times 4 is the number of quarters.
  const hal_wide low = hal_m_wide_product(m, w[2]);
  const hal_wide middle = hal_m_wide_sum(hal_m_wide_product(m, w[1]), {0, low.high});
  const unsigned long long high = m * w[0] + middle.high, more = middle.low;
  int quarter = (int)(high >> 62);
  unsigned long long a = high << 2 | more >> 62, b = more << 2 | low.low >> 62;
  const bool up = a >> 63;
  quarter += up;
  if (up) { a = ~a, b = ~b; }
  const double h = (double)a, fine = (double)b * 0x1p-64 + (double)(long long)(a - (unsigned long long)h);
  const hal_pair f = hal_m_fast_sum(h * 0x1p-64, fine * 0x1p-64);
  hal_pair r = hal_m_times(f, {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54});
  if (up) r.high = -r.high, r.low = -r.low;
  *rest = r;
  return quarter & 3;
}
HAL_M int hal_m_quarter(double x, hal_pair* rest) {
  const double size = hal_m_abs(x);
  if (size < 0.78) { *rest = {x, 0}; return 0; }
  if (size < 100000) {
    const double k = __builtin_rint(x * 0.6366197723675814);
    const double a = x - k * 0x1.921fb54400000p+0; // exact
    const hal_pair b = hal_m_sum(a, -(k * 0x1.0b4611a600000p-34));
    const hal_pair c = hal_m_sum(b.high, b.low - k * 0x1.3198a2e000000p-69);
    *rest = {c.high, c.low - k * 0x1.b839a252049c1p-104};
    return (int)k & 3;
  }
  const int quarter = hal_m_far_quarter(size, rest);
  if (x > 0) return quarter;
  *rest = {-rest->high, -rest->low};
  return -quarter & 3;
}
HAL_M double hal_m_sin_part(hal_pair r) { // |r| <= 0.8
  const double x = r.high, z = x * x;
  double p = -1.0 / 1.21645100408832e17;
  p = p * z + 1.0 / 355687428096000.0;
  p = p * z - 1.0 / 1307674368000.0;
  p = p * z + 1.0 / 6227020800.0;
  p = p * z - 1.0 / 39916800.0;
  p = p * z + 1.0 / 362880.0;
  p = p * z - 1.0 / 5040.0;
  p = p * z + 1.0 / 120.0;
  p = p * z - 1.0 / 6.0;
  return x + (p * z * x + r.low * (1 - 0.5 * z));
}
HAL_M double hal_m_cos_part(hal_pair r) {
  const double x = r.high, z = x * x;
  double p = 1.0 / 2.43290200817664e18;
  p = p * z - 1.0 / 6402373705728000.0;
  p = p * z + 1.0 / 20922789888000.0;
  p = p * z - 1.0 / 87178291200.0;
  p = p * z + 1.0 / 479001600.0;
  p = p * z - 1.0 / 3628800.0;
  p = p * z + 1.0 / 40320.0;
  p = p * z - 1.0 / 720.0;
  p = p * z + 1.0 / 24.0;
  const double half = 0.5 * z, near = 1 - half;
  return near + (((1 - near) - half) + (p * z * z - x * r.low));
}
HAL_SLOW double hal_m_sin(double x) {
  if (!(hal_m_abs(x) < HAL_M_INF)) return HAL_M_NAN;
  if (x == 0) return x;
  hal_pair r;
  const int quarter = hal_m_quarter(x, &r);
  const double value = quarter & 1 ? hal_m_cos_part(r) : hal_m_sin_part(r);
  return quarter & 2 ? -value : value;
}
HAL_SLOW double hal_m_cos(double x) {
  if (!(hal_m_abs(x) < HAL_M_INF)) return HAL_M_NAN;
  hal_pair r;
  const int quarter = hal_m_quarter(x, &r);
  const double value = quarter & 1 ? hal_m_sin_part(r) : hal_m_cos_part(r);
  return (quarter + 1) & 2 ? -value : value;
}
HAL_SLOW double hal_m_tan(double x) {
  if (!(hal_m_abs(x) < HAL_M_INF)) return HAL_M_NAN;
  if (x == 0) return x;
  hal_pair r;
  const int quarter = hal_m_quarter(x, &r);
  const double s = hal_m_sin_part(r), c = hal_m_cos_part(r);
  return quarter & 1 ? -c / s : s / c;
}

// atan(t) for |t| <= 0.2
HAL_M double hal_m_atan_series(double t) {
  const double z = t * t;
  double p = 0;
  for (int k = 23; k >= 3; k -= 2) p = 1.0 / k - z * p;
  return -z * p * t;
}
// atan(y / x) for y, x > 0: the pair of the value and its rest
HAL_M double hal_m_angle(double y, double x) {
  static constexpr double high[9] = {0, 0x1.fd5ba9aac2f6ep-4, 0x1.f5b75f92c80ddp-3, 0x1.6f61941e4def1p-2, 0x1.dac670561bb4fp-2,
                                     0x1.1e00babdefeb4p-1, 0x1.4978fa3269ee1p-1, 0x1.700a7c5784634p-1, 0x1.921fb54442d18p-1};
  static constexpr double low[9] = {0, -0x1.cd37686760c17p-59, 0x1.8ab6e3cf7afbdp-57, -0x1.c63aae6f6e918p-56, 0x1.a2b7f222f65e2p-56,
                                    -0x1.928df287a668fp-58, 0x1.2419a87f2a458p-56, -0x1.8c34d25aadef6p-56, 0x1.1a62633145c07p-55};
  const bool swap = y > x;
  const double n = swap ? x : y, d = swap ? y : x;
  const double q = n / d;
  const int i = (int)(q * 8 + 0.5);
  const double c = i * 0.125;
  // (n - c d) / (d + c n)
  const hal_pair cd = hal_m_product(c, d);
  const double t = ((n - cd.high) - cd.low) / (d + c * n);
  const double a = high[i], rest = low[i] + hal_m_atan_series(t);
  const hal_pair sum = hal_m_sum(a, t);
  const double more = sum.low + rest;
  if (!swap) return sum.high + more;
  const hal_pair turned = hal_m_sum(0x1.921fb54442d18p+0, -sum.high);
  return turned.high + ((turned.low - more) + 0x1.1a62633145c07p-54);
}
HAL_SLOW double hal_m_atan(double x) {
  const double size = hal_m_abs(x);
  if (x != x || size < 1e-9) return x;
  if (size > 1e17) return hal_m_signed(1.5707963267948966, x);
  return hal_m_signed(hal_m_angle(size, 1), x);
}
HAL_SLOW double hal_m_atan2(double y, double x) {
  if (x != x || y != y) return HAL_M_NAN;
  double a = hal_m_abs(y), b = hal_m_abs(x);
  const bool behind = hal_m_bits(x) >> 63;
  double angle;
  if (a == 0 || b == 0) {
    angle = a == 0 ? 0 : 1.5707963267948966;
    if (a == 0 && behind) return hal_m_signed(3.141592653589793, y);
    return hal_m_signed(angle, y);
  }
  if (a == HAL_M_INF || b == HAL_M_INF) {
    angle = a != b ? (a > b ? 1.5707963267948966 : 0) : 0.7853981633974483;
    if (behind) angle = a != b ? (a > b ? angle : 3.141592653589793) : 2.356194490192345;
    return hal_m_signed(angle, y);
  }
  double m, n;
  const int e = hal_m_split(a, &m), f = hal_m_split(b, &n);
  if (e - f > 60) return hal_m_signed(1.5707963267948966, y);
  if (f - e > 60) {
    const double small = hal_m_scaled(m / n, e - f);
    return hal_m_signed(behind ? 3.141592653589793 : small, y);
  }
  const double scale = hal_m_double((unsigned long long)(1023 + e - f) << 52);
  angle = hal_m_angle(m * scale, n);
  if (behind) {
    const hal_pair turned = hal_m_sum(3.141592653589793, -angle);
    angle = turned.high + (turned.low + 1.2246467991473532e-16);
  }
  return hal_m_signed(angle, y);
}
HAL_SLOW double hal_m_asin(double x) {
  const double size = hal_m_abs(x);
  if (!(size <= 1)) return HAL_M_NAN;
  if (size < 1e-8) return x;
  if (size == 1) return hal_m_signed(1.5707963267948966, x);
  const hal_pair square = hal_m_product(size, size);
  const hal_pair rest = hal_m_plus({1, 0}, {-square.high, -square.low});
  const double root = hal_m_near_sqrt(rest.high + rest.low);
  return hal_m_signed(hal_m_angle(size, root), x);
}
HAL_SLOW double hal_m_acos(double x) {
  if (!(hal_m_abs(x) <= 1)) return HAL_M_NAN;
  if (x == 1) return 0;
  if (x == -1) return 3.141592653589793;
  const hal_pair square = hal_m_product(x, x);
  const hal_pair rest = hal_m_plus({1, 0}, {-square.high, -square.low});
  return hal_m_atan2(hal_m_near_sqrt(rest.high + rest.low), x);
}

// ---- hyperbolic functions ----

HAL_SLOW double hal_m_sinh(double x) {
  const double size = hal_m_abs(x);
  if (!(size > 1e-9 && size < HAL_M_INF)) return x;
  if (size > 700) {
    const double half = hal_m_exp(size / 2, 0);
    return hal_m_signed(half * 0.5 * half, x);
  }
  const double e = hal_m_expm1(size);
  return hal_m_signed(0.5 * (e + e / (e + 1)), x);
}
HAL_SLOW double hal_m_cosh(double x) {
  const double size = hal_m_abs(x);
  if (size != size) return x;
  if (size > 700) {
    const double half = hal_m_exp(size / 2, 0);
    return half * 0.5 * half;
  }
  const double e = hal_m_exp(size, 0);
  return 0.5 * e + 0.5 / e;
}
HAL_SLOW double hal_m_tanh(double x) {
  const double size = hal_m_abs(x);
  if (!(size > 1e-9)) return x;
  if (size > 22) return hal_m_signed(1, x);
  const double e = hal_m_expm1(2 * size);
  return hal_m_signed(size < 1 ? e / (e + 2) : 1 - 2 / (e + 2), x);
}
HAL_SLOW double hal_m_asinh(double x) {
  const double size = hal_m_abs(x);
  if (!(size > 1e-9 && size < HAL_M_INF)) return x;
  if (size > 1e9) return hal_m_signed(hal_m_log(size) + 0.6931471805599453, x);
  const double square = size * size;
  return hal_m_signed(hal_m_log1p(size + square / (1 + hal_m_sqrt(1 + square))), x);
}
HAL_SLOW double hal_m_acosh(double x) {
  if (!(x >= 1)) return HAL_M_NAN;
  if (x > 1e9) return hal_m_log(x) + 0.6931471805599453;
  const double f = x - 1;
  return hal_m_log1p(f + hal_m_sqrt(2 * f + f * f));
}
HAL_SLOW double hal_m_atanh(double x) {
  const double size = hal_m_abs(x);
  if (size > 1 || x != x) return HAL_M_NAN;
  if (size == 1) return hal_m_signed(HAL_M_INF, x);
  if (size < 1e-9) return x;
  return hal_m_signed(0.5 * hal_m_log1p(2 * size / (1 - size)), x);
}

// ---- remainders and parts ----

// |x| - n |y| with the last bits of n in `quotient`; not for 0, infinity and NaN
HAL_M double hal_m_rest(double x, double y, unsigned* quotient) {
  double m, n;
  const int e = hal_m_split(x, &m), f = hal_m_split(y, &n);
  unsigned q = 0;
  if (e < f) { *quotient = 0; return x; }
  unsigned long long a = (hal_m_bits(m) & ~0ull >> 12) | 1ull << 52;
  const unsigned long long b = (hal_m_bits(n) & ~0ull >> 12) | 1ull << 52;
  for (int i = e - f; i >= 0; i--) {
    q <<= 1;
    if (a >= b) a -= b, q |= 1;
    if (i) a <<= 1;
  }
  *quotient = q;
  return hal_m_scaled((double)a, f - 52);
}
HAL_SLOW double hal_m_fmod(double x, double y) {
  const double a = hal_m_abs(x), b = hal_m_abs(y);
  if (!(a < HAL_M_INF) || b == 0 || b != b) return HAL_M_NAN;
  if (b == HAL_M_INF || a == 0 || a < b) return x;
  unsigned quotient;
  return hal_m_signed(hal_m_rest(a, b, &quotient), x);
}
HAL_SLOW double hal_m_remquo(double x, double y, int* quotient) {
  const double a = hal_m_abs(x), b = hal_m_abs(y);
  *quotient = 0;
  if (!(a < HAL_M_INF) || b == 0 || b != b) return HAL_M_NAN;
  if (b == HAL_M_INF || a == 0) return x;
  unsigned q = 0;
  double r = a < b ? a : hal_m_rest(a, b, &q);
  const double rest = b - r; // exact where it matters
  if (r > rest || (r == rest && (q & 1))) r = -rest, q += 1;
  q &= 0x7FFFFFFF;
  *quotient = (hal_m_bits(x) ^ hal_m_bits(y)) >> 63 ? -(int)q : (int)q;
  const double value = hal_m_bits(x) >> 63 ? -r : r;
  return value == 0 ? hal_m_signed(0, x) : value;
}
HAL_M double hal_m_frexp(double x, int* e) {
  *e = 0;
  if (x == 0 || !(hal_m_abs(x) < HAL_M_INF)) return x;
  double m;
  *e = hal_m_split(x, &m) + 1;
  return m * 0.5;
}
HAL_M double hal_m_modf(double x, double* whole) {
  *whole = __builtin_trunc(x);
  return hal_m_signed(hal_m_abs(x) == HAL_M_INF ? 0 : x - *whole, x);
}
HAL_M double hal_m_nextafter(double x, double y) {
  if (x != x || y != y) return x + y;
  if (x == y) return y;
  if (x == 0) return hal_m_signed(hal_m_double(1), y);
  return hal_m_double((x < y) == (x > 0) ? hal_m_bits(x) + 1 : hal_m_bits(x) - 1);
}
HAL_M float hal_m_nextafterf(float x, float y) {
  if (x != x || y != y) return x + y;
  if (x == y) return y;
  if (x == 0) return hal_m_float((hal_m_word(y) & 0x80000000u) | 1);
  return hal_m_float((x < y) == (x > 0) ? hal_m_word(x) + 1 : hal_m_word(x) - 1);
}
HAL_M int hal_m_ilogb(double x) {
  if (x == 0) return -2147483647 - 1;
  if (!(hal_m_abs(x) < HAL_M_INF)) return x != x ? -2147483647 - 1 : 2147483647;
  double m;
  return hal_m_split(x, &m);
}
HAL_M double hal_m_logb(double x) {
  if (x == 0) return -HAL_M_INF;
  if (!(hal_m_abs(x) < HAL_M_INF)) return x * x;
  double m;
  return hal_m_split(x, &m);
}
HAL_M double hal_m_round(double x) {
  const double whole = __builtin_trunc(x);
  const double away = hal_m_abs(x - whole) >= 0.5 ? whole + hal_m_signed(1, x) : whole;
  return hal_m_signed(away, x);
}
HAL_M double hal_m_fdim(double x, double y) { return x != x || y != y ? HAL_M_NAN : x > y ? x - y : 0; }

// ---- fused ----

// x * y + z rounded once: the product is exact in double, and the sum is rounded to odd.
HAL_M float hal_m_fmaf(float x, float y, float z) {
  const double p = (double)x * y, c = z;
  const hal_pair s = hal_m_sum(p, c);
  if (s.low == 0 || !(hal_m_abs(s.high) < HAL_M_INF)) return (float)s.high;
  unsigned long long b = hal_m_bits(s.high);
  if (!(b & 1)) b += (s.low > 0) == (s.high > 0) ? 1 : -1;
  return (float)hal_m_double(b);
}
// In integers: 106 bits of the product, with the bits below them gathered in the last one.
HAL_SLOW double hal_m_fma(double x, double y, double z) {
  const double p = x * y;
  if (!(hal_m_abs(x) < HAL_M_INF) || !(hal_m_abs(y) < HAL_M_INF) || !(hal_m_abs(z) < HAL_M_INF)) {
    return hal_m_abs(x) < HAL_M_INF && hal_m_abs(y) < HAL_M_INF ? z : p + z;
  }
  if (x == 0 || y == 0) return p + z;
  double m, n, o;
  int e = hal_m_split(x, &m) + hal_m_split(y, &n) - 104;
  hal_wide a = hal_m_wide_product((hal_m_bits(m) & ~0ull >> 12) | 1ull << 52, (hal_m_bits(n) & ~0ull >> 12) | 1ull << 52);
  const bool below = (hal_m_bits(x) ^ hal_m_bits(y)) >> 63;
  bool negative = below;
  if (z != 0) {
    int f = hal_m_split(z, &o) - 52;
    hal_wide b = {0, (hal_m_bits(o) & ~0ull >> 12) | 1ull << 52};
    // Both with the same exponent; some bits stay above, for the carry.
    a = hal_m_wide_left(a, 18), e -= 18;
    b = hal_m_wide_left(b, 70), f -= 70;
    const int by = e > f ? e - f : f - e;
    hal_wide less = e > f ? b : a;
    if (by > 127) {
      less = {0, (less.high | less.low) != 0};
    } else {
      const hal_wide moved = hal_m_wide_right(less, by), back = hal_m_wide_left(moved, by);
      less = {moved.high, moved.low | (back.high != less.high || back.low != less.low)};
    }
    if (e > f) b = less; else a = less, e = f;
    const bool minus = hal_m_bits(z) >> 63;
    if (minus == below) {
      a = hal_m_wide_sum(a, b);
    } else if (!hal_m_wide_less(a, b)) {
      a = hal_m_wide_difference(a, b);
    } else {
      a = hal_m_wide_difference(b, a), negative = minus;
    }
    if (!(a.high | a.low)) return 0;
  }
  // To 64 bits, the last of which says whether there were more.
  unsigned long long high = a.high, low = a.low;
  if (high) {
    const int zeros = __builtin_clzll(high);
    const unsigned long long top = zeros ? high << zeros | low >> (64 - zeros) : high;
    const bool lost = zeros ? (low << zeros) != 0 : low != 0;
    e += 64 - zeros;
    low = top | lost;
  } else {
    const int zeros = __builtin_clzll(low);
    low <<= zeros, e -= zeros;
  }
  // low * 2^e: round to 53 bits, or to fewer where the result is subnormal.
  const int exponent = e + 63;
  int drop = 11;
  if (exponent < -1022) drop += -1022 - exponent;
  unsigned long long kept;
  if (drop > 64) {
    kept = 0;
  } else {
    kept = drop == 64 ? 0 : low >> drop;
    const unsigned long long rest = drop == 64 ? low : low << (64 - drop);
    const unsigned long long half = 1ull << 63;
    if (rest > half || (rest == half && (kept & 1))) kept += 1;
  }
  double value;
  if (exponent > 1023) {
    value = HAL_M_INF;
  } else if (exponent < -1022) {
    value = hal_m_double(kept);
  } else {
    value = hal_m_double(((unsigned long long)(exponent + 1022) << 52) + kept); // a carry raises the exponent
  }
  return negative ? -value : value;
}

// ---- the error function ----

HAL_SLOW double hal_m_erf_series(double x) { // |x| <= 1
  const double z = x * x;
  double sum = 0, term = 1;
  for (int n = 1; n <= 20; n++) {
    term *= -z / n;
    sum += term / (2 * n + 1);
  }
  const hal_pair first = hal_m_times({x, 0}, {0x1.20dd750429b6dp+0, 0x1.1ae3a914fed80p-56});
  return first.high + (first.low + first.high * sum);
}
// A continued fraction.
HAL_SLOW double hal_m_erfc_far(double x) { // x >= 0.6
  const hal_pair square = hal_m_product(x, x);
  double f = 0;
  for (int k = x < 2 ? 600 : 160; k > 0; k--) f = 0.5 * k / (x + f);
  return 0.5641895835477563 / (x + f) * hal_m_exp(-square.high, -square.low);
}
HAL_SLOW double hal_m_erf(double x) {
  const double size = hal_m_abs(x);
  if (x != x || x == 0) return x;
  if (size > 6) return hal_m_signed(1, x);
  if (size < 1e-9) return x + x * 0.1283791670955126;
  return size < 0.7 ? hal_m_erf_series(x) : hal_m_signed(1 - hal_m_erfc_far(size), x);
}
HAL_SLOW double hal_m_erfc(double x) {
  if (x != x) return x;
  if (x > 28) return 0;
  if (x < -6) return 2;
  return x < 0.6 ? 1 - hal_m_erf(x) : hal_m_erfc_far(x);
}

// ---- the gamma function ----

// log(gamma(x)) - ((x - 0.5) log(x) - x + log(2 pi) / 2) for x >= 10
HAL_M double hal_m_stirling(double x) {
  const double y = 1 / x, z = y * y;
  double p = -3617.0 / 122400;
  p = p * z + 1.0 / 156;
  p = p * z - 691.0 / 360360;
  p = p * z + 1.0 / 1188;
  p = p * z - 1.0 / 1680;
  p = p * z + 1.0 / 1260;
  p = p * z - 1.0 / 360;
  p = p * z + 1.0 / 12;
  return p * y;
}
HAL_SLOW hal_pair hal_m_log_gamma(double x) { // x > 0
  hal_pair product = {1, 0};
  hal_pair at = {x, 0};
  while (at.high < 13) {
    product = hal_m_times(product, at);
    at = hal_m_plus(at, {1, 0});
  }
  hal_pair log = hal_m_log_pair(at.high);
  log = hal_m_plus(log, {at.low / at.high, 0});
  hal_pair value = hal_m_times(hal_m_plus(at, {-0.5, 0}), log);
  value = hal_m_plus(value, {-at.high, -at.low});
  value = hal_m_plus(value, {0.9189385332046728, -3.8782941580672414e-17});
  value = hal_m_plus(value, {hal_m_stirling(at.high), 0});
  const hal_pair less = hal_m_log_pair(product.high);
  value = hal_m_plus(value, {-less.high, -less.low});
  return hal_m_plus(value, {-product.low / product.high, 0});
}
// sin(pi x)
HAL_M double hal_m_sinpi(double x) {
  const double part = x - 2 * __builtin_rint(x * 0.5), quarters = __builtin_rint(2 * part);
  const double rest = part - quarters * 0.5;
  const hal_pair r = hal_m_times({rest, 0}, {3.141592653589793, 1.2246467991473532e-16});
  const int q = (int)quarters & 3;
  const double value = q & 1 ? hal_m_cos_part(r) : hal_m_sin_part(r);
  return q & 2 ? -value : value;
}
// log(gamma(2 + t)) for |t| <= 0.5: the series with Riemann's zeta function.
HAL_SLOW double hal_m_log_gamma_near_2(double t) {
  static constexpr double c[27] = {
      0x1.4a34cc4a60fa6p-2, -0x1.13e001a557607p-4, 0x1.51322ac7d8483p-6, -0x1.e404fc218f5f2p-8,
      0x1.7add6eadb6c30p-9, -0x1.38ac5c2bf8e08p-10, 0x1.0b36af86396e9p-11, -0x1.d3fd4c76d2fc8p-13,
      0x1.a127b0f17d65ap-14, -0x1.78de5bd7c81efp-15, 0x1.580dcee66eb02p-16, -0x1.3cbc963ce2243p-17,
      0x1.2597a39f34aacp-18, -0x1.11b2eb7679541p-19, 0x1.0064cdeb22f0fp-20, -0x1.e2600d93cfd2fp-22,
      0x1.c76bbb3f07a4dp-23, -0x1.af5a6cbbf8a97p-24, 0x1.99b93c2070b0fp-25, -0x1.862c734df3eacp-26,
      0x1.7469daccfadcdp-27, -0x1.6434a8447aeadp-28, 0x1.555a877ffd2c3p-29, -0x1.47b1679258d0ep-30,
      0x1.3b15d2b2fc10cp-31, -0x1.2f69a9fabe3e0p-32, 0x1.24932a337434cp-33};
  double p = 0;
  for (int k = 26; k >= 0; k--) p = p * t + c[k];
  return t * 0x1.b0ee6072093cep-2 + t * t * p;
}
HAL_SLOW double hal_m_lgamma(double x) {
  if (x != x) return x;
  if (hal_m_abs(x) == HAL_M_INF || (x <= 0 && hal_m_is_whole(x))) return HAL_M_INF;
  if (x == 1 || x == 2) return 0;
  if (x >= 1.5 && x <= 2.5) return hal_m_log_gamma_near_2(x - 2);
  if (x >= 0.5 && x < 1.5) return hal_m_log_gamma_near_2(x - 1) - hal_m_log1p(x - 1);
  if (x > 1e300) return x * (hal_m_log(x) - 1);
  if (x > 0) {
    const hal_pair value = hal_m_log_gamma(x);
    return value.high + value.low;
  }
  if (x > -1e-17) return -hal_m_log(-x);
  const double s = hal_m_abs(hal_m_sinpi(x));
  const hal_pair ofPi = {1.1447298858494002, 1.0265951162707826e-17};
  const hal_pair other = hal_m_log_gamma(-x);
  hal_pair value = hal_m_plus(ofPi, {-other.high, -other.low});
  const hal_pair size = hal_m_log_pair(s * -x > 0 ? s * -x : 1e-300);
  value = hal_m_plus(value, {-size.high, -size.low});
  return value.high + value.low;
}
HAL_SLOW double hal_m_tgamma(double x) {
  if (x != x) return x;
  if (hal_m_abs(x) < 1e-17) return 1 / x;
  if (x == HAL_M_INF || x > 171.7) return HAL_M_INF;
  if (x < 0 && hal_m_is_whole(x)) return HAL_M_NAN;
  if (x > 0 && x < 24 && hal_m_is_whole(x)) {
    double product = 1;
    for (int i = 2; i < (int)x; i++) product *= i;
    return product;
  }
  if (x > 0) {
    const hal_pair log = hal_m_log_gamma(x);
    return hal_m_exp(log.high, log.low);
  }
  if (x < -184) return hal_m_signed(0, hal_m_is_odd(__builtin_floor(x)) ? -1.0 : 1.0);
  // pi / (-x sin(pi x) gamma(-x))
  const hal_pair log = hal_m_log_gamma(-x);
  return 3.141592653589793 / (-x * hal_m_sinpi(x)) * hal_m_exp(-log.high, -log.low);
}

// ---- the functions of Bessel, of the first and the second kind ----

HAL_M hal_pair hal_m_negative(hal_pair x) { return {-x.high, -x.low}; }
HAL_M hal_pair hal_m_over(hal_pair x, double y) {
  const double q = x.high / y;
  const hal_pair back = hal_m_product(q, y);
  return hal_m_fast_sum(q, (((x.high - back.high) - back.low) + x.low) / y);
}
// J and Y of order 0 or 1, for 2^-30 < x < 8: the power series, whose terms cancel each other, in pairs. With z = x^2 / 4 that of J
// is the sum of (-z)^k / (k! (k + order)!). In that of Y each term is multiplied by a sum of reciprocals; so it is a sum of the
// rests of the series of J, from each term on.
HAL_SLOW hal_pair hal_m_bessel_series(int order, double x, bool second) {
  const hal_pair z = hal_m_product(x * 0.5, x * 0.5);
  hal_pair j = {1, 0}, y = {0, 0};
  for (int k = 12 + (int)(2 * x); k >= 1; k--) {
    const double both = (double)k * (k + order);
    if (second) {
      const hal_pair weighted = hal_m_over(hal_m_times(j, {order ? 2.0 * k + 1 : k, 0}), both);
      y = hal_m_negative(hal_m_over(hal_m_times(z, hal_m_plus(weighted, y)), both));
    }
    j = hal_m_plus({1, 0}, hal_m_negative(hal_m_over(hal_m_times(z, j), both)));
  }
  const hal_pair first = order ? hal_m_times(j, {x * 0.5, 0}) : j;
  if (!second) return first;
  const hal_pair log = hal_m_plus(hal_m_log_pair(x), {-0x1.dadb014541eb2p-4, -0x1.be095d05c0a81p-62}); // Euler's - log 2
  hal_pair sum = hal_m_times(log, first);
  if (order) {
    sum = hal_m_plus(sum, hal_m_negative(hal_m_over({1, 0}, x)));
    y = hal_m_times(hal_m_plus(j, y), {x * 0.25, 0});
  }
  return hal_m_times(hal_m_plus(sum, hal_m_negative(y)), {0x1.45f306dc9c883p-1, -0x1.6b01ec5417056p-55}); // 2 / pi
}
HAL_M double hal_m_polynomial(const double* parts, int count, double x) {
  double value = parts[0];
  for (int i = 1; i < count; i++) value = value * x + parts[i];
  return value;
}
// The same for x >= 8: with the phase a = x - pi / 4 - order pi / 2, J is sqrt(2 / (pi x)) (p cos a - q sin a), and Y has
// p sin a + q cos a there. p and q are polynomials in 64 / x^2, fitted to their exact values: (p - 1) x^2 / 64, and q x.
HAL_SLOW double hal_m_bessel_far(int order, double x, bool second) {
  static constexpr double p0[12] = {
      1.9666215453595597e-10, -1.3838879732488608e-09, 4.572468330689141e-09, -9.76629361465483e-09,
      1.620478647567004e-08, -2.5021864482624124e-08, 4.373471504474319e-08, -1.0238601983090487e-07,
      3.620338077335879e-07, -2.1839192301206895e-06, 2.7380883686005087e-05, -0.0010986328124999733};
  static constexpr double q0[13] = {
      -1.0782350064221054e-09, 8.088249905448202e-09, -2.8444194231824506e-08, 6.400796490346947e-08,
      -1.0887535615387786e-07, 1.6342829702051783e-07, -2.5831887133132174e-07, 5.119825134938439e-07,
      -1.452991845967419e-06, 6.590740788524885e-06, -5.544628875314295e-05, 0.0011444091796747814,
      -0.12499999999999996};
  static constexpr double p1[12] = {
      -2.08565586822392e-10, 1.468716332802024e-09, -4.858478662727827e-09, 1.0398365675405023e-08,
      -1.7317022539176982e-08, 2.6914629982227463e-08, -4.755289570046576e-08, 1.1316725102248828e-07,
      -4.103055491306477e-07, 2.580995500998699e-06, -3.520399331234446e-05, 0.001831054687499972};
  static constexpr double q1[13] = {
      1.1424577689779003e-09, -8.575314163421901e-09, 3.018647452172736e-08, -6.803931359171598e-08,
      1.1606383395663626e-07, -1.751070163063611e-07, 2.791758304659008e-07, -5.60803397495246e-07,
      1.6239446844996977e-06, -7.604702548767919e-06, 6.776768637519605e-05, -0.0016021728515490782,
      0.37499999999999994};
  if (x == HAL_M_INF) return 0;
  const double over = 8 / x, w = over * over;
  const double p = 1 + w * hal_m_polynomial(order ? p1 : p0, 12, w);
  const double q = hal_m_polynomial(order ? q1 : q0, 13, w) / x;
  hal_pair r;
  int quarter = hal_m_quarter(x, &r) - order;
  const hal_pair eighth = {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55};
  if (r.high < 0) {
    r = hal_m_plus(r, eighth), quarter -= 1;
  } else {
    r = hal_m_plus(r, hal_m_negative(eighth));
  }
  const double s = hal_m_sin_part(r), c = hal_m_cos_part(r);
  // The sine is the cosine a quarter earlier.
  double cosine = quarter & 1 ? s : c, sine = quarter & 1 ? c : s;
  if ((quarter + 1) & 2) cosine = -cosine;
  if (quarter & 2) sine = -sine;
  const double value = second ? p * sine + q * cosine : p * cosine - q * sine;
  return 0.7978845608028654 / hal_m_sqrt(x) * value;
}
HAL_SLOW double hal_m_bessel_j(int order, double x) {
  const double size = hal_m_abs(x);
  if (x != x) return x;
  double value;
  if (size < 0x1p-30) {
    value = order ? size * 0.5 : 1;
  } else if (size < 8) {
    value = hal_m_bessel_series(order, size, false).high;
  } else {
    value = hal_m_bessel_far(order, size, false);
  }
  return order && hal_m_bits(x) >> 63 ? -value : value;
}
HAL_SLOW double hal_m_bessel_y(int order, double x) {
  if (x == 0) return -HAL_M_INF;
  if (!(x > 0)) return HAL_M_NAN;
  if (x < 0x1p-30) {
    const hal_pair log = hal_m_log_pair(x);
    return order ? -0.6366197723675814 / x : 0.6366197723675814 * (log.high + (log.low - 0.11593151565841245));
  }
  return x < 8 ? hal_m_bessel_series(order, x, true).high : hal_m_bessel_far(order, x, true);
}
// n >= 0. The recurrence J(k + 1) = 2 k / x J(k) - J(k - 1) keeps its accuracy upwards to order x, and downwards from there.
HAL_SLOW double hal_m_jn(int n, double x) {
  if (n < 2) return hal_m_bessel_j(n, x);
  const double size = hal_m_abs(x);
  if (x != x) return x;
  double value = 0;
  if (size >= n) {
    double before = hal_m_bessel_j(0, size);
    value = hal_m_bessel_j(1, size);
    for (int k = 1; k < n && size < HAL_M_INF; k++) {
      const double next = 2.0 * k / size * value - before;
      before = value, value = next;
    }
  } else if (size * size < n + 1.0) { // the power series
    const double half = size * 0.5, z = half * half;
    double sum = 1;
    for (int k = 16; k >= 1; k--) sum = 1 - z / ((double)k * (k + n)) * sum;
    value = sum;
    for (int k = 1; k <= n && value != 0; k++) value *= half / k;
  } else { // from far above, and then scaled by 1 = J(0) + 2 J(2) + 2 J(4) + ..
    double after = 0, current = 1e-250, sum = 0, wanted = 0;
    for (int k = (n + 16 + (int)hal_m_sqrt(60.0 * n)) & ~1; k > 0; k--) {
      const double next = 2.0 * k / size * current - after;
      after = current, current = next;
      if (hal_m_abs(current) > 1e200) current *= 1e-200, after *= 1e-200, sum *= 1e-200, wanted *= 1e-200;
      if (k - 1 == n) wanted = current;
      if ((k - 1) % 2 == 0) sum += k == 1 ? current : 2 * current;
    }
    value = wanted / sum;
  }
  return n & 1 && hal_m_bits(x) >> 63 ? -value : value;
}
HAL_SLOW double hal_m_yn(int n, double x) {
  if (n < 2 || !(x > 0)) return hal_m_bessel_y(n < 2 ? n : 0, x);
  if (x == HAL_M_INF) return 0;
  double before = hal_m_bessel_y(0, x), value = hal_m_bessel_y(1, x);
  for (int k = 1; k < n && value > -HAL_M_INF; k++) {
    const double next = 2.0 * k / x * value - before;
    before = value, value = next;
  }
  return value;
}

// ---- under the names of C ----

#define HAL_C1(name) \
  HAL_C(double, name, (double x)) { return hal_m_##name(x); } \
  HAL_C(float, name##f, (float x)) { return (float)hal_m_##name((double)x); }
#define HAL_C2(name) \
  HAL_C(double, name, (double x, double y)) { return hal_m_##name(x, y); } \
  HAL_C(float, name##f, (float x, float y)) { return (float)hal_m_##name((double)x, (double)y); }
HAL_C(double, exp, (double x)) { return hal_m_exp(x, 0); }
HAL_C(float, expf, (float x)) { return (float)hal_m_exp((double)x, 0); }
HAL_C1(exp2)
HAL_C1(expm1)
HAL_C1(log)
HAL_C1(log2)
HAL_C1(log10)
HAL_C1(log1p)
HAL_C1(sqrt)
HAL_C1(cbrt)
HAL_C1(sin)
HAL_C1(cos)
HAL_C1(tan)
HAL_C1(asin)
HAL_C1(acos)
HAL_C1(atan)
HAL_C1(sinh)
HAL_C1(cosh)
HAL_C1(tanh)
HAL_C1(asinh)
HAL_C1(acosh)
HAL_C1(atanh)
HAL_C1(erf)
HAL_C1(erfc)
HAL_C1(lgamma)
HAL_C1(tgamma)
HAL_C(double, j0, (double x)) { return hal_m_bessel_j(0, x); }
HAL_C(double, j1, (double x)) { return hal_m_bessel_j(1, x); }
HAL_C(double, y0, (double x)) { return hal_m_bessel_y(0, x); }
HAL_C(double, y1, (double x)) { return hal_m_bessel_y(1, x); }
HAL_C(double, jn, (int n, double x)) { return hal_m_jn(n, x); }
HAL_C(double, yn, (int n, double x)) { return hal_m_yn(n, x); }
HAL_C1(logb)
HAL_C1(round)
HAL_C2(pow)
HAL_C2(atan2)
HAL_C2(hypot)
HAL_C2(fmod)
HAL_C2(fdim)
HAL_C(double, remainder, (double x, double y)) { int q; return hal_m_remquo(x, y, &q); }
HAL_C(float, remainderf, (float x, float y)) { int q; return (float)hal_m_remquo((double)x, (double)y, &q); }
HAL_C(double, remquo, (double x, double y, int* q)) { return hal_m_remquo(x, y, q); }
HAL_C(float, remquof, (float x, float y, int* q)) { return (float)hal_m_remquo((double)x, (double)y, q); }
HAL_C(double, nextafter, (double x, double y)) { return hal_m_nextafter(x, y); }
HAL_C(float, nextafterf, (float x, float y)) { return hal_m_nextafterf(x, y); }
HAL_C(double, fma, (double x, double y, double z)) { return hal_m_fma(x, y, z); }
HAL_C(float, fmaf, (float x, float y, float z)) { return hal_m_fmaf(x, y, z); }
HAL_C(double, ldexp, (double x, int e)) { return hal_m_scaled(x, e); }
HAL_C(float, ldexpf, (float x, int e)) { return (float)hal_m_scaled((double)x, e > 400 ? 400 : e < -400 ? -400 : e); }
HAL_C(double, scalbn, (double x, int e)) { return hal_m_scaled(x, e); }
HAL_C(float, scalbnf, (float x, int e)) { return (float)hal_m_scaled((double)x, e > 400 ? 400 : e < -400 ? -400 : e); }
#define HAL_M_NARROW(e) ((e) > 5000 ? 5000 : (e) < -5000 ? -5000 : (int)(e))
HAL_C(double, scalbln, (double x, long e)) { return hal_m_scaled(x, HAL_M_NARROW(e)); }
HAL_C(float, scalblnf, (float x, long e)) { return (float)hal_m_scaled((double)x, (e) > 400 ? 400 : (e) < -400 ? -400 : (int)(e)); }
HAL_C(double, frexp, (double x, int* e)) { return hal_m_frexp(x, e); }
HAL_C(float, frexpf, (float x, int* e)) { return (float)hal_m_frexp((double)x, e); }
HAL_C(double, modf, (double x, double* whole)) { return hal_m_modf(x, whole); }
HAL_C(float, modff, (float x, float* whole)) {
  double w;
  const float rest = (float)hal_m_modf((double)x, &w);
  *whole = (float)w;
  return rest;
}
HAL_C(int, ilogb, (double x)) { return hal_m_ilogb(x); }
HAL_C(int, ilogbf, (float x)) { return hal_m_ilogb((double)x); }
#endif
