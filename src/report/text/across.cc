#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "report/base/table_view.h"
#include "report/base/text_lines.h"
#include "report/base/wording.h"
#include "report/text/sections.h"
#include "report/words/at_fault.h"
#include "report/words/blame_words.h"
#include "report/words/rank_words.h"
#include "schemas/across.h"
#include "table/human_number.h"

namespace rankscope {
namespace {

// The ranks that cost the others most, above what clocks leave open, behind those that findings
// accuse: who comes last may have waited for them.
void AppendLateRanks(std::string& out, const Report& report, const RowsOf<CollectiveRanks>& ranks) {
  constexpr std::size_t kMost = 3;
  std::vector<std::size_t> order;
  double all_waiting = 0;
  for (std::size_t row = 0; row < ranks.rows(); ++row) {
    order.push_back(row);
    all_waiting += ranks.Number(row, ranks->wait_ns).value_or(0);
  }
  const auto lead = [&](std::size_t row) { return ranks.Number(row, ranks->lead_ns).value_or(0); };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return lead(a) > lead(b); });
  for (std::size_t i = 0; i < std::min(kMost, order.size()); ++i) {
    const std::size_t row = order[i];
    const double caused = ranks.Number(row, ranks->caused_wait_ns).value_or(0);
    // What costs little beside the worst is not worth a line.
    const bool is_small = lead(row) <= 0.05 * lead(order.front()) || caused < 0.05 * all_waiting;
    if (is_small) return;
    if (const auto fault = i == 0 ? RanksAtFault(report) : std::nullopt) {
      AppendWrapped(out, "  - ",
                    fmt::format("the cause is {} ({}); who comes last may have waited for it",
                                SafeForTerminal(fault->who), SafeForTerminal(fault->finding)));
    }
    AppendWrapped(
        out, "  - ",
        fmt::format(
            "rank {} comes last to {} of {} collectives; others wait {} for it. On time, it "
            "alone would let them begin {} earlier in all",
            ranks.Int(row, ranks->rank).value_or(-1),
            GroupedInteger(ranks.Int(row, ranks->last_count).value_or(0)),
            GroupedInteger(ranks.Int(row, ranks->collectives).value_or(0)),
            HumanValue(caused, "ns"), HumanValue(lead(row), "ns")));
  }
}

bool IsLinkKnown(const RowsOf<CollectiveSizes>& sizes) {
  for (std::size_t row = 0; row < sizes.rows(); ++row) {
    if (sizes.Number(row, sizes->link_pct)) return true;
  }
  return false;
}

void AppendSizes(std::string& out, const RowsOf<CollectiveSizes>& sizes) {
  constexpr std::size_t kMost = 5;
  const bool has_link = IsLinkKnown(sizes);
  for (std::size_t row = 0; row < std::min(kMost, sizes.rows()); ++row) {
    const auto wait = sizes.Number(row, sizes->wait_pct);
    const auto rate = sizes.Number(row, sizes->bus_bandwidth);
    const auto of_link = sizes.Number(row, sizes->link_pct);
    std::string bandwidth = rate ? HumanValue(rate, "bytes/s") : "";
    if (rate && !has_link) bandwidth += " bus";
    if (of_link) bandwidth += fmt::format(" ({})", HumanValue(of_link, "%"));
    const std::string line = fmt::format(
        "  {:>6} {:>8} x  {:<14} {:>9}  {:>7} {}  {}",
        HumanValue(sizes.Number(row, sizes->share_pct), "%"),
        GroupedInteger(sizes.Int(row, sizes->count).value_or(0)), sizes.String(row, sizes->op),
        HumanValue(sizes.Number(row, sizes->bytes), "bytes"),
        wait ? HumanValue(wait, "%") : "unknown", has_link ? "wait" : "waiting", bandwidth);
    out += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
}

void AppendClocks(std::string& out, const Report& report) {
  const RowsOf<Clocks> clocks(report);
  std::vector<std::int64_t> alone;
  std::int64_t by_sends = 0;
  double uncertainty = 0;
  for (std::size_t row = 0; row < clocks.rows(); ++row) {
    if (!clocks.Flag(row, clocks->aligned))
      alone.push_back(clocks.Int(row, clocks->rank).value_or(-1));
    by_sends += clocks.String(row, clocks->linked_by) == "sends" ? 1 : 0;
    uncertainty = std::max(uncertainty, clocks.Number(row, clocks->uncertainty_ns).value_or(0));
  }
  std::string text = fmt::format("Clocks of the ranks agree to {} after alignment.",
                                 HumanValue(uncertainty, "ns"));
  if (by_sends > 0) {
    text += fmt::format(" Messages alone link {} rank{} with the first, and leave so much open.",
                        GroupedInteger(by_sends), by_sends == 1 ? "" : "s");
  }
  if (!alone.empty()) {
    text += fmt::format(
        " {} cannot be aligned: no collectives, and no messages both ways, link {} with others: "
        "{}.",
        Plural(alone.size(), "rank"), alone.size() == 1 ? "it" : "them",
        RanksInWords(report, alone));
  }
  AppendWrapped(out, "  ", text);
}

}  // namespace

void AppendAcross(std::string& out, const Report& report) {
  const RowsOf<CollectiveRanks> ranks(report);
  const RowsOf<CollectiveSizes> sizes(report);
  if (ranks.rows() < 2 || sizes.empty()) return;
  bool any = false;
  for (std::size_t row = 0; row < ranks.rows(); ++row)
    any |= ranks.Int(row, ranks->collectives).value_or(0) > 0;
  if (!any) return;
  AppendHeading(out, IsLinkKnown(sizes)
                         ? "COLLECTIVES OVER RANKS (share of their device time; bus, of the link)"
                         : "COLLECTIVES OVER RANKS (share of their device time)");
  AppendSizes(out, sizes);
  AppendLateRanks(out, report, ranks);
  for (const std::string& sentence : DescribeBlame(report)) AppendWrapped(out, "  - ", sentence);
  AppendClocks(out, report);
}

}  // namespace rankscope
