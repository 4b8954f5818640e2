#include "insight/evidence/communication/beside_communication.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/interval.h"
#include "base/median.h"
#include "insight/evidence/kernels/preempted.h"

namespace rankscope {
namespace {

constexpr std::int64_t kLeastKernelNs = 20'000;
constexpr std::size_t kEnough = 3;
constexpr double kBeside = 0.5;
constexpr double kAlone = 0.05;

// When a rank communicates.
class Communicating {
 public:
  explicit Communicating(std::vector<Interval> times) : times_(Normalise(std::move(times))) {
    until_.reserve(times_.size() + 1);
    std::int64_t sum = 0;
    until_.push_back(0);
    for (const Interval& time : times_) until_.push_back(sum += time.end - time.begin);
  }

  // For how much of [begin, end). O(log times).
  std::int64_t Within(std::int64_t begin, std::int64_t end) const {
    return Before(end) - Before(begin);
  }

 private:
  std::int64_t Before(std::int64_t t) const {
    const auto next = std::partition_point(times_.begin(), times_.end(),
                                           [t](const Interval& time) { return time.begin < t; });
    const auto begun = static_cast<std::size_t>(next - times_.begin());
    if (begun == 0) return 0;
    return until_[begun - 1] + std::min(t, times_[begun - 1].end) - times_[begun - 1].begin;
  }

  IntervalSet times_;
  std::vector<std::int64_t> until_;  // how long before each of them, and in all
};

std::vector<Communicating> CommunicatingOf(const RuleInput& input) {
  std::vector<std::vector<Interval>> times(input.ranks());
  input.ForEachOfSteps([&](NodeId node, const NodeKind& kind) {
    if (kind.work != Work::kCommunication || IsExchangeOfHosts(kind)) return;
    const std::int64_t begin = input.now().BeginOf(node);
    times[input.RankOf(node)].push_back({begin, begin + input.graph().nodes().DurationOf(node)});
  });
  return {std::make_move_iterator(times.begin()), std::make_move_iterator(times.end())};
}

// Of one rank and the same kernel.
struct ComparedKind {
  std::vector<std::int64_t> alone;
  std::vector<NodeId> beside;
};

}  // namespace

BesideCommunication::BesideCommunication(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  const std::vector<Communicating> communicating = CommunicatingOf(input);
  const auto& preempted = input.Shared<Preempted>();
  // The same kernel of another phase or op is of another kind.
  using Kernel = std::tuple<std::string_view, std::string_view, std::string_view>;
  std::map<Kernel, std::uint32_t> numbers;
  std::vector<std::uint32_t> kernel_of;
  for (const NodeKind& kind : graph.kinds())
    kernel_of.push_back(numbers
                            .try_emplace({kind.name, kind.shapes, kind.launch_shape},
                                         static_cast<std::uint32_t>(numbers.size()))
                            .first->second);
  std::map<std::pair<std::uint32_t, std::uint32_t>, ComparedKind> compared;  // by rank and kernel
  input.ForEachOfSteps([&](NodeId node, const NodeKind& kind) {
    const std::int64_t ns = graph.nodes().DurationOf(node);
    if (kind.work != Work::kCompute || ns < kLeastKernelNs || preempted.Has(node)) return;
    const std::int64_t begin = input.now().BeginOf(node);
    const double share =
        static_cast<double>(communicating[input.RankOf(node)].Within(begin, begin + ns)) /
        static_cast<double>(ns);
    if (share > kAlone && share < kBeside) return;
    ComparedKind& of = compared[{input.RankOf(node), kernel_of[graph.nodes().KindOf(node)]}];
    if (share <= kAlone)
      of.alone.push_back(ns);
    else
      of.beside.push_back(node);
  });
  std::set<std::uint32_t> compared_kernels;
  for (auto& [key, of] : compared) {
    if (of.alone.size() < kEnough || of.beside.size() < kEnough) {
      others.insert(others.end(), of.beside.begin(), of.beside.end());
      continue;
    }
    compared_kernels.insert(key.second);
    alone_ns.resize(graph.nodes().size(), 0);
    const std::int64_t usual = MedianOf(of.alone);
    for (const NodeId node : of.beside) alone_ns[node] = usual;
    nodes.insert(nodes.end(), of.beside.begin(), of.beside.end());
  }
  kernels = compared_kernels.size();
}

}  // namespace rankscope
