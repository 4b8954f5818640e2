// RunCriterion: a filter of runs as data, so that a catalogue in memory and one in a database find
// the same runs.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/run.h"

namespace rankscope::store {

struct RunCriterion {
  std::string field;                // one of TextFields(), "state" or "tag"
  std::vector<std::string> values;  // it is one of them; of tags NAME, or NAME=VALUE
};

// The text fields of a run that filters name: "id", "team", ...
std::span<const std::string_view> TextFields();

bool Fulfils(const Run& run, const RunCriterion& criterion);
bool FulfilsAll(const Run& run, std::span<const RunCriterion> criteria);

}  // namespace rankscope::store
