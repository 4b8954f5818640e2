// The part of a load run in which it shows what limits the server: of all levels together, from one
// user to overload, stages, batches and causes would say nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "serving/load/saturation.h"

namespace rankscope::serving {

// Of several levels the one to look at: the lowest rate that breaks the objective or that the
// server does not bear, else the highest that it was given, else the most users. nullopt below two
// levels.
std::optional<std::size_t> FocusOf(std::span<const LevelResult> levels, const Saturation& found);

// What was recorded of that level: its requests, and what others recorded (scrapes, loads,
// iterations, requests without a level) from its begin to its last answer. What has no moment is
// left out.
ServingData PartOf(const ServingData& data, const LoadLevel& level);

}  // namespace rankscope::serving
