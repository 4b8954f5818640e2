#include <fmt/core.h>

#include <string_view>

#include "report/base/table_view.h"
#include "report/base/text_lines.h"
#include "report/base/wording.h"
#include "report/text/sections.h"
#include "report/words/exposed_words.h"
#include "report/words/gap_words.h"
#include "schemas/critical_path.h"
#include "schemas/steps.h"
#include "schemas/words.h"

namespace rankscope {

namespace {

// What would show as 0.0 % is in the table; here it is noise.
constexpr double kLeastShownPct = 0.05;
constexpr double kLeastLargePct = 1;

void AppendPart(std::string& out, std::string_view label, double share) {
  const std::string bar = PercentBar(share, 40);
  out += fmt::format("  {:<27}{:>7}{}{}\n", label, HumanValue(share, "%"), bar.empty() ? "" : "  ",
                     bar);
}

// Rows is a table of PartShares. `behind` appends what divides a part, by its id.
template <typename Rows, typename AllWords, typename Behind>
void AppendParts(std::string& out, const RowsOf<Rows>& parts, const AllWords& all, double least_pct,
                 const Behind& behind) {
  for (std::size_t row = 0; row < parts.rows(); ++row) {
    const auto share = parts.Number(row, parts->share_pct);
    if (!share || *share < least_pct) continue;
    const auto* words = FindWords(all, parts.String(row, parts->part));
    AppendPart(out, words == nullptr ? parts.String(row, parts->part) : words->label, *share);
    behind(parts.String(row, parts->part));
  }
}

void AppendDeviceParts(std::string& out, const Report& report, double least_pct) {
  AppendParts(out, RowsOf<JobBreakdown>(report), kParts, least_pct, [&](std::string_view part) {
    if (part != "exposed_communication") return;
    for (const ExposedPart& one : ExposedParts(report)) {
      if (one.share_pct >= least_pct)
        AppendPart(out, fmt::format("  {}", one.label), one.share_pct);
    }
  });
}

void AppendUnknownGaps(std::string& out, const Report& report) {
  for (const std::string& sentence : DescribeUnknownGaps(report))
    AppendWrapped(out, "  ", sentence);
}

}  // namespace

void AppendJobTime(std::string& out, const Report& report) {
  const RowsOf<JobBreakdown> parts(report);
  if (parts.empty()) return;
  AppendHeading(out, "WHERE DEVICE TIME GOES (all devices; complete steps where there are any)");
  AppendDeviceParts(out, report, kLeastShownPct);
  AppendUnknownGaps(out, report);
}

void AppendLargestParts(std::string& out, const Report& report, std::size_t room) {
  const RowsOf<JobBreakdown> parts(report);
  if (parts.empty()) return;
  std::string bars;
  AppendHeading(bars, "WHERE DEVICE TIME GOES (what takes 1% or more)");
  AppendDeviceParts(bars, report, kLeastLargePct);
  AppendUnknownGaps(bars, report);
  if (LinesOf(bars) <= room) {
    out += bars;
    return;
  }
  std::string list;
  const auto add = [&](std::string_view between, std::string_view label, double share) {
    list += fmt::format("{}{} {}", list.empty() ? "" : between, label, HumanValue(share, "%"));
  };
  for (std::size_t row = 0; row < parts.rows(); ++row) {
    const auto share = parts.Number(row, parts->share_pct);
    if (!share || *share < kLeastLargePct) continue;
    const std::string_view part = parts.String(row, parts->part);
    const auto* words = FindWords(kParts, part);
    add(", ", words == nullptr ? part : words->label, *share);
    if (part != "exposed_communication") continue;
    std::string_view between = " (";
    for (const ExposedPart& one : ExposedParts(report)) {
      if (one.share_pct < kLeastLargePct) continue;
      add(between, one.label, one.share_pct);
      between = ", ";
    }
    if (between == ", ") list += ")";
  }
  std::string sentence = "\n";
  AppendWrapped(sentence, "", "Device time: " + list);
  if (LinesOf(sentence) <= room) out += sentence;
}

void AppendCriticalPath(std::string& out, const Report& report) {
  const RowsOf<JobCriticalPath> parts(report);
  // Without devices it is all host.
  if (parts.empty() || RowsOf<JobBreakdown>(report).empty()) return;
  AppendHeading(out, "WHAT DECIDES THE STEP TIME (critical paths of all ranks, each on its own)");
  AppendParts(out, parts, kPathParts, kLeastShownPct, [](std::string_view) {});
}

}  // namespace rankscope
