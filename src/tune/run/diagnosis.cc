#include "tune/run/diagnosis.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/file.h"
#include "serving/inputs/read_file.h"
#include "serving/study.h"
#include "tune/run/measure.h"

namespace rankscope::tune {
namespace {

// A ramp rises to so many times what the defaults bear.
constexpr double kRampOver = 2.5;

Status ReadInto(const std::string& path, serving::Collection& collection) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return OkStatus();
  RS_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  const Status status = serving::ReadServingFile({.path = path, .text = text}, collection);
  return status.code() == StatusCode::kNotFound ? OkStatus() : status;
}

Result<serving::Study> StudyOfFolder(const std::string& folder, const std::string& log,
                                     const serving::Objective& objective) {
  serving::Collection collection;
  RS_RETURN_IF_ERROR(ReadInto(folder + "/load.jsonl", collection));
  // What answers at /metrics may be anything, and so may a log: it tells more, or nothing.
  for (const std::string& path : {folder + "/metrics.prom", log}) (void)ReadInto(path, collection);
  return serving::StudyOf(std::move(collection.data), objective);
}

bool Contains(const std::vector<std::string>& all, const std::string& one) {
  return std::ranges::find(all, one) != all.end();
}

void TakeLevels(const std::vector<serving::LevelResult>& levels, const serving::Objective& limits,
                Diagnosis& to) {
  double alone = 0;
  for (const serving::LevelResult& level : levels) {
    if (level.level.kind == serving::LoadKind::kClosed) {
      if (level.e2e && level.e2e->mean > 0) alone = 1e9 / level.e2e->mean;
      continue;
    }
    const bool is_good = level.invalid.empty() && !serving::IsBeyond(level.state) &&
                         (!limits.has_any() || level.good_pct.value_or(0) >= serving::kGoodPct);
    if (!is_good || !level.level.target_per_s) continue;
    to.borne_per_s = std::max(to.borne_per_s, *level.level.target_per_s);
    to.keeps_objective = true;
  }
  if (to.borne_per_s == 0) to.borne_per_s = alone;
}

}  // namespace

std::vector<Hint> HintsOf(const Adapter& adapter, const std::vector<DiagnosedCause>& causes) {
  std::vector<Hint> hints;
  for (const Knob& knob : adapter.knobs) {
    bool is_raised = false, is_lowered = false;
    for (const DiagnosedCause& cause : causes) {
      is_raised = is_raised || Contains(knob.raised_by, cause.id);
      is_lowered = is_lowered || Contains(knob.lowered_by, cause.id);
    }
    if (is_raised || is_lowered)
      hints.push_back({.parameter = knob.parameter.name,
                       .direction = static_cast<int>(is_raised) - static_cast<int>(is_lowered)});
  }
  return hints;
}

Result<Diagnosis> Diagnose(const TuneSpec& spec, const std::string& url, const std::string& log,
                           const std::string& folder, const load::LevelWatch& watch) {
  const serving::Objective& limits = spec.load.objective;
  Diagnosis diagnosis;
  if (spec.mode == LoadMode::kRamp) {
    RS_ASSIGN_OR_RETURN(load::LoadSpec load, LoadFor(spec, url, 0, folder));
    load.search_sending = spec.duration / 2;
    std::vector<serving::LevelResult> levels;
    RS_RETURN_IF_ERROR(load::RunLoad(
        std::move(load), {.level = watch, .ends = [&](const serving::LevelResult& result) {
                            levels.push_back(result);
                          }}));
    TakeLevels(levels, limits, diagnosis);
    diagnosis.top_per_s = spec.per_s > 0 ? spec.per_s : kRampOver * diagnosis.borne_per_s;
  } else {
    // As of a trial, so that the two can be compared.
    RS_ASSIGN_OR_RETURN(const Measured measured,
                        Measure(spec, url, LevelOf(spec, 0), 0, folder, watch));
    diagnosis.borne_per_s = measured.objective;
    diagnosis.keeps_objective = measured.result.good_pct.value_or(100) >= serving::kGoodPct;
  }
  RS_ASSIGN_OR_RETURN(const serving::Study study, StudyOfFolder(folder, log, limits));
  for (const serving::Finding& finding : study.causes.findings)
    diagnosis.causes.push_back({.id = finding.id, .title = finding.title});
  diagnosis.hints = HintsOf(spec.adapter, diagnosis.causes);
  return diagnosis;
}

}  // namespace rankscope::tune
