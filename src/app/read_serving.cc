#include "app/read_serving.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>

#include "app/make_table.h"
#include "app/serving_files.h"
#include "engine/discover.h"
#include "insight/base/cause_tools.h"
#include "schemas/captures.h"
#include "schemas/steps.h"
#include "serving/inputs/readers.h"
#include "serving/objective.h"
#include "serving/tables.h"

namespace rankscope::app {
namespace {

// Steps by the marks of the engine, over all traces.
Status ReadTraces(const std::vector<std::string>& paths, serving::Collection& to,
                  Listener& listener) {
  JobSpec spec{.paths = paths, .takes_many_runs = true, .cache = CacheOfEnvironment()};
  spec.captures.which = CaptureChoice::Which::kAll;
  RS_ASSIGN_OR_RETURN(const Table table,
                      MakeTable({.table = std::string(StepPhases::kName)}, spec, listener));
  RS_ASSIGN_OR_RETURN(const Table verdicts,
                      MakeTable({.table = std::string(Recording::kName)}, spec, listener));
  const bool knows_devices = KnowsAllDevices(verdicts);
  const ViewOf<StepPhases> rows(table);
  const auto& schema = SchemaOf<StepPhases>();
  std::int64_t steps = 0;
  for (std::size_t row = 0; row < rows.row_count(); ++row) {
    const std::int64_t complete = rows.Known(row, schema.steps).value_or(0);
    const auto mean = rows.Known(row, schema.mean_ns), median = rows.Known(row, schema.median_ns);
    if (complete == 0 || !mean || !median) continue;
    steps += complete;
    to.data.trace_phases.push_back(
        {.phase = std::string(rows.TextOrEmpty(row, schema.phase)),
         .steps = complete,
         .mean_ns = *mean,
         .median_ns = *median,
         .time_pct = rows.Known(row, schema.time_pct).value_or(0),
         .busy_pct = knows_devices ? rows.Known(row, schema.busy_pct) : std::nullopt,
         .works = knows_devices ? rows.Known(row, schema.works) : std::nullopt});
  }
  if (steps == 0)
    return Error(StatusCode::kNotFound,
                 "{}: a trace without complete steps of an engine: rankscope analyze reads it",
                 paths.front());
  if (!knows_devices)
    to.Note(fmt::format(
        "{}: how long devices are busy is not known: their work, or that of CUDA graphs, was not "
        "recorded (rankscope analyze says more)",
        paths.front()));
  const std::uint32_t source = to.AddSource({.path = paths.front()}, "trace of an engine");
  to.Count(source, steps);
  return OkStatus();
}

// Spans of services alone, none of them a request.
bool IsOnlySpans(const serving::ServingData& data) {
  return !data.sources.empty() && data.requests.empty() &&
         std::ranges::all_of(data.sources, [](const serving::Source& source) {
           return source.format == serving::kSpansFormat;
         });
}

}  // namespace

Status CheckServingObjective(const std::string& objective) {
  return serving::ParseObjective(objective).status();
}

Result<ServingReport> ReadServing(const ServingSpec& spec, Listener& listener) {
  serving::Objective objective;
  if (!spec.objective.empty()) {
    RS_ASSIGN_OR_RETURN(objective, serving::ParseObjective(spec.objective));
  }
  RS_ASSIGN_OR_RETURN(const FoundFiles found, FindFiles(spec.paths));
  serving::Collection collection;
  std::vector<std::string> notices;
  for (const auto& unlisted : found.unlisted) notices.push_back(unlisted.second.message());
  std::vector<std::string> traces;
  const auto is_named = [&](const std::string& path) {
    return std::ranges::find(spec.paths, path) != spec.paths.end();
  };
  const std::vector<std::string> files = WithoutTrials(found.paths, notices);
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (listener.IsStopped()) return Error(StatusCode::kCancelled, "stopped");
    listener.OnReading({.files_done = i, .files = files.size()});
    const std::string& path = files[i];
    bool is_trace = false;
    const Status status = ReadServingFile(path, collection, is_trace);
    if (is_trace) {
      traces.push_back(path);
      continue;
    }
    if (status.ok()) continue;
    if (is_named(path)) {
      listener.OnReadingDone();
      return status;
    }
    // Anything else may lie in a folder.
    if (status.code() != StatusCode::kNotFound) notices.push_back(status.message());
  }
  if (!traces.empty()) {
    const Status status = ReadTraces(traces, collection, listener);
    if (!status.ok() && (is_named(traces.front()) || status.code() == StatusCode::kCancelled)) {
      listener.OnReadingDone();
      return status;
    }
    if (!status.ok()) collection.Note(status.message());
  }
  listener.OnReadingDone();
  collection.span_paths.TellAround(collection.data.requests);
  if (IsOnlySpans(collection.data) && !collection.data.notes.empty())
    return Error(StatusCode::kBadData, "{}", collection.data.notes.front());
  if (collection.data.sources.empty()) {
    if (!notices.empty()) return Error(StatusCode::kBadData, "{}", notices.front());
    return Error(
        StatusCode::kNotFound,
        "{}: nothing of a serving program in {} file{}; rankscope serving reads scrapes of "
        "/metrics, OTLP spans as JSON, request logs, benchmark results, access logs, "
        "logs of vLLM, SGLang and TensorRT-LLM, and requests that a recorder wrote",
        spec.paths.front(), found.paths.size(), found.paths.size() == 1 ? "" : "s");
  }
  const std::set<std::string> paths(found.paths.begin(), found.paths.end());
  notices = serving::NotesByKind(std::move(notices), paths);
  collection.data.notes = serving::NotesByKind(std::move(collection.data.notes), paths);
  for (const std::string& notice : notices) listener.OnNotice(notice);
  for (std::string& notice : notices) collection.Note(std::move(notice));
  // What a load run was to keep is what its record is judged by.
  for (const serving::LoadLevel& level : collection.data.levels)
    if (!objective.has_any()) objective = level.objective;
  return ServingReport{
      .tables = serving::MakeTables(serving::StudyOf(std::move(collection.data), objective)),
      .path = spec.paths.front()};
}

}  // namespace rankscope::app
