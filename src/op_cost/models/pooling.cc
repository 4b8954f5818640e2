#include <array>

#include "op_cost/models/input_facts.h"
#include "op_cost/models/models.h"

namespace rankscope {
namespace {

OpCost Pooled(std::string_view dtype, double flops, double bytes) {
  OpCost cost;
  cost.family = CostFamily::kPooling;
  cost.dtype = dtype;
  cost.flops = flops;
  cost.bytes = bytes;
  return cost;
}

// A pool's window over the last two dimensions.
struct Window {
  double size = 0;  // elements
  double out = 0;   // elements of the result
};

// kernel, stride and padding at 1, 2 and 3, then `dilation` or SIZE_MAX, and whether sizes are
// rounded up. A stride that is not given is the kernel's size.
std::optional<Window> WindowOf(Inputs inputs, std::size_t dilation, std::size_t ceil) {
  const Shape& x = ShapeOf(inputs, 0);
  const Shape kernel = IntsOf(inputs, 1, 2);
  Shape stride = IntsOf(inputs, 2, 2);
  const Shape padding = IntsOf(inputs, 3, 2);
  const Shape spread = dilation == SIZE_MAX ? Shape{1, 1} : IntsOf(inputs, dilation, 2);
  const auto rounds_up = FlagOf(inputs, ceil);
  if (stride.empty() && ValueOf(inputs, 2) == "[]") stride = kernel;
  if (x.size() < 3 || kernel.empty() || stride.empty() || padding.empty() || spread.empty() ||
      !rounds_up)
    return std::nullopt;
  if (!AreSmall(x) || !AreSmall(kernel) || !AreSmall(stride) || !AreSmall(padding) ||
      !AreSmall(spread))
    return std::nullopt;
  Window window = {1, 1};
  for (std::size_t i = 0; i + 2 < x.size(); ++i) window.out *= static_cast<double>(x[i]);
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t in = x[x.size() - 2 + i];
    if (kernel[i] <= 0 || stride[i] <= 0) return std::nullopt;
    const std::int64_t room = in + 2 * padding[i] - spread[i] * (kernel[i] - 1) - 1;
    if (room < 0) return std::nullopt;
    std::int64_t out = (room + (*rounds_up ? stride[i] - 1 : 0)) / stride[i] + 1;
    // No window begins in the padding behind the input.
    if (*rounds_up && (out - 1) * stride[i] >= in + padding[i]) --out;
    window.size *= static_cast<double>(kernel[i]);
    window.out *= static_cast<double>(out);
  }
  return window;
}

// max_pool2d_with_indices(x, kernel, stride, padding, dilation, ceil): values and their indices.
std::optional<OpCost> MaxPoolCost(Inputs inputs) {
  const auto x = BytesOf(inputs, 0);
  const auto window = WindowOf(inputs, 4, 5);
  if (!x || !window) return std::nullopt;
  const double bytes = BytesOfDtype(inputs[0].dtype).value_or(0);
  return Pooled(inputs[0].dtype, window->out * window->size, *x + window->out * (bytes + 8));
}
// ..._backward(dy, x, kernel, stride, padding, dilation, ceil, indices): x itself is not read.
std::optional<OpCost> MaxPoolBackwardCost(Inputs inputs) {
  const auto dy = BytesOf(inputs, 0);
  const auto dx = BytesOf(inputs, 1);
  if (!dy || !dx || *dy == 0 || *dx == 0) return std::nullopt;
  const double out = Size(ShapeOf(inputs, 0));
  return Pooled(inputs[0].dtype, out, *dy + 8 * out + *dx);
}
// avg_pool2d(x, kernel, stride, padding, ceil, ...)
std::optional<OpCost> AveragePoolCost(Inputs inputs) {
  const auto x = BytesOf(inputs, 0);
  const auto window = WindowOf(inputs, SIZE_MAX, 4);
  if (!x || !window) return std::nullopt;
  const double bytes = BytesOfDtype(inputs[0].dtype).value_or(0);
  return Pooled(inputs[0].dtype, window->out * window->size, *x + bytes * window->out);
}
// avg_pool2d_backward(dy, x, kernel, ...): every gradient goes to all of its window.
std::optional<OpCost> AveragePoolBackwardCost(Inputs inputs) {
  const auto dy = BytesOf(inputs, 0);
  const auto dx = BytesOf(inputs, 1);
  const Shape kernel = IntsOf(inputs, 2, 2);
  if (!dy || !dx || *dy == 0 || *dx == 0 || kernel.empty()) return std::nullopt;
  const double window = static_cast<double>(kernel[0]) * static_cast<double>(kernel[1]);
  return Pooled(inputs[0].dtype, window * Size(ShapeOf(inputs, 0)), *dy + *dx);
}
// _adaptive_avg_pool2d(x, size)
std::optional<OpCost> AdaptivePoolCost(Inputs inputs) {
  const Shape& x = ShapeOf(inputs, 0);
  const Shape size = IntsOf(inputs, 1, 2);
  const auto bytes = BytesOf(inputs, 0);
  if (x.size() < 3 || size.empty() || !bytes || *bytes == 0) return std::nullopt;
  double out = static_cast<double>(size[0]) * static_cast<double>(size[1]);
  for (std::size_t i = 0; i + 2 < x.size(); ++i) out *= static_cast<double>(x[i]);
  return Pooled(inputs[0].dtype, Size(x), *bytes + *bytes / Size(x) * out);
}
// _adaptive_avg_pool2d_backward(dy, x)
std::optional<OpCost> AdaptivePoolBackwardCost(Inputs inputs) {
  const auto dy = BytesOf(inputs, 0);
  const auto dx = BytesOf(inputs, 1);
  if (!dy || !dx || *dy == 0 || *dx == 0) return std::nullopt;
  return Pooled(inputs[0].dtype, Size(ShapeOf(inputs, 1)), *dy + *dx);
}

constexpr std::array kPoolingModels = {
    CostModel{"aten::max_pool2d_with_indices", MaxPoolCost},
    CostModel{"aten::max_pool2d_with_indices_backward", MaxPoolBackwardCost},
    CostModel{"aten::avg_pool2d", AveragePoolCost},
    CostModel{"aten::avg_pool2d_backward", AveragePoolBackwardCost},
    CostModel{"aten::_adaptive_avg_pool2d", AdaptivePoolCost},
    CostModel{"aten::_adaptive_avg_pool2d_backward", AdaptivePoolBackwardCost},
};

}  // namespace

std::span<const CostModel> PoolingModels() { return kPoolingModels; }

}  // namespace rankscope
