// What the mapper leaves of a trace: nodes, their kinds, edges and steps.
#include "replay/recording/map_nodes.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "replay/job_graph/graph_for_test.h"
#include "trace/trace_for_test.h"

namespace rankscope {
namespace {

std::vector<Table> NodesOf(const RankTrace& trace) {
  const TraceFacts facts(trace);
  return NodesMapper().map(facts, {});
}

ViewOf<NodeKindPartial> Kinds(const std::vector<Table>& tables) { return tables[0]; }
ViewOf<NodePartial> Nodes(const std::vector<Table>& tables) { return tables[1]; }
ViewOf<NodeSitePartial> Sites(const std::vector<Table>& tables) { return tables[4]; }

// "work name begin duration" of all nodes in order, less the base.
std::string TextMapNodes(const std::vector<Table>& tables, std::int64_t base = 0) {
  const auto& kinds = SchemaOf<NodeKindPartial>();
  const auto& nodes = SchemaOf<NodePartial>();
  std::string text;
  for (std::size_t row = 0; row < Nodes(tables).row_count(); ++row) {
    const auto kind = static_cast<std::size_t>(Nodes(tables).Int(row, nodes.kind));
    text += fmt::format(
        "{} {} {} {}\n", ToString(static_cast<Work>(Kinds(tables).Int(kind, kinds.work))),
        Kinds(tables).String(kind, kinds.name), Nodes(tables).Int(row, nodes.begin_ns) - base,
        Nodes(tables).Int(row, nodes.duration_ns));
  }
  return text;
}

TEST(MapNodes, StretchesOfHostAndDevice) {
  const RankTrace trace = TraceForTest()
                              .Step(0, 0, 1000)
                              .Host(1, EventKind::kCpuOp, "aten::mm", 100, 200)
                              .Launch(1, 150, 50)
                              .Kernel(7, "gemm", 250, 400, 1)
                              .Build(5000);
  const std::vector<Table> tables = NodesOf(trace);
  EXPECT_EQ(TextMapNodes(tables, 5000),
            "python  0 100\n"
            "op aten::mm 100 50\n"
            "launch call cudaLaunchKernel 150 50\n"
            "op aten::mm 200 100\n"
            "python  300 700\n"
            "compute gemm 250 400\n");
  // The kernel waits for what is before the call; the launch took 100.
  EXPECT_EQ(Rows(tables[2], {"from", "to", "lag_ns", "kind"}), "1,5,100,1\n");
  EXPECT_EQ(Rows(tables[3], {"number", "begin_ns", "end_ns", "follows_host"}),
            "0,5000,5650,false\n");
  EXPECT_EQ(Rows(tables[1], {"previous", "step"}), ",0\n0,0\n1,0\n2,0\n3,0\n,0\n");
}

// A range that ends with its last op in the first step and, by rounding, 143 ns behind it in the
// second: the 26 ms behind it are at one place all the same.
TEST(MapNodes, WhatRoundingLeavesMovesNothingToAnotherPlace) {
  TraceForTest trace;
  for (std::int64_t step = 0; step < 2; ++step) {
    const std::int64_t at = 40'000'000 * step;
    trace.Step(step, at, 40'000'000)
        .Host(1, EventKind::kUserAnnotation, "forward", at, 1'000'000)
        .Host(1, EventKind::kCpuOp, "aten::mm", at + 500'000, 500'000 - 143 * step)
        .Launch(step + 1, at + 27'000'000, 5000)
        .Kernel(7, "gemm", at + 27'100'000, 1'000'000, step + 1);
  }
  const std::vector<Table> tables = NodesOf(trace.Build());
  const auto& columns = SchemaOf<NodePartial>();
  std::set<std::int64_t> places;
  std::size_t count = 0;
  for (std::size_t row = 0; row < Nodes(tables).row_count(); ++row) {
    if (Nodes(tables).Int(row, columns.duration_ns) != 26'000'000) continue;
    places.insert(Nodes(tables).Int(row, columns.place));
    ++count;
  }
  EXPECT_EQ(count, 2U);
  EXPECT_EQ(places.size(), 1U);
}

// What the host does between two launches, across the mark of a step, is of both steps.
TEST(MapNodes, StepsDivideTheHost) {
  const RankTrace trace = TraceForTest()
                              .Step(0, 0, 1000)
                              .Step(1, 1000, 1000)
                              .Launch(1, 100, 50)
                              .Kernel(7, "gemm", 250, 400, 1)
                              .Launch(2, 1300, 50)
                              .Kernel(7, "gemm", 1450, 400, 2)
                              .Build();
  const std::vector<Table> tables = NodesOf(trace);
  const auto& columns = SchemaOf<NodePartial>();
  std::string text;
  for (std::size_t row = 0; row < Nodes(tables).row_count(); ++row) {
    if (Nodes(tables).Int(row, columns.track) == 0)
      text += fmt::format("{}+{} of {}, ", Nodes(tables).Int(row, columns.begin_ns),
                          Nodes(tables).Int(row, columns.duration_ns),
                          Nodes(tables).Int(row, columns.step));
  }
  EXPECT_EQ(text,
            "0+100 of 0, 100+50 of 0, 150+850 of 0, 1000+300 of 1, 1300+50 of 1, 1350+650 of 1, ");
}

// Nobody launched it, as on a TPU: the work ends the steps that the file states.
TEST(MapNodes, StepsOfADeviceAlone) {
  TestTrace make;
  make.Kernel(0, 60, 0);
  make.Kernel(100, 60, 0);
  make.Op("tick", 0, 190);
  TraceBuilder builder;
  builder.Append(make.batch, make.scope, 0);
  builder.StateStep({7, 0, 0, 60});
  builder.StateStep({8, 0, 100, 160});
  const RankTrace trace = std::move(builder).Finish({}, {});
  const std::vector<Table> tables = NodesOf(trace);
  EXPECT_EQ(TextMapNodes(tables), "compute kernel 0 60\ncompute kernel 100 60\n");
  EXPECT_EQ(Rows(tables[3], {"number", "begin_ns", "end_ns", "follows_host"}),
            "7,0,100,false\n8,100,160,false\n");
}

// An op of 2 x 8 x 8 x 8 FLOPs whose two products share them; its addition has none.
TEST(MapNodes, CostsAreShared) {
  const RankTrace trace = TraceForTest()
                              .Step(0, 0, 1000)
                              .Op(1, "aten::mm", 10, 200, "[[8,8],[8,8]]", R"(["float","float"])")
                              .Launch(1, 20, 5)
                              .Kernel(7, "ampere_sgemm_128x64_nn", 30, 100, 1)
                              .Launch(2, 40, 5)
                              .Kernel(7, "ampere_sgemm_64x64_nn", 140, 60, 2)
                              .Launch(3, 60, 5)
                              .Kernel(7, "vectorized_elementwise_kernel", 210, 10, 3)
                              .Build();
  EXPECT_EQ(Rows(NodesOf(trace)[0], {"name", "op", "shapes", "flops", "bytes", "dtype"})
                .substr(Rows(NodesOf(trace)[0], {"name", "op", "shapes", "flops", "bytes", "dtype"})
                            .find("ampere_sgemm_128")),
            "ampere_sgemm_128x64_nn,aten::mm,[[8,8],[8,8]],512,384,float\n"
            "ampere_sgemm_64x64_nn,aten::mm,[[8,8],[8,8]],512,384,float\n"
            "vectorized_elementwise_kernel,aten::mm,[[8,8],[8,8]],,,\n");
}

TEST(MapNodes, Phases) {
  const RankTrace trace =
      TraceForTest()
          .Step(0, 0, 1000)
          .Host(1, EventKind::kCpuOp, "aten::mm", 10, 50)
          .Launch(1, 20, 5)
          .Kernel(7, "forward", 30, 10, 1)
          .Host(1, EventKind::kCpuOp, "autograd::engine::evaluate_function: MmBackward0", 100, 50)
          .Launch(2, 110, 5)
          .Kernel(7, "backward", 120, 10, 2)
          .Launch(3, 200, 5)
          .Kernel(7, "after", 210, 10, 3)
          .Host(1, EventKind::kUserAnnotation, "Optimizer.step#AdamW.step", 300, 50)
          .Launch(4, 310, 5)
          .Kernel(7, "update", 320, 10, 4)
          .Build();
  const std::vector<Table> tables = NodesOf(trace);
  const auto& columns = SchemaOf<NodeKindPartial>();
  std::string text;
  for (std::size_t row = 0; row < Kinds(tables).row_count(); ++row) {
    if (const auto phase = Kinds(tables).Known(row, columns.phase))
      text += fmt::format("{} {} ", Kinds(tables).String(row, columns.name), *phase);
  }
  EXPECT_EQ(text, "forward 0 backward 1 after 3 update 2 ");
}

// The k-th of a kernel in a step has the same place in every step and on every rank that does
// alike, whatever its shapes and times; two of one step never have.
TEST(MapNodes, PlacesAreThoseOfTheProgram) {
  const auto rank = [](std::string_view shapes, std::int64_t slower) {
    TraceForTest trace;
    for (std::int64_t step = 0; step < 2; ++step) {
      const std::int64_t t = 1000 * step;
      trace.Step(step, t, 1000)
          .Op(1, "aten::mm", t + 10, 50, shapes)
          .Launch(10 * step + 1, t + 20, 5)
          .Kernel(7, "gemm", t + 40, 100 + slower, 10 * step + 1)
          .Op(1, "aten::mm", t + 200, 50, shapes)
          .Launch(10 * step + 2, t + 210, 5)
          .Kernel(7, "gemm", t + 240 + slower, 100, 10 * step + 2);
    }
    return trace.Build();
  };
  const auto& columns = SchemaOf<NodePartial>();
  // Of all nodes, or of the device's: what the host does behind the last launch of a recording is
  // before no other.
  const auto places = [&](const RankTrace& trace, std::int64_t step, bool of_host = true) {
    const std::vector<Table> tables = NodesOf(trace);
    std::multiset<std::int64_t> found;
    for (std::size_t row = 0; row < Nodes(tables).row_count(); ++row) {
      const auto kind = static_cast<std::size_t>(Nodes(tables).Int(row, columns.kind));
      const auto work = Kinds(tables).Int(kind, SchemaOf<NodeKindPartial>().work);
      if (Nodes(tables).Known(row, columns.step) == step &&
          (of_host || IsDevice(static_cast<Work>(work))))
        found.insert(Nodes(tables).Int(row, columns.place));
    }
    return found;
  };
  const RankTrace first = rank("[[8,8],[8,8]]", 0), second = rank("[[16,8],[8,8]]", 20);
  const std::multiset<std::int64_t> of_step = places(first, 0);
  EXPECT_EQ(of_step, places(second, 0));
  EXPECT_EQ(std::set<std::int64_t>(of_step.begin(), of_step.end()).size(), of_step.size());
  EXPECT_EQ(places(first, 1), places(second, 1));
  EXPECT_EQ(places(first, 0, false).size(), 2U);
  EXPECT_EQ(places(first, 0, false), places(first, 1, false));
}

// Kernels have the place of their launch; what runs outside of all frames has none.
TEST(MapNodes, PlacesInTheCode) {
  TraceForTest trace;
  trace.Host(1, EventKind::kPythonFunction, "nn.Module: Net_0", 0, 100000)
      .Host(1, EventKind::kPythonFunction, "net.py(7): forward", 1000, 90000)
      .Launch(1, 10000, 5000)
      .Kernel(7, "gemm", 20000, 30000, 1)
      .Launch(2, 200000, 5000)
      .Kernel(7, "copy", 210000, 30000, 2);
  const RankTrace built = trace.Build();
  const TraceFacts facts(built);
  const std::vector<Table> tables = NodesMapper().map(facts, {});
  const auto& columns = SchemaOf<NodeSitePartial>();
  ASSERT_EQ(Sites(tables).row_count(), 1U);
  EXPECT_EQ(Sites(tables).String(0, columns.module), "Net");
  EXPECT_EQ(Sites(tables).String(0, columns.function), "net.py(7): forward");
  const auto& of_node = SchemaOf<NodePartial>();
  const auto& of_kind = SchemaOf<NodeKindPartial>();
  std::string kernels;
  for (std::size_t row = 0; row < Nodes(tables).row_count(); ++row) {
    const auto kind = static_cast<std::size_t>(Nodes(tables).Int(row, of_node.kind));
    if (Kinds(tables).Int(kind, of_kind.work) != static_cast<std::int64_t>(Work::kCompute))
      continue;
    kernels += fmt::format("{} {} ", Kinds(tables).String(kind, of_kind.name),
                           Nodes(tables).Known(row, of_node.site).value_or(-1));
  }
  EXPECT_EQ(kernels, "gemm 0 copy -1 ");
}

// Where no frames were recorded samples of the thread say what the host does between ops.
TEST(MapNodes, PlacesInSampledCode) {
  TraceForTest trace;
  trace.Host(12, EventKind::kCpuOp, "aten::mul", 10000, 1000)
      .Host(12, EventKind::kCpuOp, "aten::add", 7000000, 1000)
      .CpuSample("cpu 12 MainThread (python)", "train.py(7): main", 0, 8000000)
      .CpuSample("cpu 12 MainThread (python)", "metrics.py(3): write", 1000000, 5000000);
  const std::vector<Table> tables = NodesOf(trace.Build());
  const auto& columns = SchemaOf<NodeSitePartial>();
  const auto& of_node = SchemaOf<NodePartial>();
  std::string longest;
  std::int64_t most = 0;
  for (std::size_t row = 0; row < Nodes(tables).row_count(); ++row) {
    const auto site = Nodes(tables).Known(row, of_node.site);
    if (!site || Nodes(tables).Int(row, of_node.duration_ns) <= most) continue;
    most = Nodes(tables).Int(row, of_node.duration_ns);
    longest = Sites(tables).String(static_cast<std::size_t>(*site), columns.function);
    EXPECT_TRUE(Sites(tables).Bool(static_cast<std::size_t>(*site), columns.is_sampled));
  }
  EXPECT_EQ(longest, "metrics.py(3): write");
  EXPECT_EQ(most, 6989000);
}

// Between ops the loop's own code runs, not the step of the profiler that began the mark around
// them.
TEST(MapNodes, HostWorkBetweenOpsIsOfTheFrameAroundAStepsMark) {
  TraceForTest trace;
  trace.Host(1, EventKind::kPythonFunction, "train.py(7): main", 0, 9000000)
      .Host(1, EventKind::kPythonFunction, "torch/profiler/profiler.py(650): step", 1000, 2000)
      .Host(1, EventKind::kUserAnnotation, "ProfilerStep#3", 2000, 8000000)
      .Host(1, EventKind::kCpuOp, "aten::mul", 10000, 1000)
      .Host(1, EventKind::kCpuOp, "aten::add", 7000000, 1000);
  const std::vector<Table> tables = NodesOf(trace.Build());
  const auto& of_node = SchemaOf<NodePartial>();
  const auto& of_kind = SchemaOf<NodeKindPartial>();
  std::string longest;
  std::int64_t most = 0;
  for (std::size_t row = 0; row < Nodes(tables).row_count(); ++row) {
    const auto kind = static_cast<std::size_t>(Nodes(tables).Int(row, of_node.kind));
    if (Nodes(tables).Int(row, of_node.duration_ns) <= most) continue;
    most = Nodes(tables).Int(row, of_node.duration_ns);
    longest = Kinds(tables).String(kind, of_kind.name);
  }
  EXPECT_EQ(longest, "train.py(7): main");
  EXPECT_EQ(most, 6989000);
}

// In some steps the mark begins a nanosecond before the first op, as rounding makes it, and the
// host works behind the last one until the step ends: the same pieces in all of them.
TEST(MapNodes, RoundingMakesNoPieces) {
  TraceForTest trace;
  for (std::int64_t step = 0; step < 4; ++step) {
    const std::int64_t at = 1'000'000 * step;
    trace.Host(1, EventKind::kUserAnnotation, "ProfilerStep#" + std::to_string(step), at, 1'000'000)
        .Host(1, EventKind::kCpuOp, "aten::mm", at + step % 2, 200'000);
  }
  const std::vector<Table> tables = NodesOf(trace.Build());
  std::set<std::string> kinds;
  const auto& of_node = SchemaOf<NodePartial>();
  std::vector<std::int64_t> per_step(4, 0);
  for (std::size_t row = 0; row < Nodes(tables).row_count(); ++row) {
    ++per_step.at(static_cast<std::size_t>(Nodes(tables).Int(row, of_node.step)));
    kinds.insert(std::to_string(Nodes(tables).Int(row, of_node.kind)));
  }
  EXPECT_EQ(per_step, (std::vector<std::int64_t>{2, 2, 2, 2}));
  EXPECT_EQ(kinds.size(), 2U) << "the op, and what follows it whatever the step's number";
}

TEST(MapNodes, OfNothing) {
  const std::vector<Table> tables = NodesOf(TraceForTest().Build());
  ASSERT_EQ(tables.size(), 5U);
  for (const Table& table : tables) EXPECT_EQ(table.row_count(), 0U);
}

}  // namespace
}  // namespace rankscope
