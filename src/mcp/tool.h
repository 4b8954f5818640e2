// Tool: a function for clients, declared as data from which lists and schemas derive.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "json/fields.h"
#include "json/reader.h"
#include "mcp/call.h"
#include "mcp/protocol_version.h"
#include "mcp/source.h"

namespace rankscope::mcp {

// A tool's answer: text; it is JSON if the tool has a schema for it.
struct ToolAnswer {
  std::string text;
  bool is_json = false;
};

// A call with validated arguments.
using ToolWork = std::function<Result<ToolAnswer>(Source& source, Call& call)>;

struct Tool {
  std::string_view name;
  std::string_view title;
  std::string description;
  const json::FieldList* arguments = nullptr;
  const json::FieldList* result = nullptr;  // null: text
  // Needs no job, and is answered at once.
  bool is_quick = false;
  // kInvalidArgument, with the argument's name, if the input does not fit `arguments`.
  std::function<Result<ToolWork>(const json::Value& given)> prepare;
};

// All tools, in the usual order of use.
std::span<const Tool> AllTools();
// Null if no tool has that name.
const Tool* FindTool(std::string_view name);

// The result of tools/list.
std::string ToolList(ProtocolVersion version);
// The result of tools/call.
std::string ToolResult(const ToolAnswer& answer, ProtocolVersion version);
std::string ToolFailure(const Status& status);

}  // namespace rankscope::mcp
