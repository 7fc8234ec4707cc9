#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# GCC negates a fused product and sum within the instruction, and a zero gets the wrong sign.
#
# Expected  -fmaf(1, 1, -1) is -0: the fused sum is 0, and that is negated.
# Happens   it is 0, since one instruction computes -(1 * 1) - (-1) instead. Neither -fno-unsafe-math-optimizations nor -frounding-math
#           nor -ftrapping-math changes that, and there is no -ffast-math.
# Version   gcc 12.2.0 (Debian 12), with -mfma from -O1 on; 13.3.0 and 14.2.0 as well. Clang 14 is right, and so is GCC without -mfma.
# Meets it  whoever divides by such a number, or compares results bit by bit with another device or compiler.
#
# Needs gcc 12 to 14 on x86-64 with FMA. Ends with 77 without it, with 1 if it has changed.
set -euo pipefail
compiler=$(command -v gcc-12 || command -v gcc-13 || command -v gcc-14 || command -v gcc) || { echo "needs gcc 12 to 14"; exit 77; }
[[ $("$compiler" -dumpfullversion) == 1[2-4].* && $(uname -m) == x86_64 ]] || { echo "needs gcc 12 to 14 on x86-64"; exit 77; }
grep -qw fma /proc/cpuinfo || { echo "needs a processor with FMA"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
cd "$folder"
cat >negated.c <<'CODE'
#include <math.h>
#include <stdio.h>
__attribute__((noipa)) float negated(float a, float b, float c) { return -fmaf(a, b, c); }
__attribute__((noipa)) double wide(double a, double b, double c) { return -fma(a, b, c); }
int main(void) { printf("%g %g\n", negated(1, 1, -1), wide(1, 1, -1)); }
CODE
seen=
for flags in "-O0 -mfma" "-O1" "-O1 -mfma" "-O1 -mfma -frounding-math -ftrapping-math"; do
  "$compiler" $flags negated.c -o negated -lm
  seen+="$flags: $(./negated)"$'\n'
done
printf '%s' "$seen"
[ "$seen" = "-O0 -mfma: -0 -0
-O1: -0 -0
-O1 -mfma: 0 0
-O1 -mfma -frounding-math -ftrapping-math: 0 0
" ] || { echo "this has changed"; exit 1; }
