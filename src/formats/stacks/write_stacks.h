// Writes call stacks for other tools' flame graphs.
//
// kCollapsed: a line per stack, "main;f;g 1200", frames from the outside in and nanoseconds behind
// the last space: what flamegraph.pl, inferno and speedscope read.
// kSpeedscope: speedscope's own file format (https://www.speedscope.app/file-format-schema.json), a
// profile of type "sampled" in nanoseconds.
//
// Stacks without weight are left out. Beyond `most` stacks, those with the least weight become one,
// "(others)", so that the weights still sum to the whole.
#pragma once

#include <string>
#include <string_view>

#include "trace/stack_tree.h"

namespace rankscope::stacks {

enum class Format : std::uint8_t { kCollapsed, kSpeedscope };
enum class Weight : std::uint8_t { kDevice, kHost };

// `title` names the profile where the format has a place for it.
std::string Write(const StackTree& tree, Format format, Weight weight, std::size_t most,
                  std::string_view title);

}  // namespace rankscope::stacks
