#include <map>

#include "http/url.h"
#include "json/schema.h"
#include "json/writer.h"
#include "service/requests/route.h"

namespace rankscope::service {
namespace {

// {name...} is {name} there; which parts of a path are arguments is said beside.
std::string PathOf(std::string_view pattern) {
  std::string path(pattern);
  if (const std::size_t dots = path.find("..."); dots != std::string::npos) path.erase(dots, 3);
  return path;
}

void WriteParameter(json::Writer& writer, std::string_view name, std::string_view place,
                    std::string_view type, std::string_view doc, bool is_repeatable) {
  writer.BeginObject().Member("name", name).Member("in", place);
  if (place == "path") writer.Member("required", true);
  if (!doc.empty()) writer.Member("description", doc);
  writer.Key("schema").BeginObject();
  if (is_repeatable) writer.Member("type", "array").Key("items").BeginObject();
  writer.Member("type", type);
  if (is_repeatable) writer.EndObject();
  writer.EndObject().EndObject();
}

void WriteParameters(json::Writer& writer, const Route& route) {
  writer.BeginArray();
  for (std::string_view segment : http::Segments(route.pattern)) {
    if (!segment.starts_with('{')) continue;
    const bool takes_rest = segment.ends_with("...}");
    segment = segment.substr(1, segment.size() - (takes_rest ? 5 : 2));
    WriteParameter(writer, segment, "path", "string", takes_rest ? "may hold `/`" : "", false);
  }
  for (const Parameter& one : route.parameters)
    WriteParameter(writer, one.name, one.place, one.type, one.doc, one.is_repeatable);
  writer.EndArray();
}

void WriteBody(json::Writer& writer, const Route& route) {
  if (route.receive) {
    writer.Key("requestBody")
        .Raw(
            R"({"content":{"application/octet-stream":{"schema":{"type":"string","format":"binary"}}}})");
    return;
  }
  if (route.takes == nullptr) return;
  writer.Key("requestBody").BeginObject().Key("content").BeginObject();
  writer.Key("application/json").BeginObject().Key("schema");
  if (route.takes_list) writer.BeginObject().Member("type", "array").Key("items");
  json::WriteReference(*route.takes, writer);
  if (route.takes_list) writer.EndObject();
  writer.EndObject().EndObject().EndObject();
}

void WriteAnswer(json::Writer& writer, const Route& route) {
  if (route.gives == nullptr && route.sends.empty()) return;
  writer.Key("content").BeginObject();
  if (route.gives != nullptr) {
    writer.Key("application/json").BeginObject().Key("schema");
    json::WriteReference(*route.gives, writer);
    writer.EndObject();
  }
  for (const std::string_view type : route.sends) writer.Key(type).BeginObject().EndObject();
  writer.EndObject();
}

void WriteOperation(json::Writer& writer, const Route& route) {
  writer.BeginObject().Member("summary", route.summary).Key("parameters");
  WriteParameters(writer, route);
  WriteBody(writer, route);
  writer.Key("security").Raw(route.role == Role::kNone ? "[]" : R"([{"token":[]},{"session":[]}])");
  writer.Member("x-role", ToString(route.role)).Key("responses").BeginObject();
  writer.Key(route.statuses).BeginObject().Member("description", "done");
  WriteAnswer(writer, route);
  writer.EndObject().Key("default").Raw(
      R"({"description":"an error","content":{"application/json":{"schema":{)"
      R"("$ref":"#/components/schemas/Error"}}}})");
  writer.EndObject().EndObject();
}

void WriteSchemas(json::Writer& writer, std::span<const Route> routes) {
  std::vector<const json::FieldList*> lists;
  for (const Route& route : routes) {
    if (route.takes != nullptr) lists.push_back(route.takes);
    if (route.gives != nullptr) lists.push_back(route.gives);
  }
  writer.BeginObject().Key("Error").Raw(
      R"({"type":"object","properties":{"error":{"type":"object","properties":{)"
      R"("code":{"type":"string"},"message":{"type":"string"}}}}})");
  for (const json::FieldList* const list : json::WithNested(lists)) {
    writer.Key(list->name());
    json::WriteSchema(*list, writer);
  }
  writer.EndObject();
}

}  // namespace

std::string OpenApi(std::span<const Route> routes, std::string_view version) {
  std::map<std::string, std::vector<const Route*>> paths;
  for (const Route& route : routes) paths[PathOf(route.pattern)].push_back(&route);
  std::string out;
  json::Writer writer(out);
  writer.BeginObject().Member("openapi", "3.1.0").Key("info").BeginObject();
  writer.Member("title", "rankscope").Member("version", version).EndObject();
  writer.Key("paths").BeginObject();
  for (const auto& [path, operations] : paths) {
    writer.Key(path).BeginObject();
    for (const Route* const route : operations) {
      std::string method(route->method);
      for (char& c : method) c = static_cast<char>(c - 'A' + 'a');
      writer.Key(method);
      WriteOperation(writer, *route);
    }
    writer.EndObject();
  }
  writer.EndObject()
      .Key("components")
      .BeginObject()
      .Key("securitySchemes")
      .Raw(R"({"token":{"type":"http","scheme":"bearer"},)"
           R"("session":{"type":"apiKey","in":"cookie","name":"rankscope"}})");
  writer.Key("schemas");
  WriteSchemas(writer, routes);
  writer.EndObject().EndObject();
  return out;
}

}  // namespace rankscope::service
