// Runs of `rankscope tune` for a run of a serving program.
#pragma once

#include <string>
#include <vector>

#include "json/type.h"

namespace rankscope::api {

struct TuningRun {
  std::string id, name, state, created;
  std::string headline;  // of its report: the result, or the progress
};

// How to search the settings of a serving program, and existing searches.
struct RunTuning {
  std::string command;      // a shell command with ADAPTER to fill in
  bool can_launch = false;  // the caller may do so on this server
  std::vector<TuningRun> runs;
};

}  // namespace rankscope::api

namespace rankscope::json {
template <>
const Fields<api::TuningRun>& FieldsOf();
template <>
const Fields<api::RunTuning>& FieldsOf();
}  // namespace rankscope::json
