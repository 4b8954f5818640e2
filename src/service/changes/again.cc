#include "service/changes/again.h"

#include <algorithm>

#include "base/file.h"
#include "json/reader.h"
#include "service/requests/run_json.h"
#include "service/runs/report_parts.h"

namespace rankscope::service {
namespace {

using store::Run;

std::optional<std::int64_t> RanksOf(const Run& run) {
  const std::optional<api::RunSummary> summary = SummaryOf(run);
  return summary ? summary->ranks : std::nullopt;
}

// Other recordings of as many ranks: a recording beside itself, or a part of it, measures nothing.
bool IsSecond(const Run& base, const Run& test) {
  if (base.id == test.id || base.team != test.team || base.world_size != test.world_size ||
      RanksOf(base) != RanksOf(test))
    return false;
  return std::ranges::none_of(test.files, [&](const store::RunFile& file) {
    return file.name != store::kSourceFile &&
           std::ranges::find(base.files, file.sha256, &store::RunFile::sha256) != base.files.end();
  });
}

Status KeepGain(const Parts& parts, Gains& gains, const WallClock& now_s, const Run& base,
                const Run& test) {
  const std::string_view finding = TagOf(test, kFindingTag);
  const auto measured = GainPct(base, test);
  if (finding.empty() || !measured || !IsSecond(base, test)) return gains.Forget(test.id);
  RS_ASSIGN_OR_RETURN(const std::vector<Promise> promises, PromisesOf(parts, base));
  const auto promise = std::ranges::find(promises, finding, &Promise::finding);
  if (promise == promises.end() || promise->gain_pct < kLeastPromisedPct)
    return gains.Forget(test.id);
  return gains.Keep({.finding = promise->finding,
                     .model = base.model,
                     .team = base.team,
                     .base = base.id,
                     .test = test.id,
                     .made = IsoTime(now_s()),
                     .promised_pct = promise->gain_pct,
                     .measured_pct = *measured});
}

}  // namespace

std::string_view TagOf(const Run& run, std::string_view name) {
  const auto found = run.tags.find(std::string(name));
  return found == run.tags.end() ? std::string_view() : std::string_view(found->second);
}

std::optional<double> StepTimeOf(const Run& run) {
  const std::optional<api::RunSummary> summary = SummaryOf(run);
  if (!summary || !summary->step_time_ns || summary->step_time_ns->mean <= 0) return std::nullopt;
  return summary->step_time_ns->mean;
}

Result<std::vector<Promise>> PromisesOf(const Parts& parts, const Run& run) {
  std::vector<Promise> promises;
  if (run.reports.empty()) return promises;
  const store::RunTable* const part = FindPart(run.reports.back(), "report.json");
  if (part == nullptr) return promises;
  RS_ASSIGN_OR_RETURN(const std::string path, parts.store.blobs().VerifiedPathOf(part->sha256));
  RS_ASSIGN_OR_RETURN(std::string text, ReadFile(path));
  RS_ASSIGN_OR_RETURN(const json::Reader reader, json::Reader::ParseLarge(text));
  for (const json::Value& finding : reader.root()["findings"].Items()) {
    const auto id = finding["id"].Text();
    const auto gain_pct = finding["gain_pct"].Number();
    // A bound promises no more than that it is not exceeded.
    if (finding["gain_method"].TextOr("") == "bound") continue;
    if (id && gain_pct) promises.push_back({std::string(*id), *gain_pct});
  }
  return promises;
}

std::optional<double> GainPct(const Run& base, const Run& test) {
  const auto before = StepTimeOf(base), after = StepTimeOf(test);
  if (!before || !after) return std::nullopt;
  return 100 * (1 - *after / *before);
}

Status KeepGainsOf(const Parts& parts, Gains& gains, const WallClock& now_s, const Run& run) {
  const store::Catalogue& catalogue = parts.store.catalogue();
  if (const std::string_view base = TagOf(run, kAgainTag); store::IsRunId(base)) {
    // What was measured outlives the first run.
    const auto found = catalogue.Look(base);
    if (found.ok()) RS_RETURN_IF_ERROR(KeepGain(parts, gains, now_s, **found, run));
  } else {
    RS_RETURN_IF_ERROR(gains.Forget(run.id));
  }
  RS_ASSIGN_OR_RETURN(
      const store::RunPage again,
      catalogue.Page(
          {.limit = 1000,
           .criteria = {{.field = "tag", .values = {fmt::format("{}={}", kAgainTag, run.id)}}}}));
  for (const auto& test : again.runs) RS_RETURN_IF_ERROR(KeepGain(parts, gains, now_s, run, *test));
  return OkStatus();
}

}  // namespace rankscope::service
