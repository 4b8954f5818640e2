#include "analysis/stacks/weighted_tree.h"

#include <algorithm>
#include <array>

#include "base/saturating.h"

namespace rankscope {
namespace {

double Share(std::int64_t part, std::int64_t all) {
  return all > 0 ? static_cast<double>(part) / static_cast<double>(all) : 0;
}

}  // namespace

std::string_view ToString(FrameKind kind) {
  constexpr std::array<std::string_view, kFrameKindCount> kNames = {
      "python", "module", "op", "annotation", "call", "kernel", "communication", "copy", ""};
  return kNames[static_cast<std::size_t>(kind)];
}

void WeightedTree::Weights::Add(const Weights& other) {
  AddSaturating(count, other.count);
  AddSaturating(host_ns, other.host_ns);
  AddSaturating(device_ns, other.device_ns);
}

std::uint32_t WeightedTree::Name(std::string_view name) {
  const auto [place, is_new] =
      number_of_name_.emplace(std::string(name), static_cast<std::uint32_t>(names_.size()));
  if (is_new) names_.emplace_back(name);
  return place->second;
}

std::uint32_t WeightedTree::Child(std::uint32_t parent, std::uint32_t name, FrameKind kind) {
  const auto [place, is_new] =
      number_of_frame_.emplace(Key{.parent = parent, .name = name, .kind = kind},
                               static_cast<std::uint32_t>(frames_.size()));
  if (is_new) frames_.push_back({.parent = parent, .name = name, .kind = kind, .own = {}});
  return place->second;
}

std::vector<WeightedTree::Weights> WeightedTree::Totals() const {
  std::vector<Weights> totals(frames_.size());
  for (std::size_t frame = frames_.size(); frame-- > 0;) {
    totals[frame].Add(frames_[frame].own);
    if (frames_[frame].parent != kRoot) totals[frames_[frame].parent].Add(totals[frame]);
  }
  return totals;
}

bool WeightedTree::IsOthers(std::uint32_t frame) const {
  return frames_[frame].kind == FrameKind::kNone && names_[frames_[frame].name] == kFoldedFrames;
}

void WeightedTree::Merge(const WeightedTree& other) {
  std::vector<std::uint32_t> moved;
  moved.reserve(other.frames_.size());
  for (const Frame& frame : other.frames_) {
    moved.push_back(Child(frame.parent == kRoot ? kRoot : moved[frame.parent],
                          Name(other.names_[frame.name]), frame.kind));
    Add(moved.back(), frame.own);
  }
}

std::vector<std::uint32_t> WeightedTree::InOrder(const std::vector<Weights>& totals) const {
  std::vector<std::vector<std::uint32_t>> children(frames_.size() + 1);  // the last: of the root
  const auto of = [&](std::uint32_t parent) -> auto& {
    return children[parent == kRoot ? frames_.size() : parent];
  };
  for (std::uint32_t frame = 0; frame < frames_.size(); ++frame)
    of(frames_[frame].parent).push_back(frame);
  const auto comes_later = [&](std::uint32_t a, std::uint32_t b) {
    if (IsOthers(a) != IsOthers(b)) return IsOthers(a);
    if (totals[a].device_ns != totals[b].device_ns)
      return totals[a].device_ns < totals[b].device_ns;
    if (totals[a].host_ns != totals[b].host_ns) return totals[a].host_ns < totals[b].host_ns;
    if (frames_[a].name != frames_[b].name)
      return names_[frames_[a].name] > names_[frames_[b].name];
    return frames_[a].kind > frames_[b].kind;
  };
  std::vector<std::uint32_t> order;
  order.reserve(frames_.size());
  std::vector<std::uint32_t> open;
  const auto enter = [&](std::uint32_t parent) {
    auto& inside = of(parent);
    std::sort(inside.begin(), inside.end(), comes_later);
    open.insert(open.end(), inside.begin(), inside.end());
  };
  enter(kRoot);
  while (!open.empty()) {
    order.push_back(open.back());
    open.pop_back();
    enter(order.back());
  }
  return order;
}

WeightedTree WeightedTree::Folded(std::size_t most) const {
  const std::vector<Weights> totals = Totals();
  Weights all;
  for (std::size_t frame = 0; frame < frames_.size(); ++frame) {
    if (frames_[frame].parent == kRoot) all.Add(totals[frame]);
  }
  const std::vector<std::uint32_t> order = InOrder(totals);
  struct Candidate {
    double share;
    std::uint32_t place;  // in `order`
  };
  std::vector<Candidate> candidates;
  for (std::uint32_t place = 0; place < order.size(); ++place) {
    const std::uint32_t frame = order[place];
    if (totals[frame].IsZero() || IsOthers(frame)) continue;
    candidates.push_back({std::max(Share(totals[frame].host_ns, all.host_ns),
                                   Share(totals[frame].device_ns, all.device_ns)),
                          place});
  }
  if (most > 0 && candidates.size() > most) {
    // A frame is no lighter than those inside and comes before them: what is kept is connected.
    std::nth_element(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(most),
                     candidates.end(), [](const Candidate& a, const Candidate& b) {
                       return a.share != b.share ? a.share > b.share : a.place < b.place;
                     });
    candidates.resize(most);
  }
  std::vector<bool> is_kept(frames_.size());
  for (const Candidate& candidate : candidates) is_kept[order[candidate.place]] = true;

  WeightedTree folded;
  const std::uint32_t others = folded.Name(kFoldedFrames);
  std::vector<std::uint32_t> anchor(frames_.size());  // the innermost kept frame around, or itself
  for (const std::uint32_t frame : order) {
    const Frame& at = frames_[frame];
    const std::uint32_t around = at.parent == kRoot ? kRoot : anchor[at.parent];
    anchor[frame] =
        is_kept[frame] ? folded.Child(around, folded.Name(names_[at.name]), at.kind) : around;
    if (is_kept[frame]) {
      folded.Add(anchor[frame], at.own);
    } else if (!at.own.IsZero()) {
      folded.Add(folded.Child(around, others, FrameKind::kNone), at.own);
    }
  }
  return folded.Ordered();
}

WeightedTree WeightedTree::Ordered() const {
  WeightedTree ordered;
  std::vector<std::uint32_t> moved(frames_.size());
  for (const std::uint32_t frame : InOrder(Totals())) {
    const Frame& at = frames_[frame];
    moved[frame] = ordered.Child(at.parent == kRoot ? kRoot : moved[at.parent],
                                 ordered.Name(names_[at.name]), at.kind);
    ordered.Add(moved[frame], at.own);
  }
  return ordered;
}

}  // namespace rankscope
