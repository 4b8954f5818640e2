#include "replay/pipeline_schedule.h"

#include <algorithm>
#include <cstddef>

namespace rankscope {
namespace {

struct Pass {
  bool is_forward = true;
  std::int64_t chunk = 0;
  std::int64_t batch = 0;
};

// The k-th forward (or backward) of a stage: groups of as many micro-batches as stages go through
// one chunk after the other.
Pass PassAt(std::int64_t k, bool is_forward, std::int64_t stages, std::int64_t chunks) {
  const std::int64_t in_group = k % (stages * chunks);
  const std::int64_t chunk = chunks == 1 ? 0 : in_group / stages;
  const std::int64_t batch = chunks == 1 ? k : k / (stages * chunks) * stages + in_group % stages;
  return {is_forward, is_forward ? chunk : chunks - 1 - chunk, batch};
}

std::vector<Pass> PassesOf(std::int64_t stage, std::int64_t stages, std::int64_t batches,
                           std::int64_t chunks) {
  const std::int64_t all = batches * chunks;
  const std::int64_t behind = stages - stage - 1;
  const std::int64_t ahead =
      std::min(all, chunks == 1 ? behind : 2 * behind + (chunks - 1) * stages);
  std::vector<Pass> passes;
  for (std::int64_t k = 0; k < ahead; ++k) passes.push_back(PassAt(k, true, stages, chunks));
  for (std::int64_t k = 0; k < all; ++k) {
    if (ahead + k < all) passes.push_back(PassAt(ahead + k, true, stages, chunks));
    passes.push_back(PassAt(k, false, stages, chunks));
  }
  return passes;
}

class Schedule {
 public:
  Schedule(const std::vector<StageTimes>& times, std::int64_t batches, std::int64_t chunks)
      : times_(times),
        stages_(static_cast<std::int64_t>(times.size())),
        batches_(batches),
        chunks_(chunks),
        end_(2 * times.size() * static_cast<std::size_t>(batches * chunks), kNotYet) {}

  double Run() {
    std::vector<std::vector<Pass>> passes;
    for (std::int64_t stage = 0; stage < stages_; ++stage)
      passes.push_back(PassesOf(stage, stages_, batches_, chunks_));
    std::vector<std::size_t> next(passes.size(), 0);
    std::vector<double> free(passes.size(), 0);
    double last = 0;
    for (bool moved = true; moved;) {
      moved = false;
      for (std::int64_t stage = 0; stage < stages_; ++stage) {
        const auto at = static_cast<std::size_t>(stage);
        for (; next[at] < passes[at].size(); ++next[at]) {
          const Pass& pass = passes[at][next[at]];
          const double input = InputOf(stage, pass);
          if (input == kNotYet) break;
          const double takes = pass.is_forward ? times_[at].forward_ns : times_[at].backward_ns;
          free[at] = std::max(free[at], input) + takes;
          end_[PlaceOf(stage, pass)] = free[at];
          last = std::max(last, free[at]);
          moved = true;
        }
      }
    }
    for (std::size_t stage = 0; stage < passes.size(); ++stage) {
      if (next[stage] < passes[stage].size()) return 0;
    }
    return last;
  }

 private:
  static constexpr double kNotYet = -1;

  std::size_t PlaceOf(std::int64_t stage, const Pass& pass) const {
    return static_cast<std::size_t>(((pass.batch * chunks_ + pass.chunk) * stages_ + stage) * 2 +
                                    (pass.is_forward ? 0 : 1));
  }

  // When what the pass needs is there.
  double InputOf(std::int64_t stage, Pass pass) const {
    if (pass.is_forward) {
      if (stage == 0 && pass.chunk == 0) return 0;
      pass.chunk -= stage == 0 ? 1 : 0;
      return end_[PlaceOf(stage == 0 ? stages_ - 1 : stage - 1, pass)];
    }
    if (stage == stages_ - 1 && pass.chunk == chunks_ - 1) {
      pass.is_forward = true;
      return end_[PlaceOf(stage, pass)];
    }
    pass.chunk += stage == stages_ - 1 ? 1 : 0;
    return end_[PlaceOf(stage == stages_ - 1 ? 0 : stage + 1, pass)];
  }

  const std::vector<StageTimes>& times_;
  const std::int64_t stages_, batches_, chunks_;
  std::vector<double> end_;  // by PlaceOf
};

}  // namespace

double PipelineNs(const std::vector<StageTimes>& stages, std::int64_t micro_batches,
                  std::int64_t chunks) {
  const auto count = static_cast<std::int64_t>(stages.size());
  if (count == 0 || micro_batches < 1 || chunks < 1) return 0;
  if (chunks > 1 && micro_batches % count != 0) return 0;
  return Schedule(stages, micro_batches, chunks).Run();
}

}  // namespace rankscope
