#include "sim/jobs/transformer.h"

#include "sim/jobs/graph_capture.h"
#include "sim/model/kernel_names.h"

namespace rankscope::sim {
namespace {

constexpr std::int64_t kTinyElements = 4096;
constexpr std::int64_t kPythonPerTinyOpNs = 1500;
constexpr std::int64_t kPythonPerReplayNs = 16'000;
constexpr std::int64_t kAutogradPerReplayNs = 4000;

// Python frames of a layer.
constexpr std::string_view kLayerClass = "TransformerLayer";
constexpr std::string_view kLayerFunction = "model.py(64): forward";
constexpr std::string_view kReplayFunction = "torch/cuda/graphs.py(468): functionalized";
constexpr std::string_view kRingFunction =
    "transformer_engine/pytorch/attention.py(1486): attn_forward_func_with_cp";
constexpr ModulePlace kEveryLayer{.items = ModulePlace::kEveryItem};

// The attention of a layer, and the products whose results (forward) or inputs' gradients
// (backward) are sums over shards.
constexpr int kAttentionInput = 1;
constexpr int kAttention = 2;
constexpr int kAttentionOutput = 3;
constexpr int kFeedForwardInput = 6;
constexpr int kFeedForwardOutput = 8;

}  // namespace

ModelShape ShapeOf(const ModelShape& model, const StepRequest& request) {
  ModelShape shape = model;
  const double spread = request.causes.severity(CauseId::kSequenceImbalance);
  if (spread == 0) return shape;
  // Variants are spread evenly around the mean.
  const double at = (request.variant + 0.5) / kBatchVariants - 0.5;
  constexpr double kMultiple = 64;
  const double blocks = static_cast<double>(model.sequence) * (1 + spread * at) / kMultiple;
  shape.sequence = static_cast<std::int64_t>(blocks + 0.5) * static_cast<std::int64_t>(kMultiple);
  return shape;
}

Transformer::Transformer(const ModelShape& model, const StepRequest& request,
                         const Communication* tensor_parallel, const ContextRing* context,
                         Library* library)
    : model_(ShapeOf(model, request)),
      causes_(request.causes),
      cuda_graphs_(request.cuda_graphs),
      tensor_parallel_(tensor_parallel),
      context_(context),
      library_(library),
      catalog_(*library->AddCatalog(model_,
                                    {.slowdown = request.causes.severity(CauseId::kLowRoofline)})) {
  if (causes_.severity(CauseId::kNoTensorCores) > 0) {
    plain_catalog_ = library->AddCatalog(model_, {.tensor_cores = false});
  }
  embedding_ = MakePart(catalog_.embedding, library);
  head_ = MakePart(catalog_.head, library);
}

const Part& Transformer::layer(int index) {
  const LayerKind kind = KindOf(index);
  const Part& eager = Eager(kind);
  if (!cuda_graphs_) return eager;
  const auto [at, added] = replayed_.try_emplace(kind);
  if (added) at->second = Replayed(eager);
  return at->second;
}

const CapturedGraph* Transformer::WholeForward(int layers) {
  std::vector<const Segment*> segments = {embedding_.forward};
  for (int layer = 0; layer < layers; ++layer) segments.push_back(Eager(KindOf(layer)).forward);
  segments.push_back(head_.forward);
  return Capture(segments, GraphSide::kForward, library_);
}

const Part& Transformer::Eager(const LayerKind& kind) {
  const auto [at, added] = layers_.try_emplace(kind);
  if (added) at->second = MakeLayer(kind);
  return at->second;
}

Transformer::LayerKind Transformer::KindOf(int index) const {
  const auto count = [&](CauseId cause) { return CountAt(causes_.severity(cause), index); };
  return {.scalars_read = count(CauseId::kHostSync),
          .segments_thrashed = count(CauseId::kAllocatorThrash),
          .allocations_failed = count(CauseId::kMemoryPressure),
          .plain_arithmetic = count(CauseId::kNoTensorCores) > 0};
}

ModelFrames::ModelFrames(Library* library) {
  SegmentBuilder builder(library);
  OpenModule("Transformer", "model.py(121): forward", {}, &builder);
  open_ = builder.Done();
  CloseModule(&builder);
  close_ = builder.Done();
}

Part MakePart(const std::vector<OpUnit>& units, Library* library, const ModulePlace& place) {
  SegmentBuilder forward(library), backward(library);
  const ModuleFrames frames(units, place);
  for (std::uint32_t i = 0; i < units.size(); ++i) {
    frames.Open(i, &forward);
    forward.Forward(units[i], i);
    frames.Close(i, &forward);
  }
  for (auto i = static_cast<std::uint32_t>(units.size()); i-- > 0;) backward.Backward(units[i], i);
  return {forward.Done(), backward.Done(), static_cast<std::uint32_t>(units.size())};
}

Part Transformer::MakeLayer(const LayerKind& kind) {
  const Catalog& catalog = kind.plain_arithmetic ? *plain_catalog_ : catalog_;
  SegmentBuilder forward(library_);
  OpenModule(kLayerClass, kLayerFunction, kEveryLayer, &forward);
  AddDriverCalls(kind, &forward);
  ForwardUnits(catalog.layer, kind, &forward);
  AddCopies(&forward);
  CloseModule(&forward);
  if (causes_.severity(CauseId::kGcPause) > 0) forward.PausePoint();
  SegmentBuilder backward(library_);
  BackwardUnits(catalog.layer, &backward);
  return {forward.Done(), backward.Done(), static_cast<std::uint32_t>(catalog.layer.size())};
}

// As torch.cuda.make_graphed_callables does it.
Part Transformer::Replayed(const Part& eager) {
  SegmentBuilder forward(library_), backward(library_);
  OpenModule(kLayerClass, kReplayFunction, kEveryLayer, &forward);
  forward.Think(kPythonPerReplayNs);
  forward.Open(library_->Add(OpNode{.name = "Graphed", .role = AutogradRole::kForward}), 0);
  forward.LaunchGraph(Capture({eager.forward}, GraphSide::kForward, library_)).CloseOp();
  CloseModule(&forward);
  if (causes_.severity(CauseId::kGcPause) > 0) forward.PausePoint();
  constexpr std::string_view kEvaluate = "autograd::engine::evaluate_function: GraphedBackward";
  backward.Think(kAutogradPerReplayNs);
  backward.Open(library_->Add(OpNode{.name = kEvaluate, .role = AutogradRole::kEvaluate}), 0);
  backward.Open(library_->Add(OpNode{.name = "GraphedBackward", .role = AutogradRole::kBackward}),
                0);
  backward.LaunchGraph(Capture({eager.backward}, GraphSide::kBackward, library_));
  backward.CloseOp().CloseOp();
  return {forward.Done(), backward.Done(), 1};
}

void Transformer::AddDriverCalls(const LayerKind& kind, SegmentBuilder* builder) const {
  const std::int64_t bytes = 8 * kBf16 * model_.tokens() * model_.feed_forward;
  builder->Cause(causes_.tag(CauseId::kMemoryPressure));
  for (int i = 0; i < kind.allocations_failed; ++i) {
    builder->FailedMalloc().ReleaseSegment(bytes).TakeSegment(bytes).ReturnSegment();
  }
  builder->Cause(causes_.tag(CauseId::kAllocatorThrash));
  for (int i = 0; i < kind.segments_thrashed; ++i) {
    builder->TakeSegment(bytes).ReturnSegment().ReleaseSegment(bytes);
  }
  builder->Cause(0);
}

void Transformer::ForwardUnits(const std::vector<OpUnit>& units, const LayerKind& kind,
                               SegmentBuilder* builder) const {
  const int count = static_cast<int>(units.size());
  const ModuleFrames frames(units, kEveryLayer);
  for (int i = 0; i < count; ++i) {
    const OpUnit& unit = units[static_cast<std::size_t>(i)];
    const auto number = static_cast<std::uint32_t>(i);
    if (i == kAttention && context_ != nullptr) {
      builder->OpenFrame({.name = kRingFunction});
      RingForward(*context_, unit, number, library_, builder);
      builder->CloseFrame();
    } else {
      frames.Open(number, builder);
      builder->Forward(unit, number);
      frames.Close(number, builder);
    }
    AddTinyKernels(builder);
    if (i == kAttentionOutput || i == kFeedForwardOutput) AddTensorParallel(builder);
    const int reads = CountAt(static_cast<double>(kind.scalars_read) / count, i);
    builder->Cause(causes_.tag(CauseId::kHostSync));
    for (int read = 0; read < reads; ++read) builder->ReadScalar();
    builder->Cause(0);
  }
}

void Transformer::BackwardUnits(const std::vector<OpUnit>& units, SegmentBuilder* builder) const {
  for (int i = static_cast<int>(units.size()); i-- > 0;) {
    const OpUnit& unit = units[static_cast<std::size_t>(i)];
    const auto number = static_cast<std::uint32_t>(i);
    if (i == kAttention && context_ != nullptr) {
      RingBackward(*context_, unit, number, library_, builder);
    } else {
      builder->Backward(unit, number);
    }
    if (i == kAttentionInput || i == kFeedForwardInput) AddTensorParallel(builder);
  }
}

void Transformer::AddTensorParallel(SegmentBuilder* builder) const {
  if (tensor_parallel_ == nullptr) return;
  builder->Communicate(tensor_parallel_, 0, 1).WaitEvent(Stream::kCompute, 1);
}

void Transformer::AddTinyKernels(SegmentBuilder* builder) const {
  const int count = static_cast<int>(causes_.severity(CauseId::kLaunchBound));
  const KernelSpec kernel = MakeElementwise(kMultiply, kTinyElements, 2 * kBf16 * kTinyElements);
  builder->Cause(causes_.tag(CauseId::kLaunchBound));
  for (int i = 0; i < count; ++i) {
    builder->Think(kPythonPerTinyOpNs).OpenOp("aten::mul").Launch(kernel).CloseOp();
  }
  builder->Cause(0);
}

void Transformer::AddCopies(SegmentBuilder* builder) const {
  const int count = static_cast<int>(causes_.severity(CauseId::kRedundantCopies));
  const std::int64_t bytes = kBf16 * model_.tokens() * model_.feed_forward;
  builder->Cause(causes_.tag(CauseId::kRedundantCopies));
  for (int i = 0; i < count; ++i) {
    builder->OpenOp("aten::contiguous").OpenOp("aten::clone").OpenOp("aten::copy_");
    builder->Copy(Stream::kCompute, {.name = "Memcpy DtoD (Device -> Device)",
                                     .bytes = bytes,
                                     .duration_ns = DeviceCopyNs(bytes)});
    builder->CloseOp().CloseOp().CloseOp();
  }
  builder->Cause(0);
}

}  // namespace rankscope::sim
