// One level of load, from its first request to its last answer.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/status.h"
#include "load/base/spec.h"
#include "load/run/recorder.h"
#include "load/schedule/replay_file.h"
#include "serving/base/data.h"

namespace rankscope::load {

struct LevelRecord {
  serving::LoadLevel level;
  std::vector<serving::Request> requests;
  bool was_stopped = false;
};

// Live numbers, updated several times per second. Rates and times cover the last ten seconds.
struct LiveNumbers {
  std::int32_t level = 0;
  std::int64_t elapsed = 0, sending = 0;  // ns
  std::int64_t begun = 0, done = 0, failed = 0, inside = 0;
  double begun_per_s = 0, done_per_s = 0;
  std::optional<double> tokens_per_s, first_token_ns, e2e_ns;  // medians
  bool is_measured = false;  // requests continue during a recording of the server
  bool is_draining = false;
};

struct LevelWatch {
  std::function<void(const LiveNumbers&)> live;  // may be empty
  std::function<bool()> is_stopped;              // ends sending; when set again, ends the drain
  // Called with the measured record at the end of the level's time, and then several times per
  // second. While it returns true, requests continue as before but are not recorded. Empty: never.
  // Not called for ramps and replays, or for a stopped level.
  std::function<bool(const LevelRecord& measured)> goes_on;
};

// Runs one level against the server and records it. kIo if the server is unreachable: the first
// requests all failed to connect. Blocks; uses one thread.
Result<LevelRecord> RunLevel(const LoadSpec& spec, const LevelSpec& level, std::int32_t number,
                             std::uint64_t run, const RecordedTrace* replay,
                             const LevelWatch& watch, Recorder& recorder);

}  // namespace rankscope::load
