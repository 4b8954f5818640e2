// WeightedTree: a call tree with two weights, host and device time. Trees of ranks are merged into
// one by path, and what is small is folded into the frame around it without losing a nanosecond:
// what flame graphs are drawn of.
//
// A frame is known by its parent, name and kind, so the order in which trees are merged does not
// matter. Not thread-safe. About 100 bytes per frame while merging.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

enum class FrameKind : std::uint8_t {
  kPython,
  kModule,
  kOp,
  kAnnotation,
  kCall,
  kKernel,
  kCommunication,
  kCopy,
  kNone  // (others), (no stack)
};
inline constexpr int kFrameKindCount = 9;
std::string_view ToString(FrameKind kind);  // "python", ...; "" for kNone

class WeightedTree {
 public:
  static constexpr std::uint32_t kRoot = UINT32_MAX;

  struct Weights {
    std::int64_t count = 0;
    std::int64_t host_ns = 0;
    std::int64_t device_ns = 0;
    void Add(const Weights& other);  // saturates
    bool IsZero() const { return count == 0 && host_ns == 0 && device_ns == 0; }
  };
  struct Frame {
    std::uint32_t parent = kRoot;  // comes before its children
    std::uint32_t name = 0;        // index of names()
    FrameKind kind = FrameKind::kNone;
    Weights own;  // frames inside left out
  };

  // The number of a name, and of a frame; made when there is none.
  std::uint32_t Name(std::string_view name);
  std::uint32_t Child(std::uint32_t parent, std::uint32_t name, FrameKind kind);
  void Add(std::uint32_t frame, const Weights& weights) { frames_[frame].own.Add(weights); }

  // Adds all frames of `other` by their paths.
  void Merge(const WeightedTree& other);

  const std::vector<Frame>& frames() const { return frames_; }
  const std::vector<std::string>& names() const { return names_; }
  // Of each frame: its own weights and those of all frames inside.
  std::vector<Weights> Totals() const;

  // The same tree with its `most` heaviest frames (0 = all), by the larger of their shares of all
  // host and of all device time. What is left out is the frame "(others)" of the frame around, so
  // that every total stays; there are up to most + 1 of those. Frames come depth first, siblings by
  // device time, then host time, then name, (others) last. Frames that hold nothing are left out.
  // O(frames log frames).
  WeightedTree Folded(std::size_t most) const;

 private:
  struct Key {
    std::uint32_t parent = kRoot;
    std::uint32_t name = 0;
    FrameKind kind = FrameKind::kNone;
    friend bool operator==(const Key&, const Key&) = default;
    friend std::size_t hash_value(const Key& key) {
      const std::uint64_t pair = std::uint64_t{key.parent} << 32 | key.name;
      return static_cast<std::size_t>((pair ^ static_cast<std::uint64_t>(key.kind) << 59) *
                                      0x9E3779B97F4A7C15);
    }
  };
  // Frames depth first, siblings in the order of Folded.
  std::vector<std::uint32_t> InOrder(const std::vector<Weights>& totals) const;
  WeightedTree Ordered() const;
  bool IsOthers(std::uint32_t frame) const;

  std::vector<Frame> frames_;
  std::vector<std::string> names_;
  boost::unordered_flat_map<std::string, std::uint32_t> number_of_name_;
  boost::unordered_flat_map<Key, std::uint32_t> number_of_frame_;
};

inline constexpr std::string_view kFoldedFrames = "(others)";

}  // namespace rankscope
