#include "json/reader.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <bit>

namespace rankscope::json {
namespace {

namespace dom = simdjson::dom;

using Place = std::array<std::uint64_t, 2>;

Place PlaceOf(const dom::element& element) { return std::bit_cast<Place>(element); }
dom::element ElementAt(const Place& place) { return std::bit_cast<dom::element>(place); }

// Whether it is inside `here`, whose path is `path`; that becomes the way to it.
bool FindPath(const dom::element& here, const Place& wanted, std::string& path) {
  if (PlaceOf(here) == wanted) return true;
  const std::size_t length = path.size();
  dom::array array;
  if (!here.get(array)) {
    std::size_t index = 0;
    for (const dom::element item : array) {
      path += fmt::format("[{}]", index++);
      if (FindPath(item, wanted, path)) return true;
      path.resize(length);
    }
  }
  dom::object object;
  if (!here.get(object)) {
    for (const auto member : object) {
      if (!path.empty()) path += '.';
      path += member.key;
      if (FindPath(member.value, wanted, path)) return true;
      path.resize(length);
    }
  }
  return false;
}

}  // namespace

struct Value::Source {
  dom::parser parser;
  dom::element root;
  StatusCode code = StatusCode::kBadData;
};

bool Value::IsAbsent() const { return is_absent_; }
bool Value::IsNull() const { return !is_absent_ && ElementAt(place_).is_null(); }
bool Value::IsObject() const { return !is_absent_ && ElementAt(place_).is_object(); }
bool Value::IsArray() const { return !is_absent_ && ElementAt(place_).is_array(); }

std::optional<std::string_view> Value::Text() const {
  std::string_view text;
  if (is_absent_ || ElementAt(place_).get(text)) return std::nullopt;
  return text;
}

std::optional<std::int64_t> Value::Integer() const {
  std::int64_t number = 0;
  if (is_absent_ || ElementAt(place_).get(number)) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> Value::Unsigned() const {
  std::uint64_t number = 0;
  if (is_absent_ || ElementAt(place_).get(number)) return std::nullopt;
  return number;
}

std::optional<double> Value::Number() const {
  double number = 0;
  if (is_absent_ || ElementAt(place_).get(number)) return std::nullopt;
  return number;
}

std::optional<bool> Value::Flag() const {
  bool flag = false;
  if (is_absent_ || ElementAt(place_).get(flag)) return std::nullopt;
  return flag;
}

std::string Value::TextOr(std::string_view without) const {
  return std::string(Text().value_or(without));
}

Value Value::operator[](std::string_view name) const {
  if (is_absent_) return *this;
  dom::object object;
  dom::element found;
  if (!ElementAt(place_).get(object) && !object.at_key(name).get(found))
    return {source_, PlaceOf(found)};
  Value absent(source_, place_);
  absent.absent_ = name;
  absent.is_absent_ = true;
  return absent;
}

Value Value::At(std::size_t index) const {
  dom::array array;
  dom::element found;
  if (!is_absent_ && !ElementAt(place_).get(array) && !array.at(index).get(found))
    return {source_, PlaceOf(found)};
  Value absent = *this;
  absent.is_absent_ = true;
  return absent;
}

std::vector<Value> Value::Items() const {
  std::vector<Value> items;
  dom::array array;
  if (is_absent_ || ElementAt(place_).get(array)) return items;
  items.reserve(array.size());
  for (const dom::element item : array) items.push_back({source_, PlaceOf(item)});
  return items;
}

std::vector<Member> Value::Members() const {
  std::vector<Member> members;
  dom::object object;
  if (is_absent_ || ElementAt(place_).get(object)) return members;
  members.reserve(object.size());
  for (const auto member : object)
    members.push_back({.name = member.key, .value = Value(source_, PlaceOf(member.value))});
  return members;
}

std::string Value::ToString() const {
  return is_absent_ ? std::string() : simdjson::to_string(ElementAt(place_));
}

Result<std::string_view> Value::NeedText() const {
  if (const auto text = Text()) return *text;
  return Wrong("a text is needed");
}

Result<std::int64_t> Value::NeedInteger(std::int64_t least, std::int64_t most) const {
  const auto number = Integer();
  if (number && *number >= least && *number <= most) return *number;
  using Limits = std::numeric_limits<std::int64_t>;
  if (least == Limits::min() && most == Limits::max()) return Wrong("a whole number is needed");
  if (most == Limits::max())
    return Wrong(fmt::format("a whole number from {} on is needed", least));
  return Wrong(fmt::format("a whole number from {} to {} is needed", least, most));
}

Result<double> Value::NeedNumber() const {
  if (const auto number = Number()) return *number;
  return Wrong("a number is needed");
}

Result<bool> Value::NeedFlag() const {
  if (const auto flag = Flag()) return *flag;
  return Wrong("true or false is needed");
}

Result<std::vector<Value>> Value::NeedItems() const {
  if (!IsArray()) return Wrong("a list is needed");
  return Items();
}

Result<std::vector<Member>> Value::NeedMembers() const {
  if (!IsObject()) return Wrong("an object is needed");
  return Members();
}

std::string Value::Path() const {
  std::string path;
  FindPath(source_->root, place_, path);
  if (!absent_.empty()) path += fmt::format("{}{}", path.empty() ? "" : ".", absent_);
  return path;
}

Status Value::Wrong(std::string_view what) const {
  const std::string path = Path();
  return Error(source_->code, "{}: {}", path.empty() ? "the text" : path, what);
}

Reader::Reader(std::unique_ptr<Value::Source> source) : source_(std::move(source)) {}
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;
Reader::~Reader() = default;

Result<Reader> Reader::Parse(std::string_view text, StatusCode code) {
  auto source = std::make_unique<Value::Source>();
  source->code = code;
  // The parser copies what it is given, and an empty view may have no address.
  const simdjson::error_code error =
      text.empty() ? simdjson::EMPTY
                   : source->parser.parse(text.data(), text.size()).get(source->root);
  if (error != simdjson::SUCCESS)
    return Error(code, "the text is no JSON: {}", simdjson::error_message(error));
  return Reader(std::move(source));
}

Result<Reader> Reader::ParseLarge(std::string& text) {
  auto source = std::make_unique<Value::Source>();
  text.reserve(text.size() + simdjson::SIMDJSON_PADDING);
  constexpr bool kCopies = false;
  const simdjson::error_code error =
      source->parser.parse(text.data(), text.size(), kCopies).get(source->root);
  if (error != simdjson::SUCCESS)
    return Error(StatusCode::kBadData, "{}", simdjson::error_message(error));
  return Reader(std::move(source));
}

Value Reader::root() const { return {source_.get(), PlaceOf(source_->root)}; }

}  // namespace rankscope::json
