#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>

#include "report/base/table_view.h"
#include "report/base/text_lines.h"
#include "report/base/wording.h"
#include "report/text/sections.h"
#include "report/words/finding_words.h"
#include "report/words/headline.h"
#include "report/words/recording_words.h"
#include "report/words/step_words.h"
#include "schemas/captures.h"
#include "schemas/device.h"
#include "schemas/layout.h"
#include "schemas/steps.h"
#include "schemas/telemetry.h"
#include "table/terminal_text.h"

namespace rankscope {
namespace {

// " with 8 devices", of recordings that have several each.
std::string DeviceCount(const Report& report) {
  const RowsOf<Utilisation> rows(report);
  using Capture = std::pair<std::int64_t, std::int64_t>;  // of a rank
  std::set<Capture> recordings;
  std::set<std::pair<Capture, std::int64_t>> devices;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const auto rank = rows.Int(row, rows->rank);
    const auto capture = rows.Int(row, rows->capture);
    const auto device = rows.Int(row, rows->device);
    if (!rank || !capture || !device || rows.Number(row, rows->kernel_ns).value_or(0) <= 0)
      continue;
    recordings.emplace(*rank, *capture);
    devices.emplace(Capture(*rank, *capture), *device);
  }
  return devices.size() > recordings.size() ? fmt::format(" with {} devices", devices.size()) : "";
}

std::string DeviceNames(const Report& report) {
  constexpr std::size_t kMost = 3;
  std::string text = DeviceCount(report);
  for (std::size_t i = 0; i < report.devices.size() && i < kMost; ++i)
    text += (i == 0 ? " on " : ", ") + SafeForTerminal(report.devices[i]);
  if (report.devices.size() > kMost)
    text += fmt::format(" and {} more", report.devices.size() - kMost);
  return text;
}

// ", steps 10 to 17"
std::string StepNumbers(const RowsOf<StepSpread>& steps) {
  std::optional<std::int64_t> first;
  std::optional<std::int64_t> last;
  for (std::size_t row = 0; row < steps.rows(); ++row) {
    const auto step = steps.Int(row, steps->step);
    if (!step) continue;
    if (!first) first = step;
    last = step;
  }
  if (!first) return "";
  return *first == *last ? fmt::format(", step {}", *first)
                         : fmt::format(", steps {} to {}", *first, *last);
}

// " on rank 3"
template <typename T>
std::string OnRank(const RowsOf<T>& steps, std::size_t row, typename T::IntColumn column) {
  const auto rank = steps.Int(row, column);
  return rank ? fmt::format(" on rank {}", *rank) : "";
}

// Of the largest role, by its groups; 0 where that is not known.
std::int64_t RanksByLayout(const Report& report) {
  const RowsOf<Layout> layout(report);
  std::int64_t ranks = 0;
  for (std::size_t row = 0; row < layout.rows(); ++row)
    ranks = std::max(ranks, layout.Int(row, layout->ranks).value_or(0));
  return ranks;
}

}  // namespace

void AppendTitle(std::string& out, const Report& report) {
  std::string text = Plural(report.ranks.size(), "rank");
  const auto recorded = static_cast<std::int64_t>(report.ranks.size());
  if (report.world_size > recorded)
    text += fmt::format(" of {}", report.world_size);
  else if (const std::int64_t least = RanksByLayout(report);
           report.world_size < 0 && least > recorded)
    text += fmt::format(" of at least {}", least);
  text += DeviceNames(report);
  text += StepNumbers(RowsOf<StepSpread>(report));
  AppendWrapped(out, "", text);
  const RowsOf<Captures> captures(report);
  std::size_t left_out = 0;
  for (std::size_t row = 0; row < captures.rows(); ++row)
    left_out += captures.Flag(row, captures->analysed) ? 0 : 1;
  if (left_out > 0 && !report.ranks_are_chosen)
    out += Plural(left_out, "recording") + " left out (rankscope table captures shows which)\n";
}

void AppendVerdict(std::string& out, const Report& report) {
  for (const std::string& sentence : DescribeRecording(report).grave)
    AppendWrapped(out, "", SafeForTerminal(sentence));
}

void AppendRecording(std::string& out, const Report& report) {
  const RecordingSentences said = DescribeRecording(report);
  if (said.others.empty()) return;
  AppendHeading(out, "RECORDING");
  for (const std::string& sentence : said.others)
    AppendWrapped(out, "  ", SafeForTerminal(sentence));
}

void AppendLead(std::string& out, const Report& report) {
  for (const std::string& sentence : DescribeHostLead(report)) AppendWrapped(out, "  ", sentence);
}

void AppendPhases(std::string& out, const Report& report) {
  const RowsOf<StepPhases> phases(report);
  for (std::size_t row = 0; row < phases.rows(); ++row) {
    const std::int64_t steps = phases.Int(row, phases->steps).value_or(0);
    std::string text = fmt::format("{}: {}, median {}", phases.String(row, phases->phase),
                                   Plural(static_cast<std::size_t>(steps), "step"),
                                   HumanValue(phases.Number(row, phases->median_ns), "ns"));
    if (const auto busy = phases.Number(row, phases->busy_pct))
      text += fmt::format(", devices busy {} of it ({:.0f}%)",
                          HumanValue(phases.Number(row, phases->busy_ns), "ns"), *busy);
    if (const auto works = phases.Number(row, phases->works))
      text += fmt::format(", {:.0f} kernels and copies each", *works);
    AppendWrapped(out, "  ", text);
  }
}

// "8 devices draw 5.20 kW: 624 J a step, 2.44 J a sample".
void AppendEnergy(std::string& out, const Report& report) {
  const RowsOf<Energy> rows(report);
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const auto power = rows.Number(row, rows->power_w), step = rows.Number(row, rows->step_j);
    if (rows.Int(row, rows->rank) || !power || !step) continue;
    const auto devices = static_cast<std::size_t>(rows.Int(row, rows->ranks).value_or(0));
    std::string text = fmt::format("{} draw{} {:.3g} W: {:.3g} J a step", Plural(devices, "device"),
                                   devices == 1 ? "s" : "", *power, *step);
    if (const auto sample = rows.Number(row, rows->sample_j))
      text += fmt::format(", {:.3g} J a sample", *sample);
    AppendWrapped(out, "  ", text);
  }
}

// What is said of steps behind their time, of one as of many.
void AppendStepWords(std::string& out, const Report& report) {
  AppendPhases(out, report);
  AppendEnergy(out, report);
  for (const std::string& sentence : DescribeStepMarks(report)) AppendWrapped(out, "  ", sentence);
  AppendLead(out, report);
}

void AppendStepNotes(std::string& out, const Report& report) {
  std::string words;
  AppendStepWords(words, report);
  if (!words.empty()) out += "\n" + words;
}

void AppendStepTime(std::string& out, const Report& report) {
  const RowsOf<StepSpread> steps(report);
  if (report.Find(StepSpread::kName) == nullptr) return;
  AppendHeading(out, "STEP TIME");
  for (std::size_t row = 0; row < steps.rows(); ++row) {
    if (steps.Int(row, steps->step) || !steps.Number(row, steps->median_ns)) continue;
    const double median_ns = *steps.Number(row, steps->median_ns);
    if (steps.Int(row, steps->steps).value_or(0) == 1) {
      out += fmt::format("  {}, the one complete step\n", HumanValue(median_ns, "ns"));
      AppendStepWords(out, report);
      return;
    }
    const bool has_ranks = steps.Int(row, steps->ranks).value_or(0) > 1;
    const std::string least = HumanValue(steps.Number(row, steps->min_ns), "ns");
    const std::string most = HumanValue(steps.Number(row, steps->max_ns), "ns");
    const bool is_one_rank =
        has_ranks && steps.Int(row, steps->fastest_rank) == steps.Int(row, steps->slowest_rank);
    AppendWrapped(
        out, "  ",
        least == most
            ? fmt::format("{} in every step", least)
            : fmt::format("median {}, from {}{} to {}{}{}", HumanValue(median_ns, "ns"), least,
                          has_ranks && !is_one_rank ? OnRank(steps, row, steps->fastest_rank) : "",
                          most, is_one_rank ? ", both" : "",
                          has_ranks ? OnRank(steps, row, steps->slowest_rank) : ""));
    AppendStepWords(out, report);
    return;
  }
  AppendWrapped(out, "  ",
                RowsOf<StepTimes>(report).empty()
                    ? "no steps: nothing marks them (ProfilerStep, an engine's or the program's "
                      "annotations, an optimizer), and no period was found"
                    : "every step was cut off by the recording");
}

void AppendHeadlines(std::string& out, const Report& report) {
  const std::vector<Headline> headlines = Headlines(report);
  if (headlines.empty()) return;
  AppendHeading(out, HasFindings(report) ? "WHERE TIME IS LOST" : "WHAT MATTERS FIRST");
  for (const Headline& headline : headlines) AppendWrapped(out, "  - ", headline.text);
}

}  // namespace rankscope
