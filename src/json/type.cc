#include "json/type.h"

namespace rankscope::json {
namespace {

template <typename T>
void Write(const void* value, Writer& writer) {
  writer.Write(*static_cast<const T*>(value));
}

template <typename T, auto kGet>
bool Read(const Value& json, void* value) {
  const auto found = (json.*kGet)();
  if (found) *static_cast<T*>(value) = T(*found);
  return found.has_value();
}

bool ReadTexts(const Value& json, void* value) {
  auto& texts = *static_cast<std::map<std::string, std::string>*>(value);
  texts.clear();
  for (const Member& member : json.Members()) {
    const auto text = member.value.Text();
    if (!text) return false;
    texts[std::string(member.name)] = *text;
  }
  return json.IsObject();
}

void WriteRaw(const void* value, Writer& writer) {
  const std::string& text = static_cast<const RawJson*>(value)->text;
  writer.Raw(text.empty() ? "null" : text);
}
bool ReadRaw(const Value& json, void* value) {
  static_cast<RawJson*>(value)->text = json.ToString();
  return true;
}

using Kind = Type::Kind;

}  // namespace

const Type kTextType{.kind = Kind::kText,
                     .assign = AssignAs<std::string>,
                     .write = Write<std::string>,
                     .read = Read<std::string, &Value::Text>};
const Type kIntegerType{.kind = Kind::kInteger,
                        .assign = AssignAs<std::int64_t>,
                        .write = Write<std::int64_t>,
                        .read = Read<std::int64_t, &Value::Integer>};
const Type kUnsignedType{.kind = Kind::kInteger,
                         .assign = AssignAs<std::uint64_t>,
                         .write = Write<std::uint64_t>,
                         .read = Read<std::uint64_t, &Value::Unsigned>};
const Type kNumberType{.kind = Kind::kNumber,
                       .assign = AssignAs<double>,
                       .write = Write<double>,
                       .read = Read<double, &Value::Number>};
const Type kFlagType{.kind = Kind::kFlag,
                     .assign = AssignAs<bool>,
                     .write = Write<bool>,
                     .read = Read<bool, &Value::Flag>};
const Type kTextsType{.kind = Kind::kTexts,
                      .assign = AssignAs<std::map<std::string, std::string>>,
                      .write = Write<std::map<std::string, std::string>>,
                      .read = ReadTexts};
const Type kRawType{
    .kind = Kind::kRaw, .assign = AssignAs<RawJson>, .write = WriteRaw, .read = ReadRaw};

}  // namespace rankscope::json
