#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "op_cost/models/input_facts.h"
#include "op_cost/models/models.h"

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

// Bytes of an element of the product: fp8 factors give 16 bits, int8 factors 32.
double BytesOfProduct(std::string_view dtype, double bytes) {
  if (bytes > 1) return bytes;
  return IsFloatingPoint(dtype) ? 2 : 4;
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
  // Factors of two dtypes meet in the wider one.
  cost.dtype = Promoted(inputs[a].dtype, inputs[a + 1].dtype);
  cost.flops = 2 * b * m * n * k;
  const double bytes_out = BytesOfProduct(cost.dtype, std::max(*bytes_left, *bytes_right));
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

// A product of matrices of groups of rows, each with a matrix of its own. `m`, `n`, `k`: of all
// groups together; `factors`: elements that are read; `out`: elements that are written.
struct GroupedGemm {
  double m, n, k, factors, out;
};

// aten::_grouped_mm(a, b, offsets, ...). Which dimension the groups divide follows from the ranks:
// [M, K] [G, K, N] rows, [M, K] [K, N] what is summed over, [G, M, K] [K, N] columns of b. The ends
// of the groups are no part of the trace; all rows are taken to belong to one.
std::optional<GroupedGemm> GroupedGemmOf(const Shape& a, const Shape& b, const Shape& offsets) {
  const double factors = Size(a) + Size(b);
  const auto number = [](std::int64_t value) { return static_cast<double>(value); };
  if (a.size() == 3 && b.size() == 3) {
    if (a[0] != b[0] || a[2] != b[1]) return std::nullopt;
    const double m = number(a[0]) * number(a[1]);
    return GroupedGemm{m, number(b[2]), number(a[2]), factors, m * number(b[2])};
  }
  if (offsets.size() != 1) return std::nullopt;
  if (a.size() == 2 && b.size() == 3 && a[1] == b[1] && offsets[0] == b[0])
    return GroupedGemm{number(a[0]), number(b[2]), number(a[1]), factors,
                       number(a[0]) * number(b[2])};
  if (a.size() == 3 && b.size() == 2 && a[2] == b[0] && offsets[0] == a[0])
    return GroupedGemm{number(a[1]), number(b[1]), number(a[2]), factors,
                       number(a[1]) * number(b[1])};
  if (a.size() == 2 && b.size() == 2 && a[1] == b[0])
    return GroupedGemm{number(a[0]), number(b[1]), number(a[1]), factors,
                       number(offsets[0]) * number(a[0]) * number(b[1])};
  return std::nullopt;
}

std::optional<OpCost> GroupedCost(Inputs inputs, const std::optional<GroupedGemm>& gemm) {
  const auto left = BytesOf(inputs, 0);
  const auto right = BytesOf(inputs, 1);
  if (!gemm || !left || !right) return std::nullopt;
  OpCost cost;
  cost.family = CostFamily::kMatmul;
  cost.dtype = Promoted(inputs[0].dtype, inputs[1].dtype);
  const double bytes = BytesOfDtype(cost.dtype).value_or(0);
  cost.flops = 2 * gemm->m * gemm->n * gemm->k;
  cost.bytes = *left + *right + BytesOfProduct(cost.dtype, bytes) * gemm->out;
  cost.fits_matrix_cores = bytes <= 4 && IsMultiple(ShapeOf(inputs, 0).back(), bytes) &&
                           IsMultiple(ShapeOf(inputs, 1).back(), bytes);
  return cost;
}

std::optional<OpCost> GroupedMmCost(Inputs inputs) {
  return GroupedCost(inputs,
                     GroupedGemmOf(ShapeOf(inputs, 0), ShapeOf(inputs, 1), ShapeOf(inputs, 2)));
}
// aten::_scaled_grouped_mm(a, b, scale_a, scale_b, offsets, ...)
std::optional<OpCost> ScaledGroupedMmCost(Inputs inputs) {
  return GroupedCost(inputs,
                     GroupedGemmOf(ShapeOf(inputs, 0), ShapeOf(inputs, 1), ShapeOf(inputs, 4)));
}

// grouped_gemm(a, b, lengths, ...): a is [M, K], b is [G, K, N] or, transposed, [G, N, K].
std::optional<OpCost> GroupedRowsCost(Inputs inputs) {
  const Shape& a = ShapeOf(inputs, 0);
  Shape b = ShapeOf(inputs, 1);
  if (a.size() != 2 || b.size() != 3) return std::nullopt;
  if (a[1] != b[1]) std::swap(b[1], b[2]);
  return GroupedCost(inputs, GroupedGemmOf(a, b, {b[0]}));
}

// grouped_gemm_variable_k(a, b, lengths, ...): a gradient of weights, [T, M] and [T, N] summed over
// the rows of each group.
std::optional<OpCost> GroupedSumCost(Inputs inputs) {
  const Shape& a = ShapeOf(inputs, 0);
  if (a.size() != 2) return std::nullopt;
  return GroupedCost(inputs, GroupedGemmOf({a[1], a[0]}, ShapeOf(inputs, 1), ShapeOf(inputs, 2)));
}

// tex_ts::te_gemm_ts(a, ..., b, ..., d, ...) of TransformerEngine, a, b and d at 0, 5 and 10:
// d = a b with either transposed, so |a| |b| / |d| is the square of what is summed over.
std::optional<OpCost> TransformerEngineCost(Inputs inputs) {
  const Shape& a = ShapeOf(inputs, 0);
  const Shape& b = ShapeOf(inputs, 5);
  const Shape& d = ShapeOf(inputs, 10);
  if (a.size() != 2 || b.size() != 2 || d.size() != 2 || Size(d) == 0) return std::nullopt;
  const double k = std::round(std::sqrt(Size(a) * Size(b) / Size(d)));
  const auto has = [&](const Shape& shape) {
    return static_cast<double>(shape[0]) == k || static_cast<double>(shape[1]) == k;
  };
  const auto left = BytesOf(inputs, 0);
  const auto right = BytesOf(inputs, 5);
  const auto product = BytesOf(inputs, 10);
  if (k * k * Size(d) != Size(a) * Size(b) || !has(a) || !has(b)) return std::nullopt;
  if (!left || !right || !product) return std::nullopt;
  OpCost cost;
  cost.family = CostFamily::kMatmul;
  // Its fp8 tensors are recorded as bytes.
  cost.dtype = inputs[0].dtype == "unsigned char" ? "c10::Float8_e4m3fn" : inputs[0].dtype;
  cost.flops = 2 * Size(d) * k;
  cost.bytes = *left + *right + *product;
  const double bytes = BytesOfDtype(cost.dtype).value_or(0);
  cost.fits_matrix_cores = bytes <= 4 && IsMultiple(a.back(), bytes) && IsMultiple(b.back(), bytes);
  return cost;
}

constexpr std::array kMatmulModels = {
    CostModel{"aten::mm", MmCost},
    CostModel{"aten::bmm", MmCost},
    CostModel{"aten::_scaled_mm", MmCost},
    CostModel{"aten::addmm", AddmmCost},
    CostModel{"aten::_addmm_activation", AddmmCost},
    CostModel{"aten::baddbmm", AddmmCost},
    CostModel{"aten::_int_mm", MmCost},
    CostModel{"aten::_grouped_mm", GroupedMmCost},
    CostModel{"aten::_scaled_grouped_mm", ScaledGroupedMmCost},
    CostModel{"GroupedGemm", GroupedRowsCost},
    CostModel{"primus_turbo::grouped_gemm", GroupedRowsCost},
    CostModel{"primus_turbo::grouped_gemm_impl", GroupedRowsCost},
    CostModel{"primus_turbo_cpp_extension::grouped_gemm", GroupedRowsCost},
    CostModel{"primus_turbo_cpp_extension::ck_grouped_gemm", GroupedRowsCost},
    CostModel{"primus_turbo::grouped_gemm_variable_k", GroupedSumCost},
    CostModel{"primus_turbo::grouped_gemm_variable_k_impl", GroupedSumCost},
    CostModel{"primus_turbo_cpp_extension::grouped_gemm_variable_k", GroupedSumCost},
    CostModel{"primus_turbo_cpp_extension::ck_grouped_gemm_variable_k", GroupedSumCost},
    CostModel{"tex_ts::te_gemm_ts", TransformerEngineCost},
};

}  // namespace

std::span<const CostModel> MatmulModels() { return kMatmulModels; }

}  // namespace rankscope
