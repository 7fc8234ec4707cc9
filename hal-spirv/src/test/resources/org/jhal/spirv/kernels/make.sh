#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compiles the kernels beside it into the SPIR-V of OpenCL that the tests translate. The argument is the folder of Clang and llc
# 20, such as that which SpirvCompiler unpacks from the jar org.bytedeco:llvm:20.1.7-1.5.12.
set -euo pipefail
tools=${1:?the folder of clang and llc}
cd "$(dirname "$0")"
export LD_LIBRARY_PATH=$tools
for source in *.cpp; do
  name=${source%.cpp}
  "$tools/clang" -x hip --cuda-device-only --offload=spirv64 -nogpulib -nogpuinc -nostdinc -std=c++17 -O1 -ffp-contract=off \
    -S -emit-llvm "$source" -o "$name.ll"
  "$tools/llc" -O0 -mtriple=spirv64-unknown-unknown -filetype=obj --spirv-ext=+SPV_INTEL_function_pointers "$name.ll" -o "$name.spv"
  rm "$name.ll"
done
