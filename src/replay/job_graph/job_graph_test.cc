// Graphs of all ranks, replayed: small recordings whose every time is worked out by hand.
#include "replay/job_graph/job_graph.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/seeds.h"
#include "base/units_for_test.h"
#include "replay/job_graph/graph_for_test.h"
#include "replay/scenario/step_times.h"

namespace rankscope {
namespace {

using Collective = TraceForTest::Collective;

// Begins and ends by the replay, in us, of the nodes that do this.
std::string TimesJobGraph(const Replay& replay, const JobGraph& graph, Work work) {
  std::string text;
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    if (graph.KindOf(node).work == work)
      text += fmt::format("{}:{}-{} ", graph.RankOf(node), replay.BeginOf(node) / kUs,
                          replay.EndOf(node) / kUs);
  }
  return text;
}

// The nodes of a rank that do this, in order.
std::vector<NodeId> Of(const JobGraph& graph, std::uint32_t rank, Work work) {
  std::vector<NodeId> nodes;
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    if (graph.RankOf(node) == rank && graph.KindOf(node).work == work) nodes.push_back(node);
  }
  return nodes;
}

// Every node but a call that waits ends and begins as recorded; that one's wait is no part of it.
void ExpectAsRecorded(const JobForTest& traces, const std::vector<std::vector<Table>>& tables,
                      const JobGraph& graph) {
  const JobContext job = WithFact(traces, AcrossFact());
  const auto& columns = SchemaOf<NodePartial>();
  const Replay replay{Scenario(graph)};
  ASSERT_EQ(graph.order().size(), graph.nodes().size());
  for (const JobGraph::CaptureNodes& capture : graph.captures()) {
    const ViewOf<NodePartial> nodes = tables[capture.capture][1];
    const std::vector<NodeId> of_capture(capture.nodes().begin(), capture.nodes().end());
    ASSERT_EQ(nodes.row_count(), of_capture.size());
    for (std::size_t row = 0; row < nodes.row_count(); ++row) {
      const NodeId node = of_capture[row];
      const std::int64_t recorded = nodes.Int(row, columns.begin_ns);
      const auto relative = [&](std::int64_t t) {
        return AcrossOf(job).Aligned(capture.rank, t) - job.origin_ns;
      };
      const std::int64_t begin = relative(recorded);
      const std::int64_t end = relative(recorded + nodes.Int(row, columns.duration_ns));
      EXPECT_EQ(replay.EndOf(node), end) << node;
      if (graph.KindOf(node).work == Work::kSyncCall) {
        EXPECT_GE(replay.BeginOf(node), begin) << node;
      } else {
        EXPECT_EQ(replay.BeginOf(node), begin) << node;
      }
    }
  }
}

std::vector<std::vector<Table>> Mapped(const std::vector<RankTrace>& traces) {
  std::vector<std::vector<Table>> tables;
  for (const RankTrace& trace : traces) {
    const TraceFacts facts(trace);
    tables.push_back(NodesMapper().map(facts, {}));
  }
  return tables;
}

// Three steps of 650 us on two ranks: a product of 300 us on rank 0, 500 us on rank 1, then an
// all-reduce on the same stream that takes 100 us from the last arrival on, for which the host
// waits:
//
//   host    |10 launch|20 launch|30 synchronise ........ 625| 650
//   rank 0      20 gemm 320, all-reduce 320 - 620
//   rank 1      20 gemm 520, all-reduce 520 - 620
RankTrace SyncedRankJobGraph(std::int64_t gemm_us) {
  TraceForTest trace;
  for (std::int64_t step = 0; step < 3; ++step) {
    const std::int64_t t = 650 * kUs * step;
    const std::int64_t call = 10 * step;
    trace.Step(step, t, 650 * kUs)
        .Launch(call + 1, t + 10 * kUs, 5 * kUs)
        .Kernel(7, "gemm", t + 20 * kUs, gemm_us * kUs, call + 1)
        .Launch(call + 2, t + 20 * kUs, 5 * kUs)
        .Comm(7, t + (20 + gemm_us) * kUs, (600 - gemm_us) * kUs, kReduce)
        .Linked(call + 2)
        .Host(1, EventKind::kRuntime, "cudaDeviceSynchronize", t + 30 * kUs, 595 * kUs, call + 3);
  }
  return trace.Build(kBase);
}

JobForTest SyncedJob() {
  JobForTest job;
  job.Add(0, SyncedRankJobGraph(300)).Add(1, SyncedRankJobGraph(500));
  return job;
}

TEST(JobGraph, ReplayOfTheRecordingIsTheRecording) {
  const JobForTest traces = SyncedJob();
  const JobContext job = WithReplay(traces);
  const JobGraph& graph = GraphOf(job);
  std::vector<RankTrace> ranks;
  ranks.push_back(SyncedRankJobGraph(300));
  ranks.push_back(SyncedRankJobGraph(500));
  ExpectAsRecorded(traces, Mapped(ranks), graph);
  const Replay replay{Scenario(graph)};
  EXPECT_EQ(TimesJobGraph(replay, graph, Work::kCommunication),
            "0:320-620 0:970-1270 0:1620-1920 1:520-620 1:1170-1270 1:1820-1920 ");
  ASSERT_EQ(graph.meetings().size(), 3U);
  EXPECT_EQ(graph.meetings()[0].count, 2U);
  EXPECT_TRUE(graph.is_aligned());
  EXPECT_EQ(graph.dissolved(), 0);
  // Of a member the node is the transfer alone.
  for (const NodeId node : Of(graph, 0, Work::kCommunication))
    EXPECT_EQ(graph.nodes()[node].duration_ns, 100 * kUs);
  // A step is over when its last work is: 620, 1270, 1920.
  ASSERT_EQ(graph.steps().size(), 3U);
  EXPECT_EQ(replay.StepEnd(0), 620 * kUs);
  EXPECT_EQ(replay.StepTime(1), 650 * kUs);
  EXPECT_EQ(replay.StepTime(2), 650 * kUs);
}

double MeanStepWithGemmOf(const JobGraph& graph, std::int64_t us) {
  Scenario scenario(graph);
  for (const NodeId node : Of(graph, 1, Work::kCompute)) scenario.SetDuration(node, us * kUs);
  const Replay replay(scenario);
  return static_cast<double>(replay.StepEnd(2) - replay.StepEnd(0)) / 2;
}

// Rank 1 leads by 200 us: so much a shorter kernel of its gains, and no more.
TEST(JobGraph, ShorterKernelOfTheLateRankGainsItsLead) {
  const JobContext job = WithReplay(SyncedJob());
  EXPECT_EQ(MeanStepWithGemmOf(GraphOf(job), 500), 650 * kUs);
  EXPECT_EQ(MeanStepWithGemmOf(GraphOf(job), 450), 600 * kUs);
  EXPECT_EQ(MeanStepWithGemmOf(GraphOf(job), 300), 450 * kUs);
  EXPECT_EQ(MeanStepWithGemmOf(GraphOf(job), 10), 450 * kUs);
  EXPECT_EQ(MeanStepWithGemmOf(GraphOf(job), 700), 850 * kUs);
}

// Without waiting, the hosts are done launching at 155 us: 60 a step. The device of rank 1 works
// without a pause from 20 on: 600 a step.
TEST(JobGraph, HostsThatDoNotWaitRunAhead) {
  const JobContext job = WithReplay(SyncedJob());
  const JobGraph& graph = GraphOf(job);
  Scenario scenario(graph);
  std::size_t cut = 0;
  for (std::size_t edge = 0; edge < graph.edge_count(); ++edge) {
    if (graph.edge(edge).kind != DependencyKind::kSync) continue;
    scenario.Cut(edge);
    ++cut;
  }
  EXPECT_EQ(cut, 6U);
  const Replay replay(scenario);
  EXPECT_EQ(TimesJobGraph(replay, graph, Work::kCommunication),
            "0:320-620 0:920-1220 0:1520-1820 1:520-620 1:1120-1220 1:1720-1820 ");
  EXPECT_EQ(TimesJobGraph(replay, graph, Work::kLaunchCall),
            "0:10-15 0:20-25 0:70-75 0:80-85 0:130-135 0:140-145 "
            "1:10-15 1:20-25 1:70-75 1:80-85 1:130-135 1:140-145 ");
  EXPECT_EQ(replay.StepTime(1), 600 * kUs);
}

// Rank 1's clock is 5 ms ahead: the graph is on one clock.
TEST(JobGraph, IsOnOneClock) {
  JobForTest traces;
  traces.Add(0, SyncedRankJobGraph(300));
  TraceForTest ahead;
  for (std::int64_t step = 0; step < 3; ++step) {
    const std::int64_t t = 650 * kUs * step + 5000 * kUs;
    ahead.Step(step, t, 650 * kUs)
        .Launch(10 * step + 1, t + 10 * kUs, 5 * kUs)
        .Kernel(7, "gemm", t + 20 * kUs, 500 * kUs, 10 * step + 1)
        .Launch(10 * step + 2, t + 20 * kUs, 5 * kUs)
        .Comm(7, t + 520 * kUs, 100 * kUs, kReduce)
        .Linked(10 * step + 2);
  }
  traces.Add(1, ahead.Build(kBase));
  const JobContext job = WithReplay(traces);
  EXPECT_EQ(TimesJobGraph(Replay{Scenario(GraphOf(job))}, GraphOf(job), Work::kCommunication),
            "0:320-620 0:970-1270 0:1620-1920 1:520-620 1:1170-1270 1:1820-1920 ");
}

// Nodes alone: communication of these spans on a rank, one behind the other.
std::vector<Table> Communications(const std::vector<std::pair<int, int>>& spans) {
  NodesForTest nodes;
  nodes.Step(0, kBase, kBase + 10'000 * kUs).Kind(Work::kCommunication, "nccl");
  std::int64_t event = 0;
  for (const auto& [begin, end] : spans)
    nodes.Add(0, kBase + begin * kUs, (end - begin) * kUs, 0, event, event), ++event;
  return nodes.Tables();
}
RankTrace TraceOf(const std::vector<std::pair<int, int>>& spans,
                  const std::vector<Collective>& collectives) {
  TraceForTest trace;
  for (std::size_t i = 0; i < spans.size(); ++i)
    trace.Comm(7, spans[i].first * kUs, (spans[i].second - spans[i].first) * kUs, collectives[i]);
  return trace.Build(kBase);
}
using Spans = std::vector<std::pair<int, int>>;

// A send that was over before its receive began waits for nobody; the receive waits for it.
TEST(JobGraph, EagerSends) {
  const Spans sender = {{0, 100}, {200, 210}}, receiver = {{0, 100}, {300, 310}};
  JobForTest traces;
  traces.Add(0, TraceOf(sender, {kReduce, {.name = "send", .in = 250, .peer = 1}}))
      .Add(1, TraceOf(receiver, {kReduce, {.name = "recv", .in = 250, .peer = 0}}));
  const auto graph =
      GraphOfTables(traces, {Communications(sender), Communications(receiver)}).value();
  ASSERT_EQ(graph->meetings().size(), 2U);
  EXPECT_EQ(graph->meetings()[1].collective, UINT32_MAX);
  const NodeId send = Of(*graph, 0, Work::kCommunication)[1];
  const NodeId receive = Of(*graph, 1, Work::kCommunication)[1];
  EXPECT_TRUE(graph->IsEager(send));
  EXPECT_FALSE(graph->IsEager(receive));
  Scenario later(*graph);
  later.SetGap(receive, 900 * kUs);  // begins at 1000
  EXPECT_EQ(TimesJobGraph(Replay(later), *graph, Work::kCommunication),
            "0:0-100 0:200-210 1:0-100 1:1000-1010 ");
  Scenario send_later(*graph);
  send_later.SetGap(send, 600 * kUs);  // begins at 700, and so does the transfer
  EXPECT_EQ(TimesJobGraph(Replay(send_later), *graph, Work::kCommunication),
            "0:0-100 0:700-710 1:0-100 1:300-710 ");
}

// Exchanges in one kernel name no peer: those that end together, of stages that are neighbours, are
// one. The clocks are those of the all-reduce.
TEST(JobGraph, CoalescedSendsMeetByTheirEnds) {
  const Collective named{.name = "sendrecv",
                         .in = 250,
                         .out = 250,
                         .group = "1",
                         .description = "PIPELINE_MODEL_PARALLEL_GROUP"};
  const Spans first = {{0, 100}, {200, 400}, {500, 600}, {900, 950}};
  const Spans second = {{0, 100}, {350, 400}, {450, 610}, {1500, 1550}};
  JobForTest traces;
  traces.Add(0, TraceOf(first, {kReduce, named, named, named}))
      .Add(1, TraceOf(second, {kReduce, named, named, named}));
  const auto graph = GraphOfTables(traces, {Communications(first), Communications(second)}).value();
  std::string met;
  for (const JobGraph::Meeting& meeting : graph->meetings()) {
    for (const NodeId node : graph->MembersOf(meeting)) met += fmt::format("{} ", node);
    met += "| ";
  }
  // 400 and 400, 600 and 610 us, but not 950 and 1550: nodes 0-3 are of rank 0.
  EXPECT_EQ(met, "0 4 | 1 5 | 2 6 | ");
}

// Work of stream 8 that begins 490 us after its launch, right behind work of stream 7: it waited
// for that, though no event was recorded.
TEST(JobGraph, InfersWaitsBetweenStreams) {
  NodesForTest nodes;
  nodes.Step(0, kBase, kBase + 1000 * kUs).Kind(Work::kOp);
  const auto host = nodes.Add(0, kBase, 10 * kUs);
  nodes.Kind(Work::kCompute);
  const auto first = nodes.Add(7, kBase + 10 * kUs, 490 * kUs);
  const auto second = nodes.Add(8, kBase + 502 * kUs, 100 * kUs);
  nodes.Edge(host, first).Edge(host, second);
  JobForTest traces;
  traces.Add(0, SyncedRankJobGraph(300));
  const auto graph = GraphOfTables(traces, {nodes.Tables()}).value();
  EXPECT_EQ(graph->nodes()[2].gap_ns, 0);
  Scenario shorter(*graph);
  shorter.SetDuration(1, 40 * kUs);
  EXPECT_EQ(TimesJobGraph(Replay(shorter), *graph, Work::kCompute), "0:10-50 0:52-152 ");
}

// A call that lasts until a kernel is over waited for it, though the graph of the rank has no edge.
TEST(JobGraph, InfersWhatACallWaitsFor) {
  NodesForTest nodes;
  nodes.Step(0, kBase, kBase + 1000 * kUs).Kind(Work::kOp);
  const auto host = nodes.Add(0, kBase, 10 * kUs);
  nodes.Kind(Work::kSyncCall, "cudaStreamSynchronize");
  nodes.Add(0, kBase + 10 * kUs, 205 * kUs);
  nodes.Kind(Work::kCompute);
  const auto kernel = nodes.Add(7, kBase + 12 * kUs, 200 * kUs);
  nodes.Edge(host, kernel, 2 * kUs);
  JobForTest traces;
  traces.Add(0, SyncedRankJobGraph(300));
  const auto graph = GraphOfTables(traces, {nodes.Tables()}).value();
  EXPECT_EQ(TimesJobGraph(Replay{Scenario(*graph)}, *graph, Work::kSyncCall), "0:212-215 ");
  Scenario shorter(*graph);
  shorter.SetDuration(2, 50 * kUs);
  EXPECT_EQ(TimesJobGraph(Replay(shorter), *graph, Work::kSyncCall), "0:62-65 ");
}

// The kernel that ends with the call is launched by what comes behind the call: the call cannot
// have waited for it. Nothing may be left without a time.
TEST(JobGraph, ACallDoesNotWaitForWhatItsThreadLaunchesLater) {
  NodesForTest nodes;
  nodes.Step(0, kBase, kBase + 1000 * kUs).Kind(Work::kSyncCall, "cudaStreamSynchronize");
  nodes.Add(0, kBase + 10 * kUs, 205 * kUs);
  nodes.Kind(Work::kOp);
  const auto host = nodes.Add(0, kBase + 215 * kUs, 0);
  nodes.Kind(Work::kCompute);
  const auto kernel = nodes.Add(7, kBase + 215 * kUs, 1 * kUs);
  nodes.Edge(host, kernel);
  JobForTest traces;
  traces.Add(0, SyncedRankJobGraph(300));
  const std::vector<std::vector<Table>> tables = {nodes.Tables()};
  ExpectAsRecorded(traces, tables, *GraphOfTables(traces, tables).value());
}

// Rank 0 does A, then B, rank 1 B, then A: they would wait for each other forever.
TEST(JobGraph, DissolvesARingOfRendezvous) {
  Collective other = kReduce;
  other.group = "1";
  other.in = other.out = 2000;
  const Spans spans = {{0, 100}, {200, 300}};
  JobForTest traces;
  traces.Add(0, TraceOf(spans, {kReduce, other})).Add(1, TraceOf(spans, {other, kReduce}));
  const std::vector<std::vector<Table>> tables = {Communications(spans), Communications(spans)};
  const auto graph = GraphOfTables(traces, tables).value();
  EXPECT_EQ(graph->dissolved(), 1);
  ExpectAsRecorded(traces, tables, *graph);
}

// Cells of stored tables that contradict each other are an error, whatever they are.
TEST(JobGraph, RefusesDamagedNodes) {
  struct Case {
    std::string_view what;
    std::size_t table;
    std::string_view column;
    bool is_refused;
  };
  const Case cases[] = {
      {"kind", 1, "kind", true},
      {"previous", 1, "previous", true},
      {"step", 1, "step", true},
      {"from", 2, "from", true},
      {"to", 2, "to", true},
      {"begin", 1, "begin_ns", false},
      {"duration", 1, "duration_ns", false},
      {"event", 1, "event", false},
      {"place", 1, "place", false},
      {"track", 1, "track", false},
      {"lag", 2, "lag_ns", false},
      {"edge kind", 2, "kind", false},
      {"site", 1, "site", false},
      {"work", 0, "work", false},
      {"class", 0, "kernel_class", false},
      {"phase", 0, "phase", false},
      {"number", 3, "number", false},
      {"window", 3, "begin_ns", false},
      {"window end", 3, "end_ns", false},
  };
  const JobForTest traces = SyncedJob();
  std::vector<RankTrace> ranks;
  ranks.push_back(SyncedRankJobGraph(300));
  ranks.push_back(SyncedRankJobGraph(500));
  const std::vector<std::vector<Table>> good = Mapped(ranks);
  ASSERT_TRUE(GraphOfTables(traces, good).ok());
  for (const Case& one : cases) {
    for (const std::int64_t value :
         {std::int64_t{-1}, std::int64_t{1'000'000}, INT64_MAX, INT64_MIN, INT64_MAX / 2}) {
      std::vector<std::vector<Table>> tables = good;
      const Table& table = good[1][one.table];
      const std::size_t column = table.Find(one.column).value();
      Table changed(table.name(), table.columns());
      for (std::size_t row = 0; row < table.row_count(); ++row) {
        std::vector<Value> cells;
        for (std::size_t i = 0; i < table.column_count(); ++i)
          cells.push_back(row == 2 && i == column ? Value(value) : table.At(row, i));
        changed.AddRow(cells);
      }
      tables[1][one.table] = changed;
      const auto graph = GraphOfTables(traces, tables);
      EXPECT_EQ(graph.ok(), !one.is_refused) << one.what << " " << value;
      if (graph.ok()) {
        EXPECT_EQ(graph.value()->order().size(), graph.value()->nodes().size()) << one.what;
        Replay{Scenario(*graph.value())}.MeanStep();
      } else {
        EXPECT_EQ(graph.status().message(), "the stored nodes of rank 1 contradict each other");
      }
    }
  }
}

// A recording at random, whether it makes sense or not.
RankTrace RandomTrace(std::mt19937_64& random) {
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  TraceForTest trace;
  const std::int64_t end = 3000 * kUs;
  for (std::int64_t step = 0; step < below(4); ++step)
    trace.Step(step, step * 800 * kUs, 800 * kUs);
  std::int64_t host = below(20 * kUs);
  for (std::int64_t i = 1; host < end && i < 80; ++i) {
    const std::int64_t length = below(3) == 0 ? below(200 * kUs) : below(8 * kUs);
    const std::int64_t begin = host - 10 * kUs + below(300 * kUs);
    const std::int64_t lasts = below(4) == 0 ? below(2 * kUs) : below(150 * kUs);
    const std::int64_t stream = 7 + below(3);
    switch (below(6)) {
      case 0:
        trace.Host(1, EventKind::kRuntime, below(2) == 0 ? "cudaDeviceSynchronize" : "cudaFree",
                   host, length, i);
        break;
      case 1:
        trace.Host(1 + below(2), EventKind::kCpuOp, "aten::add", host, length);
        break;
      case 2:
        trace.Launch(i, host, length).Comm(20, begin, lasts, kReduce).Linked(i);
        break;
      case 3:
        trace.Launch(i, host, length)
            .Comm(21, begin, lasts,
                  {.name = below(2) == 0 ? "send" : "recv",
                   .in = 250,
                   .peer = static_cast<std::int32_t>(below(2))})
            .Linked(i);
        break;
      default:
        trace.Launch(i, host, length).Kernel(stream, "gemm", begin, lasts, i);
    }
    host += length + below(20 * kUs);
  }
  return trace.Build(kBase);
}

// One to three such recordings, and what the mapper leaves of them.
std::pair<JobForTest, std::vector<std::vector<Table>>> RandomJob(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<RankTrace> ranks;
  for (std::size_t rank = 0; rank < 1 + seed % 3; ++rank) ranks.push_back(RandomTrace(random));
  std::vector<std::vector<Table>> tables = Mapped(ranks);
  JobForTest traces;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    traces.Add(static_cast<std::int64_t>(rank), std::move(ranks[rank]));
  return {std::move(traces), std::move(tables)};
}

TEST(JobGraph, ReplayOfAnyRecordingIsTheRecording) {
  for (std::uint64_t seed = 1; seed <= Seeds(100); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const auto [traces, tables] = RandomJob(seed);
    ExpectAsRecorded(traces, tables, *GraphOfTables(traces, tables).value());
    if (HasFailure()) return;
  }
}

// What is known of nodes, told by recordings and places in these.
std::vector<std::string> NodesByCapture(const JobGraph& graph) {
  std::vector<std::string> name(graph.nodes().size());
  std::vector<NodeId> all;
  for (const JobGraph::CaptureNodes& capture : graph.captures()) {
    std::size_t index = 0;
    for (const NodeId node : capture.nodes()) {
      name[node] = fmt::format("{}/{}", capture.capture, index++);
      all.push_back(node);
    }
  }
  std::vector<std::string> texts;
  for (const NodeId node : all) {
    const Node of = graph.nodes()[node];
    std::string text = fmt::format(
        "{} {}: rank {}, step {}, place {}, event {}, gap {}, lasts {}, {}{}behind {}", name[node],
        graph.KindOf(node).name, graph.RankOf(node), static_cast<std::int32_t>(graph.StepOf(node)),
        graph.PlaceOf(node), graph.EventOf(node), of.gap_ns, of.duration_ns,
        graph.EndsStep(node) ? "ends its step, " : "", graph.IsEager(node) ? "eager, " : "",
        of.previous == kNoNode ? "none" : name[of.previous]);
    for (const NodeEdge edge : graph.EdgesOf(node))
      text += fmt::format(", {} + {}", name[edge.from], edge.lag_ns);
    if (of.rendezvous != kNoRendezvous) {
      for (const NodeId member : graph.MembersOf(graph.meetings()[of.rendezvous]))
        text += fmt::format(", meets {}", name[member]);
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

TEST(JobGraph, StepsThatLieTogetherChangeNothingButNumbers) {
  int some_were_moved = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const auto [traces, tables] = RandomJob(seed);
    const auto whole = GraphOfTables(traces, tables).value();
    for (const std::size_t together : {std::size_t{1}, whole->nodes().size() / 3 + 1}) {
      const auto moved = GraphOfTables(traces, tables, {.nodes_together = together}).value();
      ExpectAsRecorded(traces, tables, *moved);
      EXPECT_EQ(NodesByCapture(*moved), NodesByCapture(*whole));
      const Scenario now(*whole), then(*moved);
      const StepEnds before = StepTimesOf(now), after = StepTimesOf(then);
      for (std::size_t step = 0; step < whole->steps().size(); ++step)
        EXPECT_EQ(after.End(step), before.End(step));
      some_were_moved += moved->blocks().size() > moved->captures().size() ? 1 : 0;
    }
    const std::size_t limit = whole->nodes().size() / 2;
    EXPECT_EQ(
        NodesByCapture(
            *GraphOfTables(traces, tables, {.most_nodes = limit, .nodes_together = 1}).value()),
        NodesByCapture(*GraphOfTables(traces, tables, {.most_nodes = limit}).value()));
    if (HasFailure()) return;
  }
  EXPECT_GT(some_were_moved, 50);
}

// What is known of the replay of the nodes of steps behind `last`.
std::string TimesBehind(const JobGraph& graph, std::int64_t last) {
  const Replay replay{Scenario(graph)};
  std::string text;
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    const std::uint32_t step = graph.StepOf(node);
    if (step == kNoStep || graph.steps()[step].number <= last) continue;
    text += fmt::format("{} {} {}: {}-{} {}\n", graph.RankOf(node), graph.steps()[step].number,
                        graph.KindOf(node).name, replay.BeginOf(node), replay.EndOf(node),
                        graph.EventOf(node));
  }
  return text;
}

TEST(JobGraph, OfALargeJobTheLastStepsAreReplayedAsInTheWhole) {
  int some_were_left_out = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const auto [traces, tables] = RandomJob(seed);
    const auto whole = GraphOfTables(traces, tables).value();
    const std::size_t limit = whole->nodes().size() / 2;
    const auto part = GraphOfTables(traces, tables, {.most_nodes = limit}).value();
    EXPECT_LE(part->nodes().size(), limit);
    EXPECT_EQ(part->order().size(), part->nodes().size());
    EXPECT_EQ(part->steps().size() + part->steps_left_out(), whole->steps().size());
    EXPECT_EQ(part->is_too_large(), part->nodes().empty());
    const std::int64_t last =
        part->steps_left_out() == 0 ? INT64_MIN : whole->steps()[part->steps_left_out() - 1].number;
    EXPECT_EQ(TimesBehind(*part, last), TimesBehind(*whole, last));
    EXPECT_EQ(TimesBehind(*part, INT64_MIN),
              TimesBehind(*GraphOfTables(traces, tables, {.most_nodes = limit}, true).value(),
                          INT64_MIN));
    for (std::size_t step = 0; step < part->steps().size(); ++step)
      EXPECT_EQ(part->steps()[step].recorded_end_ns,
                whole->steps()[step + part->steps_left_out()].recorded_end_ns);
    some_were_left_out += part->steps_left_out() > 0 && !part->nodes().empty() ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(some_were_left_out, 20);
}

}  // namespace
}  // namespace rankscope
