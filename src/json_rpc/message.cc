#include "json_rpc/message.h"

#include <fmt/format.h>

#include <utility>

#include "json/writer.h"

namespace rankscope::json_rpc {
namespace {

bool IsId(const json::Value& id) { return id.Text() || id.Number(); }

std::string ProblemOf(const json::Value& message) {
  if (!message.IsObject()) return "a message is an object";
  if (message["jsonrpc"].Text() != "2.0") return "a message has the member \"jsonrpc\":\"2.0\"";
  if (!message["method"].IsAbsent() && !message["method"].Text()) return "a method is a text";
  if (!message["id"].IsAbsent() && !IsId(message["id"])) return "an id is a text or a number";
  const json::Value params = message["params"];
  if (!params.IsAbsent() && !params.IsObject()) return "parameters are an object";
  return "";
}

Message::Kind KindOf(const json::Value& message) {
  if (message["method"].IsAbsent()) return Message::Kind::kAnswer;
  return message["id"].IsAbsent() ? Message::Kind::kNotification : Message::Kind::kRequest;
}

Message MessageOf(const json::Value& value) {
  Message message{.params = value["params"], .problem = ProblemOf(value)};
  if (IsId(value["id"])) message.id = value["id"].ToString();
  if (!message.problem.empty()) return message;
  message.kind = KindOf(value);
  message.method = value["method"].TextOr("");
  const bool is_answer = message.kind == Message::Kind::kAnswer;
  if (is_answer && value["result"].IsAbsent() && value["error"].IsAbsent()) {
    message.kind = Message::Kind::kWrong;
    message.problem = "a message has a method, a result or an error";
  }
  return message;
}

}  // namespace

Result<Messages> ParseMessages(std::string_view line) {
  auto reader = json::Reader::Parse(line, StatusCode::kInvalidArgument);
  if (!reader.ok()) return Error(StatusCode::kBadData, "{}", reader.status().message());
  const json::Value root = reader->root();
  Messages messages{.reader = std::move(*reader), .is_batch = root.IsArray(), .all = {}};
  if (!messages.is_batch) {
    messages.all.push_back(MessageOf(root));
    return messages;
  }
  const std::vector<json::Value> items = root.Items();
  if (items.empty() || items.size() > kMostInBatch)
    return Error(StatusCode::kInvalidArgument, "a batch has 1 to {} messages", kMostInBatch);
  for (const json::Value& item : items) messages.all.push_back(MessageOf(item));
  return messages;
}

Reply Reply::Of(std::string_view json) { return Reply(fmt::format("\"result\":{}", json)); }

Reply Reply::Failure(ErrorCode code, std::string_view sentence, std::string_view data) {
  std::string member = "\"error\":";
  json::Writer writer(member);
  writer.BeginObject().Member("code", static_cast<int>(code)).Member("message", sentence);
  if (!data.empty()) writer.Key("data").Raw(data);
  writer.EndObject();
  return Reply(std::move(member));
}

std::string Reply::For(std::string_view id) const {
  return fmt::format(R"({{"jsonrpc":"2.0","id":{},{}}})", id, member_);
}

std::string Notification(std::string_view method, std::string_view params) {
  return fmt::format(R"({{"jsonrpc":"2.0","method":"{}","params":{}}})", method, params);
}

}  // namespace rankscope::json_rpc
