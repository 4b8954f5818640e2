// Graphs of jobs from literal traces, and from hand-written nodes. Times in nanoseconds.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/across/across_fact.h"
#include "replay/recording/map_nodes.h"
#include "replay/recording/node_partial.h"
#include "replay/replay_fact.h"
#include "replay/scenario/scenario.h"
#include "stage/job_for_test.h"

namespace rankscope {

inline constexpr std::int64_t kBase = 1'000'000;  // where recordings begin
inline constexpr TraceForTest::Collective kReduce{.name = "allreduce", .in = 1000, .out = 1000};

// The job with the facts that analyses get; it shares them with nobody.
inline JobContext WithFact(const JobForTest& traces, const AnyJobFact& fact) {
  JobContext kept;
  Analysis probe;
  probe.name = "probe";
  probe.facts = {&fact};
  probe.derive = [&](const InputTables&, const JobContext& job, const Options&) -> Result<Table> {
    kept = job;
    return Table("probe", {});
  };
  traces.Run(probe);
  return kept;
}
inline JobContext WithReplay(const JobForTest& traces) { return WithFact(traces, ReplayFact()); }

// A rank's nodes, written by hand: tables as the mapper leaves them. Times are absolute.
class NodesForTest {
 public:
  NodesForTest()
      : kinds_(SchemaOf<NodeKindPartial>().NewPartial("node_kinds")),
        nodes_(SchemaOf<NodePartial>().NewPartial("nodes")),
        edges_(SchemaOf<NodeEdgePartial>().NewPartial("node_edges")),
        steps_(SchemaOf<NodeStepPartial>().NewPartial("node_steps")),
        sites_(SchemaOf<NodeSitePartial>().NewPartial("node_sites")) {}

  NodesForTest& Step(std::int64_t number, std::int64_t begin, std::int64_t end,
                     bool complete = true) {
    const auto& columns = SchemaOf<NodeStepPartial>();
    steps_.Add({columns.number = number, columns.begin_ns = begin, columns.end_ns = end,
                columns.complete = complete, columns.follows_host = false,
                columns.phase = std::int64_t{0}});
    return *this;
  }
  // What the nodes that are added from now on do.
  NodesForTest& Kind(Work work, std::string_view name = "work", std::string_view shapes = "") {
    const auto& columns = SchemaOf<NodeKindPartial>();
    kinds_.Add({columns.work = static_cast<std::int64_t>(work), columns.name = name,
                columns.shapes = shapes});
    return *this;
  }
  // Behind the node that was added last on the same track; `step` is a row of the steps. Returns
  // the row.
  std::int64_t Add(std::int64_t track, std::int64_t begin, std::int64_t duration,
                   std::optional<std::int64_t> step = 0, std::int64_t place = 0,
                   std::optional<std::int64_t> event = std::nullopt) {
    const auto& columns = SchemaOf<NodePartial>();
    const auto row = static_cast<std::int64_t>(nodes_.row_count());
    std::optional<std::int64_t> previous;
    for (auto& [of, last] : last_) {
      if (of == track) previous = last;
    }
    last_.emplace_back(track, row);
    nodes_.Add({columns.kind = static_cast<std::int64_t>(kinds_.row_count()) - 1,
                columns.track = track, columns.previous = previous, columns.begin_ns = begin,
                columns.duration_ns = duration, columns.step = step, columns.event = event,
                columns.place = place});
    return row;
  }
  NodesForTest& Edge(std::int64_t from, std::int64_t to, std::int64_t lag = 0,
                     DependencyKind kind = DependencyKind::kLaunch) {
    const auto& columns = SchemaOf<NodeEdgePartial>();
    edges_.Add({columns.from = from, columns.to = to, columns.lag_ns = lag,
                columns.kind = static_cast<std::int64_t>(kind)});
    return *this;
  }
  std::vector<Table> Tables() const { return {kinds_, nodes_, edges_, steps_, sites_}; }

 private:
  TableOf<NodeKindPartial> kinds_;
  TableOf<NodePartial> nodes_;
  TableOf<NodeEdgePartial> edges_;
  TableOf<NodeStepPartial> steps_;
  TableOf<NodeSitePartial> sites_;
  std::vector<std::pair<std::int64_t, std::int64_t>> last_;  // of a track, in turn
};

// The graph of such tables, by capture of a job of traces that gives captures, clocks and
// collectives; the partials come in their order or the other way round.
inline Result<std::shared_ptr<const JobGraph>> GraphOfTables(const JobForTest& traces,
                                                             std::vector<std::vector<Table>> tables,
                                                             const JobGraphLimits& limits = {},
                                                             bool is_reversed = false) {
  struct Stream : PartialStream {
    std::vector<Partial> partials;
    std::size_t next = 0;
    Result<bool> Next(Partial& partial) override {
      if (next == partials.size()) return false;
      partial = std::move(partials[next++]);
      return true;
    }
  } stream;
  for (std::size_t i = 0; i < tables.size(); ++i)
    stream.partials.push_back({i, std::move(tables[i])});
  if (is_reversed) std::reverse(stream.partials.begin(), stream.partials.end());
  const JobContext job = WithFact(traces, AcrossFact());
  return BuildJobGraph(stream, job, AcrossOf(job), limits);
}

// The graph of ranks of such nodes, recorded at 1 ms of the same clock.
inline std::shared_ptr<const JobGraph> GraphOfRanks(const std::vector<NodesForTest>& ranks,
                                                    const JobGraphLimits& limits = {}) {
  constexpr std::int64_t kRecordedNs = 1'000'000;
  JobForTest job;
  std::vector<std::vector<Table>> tables;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    job.Add(static_cast<std::int64_t>(rank),
            TraceForTest().Kernel(7, "a", 0, 9).Build(kRecordedNs));
    tables.push_back(ranks[rank].Tables());
  }
  return GraphOfTables(job, tables, limits).value();
}

}  // namespace rankscope
