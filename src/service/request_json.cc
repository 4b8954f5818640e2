#include "service/request_json.h"

#include <algorithm>

namespace rankscope::service {
namespace {

template <typename... Args>
Status Wrong(fmt::format_string<Args...> format, Args&&... args) {
  return Error(StatusCode::kInvalidArgument, format, std::forward<Args>(args)...);
}

}  // namespace

Status CheckText(std::string_view what, std::string_view text, std::size_t most) {
  if (text.size() > most)
    return Wrong("{} has {} bytes; up to {} are kept", what, text.size(), most);
  const auto is_control = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t';
  };
  if (std::ranges::any_of(text, is_control)) return Wrong("{} has a control character", what);
  return OkStatus();
}

Result<RequestJson> RequestJson::Parse(std::string_view body,
                                       std::initializer_list<std::string_view> known) {
  RequestJson json;
  if (body.empty()) body = "{}";
  const auto error = json.parser_->parse(body).get(json.object_);
  if (error == simdjson::INCORRECT_TYPE) return Wrong("the body is JSON, but no object");
  if (error) return Wrong("the body is no JSON: {}", simdjson::error_message(error));
  std::vector<std::string_view> seen;
  for (const auto& member : json.object_) {
    if (std::ranges::find(known, member.key) == known.end()) {
      std::string all;
      for (const std::string_view name : known)
        all += (all.empty() ? "" : ", ") + std::string(name);
      return Wrong("'{}' is not known here; known are {}", member.key, all);
    }
    if (std::ranges::find(seen, member.key) != seen.end())
      return Wrong("'{}' stands twice in the body", member.key);
    seen.push_back(member.key);
  }
  return json;
}

bool RequestJson::Has(std::string_view name) const {
  simdjson::dom::element value;
  return object_.at_key(name).get(value) == simdjson::SUCCESS && !value.is_null();
}

Result<std::string> RequestJson::Text(std::string_view name, std::size_t most) const {
  if (!Has(name)) return std::string();
  std::string_view text;
  if (object_.at_key(name).get(text)) return Wrong("'{}' is to be a text", name);
  RS_RETURN_IF_ERROR(CheckText(name, text, most));
  return std::string(text);
}

Result<std::optional<std::int64_t>> RequestJson::Integer(std::string_view name) const {
  if (!Has(name)) return std::optional<std::int64_t>();
  std::int64_t value = 0;
  if (object_.at_key(name).get(value)) return Wrong("'{}' is to be a whole number", name);
  return std::optional(value);
}

Result<std::map<std::string, std::string>> RequestJson::Texts(std::string_view name) const {
  std::map<std::string, std::string> texts;
  if (!Has(name)) return texts;
  simdjson::dom::object object;
  if (object_.at_key(name).get(object)) return Wrong("'{}' is to be an object of texts", name);
  constexpr std::size_t kMost = 100;
  for (const auto& member : object) {
    std::string_view text;
    if (member.value.get(text)) return Wrong("'{}' of {} is to be a text", member.key, name);
    if (member.key.empty()) return Wrong("a name in '{}' is empty", name);
    RS_RETURN_IF_ERROR(CheckText(name, member.key, 100));
    RS_RETURN_IF_ERROR(CheckText(name, text, 1000));
    texts[std::string(member.key)] = text;
    if (texts.size() > kMost) return Wrong("'{}' has more than {} members", name, kMost);
  }
  return texts;
}

Result<std::vector<std::string>> RequestJson::List(std::string_view name, std::size_t most) const {
  std::vector<std::string> texts;
  if (!Has(name)) return texts;
  simdjson::dom::array array;
  if (object_.at_key(name).get(array)) return Wrong("'{}' is to be a list of texts", name);
  for (const simdjson::dom::element one : array) {
    std::string_view text;
    if (one.get(text)) return Wrong("'{}' is to be a list of texts", name);
    RS_RETURN_IF_ERROR(CheckText(name, text, 10'000));
    texts.emplace_back(text);
    if (texts.size() > most) return Wrong("'{}' has more than {} texts", name, most);
  }
  return texts;
}

Result<std::string> RequestJson::Raw(std::string_view name) const {
  if (!Has(name)) return Wrong("'{}' is missing", name);
  simdjson::dom::element value;
  if (object_.at_key(name).get(value)) return Wrong("'{}' is missing", name);
  return simdjson::to_string(value);
}

}  // namespace rankscope::service
