#include <fmt/core.h>

#include <string_view>

#include "report/table_view.h"
#include "report/text_lines.h"
#include "report/text_sections.h"
#include "report/wording.h"

namespace rankscope {

namespace {

void AppendParts(std::string& out, const TableView& parts,
                 const PartWords* (*find)(std::string_view)) {
  for (std::size_t row = 0; row < parts.rows(); ++row) {
    const auto share = parts.Number(row, "share_pct");
    // What would show as 0.0 % is in the table; here it is noise.
    if (!share || *share < 0.05) continue;
    const PartWords* words = find(parts.String(row, "part"));
    const std::string bar = PercentBar(*share, 40);
    out += fmt::format("  {:<27}{:>7}{}{}\n",
                       words == nullptr ? parts.String(row, "part") : words->label,
                       HumanValue(share, "%"), bar.empty() ? "" : "  ", bar);
  }
}

}  // namespace

void AppendJobTime(std::string& out, const Report& report) {
  const TableView parts(report, "job_breakdown");
  if (parts.empty()) return;
  AppendHeading(out, "WHERE DEVICE TIME GOES (all devices; complete steps where there are any)");
  AppendParts(out, parts, FindPart);
}

void AppendCriticalPath(std::string& out, const Report& report) {
  const TableView parts(report, "job_critical_path");
  // Without devices it is all host.
  if (parts.empty() || TableView(report, "job_breakdown").empty()) return;
  AppendHeading(out, "WHAT DECIDES THE STEP TIME (critical paths of all ranks, each on its own)");
  AppendParts(out, parts, FindPathPart);
}

}  // namespace rankscope
