#include "sim/jobs/parts.h"

#include "sim/kernel_names.h"

namespace rankscope::sim {
namespace {

constexpr std::int64_t kDataLoadingNs = 280'000;
constexpr std::int64_t kTargetBytes = 32'768;
constexpr std::int64_t kBatchBytes = 24'000'000;

// AdamW reads and writes the weight and two moments in fp32 and reads the gradient.
constexpr double kBytesPerParameter = 28;

void CopyToDevice(Stream stream, std::int64_t bytes, SegmentBuilder* builder) {
  builder->OpenOp("aten::to").OpenOp("aten::_to_copy").OpenOp("aten::copy_");
  builder->Copy(
      stream,
      {.name = "Memcpy HtoD (Pinned -> Device)", .bytes = bytes, .duration_ns = CopyNs(bytes)});
  builder->CloseOp().CloseOp().CloseOp();
}

}  // namespace

const Segment* LoadBatchPart(Library* library) {
  SegmentBuilder builder(library);
  builder.OpenAnnotation("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__");
  builder.TakeBatch().Think(kDataLoadingNs).CloseAnnotation();
  builder.WaitEvent(Stream::kCompute, kPrefetchEvent);
  CopyToDevice(Stream::kCompute, kTargetBytes, &builder);
  CopyToDevice(Stream::kCopy, kBatchBytes, &builder);
  return builder.RecordEvent(Stream::kCopy, kPrefetchEvent).Done();
}

void AddOptimizer(std::int64_t parameters, int launches, SegmentBuilder* builder) {
  const double bytes = kBytesPerParameter * static_cast<double>(parameters);
  const Launch launch{.grid = {320, 1, 1}, .block = {512, 1, 1}, .registers = 48};
  const KernelSpec kernel = MakeKernel(kAdam, launch, 0, bytes / launches);
  builder->OpenAnnotation("Optimizer.step#AdamW.step").OpenOp("aten::_fused_adamw_");
  for (int i = 0; i < launches; ++i) builder->Launch(kernel);
  builder->CloseOp().CloseAnnotation();
  builder->OpenAnnotation("Optimizer.zero_grad#AdamW.zero_grad").CloseAnnotation();
}

}  // namespace rankscope::sim
