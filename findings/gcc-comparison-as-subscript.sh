#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# GCC takes a comparison that is a subscript for a mask of vectors, and reads element -1 in the place of element 1.
#
# Expected  pair[x < 67 ? 0 : 1] is pair[0] or pair[1], in a loop as well.
# Happens   where the loop becomes vectors, it is pair[0] or pair[-1], silently. An address before the array need not be readable.
#           It is right with -O2, which makes no vectors of this loop, and with -O3 -fno-tree-loop-vectorize.
# Version   gcc 12.2.0 (Debian 12, x86-64) and 13.3.0, with -O3 and any vectors, also those that all x86-64 processors have. GCC 14.2.0
#           (Debian 13) is right, and so are Clang 14 and 19.
# Meets it  whoever looks up one of two values in a loop, as kernels do in a table of two.
#
# Needs gcc 12 or 13 on x86-64. Ends with 77 without it, with 1 if it has changed.
set -euo pipefail
compiler=$(command -v gcc-12 || command -v gcc-13 || command -v gcc) || { echo "needs gcc 12 or 13"; exit 77; }
[[ $("$compiler" -dumpfullversion) == 1[23].* && $(uname -m) == x86_64 ]] || { echo "needs gcc 12 or 13 on x86-64"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
cd "$folder"
cat >pair.c <<'CODE'
#include <stdio.h>
#define COUNT 500
static int numbers[3 * COUNT], found[COUNT];
__attribute__((noipa)) void choose(const int* pair, int* restrict found, int first, int count) {
  for (int i = 0; i < count; i++) found[i] = pair[first + i < 67 ? 0 : 1];
}
int main(void) {
  int* pair = numbers + COUNT;
  for (int i = -COUNT; i < COUNT; i++) pair[i] = i;
  choose(pair, found, 0, COUNT);
  int wrong = 0, before = 0;
  for (volatile int i = 0; i < COUNT; i++) {
    wrong += found[i] != (i < 67 ? 0 : 1);
    before += found[i] == -1;
  }
  puts(wrong == 0 ? "right" : before == wrong ? "pair[-1]" : "wrong");
}
CODE
seen=
for level in -O2 -O3 "-O2 -ftree-loop-vectorize" "-O3 -fno-tree-loop-vectorize"; do
  "$compiler" $level pair.c -o pair
  seen+="$level $(./pair); "
done
echo "$seen"
[ "$seen" = "-O2 right; -O3 pair[-1]; -O2 -ftree-loop-vectorize pair[-1]; -O3 -fno-tree-loop-vectorize right; " ] ||
  { echo "this has changed"; exit 1; }
