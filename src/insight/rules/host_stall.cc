// gc-pause, checkpoint-stall, recompilation: the program stops for something that is no part of a
// step.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>

#include "insight/cause_tools.h"
#include "insight/rules/rules.h"
#include "insight/thresholds.h"

namespace rankscope {
namespace {

struct Texts {
  std::string_view id;
  std::string_view does;
  std::string_view why;
  std::string_view recommendation;
};
constexpr Texts kGarbage = {
    "gc-pause", "stops for a stretch in which no op runs, as Python's garbage collector does",
    "stretches of the main thread inside no op, far longer than the same stretch in other steps "
    "and on other ranks",
    "Call gc.collect(); gc.freeze() after start-up, gc.disable() in the loop, and collect on all "
    "ranks in the same step, every few hundred steps."};
constexpr Texts kCheckpoint = {
    "checkpoint-stall", "writes a checkpoint while the training waits",
    "host time inside ranges and frames that write checkpoints",
    "Write checkpoints asynchronously: torch.distributed.checkpoint.async_save copies to pinned "
    "memory and writes from another thread."};
constexpr Texts kCompile = {
    "recompilation", "compiles the model anew",
    "host time inside torch.compile's own ranges and frames, in recorded steps",
    "Find the guard that fails with TORCH_LOGS=recompiles; mark what varies with "
    "torch._dynamo.mark_dynamic or pad it to a few sizes."};

// `nodes` would take `targets`.
void Tell(const RuleInput& input, const Texts& texts, const std::vector<NodeId>& nodes,
          const std::vector<std::int64_t>& targets, std::vector<Cause>& causes) {
  if (nodes.empty()) return;
  Cause cause;
  cause.id = texts.id;
  cause.tier = Tier::kRoot;
  Scenario without = input.recorded();
  std::set<std::uint32_t> ranks, steps;
  std::int64_t lost = 0;
  std::vector<bool> is_gone(input.graph().nodes().size(), false);
  for (const NodeId node : nodes) is_gone[node] = input.graph().KindOf(node).work != Work::kPython;
  // What the stall launches, and waits for, goes with it.
  for (NodeId node = 0; node < is_gone.size(); ++node) {
    const NodeId before = input.graph().nodes()[node].previous;
    const auto edges = input.graph().EdgesOf(node);
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (edges[i].kind == DependencyKind::kLaunch && is_gone[edges[i].from])
        without.SetDuration(node, 0);
      if (edges[i].kind == DependencyKind::kSync && before != kNoNode && is_gone[before])
        without.Cut(input.graph().nodes()[node].first_edge + i);
    }
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::int64_t now = input.graph().nodes()[nodes[i]].duration_ns;
    without.SetDuration(nodes[i], targets[i]);
    ranks.insert(input.RankOf(nodes[i]));
    steps.insert(input.graph().StepOf(nodes[i]));
    lost += now - targets[i];
  }
  cause.ranks.assign(ranks.begin(), ranks.end());
  cause.steps.assign(steps.begin(), steps.end());
  TellWhere(input, nodes, cause);
  cause.without = std::move(without);
  cause.lost_ns = static_cast<std::int64_t>(
      static_cast<double>(lost) / static_cast<double>(input.counted().size() * ranks.size()));
  cause.what =
      fmt::format("{} {} ({}, in {} step{} of {})", WhoText(input, cause.ranks), texts.does,
                  TimeText(static_cast<double>(lost) / static_cast<double>(nodes.size())),
                  steps.size(), steps.size() == 1 ? "" : "s", input.counted().size());
  cause.why = texts.why;
  cause.recommendation = texts.recommendation;
  cause.command = "rankscope table critical_path_events TRACES";
  causes.push_back(std::move(cause));
}

void Find(const RuleInput& input, std::vector<Cause>& causes) {
  std::vector<NodeId> garbage, saving, compiling;
  std::vector<std::int64_t> usual;
  input.ForEach([&](NodeId node, const NodeKind& kind) {
    const std::int64_t now = input.graph().nodes()[node].duration_ns;
    if (kind.work == Work::kCheckpoint) saving.push_back(node);
    if (kind.work == Work::kCompile) compiling.push_back(node);
    if (kind.work == Work::kGarbage) {
      garbage.push_back(node);
      usual.push_back(0);
    }
    if (kind.work != Work::kPython) return;
    const std::int64_t like = std::max<std::int64_t>(input.alike().duration_ns[node], 0);
    const double beyond = static_cast<double>(now - like);
    if (input.alike().duration_ns[node] == Typical::kUnknown || beyond < kLeastPauseNs ||
        beyond < kPauseOfStep * input.step_ns() || now < 3 * like)
      return;
    garbage.push_back(node);
    usual.push_back(like);
  });
  Tell(input, kGarbage, garbage, usual, causes);
  Tell(input, kCheckpoint, saving, std::vector<std::int64_t>(saving.size(), 0), causes);
  Tell(input, kCompile, compiling, std::vector<std::int64_t>(compiling.size(), 0), causes);
}

}  // namespace

const Rule& HostStallRule() {
  static const Rule kRule{
      .ids = {"gc-pause", "checkpoint-stall", "recompilation"}, .tables = {}, .find = Find};
  return kRule;
}

}  // namespace rankscope
