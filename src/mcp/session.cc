#include "mcp/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "json/writer.h"
#include "mcp/progress.h"
#include "mcp/resources.h"

namespace rankscope::mcp {

using json_rpc::ErrorCode;

namespace {

constexpr std::string_view kInstructions =
    "rankscope knows why this AI training or serving job is slow, from the profiler traces of all "
    "its ranks. Call findings first: causes, what each costs, where in the code, what to change. "
    "explain has the page of a finding, and how each table is defined. table, query, whatif and "
    "diff "
    "answer what remains. Gains do not add up; whatif replays changes together. Unknown is null, "
    "never 0. Nothing here changes anything.";

std::string InitializeResult(ProtocolVersion version, std::string_view program_version) {
  std::string result;
  json::Writer writer(result);
  writer.BeginObject().Member("protocolVersion", ToString(version));
  writer.Key("capabilities").BeginObject();
  writer.Key("tools").BeginObject().EndObject();
  writer.Key("resources").BeginObject().EndObject().EndObject();
  writer.Key("serverInfo").BeginObject().Member("name", "rankscope");
  if (HasStructuredContent(version)) writer.Member("title", "rankscope");
  writer.Member("version", program_version).EndObject();
  writer.Member("instructions", kInstructions).EndObject();
  return result;
}

Reply FailureOfTool(const Status& status) { return Reply::Of(ToolFailure(status)); }
Reply FailureOfResource(const Status& status) {
  return Reply::Failure(ErrorCode::kInternal, status.message());
}

Reply BadParameters(const Status& status) {
  return Reply::Failure(ErrorCode::kBadParameters, status.message());
}

Reply NoSuchTool(std::string_view name) {
  std::vector<std::string> names;
  for (const Tool& tool : AllTools()) names.emplace_back(tool.name);
  return Reply::Failure(
      ErrorCode::kBadParameters,
      fmt::format("there is no tool '{}'; there are {}", name, fmt::join(names, ", ")));
}

// Lists come whole: no cursor was ever given.
std::optional<Reply> CursorRefused(const json::Value& params) {
  if (!params["cursor"].IsKnown()) return std::nullopt;
  return Reply::Failure(ErrorCode::kBadParameters, "params.cursor: lists come whole, without one");
}

bool IsBlank(std::string_view line) { return line.find_first_not_of(" \t\r") == line.npos; }

// What `work` throws, where memory is short, is an error of it.
template <typename Work>
Result<Reply> Guarded(const Work& work) {
  try {
    return work();
  } catch (const std::exception& error) {
    return Error(StatusCode::kResource, "out of memory or another limit: {}", error.what());
  }
}

}  // namespace

Session::Session(SessionParts parts, SessionOptions options)
    : parts_(std::move(parts)), options_(std::move(options)), version_(options_.spoken) {}

Session::~Session() { Stop(); }

void Session::OnLine(std::string_view line) {
  if (IsBlank(line)) return;
  const auto messages = json_rpc::ParseMessages(line);
  if (!messages.ok()) {
    const bool is_json = messages.status().code() == StatusCode::kInvalidArgument;
    parts_.send(Reply::Failure(is_json ? ErrorCode::kNoRequest : ErrorCode::kNoJson,
                               messages.status().message())
                    .For("null"));
    return;
  }
  if (!messages->is_batch) return OnMessage(messages->all.front(), nullptr);
  if (!version_ || !HasBatches(*version_)) {
    parts_.send(Reply::Failure(ErrorCode::kNoRequest,
                               "several messages in a line are of protocol version 2025-03-26 "
                               "alone: send each in a line of its own")
                    .For("null"));
    return;
  }
  const auto batch = std::make_shared<Batch>();
  ++batch->open;  // until all of it was looked at
  for (const Message& message : messages->all) OnMessage(message, batch);
  Close(batch);
}

void Session::OnLongLine() {
  parts_.send(
      Reply::Failure(ErrorCode::kNoRequest,
                     fmt::format("a message may have {} bytes at most; this one was not read",
                                 options_.most_line_bytes))
          .For("null"));
}

void Session::OnMessage(const Message& message, const std::shared_ptr<Batch>& batch) {
  if (message.kind == Message::Kind::kAnswer) return;
  if (message.kind == Message::Kind::kNotification) return OnNotification(message);
  const Target target{message.id, batch};
  if (batch != nullptr) ++batch->open;
  if (message.kind == Message::Kind::kWrong)
    return Answer(target, Reply::Failure(ErrorCode::kNoRequest, message.problem));
  OnRequest(message, target);
}

void Session::OnRequest(const Message& message, const Target& target) {
  if (calls_.contains(target.id))
    return Answer(target, Reply::Failure(ErrorCode::kNoRequest,
                                         fmt::format("a request with the id {} is still under way",
                                                     target.id)));
  if (const auto reply = Served(message, target)) Answer(target, *reply);
}

std::optional<Reply> Session::Served(const Message& message, const Target& target) {
  const std::string_view method = message.method;
  if (method == "ping") return Reply::Of("{}");
  if (method == "initialize") {
    if (target.batch == nullptr) return Initialize(message.params);
    return Reply::Failure(ErrorCode::kNoRequest, "initialize is no part of a batch");
  }
  if (!version_) return Reply::Failure(ErrorCode::kNoRequest, "initialize comes first");
  if (method == "tools/call") return CallTool(message.params, target);
  if (method == "resources/read") return ReadResource(message.params, target);
  const bool is_list =
      method == "tools/list" || method == "resources/list" || method == "resources/templates/list";
  if (!is_list)
    return Reply::Failure(ErrorCode::kNoMethod, fmt::format("there is no method '{}'", method));
  if (auto refused = CursorRefused(message.params)) return refused;
  if (method == "tools/list") return Reply::Of(ToolList(*version_));
  return Reply::Of(method == "resources/list" ? ResourceList(*version_)
                                              : ResourceTemplates(*version_));
}

Reply Session::Initialize(const json::Value& params) {
  if (version_) return Reply::Failure(ErrorCode::kNoRequest, "the session was initialised before");
  const auto asked = params["protocolVersion"].NeedText();
  if (!asked.ok()) return BadParameters(asked.status());
  version_ = Negotiated(*asked);
  return Reply::Of(InitializeResult(*version_, options_.program_version));
}

std::optional<Reply> Session::CallTool(const json::Value& params, const Target& target) {
  const auto name = params["name"].NeedText();
  if (!name.ok()) return BadParameters(name.status());
  const Tool* const tool = FindTool(*name);
  if (tool == nullptr) return NoSuchTool(*name);
  static const json::Reader kNone = json::Reader::Parse("{}", StatusCode::kInvalidArgument).value();
  const json::Value given = params["arguments"];
  const auto work = tool->prepare(given.IsKnown() ? given : kNone.root());
  if (!work.ok()) return BadParameters(work.status());
  const ProtocolVersion version = *version_;
  const auto answer = [work = *work, version](Source& source, Call& call) -> Result<Reply> {
    RS_ASSIGN_OR_RETURN(const ToolAnswer answer_of_tool, work(source, call));
    return Reply::Of(ToolResult(answer_of_tool, version));
  };
  if (!tool->is_quick) return Begin(target, params, FailureOfTool, answer);
  Call call(parts_.now());
  const Result<Reply> reply = answer(parts_.source, call);
  return reply.ok() ? *reply : FailureOfTool(reply.status());
}

std::optional<Reply> Session::ReadResource(const json::Value& params, const Target& target) {
  const auto uri = params["uri"].NeedText();
  if (!uri.ok()) return BadParameters(uri.status());
  if (*uri == kReportUri) {
    return Begin(target, params, FailureOfResource,
                 [](Source& source, Call& call) -> Result<Reply> {
                   RS_ASSIGN_OR_RETURN(std::string report, source.Report(call));
                   return Reply::Of(ResourceResult(kReportUri, ReportResource(std::move(report))));
                 });
  }
  const auto resource = mcp::ReadResource(*uri);
  if (resource.ok()) return Reply::Of(ResourceResult(*uri, *resource));
  std::string data;
  json::Writer(data).BeginObject().Member("uri", *uri).EndObject();
  return Reply::Failure(ErrorCode::kNoResource, resource.status().message(), data);
}

std::optional<Reply> Session::Begin(const Target& target, const json::Value& params,
                                    Reply (*failure)(const Status& status), Work work) {
  if (calls_.size() >= options_.most_calls)
    return Reply::Failure(ErrorCode::kBusy,
                          fmt::format("{} calls wait already: ask again when some are answered",
                                      options_.most_calls));
  const auto call = std::make_shared<Call>(parts_.now() + options_.time_limit);
  const json::Value token = params["_meta"]["progressToken"];
  if (token.Text() || token.Integer()) {
    call->TellProgress(
        Progress(token.ToString(), *version_), [this, call = call.get()](std::string told) {
          parts_.home.Add([this, call, told = std::move(told)] {
            // Nothing is told of a call that was answered.
            const bool is_open = std::ranges::any_of(
                calls_, [&](const auto& pending) { return pending.second.call.get() == call; });
            if (is_open) parts_.send(json_rpc::Notification("notifications/progress", told));
          });
        });
  }
  calls_.emplace(target.id, Pending{target, call, failure});
  parts_.worker.Add([this, call, work = std::move(work)] {
    if (call->IsStopped()) return;
    Result<Reply> result = Guarded([&] { return work(parts_.source, *call); });
    parts_.home.Add([this, call, result = std::move(result)] { Finish(call, result); });
  });
  return std::nullopt;
}

void Session::Finish(const std::shared_ptr<Call>& call, const Result<Reply>& result) {
  const auto found =
      std::ranges::find_if(calls_, [&](const auto& one) { return one.second.call == call; });
  // Cancelled, or answered when its time was up.
  if (found == calls_.end()) return;
  const Pending pending = std::move(found->second);
  calls_.erase(found);
  Answer(pending.target, result.ok() ? *result : pending.failure(result.status()));
}

void Session::OnNotification(const Message& message) {
  if (message.method == "notifications/cancelled") OnCancelled(message.params);
}

void Session::OnCancelled(const json::Value& params) {
  const auto found = calls_.find(params["requestId"].ToString());
  if (found == calls_.end()) return;
  found->second.call->Stop();
  const std::shared_ptr<Batch> batch = found->second.target.batch;
  calls_.erase(found);
  Close(batch);
}

std::optional<Clock::time_point> Session::NextDeadline() const {
  std::optional<Clock::time_point> next;
  for (const auto& [id, pending] : calls_)
    next = std::min(next.value_or(pending.call->until()), pending.call->until());
  return next;
}

void Session::OnTime() {
  const Clock::time_point now = parts_.now();
  const Status late =
      Error(StatusCode::kResource,
            "this took longer than {} s and was stopped; what was read of traces is kept, so that "
            "the same call goes on from there. rankscope mcp --time-limit gives calls more",
            options_.time_limit.count());
  for (auto at = calls_.begin(); at != calls_.end();) {
    if (at->second.call->until() > now) {
      ++at;
      continue;
    }
    const Pending pending = std::move(at->second);
    at = calls_.erase(at);
    pending.call->Stop();
    Answer(pending.target, pending.failure(late));
  }
}

void Session::Stop() {
  for (const auto& [id, pending] : calls_) pending.call->Stop();
  calls_.clear();
}

void Session::Answer(const Target& target, const Reply& reply) {
  if (target.batch == nullptr) return parts_.send(reply.For(target.id));
  target.batch->answers.push_back(reply.For(target.id));
  Close(target.batch);
}

void Session::Close(const std::shared_ptr<Batch>& batch) {
  if (batch == nullptr || --batch->open > 0 || batch->answers.empty()) return;
  parts_.send(fmt::format("[{}]", fmt::join(batch->answers, ",")));
}

}  // namespace rankscope::mcp
