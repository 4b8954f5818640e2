#include "report/words/layout_words.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "report/base/table_view.h"
#include "report/base/wording.h"
#include "report/words/at_fault.h"
#include "schemas/layout.h"
#include "table/terminal_text.h"

namespace rankscope {
namespace {

// From this load on a stage is said to be fuller than the others, in percent of their mean.
constexpr double kFullStagePct = 103;
// Below this, percent of the window, what exceeds the ideal bubble is not worth a cause.
constexpr double kLeastExcessPct = 2;
// One of two causes is said to be most of a bubble from this ratio on.
constexpr double kMuchMore = 1.5;
// From this load on, against the mean, experts are said to be uneven.
constexpr double kUnevenLoad = 1.1;

std::string Number(double value) { return fmt::format("{:.2f}", value); }

std::string_view SourceWords(std::string_view source) {
  if (source == "names") return "names of process groups";
  if (source == "traffic") return "what process groups exchange";
  if (source == "rest") return "the ranks that are left (a guess)";
  if (source == "guess") return "names of files, processes or hosts (a guess)";
  return source;
}

// "names of process groups" or, where dimensions differ in it, "names of process groups (tp, pp),
// what process groups exchange (dp)".
std::string Sources(const std::vector<std::pair<std::string_view, std::string_view>>& dimensions) {
  std::vector<std::pair<std::string_view, std::string>> by_source;
  for (const auto& [dimension, source] : dimensions) {
    const auto found = std::find_if(by_source.begin(), by_source.end(),
                                    [s = source](const auto& known) { return known.first == s; });
    if (found == by_source.end()) {
      by_source.emplace_back(source, dimension);
    } else {
      found->second += fmt::format(", {}", dimension);
    }
  }
  std::string text;
  for (const auto& [source, names] : by_source) {
    if (!text.empty()) text += ", ";
    text += SourceWords(source);
    if (by_source.size() > 1) text += fmt::format(" ({})", names);
  }
  return text;
}

void DescribeRole(const RowsOf<Layout>& layout, const std::vector<std::size_t>& rows,
                  const std::string& name, bool ranks_are_chosen, LayoutSentences* out) {
  std::string degrees;
  std::optional<std::int64_t> experts;
  std::vector<std::pair<std::string_view, std::string_view>> sources;
  for (const std::size_t row : rows) {
    const std::string_view dimension = layout.String(row, layout->dimension);
    const std::int64_t degree = layout.Int(row, layout->degree).value_or(1);
    if (degree <= 1) continue;
    sources.emplace_back(dimension, layout.String(row, layout->source));
    if (dimension == "ep") {
      experts = degree;
    } else {
      degrees += fmt::format("{}{} {}", degrees.empty() ? "" : " x ", dimension, degree);
    }
  }
  // Experts divide the data parallel ranks and are no factor of their own.
  if (experts) degrees += fmt::format("{}ep {}", degrees.empty() ? "" : " with ", *experts);
  if (degrees.empty()) {
    if (!name.empty()) out->roles.push_back(name + "not parallel");
  } else {
    out->roles.push_back(fmt::format("{}{}, from {}", name, degrees, Sources(sources)));
  }
  const std::size_t first = rows.front();
  if (layout.Flag(first, layout->partial) && !ranks_are_chosen) {
    const auto all = layout.Int(first, layout->ranks);
    out->warnings.push_back(all ? fmt::format("{}partial: {} of {} ranks were recorded", name,
                                              layout.Int(first, layout->ranks_seen).value_or(0),
                                              *all)
                                : fmt::format("{}partial: not all ranks were recorded", name));
  }
  for (const std::size_t row : rows) {
    const std::string_view conflicts = layout.String(row, layout->conflicts);
    if (!conflicts.empty())
      out->warnings.push_back(fmt::format("{}{} is uncertain: {}", name,
                                          layout.String(row, layout->dimension),
                                          SafeForTerminal(conflicts)));
  }
}

std::string Range(const RowsOf<Pipeline>& view, Pipeline::RealColumn column) {
  std::optional<std::size_t> least;
  std::optional<std::size_t> most;
  for (std::size_t row = 0; row < view.rows(); ++row) {
    const auto value = view.Number(row, column);
    if (!value) continue;
    if (!least || *value < *view.Number(*least, column)) least = row;
    if (!most || *value > *view.Number(*most, column)) most = row;
  }
  if (!least) return "an unknown part";
  const std::string low = HumanValue(view.Number(*least, column), "%");
  const std::string high = HumanValue(view.Number(*most, column), "%");
  if (low == high) return low;
  return fmt::format("{} (stage {}) to {} (stage {})", low,
                     view.Int(*least, view->stage).value_or(-1), high,
                     view.Int(*most, view->stage).value_or(-1));
}

template <typename T>
std::optional<std::size_t> Largest(const RowsOf<T>& view, typename T::RealColumn column) {
  std::optional<std::size_t> most;
  for (std::size_t row = 0; row < view.rows(); ++row) {
    const auto value = view.Number(row, column);
    if (value && (!most || *value > *view.Number(*most, column))) most = row;
  }
  return most;
}

// The mean over stages; null when it is unknown of any, since stages lean on each other.
std::optional<double> MeanExcess(const RowsOf<Pipeline>& stages) {
  double sum = 0;
  for (std::size_t row = 0; row < stages.rows(); ++row) {
    const auto excess = stages.Number(row, stages->excess_pct);
    if (!excess) return std::nullopt;
    sum += *excess;
  }
  return sum / static_cast<double>(stages.rows());
}

// Ranks of the stage whose devices findings accuse: these make it full, not its layers.
std::optional<AtFault> SlowRanksOf(const Report& report, std::int64_t stage) {
  std::optional<AtFault> fault = RanksAtFault(report);
  if (!fault || fault->what != "slower kernels") return std::nullopt;
  const RowsOf<LayoutRanks> ranks(report);
  for (std::size_t row = 0; row < ranks.rows(); ++row) {
    const std::int64_t rank = ranks.Int(row, ranks->rank).value_or(-1);
    const bool is_accused = std::ranges::find(fault->ranks, rank) != fault->ranks.end();
    if (is_accused && ranks.Int(row, ranks->pp) != stage) return std::nullopt;
  }
  return fault;
}

// Why there is a bubble: too few micro-batches, stages that differ, or neither. When the fullest
// stage has `load` percent of the mean, a step takes that much longer and a mean stage works for
// (100 - ideal) / load of it. What even stages would save of the step is 1 - 100 / load, and what
// more micro-batches would, while stages stay as they are, no more than the fullest stands still.
std::string BubbleReason(const RowsOf<Pipeline>& stages, double load,
                         std::optional<std::size_t> fullest, bool has_slow_ranks) {
  const auto excess = MeanExcess(stages);
  if (!excess)
    return "Stages are missing or their clocks are not known to each other, so the reason is not "
           "known.";
  const double ideal = stages.Number(0, stages->ideal_pct).value_or(0);
  const double by_load = (100 - ideal) * (1 - 100 / std::max(load, 100.0));
  const std::string more_batches =
      "More micro-batches per step, or interleaved stages, make the ideal smaller.";
  if (*excess < kLeastExcessPct && by_load < kLeastExcessPct) {
    return ideal < kLeastExcessPct
               ? "There is little to gain."
               : "The number of micro-batches is the reason, not imbalance. " + more_batches;
  }
  std::string cause = has_slow_ranks
                          ? "the fullest stage has ranks that are slower than their peers"
                          : "stages are uneven; moving layers off the fullest one shrinks it";
  const bool are_uneven = 2 * by_load >= *excess;
  const double otherwise = are_uneven ? 100 - 1e4 / std::max(load, 100.0) : *excess;
  const double by_batches =
      are_uneven && fullest
          ? std::min(ideal, stages.Number(*fullest, stages->bubble_pct).value_or(ideal))
          : ideal;
  if (!are_uneven) {
    cause =
        (load >= kFullStagePct ? fmt::format("uneven stages explain {} of the step, the rest is ",
                                             HumanValue(by_load, "%"))
                               : "stages are equally full, so it is ") +
        "passes that differ in length, messages or the host; the schedule shows long passes "
        "and gaps";
  }
  const std::string beyond =
      fmt::format("{} on average is beyond the ideal: {}.", HumanValue(excess, "%"), cause);
  if (otherwise >= kMuchMore * by_batches)
    return "Most of it is no matter of micro-batches: " + beyond;
  if (by_batches >= kMuchMore * otherwise)
    return fmt::format("Most of it is the number of micro-batches. {} {}", beyond, more_batches);
  return fmt::format("The number of micro-batches counts, and as much is lost otherwise: {} {}",
                     beyond, more_batches);
}

}  // namespace

LayoutSentences DescribeLayout(const Report& report) {
  const RowsOf<Layout> layout(report);
  std::vector<std::string_view> order;
  std::map<std::string_view, std::vector<std::size_t>> roles;
  for (std::size_t row = 0; row < layout.rows(); ++row) {
    std::vector<std::size_t>& rows = roles[layout.String(row, layout->role)];
    if (rows.empty()) order.push_back(layout.String(row, layout->role));
    rows.push_back(row);
  }
  LayoutSentences out;
  for (const std::string_view role : order) {
    DescribeRole(layout, roles[role], order.size() > 1 ? fmt::format("{}: ", role) : "",
                 report.ranks_are_chosen, &out);
  }
  return out;
}

std::vector<std::string> DescribePipeline(const Report& report) {
  const RowsOf<Pipeline> stages(report);
  if (stages.empty()) return {};
  std::vector<std::string> out;
  const auto fullest = Largest(stages, stages->load_pct);
  const double load = fullest ? *stages.Number(*fullest, stages->load_pct) : 100;
  const std::int64_t stage = fullest ? stages.Int(*fullest, stages->stage).value_or(-1) : -1;
  const std::optional<AtFault> fault = SlowRanksOf(report, stage);
  if (load >= kFullStagePct) {
    out.push_back(
        fmt::format("Stage {} is the fullest: its passes take {} longer than the mean "
                    "of the stages'{}.",
                    stage, HumanValue(load - 100, "%"),
                    fault ? fmt::format(", with {} ({})", fault->who, fault->finding) : ""));
  } else if (stages.rows() > 1 && fullest) {
    out.push_back(
        fmt::format("Stages are evenly full: passes of the fullest, stage {}, take {} "
                    "longer than the mean.",
                    stage, HumanValue(load - 100, "%")));
  }
  const std::int64_t chunks = stages.Int(0, stages->virtual_stages).value_or(1);
  const std::int64_t batches = stages.Int(0, stages->micro_batches).value_or(0);
  out.push_back(fmt::format(
      "Stages stand still for {} of a step. With {} micro-batch{}{}, {} is the ideal of equal "
      "stages.",
      Range(stages, stages->bubble_pct), batches, batches == 1 ? "" : "es",
      chunks > 1 ? fmt::format(" and {} chunks of layers per stage", chunks) : "",
      HumanValue(stages.Number(0, stages->ideal_pct), "%")));
  out.push_back(BubbleReason(stages, load, fullest, fault.has_value()));
  return out;
}

std::vector<std::string> DescribeExperts(const Report& report) {
  const RowsOf<ExpertLoad> exchanges(report);
  const auto worst = Largest(exchanges, exchanges->max_over_mean);
  if (!worst) return {};
  std::vector<std::string> out;
  std::vector<double> loads;
  std::set<std::int64_t> hot;
  double persistent = 0;
  std::int64_t steps = 0;
  for (std::size_t row = 0; row < exchanges.rows(); ++row) {
    const auto load = exchanges.Number(row, exchanges->max_over_mean);
    if (!load) continue;
    loads.push_back(*load);
    if (*load < kUnevenLoad) continue;
    steps = std::max(steps, exchanges.Int(row, exchanges->steps).value_or(0));
    hot.insert(exchanges.Int(row, exchanges->hottest_rank).value_or(-1));
    persistent += exchanges.Number(row, exchanges->persistence_pct).value_or(0) >= 75 ? 1 : 0;
  }
  const double most = *exchanges.Number(*worst, exchanges->max_over_mean);
  const auto uneven = static_cast<std::size_t>(
      std::count_if(loads.begin(), loads.end(), [](double load) { return load >= kUnevenLoad; }));
  if (uneven == 0) {
    out.push_back(fmt::format("Loads are even: nowhere has a rank more than {} times the mean.",
                              Number(most)));
    return out;
  }
  out.push_back(fmt::format(
      "In {} of {} one rank has at least {} times the mean load; at the worst, exchange {} of "
      "group {}, rank {} has {} times.",
      uneven, Plural(loads.size(), "exchange"), Number(kUnevenLoad),
      exchanges.Int(*worst, exchanges->exchange).value_or(-1),
      exchanges.Int(*worst, exchanges->group).value_or(-1),
      exchanges.Int(*worst, exchanges->hottest_rank).value_or(-1), Number(most)));
  if (hot.size() == 1) {
    out.push_back(
        fmt::format("It is rank {} everywhere: its experts are preferred, or too many of "
                    "the preferred ones are placed there.",
                    *hot.begin()));
  } else if (steps <= 1) {
    out.push_back(
        "Which rank it is differs; only one step was recorded, so whether it stays is "
        "not known.");
  } else if (2 * persistent >= static_cast<double>(uneven)) {
    out.push_back(
        "It is another rank from layer to layer, but the same one in most steps: the router of a "
        "layer prefers some experts for good. Balance it (loss or bias), or move experts.");
  } else {
    out.push_back(
        "It is another rank from step to step: batches differ. Capacity or larger batches even "
        "that out, other places for experts do not.");
  }
  return out;
}

}  // namespace rankscope
