#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# With "GCC ivdep", GCC reorders accesses of one and the same iteration.
#
# Expected  the pragma says that no iteration depends on another one (GCC's manual: "no loop-carried dependencies"). So a loop in
#           which each iteration writes and reads a pair of elements of its own has the same result with and without it.
# Happens   with -O3, an iteration reads what stood in its element before it wrote to it, if the index of the read is not known
#           when the loop is compiled. -O2 is right, and so is -O3 without the pragma. There is no warning.
# Version   gcc 12.2.0 (Debian 12, x86-64), 13.3.0 and 14.2.0 (Debian 13), with and without -march=native.
# Meets it  whoever runs work items in a loop and tells the compiler that they are independent: each item keeps its order on a GPU.
#
# Needs gcc 12, 13 or 14 on x86-64. Ends with 77 without it, with 1 if it has changed.
set -euo pipefail
compiler=$(command -v gcc-12 || command -v gcc-13 || command -v gcc-14 || command -v gcc) || { echo "needs gcc 12, 13 or 14"; exit 77; }
[[ $("$compiler" -dumpfullversion) == 1[234].* && $(uname -m) == x86_64 ]] || { echo "needs gcc 12, 13 or 14 on x86-64"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
cd "$folder"
cat >pairs.c <<'CODE'
#include <stdio.h>
#define COUNT 64
#define PAIRS(name, pragma)                                       \
  __attribute__((noipa)) void name(int* pairs, int side) { \
    _Pragma(pragma) for (int i = 0; i < COUNT; i++) {             \
      pairs[2 * i] = i;                                           \
      int own = pairs[2 * i + side];                              \
      pairs[2 * i + 1] = own + 1;                                 \
    }                                                             \
  }
PAIRS(plain, "GCC unroll 1")
PAIRS(independent, "GCC ivdep")
int main(void) {
  int right[2 * COUNT], found[2 * COUNT], wrong = 0;
  for (int i = 0; i < 2 * COUNT; i++) right[i] = found[i] = -100;
  plain(right, 0);
  independent(found, 0);
  for (int i = 0; i < COUNT; i++) wrong += found[2 * i + 1] != i + 1;
  for (int i = 0; i < COUNT; i++)
    if (right[2 * i + 1] != i + 1) return 2;
  puts(wrong ? "wrong" : "right");
}
CODE
seen=
for level in -O2 -O3 "-O3 -march=native"; do
  "$compiler" $level pairs.c -o pairs
  seen+="$level $(./pairs); "
done
echo "$seen"
[ "$seen" = "-O2 right; -O3 wrong; -O3 -march=native wrong; " ] || { echo "this has changed"; exit 1; }
