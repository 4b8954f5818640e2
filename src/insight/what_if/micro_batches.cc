#include "insight/what_if/micro_batches.h"

#include <algorithm>
#include <vector>

#include "replay/pipeline_schedule.h"
#include "schemas/layout.h"

namespace rankscope {

Result<double> SavedByMicroBatches(ViewOf<Pipeline> pipeline, double step_ns, std::int64_t count) {
  constexpr std::int64_t kMost = 100'000;
  const auto& columns = SchemaOf<Pipeline>();
  std::vector<StageTimes> stages;
  std::int64_t batches = 0, chunks = 1;
  double window = 0;
  for (std::size_t row = 0; row < pipeline.row_count(); ++row) {
    const auto forward = pipeline.Known(row, columns.forward_ns);
    const auto backward = pipeline.Known(row, columns.backward_ns);
    if (!forward || !backward)
      return Error(StatusCode::kInvalidArgument,
                   "the passes of stage {} were not recorded, so micro-batches cannot be changed",
                   pipeline.Int(row, columns.stage));
    stages.push_back({*forward, *backward});
    batches = std::max(batches, pipeline.Known(row, columns.micro_batches).value_or(0));
    chunks = std::max(chunks, pipeline.Known(row, columns.virtual_stages).value_or(1));
    window = std::max(window, pipeline.Known(row, columns.window_ns).value_or(0));
  }
  if (stages.size() < 2 || batches < 1)
    return Error(StatusCode::kInvalidArgument,
                 "the job has no pipeline of which the micro-batches are known");
  if (count < 1 || count > kMost)
    return Error(StatusCode::kInvalidArgument, "count takes 1 to {} micro-batches", kMost);
  if (chunks > 1 && count % static_cast<std::int64_t>(stages.size()) != 0)
    return Error(StatusCode::kInvalidArgument,
                 "with interleaved stages the micro-batches are a multiple of the {} stages",
                 stages.size());
  const double now = PipelineNs(stages, batches, chunks);
  const double each = static_cast<double>(batches) / static_cast<double>(count);
  for (StageTimes& stage : stages) {
    stage.forward_ns *= each;
    stage.backward_ns *= each;
  }
  const double then = PipelineNs(stages, count, chunks);
  if (now <= 0 || step_ns <= 0)
    return Error(StatusCode::kInvalidArgument,
                 "{} micro-batches on {} stages fit no schedule that is known", batches,
                 stages.size());
  return std::min(window, step_ns) / step_ns * (1 - then / now);
}

}  // namespace rankscope
