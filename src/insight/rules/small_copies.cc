// small-copies: many small tensors are copied to the device one by one.
#include "insight/evidence/kernels/small_copies.h"

#include <fmt/core.h>

#include <array>

#include "insight/base/cause_tools.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

std::optional<Cause> FindSmallCopies(const RuleInput& input) {
  const auto& small = input.Shared<SmallCopies>();
  const Selection& copies = small.beyond_first;
  if (copies.sums().empty()) return std::nullopt;
  Cause cause;
  copies.sums().TellIn(cause);
  cause.without = copies.WithoutAndItsWaits();
  cause.what = fmt::format("{} bring values to the device one by one{}",
                           CountAStep(copies.sums().CountPerStep() + 1, "small copy").text,
                           copies.LaunchingText(*cause.without));
  return cause;
}

constexpr std::array<Advice, 2> kSmallCopiesAdvice = {{
    {[](const Setting& of) { return of.IsJax(); },
     "One jax.device_put of the whole batch (a tree of arrays, or one array), made in NumPy."},
    {[](const Setting& of) { return of.IsTensorFlow(); },
     "Put the values into one tensor in the input pipeline (tf.data), and slice it on the device."},
}};

}  // namespace

const Rule& SmallCopiesRule() {
  static const Rule kRule{
      .id = "small-copies",
      .summary = "many small tensors are copied to the device one by one",
      .takes = Takes::kCopies,
      .needs = RuleNeeds::kDevice,
      .find = FindSmallCopies,
      .why =
          "32 and more copies from the host to the device in a step that take 5 us or less each; "
          "replayed with one of them, without what the host does to launch the others and waits "
          "for them",
      .recommendation =
          "Put the values into one tensor on the host (torch.cat or np.concatenate, pinned), copy "
          "it once and cut it into views on the device; make what follows from others "
          "(positions, masks, scalars) on the device.",
      .command = "rankscope table copies TRACES",
      .advice = kSmallCopiesAdvice,
  };
  return kRule;
}

}  // namespace rankscope
