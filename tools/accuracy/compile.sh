#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compiles the kernels of `hal accuracy` for a machine without a compiler.
#
#   compile.sh HAL TARGETS FOLDER
#
# HAL is the command hal, TARGETS what its command compile takes under --for, such as vulkan. On the other machine, run
# `hal accuracy --variants FOLDER`.
set -eu
usage="usage: $0 HAL TARGETS FOLDER"
hal=${1:?"$usage"}
targets=${2:?"$usage"}
folder=${3:?"$usage"}
examples=$(dirname "$0")/../../examples
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
"$hal" accuracy --write "$work"
for bundle in "$work"/* "$examples/saxpy" "$examples/reduction" "$examples/matmul"; do
  "$hal" compile "$bundle" --for "$targets" --out "$folder/${bundle##*/}"
done
