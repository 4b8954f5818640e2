#include "formats/kineto/edit/merged.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "formats/kineto/edit/event_reader.h"
#include "formats/kineto/edit/worded.h"
#include "formats/kineto/tokens/splitter.h"
#include "formats/kineto/tokens/text.h"
#include "formats/kineto/tokens/writer_text.h"
#include "json/reader.h"

namespace rankscope::kineto {
namespace {

constexpr std::int64_t kVersion = 1;
constexpr std::string_view kPartKey = "rankscope.part.";
// An arrow's id stays a number that JavaScript can hold.
constexpr std::uint64_t kLargestId = (std::uint64_t{1} << 53) - 1;

std::string Quoted(std::string_view text) {
  std::string sound;
  RepairText(text, sound);  // UTF-8, so that what is written can be read
  return "\"" + Escaped(sound) + "\"";
}

// --- ids of arrows: n becomes n * count + part, others a text that names the part ---

bool IsPlainInteger(std::string_view digits, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc() && end == digits.data() + digits.size() &&
         std::to_string(value) == digits;
}

std::string MergedId(std::string_view token, bool is_quoted, std::uint64_t part,
                     std::uint64_t count) {
  std::uint64_t value = 0;
  if (IsPlainInteger(token, value) && value <= (kLargestId - part) / count) {
    const std::string number = std::to_string(value * count + part);
    return is_quoted ? "\"" + number + "\"" : number;
  }
  return fmt::format("\"m{}{}:{}\"", part, is_quoted ? 's' : 'n', token);
}

std::string OwnId(std::string_view token, bool is_quoted, std::uint64_t part, std::uint64_t count) {
  std::uint64_t value = 0;
  if (IsPlainInteger(token, value)) {
    const std::string number = std::to_string(value / count);
    return is_quoted ? "\"" + number + "\"" : number;
  }
  const std::string text = fmt::format("m{}s:", part);
  const std::string other = fmt::format("m{}n:", part);
  if (token.starts_with(text)) return fmt::format("\"{}\"", token.substr(text.size()));
  if (token.starts_with(other)) return std::string(token.substr(other.size()));
  return is_quoted ? fmt::format("\"{}\"", token) : std::string(token);
}

bool NamesProcess(const RawEvent& event) {
  return event.phase == "M" && Unquote(event.name) == "process_name" && event.has_args &&
         event.args.name.size() >= 2 && event.args.name.front() == '"';
}

void Shift(const EventText& event, std::int64_t shift_ns, TextEdits& edits) {
  const std::string_view ts = event.fields->ts;
  std::string moved;
  if (shift_ns != 0 && ts.data() != nullptr && AppendShiftedMicros(ts, shift_ns, moved))
    edits.Replace(ts, std::move(moved));
}

Status NotReadable(const std::string& path, std::string_view key) {
  return Error(StatusCode::kBadData,
               "{}: the key {} does not say what was merged; merge the traces again", path, key);
}

bool ReadValues(const json::Value& list, TopValues& out) {
  if (!list.IsArray()) return false;
  for (const json::Value& entry : list.Items()) {
    const auto key = entry.At(0).Text();
    const auto value = entry.At(1).Text();
    if (!key || !value) return false;
    out.emplace_back(*key, *value);
  }
  return true;
}

// [number] of events without a pid, [number, "its own"] of others.
bool ReadPids(const json::Value& list, MergedPart& part) {
  if (!list.IsArray()) return false;
  for (const json::Value& entry : list.Items()) {
    const std::vector<json::Value> pair = entry.Items();
    if (pair.empty()) return false;
    const auto number = pair[0].Unsigned();
    if (!number || *number > UINT32_MAX) return false;
    const bool has_own = pair.size() == 2;
    const auto own = has_own ? pair[1].Text() : std::nullopt;
    if (has_own && !own) return false;
    part.pids.emplace_back(static_cast<std::uint32_t>(*number),
                           own ? std::optional<std::string>(*own) : std::nullopt);
  }
  return true;
}

bool ReadPart(std::string_view text, MergedPart& part) {
  const auto reader = json::Reader::Parse(text);
  if (!reader.ok()) return false;
  const json::Value object = reader->root();
  const auto name = object["name"].Text();
  const auto rank = object["rank"].Integer();
  const auto shift_ns = object["shift_ns"].Integer();
  const auto label = object["label"].Text();
  const auto is_array = object["is_array"].Flag();
  const auto offset_ns = object["offset_ns"].Integer();
  const auto uncertainty_ns = object["uncertainty_ns"].Integer();
  if (!name || !rank || !shift_ns || !label || !is_array || !offset_ns || !uncertainty_ns)
    return false;
  part.name = *name;
  part.rank = *rank;
  part.shift_ns = *shift_ns;
  part.label = *label;
  part.is_array = *is_array;
  part.offset_ns = *offset_ns;
  part.uncertainty_ns = *uncertainty_ns;
  return ReadValues(object["values"], part.values) && ReadPids(object["pids"], part);
}

bool BeginsAsMerged(ByteSource& source) {
  char head[256];
  std::size_t size = 0;
  while (size < sizeof(head)) {
    const std::size_t got = source.Read(head + size, sizeof(head) - size);
    if (got == 0) break;
    size += got;
  }
  std::string_view text(head, size);
  const auto skip_space = [&] {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  };
  skip_space();
  if (!text.starts_with('{')) return false;
  text.remove_prefix(1);
  skip_space();
  return text.starts_with('"') && text.substr(1).starts_with(kMergedKey) &&
         text.substr(1 + kMergedKey.size()).starts_with('"');
}

Result<std::vector<MergedPart>> PartsOf(const TopValues& values, const std::string& path) {
  if (values.empty() || values.front().first != kMergedKey) return NotReadable(path, kMergedKey);
  const auto reader = json::Reader::Parse(values.front().second);
  if (!reader.ok()) return NotReadable(path, kMergedKey);
  const auto version = reader->root()["version"].Integer();
  const auto count = reader->root()["parts"].Integer();
  if (!version || !count || *count < 0) return NotReadable(path, kMergedKey);
  if (*version != kVersion) {
    return Error(StatusCode::kBadData,
                 "{}: merged by another version of rankscope (form {}, this one reads {}); merge "
                 "the traces again",
                 path, *version, kVersion);
  }
  std::vector<MergedPart> parts;
  for (std::int64_t number = 0; number < *count; ++number) {
    const std::string key = fmt::format("{}{}", kPartKey, number);
    const auto value = std::find_if(values.begin(), values.end(),
                                    [&](const auto& one) { return one.first == key; });
    MergedPart part;
    if (value == values.end() || !ReadPart(value->second, part)) return NotReadable(path, key);
    parts.push_back(std::move(part));
  }
  return parts;
}

class PartSource : public ByteSource {
 public:
  PartSource(std::unique_ptr<ByteSource> inner, MergedPart part, std::size_t number,
             std::size_t count)
      : inner_(std::move(inner)),
        splitter_(*inner_),
        part_(std::move(part)),
        restorer_(part_, number, count),
        text_(HeadText(part_.values, part_.is_array)) {
    file_bytes_ = inner_->file_bytes();
  }

  std::size_t Read(char* to, std::size_t capacity) override {
    while (at_ == text_.size() && !is_done_) Fill();
    const std::size_t count = std::min(capacity, text_.size() - at_);
    std::memcpy(to, text_.data() + at_, count);
    at_ += count;
    return count;
  }

  double fraction() const override { return inner_->fraction(); }

 private:
  void Fill() {
    text_.clear();
    at_ = 0;
    if (!splitter_.Next(chunk_)) {
      is_done_ = true;
      text_ = TailText(part_.is_array);
      problems_.Merge(splitter_.problems());
      return;
    }
    const bool was_empty = is_empty_;
    reader_.Read(
        chunk_,
        [&] {
          text_.clear();
          is_empty_ = was_empty;
        },
        [&](const EventText& event) {
          const std::size_t before = text_.size();
          if (!is_empty_) text_ += ",\n";
          if (restorer_.Append(event, text_)) {
            is_empty_ = false;
          } else {
            text_.resize(before);
          }
        });
  }

  std::unique_ptr<ByteSource> inner_;
  EventSplitter splitter_;
  MergedPart part_;
  PartRestorer restorer_;
  EventReader reader_;
  Chunk chunk_;
  std::string text_;
  std::size_t at_ = 0;
  bool is_empty_ = true;
  bool is_done_ = false;
};

}  // namespace

TopValues DescribeParts(const std::vector<MergedPart>& parts) {
  TopValues described;
  described.emplace_back(kMergedKey,
                         fmt::format(R"({{"version": {}, "parts": {}}})", kVersion, parts.size()));
  for (std::size_t number = 0; number < parts.size(); ++number) {
    const MergedPart& part = parts[number];
    std::string text = fmt::format(
        R"({{"name": {}, "rank": {}, "label": {}, "shift_ns": {}, "offset_ns": {}, "uncertainty_ns": {}, "is_array": {}, "pids": [)",
        Quoted(part.name), part.rank, Quoted(part.label), part.shift_ns, part.offset_ns,
        part.uncertainty_ns, part.is_array);
    for (const auto& [merged, own] : part.pids) {
      if (text.back() != '[') text += ", ";
      text += own ? fmt::format("[{}, {}]", merged, Quoted(*own)) : fmt::format("[{}]", merged);
    }
    text += "], \"values\": [";
    for (const auto& [key, value] : part.values) {
      if (text.back() != '[') text += ", ";
      text += fmt::format("[{}, {}]", Quoted(key), Quoted(value));
    }
    described.emplace_back(fmt::format("{}{}", kPartKey, number), text + "]}");
  }
  return described;
}

Result<std::vector<MergedPart>> ReadParts(const std::string& path) {
  const auto beginning = OpenByteSource(path);
  if (!beginning.ok()) return std::vector<MergedPart>();
  if (!BeginsAsMerged(**beginning)) return ReadWordedParts(path);
  RS_ASSIGN_OR_RETURN(const auto source, OpenByteSource(path));
  EventSplitter splitter(*source);
  Chunk chunk;
  splitter.Next(chunk);
  return PartsOf(splitter.top_level().values(), path);
}

PartEditor::PartEditor(const MergedPart& part, std::size_t number, std::size_t count)
    : part_(part), number_(number), count_(count) {
  for (const auto& [merged, own] : part.pids) {
    if (own) {
      pids_.emplace(*own, std::to_string(merged));
    } else {
      none_ = std::to_string(merged);
    }
  }
}

void PartEditor::Append(const EventText& event, std::string& out) {
  const RawEvent& fields = *event.fields;
  if (fields.pid.data() != nullptr) {
    const std::string_view token = WithQuotes(fields.pid, event.text);
    const auto merged = pids_.find(token);
    if (merged != pids_.end()) edits_.Replace(token, merged->second);
  } else {
    const std::string_view behind_brace = event.text.substr(1);
    const std::size_t next = behind_brace.find_first_not_of(" \t\r\n");
    const bool has_members = next != std::string_view::npos && behind_brace[next] != '}';
    edits_.Replace(behind_brace.substr(0, 0),
                   fmt::format("\"pid\":{}{}", none_, has_members ? "," : ""));
  }
  Shift(event, part_.shift_ns, edits_);
  if (fields.id.data() != nullptr) {
    const std::string_view token = WithQuotes(fields.id, event.text);
    edits_.Replace(token, MergedId(fields.id, token.size() != fields.id.size(), number_, count_));
  }
  if (!part_.label.empty() && NamesProcess(fields))
    edits_.Replace(fields.args.name.substr(1, 0), part_.label);
  edits_.Apply(event.text, out);
}

PartRestorer::PartRestorer(const MergedPart& part, std::size_t number, std::size_t count)
    : part_(part), number_(number), count_(count) {
  pids_.insert(part.texts.begin(), part.texts.end());
  for (const auto& [merged, own] : part.pids) {
    if (own) {
      pids_.emplace(std::to_string(merged), *own);
    } else {
      none_ = fmt::format("{{\"pid\":{}", merged);
    }
  }
}

bool PartRestorer::Append(const EventText& event, std::string& out) {
  const RawEvent& fields = *event.fields;
  const bool had_none = !none_.empty() && event.text.starts_with(none_) &&
                        event.text.size() > none_.size() &&
                        (event.text[none_.size()] == ',' || event.text[none_.size()] == '}');
  if (had_none) {
    const bool has_comma = event.text[none_.size()] == ',';
    edits_.Replace(event.text.substr(1, none_.size() - 1 + (has_comma ? 1 : 0)), "");
  } else {
    if (fields.pid.data() == nullptr) return false;
    const std::string_view token = WithQuotes(fields.pid, event.text);
    const auto own = pids_.find(token);
    if (own == pids_.end()) return false;
    edits_.Replace(token, own->second);
  }
  Shift(event, -part_.shift_ns, edits_);
  if (fields.id.data() != nullptr) {
    const std::string_view token = WithQuotes(fields.id, event.text);
    edits_.Replace(token, OwnId(fields.id, token.size() != fields.id.size(), number_, count_));
  }
  if (!part_.label.empty() && NamesProcess(fields) &&
      Unquote(fields.args.name).starts_with(part_.label))
    edits_.Replace(fields.args.name.substr(1, part_.label.size()), "");
  edits_.Apply(event.text, out);
  return true;
}

Result<std::unique_ptr<ByteSource>> OpenMergedPart(const std::string& path,
                                                   std::vector<MergedPart> parts, std::size_t part,
                                                   const InflateLimits& limits) {
  if (part >= parts.size())
    return Error(StatusCode::kNotFound, "{}: there is no trace {} in it; merge the traces again",
                 path, part);
  RS_ASSIGN_OR_RETURN(auto source, OpenByteSource(path, limits));
  const bool is_worded = parts[part].is_worded;
  const std::size_t count = is_worded ? 1 : parts.size();
  return std::unique_ptr<ByteSource>(std::make_unique<PartSource>(
      std::move(source), std::move(parts[part]), is_worded ? 0 : part, count));
}

Result<std::unique_ptr<ByteSource>> OpenTraceSource(const std::string& path, int part,
                                                    const InflateLimits& limits) {
  if (part == kWholeFile) return OpenByteSource(path, limits);
  RS_ASSIGN_OR_RETURN(auto parts, ReadParts(path));
  return OpenMergedPart(path, std::move(parts), static_cast<std::size_t>(part), limits);
}

}  // namespace rankscope::kineto
