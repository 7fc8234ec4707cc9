#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Shows that BundleCheck refuses a damaged repository: bundle-damage.sh JAVA ROOT REPOSITORY COPY
# Damages a copy of the repository in one way after the other; each must be refused, for the expected reason.
set -euo pipefail
java=$1 root=$2 repository=$3 copy=$4
classes=$copy.classes
"${java}c" -d "$classes" "$root/tools/dist/BundleCheck.java"
cp -R -- "$repository" "$copy"

# refuses REASON FILE COMMAND...: COMMAND damages FILE, which is restored afterwards.
refuses() {
  local reason=$1 file=$copy/org/jhal/$2 output
  shift 2
  cp -- "$file" "$copy.kept"
  "$@" "$file"
  if output=$("$java" -cp "$classes" BundleCheck "$root/hal-bom/pom.xml" "$copy" 2>&1); then
    printf 'not refused: %s of %s\n' "$*" "$file" >&2
    exit 1
  fi
  if ! grep -qF -- "$reason" <<<"$output"; then
    printf 'refused, but not because of "%s":\n%s\n' "$reason" "$output" >&2
    exit 1
  fi
  cp -- "$copy.kept" "$file"
}
append() { printf 'x' >>"$1"; }
without_licence() { (cd "$copy.kept-page" && "${java%java}jar" --create --no-manifest --file "$1" index.html); }
with_benchmarks() { sed -i 's|<artifactId>hal-utils</artifactId>|<artifactId>benchmarks</artifactId>|' "$1"; }
without_url() { sed -i '/<url>https:..jhal.org<.url>/d' "$1"; }

version=$(basename -- "$copy"/org/jhal/hal-api/*)
api=hal-api/$version/hal-api-$version
refuses 'is missing' "$api.pom" rm
refuses 'is missing' "$api.jar" rm
refuses 'is missing' "$api-sources.jar" rm
refuses 'is missing' "$api-javadoc.jar" rm
refuses 'is missing' "$api.jar.asc" rm
refuses 'is missing' "$api.jar.sha1" rm
refuses 'is missing' "$api.jar.md5" rm
refuses 'is not the checksum' "$api.jar" append
refuses 'does not verify' "$api.jar" append
refuses 'is not the checksum' "$api.jar.md5" append
mkdir -- "$copy.kept-page"
touch "$copy.kept-page/index.html"
refuses 'has no META-INF/LICENSE' "$api-javadoc.jar" without_licence
refuses 'has no <url>' "jhal-parent/$version/jhal-parent-$version.pom" without_url
refuses 'has no <url>' "hal-bom/$version/hal-bom-$version.pom" without_url
refuses 'names benchmarks, which is not published' "hal-gpu/$version/hal-gpu-$version.pom" with_benchmarks
mv -- "$copy/org/jhal/hal-spark" "$copy.kept-module"
if "$java" -cp "$classes" BundleCheck "$root/hal-bom/pom.xml" "$copy" >/dev/null 2>&1; then
  echo "not refused: a bundle without hal-spark" >&2
  exit 1
fi
echo "bundle check: refused 15 damaged bundles"
