#include "store/run.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <optional>

#include "store/sha256.h"
#include "table/json_text.h"

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

bool TakeReports(const dom::element& value, std::vector<RunReport>& out) {
  dom::array array;
  if (value.get(array)) return false;
  for (const dom::element element : array) {
    dom::object object;
    if (element.get(object)) return false;
    RunReport report;
    std::size_t known = 0;
    for (const auto member : object) {
      known += (member.key == "version" && Take(member.value, report.version)) ||
                       (member.key == "made_s" && Take(member.value, report.made_s)) ||
                       (member.key == "program" && Take(member.value, report.program)) ||
                       (member.key == "tables" && TakeContents(member.value, report.tables))
                   ? 1
                   : 0;
    }
    if (known != 4 || object.size() != 4) return false;
    out.push_back(std::move(report));
  }
  return true;
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
bool TakeMember(std::string_view name, const dom::element& value, Run& run) {
  for (const TextMember& text : kTexts) {
    if (text.name == name) return Take(value, run.*text.member);
  }
  for (const NumberMember& number : kNumbers) {
    if (number.name == name) return Take(value, run.*number.member);
  }
  if (name == "state") return TakeState(value, run.state);
  if (name == "tags") return TakeTags(value, run.tags);
  if (name == "files") return TakeContents(value, run.files);
  return name == "reports" && TakeReports(value, run.reports);
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
  AppendKey(out, "reports");
  out += '[';
  for (const RunReport& report : run.reports) {
    if (out.back() != '[') out += ',';
    out += '{';
    AppendNumber(out, "version", report.version);
    out += ',';
    AppendNumber(out, "made_s", report.made_s);
    out += ',';
    AppendText(out, "program", report.program);
    out += ',';
    AppendContents(out, "tables", report.tables);
    out += '}';
  }
  out += "]}\n";
  return out;
}

Result<Run> FromRecord(std::string_view record) {
  dom::parser parser;
  dom::object object;
  if (parser.parse(record.data(), record.size()).get(object)) return Damaged("no JSON object");
  Run run;
  std::size_t count = 0;
  for (const auto member : object) {
    if (!TakeMember(member.key, member.value, run))
      return Damaged("the member '" + std::string(member.key) + "'");
    ++count;
  }
  constexpr std::size_t kMembers = std::size(kTexts) + std::size(kNumbers) + 4;
  if (count != kMembers) return Damaged("members are missing");
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
