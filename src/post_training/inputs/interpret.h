// Metric names of veRL, TRL, OpenRLHF and torchforge, and their meaning for a step.
#pragma once

#include <optional>
#include <string_view>

#include "post_training/base/data.h"
#include "post_training/inputs/metric_row.h"

namespace rankscope::post_training {

enum class Framework : std::uint8_t { kVerl, kTrl, kOpenRlhf, kTorchforge };
std::string_view ToString(Framework framework);

// The framework of a row, by its metric names; nullopt if it has no time of a post-training step.
std::optional<Framework> FrameworkOf(const MetricRow& row);

// The step of a row. Times that are negative, not finite or longer than ten years are unknown.
//
// veRL: timing_s/*. `generate_sequences` and `reshard` are part of `gen`. With `fully_async/*`,
// `gen` is the trainer's wait for samples; with `wait_prev_gen` the run is one step off-policy and
// `gen` is the generator's time. TRL: `profiling/Time taken`; training is the step without
// `_prepare_inputs`, since the backward pass has no timer. OpenRLHF: timing/*; if its phases exceed
// the step, generation overlaps training. torchforge: main_perf/continuous_training/*.
LogStep StepOf(const MetricRow& row, Framework framework);

}  // namespace rankscope::post_training
