#include "sim/rank_program.h"

#include <utility>

namespace rankscope::sim {
namespace {

constexpr std::int64_t kPythonPerUnitNs = 9000;
constexpr std::int64_t kBackwardPerUnitNs = 2500;
constexpr std::int64_t kDataLoadingNs = 280'000;
constexpr std::int64_t kProfilerStepNs = 35'000;  // profiler.step() between two steps
constexpr std::int64_t kTargetBytes = 32'768;
constexpr std::int64_t kBatchBytes = 24'000'000;
constexpr std::int64_t kFirstSequence = 1000;
constexpr std::int64_t kHeapBase = 0x7F2A00000000;
constexpr std::int64_t kHeapSlot = std::int64_t{1} << 29;  // larger than any activation

// Ops that belong to no differentiable unit.
const OpNode kTo{.depth = 0, .name = "aten::to"};
const OpNode kToCopy{.depth = 1, .name = "aten::_to_copy"};
const OpNode kCopyOp{.depth = 2, .name = "aten::copy_"};
const OpNode kItem{.depth = 0, .name = "aten::item"};
const OpNode kLocalScalar{.depth = 1, .name = "aten::_local_scalar_dense"};
const OpNode kFusedAdam{.depth = 0, .name = "aten::_fused_adamw_"};
const OpNode kAllReduceOp{.depth = 0, .name = "c10d::allreduce_"};

}  // namespace

RankProgram::RankProgram(const JobPlan& plan, int rank, Recorder* recorder)
    : plan_(plan),
      recorder_(recorder),
      machine_(plan, rank, recorder),
      begin_ns_(machine_.now_ns()),
      ready_ns_(static_cast<std::size_t>(plan.collective_count())),
      reduced_(static_cast<std::size_t>(plan.collective_count())) {
  machine_.Think(200'000);
}

void RankProgram::RunToRendezvous(int step, const std::int64_t* end_ns) {
  end_ns_ = end_ns;
  next_collective_ = 0;
  machine_.BeginStep(step);
  machine_.OpenWindow(kFirstStepNumber + step);
  machine_.OpenAnnotation(plan_.step_names[static_cast<std::size_t>(step)]);

  const int passes = plan_.size.micro_batches;
  for (int pass = 0; pass < passes; ++pass) {
    const std::int64_t sequence =
        kFirstSequence + (static_cast<std::int64_t>(step) * passes + pass) * plan_.unit_count();
    LoadBatch();
    Forward(sequence);
    machine_.SwitchTo(HostThread::kAutograd);
    Backward(sequence, pass + 1 == passes);
  }
}

void RankProgram::RunToStepEnd(int step, const std::int64_t* end_ns) {
  for (std::size_t i = 0; i < reduced_.size(); ++i) {
    if (end_ns != nullptr) reduced_[i].time_ns = end_ns[i];
    machine_.WaitForEvent(Stream::kCompute, reduced_[i]);
  }
  if (end_ns != nullptr) machine_.FinishCollectives(end_ns[reduced_.size() - 1]);
  machine_.SwitchTo(HostThread::kMain);
  Optimize();
  ReadLoss();
  const std::int64_t mark_end_ns = machine_.CloseAnnotation();
  if (step + 1 == plan_.options.steps) machine_.CloseLastWindow(mark_end_ns);
  machine_.Think(kProfilerStepNs);
}

void RankProgram::Finish() {
  machine_.SynchronizeDevice();
  machine_.Think(100'000);
  if (recorder_ != nullptr) recorder_->Finish(begin_ns_, machine_.now_ns());
}

void RankProgram::LoadBatch() {
  machine_.OpenAnnotation("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__");
  machine_.Think(kDataLoadingNs);
  machine_.CloseAnnotation();

  // The batch was copied by its own stream during the step before; the first step has none.
  if (prefetched_.event_id != 0) machine_.WaitForEvent(Stream::kCompute, prefetched_);
  for (const auto& [stream, bytes] :
       {std::pair{Stream::kCompute, kTargetBytes}, std::pair{Stream::kCopy, kBatchBytes}}) {
    machine_.OpenOp(kTo);
    machine_.OpenOp(kToCopy);
    machine_.OpenOp(kCopyOp);
    machine_.Copy(stream, CopyKind::kToDevicePinned, bytes);
    for (int op = 0; op < 3; ++op) machine_.CloseOp();
  }
  prefetched_ = machine_.RecordEvent(Stream::kCopy);
}

void RankProgram::Forward(std::int64_t first_sequence) {
  machine_.OpenAnnotation("DistributedDataParallel.forward");
  int index = 0;
  const auto run = [&](const std::vector<OpUnit>& units) {
    for (const OpUnit& unit : units) {
      RunForward(unit, index, first_sequence + index);
      ++index;
    }
  };
  run(plan_.catalog.embedding);
  for (int layer = 0; layer < plan_.size.layers; ++layer) run(plan_.catalog.layer);
  run(plan_.catalog.head);
  machine_.CloseAnnotation();
}

void RankProgram::Backward(std::int64_t first_sequence, bool synchronises) {
  int index = plan_.unit_count();
  const auto run = [&](const std::vector<OpUnit>& units) {
    for (auto unit = units.rbegin(); unit != units.rend(); ++unit) {
      --index;
      RunBackward(*unit, index, first_sequence + index);
    }
    if (synchronises) ReduceBucket();
  };
  run(plan_.catalog.head);
  for (int layer = 0; layer < plan_.size.layers; ++layer) run(plan_.catalog.layer);
  run(plan_.catalog.embedding);
  if (!synchronises) machine_.SwitchTo(HostThread::kMain);
}

void RankProgram::RunForward(const OpUnit& unit, int index, std::int64_t sequence) {
  machine_.Think(kPythonPerUnitNs);
  machine_.Memory(unit.activation_bytes, kHeapBase + index * kHeapSlot);
  RunTree(unit.forward, sequence);
}

void RankProgram::RunBackward(const OpUnit& unit, int index, std::int64_t sequence) {
  machine_.Think(kBackwardPerUnitNs);
  RunTree(unit.backward, sequence);
  machine_.Memory(-unit.activation_bytes, kHeapBase + index * kHeapSlot);
}

void RankProgram::RunTree(const std::vector<OpNode>& nodes, std::int64_t sequence) {
  int open = 0;
  for (const OpNode& node : nodes) {
    for (; open > node.depth; --open) machine_.CloseOp();
    machine_.OpenOp(node, sequence);
    ++open;
    for (const KernelSpec& kernel : node.kernels) machine_.Launch(kernel);
  }
  for (; open > 0; --open) machine_.CloseOp();
}

void RankProgram::ReduceBucket() {
  const int collective = next_collective_++;
  const std::int64_t elements = plan_.bucket_elements(collective);
  const kineto::CollectiveEventArgs args{.name = "allreduce",
                                         .in_elements = elements,
                                         .out_elements = elements,
                                         .group_size = plan_.options.ranks,
                                         .dtype = "BFloat16",
                                         .group_name = "0",
                                         .group_description = "default_pg",
                                         .group_ranks = plan_.group_ranks,
                                         .sequence = ++collectives_launched_};
  const auto at = static_cast<std::size_t>(collective);
  machine_.OpenOp(kAllReduceOp);
  machine_.OpenCommunicationOp("record_param_comms", "cpu_op", &args);
  machine_.OpenCommunicationOp("nccl:all_reduce", "user_annotation", nullptr);
  machine_.WaitForEvent(Stream::kCommunication, machine_.RecordEvent(Stream::kCompute));
  ready_ns_[at] = machine_.LaunchCollective(plan_.catalog.all_reduce, args,
                                            end_ns_ != nullptr ? end_ns_[at] : -1);
  reduced_[at] = machine_.RecordEvent(Stream::kCommunication);
  for (int op = 0; op < 3; ++op) machine_.CloseOp();
}

void RankProgram::Optimize() {
  machine_.OpenAnnotation("Optimizer.step#AdamW.step");
  machine_.OpenOp(kFusedAdam);
  KernelSpec kernel = plan_.catalog.optimizer;
  kernel.duration_ns = plan_.optimizer_kernel_ns;
  for (int launch = 0; launch < plan_.size.optimizer_launches; ++launch) machine_.Launch(kernel);
  machine_.CloseOp();
  machine_.CloseAnnotation();
  machine_.OpenAnnotation("Optimizer.zero_grad#AdamW.zero_grad");
  machine_.CloseAnnotation();
}

void RankProgram::ReadLoss() {
  machine_.OpenOp(kItem);
  machine_.OpenOp(kLocalScalar);
  machine_.Copy(Stream::kCompute, CopyKind::kToHostPageable, 4);
  machine_.SynchronizeStream(Stream::kCompute);
  machine_.CloseOp();
  machine_.CloseOp();
}

}  // namespace rankscope::sim
