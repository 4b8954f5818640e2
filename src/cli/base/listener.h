// Messages of a command at work: a progress line, notices, what was left out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/listener.h"
#include "cli/base/interrupt.h"
#include "cli/base/progress.h"

namespace rankscope::cli {

class TerminalListener final : public app::Listener {
 public:
  TerminalListener() = default;
  // Ctrl-C stops the work. The flag must outlive it.
  explicit TerminalListener(const InterruptFlag& interrupted) : interrupted_(&interrupted) {}

  void OnReading(const app::ReadProgress& progress) override;
  void OnReadingDone() override { line_.reset(); }
  void OnNotice(std::string_view sentence) override;
  // Prints the first few of them.
  void OnLeftOut(const std::vector<std::string>& sentences) override;
  void OnSeveralRuns(const std::vector<app::RunChoice>& runs) override { runs_ = runs; }
  // The runs, if a job could not be opened because there are several; otherwise empty.
  const std::vector<app::RunChoice>& runs() const { return runs_; }
  bool IsStopped() const override { return interrupted_ != nullptr && interrupted_->IsSet(); }

 private:
  const InterruptFlag* interrupted_ = nullptr;
  std::optional<ProgressLine> line_;
  std::vector<app::RunChoice> runs_;
};

}  // namespace rankscope::cli
