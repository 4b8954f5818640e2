// When the steps of a trace begin and end on its host, without loading it where it has marks.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "tools/document.h"

namespace rankscope::tools {

// [begin, end) in the trace's own time, as in trace/steps.h.
struct StepWindow {
  std::int64_t number = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

// In time order, with numbers that rise (trace/steps.h). From the survey's step marks
// (ProfilerStep#N); a trace without any is loaded, to
// infer its steps: that takes about 64 bytes of memory per event. The last marked step ends with
// its mark. Empty when there are none.
Result<std::vector<StepWindow>> StepWindowsOf(const Document& document, const Survey& survey,
                                              int threads);

// The index of the window that holds a time, -1 before the first, windows.size() behind the last
// or between two.
int WindowAt(const std::vector<StepWindow>& windows, std::int64_t ts_ns);

}  // namespace rankscope::tools
