// kernel_sketches: kernels by name and by the size of the op that launched them.
#include <gtest/gtest.h>

#include <string>

#include "analysis/kernels/analyses.h"
#include "stage/job_for_test.h"

namespace rankscope {
namespace {

constexpr std::string_view kKernelSketchesTypes = R"(["float", "float"])";

// Products of so many rows with 1024 x 1024, one behind the other, and a kernel of no op.
RankTrace Products(const std::vector<int>& rows) {
  TraceForTest trace;
  trace.Step(1, 0, 1'000'000);
  std::int64_t call = 0;
  for (const int count : rows) {
    const std::int64_t at = 10'000 * ++call;
    trace
        .Op(1, "aten::mm", at, 1000, "[[" + std::to_string(count) + ", 1024], [1024, 1024]]",
            kKernelSketchesTypes)
        .Launch(call, at + 100, 50)
        .Kernel(7, "gemm", at + 2000, 100 * count, call);
  }
  trace.Kernel(7, "gemm", 900'000, 5);
  return trace.Build();
}

TEST(KernelSketches, AreBySize) {
  const Table table = JobForTest()
                          .Add(0, Products({64, 64, 128}))
                          .Add(1, Products({64}))
                          .Run(KernelSketchesAnalysis());
  // 2 x 64 x 1024^2 FLOP; (64 x 1024 + 1024^2 + 64 x 1024) x 4 bytes.
  EXPECT_EQ(Rows(table, {"name", "size", "ranks", "count", "total_ns", "min_ns", "max_ns"}),
            "gemm,130 MFLOP, 4.7 MB,2,3,19200,6400,6400\n"
            "gemm,270 MFLOP, 5.2 MB,1,1,12800,12800,12800\n"
            "gemm,,2,2,10,5,5\n");
}

// Inputs of all sizes are no sizes: the 16 with most time are kept.
TEST(KernelSketches, SixteenSizesAreTold) {
  std::vector<int> rows;
  for (int i = 1; i <= 40; ++i) rows.push_back(64 * i);
  const Table table = JobForTest().Add(0, Products(rows)).Run(KernelSketchesAnalysis());
  EXPECT_EQ(table.row_count(), 17);
  std::int64_t count = 0, total = 0;
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    count += std::get<std::int64_t>(Cell(table, row, "count"));
    total += std::get<std::int64_t>(Cell(table, row, "total_ns"));
  }
  EXPECT_EQ(count, 41);
  EXPECT_EQ(total, 100 * 64 * (40 * 41 / 2) + 5);
}

}  // namespace
}  // namespace rankscope
