// algorithm-search: a library tries kernels for the same convolution before it computes it.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "insight/base/cause_tools.h"
#include "insight/evidence/loss/kinds_that.h"
#include "insight/evidence/loss/node_sums.h"
#include "insight/evidence/loss/removal.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

// Kernels of different names for one convolution, from which they are tried. A backward computes
// two gradients, each with a kernel of its own and one that adds parts.
constexpr std::size_t kManyForward = 4;
constexpr std::size_t kManyBackward = 8;

bool IsOfConvolution(std::string_view op) {
  return Contains(op, "cudnn_convolution") || Contains(op, "miopen_convolution") ||
         Contains(op, "convolution_backward");
}

// Kernels that compute a convolution on their own, unlike the parts of an FFT or of Winograd's
// algorithm, and conversions of layouts.
bool IsConvolution(std::string_view kernel) {
  constexpr std::array<std::string_view, 9> kParts = {"fprop",
                                                      "dgrad",
                                                      "wgrad",
                                                      "implicit_gemm",
                                                      "implicit_convolve",
                                                      "igemm",
                                                      "miopenSp3AsmConv",
                                                      "gcnAsmConv",
                                                      "naive_conv"};
  return std::ranges::any_of(kParts,
                             [&](std::string_view part) { return Contains(kernel, part); }) &&
         !Contains(kernel, "fft") && !Contains(kernel, "inograd");
}

// Without sizes, convolutions in a row may be different ones.
bool MayBeTried(const NodeKind& kind) {
  return kind.work == Work::kCompute && !kind.shapes.empty() && IsOfConvolution(kind.op) &&
         IsConvolution(kind.name);
}

// Kernels of one op with the same inputs in a row on a stream.
struct Run {
  std::vector<NodeId> kernels;
  std::map<std::string_view, std::size_t> by_name;

  bool IsSearch(bool is_backward) const {
    return by_name.size() >= (is_backward ? kManyBackward : kManyForward);
  }
  // Each computation tries all of them, so at least as often as the rarest ran it computes.
  std::size_t Computations() const {
    return std::ranges::min_element(by_name, {}, [](const auto& of) { return of.second; })->second;
  }
};

std::vector<Run> RunsOf(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  std::vector<Run> runs;
  const KindsThat may_be_tried(graph, MayBeTried);
  if (may_be_tried.None()) return runs;
  std::vector<std::uint32_t> run_of(graph.nodes().size(), UINT32_MAX);
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    if (!may_be_tried.Has(node) || graph.StepOf(node) == kNoStep) continue;
    const NodeKind& kind = graph.KindOf(node);
    // A layout may be converted in between, for one of them.
    NodeId before = graph.nodes().PreviousOf(node);
    while (before != kNoNode && graph.KindOf(before).op == kind.op && !may_be_tried.Has(before))
      before = graph.nodes().PreviousOf(before);
    const bool goes_on = before != kNoNode && run_of[before] != UINT32_MAX &&
                         graph.StepOf(before) == graph.StepOf(node) &&
                         graph.KindOf(before).op == kind.op &&
                         graph.KindOf(before).shapes == kind.shapes;
    if (!goes_on) runs.emplace_back();
    run_of[node] = goes_on ? run_of[before] : static_cast<std::uint32_t>(runs.size() - 1);
    Run& run = runs[run_of[node]];
    run.kernels.push_back(node);
    ++run.by_name[kind.name];
  }
  return runs;
}

std::optional<Cause> FindAlgorithmSearch(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  NodeSums sums(input);
  const std::vector<Run> runs = RunsOf(input);
  if (runs.empty()) return std::nullopt;
  Scenario without = input.recorded();
  std::vector<bool> is_gone(graph.nodes().size(), false);
  double computations = 0, tried = 0;
  for (const Run& run : runs) {
    if (!run.IsSearch(Contains(graph.KindOf(run.kernels.front()).op, "backward"))) continue;
    std::int64_t fastest = INT64_MAX;
    for (const NodeId node : run.kernels)
      fastest = std::min(fastest, graph.nodes().DurationOf(node));
    const std::size_t kept = run.kernels.size() - run.Computations();
    for (std::size_t i = 0; i < run.kernels.size(); ++i) {
      const NodeId node = run.kernels[i];
      const auto ns = static_cast<double>(graph.nodes().DurationOf(node));
      if (i < kept) {
        is_gone[node] = true;
        sums.Add(node, ns);
      } else {
        without.SetDuration(node, fastest);
        sums.Add(node, ns - static_cast<double>(fastest));
      }
    }
    if (!input.Counts(run.kernels.front())) continue;
    computations += static_cast<double>(run.Computations());
    tried += static_cast<double>(run.kernels.size());
  }
  if (sums.empty()) return std::nullopt;
  Remove(WithLaunches(graph, std::move(is_gone)), without);
  Cause cause;
  sums.TellIn(cause);
  cause.without = std::move(without);
  cause.what = fmt::format(
      "{} is computed with {:.0f} kernels in turn to find the fastest: {} a step",
      graph.KindOf(sums.nodes().front()).op, tried / computations, TimeText(sums.LostPerStep()));
  return cause;
}

}  // namespace

const Rule& AlgorithmSearchRule() {
  static const Rule kRule{
      .id = "algorithm-search",
      .summary = "cuDNN or MIOpen tries kernels for convolutions in steps",
      .takes = Takes::kKernels,
      .needs = RuleNeeds::kShapes,
      .find = FindAlgorithmSearch,
      .why =
          "kernels of four and more names in a row, each of which computes the same convolution "
          "(eight in a backward, which computes two gradients); replayed with the fastest alone, "
          "as often as the rarest ran",
      .recommendation =
          "torch.backends.cudnn.benchmark = False where the sizes of inputs vary, or few sizes "
          "(pad or crop images to buckets), as each new size is searched once; on AMD "
          "MIOPEN_FIND_MODE=FAST and a find database that is kept between runs.",
      .command = "rankscope top kernels TRACES",
  };
  return kRule;
}

}  // namespace rankscope
