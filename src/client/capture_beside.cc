#include "client/capture_beside.h"

#include <utility>

namespace rankscope::client {

CaptureBeside::CaptureBeside(Server& server, capture::CaptureRequest request,
                             std::function<bool()> is_stopped)
    : server_(server),
      request_(std::move(request)),
      is_stopped_(std::move(is_stopped)),
      thread_([this] { Run(); }) {}

CaptureBeside::~CaptureBeside() {
  is_given_up_ = true;
  if (thread_.joinable()) thread_.join();
}

CapturedBeside CaptureBeside::End() {
  thread_.join();
  return *std::move(captured_);
}

void CaptureBeside::Run() {
  std::string problem;
  const auto keep = [&](std::string_view sentence) {
    if (problem.empty()) problem = sentence;
  };
  RealWait wait([this] { return is_given_up_ || (is_stopped_ && is_stopped_()); });
  Result<std::string> run = CaptureByServer(
      server_, request_, wait,
      {.recorded = [this] { is_recorded_ = true; }, .warning = keep, .missing = keep});
  is_recorded_ = true;
  std::uint64_t files = 0;
  if (run.ok()) {
    if (const auto of_run = server_.Files(*run); of_run.ok()) files = of_run->size();
  }
  captured_.emplace(CapturedBeside{std::move(run), files, std::move(problem)});
}

}  // namespace rankscope::client
