// Energy per token: the energy of devices while a serving program generated tokens.
//
//   joules_per_token = joules of all devices / output tokens, both over the same time
//
// For a level of a load run: over its window (load/level.h), with its requests' tokens. For the
// whole recording: over the time in which devices and the program were read, with the program's
// counters of generated tokens, which grow evenly between two scrapes, else with requests that
// ended in that time.
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
  // The part of the joules while every replica's gauge of running requests was 0.
  std::optional<double> idle_pct;

  double watts() const { return joules / (static_cast<double>(duration) / 1e9); }
  std::optional<double> joules_per_token() const {
    if (!output_tokens || *output_tokens <= 0) return std::nullopt;
    return joules / *output_tokens;
  }
};

// All first, then levels in their order; those of unknown energy are left out.
std::vector<EnergyRow> EnergyOf(const Analysis& all, const std::vector<LevelResult>& levels,
                                const DeviceEnergy& devices);

}  // namespace rankscope::serving
