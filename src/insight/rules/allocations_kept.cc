// allocations-kept: what one place allocates on a device is never freed, all through a window of
// snoop.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/snoop/analyses.h"
#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/rules/rules.h"
#include "schemas/snoop.h"

namespace rankscope {
namespace {

using LevelOf = std::tuple<std::int64_t, std::string, std::string>;  // window, level, memory

// By how much live bytes grow from the end of the first quarter of a window to its end. What lived
// before the window and is replaced in its first moments is in the first quarter.
std::map<LevelOf, double> GrowthOfLevels(const ViewOf<SnoopMemoryOverTime>& parts) {
  const auto& columns = SchemaOf<SnoopMemoryOverTime>();
  std::map<LevelOf, std::vector<std::int64_t>> levels;
  for (std::size_t row = 0; row < parts.row_count(); ++row) {
    levels[{parts.Int(row, columns.window), std::string(parts.TextOrEmpty(row, columns.level)),
            std::string(parts.TextOrEmpty(row, columns.memory))}]
        .push_back(parts.Int(row, columns.last_bytes));
  }
  std::map<LevelOf, double> growth;
  for (const auto& [level, bytes] : levels)
    growth[level] =
        static_cast<double>(bytes.back()) - static_cast<double>(bytes[bytes.size() / 4]);
  return growth;
}

// Windows that say something of steady work: long enough, and near the recording.
std::map<std::int64_t, std::int64_t> LengthsOf(const ViewOf<SnoopWindows>& windows) {
  const auto& columns = SchemaOf<SnoopWindows>();
  std::map<std::int64_t, std::int64_t> lengths;
  for (std::size_t row = 0; row < windows.row_count(); ++row) {
    const auto begin = static_cast<double>(windows.Int(row, columns.begin_ns));
    const auto length = static_cast<double>(windows.Int(row, columns.window_ns));
    if (length < kLeastWindowNs || begin > kWindowNearNs || begin + length < -kWindowNearNs)
      continue;
    lengths.emplace(windows.Int(row, columns.window), windows.Int(row, columns.window_ns));
  }
  return lengths;
}

struct Kept {
  std::size_t row = 0;
  std::uint32_t rank = 0;  // dense
  double bytes_per_s = 0;
};

std::string RateText(double bytes_per_s) { return fmt::format("{:.3g} MB", bytes_per_s / 1e6); }

// "empty (a.py:6), called by log_loss (a.py:11)": a helper alone says little.
std::string PlaceText(std::string_view place, std::string_view stack) {
  if (place.empty()) return "a stack that is not known";
  std::string text(place);
  const std::size_t at = stack.rfind(place);
  if (at == std::string_view::npos || at < 2 || stack[at - 1] != ';') return text;
  const std::string_view above = stack.substr(0, at - 1);
  return text + ", called by " + std::string(above.substr(above.rfind(';') + 1)) + ",";
}

std::optional<Cause> FindAllocationsKept(const RuleInput& input) {
  const auto allocations = input.Find<SnoopAllocations>();
  const auto parts = input.Find<SnoopMemoryOverTime>();
  const auto windows = input.Find<SnoopWindows>();
  if (!allocations || !parts || !windows || allocations->row_count() == 0) return std::nullopt;
  const auto& columns = SchemaOf<SnoopAllocations>();
  const std::map<LevelOf, double> growth = GrowthOfLevels(*parts);
  const std::map<std::int64_t, std::int64_t> lengths = LengthsOf(*windows);
  const std::map<std::int64_t, std::uint32_t> dense = DenseRanks(input);
  std::vector<Kept> kept;
  for (std::size_t row = 0; row < allocations->row_count(); ++row) {
    const std::string memory(allocations->TextOrEmpty(row, columns.memory));
    if (!memory.starts_with("device") || !allocations->Bool(row, columns.grows) ||
        allocations->Bool(row, columns.inner))
      continue;
    const std::int64_t window = allocations->Int(row, columns.window);
    const auto rank = dense.find(allocations->Known(row, columns.rank).value_or(-1));
    const double per_s = allocations->Double(row, columns.bytes_per_s);
    const auto level =
        growth.find({window, std::string(allocations->TextOrEmpty(row, columns.level)), memory});
    if (!lengths.contains(window) || rank == dense.end() || per_s < kLeastKeptBytesPerS ||
        level == growth.end())
      continue;
    // Three quarters of what the place keeps came behind the first.
    const auto bytes = static_cast<double>(allocations->Int(row, columns.bytes));
    if (level->second < kKeptInLevel * 0.75 * bytes) continue;
    kept.push_back({row, rank->second, per_s});
  }
  if (kept.empty()) return std::nullopt;
  std::ranges::stable_sort(kept, std::greater(), &Kept::bytes_per_s);
  Cause cause;
  std::set<std::uint32_t> ranks;
  cause.evidence_table = std::string(SnoopAllocations::kName);
  for (const Kept& one : kept) {
    ranks.insert(one.rank);
    if (cause.evidence.size() < 4)
      cause.evidence.push_back(
          {{"rank", fmt::format("{}", allocations->Int(one.row, columns.rank))},
           {"place", std::string(allocations->TextOrEmpty(one.row, columns.place))},
           {"call", std::string(allocations->TextOrEmpty(one.row, columns.call))},
           {"allocations", fmt::format("{}", allocations->Int(one.row, columns.count))},
           {"bytes per second", fmt::format("{:.0f}", one.bytes_per_s)}});
  }
  const Kept& worst = kept.front();
  const std::string place = PlaceText(allocations->TextOrEmpty(worst.row, columns.place),
                                      allocations->TextOrEmpty(worst.row, columns.stack));
  cause.ranks.assign(ranks.begin(), ranks.end());
  cause.gain = 0;
  cause.gain_method = "bound";
  cause.confidence = 0.8;
  cause.time_to_failure_ns = static_cast<std::int64_t>(kUsualDeviceBytes / worst.bytes_per_s * 1e9);
  cause.what = fmt::format(
      "device memory grows by {} a second from {} on {}: {} allocations by {} in {:.3g} s, none of "
      "them freed{}",
      RateText(worst.bytes_per_s), place, WhoText(input, cause.ranks),
      allocations->Int(worst.row, columns.count), allocations->TextOrEmpty(worst.row, columns.call),
      static_cast<double>(lengths.at(allocations->Int(worst.row, columns.window))) / 1e9,
      kept.size() > 1 ? fmt::format("; {} more places and ranks", kept.size() - 1) : "");
  return cause;
}

}  // namespace

const Rule& AllocationsKeptRule() {
  static const Rule kRule{
      .id = "allocations-kept",
      .summary = "what one place allocates on a device is never freed",
      .tier = Tier::kRoot,
      .takes = Takes::kMemory,
      .tables = {&SnoopAllocationsAnalysis(), &SnoopMemoryOverTimeAnalysis(),
                 &SnoopWindowsAnalysis()},
      .needs = RuleNeeds::kWindows,
      .find = FindAllocationsKept,
      .why =
          "allocations of one stack that a window of snoop saw made and not freed, in each of its "
          "quarters, while the level of the device grew",
      .recommendation =
          "Look who keeps what this line makes: detach what outlives the step "
          "(losses.append(loss.detach()) or loss.item()), drop references, bound caches.",
      .command = "rankscope table snoop_allocations TRACES",
  };
  return kRule;
}

}  // namespace rankscope
