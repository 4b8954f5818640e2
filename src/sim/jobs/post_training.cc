#include "sim/jobs/post_training.h"

#include <algorithm>

#include "sim/jobs/data_parallel.h"
#include "sim/jobs/parts.h"
#include "sim/jobs/program_builder.h"
#include "sim/jobs/ranks.h"
#include "sim/jobs/transformer.h"
#include "sim/model/communications.h"
#include "sim/model/segment_builder.h"

namespace rankscope::sim {
namespace {

constexpr int kGeneratorRole = 0;

// Slots of a place.
constexpr int kPostTrainingWorldSlot = 0;
constexpr int kTrainersSlot = 1;
constexpr Stream kTrainersStream = Stream::kCommunication2;

// Event slots; every pair is before and after.
constexpr std::uint32_t kSamplesEvents = 1;
constexpr std::uint32_t kWeightsEvents = 3;
constexpr std::uint32_t kPostTrainingBucketEvents = 5;

// Per micro-batch of the trainers: both sides then have about as many events.
constexpr int kDecodedTokens = 3;

// What both sides do together at the ends of a step.
class Handover {
 public:
  Handover(const ModelShape& model, int layers, int ranks, Library* library) : library_(library) {
    const Where world{.group_slot = kPostTrainingWorldSlot,
                      .channel_slot = kPostTrainingWorldSlot,
                      .reach = ReachOf(ranks)};
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

// The whole model in one graph, as inference engines have it: the last tokens are copied to where
// the graph reads them.
const Segment* ReplayOfToken(int layers, const StepRequest& request, Transformer* transformer,
                             Library* library) {
  SegmentBuilder builder(library);
  if (!request.cuda_graphs) return builder.Done();
  constexpr std::int64_t kPythonPerTokenNs = 60'000;
  const std::int64_t bytes = 8 * transformer->model().tokens();
  builder.Think(kPythonPerTokenNs).OpenOp("aten::copy_");
  builder.Copy(Stream::kCompute, {.name = "Memcpy DtoD (Device -> Device)",
                                  .bytes = bytes,
                                  .duration_ns = DeviceCopyNs(bytes)});
  builder.CloseOp().LaunchGraph(transformer->WholeForward(layers));
  const bool pauses = request.causes.severity(CauseId::kGcPause) > 0;
  for (int layer = 0; pauses && layer < layers; ++layer) builder.PausePoint();
  return builder.Done();
}

Program GeneratorStep(const SimulateOptions& options, const StepSize& size,
                      const StepRequest& request, Library* library) {
  const Handover handover(*options.model, size.layers, options.ranks, library);
  Transformer transformer(DecodingShape(*options.model), request, nullptr, nullptr, library);
  SegmentBuilder builder(library);
  const ModelFrames frames(library);
  const Segment* open = builder.OpenAnnotation("generate").Done();
  const Segment* next_token = builder.ReadScalar().Done();
  AddLeakAndCheckpoint(request, &builder);
  builder.CloseAnnotation();
  const Segment* close = builder.Done();
  const Segment* replay = ReplayOfToken(size.layers, request, &transformer, library);
  ProgramBuilder program;
  const auto decode = [&](const Part& part) {
    program.CallForward(part.forward, part.units);
    program.Forget(part.units, library);
  };
  program.Call(open);
  for (int token = 0; token < kDecodedTokens * size.micro_batches; ++token) {
    program.CallFrames(frames.Open());
    if (request.cuda_graphs) {
      program.set_item(0);
      program.Call(replay);
    } else {
      decode(transformer.embedding());
      for (int layer = 0; layer < size.layers; ++layer) {
        program.set_item(static_cast<std::uint32_t>(layer));
        decode(transformer.layer(layer));
      }
      decode(transformer.head());
    }
    program.CallFrames(frames.Close());
    program.Call(next_token);
  }
  program.Call(close);
  program.Call(handover.Samples());
  program.Call(handover.Weights());
  Program step = program.Done(kPostTrainingBucketEvents);
  step.inference = true;
  return step;
}

Program TrainerStep(const SimulateOptions& options, const StepSize& size, int trainers,
                    const StepRequest& request, Library* library) {
  const Where where{.group_slot = kTrainersSlot,
                    .channel_slot = kTrainersSlot,
                    .stream = kTrainersStream,
                    .reach = ReachOf(trainers)};
  const Handover handover(*options.model, size.layers, options.ranks, library);
  const Segment* open_forward = SegmentBuilder(library).OpenAnnotation("train").Done();
  const Segment* compile = CompilePart(request, library);
  DataParallelPasses passes(size, *options.model, where, false, kPostTrainingBucketEvents, request,
                            library);
  ProgramBuilder program;
  program.Call(handover.Samples());
  program.Call(compile);
  for (int pass = 0; pass < size.micro_batches; ++pass)
    passes.AddPass(open_forward, pass + 1 == size.micro_batches, &program);
  program.Call(passes.Finish());
  program.Call(handover.Weights());
  return program.Done(passes.EventsEnd());
}

}  // namespace

PostTrainingJob::PostTrainingJob(const SimulateOptions& options, const StepSize& size,
                                 Library* library)
    : options_(options), size_(size), library_(library) {}

int PostTrainingJob::Generators() const { return std::max(1, options_.ranks / 4); }

int PostTrainingJob::RoleOf(int rank) const { return rank < Generators() ? 0 : 1; }

std::string_view PostTrainingJob::PurposeOf(int rank) const {
  return RoleOf(rank) == kGeneratorRole ? "generator" : "trainer";
}

Layout PostTrainingJob::MakeLayout() const {
  const int generators = Generators(), ranks = options_.ranks;
  Layout layout(ranks);
  // Of the trainers; generators are replicas that nothing joins.
  layout.degrees.dp = ranks - generators;
  for (int rank = 0; rank < ranks; ++rank)
    layout.place(rank).at.dp = rank < generators ? rank : rank - generators;
  layout.AddCollectiveGroup("default_pg", RanksFrom(0, ranks));
  layout.AddCollectiveGroup("trainers", RanksFrom(generators, ranks - generators));
  return layout;
}

Program PostTrainingJob::MakeStep(const StepRequest& request) {
  if (request.role == kGeneratorRole) return GeneratorStep(options_, size_, request, library_);
  return TrainerStep(options_, size_, options_.ranks - Generators(), request, library_);
}

}  // namespace rankscope::sim
