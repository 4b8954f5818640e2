#include "formats/flight/reader.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "formats/base/head.h"
#include "formats/base/json_document.h"
#include "formats/base/utf8.h"
#include "formats/pickle/document.h"

namespace rankscope::flight {
namespace {

constexpr std::size_t kMostGroupRanks = std::size_t{1} << 20;

// A value of a JSON document. Members and elements that are not there, or of another type, are
// passed over.
class JsonValue {
 public:
  explicit JsonValue(const json::Value& value) : value_(value) {}

  std::optional<JsonValue> Member(std::string_view key) const {
    const json::Value member = value_[key];
    return member.IsAbsent() ? std::nullopt : std::optional(JsonValue(member));
  }
  // Until body(key, value) is false.
  template <typename Body>
  void ForEachMember(const Body& body) const {
    for (const auto& [name, value] : value_.Members())
      if (!body(name, JsonValue(value))) return;
  }
  // Until body(value) is false.
  template <typename Body>
  void ForEachElement(const Body& body) const {
    for (const json::Value& one : value_.Items())
      if (!body(JsonValue(one))) return;
  }
  std::optional<std::int64_t> Int() const { return value_.Integer(); }
  std::optional<std::string_view> Text() const { return value_.Text(); }
  bool IsTrue() const { return value_.Flag().value_or(false); }
  bool IsObject() const { return value_.IsObject(); }

 private:
  json::Value value_;
};

// The same of a pickle.
class PickleValue {
 public:
  PickleValue(const pickle::Document& document, pickle::Value value)
      : document_(&document), value_(value) {}

  std::optional<PickleValue> Member(std::string_view key) const {
    // Records have some 20 members; looking one up goes through all.
    constexpr std::size_t kMostMembers = 256;
    if (document_->Items(value_).size() > 2 * kMostMembers) return std::nullopt;
    const pickle::Value member = document_->Find(value_, key);
    return member.is(pickle::Kind::kNone) ? std::nullopt
                                          : std::optional(PickleValue(*document_, member));
  }
  template <typename Body>
  void ForEachMember(const Body& body) const {
    if (!value_.is(pickle::Kind::kDict)) return;
    const auto items = document_->Items(value_);
    for (std::size_t i = 0; i + 1 < items.size(); i += 2)
      if (!body(document_->Text(items[i]), PickleValue(*document_, items[i + 1]))) return;
  }
  template <typename Body>
  void ForEachElement(const Body& body) const {
    if (value_.is(pickle::Kind::kDict)) return;
    for (const pickle::Value one : document_->Items(value_))
      if (!body(PickleValue(*document_, one))) return;
  }
  std::optional<std::int64_t> Int() const {
    return value_.is(pickle::Kind::kBool) ? std::nullopt : document_->Int(value_);
  }
  std::optional<std::string_view> Text() const {
    return value_.is(pickle::Kind::kText) ? std::optional(document_->Text(value_)) : std::nullopt;
  }
  bool IsTrue() const {
    return value_.is(pickle::Kind::kBool) && document_->Int(value_).value_or(0) != 0;
  }
  bool IsObject() const { return value_.is(pickle::Kind::kDict); }

 private:
  const pickle::Document* document_;
  pickle::Value value_;
};

std::optional<std::int64_t> ParseInt(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Numbers of a text such as "[0, 1, 2]"; what else stands between them is passed over.
std::vector<std::int64_t> NumbersIn(std::string_view text) {
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < text.size() && numbers.size() < kMostGroupRanks;) {
    if (!IsDigit(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && IsDigit(text[end])) ++end;
    if (const auto number = ParseInt(text.substr(i, end - i))) numbers.push_back(*number);
    i = end;
  }
  return numbers;
}

CallState StateOf(std::string_view text) {
  for (const CallState state : kCallStates)
    if (ToString(state) == text) return state;
  return CallState::kUnknown;
}

// PyTorch's own frames, and those of the runtime below it.
bool IsOfLibrary(std::string_view file) {
  return file.empty() || file.starts_with('<') || file == "??" ||
         file.find("/torch/") != std::string_view::npos || file.starts_with("torch/") ||
         file.ends_with("/contextlib.py") || file.ends_with("/functools.py") ||
         file.find(".so") != std::string_view::npos;
}

// The rank of "send 1->2" or "recv 3<-0" in its group; -1 of other calls.
std::int64_t OwnPlace(std::string_view op) {
  const std::size_t space = op.find(' ');
  if (space == std::string_view::npos || !(op.starts_with("send ") || op.starts_with("recv ")))
    return -1;
  const std::string_view pair = op.substr(space + 1);
  return ParseInt(pair.substr(0, pair.find_first_of("-<"))).value_or(-1);
}

// "/tmp/nccl_trace_rank_12.json.gz" -> 12: the digits before the endings; -1 without any.
std::int64_t RankOfName(std::string_view path) {
  std::string_view name = path.substr(path.find_last_of('/') + 1);
  if (const std::size_t dot = name.find('.'); dot != std::string_view::npos && dot > 0)
    name = name.substr(0, dot);
  std::size_t begin = name.size();
  while (begin > 0 && IsDigit(name[begin - 1])) --begin;
  return ParseInt(name.substr(begin)).value_or(-1);
}

// The rank that the content tells: by its point-to-point calls, or as the only one that is in all
// of its groups; -1 when it does not.
std::int64_t RankOfContent(const FlightDump& dump) {
  for (const Call& call : dump.calls) {
    const std::int64_t place = call.is_p2p ? OwnPlace(dump.Text(call.op)) : -1;
    if (place < 0 || call.group == kNoGroup) continue;
    const auto& ranks = dump.groups[call.group].ranks;
    if (place < static_cast<std::int64_t>(ranks.size()))
      return ranks[static_cast<std::size_t>(place)];
  }
  std::optional<std::set<std::int64_t>> in_all;
  for (const Group& group : dump.groups) {
    if (group.ranks.empty()) continue;
    const std::set<std::int64_t> ranks(group.ranks.begin(), group.ranks.end());
    if (!in_all) {
      in_all = ranks;
    } else {
      std::erase_if(*in_all, [&](std::int64_t rank) { return !ranks.contains(rank); });
    }
  }
  return in_all && in_all->size() == 1 ? *in_all->begin() : -1;
}

// Fills a dump from the document's root. Value: JsonValue, or what else has its members.
template <typename Value>
class Filler {
 public:
  explicit Filler(FlightDump& dump) : dump_(dump) {}

  void Read(const Value& root) {
    dump_.library_version = TextOf(root, "comm_lib_version");
    if (const auto groups = root.Member("pg_config")) ReadGroups(*groups);
    if (const auto entries = root.Member("entries")) {
      entries->ForEachElement([&](const Value& entry) {
        if (dump_.calls.size() < kMostCalls && text_bytes_ < kMostTextOfAll) {
          AddCall(entry);
          return true;
        }
        dump_.quality.Add(QualityCode::kTooLarge, -1,
                          "entries behind the first 200,000, or behind 1 GiB of their text, were "
                          "left out");
        return false;
      });
    }
  }

 private:
  static std::string TextOf(const Value& object, std::string_view key) {
    const auto member = object.Member(key);
    const auto text = member ? member->Text() : std::nullopt;
    return text ? CleanUtf8(*text) : std::string();
  }
  static std::int64_t IntOf(const Value& object, std::string_view key) {
    const auto member = object.Member(key);
    return member ? member->Int().value_or(-1) : -1;
  }
  static std::string CleanUtf8(std::string_view text) {
    return RepairUtf8(text.substr(0, kMostText));
  }

  void ReadGroups(const Value& groups) {
    groups.ForEachMember([&](std::string_view key, const Value& value) {
      Group group;
      group.name = TextOf(value, "name");
      if (group.name.empty()) group.name = CleanUtf8(key);
      group.description = TextOf(value, "desc");
      if (group.description == "undefined") group.description.clear();
      if (const auto ranks = value.Member("ranks")) {
        if (const auto text = ranks->Text()) {
          group.ranks = NumbersIn(*text);
          text_bytes_ += text->size();
        } else {
          ranks->ForEachElement([&](const Value& rank) {
            if (const auto number = rank.Int()) group.ranks.push_back(*number);
            return group.ranks.size() < kMostGroupRanks;
          });
          text_bytes_ += group.ranks.size() * sizeof(std::int64_t);
        }
      }
      std::sort(group.ranks.begin(), group.ranks.end());
      group.ranks.erase(std::unique(group.ranks.begin(), group.ranks.end()), group.ranks.end());
      AddGroup(std::move(group));
      return text_bytes_ < kMostTextOfAll;
    });
  }

  std::uint32_t AddGroup(Group group) {
    const auto [place, is_new] =
        group_of_name_.try_emplace(group.name, static_cast<std::uint32_t>(dump_.groups.size()));
    if (is_new) dump_.groups.push_back(std::move(group));
    return place->second;
  }

  std::uint32_t GroupOf(const Value& entry) {
    std::vector<std::string> words;
    if (const auto pair = entry.Member("process_group")) {
      pair->ForEachElement([&](const Value& word) {
        words.push_back(CleanUtf8(word.Text().value_or("")));
        return words.size() < 2;
      });
    }
    if (words.empty()) return kNoGroup;
    Group group;
    group.name = words[0];
    if (words.size() > 1 && words[1] != "undefined") group.description = words[1];
    return AddGroup(std::move(group));
  }

  // A list of numbers, texts or such lists.
  void AppendList(const Value& list, int depth) {
    scratch_ += '[';
    list.ForEachElement([&](const Value& element) {
      if (scratch_.size() > kMostText) return false;
      if (scratch_.back() != '[') scratch_ += ',';
      if (const auto number = element.Int()) {
        scratch_ += std::to_string(*number);
      } else if (const auto text = element.Text()) {
        scratch_ += *text;
      } else if (depth < 2) {
        AppendList(element, depth + 1);
      }
      return true;
    });
    scratch_ += ']';
  }
  StringId ListOf(const Value& entry, std::string_view key) {
    const auto list = entry.Member(key);
    if (!list) return kEmptyString;
    scratch_.clear();
    AppendList(*list, 0);
    return InternScratch();
  }
  StringId InternScratch() {
    if (scratch_.size() > kMostText) scratch_.resize(kMostText);
    text_bytes_ += scratch_.size();
    return dump_.strings.Intern(IsUtf8(scratch_) ? scratch_ : RepairUtf8(scratch_));
  }

  void ReadStack(const Value& entry, Call& call) {
    const auto frames = entry.Member("frames");
    if (!frames) return;
    scratch_.clear();
    std::string line;
    bool is_of_library = true;
    frames->ForEachElement([&](const Value& frame) {
      const auto text = [&](std::string_view key) {
        const auto member = frame.Member(key);
        return member ? member->Text().value_or("") : std::string_view();
      };
      if (scratch_.size() > kMostText) return false;
      const std::string_view file = text("filename");
      const std::size_t begin = scratch_.size();
      scratch_ += file;
      scratch_ += ':';
      scratch_ += std::to_string(IntOf(frame, "line"));
      scratch_ += " in ";
      scratch_ += text("name");
      if (line.empty() || (is_of_library && !IsOfLibrary(file))) {
        is_of_library = IsOfLibrary(file);
        line = scratch_.substr(begin);
      }
      scratch_ += '\n';
      return true;
    });
    if (scratch_.empty()) return;
    dump_.has_stacks = true;
    call.stack = InternScratch();
    scratch_ = std::move(line);
    call.line = InternScratch();
  }

  void AddCall(const Value& entry) {
    if (!entry.IsObject()) {
      dump_.quality.Add(QualityCode::kBadEvent, -1, "an entry that is no record was skipped");
      return;
    }
    Call call;
    call.is_p2p = [&] {
      const auto flag = entry.Member("is_p2p");
      return flag && flag->IsTrue();
    }();
    call.sequence = IntOf(entry, call.is_p2p ? "p2p_seq_id" : "collective_seq_id");
    if (call.sequence < 0) {
      dump_.quality.Add(QualityCode::kBadEvent, -1,
                        "an entry without a number in its group was skipped");
      return;
    }
    call.record_id = IntOf(entry, "record_id");
    call.time_created_ns = IntOf(entry, "time_created_ns");
    call.timeout_ms = IntOf(entry, "timeout_ms");
    call.group = GroupOf(entry);
    if (call.group == kNoGroup) {
      dump_.quality.Add(QualityCode::kBadEvent, -1,
                        "an entry without its process group was skipped");
      return;
    }
    scratch_ = TextOf(entry, "profiling_name");
    scratch_.erase(0, scratch_.find(':') + 1);  // "nccl:", "xccl:"
    call.op = InternScratch();
    call.input_sizes = ListOf(entry, "input_sizes");
    call.input_dtypes = ListOf(entry, "input_dtypes");
    call.output_sizes = ListOf(entry, "output_sizes");
    call.output_dtypes = ListOf(entry, "output_dtypes");
    if (const auto state = entry.Member("state")) call.state = StateOf(state->Text().value_or(""));
    const auto retired = entry.Member("retired");
    call.retired = retired && retired->IsTrue();
    ReadStack(entry, call);
    dump_.calls.push_back(call);
  }

  static constexpr std::size_t kMostText = std::size_t{1} << 16;
  // A pickle may hold one large value in many places.
  static constexpr std::size_t kMostCalls = 200'000;
  static constexpr std::uint64_t kMostTextOfAll = std::uint64_t{1} << 30;

  FlightDump& dump_;
  std::map<std::string, std::uint32_t> group_of_name_;
  std::uint64_t text_bytes_ = 0;
  std::string scratch_;
};

// Whether these are dumps that can be read; those of format 1 number collectives and point-to-point
// calls together.
Status CheckVersion(const FlightDump& dump) {
  if (dump.version.empty() && dump.is_cut) return OkStatus();
  if (dump.version.starts_with("2.")) return OkStatus();
  if (dump.version.empty())
    return Error(StatusCode::kBadData,
                 "{}: not a dump of PyTorch's Flight Recorder: it states no version", dump.path);
  return Error(StatusCode::kBadData,
               "{}: a Flight Recorder dump of format {}; 2.x is read, which PyTorch 2.4 and later "
               "write",
               dump.path, dump.version);
}

template <typename Value>
Status Fill(const Value& root, FlightDump& dump) {
  if (const auto version = root.Member("version")) {
    dump.version = RepairUtf8(version->Text().value_or("").substr(0, 32));
  }
  RS_RETURN_IF_ERROR(CheckVersion(dump));
  Filler<Value>(dump).Read(root);
  std::stable_sort(dump.calls.begin(), dump.calls.end(),
                   [](const Call& a, const Call& b) { return a.record_id < b.record_id; });
  dump.rank = RankOfName(dump.path);
  if (dump.rank < 0) dump.rank = RankOfContent(dump);
  return OkStatus();
}

bool IsCut(const QualityLog& quality) {
  return std::any_of(
      quality.entries().begin(), quality.entries().end(), [](const QualityEntry& entry) {
        return entry.code == QualityCode::kTruncated || entry.code == QualityCode::kCorruptGzip ||
               entry.code == QualityCode::kInflateLimit;
      });
}

}  // namespace

bool IsDump(std::string_view head) {
  const auto has = [&](std::string_view key) { return head.find(key) != std::string_view::npos; };
  if (pickle::IsPickle(head))
    return has("pg_config") || has("pg_status") || has("collective_seq_id");
  const std::size_t brace = head.find_first_not_of(" \t\r\n");
  if (brace == std::string_view::npos || head[brace] != '{') return false;
  return !has("\"traceEvents\"") && !has("\"schemaVersion\"") &&
         (has("\"collective_seq_id\"") || has("\"pg_status\"") ||
          (has("\"pg_config\"") && has("\"version\"")));
}

Result<FlightDump> ReadJson(ByteSource& source, const std::string& path) {
  FlightDump dump;
  dump.path = path;
  JsonDocument document;
  RS_RETURN_IF_ERROR(document.Read(source, path, dump.quality));
  dump.is_cut = IsCut(dump.quality);
  RS_RETURN_IF_ERROR(Fill(JsonValue(document.root()), dump));
  return dump;
}

Result<FlightDump> ReadPickle(ByteSource& source, const std::string& path) {
  FlightDump dump;
  dump.path = path;
  pickle::ReadOptions options;
  options.limits.memory_bytes = std::uint64_t{2} << 30;
  options.remedy = "dump the recorder again; what it writes is plain values alone";
  RS_ASSIGN_OR_RETURN(const auto document, pickle::Read(source, path, options));
  RS_RETURN_IF_ERROR(Fill(PickleValue(*document, document->root()), dump));
  return dump;
}

Result<FlightDump> ReadDump(const std::string& path, const InflateLimits& limits) {
  RS_ASSIGN_OR_RETURN(const auto source, OpenByteSource(path, limits));
  return pickle::IsPickle(HeadOf(path, limits)) ? ReadPickle(*source, path)
                                                : ReadJson(*source, path);
}

}  // namespace rankscope::flight
