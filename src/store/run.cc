#include "store/run.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <optional>

#include "json/json_text.h"
#include "store/sha256.h"

namespace rankscope::store {
namespace {

namespace dom = simdjson::dom;

constexpr std::array<std::string_view, 5> kStates = {"uploading", "queued", "analysing", "ready",
                                                     "failed"};

// The members of a run that are texts of their own, once for reading and writing.
struct TextMember {
  std::string_view name;
  std::string Run::*member;
};
constexpr TextMember kTexts[] = {
    {"id", &Run::id},
    {"key", &Run::key},
    {"name", &Run::name},
    {"user", &Run::user},
    {"team", &Run::team},
    {"model", &Run::model},
    {"product", &Run::product},
    {"framework", &Run::framework},
    {"hardware", &Run::hardware},
    {"reason", &Run::reason},
};
struct NumberMember {
  std::string_view name;
  std::int64_t Run::*member;
};
constexpr NumberMember kNumbers[] = {
    {"world_size", &Run::world_size},
    {"created_s", &Run::created_s},
    {"changed_s", &Run::changed_s},
};

void AppendText(std::string& out, std::string_view name, std::string_view value) {
  AppendKey(out, name);
  AppendJsonString(out, value);
}

void AppendNumber(std::string& out, std::string_view name, std::int64_t value) {
  AppendKey(out, name);
  out += std::to_string(value);
}

// RunFile or RunTable.
template <typename Content>
void AppendContents(std::string& out, std::string_view name, const std::vector<Content>& contents) {
  AppendKey(out, name);
  out += '[';
  for (const Content& content : contents) {
    if (out.back() != '[') out += ',';
    out += '{';
    AppendText(out, "name", content.name);
    out += ',';
    AppendText(out, "sha256", content.sha256);
    out += ',';
    AppendKey(out, "bytes");
    out += std::to_string(content.bytes) + '}';
  }
  out += ']';
}

void AppendNumber(std::string& out, std::string_view name,
                  const std::optional<std::int64_t>& value) {
  AppendKey(out, name);
  out += value ? std::to_string(*value) : "null";
}

template <typename Item>
void AppendList(std::string& out, std::string_view name, const std::vector<Item>& items,
                void (*append)(std::string&, const Item&)) {
  AppendKey(out, name);
  out += '[';
  for (const Item& item : items) {
    if (out.back() != '[') out += ',';
    out += '{';
    append(out, item);
    out += '}';
  }
  out += ']';
}

void AppendReport(std::string& out, const RunReport& report) {
  AppendNumber(out, "version", report.version);
  out += ',';
  AppendNumber(out, "made_s", report.made_s);
  out += ',';
  AppendText(out, "program", report.program);
  out += ',';
  AppendText(out, "summary", report.summary);
  out += ',';
  AppendContents(out, "tables", report.tables);
}

void AppendNote(std::string& out, const RunNote& note) {
  AppendNumber(out, "id", note.id);
  out += ',';
  AppendNumber(out, "made_s", note.made_s);
  out += ',';
  AppendText(out, "user", note.user);
  out += ',';
  AppendText(out, "text", note.text);
  out += ',';
  AppendNumber(out, "rank", note.rank);
  out += ',';
  AppendNumber(out, "time_ns", note.time_ns);
}

void AppendQuery(std::string& out, const SavedQuery& query) {
  AppendNumber(out, "id", query.id);
  out += ',';
  AppendText(out, "name", query.name);
  out += ',';
  AppendText(out, "sql", query.sql);
}

void AppendAside(std::string& out, const SetAside& one) {
  AppendText(out, "file", one.file);
  out += ',';
  AppendText(out, "reason", one.reason);
}

Status Damaged(std::string_view what) {
  return Error(StatusCode::kBadData, "not a run of this version's store: {}", what);
}

bool Take(const dom::element& value, std::string& out) {
  std::string_view text;
  if (value.get(text)) return false;
  out = text;
  return true;
}
bool Take(const dom::element& value, std::int64_t& out) { return !value.get(out); }
bool Take(const dom::element& value, std::uint64_t& out) { return !value.get(out); }

template <typename Content>
bool TakeContents(const dom::element& value, std::vector<Content>& out) {
  dom::array array;
  if (value.get(array)) return false;
  for (const dom::element element : array) {
    dom::object object;
    if (element.get(object)) return false;
    Content content;
    std::size_t known = 0;
    for (const auto member : object) {
      known += (member.key == "name" && Take(member.value, content.name)) ||
                       (member.key == "sha256" && Take(member.value, content.sha256)) ||
                       (member.key == "bytes" && Take(member.value, content.bytes))
                   ? 1
                   : 0;
    }
    if (known != 3 || object.size() != 3 || !IsSha256(content.sha256)) return false;
    out.push_back(std::move(content));
  }
  return true;
}

bool Take(const dom::element& value, std::optional<std::int64_t>& out) {
  if (value.is_null()) return true;
  std::int64_t number = 0;
  if (value.get(number)) return false;
  out = number;
  return true;
}

// A list of objects, of which `take` takes each member.
template <typename Item>
bool TakeList(const dom::element& value, std::vector<Item>& out,
              bool (*take)(std::string_view name, const dom::element& value, Item& item),
              std::size_t members) {
  dom::array array;
  if (value.get(array)) return false;
  for (const dom::element element : array) {
    dom::object object;
    if (element.get(object) || object.size() != members) return false;
    Item item;
    for (const auto member : object) {
      if (!take(member.key, member.value, item)) return false;
    }
    out.push_back(std::move(item));
  }
  return true;
}

bool TakeReport(std::string_view name, const dom::element& value, RunReport& report) {
  if (name == "version") return Take(value, report.version);
  if (name == "made_s") return Take(value, report.made_s);
  if (name == "program") return Take(value, report.program);
  if (name == "summary") return Take(value, report.summary);
  return name == "tables" && TakeContents(value, report.tables);
}

bool TakeNote(std::string_view name, const dom::element& value, RunNote& note) {
  if (name == "id") return Take(value, note.id);
  if (name == "made_s") return Take(value, note.made_s);
  if (name == "user") return Take(value, note.user);
  if (name == "text") return Take(value, note.text);
  if (name == "rank") return Take(value, note.rank);
  return name == "time_ns" && Take(value, note.time_ns);
}

bool TakeQuery(std::string_view name, const dom::element& value, SavedQuery& query) {
  if (name == "id") return Take(value, query.id);
  if (name == "name") return Take(value, query.name);
  return name == "sql" && Take(value, query.sql);
}

bool TakeAside(std::string_view name, const dom::element& value, SetAside& one) {
  if (name == "file") return Take(value, one.file);
  return name == "reason" && Take(value, one.reason);
}

bool TakeTags(const dom::element& value, std::map<std::string, std::string>& out) {
  dom::object object;
  if (value.get(object)) return false;
  for (const auto member : object) {
    if (!Take(member.value, out[std::string(member.key)])) return false;
  }
  return true;
}

bool TakeState(const dom::element& value, RunState& out) {
  std::string text;
  if (!Take(value, text)) return false;
  const auto* const found = std::find(kStates.begin(), kStates.end(), text);
  if (found == kStates.end()) return false;
  out = static_cast<RunState>(found - kStates.begin());
  return true;
}

// Whether the member is known, and of the kind that it has to be.
bool TakeMember(std::string_view name, const dom::element& value, std::int64_t format, Run& run) {
  for (const TextMember& text : kTexts) {
    if (text.name == name) return Take(value, run.*text.member);
  }
  for (const NumberMember& number : kNumbers) {
    if (number.name == name) return Take(value, run.*number.member);
  }
  if (name == "state") return TakeState(value, run.state);
  if (name == "tags") return TakeTags(value, run.tags);
  if (name == "files") return TakeContents(value, run.files);
  if (name == "reports") return TakeList(value, run.reports, TakeReport, format == 1 ? 4 : 5);
  if (format == 1) return false;
  if (name == "notes") return TakeList(value, run.notes, TakeNote, 6);
  if (name == "queries") return TakeList(value, run.queries, TakeQuery, 3);
  if (name == "metrics") return TakeContents(value, run.metrics);
  return name == "set_aside" && TakeList(value, run.set_aside, TakeAside, 2);
}

}  // namespace

std::string_view ToString(RunState state) { return kStates[static_cast<std::size_t>(state)]; }

std::string ToRecord(const Run& run) {
  std::string out = "{";
  for (const TextMember& text : kTexts) {
    if (out.size() > 1) out += ',';
    AppendText(out, text.name, run.*text.member);
  }
  for (const NumberMember& number : kNumbers) {
    out += ',';
    AppendNumber(out, number.name, run.*number.member);
  }
  out += ',';
  AppendText(out, "state", ToString(run.state));
  out += ',';
  AppendKey(out, "tags");
  out += '{';
  for (const auto& [name, value] : run.tags) {
    if (out.back() != '{') out += ',';
    AppendText(out, name, value);
  }
  out += "},";
  AppendContents(out, "files", run.files);
  out += ',';
  AppendList(out, "reports", run.reports, AppendReport);
  out += ',';
  AppendList(out, "notes", run.notes, AppendNote);
  out += ',';
  AppendList(out, "queries", run.queries, AppendQuery);
  out += ',';
  AppendContents(out, "metrics", run.metrics);
  out += ',';
  AppendList(out, "set_aside", run.set_aside, AppendAside);
  out += "}\n";
  return out;
}

Result<Run> FromRecord(std::string_view record, std::int64_t format) {
  dom::parser parser;
  dom::object object;
  if (parser.parse(record.data(), record.size()).get(object)) return Damaged("no JSON object");
  Run run;
  std::size_t count = 0;
  for (const auto member : object) {
    if (!TakeMember(member.key, member.value, format, run))
      return Damaged("the member '" + std::string(member.key) + "'");
    ++count;
  }
  const std::size_t members = std::size(kTexts) + std::size(kNumbers) + (format == 1 ? 4 : 8);
  if (count != members) return Damaged("members are missing");
  if (!IsRunId(run.id)) return Damaged("the id");
  for (const RunFile& file : run.files) {
    if (!CheckFileName(file.name).ok()) return Damaged("the name of a file");
  }
  return run;
}

bool IsRunId(std::string_view text) {
  return text.size() == 16 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

Status CheckFileName(std::string_view name) {
  const auto refuse = [&](std::string_view why) {
    return Error(StatusCode::kInvalidArgument, "'{}' is no name for a file of a run: {}",
                 name.substr(0, 200), why);
  };
  if (name.empty() || name.size() > 1024) return refuse("1 to 1,024 bytes are");
  const bool is_odd = std::any_of(name.begin(), name.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7F || c == '\\';
  });
  if (is_odd) return refuse("it holds a control character or a backslash");
  if (!simdjson::validate_utf8(name)) return refuse("it is not UTF-8");
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    const std::string_view part = name.substr(begin, end - begin);
    if (part.empty() || part == "." || part == "..")
      return refuse("its parts between slashes must be names, not empty, '.' or '..'");
    begin = end + 1;
  }
  return OkStatus();
}

}  // namespace rankscope::store
