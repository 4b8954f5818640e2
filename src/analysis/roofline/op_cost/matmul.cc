#include <algorithm>
#include <array>

#include "analysis/roofline/op_cost/input_facts.h"
#include "analysis/roofline/op_cost/models.h"

namespace rankscope {
namespace {

struct Gemm {
  double b, m, n, k;
};

// A is [m, k] or [b, m, k], B is [k, n] or [b, k, n].
std::optional<Gemm> GemmOf(const Shape& a, const Shape& b) {
  if (a.size() != b.size() || (a.size() != 2 && a.size() != 3)) return std::nullopt;
  const std::size_t last = a.size() - 1;
  if (a[last] != b[last - 1] || (a.size() == 3 && a[0] != b[0])) return std::nullopt;
  return Gemm{a.size() == 3 ? static_cast<double>(a[0]) : 1, static_cast<double>(a[last - 1]),
              static_cast<double>(b[last]), static_cast<double>(a[last])};
}

// `a` is the index of the first factor; `bias` that of what is added, or SIZE_MAX.
std::optional<OpCost> MatmulCost(Inputs inputs, std::size_t a, std::size_t bias) {
  if (!HasTensor(inputs, a) || !HasTensor(inputs, a + 1)) return std::nullopt;
  const Shape& left = inputs[a].shape();
  const Shape& right = inputs[a + 1].shape();
  const auto gemm = GemmOf(left, right);
  const auto bytes_left = BytesOfDtype(inputs[a].dtype);
  const auto bytes_right = BytesOfDtype(inputs[a + 1].dtype);
  if (!gemm || !bytes_left || !bytes_right) return std::nullopt;
  const auto& [b, m, n, k] = *gemm;
  OpCost cost;
  cost.family = CostFamily::kMatmul;
  cost.dtype = inputs[a].dtype;
  cost.flops = 2 * b * m * n * k;
  // fp8 factors give a product of two bytes.
  const double bytes_out = std::max(*bytes_left, *bytes_left == 1 ? 2.0 : *bytes_left);
  cost.bytes = b * (m * k * *bytes_left + k * n * *bytes_right + m * n * bytes_out);
  if (HasTensor(inputs, bias)) {
    cost.flops += b * m * n;
    cost.bytes += Size(inputs[bias].shape()) * BytesOfDtype(inputs[bias].dtype).value_or(bytes_out);
  }
  cost.fits_matrix_cores = IsMultiple(left.back(), *bytes_left) &&
                           IsMultiple(right.back(), *bytes_right) && *bytes_left <= 4;
  return cost;
}

std::optional<OpCost> MmCost(Inputs inputs) { return MatmulCost(inputs, 0, SIZE_MAX); }
std::optional<OpCost> AddmmCost(Inputs inputs) { return MatmulCost(inputs, 1, 0); }

constexpr std::array kMatmulModels = {
    CostModel{"aten::mm", MmCost},
    CostModel{"aten::bmm", MmCost},
    CostModel{"aten::_scaled_mm", MmCost},
    CostModel{"aten::addmm", AddmmCost},
    CostModel{"aten::_addmm_activation", AddmmCost},
    CostModel{"aten::baddbmm", AddmmCost},
};

}  // namespace

std::span<const CostModel> MatmulModels() { return kMatmulModels; }

}  // namespace rankscope
