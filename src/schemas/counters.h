// The tables of performance counters: those that CUPTI measures over ranges, and those sampled over
// time.
#pragma once

#include <string_view>

#include "schemas/rank_rows.h"

namespace rankscope {

struct KernelCounters : Schema<KernelCounters> {
  static constexpr std::string_view kName = "kernel_counters";

  StringColumn kernel = Text("kernel", "name of the measured range: the kernel's, as CUPTI has it");
  StringColumn op = Text("op", "the innermost op around its launch; null when that is not known");
  StringColumn counter = Text("counter", "name of the counter");
  IntColumn ranks = Int("ranks", "", "ranks on which it was measured");
  IntColumn count = Int("count", "", "how many ranges have it, on all ranks");
  RealColumn sum = Real("sum", "", "sum of its values; the unit is the counter's");
  RealColumn mean = Real("mean", "", "sum / count");
  RealColumn min = Real("min", "", "least");
  RealColumn max = Real("max", "", "largest");
};
extern template const KernelCounters& SchemaOf<KernelCounters>();

struct CounterRoofline : Schema<CounterRoofline> {
  static constexpr std::string_view kName = "counter_roofline";

  StringColumn op =
      Text("op", "the outermost op with a cost model, else the innermost op, around the launches");
  StringColumn shapes = Text("shapes", "shapes of its inputs; null when not recorded");
  StringColumn device = Text("device", "name of the device; null when the trace does not state it");
  IntColumn ranks = Int("ranks", "", "ranks on which it was measured");
  IntColumn count = Int("count", "", "how often the op ran with measured kernels, on all ranks");
  IntColumn kernels = Int("kernels", "", "measured kernels of these runs");
  RealColumn flops =
      Real("flops", "FLOP", "measured, of one run: the four below; null = not counted");
  RealColumn vector_16_flops =
      Real("vector_16_flops", "FLOP", "of 16-bit instructions, of one run");
  RealColumn vector_32_flops =
      Real("vector_32_flops", "FLOP", "of 32-bit instructions, of one run");
  RealColumn vector_64_flops =
      Real("vector_64_flops", "FLOP", "of 64-bit instructions, of one run");
  RealColumn matrix_flops = Real("matrix_flops", "FLOP", "of matrix cores, of one run");
  FlagColumn lower_bound =
      Flag("lower_bound", "what matrix cores compute was not counted: flops are at least these");
  RealColumn modelled_flops =
      Real("modelled_flops", "FLOP", "what one run has to compute by its shapes (roofline)");
  RealColumn bytes = Real("bytes", "bytes", "measured traffic of device memory, of one run");
  RealColumn modelled_bytes =
      Real("modelled_bytes", "bytes", "what one run has to move at least by its shapes");
  RealColumn flop_per_byte = Real("flop_per_byte", "FLOP/byte", "flops / bytes");
  RealColumn duration_ns =
      Real("duration_ns", "ns", "of one run's kernels, as the counter gpu__time_duration has it");
  RealColumn flops_per_s = Real("flops_per_s", "FLOP/s", "flops / duration_ns");
  RealColumn bytes_per_s = Real("bytes_per_s", "bytes/s", "bytes / duration_ns");
  StringColumn bound = Text("bound", "compute or memory: which peak would take longer");
  RealColumn efficiency_pct =
      Real("efficiency_pct", "%", "time at the device's peaks / duration_ns");
};
extern template const CounterRoofline& SchemaOf<CounterRoofline>();

struct SampledCounters : Schema<SampledCounters, RankRows> {
  static constexpr std::string_view kName = "sampled_counters";

  IntColumn device = Int(column::Device());
  IntColumn step = Int(column::StepOfDevice());
  StringColumn source = Text("source", "name of the counter events");
  StringColumn counter = Text("counter", "name of the counter");
  IntColumn samples = Int("samples", "", "how many fall into the step");
  RealColumn mean = Real("mean", "", "mean over time; the unit is the counter's");
  RealColumn min = Real("min", "", "least");
  RealColumn max = Real("max", "", "largest");
};
extern template const SampledCounters& SchemaOf<SampledCounters>();

struct SampledKernels : Schema<SampledKernels> {
  static constexpr std::string_view kName = "sampled_kernels";

  StringColumn kernel = Text("kernel", "name of the kernel or copy as recorded");
  StringColumn op = Text("op", "the innermost op around its launch; null when that is not known");
  StringColumn source = Text("source", "name of the counter events");
  StringColumn counter = Text("counter", "name of the counter");
  IntColumn ranks = Int("ranks", "", "ranks on which it was sampled while this ran");
  IntColumn sampled_ns = Int("sampled_ns", "ns", "time of the kernel that samples cover");
  RealColumn mean = Real("mean", "", "mean over that time; the unit is the counter's");
};
extern template const SampledKernels& SchemaOf<SampledKernels>();

}  // namespace rankscope
