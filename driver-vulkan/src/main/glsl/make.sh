#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes the modules of the driver's own kernels, with glslang-tools and spirv-tools.
set -eu
cd "$(dirname "$0")"
out=../resources/org/jhal/vulkan
mkdir -p "$out"
for kernel in copy grid; do
  glslangValidator --quiet -V --target-env vulkan1.2 -o "$out/$kernel.tmp" $kernel.comp
  spirv-opt --strip-debug -O "$out/$kernel.tmp" -o "$out/$kernel.spv"
  rm "$out/$kernel.tmp"
  spirv-val --target-env vulkan1.2 --scalar-block-layout "$out/$kernel.spv"
done
