// What telemetry says of ranks: means of the samples around their recordings.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "insight/base/rule_input.h"

namespace rankscope {

// Of the table telemetry_by_rank, which the rules that use it list.
class TelemetryOfRanks {
 public:
  explicit TelemetryOfRanks(const RuleInput& input);

  // By dense number of the rank; of its device or process, else of its host.
  std::optional<double> Mean(std::uint32_t rank, std::string_view name) const;
  // Why its clocks were held down in half of the samples or more, in words: what heat, power, or a
  // brake from outside does. Idling and limits that somebody set are no such reasons.
  std::vector<std::string> HeldDownBy(std::uint32_t rank) const;

 private:
  struct Sum {
    double sum = 0;
    double samples = 0;
  };
  using Means = std::map<std::string, Sum, std::less<>>;
  std::vector<Means> of_ranks_, of_hosts_;  // by dense number
};

// The median of what is known of these ranks.
std::optional<double> UsualOf(const TelemetryOfRanks& telemetry, std::string_view name,
                              const std::vector<std::uint32_t>& ranks);

}  // namespace rankscope
