// prefill-interference: requests that generate wait for others' prompts.
//
// Prompts have to be computed somewhere, and in smaller pieces they take no less: requests that
// generate lose the same on average. What can be had is that none stands still. A step with prompts
// is compared with a decode step of as many requests, by these steps' measured cost: what it takes
// beyond 20 such is a stall. The finding stands when stalls are 3% of the time that
// generating requests spend.
//
// Left out are the time of a cold start, and steps that take over four times as long as their
// prompt tokens cost elsewhere (and four decode steps more): compiling, not prompts.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "serving/causes/cause.h"
#include "serving/causes/server_words.h"
#include "table/human_number.h"

namespace rankscope::serving {
namespace {

constexpr std::int64_t kLeastDecodes = 20;
constexpr double kStall = 20;            // decode steps
constexpr double kLeastInStalls = 0.03;  // of the time of generating requests
constexpr double kPrefillInterferenceOutstanding = 4;

// What a prompt token costs: half of the tokens of mixed steps cost more, half less.
double TokenCost(const std::vector<Iteration>& iterations, const DecodeCost& cost) {
  std::vector<std::pair<double, double>> costs;  // of a token, and how many
  double all = 0;
  for (const Iteration& one : iterations) {
    if (one.is_dummy || KindOf(one) != BatchKind::kMixed || one.context_tokens <= 0) continue;
    const auto tokens = static_cast<double>(one.context_tokens);
    const double alone = cost.At(static_cast<double>(one.generation_requests));
    costs.emplace_back(std::max(0.0, static_cast<double>(one.elapsed_ns) - alone) / tokens, tokens);
    all += tokens;
  }
  std::ranges::sort(costs);
  double before = 0;
  for (const auto& [of_token, tokens] : costs) {
    before += tokens;
    if (before * 2 >= all) return of_token;
  }
  return 0;
}

struct Stalls {
  double spent = 0, lost = 0;  // by generating requests; beyond 20 decode steps
  double lost_to_prompts = 0;
  std::int64_t mixed = 0, stalls = 0;
  double tokens = 0, longest = 0;  // of mixed steps
};

Stalls StallsOf(const std::vector<Iteration>& iterations, const DecodeCost& cost, Ns cold_until) {
  const double of_token = TokenCost(iterations, cost);
  Stalls result;
  for (const Iteration& one : iterations) {
    const auto elapsed = static_cast<double>(one.elapsed_ns);
    const auto generating = static_cast<double>(one.generation_requests);
    if (one.is_dummy || one.generation_requests == 0) continue;
    if (cold_until && one.time && *one.time < *cold_until) continue;
    const double alone = cost.At(generating);
    const auto tokens = static_cast<double>(one.context_tokens);
    const bool is_mixed = KindOf(one) == BatchKind::kMixed;
    if (is_mixed && elapsed - alone > kPrefillInterferenceOutstanding * (of_token * tokens + alone))
      continue;
    result.spent += elapsed * generating;
    if (!is_mixed) continue;
    ++result.mixed;
    result.tokens += tokens;
    result.longest = std::max(result.longest, elapsed);
    result.lost_to_prompts += std::max(0.0, elapsed - alone) * generating;
    if (elapsed <= kStall * alone) continue;
    ++result.stalls;
    result.lost += (elapsed - kStall * alone) * generating;
  }
  return result;
}

// Why steps with prompts are compared with no others.
std::string WhyNot(const Batches& batches) {
  if (batches.decodes < kLeastDecodes)
    return fmt::format(
        "steps with prompts are compared with steps of decoding alone, of which {} are recorded "
        "({} are needed)",
        batches.decodes, kLeastDecodes);
  if (batches.is_mixed_larger)
    return "steps with prompts serve more generating requests than any step of decoding alone, "
           "and can't be compared with one";
  return "steps of decoding alone are of one or two sizes, and steps with prompts of others: what "
         "decoding alone would take in these is not known";
}

}  // namespace

void FindPrefillInterference(const Analysis& analysis, Causes& causes) {
  const Batches& batches = analysis.batches;
  if (analysis.data.iterations.empty()) {
    causes.unchecked.push_back("prefill-interference: needs the engine's iterations" +
                               HowIterations(ServerOf(analysis)));
    return;
  }
  if (!batches.lost_to_prefill) {
    if (batches.mixed > 0) causes.unchecked.push_back("prefill-interference: " + WhyNot(batches));
    return;
  }
  const Stalls stalls = StallsOf(analysis.data.iterations, *batches.alone, causes.cold_until);
  if (!(stalls.spent > 0) || stalls.lost < kLeastInStalls * stalls.spent) return;
  Finding finding{.id = "prefill-interference"};
  finding.lost_pct = 100 * stalls.lost / stalls.spent;
  finding.title = fmt::format(
      "Generating requests stand still for up to {} while others' prompts are computed; a decode "
      "step takes {}",
      HumanDuration(stalls.longest),
      HumanDuration(batches.alone->At(batches.decode_requests.value_or(1))));
  finding.evidence = fmt::format(
      "{} of {} steps with prompts ({} tokens on average) take over {} decode steps of as many "
      "requests; what they take beyond that is {} of the time of generating requests, of the {} "
      "that prompts take in all",
      stalls.stalls, stalls.mixed,
      HumanDecimal(std::round(stalls.tokens / static_cast<double>(stalls.mixed))), kStall,
      HumanPercent(*finding.lost_pct), HumanPercent(100 * stalls.lost_to_prompts / stalls.spent));
  if (analysis.times.is_of_requests && analysis.population.depth == Depth::kAll) {
    double decode = 0, total = 0;
    for (const Parts& parts : analysis.population.parts) {
      decode += static_cast<double>(parts.of(Stage::kDecode).value_or(0));
      total += static_cast<double>(parts.total);
    }
    if (total > 0) finding.lost_pct = *finding.lost_pct * decode / total;
  }
  finding.change = fmt::format(
      "Lower the token budget of a step ({}), so that prompts come in smaller pieces: stalls "
      "become shorter, the time to the first token of long prompts longer, and the mean hardly "
      "changes. Or prefill on devices of their own.",
      OptionsOf(ServerOf(analysis), Setting::kTokenBudget));
  causes.findings.push_back(std::move(finding));
}

}  // namespace rankscope::serving
