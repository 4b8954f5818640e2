#include <gtest/gtest.h>

#include "analysis/graphs/analyses.h"
#include "analysis/roofline/analyses.h"
#include "op_cost/models/paged_attention.h"
#include "stage/job_for_test.h"

namespace rankscope {
namespace {

constexpr std::string_view kPagedAttentionOp = "vllm::unified_attention_with_output";
// 4 query heads and 2 of the cache, of 8 and 8.
constexpr std::string_view kDims = "[[5,4,8],[5,2,8],[5,2,8],[5,4,8]]";
constexpr std::string_view kPagedAttentionTypes =
    R"(["c10::BFloat16","c10::BFloat16","c10::BFloat16","c10::BFloat16"])";
// One sequence of 3 new tokens after 2 in prefill, two in decode that attend to 4 and 6.
constexpr std::string_view kBatch =
    "execute_5_context_1(sq3sk5sqsq9sqsk15)_generation_2(sq2sk10sqsq2sqsk10)";

TEST(BatchSums, OfTheName) {
  const auto sums = ParseBatchSums(kBatch);
  ASSERT_TRUE(sums.has_value());
  EXPECT_EQ(sums->queries, 5);
  EXPECT_EQ(sums->keys, 15);
  EXPECT_EQ(sums->prefill_squares, 9);
  EXPECT_EQ(sums->prefill_pairs, 15);
  EXPECT_EQ(sums->decode_pairs, 10);
  EXPECT_TRUE(ParseBatchSums("execute_context_0(sq0sk0sqsq0sqsk0)_generation_1(sq1sk7sqsq1sqsk7)"));
  for (const std::string_view other :
       {"", "execute_", "execute_5", "execute_context_2(8)_generation_32(32)",
        "execute_5_context_1(sq3sk5sqsq9sqsk15)", "ProfilerStep#1",
        "execute_5_context_1(sq3sk5sqsq9sqsk15)_generation_2("
        "sq2sk10sqsq2sqsk99999999999999999999)"})
    EXPECT_FALSE(ParseBatchSums(other)) << other;
}

// Prefill: token i of 3 sees 2 + i, so 3 + 4 + 5 = 12 pairs; twice that is 2 * 15 - 9 + 3, and the
// formula leaves out the diagonal's half: 4 (8 + 8) 21. Decode: 4 (8 + 8) 2 * 10. Bytes: 2 (8 + 8)
// (5 * 4 + 15 * 2).
TEST(PagedAttention, FromSumsOfTheBatch) {
  const OpCost cost = PagedCost({4, 2, 8, 8}, "c10::BFloat16", *ParseBatchSums(kBatch));
  EXPECT_EQ(cost.flops, 64 * 21 + 64 * 20);
  EXPECT_EQ(cost.bytes, 32 * 50);
  EXPECT_TRUE(cost.fits_matrix_cores);
}

TEST(PagedAttention, NeedsTheAnnotation) {
  for (const bool is_annotated : {true, false}) {
    TraceForTest trace;
    trace.Host(1, EventKind::kUserAnnotation, is_annotated ? kBatch : "step", 0, 100)
        .Op(1, kPagedAttentionOp, 10, 20, kDims, kPagedAttentionTypes)
        .Launch(1, 15, 5)
        .Kernel(7, "kernel_unified_attention_2d", 30, 50, 1);
    JobForTest job;
    job.Add(0, trace.Build());
    EXPECT_EQ(Rows(job.Run(RooflineAnalysis()), {"op", "count", "device_ns", "flops", "bytes"}),
              is_annotated ? "vllm::unified_attention_with_output,1,50,2624,1600\n" : ",,50,,\n");
  }
}

// In a graph the shapes are those of the capture, the lengths those of each launch: the mean of a
// decode batch with 10 pairs and one with 30.
TEST(PagedAttention, InAGraphWithTheBatchOfItsLaunches) {
  TraceForTest capture;
  capture.Host(1, EventKind::kRuntime, "hipStreamBeginCapture", 0, 1)
      .Op(1, kPagedAttentionOp, 10, 20, kDims, kPagedAttentionTypes)
      .Host(1, EventKind::kRuntime, "hipLaunchKernel", 15, 1)
      .Launched("paged")
      .Host(1, EventKind::kRuntime, "hipStreamEndCapture", 40, 1);
  const auto replays = [](bool all_annotated) {
    TraceForTest trace;
    std::int64_t t = 0;
    for (const std::string_view name :
         {"execute_context_0(sq0sk0sqsq0sqsk0)_generation_2(sq2sk10sqsq2sqsk10)",
          "execute_context_0(sq0sk0sqsq0sqsk0)_generation_2(sq2sk30sqsq2sqsk30)"}) {
      trace.Host(1, EventKind::kUserAnnotation, t == 0 || all_annotated ? name : "step", t, 100)
          .Host(1, EventKind::kRuntime, "hipGraphLaunch", t + 10, 5, t + 1)
          .Kernel(7, "paged", t + 20, 50, t + 1);
      t += 1000;
    }
    return trace.Build();
  };
  JobForTest job;
  job.Add(0, capture.Build()).Add(0, replays(true), 1);
  // 4 (8 + 8) 2 * 20 and 2 (8 + 8) (2 * 4 + 20 * 2).
  EXPECT_EQ(Rows(job.Run(RooflineAnalysis()), {"op", "count", "device_ns", "flops", "bytes"}),
            "vllm::unified_attention_with_output,2,100,2560,1536\n");
  JobForTest unknown;
  unknown.Add(0, capture.Build()).Add(0, replays(false), 1);
  EXPECT_EQ(Rows(unknown.Run(RooflineAnalysis()), {"op", "device_ns"}), ",100\n");
}

}  // namespace
}  // namespace rankscope
