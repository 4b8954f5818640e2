// A job of traces from literal events, for hand-checked tests.
#pragma once

#include <algorithm>
#include <memory>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include "facts/trace_facts.h"
#include "stage/analysis.h"
#include "stage/reducer.h"
#include "table/cells_for_test.h"
#include "table/schema.h"
#include "trace/literal_trace_for_test.h"

namespace rankscope {

// A job whose partials are at hand: runs Map on each trace and Reduce over them, as the engine
// does.
class JobForTest {
 public:
  JobForTest& Add(std::int64_t rank, RankTrace trace, std::int64_t index = 0) {
    Capture capture;
    capture.rank = rank;
    capture.index = index;
    capture.begin_ns = trace.meta.base_ns + trace.begin_ns;
    capture.end_ns = trace.meta.base_ns + trace.finish_ns;
    capture.quality = trace.meta.quality;
    if (!trace.meta.devices.empty()) capture.device_name = trace.meta.devices.front().name;
    const bool first = job_.captures.empty();
    job_.origin_ns = first ? capture.begin_ns : std::min(job_.origin_ns, capture.begin_ns);
    job_.captures.push_back(capture);
    traces_.push_back(std::move(trace));
    return *this;
  }

  // The host of the trace that was added last.
  JobForTest& OnHost(std::string_view host) {
    job_.captures.back().host = host;
    return *this;
  }

  // The trace that was added last lists so many devices of its host, and states its world.
  JobForTest& Listing(std::int64_t devices, std::int64_t world_size) {
    job_.captures.back().host_devices = devices;
    job_.captures.back().world_size = world_size;
    return *this;
  }

  // Telemetry lies beside the traces.
  void With(std::shared_ptr<const Telemetry> telemetry) { job_.telemetry = std::move(telemetry); }

  // Analyses may take so many threads.
  void OnThreads(int threads) { job_.threads = threads; }

  // The trace that was added last is left out by --capture or --ranks.
  JobForTest& Unselect() {
    job_.captures.back().selected = false;
    return *this;
  }
  // Partials come in the order of the traces from now on, else backwards: it must not matter.
  void InOrder() { in_order_ = true; }

  Table Run(const Analysis& analysis, const Options& given = {},
            const StepFilter& steps = std::nullopt) const {
    const Options options = CompleteOptions(analysis, given).value();
    if (analysis.derive) {
      std::vector<Table> tables;
      tables.reserve(analysis.inputs.size());
      for (const Analysis* input : analysis.inputs) tables.push_back(Run(*input, {}, steps));
      std::vector<const Table*> inputs;
      inputs.reserve(tables.size());
      for (const Table& table : tables) inputs.push_back(&table);
      return analysis.derive(InputTables(inputs), WithFacts(analysis, steps), options).value();
    }
    Stream stream = MapAll(analysis.mapper, {steps, MapperOptions(analysis.mapper, options)},
                           analysis.of_all_captures);
    const JobContext job = WithFacts(analysis, steps);
    // A reducer per partial, merged in turns: no order and no number of workers may matter.
    const std::unique_ptr<Reducer> all = analysis.reducer(options);
    for (Partial& partial : stream.partials) {
      const std::unique_ptr<Reducer> one = analysis.reducer(options);
      const Status added = one->Add(job.captures[partial.capture], std::move(partial.tables));
      RS_CHECK(added.ok(), "{}", added.message());
      all->Merge(*one);
    }
    return all->Finish(job).value();
  }

  // The same of partials in random order, added to several reducers that are merged at random.
  Table RunByRandomTree(const Analysis& analysis, std::mt19937_64& random) const {
    const Options options = CompleteOptions(analysis, {}).value();
    Stream stream = MapAll(analysis.mapper, {std::nullopt, MapperOptions(analysis.mapper, options)},
                           analysis.of_all_captures);
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    std::vector<std::unique_ptr<Reducer>> reducers(1 + below(stream.partials.size() + 1));
    for (auto& reducer : reducers) reducer = analysis.reducer(options);
    std::shuffle(stream.partials.begin(), stream.partials.end(), random);
    for (Partial& partial : stream.partials) {
      const Status added = reducers[below(reducers.size())]->Add(job_.captures[partial.capture],
                                                                 std::move(partial.tables));
      RS_CHECK(added.ok(), "{}", added.message());
    }
    while (reducers.size() > 1) {
      std::swap(reducers[below(reducers.size())], reducers.back());
      reducers[below(reducers.size() - 1)]->Merge(*reducers.back());
      reducers.pop_back();
    }
    return reducers.front()->Finish(WithFacts(analysis, std::nullopt)).value();
  }

 private:
  struct Stream : PartialStream {
    std::vector<Partial> partials;
    std::size_t next = 0;
    Result<bool> Next(Partial& partial) override {
      if (next == partials.size()) return false;
      partial = partials[next++];
      return true;
    }
  };
  Stream MapAll(const Mapper& mapper, const MapOptions& options, bool of_all_captures) const {
    Stream stream;
    stream.partials.reserve(traces_.size());
    for (std::size_t i = traces_.size(); mapper && i-- > 0;) {
      const TraceFacts facts(traces_[i]);
      if (!job_.captures[i].selected && !of_all_captures) continue;
      stream.partials.push_back({i, mapper.map(facts, options)});
      CheckColumns(mapper, stream.partials.back().tables);
    }
    if (in_order_) std::reverse(stream.partials.begin(), stream.partials.end());
    return stream;
  }

  // A stored partial is made anew when these do not agree, so here they must.
  static void CheckColumns(const Mapper& mapper, const std::vector<Table>& tables) {
    RS_CHECK(tables.size() == mapper.tables.size(), "{} maps {} tables and states {}", mapper.name,
             tables.size(), mapper.tables.size());
    for (std::size_t i = 0; i < tables.size(); ++i) {
      RS_CHECK(HasColumns(tables[i], mapper.tables[i]), "table {} of {} has not the columns stated",
               i, mapper.name);
    }
  }

  JobContext WithFacts(const Analysis& analysis, const StepFilter& steps) const {
    JobContext job = job_;
    job.steps = steps;
    for (const AnyJobFact* fact : analysis.facts) AddFact(*fact, steps, job);
    return job;
  }
  void AddFact(const AnyJobFact& fact, const StepFilter& steps, JobContext& job) const {
    for (const AnyJobFact* before : fact.facts) AddFact(*before, steps, job);
    if (job.facts.contains(&fact)) return;
    Stream stream = MapAll(fact.mapper, {steps, MapperOptions(fact.mapper, {})}, false);
    job.facts[&fact] = fact.build(stream, job).value();
  }

  std::vector<RankTrace> traces_;
  JobContext job_;
  bool in_order_ = false;
};

}  // namespace rankscope
