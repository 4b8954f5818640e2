// Timeline: a number over a window, in a limited number of equal parts. Each part has its highest
// and its last value. A part without a change keeps the last value before it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace rankscope::snoop {

class Timeline {
 public:
  static constexpr std::int64_t kParts = 400;
  struct Part {
    std::uint64_t highest = 0, last = 0;
  };

  // `begin_ns` and `length_ns`: of the window.
  Timeline(std::int64_t begin_ns, std::int64_t length_ns)
      : begin_ns_(begin_ns),
        part_ns_(std::max<std::int64_t>((length_ns + kParts - 1) / kParts, 1)) {}

  // Call in time order; a time slightly before the last one counts as the last one.
  void Set(std::int64_t time_ns, std::uint64_t value) {
    const auto part = static_cast<std::size_t>(
        std::clamp<std::int64_t>((time_ns - begin_ns_) / part_ns_, 0, kParts - 1));
    GrowTo(part + 1);
    parts_.back().last = value;
    parts_.back().highest = std::max(parts_.back().highest, value);
  }

  std::int64_t part_ns() const { return part_ns_; }
  // Parts up to the end of the window, also when it was cut short.
  std::vector<Part> PartsUntil(std::int64_t end_ns) const {
    Timeline whole = *this;
    whole.GrowTo(static_cast<std::size_t>(
        std::clamp<std::int64_t>((end_ns - begin_ns_ + part_ns_ - 1) / part_ns_, 0, kParts)));
    return whole.parts_;
  }

 private:
  void GrowTo(std::size_t count) {
    const std::uint64_t last = parts_.empty() ? 0 : parts_.back().last;
    if (parts_.size() < count) parts_.resize(count, {last, last});
  }

  std::int64_t begin_ns_, part_ns_;
  std::vector<Part> parts_;
};

}  // namespace rankscope::snoop
