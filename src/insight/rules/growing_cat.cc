// growing-cat: a tensor is copied as a whole again and again to append little to it.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/loss/node_sums.h"
#include "insight/rules/rules.h"
#include "op_cost/base/op_inputs.h"

namespace rankscope {
namespace {

// What is appended is so small a part of what is there, or smaller.
constexpr std::int64_t kPart = 8;
// So many lengths of what is there, each longer than one before by what is appended, or longer from
// step to step: it grows.
constexpr std::size_t kLeastLengths = 3;
// Of few steps nothing is seen to grow (one token was recorded), nor where the oldest leaves as the
// newest comes: then so many copies a step that take so much of it, of tensors that are so much
// longer, as the patches of an image are not, before which one stands for the whole.
constexpr double kManyCopies = 4;
constexpr double kMuchOfStep = 0.1;
constexpr double kLongTimes = 2000;

// [.., long, ..] and [.., little, ..], equal but for one dimension.
struct Append {
  std::int64_t there = 0, added = 0;
};

// The list of tensors; some recordings spell each as an input of its own.
std::vector<Shape> TensorsOf(const std::vector<OpInput>& inputs) {
  std::vector<Shape> tensors;
  for (const OpInput& input : inputs) {
    for (const Shape& shape : input.shapes) {
      if (!shape.empty()) tensors.push_back(shape);
    }
  }
  return tensors;
}

std::optional<Append> AppendOf(const NodeKind& kind) {
  if (kind.work != Work::kCompute && kind.work != Work::kCopy) return std::nullopt;
  if (kind.op != "aten::cat" && kind.op != "aten::_cat") return std::nullopt;
  const auto inputs = ParseInputs(kind.shapes, "", "");
  if (!inputs) return std::nullopt;
  const std::vector<Shape> tensors = TensorsOf(*inputs);
  if (tensors.size() != 2) return std::nullopt;
  const Shape& there = tensors[0];
  const Shape& added = tensors[1];
  if (there.size() != added.size()) return std::nullopt;
  std::optional<Append> append;
  for (std::size_t i = 0; i < there.size(); ++i) {
    if (there[i] == added[i]) continue;
    if (append) return std::nullopt;
    append = Append{there[i], added[i]};
  }
  if (!append || append->added <= 0 || append->there / kPart < append->added) return std::nullopt;
  return append;
}

// What appends found, by what they append.
class Lengths {
 public:
  void Add(std::uint32_t step, const Append& append) {
    lengths_.emplace(append.added, append.there);
    const auto [found, is_new] =
        of_step_[append.added].try_emplace(step, append.there, append.there);
    auto& [least, most] = found->second;
    least = std::min(least, append.there);
    most = std::max(most, append.there);
  }
  bool Grow() const {
    std::size_t grown = 0;
    for (const auto& [by, length] : lengths_) grown += lengths_.contains({by, length - by}) ? 1 : 0;
    return grown + 1 >= kLeastLengths ||
           std::any_of(of_step_.begin(), of_step_.end(),
                       [](const auto& of) { return GrowFromStepToStep(of.second); });
  }

 private:
  using Range = std::pair<std::int64_t, std::int64_t>;

  static bool GrowFromStepToStep(const std::map<std::uint32_t, Range>& steps) {
    return steps.size() >= kLeastLengths &&
           std::adjacent_find(steps.begin(), steps.end(),
                              [](const auto& before, const auto& after) {
                                return after.second.first <= before.second.second;
                              }) == steps.end();
  }

  std::set<std::pair<std::int64_t, std::int64_t>> lengths_;
  std::map<std::int64_t, std::map<std::uint32_t, Range>> of_step_;
};

std::optional<Cause> FindGrowingCat(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  std::vector<std::optional<Append>> of_kind;
  std::vector<const NodeKind*> kinds;
  for (const NodeKind& kind : graph.kinds()) {
    of_kind.push_back(AppendOf(kind));
    kinds.push_back(&kind);
  }
  Scenario without = input.recorded();
  NodeSums sums(input);
  Lengths lengths;
  double whole = 0, added = 0;
  input.ForEachOfSteps([&](NodeId node, const NodeKind& kind) {
    const auto& append = of_kind[static_cast<std::size_t>(&kind - kinds.front())];
    if (!append) return;
    const auto took = static_cast<double>(graph.nodes()[node].duration_ns);
    const auto all = static_cast<double>(append->there + append->added);
    const double then = took * static_cast<double>(append->added) / all;
    without.SetDuration(node, static_cast<std::int64_t>(then));
    sums.Add(node, took - then);
    if (!input.Counts(node)) return;
    lengths.Add(graph.StepOf(node), *append);
    whole += all;
    added += static_cast<double>(append->added);
  });
  const bool are_many = whole >= kLongTimes * added && sums.CountPerStep() >= kManyCopies &&
                        sums.LostPerStep() >= kMuchOfStep * input.step_ns();
  const bool grow = lengths.Grow();
  if (sums.empty() || (!grow && !are_many)) return std::nullopt;
  Cause cause;
  sums.TellIn(cause);
  cause.without = std::move(without);
  cause.is_unproven = !grow;
  cause.what = fmt::format(
      "{} by aten::cat, {}: each time all of it is copied to append one part in "
      "{:.0f}, {} in all",
      grow ? "tensors grow" : "little is appended to long tensors", TimesAStep(sums.CountPerStep()),
      std::round(whole / added), TimeText(sums.LostPerStep()));
  return cause;
}

}  // namespace

const Rule& GrowingCatRule() {
  static const Rule kRule{
      .id = "growing-cat",
      .summary = "a tensor is copied as a whole to append little to it",
      .needs = RuleNeeds::kShapes,
      .find = FindGrowingCat,
      .why =
          "aten::cat of two tensors of which one has an eighth of the other's length or less, of "
          "lengths that grow by it, or from step to step, or of which one is thousands of times as "
          "long, in many copies that take a tenth of the step; replayed with the time of the part "
          "that is new",
      .recommendation =
          "Allocate for the final length and write slices: cache[:, :, i:i + 1] = new (a static "
          "cache: "
          "cache_implementation='static' in Transformers; a paged cache in serving). What is only "
          "collected goes into a list, and into one torch.cat at the end.",
      .command = "rankscope top ops TRACES",
  };
  return kRule;
}

}  // namespace rankscope
