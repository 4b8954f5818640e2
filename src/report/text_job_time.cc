#include <fmt/core.h>

#include <string_view>

#include "report/gap_words.h"
#include "report/table_view.h"
#include "report/text_lines.h"
#include "report/text_sections.h"
#include "report/wording.h"
#include "schemas/critical_path.h"
#include "schemas/steps.h"
#include "schemas/words.h"

namespace rankscope {

namespace {

// What would show as 0.0 % is in the table; here it is noise.
constexpr double kLeastShownPct = 0.05;
constexpr double kLeastLargePct = 1;

// Rows is a table of PartShares.
template <typename Rows, typename AllWords>
void AppendParts(std::string& out, const RowsOf<Rows>& parts, const AllWords& all,
                 double least_pct = kLeastShownPct) {
  for (std::size_t row = 0; row < parts.rows(); ++row) {
    const auto share = parts.Number(row, parts->share_pct);
    if (!share || *share < least_pct) continue;
    const auto* words = FindWords(all, parts.String(row, parts->part));
    const std::string bar = PercentBar(*share, 40);
    out += fmt::format("  {:<27}{:>7}{}{}\n",
                       words == nullptr ? parts.String(row, parts->part) : words->label,
                       HumanValue(share, "%"), bar.empty() ? "" : "  ", bar);
  }
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
  AppendParts(out, parts, kParts);
  AppendUnknownGaps(out, report);
}

void AppendLargestParts(std::string& out, const Report& report, std::size_t room) {
  const RowsOf<JobBreakdown> parts(report);
  if (parts.empty()) return;
  std::string bars;
  AppendHeading(bars, "WHERE DEVICE TIME GOES (what takes 1 % or more)");
  AppendParts(bars, parts, kParts, kLeastLargePct);
  AppendUnknownGaps(bars, report);
  if (LinesOf(bars) <= room) {
    out += bars;
    return;
  }
  std::string list;
  for (std::size_t row = 0; row < parts.rows(); ++row) {
    const auto share = parts.Number(row, parts->share_pct);
    if (!share || *share < kLeastLargePct) continue;
    const auto* words = FindWords(kParts, parts.String(row, parts->part));
    list += fmt::format("{}{} {}", list.empty() ? "" : ", ",
                        words == nullptr ? parts.String(row, parts->part) : words->label,
                        HumanValue(share, "%"));
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
  AppendParts(out, parts, kPathParts);
}

}  // namespace rankscope
