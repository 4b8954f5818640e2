// What a command tells while it is at work: a line of progress, notices, what was left out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/listener.h"
#include "cli/interrupt.h"
#include "cli/progress.h"

namespace rankscope::cli {

class TerminalListener final : public app::Listener {
 public:
  TerminalListener() = default;
  // Ctrl-C stops the work; the flag outlives it.
  explicit TerminalListener(const InterruptFlag& interrupted) : interrupted_(&interrupted) {}

  void OnReading(const app::ReadProgress& progress) override;
  void OnReadingDone() override { line_.reset(); }
  void OnNotice(std::string_view sentence) override;
  // The first few of them.
  void OnLeftOut(const std::vector<std::string>& sentences) override;
  void OnSeveralRuns(const std::vector<app::RunChoice>& runs) override { runs_ = runs; }
  // Several, where that is why a job could not be opened; else none.
  const std::vector<app::RunChoice>& runs() const { return runs_; }
  bool IsStopped() const override { return interrupted_ != nullptr && interrupted_->IsSet(); }

 private:
  const InterruptFlag* interrupted_ = nullptr;
  std::optional<ProgressLine> line_;
  std::vector<app::RunChoice> runs_;
};

}  // namespace rankscope::cli
