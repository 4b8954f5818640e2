#include "client/push_run.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "client/server_error.h"
#include "fetch/curl_transport.h"
#include "store/run_key.h"
#include "store/sha256.h"

namespace rankscope::client {
namespace {

constexpr std::uint64_t kPartBytes = 16 << 20;
constexpr int kMostCuts = 100;
// A small file costs the server some waits for its disk, in which others come.
constexpr std::size_t kConnections = 8;
constexpr std::chrono::milliseconds kAskAgain{500};

// How much of all files was sent, by several connections. Safe for many threads.
class Sent {
 public:
  Sent(std::uint64_t total, const PushProgress& progress) : total_(total), progress_(progress) {}

  // `bytes` more, or less where a part begins anew; false when the upload is to end.
  bool Add(std::int64_t bytes) {
    const std::scoped_lock lock(mutex_);
    sent_ += bytes;
    return !progress_ || progress_(static_cast<std::uint64_t>(sent_), total_);
  }

 private:
  std::mutex mutex_;
  std::int64_t sent_ = 0;
  const std::uint64_t total_;
  const PushProgress& progress_;
};

// How much of one file was sent, told to `Sent`.
class SentOfFile {
 public:
  explicit SentOfFile(Sent& sent) : sent_(sent) {}
  bool Show(std::uint64_t bytes) {
    const auto now = static_cast<std::int64_t>(bytes);
    return sent_.Add(now - std::exchange(shown_, now));
  }

 private:
  Sent& sent_;
  std::int64_t shown_ = 0;
};

// Files over one connection.
class Upload {
 public:
  Upload(Server& server, const std::string& run, Sent& sent, fetch::Transport* direct)
      : server_(server), run_(run), sent_(sent), direct_(direct) {}

  std::size_t by_server() const { return by_server_; }

  Status Send(const std::string& path, const store::RunFile& file) {
    SentOfFile shown(sent_);
    if (direct_ != nullptr) {
      RS_ASSIGN_OR_RETURN(const bool is_there, SendDirect(path, file, shown));
      if (is_there) return OkStatus();
      ++by_server_;
    }
    for (int cuts = 0; cuts < kMostCuts; ++cuts) {
      RS_ASSIGN_OR_RETURN(const bool is_sent, file.bytes <= kPartBytes
                                                  ? SendWhole(path, file, shown)
                                                  : SendRest(path, file, shown));
      if (is_sent) return OkStatus();
      // A request without a file waits for the server as long as there is patience, and says why
      // it went without an answer.
      if (file.bytes <= kPartBytes) RS_RETURN_IF_ERROR(server_.Stored(run_, file.name).status());
    }
    return Error(StatusCode::kIo, "{}: it was cut off too often", path);
  }

 private:
  // False where the server has to take it itself.
  Result<bool> SendDirect(const std::string& path, const store::RunFile& file, SentOfFile& shown) {
    constexpr int kTries = 5;
    Status wrong;
    for (int tries = 0; tries < kTries; ++tries) {
      if (tries > 0) std::this_thread::sleep_for(kAskAgain);
      // Another one each time: it ends after a while.
      RS_ASSIGN_OR_RETURN(const auto address, server_.AddressFor(run_, file));
      if (!address) return false;
      wrong = Put(*address, path, file);
      if (wrong.code() == StatusCode::kBadData) return wrong;
      if (!wrong.ok()) continue;
      wrong = Taken(path, file);
      if (wrong.code() == StatusCode::kNotFound) continue;  // it was collected, or never came
      RS_RETURN_IF_ERROR(wrong);
      if (!shown.Show(file.bytes)) return Error(StatusCode::kCancelled, "stopped");
      return true;
    }
    return wrong;
  }

  // kIo: it may go well another time.
  Status Put(const api::UploadAddress& address, const std::string& path,
             const store::RunFile& file) {
    fetch::HttpRequest request{.method = "PUT", .url = address.url, .headers = {}, .text = {}};
    for (const api::UploadHeader& header : address.headers)
      request.headers.emplace_back(header.name, header.value);
    request.file = fetch::FileBody{.path = path, .offset = 0, .bytes = file.bytes};
    const fetch::Outcome outcome = direct_->Send(request);
    const fetch::HttpAnswer& answer = outcome.answer;
    if (outcome.kind != fetch::Outcome::Kind::kAnswered)
      return Error(StatusCode::kIo, "{}: the store of contents: {}", path, outcome.why.message());
    if (answer.status >= 200 && answer.status < 300) return OkStatus();
    // What it was sent has another checksum than was signed.
    if (answer.status == 400 && answer.body.find("BadDigest") != std::string::npos)
      return OtherBytes(path);
    return Error(StatusCode::kIo, "{}: the store of contents answered {}: send without --direct",
                 path, answer.status);
  }

  Status Taken(const std::string& path, const store::RunFile& file) {
    for (int cuts = 0; cuts < kMostCuts; ++cuts) {
      if (cuts > 0) std::this_thread::sleep_for(kAskAgain);
      RS_ASSIGN_OR_RETURN(const bool is_taken, server_.TakeSent(run_, file, path));
      if (is_taken) return OkStatus();
    }
    return Error(StatusCode::kIo, "{}: the server did not take it in time", path);
  }

  // False when it was cut off, as below.
  Result<bool> SendWhole(const std::string& path, const store::RunFile& file, SentOfFile& shown) {
    return server_.SendFile(run_, file, path, [&](std::uint64_t sent) { return shown.Show(sent); });
  }

  // What the server lacks of a file that comes in parts.
  Result<bool> SendRest(const std::string& path, const store::RunFile& file, SentOfFile& shown) {
    RS_ASSIGN_OR_RETURN(const StoredFile stored, server_.Stored(run_, file.name));
    if (stored.is_complete && stored.bytes == file.bytes && IsThere(file)) {
      shown.Show(file.bytes);
      return true;
    }
    std::uint64_t begin = stored.is_complete ? 0 : stored.bytes;
    if (begin > file.bytes) {
      return Error(StatusCode::kBadData,
                   "{}: the server has more of it than there is; give the run another name", path);
    }
    do {
      const std::uint64_t bytes = std::min(kPartBytes, file.bytes - begin);
      const FileRange part{
          .path = path, .offset = begin, .bytes = bytes, .is_last = begin + bytes == file.bytes};
      RS_ASSIGN_OR_RETURN(const SentPart sent,
                          server_.SendPart(run_, file.name, part, [&](std::uint64_t of_part) {
                            return shown.Show(begin + of_part);
                          }));
      if (!sent.has_arrived) return false;
      if (sent.sha256 && *sent.sha256 != file.sha256) return OtherBytes(path);
      begin += bytes;
    } while (begin < file.bytes);
    return true;
  }

  // Whether what the server has under that name is this file.
  bool IsThere(const store::RunFile& file) {
    const Result<std::vector<store::RunFile>> files = server_.Files(run_);
    if (!files.ok()) return false;
    const auto found = std::ranges::find(*files, file.name, &store::RunFile::name);
    return found != files->end() && found->sha256 == file.sha256;
  }

  Server& server_;
  const std::string& run_;
  Sent& sent_;
  fetch::Transport* const direct_;
  std::size_t by_server_ = 0;
};

// A file of this machine, as it is to be in the run.
struct Stated {
  std::string path;
  store::RunFile file;
};

Result<std::vector<Stated>> StateFiles(const std::vector<store::LocalFile>& files) {
  std::vector<Stated> stated;
  for (const store::LocalFile& file : files) {
    std::error_code error;
    const auto bytes = std::filesystem::file_size(file.path, error);
    if (error) return Error(StatusCode::kIo, "{}: {}", file.path, error.message());
    RS_ASSIGN_OR_RETURN(std::string sha256, store::Sha256OfFile(file.path));
    stated.push_back({file.path, {file.name, std::move(sha256), bytes}});
  }
  return stated;
}

// Takes out those that the run has already, of an attempt before.
Status DropStored(Server& server, const RunStatus& run, Sent& sent, std::vector<Stated>& files) {
  if (run.files == 0) return OkStatus();
  RS_ASSIGN_OR_RETURN(const std::vector<store::RunFile> there, server.Files(run.id));
  std::map<std::string_view, std::string_view> sums;
  for (const store::RunFile& file : there) sums.emplace(file.name, file.sha256);
  std::uint64_t bytes = 0;
  std::erase_if(files, [&](const Stated& one) {
    const auto found = sums.find(one.file.name);
    const bool is_there = found != sums.end() && found->second == one.file.sha256;
    bytes += is_there ? one.file.bytes : 0;
    return is_there;
  });
  if (sent.Add(static_cast<std::int64_t>(bytes))) return OkStatus();
  return Error(StatusCode::kCancelled, "stopped");
}

// Every connection takes the next file; what goes wrong with one ends all.
Status SendAll(Server& first, const Connect& connect, const std::string& run,
               const std::vector<Stated>& files, Sent& sent, fetch::Transport* direct,
               std::size_t& by_server) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  Status wrong;
  const auto work = [&](Server& server) {
    Upload upload(server, run, sent, direct);
    for (std::size_t i = next++; i < files.size(); i = next++) {
      const Status status = upload.Send(files[i].path, files[i].file);
      if (status.ok()) continue;
      const std::scoped_lock lock(mutex);
      if (wrong.ok()) wrong = status;
      next = files.size();
    }
    const std::scoped_lock lock(mutex);
    by_server += upload.by_server();
  };
  std::vector<std::thread> threads;
  try {
    for (std::size_t i = 1; i < std::min(kConnections, files.size()); ++i) {
      threads.emplace_back([&] {
        Result<Server> server = connect();
        // The others send its share.
        if (server.ok()) work(*server);
      });
    }
  } catch (const std::system_error&) {
    // No more threads are to be had: those that there are send all.
  }
  work(first);
  for (std::thread& thread : threads) thread.join();
  return wrong;
}

}  // namespace

Result<Pushed> PushRun(const Connect& connect, const store::Run& run,
                       const std::vector<store::LocalFile>& files, const PushProgress& progress,
                       fetch::Transport* direct) {
  RS_ASSIGN_OR_RETURN(std::vector<Stated> stated, StateFiles(files));
  std::vector<store::RunFile> named;
  std::uint64_t total = 0;
  for (const Stated& one : stated) {
    named.push_back(one.file);
    total += one.file.bytes;
  }
  RS_ASSIGN_OR_RETURN(Server server, connect());
  RS_ASSIGN_OR_RETURN(const RunStatus made, server.MakeRun(run, store::RunKey(run, named)));
  if (made.state != store::RunState::kUploading) return Pushed{.run = made.id, .was_there = true};
  Sent sent(total, progress);
  RS_RETURN_IF_ERROR(DropStored(server, made, sent, stated));
  Pushed pushed{.run = made.id};
  RS_RETURN_IF_ERROR(SendAll(server, connect, made.id, stated, sent, direct, pushed.by_server));
  RS_RETURN_IF_ERROR(server.FinishRun(made.id));
  return pushed;
}

Result<std::shared_ptr<fetch::Transport>> OpenDirect() {
  RS_ASSIGN_OR_RETURN(auto transport, fetch::MakeCurlTransport({}));
  return std::shared_ptr<fetch::Transport>(std::move(transport));
}

Result<RunStatus> WaitForReport(Server& server, const std::string& run, Wait& wait) {
  for (;;) {
    RS_ASSIGN_OR_RETURN(RunStatus now, server.Run(run));
    if (now.state == store::RunState::kFailed)
      return Error(StatusCode::kBadData, "run {} failed: {}", run, now.reason);
    if (now.state == store::RunState::kReady) return now;
    if (!SleepUnlessStopped(wait, kAskAgain)) return Error(StatusCode::kCancelled, "stopped");
  }
}

}  // namespace rankscope::client
