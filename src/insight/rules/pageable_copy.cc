// pageable-copy: copies from memory that is not pinned block the host.
#include <fmt/core.h>

#include <array>
#include <utility>

#include "insight/base/cause_tools.h"
#include "insight/evidence/kernels/freed_copies.h"
#include "insight/evidence/kernels/small_copies.h"
#include "insight/evidence/loss/selection.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

std::optional<Cause> FindPageableCopy(const RuleInput& input) {
  // Of many small ones their launches matter, which small-copies tells.
  const Selection& small = input.Shared<SmallCopies>().beyond_first;
  const KindsThat are_pageable(input.graph(), IsFromPageable);
  const Selection copies = Select(input, [&](NodeId node, const NodeKind&) {
    return are_pageable.Has(node) && !small.Has(node);
  });
  if (copies.sums().empty()) return std::nullopt;
  FreedCopies freed(input, copies);
  Cause cause;
  copies.sums().TellIn(cause);
  const CountWords count = CountAStep(copies.sums().CountPerStep(), "copy");
  const bool is_one = !count.verb_ending.empty();
  cause.what = fmt::format(
      "{} come{} from pageable memory and block{} the host: {} {}, the host waits {} for {} and "
      "what runs before {}",
      count.text, count.verb_ending, count.verb_ending, is_one ? "it takes" : "they take",
      TimeText(copies.sums().LostPerStep()),
      TimeText(copies.sums().PerStep(static_cast<double>(freed.waited_ns()))),
      is_one ? "it" : "them", is_one ? "it" : "them");
  cause.without = std::move(freed).Take();
  return cause;
}

constexpr std::array<Advice, 2> kPageableCopyAdvice = {{
    {[](const Setting& of) { return of.IsJax(); },
     "jax.device_put the next batch while this one computes, from arrays that stay allocated."},
    {[](const Setting& of) { return of.IsTensorFlow(); },
     "dataset.prefetch(tf.data.AUTOTUNE), or tf.data.experimental.prefetch_to_device as the last "
     "stage."},
}};

}  // namespace

const Rule& PageableCopyRule() {
  static const Rule kRule{
      .id = "pageable-copy",
      .summary = "copies from unpinned host memory block the host",
      .takes = Takes::kCopies,
      .find = FindPageableCopy,
      .why =
          "Memcpy HtoD (Pageable -> Device): the driver stages such a copy, and the call returns "
          "when it is over",
      .recommendation =
          "DataLoader(..., pin_memory=True) and batch.to(device, non_blocking=True), of the next "
          "batch on a stream of its own while this one computes (so far as the gain counts).",
      .command = "rankscope table copies TRACES",
      .advice = kPageableCopyAdvice,
  };
  return kRule;
}

}  // namespace rankscope
