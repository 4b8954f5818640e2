// Energy per token: what devices drew while a serving program gave tokens.
//
//   joules_per_token = joules of all devices / output tokens, both over the same time
//
// Of each level of a load run over its window (load/level.h), by its requests' tokens; of all that
// was recorded over the time in which devices and the program were read, by the program's counters
// of generated tokens, which grow evenly between two scrapes, else by requests that ended in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "serving/causes/analysis.h"
#include "serving/load/level.h"
#include "serving/metrics/device_energy.h"

namespace rankscope::serving {

struct EnergyRow {
  std::string part;  // "all", "level 2"
  std::int64_t begin = 0, duration = 0;
  double joules = 0;
  std::optional<double> output_tokens;
  // Of the joules: while every replica's gauge of running requests was 0.
  std::optional<double> idle_pct;

  double watts() const { return joules / (static_cast<double>(duration) / 1e9); }
  std::optional<double> joules_per_token() const {
    if (!output_tokens || *output_tokens <= 0) return std::nullopt;
    return joules / *output_tokens;
  }
};

// All first, then levels in their order; those whose energy is not known are left out.
std::vector<EnergyRow> EnergyOf(const Analysis& all, const std::vector<LevelResult>& levels,
                                const DeviceEnergy& devices);

}  // namespace rankscope::serving
