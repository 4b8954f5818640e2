#include "sim/jobs/fsdp.h"

#include "sim/jobs/parts.h"
#include "sim/jobs/program_builder.h"
#include "sim/jobs/ranks.h"
#include "sim/jobs/transformer.h"
#include "sim/model/communications.h"
#include "sim/model/kernel_names.h"
#include "sim/model/segment_builder.h"

namespace rankscope::sim {
namespace {

constexpr Stream kGatherStream = Stream::kSide;
constexpr Stream kReplicaStream = Stream::kSide2;

// Slots of a rank's place.
constexpr int kFsdpWorldSlot = 0;  // FSDP: the shard group
constexpr int kShardSlot = 1;      // HSDP
constexpr int kReplicaSlot = 2;    // HSDP

// Event slots: the prefetch's, then those of each unit: 0 is the embedding and the head, which are
// gathered once; then the layers.
enum UnitEvent : std::uint32_t {
  kGatherBegins,
  kGathered,
  kMayGather,  // a layer two before this one has been computed, so there is memory for this one
  kReduceBegins,
  kReduced,
  kReplicasBegin,
  kReplicasReduced,
  kUnitEvents,
};
std::uint32_t EventsOf(int unit) { return 1 + static_cast<std::uint32_t>(unit) * kUnitEvents; }

// The parts of one step.
class FsdpStep {
 public:
  FsdpStep(const StepSize& size, const ModelShape& model, const Where& shards,
           const Where& replicas, const StepRequest& request, Library* library)
      : size_(size),
        request_(request),
        library_(library),
        shards_(shards),
        replicas_(replicas),
        transformer_(model, request, nullptr, nullptr, library),
        frames_(library) {
    load_ = LoadBatchPart(request.causes, library);
    compile_ = CompilePart(request, library);
    SegmentBuilder builder(library);
    AddBroadcasts(request.causes, shards_, EventsOf(0), library, &builder);
    open_forward_ = builder.OpenAnnotation("FSDP::root_pre_forward").CloseAnnotation().Done();
    close_forward_ = builder.ToAutograd().Done();
    to_main_ = builder.ToMain().Done();
    layer_ = MakeUnit(model.layer_parameters());
    rest_ = MakeUnit(2 * model.embedding_parameters());
    computed_ = builder.RecordEvent(Stream::kCompute, kMayGather).Done();
    finish_ = Finish();
  }

  Program Make() {
    for (int pass = 0; pass < size_.micro_batches; ++pass) {
      program_.Call(load_);
      if (pass == 0) program_.Call(compile_);
      Forward();
      Backward();
      if (pass + 1 < size_.micro_batches) program_.Call(to_main_);
    }
    program_.Call(finish_);
    // Layers before the first and behind the last have slots that nobody waits for.
    return program_.Done(EventsOf(size_.layers + 3));
  }

 private:
  // What is done with the parameters of a unit.
  struct Unit {
    const Segment* gather;       // ahead of time
    const Segment* gather_late;  // when they are needed
    const Segment* wait;         // until they are there
    const Segment* reduce;
  };

  KernelSpec CopyKernel(std::string_view name, std::int64_t elements) const {
    return MakeElementwise(name, elements, 2 * kBf16 * elements);
  }

  Unit MakeUnit(std::int64_t parameters) {
    const std::int64_t share = parameters / shards_.reach.members;
    const Communication* gather =
        AddCommunication(library_, Exchange::kAllGather, shards_, parameters);
    const Communication* scatter =
        AddCommunication(library_, Exchange::kReduceScatter, shards_, parameters);
    const auto gather_on = [&](Stream stream) {
      SegmentBuilder builder(library_);
      builder.WaitEvent(stream, kMayGather);
      builder.OpenSpan("FSDP::all_gather").OpenOp("fsdp::all_gather_copy_in");
      builder.Launch(CopyKernel(kCopyKernel, share), stream).CloseOp();
      return builder.Communicate(gather, kGatherBegins, kGathered, stream).CloseOp().Done();
    };
    SegmentBuilder wait(library_), reduce(library_);
    wait.WaitEvent(Stream::kCompute, kGathered);
    wait.OpenSpan("FSDP::all_gather_copy_out").OpenOp("fsdp::split_with_sizes_copy");
    wait.Launch(CopyKernel(kCopyKernel, parameters)).CloseOp().CloseOp();
    reduce.OpenSpan("FSDP::post_backward_reduce").OpenOp("fsdp::chunk_cat");
    reduce.Launch(CopyKernel(kChunkCat, parameters)).CloseOp();
    reduce.Communicate(scatter, kReduceBegins, kReduced).CloseOp();
    AddReplicas(share, &reduce);
    return {gather_on(kGatherStream), gather_on(Stream::kCompute), wait.Done(), reduce.Done()};
  }

  void AddReplicas(std::int64_t elements, SegmentBuilder* builder) {
    if (replicas_.reach.members == 1) return;
    const Communication* all_reduce =
        AddCommunication(library_, Exchange::kAllReduce, replicas_, elements);
    builder->WaitEvent(kReplicaStream, kReduced);
    builder->Communicate(all_reduce, kReplicasBegin, kReplicasReduced, kReplicaStream);
  }

  const Segment* Finish() {
    const ModelShape& model = transformer_.model();
    SegmentBuilder builder(library_);
    // Reductions are in order, and those of unit 0 are the last.
    const std::uint32_t last = replicas_.reach.members > 1 ? kReplicasReduced : kReduced;
    builder.WaitEvent(Stream::kCompute, EventsOf(0) + last).ToMain();
    const int members = shards_.reach.members;
    AddOptimizer({.layers = size_.layers,
                  .layer_parameters = model.layer_parameters() / members,
                  .other_parameters = 2 * model.embedding_parameters() / members},
                 size_.optimizer_launches, request_.causes, &builder);
    AddRead(request_, &builder);
    AddLeakAndCheckpoint(request_, &builder);
    return builder.Done();
  }

  bool Late(int layer) const {
    return IsAmong(request_.causes.severity(CauseId::kExposedCommunication), layer);
  }
  void Gather(int layer) {
    program_.Call(Late(layer) ? layer_.gather_late : layer_.gather, EventsOf(layer + 1));
  }

  void Forward() {
    const auto forward = [&](const Part& part) { program_.CallForward(part.forward, part.units); };
    program_.Call(open_forward_);
    program_.CallFrames(frames_.Open());
    program_.Call(rest_.gather, EventsOf(0));
    program_.Call(rest_.wait, EventsOf(0));
    forward(transformer_.embedding());
    for (int layer = 0; layer < size_.layers; ++layer) {
      Gather(layer);
      program_.Call(layer_.wait, EventsOf(layer + 1));
      program_.set_item(static_cast<std::uint32_t>(layer));
      forward(transformer_.layer(layer));
      program_.Call(computed_, EventsOf(layer + 3));
    }
    forward(transformer_.head());
    program_.CallFrames(frames_.Close());
    program_.Call(close_forward_);
  }

  void Backward() {
    const auto backward = [&](const Part& part) {
      program_.CallBackward(part.backward, part.units);
    };
    const auto gather_ahead = [&](int layer) {
      if (layer >= 0 && !Late(layer)) Gather(layer);
    };
    gather_ahead(size_.layers - 1);
    backward(transformer_.head());
    for (int layer = size_.layers; layer-- > 0;) {
      if (Late(layer)) Gather(layer);
      gather_ahead(layer - 1);
      program_.Call(layer_.wait, EventsOf(layer + 1));
      backward(transformer_.layer(layer));
      program_.Call(layer_.reduce, EventsOf(layer + 1));
      if (layer >= 2) program_.Call(computed_, EventsOf(layer - 1));
    }
    backward(transformer_.embedding());
    program_.Call(rest_.reduce, EventsOf(0));
  }

  const StepSize& size_;
  const StepRequest& request_;
  Library* library_;
  Where shards_, replicas_;
  Transformer transformer_;
  ModelFrames frames_;
  ProgramBuilder program_;
  Unit layer_, rest_;
  const Segment *load_, *compile_, *open_forward_, *close_forward_, *to_main_, *computed_, *finish_;
};

}  // namespace

int HybridShards(int ranks) {
  for (int shards = kDevicesPerHost; shards > 1; --shards) {
    if (ranks % shards == 0 && ranks > shards) return shards;
  }
  return 1;
}

FsdpJob::FsdpJob(const SimulateOptions& options, const StepSize& size, Library* library)
    : options_(options),
      size_(size),
      library_(library),
      shards_(options.job == JobKind::kHsdp ? HybridShards(options.ranks) : options.ranks) {}

Layout FsdpJob::MakeLayout() const {
  const int ranks = options_.ranks;
  Layout layout(ranks);
  layout.degrees.dp = ranks;
  for (int rank = 0; rank < ranks; ++rank) layout.place(rank).at.dp = rank;
  layout.AddCollectiveGroup("default_pg", RanksFrom(0, ranks));
  if (options_.job != JobKind::kHsdp) return layout;
  const int replicas = ranks / shards_;
  for (int replica = 0; replica < replicas; ++replica) {
    layout.AddCollectiveGroup("mesh_dp_shard", RanksFrom(replica * shards_, shards_));
  }
  for (int shard = 0; shard < shards_; ++shard) {
    layout.AddCollectiveGroup("mesh_dp_replicate", RanksFrom(shard, replicas, shards_));
  }
  return layout;
}

Program FsdpJob::MakeStep(const StepRequest& request) {
  const bool hybrid = options_.job == JobKind::kHsdp;
  const int slot = hybrid ? kShardSlot : kFsdpWorldSlot;
  const Where shards{.group_slot = slot, .channel_slot = slot, .reach = ReachOf(shards_)};
  const Where replicas{.group_slot = kReplicaSlot,
                       .channel_slot = kReplicaSlot,
                       .stream = Stream::kCommunication2,
                       .reach = hybrid ? ReachOf(options_.ranks / shards_, shards_) : Reach{}};
  return FsdpStep(size_, *options_.model, shards, replicas, request, library_).Make();
}

}  // namespace rankscope::sim
