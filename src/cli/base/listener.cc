#include "cli/base/listener.h"

#include <fmt/core.h>

#include <algorithm>

#include "cli/base/messages.h"

namespace rankscope::cli {

void TerminalListener::OnReading(const app::ReadProgress& progress) {
  if (!line_) line_.emplace();
  line_->Update(progress.files == 0
                    ? "reading"
                    : fmt::format("reading {} of {} files", progress.files_done, progress.files),
                progress.bytes_done, progress.bytes);
}

void TerminalListener::OnNotice(std::string_view sentence) { Tell(sentence); }

void TerminalListener::OnLeftOut(const std::vector<std::string>& sentences) {
  constexpr std::size_t kMost = 5;
  for (std::size_t i = 0; i < std::min(sentences.size(), kMost); ++i)
    Tell(fmt::format("left out: {}", sentences[i]));
  if (sentences.size() > kMost)
    Tell(fmt::format("left out: {} more; see: rankscope table data_quality PATH",
                     sentences.size() - kMost));
}

}  // namespace rankscope::cli
