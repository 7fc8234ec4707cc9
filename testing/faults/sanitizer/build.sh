#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# build.sh FOLDER: makes all that run.sh needs on a machine with a GPU: the host program, the machine code for sm_90 and the data of all kernels. Takes nvcc 13
# and no GPU, and the classes of testing/faults and of ./hal.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
rm -rf "$1"
mkdir -p "$1"
folder=$(cd "$1" && pwd)

java -cp "$root/testing/faults/target/classes:$root/build/dist/lib/*" org.jhal.faults.SanitizerRuns "$folder"
for source in "$folder"/sources/*/*.cu; do
  name=$(basename "$(dirname "$source")")
  (cd "$(dirname "$source")" && nvcc -cubin -arch=sm_90 -lineinfo -o "$folder/$name.cubin" "$(basename "$source")")
done
rm -r "$folder/sources"
nvcc -arch=sm_90 -cudart static -O2 -std=c++17 -o "$folder/host" "$here/host.cu"
cp "$here/run.sh" "$folder"
nvcc --version | sed -n 's/.*release.*, V/nvcc /p' > "$folder/nvcc.txt"
