#include "report/layout_words.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "report/table_view.h"
#include "report/wording.h"
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

void DescribeRole(const TableView& layout, const std::vector<std::size_t>& rows,
                  const std::string& name, LayoutSentences* out) {
  std::string degrees;
  std::optional<std::int64_t> experts;
  std::vector<std::pair<std::string_view, std::string_view>> sources;
  for (const std::size_t row : rows) {
    const std::string_view dimension = layout.String(row, "dimension");
    const std::int64_t degree = layout.Int(row, "degree").value_or(1);
    if (degree <= 1) continue;
    sources.emplace_back(dimension, layout.String(row, "source"));
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
  if (layout.Flag(first, "partial")) {
    const auto all = layout.Int(first, "ranks");
    out->warnings.push_back(all ? fmt::format("{}partial: {} of {} ranks were recorded", name,
                                              layout.Int(first, "ranks_seen").value_or(0), *all)
                                : fmt::format("{}partial: not all ranks were recorded", name));
  }
  for (const std::size_t row : rows) {
    const std::string_view conflicts = layout.String(row, "conflicts");
    if (!conflicts.empty())
      out->warnings.push_back(fmt::format("{}{} is uncertain: {}", name,
                                          layout.String(row, "dimension"),
                                          SafeForTerminal(conflicts)));
  }
}

std::string Range(const TableView& view, std::string_view column, std::string_view where,
                  std::string_view key) {
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
  return fmt::format("{} ({} {}) to {} ({} {})", low, where, view.Int(*least, key).value_or(-1),
                     high, where, view.Int(*most, key).value_or(-1));
}

std::optional<std::size_t> Largest(const TableView& view, std::string_view column) {
  std::optional<std::size_t> most;
  for (std::size_t row = 0; row < view.rows(); ++row) {
    const auto value = view.Number(row, column);
    if (value && (!most || *value > *view.Number(*most, column))) most = row;
  }
  return most;
}

// The mean over stages; null when it is unknown of any, since stages lean on each other.
std::optional<double> MeanExcess(const TableView& stages) {
  double sum = 0;
  for (std::size_t row = 0; row < stages.rows(); ++row) {
    const auto excess = stages.Number(row, "excess_pct");
    if (!excess) return std::nullopt;
    sum += *excess;
  }
  return sum / static_cast<double>(stages.rows());
}

// Why there is a bubble: too few micro-batches, stages that differ, or neither. When the fullest
// stage has `load` percent of the mean, a step takes that much longer and a mean stage works for
// (100 - ideal) / load of it.
std::string BubbleReason(const TableView& stages, double load) {
  const auto excess = MeanExcess(stages);
  if (!excess)
    return "Stages are missing or their clocks are not known to each other, so the reason is not "
           "known.";
  const double ideal = stages.Number(0, "ideal_pct").value_or(0);
  const double by_load = (100 - ideal) * (1 - 100 / std::max(load, 100.0));
  const std::string more_batches =
      "More micro-batches per step, or interleaved stages, make the ideal smaller.";
  if (*excess < kLeastExcessPct) {
    return ideal < kLeastExcessPct
               ? "There is little to gain."
               : "The number of micro-batches is the reason, not imbalance. " + more_batches;
  }
  std::string cause = "stages are uneven; moving layers off the fullest one shrinks it";
  if (2 * by_load < *excess) {
    cause =
        (load >= kFullStagePct ? fmt::format("uneven stages explain {} of the step, the rest is ",
                                             HumanValue(by_load, "%"))
                               : "stages are equally full, so it is ") +
        "passes that differ in length, messages or the host; the schedule shows long passes "
        "and gaps";
  }
  const std::string beyond =
      fmt::format("{} on average is beyond the ideal: {}.", HumanValue(excess, "%"), cause);
  if (*excess >= kMuchMore * ideal) return "Most of it is no matter of micro-batches: " + beyond;
  if (ideal >= kMuchMore * *excess)
    return fmt::format("Most of it is the number of micro-batches. {} {}", beyond, more_batches);
  return fmt::format("The number of micro-batches counts, and as much is lost otherwise: {} {}",
                     beyond, more_batches);
}

}  // namespace

LayoutSentences DescribeLayout(const Report& report) {
  const TableView layout(report, "layout");
  std::vector<std::string_view> order;
  std::map<std::string_view, std::vector<std::size_t>> roles;
  for (std::size_t row = 0; row < layout.rows(); ++row) {
    std::vector<std::size_t>& rows = roles[layout.String(row, "role")];
    if (rows.empty()) order.push_back(layout.String(row, "role"));
    rows.push_back(row);
  }
  LayoutSentences out;
  for (const std::string_view role : order) {
    DescribeRole(layout, roles[role], order.size() > 1 ? fmt::format("{}: ", role) : "", &out);
  }
  return out;
}

std::vector<std::string> DescribePipeline(const Report& report) {
  const TableView stages(report, "pipeline");
  if (stages.empty()) return {};
  std::vector<std::string> out;
  const auto fullest = Largest(stages, "load_pct");
  const double load = fullest ? *stages.Number(*fullest, "load_pct") : 100;
  const std::int64_t stage = fullest ? stages.Int(*fullest, "stage").value_or(-1) : -1;
  if (load >= kFullStagePct) {
    out.push_back(
        fmt::format("Stage {} is the fullest: its passes take {} longer than the mean "
                    "of the stages'.",
                    stage, HumanValue(load - 100, "%")));
  } else if (stages.rows() > 1 && fullest) {
    out.push_back(
        fmt::format("Stages are evenly full: passes of the fullest, stage {}, take {} "
                    "longer than the mean.",
                    stage, HumanValue(load - 100, "%")));
  }
  const std::int64_t chunks = stages.Int(0, "virtual_stages").value_or(1);
  out.push_back(fmt::format(
      "Stages stand still for {} of a step. With {} micro-batches{}, {} is the ideal of equal "
      "stages.",
      Range(stages, "bubble_pct", "stage", "stage"), stages.Int(0, "micro_batches").value_or(0),
      chunks > 1 ? fmt::format(" and {} chunks of layers per stage", chunks) : "",
      HumanValue(stages.Number(0, "ideal_pct"), "%")));
  out.push_back(BubbleReason(stages, load));
  return out;
}

std::vector<std::string> DescribeExperts(const Report& report) {
  const TableView exchanges(report, "expert_load");
  const auto worst = Largest(exchanges, "max_over_mean");
  if (!worst) return {};
  std::vector<std::string> out;
  std::vector<double> loads;
  std::set<std::int64_t> hot;
  double persistent = 0;
  std::int64_t steps = 0;
  for (std::size_t row = 0; row < exchanges.rows(); ++row) {
    const auto load = exchanges.Number(row, "max_over_mean");
    if (!load) continue;
    loads.push_back(*load);
    if (*load < kUnevenLoad) continue;
    steps = std::max(steps, exchanges.Int(row, "steps").value_or(0));
    hot.insert(exchanges.Int(row, "hottest_rank").value_or(-1));
    persistent += exchanges.Number(row, "persistence_pct").value_or(0) >= 75 ? 1 : 0;
  }
  const double most = *exchanges.Number(*worst, "max_over_mean");
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
      exchanges.Int(*worst, "exchange").value_or(-1), exchanges.Int(*worst, "group").value_or(-1),
      exchanges.Int(*worst, "hottest_rank").value_or(-1), Number(most)));
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
