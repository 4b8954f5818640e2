#include "formats/kineto/by_process/ascend.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>

#include "formats/columnar/check.h"
#include "formats/kineto/by_process/ascend_task.h"
#include "formats/kineto/reader.h"

namespace rankscope::kineto {
namespace {

// Processes of torch_npu's files: those of device 1 end in its number.
constexpr int kPython = 700, kCann = 32, kHardware = 65, kHccl = 129, kOverlap = 193;

class AscendTest : public testing::Test {
 protected:
  AscendTest() {
    Name(kPython, "Python");
    Name(kCann, "CANN");
    Name(kHardware, "Ascend Hardware");
    Name(kHccl, "HCCL");
    Name(kOverlap, "Overlap Analysis");
  }

  void Name(int pid, std::string_view name) {
    Event(R"("ph":"M","name":"process_name","pid":{},"tid":0,"args":{{"name":"{}"}})", pid, name);
  }
  void Row(int pid, int tid, std::string_view name, int ts, int dur, std::string_view args = "") {
    Event(R"("ph":"X","name":"{}","pid":{},"tid":{},"ts":"{}.000","dur":{},"args":{{{}}})", name,
          pid, tid, ts, dur, args);
  }
  void Op(int tid, std::string_view name, int ts, int dur) {
    Event(R"("ph":"X","cat":"cpu_op","name":"{}","pid":{},"tid":{},"ts":"{}.000","dur":{})", name,
          kPython, tid, ts, dur);
  }
  void Arrow(char phase, std::string_view category, int id, int pid, int tid, int ts) {
    Event(R"("ph":"{}","cat":"{}","name":"a","id":"{}","pid":{},"tid":{},"ts":"{}.000")", phase,
          category, id, pid, tid, ts);
  }
  template <typename... Values>
  void Event(fmt::format_string<Values...> text, Values&&... values) {
    if (!events_.empty()) events_ += ",\n";
    events_ += "{" + fmt::format(text, std::forward<Values>(values)...) + "}";
  }

  void Read() {
    const std::string text = "[" + events_ + "]";
    const auto source = OpenByteSource(std::string_view(text));
    auto trace = ReadTrace(*source, "trace_view.json");
    ASSERT_TRUE(trace.ok()) << trace.status().message();
    ASSERT_TRUE(columnar::IsSound(*trace));
    trace_ = std::move(*trace);
  }
  rankscope::Row Named(std::string_view name) const {
    for (rankscope::Row row = 0; row < trace_.row_count(); ++row) {
      if (trace_.name_of(row) == name) return row;
    }
    ADD_FAILURE() << "no row named " << name;
    return 0;
  }
  // "kernel of device 1 stream 2".
  std::string Placed(std::string_view name) const {
    const rankscope::Row row = Named(name);
    const Track& track = trace_.track_of(row);
    const bool of_device = track.domain == Domain::kDevice || track.domain == Domain::kDeviceSync;
    return fmt::format("{} {} {}/{}", ToString(trace_.kind[row]),
                       of_device                       ? "device"
                       : track.domain == Domain::kHost ? "host"
                                                       : "other",
                       track.first, track.second);
  }
  std::string LaunchOf(std::string_view name) const {
    const rankscope::Row call = trace_.link[Named(name)];
    return call == kNoRow ? "" : std::string(trace_.name_of(call));
  }

  std::string events_;
  RankTrace trace_;
};

TEST_F(AscendTest, TasksByTheirTypes) {
  const auto task = [&](std::string_view name, std::string_view type, int stream, int ts) {
    Row(kHardware, stream, name, ts, 5, fmt::format(R"("Task Type":"{}")", type));
  };
  task("MatMulV2", "AI_CORE", 2, 10);
  task("ReduceSum7", "MIX_AIV", 2, 20);
  task("DSAGenBitMask", "DSA_SQE", 3, 30);
  task("MEMCPY_ASYNC", "PCIE_DMA_SQE", 2, 40);
  task("EVENT_WAIT", "EVENT_WAIT_SQE", 2, 50);
  task("Notify Wait", "Notify Wait", 4, 60);
  task("SDMA", "SDMA", 4, 70);
  task("PROFILING_ENABLE", "PLACE_HOLDER_SQE", 0, 80);
  Row(kHardware, 2, "old", 90, 5);
  Row(kOverlap, 0, "Computing", 10, 25);
  Read();
  EXPECT_EQ(Placed("MatMulV2"), "kernel device 1/2");
  EXPECT_EQ(Placed("ReduceSum7"), "kernel device 1/2");
  EXPECT_EQ(Placed("DSAGenBitMask"), "kernel device 1/3");
  EXPECT_EQ(Placed("MEMCPY_ASYNC"), "memcpy device 1/2");
  EXPECT_EQ(Placed("EVENT_WAIT"), "device_sync device 1/2");
  EXPECT_EQ(Placed("Notify Wait"), "device_sync device 1/4");
  EXPECT_EQ(Placed("SDMA"), fmt::format("other other {}/4", kHardware));
  EXPECT_EQ(Placed("PROFILING_ENABLE"), fmt::format("other other {}/0", kHardware));
  EXPECT_EQ(Placed("old"), "kernel device 1/2");
  EXPECT_EQ(Placed("Computing"), fmt::format("other other {}/0", kOverlap));
  ASSERT_EQ(trace_.meta.devices.size(), 1U);
  EXPECT_EQ(trace_.meta.devices[0].id, 1);
  EXPECT_EQ(trace_.meta.devices[0].name, kAscendDevice);
}

TEST_F(AscendTest, CallsAreOnThreadsOfThePythonProcess) {
  Op(7, "aten::mm", 0, 50);
  Row(kCann, 7, "AscendCL@aclnnMatmul", 10, 20, R"("connection_id":0)");
  Row(kCann, 7, "Node@launch", 15, 5, R"("connection_id":3)");
  Row(kHardware, 2, "MatMulV2", 60, 30, R"("Task Type":"AI_CORE","connection_id":0)");
  Row(kHardware, 2, "Cast", 90, 10, R"("Task Type":"AI_CORE","connection_id":3)");
  Read();
  EXPECT_EQ(Placed("AscendCL@aclnnMatmul"), fmt::format("runtime host {}/7", kPython));
  EXPECT_EQ(trace_.name_of(trace_.parent[Named("AscendCL@aclnnMatmul")]), "aten::mm");
  EXPECT_EQ(LaunchOf("MatMulV2"), "AscendCL@aclnnMatmul") << "connections count from 0";
  EXPECT_EQ(LaunchOf("Cast"), "Node@launch");
  EXPECT_EQ(trace_.correlation[Named("Cast")], 3);
  EXPECT_EQ(trace_.row_ids.size(), 4U) << "what the file says of their processes";
}

TEST_F(AscendTest, ACollectiveOnceOnTheStreamOfItsTasks) {
  Row(kCann, 7, "Node@launch", 0, 5, R"("connection_id":9)");
  Row(kHccl, 0, "hcom_allReduce__586_0_1", 20, 100,
      R"("connection_id":9,"data_type":"FP32","alg_type":"MESH-RING","count":4097000)");
  Row(kHccl, 1, "Reduce_Inline", 20, 5, R"("task type":"Reduce_Inline")");
  Row(kHardware, 4, "SDMA", 20, 5, R"("Task Type":"SDMA","connection_id":9)");
  Row(kHccl, 0, "hcom_reduceScatter__586_1_1", 200, 10, R"("data_type":"BFP16","count":5)");
  Read();
  EXPECT_EQ(Placed("hcom_allReduce__586_0_1"), "kernel device 1/4");
  EXPECT_EQ(LaunchOf("hcom_allReduce__586_0_1"), "Node@launch");
  const rankscope::Row row = Named("hcom_allReduce__586_0_1");
  const CollectiveArgs& args = trace_.collectives[trace_.kernels[trace_.aux[row]].collective];
  EXPECT_EQ(trace_.strings.Get(args.name), "allReduce");
  EXPECT_EQ(trace_.strings.Get(args.dtype), "Float");
  EXPECT_EQ(trace_.strings.Get(args.group_name), "586");
  EXPECT_EQ(args.in_elements, 4097000);
  EXPECT_EQ(args.row, row);
  EXPECT_EQ(Placed("Reduce_Inline"), fmt::format("other other {}/1", kHccl));
  EXPECT_EQ(Placed("hcom_reduceScatter__586_1_1"), "kernel device 1/5")
      << "a stream of its own where no task says one";
  EXPECT_EQ(trace_.collectives[1].out_elements, 5);
}

TEST_F(AscendTest, ArrowsLinkWhatConnectionsDoNot) {
  Row(kCann, 7, "AscendCL@aclnnAdd", 0, 20);
  Row(kCann, 7, "Node@launch", 5, 10);
  Row(kHardware, 2, "Add", 40, 5, R"("Task Type":"AI_VECTOR_CORE")");
  Arrow('s', "HostToDevice", 77, kCann, 7, 5);
  Arrow('f', "HostToDevice", 77, kHardware, 2, 40);
  Read();
  EXPECT_EQ(LaunchOf("Add"), "Node@launch");
}

TEST_F(AscendTest, BeginsAndEndsInPlaceOfCompleteRows) {
  Event(R"("ph":"B","name":"Cast","pid":{},"tid":2,"ts":"10.0","args":{{"Task Type":"AI_CORE"}})",
        kHardware);
  Event(R"("ph":"E","pid":{},"tid":2,"ts":"14.5")", kHardware);
  Event(R"("ph":"E","pid":{},"tid":2,"ts":"15.5")", kHardware);
  Read();
  EXPECT_EQ(Placed("Cast"), "kernel device 1/2");
  EXPECT_EQ(trace_.dur_ns[Named("Cast")], 4500);
  ASSERT_EQ(trace_.meta.quality.size(), 1U);
  EXPECT_EQ(trace_.meta.quality[0].code, QualityCode::kUnmatchedBegin);
}

TEST(Ascend, OtherFilesStay) {
  const auto source = OpenByteSource(std::string_view(
      R"([{"ph":"M","name":"process_name","pid":1,"args":{"name":"HCCL"}},
          {"ph":"X","name":"hcom_allReduce__1_0_1","pid":1,"tid":1,"ts":1,"dur":2}])"));
  const auto trace = ReadTrace(*source, "file");
  ASSERT_TRUE(trace.ok());
  EXPECT_EQ(trace->kind[0], EventKind::kOther);
}

TEST(Ascend, TypesThatAreNotKnownAreNoWork) {
  EXPECT_EQ(TaskOf("x", "NEW_ENGINE_SQE"), AscendTask::kUnknown);
  EXPECT_EQ(TaskOf("hcom_allReduce_", "FFTS_PLUS"), AscendTask::kNoWork);
  EXPECT_EQ(TaskOf("Conv2DBackpropFilter6_MemSet", "AI_CORE"), AscendTask::kKernel);
  EXPECT_EQ(TaskOf("MemcpyKernel", "AI_CORE"), AscendTask::kKernel);
  EXPECT_EQ(AscendCollectiveOf("hcom_receive__12_3_1").op, "recv");
  EXPECT_EQ(AscendCollectiveOf("hcom_").op, "");
}

}  // namespace
}  // namespace rankscope::kineto
