// A complete load run: levels one after the other, or a search, recorded in a folder.
//
//   load.jsonl    requests and levels (run/recorder.h)
// metrics.prom  scrapes of /metrics, if the server has it
#pragma once

#include "base/status.h"
#include "load/base/spec.h"
#include "load/run/level_run.h"
#include "serving/load/level.h"

namespace rankscope::load {

// Records the server's processes after the measured time of each level that the server bears, while
// the level's load continues; not for ramps and replays. All calls come from the thread that runs
// the load.
class LevelCapturer {
 public:
  virtual ~LevelCapturer() = default;
  virtual void Begin(const serving::LoadLevel& level) = 0;
  // Whether the recording still needs the level's load. Returns at once.
  virtual bool NeedsLoad() = 0;
  // Blocks until the files are complete, so that they do not disturb the next level.
  virtual serving::LevelCapture End() = 0;
};

struct LoadWatch {
  LevelWatch level;
  std::function<void(const LevelSpec& level, std::int32_t number)> begins;  // may be empty
  std::function<void(const serving::LevelResult& result)> ends;             // may be empty
  std::function<void(const LevelRecord& record)> recorded;  // may be empty; before `ends`
  LevelCapturer* capturer = nullptr;                        // must outlive the run
};

// Blocks until the last answer. kInvalidArgument for an invalid spec; kIo if the server is
// unreachable; kBadData for an invalid trace; kIo also if the server requires a token; kNotFound if
// no model is given and the server names none. If the run is stopped, the measurements so far are
// recorded.
Status RunLoad(LoadSpec spec, const LoadWatch& watch);

}  // namespace rankscope::load
