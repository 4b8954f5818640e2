// cold-start: the first requests pay for loading and compiling.
//
// Of 50 requests or more, the first k (at most a tenth) each take over three times as long from
// leaving the queue to the first token as nearly all (99%) of the second half, with prompts no
// longer than the longest there, and over a second more in all. Where the queue is not told apart,
// only requests count that came to a server no fuller than it usually was, so that a crowd that
// arrives at once is none. Requests that came meanwhile, and for as long again, waited behind them:
// their queue is the cold start's, and no finding of its own.
#include <fmt/core.h>

#include <algorithm>

#include "serving/causes/cause.h"
#include "serving/causes/server_words.h"
#include "statistics/statistics.h"
#include "table/human_number.h"

namespace rankscope::serving {
namespace {

constexpr std::size_t kColdStartLeastRequests = 50;
constexpr double kColdStartOutstanding = 3;
constexpr double kLeastLossNs = 1e9;

}  // namespace

void FindColdStart(const Analysis& analysis, Causes& causes) {
  const Population& population = analysis.population;
  struct First {
    std::int64_t arrival = 0, end = 0;
    double ns = 0;
    std::int64_t prompt = 0;
  };
  std::vector<First> firsts;
  if (population.depth != Depth::kResponse) {
    for (std::size_t i = 0; i < population.requests.size(); ++i) {
      const Request& request = analysis.requests[population.requests[i]];
      const Parts& parts = population.parts[i];
      const Ns ns = population.depth == Depth::kFirstToken ? parts.of(Stage::kFirstToken)
                                                           : parts.of(Stage::kPrefill);
      if (request.arrival && ns)
        firsts.push_back({*request.arrival, *request.arrival + parts.total,
                          static_cast<double>(*ns), request.prompt_tokens.value_or(0)});
    }
  }
  if (firsts.size() < kColdStartLeastRequests) {
    causes.unchecked.emplace_back(
        "cold-start: needs arrival and first token of 50 requests, the first of the server among "
        "them");
    return;
  }
  std::ranges::stable_sort(firsts, {}, &First::arrival);
  std::vector<std::int64_t> ends;
  ends.reserve(firsts.size());
  for (const First& one : firsts) ends.push_back(one.end);
  std::ranges::sort(ends);
  std::vector<double> steady;
  std::vector<double> in_server;  // when each came
  std::int64_t longest = 0;
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    if (i >= firsts.size() / 2) {
      steady.push_back(firsts[i].ns);
      longest = std::max(longest, firsts[i].prompt);
    }
    const auto began = static_cast<double>(i);
    const auto ended = std::ranges::lower_bound(ends, firsts[i].arrival) - ends.begin();
    in_server.push_back(began - static_cast<double>(ended));
  }
  std::ranges::sort(steady);
  const double usual = Quantile(std::span<const double>(steady), 0.99);
  const double middle = Quantile(std::span<const double>(steady), 0.5);
  const double crowd =
      Median({in_server.begin() + static_cast<std::ptrdiff_t>(firsts.size() / 2), in_server.end()});
  std::size_t k = 0;
  double lost = 0;
  while (k < firsts.size() / 10 && firsts[k].ns > kColdStartOutstanding * usual &&
         firsts[k].prompt <= longest &&
         (population.depth != Depth::kFirstToken || in_server[k] <= crowd)) {
    lost += firsts[k].ns - middle;
    ++k;
  }
  if (k == 0 || lost < kLeastLossNs) return;
  // What came meanwhile, and until as much time again had passed, waited behind them.
  std::int64_t until = 0;
  for (std::size_t i = 0; i < k; ++i)
    until = std::max(until, firsts[i].arrival + static_cast<std::int64_t>(firsts[i].ns));
  causes.cold_until = until + (until - firsts[0].arrival);
  double total = 0, waited = 0;
  for (std::size_t i = 0; i < population.requests.size(); ++i) {
    const Parts& parts = population.parts[i];
    total += static_cast<double>(parts.total);
    const Ns arrival = analysis.requests[population.requests[i]].arrival;
    if (arrival && *arrival < *causes.cold_until)
      waited += static_cast<double>(parts.of(Stage::kQueue).value_or(0));
  }
  lost += waited;
  Finding finding{.id = "cold-start", .lost_pct = 100 * lost / total};
  finding.title =
      fmt::format("The first {} {} to the first token, later ones {}",
                  k == 1 ? std::string("request took") : fmt::format("{} requests took up to", k),
                  HumanDuration(std::ranges::max_element(
                                    firsts.begin(), firsts.begin() + static_cast<std::ptrdiff_t>(k),
                                    {}, &First::ns)
                                    ->ns),
                  HumanDuration(middle));
  finding.evidence = fmt::format("99% of the second half of {} requests took below {}",
                                 firsts.size(), HumanDuration(usual));
  if (waited > 0)
    finding.evidence +=
        fmt::format("; requests behind them waited {} in all", HumanDuration(waited));
  const std::string server = ServerOf(analysis);
  const bool is_vllm = server.empty() || server == "vLLM";
  finding.change = fmt::format(
      "Send a few requests of all sizes before traffic comes (readiness behind them), keep compile "
      "caches{} on disk, capture fewer graph sizes.",
      is_vllm ? " (VLLM_CACHE_ROOT, TORCHINDUCTOR_CACHE_DIR)" : "");
  causes.findings.push_back(std::move(finding));
}

}  // namespace rankscope::serving
