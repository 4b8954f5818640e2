#include "insight/evidence/peers/telemetry_of_ranks.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/median.h"
#include "insight/base/cause_tools.h"
#include "quantity/slowdowns.h"
#include "schemas/telemetry.h"

namespace rankscope {
namespace {

// Why clocks are held down, and the words for it.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kReasons = {{
    {quantity::kHardwareThermal, "heat (hardware)"},
    {quantity::kSoftwareThermal, "heat (driver)"},
    {quantity::kPowerBrake, "a power brake"},
    {quantity::kHardwareSlowdown, "a hardware slowdown"},
    {quantity::kSoftwarePowerCap, "the power cap"},
}};
constexpr double kMostly = 0.5;  // of the samples

}  // namespace

TelemetryOfRanks::TelemetryOfRanks(const RuleInput& input)
    : of_ranks_(input.ranks()), of_hosts_(input.ranks()) {
  const auto table = input.Find<TelemetryByRank>();
  if (!table) return;
  const std::map<std::int64_t, std::uint32_t> dense = DenseRanks(input);
  const auto& columns = SchemaOf<TelemetryByRank>();
  for (std::size_t row = 0; row < table->row_count(); ++row) {
    const auto rank = dense.find(table->Int(row, columns.rank));
    if (rank == dense.end()) continue;
    auto& of = table->String(row, columns.of) == "rank" ? of_ranks_ : of_hosts_;
    Sum& sum = of[rank->second][std::string(table->String(row, columns.name))];
    const auto samples = static_cast<double>(table->Int(row, columns.samples));
    sum.sum += samples * table->Double(row, columns.mean);
    sum.samples += samples;
  }
}

std::optional<double> TelemetryOfRanks::Mean(std::uint32_t rank, std::string_view name) const {
  for (const auto* of : {&of_ranks_[rank], &of_hosts_[rank]}) {
    const auto found = of->find(name);
    if (found != of->end()) return found->second.sum / found->second.samples;
  }
  return std::nullopt;
}

std::vector<std::string> TelemetryOfRanks::HeldDownBy(std::uint32_t rank) const {
  std::vector<std::string> reasons;
  for (const auto& [reason, words] : kReasons) {
    if (Mean(rank, quantity::SlowedBy(reason)).value_or(0) >= kMostly) reasons.emplace_back(words);
  }
  return reasons;
}

std::optional<double> UsualOf(const TelemetryOfRanks& telemetry, std::string_view name,
                              const std::vector<std::uint32_t>& ranks) {
  std::vector<double> known;
  for (const std::uint32_t rank : ranks) {
    if (const auto mean = telemetry.Mean(rank, name)) known.push_back(*mean);
  }
  if (known.empty()) return std::nullopt;
  return MedianOf(known);
}

}  // namespace rankscope
