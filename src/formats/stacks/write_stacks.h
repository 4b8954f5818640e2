// Writes call stacks for other tools' flame graphs.
//
// kCollapsed: one line per stack, "main;f;g 1200", outermost frame first, nanoseconds after the
// last space: the format of flamegraph.pl, inferno and speedscope.
// kSpeedscope: speedscope's own file format (https://www.speedscope.app/file-format-schema.json), a
// profile of type "sampled" in nanoseconds.
//
// Stacks without weight are left out. Beyond `most` stacks, the lightest ones are combined into
// one, "(others)", so that the weights still sum to the total.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::stacks {

enum class Format : std::uint8_t { kCollapsed, kSpeedscope };
enum class Weight : std::uint8_t { kDevice, kHost };

// Call stacks as a tree. Names contain no ';' and no control characters; StackFrameName ensures
// that.
struct Profile {
  static constexpr std::uint32_t kNoParent = UINT32_MAX;
  struct Frame {
    std::uint32_t parent = kNoParent;  // its index is smaller than the children's
    std::uint32_t name = 0;            // index of names
    std::int64_t host_ns = 0;          // self time, without frames inside
    std::int64_t device_ns = 0;
  };
  std::vector<std::string> names;
  std::vector<Frame> frames;
};

// `title` names the profile if the format has a place for it.
std::string Write(const Profile& profile, Format format, Weight weight, std::size_t most,
                  std::string_view title);

}  // namespace rankscope::stacks
