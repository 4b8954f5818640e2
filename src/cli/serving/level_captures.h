// --capture of `rankscope load`: records the server's processes at each level.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "client/capture_beside.h"
#include "contract/command.h"
#include "load/run_load.h"

namespace rankscope::cli {

// As typed by the user.
class LevelCaptureArguments {
 public:
  void AddTo(CommandSpec& command);
  bool is_given() const { return !access_.url.empty(); }
  // kInvalidArgument for invalid options; otherwise as client::Server::Connect.
  Result<client::Server> Connect() const;
  Result<capture::CaptureRequest> RequestOf() const;

 private:
  client::ServerAccess access_;
  capture::CaptureRequest request_;
  std::string token_file_, window_ = "500ms";
};

class LevelCaptures final : public load::LevelCapturer {
 public:
  LevelCaptures(client::Server server, capture::CaptureRequest request,
                std::function<bool()> is_stopped)
      : server_(std::move(server)),
        request_(std::move(request)),
        is_stopped_(std::move(is_stopped)) {}

  void Begin(const serving::LoadLevel& level) override;
  bool NeedsLoad() override { return capture_ && capture_->NeedsWork(); }
  serving::LevelCapture End() override;

 private:
  client::Server server_;
  const capture::CaptureRequest request_;
  const std::function<bool()> is_stopped_;
  std::optional<client::CaptureBeside> capture_;
  std::int64_t begin_ns_ = 0;
};

}  // namespace rankscope::cli
