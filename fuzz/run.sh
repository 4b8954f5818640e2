#!/usr/bin/env bash
# Makes the seeds and runs every fuzz target:
#
#   fuzz/run.sh BUILD_DIR RUNS [TARGET...]
#
# BUILD_DIR was configured with preset "asan-ubsan". The corpora grow in BUILD_DIR/corpus from run to run. With
# FUZZ_SECONDS set, each target also stops after that time; with FUZZ_SEED, its inputs are the same in every run. Runs one per core at a time. Prints a line per target; exits 1 when one of them
# crashed, hung or broke a promise, with the place of the input that did it.
set -euo pipefail

if [[ $# -lt 2 ]]; then
  sed -n '2,9s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
build=$(cd "$1" && pwd)
runs=$2
shift 2
targets=("$@")
if [[ ${#targets[@]} -eq 0 ]]; then
  targets=(fuzz_splitter fuzz_importer fuzz_gzip fuzz_cache fuzz_damaged_cache fuzz_table)
fi
here=$(cd "$(dirname "$0")" && pwd)

cmake --build "$build" --target fuzz_seeds "${targets[@]}" > "$build/build.log" 2>&1 || { cat "$build/build.log" >&2; exit 1; }
rm -rf "$build/seeds"
python3 "$here/../tests/reference/odd_files.py" "$build/seeds/traces" > /dev/null
"$build/bin/fuzz_seeds" "$build/seeds/traces" "$build/seeds"

# fuzz TARGET: a line about it.
fuzz() {
  local target=$1 corpus=$build/corpus/$1 log=$build/corpus/$1.log options started=$SECONDS result=ok
  mkdir -p "$corpus"
  options=(-runs="$runs" -max_len=16386 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1
           -artifact_prefix="$build/corpus/failures/$target-")
  [[ -n ${FUZZ_SECONDS:-} ]] && options+=(-max_total_time="$FUZZ_SECONDS")
  [[ -n ${FUZZ_SEED:-} ]] && options+=(-seed="$FUZZ_SEED")
  [[ $target == fuzz_splitter || $target == fuzz_importer ]] && options+=(-dict="$here/trace.dict")
  "$build/bin/$target" "${options[@]}" "$corpus" "$build/seeds/$target" > "$log" 2>&1 || result="FAILED, see $log"
  printf '%-18s %10s executions  %6s edges  %5d s  %s\n' "$target" \
    "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")" \
    "$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -1)" $((SECONDS - started)) "$result"
  [[ $result == ok ]]
}

mkdir -p "$build/corpus/failures"
failed=0
running=0
for target in "${targets[@]}"; do
  if [[ $running -eq $(nproc) ]]; then
    wait -n || failed=1
    running=$((running - 1))
  fi
  fuzz "$target" &
  running=$((running + 1))
done
while [[ $running -gt 0 ]]; do
  wait -n || failed=1
  running=$((running - 1))
done
exit $failed
