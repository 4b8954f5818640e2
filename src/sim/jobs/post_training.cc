#include "sim/jobs/post_training.h"

#include <algorithm>

#include "sim/communications.h"
#include "sim/jobs/parts.h"
#include "sim/jobs/program_builder.h"
#include "sim/jobs/ranks.h"
#include "sim/jobs/transformer.h"
#include "sim/segment_builder.h"

namespace rankscope::sim {
namespace {

constexpr int kGeneratorRole = 0;

// Slots of a place.
constexpr int kWorldSlot = 0;
constexpr int kTrainersSlot = 1;
constexpr Stream kTrainersStream = Stream::kCommunication2;

// Event slots; every pair is before and after.
constexpr std::uint32_t kSamplesEvents = 1;
constexpr std::uint32_t kWeightsEvents = 3;
std::uint32_t BucketEvents(int bucket) { return 5 + 2 * static_cast<std::uint32_t>(bucket); }

// Per micro-batch of the trainers: both sides then have about as many events.
constexpr int kDecodedTokens = 3;

// What both sides do together at the ends of a step.
class Handover {
 public:
  Handover(const ModelShape& model, int layers, int ranks, Library* library) : library_(library) {
    const Where world{
        .group_slot = kWorldSlot, .channel_slot = kWorldSlot, .reach = ReachOf(ranks)};
    samples_ =
        AddCommunication(library, Exchange::kAllGather, world, model.tokens() * ranks, kInt64);
    weights_ =
        AddCommunication(library, Exchange::kBroadcast, world,
                         layers * model.layer_parameters() + 2 * model.embedding_parameters());
  }
  const Segment* Samples() const { return Meet("exchange samples", samples_, kSamplesEvents); }
  const Segment* Weights() const { return Meet("update weights", weights_, kWeightsEvents); }

 private:
  const Segment* Meet(std::string_view what, const Communication* communication,
                      std::uint32_t events) const {
    SegmentBuilder builder(library_);
    builder.OpenAnnotation(what).Communicate(communication, events, events + 1);
    builder.WaitEvent(Stream::kCompute, events + 1).SyncStream(Stream::kCompute);
    return builder.CloseAnnotation().Done();
  }

  Library* library_;
  const Communication* samples_;
  const Communication* weights_;
};

// The model for one token of every sequence.
ModelShape DecodingShape(ModelShape model) {
  model.batch = 64;
  model.sequence = 1;
  return model;
}

Program GeneratorStep(const SimulateOptions& options, const StepSize& size,
                      const StepRequest& request, Library* library) {
  const Handover handover(*options.model, size.layers, options.ranks, library);
  Transformer transformer(DecodingShape(*options.model), request, nullptr, library);
  SegmentBuilder builder(library);
  const Segment* open = builder.OpenAnnotation("generate").Done();
  const Segment* next_token = builder.ReadScalar().Done();
  AddLeakAndCheckpoint(request, &builder);
  builder.CloseAnnotation();
  const Segment* close = builder.Done();
  ProgramBuilder program;
  const auto decode = [&](const Part& part) {
    program.CallForward(part.forward, part.units);
    program.Forget(part.units, library);
  };
  program.Call(open);
  for (int token = 0; token < kDecodedTokens * size.micro_batches; ++token) {
    decode(transformer.embedding());
    for (int layer = 0; layer < size.layers; ++layer) decode(transformer.layer(layer));
    decode(transformer.head());
    program.Call(next_token);
  }
  program.Call(close);
  program.Call(handover.Samples());
  program.Call(handover.Weights());
  Program step = program.Done(BucketEvents(0));
  step.inference = true;
  return step;
}

class TrainerStep {
 public:
  TrainerStep(const SimulateOptions& options, const StepSize& size, int trainers,
              const StepRequest& request, Library* library)
      : size_(size),
        request_(request),
        library_(library),
        trainers_{.group_slot = kTrainersSlot,
                  .channel_slot = kTrainersSlot,
                  .stream = kTrainersStream,
                  .reach = ReachOf(trainers)},
        handover_(*options.model, size.layers, options.ranks, library),
        transformer_(*options.model, request, nullptr, library) {
    SegmentBuilder builder(library);
    open_forward_ = builder.OpenAnnotation("train").Done();
    close_forward_ = builder.CloseAnnotation().SwitchTo(HostThread::kAutograd).Done();
    to_main_ = builder.SwitchTo(HostThread::kMain).Done();
    compile_ = CompilePart(request, library);
    inner_bucket_ = Bucket(transformer_.model().layer_parameters());
    outer_bucket_ = Bucket(transformer_.model().embedding_parameters());
    finish_ = Finish();
  }

  Program Make() {
    program_.Call(handover_.Samples());
    program_.Call(compile_);
    for (int pass = 0; pass < size_.micro_batches; ++pass) {
      Forward();
      Backward(pass + 1 == size_.micro_batches);
    }
    program_.Call(finish_);
    program_.Call(handover_.Weights());
    return program_.Done(BucketEvents(size_.layers + 2));
  }

 private:
  const Segment* Bucket(std::int64_t elements) {
    SegmentBuilder builder(library_);
    const Communication* all_reduce =
        AddCommunication(library_, Exchange::kAllReduce, trainers_, elements);
    return builder.Communicate(all_reduce, 0, 1).Done();
  }

  const Segment* Finish() {
    const ModelShape& model = transformer_.model();
    SegmentBuilder builder(library_);
    for (int bucket = 0; bucket < size_.layers + 2; ++bucket) {
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
    const auto backward = [&](const Part& part, const Segment* reduce) {
      program_.CallBackward(part.backward, part.units);
      if (synchronises) program_.Call(reduce, BucketEvents(bucket++));
    };
    backward(transformer_.head(), outer_bucket_);
    for (int layer = size_.layers; layer-- > 0;) {
      backward(transformer_.layer(layer), inner_bucket_);
    }
    backward(transformer_.embedding(), outer_bucket_);
    if (!synchronises) program_.Call(to_main_);
  }

  const StepSize& size_;
  const StepRequest& request_;
  Library* library_;
  Where trainers_;
  Handover handover_;
  Transformer transformer_;
  ProgramBuilder program_;
  const Segment *open_forward_, *close_forward_, *to_main_, *compile_, *inner_bucket_,
      *outer_bucket_, *finish_;
};

}  // namespace

PostTrainingJob::PostTrainingJob(const SimulateOptions& options, const StepSize& size,
                                 Library* library)
    : options_(options), size_(size), library_(library) {}

int PostTrainingJob::Generators() const { return std::max(1, options_.ranks / 4); }

int PostTrainingJob::RoleOf(int rank) const { return rank < Generators() ? 0 : 1; }

Layout PostTrainingJob::MakeLayout() const {
  const int generators = Generators(), ranks = options_.ranks;
  Layout layout(ranks);
  layout.degrees.dp = ranks;
  for (int rank = 0; rank < ranks; ++rank) layout.place(rank).at.dp = rank;
  layout.AddCollectiveGroup("default_pg", RanksFrom(0, ranks));
  layout.AddCollectiveGroup("trainers", RanksFrom(generators, ranks - generators));
  return layout;
}

Program PostTrainingJob::MakeStep(const StepRequest& request) {
  if (request.role == kGeneratorRole) return GeneratorStep(options_, size_, request, library_);
  return TrainerStep(options_, size_, options_.ranks - Generators(), request, library_).Make();
}

}  // namespace rankscope::sim
