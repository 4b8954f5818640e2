#include "sim/engine/stage_accounting.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace rankscope::sim {
namespace {

struct Bounds {
  std::int64_t begin_ns = kUnknown;
  std::int64_t end_ns = kUnknown;

  void Add(const StageBusy& stage) {
    if (stage.first_ns == kUnknown) return;
    begin_ns = begin_ns == kUnknown ? stage.first_ns : std::min(begin_ns, stage.first_ns);
    end_ns = std::max(end_ns, stage.last_ns);
  }
};

// What the stages of a pipeline have in common.
auto PipelineOf(const Coordinates& at) { return std::tuple(at.tp, at.cp, at.dp); }

StageAccount AccountOf(const StageBusy& stage, const Bounds& pipeline) {
  StageAccount account{.forwards = stage.forwards, .busy_ns = stage.busy_ns};
  if (stage.first_ns == kUnknown) {
    account.warm_up_ns = pipeline.end_ns - pipeline.begin_ns;
    return account;
  }
  account.warm_up_ns = stage.first_ns - pipeline.begin_ns;
  account.steady_ns = stage.last_ns - stage.first_ns - stage.busy_ns;
  account.cool_down_ns = pipeline.end_ns - stage.last_ns;
  return account;
}

}  // namespace

void StageAccounting::Add(const Span& kernel) {
  StageBusy& step = steps_.back();
  if (step.first_ns == kUnknown) step.first_ns = kernel.begin_ns;
  step.busy_ns +=
      std::max<std::int64_t>(kernel.end_ns - std::max(kernel.begin_ns, step.last_ns), 0);
  step.last_ns = std::max(step.last_ns, kernel.end_ns);
}

std::vector<std::vector<StageAccount>> AccountStages(
    const Layout& layout, const std::vector<std::vector<StageBusy>>& busy) {
  if (layout.degrees.pp == 1) return {};
  std::map<std::tuple<int, int, int>, std::vector<Bounds>> pipelines;
  for (std::size_t rank = 0; rank < busy.size(); ++rank) {
    std::vector<Bounds>& steps = pipelines[PipelineOf(layout.places[rank].at)];
    steps.resize(std::max(steps.size(), busy[rank].size()));
    for (std::size_t step = 0; step < busy[rank].size(); ++step) steps[step].Add(busy[rank][step]);
  }
  std::vector<std::vector<StageAccount>> accounts(busy.size());
  for (std::size_t rank = 0; rank < busy.size(); ++rank) {
    const std::vector<Bounds>& steps = pipelines[PipelineOf(layout.places[rank].at)];
    for (std::size_t step = 0; step < busy[rank].size(); ++step) {
      accounts[rank].push_back(AccountOf(busy[rank][step], steps[step]));
    }
  }
  return accounts;
}

}  // namespace rankscope::sim
