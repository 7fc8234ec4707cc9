#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# GCC swaps numbers that a loop loads under conditions, but not the conditions.
#
# Expected  if (wanted[2 * i]) first = from[2 * i + 1]; and likewise the second number from the first: each is loaded if the condition
#           before it holds.
# Happens   with vectors that can be loaded under a mask, the two loads become one and its result is swapped, with the mask of the
#           other number: where only one is wanted, 0 is taken for it, silently. It is right without such loads (-mavx), and with
#           -fno-tree-loop-if-convert.
# Version   gcc 12.2.0 (Debian 12, x86-64), with -mavx2 or more. GCC 13.3.0 and 14.2.0 (Debian 13), and Clang 14 and 19 are right.
# Meets it  whoever swaps parts under a mask, as in complex numbers or pixels; and loops over eight items, whose rounds GCC writes out.
#
# Needs gcc 12 on an x86-64 processor with AVX2. Ends with 77 without it, with 1 if it has changed.
set -euo pipefail
compiler=$(command -v gcc-12 || command -v gcc) || { echo "needs gcc 12"; exit 77; }
[[ $("$compiler" -dumpfullversion) == 12.* && $(uname -m) == x86_64 ]] || { echo "needs gcc 12 on x86-64"; exit 77; }
grep -qw avx2 /proc/cpuinfo || { echo "needs AVX2"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
cd "$folder"
cat >swap.c <<'CODE'
#include <stdio.h>
#define COUNT 64
__attribute__((noipa)) void swap(const int* wanted, const int* restrict from, int* restrict to) {
  for (int i = 0; i < COUNT; i++) {
    int first = 0, second = 0;
    if (wanted[2 * i]) first = from[2 * i + 1];
    if (wanted[2 * i + 1]) second = from[2 * i];
    to[2 * i] = first;
    to[2 * i + 1] = second;
  }
}
int main(void) {
  static int wanted[2 * COUNT], from[2 * COUNT], to[2 * COUNT];
  for (int i = 0; i < 2 * COUNT; i++) {
    wanted[i] = i % 3 == 0;
    from[i] = 1 + i;
  }
  swap(wanted, from, to);
  int wrong = 0;
  for (volatile int i = 0; i < 2 * COUNT; i++) wrong += to[i] != (wanted[i] ? from[i ^ 1] : 0);
  puts(wrong ? "wrong" : "right");
}
CODE
seen=
for level in "-O3 -mavx" "-O3 -mavx2" "-O2 -mavx2 -ftree-loop-vectorize" "-O3 -mavx2 -fno-tree-loop-if-convert"; do
  "$compiler" $level swap.c -o swap
  seen+="$level $(./swap); "
done
echo "$seen"
[ "$seen" = "-O3 -mavx right; -O3 -mavx2 wrong; -O2 -mavx2 -ftree-loop-vectorize wrong; -O3 -mavx2 -fno-tree-loop-if-convert right; " ] ||
  { echo "this has changed"; exit 1; }
