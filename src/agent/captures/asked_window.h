// AskedWindow: a window of snoop or offcpu that the helper records of a process, on a thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "base/status.h"
#include "snoop_file/request.h"

namespace rankscope::agent {

class AskedWindow {
 public:
  // Begins at `begin_unix_ms`, or at once if that has passed.
  AskedWindow(std::string socket_path, const snoop_file::WindowRequest& request,
              std::int64_t begin_unix_ms);
  ~AskedWindow();  // ends the window

  const std::string& what() const { return request_.what; }
  bool IsOver() const { return is_over_; }
  // Once it is over: the document, or the reason why there is none.
  Result<std::string> Text() const;

 private:
  void Run(const std::stop_token& stop);

  const std::string socket_path_;
  const snoop_file::WindowRequest request_;
  const std::int64_t begin_unix_ms_;
  mutable std::mutex mutex_;
  Result<std::string> text_ = Error(StatusCode::kIo, "the window is not over");
  std::atomic<bool> is_over_ = false;
  std::jthread thread_;
};

}  // namespace rankscope::agent
