#include "cli/base/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdlib>

#include "cli/base/messages.h"
#include "cli/base/output.h"
#include "table/human_number.h"

namespace rankscope::cli {

ProgressLine::ProgressLine() : shown_on_terminal_(isatty(STDERR_FILENO) != 0) {
  if (const char* file = std::getenv("RANKSCOPE_PROGRESS_FILE")) file_ = file;
}

ProgressLine::~ProgressLine() {
  if (visible_) WriteToStderr("\r\x1b[K");
}

void ProgressLine::Update(std::string_view what, std::uint64_t done, std::uint64_t total) {
  if (!shown_on_terminal_ && file_.empty()) return;
  const Clock::time_point now = Clock::now();
  if (now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  // Who reads sees the old numbers or the new ones.
  if (!file_.empty()) [[maybe_unused]]
    const Status told = WriteOutput(file_, fmt::format("{} {}\n", done, total));
  if (!shown_on_terminal_) return;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  if (seconds < 0.5) return;  // what is over at once needs no line
  const double rate = static_cast<double>(done) / seconds;
  std::string left;
  if (rate > 0 && total >= done) {
    left = ", " + HumanDuration(static_cast<double>(total - done) / rate * 1e9) + " left";
  }
  const double percent =
      total == 0 ? 0 : 100.0 * static_cast<double>(done) / static_cast<double>(total);
  WriteToStderr(fmt::format("\r\x1b[K{}: {:.0f}%, {}/s{}", what, percent, HumanBytes(rate), left));
  visible_ = true;
}

}  // namespace rankscope::cli
