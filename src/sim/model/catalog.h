// The catalogue of the simulated model's operations: ops as PyTorch's profiler names and nests
// them, the kernels that they launch, and their backward.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "formats/kineto/writer.h"
#include "sim/model/gpu.h"

namespace rankscope::sim {

// Sizes of the transformer. The bf16 gradients of one layer fill one bucket of 25 MB, DDP's
// default.
struct ModelShape {
  std::int64_t hidden = 1024;
  std::int64_t feed_forward = 4096;
  std::int64_t heads = 16;
  std::int64_t vocabulary = 32000;
  std::int64_t batch = 2;
  std::int64_t sequence = 2048;
  std::int64_t shards = 1;  // ranks that share every layer's matrices (tensor parallelism)

  std::int64_t tokens() const { return batch * sequence; }
  // Of one shard.
  std::int64_t layer_parameters() const {
    return (4 * hidden * hidden + 2 * hidden * feed_forward) / shards;
  }
  std::int64_t embedding_parameters() const { return vocabulary * hidden / shards; }
};

// An op's role for autograd's sequence number and the fwdbwd arrow.
enum class AutogradRole : std::uint8_t {
  kNone,
  kForward,   // creates the graph's node: the arrow starts here
  kEvaluate,  // autograd::engine::evaluate_function: ...
  kBackward,  // the node's own op: the arrow ends here
};

// One op of a call tree in pre-order. Its parent is the nearest earlier op with a smaller
// depth.
struct OpNode {
  int depth = 0;
  std::string_view name;
  AutogradRole role = AutogradRole::kNone;
  kineto::OpShapes shapes{};  // empty views: no shapes
  std::vector<KernelSpec> kernels{};
  bool routed = false;  // works on received tokens: "@" in its shapes stands for their number
};

// A differentiable operation: exactly one op of `forward` has the role kForward.
struct OpUnit {
  std::vector<OpNode> forward;
  std::vector<OpNode> backward;
  std::int64_t activation_bytes = 0;  // kept from the forward to the backward
  // Caller of the forward in profiles with stacks: the class of its nn.Module, and the Python
  // function; empty: none.
  std::string_view module{};
  std::string_view function{};
};

// How the model's matrix products are executed.
struct Arithmetic {
  bool tensor_cores = true;  // false: in fp32 without tensor cores
  double slowdown = 0;       // share of time added by a kernel that does not suit the shapes
};

// Makes ops and operations that consist of them. They point to texts that the factory owns.
class OpFactory {
 public:
  explicit OpFactory(const Arithmetic& arithmetic) : arithmetic_(arithmetic) {}
  OpFactory(const OpFactory&) = delete;
  OpFactory& operator=(const OpFactory&) = delete;

  // A linear map of `rows` rows; `dims` is the input's shape.
  OpUnit Linear(const std::vector<std::int64_t>& dims, std::int64_t in, std::int64_t out);

 protected:
  using Shape = std::vector<std::int64_t>;

  KernelSpec Gemm(std::string_view name, std::int64_t m, std::int64_t n, std::int64_t k) const;
  std::string_view Keep(std::string text);
  kineto::OpShapes Tensors(const std::vector<Shape>& dims);
  // The first tensor has "@" rows.
  kineto::OpShapes RoutedTensors(const std::vector<Shape>& dims);
  // evaluate_function and the node's op, around `leaves` at depth 2 and below.
  std::vector<OpNode> Backward(std::string_view node, std::vector<OpNode> leaves);
  // The same, followed by the accumulation of a weight's gradient.
  std::vector<OpNode> BackwardOfWeight(std::string_view node, std::vector<OpNode> leaves,
                                       std::int64_t weight_elements);
  // An element-wise operation.
  OpUnit Pointwise(std::string_view op, std::string_view node, std::string_view backward_op,
                   std::string_view kernel, const Shape& dims);

 private:
  Arithmetic arithmetic_;
  std::deque<std::string> texts_;  // texts that the views point to; its elements never move
};

// The operations of a transformer.
class Catalog : public OpFactory {
 public:
  Catalog(const ModelShape& model, const Arithmetic& arithmetic);

  std::vector<OpUnit> embedding;  // before the first layer
  std::vector<OpUnit> layer;
  std::vector<OpUnit> head;  // after the last layer: norm, projection, loss

 private:
  OpUnit LayerNorm(const ModelShape& model);
  OpUnit Linear(const ModelShape& model, std::int64_t in, std::int64_t out);
  OpUnit Attention(const ModelShape& model);
  OpUnit Residual(const ModelShape& model);
  OpUnit Gelu(const ModelShape& model);
  OpUnit Embedding(const ModelShape& model);
  OpUnit LogSoftmax(const ModelShape& model);
  OpUnit Loss(const ModelShape& model);
};

}  // namespace rankscope::sim
