#include "mcp/http_messages.h"

#include <fmt/format.h>

#include <deque>
#include <utility>

#include "json_rpc/message.h"
#include "mcp/executor.h"
#include "mcp/session.h"

namespace rankscope::mcp {
namespace {

// Does what is added in the thread that runs it.
class HereAndLater final : public Executor {
 public:
  void Add(std::function<void()> work) override { waiting_.push_back(std::move(work)); }
  void RunAll() {
    while (!waiting_.empty()) {
      const std::function<void()> work = std::move(waiting_.front());
      waiting_.pop_front();
      work();
    }
  }

 private:
  std::deque<std::function<void()>> waiting_;
};

bool IsHello(const json_rpc::Messages& messages) {
  return !messages.is_batch && messages.all.front().method == "initialize";
}

HttpAnswer Refused(json_rpc::ErrorCode code, std::string_view sentence) {
  return {400, json_rpc::Reply::Failure(code, std::string(sentence)).For("null")};
}

}  // namespace

HttpAnswer AnswerHttp(Source& source, std::string_view body, std::string_view version,
                      SessionOptions options) {
  const auto messages = json_rpc::ParseMessages(body);
  if (!messages.ok()) {
    const bool is_json = messages.status().code() == StatusCode::kInvalidArgument;
    return Refused(is_json ? json_rpc::ErrorCode::kNoRequest : json_rpc::ErrorCode::kNoJson,
                   messages.status().message());
  }
  if (!IsHello(*messages)) {
    options.spoken = version.empty() ? ProtocolVersion::k20250326 : Negotiated(version);
    if (!version.empty() && ToString(*options.spoken) != version)
      return Refused(json_rpc::ErrorCode::kNoRequest,
                     fmt::format("MCP-Protocol-Version is '{}'; 2024-11-05, 2025-03-26 and "
                                 "2025-06-18 are spoken here",
                                 version));
    if (messages->is_batch && !HasBatches(*options.spoken))
      return Refused(json_rpc::ErrorCode::kNoRequest,
                     "several messages in a body are of protocol version 2025-03-26 alone");
  }
  const bool is_none =
      !messages->is_batch && messages->all.front().kind == json_rpc::Message::Kind::kWrong;
  HereAndLater later;
  std::string answer;
  Session session({.source = source,
                   .worker = later,
                   .home = later,
                   // Notifications of progress would need a stream; the answer comes last.
                   .send = [&answer](std::string_view message) { answer = message; },
                   .now = Clock::now},
                  std::move(options));
  session.OnLine(body);
  later.RunAll();
  if (answer.empty()) return {202, ""};
  return {is_none ? 400 : 200, std::move(answer)};
}

}  // namespace rankscope::mcp
