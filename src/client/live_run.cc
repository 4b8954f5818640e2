#include "client/live_run.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "store/sha256.h"

namespace rankscope::client {

Result<LiveRun> LiveRun::Begin(Server server, const store::Run& run) {
  RS_ASSIGN_OR_RETURN(const RunStatus made, server.MakeRun(run));
  return LiveRun(std::move(server), made.id);
}

Result<bool> LiveRun::Open() {
  if (!is_finished_) return true;
  RS_ASSIGN_OR_RETURN(const RunStatus status, server_.Run(id_));
  if (status.state == store::RunState::kQueued || status.state == store::RunState::kAnalysing)
    return false;
  if (status.state != store::RunState::kUploading) RS_RETURN_IF_ERROR(server_.ReopenRun(id_));
  is_finished_ = false;
  return true;
}

Result<bool> LiveRun::Send(const std::vector<store::LocalFile>& files) {
  RS_ASSIGN_OR_RETURN(const bool is_open, Open());
  if (!is_open) return false;
  for (const store::LocalFile& file : files) {
    std::error_code error;
    const std::uint64_t bytes = std::filesystem::file_size(file.path, error);
    if (error) return Error(StatusCode::kIo, "{}: {}", file.path, error.message());
    RS_ASSIGN_OR_RETURN(std::string sha256, store::Sha256OfFile(file.path));
    RS_ASSIGN_OR_RETURN(
        const bool has_arrived,
        server_.SendFile(id_, {.name = file.name, .sha256 = std::move(sha256), .bytes = bytes},
                         file.path, [](std::uint64_t) { return true; }));
    if (!has_arrived) return Error(StatusCode::kIo, "{} was cut off", file.name);
  }
  RS_RETURN_IF_ERROR(server_.FinishRun(id_));
  is_finished_ = true;
  return true;
}

}  // namespace rankscope::client
