#include "formats/perfetto/annotations.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "formats/kineto/tokens/raw_event.h"
#include "formats/kineto/tokens/text.h"
#include "formats/perfetto/proto.h"

namespace rankscope::perfetto {
namespace {

namespace od = simdjson::ondemand;

constexpr int kMostDepth = 900;
// What a slice and its track say.
constexpr std::string_view kOfSlice[] = {"ph", "cat", "name", "pid", "tid", "ts", "dur", "args"};

// A double holds 15 significant digits of a decimal number exactly enough to print them again.
bool FitsDouble(std::string_view token) {
  const auto digits =
      std::count_if(token.begin(), token.end(), [](char c) { return c >= '0' && c <= '9'; });
  return digits <= 15 && token.find_first_of("eE") == std::string_view::npos;
}

template <typename Number>
bool Parse(std::string_view token, Number& value) {
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  return error == std::errc() && end == token.data() + token.size();
}

}  // namespace

std::uint64_t NameIds::Of(std::string_view name) {
  const std::lock_guard lock(mutex_);
  const auto found = ids_.find(name);
  if (found != ids_.end()) return found->second;
  names_.emplace_back(name);
  ids_.emplace(names_.back(), names_.size());
  return names_.size();
}

std::uint64_t AnnotationWriter::IdOf(std::string_view name) {
  std::string key(name);
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  const std::uint64_t id = names_.Of(name);
  constexpr std::size_t kMostRemembered = 10'000;
  if (known_.size() >= kMostRemembered) known_.clear();
  known_.emplace(std::move(key), id);
  return id;
}

void AnnotationWriter::Scalar(std::string_view token, std::string& out) {
  Message annotation(out);
  std::int64_t whole = 0;
  std::uint64_t large = 0;
  double real = 0;
  if (token.starts_with('"')) {
    kineto::Unescape(kineto::Unquote(token), scratch_);
    annotation.Bytes(Annotation::kString, scratch_);
  } else if (token == "true" || token == "false") {
    annotation.Uint(Annotation::kBool, token == "true" ? 1 : 0);
  } else if (Parse(token, whole)) {
    annotation.Int(Annotation::kInt, whole);
  } else if (Parse(token, large)) {
    annotation.Uint(Annotation::kUint, large);
  } else if (FitsDouble(token) && Parse(token, real)) {
    annotation.Double(Annotation::kDouble, real);
  } else {
    annotation.Bytes(Annotation::kString, token);
  }
}

// The fields of a DebugAnnotation but its name.
bool AnnotationWriter::Value(od::value value, std::string& out, int depth) {
  if (depth > kMostDepth) return false;
  od::json_type type{};
  if (value.type().get(type)) return false;
  Message annotation(out);
  std::string inner;
  if (type == od::json_type::object) {
    od::object object;
    if (value.get_object().get(object)) return false;
    for (auto result : object) {
      od::field field;
      if (std::move(result).get(field)) return false;
      std::string_view key;
      if (field.unescaped_key().get(key)) return false;
      const std::uint64_t id = IdOf(key);
      inner.clear();
      Message(inner).Uint(Annotation::kNameId, id);
      if (!Value(field.value(), inner, depth + 1)) return false;
      annotation.Bytes(Annotation::kEntries, inner);
    }
    return true;
  }
  if (type == od::json_type::array) {
    od::array array;
    if (value.get_array().get(array)) return false;
    for (auto result : array) {
      if (result.error()) return false;
      od::value item = result.value_unsafe();
      inner.clear();
      if (!Value(item, inner, depth + 1)) return false;
      annotation.Bytes(Annotation::kItems, inner);
    }
    return true;
  }
  std::string_view token = value.raw_json_token();
  while (!token.empty() && static_cast<unsigned char>(token.back()) <= ' ') token.remove_suffix(1);
  Scalar(token, out);
  return true;
}

bool AnnotationWriter::Member(std::string_view name, od::value value, std::string& out) {
  std::string annotation;
  Message(annotation).Uint(Annotation::kNameId, IdOf(name));
  if (!Value(value, annotation, 0)) return false;
  Message(out).Bytes(TrackEvent::kAnnotation, annotation);
  return true;
}

bool AnnotationWriter::AppendEvent(std::string_view event, std::string& out) {
  const std::size_t before = out.size();
  padded_.assign(event);
  padded_.append(simdjson::SIMDJSON_PADDING, ' ');
  od::document document;
  od::object object;
  bool is_sound = !parser_.iterate(padded_.data(), event.size(), padded_.size()).get(document) &&
                  !document.get_object().get(object);
  const auto members = [&](od::object& of, bool is_event, const auto& self) -> bool {
    for (auto result : of) {
      od::field field;
      if (std::move(result).get(field)) return false;
      std::string_view raw;
      if (field.unescaped_key().get(raw)) return false;
      const std::string key(raw);
      od::object args;
      if (is_event && key == "args" && !field.value().get_object().get(args)) {
        if (!self(args, false, self)) return false;
        continue;
      }
      const bool is_of_slice = is_event && std::find(std::begin(kOfSlice), std::end(kOfSlice),
                                                     key) != std::end(kOfSlice);
      if (!is_of_slice && !Member(key, field.value(), out)) return false;
    }
    return true;
  };
  is_sound = is_sound && members(object, true, members);
  if (!is_sound) out.resize(before);
  return is_sound;
}

bool AnnotationWriter::AppendValue(std::string_view name, std::string_view json, std::string& out) {
  // As the one argument of an event, so that any value will do.
  std::string event = "{\"args\": {\"v\": ";
  event += json;
  event += "}}";
  const std::size_t before = out.size();
  padded_.assign(event);
  padded_.append(simdjson::SIMDJSON_PADDING, ' ');
  od::document document;
  od::value value;
  const bool is_sound =
      !parser_.iterate(padded_.data(), event.size(), padded_.size()).get(document) &&
      !document["args"]["v"].get(value) && Member(name, value, out);
  if (!is_sound) out.resize(before);
  return is_sound;
}

}  // namespace rankscope::perfetto
