#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Uses the artifacts of a release as users do: try.sh ROOT REPOSITORY WORK JDK...
# Builds and runs each project of tools/dist/trials with each JDK, in the new folder WORK. A project prints what its
# expected.txt has, and nothing else: a warning of the JVM counts as a failure. The local repository of Maven begins with the
# artifacts of REPOSITORY and nothing else, so that those of JHAL come from there; all others come from where Maven's
# settings say.
set -euo pipefail
root=$1 repository=$2 work=$3
shift 3

fail() {
  printf '%s\n' "$1" >&2
  cat -- "$2" >&2
  exit 1
}

version=$(basename -- "$repository"/org/jhal/hal-bom/*)
# The names of the drivers that the release has.
drivers=$(sed -n 's|.*<artifactId>driver-\(.*\)</artifactId>.*|\1|p' "$repository/org/jhal/hal-bom/$version"/*.pom | LC_ALL=C sort)
[ -n "$drivers" ] || fail "hal-bom lists no driver" /dev/null
mkdir -p -- "$work"
cp -R -- "$repository" "$work/local"

# The version that the parent pins: of a plugin, or in a property. Or all drivers, as dependencies or as a list.
pinned() {
  local driver
  case $1 in
    jhal.version) echo "$version" ;;
    driver-dependencies)
      for driver in $drivers; do
        printf '%s' "<dependency><groupId>org.jhal</groupId><artifactId>driver-$driver</artifactId><scope>runtime</scope></dependency>"
      done
      ;;
    driver-names) paste -sd, <<<"$drivers" | sed 's/,/, /g' ;;
    *-plugin) grep -A1 "<artifactId>$1<" "$root/pom.xml" | sed -n 's|.*<version>\(.*\)</version>.*|\1|p' ;;
    *) sed -n "s|^ *<$1>\(.*\)</$1>.*|\1|p" "$root/pom.xml" ;;
  esac
}

# Replaces each @NAME@ in a file.
with_versions() {
  local file=$1 name
  for name in $(grep -o '@[a-z.-]*@' "$file" | sort -u | tr -d @); do
    sed -i "s|@$name@|$(pinned "$name")|" "$file"
  done
}

maven() {
  mvn -B -q -Dmaven.repo.local="$work/local" "$@" >"$work/maven.log" 2>&1 || fail "mvn $*" "$work/maven.log"
}

# What a user types to run each project. The jars that it needs are in target/lib.
run() {
  case $1 in
    module-path) "$java" -p target/classes:target/lib --enable-native-access=com.sun.jna -m com.example.modules/com.example.modules.Main ;;
    shaded) "$java" -jar target/shaded.jar ;;
    jshell)
      mkdir -p target/.java/.userPrefs # jshell says so if it makes the folder of its preferences
      # By default, it waits only five seconds for the JVM that it starts.
      "${java%java}jshell" -s --execution 'jdi:hostname(127.0.0.1),timeout(120000)' -J-Djava.util.prefs.userRoot=target --class-path "$(printf '%s:' target/lib/*.jar)" script.jsh
      ;;
    spring) "$java" -jar target/spring.jar ;;
    kotlin) "$java" -cp 'target/classes:target/lib/*' MainKt ;;
  esac
}

jdks=()
for jdk; do
  jdks+=("$(cd -P -- "$jdk" && pwd -P)")
done
for number in "${!jdks[@]}"; do
  jdk=${jdks[number]}
  java=$jdk/bin/java
  export JAVA_HOME=$jdk
  for trial in module-path shaded jshell spring kotlin; do
    begin=$SECONDS
    folder=$work/jdk-$number/$trial # the folders of two JDKs may have the same name
    mkdir -p -- "$folder"
    cp -R -- "$root/tools/dist/trials/$trial/." "$folder"
    cd -- "$folder"
    with_versions pom.xml
    with_versions expected.txt
    maven package "org.apache.maven.plugins:maven-dependency-plugin:$(pinned maven-dependency-plugin):copy-dependencies" \
      -DincludeScope=runtime -DoutputDirectory=target/lib
    run "$trial" >output.txt 2>&1 </dev/null || fail "$trial with $jdk: exit code $?" output.txt
    diff -u expected.txt output.txt >difference.txt || fail "$trial with $jdk prints something else" difference.txt
    echo "$trial with $jdk: ok, $((SECONDS - begin)) s"
  done
done

# Maven keeps such a file beside what it has downloaded.
strangers=$(find "$work/local/org/jhal" -name _remote.repositories)
[ -z "$strangers" ] || fail "artifacts of JHAL come from elsewhere: $strangers" /dev/null
