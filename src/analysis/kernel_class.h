// What device work is: computation, communication or copying.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace rankscope {

enum class WorkClass : std::uint8_t { kCompute, kCommunication, kCopy };
std::string_view ToString(WorkClass work);  // "compute", "communication", "copy"

// Whether a kernel of this name is communication: NCCL, RCCL, oneCCL, HCCL, NVSHMEM and DeepEP
// kernels by the names that their libraries give them, and the custom all-reduces of vLLM, SGLang,
// TensorRT-LLM and PyTorch's symmetric memory.
bool IsCommunicationKernel(std::string_view name);

// Classes of a trace's device work. Names are looked at once per distinct name.
class WorkClassifier {
 public:
  explicit WorkClassifier(const RankTrace& trace);
  // `row` is device work.
  WorkClass Of(Row row) const {
    if (trace_.kind[row] != EventKind::kKernel) return WorkClass::kCopy;
    if (trace_.aux[row] != kNoAux && trace_.kernels[trace_.aux[row]].collective != kNoAux)
      return WorkClass::kCommunication;
    return by_name_[trace_.name[row]];
  }

 private:
  const RankTrace& trace_;
  std::vector<WorkClass> by_name_;
};

}  // namespace rankscope
