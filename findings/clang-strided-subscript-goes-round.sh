#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Clang loads the wrong elements where a subscript with a stride goes round at a power of two.
#
# Expected  in[t * 5 % 64] is one of 64 elements, whatever is optimized.
# Happens   at -O2, a loop of up to 64 rounds loads rows of neighbouring elements and picks each fifth of them, as if the
#           subscript went on: in[65] where in[1] is meant, behind the end of an array of 64. A loop of more rounds is right: the
#           vectors are taken behind a test of the number of rounds, which forgets the factor. Factors of 3, 5, 6 and 7 and all
#           types are hit, and `& 63` like `% 64`; stores are not. There is no warning.
#           -mllvm -enable-interleaved-mem-accesses=false makes it right, as does -fno-vectorize.
# Version   clang 14.0.6 and 19.1.7 (Debian 12, x86-64); g++ 12.2.0 is right.
# Meets it  whoever swizzles a tile (bank conflicts) or walks a ring buffer in blocks of 64; compilers of kernels to loops over
#           work items, in which the subscript of each item becomes such a stride.
#
# Needs clang 14 or 19 on x86-64. Ends with 77 without them, with 1 if it has changed.
set -euo pipefail
[ "$(uname -m)" = x86_64 ] || { echo "needs x86-64"; exit 77; }
compilers=()
for version in 14 19; do
  compiler=$(command -v "clang-$version" || command -v "clang++-$version") && compilers+=("$compiler")
done
((${#compilers[@]})) || { echo "needs clang 14 or 19"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
cd "$folder"
cat >round.c <<'CODE'
#include <stdio.h>
__attribute__((noinline)) void pick(const int *in, int *out, unsigned n) {
  for (unsigned t = 0; t < n; t++)
    out[t] = in[t * 5 % 64];
}
int main(void) {
  static int in[1024], out[256]; /* more than 64, so that all that is read is an array's */
  for (int i = 0; i < 1024; i++)
    in[i] = i;
  for (unsigned n = 64; n <= 256; n *= 4) {
    pick(in, out, n);
    unsigned wrong = 0;
    while (wrong < n && out[wrong] == (int)(wrong * 5 % 64))
      wrong++;
    if (wrong < n)
      printf("%u: [%u] is in[%d] ", n, wrong, out[wrong]);
    else
      printf("%u: right ", n);
  }
}
CODE
status=0
for compiler in "${compilers[@]}"; do
  seen=
  for flags in "-O1" "-O2" "-O2 -fno-vectorize" "-O2 -mllvm -enable-interleaved-mem-accesses=false"; do
    # shellcheck disable=SC2086 # the flags are several words
    "$compiler" -x c $flags round.c -o round
    seen+="$flags $(./round); "
  done
  echo "$("$compiler" --version | head -n 1): $seen"
  right="64: right 256: right ; "
  expected="-O1 $right-O2 64: [13] is in[65] 256: right ; -O2 -fno-vectorize $right"
  expected+="-O2 -mllvm -enable-interleaved-mem-accesses=false $right"
  [ "$seen" = "$expected" ] || status=1
done
((status == 0)) || echo "this has changed"
exit $status
