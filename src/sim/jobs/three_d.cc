#include "sim/jobs/three_d.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "sim/jobs/parts.h"
#include "sim/jobs/pipeline.h"
#include "sim/jobs/program_builder.h"
#include "sim/jobs/ranks.h"
#include "sim/jobs/ring_attention.h"
#include "sim/jobs/transformer.h"
#include "sim/model/communications.h"
#include "sim/model/pass_names.h"
#include "sim/model/segment_builder.h"

namespace rankscope::sim {
namespace {

// Slots of a rank's place: groups, and the channels in which all members meet.
enum GroupSlot : int { kWorld, kTensor, kData, kPipeline, kOtherGroups };
// Further channels: activations go to the next stage, gradients to the one before. So do keys and
// values and their gradients around the ring of a context group.
enum ChannelSlot : int {
  kToNext = kPipeline + 1,
  kFromNext,
  kFromPrevious,
  kToPrevious,
  kRingToNext,
  kRingFromPrevious,
  kRingToPrevious,
  kRingFromNext,
  kEmbeddingChannel,
};
constexpr int kNobody = -1;

constexpr Stream kTensorStream = Stream::kCommunication2;
constexpr Stream kDataStream = Stream::kCommunication3;
constexpr Stream kPreviousStream = Stream::kCommunication4;
constexpr Stream kNextStream = Stream::kCommunication5;
constexpr Stream kRingNextStream = Stream::kCommunication6;
constexpr Stream kRingPreviousStream = Stream::kCommunication7;
// In an interleaved schedule gradients have streams of their own: no order of sends would suit both
// them and the activations. There are no rings then.
constexpr Stream kGradientsToPreviousStream = kRingPreviousStream;
constexpr Stream kGradientsFromNextStream = kRingNextStream;

// Event slots; every pair is before and after.
enum Event : std::uint32_t {
  kTensorEvents = 1,  // behind the prefetch's
  kSendNextEvents = kTensorEvents + 2,
  kReceiveNextEvents = kSendNextEvents + 2,
  kSendPreviousEvents = kReceiveNextEvents + 2,
  kReceivePreviousEvents = kSendPreviousEvents + 2,
  kWorldEvents = kReceivePreviousEvents + 2,
  kEmbeddingEvents = kWorldEvents + 2,
  kBucketEvents = kEmbeddingEvents + 2,
};

constexpr std::uint32_t kRingEvents = 4;

std::uint32_t BucketEventsOf3d(int bucket) {
  return kBucketEvents + 2 * static_cast<std::uint32_t>(bucket);
}

// The dimensions and how far groups reach.
struct Dimensions {
  Degrees degrees;

  int stage_ranks() const { return degrees.tp * replicas(); }
  // Ranks that have the same parameters.
  int replicas() const { return degrees.cp * degrees.dp; }

  Where tensor() const {
    return {.group_slot = kTensor,
            .channel_slot = kTensor,
            .stream = kTensorStream,
            .reach = ReachOf(degrees.tp)};
  }
  Where data() const {
    return {.group_slot = kData,
            .channel_slot = kData,
            .stream = kDataStream,
            .reach = ReachOf(replicas(), degrees.tp)};
  }
  Where world() const { return {.reach = ReachOf(stage_ranks() * degrees.pp)}; }
  Where embedding() const {
    return {.group_slot = kOtherGroups + (degrees.cp > 1 ? 1 : 0),
            .channel_slot = kEmbeddingChannel,
            .reach = {2, 2}};
  }
  Where ring(int channel, Stream stream) const {
    return {.group_slot = kOtherGroups,
            .channel_slot = channel,
            .stream = stream,
            .reach = ReachOf(2, degrees.tp)};
  }
  static Where Neighbour(int channel, Stream stream, bool coalesced) {
    return {.group_slot = kPipeline,
            .channel_slot = channel,
            .stream = stream,
            .reach = {2, 1},
            .coalesced = coalesced};
  }
};

// Larger micro-batches, and fewer of them.
std::pair<ModelShape, int> MicroBatches(const SimulateOptions& options, const StepSize& size,
                                        const StepRequest& request) {
  ModelShape model = *options.model;
  model.shards = options.degrees.tp;
  model.sequence /= options.degrees.cp;
  const auto larger = 1 + static_cast<int>(request.causes.severity(CauseId::kPipelineBubble));
  model.batch *= larger;
  const int at_a_time = options.virtual_stages > 1 ? options.degrees.pp : 1;
  const int batches = size.micro_batches / larger / at_a_time * at_a_time;
  return {model, std::max(at_a_time, batches)};
}

// The parts of one step of a stage.
class StageStep {
 public:
  StageStep(const SimulateOptions& options, const StepSize& size, const StepRequest& request,
            Library* library)
      : StageStep(options, size, request, MicroBatches(options, size, request), library) {}

  Program Make() {
    program_.Call(load_);
    program_.Call(compile_);
    const std::vector<PipelineAction> actions =
        chunks_ > 1 ? Interleaved(stage_, stages_, micro_batches_, chunks_)
                    : OneForwardOneBackward(stage_, stages_, micro_batches_);
    for (const PipelineAction& action : actions) Do(action);
    for (const int bucket : held_) program_.Call(BucketOf(bucket), BucketEventsOf3d(bucket));
    program_.Call(finish_);
    return program_.Done(RingEvents() + (dimensions_.degrees.cp > 1 ? kRingEvents : 0));
  }

 private:
  StageStep(const SimulateOptions& options, const StepSize& size, const StepRequest& request,
            const std::pair<ModelShape, int>& batches, Library* library)
      : size_(size),
        request_(request),
        library_(library),
        dimensions_{options.degrees},
        model_(batches.first),
        micro_batches_(batches.second),
        stage_(request.role),
        stages_(options.degrees.pp),
        chunks_(options.virtual_stages),
        coalesced_(options.coalesced_sends),
        layers_(size.layers +
                static_cast<int>(
                    size.layers * request.causes.severity(CauseId::kPipelineStageImbalance) + 0.5)),
        ring_(Ring()),
        transformer_(model_, request, TensorParallel(), options.degrees.cp > 1 ? &ring_ : nullptr,
                     library),
        frames_(library) {
    MakeCalls();
    MakeTransfers();
    inner_bucket_ = Bucket(model_.layer_parameters());
    outer_bucket_ = Bucket(model_.embedding_parameters());
    finish_ = Finish();
    units_ = transformer_.layer(0).units * static_cast<std::uint32_t>(layers_);
    if (first()) units_ += transformer_.embedding().units;
    if (last()) units_ += transformer_.head().units;
  }

  // The chunk that has the embedding, the one that has the head.
  bool IsFront(int chunk) const { return first() && chunk == 0; }
  bool IsBack(int chunk) const { return last() && chunk + 1 == chunks_; }

  bool first() const { return stage_ == 0; }
  bool last() const { return stage_ + 1 == stages_; }
  std::int64_t activation_elements() const { return model_.tokens() * model_.hidden; }

  // Buckets of gradients in the order of the backward: head, layers from the last, embedding.
  int Buckets() const { return chunks_ * layers_ + (first() ? 1 : 0) + (last() ? 1 : 0); }
  int FirstBucketOf(int chunk) const {
    return (chunks_ - 1 - chunk) * layers_ + (last() && !IsBack(chunk) ? 1 : 0);
  }
  const Segment* BucketOf(int bucket) const {
    const bool outer = (last() && bucket == 0) || (first() && bucket + 1 == Buckets());
    return outer ? outer_bucket_ : inner_bucket_;
  }

  const Communication* TensorParallel() {
    if (dimensions_.degrees.tp == 1) return nullptr;
    return AddCommunication(library_, Exchange::kAllReduce, dimensions_.tensor(),
                            activation_elements());
  }

  // Behind all others.
  std::uint32_t RingEvents() const { return BucketEventsOf3d(Buckets()); }

  ContextRing Ring() {
    const int ranks = dimensions_.degrees.cp;
    if (ranks == 1) return {};
    const std::int64_t keys_and_values = 2 * activation_elements() / model_.shards;
    const auto forward = [&](std::int64_t elements) {
      return RingExchange{
          AddSend(library_, dimensions_.ring(kRingToNext, kRingNextStream), elements),
          AddReceive(library_, dimensions_.ring(kRingFromPrevious, kRingPreviousStream), elements)};
    };
    const auto backward = [&](std::int64_t elements) {
      return RingExchange{
          AddSend(library_, dimensions_.ring(kRingToPrevious, kRingPreviousStream), elements),
          AddReceive(library_, dimensions_.ring(kRingFromNext, kRingNextStream), elements)};
    };
    return {.ranks = ranks,
            .events = RingEvents() - kTensorEvents,
            .forward = forward(keys_and_values),
            .backward_first = backward(keys_and_values),
            .backward = backward(2 * keys_and_values),
            .backward_last = backward(keys_and_values)};
  }

  void MakeCalls() {
    SegmentBuilder builder(library_);
    // Only the ends of the pipeline need data: tokens and targets.
    load_ = first() || last() ? LoadBatchPart(request_.causes, library_) : builder.Done();
    open_forward_ = builder.OpenAnnotation(kForwardStep).Done();
    close_forward_ = builder.CloseAnnotation().Done();
    open_backward_ = builder.OpenAnnotation(kBackwardStep).ToAutograd().Done();
    close_backward_ = builder.ToMain().CloseAnnotation().Done();
    compile_ = CompilePart(request_, library_);
    AddBroadcasts(request_.causes, dimensions_.world(), kWorldEvents, library_, &builder);
    broadcasts_ = builder.Done();
  }

  void MakeTransfers() {
    const auto send = [&](int channel, Stream stream) {
      const Where where = Dimensions::Neighbour(channel, stream, coalesced_);
      const Communication* sent = AddSend(library_, where, activation_elements());
      return SegmentBuilder(library_).Communicate(sent, 0, 1).Done();
    };
    const auto receive = [&](int channel, Stream stream) {
      const Where where = Dimensions::Neighbour(channel, stream, coalesced_);
      const Communication* received = AddReceive(library_, where, activation_elements());
      SegmentBuilder builder(library_);
      return builder.Communicate(received, 0, 1).Done();
    };
    send_next_ = send(kToNext, kNextStream);
    send_previous_ = send(kToPrevious, chunks_ > 1 ? kGradientsToPreviousStream : kPreviousStream);
    receive_next_ = receive(kFromNext, chunks_ > 1 ? kGradientsFromNextStream : kNextStream);
    receive_previous_ = receive(kFromPrevious, kPreviousStream);
    wait_ = SegmentBuilder(library_).WaitEvent(Stream::kCompute, 1).Done();
  }

  const Segment* Bucket(std::int64_t elements) {
    SegmentBuilder builder(library_);
    if (dimensions_.replicas() == 1) return builder.Done();
    const auto pieces = 1 + static_cast<int>(request_.causes.severity(CauseId::kSmallCollectives));
    const Communication* all_reduce =
        AddCommunication(library_, Exchange::kAllReduce, dimensions_.data(), elements / pieces);
    for (int piece = 0; piece < pieces; ++piece) {
      builder.Cause(piece == 0 ? std::uint8_t{0} : request_.causes.tag(CauseId::kSmallCollectives));
      builder.Communicate(all_reduce, 0, 1);
    }
    return builder.Done();
  }

  const Segment* Finish() {
    SegmentBuilder builder(library_);
    for (int bucket = 0; bucket < Buckets(); ++bucket) {
      builder.WaitEvent(Stream::kCompute, BucketEventsOf3d(bucket) + 1);
    }
    if (stages_ > 1 && (first() || last())) {
      const Communication* embedding = AddCommunication(
          library_, Exchange::kAllReduce, dimensions_.embedding(), model_.embedding_parameters());
      builder.Communicate(embedding, kEmbeddingEvents, kEmbeddingEvents + 1);
      builder.WaitEvent(Stream::kCompute, kEmbeddingEvents + 1);
    }
    // The norm of all gradients.
    const Communication* norm =
        AddCommunication(library_, Exchange::kAllReduce, dimensions_.world(), 2);
    builder.Communicate(norm, kWorldEvents, kWorldEvents + 1);
    builder.WaitEvent(Stream::kCompute, kWorldEvents + 1);
    AddRead(request_, &builder);
    const int outer = (first() ? 1 : 0) + (last() ? 1 : 0);
    AddOptimizer({.layers = chunks_ * layers_,
                  .layer_parameters = model_.layer_parameters(),
                  .other_parameters = outer * model_.embedding_parameters()},
                 size_.optimizer_launches, request_.causes, &builder);
    AddRead(request_, &builder);
    AddLeakAndCheckpoint(request_, &builder);
    return builder.Done();
  }

  void Do(const PipelineAction& action) {
    switch (action.kind) {
      case PipelineAction::Kind::kForward:
        return Forward(action.micro_batch, action.chunk);
      case PipelineAction::Kind::kBackward:
        return Backward(action.micro_batch, action.chunk);
      case PipelineAction::Kind::kSendForward:
        return program_.Call(send_next_, kSendNextEvents);
      case PipelineAction::Kind::kReceiveForward:
        return program_.Call(receive_previous_, kReceivePreviousEvents);
      case PipelineAction::Kind::kSendBackward:
        return program_.Call(send_previous_, kSendPreviousEvents);
      case PipelineAction::Kind::kReceiveBackward:
        return program_.Call(receive_next_, kReceiveNextEvents);
    }
  }

  ProgramBuilder::InMicroBatch In(int micro_batch, int chunk, std::uint32_t first_unit) const {
    // As many micro-batches as the stage has warmed up with, and one, are between both ways.
    const int sets =
        chunks_ > 1 ? micro_batches_ * chunks_ : std::min(stages_ - stage_, micro_batches_);
    const int pass = micro_batch * chunks_ + chunk;
    return {.of = pass, .slot = pass % sets, .units = units_, .first = first_unit};
  }

  void Forward(int micro_batch, int chunk) {
    std::uint32_t unit = 0;
    const auto forward = [&](const Part& part) {
      program_.CallForward(part.forward, In(micro_batch, chunk, unit), kTensorEvents);
      unit += part.units;
    };
    if (micro_batch == 0 && chunk == 0) program_.Call(broadcasts_);
    program_.Call(open_forward_);
    program_.CallFrames(frames_.Open());
    if (!IsFront(chunk)) program_.Call(wait_, kReceivePreviousEvents);
    if (IsFront(chunk)) forward(transformer_.embedding());
    for (int layer = chunk * layers_; layer < (chunk + 1) * layers_; ++layer) {
      program_.set_item(static_cast<std::uint32_t>(layer));
      forward(transformer_.layer(layer));
    }
    if (IsBack(chunk)) forward(transformer_.head());
    program_.CallFrames(frames_.Close());
    program_.Call(close_forward_);
  }

  void Backward(int micro_batch, int chunk) {
    int bucket = FirstBucketOf(chunk);
    std::uint32_t unit = transformer_.layer(0).units * static_cast<std::uint32_t>(layers_);
    if (IsFront(chunk)) unit += transformer_.embedding().units;
    if (IsBack(chunk)) unit += transformer_.head().units;
    const bool reduces = micro_batch + 1 == micro_batches_;
    const auto backward = [&](const Part& part) {
      unit -= part.units;
      program_.CallBackward(part.backward, In(micro_batch, chunk, unit), kTensorEvents);
      if (reduces) Reduce(bucket++);
    };
    program_.Call(open_backward_);
    if (!IsBack(chunk)) program_.Call(wait_, kReceiveNextEvents);
    if (IsBack(chunk)) backward(transformer_.head());
    for (int layer = (chunk + 1) * layers_; layer-- > chunk * layers_;)
      backward(transformer_.layer(layer));
    if (IsFront(chunk)) backward(transformer_.embedding());
    program_.Call(close_backward_);
  }

  void Reduce(int bucket) {
    if (IsAmong(request_.causes.severity(CauseId::kExposedCommunication), bucket)) {
      held_.push_back(bucket);
    } else {
      program_.Call(BucketOf(bucket), BucketEventsOf3d(bucket));
    }
  }

  const StepSize& size_;
  const StepRequest& request_;
  Library* library_;
  Dimensions dimensions_;
  ModelShape model_;
  int micro_batches_;
  int stage_;
  int stages_;
  int chunks_;
  bool coalesced_;
  int layers_;  // of each chunk
  ContextRing ring_;
  Transformer transformer_;
  ModelFrames frames_;
  ProgramBuilder program_;
  std::vector<int> held_;  // buckets that are reduced only at the end
  std::uint32_t units_ = 0;
  const Segment *load_, *compile_, *broadcasts_, *open_forward_, *close_forward_, *open_backward_,
      *close_backward_, *send_next_, *send_previous_, *receive_next_, *receive_previous_, *wait_,
      *inner_bucket_, *outer_bucket_, *finish_;
};

}  // namespace

ThreeDJob::ThreeDJob(const SimulateOptions& options, const StepSize& size, Library* library)
    : options_(options), size_(size), library_(library) {}

int ThreeDJob::RoleOf(int rank) const { return rank / Dimensions{options_.degrees}.stage_ranks(); }

Layout ThreeDJob::MakeLayout() const {
  const auto [tp, cp, ep, pp, dp] = options_.degrees;
  const int stage_ranks = Dimensions{options_.degrees}.stage_ranks();
  Layout layout(options_.ranks);
  layout.degrees = options_.degrees;
  layout.AddCollectiveGroup("default_pg", RanksFrom(0, options_.ranks));
  for (int first = 0; first < options_.ranks; first += tp) {
    layout.AddCollectiveGroup("TENSOR_MODEL_PARALLEL_GROUP", RanksFrom(first, tp));
  }
  for (int stage = 0; stage < pp; ++stage) {
    for (int shard = 0; shard < tp; ++shard) {
      layout.AddCollectiveGroup("DATA_PARALLEL_GROUP_WITH_CP",
                                RanksFrom(stage * stage_ranks + shard, cp * dp, tp));
    }
  }
  for (int first = 0; first < stage_ranks; ++first) {
    layout.AddCollectiveGroup("PIPELINE_MODEL_PARALLEL_GROUP", RanksFrom(first, pp, stage_ranks));
  }
  for (int rank = 0; rank < options_.ranks; ++rank) {
    Place& place = layout.place(rank);
    place.at = {.tp = rank % tp,
                .cp = rank / tp % cp,
                .pp = rank / stage_ranks,
                .dp = rank / (tp * cp) % dp};
    place.channels.resize(kEmbeddingChannel, kNobody);
  }
  const auto link = [&](int from, int to, int at_from, int at_to) {
    const int channel = layout.AddChannel({from, to});
    layout.place(from).channels[static_cast<std::size_t>(at_from)] = channel;
    layout.place(to).channels[static_cast<std::size_t>(at_to)] = channel;
  };
  for (int rank = 0; rank + stage_ranks < options_.ranks; ++rank) {
    const int next = rank + stage_ranks;
    link(rank, next, kToNext, kFromPrevious);
    link(next, rank, kToPrevious, kFromNext);
  }
  // Of an interleaved schedule the first stage comes behind the last, for the next chunk of layers.
  for (int first = 0; options_.virtual_stages > 1 && first < stage_ranks; ++first) {
    const int last = first + (pp - 1) * stage_ranks;
    link(last, first, kToNext, kFromPrevious);
    link(first, last, kToPrevious, kFromNext);
  }
  for (int rank = 0; cp > 1 && rank < options_.ranks; ++rank) {
    const int first = rank - layout.place(rank).at.cp * tp;
    const std::vector<std::int64_t> ring = RanksFrom(first, cp, tp);
    if (rank == first) {
      const int group = layout.AddGroup("CONTEXT_PARALLEL_GROUP", ring);
      for (const std::int64_t member : ring) {
        layout.place(static_cast<int>(member)).groups.push_back(group);
      }
    }
    const int next = first + (layout.place(rank).at.cp + 1) % cp * tp;
    link(rank, next, kRingToNext, kRingFromPrevious);
    link(next, rank, kRingToPrevious, kRingFromNext);
  }
  for (int first = 0; pp > 1 && first < stage_ranks; ++first) {
    layout.AddCollectiveGroup("EMBEDDING_GROUP", RanksFrom(first, 2, (pp - 1) * stage_ranks));
  }
  return layout;
}

Program ThreeDJob::MakeStep(const StepRequest& request) {
  return StageStep(options_, size_, request, library_).Make();
}

}  // namespace rankscope::sim
