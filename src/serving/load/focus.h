// The part of a load run that shows what limits the server. Stages, batches and causes over all
// levels together, from one user to overload, would say nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "serving/load/saturation.h"

namespace rankscope::serving {

// The level to examine: the lowest rate that breaks the objective or that the server cannot
// sustain, else the highest rate it was given, else the most users. nullopt below two levels.
std::optional<std::size_t> FocusOf(std::span<const LevelResult> levels, const Saturation& found);

// The recording of that level: its requests, and other records (scrapes, loads, iterations,
// requests without a level) from its begin to its last answer. Records without a moment are left
// out.
ServingData PartOf(const ServingData& data, const LoadLevel& level);

}  // namespace rankscope::serving
