// graph-breaks: compiled code returns to Python several times a step.
#include <fmt/core.h>

#include <string>
#include <string_view>

#include "base/text.h"
#include "insight/base/cause_tools.h"
#include "insight/evidence/loss/node_sums.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

// Each part between two breaks asks dynamo's cache once in a forward.
constexpr double kLeastParts = 3;

// "TorchDynamo Cache Lookup", which stands before each compiled part.
bool IsLookup(std::string_view name) { return name.starts_with("TorchDynamo Cache Lookup"); }

// Python between two parts: "torch_dynamo_resume_in_forward_at_84".
bool IsResume(std::string_view name) { return Contains(name, "torch_dynamo_resume_in_"); }

std::optional<Cause> FindGraphBreaks(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  Scenario without = input.recorded();
  NodeSums sums(input), lookups(input);
  bool resumes = false;
  input.ForEachOfSteps([&](NodeId node, const NodeKind& kind) {
    if (kind.work != Work::kPython && kind.work != Work::kOp) return;
    const CodeSite* const site = graph.SiteOf(node);
    const bool is_lookup = IsLookup(kind.name);
    const bool is_resume = IsResume(kind.name) || (site != nullptr && IsResume(site->function));
    if (!is_lookup && !is_resume) return;
    resumes = resumes || is_resume;
    const auto took = static_cast<double>(graph.nodes()[node].duration_ns);
    without.SetDuration(node, 0);
    sums.Add(node, took);
    if (is_lookup) lookups.Add(node, took);
  });
  // Parts that were compiled one by one, and micro-batches, are looked up as often.
  if (lookups.CountPerStep() < kLeastParts || !resumes) return std::nullopt;
  Cause cause;
  sums.TellIn(cause);
  cause.without = std::move(without);
  cause.what = fmt::format(
      "compiled code is entered {}: it returns to Python between its parts, {} in "
      "all",
      TimesAStep(lookups.CountPerStep()), TimeText(sums.LostPerStep()));
  return cause;
}

}  // namespace

const Rule& GraphBreaksRule() {
  static const Rule kRule{
      .id = "graph-breaks",
      .summary = "compiled code returns to Python between its parts",
      .takes = Takes::kHostWork,
      .needs = RuleNeeds::kDevice,
      .find = FindGraphBreaks,
      .why =
          "lookups in dynamo's cache, three a step and more, and functions that dynamo resumes in "
          "between; replayed without the time that both take",
      .recommendation =
          "TORCH_LOGS=graph_breaks names the lines; torch.compile(fullgraph=True) makes them "
          "errors. Usual ones: print and logging, .item(), data-dependent if, calls of libraries "
          "that dynamo does not trace.",
      .command = "rankscope table ops TRACES --limit 20",
  };
  return kRule;
}

}  // namespace rankscope
