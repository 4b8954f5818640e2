// recompilation: the program compiles graphs in steady state.
#include <gtest/gtest.h>

#include "insight/pause_for_test.h"

namespace rankscope {
namespace {

TEST(Recompilation, InsideDynamo) {
  const Table findings = FindingsOfPause("torch/_dynamo/convert_frame.py(1013): compile_inner");
  EXPECT_EQ(
      Rows(findings, {"id", "severity", "ranks", "steps", "gain_method", "title"}),
      "recompilation,high,1,2,replay,rank 1 compiles the model anew (1.50 ms, in 1 step of 3)\n");
  EXPECT_EQ(IntCell(findings, 0, "gain_ns"), 1500 * kUsForTest / 3);
  EXPECT_EQ(Rows(findings, {"places"})
                .find(R"([{"op":"torch/_dynamo/convert_frame.py(1013): compile_inner")"),
            0u);
}

TEST(Recompilation, OtherNamesOfCompiling) {
  for (const std::string_view range :
       {"_compile.compile_inner (dynamo_timed)", "torch/_inductor/compile_fx.py(500): compile_fx"})
    EXPECT_EQ(Ids(FindingsOfPause(range)), "recompilation\n") << range;
}

// A frame of compiled code that runs.
TEST(Recompilation, RunningWhatWasCompiledIsNotCompiling) {
  EXPECT_EQ(Ids(FindingsOfPause("torch/_dynamo/eval_frame.py(300): _fn")).find("recompilation"),
            std::string::npos);
}

}  // namespace
}  // namespace rankscope
