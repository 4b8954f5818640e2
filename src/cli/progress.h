// A line on stderr that says how far a long run is: only when stderr is a terminal, at most ten
// times a second. The same for programs in the file that $RANKSCOPE_PROGRESS_FILE names:
// "DONE TOTAL", in bytes.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace rankscope::cli {

class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();  // clears the line
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // `what` is done to `done` of `total` bytes; shows the rate and the time left.
  void Update(std::string_view what, std::uint64_t done, std::uint64_t total);

 private:
  using Clock = std::chrono::steady_clock;
  bool shown_on_terminal_;
  std::string file_;
  bool visible_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_{};
};

}  // namespace rankscope::cli
