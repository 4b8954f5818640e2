#include "report/words/host_alone_words.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "report/base/table_view.h"
#include "report/base/wording.h"
#include "schemas/across.h"
#include "schemas/ops.h"
#include "schemas/steps.h"
#include "schemas/unknown_gaps.h"
#include "table/human_number.h"
#include "table/terminal_text.h"

namespace rankscope {
namespace {

constexpr double kMostOfIt = 0.5;
constexpr double kWorthIt = 0.01;

struct Collectives {
  double ns = 0;         // on all members
  double waited_ns = 0;  // of that, where all members were recorded
  double told_ns = 0;    // of ns, of these
  std::int64_t count = 0;
};

// The op of collectives that takes most, and its sums.
std::pair<std::string_view, Collectives> LargestCollectives(const Report& report) {
  const RowsOf<CollectiveSizes> sizes(report);
  std::map<std::string_view, Collectives> by_op;
  for (std::size_t row = 0; row < sizes.rows(); ++row) {
    Collectives& of_op = by_op[sizes.String(row, sizes->op)];
    const double ns = sizes.Number(row, sizes->device_ns).value_or(0);
    of_op.ns += ns;
    of_op.count += sizes.Int(row, sizes->count).value_or(0);
    if (const auto wait_pct = sizes.Number(row, sizes->wait_pct)) {
      of_op.waited_ns += *wait_pct / 100 * ns;
      of_op.told_ns += ns;
    }
  }
  const auto most = std::max_element(by_op.begin(), by_op.end(), [](const auto& a, const auto& b) {
    return a.second.ns < b.second.ns;
  });
  if (most == by_op.end()) return {};
  return *most;
}

// "all_reduce for 2.13 s in 10 calls, 34% of it waiting for the last rank"
std::string DescribeCollectives(std::string_view op, const Collectives& of_op) {
  if (of_op.ns <= 0) return "";
  return fmt::format(
      " Its ranks are in {} of a process group on the host for {} in {}, {}.", SafeForTerminal(op),
      HumanDuration(of_op.ns), Plural(static_cast<std::size_t>(of_op.count), "call"),
      2 * of_op.told_ns < of_op.ns
          ? std::string("side by side or not; other ranks were not recorded, so how much of that "
                        "is waiting for them is not known")
          : fmt::format("{} of it waiting for the last rank",
                        HumanPercent(100 * of_op.waited_ns / of_op.told_ns)));
}

std::pair<std::string_view, double> Largest(const std::map<std::string_view, double>& sums) {
  const auto most = std::max_element(
      sums.begin(), sums.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == sums.end()) return {};
  return *most;
}

}  // namespace

std::string DescribeHostAlone(const Report& report) {
  const auto [collective, collectives] = LargestCollectives(report);
  std::string text = DescribeCollectives(collective, collectives);
  const RowsOf<Phases> phases(report);
  std::map<std::string_view, double> sums;
  for (std::size_t row = 0; row < phases.rows(); ++row) {
    const std::string_view phase = phases.String(row, phases->phase);
    if (phase != "other" && phases.Int(row, phases->step))
      sums[phase] += phases.Number(row, phases->duration_ns).value_or(0);
  }
  const RowsOf<OpsByName> ops(report);
  std::map<std::string_view, double> of_ops;
  for (std::size_t row = 0; row < ops.rows(); ++row)
    of_ops[ops.String(row, ops->name)] += ops.Number(row, ops->host_self_ns).value_or(0);
  const auto [phase, phase_ns] = Largest(sums);
  const auto [op, op_ns] = Largest(of_ops);
  if (phase_ns > 0)
    text +=
        fmt::format(" The largest phase of its steps is {} ({}).", phase, HumanDuration(phase_ns));
  // What takes next to nothing beside the rest is not worth a sentence.
  if (op_ns > 0 && op_ns >= kWorthIt * std::max(phase_ns, collectives.ns))
    text += fmt::format(" The op that takes most itself is {} ({}).", SafeForTerminal(op),
                        HumanDuration(op_ns));
  return text;
}

std::string DescribeExposed(const Report& report) {
  constexpr double kMuchPct = 10;
  const RowsOf<JobBreakdown> parts(report);
  for (std::size_t row = 0; row < parts.rows(); ++row) {
    const double pct = parts.Number(row, parts->share_pct).value_or(0);
    if (parts.String(row, parts->part) == "exposed_communication" && pct >= kMuchPct)
      return fmt::format(" Communication that no computing hides takes {} of device time.",
                         HumanPercent(pct));
  }
  return "";
}

std::string DescribeIdle(const Report& report, double gain_pct) {
  constexpr double kMostPct = 50;
  constexpr double kPartOfIt = 1.0 / 3;
  constexpr double kMuchLeftPct = 40;
  const RowsOf<JobBreakdown> parts(report);
  double idle_pct = 0;
  for (std::size_t row = 0; row < parts.rows(); ++row) {
    const std::string_view part = parts.String(row, parts->part);
    if (part.starts_with("idle") || part == "unknown")
      idle_pct += parts.Number(row, parts->share_pct).value_or(0);
  }
  const bool is_little = gain_pct < kPartOfIt * idle_pct;
  if (idle_pct < kMostPct || (!is_little && idle_pct - gain_pct < kMuchLeftPct)) return "";
  return fmt::format(
      " Devices run nothing for {} of the time; the causes below explain {} of that.",
      HumanPercent(idle_pct),
      is_little ? std::string("little") : fmt::format("{:.1f} points", gain_pct));
}

std::string DescribeBlockedHost(const Report& report) {
  const RowsOf<UnknownGaps> gaps(report);
  double all_ns = 0;
  std::map<std::pair<std::string_view, std::string_view>, double> by_place;  // op, call
  for (std::size_t row = 0; row < gaps.rows(); ++row) {
    const double ns = gaps.Number(row, gaps->total_ns).value_or(0);
    all_ns += ns;
    const std::string_view op = gaps.String(row, gaps->host_op);
    if (op != UnknownGaps::kOthers) by_place[{op, gaps.String(row, gaps->host_call)}] += ns;
  }
  const auto most =
      std::max_element(by_place.begin(), by_place.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == by_place.end() || most->second < kMostOfIt * all_ns) return "";
  const auto& [op, call] = most->first;
  if (call.empty()) return "";
  return fmt::format(
      " For {} of it the host is in {}{} and no device runs anything: what it waits for was not "
      "recorded.",
      HumanDuration(most->second), SafeForTerminal(call),
      op.empty() ? "" : fmt::format(" of {}", SafeForTerminal(op)));
}

}  // namespace rankscope
