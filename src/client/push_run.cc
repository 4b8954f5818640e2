#include "client/push_run.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

#include "store/run_key.h"
#include "store/sha256.h"

namespace rankscope::client {
namespace {

constexpr std::uint64_t kPartBytes = 16 << 20;
constexpr int kMostCuts = 100;
constexpr std::chrono::milliseconds kLookAgain{500};

class Upload {
 public:
  Upload(Server& server, std::string run, std::uint64_t total, const PushProgress& progress)
      : server_(server), run_(std::move(run)), total_(total), progress_(progress) {}

  Status Send(const std::string& path, const store::RunFile& file) {
    for (int cuts = 0; cuts < kMostCuts;) {
      RS_ASSIGN_OR_RETURN(const StoredFile stored, server_.Stored(run_, file.name));
      if (stored.is_complete && stored.bytes == file.bytes && IsThere(file)) {
        Show(file.bytes);
        sent_ += file.bytes;
        return OkStatus();
      }
      const std::uint64_t begin = stored.is_complete ? 0 : stored.bytes;
      if (begin > file.bytes) {
        return Error(StatusCode::kBadData,
                     "{}: the server has more of it than there is; give the run another name",
                     path);
      }
      RS_ASSIGN_OR_RETURN(const bool is_sent, SendParts(path, file, begin));
      if (is_sent) return OkStatus();
      ++cuts;
    }
    return Error(StatusCode::kIo, "{}: it was cut off too often", path);
  }

 private:
  // The file's parts from `begin` on; false when one was cut off.
  Result<bool> SendParts(const std::string& path, const store::RunFile& file, std::uint64_t begin) {
    do {
      const std::uint64_t bytes = std::min(kPartBytes, file.bytes - begin);
      const FileRange part{
          .path = path, .offset = begin, .bytes = bytes, .is_last = begin + bytes == file.bytes};
      RS_ASSIGN_OR_RETURN(const SentPart sent,
                          server_.SendPart(run_, file.name, part, [&](std::uint64_t of_part) {
                            return Show(begin + of_part);
                          }));
      if (!sent.has_arrived) return false;
      if (sent.sha256 && *sent.sha256 != file.sha256) {
        return Error(StatusCode::kBadData,
                     "{}: the server has other bytes than were sent; it may have changed "
                     "meanwhile: push again",
                     path);
      }
      begin += bytes;
    } while (begin < file.bytes);
    sent_ += file.bytes;
    return true;
  }

  // Whether what the server has under that name is this file.
  bool IsThere(const store::RunFile& file) {
    const Result<std::vector<store::RunFile>> files = server_.Files(run_);
    if (!files.ok()) return false;
    const auto found = std::ranges::find(*files, file.name, &store::RunFile::name);
    return found != files->end() && found->sha256 == file.sha256;
  }

  bool Show(std::uint64_t of_file) { return !progress_ || progress_(sent_ + of_file, total_); }

  Server& server_;
  const std::string run_;
  const std::uint64_t total_;
  const PushProgress& progress_;
  std::uint64_t sent_ = 0;
};

}  // namespace

Result<Pushed> PushRun(Server& server, const store::Run& run,
                       const std::vector<store::LocalFile>& files, const PushProgress& progress) {
  std::vector<store::RunFile> stated;
  std::uint64_t total = 0;
  for (const store::LocalFile& file : files) {
    std::error_code error;
    const auto bytes = std::filesystem::file_size(file.path, error);
    if (error) return Error(StatusCode::kIo, "{}: {}", file.path, error.message());
    RS_ASSIGN_OR_RETURN(std::string sha256, store::Sha256OfFile(file.path));
    stated.push_back({file.name, std::move(sha256), bytes});
    total += bytes;
  }
  RS_ASSIGN_OR_RETURN(const RunStatus made, server.MakeRun(run, store::RunKey(run, stated)));
  if (made.state != store::RunState::kUploading) return Pushed{.run = made.id, .was_there = true};
  Upload upload(server, made.id, total, progress);
  for (std::size_t i = 0; i < files.size(); ++i)
    RS_RETURN_IF_ERROR(upload.Send(files[i].path, stated[i]));
  RS_RETURN_IF_ERROR(server.FinishRun(made.id));
  return Pushed{.run = made.id};
}

Result<RunStatus> WaitForReport(Server& server, const std::string& run, Wait& wait) {
  for (;;) {
    RS_ASSIGN_OR_RETURN(RunStatus now, server.Run(run));
    if (now.state == store::RunState::kFailed)
      return Error(StatusCode::kBadData, "run {} failed: {}", run, now.reason);
    if (now.state == store::RunState::kReady) return now;
    if (!SleepUnlessStopped(wait, kLookAgain)) return Error(StatusCode::kCancelled, "stopped");
  }
}

}  // namespace rankscope::client
