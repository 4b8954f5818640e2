// Matrix products, and their minimum time on the device.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "insight/base/cause.h"
#include "insight/base/rule_input.h"

namespace rankscope {

struct Product {
  NodeId node = kNoNode;
  double roof_ns = 0;  // at the roof of matrix cores in 16 bits
  bool on_vector_units = false;
};

// Work in fp64, by its inputs or its kernel's name ("ampere_dgemm_64x64_nn").
bool IsOfDoubles(const NodeKind& kind);

// A fused attention in fp32 ("fmha_cutlassF_f32_aligned_64x64_rf_sm80"): the same change that takes
// products to 16 bits makes it another kernel.
bool IsAttentionInFp32(const NodeKind& kind);

struct Products {
  explicit Products(const RuleInput& input);

  std::vector<Product> all;  // whose roof is known, of all steps
  std::vector<Product> attention_in_fp32;
  double ns = 0;         // what they take
  double matrix_ns = 0;  // of it not on vector units
  // The efficiency that the best tenth of those on matrix cores reaches, by time; at most
  // kMostOfRoof. 0: none tells.
  double best = 0;
};

// Products with these reduced times in ns: places, loss and replay. nullopt without such products
// in counted steps.
std::optional<Cause> CauseOfProducts(const RuleInput& input,
                                     const std::vector<std::pair<NodeId, double>>& targets);

}  // namespace rankscope
