#include "compare/call_tree_diff.h"

#include <algorithm>

#include "schemas/work.h"

namespace rankscope {
namespace {

struct Frame {
  std::string name;
  std::string_view kind;
  std::map<std::pair<std::string_view, std::string>, std::size_t> inside;  // by kind and name
  std::int64_t base_ns = 0, test_ns = 0;  // frames inside left out, until Total
  std::int64_t base_host_ns = 0, test_host_ns = 0;
  double base_calls = 0, test_calls = 0;
};

class Tree {
 public:
  Tree() { frames_.push_back({.name = "(all)", .kind = {}}); }

  // The frame of a place's path, of work the one around it.
  Frame& At(const WorkPlace& place) {
    std::size_t at = 0;
    at = Inside(at, "phase", place.phase.empty() ? "(no call)" : place.phase);
    for (const std::string& module : Split(place.module, "/")) at = Inside(at, "module", module);
    for (const std::string& op : Split(place.path, StepWork::kBetween)) at = Inside(at, "op", op);
    return frames_[at];
  }
  Frame& Inside(Frame& around, std::string_view kind, const std::string& name) {
    return frames_[Inside(static_cast<std::size_t>(&around - frames_.data()), kind, name)];
  }
  Frame& top() { return frames_.front(); }

  Table Rows() {
    // A frame comes behind the one around it.
    for (std::size_t i = frames_.size(); i-- > 1;) {
      frames_[parents_[i]].base_ns += frames_[i].base_ns;
      frames_[parents_[i]].test_ns += frames_[i].test_ns;
    }
    const auto& columns = SchemaOf<DiffCallTree>();
    auto table = columns.NewTable(std::string(DiffCallTree::kName));
    struct Open {
      std::size_t frame;
      std::int64_t parent;
      std::int64_t level;
    };
    std::vector<Open> open = {{0, -1, 0}};
    while (!open.empty()) {
      const Open next = open.back();
      open.pop_back();
      const Frame& frame = frames_[next.frame];
      const auto number = static_cast<std::int64_t>(table.row_count());
      table.Add({columns.frame = number,
                 columns.parent = next.parent < 0 ? Value(kNull) : Value(next.parent),
                 columns.level = next.level, columns.name = frame.name,
                 columns.kind = frame.kind.empty() ? Value(kNull) : Value(frame.kind),
                 columns.base_ns = frame.base_ns, columns.test_ns = frame.test_ns,
                 columns.change_ns = frame.test_ns - frame.base_ns,
                 columns.base_host_ns = frame.base_host_ns,
                 columns.test_host_ns = frame.test_host_ns, columns.base_calls = frame.base_calls,
                 columns.test_calls = frame.test_calls});
      std::vector<std::size_t> inside;
      for (const auto& [key, child] : frame.inside) inside.push_back(child);
      // The last is taken first.
      std::stable_sort(inside.begin(), inside.end(), [this](std::size_t a, std::size_t b) {
        return frames_[a].base_ns + frames_[a].test_ns < frames_[b].base_ns + frames_[b].test_ns;
      });
      for (const std::size_t child : inside) open.push_back({child, number, next.level + 1});
    }
    return table;
  }

 private:
  static std::vector<std::string> Split(std::string_view text, std::string_view between) {
    std::vector<std::string> parts;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find(between), text.size());
      parts.emplace_back(text.substr(0, end));
      text.remove_prefix(std::min(text.size(), end + between.size()));
    }
    return parts;
  }

  std::size_t Inside(std::size_t around, std::string_view kind, const std::string& name) {
    const auto [place, is_new] =
        frames_[around].inside.try_emplace(std::pair(kind, name), frames_.size());
    const std::size_t frame = place->second;
    if (is_new) {
      parents_.resize(frames_.size() + 1);
      parents_.back() = around;
      frames_.push_back({.name = name, .kind = kind});
    }
    return frame;
  }

  std::vector<Frame> frames_;
  std::vector<std::size_t> parents_ = {0};
};

double Mean(std::int64_t sum, std::int64_t n) {
  return n > 0 ? static_cast<double>(sum) / static_cast<double>(n) : 0;
}

}  // namespace

Table CallTreeDiff(const PairedSums& all, const Measures& base, const Measures& test) {
  Tree tree;
  for (std::size_t i = 0; i < all.pairs.size(); ++i) {
    const PlacePair& pair = all.pairs[i];
    const PlaceSum& where = pair.base != nullptr ? *pair.base : *pair.test;
    const bool is_work = where.place.is_work();
    Frame& frame = tree.Inside(tree.At(where.place), is_work ? "work" : "idle",
                               is_work ? pair.place().name : where.place.part);
    frame.base_ns += all.sums[i].base.ns;
    frame.test_ns += all.sums[i].test.ns;
    frame.base_calls += all.sums[i].base.count;
    frame.test_calls += all.sums[i].test.count;
  }
  Frame& outside = tree.Inside(tree.top(), "idle", std::string(kOutsideOfDevices));
  outside.base_ns = all.outside.base.ns;
  outside.test_ns = all.outside.test.ns;
  for (const PlaceSum& sum : base.host) {
    Frame& frame = tree.At(sum.place);
    frame.base_host_ns += RoundedMean(sum.total_ns, base.host_windows);
    frame.base_calls += Mean(sum.count, base.host_windows);
  }
  for (const PlaceSum& sum : test.host) {
    Frame& frame = tree.At(sum.place);
    frame.test_host_ns += RoundedMean(sum.total_ns, test.host_windows);
    frame.test_calls += Mean(sum.count, test.host_windows);
  }
  return tree.Rows();
}

}  // namespace rankscope
