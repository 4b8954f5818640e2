#include "sim/jobs/ddp.h"

#include <utility>
#include <vector>

#include "sim/communications.h"
#include "sim/jobs/parts.h"
#include "sim/jobs/program_builder.h"
#include "sim/jobs/ranks.h"
#include "sim/jobs/transformer.h"
#include "sim/segment_builder.h"

namespace rankscope::sim {
namespace {

// Event slots: the prefetch's, then two of each bucket.
std::uint32_t BucketEvents(int bucket) { return 1 + 2 * static_cast<std::uint32_t>(bucket); }

// The parts of one step.
class DdpStep {
 public:
  DdpStep(const StepSize& size, const ModelShape& model, const Reach& reach, bool single,
          const StepRequest& request, Library* library)
      : size_(size),
        single_(single),
        request_(request),
        library_(library),
        where_{.reach = reach},
        transformer_(model, request, nullptr, library) {
    load_ = LoadBatchPart(request.causes, library);
    compile_ = CompilePart(request, library);
    SegmentBuilder builder(library);
    builder.OpenAnnotation(single ? "model.forward" : "DistributedDataParallel.forward");
    AddBroadcasts(request.causes, where_, BucketEvents(0), library, &builder);
    open_forward_ = builder.Done();
    close_forward_ = builder.CloseAnnotation().SwitchTo(HostThread::kAutograd).Done();
    to_main_ = builder.SwitchTo(HostThread::kMain).Done();
    inner_bucket_ = Bucket(model.layer_parameters());
    outer_bucket_ = Bucket(model.embedding_parameters());
    finish_ = Finish();
  }

  Program Make() {
    for (int pass = 0; pass < size_.micro_batches; ++pass) {
      program_.Call(load_);
      if (pass == 0) program_.Call(compile_);
      Forward();
      Backward(pass + 1 == size_.micro_batches);
    }
    program_.Call(finish_);
    return program_.Done(BucketEvents(Buckets()));
  }

 private:
  int Buckets() const { return size_.layers + 2; }

  const Segment* Bucket(std::int64_t elements) {
    if (single_) return SegmentBuilder(library_).Done();
    const auto pieces = 1 + static_cast<int>(request_.causes.severity(CauseId::kSmallCollectives));
    const Communication* all_reduce =
        AddCommunication(library_, Exchange::kAllReduce, where_, elements / pieces);
    SegmentBuilder builder(library_);
    for (int piece = 0; piece < pieces; ++piece) {
      builder.Cause(piece == 0 ? std::uint8_t{0} : request_.causes.tag(CauseId::kSmallCollectives));
      builder.Communicate(all_reduce, 0, 1);
    }
    return builder.Done();
  }

  const Segment* Finish() {
    const ModelShape& model = transformer_.model();
    SegmentBuilder builder(library_);
    for (int bucket = 0; bucket < Buckets(); ++bucket) {
      builder.WaitEvent(Stream::kCompute, BucketEvents(bucket) + 1);
    }
    builder.SwitchTo(HostThread::kMain);
    AddOptimizer({.layers = size_.layers,
                  .layer_parameters = model.layer_parameters(),
                  .other_parameters = 2 * model.embedding_parameters()},
                 size_.optimizer_launches, request_.causes, &builder);
    builder.ReadScalar();
    AddLeakAndCheckpoint(request_, &builder);
    return builder.Done();
  }

  void Forward() {
    const auto forward = [&](const Part& part) { program_.CallForward(part.forward, part.units); };
    program_.Call(open_forward_);
    forward(transformer_.embedding());
    for (int layer = 0; layer < size_.layers; ++layer) forward(transformer_.layer(layer));
    forward(transformer_.head());
    program_.Call(close_forward_);
  }

  void Backward(bool synchronises) {
    int bucket = 0;
    std::vector<std::pair<const Segment*, std::uint32_t>> held;
    const auto backward = [&](const Part& part, const Segment* reduce) {
      program_.CallBackward(part.backward, part.units);
      if (!synchronises) return;
      const bool hold = IsAmong(request_.causes.severity(CauseId::kExposedCommunication), bucket);
      const std::uint32_t events = BucketEvents(bucket++);
      if (hold) {
        held.emplace_back(reduce, events);
      } else {
        program_.Call(reduce, events);
      }
    };
    backward(transformer_.head(), outer_bucket_);
    for (int layer = size_.layers; layer-- > 0;) {
      backward(transformer_.layer(layer), inner_bucket_);
    }
    backward(transformer_.embedding(), outer_bucket_);
    for (const auto& [reduce, events] : held) program_.Call(reduce, events);
    if (!synchronises) program_.Call(to_main_);
  }

  const StepSize& size_;
  bool single_;
  const StepRequest& request_;
  Library* library_;
  Where where_;
  Transformer transformer_;
  ProgramBuilder program_;
  const Segment *load_, *compile_, *open_forward_, *close_forward_, *to_main_, *inner_bucket_,
      *outer_bucket_, *finish_;
};

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
  return DdpStep(size_, *options_.model, reach, options_.job == JobKind::kSingle, request, library_)
      .Make();
}

}  // namespace rankscope::sim
