// Rule: the condition on a number that starts a capture, as people write it:
//
//   device_power_watts{device="0"} < 200 for 60s
//   rate(network_drops_total{device="eth0"}) > 100 for 30s
//   increase(oom_kills_total) > 0
//   relative(job_value{name="step_time_s"}) > 1.3 for 2min
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "agent/telemetry/selector.h"
#include "base/status.h"

namespace rankscope::agent {

// The value compared with the threshold.
enum class RuleValue : std::uint8_t {
  kItself,
  kRate,      // of a counter, per second, between two readings
  kIncrease,  // of a counter, between two readings
  kRelative,  // to the median of its own last values: kLeastHistory of them at least
};

struct Rule {
  static constexpr std::size_t kMostHistory = 60;
  static constexpr std::size_t kLeastHistory = 10;

  std::string text;
  RuleValue value = RuleValue::kItself;
  Selector selector;
  bool is_above = false;  // else below
  double threshold = 0;
  std::int64_t hold_ms = 0;  // so long it has to be so
};

// [FUNCTION(]NAME[{LABEL="...",...}][)] <|> NUMBER [for DURATION], a duration such as 500ms, 60s,
// 5min or 1h. kInvalidArgument names the column, the expected text and the actual one.
Result<Rule> ParseRule(std::string_view text);

}  // namespace rankscope::agent
