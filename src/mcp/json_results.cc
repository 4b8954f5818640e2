#include "mcp/json_results.h"

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/number_set.h"
#include "mcp/rounded.h"
#include "report/words/finding_words.h"

namespace rankscope::mcp {
namespace {

constexpr std::size_t kJsonResultsMostPlaces = 4;

std::optional<std::string> TextOf(const json::Value& value) {
  const auto text = value.Text();
  return text && !text->empty() ? std::optional<std::string>(*text) : std::nullopt;
}

std::optional<double> RealOf(const json::Value& value) { return Rounded(value.Number()); }

std::optional<std::int64_t> WholeOf(const json::Value& value) {
  const auto number = value.Number();
  return number ? std::optional<std::int64_t>(std::llround(*number)) : std::nullopt;
}

std::vector<std::string> TextsOf(const json::Value& list) {
  std::vector<std::string> texts;
  for (const json::Value& item : list.Items()) texts.push_back(item.TextOr(""));
  return texts;
}

// "0-3,7" of a list of numbers; none of an empty one.
std::optional<std::string> RangesOf(const json::Value& list) {
  std::vector<std::int64_t> numbers;
  for (const json::Value& item : list.Items()) numbers.push_back(item.IntegerOr(0));
  if (numbers.empty()) return std::nullopt;
  return RangesText(std::move(numbers));
}

std::optional<std::vector<std::string>> WhereOf(const json::Value& places) {
  std::vector<std::string> where;
  for (const Place& place : ParsePlaces(places.ToString())) {
    if (where.size() == kJsonResultsMostPlaces) break;
    where.push_back(PlaceWords(place));
  }
  if (where.empty()) return std::nullopt;
  return where;
}

JobFacts JobOf(const json::Value& job) {
  return {.ranks = RangesOf(job["ranks"]).value_or(""),
          .world_size = job["world_size"].Integer(),
          .devices = TextsOf(job["devices"]),
          .step_time_ns = WholeOf(job["step_time_ns"]["mean"]),
          .complete_steps = job["step_time_ns"]["complete_steps"].Integer(),
          .bottleneck = TextOf(job["bottleneck"]),
          .combined_gain_pct = RealOf(job["combined_gain_pct"]),
          .mfu_pct = RealOf(job["mfu_pct"])};
}

// Reports of serving programs have one text for it: "prefix-cache-miss: needs ...".
NotLookedFor NotEvaluatedOf(const json::Value& one) {
  const std::optional<std::string_view> text = one.Text();
  if (!text) return {one["id"].TextOr(""), one["reason"].TextOr("")};
  const std::size_t colon = text->find(": ");
  if (colon == std::string_view::npos) return {"", std::string(*text)};
  return {std::string(text->substr(0, colon)), std::string(text->substr(colon + 2))};
}

FoundCause CauseOf(const json::Value& finding) {
  return {.id = finding["id"].TextOr(""),
          .severity = finding["severity"].TextOr(""),
          .title = finding["title"].TextOr(""),
          .gain_pct = RealOf(finding["gain_pct"]),
          .gain_unprofiled_pct = RealOf(finding["gain_unprofiled_pct"]),
          .gain_ns = finding["gain_ns"].Integer(),
          .gain_method = TextOf(finding["gain_method"]),
          .confidence = RealOf(finding["confidence"]),
          .who = TextOf(finding["who"]),
          .ranks = RangesOf(finding["ranks"]),
          .steps = RangesOf(finding["steps"]),
          .why = finding["why"].IsKnown() ? TextOf(finding["why"]) : TextOf(finding["evidence"]),
          .where = WhereOf(finding["where"]),
          .recommendation = TextOf(finding["recommendation"]),
          .command = TextOf(finding["command"])};
}

void AddFindings(const json::Value& findings, const std::string& state, DiffResult& result) {
  for (const json::Value& one : findings[state].Items()) {
    // One that changed has both sides.
    const bool has_both = one["base"].IsObject();
    const json::Value base = has_both ? one["base"] : one;
    const json::Value test = has_both ? one["test"] : one;
    DiffFinding finding{
        .state = state, .id = one["id"].TextOr(""), .title = test["title"].TextOr("")};
    if (state != "appeared") finding.base_gain_pct = RealOf(base["gain_pct"]);
    if (state != "gone") finding.test_gain_pct = RealOf(test["gain_pct"]);
    result.findings.push_back(std::move(finding));
  }
}

}  // namespace

Result<FindingsResult> FindingsOf(const json::Value& report) {
  RS_ASSIGN_OR_RETURN(const std::vector<json::Value> findings, report["findings"].NeedItems());
  FindingsResult result{.job = JobOf(report["job"])};
  for (const json::Value& verdict : report["recording"].Items()) {
    result.recording.push_back({.code = verdict["code"].TextOr(""),
                                .severity = verdict["severity"].TextOr(""),
                                .message = verdict["message"].TextOr(""),
                                .ranks = RangesOf(verdict["ranks"])});
  }
  for (const json::Value& finding : findings) result.findings.push_back(CauseOf(finding));
  for (const json::Value& one : report["not_evaluated"].Items())
    result.not_evaluated.push_back(NotEvaluatedOf(one));
  return result;
}

Result<DiffResult> DiffOf(const json::Value& diff) {
  const json::Value job = diff["job"];
  RS_ASSIGN_OR_RETURN(const std::string_view headline, job["headline"].NeedText());
  DiffResult result{.headline = std::string(headline),
                    .base = job["base"]["traces"].TextOr(""),
                    .test = job["test"]["traces"].TextOr(""),
                    .unit = job["unit"].TextOr("step"),
                    .base_ns = WholeOf(job["step_time_base_ns"]),
                    .test_ns = WholeOf(job["step_time_test_ns"]),
                    .change_pct = RealOf(job["step_time_change_pct"]),
                    .p = RealOf(job["p"]),
                    .significant = job["significant"].Flag()};
  for (const char* state : {"appeared", "gone", "changed"})
    AddFindings(diff["findings"], state, result);
  result.notes = TextsOf(diff["notes"]);
  for (const json::Member& table : diff["tables"].Members()) {
    if (!table.value["rows"].At(0).IsAbsent()) result.tables.emplace_back(table.name);
  }
  return result;
}

}  // namespace rankscope::mcp
