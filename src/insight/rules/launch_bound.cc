// launch-bound: the device waits for launches of short kernels.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/host_work/launches.h"
#include "insight/evidence/loss/removal.h"
#include "insight/evidence/loss/selection.h"
#include "insight/rules/rules.h"
#include "trace/device_api.h"

namespace rankscope {
namespace {

constexpr std::string_view kUsualAdvice =
    "torch.compile(model, mode='reduce-overhead') or CUDA graphs; fuse elementwise chains; a "
    "larger "
    "batch per device.";
// The wait for the loss, that of a time or two.
constexpr double kManyWaits = 4;
constexpr double kManyCells = 8;
// Of a host that is nearly always ahead.
constexpr double kSomeLate = 0.1;

void SpareLongStretches(const JobGraph& graph, Scenario& without) {
  const auto is_spared = [&](NodeId node) {
    return !IsDevice(graph.KindOf(node).work) && graph.nodes().DurationOf(node) > 0 &&
           without.DurationOf(node) == 0;
  };
  std::vector<std::int64_t> stretches;
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    if (is_spared(node)) stretches.push_back(graph.nodes().DurationOf(node));
  }
  if (stretches.empty()) return;
  const std::int64_t most = MostOfALaunch(std::move(stretches));
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    if (is_spared(node) && graph.nodes().DurationOf(node) > most)
      without.SetDuration(node, graph.nodes().DurationOf(node));
  }
}

// What the host does no longer for each of these kernels: of its launch, back to the launch before.
std::vector<std::int64_t> TimesOfLaunches(const JobGraph& graph, const std::vector<NodeId>& kernels,
                                          const Scenario& without) {
  std::vector<bool> is_told(graph.nodes().size(), false);
  std::vector<std::int64_t> times;
  times.reserve(kernels.size());
  for (const NodeId kernel : kernels) {
    std::int64_t ns = 0;
    for (const NodeEdge& edge : graph.EdgesOf(kernel)) {
      if (edge.kind != DependencyKind::kLaunch) continue;
      for (NodeId at = edge.from; at != kNoNode && !is_told[at]; at = graph.nodes()[at].previous) {
        const std::int64_t saved = graph.nodes().DurationOf(at) - without.DurationOf(at);
        if (saved <= 0) break;
        is_told[at] = true;
        ns += saved;
      }
    }
    times.push_back(ns);
  }
  return times;
}

constexpr std::array<Advice, 5> kLaunchBoundAdvice = {{
    {[](const Setting& of) { return of.engine == Setting::Engine::kVllm; },
     "CUDA graphs of whole steps: no --enforce-eager, cudagraph_mode FULL or FULL_AND_PIECEWISE, "
     "and cudagraph_capture_sizes that reach the batches that occur; more requests a step."},
    {[](const Setting& of) { return of.engine == Setting::Engine::kSglang; },
     "CUDA graphs that reach the batches that occur (--cuda-graph-max-bs), no "
     "--disable-cuda-graph; --enable-torch-compile for small batches."},
    {[](const Setting& of) { return of.engine == Setting::Engine::kTensorRtLlm; },
     "cuda_graph_config with batch sizes that occur and enable_padding; more requests a step."},
    {[](const Setting& of) { return of.IsJax(); },
     "One jax.jit around the whole step; jax.lax.scan in place of loops of Python over layers or "
     "micro-batches; a larger batch per device."},
    {[](const Setting& of) { return of.IsTensorFlow(); },
     "tf.function(jit_compile=True) around the step, several steps a call (steps_per_execution); "
     "a larger batch per device."},
}};

// In a step of a rank.
double PerStep(const RuleInput& input, double count) {
  return count / static_cast<double>(input.counted().size() * input.ranks());
}

// Of a PyTorch program: what keeps graphs from being captured, and what is a loop over the cells of
// a recurrent layer. "" where there is nothing of that kind.
std::string WhatComesFirst(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  double waits = 0, cells = 0;
  input.ForEach([&](NodeId node, const NodeKind& kind) {
    if (kind.work == Work::kCompute) {
      cells += kind.phase == Phase::kForward && (kind.op == "aten::_thnn_fused_lstm_cell" ||
                                                 kind.op == "aten::_thnn_fused_gru_cell")
                   ? 1
                   : 0;
      return;
    }
    const auto edges = graph.EdgesOf(node);
    waits += std::any_of(edges.begin(), edges.end(),
                         [](const NodeEdge& edge) { return edge.kind == DependencyKind::kSync; });
  });
  std::string text;
  if (PerStep(input, cells) >= kManyCells)
    text += fmt::format(
        "nn.LSTM or nn.GRU in place of the loop over their cells, {:.0f} calls a step: cuDNN runs "
        "all time steps in a few kernels. ",
        PerStep(input, cells));
  if (PerStep(input, waits) >= kManyWaits)
    text += fmt::format(
        "No graph can be captured across the {:.0f} waits of a step for the device (.item(), "
        ".tolist(), nonzero, masks): take these out first, or do what they are for at once for the "
        "whole batch. ",
        PerStep(input, waits));
  return text;
}

// What graphs launch, which nobody launches one by one: what no other call launches; by node, empty
// where there is no graph.
std::vector<bool> OfGraphs(const RuleInput& input) {
  const KindsThat launch_graphs(input.graph(), [](const NodeKind& kind) {
    return kind.work == Work::kLaunchCall && IsGraphLaunchCall(kind.name);
  });
  if (launch_graphs.None()) return {};
  std::vector<bool> of_graphs(input.graph().nodes().size(), true);
  for (const Launch& launch : input.Shared<LaunchesOfWork>().all) {
    if (!launch_graphs.Has(launch.call)) of_graphs[launch.work] = false;
  }
  return of_graphs;
}

// The part of these kernels whose launch ends behind the kernel before, so that their device waits
// for it. Others were queued: their device is late, not their host.
double LatePart(const RuleInput& input, const Selection& kernels) {
  const JobGraph& graph = input.graph();
  double all = 0, late = 0;
  for (const Launch& launch : input.Shared<LaunchesOfWork>().all) {
    if (!kernels.Has(launch.work) || !input.Counts(launch.work)) continue;
    ++all;
    const NodeId before = graph.nodes().PreviousOf(launch.work);
    if (before == kNoNode || input.now().EndOf(launch.call) >= input.now().EndOf(before)) ++late;
  }
  return all == 0 ? 1 : late / all;
}

std::optional<Cause> FindLaunchBound(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  const std::vector<bool> of_graphs = OfGraphs(input);
  double kernels = 0;
  const Selection tiny = Select(input, [&](NodeId node, const NodeKind& kind) {
    if (kind.work != Work::kCompute || kind.phase == Phase::kOptimizer ||
        (!of_graphs.empty() && of_graphs[node]))
      return false;
    kernels += input.Counts(node) ? 1 : 0;
    return static_cast<double>(graph.nodes()[node].duration_ns) < kShortKernelNs;
  });
  const NodeSums& sums = tiny.sums();
  const auto count = static_cast<double>(sums.nodes().size());
  if (sums.CountPerStep() < kManyLaunches || count < kSomeShort * kernels) return std::nullopt;
  if (LatePart(input, tiny) < kSomeLate) return std::nullopt;
  // Replayed from a graph: no launches, no gaps between them.
  Scenario without = tiny.Without();
  SpareLongStretches(graph, without);
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    if (tiny.Has(node)) without.SetDuration(node, graph.nodes()[node].duration_ns);
  }
  const double gain = std::max(0.0, input.GainOf(without));
  if (count < kManyShort * kernels && gain < kMuchLaunching) return std::nullopt;
  Cause cause;
  sums.TellIn(cause);
  // Where launching takes the host's time, not where the kernels take the device's.
  TellWhere(input, sums.nodes(), TimesOfLaunches(graph, sums.nodes(), without), cause);
  cause.lost_ns = static_cast<std::int64_t>(gain * input.step_ns());
  cause.without = std::move(without);
  cause.what = fmt::format("the device waits for launches: {} a step {} less than {}{}, {} in all",
                           CountText(sums.CountPerStep(), "kernel"),
                           sums.CountPerStep() < 1.5 ? "takes" : "take", TimeText(kShortKernelNs),
                           sums.CountPerStep() < 1.5 ? "" : " each", TimeText(sums.LostPerStep()));
  const bool is_usual = std::ranges::none_of(kLaunchBoundAdvice, [&](const Advice& advice) {
    return advice.fits(input.Shared<Setting>());
  });
  if (const std::string first = WhatComesFirst(input); is_usual && !first.empty())
    cause.recommendation = fmt::format("{}Then {}", first, kUsualAdvice);
  return cause;
}

}  // namespace

const Rule& LaunchBoundRule() {
  static const Rule kRule{
      .id = "launch-bound",
      .summary = "the device waits for launches of short kernels",
      .tier = Tier::kNature,
      .takes = Takes::kLaunching,
      .needs = RuleNeeds::kDevice,
      .find = FindLaunchBound,
      .why =
          "short kernels, replayed as a CUDA graph would run them: without the host's time to "
          "launch each",
      .recommendation = kUsualAdvice,
      .command = "rankscope table launches TRACES",
      .advice = kLaunchBoundAdvice,
  };
  return kRule;
}

}  // namespace rankscope
