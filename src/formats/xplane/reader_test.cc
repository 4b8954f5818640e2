// XPlane files made by hand, field by field.
#include "formats/xplane/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "formats/xplane/device_line.h"
#include "formats/xplane/message.h"

namespace rankscope::xplane {
namespace {

using ::testing::HasSubstr;

// --- a writer of messages, for tests ---

std::string Varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  return out + static_cast<char>(value);
}
std::string Number(std::uint32_t field, std::int64_t value) {
  return Varint(std::uint64_t{field} << 3) + Varint(static_cast<std::uint64_t>(value));
}
std::string Bytes(std::uint32_t field, std::string_view bytes) {
  return Varint(std::uint64_t{field} << 3 | 2) + Varint(bytes.size()) + std::string(bytes);
}
// Element `id` of the maps of names: 4 of events, 5 of stats.
std::string Name(std::uint32_t map, std::int64_t id, std::string_view name) {
  return Bytes(map, Number(1, id) + Bytes(2, Number(1, id) + Bytes(2, name)));
}
std::string Event(std::int64_t name, std::int64_t offset_ps, std::int64_t duration_ps,
                  std::string_view stats = "") {
  return Bytes(
      4, Number(1, name) + Number(2, offset_ps) + Number(3, duration_ps) + std::string(stats));
}
std::string IntStat(std::int64_t name, std::int64_t value) {
  return Bytes(4, Number(1, name) + Number(4, value));
}
std::string TextStat(std::int64_t name, std::string_view text) {
  return Bytes(4, Number(1, name) + Bytes(5, text));
}
std::string ReferenceStat(std::int64_t name, std::int64_t to) {
  return Bytes(4, Number(1, name) + Number(7, to));
}
std::string Line(std::int64_t id, std::string_view name, std::int64_t timestamp_ns,
                 std::string_view events) {
  return Bytes(3, Number(1, id) + Bytes(2, name) + Number(3, timestamp_ns) + std::string(events));
}
std::string Plane(std::string_view name, std::string_view rest) {
  return Bytes(1, Bytes(2, name) + std::string(rest));
}

// A GPU with a kernel of 2.5 us and a copy, and a host that launches it in a step.
std::string Gpu() {
  const std::string details = "regs:32 static_shared:16 dynamic_shared:1024 grid:4,2,1 block:256";
  const std::string plane =
      Line(7, "Stream #7(Kernel)", 1000,
           Event(1, 10'000'999, 2'500'000, IntStat(1, 41) + ReferenceStat(2, 3)) +
               Event(2, 20'000'000, 1'000'000, TextStat(4, "kind_src:pageable size:4096 dest:0"))) +
      Line(8, "XLA Modules", 1000, Event(3, 10'000'000, 12'000'000)) + Name(4, 1, "fusion.kd") +
      Name(4, 2, "MemcpyH2D") + Name(4, 3, "jit_step") + Name(5, 1, "correlation_id") +
      Name(5, 2, "kernel_details") + Name(5, 3, details) + Name(5, 4, "memcpy_details") +
      Name(5, 5, "core_count") + Name(5, 6, "device_type_string") +
      Bytes(6, Number(1, 5) + Number(4, 132)) + Bytes(6, Number(1, 6) + Bytes(5, "NVIDIA H100"));
  const std::string host =
      Line(-5, "main", 1000,
           Event(1, 0, 30'000'000, IntStat(9, 12)) + Event(2, 1'000'000, 20'000'000) +
               Event(3, 2'000'000, 3'000'000, IntStat(8, 41)) + Event(4, 1'500'000, 10'000'000)) +
      Name(4, 1, "train") + Name(4, 2, "$loop.py:3 step") + Name(4, 3, "cudaLaunchKernel") +
      Name(4, 4, "PjitFunction(step)") + Name(5, 8, "correlation_id") + Name(5, 9, "step_num");
  const std::string task =
      Name(5, 1, "profile_start_time") + Bytes(6, Number(1, 1) + Number(3, 1700000000000000000));
  return Plane("/device:GPU:3", plane) + Plane("/host:CPU", host) +
         Plane("Task Environment", task) + Bytes(4, "box");
}

Row Find(const RankTrace& trace, std::string_view name) {
  for (Row row = 0; row < trace.row_count(); ++row) {
    if (trace.name_of(row) == name) return row;
  }
  return kNoRow;
}

TEST(XPlane, DevicesAndHost) {
  const auto trace = ReadTrace(Gpu(), "a.xplane.pb");
  ASSERT_TRUE(trace.ok()) << trace.status().message();
  EXPECT_EQ(trace->row_count(), 7u);
  EXPECT_TRUE(trace->meta.quality.empty());
  EXPECT_EQ(trace->meta.base_ns, 1700000000000000000);
  EXPECT_EQ(trace->meta.host_name, "box");
  ASSERT_EQ(trace->meta.devices.size(), 1u);
  EXPECT_EQ(trace->meta.devices[0].id, 3);
  EXPECT_EQ(trace->meta.devices[0].name, "NVIDIA H100");
  EXPECT_EQ(trace->meta.devices[0].sm_count, 132);
  EXPECT_EQ(trace->meta.devices[0].memory_bytes, -1);

  const Row kernel = Find(*trace, "fusion");
  ASSERT_NE(kernel, kNoRow);
  EXPECT_EQ(trace->ts_ns[kernel], 1000 + 10'000);   // 10,000,999 ps, rounded down
  EXPECT_EQ(trace->end_ns(kernel), 1000 + 12'500);  // 12,500,999 ps
  EXPECT_EQ(trace->track_of(kernel).first, 3);
  EXPECT_EQ(trace->track_of(kernel).second, 7);
  const KernelArgs& args = trace->kernels[trace->aux[kernel]];
  EXPECT_EQ(args.grid, (std::array<std::int32_t, 3>{4, 2, 1}));
  EXPECT_EQ(args.block, (std::array<std::int32_t, 3>{256, -1, -1}));
  EXPECT_EQ(args.registers_per_thread, 32);
  EXPECT_EQ(args.shared_memory_bytes, 1040);
  EXPECT_EQ(args.occupancy_pct, -1);

  const Row copy = Find(*trace, "Memcpy HtoD");
  ASSERT_NE(copy, kNoRow);
  EXPECT_EQ(trace->copies[trace->aux[copy]].bytes, 4096);
  EXPECT_EQ(trace->kind[Find(*trace, "jit_step")], EventKind::kDeviceAnnotation);

  const Row call = trace->link[kernel];
  ASSERT_NE(call, kNoRow);
  EXPECT_EQ(trace->name_of(call), "cudaLaunchKernel");
  const Row op = trace->parent[call];
  EXPECT_EQ(trace->name_of(op), "PjitFunction(step)");
  EXPECT_EQ(trace->name_of(trace->parent[op]), "loop.py:3 step");
  EXPECT_EQ(trace->kind[trace->parent[op]], EventKind::kPythonFunction);
  ASSERT_EQ(trace->steps.size(), 1u);
  EXPECT_EQ(trace->steps[0].number, 12);
  EXPECT_EQ(trace->steps[0].inferred, 0);
}

// A TPU has no streams: its XLA ops are the work.
TEST(XPlane, OpsOfATpuAreItsWork) {
  const auto trace =
      ReadTrace(Plane("/device:TPU:0", Line(1, "Steps", 0, Event(2, 0, 9000)) +
                                           Line(2, "XLA Ops", 0, Event(1, 1000, 2000)) +
                                           Name(4, 1, "fusion.1") + Name(4, 2, "5")),
                "tpu.xplane.pb");
  ASSERT_TRUE(trace.ok()) << trace.status().message();
  ASSERT_EQ(trace->row_count(), 2u);
  EXPECT_EQ(trace->kind[Find(*trace, "fusion.1")], EventKind::kKernel);
  EXPECT_EQ(trace->kind[Find(*trace, "5")], EventKind::kDeviceAnnotation);
}

std::string Category(std::int64_t id, std::string_view name, std::int64_t stat,
                     std::string_view category) {
  return Bytes(4, Number(1, id) + Bytes(2, Number(1, id) + Bytes(2, name) +
                                               Bytes(5, Number(1, stat) + Bytes(5, category))));
}

// Two TPUs, three steps of 10 us: 6 us of a fusion, then an all-reduce of 2 us; a host thread that
// has nothing to do with them.
TEST(XPlane, StepsAndCollectivesOfTpus) {
  constexpr std::int64_t kUs = 1'000'000;
  std::string file;
  for (const char* name : {"/device:TPU:0", "/device:TPU:1"}) {
    std::string ops, modules, steps;
    for (std::int64_t step = 0; step < 3; ++step) {
      ops += Event(1, step * 10 * kUs, 6 * kUs) + Event(2, (step * 10 + 6) * kUs, 2 * kUs);
      modules += Event(3, step * 10 * kUs, 8 * kUs);
      steps += Event(4 + step, step * 10 * kUs, 9 * kUs);
    }
    file += Plane(name, Line(1, "XLA Modules", 1000, modules) + Line(2, "XLA Ops", 1000, ops) +
                            Line(3, "Steps", 1000, steps) +
                            Category(1, "%fusion.1 = bf16[8]{0} fusion(%a), kind=kOutput", 7,
                                     "convolution fusion") +
                            Name(4, 2, "%all-reduce.1 = f32[8]{0} all-reduce(%fusion.1)") +
                            Name(4, 3, "jit_step(1)") + Name(4, 4, "7") + Name(4, 5, "8") +
                            Name(4, 6, "train 9") + Name(5, 7, "hlo_category"));
  }
  std::string ticks;
  for (std::int64_t i = 0; i < 150; ++i) ticks += Event(1, i * kUs / 5, 1000);
  const auto trace =
      ReadTrace(file + Plane("/host:CPU", Line(9, "pool", 1000, ticks) + Name(4, 1, "tick")),
                "tpu.xplane.pb");
  ASSERT_TRUE(trace.ok()) << trace.status().message();
  ASSERT_EQ(trace->steps.size(), 3u);
  for (std::int64_t i = 0; i < 3; ++i) {
    const Step& step = trace->steps[static_cast<std::size_t>(i)];
    EXPECT_EQ(step.number, 7 + i);
    EXPECT_EQ(step.begin_ns, 1000 + i * 10'000);
    EXPECT_EQ(step.end_ns, i < 2 ? 1000 + (i + 1) * 10'000 : 1000 + 29'000);
    EXPECT_EQ(step.inferred, 0);
    EXPECT_EQ(step.complete, i < 2 ? 1 : 0);
  }
  std::size_t works = 0;
  for (Row row = 0; row < trace->row_count(); ++row) works += IsDeviceWork(trace->kind[row]);
  EXPECT_EQ(works, 12u);
  const Row fusion = Find(*trace, "%fusion.1 = bf16[8]{0} fusion(%a), kind=kOutput");
  ASSERT_NE(fusion, kNoRow);
  EXPECT_EQ(trace->strings.Get(trace->categories[trace->category[fusion]]), "convolution fusion");
}

// The time of a loop is that of the ops inside; copies between memories are no work of the core.
TEST(XPlane, LoopsAndCopiesOfTpus) {
  const auto trace = ReadTrace(
      Plane("/device:TPU:0", Line(2, "XLA Ops", 0,
                                  Event(1, 0, 9000) + Event(2, 1000, 2000) + Event(3, 4000, 2000) +
                                      Event(1, 10'000, 9000)) +
                                 Line(3, "Async XLA Ops", 0, Event(4, 0, 6000)) +
                                 Name(4, 1, "while.1") + Name(4, 2, "fusion.1") +
                                 Name(4, 3, "copy-done.1") + Name(4, 4, "copy-start.1")) +
          Plane("/device:TPU:0 SparseCore 1",
                Line(2, "Sparse Core Ops", 0, Event(1, 0, 1000)) + Name(4, 1, "gather.1")),
      "tpu.xplane.pb");
  ASSERT_TRUE(trace.ok()) << trace.status().message();
  EXPECT_EQ(trace->kind[Find(*trace, "copy-done.1")], EventKind::kMemcpy);
  EXPECT_EQ(trace->kind[Find(*trace, "copy-start.1")], EventKind::kDeviceAnnotation);
  EXPECT_EQ(trace->kind[Find(*trace, "fusion.1")], EventKind::kKernel);
  std::size_t loops = 0, loops_of_work = 0;
  for (Row row = 0; row < trace->row_count(); ++row) {
    if (trace->name_of(row) != "while.1") continue;
    ++loops;
    loops_of_work += trace->kind[row] == EventKind::kKernel ? 1 : 0;
  }
  EXPECT_EQ(loops, 2u);
  EXPECT_EQ(loops_of_work, 1u) << "without the ops inside it stands for them";
  const Row gather = Find(*trace, "gather.1");
  ASSERT_NE(gather, kNoRow);
  EXPECT_EQ(trace->track_of(gather).first, 0);
  EXPECT_NE(trace->track[gather], trace->track[Find(*trace, "fusion.1")]);
  EXPECT_EQ(trace->meta.devices.size(), 1u);
}

// TensorFlow's host has a kernel's name where JAX has the call's.
TEST(XPlane, CallsNamedAsTheirKernels) {
  const auto trace = ReadTrace(
      Plane("/host:CPU", Line(9, "tf_gpu_private_0", 0, Event(1, 0, 4000, IntStat(2, 5))) +
                             Name(4, 1, "void fill<float>()") + Name(5, 2, "correlation_id")) +
          Plane("/device:GPU:0",
                Line(7, "Stream #7(Compute)", 0, Event(1, 9000, 4000, IntStat(2, 5))) +
                    Name(4, 1, "void fill<float>()") + Name(5, 2, "correlation_id")),
      "tf.xplane.pb");
  ASSERT_TRUE(trace.ok()) << trace.status().message();
  ASSERT_EQ(trace->launch_kernels.size(), 1u);
  EXPECT_EQ(trace->kind[trace->launch_kernels[0].from], EventKind::kRuntime);
  EXPECT_EQ(trace->kind[trace->launch_kernels[0].to], EventKind::kKernel);
}

TEST(XPlane, AFileThatWasTakenForTextIsToldAsSuch) {
  const auto trace = ReadTrace("\n\xEF\xBF\xBD\xEF\xBF\xBD\x06\x08\x02\x12\n/device:TPU:0", "a.pb");
  ASSERT_FALSE(trace.ok());
  EXPECT_THAT(std::string(trace.status().message()), HasSubstr("byte for byte"));
}

TEST(XPlane, TimesOutOfRangeAreSkipped) {
  const auto trace = ReadTrace(
      Plane("/host:CPU", Line(1, "main", 5, Event(1, -1, 4) + Event(1, 0, -4) + Event(1, 0, 4000)) +
                             Line(2, "far", INT64_MAX, Event(1, 0, 1)) + Name(4, 1, "f")),
      "a.xplane.pb");
  ASSERT_TRUE(trace.ok()) << trace.status().message();
  EXPECT_EQ(trace->row_count(), 1u);
  EXPECT_EQ(trace->meta.bad_event_count, 3u);
}

TEST(XPlane, NamesThatAreNotUtf8) {
  const auto trace =
      ReadTrace(Plane("/host:CPU", Line(1, "main", 5, Event(1, 0, 4000)) + Name(4, 1, "f\xFF")) +
                    Bytes(4, "b\xFFx"),
                "a.xplane.pb");
  ASSERT_TRUE(trace.ok()) << trace.status().message();
  EXPECT_EQ(trace->name_of(0), "f\xEF\xBF\xBD");
  EXPECT_EQ(trace->meta.host_name, "b\xEF\xBF\xBDx");
  ASSERT_EQ(trace->meta.quality.size(), 1u);
  EXPECT_EQ(trace->meta.quality[0].code, QualityCode::kInvalidUtf8);
}

// Cut anywhere or with a byte changed: an answer that says so, or a sentence.
TEST(XPlane, DamagedFiles) {
  const std::string whole = Gpu();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto trace = ReadTrace(std::string_view(whole).substr(0, size), "cut.xplane.pb");
    if (!trace.ok()) {
      EXPECT_THAT(std::string(trace.status().message()), HasSubstr("cut.xplane.pb: "));
    } else {
      EXPECT_LE(trace->row_count(), 7u);
    }
  }
  std::size_t damaged = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0xFF);
    const auto trace = ReadTrace(bytes, "bad.xplane.pb");
    damaged += trace.ok() && !trace->meta.quality.empty();
  }
  EXPECT_GT(damaged, 0u);
}

TEST(XPlane, IsToldByTheNameOfItsFirstPlane) {
  EXPECT_TRUE(IsTrace(Gpu()));
  EXPECT_TRUE(IsTrace(Plane("/host:metadata", "")));
  EXPECT_FALSE(IsTrace("{\"traceEvents\":[]}"));
  EXPECT_FALSE(IsTrace("\n\n{\"a\": 1}"));
  EXPECT_FALSE(IsTrace(""));
}

TEST(DeviceLine, NamesOfDevices) {
  EXPECT_EQ(ParseDeviceName("/device:GPU:3").number, 3);
  EXPECT_EQ(ParseDeviceName("/device:GPU:3").part, 0);
  EXPECT_EQ(ParseDeviceName("/device:TPU:1 SparseCore 2").number, 1);
  EXPECT_EQ(ParseDeviceName("/device:TPU:1 SparseCore 2").part, 3);
  EXPECT_EQ(ParseDeviceName("/device:CUSTOM:Megascale Trace").number, -1);
}

TEST(DeviceLine, SummariesAreNoWork) {
  EXPECT_EQ(RoleOfLine("Stream #7(Compute)", true), LineRole::kWork);
  EXPECT_EQ(RoleOfLine("XLA Ops", true), LineRole::kSummary);
  EXPECT_EQ(RoleOfLine("XLA Ops", false), LineRole::kWork);
  EXPECT_EQ(RoleOfLine("Steps", false), LineRole::kSteps);
  for (const char* line : {"XLA Modules", "Async XLA Ops", "Framework Ops", "Framework Name Scope",
                           "TensorFlow Ops", "Source code"})
    EXPECT_EQ(RoleOfLine(line, false), LineRole::kSummary);
}

TEST(DeviceLine, NumbersOfSteps) {
  EXPECT_EQ(StepNumberOf("12"), 12);
  EXPECT_EQ(StepNumberOf("train 12"), 12);
  EXPECT_EQ(StepNumberOf(""), std::nullopt);
  EXPECT_EQ(StepNumberOf("train"), std::nullopt);
  EXPECT_EQ(StepNumberOf("-1"), std::nullopt);
}

TEST(Message, KindsOfFields) {
  const std::string bytes = Number(1, -2) + Bytes(2, "ab") +
                            std::string("\x1d\x01\x02\x00\x00", 5) +
                            std::string("\x21\x01\x00\x00\x00\x00\x00\x00\x80", 9);
  Message message(bytes);
  ASSERT_TRUE(message.Next());
  EXPECT_EQ(message.field(), 1u);
  EXPECT_EQ(message.Int(), -2);
  ASSERT_TRUE(message.Next());
  EXPECT_EQ(message.Bytes(), "ab");
  EXPECT_EQ(message.Int(), 0);
  ASSERT_TRUE(message.Next());
  EXPECT_EQ(message.field(), 3u);
  EXPECT_EQ(message.Int(), 0x201);
  ASSERT_TRUE(message.Next());
  EXPECT_EQ(message.field(), 4u);
  EXPECT_EQ(static_cast<std::uint64_t>(message.Int()), 0x8000000000000001u);
  EXPECT_FALSE(message.Next());
  EXPECT_FALSE(message.is_damaged());
}

TEST(Message, DamageEndsIt) {
  const std::string_view damaged[] = {
      "\x0a\x05"
      "ab",                                            // shorter than it says
      "\x08",                                          // no value
      "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",  // no end of the number
      "\x0b",                                          // a group
      "\x0d\x01",                                      // 32 bits cut off
      "\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",  // longer than memory
  };
  for (const std::string_view bytes : damaged) {
    Message message(bytes);
    EXPECT_FALSE(message.Next());
    EXPECT_TRUE(message.is_damaged());
    EXPECT_FALSE(message.Next());
  }
}

}  // namespace
}  // namespace rankscope::xplane
