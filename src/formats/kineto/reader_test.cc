#include "formats/kineto/reader.h"

#include <gtest/gtest.h>

#include <string>

#include "formats/columnar/check.h"
#include "formats/kineto/read_for_test.h"
#include "formats/same_trace_for_test.h"

namespace rankscope::kineto {
namespace {

// A trace of these events, in an object that states what files usually state.
std::string Wrap(std::string_view events) {
  return R"({"baseTimeNanoseconds":1000000,"distributedInfo":{"rank":3,"world_size":8},"traceEvents":[)" +
         std::string(events) + "]}";
}

RankTrace ReadEvents(std::string_view events) {
  Result<RankTrace> trace = ReadText(Wrap(events));
  EXPECT_TRUE(trace.ok()) << trace.status().message();
  EXPECT_TRUE(columnar::IsSound(*trace));
  return std::move(trace).value();
}

TEST(Reader, AnOpWithItsArguments) {
  const RankTrace trace = ReadEvents(R"({"ph":"X","cat":"cpu_op","name":"aten::mm","pid":10,
    "tid":20,"ts":5.5,"dur":2.25,"args":{"External id":7,"Record function id":0,"Sequence number":33,
    "Fwd thread id":1,"Input Dims":[[2, 3],[ ]],"Input type":["float",""],
    "Input Strides":[[3,1],[]],"Concrete Inputs":["","2"],"Ev Idx":4}})");
  ASSERT_EQ(trace.row_count(), 1U);
  EXPECT_EQ(trace.kind[0], EventKind::kCpuOp);
  EXPECT_EQ(trace.name_of(0), "aten::mm");
  EXPECT_EQ(trace.strings.Get(trace.categories[trace.category[0]]), "cpu_op");
  EXPECT_EQ(trace.ts_ns[0], 5500);
  EXPECT_EQ(trace.dur_ns[0], 2250);
  EXPECT_EQ(trace.external_id[0], 7);
  EXPECT_EQ(trace.correlation[0], kNoCorrelation);
  EXPECT_EQ(trace.track_of(0).domain, Domain::kHost);
  EXPECT_EQ(trace.track_of(0).first, 10);
  EXPECT_EQ(trace.track_of(0).second, 20);
  const OpArgs& op = trace.ops[trace.aux[0]];
  EXPECT_EQ(trace.strings.Get(op.input_dims), "[[2,3],[]]");
  EXPECT_EQ(trace.strings.Get(op.input_types), R"(["float",""])");
  EXPECT_EQ(trace.strings.Get(op.input_strides), "[[3,1],[]]");
  EXPECT_EQ(trace.strings.Get(op.concrete_inputs), R"(["","2"])");
  EXPECT_EQ(op.sequence_number, 33);
  EXPECT_EQ(op.forward_thread, 1);
  EXPECT_EQ(op.collective, kNoAux);
}

TEST(Reader, AKernelOnStreamZeroWithItsArguments) {
  const RankTrace trace = ReadEvents(R"({"ph":"X","cat":"kernel","name":"k","pid":1,"tid":7,
    "ts":1,"dur":1,"args":{"device":2,"stream":0,"context":1,"correlation":99,"External id":5,
    "grid":[4,5,6],"block":[128,2,1],"registers per thread":40,"shared memory":2048,
    "blocks per SM":1.5,"warps per SM":12,"est. achieved occupancy %":37}})");
  EXPECT_EQ(trace.kind[0], EventKind::kKernel);
  EXPECT_EQ(trace.track_of(0).domain, Domain::kDevice);
  EXPECT_EQ(trace.track_of(0).first, 2) << "the device of the arguments, not the pid";
  EXPECT_EQ(trace.track_of(0).second, 0);
  EXPECT_EQ(trace.correlation[0], 99);
  const KernelArgs& kernel = trace.kernels[trace.aux[0]];
  EXPECT_EQ(kernel.grid, (std::array<std::int32_t, 3>{4, 5, 6}));
  EXPECT_EQ(kernel.block, (std::array<std::int32_t, 3>{128, 2, 1}));
  EXPECT_EQ(kernel.registers_per_thread, 40);
  EXPECT_EQ(kernel.shared_memory_bytes, 2048);
  EXPECT_EQ(kernel.blocks_per_sm, 1.5F);
  EXPECT_EQ(kernel.warps_per_sm, 12.0F);
  EXPECT_EQ(kernel.occupancy_pct, 37.0F);
  EXPECT_EQ(kernel.context, 1);
  EXPECT_EQ(kernel.collective, kNoAux);
}

// HIP's launches say which kernel; in a capture of a graph nothing else does.
TEST(Reader, ALaunchNamesItsKernel) {
  const RankTrace trace = ReadEvents(R"json(
    {"ph":"X","cat":"kernel","name":"other","pid":1,"tid":7,"ts":1,"dur":1,"args":{"device":0}},
    {"ph":"X","cat":"cuda_runtime","name":"hipLaunchKernel","pid":1,"tid":1,"ts":1,"dur":1,
     "args":{"correlation":1,"kernel":"void k<4>(int)"}},
    {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":2,"dur":1,
     "args":{"correlation":2}})json");
  ASSERT_EQ(trace.row_count(), 3U);
  EXPECT_EQ(trace.kind[0], EventKind::kRuntime);
  EXPECT_EQ(trace.strings.Get(trace.aux[0]), "void k<4>(int)");
  EXPECT_EQ(trace.aux[1], kNoAux);
}

// The ids that the file states are kept where the track does not tell them.
TEST(Reader, IdsThatTheTrackDoesNotTell) {
  const RankTrace trace = ReadEvents(R"json(
    {"ph":"X","cat":"kernel","name":"plain","pid":0,"tid":7,"ts":1,"dur":1,
     "args":{"device":0,"stream":7}},
    {"ph":"X","cat":"kernel","name":"old","pid":0,"tid":"stream 7","ts":2,"dur":1,
     "args":{"device":0,"stream":7}},
    {"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":2,"ts":1,"dur":1,"args":{"External id":3}},
    {"ph":"X","cat":"cpu_op","name":"triton","pid":1,"tid":2,"ts":3,"dur":1,"args":{"stream":0}},
    {"ph":"X","cat":"hip_runtime","name":"hip","pid":1,"tid":2,"ts":5,"dur":1,
     "args":{"stream":"0x0"}},
    {"ph":"X","cat":"mtia_ccp_events","name":"mtia","pid":17,"tid":3536,"ts":1,"dur":1,
     "args":{"device":0,"stream":101}},
    {"ph":"X","cat":"kernel","name":"no stream","pid":0,"tid":9,"ts":5,"dur":1,"args":{"device":0}},
    {"ph":"X","cat":"cuda_sync","name":"Context Sync","pid":0,"tid":-1,"ts":9,"dur":1,
     "args":{"device":0,"stream":4294967295}})json");
  const std::int64_t kExpected[][4] = {// source, stream, pid, tid
                                       {3, 0, 1, 2},
                                       {5, 101, 17, 3536},
                                       {6, -1, 0, 9},
                                       {7, 4294967295, 0, -1}};
  ASSERT_EQ(trace.row_ids.size(), std::size(kExpected));
  for (std::size_t i = 0; i < std::size(kExpected); ++i) {
    EXPECT_EQ(trace.row_ids[i].source, kExpected[i][0]);
    EXPECT_EQ(trace.row_ids[i].stream, kExpected[i][1]) << i;
    EXPECT_EQ(trace.row_ids[i].pid, kExpected[i][2]) << i;
    EXPECT_EQ(trace.row_ids[i].tid, kExpected[i][3]) << i;
  }
}

TEST(Reader, WhatIsNotStatedIsUnknown) {
  const RankTrace trace = ReadEvents(R"json(
    {"ph":"X","cat":"kernel","name":"bare","pid":3,"tid":9,"ts":1,"dur":1},
    {"ph":"X","cat":"kernel","name":"odd","pid":0,"tid":7,"ts":2,"dur":1,"args":{"stream":7,
     "grid":"(1,)","block":[1],"registers per thread":99999999999,"blocks per SM":"many"
}
},
    {"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":1,"args":{"External id":1}})json");
  const Row bare = RowNamed(trace, "bare");
  EXPECT_EQ(trace.aux[bare], kNoAux);
  EXPECT_EQ(trace.correlation[bare], kNoCorrelation);
  EXPECT_EQ(trace.external_id[bare], kNoId);
  EXPECT_EQ(trace.track_of(bare).first, 3);
  EXPECT_EQ(trace.track_of(bare).second, 9);
  const KernelArgs& odd = trace.kernels[trace.aux[RowNamed(trace, "odd")]];
  EXPECT_EQ(odd.grid, (std::array<std::int32_t, 3>{-1, -1, -1}));
  EXPECT_EQ(odd.block, (std::array<std::int32_t, 3>{1, -1, -1}));
  EXPECT_EQ(odd.registers_per_thread, -1) << "does not fit";
  EXPECT_EQ(odd.blocks_per_sm, -1.0F);
  const Row op = RowNamed(trace, "op");
  EXPECT_EQ(trace.dur_ns[op], kNoDuration);
  EXPECT_EQ(trace.aux[op], kNoAux);
}

// The reader uses one set of arguments again and again.
TEST(Reader, ArgumentsDoNotReachTheNextEvent) {
  const std::string full = R"json("device":0,"stream":7,"correlation":9,"External id":5,
    "grid":[4,5,6],"block":[1,2,3],"registers per thread":40,"Collective name":"allreduce",
    "Input Dims":[[1]],"Sequence number":8,"Fwd thread id":2)json";
  std::string many = full;  // more keys than any event has
  for (int i = 0; i < 100; ++i) many += ",\"External id\":6";
  for (const std::string& args : {full, many}) {
    const RankTrace trace = ReadEvents(
        R"({"ph":"X","cat":"kernel","name":"full","pid":0,"tid":7,"ts":1,"dur":1,"args":{)" + args +
        R"(}},{"ph":"X","cat":"kernel","name":"k","pid":3,"tid":4,"ts":2,"dur":1,"args":{}},
           {"ph":"X","cat":"cpu_op","name":"o","pid":1,"tid":1,"ts":3,"dur":1,
            "args":{"Input Dims":[[2]]}},
           {"ph":"X","cat":"cuda_runtime","name":"r","pid":1,"tid":1,"ts":4,"dur":1})");
    EXPECT_EQ(trace.correlation[RowNamed(trace, "full")], 9);
    const Row kernel = RowNamed(trace, "k");
    EXPECT_EQ(trace.track_of(kernel).first, 3);
    EXPECT_EQ(trace.track_of(kernel).second, 4);
    EXPECT_EQ(trace.external_id[kernel], kNoId);
    const KernelArgs& bare = trace.kernels[trace.aux[kernel]];
    EXPECT_EQ(bare.grid, (std::array<std::int32_t, 3>{-1, -1, -1}));
    EXPECT_EQ(bare.block, (std::array<std::int32_t, 3>{-1, -1, -1}));
    EXPECT_EQ(bare.registers_per_thread, -1);
    EXPECT_EQ(bare.collective, kNoAux);
    const OpArgs& op = trace.ops[trace.aux[RowNamed(trace, "o")]];
    EXPECT_EQ(trace.strings.Get(op.input_dims), "[[2]]");
    EXPECT_EQ(op.sequence_number, -1);
    EXPECT_EQ(op.forward_thread, -1);
    EXPECT_EQ(op.collective, kNoAux);
    EXPECT_EQ(trace.correlation[RowNamed(trace, "r")], kNoCorrelation);
  }
}

TEST(Reader, CollectivesOfKernelsAndOps) {
  const std::string args = R"("Collective name":"allreduce","dtype":"Float","In msg nelems":10,
    "Out msg nelems":20,"Group size":4,"Process Group Name":"0","Process Group Description":"dp",
    "Process Group Ranks":"[0, 1]","In split size":"[1]","Out split size":"[2]","Seq":6,
    "Src Rank":1,"Dst Rank":2)";
  const RankTrace trace =
      ReadEvents(R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":1,"args":{)" +
                 args + R"(}},{"ph":"X","cat":"cpu_op","name":"o","pid":1,"tid":1,"ts":1,"dur":1,
                 "args":{)" +
                 args + "}}");
  ASSERT_EQ(trace.collectives.size(), 2U);
  const Row kernel = RowNamed(trace, "k");
  const Row op = RowNamed(trace, "o");
  for (const std::uint32_t index :
       {trace.kernels[trace.aux[kernel]].collective, trace.ops[trace.aux[op]].collective}) {
    const CollectiveArgs& c = trace.collectives[index];
    const auto text = [&](StringId id) { return trace.strings.Get(id); };
    EXPECT_EQ(text(c.name), "allreduce");
    EXPECT_EQ(text(c.dtype), "Float");
    EXPECT_EQ(text(c.group_name), "0");
    EXPECT_EQ(text(c.group_desc), "dp");
    EXPECT_EQ(text(c.group_ranks), "[0, 1]");
    EXPECT_EQ(text(c.in_split), "[1]");
    EXPECT_EQ(text(c.out_split), "[2]");
    EXPECT_EQ(c.in_elements, 10);
    EXPECT_EQ(c.out_elements, 20);
    EXPECT_EQ(c.group_size, 4);
    EXPECT_EQ(c.sequence, 6);
    EXPECT_EQ(c.source_rank, 1);
    EXPECT_EQ(c.destination_rank, 2);
  }
  EXPECT_EQ(trace.collectives[trace.kernels[trace.aux[kernel]].collective].row, kernel);
  EXPECT_EQ(trace.collectives[trace.ops[trace.aux[op]].collective].row, op);
}

TEST(Reader, CopiesMemoryPythonAndSyncs) {
  const RankTrace trace = ReadEvents(R"json(
    {"ph":"X","cat":"gpu_memcpy","name":"copy","pid":0,"tid":7,"ts":1,"dur":1,
     "args":{"device":0,"stream":7,"bytes":4096,"memory bandwidth (GB/s)":12.5,"correlation":3
}
},
    {"ph":"X","cat":"gpu_memset","name":"set","pid":0,"tid":7,"ts":3,"dur":1,
     "args":{"device":0,"stream":7,"bytes":16}},
    {"ph":"i","cat":"cpu_instant_event","name":"[memory]","s":"t","pid":1,"tid":1,"ts":5,
     "args":{"Total Reserved":1000,"Total Allocated":900,"Bytes":-512,"Addr":140000000000000,
     "Device Id":2,"Device Type":1}},
    {"ph":"X","cat":"python_function","name":"f.py(1): g","pid":1,"tid":1,"ts":6,"dur":1,
     "args":{"Python id":8,"Python parent id":7,"Python module id":5}},
    {"ph":"X","cat":"cuda_sync","name":"wait","pid":0,"tid":7,"ts":7,"dur":1,
     "args":{"stream":7,"device":0,"correlation":4,"wait_on_stream":20,
     "wait_on_cuda_event_record_corr_id":3,"wait_on_cuda_event_id":11}})json");
  const CopyArgs& copy = trace.copies[trace.aux[RowNamed(trace, "copy")]];
  EXPECT_EQ(copy.bytes, 4096);
  EXPECT_EQ(copy.bandwidth_gb_per_s, 12.5);
  const CopyArgs& set = trace.copies[trace.aux[RowNamed(trace, "set")]];
  EXPECT_EQ(set.bytes, 16);
  EXPECT_EQ(set.bandwidth_gb_per_s, -1);
  EXPECT_EQ(trace.kind[RowNamed(trace, "set")], EventKind::kMemset);

  const Row memory_row = RowNamed(trace, "[memory]");
  EXPECT_EQ(trace.kind[memory_row], EventKind::kMemoryInstant);
  EXPECT_EQ(trace.dur_ns[memory_row], kNoDuration);
  const MemoryArgs& memory = trace.memory[trace.aux[memory_row]];
  EXPECT_EQ(memory.address, 140'000'000'000'000);
  EXPECT_EQ(memory.bytes, -512);
  EXPECT_EQ(memory.total_allocated, 900);
  EXPECT_EQ(memory.total_reserved, 1000);
  EXPECT_EQ(memory.device_type, 1);
  EXPECT_EQ(memory.device, 2);

  const PythonArgs& python = trace.python[trace.aux[RowNamed(trace, "f.py(1): g")]];
  EXPECT_EQ(python.id, 8);
  EXPECT_EQ(python.parent_id, 7);
  EXPECT_EQ(python.module_id, 5);

  const Row wait = RowNamed(trace, "wait");
  EXPECT_EQ(trace.track_of(wait).domain, Domain::kDeviceSync);
  const SyncArgs& sync = trace.syncs[trace.aux[wait]];
  EXPECT_EQ(sync.record_correlation, 3);
  EXPECT_EQ(sync.wait_on_stream, 20);
  EXPECT_EQ(sync.event_id, 11);
}

TEST(Reader, KindsAndDomainsOfCategoriesAndPhases) {
  const auto read = [](std::string_view phase, std::string_view category, std::string_view name) {
    return ReadEvents(R"({"ph":")" + std::string(phase) + R"(","cat":")" + std::string(category) +
                      R"(","name":")" + std::string(name) +
                      R"(","pid":1,"tid":2,"ts":1,"dur":1,"args":{}})");
  };
  const struct {
    const char* phase;
    const char* category;
    const char* name;
    EventKind kind;
    Domain domain;
  } cases[] = {
      {"X", "Operator", "n", EventKind::kCpuOp, Domain::kHost},
      {"X", "user_annotation", "n", EventKind::kUserAnnotation, Domain::kHost},
      {"X", "cuda_driver", "n", EventKind::kRuntime, Domain::kHost},
      {"X", "gpu_user_annotation", "n", EventKind::kDeviceAnnotation, Domain::kDeviceAnnotation},
      {"X", "overhead", "n", EventKind::kOverhead, Domain::kOther},
      {"X", "cuda_profiler_range", "n", EventKind::kProfilerRange, Domain::kOther},
      {"X", "Trace", "n", EventKind::kOther, Domain::kOther},
      {"X", "something new", "n", EventKind::kOther, Domain::kHost},
      {"X", "mtia_ccp_events", "n", EventKind::kKernel, Domain::kDevice},
      {"X", "mtia_ccp_events", "dma_in", EventKind::kMemcpy, Domain::kDevice},
      {"X", "mtia_ccp_events", "event_wait", EventKind::kDeviceSync, Domain::kDeviceSync},
      {"i", "cpu_op", "n", EventKind::kInstant, Domain::kHost},
      {"C", "kernel", "n", EventKind::kCounter, Domain::kOther},
      {"i", "other", "[memory]", EventKind::kMemoryInstant, Domain::kHost},
  };
  for (const auto& c : cases) {
    const RankTrace trace = read(c.phase, c.category, c.name);
    ASSERT_EQ(trace.row_count(), 1U);
    EXPECT_EQ(trace.kind[0], c.kind) << c.category << " " << c.name;
    EXPECT_EQ(trace.track_of(0).domain, c.domain) << c.category << " " << c.name;
  }
}

// A lane beside the thread's own track: no parent, and no part of the recording's bounds.
TEST(Reader, FramesThatWereSampledAreBesideTheThread) {
  const RankTrace trace = ReadEvents(
      R"json({"ph":"X","cat":"cpu_sample","name":"f","pid":10,"tid":"cpu 20 main (python)","ts":1,"dur":90},
         {"ph":"X","cat":"cpu_sample","name":"g","pid":10,"tid":"cpu 20 main (python)","ts":2,"dur":3},
         {"ph":"X","cat":"cpu_op","name":"op","pid":10,"tid":20,"ts":5,"dur":2})json");
  const Row outer = RowNamed(trace, "f");
  const Row inner = RowNamed(trace, "g");
  const Row op = RowNamed(trace, "op");
  EXPECT_EQ(trace.kind[outer], EventKind::kCpuSample);
  EXPECT_EQ(trace.track_of(outer).domain, Domain::kOther);
  EXPECT_EQ(trace.strings.Get(trace.track_of(outer).name), "cpu 20 main (python)");
  EXPECT_EQ(trace.track[outer], trace.track[inner]);
  EXPECT_NE(trace.track[outer], trace.track[op]);
  EXPECT_EQ(trace.parent[inner], kNoRow);
  EXPECT_EQ(trace.parent[op], kNoRow);
  EXPECT_EQ(trace.begin_ns, 5000);
  EXPECT_EQ(trace.finish_ns, 7000);
}

TEST(Reader, CountersOfRangesAndSamples) {
  const RankTrace trace = ReadEvents(R"(
    {"args":{"a.sum":3,"b\u002fc":"4.5","text":"x","list":[1],"big":1e999},"ph":"X","name":"range",
     "cat":"cuda_profiler_range","pid":0,"tid":0,"ts":1,"dur":1},
    {"ph":"C","name":"sample","pid":2,"tid":0,"ts":2,"args":{"sm":-1}},
    {"ph":"C","name":"nothing","pid":2,"tid":0,"ts":3,"args":{}},
    {"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":2,"dur":1,"args":{"a.sum":3}})");
  using Named = std::vector<std::pair<std::string, double>>;
  const auto counters = [&](std::string_view name) {
    Named result;
    for (const CounterArgs& counter : trace.CountersOf(RowNamed(trace, name)))
      result.emplace_back(trace.strings.Get(counter.name), counter.value);
    return result;
  };
  EXPECT_EQ(counters("range"), (Named{{"a.sum", 3}, {"b/c", 4.5}}));
  EXPECT_EQ(counters("sample"), (Named{{"sm", -1}}));
  EXPECT_EQ(counters("nothing"), Named());
  EXPECT_EQ(trace.aux[RowNamed(trace, "op")], kNoAux);
  EXPECT_EQ(trace.track_of(RowNamed(trace, "sample")).first, 2);
  EXPECT_TRUE(trace.meta.quality.empty());
}

TEST(Reader, IdsOfEveryShape) {
  const RankTrace trace = ReadEvents(R"(
    {"ph":"X","name":"negative","pid":-5,"tid":-9223372036854775808,"ts":1,"dur":1},
    {"ph":"X","name":"wide","pid":4294967296,"tid":9223372036854775807,"ts":1,"dur":1},
    {"ph":"X","name":"text","pid":"12","tid":"0034","ts":"1.5","dur":"2"},
    {"ph":"X","name":"words","pid":"Traces","tid":"PyTorch Profiler","ts":1,"dur":1},
    {"ph":"X","name":"named thread","pid":12,"tid":"main","ts":1,"dur":1},
    {"ph":"X","name":"nothing","ts":1,"dur":1},
    {"ph":"X","name":"same as text","pid":12,"tid":34,"ts":9,"dur":1})");
  const auto track = [&](std::string_view name) { return trace.track_of(RowNamed(trace, name)); };
  EXPECT_EQ(track("negative").first, -5);
  EXPECT_EQ(track("negative").second, INT64_MIN);
  EXPECT_EQ(track("wide").first, 4294967296);
  EXPECT_EQ(track("wide").second, INT64_MAX);
  EXPECT_EQ(track("text").first, 12);
  EXPECT_EQ(track("text").second, 34);
  EXPECT_EQ(trace.ts_ns[RowNamed(trace, "text")], 1500);
  EXPECT_EQ(trace.track[RowNamed(trace, "same as text")], trace.track[RowNamed(trace, "text")]);
  EXPECT_EQ(track("words").domain, Domain::kOther);
  EXPECT_EQ(trace.strings.Get(track("words").process), "Traces");
  EXPECT_EQ(trace.strings.Get(track("words").name), "PyTorch Profiler");
  EXPECT_EQ(track("named thread").first, 12);
  EXPECT_EQ(trace.strings.Get(track("named thread").name), "main");
  EXPECT_EQ(track("nothing").domain, Domain::kHost);
  EXPECT_EQ(trace.tracks.size(), 6U);
}

// An end need not repeat the category, the stream or the device of its begin.
TEST(Reader, BeginsAndEndsOfHostAndDevice) {
  const RankTrace trace = ReadEvents(R"(
    {"ph":"B","cat":"cpu_op","name":"outer","pid":1,"tid":2,"ts":0},
    {"ph":"B","cat":"cpu_op","name":"inner","pid":1,"tid":2,"ts":5},
    {"ph":"B","cat":"cpu_op","name":"other","pid":1,"tid":3,"ts":6},
    {"ph":"E","pid":1,"tid":2,"ts":9},
    {"ph":"E","name":"outer","pid":1,"tid":2,"ts":20},
    {"ph":"B","cat":"kernel","name":"k","pid":0,"tid":7,"ts":30,"args":{"device":4,"stream":8}},
    {"ph":"E","pid":0,"tid":7,"ts":33},
    {"ph":"E","pid":1,"tid":3,"ts":50})");
  EXPECT_EQ(trace.row_count(), 4U);
  EXPECT_EQ(trace.dur_ns[RowNamed(trace, "outer")], 20'000);
  EXPECT_EQ(trace.dur_ns[RowNamed(trace, "inner")], 4'000);
  EXPECT_EQ(trace.dur_ns[RowNamed(trace, "other")], 44'000);
  EXPECT_EQ(trace.dur_ns[RowNamed(trace, "k")], 3'000);
  EXPECT_EQ(trace.track_of(RowNamed(trace, "k")).first, 4);
  EXPECT_TRUE(trace.meta.quality.empty());
}

// By time, as viewers do; an end of another name closes nothing.
TEST(Reader, BeginsAndEndsOutOfOrder) {
  const RankTrace trace = ReadEvents(R"(
    {"ph":"E","name":"b","pid":1,"tid":2,"ts":9},
    {"ph":"B","name":"a","pid":1,"tid":2,"ts":0},
    {"ph":"B","name":"b","pid":1,"tid":2,"ts":5},
    {"ph":"E","name":"c","pid":1,"tid":2,"ts":12},
    {"ph":"E","name":"a","pid":1,"tid":2,"ts":20})");
  EXPECT_EQ(trace.dur_ns[RowNamed(trace, "a")], 20'000);
  EXPECT_EQ(trace.dur_ns[RowNamed(trace, "b")], 4'000);
  ASSERT_EQ(trace.meta.quality.size(), 1U);
  EXPECT_EQ(trace.meta.quality[0].code, QualityCode::kUnmatchedBegin);
  EXPECT_EQ(trace.meta.quality[0].count, 1);
}

}  // namespace
}  // namespace rankscope::kineto
