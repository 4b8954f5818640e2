#include "probe/tool/recording.h"

#include <fmt/format.h>

#include <algorithm>

#include "json/reader.h"
#include "json/writer.h"

namespace rankscope::probe {
namespace {

constexpr std::string_view kSchema = "rankscope.probe_recording/1";
constexpr int kMostValueDepth = 4;  // a struct has lists of numbers

void WriteValue(json::Writer& writer, const Value& value) {
  struct Visitor {
    json::Writer& writer;
    void operator()(std::monostate) const { writer.Null(); }
    void operator()(bool flag) const { writer.Write(flag); }
    void operator()(std::int64_t whole) const {
      writer.BeginObject().Member("i64", whole).EndObject();
    }
    void operator()(std::uint64_t natural) const {
      writer.BeginObject().Member("u64", natural).EndObject();
    }
    void operator()(double real) const { writer.BeginObject().Member("f64", real).EndObject(); }
    void operator()(const std::string& text) const { writer.Write(text); }
    void operator()(const std::vector<Value>& items) const {
      writer.BeginArray();
      for (const Value& item : items) WriteValue(writer, item);
      writer.EndArray();
    }
  };
  std::visit(Visitor{writer}, value.data);
}

Value ReadValue(const json::Value& value, int depth) {
  if (const auto flag = value.Flag()) return {*flag};
  if (const auto text = value.Text()) return {std::string(*text)};
  if (const auto whole = value["i64"].Integer()) return {*whole};
  if (const auto natural = value["u64"].Unsigned()) return {*natural};
  if (const auto real = value["f64"].Number()) return {*real};
  if (!value.IsArray() || depth == kMostValueDepth) return {};
  std::vector<Value> items;
  for (const json::Value& item : value.Items()) items.push_back(ReadValue(item, depth + 1));
  return {std::move(items)};
}

Result<ReadFault> FaultOf(const json::Value& value) {
  RS_ASSIGN_OR_RETURN(const std::string_view name, value.NeedText());
  for (std::size_t i = 0; i < kReadFaults; ++i)
    if (ToString(static_cast<ReadFault>(i)) == name) return static_cast<ReadFault>(i);
  return value.Wrong("this is no fault");
}

std::string KeyOf(std::string_view device, std::string_view instance, std::string_view source) {
  return fmt::format("{}\n{}\n{}", device, instance, source);
}

// A value that another specification declared is none of this one's.
bool IsOf(const DeviceSpec& device, const Value& value, const Type& type) {
  switch (type.kind) {
    case TypeKind::kI64:
    case TypeKind::kEnum:
      return value.If<std::int64_t>() != nullptr;
    case TypeKind::kU64:
    case TypeKind::kPtr:
      return value.If<std::uint64_t>() != nullptr;
    case TypeKind::kF64:
      return value.If<double>() != nullptr;
    case TypeKind::kStr:
      return value.If<std::string>() != nullptr;
    case TypeKind::kList: {
      const auto* const items = value.If<std::vector<Value>>();
      const Type item{.kind = type.item, .of = type.of};
      return items != nullptr && items->size() == static_cast<std::size_t>(type.count) &&
             std::ranges::all_of(*items, [&](const Value& one) {
               return one.is_absent() || IsOf(device, one, item);
             });
    }
    case TypeKind::kStruct: {
      const auto& fields = device.structs[static_cast<std::size_t>(type.of)].fields;
      const auto* const items = value.If<std::vector<Value>>();
      if (items == nullptr || items->size() != fields.size()) return false;
      for (std::size_t i = 0; i < fields.size(); ++i)
        if (!(*items)[i].is_absent() && !IsOf(device, (*items)[i], TypeOf(fields[i].layout)))
          return false;
      return true;
    }
    case TypeKind::kBool:
    case TypeKind::kAny:
    case TypeKind::kAbsent:
      break;
  }
  return false;
}

}  // namespace

void RecordingReader::WriteHead(std::string_view file) {
  json::Writer(out_).BeginObject().Member("schema", kSchema).Member("file", file).EndObject();
  out_ += '\n';
}

void RecordingReader::BeginRound(std::int64_t now_ns) {
  json::Writer(out_).BeginObject().Member("round", now_ns).EndObject();
  out_ += '\n';
}

std::vector<std::string> RecordingReader::Folders(const std::string& pattern) {
  std::vector<std::string> folders = of_.Folders(pattern);
  json::Writer(out_)
      .BeginObject()
      .Member("pattern", pattern)
      .Member("folders", folders)
      .EndObject();
  out_ += '\n';
  return folders;
}

Reading RecordingReader::Read(const DeviceSpec& device, int source, const Instance& instance,
                              std::span<const Value> arguments) {
  Reading reading = of_.Read(device, source, instance, arguments);
  json::Writer writer(out_);
  writer.BeginObject()
      .Member("class", device.name)
      .Member("instance", instance.name)
      .Member("source", device.sources[static_cast<std::size_t>(source)].name)
      .Key("value");
  WriteValue(writer, reading.value);
  writer.Member("fault", ToString(reading.fault)).Member("why", reading.why).EndObject();
  out_ += '\n';
  return reading;
}

Status ReplayReader::ParseLine(std::string_view text) {
  RS_ASSIGN_OR_RETURN(const json::Reader reader, json::Reader::Parse(text));
  const json::Value root = reader.root();
  if (!root["schema"].IsAbsent()) {
    RS_ASSIGN_OR_RETURN(const std::string_view schema, root["schema"].NeedText());
    return schema == kSchema ? OkStatus() : root["schema"].Wrong("this is no recording of a probe");
  }
  if (!root["round"].IsAbsent()) {
    RS_ASSIGN_OR_RETURN(const std::int64_t now, root["round"].NeedInteger(0));
    if (!rounds_.empty() && now < rounds_.back())
      return root["round"].Wrong("a round is before the one above it");
    rounds_.push_back(now);
    return OkStatus();
  }
  Line line{.round = rounds_.size()};
  if (!root["pattern"].IsAbsent()) {
    RS_ASSIGN_OR_RETURN(const std::string_view pattern, root["pattern"].NeedText());
    line.key = pattern;
    for (const json::Value& folder : root["folders"].Items())
      line.folders.emplace_back(folder.TextOr(""));
  } else {
    RS_ASSIGN_OR_RETURN(const std::string_view device, root["class"].NeedText());
    RS_ASSIGN_OR_RETURN(const std::string_view instance, root["instance"].NeedText());
    RS_ASSIGN_OR_RETURN(const std::string_view source, root["source"].NeedText());
    RS_ASSIGN_OR_RETURN(line.reading.fault, FaultOf(root["fault"]));
    line.key = KeyOf(device, instance, source);
    line.reading.value = ReadValue(root["value"], 0);
    line.reading.why = root["why"].TextOr("");
  }
  lines_.push_back(std::move(line));
  return OkStatus();
}

Result<std::unique_ptr<ReplayReader>> ReplayReader::Parse(std::string_view text,
                                                          const std::string& file) {
  auto made = std::make_unique<ReplayReader>();
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const Status parsed = made->ParseLine(text.substr(0, end));
    if (!parsed.ok())
      return Error(StatusCode::kBadData, "{}:{}: {}", file, number, parsed.message());
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (made->rounds_.empty())
    return Error(StatusCode::kBadData,
                 "{}: there is no round in it; rankscope probe record makes one", file);
  return made;
}

void ReplayReader::BeginRound(std::size_t round) {
  for (; next_line_ < lines_.size() && lines_[next_line_].round <= round + 1; ++next_line_)
    last_[lines_[next_line_].key] = &lines_[next_line_];
}

std::vector<std::string> ReplayReader::Folders(const std::string& pattern) {
  const auto found = last_.find(pattern);
  return found == last_.end() ? std::vector<std::string>() : found->second->folders;
}

Reading ReplayReader::Read(const DeviceSpec& device, int source, const Instance& instance,
                           std::span<const Value>) {
  const Source& of = device.sources[static_cast<std::size_t>(source)];
  const auto found = last_.find(KeyOf(device.name, instance.name, of.name));
  if (found == last_.end())
    return {.value = {}, .fault = ReadFault::kMissing, .why = "it was not recorded"};
  Reading reading = found->second->reading;
  if (!reading.value.is_absent() && !IsOf(device, reading.value, of.type))
    return {.value = {}, .fault = ReadFault::kUnreadable, .why = "it was recorded as another type"};
  return reading;
}

}  // namespace rankscope::probe
