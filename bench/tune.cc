// Searches for the best settings of a simulated server, against the truth of a grid: how far from
// the best the choice is, and what random search and coordinate descent find with as many trials.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>

#include "tune/search/optimiser.h"
#include "tune/search/search_baselines_for_test.h"
#include "tune/search/simulated_subject_for_test.h"

namespace rankscope::tune {
namespace {

constexpr int kTruthRuns = 8;
constexpr int kTrials = 30;

struct Score {
  std::vector<double> regrets;
  int infeasible = 0;
  int none = 0;

  void Add(const std::optional<Point>& choice, SimulatedSubject& subject, double best) {
    if (!choice) {
      ++none;
      regrets.push_back(1);
      return;
    }
    const auto truth = subject.TruthOf(*choice, kTruthRuns);
    infeasible += !truth.is_ok;
    regrets.push_back(truth.is_ok ? 1 - truth.goodput / best : 1);
  }
  void Print(const char* name) {
    std::ranges::sort(regrets);
    double sum = 0;
    for (const double one : regrets) sum += one;
    const auto below = std::ranges::lower_bound(regrets, 0.05) - regrets.begin();
    fmt::print("{:<20} {:6.2f}% {:6.2f}% {:6.2f}%   {:3} of {:3}   {:3}   {:3}\n", name,
               100 * sum / static_cast<double>(regrets.size()), 100 * regrets[regrets.size() / 2],
               100 * regrets[regrets.size() * 9 / 10], below, regrets.size(), infeasible, none);
  }
};

double Seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::optional<Point> Search(const Space& space, const OptimiserOptions& options, const Trier& run) {
  auto search = Optimiser::Make(space, options).value();
  while (const auto next = search.Suggest())
    if (!search.Tell(run(next->point, next->schedule)).ok()) std::abort();
  const auto choice = search.Choose();
  return choice ? std::optional(choice->point) : std::nullopt;
}

void Main(int seeds) {
  SimulatedSubject subject({});
  const Space space = subject.MakeSpace();
  double begin = Seconds();
  const auto best = subject.Best(space, kTruthRuns);
  const auto standard = subject.TruthOf(space.Standard(), kTruthRuns);
  fmt::print("truth by a grid in {:.0f} s: best {:.3f}/s, defaults {:.3f}/s ({})\n",
             Seconds() - begin, best.goodput, standard.goodput,
             standard.is_ok ? "keep the limit" : "break the limit");
  Score hinted, bayes, random, descent;
  // What a diagnosis of the defaults says: long prompts hold up decoding (prefill-interference), so
  // that steps should take fewer tokens.
  const std::vector<Hint> hints = {{.parameter = "max_num_seqs"},
                                   {.parameter = "max_num_batched_tokens", .direction = -1},
                                   {.parameter = "gpu_memory_utilization"}};
  double own_s = 0, run_s = 0;
  for (int number = 1; number <= seeds; ++number) {
    const auto seed = static_cast<std::uint64_t>(number);
    double in_runs = 0;
    const Trier run = [&](const Point& point, std::uint64_t schedule) {
      const double before = Seconds();
      const Measurement measured = subject.Run(point, sim::MixAll(seed, schedule, 5));
      in_runs += Seconds() - before;
      return measured;
    };
    const OptimiserOptions options{.trials = kTrials, .seed = seed, .limits = subject.limits()};
    begin = Seconds();
    const auto found = Search(space, options, run);
    own_s += Seconds() - begin - in_runs;
    run_s += in_runs;
    bayes.Add(found, subject, best.goodput);
    OptimiserOptions with_hints = options;
    with_hints.hints = hints;
    hinted.Add(Search(space, with_hints, run), subject, best.goodput);
    random.Add(RandomSearch(space, subject.limits(), kTrials, seed, run), subject, best.goodput);
    descent.Add(CoordinateDescent(space, subject.limits(), kTrials, run), subject, best.goodput);
  }
  fmt::print("{} searches of {} trials: {:.2f} s of their own each, {:.2f} s in runs\n\n", seeds,
             kTrials, own_s / seeds, run_s / seeds);
  fmt::print("regret                 mean  median     p90   below 5%   infeasible   none\n");
  hinted.Print("with a hint");
  bayes.Print("without");
  random.Print("random search");
  descent.Print("coordinate descent");
}

}  // namespace
}  // namespace rankscope::tune

int main(int count, char** arguments) {
  rankscope::tune::Main(count > 1 ? std::max(1, std::atoi(arguments[1])) : 100);
}
