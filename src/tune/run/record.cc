#include "tune/run/record.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/durable.h"
#include "base/file.h"
#include "base/hash.h"
#include "json/reader.h"
#include "json/writer.h"
#include "tune/adapter/fill.h"
#include "tune/search/journal.h"

namespace rankscope::tune {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kRecordSchema = "rankscope.tune_plan/1";

// All on which what is measured depends.
std::string Asked(const TuneSpec& spec) {
  std::string text;
  json::Writer writer(text);
  const load::LoadSpec& load = spec.load;
  writer.BeginObject().Member("adapter", HashBytes(spec.adapter.text).Hex());
  writer.Member("trials", spec.trials);
  writer.Key("values").BeginObject();
  for (const auto& [name, value] : spec.adapter.values) writer.Member(name, value);
  writer.EndObject().Member("arguments", spec.arguments);
  writer.Member("mode", static_cast<int>(spec.mode)).Member("per_s", spec.per_s);
  writer.Member("users", spec.users).Member("duration_ns", spec.duration);
  writer.Member("replay", load.replay).Member("replay_speed", load.replay_speed);
  writer.Member("arrivals", static_cast<int>(load.arrivals));
  writer.Member("variation", load.variation);
  writer.Member("prompt_tokens", load.prompt.mean);
  writer.Member("prompt_variation", load.prompt.variation);
  writer.Member("output_tokens", load.output.mean);
  writer.Member("output_variation", load.output.variation);
  writer.Member("shared_prefix", load.shared_prefix).Member("turns", load.sessions.turns);
  writer.Member("endpoint", static_cast<int>(load.target.endpoint));
  writer.Member("path", load.target.path).Member("seed", load.seed);
  writer.Member("ttft_ns", load.objective.ttft).Member("tpot_ns", load.objective.tpot);
  writer.Member("e2e_ns", load.objective.e2e).EndObject();
  return text;
}

std::string PlanText(const std::string& asked, const Diagnosis& diagnosis) {
  std::string text;
  json::Writer writer(text);
  writer.BeginObject().Member("schema", kRecordSchema).Member("asked", asked);
  writer.ExactMember("borne_per_s", diagnosis.borne_per_s);
  writer.Member("keeps_objective", diagnosis.keeps_objective);
  writer.ExactMember("top_per_s", diagnosis.top_per_s).Key("causes").BeginArray();
  for (const DiagnosedCause& cause : diagnosis.causes)
    writer.BeginObject().Member("id", cause.id).Member("title", cause.title).EndObject();
  writer.EndArray().EndObject();
  return text + "\n";
}

Result<Diagnosis> DiagnosisOf(const json::Value& plan, const Adapter& adapter) {
  Diagnosis diagnosis;
  RS_ASSIGN_OR_RETURN(diagnosis.borne_per_s, plan["borne_per_s"].NeedNumber());
  RS_ASSIGN_OR_RETURN(diagnosis.keeps_objective, plan["keeps_objective"].NeedFlag());
  RS_ASSIGN_OR_RETURN(diagnosis.top_per_s, plan["top_per_s"].NeedNumber());
  RS_ASSIGN_OR_RETURN(const auto causes, plan["causes"].NeedItems());
  for (const json::Value& cause : causes)
    diagnosis.causes.push_back({.id = cause["id"].TextOr(""), .title = cause["title"].TextOr("")});
  diagnosis.hints = HintsOf(adapter, diagnosis.causes);
  return diagnosis;
}

// "seed 1, now 5; duration_ns ..": members of two objects that differ.
std::string Differences(const std::string& before, const std::string& now) {
  const auto old = json::Reader::Parse(before), asked = json::Reader::Parse(now);
  if (!old.ok() || !asked.ok()) return "its plan cannot be read";
  std::string words;
  for (const json::Member& member : asked->root().Members()) {
    const std::string was = old->root()[member.name].ToString(), is = member.value.ToString();
    if (was == is) continue;
    words += words.empty() ? "" : "; ";
    words += member.name == "adapter" ? "another text of the adapter"
                                      : fmt::format("{} {}, now {}", member.name, was, is);
  }
  return words;
}

// Whole lines; what a killed process cut off is passed over.
std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0, end = 0; (end = text.find('\n', begin)) != std::string::npos;
       begin = end + 1)
    lines.push_back(text.substr(begin, end - begin));
  return lines;
}

Status Append(const std::string& path, const std::string& text) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  const bool is_written =
      descriptor >= 0 && WriteWhole(descriptor, text.data(), text.size()) && fsync(descriptor) == 0;
  const int why = errno;
  if (descriptor >= 0) close(descriptor);
  if (is_written) return OkStatus();
  return Error(StatusCode::kIo, "{}: {}", path, std::strerror(why));
}

// Ends a file behind its last whole line.
Status CutBehindLines(const std::string& path, std::size_t lines) {
  RS_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  std::size_t size = 0;
  for (std::size_t i = 0; i < lines; ++i) size = text.find('\n', size) + 1;
  std::error_code error;
  fs::resize_file(path, size, error);
  return error ? Error(StatusCode::kIo, "{}: {}", path, error.message()) : OkStatus();
}

bool Exists(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error);
}

}  // namespace

std::string Record::PathOf(std::string_view name) const {
  return fmt::format("{}/{}", folder_, name);
}

Result<Record> Record::Open(const TuneSpec& spec) {
  Record record(spec.folder, Asked(spec));
  const std::string path = record.PathOf("plan.json");
  if (!Exists(path)) return record;
  RS_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  RS_ASSIGN_OR_RETURN(const json::Reader reader, json::Reader::Parse(text));
  if (reader.root()["schema"].TextOr("") != kRecordSchema)
    return Error(StatusCode::kBadData, "{}: it is no plan of rankscope tune", path);
  if (reader.root()["asked"].TextOr("") != record.asked_)
    return Error(StatusCode::kBadData,
                 "{}: the search there was asked otherwise ({}): go on with what it was asked, or "
                 "in another folder",
                 path, Differences(reader.root()["asked"].TextOr(""), record.asked_));
  RS_ASSIGN_OR_RETURN(record.diagnosis_, DiagnosisOf(reader.root(), spec.adapter));
  return record;
}

Status Record::WriteDiagnosis(const Diagnosis& diagnosis) {
  diagnosis_ = diagnosis;
  return WriteDurably(PathOf("plan.json"), PlanText(asked_, diagnosis), folder_);
}

Status Record::Resume(Optimiser& search) {
  const std::string path = PathOf("journal.jsonl"), notes = PathOf("notes.jsonl");
  if (!Exists(path)) return Append(path, JournalHead(search.space(), search.options()));
  RS_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  if (const Status read = ReadJournal(text, search); !read.ok())
    return Error(read.code(), "{}: {}", path, read.message());
  RS_RETURN_IF_ERROR(CutBehindLines(path, search.trials().size() + 1));
  // Notes are written first: there may be one more than trials.
  if (!Exists(notes)) RS_RETURN_IF_ERROR(Append(notes, ""));
  RS_ASSIGN_OR_RETURN(const std::string noted, ReadFile(notes));
  for (const std::string& line : LinesOf(noted)) {
    if (notes_.size() == search.trials().size()) break;
    RS_ASSIGN_OR_RETURN(TrialNote note, json::FromJson<TrialNote>(line));
    notes_.push_back(std::move(note));
  }
  if (notes_.size() != search.trials().size())
    return Error(StatusCode::kBadData,
                 "{}: {} notes of {} trials: remove the folder, and begin anew", notes,
                 notes_.size(), search.trials().size());
  return CutBehindLines(notes, notes_.size());
}

Status Record::Add(const Trial& trial, const TrialNote& note) {
  notes_.push_back(note);
  RS_RETURN_IF_ERROR(Append(PathOf("notes.jsonl"), json::ToJson(note) + "\n"));
  return Append(PathOf("journal.jsonl"), JournalLine(trial));
}

Status Record::WriteReport(const std::string& json) const {
  return WriteDurably(PathOf("tune.json"), json, folder_);
}

}  // namespace rankscope::tune

namespace rankscope::json {

template <>
const Fields<tune::TrialNote>& FieldsOf() {
  using tune::TrialNote;
  static const Fields<TrialNote> fields =
      Fields<TrialNote>("TuneTrialNote", "what is kept of a trial", Use::kRecord)
          .Add<&TrialNote::why>({.name = "why"})
          .Add<&TrialNote::sent>({.name = "sent"})
          .Add<&TrialNote::good>({.name = "good"})
          .Add<&TrialNote::failed>({.name = "failed"})
          .Add<&TrialNote::trouble>({.name = "trouble"});
  return fields;
}

}  // namespace rankscope::json
