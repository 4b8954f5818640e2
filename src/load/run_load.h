// A load run as a whole: levels one after the other, or searched, written down in a folder.
//
//   load.jsonl    requests and levels (run/recorder.h)
//   metrics.prom  scrapes of /metrics, where the server has them
#pragma once

#include "base/status.h"
#include "load/base/spec.h"
#include "load/run/level_run.h"
#include "serving/load/level.h"

namespace rankscope::load {

// Records the processes of the server, behind the time of each level that the server bears and
// while its load goes on; for ramps and replays it is not asked. All from the thread that runs the
// load.
class LevelCapturer {
 public:
  virtual ~LevelCapturer() = default;
  virtual void Begin(const serving::LoadLevel& level) = 0;
  // Whether what was begun still needs the level's load. Returns at once.
  virtual bool NeedsLoad() = 0;
  // Blocks until the files are there: the next level has the server to itself.
  virtual serving::LevelCapture End() = 0;
};

struct LoadWatch {
  LevelWatch level;
  std::function<void(const LevelSpec& level, std::int32_t number)> begins;  // may be empty
  std::function<void(const serving::LevelResult& result)> ends;             // may be empty
  std::function<void(const LevelRecord& record)> recorded;  // may be empty; before `ends`
  LevelCapturer* capturer = nullptr;                        // outlives the run
};

// Blocks until the last answer. kInvalidArgument for what cannot be asked; kIo when the server
// cannot be reached; kBadData for a trace that is none, kIo, too, where it wants a token; kNotFound
// where no model is named and the server names none. What was measured until it was stopped is
// written down.
Status RunLoad(LoadSpec spec, const LoadWatch& watch);

}  // namespace rankscope::load
