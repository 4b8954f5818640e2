// Tool: what a client can call, declared as data: lists and schemas follow.
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

// What a tool answers: text, which is JSON where the tool has a schema of it.
struct ToolAnswer {
  std::string text;
  bool is_json = false;
};

// A call with its arguments, which were checked.
using ToolWork = std::function<Result<ToolAnswer>(Source& source, Call& call)>;

struct Tool {
  std::string_view name;
  std::string_view title;
  std::string description;
  const json::FieldList* arguments = nullptr;
  const json::FieldList* result = nullptr;  // null: text
  // Asks no job, and is answered at once.
  bool is_quick = false;
  // kInvalidArgument, in words that name the argument, for what does not fit `arguments`.
  std::function<Result<ToolWork>(const json::Value& given)> prepare;
};

// All, in the order in which one asks.
std::span<const Tool> AllTools();
// Null when there is none of that name.
const Tool* FindTool(std::string_view name);

// The result of tools/list.
std::string ToolList(ProtocolVersion version);
// The result of tools/call.
std::string ToolResult(const ToolAnswer& answer, ProtocolVersion version);
std::string ToolFailure(const Status& status);

}  // namespace rankscope::mcp
