#include "sim/model/segment_builder.h"

#include <utility>

namespace rankscope::sim {
namespace {

// Host time between ops: Python in the forward pass, autograd's engine in the backward.
constexpr std::int64_t kPythonPerUnitNs = 9000;
constexpr std::int64_t kBackwardPerUnitNs = 2500;

}  // namespace

Instruction& SegmentBuilder::Emit(Code code) {
  segment_.push_back({.code = code, .cause = cause_});
  return segment_.back();
}

SegmentBuilder& SegmentBuilder::Cause(std::uint8_t tag) {
  cause_ = tag;
  return *this;
}

SegmentBuilder& SegmentBuilder::Think(std::int64_t ns) {
  Emit(Code::kThink).value = ns;
  return *this;
}

SegmentBuilder& SegmentBuilder::SwitchTo(HostThread thread) {
  Emit(Code::kSwitchThread).index = static_cast<std::uint32_t>(thread);
  return *this;
}

SegmentBuilder& SegmentBuilder::OpenFrame(const PythonFrame& frame) {
  if (library_->stacks()) Emit(Code::kOpenFrame).frame = library_->Add(frame);
  return *this;
}

SegmentBuilder& SegmentBuilder::CloseFrame() {
  if (library_->stacks()) Emit(Code::kCloseFrame);
  return *this;
}

SegmentBuilder& SegmentBuilder::ToAutograd() {
  OpenFrame({.name = "torch/_tensor.py(592): backward"});
  OpenFrame({.name = "torch/autograd/__init__.py(302): backward"});
  OpenFrame({.name = "torch/autograd/graph.py(823): _engine_run_backward"});
  OpenFrame({.name = "<built-in method run_backward of torch._C._EngineBase object at "
                     "0x7f3b5c0a2d90>"});
  return SwitchTo(HostThread::kAutograd);
}

SegmentBuilder& SegmentBuilder::ToMain() {
  return SwitchTo(HostThread::kMain).CloseFrame().CloseFrame().CloseFrame().CloseFrame();
}

SegmentBuilder& SegmentBuilder::TakeBatch() {
  Emit(Code::kTakeBatch);
  return *this;
}

SegmentBuilder& SegmentBuilder::Route() {
  Emit(Code::kRoute);
  return *this;
}

SegmentBuilder& SegmentBuilder::OpenAnnotation(std::string_view literal) {
  Emit(Code::kOpenAnnotation).text = library_->Add(literal);
  return *this;
}

SegmentBuilder& SegmentBuilder::CloseAnnotation() {
  Emit(Code::kCloseAnnotation);
  return *this;
}

SegmentBuilder& SegmentBuilder::OpenSpan(std::string_view literal) {
  Emit(Code::kOpenSpan).text = library_->Add(literal);
  return *this;
}

SegmentBuilder& SegmentBuilder::OpenOp(std::string_view name) {
  Emit(Code::kOpenOp).op = library_->Add(OpNode{.name = name});
  return *this;
}

SegmentBuilder& SegmentBuilder::CloseOp() {
  Emit(Code::kCloseOp);
  return *this;
}

SegmentBuilder& SegmentBuilder::Launch(const KernelSpec& kernel, Stream stream) {
  Instruction& instruction = Emit(Code::kLaunch);
  instruction.stream = stream;
  instruction.kernel = library_->Add(kernel);
  return *this;
}

SegmentBuilder& SegmentBuilder::LaunchGraph(const CapturedGraph* graph) {
  Emit(Code::kLaunchGraph).graph = graph;
  return *this;
}

SegmentBuilder& SegmentBuilder::Copy(Stream stream, const CopySpec& copy) {
  Instruction& instruction = Emit(Code::kCopy);
  instruction.stream = stream;
  instruction.copy = library_->Add(copy);
  return *this;
}

SegmentBuilder& SegmentBuilder::RecordEvent(Stream stream, std::uint32_t event) {
  Instruction& instruction = Emit(Code::kRecordEvent);
  instruction.stream = stream;
  instruction.index = event;
  return *this;
}

SegmentBuilder& SegmentBuilder::WaitEvent(Stream stream, std::uint32_t event) {
  Instruction& instruction = Emit(Code::kWaitEvent);
  instruction.stream = stream;
  instruction.index = event;
  return *this;
}

SegmentBuilder& SegmentBuilder::SyncStream(Stream stream) {
  Emit(Code::kSyncStream).stream = stream;
  return *this;
}

SegmentBuilder& SegmentBuilder::Allocate(std::int64_t bytes, std::uint32_t slot) {
  Instruction& instruction = Emit(Code::kAllocate);
  instruction.value = bytes;
  instruction.index = slot;
  return *this;
}

SegmentBuilder& SegmentBuilder::Free(std::uint32_t slot) {
  Emit(Code::kFree).index = slot;
  return *this;
}

SegmentBuilder& SegmentBuilder::TakeSegment(std::int64_t bytes) {
  Emit(Code::kTakeSegment).value = bytes;
  return *this;
}

SegmentBuilder& SegmentBuilder::ReturnSegment() {
  Emit(Code::kReturnSegment);
  return *this;
}

SegmentBuilder& SegmentBuilder::ReleaseSegment(std::int64_t bytes) {
  Emit(Code::kReleaseSegment).value = bytes;
  return *this;
}

SegmentBuilder& SegmentBuilder::FailedMalloc() {
  Emit(Code::kFailedMalloc);
  return *this;
}

SegmentBuilder& SegmentBuilder::Pause(std::int64_t ns) {
  Emit(Code::kPause).value = ns;
  return *this;
}

SegmentBuilder& SegmentBuilder::PausePoint() {
  Emit(Code::kPausePoint);
  return *this;
}

SegmentBuilder& SegmentBuilder::Open(const OpNode* node, std::uint32_t sequence) {
  Instruction& instruction = Emit(node->routed ? Code::kOpenRoutedOp : Code::kOpenOp);
  instruction.op = node;
  instruction.index = sequence;
  const Code launch = node->routed ? Code::kLaunchRouted : Code::kLaunch;
  for (const KernelSpec& kernel : node->kernels) Emit(launch).kernel = &kernel;
  return *this;
}

SegmentBuilder& SegmentBuilder::Tree(const std::vector<OpNode>& nodes, std::uint32_t sequence) {
  int open = 0;
  for (const OpNode& node : nodes) {
    for (; open > node.depth; --open) CloseOp();
    Open(&node, sequence);
    ++open;
  }
  for (; open > 0; --open) CloseOp();
  return *this;
}

SegmentBuilder& SegmentBuilder::Forward(const OpUnit& unit, std::uint32_t number) {
  return Think(kPythonPerUnitNs).Allocate(unit.activation_bytes, number).Tree(unit.forward, number);
}

SegmentBuilder& SegmentBuilder::Backward(const OpUnit& unit, std::uint32_t number) {
  return Think(kBackwardPerUnitNs).Tree(unit.backward, number).Free(number);
}

SegmentBuilder& SegmentBuilder::Communicate(const Communication* communication,
                                            std::uint32_t before, std::uint32_t after,
                                            Stream current) {
  Emit(Code::kOpenOp).op = communication->op;
  Emit(Code::kOpenCommunication).communication = communication;
  if (communication->coalesced) CloseOp().CloseOp();
  Emit(Code::kOpenCommunicationSpan).communication = communication;
  RecordEvent(current, before);
  WaitEvent(communication->stream, before);
  Instruction& launch = Emit(Code::kCommunicate);
  launch.stream = communication->stream;
  launch.communication = communication;
  RecordEvent(communication->stream, after);
  return communication->coalesced ? CloseOp() : CloseOp().CloseOp().CloseOp();
}

SegmentBuilder& SegmentBuilder::ReadScalar() {
  OpenFrame({.name = "<built-in method item of Tensor object at 0x7f3b5d41c630>"});
  OpenOp("aten::item").OpenOp("aten::_local_scalar_dense");
  Copy(Stream::kCompute, {.name = "Memcpy DtoH (Device -> Pageable)",
                          .bytes = 4,
                          .duration_ns = CopyNs(4),
                          .blocking = true});
  return SyncStream(Stream::kCompute).CloseOp().CloseOp().CloseFrame();
}

const Segment* SegmentBuilder::Done() { return library_->Add(std::exchange(segment_, {})); }

}  // namespace rankscope::sim
