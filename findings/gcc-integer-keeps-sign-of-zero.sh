#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# GCC makes a float that becomes an integer and a float again a truncated float: 0 becomes -0, and 300.7 as a byte stays 300.
#
# Expected  (float)(int)x is 0 for x = -0.5: an integer has no negative zero. -fno-trapping-math gives up exceptions, not signs of zeros.
# Happens   it is trunc(x), which is -0, so that 1 / (float)(int)x is minus infinity; likewise with double and long long, and
#           (float)(int)rint(x) is rint(x).
#           It is right with -ftrapping-math, the default, and on processors without SSE4.1, which have no instruction for trunc.
# Version   gcc 12.2.0 (Debian 12, x86-64), from -O1 on. GCC 11.3.0, 13.3.0 and 14.2.0 are right, and so is Clang 14.
# Meets it  whoever splits numbers into whole part and fraction, or finds cells of a grid, with -fno-trapping-math, which loops with
#           conditions need to become vectors.
#
# Needs gcc 12 on x86-64 with SSE4.1. Ends with 77 without it, with 1 if it has changed.
set -euo pipefail
compiler=$(command -v gcc-12 || command -v gcc) || { echo "needs gcc 12"; exit 77; }
[[ $("$compiler" -dumpfullversion) == 12.* && $(uname -m) == x86_64 ]] || { echo "needs gcc 12 on x86-64"; exit 77; }
grep -qw sse4_1 /proc/cpuinfo || { echo "needs a processor with SSE4.1"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
cd "$folder"
cat >whole.c <<'CODE'
#include <stdio.h>
__attribute__((noipa)) float whole(float x) { return (float)(int)x; }
__attribute__((noipa)) double wide(double x) { return (double)(long long)x; }
__attribute__((noipa)) float rounded(float x) { return (float)(int)__builtin_rintf(x); }
int main(void) { printf("%g %g %g\n", 1 / whole(-0.5f), 1 / wide(-0.5), 1 / rounded(-0.25f)); }
CODE
seen=
for flags in "-O0" "-O1" "-O1 -fno-trapping-math" "-O1 -fno-trapping-math -ftrapping-math"; do
  for target in "" " -msse4.1"; do
    "$compiler" $flags$target whole.c -o whole -lm
    seen+="$flags$target: $(./whole)"$'\n'
  done
done
printf '%s' "$seen"
[ "$seen" = "-O0: inf inf inf
-O0 -msse4.1: inf inf inf
-O1: inf inf inf
-O1 -msse4.1: inf inf inf
-O1 -fno-trapping-math: inf inf inf
-O1 -fno-trapping-math -msse4.1: -inf -inf -inf
-O1 -fno-trapping-math -ftrapping-math: inf inf inf
-O1 -fno-trapping-math -ftrapping-math -msse4.1: inf inf inf
" ] || { echo "this has changed"; exit 1; }
