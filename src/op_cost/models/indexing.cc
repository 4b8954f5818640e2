#include <algorithm>
#include <array>

#include "op_cost/models/input_facts.h"
#include "op_cost/models/models.h"

namespace rankscope {
namespace {

OpCost Moved(std::string_view dtype, double flops, double bytes) {
  OpCost cost;
  cost.family = CostFamily::kIndexing;
  cost.dtype = dtype;
  cost.flops = flops;
  cost.bytes = bytes;
  return cost;
}

// Bytes of an element of the tensor; nullopt without one.
std::optional<double> ElementBytes(Inputs inputs, std::size_t i) {
  return HasTensor(inputs, i) ? BytesOfDtype(inputs[i].dtype) : std::nullopt;
}

// Which rows the indices name is not recorded: as many are read as there are, at most all.
double RowsRead(double rows, double indices) { return std::min(rows, indices); }

// embedding(weight, indices, ...)
std::optional<OpCost> EmbeddingCost(Inputs inputs) {
  const auto bytes = ElementBytes(inputs, 0);
  const auto indices = BytesOf(inputs, 1);
  const Shape& weight = ShapeOf(inputs, 0);
  if (!bytes || !indices || *indices == 0 || weight.size() != 2) return std::nullopt;
  const auto width = static_cast<double>(weight[1]);
  const double count = Size(ShapeOf(inputs, 1));
  const double rows = RowsRead(static_cast<double>(weight[0]), count) + count;
  return Moved(inputs[0].dtype, 0, *bytes * width * rows + *indices);
}

// embedding_dense_backward(dy, indices, rows, ...): clears all rows, adds a gradient to some.
std::optional<OpCost> EmbeddingBackwardCost(Inputs inputs) {
  const auto dy = BytesOf(inputs, 0);
  const auto indices = BytesOf(inputs, 1);
  const auto rows = IntOf(inputs, 2);
  if (!dy || !indices || *dy == 0 || *indices == 0 || !rows || *rows < 0) return std::nullopt;
  const double width = static_cast<double>(ShapeOf(inputs, 0).back());
  const double bytes = BytesOfDtype(inputs[0].dtype).value_or(0);
  return Moved(inputs[0].dtype, Size(ShapeOf(inputs, 0)),
               *dy + *indices + bytes * width * static_cast<double>(*rows));
}

// _embedding_bag(weight, indices, offsets, ...): a row per bag, the sum of those that it names.
std::optional<OpCost> EmbeddingBagCost(Inputs inputs) {
  const auto bytes = ElementBytes(inputs, 0);
  const auto indices = BytesOf(inputs, 1);
  const auto offsets = BytesOf(inputs, 2);
  const Shape& weight = ShapeOf(inputs, 0);
  if (!bytes || !indices || !offsets || *offsets == 0 || weight.size() != 2) return std::nullopt;
  const auto width = static_cast<double>(weight[1]);
  const double count = Size(ShapeOf(inputs, 1));
  const double rows = RowsRead(static_cast<double>(weight[0]), count) + Size(ShapeOf(inputs, 2));
  return Moved(inputs[0].dtype, count * width, *bytes * width * rows + *indices + *offsets);
}

// index_select(self, dim, index)
std::optional<OpCost> IndexSelectCost(Inputs inputs) {
  const auto bytes = ElementBytes(inputs, 0);
  const auto index = BytesOf(inputs, 2);
  auto dim = IntOf(inputs, 1);
  const Shape& self = ShapeOf(inputs, 0);
  if (!bytes || !index || *index == 0 || !dim) return std::nullopt;
  if (*dim < 0) *dim += static_cast<std::int64_t>(self.size());
  if (*dim < 0 || *dim >= static_cast<std::int64_t>(self.size())) return std::nullopt;
  const auto rows = static_cast<double>(self[static_cast<std::size_t>(*dim)]);
  if (rows == 0) return std::nullopt;
  const double count = Size(ShapeOf(inputs, 2));
  return Moved(inputs[0].dtype, 0,
               *bytes * Size(self) / rows * (RowsRead(rows, count) + count) + *index);
}

// gather(self, dim, index): a value per index.
std::optional<OpCost> GatherCost(Inputs inputs) {
  const auto bytes = ElementBytes(inputs, 0);
  const auto index = BytesOf(inputs, 2);
  if (!bytes || !index || *index == 0) return std::nullopt;
  return Moved(inputs[0].dtype, 0, 2 * *bytes * Size(ShapeOf(inputs, 2)) + *index);
}

// scatter_(self, dim, index, source or a number)
std::optional<OpCost> ScatterInPlaceCost(Inputs inputs) {
  const auto bytes = ElementBytes(inputs, 0);
  const auto index = BytesOf(inputs, 2);
  if (!bytes || !index || *index == 0) return std::nullopt;
  const double read = HasTensor(inputs, 3) ? 1 : 0;
  return Moved(inputs[0].dtype, 0, (1 + read) * *bytes * Size(ShapeOf(inputs, 2)) + *index);
}
// scatter: of a copy.
std::optional<OpCost> ScatterCost(Inputs inputs) {
  auto cost = ScatterInPlaceCost(inputs);
  if (cost) cost->bytes += 2 * *BytesOf(inputs, 0);
  return cost;
}
// scatter_add_(self, dim, index, source): the targets are read as well.
std::optional<OpCost> ScatterAddInPlaceCost(Inputs inputs) {
  const auto bytes = ElementBytes(inputs, 0);
  const auto index = BytesOf(inputs, 2);
  if (!bytes || !index || *index == 0 || !HasTensor(inputs, 3)) return std::nullopt;
  const double count = Size(ShapeOf(inputs, 2));
  return Moved(inputs[0].dtype, count, 3 * *bytes * count + *index);
}
std::optional<OpCost> ScatterAddCost(Inputs inputs) {
  auto cost = ScatterAddInPlaceCost(inputs);
  if (cost) cost->bytes += 2 * *BytesOf(inputs, 0);
  return cost;
}
// index_add_(self, dim, index, source, ...)
std::optional<OpCost> IndexAddCost(Inputs inputs) {
  const auto bytes = ElementBytes(inputs, 0);
  const auto index = BytesOf(inputs, 2);
  if (!bytes || !index || *index == 0 || !HasTensor(inputs, 3)) return std::nullopt;
  const double count = Size(ShapeOf(inputs, 3));
  return Moved(inputs[0].dtype, count, 3 * *bytes * count + *index);
}

// cat(tensors, dim): each is read and written.
std::optional<OpCost> CatCost(Inputs inputs) {
  if (inputs.empty()) return std::nullopt;
  const auto bytes = BytesOfDtype(inputs[0].dtype);
  const double elements = SizeOfList(inputs, 0);
  if (!bytes || elements == 0) return std::nullopt;
  return Moved(inputs[0].dtype, 0, 2 * *bytes * elements);
}

// reshape_and_cache_flash(key, value, key_cache, value_cache, slots, ...): keys and values go to
// their slots, in the cache's dtype. Padding, which has no slot, is not told apart.
std::optional<OpCost> StoreCacheCost(Inputs inputs) {
  const auto key = BytesOf(inputs, 0);
  const auto value = BytesOf(inputs, 1);
  const auto slots = BytesOf(inputs, 4);
  const auto key_bytes = ElementBytes(inputs, 2);
  const auto value_bytes = ElementBytes(inputs, 3);
  if (!key || !value || !slots || *slots == 0 || !key_bytes || !value_bytes) return std::nullopt;
  return Moved(inputs[0].dtype, 0,
               *key + *value + *slots + *key_bytes * Size(ShapeOf(inputs, 0)) +
                   *value_bytes * Size(ShapeOf(inputs, 1)));
}

// A permutation of the columns of the first input by the lists behind it.
std::optional<OpCost> PermuteCost(Inputs inputs) {
  const auto x = BytesOf(inputs, 0);
  if (!x || *x == 0) return std::nullopt;
  double bytes = 2 * *x;
  for (std::size_t i = 1; i < inputs.size(); ++i) bytes += BytesOf(inputs, i).value_or(0);
  return Moved(inputs[0].dtype, 0, bytes);
}

// fbgemm::bounds_check_indices(rows, indices, offsets, ...): reads all, writes those that are
// wrong.
std::optional<OpCost> BoundsCheckCost(Inputs inputs) {
  const auto indices = BytesOf(inputs, 1);
  const auto offsets = BytesOf(inputs, 2);
  if (!indices || !offsets || *indices == 0) return std::nullopt;
  return Moved(inputs[1].dtype, 0, *indices + *offsets);
}

constexpr std::array kIndexingModels = {
    CostModel{"aten::embedding", EmbeddingCost},
    CostModel{"aten::embedding_dense_backward", EmbeddingBackwardCost},
    CostModel{"aten::_embedding_bag", EmbeddingBagCost},
    CostModel{"aten::_embedding_bag_forward_only", EmbeddingBagCost},
    CostModel{"aten::index_select", IndexSelectCost},
    CostModel{"aten::gather", GatherCost},
    CostModel{"aten::scatter", ScatterCost},
    CostModel{"aten::scatter_", ScatterInPlaceCost},
    CostModel{"aten::scatter_add", ScatterAddCost},
    CostModel{"aten::scatter_add_", ScatterAddInPlaceCost},
    CostModel{"aten::index_add_", IndexAddCost},
    CostModel{"aten::cat", CatCost},
    CostModel{"_C_cache_ops::reshape_and_cache_flash", StoreCacheCost},
    CostModel{"_C_cache_ops::reshape_and_cache", StoreCacheCost},
    CostModel{"sglang::store_cache", StoreCacheCost},
    CostModel{"fbgemm::permute_pooled_embs", PermuteCost},
    CostModel{"fbgemm::permute_pooled_embs_auto_grad", PermuteCost},
    CostModel{"torch::autograd::CppNode<fbgemm_gpu::PermutePooledEmbsFunction<&fbgemm_gpu::"
              "permute_pooled_embs_gpu> >",
              PermuteCost},
    CostModel{"fbgemm::recat_embedding_grad_output_mixed_D_batch", PermuteCost},
    CostModel{"fbgemm::bounds_check_indices", BoundsCheckCost},
};

}  // namespace

std::span<const CostModel> IndexingModels() { return kIndexingModels; }

}  // namespace rankscope
