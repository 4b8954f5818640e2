// Finds the begin and end of a trace's steps on its host, without loading a trace that has step
// marks.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "tools/document.h"

namespace rankscope::tools {

// [begin, end) in the trace's own time, like trace/steps.h.
struct StepWindow {
  std::int64_t number = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

// In time order, with ascending numbers (trace/steps.h). Uses the survey's step marks
// (ProfilerStep#N). A trace without marks is loaded to infer its steps, which takes about 64
// bytes of memory per event. The last marked step ends with its mark. Empty if there are no
// steps.
Result<std::vector<StepWindow>> StepWindowsOf(const Document& document, const Survey& survey,
                                              int threads);

// The index of the window that contains a time; -1 before the first, windows.size() after the last
// or between two.
int WindowAt(const std::vector<StepWindow>& windows, std::int64_t ts_ns);

}  // namespace rankscope::tools
