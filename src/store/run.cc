#include "store/run.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "api/run.h"
#include "base/utf8.h"
#include "json/fields.h"
#include "store/sha256.h"

namespace rankscope::store {

std::span<const std::string_view> WordsOf(RunState) { return api::kRunStates; }

Status CheckNewFile(const Run& run, std::string_view name) {
  constexpr std::size_t kMostOfPart = 255;
  RS_RETURN_IF_ERROR(CheckFileName(name));
  const auto refuse = [&](std::string_view why) {
    return Error(StatusCode::kInvalidArgument, "'{}' cannot be a file of this run: {}",
                 name.substr(0, 200), why);
  };
  // Files are by name.
  const auto at = [&](std::string_view one) {
    const auto place = std::ranges::lower_bound(run.files, one, {}, &RunFile::name);
    return place == run.files.end() ? std::string_view() : std::string_view(place->name);
  };
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    if (end - begin > kMostOfPart)
      return refuse(fmt::format("a part of it is longer than {} bytes", kMostOfPart));
    const std::string_view folder = name.substr(0, end);
    if (end < name.size() && at(folder) == folder)
      return refuse(fmt::format("'{}' is a file", folder));
    begin = end + 1;
  }
  const std::string as_folder = std::string(name) + "/";
  const std::string_view next = at(as_folder);
  if (next.starts_with(as_folder)) return refuse(fmt::format("'{}' lies below it", next));
  return OkStatus();
}

}  // namespace rankscope::store

namespace rankscope::json {

using store::Run;
using store::RunFile;
using store::RunNote;
using store::RunReport;
using store::RunTable;
using store::SavedQuery;
using store::SetAside;

template <>
const Fields<RunFile>& FieldsOf() {
  using T = RunFile;
  static const Fields<T> fields = Fields<T>("RunFile", "a file of a run", Use::kRecord)
                                      .Add<&T::name>({.name = "name"})
                                      .Add<&T::sha256>({.name = "sha256"})
                                      .Add<&T::bytes>({.name = "bytes", .unit = "bytes"});
  return fields;
}

template <>
const Fields<RunTable>& FieldsOf() {
  using T = RunTable;
  static const Fields<T> fields = Fields<T>("RunTable", "a table of a report", Use::kRecord)
                                      .Add<&T::name>({.name = "name"})
                                      .Add<&T::sha256>({.name = "sha256"})
                                      .Add<&T::bytes>({.name = "bytes", .unit = "bytes"});
  return fields;
}

template <>
const Fields<RunReport>& FieldsOf() {
  using T = RunReport;
  static const Fields<T> fields =
      Fields<T>("RunReport", "what was made of the files that had come by then", Use::kRecord)
          .Add<&T::version>({.name = "version"})
          .Add<&T::made_s>({.name = "made_s", .unit = "s"})
          .Add<&T::program>({.name = "program"})
          .Add<&T::summary>({.name = "summary", .since = 2})
          .Add<&T::tables>({.name = "tables"});
  return fields;
}

template <>
const Fields<RunNote>& FieldsOf() {
  using T = RunNote;
  static const Fields<T> fields =
      Fields<T>("RunNote", "what somebody wrote to a run", Use::kRecord)
          .Add<&T::id>({.name = "id"})
          .Add<&T::made_s>({.name = "made_s", .unit = "s"})
          .Add<&T::user>({.name = "user"})
          .Add<&T::text>({.name = "text"})
          .Add<&T::rank>({.name = "rank"})
          .Add<&T::time_ns>({.name = "time_ns", .unit = "ns"})
          // Notes of older versions have none.
          .Add<&T::end_ns>({.name = "end_ns", .unit = "ns", .is_left_out = true});
  return fields;
}

template <>
const Fields<SavedQuery>& FieldsOf() {
  using T = SavedQuery;
  static const Fields<T> fields = Fields<T>("SavedQuery", "SQL that is kept", Use::kRecord)
                                      .Add<&T::id>({.name = "id"})
                                      .Add<&T::name>({.name = "name"})
                                      .Add<&T::sql>({.name = "sql"});
  return fields;
}

template <>
const Fields<SetAside>& FieldsOf() {
  using T = SetAside;
  static const Fields<T> fields =
      Fields<T>("SetAside", "a file that no report is made of any more", Use::kRecord)
          .Add<&T::file>({.name = "file"})
          .Add<&T::reason>({.name = "reason"});
  return fields;
}

template <>
const Fields<Run>& FieldsOf() {
  using T = Run;
  static const Fields<T> fields =
      Fields<T>("RunRecord", "a run in the catalogue of a store", Use::kRecord)
          .Add<&T::id>({.name = "id"})
          .Add<&T::key>({.name = "key"})
          .Add<&T::name>({.name = "name"})
          .Add<&T::user>({.name = "user"})
          .Add<&T::team>({.name = "team"})
          .Add<&T::model>({.name = "model"})
          .Add<&T::product>({.name = "product"})
          .Add<&T::framework>({.name = "framework"})
          .Add<&T::hardware>({.name = "hardware"})
          .Add<&T::reason>({.name = "reason"})
          .Add<&T::world_size>({.name = "world_size"})
          .Add<&T::created_s>({.name = "created_s", .unit = "s"})
          .Add<&T::changed_s>({.name = "changed_s", .unit = "s"})
          .Add<&T::state>({.name = "state"})
          .Add<&T::tags>({.name = "tags"})
          .Add<&T::files>({.name = "files"})
          .Add<&T::reports>({.name = "reports"})
          .Add<&T::notes>({.name = "notes", .since = 2})
          .Add<&T::queries>({.name = "queries", .since = 2})
          .Add<&T::metrics>({.name = "metrics", .since = 2})
          .Add<&T::set_aside>({.name = "set_aside", .since = 2})
          .Add<&T::sealed_s>({.name = "sealed_s", .unit = "s", .since = 3});
  return fields;
}

}  // namespace rankscope::json

namespace rankscope::store {
namespace {

// Of records with a checksum: `..."sealed_s":1800000000,"record_sha256":"<64 digits>"}`.
constexpr std::string_view kSealedMember = R"(,"sealed_s":)";
constexpr std::string_view kSealBegin = R"(,"record_sha256":")";
constexpr std::string_view kSealEnd = R"("})";
constexpr std::size_t kSumBytes = 64;
constexpr std::int64_t kLastWithoutSeal = 2;

std::string SealOf(std::string_view sum) {
  return fmt::format("{}{}{}", kSealBegin, sum, kSealEnd);
}

Status Damaged(std::string_view what) {
  return Error(StatusCode::kBadData, "not a run of this version's store: {}", what);
}

template <typename Content>
bool HaveSums(const std::vector<Content>& contents) {
  return std::ranges::all_of(contents, IsSha256, &Content::sha256);
}

}  // namespace

Status TooManyRuns(std::size_t most) {
  return Error(StatusCode::kResource,
               "the team has {} runs, and may have no more (--most-runs): remove some, or let the "
               "server remove old ones (--older-than)",
               most);
}

Status CheckTags(const Tags& tags) {
  const auto hours = tags.find(std::string(kDeviceHoursTag));
  if (hours == tags.end()) return OkStatus();
  double number = 0;
  const char* const end = hours->second.data() + hours->second.size();
  const auto [at, error] = std::from_chars(hours->second.data(), end, number);
  if (error == std::errc() && at == end && std::isfinite(number) && number > 0) return OkStatus();
  return Error(StatusCode::kInvalidArgument,
               "the tag {} is a number of hours, such as {}=12.5, not '{}'", kDeviceHoursTag,
               kDeviceHoursTag, hours->second);
}

std::string_view ToString(RunState state) {
  return WordsOf(state)[static_cast<std::size_t>(state)];
}

std::string ToRecord(const Run& run) {
  std::string record = json::ToJson(run);
  if (run.sealed_s == 0) {
    // As the versions wrote it that had no checksums.
    record.replace(record.rfind(kSealedMember), std::string::npos, "}");
  } else {
    const std::string sum = Sha256Of(record);
    record.pop_back();
    record += SealOf(sum);
  }
  return record + "\n";
}

Result<Run> FromRecord(std::string_view record, std::int64_t format) {
  std::string unsealed;
  const std::size_t seal_bytes = kSealBegin.size() + kSumBytes + kSealEnd.size();
  std::string_view line = record;
  if (line.ends_with('\n')) line.remove_suffix(1);
  const bool is_sealed =
      line.size() > seal_bytes && line.substr(line.size() - seal_bytes).starts_with(kSealBegin);
  if (is_sealed) {
    unsealed = std::string(line.substr(0, line.size() - seal_bytes)) + "}";
    if (line.substr(line.size() - seal_bytes) != SealOf(Sha256Of(unsealed)))
      return Damaged("its checksum is another");
    record = unsealed;
  } else {
    format = std::min(format, kLastWithoutSeal);
  }
  const Result<json::Reader> reader = json::Reader::Parse(record);
  if (!reader.ok() || !reader->root().IsObject()) return Damaged("no JSON object");
  Run run;
  const Status read = json::FieldsOf<Run>().Read(reader->root(), run, static_cast<int>(format));
  if (!read.ok()) return Damaged(read.message());
  if (!IsRunId(run.id)) return Damaged("the id");
  if (is_sealed != (run.sealed_s != 0)) return Damaged("the time of its checksum");
  const bool have_sums = HaveSums(run.files) && HaveSums(run.metrics) &&
                         std::ranges::all_of(run.reports, [](const RunReport& report) {
                           return HaveSums(report.tables);
                         });
  if (!have_sums) return Damaged("a SHA-256");
  for (const RunFile& file : run.files) {
    if (!CheckFileName(file.name).ok()) return Damaged("the name of a file");
  }
  return run;
}

void ForEachContent(const Run& run,
                    const std::function<void(const std::string& name, const std::string& sha256,
                                             std::uint64_t bytes)>& visit) {
  for (const RunFile& file : run.files) visit(file.name, file.sha256, file.bytes);
  for (const RunTable& part : run.metrics) visit(part.name, part.sha256, part.bytes);
  for (const RunReport& report : run.reports) {
    for (const RunTable& table : report.tables) {
      visit(fmt::format("report {}, {}", report.version, table.name), table.sha256, table.bytes);
    }
  }
}

std::vector<std::string> InputsOf(const Run& run) {
  std::vector<std::string> inputs;
  for (const RunFile& file : run.files) inputs.push_back(file.sha256);
  for (const RunTable& metrics : run.metrics) inputs.push_back(metrics.sha256);
  return inputs;
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
  if (!IsValidUtf8(name)) return refuse("it is not UTF-8");
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
