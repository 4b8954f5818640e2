#include "hang/waiting.h"

#include <algorithm>

namespace rankscope::hang {
namespace {

constexpr std::uint32_t kNone = UINT32_MAX;

// Tarjan's strongly connected components, without recursion.
class Knots {
 public:
  explicit Knots(const Waiting& waiting)
      : waiting_(waiting), number_(waiting.size(), kNone), low_(waiting.size(), 0) {
    knot.assign(waiting.size(), kNone);
    for (std::uint32_t call = 0; call < waiting.size(); ++call)
      if (number_[call] == kNone) Visit(call);
  }

  std::vector<std::uint32_t> knot;
  std::uint32_t count = 0;

 private:
  struct Frame {
    std::uint32_t call = 0;
    std::size_t next = 0;
  };

  void Enter(std::uint32_t call) {
    number_[call] = low_[call] = visited_++;
    open_.push_back(call);
    path_.push_back({call, 0});
  }

  void Visit(std::uint32_t root) {
    Enter(root);
    while (!path_.empty()) {
      Frame& frame = path_.back();
      const std::uint32_t call = frame.call;
      if (frame.next < waiting_[call].size()) {
        const std::uint32_t other = waiting_[call][frame.next++];
        if (number_[other] == kNone) {
          Enter(other);
        } else if (knot[other] == kNone) {
          low_[call] = std::min(low_[call], number_[other]);
        }
        continue;
      }
      path_.pop_back();
      if (!path_.empty()) {
        std::uint32_t& above = low_[path_.back().call];
        above = std::min(above, low_[call]);
      }
      if (low_[call] == number_[call]) Close(call);
    }
  }

  void Close(std::uint32_t call) {
    for (std::uint32_t last = kNone; last != call;) {
      last = open_.back();
      open_.pop_back();
      knot[last] = count;
    }
    ++count;
  }

  const Waiting& waiting_;
  std::vector<std::uint32_t> number_;
  std::vector<std::uint32_t> low_;
  std::vector<std::uint32_t> open_;
  std::vector<Frame> path_;
  std::uint32_t visited_ = 0;
};

}  // namespace

Roots FindRoots(const Waiting& waiting) {
  Knots knots(waiting);
  Roots roots;
  roots.knot = std::move(knots.knot);
  roots.size.assign(knots.count, 0);
  roots.is_root.assign(knots.count, true);
  roots.held_up.assign(knots.count, 0);
  Waiting waited_by(waiting.size());
  for (std::uint32_t call = 0; call < waiting.size(); ++call) {
    ++roots.size[roots.knot[call]];
    for (const std::uint32_t other : waiting[call]) {
      waited_by[other].push_back(call);
      if (roots.knot[other] != roots.knot[call]) roots.is_root[roots.knot[call]] = false;
    }
  }
  std::vector<std::uint32_t> seen_by(waiting.size(), kNone);
  for (std::uint32_t first = 0; first < waiting.size(); ++first) {
    const std::uint32_t root = roots.knot[first];
    if (!roots.is_root[root] || seen_by[first] == root) continue;
    std::vector<std::uint32_t> front = {first};
    seen_by[first] = root;
    std::int64_t reached = 0;
    while (!front.empty()) {
      const std::uint32_t call = front.back();
      front.pop_back();
      ++reached;
      for (const std::uint32_t other : waited_by[call]) {
        if (seen_by[other] == root) continue;
        seen_by[other] = root;
        front.push_back(other);
      }
    }
    roots.held_up[root] = reached - roots.size[root];
  }
  return roots;
}

}  // namespace rankscope::hang
