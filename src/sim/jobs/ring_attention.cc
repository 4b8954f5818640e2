#include "sim/jobs/ring_attention.h"

#include <utility>
#include <vector>

#include "sim/model/kernel_names.h"

namespace rankscope::sim {
namespace {

constexpr std::int64_t kPythonPerBlockNs = 22'000;
constexpr std::int64_t kAutogradNs = 2500;

// The catalogue's attention without what autograd notes: that is done once for all blocks.
std::vector<OpNode> WithinRing(const std::vector<OpNode>& attention, std::size_t from, int depth) {
  std::vector<OpNode> nodes(attention.begin() + static_cast<std::ptrdiff_t>(from), attention.end());
  const int above = nodes.front().depth - depth;
  for (OpNode& node : nodes) {
    node.role = AutogradRole::kNone;
    node.depth -= above;
  }
  return nodes;
}

// Adds a block's result to those of the blocks before. The output is as large as the activation's
// half: attention keeps its output and its statistics.
OpNode Sum(const OpUnit& attention) {
  const std::int64_t bytes = attention.activation_bytes / 2;
  return {.name = "aten::add_", .kernels = {MakeElementwise(kAdd, bytes / kBf16, 3 * bytes)}};
}

void Pass(const ContextRing& ring, const RingExchange& exchange, SegmentBuilder* builder) {
  builder->Communicate(exchange.send, ring.events, ring.events + 1);
  builder->Communicate(exchange.receive, ring.events + 2, ring.events + 3);
}

void Await(const ContextRing& ring, SegmentBuilder* builder) {
  builder->WaitEvent(Stream::kCompute, ring.events + 1);
  builder->WaitEvent(Stream::kCompute, ring.events + 3);
}

}  // namespace

void RingForward(const ContextRing& ring, const OpUnit& attention, std::uint32_t number,
                 Library* library, SegmentBuilder* builder) {
  const OpNode* whole = library->Add(OpNode{.name = "AttnFuncWithCPAndKVP2P",
                                            .role = AutogradRole::kForward,
                                            .shapes = attention.forward.front().shapes});
  const std::vector<OpUnit>* parts =
      library->Keep({{.forward = WithinRing(attention.forward, 1, 0), .backward = {}},
                     {.forward = {Sum(attention)}, .backward = {}}});
  builder->Think(kPythonPerBlockNs).Allocate(attention.activation_bytes, number);
  builder->Open(whole, number);
  for (int block = 0; block < ring.ranks; ++block) {
    builder->Think(kPythonPerBlockNs);
    if (block > 0) Await(ring, builder);
    if (block + 1 < ring.ranks) Pass(ring, ring.forward, builder);
    builder->Tree((*parts)[0].forward, number);
    if (block > 0) builder->Tree((*parts)[1].forward, number);
  }
  builder->CloseOp();
}

void RingBackward(const ContextRing& ring, const OpUnit& attention, std::uint32_t number,
                  Library* library, SegmentBuilder* builder) {
  const OpNode* evaluate = library->Add(
      OpNode{.name = "autograd::engine::evaluate_function: AttnFuncWithCPAndKVP2PBackward",
             .role = AutogradRole::kEvaluate});
  const OpNode* whole = library->Add(
      OpNode{.name = "AttnFuncWithCPAndKVP2PBackward", .role = AutogradRole::kBackward});
  const std::vector<OpUnit>* parts =
      library->Keep({{.forward = {}, .backward = WithinRing(attention.backward, 2, 0)},
                     {.forward = {}, .backward = {Sum(attention)}}});
  builder->Think(kAutogradNs).Open(evaluate, number).Open(whole, number);
  for (int block = 0; block < ring.ranks; ++block) {
    const bool last = block + 1 == ring.ranks;
    builder->Think(kPythonPerBlockNs);
    Pass(ring,
         last         ? ring.backward_last
         : block == 0 ? ring.backward_first
                      : ring.backward,
         builder);
    builder->Tree((*parts)[0].backward, number);
    Await(ring, builder);
    builder->Tree((*parts)[1].backward, number);
  }
  builder->CloseOp().CloseOp().Free(number);
}

}  // namespace rankscope::sim
