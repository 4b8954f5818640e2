#include "sim/jobs/dlrm.h"

#include "sim/jobs/parts.h"
#include "sim/jobs/program_builder.h"
#include "sim/jobs/ranks.h"
#include "sim/jobs/transformer.h"
#include "sim/model/communications.h"
#include "sim/model/recommendation_catalog.h"
#include "sim/model/segment_builder.h"

namespace rankscope::sim {
namespace {

// Slots of a rank's place: embeddings and dense gradients have a group each.
constexpr int kDenseSlot = 1;
constexpr Stream kDenseStream = Stream::kCommunication2;

// Event slots; every pair is before and after.
constexpr std::uint32_t kIdsEvents = 1;  // behind the prefetch's
constexpr std::uint32_t kPooledEvents = 3;
constexpr std::uint32_t kGradientEvents = 5;
std::uint32_t BucketEventsDlrm(int bucket) { return 7 + 2 * static_cast<std::uint32_t>(bucket); }

RecommendationShape ShapeOf(int ranks, const ActiveCauses& causes) {
  RecommendationShape shape{.ranks = ranks};
  const double more = causes.severity(CauseId::kShardingImbalance);
  shape.tables += static_cast<std::int64_t>(static_cast<double>(shape.tables) * more + 0.5);
  return shape;
}

// The parts of one step.
class DlrmStep {
 public:
  DlrmStep(int ranks, const StepSize& size, const StepRequest& request, Library* library)
      : size_(size),
        request_(request),
        library_(library),
        shape_(ShapeOf(ranks, request.causes)),
        catalog_(*library->AddCatalog(shape_)),
        reach_(ReachOf(ranks)) {
    lookup_ = Differentiable(catalog_.lookup);
    bottom_ = Differentiable(catalog_.bottom);
    // Two linear maps are in the bottom, one in the interaction, one per layer.
    interaction_ = Differentiable(catalog_.interaction, {.first = 2});
    layer_ = Differentiable(catalog_.layer, {.items = size.layers, .first = 3});
    head_ = Differentiable(catalog_.head, {.first = 3 + size.layers});
    MakeExchanges();
    SegmentBuilder builder(library_);
    load_ = LoadBatchPart(request.causes, library_);
    builder.OpenAnnotation("## forward ##");
    AddBroadcasts(request.causes, {.reach = reach_}, kIdsEvents, library_, &builder);
    open_forward_ = builder.Done();
    close_forward_ = builder.CloseAnnotation().ToAutograd().Done();
    layer_bucket_ = Bucket(shape_.layer_parameters());
    bottom_bucket_ = Bucket(shape_.bottom_parameters());
    finish_ = Finish();
  }

  Program Make() {
    for (int pass = 0; pass < size_.micro_batches; ++pass) {
      program_.Call(load_);
      Forward();
      Backward(pass + 1 == size_.micro_batches);
    }
    program_.Call(finish_);
    return program_.Done(BucketEventsDlrm(size_.layers + 1));
  }

 private:
  Part Differentiable(const std::vector<OpUnit>& units, const ModulePlace& place = {}) {
    return MakePart(units, library_, place);
  }

  void MakeExchanges() {
    const Where everybody{.reach = reach_};
    const std::int64_t ids =
        shape_.batch * shape_.pooling * shape_.tables_per_rank * reach_.members;
    SegmentBuilder builder(library_);
    builder.Communicate(AddCommunication(library_, Exchange::kAllToAll, everybody, ids, kInt64), 0,
                        1);
    exchange_ids_ = builder.WaitEvent(Stream::kCompute, 1).Done();
    const Communication* pooled =
        AddCommunication(library_, Exchange::kAllToAll, everybody, shape_.pooled_elements());
    exchange_pooled_ = builder.Communicate(pooled, 0, 1).Done();
    wait_ = builder.WaitEvent(Stream::kCompute, 1).Done();
    to_main_ = builder.ToMain().Done();
  }

  const Segment* Bucket(std::int64_t elements) {
    const Where dense{.group_slot = kDenseSlot,
                      .channel_slot = kDenseSlot,
                      .stream = kDenseStream,
                      .reach = reach_};
    const Communication* all_reduce =
        AddCommunication(library_, Exchange::kAllReduce, dense, elements);
    return SegmentBuilder(library_).Communicate(all_reduce, 0, 1).Done();
  }

  const Segment* Finish() {
    SegmentBuilder builder(library_);
    for (int bucket = 0; bucket <= size_.layers; ++bucket) {
      builder.WaitEvent(Stream::kCompute, BucketEventsDlrm(bucket) + 1);
    }
    builder.ToMain();
    AddOptimizer({.layers = size_.layers,
                  .layer_parameters = shape_.layer_parameters(),
                  .other_parameters = shape_.bottom_parameters()},
                 size_.optimizer_launches, request_.causes, &builder);
    AddRead(request_, &builder);
    AddLeakAndCheckpoint(request_, &builder);
    return builder.Done();
  }

  void Forward() {
    const auto forward = [&](const Part& part) { program_.CallForward(part.forward, part.units); };
    program_.Call(open_forward_);
    program_.Call(exchange_ids_, kIdsEvents);
    forward(lookup_);
    program_.Call(exchange_pooled_, kPooledEvents);
    forward(bottom_);
    program_.Call(wait_, kPooledEvents);
    forward(interaction_);
    for (int layer = 0; layer < size_.layers; ++layer) {
      program_.set_item(static_cast<std::uint32_t>(layer));
      forward(layer_);
    }
    forward(head_);
    program_.Call(close_forward_);
  }

  void Backward(bool synchronises) {
    const auto backward = [&](const Part& part) {
      program_.CallBackward(part.backward, part.units);
    };
    backward(head_);
    for (int layer = 0; layer < size_.layers; ++layer) {
      backward(layer_);
      if (synchronises) program_.Call(layer_bucket_, BucketEventsDlrm(layer));
    }
    backward(interaction_);
    program_.Call(exchange_pooled_, kGradientEvents);
    backward(bottom_);
    if (synchronises) program_.Call(bottom_bucket_, BucketEventsDlrm(size_.layers));
    program_.Call(wait_, kGradientEvents);
    backward(lookup_);
    if (!synchronises) program_.Call(to_main_);
  }

  const StepSize& size_;
  const StepRequest& request_;
  Library* library_;
  RecommendationShape shape_;
  const RecommendationCatalog& catalog_;
  Reach reach_;
  Part lookup_, bottom_, interaction_, layer_, head_;
  ProgramBuilder program_;
  const Segment *load_, *open_forward_, *close_forward_, *to_main_, *exchange_ids_,
      *exchange_pooled_, *wait_, *layer_bucket_, *bottom_bucket_, *finish_;
};

}  // namespace

DlrmJob::DlrmJob(const SimulateOptions& options, const StepSize& size, Library* library)
    : options_(options), size_(size), library_(library) {}

Layout DlrmJob::MakeLayout() const {
  Layout layout(options_.ranks);
  layout.degrees.dp = options_.ranks;
  for (int rank = 0; rank < options_.ranks; ++rank) layout.place(rank).at.dp = rank;
  layout.AddCollectiveGroup("default_pg", RanksFrom(0, options_.ranks));
  layout.AddCollectiveGroup("dense_ddp", RanksFrom(0, options_.ranks));
  return layout;
}

Program DlrmJob::MakeStep(const StepRequest& request) {
  return DlrmStep(options_.ranks, size_, request, library_).Make();
}

}  // namespace rankscope::sim
