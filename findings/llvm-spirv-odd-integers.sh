#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# LLVM's target for SPIR-V computes integers of 3 bits with 8 bits, and widens all of these.
#
# Expected  a sum of two integers of 3 bits that becomes one of 32 bits is below 8, as LLVM's language reference says of zext.
# Happens   the integer gets the type of 8 bits, and nothing clears the five bits above: 7 + 1 is 8.
# Version   LLVM 20.1.7 (the build of JavaCPP), llc -O0 -mtriple=spirv64.
# Meets it  whoever compiles nested loops such as `for (k..n) for (j = 0; j < (k & 7); j++)` with clang -O1 --offload=spirv64: the inner
#           loop becomes a formula with a counter of 3 bits, and numbers are wrong on every device. With -mllvm -replexitval=never
#           -mllvm -disable-lftr, Clang makes no such formula.
#
# Needs x86-64 Linux, curl and unzip; no GPU. Ends with 77 without them, with 1 if it has changed.
set -euo pipefail
command -v curl >/dev/null && command -v unzip >/dev/null && [ "$(uname -sm)" = "Linux x86_64" ] ||
  { echo "needs x86-64 Linux, curl and unzip"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
cd "$folder"
version=20.1.7-1.5.12
curl -sSfO "https://repo.maven.apache.org/maven2/org/bytedeco/llvm/$version/llvm-$version-linux-x86_64.jar" ||
  { echo "no package of version $version"; exit 77; }
unzip -qj ./*.jar org/bytedeco/llvm/linux-x86_64/llc 'org/bytedeco/llvm/linux-x86_64/libLLVM*'
[ -e libLLVM.so.20.1 ] || ln -s libLLVM.so libLLVM.so.20.1
chmod +x llc
cat >next.ll <<'CODE'
define spir_func i32 @next(i32 %number) {
  %small = trunc i32 %number to i3
  %next = add i3 %small, 1
  %wide = zext i3 %next to i32
  ret i32 %wide
}
CODE
LD_LIBRARY_PATH=$folder ./llc -O0 -mtriple=spirv64-unknown-unknown next.ll -o next.txt
sed -n '/OpTypeInt/p; /OpFunctionParameter/,/OpReturnValue/p' next.txt | sed 's/^\s*//' | tee seen
diff - seen <<'SEEN' || { echo "this has changed"; exit 1; }
%2 = OpTypeInt 32 0
%3 = OpTypeInt 8 0
%6 = OpFunctionParameter %2
%11 = OpLabel
%8 = OpUConvert %3 %6
%9 = OpIAdd %3 %8 %5
%10 = OpUConvert %2 %9
OpReturnValue %10
SEEN
echo "as described: nothing clears the bits above the third"
