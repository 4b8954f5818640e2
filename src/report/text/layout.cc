#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "report/base/table_view.h"
#include "report/base/text_lines.h"
#include "report/base/wording.h"
#include "report/text/sections.h"
#include "report/words/layout_words.h"
#include "schemas/layout.h"

namespace rankscope {
namespace {

// The `most` rows with the largest values of a column, unknown last.
template <typename T>
std::vector<std::size_t> Largest(const RowsOf<T>& view, typename T::RealColumn column,
                                 std::size_t most) {
  std::vector<std::size_t> order(view.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return view.Number(a, column).value_or(-1) > view.Number(b, column).value_or(-1);
  });
  if (order.size() > most) order.resize(most);
  return order;
}

}  // namespace

void AppendLayout(std::string& out, const Report& report) {
  const LayoutSentences layout = DescribeLayout(report);
  for (const std::string& role : layout.roles) AppendWrapped(out, "", role);
  for (const std::string& warning : layout.warnings) AppendWrapped(out, "warning: ", warning);
}

void AppendPipeline(std::string& out, const Report& report) {
  constexpr std::size_t kMost = 8;
  const RowsOf<Pipeline> stages(report);
  if (stages.empty()) return;
  AppendHeading(out, stages.rows() <= kMost
                         ? "PIPELINE (share of a step's window)"
                         : fmt::format("PIPELINE (share of a step's window; the {} fullest of {} "
                                       "stages)",
                                       kMost, stages.rows()));
  out += "  stage      load    busy  warm-up   steady  cool-down   bubble    ideal\n";
  std::vector<std::size_t> rows = Largest(stages, stages->load_pct, kMost);
  std::sort(rows.begin(), rows.end());
  for (const std::size_t row : rows) {
    const auto percent = [&](auto column) { return HumanValue(stages.Number(row, column), "%"); };
    const auto compute = stages.Number(row, stages->compute_pct);
    const auto inside = stages.Number(row, stages->inside_pct);
    out += fmt::format("  {:>5} {:>9} {:>7} {:>8} {:>8} {:>10} {:>8} {:>8}\n",
                       stages.Int(row, stages->stage).value_or(-1), percent(stages->load_pct),
                       compute && inside ? HumanValue(*compute + *inside, "%") : "?",
                       percent(stages->warm_up_pct), percent(stages->steady_pct),
                       percent(stages->cool_down_pct), percent(stages->bubble_pct),
                       percent(stages->ideal_pct));
  }
  for (const std::string& sentence : DescribePipeline(report)) AppendWrapped(out, "  - ", sentence);
}

void AppendExperts(std::string& out, const Report& report) {
  constexpr std::size_t kMost = 4;
  const std::vector<std::string> sentences = DescribeExperts(report);
  if (sentences.empty()) return;
  AppendHeading(out, "EXPERTS (load of a rank against the mean of its group)");
  const RowsOf<ExpertRanks> ranks(report);
  for (const std::size_t row : Largest(ranks, ranks->load, kMost)) {
    const auto load = ranks.Number(row, ranks->load);
    const auto most = ranks.Number(row, ranks->max_load);
    if (!load || !most) continue;
    out += fmt::format(
        "  rank {:>5}  {:.2f} times, {:.2f} at most; has most rows in {} of {}\n",
        ranks.Int(row, ranks->rank).value_or(-1), *load, *most,
        ranks.Int(row, ranks->hottest_count).value_or(0),
        Plural(static_cast<std::size_t>(ranks.Int(row, ranks->exchanges).value_or(0)), "exchange"));
  }
  for (const std::string& sentence : sentences) AppendWrapped(out, "  - ", sentence);
}

}  // namespace rankscope
