#include "sim/model/catalog.h"

#include "sim/model/kernel_names.h"

namespace rankscope::sim {
namespace {

KernelSpec Rows(std::string_view name, std::int64_t rows, std::int64_t bytes, int registers) {
  const Launch launch{.grid = {static_cast<int>(rows), 1, 1},
                      .block = {128, 1, 1},
                      .registers = registers,
                      .shared_bytes = 32};
  return MakeKernel(name, launch, 0, static_cast<double>(bytes));
}

}  // namespace

Catalog::Catalog(const ModelShape& model, const Arithmetic& arithmetic) : OpFactory(arithmetic) {
  embedding.push_back(Embedding(model));

  layer.push_back(LayerNorm(model));
  const std::int64_t hidden = model.hidden / model.shards;
  const std::int64_t feed_forward = model.feed_forward / model.shards;
  layer.push_back(Linear(model, model.hidden, 3 * hidden));
  layer.push_back(Attention(model));
  layer.push_back(Linear(model, hidden, model.hidden));
  layer.push_back(Residual(model));
  layer.push_back(LayerNorm(model));
  layer.push_back(Linear(model, model.hidden, feed_forward));
  layer.push_back(Gelu(model));
  layer.push_back(Linear(model, feed_forward, model.hidden));
  layer.push_back(Residual(model));

  head.push_back(LayerNorm(model));
  head.push_back(Linear(model, model.hidden, model.vocabulary / model.shards));
  head.push_back(LogSoftmax(model));
  head.push_back(Loss(model));
  // Of classes of their own, so that their numbers do not hang on how many layers there are.
  head[0].module = "FinalLayerNorm";
  head[1].module = "OutputProjection";
}

OpUnit Catalog::LayerNorm(const ModelShape& model) {
  const std::int64_t elements = model.tokens() * model.hidden;
  const auto shapes = Tensors(
      {{model.batch, model.sequence, model.hidden}, {}, {model.hidden}, {model.hidden}, {}});
  const KernelSpec forward = Rows(kLayerNorm, model.tokens(), 2 * kBf16 * elements, 40);
  const KernelSpec input = Rows(kLayerNormInput, model.tokens(), 3 * kBf16 * elements, 48);
  const KernelSpec weights = MakeKernel(kLayerNormWeights,
                                        {.grid = {static_cast<int>(model.hidden / 32), 1, 1},
                                         .block = {32, 32, 1},
                                         .registers = 40,
                                         .shared_bytes = 8448},
                                        0, static_cast<double>(2 * kBf16 * elements));
  return {.forward = {{.depth = 0, .name = "aten::layer_norm", .shapes = shapes},
                      {.depth = 1,
                       .name = "aten::native_layer_norm",
                       .role = AutogradRole::kForward,
                       .shapes = shapes,
                       .kernels = {forward}}},
          .backward = BackwardOfWeight("NativeLayerNormBackward0",
                                       {{.depth = 2,
                                         .name = "aten::native_layer_norm_backward",
                                         .shapes = shapes,
                                         .kernels = {input, weights}}},
                                       2 * model.hidden),
          .activation_bytes = kBf16 * elements,
          .module = "LayerNorm",
          .function = "torch/nn/modules/normalization.py(217): forward"};
}

OpUnit Catalog::Linear(const ModelShape& model, std::int64_t in, std::int64_t out) {
  return OpFactory::Linear({model.batch, model.sequence}, in, out);
}

OpUnit Catalog::Attention(const ModelShape& model) {
  const std::int64_t hidden = model.hidden / model.shards;
  const std::int64_t heads = model.heads / model.shards;
  const std::int64_t elements = model.tokens() * hidden;
  const std::int64_t head_size = hidden / heads;
  const auto qkv = Tensors({{model.batch, heads, model.sequence, head_size},
                            {model.batch, heads, model.sequence, head_size},
                            {model.batch, heads, model.sequence, head_size},
                            {}});
  // Two products, half of them masked; flash attention reaches about half of a plain product's
  // rate.
  const double flops = 2.0 * 2.0 * static_cast<double>(model.batch * model.sequence) *
                       static_cast<double>(model.sequence * hidden);
  const auto tiles = [&](int rows) {
    return std::array<int, 3>{static_cast<int>(model.sequence) / rows,
                              static_cast<int>(model.batch), static_cast<int>(heads)};
  };
  const KernelSpec forward = MakeKernel(
      kFlashForward,
      {.grid = tiles(128), .block = {128, 1, 1}, .registers = 255, .shared_bytes = 49152}, flops,
      0);
  const KernelSpec dot =
      MakeKernel(kFlashDot, {.grid = tiles(64), .block = {256, 1, 1}, .registers = 48}, 0,
                 static_cast<double>(2 * kBf16 * elements));
  const KernelSpec loop = MakeKernel(
      kFlashBackward,
      {.grid = tiles(128), .block = {256, 1, 1}, .registers = 255, .shared_bytes = 147456},
      2.5 * flops, 0);
  const KernelSpec convert =
      MakeKernel(kFlashConvert,
                 {.grid = tiles(64), .block = {256, 1, 1}, .registers = 74, .shared_bytes = 8192},
                 0, static_cast<double>(6 * elements));
  return {.forward = {{.depth = 0, .name = "aten::scaled_dot_product_attention", .shapes = qkv},
                      {.depth = 1,
                       .name = "aten::_scaled_dot_product_flash_attention",
                       .role = AutogradRole::kForward,
                       .shapes = qkv},
                      {.depth = 2,
                       .name = "aten::_flash_attention_forward",
                       .shapes = qkv,
                       .kernels = {forward}}},
          .backward = Backward("ScaledDotProductFlashAttentionBackward0",
                               {{.depth = 2,
                                 .name = "aten::_scaled_dot_product_flash_attention_backward",
                                 .shapes = qkv},
                                {.depth = 3,
                                 .name = "aten::_flash_attention_backward",
                                 .shapes = qkv,
                                 .kernels = {dot, loop, convert}}}),
          .activation_bytes = 2 * kBf16 * elements,
          .function = "<built-in function scaled_dot_product_attention>"};
}

OpUnit Catalog::Residual(const ModelShape& model) {
  const std::int64_t elements = model.tokens() * model.hidden;
  return {.forward = {{.depth = 0,
                       .name = "aten::add",
                       .role = AutogradRole::kForward,
                       .shapes = Tensors({{model.batch, model.sequence, model.hidden},
                                          {model.batch, model.sequence, model.hidden},
                                          {}}),
                       .kernels = {MakeElementwise(kAdd, elements, 3 * kBf16 * elements)}}},
          .backward = Backward("AddBackward0", {}),
          .activation_bytes = kBf16 * elements};
}

OpUnit Catalog::Gelu(const ModelShape& model) {
  const std::int64_t feed_forward = model.feed_forward / model.shards;
  const std::int64_t elements = model.tokens() * feed_forward;
  const auto shapes = Tensors({{model.batch, model.sequence, feed_forward}, {}});
  return {.forward = {{.depth = 0,
                       .name = "aten::gelu",
                       .role = AutogradRole::kForward,
                       .shapes = shapes,
                       .kernels = {MakeElementwise(kGelu, elements, 2 * kBf16 * elements)}}},
          .backward = Backward(
              "GeluBackward0",
              {{.depth = 2,
                .name = "aten::gelu_backward",
                .shapes = shapes,
                .kernels = {MakeElementwise(kGeluBackward, elements, 3 * kBf16 * elements)}}}),
          .activation_bytes = kBf16 * elements,
          .module = "GELU",
          .function = "torch/nn/modules/activation.py(734): forward"};
}

OpUnit Catalog::Embedding(const ModelShape& model) {
  const std::int64_t elements = model.tokens() * model.hidden;
  const auto shapes =
      Tensors({{model.vocabulary / model.shards, model.hidden}, {model.batch, model.sequence}, {}});
  return {.forward = {{.depth = 0,
                       .name = "aten::embedding",
                       .role = AutogradRole::kForward,
                       .shapes = shapes},
                      {.depth = 1,
                       .name = "aten::index_select",
                       .shapes = shapes,
                       .kernels = {Rows(kGather, model.tokens(), 2 * kBf16 * elements, 32)}}},
          .backward = BackwardOfWeight(
              "EmbeddingBackward0",
              {{.depth = 2, .name = "aten::embedding_backward", .shapes = shapes},
               {.depth = 3,
                .name = "aten::embedding_dense_backward",
                .shapes = shapes,
                .kernels = {Rows(kScatter, model.tokens(), 4 * kBf16 * elements, 40)}}},
              model.embedding_parameters()),
          .activation_bytes = kBf16 * elements,
          .module = "Embedding",
          .function = "torch/nn/modules/sparse.py(190): forward"};
}

OpUnit Catalog::LogSoftmax(const ModelShape& model) {
  const std::int64_t elements = model.tokens() * model.vocabulary / model.shards;
  const auto shapes = Tensors({{model.tokens(), model.vocabulary / model.shards}, {}, {}});
  return {.forward = {{.depth = 0, .name = "aten::log_softmax", .shapes = shapes},
                      {.depth = 1,
                       .name = "aten::_log_softmax",
                       .role = AutogradRole::kForward,
                       .shapes = shapes,
                       .kernels = {Rows(kSoftmax, model.tokens(), 2 * kBf16 * elements, 32)}}},
          .backward = Backward(
              "LogSoftmaxBackward0",
              {{.depth = 2,
                .name = "aten::_log_softmax_backward_data",
                .shapes = shapes,
                .kernels = {Rows(kSoftmaxBackward, model.tokens(), 3 * kBf16 * elements, 32)}}}),
          .activation_bytes = kBf16 * elements,
          .module = "LogSoftmax",
          .function = "torch/nn/modules/activation.py(1671): forward"};
}

OpUnit Catalog::Loss(const ModelShape& model) {
  const auto shapes =
      Tensors({{model.tokens(), model.vocabulary / model.shards}, {model.tokens()}, {}, {}, {}});
  const Launch launch{.grid = {1, 1, 1}, .block = {32, 1, 1}, .registers = 30, .shared_bytes = 256};
  const auto bytes = static_cast<double>(8 * model.tokens());
  return {.forward = {{.depth = 0, .name = "aten::nll_loss_nd", .shapes = shapes},
                      {.depth = 1, .name = "aten::nll_loss", .shapes = shapes},
                      {.depth = 2,
                       .name = "aten::nll_loss_forward",
                       .role = AutogradRole::kForward,
                       .shapes = shapes,
                       .kernels = {MakeKernel(kLoss, launch, 0, bytes)}}},
          .backward = Backward("NllLossBackward0",
                               {{.depth = 2,
                                 .name = "aten::nll_loss_backward",
                                 .shapes = shapes,
                                 .kernels = {MakeKernel(kLossBackward, launch, 0, bytes)}}}),
          .activation_bytes = 512,
          .module = "NLLLoss",
          .function = "torch/nn/modules/loss.py(252): forward"};
}

}  // namespace rankscope::sim
