// hta.aten_op_kernels_and_delay.
#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "hta/analyses.h"
#include "hta/options.h"
#include "hta/ranks.h"

namespace rankscope::hta {
namespace {

struct AtenOpKernelsRows : Schema<AtenOpKernelsRows, RowsOfRanks> {
  static constexpr std::string_view kName = "hta.aten_op_kernels_and_delay";

  StringColumn op = Text("aten_op_name", "the op that launches");
  StringColumn sequence = Text("kernel_sequence", "its kernels, in order, joined by ->");
  IntColumn count = Int("occurrence_count", "", "how often it launches just these");
  RealColumn op_delay = Real("avg_aten_op_launch_delay", "us",
                             "from the op's begin to its first launch, in the mean");
  RealColumn runtime_delay =
      Real("avg_runtime_delay", "us", "from that launch's begin to its kernel's, in the mean");
};

// (cuda.*LaunchKernel)|(cuLaunchKernel)|(^runFunction), anchored at the begin as HTA's patterns
// are.
bool IsLaunch(std::string_view name) {
  if (name.starts_with("runFunction") || name.starts_with("cuLaunchKernel")) return true;
  return name.starts_with("cuda") && name.find("LaunchKernel", 4) != std::string_view::npos;
}

// Which of some intervals, sorted by begin, is the last that reaches a place: a tree of largest
// ends.
class LatestEnclosing {
 public:
  explicit LatestEnclosing(const std::vector<const Event*>& ops) : ops_(ops) {
    for (leaves_ = 1; leaves_ <= ops.size();) leaves_ *= 2;  // one is free, behind the last
    ends_.assign(2 * leaves_, INT64_MIN);
    for (std::size_t i = 0; i < ops.size(); ++i) ends_[leaves_ + i] = ops[i]->end();
    for (std::size_t node = leaves_ - 1; node > 0; --node)
      ends_[node] = std::max(ends_[2 * node], ends_[2 * node + 1]);
  }

  // The last op that begins at `begin` or before and ends at `end` or later; null when none does.
  // O(log n).
  const Event* Find(std::int64_t begin, std::int64_t end) const {
    const auto after =
        std::upper_bound(ops_.begin(), ops_.end(), begin,
                         [](std::int64_t ts, const Event* op) { return ts < op->ts; });
    std::size_t node = leaves_ + static_cast<std::size_t>(after - ops_.begin());
    // Upwards from the leaf behind them, to the first subtree on the left that reaches `end`.
    for (; node > 1; node /= 2) {
      if (node % 2 == 1 && ends_[node - 1] >= end) {
        --node;
        break;
      }
    }
    if (node <= 1) return nullptr;
    while (node < leaves_) node = 2 * node + (ends_[2 * node + 1] >= end ? 1 : 0);
    return ops_[node - leaves_];
  }

 private:
  const std::vector<const Event*>& ops_;
  std::size_t leaves_ = 1;
  std::vector<std::int64_t> ends_;
};

// What one call of an op launches.
struct Call {
  std::string sequence;
  std::int64_t op_delay = 0;
  std::int64_t runtime_delay = 0;
};

struct Sums {
  std::int64_t count = 0;
  std::int64_t op_delay = 0;
  std::int64_t runtime_delay = 0;
};

double MeanOf(std::int64_t sum, std::int64_t count) {
  return std::nearbyint(static_cast<double>(sum) / static_cast<double>(count) * 1000) / 1000;
}

void MakeAtenOpKernels(const Frame& frame, const Options&, TableOf<AtenOpKernelsRows>& table) {
  std::vector<const Event*> ops, launches;
  boost::unordered_flat_map<std::int64_t, std::vector<const Event*>> works;
  for (const Event& event : frame.events) {
    const std::string_view name = frame.NameOf(event);
    if (name.starts_with("aten::")) ops.push_back(&event);
    if (!event.on_stream() && event.correlation != kNone && IsLaunch(name)) {
      launches.push_back(&event);
      works[event.correlation];
    }
  }
  for (const Event& event : frame.events) {
    if (!event.on_stream()) continue;
    if (const auto found = works.find(event.correlation); found != works.end())
      found->second.push_back(&event);
  }
  // Of those that begin together HTA takes the first in the file: the last here.
  std::reverse(ops.begin(), ops.end());
  std::stable_sort(ops.begin(), ops.end(),
                   [](const Event* a, const Event* b) { return a->ts < b->ts; });
  const LatestEnclosing enclosing(ops);

  std::map<std::tuple<std::int64_t, std::string_view, std::int64_t>, Call> calls;
  for (const Event* launch : launches) {
    const std::vector<const Event*>& kernels = works[launch->correlation];
    const Event* const op = enclosing.Find(launch->ts, launch->end());
    if (op == nullptr || kernels.size() != 1) continue;
    const std::string kernel(frame.NameOf(*kernels.front()));
    const auto [place, is_first] =
        calls.try_emplace({IdsOf(frame, *launch).tid, frame.NameOf(*op), op->ts});
    Call& call = place->second;
    if (is_first) {
      call = {kernel, launch->ts - op->ts, kernels.front()->ts - launch->ts};
    } else {
      call.sequence += " -> " + kernel;
    }
  }
  std::map<std::pair<std::string_view, std::string_view>, Sums> groups;
  for (const auto& [of, call] : calls) {
    Sums& sums = groups[{std::get<1>(of), call.sequence}];
    ++sums.count;
    sums.op_delay += call.op_delay;
    sums.runtime_delay += call.runtime_delay;
  }
  const auto& columns = SchemaOf<AtenOpKernelsRows>();
  for (const auto& [names, sums] : groups) {
    table.Add({columns.op = names.first, columns.sequence = names.second,
               columns.count = sums.count, columns.op_delay = MeanOf(sums.op_delay, sums.count),
               columns.runtime_delay = MeanOf(sums.runtime_delay, sums.count)});
  }
  table.SortBy({{columns.count, true}, {columns.op}, {columns.sequence}});
}

}  // namespace

const Analysis& AtenOpKernelsAndDelay() {
  static const Analysis kAnalysis = JoinedOverRanks<AtenOpKernelsRows>({
      .size = Size::kDetail,
      .summary = "HTA's get_aten_op_kernels_and_delay: which kernels aten ops launch, and how late",
      .definition =
          "Calls of cuda...LaunchKernel, cuLaunchKernel and MTIA's runFunction that launch just "
          "one "
          "kernel, each under the aten op of any thread that encloses it and begins last (of "
          "several the first in the file). Calls of "
          "an op are grouped by the kernels they launch; delays are those of a call's first "
          "launch, "
          "means rounded to 0.001. HTA fails where a launch has no kernel or several, and counts "
          "earlier ranks again in later ones: such launches are left out, and ranks are by "
          "themselves.",
      .example = "rankscope table hta.aten_op_kernels_and_delay traces/ --set ranks=0",
      .options = {},
      .job_options = {Ranks()},
      .make = Filling(MakeAtenOpKernels),
  });
  return kAnalysis;
}

}  // namespace rankscope::hta
