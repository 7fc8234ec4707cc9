#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# CUDA's assembler calls the number -1 where a kernel calls a function that it has chosen among two and none.
#
# Expected  with `n % 4 == 1 ? one : n % 4 == 2 ? two : nullptr`, the function is called if it is not null: the register that the
#           call reads holds the address of one of the two, as in the PTX that the compiler hands to the assembler.
# Happens   if another kernel of the module makes a call by pointer, too, the code calls a register that is always -1, the result
#           for the case without a function. Such a kernel ended with cudaErrorInvalidPc on an H200 (nvcc -O2 of CUDA 13.0).
#           It is right there with a third function in the place of nullptr, and with one function and nullptr.
# Version   NVRTC and nvdisasm 11.8.89 of Debian 12 (no GPU needed), for sm_70, sm_80 and sm_90; also NVRTC 12.9 and CUDA 13.0.
# Meets it  whoever passes an optional callback to a device function.
#
# Needs Debian with gcc and apt-get; ends with 77 without them, with 1 if what happens has changed.
set -euo pipefail
command -v gcc >/dev/null && command -v apt-get >/dev/null && command -v dpkg >/dev/null ||
  { echo "needs gcc, apt-get and dpkg"; exit 77; }
keys=/usr/share/keyrings/debian-archive-keyring.gpg
[ -f "$keys" ] || { echo "needs the keys of Debian's archive"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
mkdir -p lists/partial
echo "deb [signed-by=$keys] http://deb.debian.org/debian bookworm non-free" >sources
apt=(apt-get -oDir::Etc::SourceList="$folder/sources" -oDir::Etc::SourceParts=/dev/null -oDir::State::Lists="$folder/lists")
version=11.8.89~11.8.0-5~deb12u1
packages=(libnvrtc11.2 libnvrtc-builtins11.8 nvidia-cuda-toolkit)
{ "${apt[@]}" update && "${apt[@]}" download "${packages[@]/%/=$version}"; } >log 2>&1 ||
  { echo "no packages of version $version"; exit 77; }
for package in *.deb; do dpkg -x "$package" .; done
cat >kernel.cu <<'CODE'
typedef int (*op)(int, const int*);
__device__ int one(int a, const int* b) { return a + *b; }
__device__ int two(int a, const int* b) { return a - *b; }
__device__ int called(op f, int a, const int* b) { return f ? f(a, b) : -1; }
extern "C" __global__ void chosen(const int* in, int* out) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  out[i] = called(in[i] % 4 == 1 ? one : in[i] % 4 == 2 ? two : nullptr, in[i], in + 3);
}
#ifdef SECOND
extern "C" __global__ void second(const int* in, int* out) { out[0] = called(in[0] ? one : nullptr, in[0], in); }
#endif
CODE
cat >compile.c <<'CODE'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char** arguments) {
  static char source[4096];
  FILE* file = fopen("kernel.cu", "r");
  if (count < 2 || !file || !fread(source, 1, sizeof source - 1, file)) return 2;
  fclose(file);
  void* nvrtc = dlopen("libnvrtc.so.11.2", RTLD_NOW);
  if (!nvrtc) return 77;
  int (*create)(void**, const char*, const char*, int, const char**, const char**) = dlsym(nvrtc, "nvrtcCreateProgram");
  int (*compile)(void*, int, const char**) = dlsym(nvrtc, "nvrtcCompileProgram");
  int (*size)(void*, size_t*) = dlsym(nvrtc, "nvrtcGetCUBINSize");
  int (*code)(void*, char*) = dlsym(nvrtc, "nvrtcGetCUBIN");
  const char* options[] = {"--std=c++17", arguments[1], "-DSECOND"};
  void* program;
  size_t bytes;
  if (create(&program, source, "kernel.cu", 0, 0, 0) || compile(program, count, options) || size(program, &bytes)) return 2;
  char* made = malloc(bytes);
  if (!made || code(program, made) || !(file = fopen("kernel.cubin", "w"))) return 2;
  fwrite(made, 1, bytes, file);
  return fclose(file);
}
CODE
gcc -o compile compile.c -ldl
for target in sm_70 sm_80 sm_90; do
  for second in "" -DSECOND; do
    LD_LIBRARY_PATH="$folder/usr/lib/x86_64-linux-gnu" ./compile --gpu-architecture=$target $second
    # The instructions of the kernel up to its call, and of these, those that write the register that is called.
    usr/bin/nvdisasm -c kernel.cubin 2>/dev/null | sed -n '/text.chosen:/,/CALL/s/^ *\/\*[0-9a-f]*\*\/ *//p' >instructions
    register=$(sed -n 's/^CALL[.A-Z]* \(R[0-9]*\).*/\1/p' instructions)
    grep -E "^(@!?P[0-9] )?[A-Z0-9.]+ $register," instructions >writes
    case $(wc -l <writes):$(cat writes) in
      1:*-0x1* | 1:*0xffffffff*) what="-1" ;;
      *SEL*) what="what was selected" ;;
      *) what=$(cat writes) ;;
    esac
    echo "$target, $([ -n "$second" ] && echo two kernels || echo one kernel): calls $what"
  done
done >seen
diff - seen <<'SEEN'
sm_70, one kernel: calls what was selected
sm_70, two kernels: calls -1
sm_80, one kernel: calls what was selected
sm_80, two kernels: calls -1
sm_90, one kernel: calls what was selected
sm_90, two kernels: calls -1
SEEN
echo "as described: with a second kernel, the first one calls the number -1"
