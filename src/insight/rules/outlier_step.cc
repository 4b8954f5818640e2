// outlier-step: a step does other work than the rest.
//
// What its ranks do at each place of the step's program is compared with what the same rank does
// there in the other steps: what only this step has would not be. Pauses of Python's collector have
// a name of their own (gc-pause): the steps are those of the job without them. Updates of
// parameters, and the transfers of steps that update, are no outliers where the other steps have
// none: gradients are gathered over several steps, or updates are skipped.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "base/median.h"
#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/host_work/collector_pauses.h"
#include "insight/evidence/host_work/slower_host.h"
#include "insight/evidence/setting/setting.h"
#include "insight/evidence/steps/only_in_steps.h"
#include "insight/rules/rules.h"
#include "trace/device_api.h"
#include "trace/profiler_frames.h"

namespace rankscope {
namespace {

constexpr std::size_t kEnoughOtherSteps = 3;
constexpr double kTimesSpread = 3;
// Two kinds of steps, half of each: so far they lie apart against how far either spreads.
constexpr std::int64_t kGapOfSpread = 2;

struct Outlier {
  std::size_t step = 0;
  std::int64_t beyond_ns = 0;
};

// Of the counted steps, without pauses of the collector; by step.
std::vector<std::int64_t> TimesOfCountedSteps(const RuleInput& input) {
  const HostStalls& pauses = input.Shared<CollectorPauses>().stalls();
  std::vector<std::int64_t> times(input.graph().steps().size());
  if (pauses.nodes.empty()) {
    for (const std::size_t step : input.counted()) times[step] = input.now().StepTime(step);
    return times;
  }
  const Scenario without = WithoutStalls(input, pauses);
  const std::vector<const Scenario*> scenarios = {&without};
  const StepEnds ends = input.replayed().StepTimes(scenarios).front();
  for (const std::size_t step : input.counted()) times[step] = ends.Time(step);
  return times;
}

// Of steps of one phase those beyond the median by more than they scatter, and by kLowGain of all
// steps.
std::vector<Outlier> OutliersAmong(const RuleInput& input, const std::vector<std::int64_t>& times,
                                   const std::vector<std::size_t>& steps) {
  if (steps.size() < kEnoughOtherSteps) return {};
  // The usual ones are the shorter half: where as many are long, a middle one tells nothing.
  std::vector<std::int64_t> scratch;
  scratch.reserve(steps.size());
  for (const std::size_t step : steps) scratch.push_back(times[step]);
  std::sort(scratch.begin(), scratch.end());
  const bool is_even = scratch.size() % 2 == 0;
  const std::size_t half = scratch.size() / 2;
  const bool are_two = is_even && scratch.size() > 4 &&
                       scratch[half] - scratch[half - 1] >
                           kGapOfSpread * std::max(scratch[half - 1] - scratch.front(),
                                                   scratch.back() - scratch[half]);
  if (are_two) scratch.resize(half);
  const std::int64_t usual = MedianOf(scratch);
  for (std::int64_t& time : scratch) time = std::abs(time - usual);
  const auto spread = static_cast<double>(MedianOf(scratch));
  std::vector<Outlier> outliers;
  for (const std::size_t step : steps) {
    if (input.graph().steps()[step].number == 0) continue;  // a job's first one starts it up
    const std::int64_t beyond = times[step] - usual;
    if (input.ShareOfSteps(beyond) >= kLowGain &&
        static_cast<double>(beyond) > kTimesSpread * spread)
      outliers.push_back({step, beyond});
  }
  // Most steps are not unusual.
  if (2 * outliers.size() > steps.size() - (are_two ? 0 : 1)) return {};
  return outliers;
}

std::vector<Outlier> OutliersOf(const RuleInput& input) {
  std::map<std::int64_t, std::vector<std::size_t>> by_phase;
  for (const std::size_t step : input.counted())
    by_phase[input.graph().steps()[step].phase].push_back(step);
  const std::vector<std::int64_t> times = TimesOfCountedSteps(input);
  std::vector<Outlier> outliers;
  for (const auto& [phase, steps] : by_phase) {
    const std::vector<Outlier> of_phase = OutliersAmong(input, times, steps);
    outliers.insert(outliers.end(), of_phase.begin(), of_phase.end());
  }
  return outliers;
}

// Kernels of these steps that run at the same places in the others, of the same shapes and grids.
class KernelsOfStep {
 public:
  void Add(std::int64_t usual_ns, std::int64_t more_ns) {
    usual_ns_ += usual_ns;
    more_ns_ += more_ns;
    if (static_cast<double>(more_ns) > kSlower * static_cast<double>(usual_ns))
      slower_usual_ns_ += usual_ns;
  }
  double Times() const {
    return usual_ns_ == 0
               ? 1
               : static_cast<double>(usual_ns_ + more_ns_) / static_cast<double>(usual_ns_);
  }
  // Most of what the steps take longer lies in them, and most of them take longer: it is the device
  // that is slower, and no other work.
  bool AreSlower(const std::vector<std::int64_t>& times) const {
    const auto all =
        static_cast<double>(std::accumulate(times.begin(), times.end(), std::int64_t{0}));
    return static_cast<double>(more_ns_) > kMost * all && Times() > 1 + kSlower &&
           slower_usual_ns_ > usual_ns_ / 2;
  }

 private:
  static constexpr double kSlower = 0.05;
  static constexpr double kMost = 0.5;
  std::int64_t usual_ns_ = 0, more_ns_ = 0, slower_usual_ns_ = 0;
};

// What each rank does in these steps, compared with what the same rank does in the others.
class OutlyingWork {
 public:
  OutlyingWork(const RuleInput& input, const std::vector<Outlier>& outliers)
      : input_(input),
        outliers_(outliers),
        pauses_(input.Shared<CollectorPauses>()),
        is_outlier_(input.graph().steps().size(), false),
        of_rank_(input.ranks(), 0),
        without_(input.recorded()) {
    for (const Outlier& one : outliers) is_outlier_[one.step] = true;
    for (const std::size_t counted : input.counted())
      others_[input.graph().steps()[counted].phase] += is_outlier_[counted] ? 0 : 1;
    bool any_updates = false;
    bool others_update = false;
    input.ForEach([&](NodeId node, const NodeKind& kind) {
      if (kind.phase != Phase::kOptimizer) return;
      (is_outlier_[input.graph().StepOf(node)] ? any_updates : others_update) = true;
    });
    only_these_update_ = any_updates && !others_update;
    for (std::uint32_t place = 0; place < input.places().place_count(); ++place)
      Compare(input.places().NodesOf(place));
  }

  // None where nothing that was recorded takes longer, or what updates leave of it is little.
  std::optional<Cause> ToCause() && {
    if (nodes_.empty()) return std::nullopt;
    std::int64_t longer = 0;
    for (const Outlier& one : outliers_) longer += one.beyond_ns;
    const std::int64_t beyond = WithoutUpdates(longer);
    if (input_.ShareOfSteps(beyond) < kLowGain) return std::nullopt;
    const std::int64_t most = *std::max_element(of_rank_.begin(), of_rank_.end());
    Cause cause;
    cause.ranks = RanksThat(input_, [&](std::uint32_t rank) { return 2 * of_rank_[rank] >= most; });
    std::vector<std::int64_t> numbers;
    for (const Outlier& one : outliers_) {
      cause.steps.push_back(static_cast<std::uint32_t>(one.step));
      numbers.push_back(input_.graph().steps()[one.step].number);
    }
    std::sort(cause.steps.begin(), cause.steps.end());
    TellWhere(input_, nodes_, times_, cause);
    SpareWhatIsUsual(beyond);
    cause.without = std::move(without_);
    cause.lost_ns = beyond / static_cast<std::int64_t>(input_.counted().size());
    const SlowerHost host(input_, is_outlier_);
    // Where the host is slower at whatever it does, no place says more than another one.
    if (host.Holds(times_)) cause.places.clear();
    const std::string where = LargestPlace(cause, beyond);
    // What recording itself does at times is nothing of the program's.
    if (IsFrameOfProfiler(where)) return std::nullopt;
    const bool is_one = outliers_.size() == 1;
    cause.what = fmt::format(
        "step{} {} take{} {} longer than the others{}{}", is_one ? "" : "s",
        RangesWords(std::move(numbers)), is_one ? "s" : "",
        TimeText(static_cast<double>(beyond) / static_cast<double>(outliers_.size())),
        is_one ? "" : " in the mean", where.empty() ? "" : fmt::format(", above all in {}", where));
    TellWhatItDoes(host, cause);
    return cause;
  }

 private:
  // What of it is no update, where these steps alone update.
  std::int64_t WithoutUpdates(std::int64_t longer) const {
    const auto other =
        static_cast<double>(std::accumulate(times_.begin(), times_.end(), std::int64_t{0}));
    return std::llround(static_cast<double>(longer) * other /
                        (other + static_cast<double>(updates_ns_)));
  }

  // What else these steps do that is seen: the same at lower clocks, an evaluation, a function that
  // runs in no other.
  void TellWhatItDoes(const SlowerHost& host, Cause& cause) const {
    constexpr double kMuchMore = 1.5;
    if (host.Holds(times_)) {
      cause.is_unproven = true;
      cause.what += fmt::format(
          "; the host does the same there and takes {:.3g} times as long for it{}: no work of "
          "these steps, but what else the host had to do, or the profiler",
          host.Times(), SinceWhen());
      cause.recommendation =
          "Record other steps, and longer: where some are slow again, see what else runs on that "
          "host (other processes, its clocks, throttled containers; rankscope-agent records them "
          "beside a trace).";
      return;
    }
    if (kernels_.AreSlower(times_)) {
      cause.what += fmt::format("; the same kernels take {:.3g} times as long there{}",
                                kernels_.Times(), SinceWhen());
      cause.recommendation =
          "The devices do the same work more slowly there: look at their clocks, power and "
          "temperature (nvidia-smi -q -d CLOCK,PERFORMANCE, amd-smi metric; rankscope-agent "
          "records them beside a trace), and at what else runs on them.";
      return;
    }
    if (IsStart()) {
      cause.is_unproven = true;
      cause.what +=
          "; it is the first that was recorded, and takes memory from the driver, as a program "
          "that "
          "warms up";
      cause.recommendation =
          "Leave the first steps out (torch.profiler.schedule(wait=5, warmup=3, active=5)), and "
          "see "
          "whether later ones are like the others. Sizes that come for the first time later on "
          "cost the same: keep them fixed, or pad them to a few.";
      return;
    }
    const double times = TimesForward(input_, is_outlier_);
    if (times >= kMuchMore) {
      cause.what += fmt::format(
          "; forward runs {:.3g} times as often as in those, backward no more often, as in an "
          "evaluation",
          times);
      cause.recommendation =
          "Evaluate less often or on fewer batches, in larger ones, under torch.inference_mode(), "
          "and read no value before the last of them; or in a job of its own, on checkpoints.";
    }
    // No graph makes what is computed there shorter.
    if (times < kMuchMore && !MostIsComputed() && OthersAloneLaunchGraphs()) {
      cause.what += fmt::format("; {} no graph there, as the others do",
                                outliers_.size() == 1 ? "it launches" : "they launch");
      cause.recommendation = AdviceForGraphs();
    } else if (input_.Shared<Setting>().is_serving && MostAreCopies()) {
      cause.recommendation =
          "Caches of requests that are preempted go to the host and back when the pool is full: "
          "more memory for it (vLLM: --gpu-memory-utilization), fewer sequences at once "
          "(--max-num-seqs), computing them again in place of swapping, or copies on a stream of "
          "their own beside the other requests.";
    }
    const std::string function = FunctionOnlyIn(input_, is_outlier_);
    if (!function.empty()) cause.what += fmt::format("; {} runs in no other step", function);
  }

  // Whether devices compute so much more there, on the rank with most of it, that it is most of
  // what these steps take longer.
  bool MostIsComputed() const {
    const std::size_t ranks = input_.ranks(), steps = is_outlier_.size();
    std::vector<std::int64_t> of_step(steps * ranks, 0);
    input_.ForEach([&](NodeId node, const NodeKind& kind) {
      if (kind.work == Work::kCompute)
        of_step[input_.RankOf(node) * steps + input_.graph().StepOf(node)] +=
            input_.graph().nodes().DurationOf(node);
    });
    std::int64_t beyond = 0, most = 0;
    for (const Outlier& one : outliers_) beyond += one.beyond_ns;
    std::vector<std::int64_t> others;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      others.clear();
      std::int64_t more = 0;
      for (const std::size_t step : input_.counted()) {
        if (!is_outlier_[step]) others.push_back(of_step[rank * steps + step]);
      }
      if (others.empty()) return false;
      const std::int64_t usual = MedianOf(others);
      for (const Outlier& one : outliers_) more += of_step[rank * steps + one.step] - usual;
      most = std::max(most, more);
    }
    return 2 * most > beyond;
  }

  // Whether nearly all of the other steps launch graphs, and none of these does.
  bool OthersAloneLaunchGraphs() const {
    constexpr double kNearlyAll = 0.8;
    std::vector<bool> launches(is_outlier_.size(), false);
    bool any_of_these = false;
    input_.ForEach([&](NodeId node, const NodeKind& kind) {
      if (kind.work != Work::kLaunchCall || !IsGraphLaunchCall(kind.name)) return;
      const std::uint32_t step = input_.graph().StepOf(node);
      launches[step] = true;
      any_of_these = any_of_these || is_outlier_[step];
    });
    const auto with = std::count(launches.begin(), launches.end(), true);
    const std::size_t others = input_.counted().size() - outliers_.size();
    return !any_of_these && others > 0 &&
           static_cast<double>(with) >= kNearlyAll * static_cast<double>(others);
  }

  std::string AdviceForGraphs() const {
    switch (input_.Shared<Setting>().engine) {
      case Setting::Engine::kVllm:
        return "Capture graphs of the batches that occur: cudagraph_capture_sizes in "
               "--compilation-config up to the largest batch (--max-num-seqs), and close enough "
               "that padding costs little.";
      case Setting::Engine::kSglang:
        return "Capture graphs of the batches that occur: --cuda-graph-max-bs or --cuda-graph-bs "
               "up to the largest batch (--max-running-requests).";
      case Setting::Engine::kTensorRtLlm:
        return "Capture graphs of the batches that occur: batch_sizes of cuda_graph_config up to "
               "the largest batch, with enable_padding.";
      case Setting::Engine::kNone:
        break;
    }
    return "Capture a graph for each size that occurs, or pad to a captured one, so that no step "
           "launches its kernels one by one.";
  }

  // Between host and device.
  bool MostAreCopies() const {
    double of_copies = 0, all = 0;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const auto ns = static_cast<double>(times_[i]);
      all += ns;
      of_copies += input_.graph().KindOf(nodes_[i]).work == Work::kCopy ? ns : 0;
    }
    return 2 * of_copies > all;
  }

  // Whether it is the first recorded step, and allocates as no later one does.
  bool IsStart() const {
    constexpr double kPart = 0.05;
    const JobGraph& graph = input_.graph();
    if (outliers_.size() != 1 || outliers_.front().step != input_.counted().front()) return false;
    double of_allocator = 0, all = 0;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const auto ns = static_cast<double>(times_[i]);
      all += ns;
      of_allocator += graph.KindOf(nodes_[i]).work == Work::kAllocator ? ns : 0;
    }
    return of_allocator > kPart * all;
  }

  // ", from step 27 to the last", where they are the last ones.
  std::string SinceWhen() const {
    std::size_t first = input_.graph().steps().size();
    for (const Outlier& one : outliers_) first = std::min(first, one.step);
    const auto counted = input_.counted();
    const auto behind = std::count_if(counted.begin(), counted.end(),
                                      [&](std::size_t step) { return step >= first; });
    if (outliers_.size() < 2 || static_cast<std::size_t>(behind) != outliers_.size()) return "";
    return fmt::format(", from step {} to the last", input_.graph().steps()[first].number);
  }

  // What takes a good part of what these steps take beyond the others; "" where nothing does.
  static std::string LargestPlace(const Cause& cause, std::int64_t beyond) {
    constexpr double kGoodPart = 0.2;
    if (cause.places.empty()) return "";
    const auto of_a_rank = static_cast<double>(cause.places.front().ns) /
                           static_cast<double>(std::max<std::size_t>(1, cause.ranks.size()));
    return of_a_rank < kGoodPart * static_cast<double>(beyond) ? "" : cause.places.front().op;
  }

  // Ops that come again are told apart by their order alone, so that a step with more of them has
  // ordinary work among what is taken out. Without its cause no step is shorter than the others:
  // what is taken out is scaled to `beyond`.
  void SpareWhatIsUsual(std::int64_t beyond) {
    const double most = static_cast<double>(beyond) / static_cast<double>(input_.counted().size());
    const double saved = input_.GainOf(without_) * input_.step_ns();
    if (saved <= most) return;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const std::int64_t now = input_.graph().nodes()[nodes_[i]].duration_ns;
      without_.SetDuration(nodes_[i],
                           now - std::llround(static_cast<double>(times_[i]) * most / saved));
    }
  }

  void Compare(std::span<const NodeId> alike) {
    const JobGraph& graph = input_.graph();
    // Without its partners, how much of a transfer is waiting is not known.
    const bool is_transfer = graph.KindOf(alike.front()).work == Work::kCommunication;
    by_rank_.clear();
    bool any = false;
    for (const NodeId node : alike) {
      if (is_transfer && graph.nodes()[node].rendezvous == kNoRendezvous) continue;
      by_rank_.emplace_back(input_.RankOf(node), node);
      any = any || is_outlier_[graph.StepOf(node)];
    }
    if (!any) return;
    std::sort(by_rank_.begin(), by_rank_.end());
    for (std::size_t first = 0, last = 0; first < by_rank_.size(); first = last) {
      while (last < by_rank_.size() && by_rank_[last].first == by_rank_[first].first) ++last;
      CompareRank(std::span(by_rank_).subspan(first, last - first));
    }
  }

  // Nodes of one place on one rank.
  void CompareRank(std::span<const std::pair<std::uint32_t, NodeId>> nodes) {
    const JobGraph& graph = input_.graph();
    durations_.clear();
    for (const auto& [rank, node] : nodes) {
      if (input_.Counts(node) && !is_outlier_[graph.StepOf(node)])
        durations_.push_back(graph.nodes()[node].duration_ns);
    }
    const NodeKind& kind = graph.KindOf(nodes.front().second);
    const bool is_everywhere = !durations_.empty();
    const bool is_update = only_these_update_ && !is_everywhere &&
                           (kind.phase == Phase::kOptimizer || kind.work == Work::kCommunication);
    const bool is_same_kernel = is_everywhere && kind.work == Work::kCompute &&
                                std::all_of(nodes.begin(), nodes.end(), [&](const auto& of) {
                                  return &graph.KindOf(of.second) == &kind;
                                });
    // 0 in the other steps without it.
    const auto others = others_.find(graph.steps()[graph.StepOf(nodes.front().second)].phase);
    if (others != others_.end()) durations_.resize(std::max(durations_.size(), others->second), 0);
    const std::int64_t usual = MedianOf(durations_);
    for (const auto& [rank, node] : nodes) {
      if (!is_outlier_[graph.StepOf(node)] || pauses_.Has(node)) continue;
      const std::int64_t more = graph.nodes()[node].duration_ns - usual;
      if (is_same_kernel) kernels_.Add(usual, more);
      if (more <= 0) continue;
      if (is_update) {
        updates_ns_ += more;
        continue;
      }
      without_.SetDuration(node, usual);
      nodes_.push_back(node);
      times_.push_back(more);
      of_rank_[rank] += more;
    }
  }

  const RuleInput& input_;
  const std::vector<Outlier>& outliers_;
  const CollectorPauses& pauses_;
  std::vector<bool> is_outlier_;                // by step
  std::map<std::int64_t, std::size_t> others_;  // counted steps that are not, by phase
  std::vector<std::int64_t> of_rank_;
  Scenario without_;
  std::vector<NodeId> nodes_;
  std::vector<std::int64_t> times_;
  bool only_these_update_ = false;
  std::int64_t updates_ns_ = 0;
  KernelsOfStep kernels_;
  std::vector<std::pair<std::uint32_t, NodeId>> by_rank_;  // of a place
  std::vector<std::int64_t> durations_;
};

constexpr std::array<Advice, 1> kOutlierStepAdvice = {{
    {[](const Setting& of) { return of.is_serving; },
     "A server's steps differ by their batches: see what these have and the others do not "
     "(prompts to compute, caches that are swapped, sizes without a captured graph, sampling of "
     "single requests), and bound it: a smaller token budget or chunked prefill, more memory for "
     "the cache or fewer sequences at once, captured graphs up to the largest batch."},
}};

std::optional<Cause> FindOutlierStep(const RuleInput& input) {
  const std::vector<Outlier> outliers = OutliersOf(input);
  if (outliers.empty()) return std::nullopt;
  return OutlyingWork(input, outliers).ToCause();
}

}  // namespace

const Rule& OutlierStepRule() {
  static const Rule kRule{
      .id = "outlier-step",
      .summary = "one step does other work than the rest",
      .tier = Tier::kBeyondSteps,
      .takes = Takes::kOutlier,
      .find = FindOutlierStep,
      .why =
          "steps compared with the median of those of their phase; what each rank does in it, "
          "place "
          "by place, with what the same rank does there in the other steps, and replayed so",
      .recommendation =
          "See what runs in that step alone (evaluation, logging, a checkpoint, workers that start "
          "anew) and do it less often, asynchronously, or outside of the training loop.",
      .command = "rankscope table step_work TRACES",
      .advice = kOutlierStepAdvice,
  };
  return kRule;
}

}  // namespace rankscope
