#include "sim/jobs/ddp.h"

#include <numeric>
#include <vector>

#include "sim/communications.h"
#include "sim/jobs/parts.h"
#include "sim/jobs/program_builder.h"
#include "sim/segment_builder.h"

namespace rankscope::sim {
namespace {

// Event slots: the prefetch's, then two of each bucket.
std::uint32_t BucketEvents(int bucket) { return 1 + 2 * static_cast<std::uint32_t>(bucket); }

std::vector<std::int64_t> AllRanks(int ranks) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(ranks));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// The parts of one step.
class DdpStep {
 public:
  DdpStep(const StepSize& size, const ModelShape& model, const Reach& reach, Library* library)
      : size_(size), catalog_(*library->AddCatalog(model)), library_(library) {
    load_ = LoadBatchPart(library);
    SegmentBuilder builder(library);
    open_forward_ = builder.OpenAnnotation("DistributedDataParallel.forward").Done();
    close_forward_ = builder.CloseAnnotation().SwitchTo(HostThread::kAutograd).Done();
    to_main_ = builder.SwitchTo(HostThread::kMain).Done();
    embedding_ = Differentiable(catalog_.embedding);
    layer_ = Differentiable(catalog_.layer);
    head_ = Differentiable(catalog_.head);
    const Where where{.reach = reach};
    inner_bucket_ = Bucket(where, model.layer_parameters());
    outer_bucket_ = Bucket(where, model.embedding_parameters());
    finish_ = Finish(model);
  }

  Program Make() {
    for (int pass = 0; pass < size_.micro_batches; ++pass) {
      program_.Call(load_);
      Forward();
      Backward(pass + 1 == size_.micro_batches);
    }
    program_.Call(finish_);
    return program_.Done(BucketEvents(size_.layers + 2));
  }

 private:
  struct Both {
    const Segment* forward;
    const Segment* backward;
    std::uint32_t units;
  };

  Both Differentiable(const std::vector<OpUnit>& units) {
    SegmentBuilder forward(library_), backward(library_);
    for (std::uint32_t i = 0; i < units.size(); ++i) forward.Forward(units[i], i);
    for (auto i = static_cast<std::uint32_t>(units.size()); i-- > 0;) {
      backward.Backward(units[i], i);
    }
    return {forward.Done(), backward.Done(), static_cast<std::uint32_t>(units.size())};
  }

  const Segment* Bucket(const Where& where, std::int64_t elements) {
    const Communication* all_reduce =
        AddCommunication(library_, Exchange::kAllReduce, where, elements);
    return SegmentBuilder(library_).Communicate(all_reduce, 0, 1).Done();
  }

  const Segment* Finish(const ModelShape& model) {
    SegmentBuilder builder(library_);
    for (int bucket = 0; bucket < size_.layers + 2; ++bucket) {
      builder.WaitEvent(Stream::kCompute, BucketEvents(bucket) + 1);
    }
    builder.SwitchTo(HostThread::kMain);
    AddOptimizer(size_.layers * model.layer_parameters() + 2 * model.embedding_parameters(),
                 size_.optimizer_launches, &builder);
    return builder.ReadScalar().Done();
  }

  void Forward() {
    program_.Call(open_forward_);
    program_.CallForward(embedding_.forward, embedding_.units);
    for (int layer = 0; layer < size_.layers; ++layer) {
      program_.CallForward(layer_.forward, layer_.units);
    }
    program_.CallForward(head_.forward, head_.units);
    program_.Call(close_forward_);
  }

  void Backward(bool synchronises) {
    int bucket = 0;
    const auto backward = [&](const Both& part, const Segment* reduce) {
      program_.CallBackward(part.backward, part.units);
      if (synchronises) program_.Call(reduce, BucketEvents(bucket++));
    };
    backward(head_, outer_bucket_);
    for (int layer = 0; layer < size_.layers; ++layer) backward(layer_, inner_bucket_);
    backward(embedding_, outer_bucket_);
    if (!synchronises) program_.Call(to_main_);
  }

  const StepSize& size_;
  const Catalog& catalog_;
  Library* library_;
  ProgramBuilder program_;
  const Segment *load_, *open_forward_, *close_forward_, *to_main_, *inner_bucket_, *outer_bucket_,
      *finish_;
  Both embedding_, layer_, head_;
};

}  // namespace

DdpJob::DdpJob(const SimulateOptions& options, const StepSize& size, Library* library)
    : options_(options), size_(size), library_(library) {}

Layout DdpJob::MakeLayout() const {
  Layout layout(options_.ranks);
  layout.degrees.dp = options_.ranks;
  layout.AddCollectiveGroup("default_pg", AllRanks(options_.ranks));
  for (int rank = 0; rank < options_.ranks; ++rank) layout.place(rank).at.dp = rank;
  return layout;
}

Program DdpJob::MakeStep(int /*role*/, const ActiveCauses& /*causes*/) {
  const int hosts = (options_.ranks + kDevicesPerHost - 1) / kDevicesPerHost;
  const Reach reach{.members = options_.ranks, .hosts = hosts};
  return DdpStep(size_, model_, reach, library_).Make();
}

}  // namespace rankscope::sim
