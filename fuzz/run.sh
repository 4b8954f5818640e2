#!/usr/bin/env bash
# Makes the seeds and runs every fuzz target:
#
#   fuzz/run.sh BUILD_DIR RUNS [TARGET...]     RUNS executions of each, led by what they reach
#   fuzz/run.sh BUILD_DIR --fixed [TARGET...]  inputs that are the same on every machine, of each as many as fuzz/CMakeLists.txt says
#
# BUILD_DIR was configured with preset "asan-ubsan". Without a TARGET it runs all of fuzz/CMakeLists.txt. Led runs find new
# defects: their corpora grow in BUILD_DIR/corpus from run to run, and with FUZZ_SECONDS set, each target also stops after that
# time. Fixed inputs find what a change broke: they are made of the seeds by fuzz_inputs and run once, in order, without
# libFuzzer's mutations, whose choices follow from addresses, timing and the order of folders. Runs one target per core at a
# time. Prints a line per target; exits 1 when one of them crashed, hung or broke a promise, with the place of the input that
# did it.
set -euo pipefail

usage() {
  sed -n '2,12s/^# \{0,1\}//p' "$0" >&2
  exit 2
}
[[ $# -lt 2 ]] && usage
build=$(cd "$1" && pwd)
fixed=
runs=
if [[ $2 == --fixed ]]; then fixed=yes; else runs=$2; fi
shift 2
# TARGET INPUTS, a line each.
declare -A inputs_of
all=()
while read -r target count; do
  inputs_of[$target]=$count
  all+=("$target")
done < "$build/fuzz_targets"
targets=("$@")
[[ $# -eq 0 ]] && targets=("${all[@]}")
for target in "${targets[@]}"; do
  [[ -n ${inputs_of[$target]:-} ]] || { echo "fuzz/run.sh: there is no target '$target' in fuzz/CMakeLists.txt" >&2; exit 2; }
done
here=$(cd "$(dirname "$0")" && pwd)

cmake --build "$build" --target fuzz_seeds fuzz_inputs "${targets[@]}" > "$build/build.log" 2>&1 || { cat "$build/build.log" >&2; exit 1; }
rm -rf "$build/seeds" "$build/inputs"
python3 "$here/../tests/reference/odd_files.py" "$build/seeds/traces" > /dev/null
"$build/bin/fuzz_seeds" "$build/seeds/traces" "$build/seeds"
python3 "$here/../tests/reference/write_formats.py" "$build/seeds/fuzz_formats"
python3 "$here/../tests/reference/write_snapshot.py" --seeds "$build/seeds/fuzz_memory"
python3 "$here/../tests/reference/write_dumps.py" "$build/seeds/fuzz_dumps"
python3 "$here/../tests/reference/write_serving.py" "$build/seeds/fuzz_serving"
python3 "$here/../tests/reference/write_post_training.py" "$build/seeds/fuzz_post_training"
python3 "$here/../tests/reference/write_programs.py" "$build/seeds/fuzz_fix"
mkdir -p "$build/seeds/fuzz_source_bundle"
printf '  {"path":"a/net.py","text":"import torch\\n"}\n{"path":"b.py","text":""}\n' > "$build/seeds/fuzz_source_bundle/two"

mkdir -p "$build/seeds/fuzz_fleet_hours"
printf '\0\1JobIDRaw|User|State|Start|End|NodeList|AllocTRES\n1|a|COMPLETED|2024-10-01T00:00:00|2024-10-02|n[1-2]|gres/gpu:1g.10gb=3,gres/gpu=3\n' > "$build/seeds/fuzz_fleet_hours/sacct"
printf '\1\2{"items":[{"metadata":{"name":"p","labels":{"job-name":"j"}},"spec":{"nodeName":"n1","containers":[{"resources":{"limits":{"nvidia.com/gpu":"2"}}}]},"status":{"phase":"Failed","startTime":"2024-09-20T00:00:00Z","containerStatuses":[{"state":{"terminated":{"finishedAt":"2024-09-21T00:00:00Z"}}}]}}]}' > "$build/seeds/fuzz_fleet_hours/pods"
printf '\2\3node,devices,from,until\nn[1-3],8,2024-01-01,\n' > "$build/seeds/fuzz_fleet_hours/devices"
printf '\3\0node,from,until,state\nn1,2024-09-20,2024-09-21T12:00:00+02:00,down\n' > "$build/seeds/fuzz_fleet_hours/absences"
printf '\4\0field,pattern,team\nuser,^a,"b, c"\n' > "$build/seeds/fuzz_fleet_hours/owners"
printf '\5\0{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"__name__":"DCGM_FI_DEV_GPU_UTIL","Hostname":"n1","gpu":"0"},"values":[[1726800000,"50"],[1726803600,"NaN"]]}]}}' > "$build/seeds/fuzz_fleet_hours/use"
mkdir -p "$build/seeds/fuzz_snoop"
cp "$here"/../tests/golden/snoop/*.snoop.json "$here"/../tests/golden/snoop/*.offcpu.json "$build/seeds/fuzz_snoop"
printf '{"what":"snoop","pid":7,"milliseconds":1000,"memory":true,"launches":false,"max_events_per_second":5}' > "$build/seeds/fuzz_snoop/request"
mkdir -p "$build/seeds/fuzz_probe"
for spec in "$here"/../examples/probes/*.probe; do (printf '\1\2'; cat "$spec") > "$build/seeds/fuzz_probe/$(basename "$spec")"; done
mkdir -p "$build/seeds/fuzz_tune"
# shellcheck disable=SC2016
printf 'name = "a"\n[values]\nm = ""\n[trial]\nstart = ["x", "${m}", "${settings}"]\nlive = ["y", "${s}"]\n[service]\nurl = "http://h:1"\nfile = "f"\ncontent = "${s} ${c}"\n[parameters.s]\nflag = "-s"\nscale = "log2"\nleast = 1\nmost = 8\ndefault = 2\n[parameters.c]\nchoices = ["a", "b"]\nflags = ["", "-b"]\ndefault = "a"\n[[orders]]\ngreater = "s"\nlesser = "s"\n' > "$build/seeds/fuzz_tune/adapter"
printf '{"stage":"baseline","schedule":0,"point":[8],"crashed":false,"objective":3.1,"metrics":[]}\n' > "$build/seeds/fuzz_tune/journal"
mkdir -p "$build/seeds/fuzz_s3"
printf '<?xml version="1.0"?><ListBucketResult xmlns="x"><IsTruncated>true</IsTruncated><NextContinuationToken>a&amp;b</NextContinuationToken><Contents><Key>p/a</Key><LastModified>2026-11-28T18:54:47.000Z</LastModified><Size>5</Size></Contents></ListBucketResult>' > "$build/seeds/fuzz_s3/list"
printf '<ListMultipartUploadsResult><Upload><Key>k</Key><UploadId>u</UploadId><Initiated>2026-11-28T18:54:47.000Z</Initiated></Upload></ListMultipartUploadsResult>' > "$build/seeds/fuzz_s3/uploads"
printf '<Error><Code>NoSuchKey</Code><Message><![CDATA[a]]>&#x41;</Message></Error>' > "$build/seeds/fuzz_s3/error"
mkdir -p "$build/seeds/fuzz_audit"
line='{"number":1,"time":"2026-11-28T10:00:00Z","who":"ann","role":"upload","team":"search","from":"127.0.0.1","act":"run.remove","run":"1","target":"","outcome":"ok","status":204,"detail":"","before":""'
printf '%s,"hash":"%s"}' "$line" "$(printf '%s' "$line" | sha256sum | cut -c1-64)" > "$build/seeds/fuzz_audit/line"
mkdir -p "$build/seeds/fuzz_oidc"
printf 'eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q' > "$build/seeds/fuzz_oidc/token"
printf '{"keys":[{"kty":"EC","crv":"P-256","use":"sig","kid":"a","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"},{"kty":"RSA","alg":"RS256","n":"AQAB","e":"AQAB"}]}' > "$build/seeds/fuzz_oidc/keys"
printf '{"issuer":"https://id.test","authorization_endpoint":"https://id.test/a","token_endpoint":"https://id.test/t","jwks_uri":"https://id.test/k","token_endpoint_auth_methods_supported":["client_secret_post"]}' > "$build/seeds/fuzz_oidc/document"
printf '{"iss":"joe","aud":["us"],"email":"a@x","email_verified":true,"groups":["team-search"],"a":{"b":["c"]}}' > "$build/seeds/fuzz_oidc/claims"
printf 'name = "sub"\nscopes = ["email"]\n[[rule]]\nclaim = "groups"\nvalue = "a*"\nrole = "read"\nteam = "{rest}"\n' > "$build/seeds/fuzz_oidc/rules"
mkdir -p "$build/seeds/fuzz_load"
printf '\0\0TIMESTAMP,ContextTokens,GeneratedTokens\r\n2023-11-16 18:15:46.68,374,44\n' > "$build/seeds/fuzz_load/azure"
printf '\0\0{"timestamp": 3000, "input_length": 900, "output_length": 52, "hash_ids": [46, 47]}\n' > "$build/seeds/fuzz_load/mooncake"
printf '\2\3data: {"choices":[{"text":" a","finish_reason":"stop"}]}\n\ndata: {"usage":{"completion_tokens":4}}\n\ndata: [DONE]\n\n' > "$build/seeds/fuzz_load/stream"

# The time is for what never ends: no machine is so busy that another input reaches it.
limits=(-timeout=120 -rss_limit_mb=2048)

# led TARGET: RUNS executions, and prints how many there were and how much of the program they reached.
# shellcheck disable=SC2317 # `fuzz` calls it by its name
led() {
  local target=$1 corpus=$build/corpus/$1 log=$build/corpus/$1.log ok=0 options
  mkdir -p "$corpus"
  options=("${limits[@]}" -runs="$runs" -max_len=16386 -print_final_stats=1 -artifact_prefix="$build/corpus/failures/$target-")
  [[ -n ${FUZZ_SECONDS:-} ]] && options+=(-max_total_time="$FUZZ_SECONDS")
  [[ $target == fuzz_splitter || $target == fuzz_importer || $target == fuzz_trace_tools ]] && options+=(-dict="$here/trace.dict")
  "$build/bin/$target" "${options[@]}" "$corpus" "$build/seeds/$target" > "$log" 2>&1 || ok=1
  printf '%10s executions  %6s edges' "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")" \
    "$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -1)"
  return "$ok"
}

# fixed TARGET: runs its inputs, and prints how many and a sum that tells whether two machines had the same.
# shellcheck disable=SC2317 # `fuzz` calls it by its name
fixed() {
  local inputs=$build/inputs/$1 log=$build/inputs/$1.log count=${inputs_of[$1]}
  "$build/bin/fuzz_inputs" "$build/seeds/$1" "$count" "$inputs" > "$log" 2>&1 || return 1
  cd "$inputs"
  printf '%10s inputs %s' "$count" "$(sha256sum ./* | sha256sum | cut -c1-12)"
  "$build/bin/$1" "${limits[@]}" ./* > "$log" 2>&1
}

# fuzz TARGET: a line about it.
fuzz() {
  local started=$SECONDS how=led folder=corpus result=ok told
  [[ -n $fixed ]] && how=fixed && folder=inputs
  told=$($how "$1") || result="FAILED, see $build/$folder/$1.log"
  printf '%-18s %s  %5d s  %s\n' "$1" "$told" $((SECONDS - started)) "$result"
  [[ $result == ok ]]
}

mkdir -p "$build/corpus/failures" "$build/inputs"
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
