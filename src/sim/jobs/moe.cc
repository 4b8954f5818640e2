#include "sim/jobs/moe.h"

#include <utility>
#include <vector>

#include "sim/jobs/parts.h"
#include "sim/jobs/program_builder.h"
#include "sim/jobs/ranks.h"
#include "sim/jobs/transformer.h"
#include "sim/model/communications.h"
#include "sim/model/expert_catalog.h"
#include "sim/model/segment_builder.h"

namespace rankscope::sim {
namespace {

// Slots of a rank's place.
constexpr int kExpertSlot = 1;
constexpr int kExpertDataSlot = 2;
constexpr Stream kExpertStream = Stream::kCommunication2;
constexpr Stream kExpertDataStream = Stream::kCommunication3;

// Units of a transformer's layer that are kept: up to the second norm, and the last residual.
constexpr std::size_t kAttentionUnits = 6;

// Event slots; every pair is before and after.
constexpr std::uint32_t kExchangeEvents = 1;  // behind the prefetch's
std::uint32_t BucketEventsMoe(int bucket) { return 3 + 2 * static_cast<std::uint32_t>(bucket); }

ExpertShape ExpertsOf(const SimulateOptions& options) { return {.experts = options.degrees.ep}; }

// The parts of one step.
class MoeStep {
 public:
  MoeStep(const SimulateOptions& options, const StepSize& size, const StepRequest& request,
          Library* library)
      : size_(size),
        request_(request),
        library_(library),
        model_(*options.model),
        experts_(ExpertsOf(options)),
        catalog_(*library->AddCatalog(model_, Arithmetic{})),
        expert_catalog_(*library->AddCatalog(model_, experts_)),
        replicas_(options.degrees.dp / options.degrees.ep),
        world_{.reach = ReachOf(options.ranks)},
        expert_{.group_slot = kExpertSlot,
                .channel_slot = kExpertSlot,
                .stream = kExpertStream,
                .reach = ReachOf(options.degrees.ep)},
        expert_data_{.group_slot = kExpertDataSlot,
                     .channel_slot = kExpertDataSlot,
                     .stream = kExpertDataStream,
                     .reach = ReachOf(replicas_, options.degrees.ep)},
        frames_(library) {
    load_ = LoadBatchPart(request.causes, library);
    MakeParts();
    MakeCalls();
    finish_ = Finish();
  }

  Program Make() {
    for (int pass = 0; pass < size_.micro_batches; ++pass) {
      program_.Call(load_);
      Forward(pass);
      Backward(pass);
    }
    program_.Call(finish_);
    return program_.Done(BucketEventsMoe(Buckets()));
  }

 private:
  // Embedding and head; per layer one over all ranks and one over those with the same experts.
  int Buckets() const { return 2 + 2 * size_.layers; }

  void MakeParts() {
    std::vector<OpUnit> before(catalog_.layer.begin(), catalog_.layer.begin() + kAttentionUnits);
    before.insert(before.end(), expert_catalog_.router.begin(), expert_catalog_.router.end());
    const ModulePlace every_layer{.items = size_.layers};
    attention_ = MakePart(*library_->Keep(std::move(before)), library_, every_layer);
    experts_part_ = MakePart(expert_catalog_.experts, library_, every_layer);
    residual_ = MakePart(*library_->Keep({catalog_.layer.back()}), library_, every_layer);
    SegmentBuilder builder(library_);
    OpenModule("MixtureLayer", "model.py(88): forward", every_layer, &builder);
    open_layer_ = builder.Done();
    CloseModule(&builder);
    close_layer_ = builder.Done();
    embedding_ = MakePart(catalog_.embedding, library_);
    head_ = MakePart(catalog_.head, library_);
  }

  const Segment* MakeExchange(Communication::Routing routing) {
    const std::int64_t elements = model_.tokens() * experts_.choices * model_.hidden;
    Communication exchange = *AddCommunication(library_, Exchange::kAllToAll, expert_, elements);
    exchange.routing = routing;
    exchange.elements_per_token = model_.hidden;
    SegmentBuilder builder(library_);
    builder.Route().Communicate(library_->Add(exchange), 0, 1);
    return builder.WaitEvent(Stream::kCompute, 1).Done();
  }

  const Segment* Bucket(const Where& where, std::int64_t elements) {
    SegmentBuilder builder(library_);
    if (where.reach.members == 1) return builder.Done();
    const Communication* all_reduce =
        AddCommunication(library_, Exchange::kAllReduce, where, elements);
    return builder.Communicate(all_reduce, 0, 1).Done();
  }

  std::int64_t attention_parameters() const { return 4 * model_.hidden * model_.hidden; }

  void MakeCalls() {
    dispatch_ = MakeExchange(Communication::Routing::kDispatch);
    combine_ = MakeExchange(Communication::Routing::kCombine);
    outer_bucket_ = Bucket(world_, model_.embedding_parameters());
    attention_bucket_ = Bucket(world_, attention_parameters());
    expert_bucket_ = Bucket(expert_data_, experts_.parameters(model_));
    SegmentBuilder builder(library_);
    builder.OpenAnnotation("MoE.forward");
    AddBroadcasts(request_.causes, world_, BucketEventsMoe(0), library_, &builder);
    open_forward_ = builder.Done();
    close_forward_ = builder.CloseAnnotation().ToAutograd().Done();
    to_main_ = builder.ToMain().Done();
  }

  const Segment* Finish() {
    SegmentBuilder builder(library_);
    for (int bucket = 0; bucket < Buckets(); ++bucket) {
      builder.WaitEvent(Stream::kCompute, BucketEventsMoe(bucket) + 1);
    }
    builder.ToMain();
    AddOptimizer({.layers = size_.layers,
                  .layer_parameters = attention_parameters() + experts_.parameters(model_),
                  .other_parameters = 2 * model_.embedding_parameters()},
                 size_.optimizer_launches, request_.causes, &builder);
    AddRead(request_, &builder);
    AddLeakAndCheckpoint(request_, &builder);
    return builder.Done();
  }

  void Forward(int pass) {
    const auto forward = [&](const Part& part) { program_.CallForward(part.forward, part.units); };
    program_.Call(open_forward_);
    program_.CallFrames(frames_.Open());
    forward(embedding_);
    for (int layer = 0; layer < size_.layers; ++layer) {
      program_.set_item(Item(pass, layer));
      program_.CallFrames(open_layer_);
      forward(attention_);
      program_.Call(dispatch_, kExchangeEvents);
      forward(experts_part_);
      program_.Call(combine_, kExchangeEvents);
      forward(residual_);
      program_.CallFrames(close_layer_);
    }
    forward(head_);
    program_.CallFrames(frames_.Close());
    program_.Call(close_forward_);
  }

  void Backward(int pass) {
    int bucket = 0;
    const bool reduces = pass + 1 == size_.micro_batches;
    const auto backward = [&](const Part& part) {
      program_.CallBackward(part.backward, part.units);
    };
    const auto reduce = [&](const Segment* segment) {
      if (reduces) program_.Call(segment, BucketEventsMoe(bucket++));
    };
    backward(head_);
    reduce(outer_bucket_);
    for (int layer = size_.layers; layer-- > 0;) {
      program_.set_item(Item(pass, layer));
      backward(residual_);
      program_.Call(dispatch_, kExchangeEvents);
      backward(experts_part_);
      reduce(expert_bucket_);
      program_.Call(combine_, kExchangeEvents);
      backward(attention_);
      reduce(attention_bucket_);
    }
    backward(embedding_);
    reduce(outer_bucket_);
    if (!reduces) program_.Call(to_main_);
  }

  // What a layer's routing is drawn by.
  std::uint32_t Item(int pass, int layer) const {
    return static_cast<std::uint32_t>(pass * size_.layers + layer);
  }

  const StepSize& size_;
  const StepRequest& request_;
  Library* library_;
  const ModelShape& model_;
  ExpertShape experts_;
  const Catalog& catalog_;
  const ExpertCatalog& expert_catalog_;
  int replicas_;  // ranks that have the same experts
  Where world_, expert_, expert_data_;
  Part attention_, experts_part_, residual_, embedding_, head_;
  ModelFrames frames_;
  ProgramBuilder program_;
  const Segment *open_layer_, *close_layer_;
  const Segment *load_, *open_forward_, *close_forward_, *to_main_, *dispatch_, *combine_,
      *outer_bucket_, *attention_bucket_, *expert_bucket_, *finish_;
};

}  // namespace

MoeJob::MoeJob(const SimulateOptions& options, const StepSize& size, Library* library)
    : options_(options), size_(size), library_(library) {}

Layout MoeJob::MakeLayout() const {
  const int ranks = options_.ranks, ep = options_.degrees.ep;
  Layout layout(ranks);
  layout.degrees = options_.degrees;
  for (int rank = 0; rank < ranks; ++rank) layout.place(rank).at = {.ep = rank % ep, .dp = rank};
  layout.AddCollectiveGroup("default_pg", RanksFrom(0, ranks));
  for (int first = 0; first < ranks; first += ep) {
    layout.AddCollectiveGroup("EXPERT_MODEL_PARALLEL_GROUP", RanksFrom(first, ep));
  }
  for (int first = 0; first < ep; ++first) {
    layout.AddCollectiveGroup("EXPERT_DATA_PARALLEL_GROUP", RanksFrom(first, ranks / ep, ep));
  }
  return layout;
}

Router MoeJob::RouterOf(int rank) const {
  const ExpertShape experts = ExpertsOf(options_);
  return {.seed = options_.seed,
          .tokens = options_.model->tokens() * experts.choices,
          .members = options_.degrees.ep,
          .group = rank / options_.degrees.ep};
}

Program MoeJob::MakeStep(const StepRequest& request) {
  return MoeStep(options_, size_, request, library_).Make();
}

}  // namespace rankscope::sim
