// SegmentBuilder: writes the instructions of a segment.
//
//   SegmentBuilder builder(&library);
//   builder.Think(9000).Forward(unit, 0);
//   const Segment* segment = builder.Done();
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/model/catalog.h"
#include "sim/model/library.h"
#include "sim/model/program.h"

namespace rankscope::sim {

class SegmentBuilder {
 public:
  explicit SegmentBuilder(Library* library) : library_(library) {}

  // What follows belongs to a planted cause (ActiveCauses::tag), or with tag 0 to the job itself.
  SegmentBuilder& Cause(std::uint8_t tag);

  SegmentBuilder& Think(std::int64_t ns);
  SegmentBuilder& SwitchTo(HostThread thread);
  // Python frames, on the main thread; does nothing when the library has none.
  SegmentBuilder& OpenFrame(const PythonFrame& frame);
  SegmentBuilder& CloseFrame();
  // The main thread calls backward() and autograd's thread continues; and the way back.
  SegmentBuilder& ToAutograd();
  SegmentBuilder& ToMain();
  SegmentBuilder& TakeBatch();
  SegmentBuilder& Route();
  SegmentBuilder& OpenAnnotation(std::string_view literal);
  SegmentBuilder& CloseAnnotation();
  // An annotation among ops, on any thread; close it like an op.
  SegmentBuilder& OpenSpan(std::string_view literal);
  // An op without kernels or shapes of its own; `name` is a literal.
  SegmentBuilder& OpenOp(std::string_view name);
  SegmentBuilder& CloseOp();
  SegmentBuilder& Launch(const KernelSpec& kernel, Stream stream = Stream::kCompute);
  SegmentBuilder& LaunchGraph(const CapturedGraph* graph);
  SegmentBuilder& Copy(Stream stream, const CopySpec& copy);
  SegmentBuilder& RecordEvent(Stream stream, std::uint32_t event);
  SegmentBuilder& WaitEvent(Stream stream, std::uint32_t event);
  SegmentBuilder& SyncStream(Stream stream);
  SegmentBuilder& Allocate(std::int64_t bytes, std::uint32_t slot);
  SegmentBuilder& Free(std::uint32_t slot);
  SegmentBuilder& TakeSegment(std::int64_t bytes);
  SegmentBuilder& ReturnSegment();
  SegmentBuilder& ReleaseSegment(std::int64_t bytes);
  SegmentBuilder& FailedMalloc();
  SegmentBuilder& Pause(std::int64_t ns);
  SegmentBuilder& PausePoint();

  // An op as in `Tree`, left open.
  SegmentBuilder& Open(const OpNode* node, std::uint32_t sequence);
  // Ops in pre-order with their kernels; the library must own them already. Ops that autograd
  // counts get the number `sequence`.
  SegmentBuilder& Tree(const std::vector<OpNode>& nodes, std::uint32_t sequence);
  // A differentiable operation; `number` is its number and the memory slot of its activation.
  SegmentBuilder& Forward(const OpUnit& unit, std::uint32_t number);
  SegmentBuilder& Backward(const OpUnit& unit, std::uint32_t number);

  // The whole call of a collective as in PyTorch: its stream waits for the current stream (event
  // `before`), and records event `after` behind the collective.
  SegmentBuilder& Communicate(const Communication* communication, std::uint32_t before,
                              std::uint32_t after, Stream current = Stream::kCompute);

  // item(): a blocking copy of 4 bytes to the host.
  SegmentBuilder& ReadScalar();

  // Hands the segment to the library.
  const Segment* Done();

 private:
  Instruction& Emit(Code code);

  Library* library_;
  Segment segment_;
  std::uint8_t cause_ = 0;
};

}  // namespace rankscope::sim
