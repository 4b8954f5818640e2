// Call: a long request, while it is running or queued.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/listener.h"
#include "mcp/progress.h"

namespace rankscope::mcp {

using Clock = std::chrono::steady_clock;

// One thread may stop it while another one works on it.
class Call final : public app::Listener {
 public:
  using Tell = std::function<void(std::string params)>;

  explicit Call(Clock::time_point until) : until_(until) {}
  // `tell` gets the parameters of progress notifications, on the working thread.
  void TellProgress(Progress progress, Tell tell) {
    progress_.emplace(std::move(progress));
    tell_ = std::move(tell);
  }

  Clock::time_point until() const { return until_; }
  void Stop() { is_stopped_ = true; }
  bool IsStopped() const override { return is_stopped_; }

  void OnReading(const app::ReadProgress& progress) override {
    if (!progress_) return;
    if (auto params = progress_->After(progress)) tell_(std::move(*params));
  }
  void OnNotice(std::string_view sentence) override;
  void OnLeftOut(const std::vector<std::string>& sentences) override;

  // Additional remarks for the answer: a few sentences at most.
  const std::vector<std::string>& notices() const { return notices_; }

 private:
  const Clock::time_point until_;
  std::atomic<bool> is_stopped_{false};
  std::optional<Progress> progress_;
  Tell tell_;
  std::vector<std::string> notices_;
};

}  // namespace rankscope::mcp
