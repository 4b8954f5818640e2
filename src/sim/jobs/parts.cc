#include "sim/jobs/parts.h"

#include <array>
#include <string_view>

#include "sim/model/kernel_names.h"

namespace rankscope::sim {
namespace {

constexpr std::int64_t kDataLoadingNs = 280'000;
constexpr std::int64_t kTargetBytes = 32'768;
constexpr std::int64_t kBatchBytes = 24'000'000;

// AdamW reads and writes the weight and two moments in fp32 and reads the gradient.
constexpr double kBytesPerParameter = 28;

// The parameters of a layer, one after the other and each by a kernel per operation, as a loop over
// parameters does it.
void AddUnfusedLayer(std::int64_t parameters, SegmentBuilder* builder) {
  struct Operation {
    std::string_view op, kernel;
    double bytes;  // per parameter
  };
  constexpr std::array<Operation, 8> kOperations = {{{"aten::mul_", kMultiply, 8},
                                                     {"aten::lerp_", kAdd, 10},
                                                     {"aten::mul_", kMultiply, 8},
                                                     {"aten::addcmul_", kAdd, 10},
                                                     {"aten::sqrt", kMultiply, 8},
                                                     {"aten::div_", kMultiply, 8},
                                                     {"aten::add_", kAdd, 8},
                                                     {"aten::addcdiv_", kAdd, 16}}};
  constexpr int kTensors = 12;
  constexpr std::int64_t kPythonPerOperationNs = 2000;
  for (int tensor = 0; tensor < kTensors; ++tensor) {
    for (const Operation& operation : kOperations) {
      const double share = static_cast<double>(parameters) / kTensors;
      const KernelSpec kernel = MakeElementwise(operation.kernel, parameters / kTensors,
                                                static_cast<std::int64_t>(operation.bytes * share));
      builder->Think(kPythonPerOperationNs).OpenOp(operation.op).Launch(kernel).CloseOp();
    }
  }
}

void CopyToDevice(Stream stream, std::int64_t bytes, SegmentBuilder* builder) {
  builder->OpenOp("aten::to").OpenOp("aten::_to_copy").OpenOp("aten::copy_");
  builder->Copy(
      stream,
      {.name = "Memcpy HtoD (Pinned -> Device)", .bytes = bytes, .duration_ns = CopyNs(bytes)});
  builder->CloseOp().CloseOp().CloseOp();
}

}  // namespace

const Segment* LoadBatchPart(const ActiveCauses& causes, Library* library) {
  SegmentBuilder builder(library);
  builder.OpenFrame({.name = "torch/utils/data/dataloader.py(701): __next__"});
  builder.OpenAnnotation("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__");
  builder.TakeBatch().Think(kDataLoadingNs).CloseAnnotation().CloseFrame();
  builder.WaitEvent(Stream::kCompute, kPrefetchEvent);
  CopyToDevice(Stream::kCompute, kTargetBytes, &builder);
  const double pageable = causes.severity(CauseId::kPageableCopy);
  if (pageable > 0) {
    builder.Cause(causes.tag(CauseId::kPageableCopy));
    const auto bytes = static_cast<std::int64_t>(pageable * kBatchBytes);
    builder.OpenOp("aten::to").OpenOp("aten::_to_copy").OpenOp("aten::copy_");
    builder.Copy(Stream::kCompute, {.name = "Memcpy HtoD (Pageable -> Device)",
                                    .bytes = bytes,
                                    .duration_ns = PageableCopyNs(bytes),
                                    .blocking = true});
    builder.SyncStream(Stream::kCompute).CloseOp().CloseOp().CloseOp().Cause(0);
  }
  CopyToDevice(Stream::kCopy, kBatchBytes, &builder);
  return builder.RecordEvent(Stream::kCopy, kPrefetchEvent).Done();
}

void AddOptimizer(const Updated& updated, int launches, const ActiveCauses& causes,
                  SegmentBuilder* builder) {
  int unfused = 0;
  for (int layer = 0; layer < updated.layers; ++layer) {
    unfused += IsAmong(causes.severity(CauseId::kUnfusedOptimizer), layer) ? 1 : 0;
  }
  const std::int64_t fused =
      (updated.layers - unfused) * updated.layer_parameters + updated.other_parameters;
  const double bytes = kBytesPerParameter * static_cast<double>(fused);
  const Launch launch{.grid = {320, 1, 1}, .block = {512, 1, 1}, .registers = 48};
  const KernelSpec kernel = MakeKernel(kAdam, launch, 0, bytes / launches);
  builder->OpenFrame({.name = "torch/optim/optimizer.py(484): wrapper"});
  builder->OpenAnnotation("Optimizer.step#AdamW.step");
  builder->OpenFrame({.name = "torch/optim/adam.py(226): step"}).OpenOp("aten::_fused_adamw_");
  for (int i = 0; i < launches; ++i) builder->Launch(kernel);
  builder->CloseOp();
  builder->Cause(causes.tag(CauseId::kUnfusedOptimizer));
  for (int layer = 0; layer < unfused; ++layer) {
    AddUnfusedLayer(updated.layer_parameters, builder);
  }
  builder->Cause(0).CloseFrame().CloseAnnotation().CloseFrame();
  builder->OpenAnnotation("Optimizer.zero_grad#AdamW.zero_grad").CloseAnnotation();
}

void AddRead(const StepRequest& request, SegmentBuilder* builder) {
  if (!request.run_ahead) builder->ReadScalar();
}

const Segment* CompilePart(const StepRequest& request, Library* library) {
  SegmentBuilder builder(library);
  const double share = request.causes.severity(CauseId::kRecompilation);
  if (share == 0) return builder.Done();
  const auto part_ns =
      static_cast<std::int64_t>(share * static_cast<double>(request.healthy_step_ns) / 4);
  builder.Cause(request.causes.tag(CauseId::kRecompilation));
  builder.OpenAnnotation("Torch-Compiled Region: 0/1");
  builder.OpenAnnotation("_compile.compile_inner (dynamo_timed)").Pause(part_ns);
  builder.OpenAnnotation("OutputGraph.call_user_compiler (dynamo_timed)").Pause(part_ns);
  builder.OpenAnnotation("compile_fx_inner (dynamo_timed)").Pause(part_ns);
  builder.OpenAnnotation("GraphLowering.compile_to_module (dynamo_timed)").Pause(part_ns);
  for (int open = 0; open < 5; ++open) builder.CloseAnnotation();
  return builder.Done();
}

void AddLeakAndCheckpoint(const StepRequest& request, SegmentBuilder* builder) {
  const ActiveCauses& causes = request.causes;
  const double leaked = causes.severity(CauseId::kMemoryLeak);
  if (leaked > 0) {
    builder->Cause(causes.tag(CauseId::kMemoryLeak));
    builder->TakeSegment(static_cast<std::int64_t>(leaked * static_cast<double>(kDeviceBytes)));
    builder->Cause(0);
  }
  const double stall = causes.severity(CauseId::kCheckpointStall);
  if (stall == 0) return;
  // A third of the time the state is copied to the host, in pieces; then it is written to a file.
  constexpr int kPieces = 8;
  const auto ns = static_cast<std::int64_t>(stall * static_cast<double>(request.healthy_step_ns));
  const std::int64_t piece_ns = ns / 3 / kPieces;
  builder->Cause(causes.tag(CauseId::kCheckpointStall)).OpenAnnotation("save_checkpoint");
  for (int piece = 0; piece < kPieces; ++piece) {
    builder->OpenOp("aten::to").OpenOp("aten::_to_copy").OpenOp("aten::copy_");
    builder->Copy(Stream::kCompute, {.name = "Memcpy DtoH (Device -> Pageable)",
                                     .bytes = PageableCopyBytes(piece_ns),
                                     .duration_ns = piece_ns,
                                     .blocking = true});
    builder->SyncStream(Stream::kCompute).CloseOp().CloseOp().CloseOp();
  }
  builder->Pause(ns - ns / 3).CloseAnnotation().Cause(0);
}

void AddBroadcasts(const ActiveCauses& causes, const Where& where, std::uint32_t events,
                   Library* library, SegmentBuilder* builder) {
  constexpr std::int64_t kElements = 32'000'000;
  const int count = static_cast<int>(causes.severity(CauseId::kRedundantCollectives));
  if (count == 0) return;
  const Communication* broadcast =
      AddCommunication(library, Exchange::kBroadcast, where, kElements);
  builder->Cause(causes.tag(CauseId::kRedundantCollectives));
  for (int i = 0; i < count; ++i) builder->Communicate(broadcast, events, events + 1);
  builder->WaitEvent(Stream::kCompute, events + 1).Cause(0);
}

}  // namespace rankscope::sim
