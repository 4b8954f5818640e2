// Wording of findings, gains and the replay, shared by text, JSON and HTML. All from the tables of
// schemas/findings.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/base/report.h"

namespace rankscope {

// Whether any rule ran. Findings then come in the order of their table: by severity, gain, id.
bool HasFindings(const Report& report);

// The resource with the largest gain without it; "balanced" if the second is within a tenth of it;
// "" if unknown.
std::string_view Bottleneck(const Report& report);

// Without the causes of all findings.
std::optional<double> CombinedGainPct(const Report& report);
// The same for only those with a claimed gain; for all if there are none.
std::optional<double> ClaimedGainPct(const Report& report);
// CombinedGainPct without the cost of recording, if it matters; else nullopt.
std::optional<double> CombinedUnprofiledPct(const Report& report);

// "A step takes 120 ms; without the causes below it would take 81.5 ms (-32.1%)."; of a job without
// findings, that there are none, and what limits it. "" when no rule ran.
std::string FindingsSentence(const Report& report);
// Of a job without findings the three ops with most computing, and how near they are to what the
// device could: "The largest parts of computing are aten::mm (41.2%, at 62.0% of its roof), ...";
// "" where a finding stands, or nothing is known.
std::string LargestPartsSentence(const Report& report);

// "Gains are not from a replay: ...", or of which steps they are; "" when the replay predicts from
// all steps.
std::string ReplaySentence(const Report& report);

// A command of a finding with the job's paths in place of TRACES.
std::string CommandWords(const Report& report, std::string_view command);

// "32.1%, 38.5 ms per step"; "at most" before a bound, "about" before an estimate. Of what will end
// the job "full in 1.20 h".
std::string GainWords(const Report& report, std::size_t row);

// "0-3,7" -> {0, 1, 2, 3, 7}; what is not understood is left out. At most a million numbers.
std::vector<std::int64_t> ParseRanges(std::string_view text);

// Causes that were not evaluated, and why: from the table if rules ran, else from Report.
std::vector<std::pair<std::string_view, std::string_view>> CausesNotEvaluated(const Report& report);

// A cell of Findings::places.
struct Place {
  std::string op;
  std::string module;
  std::string file;
  std::optional<std::int64_t> line;
  std::optional<std::int64_t> ns;
};
// Empty for what is not such a list.
std::vector<Place> ParsePlaces(std::string_view json);
// "aten::item in Trainer.step, train.py:214 (6.20 ms)"; kernels by their short names.
std::string PlaceWords(const Place& place);
// The sentence of a finding, the kernels among its places by their short names.
std::string TitleWords(std::string_view title, std::string_view places);

}  // namespace rankscope
