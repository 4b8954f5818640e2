#include "insight/evidence/host_work/slower_host.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include "base/median.h"

namespace rankscope {
namespace {

constexpr double kSlower = 0.05;
constexpr double kMost = 0.5;
constexpr double kMostMore = 2;  // times the usual time

}  // namespace

SlowerHost::SlowerHost(const RuleInput& input, const std::vector<bool>& is_one) {
  const JobGraph& graph = input.graph();
  std::map<std::pair<std::uint32_t, std::string_view>, std::vector<std::int64_t>> by_place;
  input.ForEach([&](NodeId node, const NodeKind& kind) {
    if (IsDevice(kind.work)) return;
    const CodeSite* const site = graph.SiteOf(node);
    const std::string_view place =
        site != nullptr && !site->function.empty() ? site->function : kind.name;
    std::vector<std::int64_t>& times = by_place[{input.RankOf(node), place}];
    times.resize(graph.steps().size());
    times[graph.StepOf(node)] += graph.nodes().DurationOf(node);
  });
  std::vector<std::int64_t> others;
  for (const auto& [place, times] : by_place) {
    others.clear();
    for (const std::size_t step : input.counted())
      if (!is_one[step]) others.push_back(times[step]);
    if (others.empty()) continue;
    const auto usual = static_cast<double>(MedianOf(others));
    for (const std::size_t step : input.counted()) {
      if (!is_one[step]) continue;
      const double more = static_cast<double>(times[step]) - usual;
      usual_ns_ += usual;
      more_ns_ += std::min(more, kMostMore * usual);
      if (more > kSlower * usual) slower_usual_ns_ += usual;
    }
  }
}

bool SlowerHost::Holds(const std::vector<std::int64_t>& excess) const {
  const auto all =
      static_cast<double>(std::accumulate(excess.begin(), excess.end(), std::int64_t{0}));
  return more_ns_ > kMost * all && Times() > 1 + kSlower && slower_usual_ns_ > usual_ns_ / 2;
}

}  // namespace rankscope
