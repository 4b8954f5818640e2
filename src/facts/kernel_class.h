// Classes of device work, from its kind, its arguments and its name (facts/kernel_rules.h).
//
// There are two levels. The class is the purpose of a kernel ("gemm", "nccl"). Each class belongs
// to one kind of work, by which time is accounted (computation, communication, copying).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/component.h"
#include "trace/trace.h"

namespace rankscope {

// Its version is raised when the class of a name or a kind of work changes.
inline constexpr Component kKernelClassComponent{"kernel_classes", 6};

enum class WorkClass : std::uint8_t { kCompute, kCommunication, kCopy };
inline constexpr int kWorkClassCount = 3;
std::string_view ToString(WorkClass work);  // "compute", "communication", "copy"

enum class KernelClass : std::uint8_t {
  kGemm,
  kConvolution,
  kAttention,
  kNormalisation,
  kElementwise,
  kReduction,
  kEmbedding,
  kOptimizer,
  kIndexing,
  kDataMovement,
  kTriton,
  kOther,
  kNccl,
  kRccl,
  kCustomAllReduce,
  kOtherCommunication,
  kMemory,
};
inline constexpr int kKernelClassCount = 17;
std::string_view ToString(KernelClass kernel_class);  // "gemm", "custom_all_reduce", ...
WorkClass WorkOf(KernelClass kernel_class);

class KernelRules;  // facts/kernel_rules.h

// Classes of a trace's device work. Each distinct name is classified once.
class WorkClassifier {
 public:
  WorkClassifier(const RankTrace& trace, const KernelRules& rules);
  // `row` is device work.
  KernelClass ClassOf(Row row) const {
    if (trace_.kind[row] != EventKind::kKernel) return KernelClass::kMemory;
    const KernelClass by_name = by_name_[trace_.name[row]];
    const bool is_collective =
        trace_.aux[row] != kNoAux && trace_.kernels[trace_.aux[row]].collective != kNoAux;
    // A kernel with the arguments of a collective is one, whatever its name.
    if (is_collective && WorkOf(by_name) != WorkClass::kCommunication)
      return KernelClass::kOtherCommunication;
    return by_name;
  }
  WorkClass Of(Row row) const { return WorkOf(ClassOf(row)); }

 private:
  const RankTrace& trace_;
  std::vector<KernelClass> by_name_;
};

}  // namespace rankscope
