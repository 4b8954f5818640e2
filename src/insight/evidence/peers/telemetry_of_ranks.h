// Telemetry of ranks: means of the samples around their recordings.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "insight/base/rule_input.h"

namespace rankscope {

// From the table telemetry_by_rank, which rules that use this must list.
class TelemetryOfRanks {
 public:
  explicit TelemetryOfRanks(const RuleInput& input);

  // By dense number of the rank; of its device or process, else of its host.
  std::optional<double> Mean(std::uint32_t rank, std::string_view name) const;
  // The reasons, in words, for low clocks in at least half of the samples: heat, power or an
  // external brake. Idling and configured limits do not count.
  std::vector<std::string> HeldDownBy(std::uint32_t rank) const;

 private:
  struct Sum {
    double sum = 0;
    double samples = 0;
  };
  using Means = std::map<std::string, Sum, std::less<>>;
  std::vector<Means> of_ranks_, of_hosts_;  // by dense number
};

// The median of the known values of these ranks.
std::optional<double> UsualOf(const TelemetryOfRanks& telemetry, std::string_view name,
                              const std::vector<std::uint32_t>& ranks);

}  // namespace rankscope
