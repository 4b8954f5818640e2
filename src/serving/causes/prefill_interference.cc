// prefill-interference: requests that generate wait for others' prompts.
//
// A step with prompts is compared with a decode step of as many requests, by these steps' measured
// cost. The finding stands when a quarter of the time that generating requests spend is lost, and
// half of the time of steps with prompts is in such that take over four times as long; or when a
// twentieth is lost in steps that take over ten times as long: stalls that users see. It is never
// all to be gained, since prompts have to be computed somewhere.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "serving/causes/cause.h"
#include "table/human_number.h"

namespace rankscope::serving {
namespace {

constexpr double kLost = 0.25;
constexpr double kSlow = 4;
constexpr double kLostInStalls = 0.05;
constexpr double kStall = 10;

}  // namespace

void FindPrefillInterference(const Analysis& analysis, Causes& causes) {
  const Batches& batches = analysis.batches;
  if (analysis.data.iterations.empty()) {
    causes.unchecked.emplace_back(
        "prefill-interference: needs the engine's iterations "
        "(--enable-logging-iteration-details)");
    return;
  }
  if (!batches.lost_to_prefill) {
    if (batches.mixed > 0)
      causes.unchecked.emplace_back(
          "prefill-interference: too few steps of decoding alone to compare steps with prompts to");
    return;
  }
  double mixed = 0, slow = 0, tokens = 0, longest = 0, spent = 0, stalled = 0;
  for (const Iteration& one : analysis.data.iterations) {
    const auto elapsed = static_cast<double>(one.elapsed_ns);
    const auto generating = static_cast<double>(one.generation_requests);
    if (!one.is_dummy) spent += elapsed * generating;
    if (one.is_dummy || KindOf(one) != BatchKind::kMixed) continue;
    const double alone = batches.cost->At(generating);
    mixed += elapsed;
    if (elapsed > kSlow * alone) slow += elapsed;
    if (elapsed > kStall * alone) stalled += (elapsed - alone) * generating;
    tokens += static_cast<double>(one.context_tokens) / static_cast<double>(batches.mixed);
    longest = std::max(longest, elapsed);
  }
  const bool is_slow = *batches.lost_to_prefill >= kLost && slow * 2 >= mixed;
  if (!is_slow && stalled < kLostInStalls * spent) return;
  Finding finding{.id = "prefill-interference"};
  const double requests = batches.decode_requests.value_or(1);
  finding.title = fmt::format(
      "Generating requests spend {} of their time behind others' prompts: steps with prompts take "
      "up to {}, decode steps {}",
      HumanPercent(100 * *batches.lost_to_prefill), HumanDuration(longest),
      HumanDuration(batches.cost->At(requests)));
  finding.evidence = fmt::format(
      "{} mixed steps of {} prompt tokens on average; {} of their time in steps over four times as "
      "long as a decode step of as many requests",
      batches.mixed, HumanDecimal(std::round(tokens)), HumanPercent(100 * slow / mixed));
  finding.lost_pct = 100 * *batches.lost_to_prefill;
  if (analysis.times.is_of_requests && analysis.population.depth == Depth::kAll) {
    double decode = 0, total = 0;
    for (const Parts& parts : analysis.population.parts) {
      decode += static_cast<double>(parts.of(Stage::kDecode).value_or(0));
      total += static_cast<double>(parts.total);
    }
    if (total > 0) finding.lost_pct = *finding.lost_pct * decode / total;
  }
  finding.change =
      "Lower the token budget of a step (--max-num-batched-tokens, --chunked-prefill-size), so "
      "that "
      "prompts come in smaller pieces, or prefill on devices of their own.";
  causes.findings.push_back(std::move(finding));
}

}  // namespace rankscope::serving
