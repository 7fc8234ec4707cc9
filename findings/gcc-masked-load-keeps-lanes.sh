#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# GCC computes with whatever was in a register before in the lanes that a load under a mask of AVX-512 leaves out.
#
# Expected  if (wanted[i] > 0) to[i] = from[i] * factor + other[i]; takes the same time whatever ran before.
# Happens   the loads keep the old content of the register in the lanes of numbers that are not wanted (no {z}), and the product and the sum are
#           computed for these lanes, too. If they hold subnormal numbers, which small integers are, Intel processors take up to 50 times
#           as long. Results are right. With -ftrapping-math, the default, products and sums have the mask as well; loads of AVX2 put zeros there.
# Version   gcc 12.2.0 (Debian 12, x86-64), 13.3.0 and 14.2.0 (Debian 13), with -mavx512vl and -fno-trapping-math. Clang 14 writes {z}.
# Meets it  whoever computes floats under a condition in a loop, as at the borders of a tile; which loop it is changes with the code around it.
#
# Needs gcc 12, 13 or 14 on an x86-64 processor of Intel with AVX-512. Ends with 77 without it, with 1 if it has changed.
set -euo pipefail
compiler=$(command -v gcc-12 || command -v gcc-13 || command -v gcc-14 || command -v gcc) || { echo "needs gcc 12, 13 or 14"; exit 77; }
[[ $("$compiler" -dumpfullversion) == 1[234].* && $(uname -m) == x86_64 ]] || { echo "needs gcc 12, 13 or 14 on x86-64"; exit 77; }
grep -qw avx512vl /proc/cpuinfo && grep -q GenuineIntel /proc/cpuinfo || { echo "needs AVX-512 of Intel"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
cd "$folder"
cat >lanes.c <<'CODE'
#include <stdio.h>
#include <time.h>
#define COUNT 64
#define ROUNDS 20000
__attribute__((noipa)) void sums(const int* wanted, const float* restrict from, const float* restrict other, float* restrict to, float factor) {
  for (int round = 0; round < ROUNDS; round++) {
    for (int i = 0; i < COUNT; i++) {
      if (wanted[i] > 0) to[i] = from[i] * factor + other[i];
    }
  }
}
// Puts a number into each lane of each register that calls do not keep.
#define FILL(n) "vpbroadcastd %0, %%zmm" #n "\n\t"
#define FILL_8(a, b, c, d, e, f, g, h) FILL(a) FILL(b) FILL(c) FILL(d) FILL(e) FILL(f) FILL(g) FILL(h)
static void fill(int number) {
  __asm__ volatile(FILL_8(1, 2, 3, 4, 5, 6, 7, 8) FILL_8(9, 10, 11, 12, 13, 14, 15, 16) FILL_8(17, 18, 19, 20, 21, 22, 23, 24)
                   FILL_8(25, 26, 27, 28, 29, 30, 31, 1) : : "r"(number)
                   : "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",
                     "xmm15", "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27",
                     "xmm28", "xmm29", "xmm30", "xmm31");
}
static double seconds(int number) {
  static int wanted[COUNT];
  static float from[COUNT], other[COUNT], to[COUNT];
  for (int i = 0; i < COUNT; i++) wanted[i] = i % 16 > 3, from[i] = other[i] = 1;
  double best = 1e9;
  for (int i = 0; i < 20; i++) {
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    fill(number);
    sums(wanted, from, other, to, 0.5f);
    clock_gettime(CLOCK_MONOTONIC, &end);
    double taken = end.tv_sec - start.tv_sec + (end.tv_nsec - start.tv_nsec) * 1e-9;
    best = taken < best ? taken : best;
  }
  return best;
}
int main(void) {
  double zeros = seconds(0), subnormal = seconds(7);
  printf("%.1f times as long\n", subnormal / zeros);
  return subnormal > 3 * zeros;
}
CODE
"$compiler" -O3 -mavx512vl -ffp-contract=off -fno-trapping-math lanes.c -o lanes
"$compiler" -O3 -mavx512vl -ffp-contract=off lanes.c -o masked
echo "with -fno-trapping-math: $(./lanes); without: $(./masked)"
./lanes >lanes.txt && { echo "this has changed"; exit 1; }
./masked >masked.txt || { echo "this has changed"; exit 1; }
