// padding-waste: a supervised step computes padding.
//
// At least 10 % of the padded tokens are padding. Gain: that share of training, which is the whole
// step where no step's times are known: a bound, as attention and optimizer do not shrink alike.
#include <fmt/core.h>

#include "post_training/causes/cause.h"
#include "table/human_number.h"

namespace rankscope::post_training {
namespace {

constexpr double kLeastPadding = 0.1;

}  // namespace

void FindPaddingWaste(const Analysis& analysis, Causes& causes) {
  if (!analysis.padding) {
    causes.unchecked.emplace_back(
        "padding-waste: needs a record of sequences with micro_batch and tokens");
    return;
  }
  const double padding = analysis.padding->Share();
  if (padding < kLeastPadding) return;
  const RoleSteps* pace = analysis.pace();
  const double train = pace == nullptr ? 1 : pace->Mean(Phase::kTrain) / analysis.step();
  Finding finding{.id = "padding-waste",
                  .lost_pct = 100 * padding * train,
                  .gain_pct = 100 * padding * train,
                  .gain_method = "bound"};
  finding.title =
      fmt::format("{} of the tokens that are trained on are padding", HumanPercent(100 * padding));
  finding.evidence = fmt::format(
      "{} sequences of {} tokens on average, {} the longest, are padded in {} micro-batches",
      GroupedInteger(analysis.padding->sequences), HumanDecimal(analysis.padding->mean_length),
      HumanDecimal(analysis.padding->longest), GroupedInteger(analysis.padding->micro_batches));
  finding.change =
      "Pack sequences without padding (TRL packing or padding_free, veRL use_remove_padding and "
      "use_dynamic_bsz), or group those of like length.";
  finding.gain_formula = fmt::format("padding x training's share of the step = {} x {}",
                                     HumanPercent(100 * padding), HumanPercent(100 * train));
  causes.findings.push_back(std::move(finding));
}

}  // namespace rankscope::post_training
