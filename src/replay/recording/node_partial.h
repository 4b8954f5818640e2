// The partial of a recording for the replay: the nodes of its dependency graph (graph.h), split
// further where that distinguishes causes, and its edges.
//
// A node is a stretch of work: one kernel, copy or memset, or a stretch of a host thread of one
// kind. Times are absolute nanoseconds of the rank's clock.
#pragma once

#include <cstdint>
#include <string_view>

#include "table/schema.h"

namespace rankscope {

// The work of a node. The order is part of stored partials.
enum class Work : std::uint8_t {
  kOp,           // host: inside an op
  kPython,       // host: inside no op: frames, annotations, or nothing that was recorded
  kLaunchCall,   // host: a call that launches
  kSyncCall,     // host: the part of a blocking call in which it does not wait
  kAllocator,    // host: a call that manages device or pinned memory
  kOtherCall,    // host: another call of the device's API
  kDataLoading,  // host: fetching a batch
  kCompile,      // host: torch.compile at work
  kCheckpoint,   // host: writing a checkpoint
  kGarbage,      // host: Python's garbage collector, where frames show it
  kCompute,      // device
  kCommunication,
  kCopy,
};
inline constexpr int kWorkCount = 13;
constexpr bool IsDevice(Work work) { return work >= Work::kCompute; }
std::string_view ToString(Work work);  // "op", "launch call", ...

// The part of a step in which device work is launched. The order is part of stored partials.
enum class Phase : std::uint8_t { kForward, kBackward, kOptimizer, kAfter };

// Whether work is repeated in the same recording for the same result. The order is part of stored
// partials.
enum class Again : std::uint8_t {
  kNo,
  kForward,           // forward's, during backward (trace/recomputation.h)
  kBackward,          // backward's, through a graph that was retained (trace/repeated_backward.h)
  kUnused,            // forward's, of which no backward comes (trace/unused_forward.h)
  kWithoutGradients,  // forward's, under no_grad (likewise)
};
inline constexpr int kAgainCount = 5;

// Nodes of one kind have the same row here.
struct NodeKindPartial : Schema<NodeKindPartial> {
  IntColumn work = Int("work", "", "a Work");
  IntColumn kernel_class = Int("kernel_class", "", "a KernelClass; null on the host");
  StringColumn name = Text("name", "of the kernel, the call, or the row that takes most of it");
  StringColumn op =
      Text("op", "that launched it: the outermost one with a cost, else the innermost");
  StringColumn outer_op =
      Text("outer_op",
           "the outermost op around one that serves ops (a copy, one that reads a value; on the "
           "host that is `name`): what the program called; else null");
  StringColumn shapes = Text("shapes", "of that op's inputs");
  StringColumn launch_shape =
      Text("launch_shape", "of a kernel, its blocks and threads: \"[8,2,1] x [256,1,1]\"");
  IntColumn phase = Int("phase", "", "a Phase; null on the host");
  // FLOPs of the op by its model, divided equally among its kernels of the class with most of its
  // time.
  RealColumn flops = Real("flops", "", "null: not known, or of a lesser kernel of its op");
  RealColumn bytes = Real("bytes", "bytes", "the least that it must move; null as flops");
  StringColumn dtype = Text("dtype", "of the op's first operand");
  StringColumn cost_family =
      Text("cost_family", "of the op's model (ToString of a CostFamily); null as flops");
  IntColumn again = Int("again", "", "an Again");
};
extern template const NodeKindPartial& SchemaOf<NodeKindPartial>();

// The place in the user's code where work is done or launched (facts/places/code_places.h).
struct NodeSitePartial : Schema<NodeSitePartial> {
  StringColumn module = Text("module", "classes of the modules around it; null: in none");
  StringColumn function =
      Text("function", "the innermost frame of the user's code, \"train.py(214): step\"");
  FlagColumn is_sampled =
      Flag("is_sampled", "by samples of the thread's stacks, not by its frames");
};
extern template const NodeSitePartial& SchemaOf<NodeSitePartial>();

// In order of begin: predecessors come before their node.
struct NodePartial : Schema<NodePartial> {
  IntColumn kind = Int("kind", "", "row of NodeKindPartial");
  IntColumn track = Int("track", "", "thread or stream, from 0");
  IntColumn previous = Int("previous", "", "node before it on its thread or stream; null: none");
  IntColumn begin_ns = Int("begin_ns", "ns");
  IntColumn duration_ns = Int("duration_ns", "ns");
  IntColumn step = Int("step", "", "row of NodeStepPartial: of the launch; null: in none");
  IntColumn event =
      Int("event", "", "index in the file; of host nodes the longest row's; null: none");
  IntColumn place =
      Int("place", "",
          "a hash of what it is and its place in the step's program: alike on ranks that do alike");
  IntColumn site = Int("site", "", "row of NodeSitePartial; null: not known");
};
extern template const NodePartial& SchemaOf<NodePartial>();

struct NodeEdgePartial : Schema<NodeEdgePartial> {
  IntColumn from = Int("from", "", "node");
  IntColumn to = Int("to", "", "node");
  IntColumn lag_ns = Int("lag_ns", "ns", "from the one's end to the other's begin at least");
  IntColumn kind = Int("kind", "", "a DependencyKind");
};
extern template const NodeEdgePartial& SchemaOf<NodeEdgePartial>();

// A recording without steps is one step, number 0, from its begin (or from the first work, if the
// device was not observed at the begin) to its end.
struct NodeStepPartial : Schema<NodeStepPartial> {
  IntColumn number = Int("number");
  IntColumn begin_ns = Int("begin_ns", "ns", "of the rank's step (facts/device_steps.h)");
  IntColumn end_ns = Int("end_ns", "ns");
  FlagColumn complete = Flag("complete");
  FlagColumn follows_host = Flag("follows_host", "the windows are the host's");
  IntColumn phase = Int("phase", "", "StepPhase: steps of different phases are not alike");
};
extern template const NodeStepPartial& SchemaOf<NodeStepPartial>();

}  // namespace rankscope
