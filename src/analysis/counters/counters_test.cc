// The tables of counters, of small traces by hand.
#include <gtest/gtest.h>

#include "analysis/counters/analyses.h"
#include "analysis/counters/counter_meaning.h"
#include "analysis/counters/sample_series.h"
#include "stage/job_for_test.h"

namespace rankscope {
namespace {

constexpr std::string_view kFfma = "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum";
constexpr std::string_view kFadd = "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum";
constexpr std::string_view kFloat = R"(["float", "float"])";

// mm [64,64] x [64,64] has 2^19 FLOP and 48 KiB. It runs twice, the second time with two kernels.
TraceForTest Measured() {
  TraceForTest trace;
  trace.DeviceName(0, "NVIDIA A100-SXM4-80GB")
      .Step(1, 0, 2000)
      .Op(1, "aten::mm", 0, 1000, "[[64, 64], [64, 64]]", kFloat)
      .Launch(1, 100, 50)
      .Step(2, 2000, 2000)
      .Op(1, "aten::mm", 2000, 1000, "[[64, 64], [64, 64]]", kFloat)
      .Launch(2, 2100, 50)
      .Host(1, EventKind::kRuntime, "cudaMemsetAsync", 2200, 10, 3)
      .Launch(4, 2300, 50)
      .Host(1, EventKind::kRuntime, "cudaGraphLaunch", 3200, 10, 5);
  trace.Range("gemm", 0, 500, {{kFfma, 250'000}, {kFadd, 10'000}, {"other", -1}})
      .Range("gemm", 500, 500, {{kFfma, 250'000}, {kFadd, 0}})
      .Range("add", 1000, 500, {{kFadd, 14'288}});
  return trace;
}

TEST(KernelCounters, ByKernelOpAndCounter) {
  JobForTest job;
  job.Add(0, Measured().Build()).Add(1, Measured().Build());
  const std::vector<std::string_view> columns = {"kernel", "op",   "counter", "ranks", "count",
                                                 "sum",    "mean", "min",     "max"};
  EXPECT_EQ(Rows(job.Run(KernelCountersAnalysis()), columns),
            "add,aten::mm," + std::string(kFadd) + ",2,2,28576,14288,14288,14288\n" +
                "gemm,aten::mm,other,2,2,-2,-1,-1,-1\n" + "gemm,aten::mm," + std::string(kFadd) +
                ",2,4,20000,5000,0,10000\n" + "gemm,aten::mm," + std::string(kFfma) +
                ",2,4,1000000,250000,250000,250000\n");
}

TEST(KernelCounters, WithAnotherNumberOfLaunchesNoneIsKnown) {
  JobForTest job;
  job.Add(0, Measured().Launch(9, 3500, 10).Build());
  EXPECT_EQ(Rows(job.Run(KernelCountersAnalysis()), {"kernel", "op", "count"}),
            "add,,1\ngemm,,1\ngemm,,2\ngemm,,2\n");
  EXPECT_EQ(job.Run(CounterRooflineAnalysis()).row_count(), 0U);
}

TEST(CounterRoofline, OfVectorInstructionsOnly) {
  JobForTest job;
  job.Add(0, Measured().Build());
  const Table table = job.Run(CounterRooflineAnalysis());
  // 2 * 500,000 + 24,288 in two runs; matrix cores were not counted, and no time.
  EXPECT_EQ(Rows(table, {"op", "shapes", "device", "count", "kernels", "flops", "vector_16_flops",
                         "vector_32_flops", "matrix_flops", "lower_bound", "modelled_flops",
                         "modelled_bytes", "bytes", "flop_per_byte", "efficiency_pct"}),
            "aten::mm,[[64, 64], [64, 64]],NVIDIA A100-SXM4-80GB,2,3,512144,,512144,,true,524288,"
            "49152,,,\n");
}

TEST(CounterRoofline, AgainstThePeaks) {
  // An A100 has 19.5 TFLOP/s on vector units, 312 on matrix cores and 2039 GB/s.
  TraceForTest trace;
  trace.DeviceName(0, "NVIDIA A100-SXM4-80GB")
      .Op(1, "aten::mm", 0, 1000, "[[64, 64], [64, 64]]", kFloat)
      .Launch(1, 100, 50)
      .Host(1, EventKind::kCpuOp, "my::op", 2000, 100)
      .Launch(2, 2010, 50);
  constexpr std::string_view kMatrix = "sm__ops_path_tensor_src_fp16_dst_fp32.sum";
  trace
      .Range("gemm", 0, 500,
             {{kMatrix, 312'000'000},
              {kFadd, 1'950'000},
              {"dram__bytes_read.sum", 2'000'000},
              {"dram__bytes_write.sum", 39'000},
              {"gpu__time_duration.sum", 4000}})
      .Range("mine", 500, 500,
             {{kFfma, 9'750}, {"dram__bytes.sum", 20'390}, {"dram__bytes_read.sum", 7}});
  JobForTest job;
  job.Add(0, trace.Build());
  const Table table = job.Run(CounterRooflineAnalysis());
  // mm: 1000 ns on matrix cores, 1000 for the bytes: as much as half a percent of rounding decides.
  EXPECT_EQ(Rows(table, {"op", "flops", "matrix_flops", "lower_bound", "bytes", "duration_ns",
                         "flops_per_s", "bytes_per_s"}),
            "aten::mm,313950000,312000000,false,2039000,4000,78487500000000,509750000000\n"
            "my::op,19500,,true,20390,,,\n");
  EXPECT_NEAR(std::get<double>(Cell(table, 0, "efficiency_pct")), 25, 1e-6);
  // my::op: 1 ns of computing, 10 of memory.
  EXPECT_EQ(Rows(table, {"bound"}).substr(Rows(table, {"bound"}).find('\n') + 1), "memory\n");
}

TEST(CounterMeaning, OfNames) {
  const auto each = [](std::string_view name) {
    const auto meaning = MeaningOfCounter(name);
    return meaning ? meaning->each : 0;
  };
  EXPECT_EQ(each("smsp__sass_thread_inst_executed_op_hfma_pred_on.sum"), 2);
  EXPECT_EQ(each("smsp__sass_thread_inst_executed_op_dmul_pred_on.sum"), 1);
  EXPECT_EQ(each("smsp__sass_thread_inst_executed_op_dmul_pred_on.avg"), 0);
  EXPECT_EQ(each("smsp__sass_thread_inst_executed_op_integer_pred_on.sum"), 0);
  EXPECT_EQ(each("smsp__sass_thread_inst_executed_op_iadd_pred_on.sum"), 0);
  EXPECT_EQ(each("sm__ops_path_tensor_src_bf16_dst_fp32.sum"), 1);
  EXPECT_EQ(each("sm__ops_path_tensor_src_bf16_dst_fp32_sparsity_off.sum"), 0);
  EXPECT_EQ(each("sm__ops_path_tensor_src_int8.sum"), 0);
  EXPECT_EQ(each("kineto__tensor_core_insts"), 0);
  EXPECT_EQ(each(""), 0);
}

TEST(SampleSeries, HoldsUntilTheNextButNotOverAGap) {
  // Distances 10, 10, 100: the median is 10, so 20 -> 40 and 120 -> 130.
  const SampleSeries series({{.begin = 0, .value = 1},
                             {.begin = 10, .value = 3},
                             {.begin = 20, .value = 5},
                             {.begin = 120, .value = 7}});
  const auto over = [&](std::int64_t begin, std::int64_t end) {
    const auto covered = series.Over(begin, end);
    return std::pair(covered.ns, covered.integral);
  };
  using Pair = std::pair<std::int64_t, double>;
  EXPECT_EQ(over(-5, 5), Pair(5, 5));
  EXPECT_EQ(over(5, 15), Pair(10, 20));
  EXPECT_EQ(over(30, 125), Pair(15, 85));
  EXPECT_EQ(over(50, 60), Pair(0, 0));
  EXPECT_EQ(over(0, 1000), Pair(50, 10 + 30 + 100 + 70));
  EXPECT_EQ(SampleSeries({{.begin = 5, .value = 1}}).Over(0, 10).ns, 0);
}

// Samples every 100 ns: 10 in step 1, 90 and 50 in step 2; device 1 has its own.
TraceForTest Sampled() {
  TraceForTest trace;
  trace.Step(1, 0, 200).Op(1, "aten::mm", 0, 100, "[[8, 8], [8, 8]]", kFloat).Launch(1, 10, 5);
  trace.Step(2, 200, 200).Launch(2, 210, 5).Launch(3, 220, 5);
  trace.Kernel(7, "gemm", 50, 100, 1).Kernel(7, "add", 250, 100, 2).Kernel(9, "sub", 300, 50, 3);
  trace.Sample(0, 0, {{"sm", 10}, {"dram", 1}}).Sample(0, 100, {{"sm", 10}, {"dram", 2}});
  trace.Sample(0, 200, {{"sm", 90}}).Sample(0, 300, {{"sm", 50}}).Sample(1, 0, {{"sm", 5}});
  return trace;
}

TEST(SampledCounters, BySteps) {
  JobForTest job;
  job.Add(3, Sampled().Build());
  const Table table = job.Run(SampledCountersAnalysis());
  EXPECT_EQ(
      Rows(table, {"rank", "device", "step", "source", "counter", "samples", "mean", "min", "max"}),
      "3,0,1,samples,dram,2,1.5,1,2\n3,0,1,samples,sm,2,10,10,10\n"
      "3,0,2,samples,sm,2,70,50,90\n3,1,1,samples,sm,1,,5,5\n");
}

TEST(SampledKernels, OverTheTimeOfEach) {
  JobForTest job;
  job.Add(0, Sampled().Build()).Add(1, Sampled().Build());
  // add: 50 ns at 90 and 50 at 50; sub at 50, both on device 0.
  EXPECT_EQ(Rows(job.Run(SampledKernelsAnalysis()),
                 {"kernel", "op", "source", "counter", "ranks", "sampled_ns", "mean"}),
            "gemm,aten::mm,samples,dram,2,200,1.5\nadd,,samples,sm,2,200,70\n"
            "gemm,aten::mm,samples,sm,2,200,10\nsub,,samples,sm,2,100,50\n");
}

TEST(Counters, OfATraceWithoutThem) {
  for (const Analysis* analysis : {&KernelCountersAnalysis(), &CounterRooflineAnalysis(),
                                   &SampledCountersAnalysis(), &SampledKernelsAnalysis()}) {
    JobForTest job;
    job.Add(0, TraceForTest().Launch(1, 0, 5).Kernel(7, "k", 10, 10, 1).Build());
    EXPECT_EQ(job.Run(*analysis).row_count(), 0U) << analysis->name;
  }
}

}  // namespace
}  // namespace rankscope
