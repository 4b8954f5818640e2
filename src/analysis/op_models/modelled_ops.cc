#include "analysis/op_models/modelled_ops.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>

#include "op_cost/batches.h"
#include "op_cost/list_dtypes.h"

namespace rankscope {
namespace {

constexpr std::uint32_t kNoCost = UINT32_MAX;

// Costs are worked out once for every combination of name and inputs.
class Costs {
 public:
  Costs(const RankTrace& trace, ModelledOps::Paged paged, std::vector<OpCost>& costs,
        std::vector<std::optional<PagedShape>>& shapes)
      : trace_(trace),
        paged_(paged),
        costs_(costs),
        shapes_(shapes),
        list_dtypes_(trace),
        batches_(trace) {}

  std::uint32_t Of(Row row) {
    if (trace_.aux[row] == kNoAux) return kNoCost;
    const OpArgs& args = trace_.ops[trace_.aux[row]];
    const std::string_view list_dtype = list_dtypes_.Of(row);
    std::optional<StringId> batch;
    if (IsPaged(trace_.name[row])) batch = batches_.Around(row);
    const Key key = {trace_.name[row],     args.input_dims, args.input_types,
                     args.concrete_inputs, list_dtype,      batch};
    const auto [place, is_new] = known_.try_emplace(key, kNoCost);
    if (!is_new) return place->second;
    const auto text = [&](StringId id) { return trace_.strings.Get(id); };
    auto inputs =
        ParseInputs(text(args.input_dims), text(args.input_types), text(args.concrete_inputs));
    if (!inputs) return kNoCost;
    for (OpInput& input : *inputs) {
      if (input.dtype == "TensorList") input.dtype = list_dtype;
    }
    std::optional<PagedShape> shape;
    const auto cost = IsPaged(trace_.name[row])
                          ? PagedCostOf(trace_.name_of(row), *inputs, batch, shape)
                          : CostOf(trace_.name_of(row), *inputs);
    if (!cost) return kNoCost;
    place->second = static_cast<std::uint32_t>(costs_.size());
    costs_.push_back(*cost);
    shapes_.push_back(shape);
    return place->second;
  }

  bool IsPaged(StringId name) {
    if (is_paged_.empty()) is_paged_.resize(trace_.strings.size());
    std::optional<bool>& known = is_paged_[name];
    if (!known) known = IsPagedAttention(trace_.strings.Get(name));
    return *known;
  }

 private:
  std::optional<OpCost> PagedCostOf(std::string_view op, const std::vector<OpInput>& inputs,
                                    std::optional<StringId> batch,
                                    std::optional<PagedShape>& shape) const {
    std::string_view dtype;
    const auto found = PagedShapeOf(op, inputs, dtype);
    if (!found) return std::nullopt;
    if (paged_ == ModelledOps::Paged::kWithoutBatch) {
      shape = found;
      return PagedCost(*found, dtype, {});
    }
    if (!batch) return std::nullopt;
    return PagedCost(*found, dtype, batches_.SumsOf(*batch));
  }

  const RankTrace& trace_;
  ModelledOps::Paged paged_;
  std::vector<OpCost>& costs_;
  std::vector<std::optional<PagedShape>>& shapes_;
  ListDtypes list_dtypes_;
  Batches batches_;
  std::vector<std::optional<bool>> is_paged_;  // of names
  // name, dims, types, concrete inputs, dtype of lists, annotation of the batch
  using Key =
      std::tuple<StringId, StringId, StringId, StringId, std::string_view, std::optional<StringId>>;
  std::map<Key, std::uint32_t> known_;
};

}  // namespace

ModelledOps::ModelledOps(const RankTrace& trace, Paged paged)
    : trace_(trace), owner_(trace.row_count(), kNoRow), cost_of_(trace.row_count(), kNoCost) {
  std::vector<std::uint8_t> has_model(trace.strings.size());
  std::vector<std::uint8_t> is_known(trace.strings.size());
  Costs costs(trace, paged, costs_, shapes_);
  for (const Track& track : trace.tracks) {
    if (track.domain != Domain::kHost) continue;
    for (Row row = track.begin; row < track.end; ++row) {
      // Parents precede their children.
      if (trace.parent[row] != kNoRow) owner_[row] = owner_[trace.parent[row]];
      if (owner_[row] != kNoRow || trace.kind[row] != EventKind::kCpuOp) continue;
      const StringId name = trace.name[row];
      if (!is_known[name]) {
        is_known[name] = 1;
        has_model[name] = HasCostModel(trace.strings.Get(name)) || costs.IsPaged(name);
      }
      if (!has_model[name]) continue;
      cost_of_[row] = costs.Of(row);
      if (cost_of_[row] != kNoCost) owner_[row] = row;
    }
  }
}

Row ModelledOps::OwnerOf(Row work) const {
  const Row launch = trace_.link[work];
  return launch == kNoRow ? kNoRow : owner_[launch];
}

KernelUnits UnitsOfKernel(std::string_view kernel) {
  // What names the multiply-add of vector units, whatever family the kernel is of; and cuDNN's own
  // engines of before matrix cores, by transforms too.
  static constexpr std::array<std::string_view, 9> kPlain = {
      "_ffma",     "_dfma",  "_hfma2",           "simt", "dgrad_engine", "wgrad_alg",
      "convolve_", "scudnn", "winograd_nonfused"};
  static constexpr std::array<std::string_view, 23> kMatrix = {
      "tensorop", "s16816", "s1688",  "s161616", "s884",  "h16816", "h1688", "h884",
      "i16832",   "i8816",  "xmma_",  "wgmma",   "nvjet", "hmma",   "imma",  "wmma",
      "flash_",   "fmha",   "_MI16x", "_MI32x",  "_MI4x", "gtcx",   "_xdl_"};
  // hipBLASLt's kernels without an MFMA instruction in their name multiply on vector units.
  static constexpr std::array<std::string_view, 8> kVector = {
      "sgemm", "cgemm", "gemv", "gemmSN", "gemmk1", "dot_kernel", "Cijk_A", "at::native::"};
  const auto has = [&](std::string_view part) {
    return kernel.find(part) != std::string_view::npos;
  };
  // Writes a cache in the layout of flash attention.
  if (has("cache_flash")) return KernelUnits::kVectorUnits;
  if (std::ranges::any_of(kPlain, has)) return KernelUnits::kVectorUnits;
  // "xmma_" is a family of both. Inputs, products and sums in fp32 are those of vector units; with
  // TF32 one of them says so: "f32f32_tf32f32_f32".
  if (has("xmma_") && has("_f32f32_f32f32_f32_")) return KernelUnits::kVectorUnits;
  if (std::ranges::any_of(kMatrix, has)) return KernelUnits::kMatrixCores;
  if (std::ranges::any_of(kVector, has)) return KernelUnits::kVectorUnits;
  return KernelUnits::kNotSaid;
}

}  // namespace rankscope
