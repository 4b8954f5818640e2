#include "analysis/counters/counter_meaning.h"

#include "base/text.h"

namespace rankscope {
namespace {

std::optional<CounterMeaning> OfVectorInstruction(std::string_view op) {
  if (op.size() != 4) return std::nullopt;
  CounterMeaning meaning;
  switch (op[0]) {
    case 'h':
      meaning.what = Counted::kVector16;
      break;
    case 'f':
      meaning.what = Counted::kVector32;
      break;
    case 'd':
      meaning.what = Counted::kVector64;
      break;
    default:
      return std::nullopt;
  }
  const std::string_view kind = op.substr(1);
  if (kind != "add" && kind != "mul" && kind != "fma") return std::nullopt;
  meaning.each = kind == "fma" ? 2 : 1;
  return meaning;
}

}  // namespace

std::optional<CounterMeaning> MeaningOfCounter(std::string_view name) {
  if (!name.ends_with(".sum")) return std::nullopt;
  name.remove_suffix(4);
  constexpr std::string_view kVector = "smsp__sass_thread_inst_executed_op_";
  constexpr std::string_view kPredicate = "_pred_on";
  if (name.starts_with(kVector) && name.ends_with(kPredicate)) {
    name.remove_prefix(kVector.size());
    name.remove_suffix(kPredicate.size());
    return OfVectorInstruction(name);
  }
  constexpr std::string_view kMatrix = "sm__ops_path_tensor_src_";
  if (name.starts_with(kMatrix)) {
    const std::string_view source = name.substr(kMatrix.size());
    const bool is_float =
        source.starts_with("fp") || source.starts_with("bf16") || source.starts_with("tf32");
    // Counters of one kind of sparsity are parts of another.
    if (!is_float || Contains(source, "sparsity")) return std::nullopt;
    return CounterMeaning{Counted::kMatrix, 1};
  }
  if (name == "dram__bytes") return CounterMeaning{Counted::kBytes, 1};
  if (name == "dram__bytes_read") return CounterMeaning{Counted::kBytesRead, 1};
  if (name == "dram__bytes_write") return CounterMeaning{Counted::kBytesWritten, 1};
  if (name == "gpu__time_duration") return CounterMeaning{Counted::kNanoseconds, 1};
  return std::nullopt;
}

}  // namespace rankscope
