#include "cli/serving/level_captures.h"

#include <fmt/core.h>

#include <utility>

#include "cli/arguments/durations.h"
#include "cli/arguments/server_arguments.h"
#include "cli/base/command.h"
#include "cli/base/messages.h"
#include "contract/field_options.h"
#include "load/base/wall_clock.h"
#include "table/human_number.h"

namespace rankscope::cli {
namespace {

constexpr std::int64_t kNsPerMs = 1'000'000;

// "load, 4 requests a second".
std::string NameOfLevel(const std::string& name, const serving::LoadLevel& level) {
  if (level.users) return fmt::format("{}, {} users", name, *level.users);
  if (!level.target_per_s) return name;
  return fmt::format("{}, {} requests a second", name, HumanDecimal(*level.target_per_s));
}

}  // namespace

void LevelCaptureArguments::AddTo(CommandSpec& command) {
  CommandOption& server =
      command
          .AddOption("--capture", access_.url,
                     "behind the time of each level that is borne, its load going on, the agents "
                     "of this rankscope server record the serving processes: http://127.0.0.1:8723")
          .Type("URL");
  command
      .AddOption("--capture-token-file", token_file_,
                 "the token for that server; without, $RANKSCOPE_TOKEN")
      .Type(kFileType)
      .Needs(server);
  command.AddOption("--capture-for", window_, "how long each of these recordings is")
      .Type("TIME")
      .ShowDefault()
      .Needs(server);
  for (const std::string_view field : {"job", "pids", "shapes", "stacks"})
    AddField(command, request_, field).Needs(server);
}

Result<client::Server> LevelCaptureArguments::Connect() const {
  client::ServerAccess access = access_;
  RS_ASSIGN_OR_RETURN(access.token, ReadToken(token_file_, "RANKSCOPE_TOKEN"));
  return client::Server::Connect(access);
}

Result<capture::CaptureRequest> LevelCaptureArguments::RequestOf() const {
  capture::CaptureRequest request = request_;
  RS_ASSIGN_OR_RETURN(const std::int64_t window, ParseDuration(window_));
  request.duration_ms = window / kNsPerMs;
  request.name = "load";
  RS_RETURN_IF_ERROR(capture::Check(request));
  return request;
}

void LevelCaptures::Begin(const serving::LoadLevel& level) {
  capture::CaptureRequest request = request_;
  request.name = NameOfLevel(request.name, level);
  begin_ns_ = load::WallNow();
  capture_.emplace(server_, std::move(request), is_stopped_);
}

serving::LevelCapture LevelCaptures::End() {
  client::CapturedBeside captured = capture_->End();
  capture_.reset();
  serving::LevelCapture capture{.begin = begin_ns_, .problem = std::move(captured.problem)};
  if (captured.run.ok()) {
    capture.run = *captured.run;
    capture.page = server_.PageOf(capture.run);
    capture.files = static_cast<std::int64_t>(captured.files);
    Tell(fmt::format("recorded under this load: {}", capture.page));
  } else {
    capture.problem = captured.run.status().message();
    Tell(fmt::format("not recorded: {}", capture.problem));
  }
  return capture;
}

}  // namespace rankscope::cli
