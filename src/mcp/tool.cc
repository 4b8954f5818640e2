#include "mcp/tool.h"

#include <algorithm>

#include "json/schema.h"
#include "json/writer.h"

namespace rankscope::mcp {
namespace {

void WriteTool(const Tool& tool, ProtocolVersion version, json::Writer& writer) {
  writer.BeginObject().Member("name", tool.name);
  if (HasStructuredContent(version)) writer.Member("title", tool.title);
  writer.Member("description", tool.description).Key("inputSchema");
  json::WriteWholeSchema(*tool.arguments, writer);
  if (HasStructuredContent(version) && tool.result != nullptr) {
    writer.Key("outputSchema");
    json::WriteWholeSchema(*tool.result, writer);
  }
  if (HasAnnotations(version)) {
    writer.Key("annotations").BeginObject();
    writer.Member("title", tool.title)
        .Member("readOnlyHint", true)
        .Member("idempotentHint", true)
        .Member("openWorldHint", false)
        .EndObject();
  }
  writer.EndObject();
}

void WriteText(std::string_view text, json::Writer& writer) {
  writer.Key("content").BeginArray().BeginObject();
  writer.Member("type", "text").Member("text", text).EndObject().EndArray();
}

}  // namespace

const Tool* FindTool(std::string_view name) {
  const std::span<const Tool> tools = AllTools();
  const auto found = std::ranges::find(tools, name, &Tool::name);
  return found == tools.end() ? nullptr : &*found;
}

std::string ToolList(ProtocolVersion version) {
  std::string list;
  json::Writer writer(list);
  writer.BeginObject().Key("tools").BeginArray();
  for (const Tool& tool : AllTools()) WriteTool(tool, version, writer);
  writer.EndArray().EndObject();
  return list;
}

std::string ToolResult(const ToolAnswer& answer, ProtocolVersion version) {
  std::string result;
  json::Writer writer(result);
  writer.BeginObject();
  WriteText(answer.text, writer);
  if (answer.is_json && HasStructuredContent(version))
    writer.Key("structuredContent").Raw(answer.text);
  writer.Member("isError", false).EndObject();
  return result;
}

std::string ToolFailure(const Status& status) {
  std::string result;
  json::Writer writer(result);
  writer.BeginObject();
  WriteText(status.message(), writer);
  writer.Member("isError", true).EndObject();
  return result;
}

}  // namespace rankscope::mcp
