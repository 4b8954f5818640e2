#include "formats/et/join.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/columnar/check.h"
#include "trace/literal_trace_for_test.h"

namespace rankscope::et {
namespace {

using ::testing::HasSubstr;

// Schema 1.0.1: attributes are members.
constexpr std::string_view kOld = R"json({"schema": "1.0.1", "pid": 7, "nodes": [
{"name": "aten::add", "id": 4, "rf_id": 2, "tid": 1, "op_schema": "aten::add.Tensor(...)",
 "inputs": [[5, 6, 0, 8, 4, "cuda:0"], [[1, 2, 0, 3, 4, "cuda:0"]], 1, [2, 3], "<None>", true],
 "input_shapes": [[2, 4], [[3]], [], [[], []], [], []],
 "input_types": ["Tensor(c10::Half)", "GenericList[Tensor(float)]", "Int",
                 "GenericList[Int,Int]", "None", "Bool"]},
{"name": "aten::mul", "id": 3, "rf_id": 1, "tid": 1, "op_schema": "", "inputs": [],
 "input_shapes": [], "input_types": []}]})json";

// Schema 1.1.1: attributes are a list.
constexpr std::string_view kNew = R"json({"schema": "1.1.1-chakra.0.0.4", "pid": 7, "nodes": [
{"id": 3, "name": "record_param_comms", "ctrl_deps": 2,
 "inputs": {"values": [[5, 6, 0, 8, 4, "cuda:0"]], "shapes": [[8]], "types": ["Tensor(float)"],
            "strides": [[1]]},
 "attrs": [{"name": "rf_id", "type": "uint64", "value": 1},
           {"name": "tid", "type": "uint64", "value": 1},
           {"name": "collective_name", "type": "string", "value": "allreduce"},
           {"name": "dtype", "type": "string", "value": "Float"},
           {"name": "in_msg_nelems", "type": "uint64", "value": 8},
           {"name": "out_msg_nelems", "type": "uint64", "value": 8},
           {"name": "pg_name", "type": "string", "value": "1"},
           {"name": "pg_desc", "type": "string", "value": "mesh_tp"},
           {"name": "pg_size", "type": "uint64", "value": 4},
           {"name": "global_rank_start", "type": "uint64", "value": 1},
           {"name": "global_rank_stride", "type": "uint64", "value": 2}]}]})json";

ExecutionTrace Read(std::string_view text) {
  const auto source = OpenByteSource(text);
  auto trace = ReadExecutionTrace(*source, "et.json");
  EXPECT_TRUE(trace.ok()) << trace.status().message();
  return std::move(*trace);
}

// Rows named by `names`, one after the other; their sources are their places.
RankTrace TraceOf(const std::vector<std::string>& names) {
  TraceForTest trace;
  std::int64_t ts = 0;
  for (const std::string& name : names) trace.Host(1, EventKind::kCpuOp, name, ts += 10, 5);
  return trace.Build();
}

std::string_view Dims(const RankTrace& trace, Row row) {
  return trace.aux[row] == kNoAux ? "none"
                                  : trace.strings.Get(trace.ops[trace.aux[row]].input_dims);
}

TEST(ExecutionTraceTest, ListsAreWrittenAsKinetoWritesThem) {
  const ExecutionTrace trace = Read(kOld);
  EXPECT_EQ(trace.schema, "1.0.1");
  EXPECT_EQ(trace.pid, 7);
  ASSERT_EQ(trace.nodes.size(), 2U);
  const Node& node = trace.nodes[1];
  EXPECT_EQ(node.record_id, 2);
  EXPECT_EQ(trace.strings.Get(node.dims), "[[2,4],[[3]],[],[],[],[]]");
  EXPECT_EQ(trace.strings.Get(node.types),
            R"json(["c10::Half","TensorList","Scalar","ScalarList","","Scalar"])json");
  EXPECT_EQ(trace.strings.Get(node.values), R"json(["","","1","[2, 3]","","True"])json");
  EXPECT_EQ(node.strides, kEmptyString) << "schema 1.0.1 has none";
  EXPECT_EQ(trace.nodes[0].types, kEmptyString);
}

TEST(ExecutionTraceTest, AttributesAsAList) {
  const ExecutionTrace trace = Read(kNew);
  ASSERT_EQ(trace.nodes.size(), 1U);
  EXPECT_EQ(trace.nodes[0].record_id, 1);
  EXPECT_EQ(trace.strings.Get(trace.nodes[0].strides), "[[1]]");
  ASSERT_EQ(trace.collectives.size(), 1U);
  EXPECT_EQ(trace.strings.Get(trace.collectives[0].group_desc), "mesh_tp");
  EXPECT_EQ(trace.collectives[0].rank_stride, 2);
}

TEST(ExecutionTraceTest, WhatIsCutOffGivesWhatCameBefore) {
  const ExecutionTrace trace = Read(kOld.substr(0, kOld.find("aten::mul") + 20));
  EXPECT_EQ(trace.nodes.size(), 1U);
  EXPECT_EQ(trace.quality.entries().size(), 1U);
  const auto source =
      OpenByteSource(std::string_view(R"json({"schema": "1.0.1", "nodes": []})json"));
  EXPECT_THAT(ReadExecutionTrace(*source, "et.json").status().message(), HasSubstr("no op"));
}

TEST(ExecutionTraceTest, IsTold) {
  EXPECT_TRUE(IsExecutionTrace(kOld));
  EXPECT_TRUE(IsExecutionTrace(kNew));
  EXPECT_FALSE(IsExecutionTrace(R"json({"schemaVersion": 1, "traceEvents": []})json"));
  EXPECT_EQ(PidOf(kNew), 7);
}

TEST(JoinTest, ByRecordIds) {
  RankTrace trace = TraceOf({"aten::mul", "aten::add", "aten::add"});
  // The first add has the node's id, the second another one.
  const RecordId ids[] = {{0, 1}, {1, 2}, {2, 3}};
  const Joined joined = Join(trace, Read(kOld), ids);
  EXPECT_EQ(joined.by, JoinedBy::kRecordIds);
  EXPECT_EQ(joined.ops, 2);
  EXPECT_EQ(Dims(trace, 0), "none") << "the node says nothing of inputs";
  EXPECT_EQ(Dims(trace, 1), "[[2,4],[[3]],[],[],[],[]]");
  EXPECT_EQ(Dims(trace, 2), "none");
  ASSERT_EQ(trace.nodes.size(), 2U);
  EXPECT_EQ(trace.nodes[0].row, 0U);
  EXPECT_EQ(trace.nodes[0].node, 3);
  EXPECT_EQ(trace.nodes[0].schema, kEmptyString);
  EXPECT_EQ(trace.nodes[1].row, 1U);
  EXPECT_EQ(trace.nodes[1].node, 4);
  EXPECT_EQ(trace.strings.Get(trace.nodes[1].schema), "aten::add.Tensor(...)");
  EXPECT_TRUE(columnar::IsSound(trace));
  EXPECT_TRUE(columnar::IsSound(trace));
}

TEST(JoinTest, WhatTheProfilerRecordedStays) {
  RankTrace trace = TraceForTest().Op(1, "aten::add", 0, 5, "[[9]]", "[\"double\"]").Build();
  const RecordId ids[] = {{0, 2}};
  Join(trace, Read(kOld), ids);
  EXPECT_EQ(Dims(trace, 0), "[[9]]");
  EXPECT_EQ(trace.strings.Get(trace.ops[0].input_types), "[\"double\"]");
}

TEST(JoinTest, AnotherRunIsRefused) {
  RankTrace trace = TraceOf({"aten::add", "aten::mul"});
  const RecordId ids[] = {{0, 1}, {1, 2}};  // the other way round
  const Joined joined = Join(trace, Read(kOld), ids);
  EXPECT_EQ(joined.by, JoinedBy::kNothing);
  EXPECT_EQ(joined.ops, 0);
  EXPECT_EQ(Dims(trace, 0), "none");
  EXPECT_THAT(JoinedInWords(joined, "a/et.json"), HasSubstr("et.json is of another run"));
  EXPECT_THAT(JoinedInWords(joined, "a/et.json"), HasSubstr("of 2 ops whose id it has 2 have"));
}

TEST(JoinTest, ByTheOrderOfTheCallsWhereIdsAreOthers) {
  std::string text = R"json({"schema": "1.0.1", "nodes": [)json";
  std::vector<std::string> names = {"before", "before"};
  for (int i = 1; i <= 20; ++i) {
    names.push_back("op" + std::to_string(i % 3));
    text += fmt::format(
        R"json({}{{"name": "{}", "id": {}, "rf_id": {}, "tid": 1, "input_shapes": [[{}]],
               "input_types": ["Tensor(float)"]}})json",
        i == 1 ? "" : ",", names.back(), i + 1, i, i);
  }
  names.push_back("behind");
  RankTrace trace = TraceOf(names);
  std::vector<RecordId> ids;  // one too many
  for (std::uint32_t i = 0; i < names.size(); ++i) ids.push_back({i, i});
  const Joined joined = Join(trace, Read(text + "]}"), ids);
  EXPECT_EQ(joined.by, JoinedBy::kOrder);
  EXPECT_EQ(joined.ops, 20);
  EXPECT_EQ(Dims(trace, 1), "none");
  EXPECT_EQ(Dims(trace, 2), "[[1]]");
  EXPECT_EQ(Dims(trace, 21), "[[20]]");
  EXPECT_TRUE(columnar::IsSound(trace));
  // One call that is not there, and nothing is joined.
  names[10] = "other";
  RankTrace other = TraceOf(names);
  EXPECT_EQ(Join(other, Read(text + "]}"), ids).by, JoinedBy::kNothing);
}

TEST(JoinTest, Collectives) {
  RankTrace trace = TraceOf({"record_param_comms"});
  const RecordId ids[] = {{0, 1}};
  Join(trace, Read(kNew), ids);
  ASSERT_EQ(trace.collectives.size(), 1U);
  const CollectiveArgs& args = trace.collectives[0];
  EXPECT_EQ(trace.strings.Get(args.group_ranks), "[1, 3, 5, 7]");
  EXPECT_EQ(trace.strings.Get(args.name), "allreduce");
  EXPECT_EQ(args.in_elements, 8);
  EXPECT_EQ(args.row, 0U);
  EXPECT_TRUE(columnar::IsSound(trace));
}

}  // namespace
}  // namespace rankscope::et
