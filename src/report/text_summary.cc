#include <fmt/core.h>

#include "report/finding_words.h"
#include "report/headline.h"
#include "report/step_words.h"
#include "report/table_view.h"
#include "report/text_lines.h"
#include "report/text_sections.h"
#include "report/wording.h"
#include "schemas/captures.h"
#include "schemas/steps.h"
#include "table/terminal_text.h"

namespace rankscope {
namespace {

std::string DeviceNames(const Report& report) {
  constexpr std::size_t kMost = 3;
  std::string text;
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

}  // namespace

void AppendTitle(std::string& out, const Report& report) {
  std::string text = Plural(report.ranks.size(), "rank");
  if (report.world_size > static_cast<std::int64_t>(report.ranks.size()))
    text += fmt::format(" of {}", report.world_size);
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

void AppendRecording(std::string& out, const Report& report) {
  const RowsOf<Recording> rows(report);
  if (rows.empty()) return;
  AppendHeading(out, "RECORDING");
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const std::string ranks = SafeForTerminal(rows.String(row, rows->ranks));
    const std::string who =
        ranks.empty() || report.ranks.size() < 2 ? "" : fmt::format("Ranks {}: ", ranks);
    AppendWrapped(out, "  ", who + SafeForTerminal(rows.String(row, rows->message)));
  }
}

void AppendLead(std::string& out, const Report& report) {
  for (const std::string& sentence : DescribeHostLead(report)) AppendWrapped(out, "  ", sentence);
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
      AppendLead(out, report);
      return;
    }
    const bool has_ranks = steps.Int(row, steps->ranks).value_or(0) > 1;
    AppendWrapped(out, "  ",
                  fmt::format("median {}, from {}{} to {}{}", HumanValue(median_ns, "ns"),
                              HumanValue(steps.Number(row, steps->min_ns), "ns"),
                              has_ranks ? OnRank(steps, row, steps->fastest_rank) : "",
                              HumanValue(steps.Number(row, steps->max_ns), "ns"),
                              has_ranks ? OnRank(steps, row, steps->slowest_rank) : ""));
    if (steps.Flag(row, steps->inferred))
      out += "  steps were inferred from the program's period: there are no ProfilerStep marks\n";
    AppendLead(out, report);
    return;
  }
  out += RowsOf<StepTimes>(report).empty()
             ? "  no steps: the trace has no ProfilerStep marks and no period was found\n"
             : "  every step was cut off by the recording\n";
}

void AppendHeadlines(std::string& out, const Report& report) {
  const std::vector<Headline> headlines = Headlines(report);
  if (headlines.empty()) return;
  AppendHeading(out, HasFindings(report) ? "WHERE TIME IS LOST" : "WHAT MATTERS FIRST");
  for (const Headline& headline : headlines) AppendWrapped(out, "  - ", headline.text);
}

}  // namespace rankscope
