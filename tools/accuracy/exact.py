#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Computes exact.bin of org.jhal.cts.arithmetic: the exact values of elementary functions, rounded to the nearest.

Usage: exact.py OPERANDS FUNCTIONS EXACT

OPERANDS is what RecordResults writes, FUNCTIONS functions.txt, EXACT the file to be written. Needs
mpmath (Debian: python3-mpmath). The values are computed with 400 bits, or with as many as the size of the operand adds.
"""
import gzip
import re
import struct
import sys

import mpmath
from mpmath import mpf, mp

COUNT = 1024
GROUPS = ["integers", "floats", "doubles", "halves", "conversions"]
PRECISION = 400
INF, NAN = mpf("inf"), mpf("nan")

TYPES = {"f32": (8, 23, 4), "f64": (11, 52, 8), "f16": (5, 10, 2), "bf16": (8, 7, 2)}


def value(bits, kind):
    """The number that these bits are, as an mpf, with the sign of a zero beside it."""
    exponent_bits, fraction_bits, _ = TYPES[kind]
    sign = bits >> (exponent_bits + fraction_bits) & 1
    exponent = bits >> fraction_bits & (1 << exponent_bits) - 1
    fraction = bits & (1 << fraction_bits) - 1
    bias = (1 << exponent_bits - 1) - 1
    if exponent == (1 << exponent_bits) - 1:
        number = NAN if fraction else INF
    elif exponent == 0:
        number = mpf(fraction) * mpf(2) ** (1 - bias - fraction_bits)
    else:
        number = mpf(fraction | 1 << fraction_bits) * mpf(2) ** (exponent - bias - fraction_bits)
    return (-number if sign else number), sign


def rounded(number, sign_of_zero, kind):
    """The bits of the nearest number, to even."""
    exponent_bits, fraction_bits, _ = TYPES[kind]
    infinity = (1 << exponent_bits) - 1 << fraction_bits
    top = exponent_bits + fraction_bits
    if mpmath.isnan(number):
        return infinity | 1 << fraction_bits - 1
    if number == 0:
        return sign_of_zero << top
    sign = 1 if number < 0 else 0
    number = abs(number)
    if mpmath.isinf(number):
        return sign << top | infinity
    bias = (1 << exponent_bits - 1) - 1
    exponent = max(int(mpmath.floor(mpmath.log(number, 2))), 1 - bias)
    while number >= mpf(2) ** (exponent + 1):
        exponent += 1
    while exponent > 1 - bias and number < mpf(2) ** exponent:
        exponent -= 1
    scaled = number * mpf(2) ** (fraction_bits - exponent)
    whole = int(mpmath.floor(scaled))
    rest = scaled - whole
    if rest > mpf(1) / 2 or rest == mpf(1) / 2 and whole % 2 == 1:
        whole += 1
    bits = (exponent + bias - 1 << fraction_bits) + whole
    return sign << top | min(bits, infinity)


def domain(low, high):
    """Makes a function NaN outside its domain."""

    def wrap(function):
        def wrapped(x):
            if mpmath.isnan(x) or x < low or x > high:
                return NAN
            return function(x)

        return wrapped

    return wrap


def at(points):
    """Gives a function its values at some points, among them infinities."""

    def wrap(function):
        def wrapped(x):
            if mpmath.isnan(x):
                return NAN
            for point, result in points.items():
                if x == point:
                    return result
            return function(x)

        return wrapped

    return wrap


def huge_safe(large, small, function, limit=mpf(10) ** 6):
    """Of a function that saturates: its limits, beyond which its exact value has the same rounding."""

    def wrapped(x):
        if x > limit:
            return large
        if x < -limit:
            return small
        return function(x)

    return wrapped


def trigonometric(function):
    def wrapped(x):
        if mpmath.isinf(x):
            return NAN
        with mp.workprec(PRECISION + max(0, int(mpmath.mag(x) if x else 0)) + 50):
            return function(x)

    return wrapped


def exp_like(function, low=mpf(0)):
    return at({INF: INF, -INF: low})(huge_safe(INF, low, function))


def gamma(x):
    if x == 0 or mpmath.isinf(x) and x > 0:
        return INF
    if mpmath.isinf(x) or x < 0 and x == mpmath.floor(x):
        return NAN
    if x > 10**4:
        return INF
    if x < -(10**4):
        return mpf(0)
    return mpmath.gamma(x)


def log_gamma(x):
    x = abs(x)
    if x == 0 or mpmath.isinf(x):
        return INF
    with mp.workprec(PRECISION + 1100):
        return mpmath.loggamma(x)


def erfc(x):
    if x > 10**3:
        return mpf(0)
    if x < -(10**3):
        return mpf(2)
    return mpmath.erfc(x)


def erfcx(x):
    if x < -(10**3):
        return INF
    if x > 10**10:
        return 1 / (x * mpmath.sqrt(mp.pi)) if not mpmath.isinf(x) else mpf(0)
    if x > 10:  # the continued fraction of erfc, whose error is then below 2^-800
        t = mpf(0)
        for k in range(600, 0, -1):
            t = (mpf(k) / 2) / (x + t)
        return 1 / (mpmath.sqrt(mp.pi) * (x + t))
    with mp.workprec(PRECISION + 400):
        return mpmath.exp(x * x) * mpmath.erfc(x)


def erfinv(x):
    if abs(x) > 1:
        return NAN
    if abs(x) == 1:
        return INF * x
    if x == 0:
        return x
    return mpmath.erfinv(x)


def erfcinv(x):
    if x < 0 or x > 2:
        return NAN
    if x == 0:
        return INF
    if x == 2:
        return -INF
    if x == 1:
        return mpf(0)
    if x > mpf("0.1"):
        return mpmath.erfinv(1 - x)
    start = mpmath.sqrt(-mpmath.log(x * mpmath.sqrt(mp.pi) * mpmath.sqrt(-mpmath.log(x))))
    # On logarithms, where Newton's method converges from afar.
    log_x = mpmath.log(x)
    t = start
    for _ in range(100):
        value_at = mpmath.erfc(t)
        step = (mpmath.log(value_at) - log_x) * value_at / (-2 / mpmath.sqrt(mp.pi) * mpmath.exp(-t * t))
        t -= step
        if abs(step) < abs(t) * mpf(2) ** -(PRECISION - 60):
            return t
    raise ValueError("no root for %s" % x)


def normcdf(x):
    return erfc(-x / mpmath.sqrt(mpf(2))) / 2


def normcdfinv(x):
    return -mpmath.sqrt(mpf(2)) * erfcinv(2 * x) if not mpmath.isnan(x) else NAN


def bessel_y(order):
    def wrapped(x):
        return -INF if x == 0 else mpmath.bessely(order, x)

    return wrapped


def bessel_i(order):
    def wrapped(x):
        if abs(x) > 10**4:
            return INF if order == 0 or x > 0 else -INF
        return mpmath.besseli(order, x)

    return wrapped


def sinh_like(function):
    return at({INF: INF, -INF: -INF})(huge_safe(INF, -INF, function))


def log_like(zero):
    return lambda function: domain(zero, INF)(at({zero: -INF, INF: INF})(function))


ONE = {
    "exp": exp_like(mpmath.exp),
    "exp2": exp_like(lambda x: mpf(2) ** x),
    "exp10": exp_like(lambda x: mpf(10) ** x),
    "expm1": exp_like(mpmath.expm1, mpf(-1)),
    "log": log_like(mpf(0))(mpmath.log),
    "log2": log_like(mpf(0))(lambda x: mpmath.log(x, 2)),
    "log10": log_like(mpf(0))(mpmath.log10),
    "log1p": log_like(mpf(-1))(mpmath.log1p),
    "sin": trigonometric(mpmath.sin),
    "cos": trigonometric(mpmath.cos),
    "tan": trigonometric(mpmath.tan),
    "asin": domain(-1, 1)(mpmath.asin),
    "acos": domain(-1, 1)(mpmath.acos),
    "atan": mpmath.atan,
    "sinh": sinh_like(mpmath.sinh),
    "cosh": at({INF: INF, -INF: INF})(huge_safe(INF, INF, mpmath.cosh)),
    "tanh": huge_safe(mpf(1), mpf(-1), mpmath.tanh),
    "asinh": at({INF: INF, -INF: -INF})(lambda x: mpmath.sign(x) * mpmath.asinh(abs(x))),
    "acosh": domain(1, INF)(at({INF: INF})(mpmath.acosh)),
    "atanh": domain(-1, 1)(at({mpf(1): INF, mpf(-1): -INF})(mpmath.atanh)),
    "cbrt": at({INF: INF, -INF: -INF})(lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x))),
    "rcbrt": at({INF: mpf(0), -INF: mpf(0)})(lambda x: mpmath.sign(x) / mpmath.cbrt(abs(x)) if x else INF),
    "rsqrt": domain(0, INF)(at({mpf(0): INF, INF: mpf(0)})(lambda x: 1 / mpmath.sqrt(x))),
    "erf": huge_safe(mpf(1), mpf(-1), mpmath.erf, mpf(1000)),
    "erfc": erfc,
    "erfinv": erfinv,
    "erfcinv": erfcinv,
    "erfcx": erfcx,
    "tgamma": gamma,
    "lgamma": log_gamma,
    "sinpi": trigonometric(mpmath.sinpi),
    "cospi": trigonometric(mpmath.cospi),
    "normcdf": normcdf,
    "normcdfinv": normcdfinv,
    "j0": lambda x: mpmath.besselj(0, x),
    "j1": lambda x: mpmath.besselj(1, x),
    "y0": bessel_y(0),
    "y1": bessel_y(1),
    "cyl_bessel_i0": bessel_i(0),
    "cyl_bessel_i1": bessel_i(1),
}


def power(x, y, sign_x):
    """pow as C defines it. Returns the value and the sign of a zero."""
    if y == 0 or x == 1:
        return mpf(1), 0
    if mpmath.isnan(x) or mpmath.isnan(y):
        return NAN, 0
    is_whole = not mpmath.isinf(y) and y == mpmath.floor(y)
    is_odd = is_whole and mpmath.fmod(y, 2) != 0
    negative = 1 if is_odd and sign_x else 0
    if x == 0:
        return (-INF if negative else INF, 0) if y < 0 else (mpf(0), negative)
    if mpmath.isinf(y):
        if abs(x) == 1:
            return mpf(1), 0
        return (INF if (abs(x) > 1) == (y > 0) else mpf(0)), 0
    if mpmath.isinf(x):
        large = y > 0
        return (-INF if negative else INF, 0) if large else (mpf(0), negative)
    if x < 0 and not is_whole:
        return NAN, 0
    size = y * mpmath.log(abs(x), 2)
    if size > 5000:
        result = INF
    elif size < -5000:
        result = mpf(2) ** -5000  # rounds to zero
    else:
        with mp.workprec(PRECISION + 1100):
            result = mpmath.exp(y * mpmath.log(abs(x)))
    return (-result if negative else result), negative


def arc(y, x, sign_y, sign_x):
    """atan2 as C defines it."""
    if mpmath.isnan(x) or mpmath.isnan(y):
        return NAN, 0
    sign = -1 if sign_y else 1
    if y == 0:
        return (sign * mp.pi, 0) if sign_x else (mpf(0), sign_y)
    if mpmath.isinf(y):
        if mpmath.isinf(x):
            return sign * mp.pi * (mpf(3) / 4 if sign_x else mpf(1) / 4), 0
        return sign * mp.pi / 2, 0
    if mpmath.isinf(x):
        return (sign * mp.pi, 0) if sign_x else (mpf(0), sign_y)
    if x == 0:
        return sign * mp.pi / 2, 0
    with mp.workprec(PRECISION + 5000):
        if x > 0:
            return sign * mpmath.atan(abs(y) / x), sign_y
        return sign * (mp.pi - mpmath.atan(abs(y) / -x)), 0


def length(*numbers):
    if any(mpmath.isinf(number) for number in numbers):
        return INF
    if any(mpmath.isnan(number) for number in numbers):
        return NAN
    with mp.workprec(PRECISION + 5000):
        return mpmath.sqrt(sum(number * number for number in numbers))


def reciprocal(number):
    if mpmath.isnan(number):
        return NAN
    return mpf(0) if mpmath.isinf(number) else INF if number == 0 else 1 / number


# Functions that keep the sign of a zero.
ODD = {"expm1", "log1p", "sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh", "cbrt", "erf", "erfinv", "sinpi",
       "j1", "cyl_bessel_i1"}


def compute(name, numbers, signs):
    """The exact value of a function, and the sign of a zero."""
    x, y, z = numbers[:3]
    if name == "pow":
        return power(x, y, signs[0])
    if name == "atan2":
        return arc(x, y, signs[0], signs[1])
    if name == "hypot":
        return length(x, y), 0
    if name == "norm3d":
        return length(x, y, z), 0
    if name == "norm4d":
        return length(x, y, z, numbers[3]), 0
    if name == "rnorm4d":
        return reciprocal(length(x, y, z, numbers[3])), 0
    if name == "rhypot":
        return reciprocal(length(x, y)), 0
    if name == "rnorm3d":
        return reciprocal(length(x, y, z)), 0
    if mpmath.isnan(x):
        return NAN, 0
    if name in ("j0", "j1", "y0", "y1"):
        x = min(abs(x), mpf(8))
        signs = (0,)
    if name == "rsqrt" and x == 0 and signs[0]:
        return -INF, 0
    if name == "rcp":
        return (-INF if signs[0] else INF) if x == 0 else 1 / x if not mpmath.isinf(x) else mpf(0), signs[0]
    if name == "rcbrt" and signs[0] and (x == 0 or mpmath.isinf(x)):
        return (-INF, 1) if x == 0 else (mpf(0), 1)
    if name == "tgamma" and x == 0 and signs[0]:
        return -INF, 0
    if name == "tgamma" and x < 0 and not mpmath.isinf(x) and x != mpmath.floor(x) and x < -(10**4):
        return mpf(0), 1 if mpmath.fmod(mpmath.floor(x), 2) != 0 else 0
    result = ONE[name](x)
    sign = signs[0] if name in ODD else 0
    if name == "sinpi" and x != 0 and x == mpmath.floor(x):
        sign = signs[0]
    return result, sign


def main(operands, functions, exact):
    groups = {}
    with open(operands, "rb") as file:
        for group in GROUPS:
            words = [struct.unpack(">%dI" % COUNT, file.read(4 * COUNT)) for _ in range(3)]
            wide = [struct.unpack(">%dQ" % COUNT, file.read(8 * COUNT)) for _ in range(2)]
            groups[group] = (words, wide)
    results = []
    group = ""
    mp.prec = PRECISION
    for line in open(functions):
        line = line.rstrip("\n")
        if line.startswith("["):
            group = line[1:-1]
        elif line and not line.startswith("#"):
            name, kind, judged, _ = re.split(" +", line, maxsplit=3)
            if not judged.startswith("near"):
                continue
            words, wide = groups[group]
            # As the expressions in the list use them: norm4df(x, y, z, x), norm4d(d, e, d, e).
            columns = words + [words[0]] if kind == "f32" else wide + wide
            base = name[:-1] if kind == "f32" else name
            if kind in ("f16", "bf16"):
                mask = 0xFFFF
                columns = [[word & mask for word in column] for column in words]
                base = re.match("h2?(\\w+)_b?f16", name).group(1)
            bits = []
            for tuple_of_bits in zip(*columns):
                pairs = [value(each, kind) for each in tuple_of_bits]
                number, sign = compute(base, [p[0] for p in pairs], [p[1] for p in pairs])
                bits.append(rounded(number, sign, kind))
            results.append((name, TYPES[kind][2], bits))
            print(name, file=sys.stderr)
    # The time in the head of the file is left out, so that the file depends on its content alone.
    with open(exact, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as out:
        source = ("exact values, computed with mpmath " + mpmath.__version__).encode()
        out.write(struct.pack(">H", len(source)) + source + struct.pack(">i", len(results)))
        for name, size, bits in results:
            encoded = name.encode()
            out.write(struct.pack(">H", len(encoded)) + encoded + bytes([size]))
            for each in bits:
                out.write(each.to_bytes(size, "big"))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
