#include <algorithm>

#include "base/hash.h"
#include "snapshot/snapshot.h"

namespace rankscope::snapshot {

std::size_t Stacks::FrameHash::operator()(const Frame& frame) const {
  const std::uint64_t words[2] = {std::uint64_t{frame.name} << 32 | frame.file,
                                  static_cast<std::uint64_t>(frame.line)};
  return Checksum64(words, sizeof(words));
}

Stacks::Stacks() { ends_.push_back(0); }

std::uint32_t Stacks::InternFrame(const Frame& frame) {
  const auto [place, is_new] =
      frame_ids_.try_emplace(frame, static_cast<std::uint32_t>(frames_.size()));
  if (is_new) frames_.push_back(frame);
  return place->second;
}

std::span<const std::uint32_t> Stacks::Frames(std::uint32_t stack) const {
  const std::uint64_t begin = stack == 0 ? 0 : ends_[stack - 1];
  return std::span(frames_of_stacks_).subspan(begin, ends_[stack] - begin);
}

std::uint32_t Stacks::InternStack(std::span<const std::uint32_t> frames) {
  if (frames.empty()) return 0;
  for (std::uint64_t hash = Checksum64(frames.data(), frames.size_bytes());; ++hash) {
    const auto [place, is_new] =
        by_hash_.try_emplace(hash, static_cast<std::uint32_t>(ends_.size()));
    if (!is_new) {
      if (std::ranges::equal(Frames(place->second), frames)) return place->second;
      continue;
    }
    frames_of_stacks_.insert(frames_of_stacks_.end(), frames.begin(), frames.end());
    ends_.push_back(frames_of_stacks_.size());
    return place->second;
  }
}

std::uint64_t Stacks::bytes() const {
  return frames_.size() * (2 * sizeof(Frame) + 8) + frames_of_stacks_.size() * 4 +
         ends_.size() * 32;
}

}  // namespace rankscope::snapshot
