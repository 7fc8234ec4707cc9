#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# HIPRTC compiles no kernel that calls hrcp.
#
# Expected  hrcp(__half), which HIP documents and its header defines, compiles like hsqrt.
# Happens   the compilation fails in the linker: "undefined hidden symbol: __llvm_amdgcn_rcp_f16". Without a call the header is
#           accepted, so a test that only includes it, or defines a function that no kernel calls, does not show it.
# Version   ROCm 5.2.3, as in Debian 12 (libamdhip64-5 5.2.3-8), for gfx90a and gfx1030.
# Meets it  whoever compiles half-precision kernels of CUDA at run time for AMD's devices.
#
# Needs Debian 12 or a system that has its packages, and gcc; no GPU. Ends with 77 without them, with 1 if it has changed.
set -euo pipefail
command -v gcc >/dev/null && command -v apt-get >/dev/null && command -v dpkg >/dev/null ||
  { echo "needs gcc, apt-get and dpkg"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
cd "$folder"
version=5.2.3-8
packages=(libamdhip64-5 libhiprtc-builtins5)
# What the libraries need: those that apt names, in the versions of the same distribution.
needed=$(apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances "${packages[@]}" |
  grep '^\w' | grep -v -x -e libc6 -e "${packages[0]}" -e "${packages[1]}" | sort -u)
apt-get download "${packages[@]/%/=$version}" >/dev/null 2>&1 || { echo "no packages of version $version"; exit 77; }
apt-get download $needed >/dev/null 2>&1 || true # what is virtual cannot be downloaded
mkdir root
for file in *.deb; do dpkg -x "$file" root; done
cat >compile.c <<'CODE'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
typedef int (*create_t)(void**, const char*, const char*, int, const char**, const char**);
typedef int (*compile_t)(void*, int, const char**);
typedef int (*size_t_t)(void*, size_t*);
typedef int (*log_t)(void*, char*);
int main(int count, char** arguments) {
  void* library = dlopen("libamdhip64.so.5", RTLD_NOW);
  if (!library) return puts(dlerror()), 77;
  create_t create = (create_t)dlsym(library, "hiprtcCreateProgram");
  compile_t compile = (compile_t)dlsym(library, "hiprtcCompileProgram");
  size_t_t size = (size_t_t)dlsym(library, "hiprtcGetProgramLogSize");
  log_t get = (log_t)dlsym(library, "hiprtcGetProgramLog");
  for (int i = 1; i < count; i++) {
    char source[512];
    snprintf(source, sizeof source,
             "extern \"C\" __global__ void k(const __half* in, __half* out) { out[0] = %s(in[0]); }\n", arguments[i]);
    void* program = NULL;
    const char* options[] = {"--gpu-architecture=gfx90a"};
    if (create(&program, source, "k.cpp", 0, NULL, NULL)) return 77;
    const int code = compile(program, 1, options);
    printf("%s %d\n", arguments[i], code);
    size_t length = 0;
    if (code && !size(program, &length) && length) {
      char* text = malloc(length + 1);
      get(program, text);
      text[length] = 0;
      for (char* line = text; *line;) {  // the one line that has no names of temporary files
        char* end = line;
        while (*end && *end != '\n') end++;
        const int more = *end != 0;
        *end = 0;
        if (*line == 'l') puts(line);
        line = end + more;
      }
    }
  }
  fflush(stdout);
  _Exit(0);
}
CODE
gcc -o compile compile.c -ldl
libraries=$(find "$folder/root" -name '*.so*' -printf '%h\n' | sort -u | paste -sd:)
LD_LIBRARY_PATH=$libraries ./compile hsqrt hrcp >seen || { code=$?; cat seen; exit "$code"; }
diff - seen <<'SEEN'
hsqrt 0
hrcp 6
lld: error: undefined hidden symbol: __llvm_amdgcn_rcp_f16
SEEN
echo "as described: hrcp does not link"
