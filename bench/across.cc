// What the analyses across ranks cost: mapping, matching, clocks and layout against loading the
// same traces; and reducing partials of thousands of ranks.
//
//   bench_across RANKS TRACE.json.gz...
//
// CPU time on one core. The traces are those of one job.
#include <fmt/core.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/across/across_fact.h"
#include "analysis/across/collective_events.h"
#include "analysis/layout/analyses.h"
#include "engine/partials.h"
#include "job/across_facts.h"
#include "load_shares.h"
#include "peak_memory.h"
#include "stage/reducer.h"
#include "synthetic_job.h"
#include "table/codec.h"
#include "training/list.h"

namespace rankscope::bench {
namespace {

double CpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double Timed(const std::function<void()>& work) {
  const double before = CpuSeconds();
  work();
  return CpuSeconds() - before;
}

class KeptPartials : public PartialStream {
 public:
  explicit KeptPartials(const std::vector<std::vector<Table>>& kept) : kept_(kept) {}
  Result<bool> Next(Partial& partial) override {
    if (next_ == kept_.size()) return false;
    partial.capture = next_;
    partial.tables = kept_[next_++];
    return true;
  }

 private:
  const std::vector<std::vector<Table>>& kept_;
  std::size_t next_ = 0;
};

// Analyses across ranks, and those that are made of their partials.
std::vector<const Analysis*> Reducing() {
  std::vector<const Analysis*> reducing;
  for (const Analysis* analysis : AllAnalyses()) {
    if (analysis->size == Size::kSummary && !analysis->facts.empty()) reducing.push_back(analysis);
  }
  return reducing;
}

void Print(const std::string& what, double seconds, double load) {
  fmt::print("  {:<46} {:>8.0f} ms  {:>6.3f} of load\n", what, seconds * 1e3, seconds / load);
}

void AgainstLoading(const std::vector<std::string>& paths) {
  const std::vector<Mapper> mappers = {CollectivesMapper(), PipelinePassesAnalysis().mapper,
                                       ExpertLoadAnalysis().mapper};
  double load = 0;
  std::vector<double> mapping(mappers.size());
  std::vector<std::vector<std::vector<Table>>> partials(mappers.size());
  JobContext job;
  std::size_t events = 0;
  for (const std::string& path : paths) {
    RankTrace trace;
    load += Timed([&] { trace = Load(path); });
    events += trace.meta.event_count;
    Capture capture;
    capture.rank = trace.meta.rank;
    capture.world_size = trace.meta.world_size;
    job.captures.push_back(capture);
    for (std::size_t i = 0; i < mappers.size(); ++i) {
      // Facts that other analyses of the same trace share are not theirs.
      const TraceFacts facts(trace);
      facts.devices();
      mapping[i] += Timed([&] { partials[i].push_back(mappers[i].map(facts, {})); });
    }
  }
  fmt::print("{} ranks, {} events\n", paths.size(), events);
  Print("load", load, load);
  double all = 0;
  for (std::size_t i = 0; i < mappers.size(); ++i) {
    Print("map: " + mappers[i].name, mapping[i], load);
    all += mapping[i];
  }
  const double facts = Timed([&] {
    KeptPartials stream(partials[0]);
    job.facts[&AcrossFact()] = AcrossFact().build(stream, job).value();
  });
  Print("match, clocks, waits, layout", facts, load);
  all += facts;
  for (const Analysis* analysis : Reducing()) {
    std::size_t of = 0;
    while (of < mappers.size() && mappers[of].name != analysis->mapper.name) ++of;
    const double seconds = Timed([&] {
      const Options options = CompleteOptions(*analysis, {}).value();
      if (analysis->mapper) {
        const std::unique_ptr<Reducer> reducer = analysis->reducer(options);
        for (std::size_t i = 0; i < job.captures.size(); ++i) {
          if (!reducer->Add(job.captures[i], partials[of][i]).ok()) std::abort();
        }
        if (!reducer->Finish(job).ok()) std::abort();
      } else if (!analysis->derive(InputTables({}), job, options).ok()) {
        std::abort();
      }
    });
    Print("reduce: " + analysis->name, seconds, load);
    all += seconds;
  }
  Print("all across ranks", all, load);
}

bool ReduceMany(const SyntheticJob& synthetic, bool prints) {
  JobContext job = synthetic.Context();
  // Making up the partials is no part of the work.
  const double making = Timed([&] {
    SyntheticStream stream(synthetic);
    Partial partial;
    while (stream.Next(partial).value()) continue;
  });
  const double facts = Timed([&] {
                         SyntheticStream stream(synthetic);
                         job.facts[&AcrossFact()] = AcrossFact().build(stream, job).value();
                       }) -
                       making;
  double all = facts;
  if (prints) fmt::print("  {:<46} {:>8.1f} s\n", "match, clocks, waits, layout", facts);
  for (const Analysis* analysis : Reducing()) {
    // Of passes, experts and steps, which are not made up.
    if (analysis->mapper || !analysis->inputs.empty()) continue;
    const double seconds = Timed([&] {
      if (!analysis->derive(InputTables({}), job, CompleteOptions(*analysis, {}).value()).ok())
        std::abort();
    });
    all += seconds;
    if (prints) fmt::print("  {:<46} {:>8.1f} s\n", "reduce: " + analysis->name, seconds);
  }
  if (prints) fmt::print("  {:<46} {:>8.1f} s\n", "all", all);
  return true;
}

// What a rank leaves of a trace with many names of kernels, beside its collectives.
void PrintPartials() {
  constexpr std::int64_t kNames = 400;
  constexpr std::int64_t kSteps = 3;
  const RankTrace trace = TraceWithNames(kNames, kSteps);
  const TraceFacts facts(trace);
  Partials partials;
  std::vector<std::pair<std::size_t, std::string>> sizes;
  std::set<std::string> mapped = {CollectivesMapper().name};
  for (const Analysis* analysis : AllAnalyses()) {
    const bool is_summary = analysis->group == Group::kDefault && analysis->size == Size::kSummary;
    const Mapper& mapper = analysis->mapper;
    if (!is_summary || !mapper || !mapped.insert(mapper.name).second) continue;
    const std::string bytes =
        EncodeTables(mapper.map(facts, {std::nullopt, MapperOptions(mapper, {})}));
    partials.Set(mapper.name, bytes);
    Partials alone;
    alone.Set(mapper.name, bytes);
    sizes.emplace_back(alone.Encode().size(), mapper.name);
  }
  std::sort(sizes.rbegin(), sizes.rend());
  fmt::print("partials of the other summaries, {} kernel names x {} steps: {:.1f} kB\n", kNames,
             kSteps, static_cast<double>(partials.Encode().size()) / 1e3);
  for (std::size_t i = 0; i < std::min<std::size_t>(sizes.size(), 4); ++i) {
    fmt::print("  {:<46} {:>8.1f} kB\n", sizes[i].second,
               static_cast<double>(sizes[i].first) / 1e3);
  }
}

void ManyRanks(std::int64_t ranks) {
  const SyntheticJob synthetic{.ranks = ranks};
  Partials packed;
  packed.Set("collectives", EncodeTables(synthetic.PartialOf(ranks / 2)));
  fmt::print("{} ranks x {} steps x {} collectives\n", ranks, synthetic.steps,
             synthetic.collectives);
  fmt::print("  {:<46} {:>8.1f} kB\n", "collectives of a rank",
             static_cast<double>(packed.Encode().size()) / 1e3);
  ReduceMany(synthetic, true);
  std::fflush(stdout);
  const std::int64_t peak = PeakBytes([&] { return ReduceMany(synthetic, false); });
  fmt::print("  {:<46} {:>8.2f} GB\n", "memory at the peak", static_cast<double>(peak) / 1e9);
}

}  // namespace
}  // namespace rankscope::bench

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: bench_across RANKS TRACE.json.gz...\n");
    return 2;
  }
  rankscope::bench::PrintPartials();
  rankscope::bench::ManyRanks(std::strtoll(argv[1], nullptr, 10));
  if (argc > 2) rankscope::bench::AgainstLoading({argv + 2, argv + argc});
  return 0;
}
