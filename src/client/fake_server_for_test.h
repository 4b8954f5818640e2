// A server without a network, as far as runs and their files go: what it keeps, and how it fails,
// is a test's.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/file.h"
#include "client/wait.h"
#include "http/client.h"
#include "store/sha256.h"

namespace rankscope::client {

// By which no time passes but what was slept.
class FakeWait final : public Wait {
 public:
  TimePoint Now() override { return now_; }
  void Sleep(std::chrono::milliseconds time) override { now_ += time; }
  bool IsStopped() const override { return is_stopped; }

  std::chrono::milliseconds slept() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(now_ - TimePoint{});
  }
  bool is_stopped = false;

 private:
  TimePoint now_{};
};

struct FakeServer {
  struct File {
    std::string bytes;
    bool is_complete = false;
  };
  std::map<std::string, File> files;  // by name
  std::string state = "uploading";
  std::string reason;
  std::deque<std::string> later_states;  // one for each look at the run
  std::vector<std::string> requests;     // "POST /api/v1/runs"
  std::string key;                       // of the last run that was asked for
  int busy = 0;                          // so many requests are answered by 503
  int cuts = 0;                          // so many parts arrive by half
  bool takes_no_files = false;           // whatever is asked of one is answered by 503
  bool flips_bits = false;
  std::mutex mutex;  // held during a request: several connections may be open

  static constexpr const char* kRun = "0123456789abcdef";
};

class FakeTransport final : public http::Client {
 public:
  explicit FakeTransport(FakeServer& server) : server_(server) {}

  Result<http::ClientReply> Send(const http::ClientRequest& request) override {
    const std::scoped_lock lock(server_.mutex);
    server_.requests.push_back(request.method + " " + request.target);
    if (server_.busy > 0) {
      --server_.busy;
      return http::ClientReply{503, {}, R"({"error":{"message":"it starts"}})"};
    }
    const std::string run = std::string("/api/v1/runs/") + FakeServer::kRun;
    if (request.method == "POST" && request.target == "/api/v1/runs") {
      server_.key = http::Find(request.fields, "Idempotency-Key").value_or("");
      return http::ClientReply{201, {}, RunJson()};
    }
    if (request.method == "POST" && request.target == run + "/finish") {
      server_.state = "queued";
      return http::ClientReply{200, {}, RunJson()};
    }
    if (request.method == "POST" && request.target == run + "/reopen") {
      server_.state = "uploading";
      return http::ClientReply{200, {}, RunJson()};
    }
    if (request.method == "GET" && request.target == run) {
      if (!server_.later_states.empty()) {
        server_.state = server_.later_states.front();
        server_.later_states.pop_front();
      }
      return http::ClientReply{200, {}, RunJson()};
    }
    if (request.method == "GET" && request.target == run + "/files")
      return http::ClientReply{200, {}, FilesJson()};
    const std::string name = request.target.substr((run + "/files/").size());
    if (server_.takes_no_files)
      return http::ClientReply{503, {}, R"({"error":{"message":"its disk is full"}})"};
    if (request.method == "PUT") return TakeWhole(request, server_.files[name]);
    if (request.method == "HEAD") return http::ClientReply{204, Offset(server_.files[name]), ""};
    return Take(request, server_.files[name]);
  }
  void Abort() override {}

 private:
  static http::Fields Offset(const FakeServer::File& file) {
    return {{"Upload-Offset", std::to_string(file.bytes.size())},
            {"Upload-Complete", file.is_complete ? "?1" : "?0"}};
  }

  static bool IsComplete(const std::pair<const std::string, FakeServer::File>& file) {
    return file.second.is_complete;
  }

  std::string RunJson() const {
    return std::string(R"({"id":")") + FakeServer::kRun + R"(","state":")" + server_.state +
           R"(","files":)" + std::to_string(std::ranges::count_if(server_.files, IsComplete)) +
           R"(,"reason":")" + server_.reason + R"(","summary":{"headline":"a headline"}})";
  }

  std::string FilesJson() const {
    std::string json = R"({"files":[)";
    for (const auto& [name, file] : server_.files) {
      if (!file.is_complete) continue;
      json += json.back() == '[' ? "" : ",";
      json += R"({"name":")" + name + R"(","sha256":")" + store::Sha256Of(file.bytes) + R"("})";
    }
    return json + "]}";
  }

  Result<http::ClientReply> TakeWhole(const http::ClientRequest& request, FakeServer::File& file) {
    Result<std::string> content = ReadFile(request.file.path);
    if (!content.ok()) return content.status();
    if (request.progress && !request.progress(content->size()))
      return Error(StatusCode::kCancelled, "stopped");
    if (server_.cuts > 0) {
      --server_.cuts;
      return Error(StatusCode::kIo, "the connection was cut");
    }
    if (server_.flips_bits) (*content)[0] = static_cast<char>((*content)[0] ^ 1);
    if (store::Sha256Of(*content) != http::Find(request.fields, "X-Content-SHA256"))
      return http::ClientReply{422, {}, "{}"};
    file = {*std::move(content), true};
    return http::ClientReply{201, {}, "{}"};
  }

  Result<http::ClientReply> Take(const http::ClientRequest& request, FakeServer::File& file) {
    const std::uint64_t offset =
        std::stoull(std::string(http::Find(request.fields, "Upload-Offset").value_or("0")));
    if (offset == 0 && file.is_complete) file = {};  // it is replaced
    if (offset != file.bytes.size()) return http::ClientReply{409, {}, "{}"};
    Result<std::string> content = ReadFile(request.file.path);
    if (!content.ok()) return content.status();
    std::string part = content->substr(request.file.offset, request.file.bytes);
    if (server_.cuts > 0) {
      --server_.cuts;
      file.bytes += part.substr(0, part.size() / 2);
      return Error(StatusCode::kIo, "the connection was cut");
    }
    if (server_.flips_bits) part[0] = static_cast<char>(part[0] ^ 1);
    file.bytes += part;
    if (request.progress && !request.progress(part.size()))
      return Error(StatusCode::kCancelled, "stopped");
    file.is_complete = http::Find(request.fields, "Upload-Complete") == "?1";
    return http::ClientReply{201, {}, R"({"sha256":")" + store::Sha256Of(file.bytes) + R"("})"};
  }

  FakeServer& server_;
};

}  // namespace rankscope::client
