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

struct LoadWatch {
  LevelWatch level;
  std::function<void(const LevelSpec& level, std::int32_t number)> begins;  // may be empty
  std::function<void(const serving::LevelResult& result)> ends;             // may be empty
  std::function<void(const LevelRecord& record)> recorded;  // may be empty; before `ends`
};

// Blocks until the last answer. kInvalidArgument for what cannot be asked; kIo when the server
// cannot be reached; kBadData for a trace that is none, kIo, too, where it wants a token; kNotFound
// where no model is named and the server names none. What was measured until it was stopped is
// written down.
Status RunLoad(LoadSpec spec, const LoadWatch& watch);

}  // namespace rankscope::load
