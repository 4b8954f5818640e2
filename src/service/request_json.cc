#include "service/request_json.h"

#include <algorithm>

namespace rankscope::service {
namespace {

template <typename... Args>
Status Wrong(fmt::format_string<Args...> format, Args&&... args) {
  return Error(StatusCode::kInvalidArgument, format, std::forward<Args>(args)...);
}

}  // namespace

Result<RequestJson> RequestJson::Parse(std::string_view body,
                                       std::initializer_list<std::string_view> known) {
  if (body.empty()) body = "{}";
  Result<json::Reader> reader = json::Reader::Parse(body, StatusCode::kInvalidArgument);
  if (!reader.ok()) return Wrong("the body: {}", reader.status().message());
  RequestJson json(std::move(reader).value());
  const json::Value root = json.reader_.root();
  if (!root.IsObject()) return Wrong("the body is JSON, but no object");
  std::vector<std::string_view> seen;
  for (const json::Member& member : root.Members()) {
    if (std::ranges::find(known, member.name) == known.end()) {
      std::string all;
      for (const std::string_view name : known)
        all += (all.empty() ? "" : ", ") + std::string(name);
      return Wrong("'{}' is not known here; known are {}", member.name, all);
    }
    if (std::ranges::find(seen, member.name) != seen.end())
      return Wrong("'{}' stands twice in the body", member.name);
    seen.push_back(member.name);
  }
  return json;
}

bool RequestJson::Has(std::string_view name) const { return Of(name).IsKnown(); }

Result<std::string> RequestJson::Text(std::string_view name, std::size_t most) const {
  if (!Has(name)) return std::string();
  const std::optional<std::string_view> text = Of(name).Text();
  if (!text) return Wrong("'{}' is to be a text", name);
  RS_RETURN_IF_ERROR(CheckText(name, *text, most));
  return std::string(*text);
}

Result<std::optional<std::int64_t>> RequestJson::Integer(std::string_view name) const {
  if (!Has(name)) return std::optional<std::int64_t>();
  const std::optional<std::int64_t> value = Of(name).Integer();
  if (!value) return Wrong("'{}' is to be a whole number", name);
  return value;
}

Result<std::vector<std::string>> RequestJson::List(std::string_view name, std::size_t most) const {
  std::vector<std::string> texts;
  if (!Has(name)) return texts;
  if (!Of(name).IsArray()) return Wrong("'{}' is to be a list of texts", name);
  for (const json::Value& one : Of(name).Items()) {
    const std::optional<std::string_view> text = one.Text();
    if (!text) return Wrong("'{}' is to be a list of texts", name);
    RS_RETURN_IF_ERROR(CheckText(name, *text, 10'000));
    texts.emplace_back(*text);
    if (texts.size() > most) return Wrong("'{}' has more than {} texts", name, most);
  }
  return texts;
}

Result<std::string> RequestJson::Raw(std::string_view name) const {
  if (!Has(name)) return Wrong("'{}' is missing", name);
  return Of(name).ToString();
}

}  // namespace rankscope::service
