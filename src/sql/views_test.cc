// The rows of every view, written out for two small ranks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sql/job_for_test.h"
#include "training/list.h"

namespace rankscope::sql {
namespace {

using ViewsTest = TwoRanks;

TEST_F(ViewsTest, Events) {
  EXPECT_EQ(Csv("SELECT * EXCLUDE (external_id, args) FROM events WHERE rank = 0 ORDER BY event"),
            "rank,capture,event,ts_ns,dur_ns,name,cat,track,step,parent,correlation\n"
            "0,0,1,0,100000,ProfilerStep#5,user_annotation,pid 100 tid -9,5,,\n"
            "0,0,2,10000,30000,aten::mm,cpu_op,pid 100 tid -9,5,1,\n"
            "0,0,3,20000,5000,cudaLaunchKernel,cuda_runtime,pid 100 tid -9,5,2,7\n"
            "0,0,4,50500,20250,sgemm_é,kernel,gpu 0 stream 7,5,,7\n"
            "0,0,5,60000,4000,cudaMemcpyAsync,cuda_runtime,pid 100 tid -9,5,1,8\n"
            "0,0,6,75000,5000,Memcpy HtoD (Pageable -> Device),gpu_memcpy,gpu 0 stream 20,5,,8\n"
            "0,0,7,80000,,mark,cpu_instant_event,pid 100 tid -9,5,1,\n"
            "0,0,8,100000,50000,ProfilerStep#6,user_annotation,pid 100 tid -9,6,,\n"
            "0,0,9,110000,10000,ncclDevKernel_AllReduce_Sum_f32_RING_LL,kernel,gpu 0 stream 13,5,,"
            "\n"
            "0,0,10,200000,1000,late,overhead,pid 100 tid -9,,,\n");
  EXPECT_EQ(Rows("SELECT * EXCLUDE (external_id, args) FROM events WHERE rank = 1 ORDER BY event"),
            "1,0,0,50000,100000,ProfilerStep#5,user_annotation,pid 101 tid 1,5,,\n"
            "1,0,1,60000,10000,aten::add,cpu_op,pid 101 tid 1,5,0,\n"
            "1,0,2,62000,3000,cudaLaunchKernel,cuda_runtime,pid 101 tid 1,5,1,7\n"
            "1,0,3,100000,8000,add_kernel,kernel,gpu 1 stream 7,5,,7\n");
}

TEST_F(ViewsTest, Kernels) {
  EXPECT_EQ(
      Csv("SELECT * EXCLUDE (grid, block, registers, shared_memory_bytes, occupancy_pct, "
          "external_id, args, op, module, line, phase, process_group) FROM kernels ORDER "
          "BY "
          "rank, event"),
      "rank,capture,event,ts_ns,dur_ns,name,device,stream,step,launch_event,class,work,"
      "bytes\n"
      "0,0,4,50500,20250,sgemm_é,0,7,5,3,gemm,compute,\n"
      "0,0,6,75000,5000,Memcpy HtoD (Pageable -> Device),0,20,5,5,memory,copy,4096\n"
      "0,0,9,110000,10000,ncclDevKernel_AllReduce_Sum_f32_RING_LL,0,13,5,,nccl,communication,\n"
      "1,0,3,100000,8000,add_kernel,1,7,5,2,other,compute,\n");
}

// What launched it: the op around the call, the phase by what marks it; of one that no call
// launched nothing.
TEST_F(ViewsTest, PlacesOfKernels) {
  EXPECT_EQ(Csv("SELECT event, op, module, line, phase, process_group FROM kernels "
                "ORDER BY rank, event"),
            "event,op,module,line,phase,process_group\n"
            "4,aten::mm,,,forward,\n"
            "6,,,,other,\n"
            "9,,,,,\n"
            "3,aten::add,,,forward,\n");
}

TEST_F(ViewsTest, Ops) {
  EXPECT_EQ(
      Csv("SELECT * EXCLUDE (external_id, args) FROM ops ORDER BY rank, event"),
      "rank,capture,event,ts_ns,dur_ns,name,thread,step,parent,shapes,dtypes\n"
      "0,0,2,10000,30000,aten::mm,-9,5,1,\"[[2,3],[3,4]]\",\"[\"\"float\"\",\"\"float\"\"]\"\n"
      "1,0,1,60000,10000,aten::add,1,5,0,,\n");
}

TEST_F(ViewsTest, ArgumentsOfEvents) {
  const std::string trace = R"json({"traceEvents": [
{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":2,"args":{"device":0,"stream":7,
 "correlation":9,"External id":4,"grid":[8,2,1],"block":[128,1,1],"registers per thread":32,
 "shared memory":1024,"est. achieved occupancy %":50,"Collective name":"allreduce",
 "In msg nelems":16,"Process Group Ranks":"[0, 1]"}},
{"ph":"X","cat":"kernel","name":"bare","pid":0,"tid":7,"ts":5,"dur":2,"args":{"stream":7}},
{"ph":"i","cat":"cpu_instant_event","name":"[memory]","pid":1,"tid":1,"ts":9,"s":"t",
 "args":{"Addr":77,"Bytes":-512,"Total Allocated":0,"Device Type":1,"Device Id":0}}
]})json";
  ASSERT_TRUE(WriteFileAtomically(folder_ / "args/rank0.json", trace).ok() ||
              (std::filesystem::create_directory(folder_ / "args") &&
               WriteFileAtomically(folder_ / "args/rank0.json", trace).ok()));
  job_ = OpenJob(folder_ / "args", OptionsWithoutCache());
  EXPECT_EQ(Rows("SELECT name, grid, block, registers, shared_memory_bytes, occupancy_pct, "
                 "external_id FROM kernels ORDER BY ts_ns"),
            "k,\"[8,2,1]\",\"[128,1,1]\",32,1024,50,4\nbare,,,,,,\n");
  EXPECT_EQ(Rows("SELECT args->>'$.\"Collective name\"', args->>'$.grid[1]', "
                 "(args->>'$.\"In msg nelems\"')::INT, args->>'$.\"Process Group Ranks\"' "
                 "FROM kernels WHERE name = 'k'"),
            "allreduce,2,16,\"[0, 1]\"\n");
  EXPECT_EQ(Rows("SELECT (args->>'$.Bytes')::INT, args->>'$.\"Total Reserved\"', "
                 "args->>'$.\"Total Allocated\"' FROM events WHERE name = '[memory]'"),
            "-512,,0\n");
  EXPECT_EQ(Rows("SELECT json_valid(args) FROM events WHERE args IS NOT NULL GROUP BY 1"),
            "true\n");
}

TEST_F(ViewsTest, ColumnsAndViewsCarryComments) {
  EXPECT_EQ(Rows("SELECT comment FROM duckdb_columns() WHERE table_name = 'kernels' AND "
                 "column_name = 'launch_event'"),
            "the call that launched it\n");
  EXPECT_EQ(Rows("SELECT count(*) FROM duckdb_columns() WHERE schema_name IN ('main', 'analysis') "
                 "AND NOT internal AND (comment IS NULL OR comment = '')"),
            "0\n");
  EXPECT_EQ(Rows("SELECT count(*) FROM duckdb_views() WHERE NOT internal AND comment IS NULL"),
            "0\n");
}

TEST_F(ViewsTest, Steps) {
  EXPECT_EQ(Csv("SELECT * FROM steps ORDER BY rank, step"),
            "rank,capture,step,start_ns,end_ns,inferred\n"
            "0,0,5,0,100000,false\n"
            "0,0,6,100000,150000,false\n"
            "1,0,5,50000,150000,false\n");
}

TEST_F(ViewsTest, ColumnTypes) {
  EXPECT_EQ(
      Rows("SELECT DISTINCT data_type, string_agg(column_name, ' ' ORDER BY column_name) "
           "FROM duckdb_columns() WHERE schema_name = 'main' AND table_name IN "
           "('events','kernels','ops','steps') AND data_type <> 'BIGINT' GROUP BY 1 ORDER BY 1"),
      "BOOLEAN,inferred\nDOUBLE,occupancy_pct\n"
      "VARCHAR,args args args block cat class dtypes grid line module name name name op phase "
      "process_group shapes track work\n");
}

TEST_F(ViewsTest, KernelsJoinTheOpsThatLaunchedThem) {
  EXPECT_EQ(
      Rows(
          "SELECT k.rank, o.name, k.name, k.dur_ns FROM kernels k "
          "JOIN events l ON l.rank = k.rank AND l.capture = k.capture AND l.event = k.launch_event "
          "JOIN ops o ON o.rank = k.rank AND o.capture = k.capture AND o.event = l.parent "
          "ORDER BY 1"),
      "0,aten::mm,sgemm_é,20250\n1,aten::add,add_kernel,8000\n");
}

TEST_F(ViewsTest, CountsNeedNoColumns) {
  EXPECT_EQ(Rows("SELECT count(*) FROM events"), "14\n");
  EXPECT_EQ(Rows("SELECT (SELECT count(*) FROM kernels), (SELECT count(*) FROM ops), "
                 "(SELECT count(*) FROM steps), (SELECT count(*) FROM step_times)"),
            "4,2,3,3\n");
}

TEST_F(ViewsTest, ColumnsInAnyOrder) {
  EXPECT_EQ(Rows("SELECT bytes, name, rank FROM kernels WHERE bytes IS NOT NULL"),
            "4096,Memcpy HtoD (Pageable -> Device),0\n");
  EXPECT_EQ(Rows("SELECT work, work, event FROM kernels WHERE rank = 1"), "compute,compute,3\n");
  EXPECT_EQ(Rows("SELECT inferred FROM steps WHERE step = 6"), "false\n");
  EXPECT_EQ(Rows("SELECT dtypes FROM ops ORDER BY 1 NULLS FIRST LIMIT 1"), "\n");
}

TEST_F(ViewsTest, PlainSelectsKeepTheOrderOfRanksAndTracks) {
  EXPECT_EQ(Rows("SELECT rank, event FROM events WHERE cat <> 'user_annotation' LIMIT 4"),
            "0,2\n0,3\n0,5\n0,7\n");
}

TEST_F(ViewsTest, NamesAreNotCaseSensitiveAndCanBeShadowed) {
  EXPECT_EQ(Rows("SELECT count(*) FROM Kernels"), "4\n");
  EXPECT_EQ(Rows("WITH kernels AS (SELECT 1) SELECT count(*) FROM kernels"), "1\n");
}

TEST_F(ViewsTest, UnselectedRanksDoNotAppear) {
  JobOptions options = OptionsWithoutCache();
  options.captures.ranks = std::set<std::int64_t>{1};
  Reopen(std::move(options));
  EXPECT_EQ(Rows("SELECT rank, count(*), min(ts_ns) FROM events GROUP BY rank"), "1,4,0\n");
  EXPECT_EQ(Rows("SELECT rank, count(*) FROM steps GROUP BY rank"), "1,1\n");
}

TEST_F(ViewsTest, StepFilterLeavesOnlyRowsOfTheseSteps) {
  JobOptions options = OptionsWithoutCache();
  options.steps = std::set<std::int64_t>{6};
  Reopen(std::move(options));
  EXPECT_EQ(Rows("SELECT rank, event, step FROM events ORDER BY event"), "0,8,6\n");
  EXPECT_EQ(Rows("SELECT event FROM kernels"), "");
  EXPECT_EQ(Rows("SELECT count(*) FROM ops"), "0\n");
  EXPECT_EQ(Rows("SELECT rank, step FROM steps"), "0,6\n");
  EXPECT_EQ(Rows("SELECT DISTINCT step FROM step_times"), "6\n");
}

TEST_F(ViewsTest, CapturesOfARankAreApart) {
  std::string later = kRank0;
  later.replace(later.find("1700000000000000000"), 19, "1700000001000000000");
  ASSERT_TRUE(WriteFileAtomically(folder_ / "rank0_later.json", later).ok());
  JobOptions options = OptionsWithoutCache();
  options.captures.which = CaptureSelection::Which::kAll;
  Reopen(std::move(options));
  EXPECT_EQ(Rows("SELECT rank, capture, event, ts_ns FROM kernels WHERE work = 'copy' ORDER BY 2"),
            "0,0,6,75000\n0,1,6,1000075000\n");
  EXPECT_EQ(Rows("SELECT rank, capture, count(*) FROM events GROUP BY ALL ORDER BY ALL"),
            "0,0,10\n0,1,10\n1,0,4\n");
}

TEST(TrackNames, OfEveryKind) {
  const TempFolder folder;
  ASSERT_TRUE(WriteFileAtomically(folder / "t.json", R"({"traceEvents": [
{"ph":"X","cat":"cpu_op","name":"a","pid":7,"tid":8,"ts":1,"dur":9},
{"ph":"X","cat":"kernel","name":"b","pid":0,"tid":20,"ts":2,"dur":1,"args":{"device":0,"stream":0}},
{"ph":"X","cat":"cuda_sync","name":"c","pid":0,"tid":20,"ts":3,"dur":1,"args":{"device":0,"stream":3}},
{"ph":"X","cat":"gpu_user_annotation","name":"d","pid":1,"tid":4,"ts":4,"dur":1},
{"ph":"X","cat":"Trace","name":"e","pid":"Spans","tid":"PyTorch Profiler","ts":5,"dur":1}]})")
                  .ok());
  const auto job = OpenJob(folder.path(), OptionsWithoutCache());
  const Result<Table> table = RunQuery(*job, "SELECT name, track FROM events ORDER BY 1", {});
  ASSERT_TRUE(table.ok()) << table.status().message();
  EXPECT_EQ(WriteCsv(*table),
            "name,track\r\na,pid 7 tid 8\r\nb,gpu 0 stream 0\r\nc,gpu 0 stream 3 (waits)\r\n"
            "d,gpu 1 stream 4 (annotations)\r\ne,pid Spans tid PyTorch Profiler\r\n");
}

TEST_F(ViewsTest, ReadsFromTheCacheAsWell) {
  JobOptions options = OptionsWithoutCache();
  options.cache.enabled = true;
  options.cache.folder = folder_ / "cache";
  Reopen(std::move(options));
  EXPECT_EQ(Rows("SELECT rank, sum(dur_ns) FROM kernels GROUP BY rank ORDER BY rank"),
            "0,35250\n1,8000\n");
}

TEST_F(ViewsTest, AnalysesAreTheirTables) {
  for (const Analysis* analysis : AllAnalyses()) {
    const Result<Table> expected = job_->Run({analysis, {}});
    ASSERT_TRUE(expected.ok()) << expected.status().message();
    std::string csv = WriteCsv(*expected);
    std::erase(csv, '\r');
    EXPECT_EQ(Csv("SELECT * FROM analysis.\"" + analysis->name + "\""), csv);
  }
}

TEST_F(ViewsTest, AnalysesAreFoundByTheirNameAlone) {
  EXPECT_EQ(Rows("SELECT rank, step, duration_ns FROM step_times ORDER BY 1, 2"),
            "0,5,120000\n0,6,\n1,5,58000\n");
  EXPECT_EQ(
      Rows("SELECT s.step, t.device_work FROM steps s JOIN step_times t USING (rank, capture, "
           "step) WHERE rank = 0 ORDER BY 1"),
      "5,3\n6,0\n");
}

}  // namespace
}  // namespace rankscope::sql
