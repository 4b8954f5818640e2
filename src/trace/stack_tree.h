// StackTree: the merged call stacks of one trace: every stack once, with its host time and device
// work. The input of flame graphs.
//
// Frames are rows of chosen kinds, placed as in call_tree.h. Device work belongs to the stack of
// its launching call; work without a recorded call, or with a call outside of all frames, belongs
// to "(no stack)". So host times sum to the time of threads in any frame, and device times to the
// durations of all device work.
//
// Limits for hostile traces: frames more than 256 deep count with the enclosing frame at that
// depth, and names are cut after 300 bytes. Linear in the rows; 48 bytes per distinct stack.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace rankscope {

enum class StackWork : std::uint8_t {
  kAtCall,      // device work counts with the frame that launched it
  kAsOwnFrame,  // kernels and copies are frames of their own, by name, below that one
  kBesideCall   // the same, but below the frame around the launching call where there is one
};

class StackTree {
 public:
  static constexpr std::uint32_t kRoot = UINT32_MAX;

  struct Node {
    std::uint32_t parent = kRoot;  // comes before its children
    std::uint32_t name = 0;
    std::uint32_t level = 0;     // 0 for a root
    Row first = kNoRow;          // the first row with this stack; none for "(no stack)"
    std::int64_t calls = 0;      // frames with this very stack
    std::int64_t host_ns = 0;    // of its own, frames inside left out
    std::int64_t device_ns = 0;  // the same of device work
    std::int64_t works = 0;
  };

  // is_frame(row) is called for the rows of host threads with a known duration. Frames and work for
  // which wants(row) is false keep their place, but do not count.
  StackTree(const RankTrace& trace, const std::function<bool(Row)>& is_frame, StackWork work,
            const std::function<bool(Row)>& wants);

  const std::vector<Node>& nodes() const { return nodes_; }
  // A frame's name without addresses of objects and step numbers, which differ between runs and
  // ranks: "<built-in method keys of dict object at 0x7f19513c4440>" ends after "object",
  // "ProfilerStep#12" before "#".
  const std::vector<std::string>& names() const { return names_; }
  // Names from the root to a node, as indices of names().
  std::vector<std::uint32_t> PathOf(std::uint32_t node) const;
  // The same as text separated by ';', which names do not contain.
  std::string TextOf(std::uint32_t node) const;

 private:
  class Builder;
  std::vector<Node> nodes_;
  std::vector<std::string> names_;
};

// The name in stacks: without addresses, step number, control characters and ';', and cut.
std::string StackFrameName(std::string_view name);

}  // namespace rankscope
