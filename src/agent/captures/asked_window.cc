#include "agent/captures/asked_window.h"

#include <chrono>
#include <condition_variable>
#include <utility>

#include "agent/base/now.h"
#include "agent/captures/window_client.h"

namespace rankscope::agent {

AskedWindow::AskedWindow(std::string socket_path, const snoop_file::WindowRequest& request,
                         std::int64_t begin_unix_ms)
    : socket_path_(std::move(socket_path)),
      request_(request),
      begin_unix_ms_(begin_unix_ms),
      thread_([this](const std::stop_token& stop) { Run(stop); }) {}

AskedWindow::~AskedWindow() = default;

void AskedWindow::Run(const std::stop_token& stop) {
  const std::int64_t ahead_ms = begin_unix_ms_ - NowOfHost().unix_ms();
  if (ahead_ms > 0) {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    wake.wait_for(lock, stop, std::chrono::milliseconds(ahead_ms), [] { return false; });
  }
  Result<std::string> text =
      AskForWindow(socket_path_, request_, [&] { return stop.stop_requested(); });
  const std::scoped_lock lock(mutex_);
  text_ = std::move(text);
  is_over_ = true;
}

Result<std::string> AskedWindow::Text() const {
  const std::scoped_lock lock(mutex_);
  return text_;
}

}  // namespace rankscope::agent
