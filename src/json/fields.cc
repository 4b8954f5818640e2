#include "json/fields.h"

#include <fmt/format.h>

#include <algorithm>

#include "json/check_text.h"

namespace rankscope::json {
namespace {

using Kind = Type::Kind;

const void* At(const Field& field, const void* object) {
  // Nothing is written through it.
  return field.at(const_cast<void*>(object));
}

bool IsEmptyText(const Field& field, const void* value) {
  return field.type->kind == Kind::kText && static_cast<const std::string*>(value)->empty();
}

void WriteValue(const Type& type, const void* value, Writer& writer) {
  switch (type.kind) {
    case Kind::kText:
    case Kind::kInteger:
    case Kind::kNumber:
    case Kind::kFlag:
    case Kind::kTexts:
    case Kind::kRaw:
      type.write(value, writer);
      return;
    case Kind::kWord:
      writer.Write(type.words[type.word(value)]);
      return;
    case Kind::kMaybe:
      if (type.size(value) == 0) {
        writer.Null();
      } else {
        WriteValue(*type.inner, type.item(value, 0), writer);
      }
      return;
    case Kind::kList:
      writer.BeginArray();
      for (std::size_t i = 0; i < type.size(value); ++i)
        WriteValue(*type.inner, type.item(value, i), writer);
      writer.EndArray();
      return;
    case Kind::kObject:
      type.fields().WriteObject(value, writer);
      return;
  }
}

std::string Quoted(std::span<const std::string_view> words) {
  std::string all;
  for (const std::string_view word : words)
    all += fmt::format("{}'{}'", all.empty() ? "" : ", ", word);
  return all;
}

// What is needed in place of a number that is out of bounds, or of another kind.
std::string NeededNumber(const Field& field, Kind kind) {
  const std::string_view what = kind == Kind::kInteger ? "a whole number" : "a number";
  if (field.has_least() && field.has_most())
    return fmt::format("{} from {} to {} is needed", what, field.least, field.most);
  if (field.has_least()) return fmt::format("{} from {} on is needed", what, field.least);
  if (field.has_most()) return fmt::format("{} up to {} is needed", what, field.most);
  return fmt::format("{} is needed", what);
}

std::string Needed(const Field& field, const Type& type) {
  switch (type.kind) {
    case Kind::kText:
      return "a text is needed";
    case Kind::kInteger:
    case Kind::kNumber:
      return NeededNumber(field, type.kind);
    case Kind::kFlag:
      return "true or false is needed";
    case Kind::kTexts:
      return "an object of texts is needed";
    case Kind::kWord:
      return fmt::format("one of {} is needed", Quoted(type.words));
    case Kind::kMaybe:
      return Needed(field, *type.inner);
    case Kind::kList:
      return "a list is needed";
    case Kind::kRaw:
    case Kind::kObject:
      break;
  }
  return "an object is needed";
}

bool IsWithin(const Field& field, const Type& type, const void* value) {
  if (type.kind == Kind::kNumber) {
    const double number = *static_cast<const double*>(value);
    return (!field.has_least() || number >= static_cast<double>(field.least)) &&
           (!field.has_most() || number <= static_cast<double>(field.most));
  }
  if (&type != &kIntegerType) return true;
  const std::int64_t number = *static_cast<const std::int64_t*>(value);
  return number >= field.least && number <= field.most;
}

// Of what was read or is to be checked: what is wrong with it, "" of nothing.
std::string ProblemOf(const Field& field, const Type& type, const void* value) {
  if (type.kind == Kind::kList && type.size(value) > field.most_items)
    return fmt::format("has more than {} items", field.most_items);
  if (type.kind == Kind::kList || type.kind == Kind::kMaybe) {
    for (std::size_t i = 0; i < type.size(value); ++i) {
      std::string problem = ProblemOf(field, *type.inner, type.item(value, i));
      if (!problem.empty()) return problem;
    }
    return "";
  }
  if (!IsWithin(field, type, value)) return NeededNumber(field, type.kind);
  if (type.kind == Kind::kObject) return type.fields().CheckObject(value).message();
  if (type.kind == Kind::kTexts) {
    const auto& texts = *static_cast<const std::map<std::string, std::string>*>(value);
    if (texts.size() > field.most_items)
      return fmt::format("has more than {} members", field.most_items);
    for (const auto& [name, text] : texts) {
      if (name.empty()) return "a name in it is empty";
      if (const Status checked = CheckText("a name in it", name, 100); !checked.ok())
        return checked.message();
      if (const Status checked = CheckText(name, text, field.most_bytes); !checked.ok())
        return checked.message();
    }
  }
  if (type.kind != Kind::kText) return "";
  const auto& text = *static_cast<const std::string*>(value);
  if (!field.words.empty() && std::ranges::find(field.words, text) == field.words.end())
    return fmt::format("one of {} is needed", Quoted(field.words));
  return CheckText("the text", text, field.most_bytes).message();
}

// One value as requests, records and reports have it.
class ValueReader {
 public:
  ValueReader(const Field& field, Use use, int format)
      : field_(field), use_(use), format_(format) {}

  Status Read(const Type& type, const Value& json, void* value) const {
    switch (type.kind) {
      case Kind::kMaybe:
        type.clear(value);
        if (json.IsNull()) return OkStatus();
        if (const Status read = Read(*type.inner, json, type.add(value)); !read.ok()) {
          type.clear(value);
          return read;
        }
        return OkStatus();
      case Kind::kList:
        return ReadList(type, json, value);
      case Kind::kObject:
        return type.fields().ReadObject(json, value, format_);
      case Kind::kWord:
        return ReadWord(type, json, value);
      default:
        break;
    }
    if (!type.read(json, value)) return json.Wrong(Needed(field_, type));
    if (use_ == Use::kReport && type.kind == Kind::kText) {
      auto& text = *static_cast<std::string*>(value);
      text.resize(std::min(text.size(), field_.most_bytes));
    }
    if (!IsWithin(field_, type, value)) return json.Wrong(NeededNumber(field_, type.kind));
    if (use_ == Use::kRecord) return OkStatus();
    const std::string problem = ProblemOf(field_, type, value);
    return problem.empty() ? OkStatus() : json.Wrong(problem);
  }

 private:
  Status ReadList(const Type& type, const Value& json, void* value) const {
    type.clear(value);
    if (!json.IsArray()) return json.Wrong(Needed(field_, type));
    for (const Value& item : json.Items()) {
      const bool is_full = use_ != Use::kRecord && type.size(value) >= field_.most_items;
      if (is_full && use_ == Use::kReport) return OkStatus();
      if (is_full) return json.Wrong(fmt::format("up to {} items are taken", field_.most_items));
      const Status read = Read(*type.inner, item, type.add(value));
      if (read.ok()) continue;
      if (use_ != Use::kReport) return read;
      type.drop(value);
    }
    return OkStatus();
  }

  Status ReadWord(const Type& type, const Value& json, void* value) const {
    const auto found = std::ranges::find(type.words, json.Text().value_or(""));
    if (found == type.words.end()) return json.Wrong(Needed(field_, type));
    type.set_word(value, static_cast<std::size_t>(found - type.words.begin()));
    return OkStatus();
  }

  const Field& field_;
  const Use use_;
  const int format_;
};

// Of a request or a record: what nobody knows, and what stands twice.
Status CheckNames(const FieldList& fields, const Value& json, int format) {
  std::vector<std::string_view> seen;
  for (const Member& member : json.Members()) {
    const Field* const field = fields.Find(member.name);
    if (field == nullptr || field->since > format) {
      std::string known;
      for (const Field& one : fields.fields())
        known += fmt::format("{}{}", known.empty() ? "" : ", ", one.name);
      return member.value.Wrong(fmt::format("is not known here; known are {}", known));
    }
    if (std::ranges::find(seen, member.name) != seen.end())
      return member.value.Wrong("stands there twice");
    seen.push_back(member.name);
  }
  return OkStatus();
}

}  // namespace

const Field* FieldList::Find(std::string_view name) const {
  const auto found = std::ranges::find(fields_, name, &Field::name);
  return found == fields_.end() ? nullptr : &*found;
}

void FieldList::Inherit(const FieldList& base) {
  base_ = &base;
  fields_.insert(fields_.begin(), base.fields_.begin(), base.fields_.end());
}

std::string FieldList::DefaultOf(const Field& field) const {
  std::string json;
  Writer writer(json);
  WriteValue(*field.type, At(field, defaults_), writer);
  return json;
}

std::string FieldList::Defaults() const {
  std::string json;
  Writer writer(json);
  WriteObject(defaults_, writer);
  return json;
}

bool FieldList::IsLeftOut(const Field& field, const void* value) const {
  if (!field.is_left_out) return false;
  if (field.type->kind == Kind::kMaybe) return field.type->size(value) == 0;
  std::string json;
  Writer writer(json);
  WriteValue(*field.type, value, writer);
  return json == DefaultOf(field);
}

void FieldList::WriteObject(const void* object, Writer& writer) const {
  writer.BeginObject();
  WriteMembers(object, writer);
  writer.EndObject();
}

void FieldList::WriteMembers(const void* object, Writer& writer) const {
  for (const Field& field : fields_) {
    const void* const value = At(field, object);
    if (IsLeftOut(field, value)) continue;
    writer.Key(field.name);
    if (field.is_null_when_empty && IsEmptyText(field, value)) {
      writer.Null();
    } else {
      WriteValue(*field.type, value, writer);
    }
  }
}

Status FieldList::ReadObject(const Value& json, void* object, int format) const {
  if (!json.IsObject()) return json.Wrong("an object is needed");
  if (use_ == Use::kRequest || use_ == Use::kRecord)
    RS_RETURN_IF_ERROR(CheckNames(*this, json, format));
  for (const Field& field : fields_) {
    if (field.since > format) continue;
    const Value value = json[field.name];
    if (use_ == Use::kRecord && value.IsAbsent()) {
      if (field.is_left_out) continue;
      return value.Wrong("is missing");
    }
    if (use_ != Use::kRecord && !value.IsKnown()) {
      if (field.is_required) return value.Wrong("is missing");
      continue;
    }
    const ValueReader reader(field, use_, format);
    const Status read = reader.Read(*field.type, value, field.at(object));
    if (read.ok()) continue;
    if (use_ != Use::kReport) return read;
    field.type->assign(field.at(object), At(field, defaults_));
  }
  return OkStatus();
}

Status FieldList::CheckObject(const void* object) const {
  for (const Field& field : fields_) {
    const std::string problem = ProblemOf(field, *field.type, At(field, object));
    if (!problem.empty()) return Error(StatusCode::kInvalidArgument, "{}: {}", field.name, problem);
  }
  return OkStatus();
}

Result<Reader> ParseFor(const FieldList& fields, std::string_view text) {
  return Reader::Parse(text,
                       IsAsked(fields.use()) ? StatusCode::kInvalidArgument : StatusCode::kBadData);
}

}  // namespace rankscope::json
