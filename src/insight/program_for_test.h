// Programs of ranks, run: what rules find in them, where what a cause costs is known exactly.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "insight/findings.h"
#include "stage/job_for_test.h"
#include "telemetry/telemetry.h"

namespace rankscope {

inline constexpr std::int64_t kUsForTest = 1000;

// A rank's program, run: every op takes its host 10 us and launches after 2; a kernel begins 10 us
// after its launch does or when the one before it is over.
class Program {
 public:
  void Op(std::string_view op, std::string_view kernel, std::int64_t us,
          std::string_view shapes = "", std::string_view types = R"(["float","float"])",
          std::string_view values = "") {
    if (shapes.empty()) {
      trace_.Host(1, EventKind::kCpuOp, op, host_ * kUsForTest, 10 * kUsForTest);
    } else {
      trace_.Op(1, op, host_ * kUsForTest, 10 * kUsForTest, shapes, types, values);
    }
    ++call_;
    trace_.Launch(call_, (host_ + 2) * kUsForTest, 5 * kUsForTest)
        .Kernel(7, kernel, Begin() * kUsForTest, us * kUsForTest, call_);
    Ran(us);
  }
  void Product() { Op("aten::mm", "gemm", 100); }
  void Products(int count) {
    for (int i = 0; i < count; ++i) Product();
  }
  void Collective(std::string_view name, std::int64_t bytes, std::int64_t us) {
    Exchange({.name = name, .in = bytes / 4, .out = bytes / 4}, us);
  }
  void Exchange(const TraceForTest::Collective& exchange, std::int64_t us) {
    ++call_;
    trace_.Launch(call_, (host_ + 2) * kUsForTest, 5 * kUsForTest)
        .Comm(7, Begin() * kUsForTest, us * kUsForTest, exchange)
        .Linked(call_);
    Ran(us);
  }
  // On a stream of its own, beside what is launched next.
  void ExchangesBeside(const TraceForTest::Collective& exchange, std::int64_t us) {
    ++call_;
    trace_.Launch(call_, (host_ + 2) * kUsForTest, 5 * kUsForTest)
        .Comm(9, Begin() * kUsForTest, us * kUsForTest, exchange)
        .Linked(call_);
    beside_ = Begin() + us;
    host_ += 10;
  }
  // What is launched next begins when the last of these is over, 1 us later.
  void WaitsForBeside() {
    Call("cudaStreamWaitEvent", 2);
    device_ = std::max(device_, beside_ + 1);
  }
  // Until the device is done and 5 us more; 1 us behind each call is the program's.
  void Synchronise(std::string_view name = "cudaDeviceSynchronize") {
    const std::int64_t end = std::max(host_, device_) + 5;
    trace_.Host(1, EventKind::kRuntime, name, host_ * kUsForTest, (end - host_) * kUsForTest,
                ++call_);
    host_ = end + 1;
  }
  // A call without an op around it; one that blocks returns 5 us behind its kernel.
  void Launches(std::string_view kernel, std::int64_t us, bool blocks) {
    const std::int64_t begin = host_;
    const std::int64_t kernel_begin = Begin();
    host_ = blocks ? kernel_begin + us + 5 : begin + 5;
    ++call_;
    trace_.Launch(call_, begin * kUsForTest, (host_ - begin) * kUsForTest)
        .Kernel(7, kernel, kernel_begin * kUsForTest, us * kUsForTest, call_);
    device_ = kernel_begin + us;
    host_ += 1;
  }
  // The call takes so long, and the kernel begins 2 us behind it at the earliest.
  void LaunchesSlowly(std::string_view kernel, std::int64_t us, std::int64_t call_us) {
    const std::int64_t begin = host_;
    const std::int64_t kernel_begin = std::max(device_, begin + call_us + 2);
    ++call_;
    trace_.Launch(call_, begin * kUsForTest, call_us * kUsForTest)
        .Kernel(7, kernel, kernel_begin * kUsForTest, us * kUsForTest, call_);
    device_ = kernel_begin + us;
    host_ += call_us + 1;
  }
  // One call, which launches so many kernels.
  void LaunchesGraph(std::string_view kernel, int count, std::int64_t us) {
    ++call_;
    trace_.Host(1, EventKind::kRuntime, "cudaGraphLaunch", (host_ + 2) * kUsForTest, 5 * kUsForTest,
                call_);
    device_ = Begin();
    for (int i = 0; i < count; ++i) {
      trace_.Kernel(7, kernel, device_ * kUsForTest, us * kUsForTest, call_);
      device_ += us;
    }
    host_ += 10;
  }
  void Call(std::string_view name, std::int64_t us) {
    trace_.Host(1, EventKind::kRuntime, name, host_ * kUsForTest, us * kUsForTest, ++call_);
    host_ += us + 1;
  }
  void Range(std::string_view name, const std::function<void()>& inside) {
    Around(EventKind::kUserAnnotation, name, inside);
  }
  void Frame(std::string_view name, const std::function<void()>& inside) {
    Around(EventKind::kPythonFunction, name, inside);
  }
  // A function that samples of the host's stacks show, where no frames are recorded.
  void Sampled(std::string_view name, const std::function<void()>& inside) {
    const std::int64_t begin = host_;
    inside();
    trace_.CpuSample("cpu 1 MainThread (python)", name, begin * kUsForTest,
                     (host_ - begin) * kUsForTest);
  }
  void InOp(std::string_view name, const std::function<void()>& inside) {
    Around(EventKind::kCpuOp, name, inside);
  }
  // What autograd's engine does for the node of that forward op.
  void Evaluates(std::string_view node, std::int64_t sequence,
                 const std::function<void()>& inside) {
    const std::int64_t begin = host_;
    inside();
    trace_.Sequenced(1, "autograd::engine::evaluate_function: " + std::string(node),
                     begin * kUsForTest, (host_ - begin) * kUsForTest, sequence, 1);
  }
  // A forward op that records itself for autograd.
  void Records(std::string_view op, std::int64_t sequence, const std::function<void()>& inside) {
    const std::int64_t begin = host_;
    inside();
    trace_.Sequenced(1, op, begin * kUsForTest, (host_ - begin) * kUsForTest, sequence, 0);
  }
  // All ops that were recorded without inputs have these in the end. An op of 1 us has them now.
  void HasShapes(std::string_view shapes) {
    trace_.Op(1, "aten::size", host_ * kUsForTest, kUsForTest, shapes);
    ++host_;
    has_shapes_ = true;
  }
  // An op that launches nothing.
  void HostOp(std::string_view name, std::int64_t us) {
    trace_.Host(1, EventKind::kCpuOp, name, host_ * kUsForTest, us * kUsForTest);
    host_ += us;
  }
  // The host does what nothing names.
  void Idles(std::int64_t us) { host_ += us; }
  void Copy(std::string_view name, std::int64_t us) {
    ++call_;
    trace_
        .Host(1, EventKind::kRuntime, "cudaMemcpyAsync", (host_ + 2) * kUsForTest, 5 * kUsForTest,
              call_)
        .Copy(7, 4096, Begin() * kUsForTest, us * kUsForTest, call_, name);
    Ran(us);
  }
  // Of the last kernel.
  void Blocks(std::int32_t count) {
    KernelArgs args;
    args.grid = {count, 1, 1};
    args.block = {256, 1, 1};
    trace_.Args(args);
  }
  void Memory(std::int64_t bytes, std::int64_t total) {
    MemoryArgs args;
    args.bytes = bytes;
    args.total_allocated = total;
    trace_.Memory(1, host_ * kUsForTest, args);
    ++host_;
  }
  // The all-reduce of this step waits so long for another rank.
  void Waits(std::int64_t us) { waits_ = us; }
  // A step ends with an all-reduce for which the host waits, and 20 us.
  void Step(int number, const std::function<void(Program&)>& inside) {
    StepThatReducesNothing(number, [&](Program& of) {
      inside(of);
      of.Collective("allreduce", 40'000'000, 100 + std::exchange(waits_, 0));
    });
  }
  // The same without the all-reduce.
  void StepThatReducesNothing(int number, const std::function<void(Program&)>& inside) {
    const std::int64_t begin = host_;
    inside(*this);
    Synchronise();
    host_ += 20;
    trace_.Step(number, begin * kUsForTest, (host_ - begin) * kUsForTest);
    ends_.push_back(device_);
  }
  // From the end of the first step's work to that of the last one.
  double MeanStep() const {
    return static_cast<double>(ends_.back() - ends_.front()) /
           static_cast<double>(ends_.size() - 1);
  }
  RankTrace Build(std::int64_t device_bytes, std::string_view device = "NVIDIA A100-SXM4-80GB") {
    RankTrace trace = trace_.DeviceName(0, device, device_bytes).Build(1'000'000);
    if (!has_shapes_) return trace;
    const auto known = std::ranges::find_if(
        trace.ops, [](const OpArgs& op) { return op.input_dims != kEmptyString; });
    for (OpArgs& op : trace.ops) {
      if (op.input_dims == kEmptyString) op.input_dims = known->input_dims;
    }
    return trace;
  }

 private:
  void Around(EventKind kind, std::string_view name, const std::function<void()>& inside) {
    const std::int64_t begin = host_;
    inside();
    trace_.Host(1, kind, name, begin * kUsForTest, (host_ - begin) * kUsForTest);
  }
  std::int64_t Begin() const { return std::max(device_, host_ + 12); }
  void Ran(std::int64_t us) {
    device_ = Begin() + us;
    host_ += 10;
  }

  TraceForTest trace_;
  std::int64_t host_ = 0, device_ = 0, beside_ = 0, call_ = 0, waits_ = 0;
  std::vector<std::int64_t> ends_;
  bool has_shapes_ = false;
};

// Null without samples.
inline std::shared_ptr<const Telemetry> TelemetryOf(const std::vector<MetricSample>& samples) {
  if (samples.empty()) return nullptr;
  auto telemetry = std::make_shared<Telemetry>();
  telemetry->Add(samples);
  return telemetry;
}

using Body = std::function<void(Program&, int step)>;

struct Told {
  std::string ids;   // "host-sync " of the findings of high and medium severity, in order
  std::string all;   // and of low
  double gain = -1;  // of the first, as all below
  std::string title, ranks, steps, method, change;
  std::string places;                                     // JSON
  double mean_step = 0;                                   // by the program
  std::map<std::string, double, std::less<>> gains;       // in percent, of those that have one
  std::map<std::string, double, std::less<>> unprofiled;  // gain_unprofiled_pct

  std::string first() const { return ids.substr(0, ids.find(' ')); }
  bool Has(std::string_view id) const {
    return (" " + all).find(" " + std::string(id) + " ") != std::string::npos;
  }
};

// What is told of a job of a rank for each of the programs; `samples` lie beside its traces. Steps
// are numbered from `first`.
inline Told TellOfRanks(const std::vector<Body>& bodies, int steps = 6,
                        std::int64_t device_bytes = -1,
                        const std::vector<MetricSample>& samples = {}, int first = 0) {
  JobForTest job;
  Told told;
  for (std::size_t rank = 0; rank < bodies.size(); ++rank) {
    Program program;
    for (int step = 0; step < steps; ++step)
      program.Step(first + step, [&](Program& of) { bodies[rank](of, step); });
    told.mean_step = program.MeanStep();
    job.Add(static_cast<std::int64_t>(rank), program.Build(device_bytes));
  }
  job.With(TelemetryOf(samples));
  const Table findings = job.Run(FindingsAnalysis());
  for (std::size_t row = 0; row < findings.row_count(); ++row) {
    const std::string id(std::get<std::string_view>(Cell(findings, row, "id")));
    told.all += id + " ";
    const Value gain = Cell(findings, row, "gain_pct");
    if (const double* const pct = std::get_if<double>(&gain)) told.gains[id] = *pct;
    const Value unprofiled = Cell(findings, row, "gain_unprofiled_pct");
    if (const double* const pct = std::get_if<double>(&unprofiled)) told.unprofiled[id] = *pct;
    if (std::get<std::string_view>(Cell(findings, row, "severity")) != "low") told.ids += id + " ";
  }
  if (findings.row_count() > 0) {
    told.gain = std::get<double>(Cell(findings, 0, "gain_pct"));
    told.title = std::get<std::string_view>(Cell(findings, 0, "title"));
    told.ranks = std::get<std::string_view>(Cell(findings, 0, "ranks"));
    told.steps = std::get<std::string_view>(Cell(findings, 0, "steps"));
    told.change = std::get<std::string_view>(Cell(findings, 0, "recommendation"));
    told.method = std::get<std::string_view>(Cell(findings, 0, "gain_method"));
    told.places = std::get<std::string_view>(Cell(findings, 0, "places"));
  }
  return told;
}

// The same program on two ranks.
inline Told TellOf(const Body& body, int steps = 6, std::int64_t device_bytes = -1) {
  return TellOfRanks({body, body}, steps, device_bytes);
}

// The cause is found first, on both ranks in all steps, at `place` (an op or a call) above all, and
// gains what the program without it saves; of that one nothing is told.
inline void ExpectFound(std::string_view id, std::string_view place, const Body& with,
                        const Body& without, double within_points = 0.5) {
  SCOPED_TRACE(id);
  const Told bad = TellOf(with), good = TellOf(without);
  EXPECT_EQ(bad.first(), id) << bad.ids;
  EXPECT_EQ(bad.ranks, "0-1");
  EXPECT_EQ(bad.steps, "0-5");
  EXPECT_TRUE(bad.places.starts_with(R"([{"op":")" + std::string(place) + '"')) << bad.places;
  EXPECT_NEAR(bad.gain, 100 * (1 - good.mean_step / bad.mean_step), within_points) << bad.title;
  EXPECT_EQ(good.ids, "");
}

}  // namespace rankscope
