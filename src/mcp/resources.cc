#include "mcp/resources.h"

#include <utility>

#include "catalog/findings.h"
#include "catalog/table_definitions.h"
#include "json/writer.h"
#include "mcp/explain.h"

namespace rankscope::mcp {
namespace {

constexpr std::string_view kMarkdown = "text/markdown";
constexpr std::string_view kJson = "application/json";
constexpr std::string_view kDefinitions = "rankscope://definitions";
constexpr std::string_view kOneDefinition = "rankscope://definitions/";
constexpr std::string_view kOneFinding = "rankscope://findings/";

struct Words {
  std::string_view uri;
  std::string_view name;
  std::string_view title;
  std::string_view description;
  std::string_view mime_type;
};

constexpr Words kResources[] = {
    {kReportUri, "report", "The report of the job",
     "why the job is slow and where its time goes: findings, device time, kernels", kMarkdown},
    {kDefinitions, "definitions", "Definitions of all tables",
     "every table and view: what a row is, formulas, columns with units, options", kJson}};
constexpr Words kTemplates[] = {
    {"rankscope://definitions/{table}", "definition", "A table's definition",
     "what a row is, columns with units, options", kMarkdown},
    {"rankscope://findings/{id}", "finding", "The page of a finding",
     "how it shows, why it matters, what to change", kMarkdown}};

void WriteWords(const Words& words, std::string_view key, ProtocolVersion version,
                json::Writer& writer) {
  writer.BeginObject().Member(key, words.uri).Member("name", words.name);
  if (HasStructuredContent(version)) writer.Member("title", words.title);
  writer.Member("description", words.description).Member("mimeType", words.mime_type).EndObject();
}

Resource Markdown(std::string text) { return {.mime_type = kMarkdown, .text = std::move(text)}; }

Status NoSuchResource() {
  return Error(StatusCode::kNotFound,
               "there is no such resource; resources/list and resources/templates/list have all");
}

}  // namespace

std::string ResourceList(ProtocolVersion version) {
  std::string list;
  json::Writer writer(list);
  writer.BeginObject().Key("resources").BeginArray();
  for (const Words& words : kResources) WriteWords(words, "uri", version, writer);
  writer.EndArray().EndObject();
  return list;
}

std::string ResourceTemplates(ProtocolVersion version) {
  std::string list;
  json::Writer writer(list);
  writer.BeginObject().Key("resourceTemplates").BeginArray();
  for (const Words& words : kTemplates) WriteWords(words, "uriTemplate", version, writer);
  writer.EndArray().EndObject();
  return list;
}

Result<Resource> ReadResource(std::string_view uri) {
  if (uri == kDefinitions)
    return Resource{.mime_type = kJson, .text = catalog::TableDefinitionsJson()};
  if (uri.starts_with(kOneDefinition)) {
    auto page = TableExplained(uri.substr(kOneDefinition.size()));
    return page.ok() ? Result<Resource>(Markdown(std::move(*page))) : NoSuchResource();
  }
  if (uri.starts_with(kOneFinding)) {
    const auto page = catalog::PageOf(uri.substr(kOneFinding.size()));
    return page.ok() ? Result<Resource>(Markdown(std::string(*page))) : NoSuchResource();
  }
  return NoSuchResource();
}

Resource ReportResource(std::string markdown) { return Markdown(std::move(markdown)); }

std::string ResourceResult(std::string_view uri, const Resource& resource) {
  std::string result;
  json::Writer writer(result);
  writer.BeginObject().Key("contents").BeginArray().BeginObject();
  writer.Member("uri", uri).Member("mimeType", resource.mime_type).Member("text", resource.text);
  writer.EndObject().EndArray().EndObject();
  return result;
}

}  // namespace rankscope::mcp
