// The meaning of NVIDIA devices' counters, by their names in CUPTI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace rankscope {

enum class Counted : std::uint8_t {
  kVector16,
  kVector32,
  kVector64,
  kMatrix,
  kBytes,
  kBytesRead,
  kBytesWritten,
  kNanoseconds
};
inline constexpr std::size_t kCountedCount = 8;

struct CounterMeaning {
  Counted what = Counted::kBytes;
  double each = 1;  // FLOPs, bytes or ns for one of the counter's
};

// Sums over a kernel (".sum" where the counter has such ends). FLOPs are counted as Nsight
// Compute's roofline counts them:
// "smsp__sass_thread_inst_executed_op_{h,f,d}{add,mul,fma}_pred_on", a fused multiply-add as two;
// "sm__ops_path_tensor_src_fp16...", of floating-point sources. Traffic of device memory is
// "dram__bytes", or its reads and writes; time "gpu__time_duration". nullopt for any other:
// kineto__tensor_core_insts counts instructions, which have other sizes on each device.
std::optional<CounterMeaning> MeaningOfCounter(std::string_view name);

}  // namespace rankscope
