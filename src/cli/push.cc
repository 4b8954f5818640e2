// `rankscope push`: a job's traces to a server, going on where an earlier attempt ended.
#include <simdjson.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/messages.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/run_arguments.h"
#include "cli/server_connection.h"
#include "http/client.h"
#include "http/url.h"
#include "json/json_text.h"
#include "store/sha256.h"

namespace rankscope::cli {
namespace {

namespace dom = simdjson::dom;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kPartBytes = 16 << 20;
constexpr std::chrono::seconds kMostWait{30};
constexpr std::chrono::milliseconds kLookAgain{500};

struct Arguments {
  std::vector<std::string> paths;
  ServerArguments server;
  RunArguments run;
  int patience_s = 300;
  bool waits = false;
};

// What may go better later: no connection, a server that is busy or starts.
bool IsPassing(const Result<http::ClientReply>& reply) {
  if (!reply.ok()) return reply.status().code() == StatusCode::kIo;
  return reply->status == 423 || reply->status == 429 || reply->status >= 500;
}

std::string Text(const dom::element& object, std::string_view name) {
  std::string_view text;
  return object[name].get(text) ? std::string() : std::string(text);
}

class Push {
 public:
  Push(const Arguments& arguments, http::Client& client) : arguments_(arguments), client_(client) {}

  Status Run() {
    RS_ASSIGN_OR_RETURN(const std::vector<NamedFile> traces, FindNamedFiles(arguments_.paths));
    std::vector<store::RunFile> files;
    for (const NamedFile& trace : traces) {
      std::error_code error;
      const auto bytes = std::filesystem::file_size(trace.path, error);
      if (error) return Error(StatusCode::kIo, "{}: {}", trace.path, error.message());
      RS_ASSIGN_OR_RETURN(std::string hash, store::Sha256OfFile(trace.path));
      files.push_back({trace.name, std::move(hash), bytes});
      total_ += bytes;
    }
    RS_RETURN_IF_ERROR(MakeRun(files));
    if (state_ == "uploading") {
      for (std::size_t i = 0; i < files.size(); ++i)
        RS_RETURN_IF_ERROR(SendFile(traces[i].path, files[i]));
      RS_RETURN_IF_ERROR(Ask("POST", "/finish", "").status());
    } else {
      Tell(fmt::format("the server has these files already, as run {}", id_));
    }
    if (arguments_.waits) RS_RETURN_IF_ERROR(Wait());
    return WriteOutput("", arguments_.server.url() + "/runs/" + id_ + "\n");
  }

 private:
  // Asks until it goes, or patience ends.
  Result<http::ClientReply> Send(const http::ClientRequest& request) {
    const Clock::time_point end = Clock::now() + std::chrono::seconds(arguments_.patience_s);
    std::chrono::milliseconds wait{250};
    while (true) {
      Result<http::ClientReply> reply = client_.Send(request);
      if (!IsPassing(reply) || Clock::now() + wait > end) return reply;
      if (!was_told_) {
        Tell(fmt::format("{}; trying again for {} s",
                         reply.ok() ? ErrorOf(*reply).message() : reply.status().message(),
                         arguments_.patience_s));
      }
      was_told_ = true;
      for (auto left = wait; left.count() > 0; left -= std::chrono::milliseconds(50)) {
        if (interrupted_.IsSet()) return Error(StatusCode::kCancelled, "stopped");
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
      }
      wait = std::min<std::chrono::milliseconds>(wait * 2, kMostWait);
      // A part that was cut off goes on where it ended.
      if (!request.file.path.empty()) return reply;
    }
  }

  // A request of the run that is to succeed.
  Result<http::ClientReply> Ask(const std::string& method, const std::string& below,
                                std::string_view body) {
    http::ClientRequest request{.method = method, .target = "/api/v1/runs/" + id_ + below};
    request.text = body;
    RS_ASSIGN_OR_RETURN(http::ClientReply reply, Send(request));
    if (reply.status >= 300) return ErrorOf(reply);
    return reply;
  }

  Status MakeRun(const std::vector<store::RunFile>& files) {
    RS_ASSIGN_OR_RETURN(const store::Run run, arguments_.run.Read(arguments_.paths));
    std::string json = "{";
    const auto add = [&json](std::string_view name, const std::string& text) {
      if (text.empty()) return;
      json += json.size() > 1 ? "," : "";
      AppendKey(json, name);
      AppendJsonString(json, text);
    };
    add("name", run.name);
    add("user", run.user);
    add("team", run.team);
    add("model", run.model);
    add("product", run.product);
    add("framework", run.framework);
    add("hardware", run.hardware);
    json += json.size() > 1 ? ",\"tags\":{" : "\"tags\":{";
    for (const auto& [name, value] : run.tags) {
      if (json.back() != '{') json += ',';
      AppendKey(json, name);
      AppendJsonString(json, value);
    }
    json += "}}";
    http::ClientRequest request{.method = "POST",
                                .target = "/api/v1/runs",
                                .fields = {{"Idempotency-Key", KeyOf(run, files)}}};
    request.text = json;
    RS_ASSIGN_OR_RETURN(const http::ClientReply reply, Send(request));
    if (reply.status >= 300) return ErrorOf(reply);
    return TakeState(reply);
  }

  Status TakeState(const http::ClientReply& reply) {
    dom::parser parser;
    dom::element run;
    if (parser.parse(reply.body).get(run))
      return Error(StatusCode::kBadData, "{}: what answers there is no rankscope",
                   arguments_.server.url());
    id_ = Text(run, "id");
    state_ = Text(run, "state");
    reason_ = Text(run, "reason");
    if (!store::IsRunId(id_))
      return Error(StatusCode::kBadData, "{}: what answers there is no rankscope",
                   arguments_.server.url());
    return OkStatus();
  }

  Status SendFile(const std::string& path, const store::RunFile& file) {
    const std::string target =
        fmt::format("/api/v1/runs/{}/files/{}", id_, http::PercentEncoded(file.name, true));
    // A part may fail as often as it likes, while others go.
    for (int failures = 0; failures < 100;) {
      RS_ASSIGN_OR_RETURN(const http::ClientReply state,
                          Send({.method = "HEAD", .target = target}));
      if (state.status >= 300) return ErrorOf(state);
      const std::uint64_t offset = OffsetOf(state);
      const bool is_there = http::Find(state.fields, "upload-complete") == "?1";
      if (is_there && offset == file.bytes && !IsOther(file)) {
        Show(file.bytes);
        sent_ += file.bytes;
        return OkStatus();
      }
      const std::uint64_t begin = is_there ? 0 : offset;
      if (begin > file.bytes) {
        return Error(StatusCode::kBadData,
                     "{}: the server has more of it than there is; give the run another name",
                     path);
      }
      const Result<bool> sent = SendParts(path, file, target, begin);
      if (!sent.ok()) return sent.status();
      if (*sent) return OkStatus();
      ++failures;
    }
    return Error(StatusCode::kIo, "{}: it was cut off too often", path);
  }

  // The file's parts from `begin` on; false when one was cut off.
  Result<bool> SendParts(const std::string& path, const store::RunFile& file,
                         const std::string& target, std::uint64_t begin) {
    do {
      const std::uint64_t bytes = std::min(kPartBytes, file.bytes - begin);
      const bool is_last = begin + bytes == file.bytes;
      http::ClientRequest request{
          .method = "PATCH",
          .target = target,
          .fields = {{"Upload-Offset", std::to_string(begin)},
                     {"Upload-Complete", is_last ? "?1" : "?0"}},
          .file = {.path = path, .offset = begin, .bytes = bytes, .keep = nullptr},
          .progress = [&](std::uint64_t sent) {
            Show(begin + sent);
            return !interrupted_.IsSet();
          }};
      const Result<http::ClientReply> reply = Send(request);
      if (IsPassing(reply) || (reply.ok() && reply->status == 409)) return false;
      if (!reply.ok()) return reply.status();
      if (reply->status >= 300) return ErrorOf(*reply);
      if (is_last) RS_RETURN_IF_ERROR(CheckContent(path, file, *reply));
      begin += bytes;
    } while (begin < file.bytes);
    sent_ += file.bytes;
    return true;
  }

  static std::uint64_t OffsetOf(const http::ClientReply& reply) {
    const std::string text(http::Find(reply.fields, "upload-offset").value_or("0"));
    return std::strtoull(text.c_str(), nullptr, 10);
  }

  // What the server has under that name is not this.
  bool IsOther(const store::RunFile& file) {
    const Result<http::ClientReply> reply = Ask("GET", "/files", "");
    if (!reply.ok()) return true;
    dom::parser parser;
    dom::array files;
    if (parser.parse(reply->body)["files"].get(files)) return true;
    for (const dom::element one : files) {
      if (Text(one, "name") == file.name) return Text(one, "sha256") != file.sha256;
    }
    return true;
  }

  static Status CheckContent(const std::string& path, const store::RunFile& file,
                             const http::ClientReply& reply) {
    dom::parser parser;
    dom::element stored;
    if (parser.parse(reply.body).get(stored) || Text(stored, "sha256") == file.sha256)
      return OkStatus();
    return Error(StatusCode::kBadData,
                 "{}: the server has other bytes than were sent; it may have changed meanwhile: "
                 "push again",
                 path);
  }

  void Show(std::uint64_t of_file) { line_.Update("sending", sent_ + of_file, total_); }

  Status Wait() {
    while (state_ != "ready" && state_ != "failed") {
      if (interrupted_.IsSet()) return Error(StatusCode::kCancelled, "stopped");
      std::this_thread::sleep_for(kLookAgain);
      RS_ASSIGN_OR_RETURN(const http::ClientReply reply, Ask("GET", "", ""));
      RS_RETURN_IF_ERROR(TakeState(reply));
    }
    if (state_ == "ready") return OkStatus();
    return Error(StatusCode::kBadData, "run {} failed: {}", id_, reason_);
  }

  const Arguments& arguments_;
  http::Client& client_;
  const InterruptFlag interrupted_;
  ProgressLine line_;
  std::string id_;
  std::string state_;
  std::string reason_;
  std::uint64_t total_ = 0;
  std::uint64_t sent_ = 0;
  bool was_told_ = false;
};

Status Run(Arguments& arguments) {
  RS_ASSIGN_OR_RETURN(const std::unique_ptr<http::Client> client, arguments.server.Connect());
  return Push(arguments, *client).Run();
}

}  // namespace

void AddPush(CommandSpec& app) {
  CommandSpec& command =
      app.AddCommand("push", "send a job's traces to a server, and have it analysed");
  auto arguments = std::make_shared<Arguments>();
  command.AddOption("PATH", arguments->paths, "files, folders or globs of one job").Required();
  arguments->server.AddTo(command);
  arguments->run.AddTo(command);
  command
      .AddOption("--patience", arguments->patience_s,
                 "seconds to try again while the server is away or busy")
      .Range(0, 86400)
      .ShowDefault();
  command.AddFlag("--wait", arguments->waits, "until the report is there");
  command.Footer(
      "Example:\n  rankscope push traces/ --server http://127.0.0.1:8723 --name llama-70b");
  command.SetRun(MakeAction([arguments] { return Run(*arguments); }));
}

}  // namespace rankscope::cli
