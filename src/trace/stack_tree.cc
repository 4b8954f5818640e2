#include "trace/stack_tree.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>

#include "base/saturating.h"
#include "trace/call_tree.h"
#include "trace/row_names.h"

namespace rankscope {
namespace {

constexpr std::uint32_t kMostLevels = 256;
constexpr std::size_t kMostNameBytes = 300;
constexpr std::uint32_t kUnknown = UINT32_MAX;

}  // namespace

std::string StackFrameName(std::string_view name) {
  constexpr std::string_view kStepMark = "ProfilerStep";
  if (name.starts_with(kStepMark) && name.substr(kStepMark.size()).starts_with('#'))
    return std::string(kStepMark);
  std::string clean = WithoutAddresses(name);
  for (char& c : clean) {
    if (c == ';') c = ':';
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  }
  if (clean.size() > kMostNameBytes) {
    std::size_t end = kMostNameBytes;
    while (end > 0 && (static_cast<unsigned char>(clean[end]) & 0xC0) == 0x80) --end;
    clean.resize(end);
  }
  if (clean.empty()) clean = "(no name)";
  return clean;
}

class StackTree::Builder {
 public:
  Builder(const RankTrace& trace, StackTree& tree)
      : trace_(trace), tree_(tree), name_of_string_(trace.strings.size(), kUnknown) {}

  std::uint32_t NameOf(Row row) {
    std::uint32_t& name = name_of_string_[trace_.name[row]];
    if (name == kUnknown) name = Intern(StackFrameName(trace_.name_of(row)));
    return name;
  }
  std::uint32_t Intern(std::string text) {
    const auto [place, is_new] =
        names_.emplace(std::move(text), static_cast<std::uint32_t>(tree_.names_.size()));
    if (is_new) tree_.names_.push_back(place->first);
    return place->second;
  }
  std::uint32_t ChildOf(std::uint32_t parent, std::uint32_t name, Row row) {
    const std::uint32_t level = parent == kRoot ? 0 : tree_.nodes_[parent].level + 1;
    if (level == kMostLevels) return parent;
    const auto [place, is_new] = children_.emplace(std::uint64_t{parent} << 32 | name,
                                                   static_cast<std::uint32_t>(tree_.nodes_.size()));
    if (is_new)
      tree_.nodes_.push_back({.parent = parent, .name = name, .level = level, .first = row});
    return place->second;
  }

 private:
  const RankTrace& trace_;
  StackTree& tree_;
  std::vector<std::uint32_t> name_of_string_;
  boost::unordered_flat_map<std::string, std::uint32_t> names_;
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> children_;
};

StackTree::StackTree(const RankTrace& trace, const std::function<bool(Row)>& is_frame,
                     StackWork work, const std::function<bool(Row)>& wants) {
  Builder builder(trace, *this);
  const FrameTree frames(trace, is_frame);
  std::vector<std::uint32_t> node_of_frame;
  node_of_frame.reserve(frames.size());
  for (std::uint32_t frame = 0; frame < frames.size(); ++frame) {
    const std::uint32_t around = frames.around(frame);
    const std::uint32_t parent = around == FrameTree::kNone ? kRoot : node_of_frame[around];
    const Row row = frames.row(frame);
    node_of_frame.push_back(builder.ChildOf(parent, builder.NameOf(row), row));
    if (!wants(row)) continue;
    Node& node = nodes_[node_of_frame.back()];
    ++node.calls;
    AddSaturating(node.host_ns, frames.self_ns(frame));
  }
  for (const Track& track : trace.tracks) {
    if (track.domain != Domain::kDevice) continue;
    for (Row row = track.begin; row < track.end; ++row) {
      if (!IsDeviceWork(trace.kind[row]) || trace.dur_ns[row] < 0 || !wants(row)) continue;
      const Row call = trace.link[row];
      std::uint32_t frame = call == kNoRow ? FrameTree::kNone : frames.at(call);
      if (work == StackWork::kBesideCall && frame != FrameTree::kNone &&
          frames.row(frame) == call && frames.around(frame) != FrameTree::kNone)
        frame = frames.around(frame);
      std::uint32_t owner = frame == FrameTree::kNone
                                ? builder.ChildOf(kRoot, builder.Intern("(no stack)"), kNoRow)
                                : node_of_frame[frame];
      if (work != StackWork::kAtCall) owner = builder.ChildOf(owner, builder.NameOf(row), row);
      AddSaturating(nodes_[owner].device_ns, trace.dur_ns[row]);
      ++nodes_[owner].works;
    }
  }
}

std::vector<std::uint32_t> StackTree::PathOf(std::uint32_t node) const {
  std::vector<std::uint32_t> path(nodes_[node].level + std::size_t{1});
  for (auto place = path.rbegin(); place != path.rend(); ++place) {
    *place = nodes_[node].name;
    node = nodes_[node].parent;
  }
  return path;
}

std::string StackTree::TextOf(std::uint32_t node) const {
  std::string text;
  for (const std::uint32_t name : PathOf(node)) {
    if (!text.empty()) text += ';';
    text += names_[name];
  }
  return text;
}

}  // namespace rankscope
