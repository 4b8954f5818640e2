// Session: the protocol with one client, from its first line to its last, over any transport. Fast
// requests (the handshake, ping, lists, pages of findings) are answered at once. An executor
// processes requests about the job one after the other, while further lines are read.
//
// Call all functions on one thread, which also runs the work added to `home`.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json_rpc/message.h"
#include "mcp/call.h"
#include "mcp/executor.h"
#include "mcp/protocol_version.h"
#include "mcp/session_options.h"
#include "mcp/source.h"
#include "mcp/tool.h"

namespace rankscope::mcp {

using json_rpc::Message;
using json_rpc::Reply;

// The parts that a session uses. All must outlive it; stop the worker before the session ends.
struct SessionParts {
  Source& source;                                      // only `worker` uses it
  Executor& worker;                                    // for requests about the job
  Executor& home;                                      // the session's own thread
  std::function<void(std::string_view message)> send;  // sends a line, without its end
  std::function<Clock::time_point()> now;
};

class Session {
 public:
  Session(SessionParts parts, SessionOptions options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Ignores empty lines. Anything else that is not a message gets an error as its answer, and the
  // session continues.
  void OnLine(std::string_view line);
  // A line longer than most_line_bytes, whose content is unknown.
  void OnLongLine();

  // The deadline of the next call; nullopt without calls. At that time call OnTime: it answers with
  // an error, and stops the work as soon as possible.
  std::optional<Clock::time_point> NextDeadline() const;
  void OnTime();

  // No answer is outstanding.
  bool IsIdle() const { return calls_.empty(); }
  // Stops all calls without answering them.
  void Stop();

 private:
  // The answers to several messages of one line.
  struct Batch {
    std::vector<std::string> answers;
    std::size_t open = 0;  // neither answered nor cancelled
  };
  // The destination of an answer.
  struct Target {
    std::string id;
    std::shared_ptr<Batch> batch;  // null: sent by itself
  };
  // A running call, and how it is answered if something other than its work ends it.
  struct Pending {
    Target target;
    std::shared_ptr<Call> call;
    Reply (*failure)(const Status& status) = nullptr;
  };
  using Work = std::function<Result<Reply>(Source& source, Call& call)>;

  void OnMessage(const Message& message, const std::shared_ptr<Batch>& batch);
  void OnRequest(const Message& message, const Target& target);
  void OnNotification(const Message& message);
  void OnCancelled(const json::Value& params);
  Reply Initialize(const json::Value& params);
  // nullopt if the answer comes later.
  std::optional<Reply> Served(const Message& message, const Target& target);
  std::optional<Reply> CallTool(const json::Value& params, const Target& target);
  std::optional<Reply> ReadResource(const json::Value& params, const Target& target);
  std::optional<Reply> Begin(const Target& target, const json::Value& params,
                             Reply (*failure)(const Status& status), Work work);
  void Finish(const std::shared_ptr<Call>& call, const Result<Reply>& result);
  void Answer(const Target& target, const Reply& reply);
  void Close(const std::shared_ptr<Batch>& batch);

  const SessionParts parts_;
  const SessionOptions options_;
  std::optional<ProtocolVersion> version_;  // set once it is negotiated
  std::map<std::string, Pending> calls_;    // by id
};

}  // namespace rankscope::mcp
