// memory-leak: device memory grows from step to step.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "analysis/memory/analyses.h"
#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/rules/rules.h"
#include "schemas/memory.h"

namespace rankscope {
namespace {

// What a device has left.
struct Room {
  std::optional<std::int64_t> capacity;  // nullopt: not stated
  double level = 0;
  double bytes_per_step = 0;

  double Size() const { return capacity ? static_cast<double>(*capacity) : kUsualDeviceBytes; }
  double Steps() const { return std::max(0.0, Size() - level) / bytes_per_step; }
};

std::optional<Cause> FindMemoryLeak(const RuleInput& input) {
  const auto growth = input.Find<MemoryGrowth>();
  if (!growth) return std::nullopt;
  const auto& columns = SchemaOf<MemoryGrowth>();
  const std::map<std::int64_t, std::uint32_t> dense = DenseRanks(input);
  Cause cause;
  std::set<std::uint32_t> ranks;
  std::optional<Room> first;
  cause.evidence_table = std::string(MemoryGrowth::kName);
  for (std::size_t row = 0; row < growth->row_count(); ++row) {
    const auto slope = growth->Known(row, columns.bytes_per_step);
    const auto chance = growth->Known(row, columns.p_value);
    const auto found = dense.find(growth->Int(row, columns.rank));
    if (growth->IsNull(row, columns.device) || !slope || !chance || found == dense.end()) continue;
    const auto grown = static_cast<double>(growth->Known(row, columns.growth_bytes).value_or(0));
    const auto last = static_cast<double>(growth->Known(row, columns.last_end_bytes).value_or(0));
    // As likely by chance as one order of the steps that were seen.
    if (*slope < kLeastLeakBytes || *chance > kLeakChance || grown < kLeakOfLevel * last) continue;
    ranks.insert(found->second);
    const Room room{.capacity = growth->Known(row, columns.capacity_bytes),
                    .level = last,
                    .bytes_per_step = *slope};
    if (!first || room.Steps() < first->Steps()) first = room;
    if (cause.evidence.size() < 4)
      cause.evidence.push_back({{"rank", fmt::format("{}", growth->Int(row, columns.rank))},
                                {"bytes per step", fmt::format("{:.0f}", *slope)},
                                {"p value", fmt::format("{:.2g}", *chance)}});
  }
  if (!first || input.step_ns() <= 0) return std::nullopt;
  cause.ranks.assign(ranks.begin(), ranks.end());
  cause.time_to_failure_ns = static_cast<std::int64_t>(first->Steps() * input.step_ns());
  cause.gain = 0;
  cause.gain_method = "bound";
  cause.what = fmt::format(
      "allocated memory grows by {:.3g} MB with every step on {}: at this rate {:.0f} GB{} are "
      "full in {:.0f} steps",
      first->bytes_per_step / 1e6, WhoText(input, cause.ranks), first->Size() / 1e9,
      first->capacity ? "" : " (assumed: the traces do not state what the device has)",
      first->Steps());
  return cause;
}

}  // namespace

const Rule& MemoryLeakRule() {
  static const Rule kRule{
      .id = "memory-leak",
      .summary = "device memory grows with every step",
      .tier = Tier::kRoot,
      .takes = Takes::kMemory,
      .tables = {&MemoryGrowthAnalysis()},
      .needs = RuleNeeds::kAllocations,
      .find = FindMemoryLeak,
      .why =
          "bytes that are allocated at the same point of each step: Theil-Sen slope, Mann-Kendall "
          "test",
      .recommendation =
          "Detach what is kept beyond the step (losses.append(loss.detach()) or loss.item() now "
          "and then), drop references to outputs and graphs, clear lists of tensors.",
      .command = "rankscope table memory_outliving TRACES",
  };
  return kRule;
}

}  // namespace rankscope
