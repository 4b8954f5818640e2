#include <map>

#include "http/url.h"
#include "json/json_text.h"
#include "service/route.h"

namespace rankscope::service {
namespace {

// {name...} is {name} there; which parts of a path are arguments is said beside.
std::string PathOf(std::string_view pattern) {
  std::string path(pattern);
  if (const std::size_t dots = path.find("..."); dots != std::string::npos) path.erase(dots, 3);
  return path;
}

void AppendMember(std::string& out, std::string_view name, std::string_view text) {
  AppendJsonString(out, name);
  out += ':';
  AppendJsonString(out, text);
}

void AppendParameter(std::string& out, std::string_view name, std::string_view place,
                     std::string_view type, std::string_view doc, bool is_repeatable) {
  out += out.back() == '[' ? "{" : ",{";
  AppendMember(out, "name", name);
  out += ',';
  AppendMember(out, "in", place);
  if (place == "path") out += ",\"required\":true";
  if (!doc.empty()) {
    out += ',';
    AppendMember(out, "description", doc);
  }
  out += is_repeatable ? ",\"schema\":{\"type\":\"array\",\"items\":{" : ",\"schema\":{";
  AppendMember(out, "type", type);
  out += is_repeatable ? "}}}" : "}}";
}

std::string ParametersOf(const Route& route) {
  std::string out = "[";
  for (std::string_view segment : http::Segments(route.pattern)) {
    if (!segment.starts_with('{')) continue;
    const bool takes_rest = segment.ends_with("...}");
    segment = segment.substr(1, segment.size() - (takes_rest ? 5 : 2));
    AppendParameter(out, segment, "path", "string", takes_rest ? "may hold `/`" : "", false);
  }
  for (const Parameter& one : route.parameters)
    AppendParameter(out, one.name, one.place, one.type, one.doc, one.is_repeatable);
  return out + "]";
}

std::string OperationOf(const Route& route) {
  std::string out = "{";
  AppendMember(out, "summary", route.summary);
  out += ",\"parameters\":" + ParametersOf(route);
  if (route.answer == nullptr) {
    out +=
        ",\"requestBody\":{\"content\":{\"application/octet-stream\":{\"schema\":{\"type\":"
        "\"string\",\"format\":\"binary\"}}}}";
  } else if (!route.body.empty()) {
    out += ",\"requestBody\":{\"content\":{\"application/json\":{\"schema\":";
    out += route.body;
    out += "}}}";
  }
  out += ",\"security\":";
  out += route.role == Role::kNone ? "[]" : "[{\"token\":[]},{\"session\":[]}]";
  out += ",";
  AppendMember(out, "x-role", ToString(route.role));
  out += ",\"responses\":{";
  AppendJsonString(out, route.statuses);
  out +=
      ":{\"description\":\"done\"},\"default\":{\"description\":\"an error\",\"content\":{"
      "\"application/json\":{\"schema\":{\"$ref\":\"#/components/schemas/Error\"}}}}}}";
  return out;
}

}  // namespace

std::string OpenApi(std::span<const Route> routes, std::string_view version) {
  std::map<std::string, std::string> paths;
  for (const Route& route : routes) {
    std::string& operations = paths[PathOf(route.pattern)];
    std::string method(route.method);
    for (char& c : method) c = static_cast<char>(c - 'A' + 'a');
    operations += operations.empty() ? "" : ",";
    AppendJsonString(operations, method);
    operations += ':' + OperationOf(route);
  }
  std::string out = "{\"openapi\":\"3.1.0\",\"info\":{\"title\":\"rankscope\",";
  AppendMember(out, "version", version);
  out += "},\"paths\":{";
  for (const auto& [path, operations] : paths) {
    if (out.back() != '{') out += ',';
    AppendJsonString(out, path);
    out += ":{" + operations + "}";
  }
  return out +
         "},\"components\":{\"securitySchemes\":{\"token\":{\"type\":\"http\",\"scheme\":"
         "\"bearer\"},"
         "\"session\":{\"type\":\"apiKey\",\"in\":\"cookie\",\"name\":\"rankscope\"}},\"schemas\":{"
         "\"Error\":{\"type\":\"object\",\"properties\":{\"error\":{\"type\":\"object\","
         "\"properties\":{\"code\":{\"type\":\"string\"},\"message\":{\"type\":\"string\"}}}}}}}}";
}

}  // namespace rankscope::service
