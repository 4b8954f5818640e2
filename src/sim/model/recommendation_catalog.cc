#include "sim/model/recommendation_catalog.h"

#include "sim/model/kernel_names.h"

namespace rankscope::sim {
namespace {

constexpr std::int64_t kFp32 = 4;

}  // namespace

RecommendationCatalog::RecommendationCatalog(const RecommendationShape& shape) : OpFactory({}) {
  lookup.push_back(Lookup(shape));
  bottom.push_back(Linear({shape.batch}, shape.dense, shape.width));
  bottom.push_back(Relu({shape.batch, shape.width}));
  bottom.push_back(Linear({shape.batch}, shape.width, shape.dimension));
  interaction.push_back(Interaction(shape));
  interaction.push_back(Linear({shape.batch}, shape.dimension, shape.width));
  layer.push_back(Linear({shape.batch}, shape.width, shape.width));
  layer.push_back(Relu({shape.batch, shape.width}));
  head.push_back(Linear({shape.batch}, shape.width, 1));
  head.push_back(
      Pointwise("aten::binary_cross_entropy_with_logits", "BinaryCrossEntropyWithLogitsBackward0",
                "aten::binary_cross_entropy_with_logits_backward", kMultiply, {shape.batch}));
}

OpUnit RecommendationCatalog::Relu(const Shape& dims) {
  return Pointwise("aten::relu", "ReluBackward0", "aten::threshold_backward", kRelu, dims);
}

// Every lookup reads `pooling` rows in fp32; the backward reads and writes them.
OpUnit RecommendationCatalog::Lookup(const RecommendationShape& shape) {
  const std::int64_t bags = shape.tables * shape.batch * shape.ranks;
  const std::int64_t rows = bags * shape.pooling;
  const auto row_bytes = static_cast<double>(kFp32 * rows * shape.dimension);
  const auto shapes = Tensors({{rows}, {bags + 1}, {shape.tables}});
  const Launch launch{
      .grid = {static_cast<int>((bags + 3) / 4), 1, 1}, .block = {32, 4, 1}, .registers = 56};
  return {.forward = {{.depth = 0,
                       .name = "fbgemm::split_embedding_codegen_lookup_rowwise_adagrad_function",
                       .role = AutogradRole::kForward,
                       .shapes = shapes,
                       .kernels = {MakeKernel(kTableLookup, launch, 0, row_bytes)}}},
          .backward = Backward("SplitLookupFunction_rowwise_adagrad_Op",
                               {{.depth = 2,
                                 .name = "fbgemm::split_embedding_backward_codegen_rowwise_adagrad",
                                 .shapes = shapes,
                                 .kernels = {MakeKernel(kTableUpdate, launch, 0, 2 * row_bytes)}}}),
          .activation_bytes = kBf16 * shape.pooled_elements()};
}

OpUnit RecommendationCatalog::Interaction(const RecommendationShape& shape) {
  const std::int64_t features = shape.tables_per_rank * shape.ranks + 1;
  const auto shapes =
      Tensors({{shape.batch, features, shape.dimension}, {shape.batch, shape.dimension, features}});
  const KernelSpec product = Gemm(kGemmNn, shape.batch * features, features, shape.dimension);
  return {.forward = {{.depth = 0,
                       .name = "aten::bmm",
                       .role = AutogradRole::kForward,
                       .shapes = shapes,
                       .kernels = {product}}},
          .backward =
              Backward("BmmBackward0",
                       {{.depth = 2, .name = "aten::bmm", .shapes = shapes, .kernels = {product}},
                        {.depth = 2, .name = "aten::bmm", .shapes = shapes, .kernels = {product}}}),
          .activation_bytes = kBf16 * shape.batch * features * features};
}

}  // namespace rankscope::sim
