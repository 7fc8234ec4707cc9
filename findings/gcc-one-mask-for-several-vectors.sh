#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# GCC loads neighbours that need several vectors with the mask of the first vector.
#
# Expected  for each of the three numbers of an item: if (wanted[3 * i + c] > 0) number = from[3 * i + c]; a number is loaded if its own
#           condition holds.
# Happens   with vectors that can be loaded under a mask, the 24 numbers of eight items are loaded as three vectors, each with the mask of the first
#           eight numbers. Of the others some are 0 or left over from before, silently. It is right without such loads (-mavx), and
#           with -fno-tree-loop-vectorize or -fno-tree-loop-if-convert.
# Version   gcc 12.2.0 (Debian 12, x86-64) and 13.3.0, with -mavx2 or more. GCC 14.2.0 (Debian 13) and Clang 14 are right.
# Meets it  whoever loads pixels of three colours, or points, under a condition; and pairs of double beside numbers that are smaller.
#
# Needs gcc 12 or 13 on an x86-64 processor with AVX2. Ends with 77 without it, with 1 if it has changed.
set -euo pipefail
compiler=$(command -v gcc-12 || command -v gcc-13 || command -v gcc) || { echo "needs gcc 12 or 13"; exit 77; }
[[ $("$compiler" -dumpfullversion) == 1[23].* && $(uname -m) == x86_64 ]] || { echo "needs gcc 12 or 13 on x86-64"; exit 77; }
grep -qw avx2 /proc/cpuinfo || { echo "needs AVX2"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
cd "$folder"
cat >colours.c <<'CODE'
#include <stdio.h>
#define COUNT 64
__attribute__((noipa)) void choose(const int* wanted, const int* restrict from, int* restrict to) {
  for (int i = 0; i < COUNT; i++) {
    int red = 0, green = 0, blue = 0;
    if (wanted[3 * i] > 0) red = from[3 * i];
    if (wanted[3 * i + 1] > 0) green = from[3 * i + 1];
    if (wanted[3 * i + 2] > 0) blue = from[3 * i + 2];
    to[3 * i] = red;
    to[3 * i + 1] = green;
    to[3 * i + 2] = blue;
  }
}
int main(void) {
  static int wanted[3 * COUNT], from[3 * COUNT], to[3 * COUNT];
  for (int i = 0; i < 3 * COUNT; i++) {
    wanted[i] = i % 7 < 3;
    from[i] = 1 + i;
  }
  choose(wanted, from, to);
  int wrong = 0;
  for (volatile int i = 0; i < 3 * COUNT; i++) wrong += to[i] != (wanted[i] ? from[i] : 0);
  puts(wrong ? "wrong" : "right");
}
CODE
seen=
for level in "-O3 -mavx" "-O3 -mavx2" "-O3 -mavx2 -fno-tree-loop-if-convert" "-O3 -mavx2 -fno-tree-loop-vectorize"; do
  "$compiler" $level colours.c -o colours
  seen+="$level $(./colours); "
done
echo "$seen"
[ "$seen" = "-O3 -mavx right; -O3 -mavx2 wrong; -O3 -mavx2 -fno-tree-loop-if-convert right; -O3 -mavx2 -fno-tree-loop-vectorize right; " ] ||
  { echo "this has changed"; exit 1; }
