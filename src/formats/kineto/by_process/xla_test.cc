#include "formats/kineto/by_process/xla.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>

#include "formats/columnar/check.h"
#include "formats/kineto/read_for_test.h"
#include "formats/kineto/reader.h"

namespace rankscope::kineto {
namespace {

class XlaFile {
 public:
  XlaFile& Process(int pid, std::string_view name) {
    return Add(fmt::format(R"({{"ph":"M","pid":{},"name":"process_name","args":{{"name":"{}"}}}})",
                           pid, name));
  }
  XlaFile& Thread(int pid, int tid, std::string_view name) {
    return Add(
        fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":"{}"}}}})",
                    pid, tid, name));
  }
  XlaFile& Event(int pid, int tid, double ts, double dur, std::string_view name,
                 std::string_view args = "") {
    return Add(
        fmt::format(R"({{"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"name":"{}","args":{{{}}}}})",
                    pid, tid, ts, dur, name, args));
  }
  RankTrace Read() const {
    const std::string text = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[" + events_ + "{}]}";
    const auto source = OpenByteSource(std::string_view(text));
    auto trace = ReadTrace(*source, "file");
    EXPECT_TRUE(trace.ok()) << trace.status().message();
    EXPECT_TRUE(columnar::IsSound(*trace));
    return std::move(trace).value();
  }

 private:
  XlaFile& Add(const std::string& event) {
    events_ += event + ",\n";
    return *this;
  }
  std::string events_;
};

XlaFile Gpu() {
  XlaFile file;
  file.Process(1, "/device:GPU:3").Process(701, "/host:CPU");
  file.Thread(1, 20, "Stream #20(Compute)").Thread(1, 21, "Stream #21(MemcpyH2D)");
  file.Thread(1, 90, "XLA Ops").Thread(1, 91, "Steps").Thread(701, 5, "python");
  return file;
}

TEST(Xla, KernelsCallsAndMarksOfAGpu) {
  const RankTrace trace =
      Gpu()
          .Event(701, 5, 100, 900, "train", R"("step_num":"7")")
          .Event(701, 5, 110, 500, "$train.py:12 step")
          .Event(701, 5, 120, 5, "cuLaunchKernel", R"("correlation_id":"41")")
          .Event(701, 5, 130, 40, "Compile")
          .Event(1, 20, 200.5, 150.25, "gemm_fusion_dot_3.kd",
                 R"("correlation_id":"41","hlo_op":"dot.3","kernel_details":"regs:90 )"
                 R"(static_shared:16 dynamic_shared:0 grid:128,2,1 block:256,1,1 occ_pct:25")")
          .Event(1, 21, 400, 10, "MemcpyH2D", R"("memcpy_details":"kind_src:pageable size:4096")")
          .Event(1, 90, 200.5, 150.25, "dot.3")
          .Read();
  ASSERT_EQ(trace.row_count(), 7U);
  const Row kernel = RowNamed(trace, "gemm_fusion_dot_3");
  EXPECT_EQ(trace.kind[kernel], EventKind::kKernel);
  EXPECT_EQ(trace.track_of(kernel).domain, Domain::kDevice);
  EXPECT_EQ(trace.track_of(kernel).first, 3);
  EXPECT_EQ(trace.track_of(kernel).second, 20);
  EXPECT_EQ(trace.dur_ns[kernel], 150'250);
  EXPECT_EQ(trace.link[kernel], RowNamed(trace, "cuLaunchKernel"));
  const KernelArgs& args = trace.kernels[trace.aux[kernel]];
  EXPECT_EQ(args.grid[0], 128);
  EXPECT_EQ(args.block[0], 256);
  EXPECT_EQ(args.registers_per_thread, 90);
  const Row copy = RowNamed(trace, "Memcpy HtoD");
  EXPECT_EQ(trace.kind[copy], EventKind::kMemcpy);
  EXPECT_EQ(trace.copies[trace.aux[copy]].bytes, 4096);
  EXPECT_EQ(trace.kind[RowNamed(trace, "dot.3")], EventKind::kDeviceAnnotation);
  EXPECT_EQ(trace.kind[RowNamed(trace, "cuLaunchKernel")], EventKind::kRuntime);
  EXPECT_EQ(trace.kind[RowNamed(trace, "train.py:12 step")], EventKind::kPythonFunction);
  EXPECT_EQ(trace.kind[RowNamed(trace, "Compile")], EventKind::kCpuOp);
  EXPECT_EQ(trace.kind[RowNamed(trace, "ProfilerStep#7")], EventKind::kUserAnnotation);
  ASSERT_EQ(trace.steps.size(), 1U);
  EXPECT_EQ(trace.steps[0].number, 7);
}

// Without streams the lines of XLA ops are the work; a loop's time is that of what is inside.
TEST(Xla, OpsAndStepsOfATpu) {
  XlaFile file;
  file.Process(3, "/device:TPU:0").Thread(3, 1, "Steps").Thread(3, 2, "XLA Modules");
  file.Thread(3, 3, "XLA Ops");
  for (const int step : {0, 1, 2}) {
    const double at = 1000 * step;
    file.Event(3, 1, at, 900, std::to_string(step)).Event(3, 2, at, 900, "jit_step(1)");
    file.Event(3, 3, at, 500, "while.1").Event(3, 3, at + 10, 200, "fusion.5");
    file.Event(3, 3, at + 600, 100, "copy-start.1");
  }
  const RankTrace trace = file.Read();
  ASSERT_EQ(trace.steps.size(), 3U);
  EXPECT_EQ(trace.steps[1].number, 1);
  EXPECT_EQ(trace.steps[1].begin_ns, 1'000'000);
  EXPECT_EQ(trace.kind[RowNamed(trace, "while.1")], EventKind::kDeviceAnnotation);
  EXPECT_EQ(trace.kind[RowNamed(trace, "fusion.5")], EventKind::kKernel);
  EXPECT_EQ(trace.kind[RowNamed(trace, "copy-start.1")], EventKind::kMemcpy);
  EXPECT_EQ(trace.kind[RowNamed(trace, "jit_step(1)")], EventKind::kDeviceAnnotation);
  EXPECT_EQ(trace.track_of(RowNamed(trace, "fusion.5")).domain, Domain::kDevice);
}

// Rows of a process that no profiler of XLA writes stay what they are.
TEST(Xla, WithoutADeviceNothingChanges) {
  XlaFile file;
  file.Process(701, "/host:CPU").Event(701, 5, 100, 900, "train");
  const RankTrace trace = file.Read();
  ASSERT_EQ(trace.row_count(), 1U);
  EXPECT_EQ(trace.kind[0], EventKind::kOther);
}

}  // namespace
}  // namespace rankscope::kineto
