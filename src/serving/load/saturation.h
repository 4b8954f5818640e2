// The joint results of a load run's levels: the marks of the saturation curve.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "serving/base/data.h"
#include "serving/load/level.h"

namespace rankscope::serving {

// Levels in their order, with their requests' results.
std::vector<LevelResult> LevelsOf(const ServingData& data, const Objective& objective);

// Indices of levels; of open ones that are valid and not too short. nullopt: no such level.
struct Saturation {
  // The highest rate that the server sustains, of two levels or more, and the lowest that it does
  // not (IsBeyond).
  std::optional<std::size_t> capacity, overload;
  // The highest rate, below all overloads, at which requests meet the objective (kGoodPct), and the
  // lowest at which they do not.
  std::optional<std::size_t> objective, broken;
  // The level with the greatest ratio of served requests to mean time (Kleinrock 1979: the power of
  // a queue), of four levels or more; neither the first nor the last.
  std::optional<std::size_t> knee;
  // What the server is known to sustain: the rate of `objective` if there is one to meet, else of
  // `capacity`.
  std::optional<double> sustained_per_s;
};
Saturation SaturationOf(std::span<const LevelResult> levels, const Objective& objective);

// What an open level of one rate leaves of the sustained rate: 1 - rate / sustained, in percent.
// nullopt beyond that rate.
std::optional<double> HeadroomPct(const LevelResult& level, const Saturation& found);

}  // namespace rankscope::serving
