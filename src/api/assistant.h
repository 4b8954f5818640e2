// What a coding assistant sends: the Model Context Protocol, which is JSON-RPC 2.0.
#pragma once

#include <optional>
#include <string>

#include "json/type.h"

namespace rankscope::api {

// One message. What reads it is json_rpc; this is for those who write it.
struct AssistantMessage {
  std::string jsonrpc;
  std::optional<json::RawJson> id;
  std::optional<std::string> method;
  std::optional<json::RawJson> params;
};

}  // namespace rankscope::api

namespace rankscope::json {

template <>
const Fields<api::AssistantMessage>& FieldsOf();

}  // namespace rankscope::json
