// A small program in place of this one, only for tests of queues.
#pragma once

#include <sys/stat.h>

#include <fstream>
#include <string>
#include <string_view>

namespace rankscope::service {

// Writes a report, or reads a shard. A file with "poison" kills it, and it refuses one with "no
// trace". The folders a and b are runs of their own.
inline constexpr std::string_view kSmallProgram = R"(#!/bin/sh
echo "$@" >> "$LOG"
look="$2"
if [ "$1" = shard ]; then look="$4"; fi
if grep -qr "poison" -R "$look"; then kill -SEGV $$; fi
if grep -qr "no trace" -R "$look"; then echo "rankscope: it is no trace" >&2; exit 1; fi
if grep -qr "no event" -R "$look"; then
  echo "rankscope: no recording has an event: TRACES/rank0: it inflates" >&2
  exit 1
fi
if grep -qr "sleep" -R "$look"; then sleep 100; fi
if [ -d TRACES/a -a -d TRACES/b ]; then
  echo '{"runs":[{"paths":["TRACES/a"]},{"paths":["TRACES/b"]}]}' > "$RANKSCOPE_RUNS_FILE"
  echo "rankscope: these are recordings of 2 runs" >&2
  exit 2
fi
echo "1 2" > progress
if [ "$3" = --format ]; then
  mkdir report
  echo '{"world_size":4,"devices":["H100"]}' > report/summary.json
  find -L TRACES -type f | sort | xargs cat > report/report.json
fi
)";

// `log` gets a line of words for each call.
inline void WriteSmallProgram(const std::string& path, const std::string& log) {
  std::string program(kSmallProgram);
  program.replace(program.find("\"$LOG\""), 6, log);
  std::ofstream(path) << program;
  chmod(path.c_str(), 0755);
}

}  // namespace rankscope::service
