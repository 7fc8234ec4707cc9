#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes the driver's own kernel, and the kernels of tests in the format vulkan-spirv, with glslang-tools and spirv-tools. Of
# each source of tests it makes one module, in which each function that main calls is an entry point.
set -eu
cd "$(dirname "$0")"
out=../resources/org/jhal/vulkan
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Makes the module $2 of the source $1.comp.
make() {
  glslangValidator --quiet -V --target-env vulkan1.2 -o "$work/one.spv" "$1.comp"
  spirv-dis --raw-id "$work/one.spv" -o "$work/one.txt"
  awk '
    NR == FNR {
      if ($1 == "OpEntryPoint") { main = $3; interface = substr($0, index($0, "\"main\"") + 6); local = ""; }
      if ($1 == "OpName" && $3 ~ /\(\"$/) { name[$2] = substr($3, 2, length($3) - 3); }
      if ($3 == "OpFunction") { inside = $1; }
      if ($3 == "OpFunctionCall" && inside == main) { entries[++count] = $5; }
      next;
    }
    $1 == "OpEntryPoint" {
      for (i = 1; i <= count; i++) { printf "OpEntryPoint GLCompute %s \"%s\"%s\n", entries[i], name[entries[i]], interface; }
      next;
    }
    $1 == "OpExecutionMode" {
      for (i = 1; i <= count; i++) { line = $0; sub(main, entries[i], line); print line; }
      next;
    }
    ($1 == "OpName" || $1 == "OpSource" || $1 == "OpSourceExtension" || $1 == "OpMemberName") { next; }
    $3 == "OpFunction" { dropping = ($1 == main); }
    !dropping { print; }
  ' "$work/one.txt" "$work/one.txt" >"$work/all.txt"
  spirv-as --target-env spv1.5 --preserve-numeric-ids "$work/all.txt" -o "$2"
  spirv-val --target-env vulkan1.2 --scalar-block-layout "$2"
}

mkdir -p "$out/wide"
make kernels "$out/kernels/kernels.spv"
make wide "$out/wide/wide.spv"
