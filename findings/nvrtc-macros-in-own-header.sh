#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# NVRTC compiles no source if an option defines a macro that has the name of something in its own header.
#
# Expected  the header that NVRTC puts in front of each source has reserved names only, as a standard library has. So any source
#           compiles with a macro like T or type, if the source itself permits that.
# Happens   with -DT=float, -Dtype=float, -Dvalue=float or -Dbase=float, the kernel `extern "C" __global__ void k() {}` does not
#           compile: the errors are in __nv_nvrtc_builtin_header.h. With N, S and U it does. A #define in the source has no such
#           effect, as it comes behind the header.
# Version   NVRTC 11.8.89 of Debian 12 (no GPU needed); with -DT also 13.0. HIPRTC 5.2.3 of Debian 12 does the same with T, U, x, n,
#           type, value and base.
# Meets it  whoever chooses the type of a kernel with -DT=float.
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
{ "${apt[@]}" update && "${apt[@]}" download "libnvrtc11.2=$version" "libnvrtc-builtins11.8=$version"; } >log 2>&1 ||
  { echo "no packages of version $version"; exit 77; }
for package in *.deb; do dpkg -x "$package" .; done
cat >compile.c <<'CODE'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  void* nvrtc = dlopen("libnvrtc.so.11.2", RTLD_NOW);
  if (!nvrtc) return 77;
  int (*create)(void**, const char*, const char*, int, const char**, const char**) = dlsym(nvrtc, "nvrtcCreateProgram");
  int (*compile)(void*, int, const char**) = dlsym(nvrtc, "nvrtcCompileProgram");
  int (*logSize)(void*, size_t*) = dlsym(nvrtc, "nvrtcGetProgramLogSize");
  int (*getLog)(void*, char*) = dlsym(nvrtc, "nvrtcGetProgramLog");
  const char* names[] = {"N", "S", "T", "U", "type", "value", "base"};
  for (int i = 0; i < 7; i++) {
    for (int inSource = 0; inSource < 2; inSource++) {
      char option[32], source[99];
      snprintf(option, sizeof option, "-D%s=float", names[i]);
      snprintf(source, sizeof source, "%s%s%s extern \"C\" __global__ void k() {}\n", inSource ? "#define " : "",
               inSource ? names[i] : "", inSource ? " float\n" : "");
      const char* options[] = {"--gpu-architecture=compute_80", option};
      void* program;
      create(&program, source, "k.cu", 0, 0, 0);
      int code = compile(program, inSource ? 1 : 2, options);
      size_t size;
      logSize(program, &size);
      char* log = calloc(size + 1, 1);
      getLog(program, log);
      const char* where = strstr(log, "__nv_nvrtc_builtin_header.h(") == log ? "error in the header" : "error";
      printf("%s %s: %s\n", names[i], inSource ? "in the source" : "as an option", code ? where : "compiles");
      free(log);
    }
  }
}
CODE
gcc -o compile compile.c -ldl
LD_LIBRARY_PATH="$folder/usr/lib/x86_64-linux-gnu" ./compile >seen
diff - seen <<'SEEN'
N as an option: compiles
N in the source: compiles
S as an option: compiles
S in the source: compiles
T as an option: error in the header
T in the source: compiles
U as an option: compiles
U in the source: compiles
type as an option: error in the header
type in the source: compiles
value as an option: error in the header
value in the source: compiles
base as an option: error in the header
base in the source: compiles
SEEN
echo "as described: -DT=float is an error in NVRTC's own header"
