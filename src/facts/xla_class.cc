#include "facts/xla_class.h"

#include <algorithm>
#include <array>

#include "trace/hlo_name.h"

namespace rankscope {
namespace {

using namespace std::string_view_literals;

struct Opcodes {
  KernelClass kernel_class;
  std::string_view words;  // each with a space around it
};

// Whole opcodes, which are categories, too, of what is not fused.
constexpr std::array kOpcodes = {
    Opcodes{KernelClass::kGemm, " dot ragged-dot "},
    Opcodes{KernelClass::kConvolution, " convolution fft "},
    Opcodes{KernelClass::kNormalisation,
            " batch-norm-training batch-norm-inference batch-norm-grad "},
    Opcodes{KernelClass::kReduction, " reduce reduce-window select-and-scatter "},
    Opcodes{KernelClass::kIndexing, " gather scatter sort topk "},
    Opcodes{KernelClass::kDataMovement,
            " copy transpose reshape bitcast-convert concatenate slice dynamic-slice "
            "dynamic-update-slice pad reverse dynamic-reshape "},
    Opcodes{KernelClass::kElementwise,
            " add subtract multiply divide maximum minimum power remainder negate abs sign "
            "exponential exponential-minus-one log log-plus-one logistic tanh sqrt rsqrt cbrt sine "
            "cosine tan erf floor ceil round-nearest-afz round-nearest-even and or xor not "
            "shift-left shift-right-logical shift-right-arithmetic compare select clamp convert "
            "broadcast iota map rng rng-bit-generator is-finite popcnt count-leading-zeros "
            "atan2 stochastic-convert reduce-precision "},
};

struct Category {
  std::string_view begin;
  KernelClass kernel_class;
};
constexpr std::array kCategories = {
    Category{"convolution", KernelClass::kConvolution},
    Category{"loop fusion", KernelClass::kElementwise},
    Category{"input fusion", KernelClass::kReduction},
    Category{"non-fusion elementwise", KernelClass::kElementwise},
    Category{"data formatting", KernelClass::kDataMovement},
    Category{"rng", KernelClass::kElementwise},
};

std::optional<KernelClass> ClassOfOpcode(std::string_view opcode) {
  for (const Opcodes& rule : kOpcodes) {
    for (std::size_t at = 0; !opcode.empty();) {
      at = rule.words.find(opcode, at);
      if (at == std::string_view::npos) break;
      const std::size_t end = at + opcode.size();
      if (at > 0 && rule.words[at - 1] == ' ' && end < rule.words.size() && rule.words[end] == ' ')
        return rule.kernel_class;
      at = end;
    }
  }
  return std::nullopt;
}

// Of "multiply_reduce_fusion", a fusion whose name lists what it fuses.
bool Fuses(std::string_view stem, std::string_view word) {
  std::size_t at = 0;
  while (at <= stem.size()) {
    const std::size_t end = std::min(stem.find('_', at), stem.size());
    if (stem.substr(at, end - at) == word) return true;
    at = end + 1;
  }
  return false;
}

std::optional<KernelClass> ClassOfFusion(const HloName& name) {
  if (Fuses(name.stem, "dot") || Fuses(name.stem, "gemm")) return KernelClass::kGemm;
  if (Fuses(name.stem, "convolution")) return KernelClass::kConvolution;
  if (Fuses(name.stem, "reduce") || name.kind == "kInput") return KernelClass::kReduction;
  if (Fuses(name.stem, "scatter") || Fuses(name.stem, "gather")) return KernelClass::kIndexing;
  if (Fuses(name.stem, "transpose") || Fuses(name.stem, "concatenate"))
    return KernelClass::kDataMovement;
  if (Fuses(name.stem, "loop") || name.kind == "kLoop") return KernelClass::kElementwise;
  return std::nullopt;
}

}  // namespace

std::optional<KernelClass> ClassOfXlaOp(std::string_view name, std::string_view category) {
  const HloName hlo = ParseHloName(name);
  switch (RoleOf(hlo, category)) {
    case HloRole::kCollective:
      return KernelClass::kOtherCommunication;
    case HloRole::kCopy:
      return KernelClass::kMemory;
    default:
      break;
  }
  for (const Category& rule : kCategories) {
    if (category.starts_with(rule.begin)) return rule.kernel_class;
  }
  if (const auto by_category = ClassOfOpcode(category)) return by_category;
  if (const auto by_opcode = ClassOfOpcode(hlo.opcode)) return by_opcode;
  const bool is_fusion = hlo.opcode == "fusion" || hlo.stem == "fusion" ||
                         hlo.stem.find("_fusion") != std::string_view::npos;
  return is_fusion ? ClassOfFusion(hlo) : std::nullopt;
}

}  // namespace rankscope
