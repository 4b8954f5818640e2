// What a child process found in the files of a run: recordings of several runs, which make no job
// together. It writes them to the file that kSeveralRunsVariable names.
#pragma once

#include <string>
#include <vector>

#include "json/type.h"

namespace rankscope::api {

inline constexpr const char* kSeveralRunsVariable = "RANKSCOPE_RUNS_FILE";

// One of them: its folder, or its files.
struct PathsOfRun {
  std::vector<std::string> paths;
};

struct SeveralRuns {
  std::vector<PathsOfRun> runs;
};

}  // namespace rankscope::api

namespace rankscope::json {

template <>
const Fields<api::PathsOfRun>& FieldsOf();
template <>
const Fields<api::SeveralRuns>& FieldsOf();

}  // namespace rankscope::json
