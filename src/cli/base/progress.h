// A line on stderr with the progress of a long run: only if stderr is a terminal, at most ten
// updates per second. For programs, the same in the file named by $RANKSCOPE_PROGRESS_FILE: "DONE
// TOTAL", in bytes.
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

  // `what` has processed `done` of `total` bytes; shows the rate and the remaining time.
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
