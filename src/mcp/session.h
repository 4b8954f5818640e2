// Session: the protocol with one client, from its first line to its last, whatever carries the
// lines. What is quick (the handshake, ping, lists, pages of findings) is answered at once; what
// asks the job is worked off one after the other by an executor, while more lines come.
//
// All functions are for one thread, which also runs what is added to `home`.
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

// What a session works with. All outlive it; the worker is stopped before it goes.
struct SessionParts {
  Source& source;                                      // used by `worker` alone
  Executor& worker;                                    // for what asks the job
  Executor& home;                                      // the session's own thread
  std::function<void(std::string_view message)> send;  // a line, without its end
  std::function<Clock::time_point()> now;
};

class Session {
 public:
  Session(SessionParts parts, SessionOptions options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Empty lines are passed over. Anything else that is no message is answered with an error, and
  // the session goes on.
  void OnLine(std::string_view line);
  // A line of more than most_line_bytes, of which nothing is known.
  void OnLongLine();

  // When the next call's time is up; none without calls. Then OnTime answers it with an error; the
  // work is stopped as soon as it lets itself be.
  std::optional<Clock::time_point> NextDeadline() const;
  void OnTime();

  // Nothing is to be answered any more.
  bool IsIdle() const { return calls_.empty(); }
  // Stops all calls; none is answered.
  void Stop();

 private:
  // The answers to several messages of one line.
  struct Batch {
    std::vector<std::string> answers;
    std::size_t open = 0;  // to be answered or cancelled yet
  };
  // Where an answer goes.
  struct Target {
    std::string id;
    std::shared_ptr<Batch> batch;  // null: by itself
  };
  // A call at work, and how it is answered when it ends otherwise than by its work.
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
  // None where the answer comes later.
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
  std::optional<ProtocolVersion> version_;  // once it was negotiated
  std::map<std::string, Pending> calls_;    // by id
};

}  // namespace rankscope::mcp
