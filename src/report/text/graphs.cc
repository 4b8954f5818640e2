#include <fmt/core.h>

#include <algorithm>

#include "report/base/table_view.h"
#include "report/base/text_lines.h"
#include "report/base/wording.h"
#include "report/text/sections.h"
#include "schemas/graphs.h"
#include "table/human_number.h"
#include "table/terminal_text.h"

namespace rankscope {
namespace {

// The innermost module: what is around it leaves no room for the rest of the line.
std::string_view InnermostOf(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace

void AppendGraphs(std::string& out, const Report& report) {
  constexpr std::size_t kMost = 5;
  const RowsOf<Graphs> graphs(report);
  const RowsOf<GraphOps> ops(report);
  if (graphs.empty() || ops.empty()) return;
  AppendHeading(out, "INSIDE CUDA GRAPHS (share of their work)");
  bool all_owned = true;
  for (std::size_t row = 0; row < graphs.rows(); ++row) {
    const std::string_view by = graphs.String(row, graphs->owners_by);
    all_owned &= by == "names" || by == "order";
  }
  for (std::size_t row = 0; row < std::min(ops.rows(), kMost); ++row) {
    const std::string_view module = InnermostOf(ops.String(row, ops->module));
    const std::string_view op = ops.String(row, ops->op);
    out += fmt::format("  {:>6} {:>9} {:>9} x  {}{}\n",
                       HumanValue(ops.Number(row, ops->share_pct), "%"),
                       HumanValue(ops.Number(row, ops->device_ns), "ns"),
                       GroupedInteger(ops.Int(row, ops->count).value_or(0)),
                       ShortenMiddle(op.empty() ? "(no capture)" : SafeForTerminal(op), 40),
                       module.empty() ? "" : " in " + ShortenMiddle(SafeForTerminal(module), 30));
  }
  if (!all_owned)
    out += "  Give the trace of the capture, too, to see the ops behind (no capture).\n";
}

}  // namespace rankscope
