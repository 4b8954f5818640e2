// Runs of `rankscope tune` that were begun for a run of a serving program.
#pragma once

#include <string>
#include <vector>

#include "json/type.h"

namespace rankscope::api {

struct TuningRun {
  std::string id, name, state, created;
  std::string headline;  // of its report: what came of it, or how far it is
};

// How the settings of a serving program are searched, and the searches there are.
struct RunTuning {
  std::string command;      // a line of a shell, with ADAPTER to be filled in
  bool can_launch = false;  // whoever asks: at this server
  std::vector<TuningRun> runs;
};

}  // namespace rankscope::api

namespace rankscope::json {
template <>
const Fields<api::TuningRun>& FieldsOf();
template <>
const Fields<api::RunTuning>& FieldsOf();
}  // namespace rankscope::json
