#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "sim/model/catalog.h"
#include "sim/model/kernel_names.h"

namespace rankscope::sim {
KernelSpec OpFactory::Gemm(std::string_view name, std::int64_t m, std::int64_t n,
                           std::int64_t k) const {
  if (!arithmetic_.tensor_cores) return MakeSgemm(kSgemm, m, n, k);
  if (arithmetic_.slowdown == 0) return MakeGemm(name, m, n, k);
  KernelSpec kernel = MakeGemm(kGemmUnaligned, m, n, k);
  kernel.duration_ns +=
      static_cast<std::int64_t>(static_cast<double>(kernel.duration_ns) * arithmetic_.slowdown);
  return kernel;
}

std::string_view OpFactory::Keep(std::string text) { return texts_.emplace_back(std::move(text)); }

kineto::OpShapes OpFactory::Tensors(const std::vector<Shape>& dims) {
  std::vector<std::string> shapes, types, inputs;
  for (const Shape& shape : dims) {
    shapes.push_back(fmt::format("[{}]", fmt::join(shape, ", ")));
    // A shape without dimensions stands for a scalar argument.
    const char* tensor = arithmetic_.tensor_cores ? "\"c10::BFloat16\"" : "\"float\"";
    types.push_back(shape.empty() ? "\"Scalar\"" : tensor);
    inputs.push_back(shape.empty() ? "\"1\"" : "\"\"");
  }
  return {Keep(fmt::format("[{}]", fmt::join(shapes, ", "))),
          Keep(fmt::format("[{}]", fmt::join(types, ", "))),
          Keep(fmt::format("[{}]", fmt::join(inputs, ", ")))};
}

kineto::OpShapes OpFactory::RoutedTensors(const std::vector<Shape>& dims) {
  kineto::OpShapes shapes = Tensors(dims);
  std::string text(shapes.input_dims_json);
  text.insert(2, "@, ");  // behind "[["
  shapes.input_dims_json = Keep(std::move(text));
  return shapes;
}

std::vector<OpNode> OpFactory::Backward(std::string_view node, std::vector<OpNode> leaves) {
  std::vector<OpNode> ops;
  ops.push_back({.depth = 0,
                 .name = Keep(fmt::format("autograd::engine::evaluate_function: {}", node)),
                 .role = AutogradRole::kEvaluate});
  ops.push_back({.depth = 1, .name = node, .role = AutogradRole::kBackward});
  for (OpNode& leaf : leaves) ops.push_back(std::move(leaf));
  return ops;
}

std::vector<OpNode> OpFactory::BackwardOfWeight(std::string_view node, std::vector<OpNode> leaves,
                                                std::int64_t weight_elements) {
  std::vector<OpNode> ops = Backward(node, std::move(leaves));
  ops.push_back(
      {.depth = 0, .name = "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad"});
  ops.push_back({.depth = 1, .name = "torch::autograd::AccumulateGrad"});
  ops.push_back({.depth = 2,
                 .name = "aten::add_",
                 .shapes = Tensors({{weight_elements}, {weight_elements}, {}}),
                 .kernels = {MakeElementwise(kAdd, weight_elements, 3 * kBf16 * weight_elements)}});
  return ops;
}

OpUnit OpFactory::Linear(const std::vector<std::int64_t>& dims, std::int64_t in, std::int64_t out) {
  std::int64_t m = 1;
  for (const std::int64_t dim : dims) m *= dim;
  Shape input = dims;
  input.push_back(in);
  const auto weight = Tensors({{out, in}});
  const auto addmm = Tensors({{out}, {m, in}, {in, out}, {}, {}});
  const KernelSpec bias = MakeKernel(kReduce,
                                     {.grid = {static_cast<int>((out + 127) / 128), 1, 1},
                                      .block = {32, 4, 1},
                                      .registers = 32,
                                      .shared_bytes = 2064},
                                     0, static_cast<double>(kBf16 * m * out));
  return {.forward =
              {{.depth = 0, .name = "aten::linear", .shapes = Tensors({input, {out, in}, {out}})},
               {.depth = 1, .name = "aten::t", .shapes = weight},
               {.depth = 2, .name = "aten::transpose", .shapes = Tensors({{out, in}, {}, {}})},
               {.depth = 3, .name = "aten::as_strided", .shapes = weight},
               {.depth = 1,
                .name = "aten::addmm",
                .role = AutogradRole::kForward,
                .shapes = addmm,
                .kernels = {Gemm(kGemmTn, m, out, in)}}},
          .backward = BackwardOfWeight("AddmmBackward0",
                                       {{.depth = 2,
                                         .name = "aten::mm",
                                         .shapes = Tensors({{m, out}, {out, in}}),
                                         .kernels = {Gemm(kGemmNn, m, in, out)}},
                                        {.depth = 2,
                                         .name = "aten::mm",
                                         .shapes = Tensors({{in, m}, {m, out}}),
                                         .kernels = {Gemm(kGemmNt, in, out, m)}},
                                        {.depth = 2,
                                         .name = "aten::sum",
                                         .shapes = Tensors({{m, out}, {}, {}}),
                                         .kernels = {bias}}},
                                       in * out),
          .activation_bytes = kBf16 * m * out,
          .module = "Linear",
          .function = "torch/nn/modules/linear.py(125): forward"};
}

OpUnit OpFactory::Pointwise(std::string_view op, std::string_view node,
                            std::string_view backward_op, std::string_view kernel,
                            const Shape& dims) {
  std::int64_t elements = 1;
  for (const std::int64_t dim : dims) elements *= dim;
  const auto shapes = Tensors({dims});
  return {.forward = {{.depth = 0,
                       .name = op,
                       .role = AutogradRole::kForward,
                       .shapes = shapes,
                       .kernels = {MakeElementwise(kernel, elements, 2 * kBf16 * elements)}}},
          .backward = Backward(
              node, {{.depth = 2,
                      .name = backward_op,
                      .shapes = Tensors({dims, dims}),
                      .kernels = {MakeElementwise(kernel, elements, 3 * kBf16 * elements)}}}),
          .activation_bytes = kBf16 * elements};
}

}  // namespace rankscope::sim
