#include "report/words/finding_words.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>

#include "base/text.h"
#include "json/reader.h"
#include "report/base/kernel_name.h"
#include "report/base/table_view.h"
#include "report/base/wording.h"
#include "report/words/host_alone_words.h"
#include "schemas/captures.h"
#include "schemas/findings.h"
#include "schemas/kernels.h"
#include "schemas/roofline.h"
#include "schemas/steps.h"
#include "table/human_number.h"
#include "table/terminal_text.h"

namespace rankscope {
namespace {

// A resource whose gain is this part of the largest limits the job as much.
constexpr double kBalancedPart = 0.9;
// Of the time: beside this nothing was recorded.
constexpr double kFindingWordsNearlyAllPct = 99.5;
// Gains that exceed what they are together by so much are of the same time.
constexpr double kMuchOverlapPct = 3;
constexpr double kOtherThanMedian = 0.05;
constexpr double kNsPerHour = 3.6e12;
constexpr double kHardlyAny = 0.05;  // percent, that is shown as 0.0
constexpr std::size_t kMostNumbers = 1'000'000;

struct ResourceWords {
  std::string_view id;
  std::string_view label;
};
// The classes of bottlenecks.
constexpr std::array<ResourceWords, 7> kResources = {{
    {"data", "waiting for input data"},
    {"cpu", "the host"},
    {"sync", "hosts that wait for their devices"},
    {"gpu-compute", "computing"},
    {"gpu-memory", "device memory"},
    {"communication", "communication"},
    {"pipeline", "its pipeline"},
}};

std::string_view LabelOf(std::string_view resource) {
  for (const ResourceWords& words : kResources) {
    if (words.id == resource) return words.label;
  }
  return resource;
}

struct LargestGains {
  std::string_view name;  // "" when nothing is known
  double first = 0;
  double second = 0;
};

LargestGains LargestResources(const Report& report) {
  const RowsOf<Gains> gains(report);
  LargestGains most;
  for (std::size_t row = 0; row < gains.rows(); ++row) {
    const auto gain = gains.Number(row, gains->gain_pct);
    if (gains.String(row, gains->of) != "resource" || !gain) continue;
    if (most.name.empty() || *gain > most.first) {
      most.second = most.name.empty() ? 0 : most.first;
      most.first = *gain;
      most.name = gains.String(row, gains->name);
    } else if (*gain > most.second) {
      most.second = *gain;
    }
  }
  return most;
}

// The step's time is the mean of the job's steps; the page tells the median of its ranks' too. What
// sets it apart, where that is another.
std::string_view WhichStepTime(const Report& report, double step_ns) {
  const RowsOf<StepSpread> spread(report);
  std::size_t steps = 0;
  bool differs = false;
  for (std::size_t row = 0; row < spread.rows(); ++row) {
    const auto median = spread.Number(row, spread->median_ns);
    if (spread.Int(row, spread->step)) {
      ++steps;
    } else if (median && std::abs(*median - step_ns) > kOtherThanMedian * step_ns) {
      differs = true;
    }
  }
  return !differs ? "" : steps == 1 ? " on all ranks together" : " in the mean";
}

// What the findings gain whose gain is claimed (all, where none is). The others come last.
struct ClaimedGains {
  double sum_pct = 0;                     // of each alone
  std::optional<double> pct, unprofiled;  // together
  bool are_bounds = false;                // each that has a gain is the most that it may be
  std::string unclaimed;                  // "exposed-transfer, recomputation"
};
ClaimedGains GainsClaimed(const Report& report) {
  const RowsOf<Findings> findings(report);
  ClaimedGains gains;
  const bool is_any_claimed = findings.rows() > 0 && !findings.Flag(0, findings->unclaimed);
  bool any_bound = false, any_other = false;
  for (std::size_t row = 0; row < findings.rows(); ++row) {
    if (is_any_claimed && findings.Flag(row, findings->unclaimed)) {
      gains.unclaimed +=
          (gains.unclaimed.empty() ? "" : ", ") + std::string(findings.String(row, findings->id));
      continue;
    }
    gains.pct = findings.Number(row, findings->combined_gain_pct);
    gains.unprofiled = findings.Number(row, findings->combined_unprofiled_pct);
    const auto gain = findings.Number(row, findings->gain_pct);
    if (!gain) continue;
    gains.sum_pct += *gain;
    const bool is_bound = findings.String(row, findings->gain_method) == "bound";
    (is_bound ? any_bound : any_other) = true;
  }
  gains.are_bounds = (any_bound && !any_other) || !is_any_claimed;
  if (gains.unclaimed.empty()) {
    gains.pct = CombinedGainPct(report);
    gains.unprofiled = CombinedUnprofiledPct(report);
  }
  return gains;
}

// How what causes gain each is to what they gain together, where that is not about their sum.
std::string_view SumInWords(double sum_pct, double together_pct) {
  if (sum_pct > together_pct + kMuchOverlapPct)
    return " The gains overlap: together they are less than their sum.";
  if (sum_pct < together_pct - kMuchOverlapPct)
    return " Some causes hide others: together they gain more than their sum.";
  return "";
}

std::string_view WithoutStop(std::string_view sentence) {
  if (sentence.ends_with('.')) sentence.remove_suffix(1);
  return sentence;
}

std::optional<std::int64_t> NumberAt(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value)
                                                                  : std::nullopt;
}

}  // namespace

bool HasFindings(const Report& report) { return report.Find(Findings::kName) != nullptr; }

std::string_view Bottleneck(const Report& report) {
  const LargestGains most = LargestResources(report);
  if (most.name.empty() || most.first <= 0) return "";
  return most.second >= kBalancedPart * most.first ? "balanced" : most.name;
}

std::optional<double> CombinedGainPct(const Report& report) {
  const RowsOf<Gains> gains(report);
  for (std::size_t row = 0; row < gains.rows(); ++row) {
    if (gains.String(row, gains->of) == "findings") return gains.Number(row, gains->gain_pct);
  }
  return std::nullopt;
}

std::optional<double> ClaimedGainPct(const Report& report) { return GainsClaimed(report).pct; }

std::optional<double> CombinedUnprofiledPct(const Report& report) {
  const RowsOf<Findings> findings(report);
  if (findings.empty()) return std::nullopt;
  return findings.Number(findings.rows() - 1, findings->combined_unprofiled_pct);
}

// Else the recording as a whole is what takes time.
bool HasSteps(const Report& report) { return !RowsOf<StepSpread>(report).empty(); }

// Whether what devices did was recorded as a whole: else what the job is limited by is not known.
bool KnowsDevices(const Report& report) {
  const RowsOf<Recording> rows(report);
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    if (rows.String(row, rows->severity) == "high") return false;
  }
  return true;
}

std::string FindingsSentence(const Report& report) {
  if (!HasFindings(report)) return "";
  const RowsOf<ReplayFidelity> fidelity(report);
  const std::string_view refused =
      fidelity.empty() ? std::string_view() : fidelity.String(0, fidelity->refused_reason);
  if (RowsOf<Findings>(report).empty()) {
    // That none costs much cannot be said of time that nothing explains.
    if (!KnowsDevices(report)) return "No cause was found in what was recorded.";
    if (!refused.empty())
      return fmt::format("No cause can be told: {}.{}{}", WithoutStop(refused),
                         DescribeBlockedHost(report), DescribeExposed(report));
    std::string text = fmt::format("No cause was found that costs 1% of {} or more.",
                                   !HasSteps(report) ? "the time" : "a step");
    const LargestGains most = LargestResources(report);
    if (!most.name.empty() && most.first > 0) {
      // Where nothing else was recorded.
      if (most.first > kFindingWordsNearlyAllPct && RowsOf<JobBreakdown>(report).empty())
        return text + fmt::format(" What was recorded is {} alone.{}", LabelOf(most.name),
                                  DescribeHostAlone(report));
      text += fmt::format(
          " The job is bound by {}: if that took no time at all, {} would be {} shorter.",
          LabelOf(most.name), !HasSteps(report) ? "the recording" : "a step",
          HumanPercent(most.first));
      // Where it is much beside that, but cannot be hidden.
      if (most.name != "communication") text += DescribeExposed(report);
    }
    return text;
  }
  const ClaimedGains gains = GainsClaimed(report);
  const auto& gain = gains.pct;
  const auto step_ns = fidelity.empty() ? std::nullopt : fidelity.Number(0, fidelity->step_ns);
  if (!gain || !step_ns) return "";
  // What no replay tells are bounds, and so is their sum.
  const bool are_bounds = !refused.empty() || gains.are_bounds;
  const auto& unprofiled = gains.unprofiled;
  // Memory that fills takes no time before it is full.
  if (std::abs(*gain) < kHardlyAny && (!unprofiled || std::abs(*unprofiled) < kHardlyAny))
    return fmt::format("{} takes {}{}; the causes below cost hardly any of that.",
                       !HasSteps(report) ? "The recording" : "A step", HumanDuration(*step_ns),
                       WhichStepTime(report, *step_ns));
  const std::string beside_profiler =
      unprofiled && std::abs(*unprofiled - *gain) > kMuchOverlapPct
          ? fmt::format("; about {}{} without the profiler",
                        std::abs(*unprofiled) < kHardlyAny ? "" : "-", HumanPercent(*unprofiled))
          : "";
  const auto at_most = CombinedGainPct(report);
  const std::string beside_claimed =
      !gains.unclaimed.empty() && at_most && *at_most - *gain > kMuchOverlapPct
          ? fmt::format("; up to -{} with what may be unavoidable: {}", HumanPercent(*at_most),
                        gains.unclaimed)
          : "";
  return fmt::format("{} takes {}{}; without the causes below it would take {}{} ({}-{}{}{}).{}{}",
                     !HasSteps(report) ? "The recording" : "A step", HumanDuration(*step_ns),
                     WhichStepTime(report, *step_ns), are_bounds ? "at least " : "",
                     HumanDuration(*step_ns * (1 - *gain / 100)), are_bounds ? "at most " : "",
                     HumanPercent(*gain), beside_profiler, beside_claimed,
                     SumInWords(gains.sum_pct, *gain), DescribeIdle(report, *gain));
}

namespace {

// A part of computing: "aten::mm (60.0%, at 70.0% of its roof)".
struct ComputingPart {
  double share_pct = 0;
  double at_roof = 0, with_roof = 0;  // of those of its rows whose roof is known
};
using ComputingParts = std::map<std::string, ComputingPart, std::less<>>;

ComputingParts PartsByOp(const Report& report) {
  ComputingParts parts;
  const RowsOf<Roofline> roofline(report);
  for (std::size_t row = 0; row < roofline.rows(); ++row) {
    const std::string_view op = roofline.String(row, roofline->op);
    const auto share = roofline.Number(row, roofline->share_pct);
    if (op.empty() || !share) continue;
    ComputingPart& part = parts[std::string(op)];
    part.share_pct += *share;
    const auto efficiency = roofline.Number(row, roofline->efficiency_pct);
    if (!efficiency) continue;
    part.at_roof += *share * std::min(100.0, *efficiency);
    part.with_roof += *share;
  }
  return parts;
}

// Reports have the table of kernels always, that of roofs where the page draws it.
ComputingParts PartsByKernel(const Report& report) {
  constexpr std::size_t kWidth = 60;
  ComputingParts parts;
  const RowsOf<KernelsByName> kernels(report);
  double all_ns = 0;
  const auto of = [&](std::size_t row) {
    return kernels.String(row, kernels->work) == "compute"
               ? kernels.Number(row, kernels->total_ns).value_or(0)
               : 0;
  };
  for (std::size_t row = 0; row < kernels.rows(); ++row) all_ns += of(row);
  for (std::size_t row = 0; row < kernels.rows(); ++row) {
    if (of(row) > 0)
      parts[ShortKernelName(kernels.String(row, kernels->name), kWidth)].share_pct +=
          100 * of(row) / all_ns;
  }
  return parts;
}

}  // namespace

std::string LargestPartsSentence(const Report& report) {
  constexpr std::size_t kMostParts = 3;
  const RowsOf<ReplayFidelity> fidelity(report);
  const bool is_refused =
      !fidelity.empty() && !fidelity.String(0, fidelity->refused_reason).empty();
  if (!HasFindings(report) || !RowsOf<Findings>(report).empty() || is_refused ||
      !KnowsDevices(report))
    return "";
  ComputingParts parts = PartsByOp(report);
  if (parts.empty()) parts = PartsByKernel(report);
  std::vector<std::pair<double, std::string_view>> order;
  for (const auto& [name, part] : parts) order.emplace_back(-part.share_pct, name);
  std::sort(order.begin(), order.end());
  if (order.empty()) return "";
  if (order.size() > kMostParts) order.resize(kMostParts);
  std::string list;
  for (const auto& [share, name] : order) {
    const ComputingPart& part = parts.find(name)->second;
    list += fmt::format(
        "{}{} ({}{})", list.empty() ? "" : ", ", SafeForTerminal(name),
        HumanPercent(part.share_pct),
        part.with_roof > 0
            ? fmt::format(", at {} of its roof", HumanPercent(part.at_roof / part.with_roof))
            : "");
  }
  const std::string_view subject =
      order.size() == 1 ? "part of computing is" : "parts of computing are";
  return fmt::format("The largest {} {}; how far ops are from their roof: {}.", subject, list,
                     CommandWords(report, "rankscope table roofline TRACES"));
}

std::string CommandWords(const Report& report, std::string_view command) {
  constexpr std::string_view kTraces = "TRACES";
  std::string words(command);
  if (const std::size_t at = words.find(kTraces); at != std::string::npos)
    words.replace(at, kTraces.size(), report.traces);
  return SafeForTerminal(words);
}

std::string ReplaySentence(const Report& report) {
  const RowsOf<ReplayFidelity> fidelity(report);
  if (fidelity.empty()) return "";
  const std::string_view reason = WithoutStop(fidelity.String(0, fidelity->refused_reason));
  // Without findings there are no gains; the first sentence has said it (FindingsSentence).
  if (!reason.empty() && RowsOf<Findings>(report).empty()) return "";
  if (!reason.empty()) return fmt::format("Gains are not from a replay: {}.", reason);
  const auto count = [&](auto column) {
    return static_cast<std::size_t>(fidelity.Number(0, column).value_or(0));
  };
  const std::size_t left_out = count(fidelity->steps_left_out);
  if (left_out == 0) return "";
  return fmt::format(
      "Gains are of the last {}: with the {} before, the graph of all ranks would be too large.",
      Plural(count(fidelity->steps), "step"), Plural(left_out, "step"));
}

std::string GainWords(const Report& report, std::size_t row) {
  const RowsOf<Findings> findings(report);
  const std::string_view method = findings.String(row, findings->gain_method);
  const auto pct = findings.Number(row, findings->gain_pct);
  const auto ns = findings.Number(row, findings->gain_ns);
  const auto unprofiled = findings.Number(row, findings->gain_unprofiled_pct);
  std::string text;
  // What only recording hides: nothing of it, or less than nothing, is no figure to begin with.
  if (pct && *pct < kHardlyAny && unprofiled && *unprofiled >= kHardlyAny)
    return fmt::format("about {} without the profiler, nothing while it records",
                       HumanPercent(*unprofiled));
  const auto left = findings.Number(row, findings->time_to_failure_ns);
  if (pct && *pct < kHardlyAny) {
    text = left ? "" : "hardly any time";
  } else if (pct || ns) {
    text = method == "bound" ? "at most " : method == "estimate" ? "about " : "";
    if (pct) text += HumanPercent(*pct);
    if (ns)
      text += fmt::format("{}{}{}", pct ? ", " : "", HumanDuration(*ns),
                          HasSteps(report) ? " per step" : "");
  }
  if (const auto alone = findings.Number(row, findings->gain_alone_pct))
    text += fmt::format(" once the others are gone ({} alone)", HumanPercent(*alone));
  if (unprofiled && pct)
    text += fmt::format(" (about {} without the profiler)", HumanPercent(*unprofiled));
  if (left) {
    const std::string when =
        *left < kNsPerHour ? HumanDuration(*left) : HumanDecimal(*left / kNsPerHour) + " h";
    text += fmt::format("{}full in {}", text.empty() ? "" : ", ", when);
  }
  return text.empty() ? "gain unknown" : text;
}

std::vector<std::int64_t> ParseRanges(std::string_view text) {
  std::vector<std::int64_t> numbers;
  while (!text.empty()) {
    std::string_view range = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), range.size() + 1));
    range.remove_prefix(std::min(range.find_first_not_of(' '), range.size()));
    // Behind the first character: that may be a sign.
    const std::size_t dash = range.find('-', 1);
    const auto first = NumberAt(range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : NumberAt(range.substr(dash + 1));
    if (!first || !last) continue;
    for (std::int64_t number = *first; number <= *last && numbers.size() < kMostNumbers; ++number)
      numbers.push_back(number);
  }
  return numbers;
}

std::vector<std::pair<std::string_view, std::string_view>> CausesNotEvaluated(
    const Report& report) {
  std::vector<std::pair<std::string_view, std::string_view>> causes;
  if (!HasFindings(report)) {
    for (const auto& [id, reason] : report.not_evaluated) causes.emplace_back(id, reason);
    return causes;
  }
  const RowsOf<NotEvaluated> rows(report);
  for (std::size_t row = 0; row < rows.rows(); ++row)
    causes.emplace_back(rows.String(row, rows->id), rows.String(row, rows->reason));
  return causes;
}

std::vector<Place> ParsePlaces(std::string_view json) {
  std::vector<Place> places;
  const Result<json::Reader> reader = json::Reader::Parse(json);
  if (!reader.ok()) return places;
  for (const json::Value& one : reader->root().Items()) {
    if (!one.IsObject()) continue;
    places.push_back({one["op"].TextOr(""), one["module"].TextOr(""), one["file"].TextOr(""),
                      one["line"].Integer(), one["ns"].Integer()});
  }
  return places;
}

namespace {

// A demangled signature takes lines, and says at its begin which kernel it is.
std::string OpWords(const std::string& op) {
  constexpr std::size_t kLong = 80;
  return op.size() > kLong && Contains(op, "(") ? ShortKernelName(op, kLong) : op;
}

}  // namespace

std::string TitleWords(std::string_view title, std::string_view places) {
  std::string text(title);
  for (const Place& place : ParsePlaces(places)) {
    const std::string words = OpWords(place.op);
    const std::size_t at = words == place.op ? std::string::npos : text.find(place.op);
    if (at != std::string::npos) text.replace(at, place.op.size(), words);
  }
  return text;
}

std::string PlaceWords(const Place& place) {
  std::string text = OpWords(place.op);
  if (!place.module.empty()) text += (text.empty() ? "" : " in ") + place.module;
  if (!place.file.empty()) {
    text += (text.empty() ? "" : ", ") + place.file;
    if (place.line) text += fmt::format(":{}", *place.line);
  }
  if (place.ns && !text.empty())
    text += fmt::format(" ({})", HumanDuration(static_cast<double>(*place.ns)));
  return text;
}

}  // namespace rankscope
