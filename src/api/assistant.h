// Messages of a coding assistant: the Model Context Protocol over JSON-RPC 2.0.
#pragma once

#include <optional>
#include <string>

#include "json/type.h"

namespace rankscope::api {

// One message. json_rpc parses it; this type documents it for client authors.
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
