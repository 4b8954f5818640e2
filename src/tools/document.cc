#include "tools/document.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>

#include "base/hash.h"
#include "formats/format.h"
#include "formats/kineto/edit/event_reader.h"
#include "formats/kineto/kinds.h"
#include "formats/kineto/metadata.h"
#include "formats/kineto/tokens/decimal.h"
#include "formats/kineto/tokens/text.h"
#include "tools/pieces.h"
#include "trace/step_names.h"

namespace rankscope::tools {
namespace {

using kineto::EventText;
using kineto::RawEvent;

std::uint64_t HashOf(std::string_view a, std::string_view b) {
  const std::uint64_t parts[2] = {Checksum64(a.data(), a.size()), Checksum64(b.data(), b.size())};
  return Checksum64(parts, sizeof(parts));
}

// What one chunk adds.
struct Found {
  std::uint64_t count = 0;
  std::uint64_t bad = 0;
  std::int64_t begin_ns = INT64_MAX;
  std::int64_t end_ns = INT64_MIN;
  std::set<std::string, std::less<>> pids;
  bool has_none = false;
  std::vector<StepMark> marks;
  std::vector<ArrowPoint> points;
  std::vector<std::string> metadata;
};

class Surveyor : public kineto::ChunkWorker {
 public:
  struct Total {
    Survey survey;
    std::set<std::string, std::less<>> pids;
    std::size_t metadata_bytes = 0;
  };

  Surveyor(const Document& document, const SurveyOptions& options, Total& total)
      : document_(document), options_(options), total_(total) {}

  Status Work(kineto::Chunk& chunk) override {
    found_ = {};
    last_pid_ = {};
    reader_.Read(
        chunk,
        [&] {
          found_ = {};
          last_pid_ = {};
        },
        [&](const EventText& event) { Look(event); });
    found_.count = reader_.count();
    found_.bad = reader_.bad();
    return OkStatus();
  }

  Status Deliver(const kineto::Chunk&) override {
    Survey& survey = total_.survey;
    survey.first_of_chunk.push_back(survey.events);
    survey.events += found_.count;
    survey.bad_events += found_.bad;
    survey.begin_ns = std::min(survey.begin_ns, found_.begin_ns);
    survey.end_ns = std::max(survey.end_ns, found_.end_ns);
    survey.has_events_without_pid |= found_.has_none;
    for (const std::string& pid : found_.pids) total_.pids.insert(pid);
    const auto append = [](auto& to, auto& from) {
      to.insert(to.end(), std::make_move_iterator(from.begin()),
                std::make_move_iterator(from.end()));
    };
    append(survey.step_marks, found_.marks);
    append(survey.arrow_points, found_.points);
    for (const std::string& text : found_.metadata) total_.metadata_bytes += text.size();
    append(survey.metadata, found_.metadata);
    if (total_.pids.size() > kMostProcesses)
      return Error(StatusCode::kBadData, "{}: more than {} processes: not a trace that tools take",
                   document_.name, kMostProcesses);
    if (total_.metadata_bytes > kMostMetadataBytes)
      return Error(StatusCode::kBadData,
                   "{}: more than {} MiB of metadata events: the file is damaged", document_.name,
                   kMostMetadataBytes >> 20);
    return OkStatus();
  }

 private:
  void Look(const EventText& event) {
    const RawEvent& fields = *event.fields;
    if (fields.pid.data() == nullptr) {
      found_.has_none = true;
    } else if (const std::string_view token = kineto::WithQuotes(fields.pid, event.text);
               token != last_pid_) {  // "7" and 7 are two
      last_pid_ = token;
      if (!found_.pids.contains(token)) found_.pids.emplace(token);
    }
    const char phase = fields.phase.size() == 1 ? fields.phase[0] : '\0';
    if (phase == 'M') {
      if (options_.metadata) found_.metadata.emplace_back(event.text);
      return;
    }
    if (phase == 's' || phase == 't' || phase == 'f') {
      if (options_.arrows && !kineto::IsLaunchFlow(kineto::Unquote(fields.category)))
        found_.points.push_back({ArrowHash(fields), PlaceHash(fields)});
      return;
    }
    std::int64_t ts_ns = 0;
    if (phase != 'X' || !TimeOf(fields, ts_ns)) return;
    if (kineto::Unquote(fields.category) == "Trace") return;
    const std::int64_t end_ns = ts_ns + DurationOf(fields);
    found_.begin_ns = std::min(found_.begin_ns, ts_ns);
    found_.end_ns = std::max(found_.end_ns, end_ns);
    if (!options_.step_marks || kineto::Unquote(fields.category) == "gpu_user_annotation") return;
    const auto number = ProfilerStepNumber(kineto::Unquote(fields.name));
    if (number) found_.marks.push_back({ThreadHash(fields), *number, ts_ns, end_ns});
  }

  const Document& document_;
  const SurveyOptions& options_;
  Total& total_;
  kineto::EventReader reader_;
  Found found_;
  std::string last_pid_;
};

bool IsLessPid(const std::string& a, const std::string& b) {
  std::int64_t left = 0;
  std::int64_t right = 0;
  const bool is_left = kineto::ParseInteger(a, left);
  const bool is_right = kineto::ParseInteger(b, right);
  if (is_left != is_right) return is_left;
  return is_left && left != right ? left < right : a < b;
}

}  // namespace

Result<std::unique_ptr<ByteSource>> OpenDocument(const Document& document) {
  if (!document.pieces.empty()) return OpenPieces(document.pieces);
  return kineto::OpenTraceSource(document.path, document.part);
}

Result<std::vector<Document>> DocumentsOf(const std::string& path) {
  RS_RETURN_IF_ERROR(CheckIsKineto(path));
  RS_ASSIGN_OR_RETURN(const auto parts, kineto::ReadParts(path));
  std::vector<Document> documents;
  if (parts.empty()) documents.push_back({.path = path, .name = path});
  for (std::size_t i = 0; i < parts.size(); ++i) {
    documents.push_back({.path = path,
                         .part = static_cast<int>(i),
                         .name = parts[i].name,
                         .rank = parts[i].rank,
                         .label = parts[i].label,
                         .offset_ns = parts[i].offset_ns,
                         .uncertainty_ns = parts[i].uncertainty_ns});
  }
  return documents;
}

Result<Survey> SurveyOf(const Document& document, const SurveyOptions& options) {
  RS_ASSIGN_OR_RETURN(const auto source, OpenDocument(document));
  Surveyor::Total total;
  total.survey.begin_ns = INT64_MAX;
  total.survey.end_ns = INT64_MIN;
  const kineto::PassOptions pass{.threads = options.threads, .split = {}};
  auto result = kineto::ForEachChunk(
      *source, pass, [&] { return std::make_unique<Surveyor>(document, options, total); });
  RS_RETURN_IF_ERROR(result.status());
  RS_RETURN_IF_ERROR(kineto::CheckIsTrace(*result, document.path));
  Survey survey = std::move(total.survey);
  if (survey.begin_ns == INT64_MAX) survey.begin_ns = survey.end_ns = 0;
  survey.values = result->top.values();
  survey.is_array = result->top.is_array();
  survey.problems = result->problems;
  survey.text_bytes = result->text_bytes;
  survey.file_bytes = result->file_bytes;
  survey.bad_events += result->lost_events;
  survey.pids.assign(total.pids.begin(), total.pids.end());
  std::sort(survey.pids.begin(), survey.pids.end(), IsLessPid);
  TraceMeta meta;
  QualityLog ignored;
  kineto::ReadMetadata(survey.values, meta, ignored);
  survey.base_ns = meta.base_ns;
  survey.rank = meta.rank;
  if (survey.is_array && survey.events == survey.bad_events && survey.events > 0) {
    return Error(StatusCode::kBadData,
                 "{}: not a profiler trace: a JSON list without a single event in it",
                 document.path);
  }
  return survey;
}

std::string_view ValueOf(const kineto::TopValues& values, std::string_view key) {
  for (const auto& [name, value] : values) {
    if (name == key) return value;
  }
  return {};
}

std::uint64_t ThreadHash(const RawEvent& event) { return HashOf(event.pid, event.tid); }

std::uint64_t PlaceHash(const RawEvent& event) {
  std::int64_t ts_ns = 0;
  if (!TimeOf(event, ts_ns)) ts_ns = 0;
  return ThreadHash(event) ^ (static_cast<std::uint64_t>(ts_ns) * 0x9E3779B97F4A7C15U);
}

std::uint64_t ArrowHash(const RawEvent& event) { return HashOf(event.category, event.id); }

bool TimeOf(const RawEvent& event, std::int64_t& ts_ns) {
  return kineto::ParseMicros(event.ts, ts_ns) && ts_ns >= -kMaxTimeNs && ts_ns <= kMaxTimeNs;
}

std::int64_t DurationOf(const RawEvent& event) {
  std::int64_t dur_ns = 0;
  const bool is_usable =
      kineto::ParseMicros(event.dur, dur_ns) && dur_ns >= 0 && dur_ns <= kMaxTimeNs;
  return is_usable ? dur_ns : 0;
}

std::string_view PlainText(std::string_view token, std::string& scratch) {
  const std::string_view text = kineto::Unquote(token);
  if (text.empty() || std::memchr(text.data(), '\\', text.size()) == nullptr) return text;
  kineto::Unescape(text, scratch);
  return scratch;
}

std::string LossOf(const Document& document, const Survey& survey) {
  if (survey.problems.entries().empty() && survey.bad_events == 0) return {};
  std::string why = "some events are not valid JSON";
  if (!survey.problems.entries().empty()) why = survey.problems.entries().front().message;
  return fmt::format("{}: {}; what could be read was used ({} events lost)", document.name, why,
                     survey.bad_events);
}

}  // namespace rankscope::tools
