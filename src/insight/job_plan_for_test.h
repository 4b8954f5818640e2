// Jobs of ranks that load a batch, compute a product and reduce, with what a test plants into their
// steps: small enough to say by hand what it costs.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "insight/program_for_test.h"

namespace rankscope {

// A step of a rank: loading a batch, an op on the host, a product, an all-reduce, and waiting for
// it; all in us, from its begin:
//
//   host    load | op | launch | launch | synchronise .............. | 50
//   device              20 | product | all-reduce, the last to come takes `transfer`
struct RankStep {
  std::int64_t load = 0;
  std::int64_t op = 200;
  std::int64_t product = 2000;
  std::int64_t transfer = 100;
  std::string_view pause;  // a range on the host behind loading
  std::int64_t pause_us = 0;
  EventKind pause_kind = EventKind::kPythonFunction;
  std::int64_t pageable = 0;  // a blocking copy behind the pause
  std::string_view copy = "Memcpy HtoD (Pageable -> Device)";
  std::string_view shapes = "[[64,64],[64,64]]";  // of the product
  std::int64_t begin_of_op() const { return load + pause_us + pageable + (pageable > 0 ? 10 : 0); }
  std::int64_t begin_of_product() const { return begin_of_op() + op + 20; }
  std::int64_t arrival() const { return begin_of_product() + product; }
};

struct JobPlan {
  int ranks = 4;
  int steps = 4;
  bool communicates = true;
  std::int64_t elements = 1000;  // of an all-reduce
  std::string_view op_name = "aten::mm";
  std::string_view loader = "MultiProcessing";  // or "SingleProcess"
  // Of ranks that reduce together; "[0, 1, 2, 3]" for all.
  std::function<std::vector<int>(int rank)> group = [](int) { return std::vector{0, 1, 2, 3}; };
  std::function<RankStep(int rank, int step)> step = [](int, int) { return RankStep{}; };
};

inline std::vector<RankTrace> TracesOf(const JobPlan& plan) {
  std::vector<TraceForTest> traces(static_cast<std::size_t>(plan.ranks));
  std::vector<std::int64_t> begin(traces.size(), 0);
  for (int step = 0; step < plan.steps; ++step) {
    std::vector<std::int64_t> next(traces.size(), 0);
    for (int rank = 0; rank < plan.ranks; ++rank) {
      TraceForTest& trace = traces[static_cast<std::size_t>(rank)];
      const RankStep mine = plan.step(rank, step);
      // The transfer begins when the last member of the group has come.
      std::int64_t last = 0;
      const std::vector<int> group = plan.group(rank);
      std::string members = "[";
      for (const int member : group) {
        last = std::max(
            last, begin[static_cast<std::size_t>(member)] + plan.step(member, step).arrival());
        members += fmt::format("{}{}", members.size() > 1 ? ", " : "", member);
      }
      members += "]";
      const std::int64_t t = begin[static_cast<std::size_t>(rank)] * kUsForTest;
      const std::int64_t arrival = begin[static_cast<std::size_t>(rank)] + mine.arrival();
      const std::int64_t end = plan.communicates ? last + mine.transfer : arrival;
      const std::int64_t call = 10 * step;
      trace.Step(step, t, (end + 50) * kUsForTest - t);
      if (mine.load > 0)
        trace.Host(1, EventKind::kUserAnnotation,
                   fmt::format("enumerate(DataLoader)#_{}DataLoaderIter.__next__", plan.loader), t,
                   mine.load * kUsForTest);
      if (mine.pause_us > 0)
        trace.Host(1, mine.pause_kind, mine.pause, t + mine.load * kUsForTest,
                   mine.pause_us * kUsForTest);
      if (mine.pageable > 0) {
        const std::int64_t copy = t + (mine.load + mine.pause_us) * kUsForTest;
        trace.Host(1, EventKind::kRuntime, "cudaMemcpyAsync", copy,
                   (mine.pageable + 9) * kUsForTest, call + 5);
        trace.Copy(7, 1000, copy + 5 * kUsForTest, mine.pageable * kUsForTest, call + 5, mine.copy);
      }
      const std::int64_t op = t + mine.begin_of_op() * kUsForTest;
      const std::int64_t product = t + mine.begin_of_product() * kUsForTest;
      trace.Op(1, plan.op_name, op, (mine.op + 10) * kUsForTest, mine.shapes)
          .Launch(call + 1, product - 20 * kUsForTest, 5 * kUsForTest)
          .Kernel(7, "gemm", product, mine.product * kUsForTest, call + 1);
      if (plan.communicates) {
        trace.Launch(call + 2, product - 5 * kUsForTest, 5 * kUsForTest)
            .Comm(7, product + mine.product * kUsForTest,
                  end * kUsForTest - product - mine.product * kUsForTest,
                  {.name = "allreduce",
                   .in = plan.elements,
                   .out = plan.elements,
                   .group = fmt::format("{}", group.front()),
                   .ranks = members,
                   .size = static_cast<std::int32_t>(group.size())})
            .Linked(call + 2);
      }
      trace.Host(1, EventKind::kRuntime, "cudaDeviceSynchronize", product + 5 * kUsForTest,
                 (end + 5) * kUsForTest - product - 5 * kUsForTest, call + 3);
      next[static_cast<std::size_t>(rank)] = end + 50;
    }
    begin = next;
  }
  std::vector<RankTrace> built;
  for (TraceForTest& trace : traces) built.push_back(trace.Build(1'000'000));
  return built;
}

inline JobForTest JobOf(const JobPlan& plan, const std::vector<MetricSample>& samples = {}) {
  JobForTest job;
  std::vector<RankTrace> traces = TracesOf(plan);
  for (std::size_t rank = 0; rank < traces.size(); ++rank)
    job.Add(static_cast<std::int64_t>(rank), std::move(traces[rank]));
  job.With(TelemetryOf(samples));
  return job;
}
inline Table FindingsOf(const JobPlan& plan, const std::vector<MetricSample>& samples = {}) {
  return JobOf(plan, samples).Run(FindingsAnalysis());
}
inline std::string Ids(const Table& findings) { return Rows(findings, {"id"}); }
// -1 without such a row.
inline double Gain(const Table& findings, std::size_t row = 0) {
  if (row >= findings.row_count()) return -1;
  return std::get<double>(Cell(findings, row, "gain_pct"));
}

// In percent: what is saved of four steps of so many us, of which the last one ends with its
// all-reduce, 50 before the host's.
inline double OfSteps(double us, double step) { return 100 * us / (step - 50.0 / 4); }

}  // namespace rankscope
