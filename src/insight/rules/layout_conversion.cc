// layout-conversion: a library changes the layout of tensors, or pads them, around its
// convolutions.
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/kernels/awkward_size.h"
#include "insight/evidence/kernels/layout_kernels.h"
#include "insight/evidence/loss/selection.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

bool IsOne(const NodeKind& kind) { return ChangesLayout(kind) || PadsChannels(kind); }

// Multiples of eight 16-bit values begin at 16 bytes, which is what matrix cores load.
constexpr std::int64_t kMultiple = 8;

// The number of channels that is padded for most of the time; none where no shapes tell it.
std::optional<std::int64_t> PaddedChannels(const RuleInput& input, const NodeSums& sums) {
  std::map<std::int64_t, std::int64_t> ns_of;
  for (const NodeId node : sums.nodes()) {
    const NodeKind& kind = input.graph().KindOf(node);
    if (!PadsChannels(kind)) continue;
    const std::optional<std::int64_t> size = AwkwardSizeIn(kind.shapes, true);
    if (size) ns_of[*size] += input.graph().nodes()[node].duration_ns;
  }
  const auto most = std::max_element(
      ns_of.begin(), ns_of.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == ns_of.end() ? std::nullopt : std::optional(most->first);
}

std::optional<Cause> FindLayoutConversion(const RuleInput& input) {
  const Selection work = SelectKinds(input, [](const NodeKind& kind) { return IsOne(kind); });
  const NodeSums& sums = work.sums();
  if (sums.empty() || sums.LostPerStep() < kLowGain * input.step_ns()) return std::nullopt;
  double padding = 0;
  for (const NodeId node : sums.nodes()) {
    if (PadsChannels(input.graph().KindOf(node)))
      padding += static_cast<double>(input.graph().nodes()[node].duration_ns);
  }
  const bool is_padding = 2 * padding > sums.lost_ns();
  Cause cause;
  sums.TellIn(cause);
  // What the host does before the launch of one belongs to the op, and stays.
  Scenario without = input.recorded();
  input.ForEachOfSteps([&](NodeId node, const NodeKind&) {
    if (work.Has(node)) without.SetDuration(node, 0);
  });
  cause.without = std::move(without);
  const CountWords count = CountAStep(sums.CountPerStep(), "kernel");
  cause.what = fmt::format("convolutions are wrapped in {} that {}{} {}, {} in all", count.text,
                           is_padding ? "pad" : "change", count.verb_ending,
                           is_padding ? "their channels" : "the layout of their tensors",
                           TimeText(sums.LostPerStep()));
  const std::optional<std::int64_t> channels = PaddedChannels(input, sums);
  if (is_padding)
    cause.recommendation = fmt::format(
        "Channels in multiples of 8{}: the library pads others before each convolution.",
        channels ? fmt::format(" ({} in place of {})",
                               (*channels + kMultiple - 1) / kMultiple * kMultiple, *channels)
                 : std::string());
  return cause;
}

}  // namespace

const Rule& LayoutConversionRule() {
  static const Rule kRule{
      .id = "layout-conversion",
      .summary = "layouts changed, or channels padded, around convolutions",
      .tier = Tier::kNature,
      .needs = RuleNeeds::kDevice,
      .find = FindLayoutConversion,
      .why =
          "kernels of cuDNN and MIOpen that do nothing else (nchwToNhwc, nhwcAddPadding, "
          "batched_transpose); replayed as if they took no time",
      .recommendation =
          "Images and model in channels last, which matrix cores read: "
          "model.to(memory_format=torch.channels_last), "
          "x.to(memory_format=torch.channels_last); no .contiguous() or .view() in the model that "
          "goes back.",
      .command = "rankscope top kernels TRACES",
  };
  return kRule;
}

}  // namespace rankscope
