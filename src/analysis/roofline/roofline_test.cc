// roofline and flop_utilisation of a small trace, by hand.
#include "analysis/roofline/analyses.h"

#include <gtest/gtest.h>

#include "analysis/op_models/modelled_ops.h"
#include "analysis/ops/analyses.h"
#include "op_cost/device_name.h"
#include "op_cost/roof.h"
#include "peaks/device_peaks.h"
#include "stage/job_for_test.h"

namespace rankscope {
namespace {

constexpr std::string_view kRooflineBf16 = R"(["c10::BFloat16", "c10::BFloat16"])";

// On an A100 (312 TFLOP/s, 2039 GB/s): two runs of mm [1024,1024] x [1024,1024], 2^31 FLOP, 6 MiB,
// 6,883 ns at the peak, that take 10,000 and 20,000 ns; an add of a million floats inside an op
// without a model; a kernel that no op launched.
JobForTest Job() {
  JobForTest job;
  job.Add(0, TraceForTest()
                 .DeviceName(0, "NVIDIA A100-SXM4-80GB")
                 .Step(1, 0, 100'000)
                 .Op(1, "aten::mm", 0, 1000, "[[1024, 1024], [1024, 1024]]", kRooflineBf16)
                 .Launch(1, 100, 50)
                 .Op(1, "aten::mm", 2000, 1000, "[[1024, 1024], [1024, 1024]]", kRooflineBf16)
                 .Launch(2, 2100, 50)
                 .Host(1, EventKind::kCpuOp, "my::op", 4000, 2000)
                 .Op(1, "aten::add", 4100, 1000, "[[1000000], [1000000], []]",
                     R"(["float", "float", "Scalar"])")
                 .Launch(3, 4200, 50)
                 .Launch(4, 9000, 50)
                 .Kernel(7, "ampere_bf16_s16816gemm_bf16", 10'000, 10'000, 1)
                 .Kernel(7, "ampere_bf16_s16816gemm_bf16", 20'000, 20'000, 2)
                 .Kernel(7, "elementwise_kernel", 40'000, 10'000, 3)
                 .Kernel(7, "mine", 50'000, 10'000, 4)
                 .Kernel(9, "ncclDevKernel_AllReduce", 60'000, 5000)
                 .Build());
  return job;
}

TEST(Roofline, ByHand) {
  const Table table = Job().Run(RooflineAnalysis());
  EXPECT_EQ(Rows(table, {"op", "family", "count", "device_ns", "share_pct", "mean_ns", "flops",
                         "bytes", "bound", "matrix_cores_pct", "fits_matrix_cores", "above_roof"}),
            "aten::mm,matmul,2,30000,60,15000,2147483648,6291456,compute,100,true,false\n"
            "aten::add,elementwise,1,10000,20,10000,1000000,12000000,memory,0,false,false\n"
            ",,,10000,20,,,,,,,\n");
  // 2^31 / 312e12 s = 6882.96 ns of 15000; 12e6 / 2039e9 s = 5885.24 ns of 10000.
  EXPECT_NEAR(std::get<double>(Cell(table, 0, "efficiency_pct")), 45.8864, 1e-4);
  EXPECT_NEAR(std::get<double>(Cell(table, 1, "efficiency_pct")), 58.8524, 1e-4);
  EXPECT_EQ(IntCell(table, 0, "headroom_ns"), 16234);
  EXPECT_NEAR(std::get<double>(Cell(table, 0, "flops_per_s")), 2147483648 / 15e-6, 1e3);
}

TEST(Roofline, GroupsBeyondTheLimitHaveNoModel) {
  EXPECT_EQ(Rows(Job().Run(RooflineAnalysis(), {{"groups", "1"}}), {"op", "device_ns"}),
            "aten::mm,30000\n,20000\n");
  EXPECT_EQ(Job().Run(RooflineAnalysis(), {{"top", "1"}}).row_count(), 1U);
}

TEST(Roofline, AnUnknownDeviceHasNoRoof) {
  JobForTest job;
  job.Add(0, TraceForTest()
                 .Op(1, "aten::mm", 0, 1000, "[[8, 8], [8, 8]]", kRooflineBf16)
                 .Launch(1, 100, 50)
                 .Kernel(7, "gemm", 1000, 100, 1)
                 .Build());
  EXPECT_EQ(Rows(job.Run(RooflineAnalysis()), {"op", "flops", "bound", "efficiency_pct"}),
            "aten::mm,1024,,\n");
}

TEST(Roofline, FasterThanTheRoofIsMarked) {
  JobForTest job;
  job.Add(0, TraceForTest()
                 .DeviceName(0, "Tesla V100-SXM2-16GB")
                 .Op(1, "aten::copy_", 0, 1000, "[[1000000], [1000000]]", R"(["float", "float"])")
                 .Launch(1, 100, 50)
                 .Kernel(7, "copy", 1000, 1000, 1)
                 .Build());
  // 8 MB in 1 us are 8 TB/s on a device of 900 GB/s.
  EXPECT_EQ(Rows(job.Run(RooflineAnalysis()), {"above_roof", "headroom_ns"}), "true,0\n");
}

TEST(Roofline, StatesThePeaks) {
  EXPECT_EQ(Rows(Job().Run(RooflineAnalysis()), {"op", "peak_flops_per_s", "peak_bytes_per_s"}),
            "aten::mm,312000000000000,2039000000000\naten::add,19500000000000,2039000000000\n,,\n");
}

// AMD's traces list the devices of the program, 0 and up, and number those of kernels otherwise.
TEST(NameOfDevice, OfOneThatIsNotListed) {
  TraceForTest trace;
  EXPECT_EQ(NameOfDevice(trace.Build(), 2), "");
  trace.DeviceName(0, "AMD Instinct MI300X").DeviceName(1, "AMD Instinct MI300X");
  EXPECT_EQ(NameOfDevice(trace.Build(), 2), "AMD Instinct MI300X");
  trace.DeviceName(3, "AMD Instinct MI250X");
  const RankTrace mixed = trace.Build();
  EXPECT_EQ(NameOfDevice(mixed, 2), "");
  EXPECT_EQ(NameOfDevice(mixed, 3), "AMD Instinct MI250X");
}

TEST(FlopUtilisation, ByHand) {
  // 2 * 2^31 FLOP in the 65 us until the last kernel ends are 66.1 TFLOP/s of 312; 40 of the 50 us
  // of computing have a model.
  EXPECT_EQ(Rows(Job().Run(FlopUtilisationAnalysis()),
                 {"step", "duration_ns", "flops", "known_pct", "peak_flops_per_s"}),
            "1,65000,4294967296,80,312000000000000\n,35000,,,312000000000000\n");
  EXPECT_NEAR(std::get<double>(Cell(Job().Run(FlopUtilisationAnalysis()), 0, "hfu_pct")), 21.178,
              1e-3);
}

// Forward and its recomputation by a reentrant checkpoint, then the gradient.
TEST(FlopUtilisation, ModelFlopsLeaveRecomputationOut) {
  const auto mm = [](TraceForTest& trace, std::int64_t thread, std::int64_t ts,
                     std::int64_t launch) {
    trace.Op(thread, "aten::mm", ts, 100, "[[1024, 1024], [1024, 1024]]", kRooflineBf16)
        .Launch(launch, ts + 10, 10, thread)
        .Kernel(7, "ampere_bf16_s16816gemm_bf16", 10'000 * launch, 9'000, launch);
  };
  TraceForTest trace;
  trace.DeviceName(0, "NVIDIA A100-SXM4-80GB").Step(1, 0, 100'000);
  mm(trace, 1, 100, 1);
  trace.Host(2, EventKind::kCpuOp, "CheckpointFunctionBackward", 1000, 1000);
  mm(trace, 2, 1100, 2);
  trace.Host(2, EventKind::kCpuOp, "autograd::engine::evaluate_function: MmBackward0", 1500, 400);
  mm(trace, 2, 1600, 3);
  JobForTest job;
  job.Add(0, trace.Build());
  const Table table = job.Run(FlopUtilisationAnalysis());
  EXPECT_EQ(Rows(table, {"flops", "recomputed_flops"}), "6442450944,2147483648\n,\n");
  // 6.44e9 and 4.29e9 FLOP of 312 TFLOP/s in the 39 us until the last kernel ends.
  EXPECT_NEAR(std::get<double>(Cell(table, 0, "hfu_pct")), 100 * 6442450944.0 / 39e-6 / 312e12,
              1e-4);
  EXPECT_NEAR(std::get<double>(Cell(table, 0, "mfu_pct")), 100 * 4294967296.0 / 39e-6 / 312e12,
              1e-4);
  EXPECT_EQ(Rows(job.Run(RecomputationAnalysis()),
                 {"step", "stretches", "host_ns", "works", "device_ns"}),
            "1,1,1000,1,9000\n");
  EXPECT_NEAR(std::get<double>(Cell(job.Run(RecomputationAnalysis()), 0, "share_pct")), 33.3333,
              1e-4);
  EXPECT_EQ(Job().Run(RecomputationAnalysis()).row_count(), 0U);
}

TEST(ModelledOps, TheOutermostModelOwnsTheWork) {
  const RankTrace trace = TraceForTest()
                              .Op(1, "aten::mm", 0, 1000, "[[8, 8], [8, 8]]", kRooflineBf16)
                              .Op(1, "aten::copy_", 100, 500, "[[8], [8]]", kRooflineBf16)
                              .Launch(1, 200, 50)
                              .Op(1, "aten::mm", 2000, 1000, "not shapes", kRooflineBf16)
                              .Op(1, "aten::copy_", 2100, 500, "[[8], [8]]", kRooflineBf16)
                              .Launch(2, 2200, 50)
                              .Kernel(7, "a", 3000, 10, 1)
                              .Kernel(7, "b", 4000, 10, 2)
                              .Build();
  const ModelledOps ops(trace);
  for (Row row = 0; row < trace.row_count(); ++row) {
    if (trace.kind[row] != EventKind::kKernel) continue;
    // An op without readable shapes has no cost, so what is inside it counts.
    const Row owner = ops.OwnerOf(row);
    ASSERT_NE(owner, kNoRow);
    EXPECT_EQ(trace.name_of(owner), trace.name_of(row) == "a" ? "aten::mm" : "aten::copy_");
  }
}

TEST(UnitsOfKernel, AsNamesSay) {
  for (const char* name : {"ampere_bf16_s16816gemm_bf16_128x256_ldg8_f2f_stages_64x3_tn",
                           "void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_128x64_nn>()",
                           "Cijk_Alik_Bljk_BBS_BH_MT32x32x64_MI16x16x1_SN",
                           "sm80_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x32_cublas",
                           "sm80_xmma_gemm_f64f64_f64f64_f64_nn_n_tilesize64x64x16_tensor8x8x4",
                           "sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x128x32_cublas",
                           "sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nhwc_"
                           "tilesize128x128x16_stage4_warpsize2x2x1_g1_tensor16x8x8_kernel"})
    EXPECT_EQ(UnitsOfKernel(name), KernelUnits::kMatrixCores) << name;
  for (const char* name :
       {"ampere_sgemm_128x64_tn", "cutlass_80_simt_sgemm_128x32_8x5_nn_align1",
        "Cijk_Ailk_Bljk_SB_MT64x64x16_SN", "gemv2T_kernel_val<int, int>",
        "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x128x8_stage3_"
        "warpsize2x2x1_ffma_aligna4_alignc4_execute_kernel__5x_cublas",
        "sm80_xmma_wgrad_implicit_gemm_indexed_f32f32_f32f32_f32_nhwckrsc_nhwc_"
        "tilesize32x32x8_stage3_warpsize1x2x1_g1_ffma_execute_kernel",
        "sm80_xmma_gemm_cf32cf32_f32f32_cf32_nt_n_tilesize32x32x8_ffma_kernel",
        "void cudnn::detail::dgrad_engine<float, 512, 6, 5, 3, 3, 3, false>()",
        "void wgrad_alg0_engine_NHWC<float, 128, 5, 5, 3, 3, 3, false, 512>()",
        "void convolve_common_engine_float_NHWC<float, float, 1024>()",
        "void implicit_convolve_sgemm<float, float, 128, 5, 5, 3>()",
        "void explicit_convolve_sgemm<float, int, 128>()", "volta_gcgemm_32x32_nt",
        "cudnn_ampere_scudnn_winograd_128x128_ldg1_ldg4_relu_tile148t_nt_v1",
        "void at::native::vectorized_elementwise_kernel<4>()"})
    EXPECT_EQ(UnitsOfKernel(name), KernelUnits::kVectorUnits) << name;
  for (const char* name : {"triton_tem_fused_mm_0", "attn_fwd", "_matmul_ogs_NNT_bf16xbf16", ""})
    EXPECT_EQ(UnitsOfKernel(name), KernelUnits::kNotSaid) << name;
}

TEST(UnitsOf, NamesDecideThenTheDtype) {
  const auto units = [](bool is_matrix_work, std::string_view dtype, const UnitTimes& times) {
    const Units found = UnitsOf(is_matrix_work, true, dtype, times);
    return std::pair(found.are_matrix_cores, found.are_stated);
  };
  EXPECT_EQ(units(true, "float", {100, 60, 0}), std::pair(true, true));
  EXPECT_EQ(units(true, "c10::Half", {100, 10, 60}), std::pair(false, true));
  EXPECT_EQ(units(true, "c10::Half", {100, 0, 10}), std::pair(true, false));
  EXPECT_EQ(units(true, "float", {100, 0, 10}), std::pair(false, false));
  EXPECT_EQ(units(false, "c10::Half", {100, 0, 0}), std::pair(false, true));
}

// 900 GB/s and 125 TFLOP/s.
TEST(TimeAtRoof, ByHand) {
  const Roof roof = {{125e12, Confidence::kHalved}, {900e9, Confidence::kStated}};
  RoofTime time;
  ASSERT_TRUE(TimeAtRoof(roof, 250e12, 900e9, true, time));
  EXPECT_EQ(time.seconds, 2);
  EXPECT_TRUE(time.is_compute_bound);
  EXPECT_EQ(time.confidence, Confidence::kHalved);
  ASSERT_TRUE(TimeAtRoof(roof, 0, 900e9, true, time));
  EXPECT_EQ(time.seconds, 1);
  EXPECT_FALSE(time.is_compute_bound);
  // Without a peak for the dtype: additions have the memory's roof, a matmul has none.
  const Roof memory_only = {{}, {900e9, Confidence::kStated}};
  ASSERT_TRUE(TimeAtRoof(memory_only, 1e6, 1800e9, false, time));
  EXPECT_EQ(time.seconds, 2);
  EXPECT_FALSE(TimeAtRoof(memory_only, 1e6, 1800e9, true, time));
  EXPECT_FALSE(TimeAtRoof({}, 1, 1, false, time));
}

// A Triton kernel of a matmul of 16 bits: against matrix cores, and the table says by what.
TEST(Roofline, KernelsThatDoNotSayTheirUnits) {
  JobForTest job;
  job.Add(
      0, TraceForTest()
             .DeviceName(0, "NVIDIA A100-SXM4-80GB")
             .Op(1, "aten::mm", 0, 1000, "[[1024, 1024], [1024, 1024]]", kRooflineBf16)
             .Launch(1, 100, 50)
             .Op(1, "aten::mm", 2000, 1000, "[[1024, 1024], [1024, 1024]]", R"(["float", "float"])")
             .Launch(2, 2100, 50)
             .Op(1, "aten::add", 4000, 1000, "[[1000000], [1000000], []]",
                 R"(["long int", "long int", "Scalar"])")
             .Launch(3, 4100, 50)
             .Kernel(7, "triton_tem_fused_mm_0", 10'000, 30'000, 1)
             .Kernel(7, "triton_tem_fused_mm_1", 40'000, 20'000, 2)
             .Kernel(7, "elementwise_kernel", 60'000, 10'000, 3)
             .Build());
  EXPECT_EQ(Rows(job.Run(RooflineAnalysis()), {"op", "units", "units_stated", "peak_flops_per_s",
                                               "bound", "roof_confidence", "lower_bound"}),
            "aten::mm,matrix cores,false,312000000000000,compute,stated,false\n"
            "aten::mm,vector units,false,19500000000000,compute,stated,false\n"
            "aten::add,vector units,true,,memory,stated,false\n");
}

TEST(DevicePeaks, TheJobsDevicesStandFirst) {
  const Table table = Job().Run(DevicePeaksAnalysis());
  EXPECT_EQ(table.row_count(), PeakCells().size() * AllPeaks().size());
  const std::string rows = Rows(table, {"device", "in_job", "peak", "value", "unit", "confidence"});
  EXPECT_EQ(rows.substr(0, rows.find("\n", rows.find("matrix_8"))),
            "A100-SXM4-80GB,true,matrix_16,312000000000000,FLOP/s,stated\n"
            "A100-SXM4-80GB,true,matrix_8,,FLOP/s,");
  EXPECT_NE(rows.find("H100,false,matrix_16,989000000000000,FLOP/s,halved\n"), std::string::npos);
  EXPECT_NE(rows.find("MI250X,false,memory,1638000000000,bytes/s,derived\n"), std::string::npos);
}

}  // namespace
}  // namespace rankscope
