# SPDX-License-Identifier: Apache-2.0
# Part of `hal`, which reads it for `hal kit` and has set root, dist and java_home.
#
# Packs what runs (the built jars, a Java made by jlink, the examples and the documents) into one archive for machines
# of this kind that have neither a JDK nor Maven. Unpacked, it is a folder `kit` with the same `hal` in it.
#
# SOURCE_DATE_EPOCH  the time of all files in it, in seconds since 1970; then the same commit and JDK, with GNU tar, make
#                    the same kit again. Without it, files have the time at which they were made

# What the jars use. java.desktop: PNG files. java.management, jdk.management: benchmarks. jdk.jfr: hal trace.
# jdk.attach, jdk.management.agent: hal top, and being watched by it. jdk.unsupported: JNA, Gson and Guava. jdk.zipfs: JUnit finds the tests of the suite in a jar with it.
modules=java.base,java.desktop,java.logging,java.management,java.management.rmi,jdk.attach,jdk.jfr,jdk.management,jdk.management.agent,jdk.unsupported,jdk.zipfs
limit_megabytes=40

if [ $# -gt 0 ]; then
  case $1 in
    -h | --help)
      echo "Usage: ./hal kit"
      echo "Makes an archive with all that runs, for machines without a JDK and Maven, in '$root/build'."
      exit 0
      ;;
  esac
  die 125 "kit takes no arguments, but there is '$1'"
fi
[ -x "$java_home/bin/jlink" ] || die 124 "'$java_home' has no bin/jlink; a JDK is needed to make a kit"
[ -f "$dist/sbom.json" ] || build yes

if command -v xz >/dev/null; then
  ending=xz
  packer='xz -T2'
else
  ending=gz
  packer='gzip -9n'
fi
name=jhal-kit-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m).tar.$ending
archive=$root/build/$name
work=$root/build/kit.$$
log=$root/build/kit.log
trap 'rm -rf -- "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

mkdir -p -- "$work/kit/dist" "$work/kit/examples" || die 125 "cannot create '$work'"
strip=--strip-debug # of native code too, which takes objcopy
command -v objcopy >/dev/null || strip=--strip-java-debug-attributes
"$java_home/bin/jlink" --add-modules "$modules" "$strip" --no-header-files --no-man-pages \
  --output "$work/kit/runtime" >"$log" 2>&1 || die 125 "jlink failed; see $log"

cp -R -- "$dist/lib" "$dist/drivers" "$dist/sbom.json" "$work/kit/dist/" &&
  cp -R -- "$root/hal" "$root/README.md" "$root/LICENSE" "$root/NOTICE" "$root/docs" "$work/kit/" &&
  cp -R -- "$root/tools/dist/licenses" "$work/kit/" &&
  cp -- "$root/LICENSE" "$work/kit/licenses/Apache-2.0.txt" &&
  cp -- "$root/driver-cuda/src/main/resources/META-INF/licenses/jcuda.txt" "$work/kit/licenses/MIT-jcuda.txt" &&
  cp -- "$root/examples/README.md" "$work/kit/examples/" || die 125 "cannot copy to '$work'"
for manifest in "$root"/examples/*/manifest.json; do
  cp -R -- "${manifest%/*}" "$work/kit/examples/" || die 125 "cannot copy '${manifest%/*}' to '$work'"
done
# The device cpu of the target then needs no compiler for the examples. Where x86-64-v3 does not run, they run in Java.
for manifest in "$work"/kit/examples/*/manifest.json; do
  "$work/kit/hal" compile "${manifest%/*}" --add >>"$log" 2>&1 && continue
  status=$?
  [ "$status" -eq 3 ] || die 125 "cannot compile the kernels of '${manifest%/*}'; see $log"
  echo "hal: no C++ compiler here, so on targets without one the device cpu runs the examples in Java" >&2
  break
done
if [ -d "$root/drivers" ]; then
  cp -R -- "$root/drivers" "$work/kit/" || die 125 "cannot copy '$root/drivers' to '$work'"
fi

"$java" -cp "$dist/lib/*" "$root/tools/dist/KitContents.java" "$work/kit" >>"$log" 2>&1 ||
  die 125 "the kit has something unknown in it; see $log"

# The same for each umask, user and order of a folder's files.
chmod -R u=rwX,go=rX "$work/kit" || die 125 "cannot change the modes of '$work/kit'"
same=
if tar --version 2>/dev/null | grep -q GNU; then
  same="--format=gnu --sort=name --owner=0 --group=0 --numeric-owner ${SOURCE_DATE_EPOCH:+--mtime=@$SOURCE_DATE_EPOCH}"
fi
# A pipe would hide a failure of tar.
tar -C "$work" $same -cf "$work/kit.tar" kit && $packer "$work/kit.tar" && mv -- "$work/kit.tar.$ending" "$archive" ||
  die 125 "cannot write '$archive'"
bytes=$(wc -c <"$archive")
echo "$archive: $(((bytes + 999999) / 1000000)) MB" || die 125 "made '$archive', but cannot write that to the output"
if [ "$bytes" -gt $((limit_megabytes * 1000000)) ]; then
  echo "hal: the kit is larger than $limit_megabytes MB; with xz and objcopy it is smallest" >&2
fi
