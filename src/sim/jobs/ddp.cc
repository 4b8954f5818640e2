#include "sim/jobs/ddp.h"

#include "sim/jobs/data_parallel.h"
#include "sim/jobs/parts.h"
#include "sim/jobs/program_builder.h"
#include "sim/jobs/ranks.h"
#include "sim/model/communications.h"
#include "sim/model/segment_builder.h"

namespace rankscope::sim {
namespace {

// Event slots: the prefetch's, then those of the buckets.
constexpr std::uint32_t kDdpBucketEvents = 1;

Program DdpStep(const StepSize& size, const ModelShape& model, const Reach& reach, bool single,
                const StepRequest& request, Library* library) {
  const Where where{.reach = reach};
  const Segment* load = LoadBatchPart(request.causes, library);
  const Segment* compile = CompilePart(request, library);
  SegmentBuilder builder(library);
  builder.OpenAnnotation(single ? "model.forward" : "DistributedDataParallel.forward");
  AddBroadcasts(request.causes, where, kDdpBucketEvents, library, &builder);
  const Segment* open_forward = builder.Done();
  DataParallelPasses passes(size, model, where, single, kDdpBucketEvents, request, library);
  ProgramBuilder program;
  for (int pass = 0; pass < size.micro_batches; ++pass) {
    program.Call(load);
    if (pass == 0) program.Call(compile);
    passes.AddPass(open_forward, pass + 1 == size.micro_batches, &program);
  }
  program.Call(passes.Finish());
  return program.Done(passes.EventsEnd());
}

}  // namespace

DdpJob::DdpJob(const SimulateOptions& options, const StepSize& size, Library* library)
    : options_(options), size_(size), library_(library) {}

Layout DdpJob::MakeLayout() const {
  Layout layout(options_.ranks);
  layout.degrees.dp = options_.ranks;
  for (int rank = 0; rank < options_.ranks; ++rank) layout.place(rank).at.dp = rank;
  if (options_.job == JobKind::kSingle) return layout;
  layout.AddCollectiveGroup("default_pg", RanksFrom(0, options_.ranks));
  return layout;
}

Program DdpJob::MakeStep(const StepRequest& request) {
  const Reach reach = ReachOf(options_.ranks);
  return DdpStep(size_, *options_.model, reach, options_.job == JobKind::kSingle, request,
                 library_);
}

}  // namespace rankscope::sim
