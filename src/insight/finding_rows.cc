#include "insight/finding_rows.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <string_view>

#include "facts/places/code_places.h"
#include "insight/base/cause_tools.h"
#include "json/writer.h"

namespace rankscope {
namespace {

// Their time is that of a step on a rank where the cause sits, in the mean, as what the cause
// takes.
std::string PlacesText(const RuleInput& input, const Cause& cause) {
  const double rank_steps = static_cast<double>(std::max<std::size_t>(1, cause.ranks.size())) *
                            static_cast<double>(std::max<std::size_t>(1, input.counted().size()));
  std::string text;
  json::Writer writer(text);
  const auto add = [&](std::string_view key, std::string_view value) {
    if (!value.empty()) writer.Member(key, value);
  };
  writer.BeginArray();
  for (const Cause::Place& place : cause.places) {
    writer.BeginObject();
    add("op", place.op);
    add(place.key, place.key.empty() ? std::string_view() : std::string_view(place.op));
    add("module", place.module);
    const CodeLine line = ParseCodeLine(place.function);
    add("file", line.file);
    if (line.line >= 0) writer.ExactMember("line", line.line);
    add("function", line.line >= 0 ? line.function : std::string_view(place.function));
    writer.ExactMember("ns", std::llround(static_cast<double>(place.ns) / rank_steps)).EndObject();
  }
  writer.EndArray();
  return text;
}

// Of a thousand ranks a few rows show it; the command has all.
void WriteEvidenceRows(json::Writer& writer, const Cause& cause) {
  constexpr std::size_t kMostRows = 8;
  writer.BeginObject().Member("table", cause.evidence_table).Key("rows").BeginArray();
  for (const EvidenceRow& row :
       std::span(cause.evidence).first(std::min(kMostRows, cause.evidence.size()))) {
    writer.BeginObject();
    for (const auto& [column, value] : row) writer.Member(column, value);
    writer.EndObject();
  }
  writer.EndArray().EndObject();
}

std::string EvidenceText(const RuleInput& input, const Cause& cause) {
  std::string text;
  json::Writer writer(text);
  writer.BeginArray();
  if (!cause.evidence.empty()) WriteEvidenceRows(writer, cause);
  for (const NodeId node : cause.nodes) {
    const std::int64_t event = input.graph().EventOf(node);
    if (event < 0) continue;
    const Capture& capture = input.job().captures[input.graph().CaptureOf(node).capture];
    writer.BeginObject()
        .ExactMember("rank", capture.rank)
        .ExactMember("capture", capture.index)
        .ExactMember("event", event)
        .EndObject();
  }
  writer.EndArray();
  return text;
}

// A recording without steps is one: nothing in it is "a step".
std::string TitleOf(const RuleInput& input, const Cause& cause) {
  const auto& steps = input.graph().steps();
  std::string title = cause.what;
  if (steps.size() != 1 || steps.front().number != 0) return title;
  constexpr std::string_view kAStep = " a step";
  for (std::size_t at = 0; (at = title.find(kAStep, at)) != std::string::npos;)
    title.erase(at, kAStep.size());
  return title;
}

}  // namespace

void AddFinding(const RuleInput& input, const Found& found, TableOf<Findings>& table) {
  const auto& columns = SchemaOf<Findings>();
  const Cause& cause = found.cause;
  std::vector<std::int64_t> ranks;
  for (const std::uint32_t rank : cause.ranks)
    ranks.push_back(input.across().collectives().ranks()[rank].rank);
  std::vector<std::int64_t> steps;
  if (cause.steps.empty()) {
    for (const std::size_t step : input.counted())
      steps.push_back(input.graph().steps()[step].number);
  } else {
    for (const std::uint32_t step : cause.steps)
      steps.push_back(input.graph().steps()[step].number);
  }
  const std::string rank_text = RangesText(ranks);
  const std::string step_text = RangesText(steps);
  const std::string who = WhoText(input, cause.ranks);
  const std::string places = PlacesText(input, cause);
  const std::string title = TitleOf(input, cause);
  const std::string evidence = EvidenceText(input, cause);
  const std::string tables = fmt::format("{}", fmt::join(cause.tables, ","));
  const auto text = [](const std::string& value) {
    return value.empty() ? Value(kNull) : Value(std::string_view(value));
  };
  const auto percent = [](std::optional<double> share) {
    return share ? Value(100 * *share) : Value(kNull);
  };
  const double trust = found.method == "replay" ? input.fidelity().Confidence() : 1;
  table.Add(
      {columns.id = std::string_view(cause.id),
       columns.severity = SeverityOf(found),
       columns.confidence = cause.confidence * trust,
       columns.gain_pct = percent(found.gain),
       columns.gain_ns = found.gain && input.step_ns() > 0
                             ? Value(std::int64_t{std::llround(*found.gain * input.step_ns())})
                             : Value(kNull),
       columns.gain_unprofiled_pct = percent(found.unprofiled),
       columns.gain_alone_pct = found.alone ? percent(std::max(0.0, *found.alone)) : Value(kNull),
       columns.combined_gain_pct = 100 * found.combined,
       columns.combined_unprofiled_pct = percent(found.combined_unprofiled),
       columns.unclaimed = !IsClaimed(found.cause),
       columns.gain_method = found.method,
       columns.time_lost_ns = cause.lost_ns,
       columns.time_to_failure_ns = cause.time_to_failure_ns,
       columns.ranks = std::string_view(rank_text),
       columns.who = std::string_view(who),
       columns.what = ToString(cause.takes),
       columns.steps = text(step_text),
       columns.title = std::string_view(title),
       columns.why = std::string_view(cause.why),
       columns.recommendation = std::string_view(cause.recommendation),
       columns.command = std::string_view(cause.command),
       columns.tables = std::string_view(tables),
       columns.places = std::string_view(places),
       columns.evidence = std::string_view(evidence)});
}

}  // namespace rankscope
