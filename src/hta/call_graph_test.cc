// hta.call_graph and what is made of it, on traces small enough to check by hand.
#include <gtest/gtest.h>

#include "hta/analyses.h"
#include "hta/trace_for_test.h"
#include "table/write_csv.h"

namespace rankscope::hta {
namespace {

std::string RowsOfCalls(const Analysis& analysis, const UsTrace& trace,
                        const Options& options = {}) {
  std::string csv = WriteCsv(JobForTest().Add(0, trace.Build()).Run(analysis, options));
  std::erase(csv, '\r');
  return csv.substr(csv.find('\n') + 1);
}

// Columns: rank, index, name, parent, depth, height, num_kernels, kernel_dur_sum,
// first_kernel_start, last_kernel_end, kernel_span.
TEST(CallGraph, WorkHangsFromItsLaunch) {
  const UsTrace trace = UsTrace()
                            .Op("outer", 0, 100)
                            .Op("inner", 10, 50)
                            .Launch(1, 20, 5)
                            .Op("next", 60, 40)
                            .Launch(2, 110, 5)
                            .Kernel(7, "k", 30, 7, 1)
                            .Kernel(7, "l", 40, 2, 1)
                            .Kernel(7, "lost", 50, 3, 9);
  EXPECT_EQ(RowsOfCalls(CallGraphTable(), trace),
            "0,0,outer,-1,0,3,2,9,30,42,12\n0,1,inner,0,1,2,2,9,30,42,12\n"
            "0,2,cudaLaunchKernel,1,2,1,2,9,30,42,12\n0,3,next,0,1,1,0,0,,,\n"
            "0,4,cudaLaunchKernel,-1,0,1,0,0,,,\n0,5,k,2,3,0,1,7,30,37,7\n"
            "0,6,l,2,3,0,1,2,40,42,2\n0,7,lost,-1,-1,-1,0,0,,,\n");
}

TEST(CallGraph, WhatTakesNoTimeStandsInsideOfWhatBeginsOrEndsThen) {
  const UsTrace at_begin = UsTrace().Op("a", 0, 10).Op("empty", 10, 0).Op("b", 10, 10);
  EXPECT_EQ(RowsOfCalls(CallGraphTable(), at_begin),
            "0,0,a,-1,0,1,0,0,,,\n0,1,empty,2,1,1,0,0,,,\n0,2,b,-1,0,2,0,0,,,\n");
  const UsTrace at_end = UsTrace().Op("a", 0, 10).Op("empty", 10, 0).Op("in it", 10, 0);
  EXPECT_EQ(RowsOfCalls(CallGraphTable(), at_end),
            "0,0,a,-1,0,3,0,0,,,\n0,1,empty,0,1,2,0,0,,,\n0,2,in it,1,2,1,0,0,,,\n");
}

TEST(CallGraph, BackwardHangsFromItsRangeOrTheStep) {
  const auto trace = [](std::string_view range) {
    UsTrace made;
    made.Step(1, 0, 100).Mark(range, 40, 50);
    made.Op("autograd::engine", 50, 20).WithIds(-1, 1, 2);
    made.Op("autograd::late", 95, 10).WithIds(-1, 1, 2);
    return made;
  };
  EXPECT_EQ(RowsOfCalls(CallGraphTable(), trace("## backward ##")),
            "0,0,ProfilerStep#1,-1,0,3,0,0,,,\n0,1,## backward ##,0,1,2,0,0,,,\n"
            "0,2,autograd::engine,1,2,1,0,0,,,\n0,3,autograd::late,-2,0,1,0,0,,,\n");
  EXPECT_EQ(RowsOfCalls(CallGraphTable(), trace("other")),
            "0,0,ProfilerStep#1,-1,0,2,0,0,,,\n0,1,other,0,1,1,0,0,,,\n"
            "0,2,autograd::engine,0,1,1,0,0,,,\n0,3,autograd::late,-2,0,1,0,0,,,\n");
}

TEST(FrequentCudaKernelSequences, OfTheOutermostOps) {
  const UsTrace trace = UsTrace()
                            .Op("aten::linear", 0, 20)
                            .Op("aten::linear inside", 1, 9)
                            .Launch(1, 2, 1)
                            .Launch(2, 15, 1)
                            .Op("aten::linear", 30, 10)
                            .Launch(3, 31, 1)
                            .Launch(4, 33, 1)
                            .Op("aten::linear", 50, 10)
                            .Launch(5, 51, 1)
                            .Kernel(7, "a", 20, 4, 1)
                            .Kernel(7, "b", 30, 5, 2)
                            .Kernel(7, "b", 50, 6, 4)
                            .Kernel(7, "a", 40, 7, 3)
                            .Kernel(7, "a", 60, 8, 5);
  const auto rows = [&](std::string_view name, std::string_view shortest) {
    return RowsOfCalls(
        FrequentCudaKernelSequences(), trace,
        {{"operator_name", std::string(name)}, {"min_pattern_len", std::string(shortest)}});
  };
  EXPECT_EQ(rows("linear", "2"), "0,aten::linear|a|b,2,22,30\n");
  EXPECT_EQ(rows("linear", "1"), "0,aten::linear|a|b,2,22,30\n0,aten::linear|a,1,8,10\n");
  EXPECT_EQ(rows("inside", "1"), "0,aten::linear inside|a,1,4,9\n");
  EXPECT_EQ(rows("aten::mm", "1"), "");
  // The op, the launch and the work in it.
  EXPECT_EQ(RowsOfCalls(FrequentCudaKernelEvents(), trace,
                        {{"operator_name", "inside"}, {"min_pattern_len", "1"}}),
            "0,aten::linear inside|a,1,1\n0,aten::linear inside|a,1,2\n"
            "0,aten::linear inside|a,1,9\n");
}

TEST(CuptiCounters, AreTheirLaunchesAtTheSamePlace) {
  UsTrace trace = UsTrace();
  trace.Op("aten::mm", 10, 20).Op("aten::gemm", 12, 10).Launch(1, 15, 5).Launch(2, 40, 5);
  trace.Range("k", 5, 10, {{"flop", 4}, {"bytes", 2.5}}).Range("l", 15, 10, {{"flop", 6}});
  EXPECT_EQ(RowsOfCalls(CuptiCounters(), trace),
            "0,4,k,0,10,2,aten::mm -> aten::gemm,aten::mm,aten::gemm,flop,4\n"
            "0,4,k,0,10,2,aten::mm -> aten::gemm,aten::mm,aten::gemm,bytes,2.5\n"
            "0,5,l,10,10,3,\"\",,,flop,6\n");
  trace.Launch(3, 60, 5);
  EXPECT_EQ(RowsOfCalls(CuptiCounters(), trace), "");
}

}  // namespace
}  // namespace rankscope::hta
