// prefix-cache-miss: prompts that were computed before are computed again.
//
// Attainable is what a cache without bounds would have found, in the order of arrival: of each
// prompt the blocks of 64 bytes that an earlier prompt began with, too. The finding stands
// when that is 20 percent points over what was found, of 100 requests or more that record both
// their prompt and their cached tokens. The first request of a prefix is never attainable.
#include <fmt/core.h>

#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>

#include "serving/causes/cause.h"
#include "table/human_number.h"

namespace rankscope::serving {
namespace {

constexpr int kPrefixCacheMissLeastRequests = 100;
constexpr double kMissed = 0.2;

}  // namespace

void FindPrefixCacheMiss(const Analysis& analysis, Causes& causes) {
  boost::unordered_flat_set<std::uint64_t> seen;
  double attainable = 0, found = 0, all = 0;
  int requests = 0;
  for (const Request& request : analysis.requests) {
    if (request.prompt_blocks.empty() || !request.prompt_tokens || !request.cached_tokens) continue;
    ++requests;
    std::size_t known = 0;
    while (known < request.prompt_blocks.size() && seen.contains(request.prompt_blocks[known]))
      ++known;
    seen.insert(request.prompt_blocks.begin(), request.prompt_blocks.end());
    const auto tokens = static_cast<double>(*request.prompt_tokens);
    all += tokens;
    found += static_cast<double>(*request.cached_tokens);
    attainable +=
        tokens * static_cast<double>(known) / static_cast<double>(request.prompt_blocks.size());
  }
  if (requests < kPrefixCacheMissLeastRequests || !(all > 0)) {
    causes.unchecked.emplace_back(
        "prefix-cache-miss: needs prompts and cached tokens of 100 requests (SGLang's "
        "--export-metrics-to-file)");
    return;
  }
  if (attainable / all - found / all < kMissed) return;
  Finding finding{.id = "prefix-cache-miss"};
  finding.title =
      fmt::format("{} of prompt tokens were found in the cache, {} had been computed before",
                  HumanPercent(100 * found / all), HumanPercent(100 * attainable / all));
  finding.evidence =
      fmt::format("prompts of {} requests, compared in the order of arrival", requests);
  finding.change =
      "Send requests of one prefix to one replica (routing by prefix), put what changes behind "
      "what "
      "stays in prompts, and give the cache more memory.";
  if (analysis.times.is_of_requests && analysis.times.total && *analysis.times.total > 0) {
    double prefill = 0;
    for (const Parts& parts : analysis.population.parts)
      prefill += static_cast<double>(parts.of(Stage::kPrefill).value_or(0));
    prefill /= static_cast<double>(analysis.population.parts.size());
    // Of the prefill that was computed, what need not have been: a bound.
    finding.lost_pct =
        100 * prefill / *analysis.times.total * (attainable - found) / std::max(all - found, 1.0);
  }
  causes.findings.push_back(std::move(finding));
}

}  // namespace rankscope::serving
