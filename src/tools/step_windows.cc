#include "tools/step_windows.h"

#include <algorithm>
#include <map>

#include "formats/kineto/reader.h"
#include "trace/rising_numbers.h"

namespace rankscope::tools {

Result<std::vector<StepWindow>> StepWindowsOf(const Document& document, const Survey& survey,
                                              int threads) {
  std::vector<StepWindow> windows;
  if (survey.step_marks.empty()) {
    RS_ASSIGN_OR_RETURN(const auto source, OpenDocument(document));
    kineto::ReadOptions options;
    options.threads = threads;
    RS_ASSIGN_OR_RETURN(const RankTrace trace, kineto::ReadTrace(*source, document.path, options));
    for (const Step& step : trace.steps)
      windows.push_back({step.number, step.begin_ns, step.end_ns});
    return windows;
  }
  std::map<std::uint64_t, std::size_t> marks_of;
  for (const StepMark& mark : survey.step_marks) ++marks_of[mark.thread];
  const auto most =
      std::max_element(marks_of.begin(), marks_of.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  for (const StepMark& mark : survey.step_marks) {
    if (mark.thread == most->first) windows.push_back({mark.number, mark.begin_ns, mark.end_ns});
  }
  std::stable_sort(windows.begin(), windows.end(),
                   [](const auto& a, const auto& b) { return a.begin_ns < b.begin_ns; });
  const auto is_same = [](const StepWindow& before, const StepWindow& mark) {
    return mark.begin_ns == before.begin_ns ||
           (mark.number == before.number && mark.begin_ns < before.end_ns);
  };
  windows.erase(std::unique(windows.begin(), windows.end(), is_same), windows.end());
  RisingNumbers numbers;
  for (StepWindow& window : windows) window.number = numbers.Of(window.number);
  for (std::size_t i = 0; i + 1 < windows.size(); ++i) windows[i].end_ns = windows[i + 1].begin_ns;
  return windows;
}

int WindowAt(const std::vector<StepWindow>& windows, std::int64_t ts_ns) {
  const auto behind = std::upper_bound(
      windows.begin(), windows.end(), ts_ns,
      [](std::int64_t t, const StepWindow& window) { return t < window.begin_ns; });
  if (behind == windows.begin()) return -1;
  const bool is_in = ts_ns < std::prev(behind)->end_ns;
  return static_cast<int>(is_in ? behind - windows.begin() - 1
                                : static_cast<std::ptrdiff_t>(windows.size()));
}

}  // namespace rankscope::tools
