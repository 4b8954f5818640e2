#include "rerun/outcome.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "json/writer.h"
#include "table/human_number.h"

namespace rankscope::rerun {
namespace {

double MeanOf(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::string Duration(double ns) { return HumanDuration(ns); }

std::string RunsLine(std::string_view side, const SideRuns& runs) {
  std::string line = fmt::format("{:<8}{:>9}   each run:", side, Duration(MeanOf(runs.steps_ns)));
  for (const double step : runs.steps_ns) line += " " + Duration(step);
  return line + "\n";
}

std::string_view VerdictWords(Verdict verdict) {
  switch (verdict) {
    case Verdict::kConfirmed:
      return "Confirmed";
    case Verdict::kLess:
      return "Not confirmed, it gains less than was promised";
    case Verdict::kNoGain:
      return "Not confirmed, what was measured may be chance";
    case Verdict::kSlower:
      return "Not confirmed, it is slower";
    case Verdict::kUnknown:
      return "Not confirmed, fewer than three runs of each side cannot tell (--runs 5)";
  }
  return "";
}

// "Confirmed: 74.1% less (95%: 73.5% to 74.6%)."
std::string VerdictSentence(const Outcome& outcome) {
  const MeasuredGain& gain = outcome.gain;
  return fmt::format(
      "{}: {:.1f}% {}{}.", VerdictWords(outcome.verdict), std::abs(gain.pct),
      gain.pct < 0 ? "more" : "less",
      gain.low_pct ? fmt::format(" (95%: {:.1f}% to {:.1f}%)", *gain.low_pct, *gain.high_pct) : "");
}

}  // namespace

std::string WriteOutcomeText(const Outcome& outcome) {
  std::string text = VerdictSentence(outcome) + "\n";
  text += fmt::format(
      "A {} takes {} instead of {}.\n", outcome.before.are_whole_runs ? "run" : "step",
      Duration(MeanOf(outcome.after.steps_ns)), Duration(MeanOf(outcome.before.steps_ns)));
  if (!outcome.finding.empty())
    text += fmt::format("{} promised {}.\n", outcome.finding, outcome.promise_words);
  text += "\n" + RunsLine("before", outcome.before) + RunsLine("after", outcome.after);
  if (outcome.before.are_whole_runs)
    text += "        whole runs: no optimizer stepped twice in them\n";
  else
    text += fmt::format(
        "        the mean of {} steps of {}, by the clock of the {}\n", outcome.before.steps,
        outcome.before.ranks == 1 ? "1 process" : fmt::format("{} processes", outcome.before.ranks),
        outcome.before.are_of_device ? "device" : "host");
  if (!outcome.what.empty()) text += "\nThe change:\n";
  for (const std::string& line : outcome.what) text += "  " + line + "\n";
  if (outcome.was_recorded_after) {
    text += outcome.gain_left ? fmt::format("\nRecorded again, {} is still found: {}.\n",
                                            outcome.finding, *outcome.gain_left)
                              : fmt::format("\nRecorded again, {} is gone.\n", outcome.finding);
  }
  if (!outcome.kept.empty())
    text += fmt::format("\nKept: {}\nMore: rankscope diff {}/before/recorded {}/after/recorded\n",
                        outcome.kept, outcome.kept, outcome.kept);
  return text;
}

std::string WriteOutcomeJson(const Outcome& outcome) {
  std::string text;
  json::Writer writer(text);
  writer.BeginObject()
      .Member("schema", "rankscope.rerun/1")
      .TextMember("finding", outcome.finding)
      .Member("promised_pct", outcome.promise.pct)
      .Member("is_bound", outcome.promise.is_bound)
      .Member("change", outcome.what)
      .Member("measured", outcome.before.are_whole_runs ? "run" : "step")
      .Member("clock", outcome.before.are_of_device ? "device" : "host")
      .Member("before_ns", outcome.before.steps_ns)
      .Member("after_ns", outcome.after.steps_ns)
      .Member("gain_pct", outcome.gain.pct)
      .Member("low_pct", outcome.gain.low_pct)
      .Member("high_pct", outcome.gain.high_pct)
      .Member("verdict", NameOf(outcome.verdict));
  writer.Key("finding_after");
  if (!outcome.was_recorded_after)
    writer.Null();
  else
    writer.Write(outcome.gain_left.value_or("gone"));
  writer.TextMember("kept", outcome.kept).EndObject();
  return text + "\n";
}

}  // namespace rankscope::rerun
