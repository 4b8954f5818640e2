// Triggers: captures that nobody asked for by hand. Every process is profiled once at an iteration.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>

#include "agent/captures.h"
#include "agent/config.h"

namespace rankscope::agent {

// Not for several threads.
class Triggers {
 public:
  // `said` hears of every decision, with its reason.
  Triggers(const AgentConfig& config, Captures& captures,
           std::function<void(std::string_view)> said)
      : config_(config), captures_(captures), said_(std::move(said)) {}

  void Tick(Now now);

 private:
  bool HasBudget(Now now);

  const AgentConfig& config_;
  Captures& captures_;
  const std::function<void(std::string_view)> said_;
  std::deque<std::int64_t> made_ms_;  // of the last hour
  bool was_told_of_budget_ = false;
};

}  // namespace rankscope::agent
