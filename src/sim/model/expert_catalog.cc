#include "sim/model/expert_catalog.h"

#include "sim/model/kernel_names.h"

namespace rankscope::sim {
ExpertCatalog::ExpertCatalog(const ModelShape& model, const ExpertShape& shape) : OpFactory({}) {
  const std::int64_t rows = model.tokens() * shape.choices;
  router.push_back(Linear({model.tokens()}, model.hidden, shape.experts));
  router.push_back(Pointwise("aten::softmax", "SoftmaxBackward0", "aten::_softmax_backward_data",
                             kSoftmax, {model.tokens(), shape.experts}));
  experts.push_back(Grouped(rows, shape.here, model.hidden, shape.inner));
  experts.push_back(Activation(rows, shape.inner));
  experts.push_back(Grouped(rows, shape.here, shape.inner, model.hidden));
}

// "@" stands for the rows that were received; durations are those of an even share.
OpUnit ExpertCatalog::Grouped(std::int64_t rows, std::int64_t experts_here, std::int64_t in,
                              std::int64_t out) {
  const auto node = [&](int depth, AutogradRole role, std::int64_t from, std::int64_t to) {
    OpNode op{.depth = depth,
              .name = "aten::_grouped_mm",
              .role = role,
              .shapes = RoutedTensors({{from}, {experts_here, from, to}}),
              .kernels = {Gemm(kGroupedGemm, rows, to, from)}};
    op.routed = true;
    return op;
  };
  OpNode weights = node(2, AutogradRole::kNone, in, out);
  return {.forward = {node(0, AutogradRole::kForward, in, out)},
          .backward = BackwardOfWeight("GroupedMmBackward0",
                                       {node(2, AutogradRole::kNone, out, in), weights},
                                       experts_here * in * out),
          .activation_bytes = kBf16 * rows * out};
}

OpUnit ExpertCatalog::Activation(std::int64_t rows, std::int64_t width) {
  OpUnit unit =
      Pointwise("aten::silu", "SiluBackward0", "aten::silu_backward", kGelu, {rows, width});
  for (auto* nodes : {&unit.forward, &unit.backward}) {
    for (OpNode& node : *nodes) {
      if (node.kernels.empty()) continue;
      node.routed = true;
      node.shapes = RoutedTensors({{width}});
    }
  }
  return unit;
}

}  // namespace rankscope::sim
