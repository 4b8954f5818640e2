#include "facts/places/code_places.h"

#include <gtest/gtest.h>

#include "trace/literal_trace_for_test.h"

namespace rankscope {
namespace {

TEST(CodePlaces, LinesOfFrames) {
  const CodeLine line = ParseCodeLine("src/model (old).py(214): Model.forward");
  EXPECT_EQ(line.file, "src/model (old).py");
  EXPECT_EQ(line.line, 214);
  EXPECT_EQ(line.function, "Model.forward");
  for (const std::string_view other :
       {"", "<built-in method add>", "nn.Module: Net_0", "a.py(x): f", "a.py(-3): f", "(3): f",
        "a.py(3)", "a.py(99999999999999999999): f"}) {
    EXPECT_EQ(ParseCodeLine(other).line, -1) << other;
    EXPECT_EQ(ParseCodeLine(other).file, "") << other;
  }
}

TEST(CodePlaces, PathsOfClasses) {
  EXPECT_EQ(WithoutInstances("Net_0/Block_12/Linear_7"), "Net/Block/Linear");
  EXPECT_EQ(WithoutInstances("Conv2d/_3/A_b"), "Conv2d/_3/A_b");
}

// The op of each instance of Block lies in the same place; what autograd launches in that of its
// forward op.
TEST(CodePlaces, OfRows) {
  TraceForTest trace;
  trace.Host(1, EventKind::kPythonFunction, "train.py(3): main", 0, 100)
      .Host(1, EventKind::kPythonFunction, "nn.Module: Net_0", 10, 60)
      .Host(1, EventKind::kPythonFunction, "net.py(7): forward", 11, 58)
      .Host(1, EventKind::kPythonFunction, "nn.Module: Block_0", 12, 20)
      .Host(1, EventKind::kPythonFunction, "torch/nn/functional.py(9): linear", 13, 10)
      .Sequenced(1, "aten::mm", 14, 5, 1, 0)
      .Host(1, EventKind::kPythonFunction, "nn.Module: Block_1", 40, 20)
      .Sequenced(1, "aten::mm", 44, 5, 2, 0)
      .Host(1, EventKind::kCpuOp, "aten::add", 80, 5)
      .Sequenced(2, "MmBackward0", 110, 20, 2, 1)
      .Host(2, EventKind::kCpuOp, "aten::mm", 112, 5)
      .Host(2, EventKind::kCpuOp, "aten::zero_", 150, 5);
  const RankTrace built = trace.Build();
  ASSERT_TRUE(HasPythonFrames(built));
  CodePlaces places(built);
  const auto at = [&](std::string_view name, std::int64_t ts) {
    for (Row row = 0; row < built.row_count(); ++row) {
      if (built.name_of(row) == name && built.ts_ns[row] == ts) return places.At(row);
    }
    ADD_FAILURE() << name;
    return CodePlaces::kNone;
  };
  const auto text = [&](std::uint32_t place) {
    const CodePlace& of = places.places()[place];
    return of.module + " " + std::string(built.strings.Get(of.function));
  };
  EXPECT_EQ(text(at("aten::mm", 14)), "Net/Block net.py(7): forward");
  EXPECT_EQ(at("aten::mm", 44), at("aten::mm", 14));
  EXPECT_EQ(text(at("aten::add", 80)), " train.py(3): main");
  EXPECT_EQ(at("aten::mm", 112), at("aten::mm", 14));
  EXPECT_EQ(at("aten::zero_", 150), CodePlaces::kNone);
  EXPECT_EQ(places.places().size(), 2U);
}

TEST(CodePlaces, WithoutFrames) {
  EXPECT_FALSE(
      HasPythonFrames(TraceForTest().Host(1, EventKind::kCpuOp, "aten::mm", 0, 5).Build()));
}

}  // namespace
}  // namespace rankscope
