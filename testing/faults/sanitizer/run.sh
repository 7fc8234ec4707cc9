#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh FOLDER RESULTS: on a machine with an NVIDIA GPU and compute-sanitizer, runs the kernels that build.sh has put into FOLDER, without a tool and with each
# of the four, and writes what they print to RESULTS. SanitizerResults explains and reads that file. Takes at most LIMIT seconds (480): what does not fit in is
# left out. No kernel gets more than 15 seconds, since faulty ones may hang.
set -u
export folder=$1 results=$2
export end=$(($(date +%s) + ${LIMIT:-480})) logs=$(mktemp -d) CUDA_MODULE_LOADING=EAGER
export sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda*/bin/compute-sanitizer /opt/*/*/compute-sanitizer* 2>/dev/null | head -1)
[ -x "$sanitizer" ] || { echo "there is no compute-sanitizer" >&2; exit 2; }
chmod +x "$folder/host"

# Shared memory is looked at from 2025.4 on.
export initcheck=$("$sanitizer" --help 2>&1 | grep -q initcheck-address-space && echo "--initcheck-address-space all")
# Calls that fail are the host program's business, and backtraces of the host take time.
export options="--print-limit 200 --show-backtrace device --report-api-errors no --check-exit-code no"

# One sound kernel first: without a GPU, or where the tool does not work, nothing else is tried.
try=$(timeout 60 "$sanitizer" $options "$folder/host" "$folder" axpby-last.sound 1 2>&1)
grep -q "^ms " <<< "$try" && grep -q "ERROR SUMMARY: 0 errors" <<< "$try" || { echo "$try" >&2; exit 2; }

# KERNEL TWIN TOOL ROUNDS
one() {
  local name=$1.$2 tool=$3 command=() begin status
  [ "$(date +%s)" -lt "$end" ] || return 0
  if [ "$tool" != none ]; then
    command=("$sanitizer" --tool "$tool" $options)
    [ "$tool" != initcheck ] || command+=($initcheck)
  fi
  begin=$(date +%s%N)
  timeout -k 2 "${SECONDS_EACH:-15}" "${command[@]}" "$folder/host" "$folder" "$name" "$4" > "$logs/$name.$tool.out" 2>&1 < /dev/null
  status=$?
  {
    echo "@ $1 $2 $tool $status $((($(date +%s%N) - begin) / 1000000))"
    head -c 150000 "$logs/$name.$tool.out" | tr -d '\0'
    echo
  } > "$logs/$name.$tool.txt"
  rm "$logs/$name.$tool.out"
}
export -f one

# TWIN ROUNDS AT_ONCE TOOL...
all() {
  local twin=$1 rounds=$2 at_once=$3 run
  shift 3
  for tool; do
    for run in "$folder"/*."$twin.run"; do
      printf '%s\n' "$(basename "$run" ".$twin.run") $twin $tool $rounds"
    done
  done | xargs -P "$at_once" -L 1 bash -c 'one "$@"' one
}

# First what takes time alone, at the end what only confirms.
all sound 30 1 none
all faulty 1 6 memcheck racecheck initcheck synccheck none
all sound 6 4 memcheck initcheck synccheck racecheck

{
  echo "# sanitizer $("$sanitizer" --version | grep -o '[0-9]\{4\}\.[0-9.]*[0-9]' | head -1)"
  echo "# options $options${initcheck:+, initcheck with $initcheck}"
  echo "# gpu $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -1 | sed 's/, /, driver /')"
  echo "# compiler $(cat "$folder/nvcc.txt")"
  cat "$logs"/*.txt
} > "$results"

for tool in none memcheck racecheck initcheck synccheck; do
  for twin in faulty sound; do
    echo "$tool, $twin: $(cat "$logs"/*."$twin.$tool.txt" 2> /dev/null | awk '
      $1 == "@" { runs++; if ($5 == 124 || $5 == 137) late++ }
      $1 == "ms" { ran++ }
      / SUMMARY: / { summaries++; if ($4 > 0) errors++ }
      END { printf "%d runs, %d to their end, %d took too long, %d summaries, %d with errors", runs, ran, late, summaries, errors }')"
  done
done
grep -v '^@' "$logs/axpby-last.faulty.memcheck.txt" | head -20
rm -r "$logs"
