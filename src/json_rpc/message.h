// Messages of JSON-RPC 2.0, one per line, with the restrictions of the Model Context Protocol
// (mcp/): an id is a text or a number, parameters are an object.
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
  kNoRequest = -32600,  // JSON, but not a message, or not allowed now
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
    kAnswer,  // to a request of ours; we send none
    kWrong,
  };
  Kind kind = Kind::kWrong;
  std::string id = "null";  // as JSON; "null" if there is none
  std::string method;
  json::Value params;   // an object, or absent
  std::string problem;  // for kWrong: a sentence
};

struct Messages {
  json::Reader reader;  // which `all` points into
  bool is_batch = false;
  std::vector<Message> all;  // one message, or those of a batch
};

// kBadData if the line is not JSON in UTF-8, kInvalidArgument for a batch that is empty or has more
// than kMostInBatch messages. Errors about values inside name their place: "params.arguments.limit:
// ...".
inline constexpr std::size_t kMostInBatch = 100;
Result<Messages> ParseMessages(std::string_view line);

// The outcome of a request: a result, or an error.
class Reply {
 public:
  // `json` is the result.
  static Reply Of(std::string_view json);
  // `data` is JSON, or "".
  static Reply Failure(ErrorCode code, std::string_view sentence, std::string_view data = "");

  // The message, without a line end.
  std::string For(std::string_view id) const;

 private:
  explicit Reply(std::string member) : member_(std::move(member)) {}

  std::string member_;  // "result":{..} or "error":{..}
};

// `params` is JSON.
std::string Notification(std::string_view method, std::string_view params);

}  // namespace rankscope::json_rpc
