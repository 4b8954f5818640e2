// The work of a rank in a step, as flat lists of small instructions.
//
// A *segment* is a list of instructions. A *program* calls segments in order. Each call has its own
// base for autograd's sequence numbers, events and memory, so that one segment serves all layers
// and micro-batches. Nothing here knows about time: the engine (engine/rank_engine.h) gives every
// instruction its meaning. The plan owns programs, segments and what they point to; they never
// change, and ranks with the same role share them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/model/catalog.h"
#include "sim/model/gpu.h"
#include "sim/model/network.h"

namespace rankscope::sim {

enum class HostThread : std::uint8_t { kMain, kAutograd };

enum class Code : std::uint8_t {
  kOpenOp,                 // op; index: its sequence number, relative to the call's
  kRoute,                  // draws the distribution of tokens for the call's item
  kOpenRoutedOp,           // like kOpenOp; its shapes depend on the received tokens
  kLaunchRouted,           // like kLaunch; its duration depends on the received tokens
  kCloseOp,                // closes the innermost op, whichever instruction opened it
  kOpenCommunication,      // communication: its record_param_comms op
  kOpenCommunicationSpan,  // communication: its nccl:... annotation, nested among ops
  kOpenSpan,               // text: an annotation nested among ops
  kOpenAnnotation,         // text
  kCloseAnnotation,        //
  kOpenFrame,              // frame: a Python function begins, on the main thread
  kCloseFrame,             // the innermost frame
  kThink,                  // value: host time in ns that no event records
  kSwitchThread,           // index: HostThread that continues; the other one blocks
  kTakeBatch,              // waits until the data workers have the next batch
  kLaunch,                 // kernel
  kLaunchGraph,            // graph
  kCopy,                   // copy
  kRecordEvent,            // index: event, relative to the call's; recorded on `stream`
  kWaitEvent,              // `stream` waits for event `index`
  kCommunicate,            // communication: launches its kernel
  kSyncStream,             // the host waits for `stream`
  kSyncDevice,             // the host waits for all streams
  kAllocate,               // value: bytes; index: memory slot, relative to the call's
  kFree,                   // index: memory slot
  kPause,                  // value: host time in ns, exact
  kPausePoint,             // where a pause may strike (StepEffects)
  kTakeSegment,            // value: bytes requested from the driver (cudaMalloc)
  kReturnSegment,          // returns the last taken segment to the cache
  kReleaseSegment,         // value: bytes that the cache returns to the driver (cudaFree)
  kFailedMalloc,           // a cudaMalloc that fails for lack of memory
};

// A copy that the job makes repeatedly. `name` is a literal.
struct CopySpec {
  std::string_view name;
  std::int64_t bytes = 0;
  std::int64_t duration_ns = 0;  // before jitter
  bool blocking = false;         // the call returns when the copy is done: pageable memory
};

// A Python function in a profile with stacks. With a number: the call of a module of class `name`;
// the module's number among those of its class is number + per_item * (the call's item modulo
// items).
struct PythonFrame {
  std::string_view name;
  std::int64_t number = -1;
  int per_item = 0;
  int items = 1;

  std::int64_t NumberAt(std::uint32_t item) const {
    if (number < 0) return -1;
    return number + std::int64_t{per_item} * (item % static_cast<std::uint32_t>(items));
  }
};

// A collective, or one side of a send, that the ranks of a role join repeatedly.
struct Communication {
  Exchange exchange = Exchange::kAllReduce;
  const OpNode* op = nullptr;     // c10d::allreduce_
  std::string_view span;          // nccl:all_reduce
  std::string_view collective;    // allreduce
  std::string_view dtype;         // BFloat16
  std::int64_t in_elements = 0;   // of this rank
  std::int64_t out_elements = 0;  // of this rank
  std::int64_t bytes = 0;         // the full buffer, counted as in network.h
  int group_slot = 0;             // process group slot of the rank's place
  int channel_slot = 0;           // channel slot of the rank's place
  // A send or receive: the channel's members are from and to; `side` is this rank's part.
  enum class Side : std::uint8_t { kAll, kSender, kReceiver } side = Side::kAll;
  // The op of the send or receive only registers it. Its kernel is launched later, when the batch
  // is closed, and does not say what it does (pytorch issue 194693).
  bool coalesced = false;
  // An all-to-all of tokens: its sizes come from the last kRoute.
  enum class Routing : std::uint8_t { kNone, kDispatch, kCombine } routing = Routing::kNone;
  std::int64_t elements_per_token = 0;
  Stream stream = Stream::kCommunication;
  KernelSpec kernel;  // its duration comes from the rendezvous
};

// A captured graph runs its nodes in order on the compute stream. Each layer has one graph per
// side; the item of the call says which layer.
enum class GraphSide : std::uint8_t { kForward, kBackward };
struct GraphNode {
  const KernelSpec* kernel = nullptr;  // or
  const CopySpec* copy = nullptr;
  std::uint8_t cause = 0;  // as in Instruction
};
struct CapturedGraph {
  GraphSide side = GraphSide::kForward;
  std::vector<GraphNode> nodes;

  // As CUPTI numbers them: from 1.
  std::int64_t Id(std::uint32_t item) const {
    return 1 + 2 * std::int64_t{item} + static_cast<std::int64_t>(side);
  }
};

struct Instruction {
  Code code = Code::kThink;
  Stream stream = Stream::kCompute;
  std::uint8_t cause = 0;  // 1 + index of the planted cause it belongs to; 0 = the job itself
  std::uint32_t index = 0;
  union {
    std::int64_t value = 0;
    const OpNode* op;
    const PythonFrame* frame;
    const KernelSpec* kernel;
    const CapturedGraph* graph;
    const CopySpec* copy;
    const Communication* communication;
    const std::string_view* text;
  };
};
static_assert(sizeof(Instruction) == 16);

using Segment = std::vector<Instruction>;

struct Call {
  const Segment* segment = nullptr;
  std::uint32_t section = 0;  // of the draws (jitter.h); unique among the calls of a program
  std::int64_t sequence = 0;
  std::uint32_t events = 0;
  std::uint32_t memory = 0;
  std::uint32_t item = 0;  // key of kRoute's draws; selects graph and modules
};

struct Program {
  std::vector<Call> calls;
  bool inference = false;      // autograd records nothing
  std::int64_t sequences = 0;  // sequence numbers used per step
  std::uint32_t events = 0;    // event slots
  std::uint32_t memory = 0;    // memory slots
};

}  // namespace rankscope::sim
