// Messages of JSON-RPC 2.0, a line each, as the Model Context Protocol (mcp/) restricts them: an id
// is a text or a number, parameters are an object.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "json/reader.h"

namespace rankscope::json_rpc {

enum class ErrorCode : int {
  kNoJson = -32700,
  kNoRequest = -32600,  // JSON, and no message or none at this time
  kNoMethod = -32601,
  kBadParameters = -32602,
  kInternal = -32603,
  kBusy = -32000,
  kNoResource = -32002,
};

struct Message {
  enum class Kind : std::uint8_t {
    kRequest,
    kNotification,
    kAnswer,  // to a request of ours, of which there are none
    kWrong,
  };
  Kind kind = Kind::kWrong;
  std::string id = "null";  // as JSON; "null" where there is none
  std::string method;
  json::Value params;   // an object, or absent
  std::string problem;  // of kWrong: a sentence
};

struct Messages {
  json::Reader reader;  // which `all` points into
  bool is_batch = false;
  std::vector<Message> all;  // one, or those of a batch
};

// kBadData where the line is no JSON in UTF-8, kInvalidArgument for a batch of none or of more than
// kMostInBatch messages. Values inside say in errors where they stand: "params.arguments.limit:
// ...".
inline constexpr std::size_t kMostInBatch = 100;
Result<Messages> ParseMessages(std::string_view line);

// What becomes of a request: a result, or an error.
class Reply {
 public:
  // `json` is the result's.
  static Reply Of(std::string_view json);
  // `data` is JSON, or "".
  static Reply Failure(ErrorCode code, std::string_view sentence, std::string_view data = "");

  // The message, without a line's end.
  std::string For(std::string_view id) const;

 private:
  explicit Reply(std::string member) : member_(std::move(member)) {}

  std::string member_;  // "result":{..} or "error":{..}
};

// `params` is JSON.
std::string Notification(std::string_view method, std::string_view params);

}  // namespace rankscope::json_rpc
