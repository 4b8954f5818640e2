// recompilation: the program compiles graphs in steady state.
#include <array>

#include "insight/evidence/host_work/host_stalls.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

std::optional<Cause> FindRecompilation(const RuleInput& input) {
  return CauseOfStalls(input, StallsOf(input, Work::kCompile),
                       {"compiles the model anew", "compile the model anew"});
}

constexpr std::array<Advice, 2> kRecompilationAdvice = {{
    {[](const Setting& of) { return of.IsJax(); },
     "Find what changes with JAX_EXPLAIN_CACHE_MISSES=1; pad shapes to a few sizes, and pass "
     "what is static by static_argnums."},
    {[](const Setting& of) { return of.IsTensorFlow(); },
     "tf.function(reduce_retracing=True, input_signature=...); tensors in place of numbers of "
     "Python as arguments."},
}};

}  // namespace

const Rule& RecompilationRule() {
  static const Rule kRule{
      .id = "recompilation",
      .summary = "graphs are compiled again in steady state",
      .tier = Tier::kRoot,
      .takes = Takes::kHostWork,
      .find = FindRecompilation,
      .why = "host time inside torch.compile's own ranges and frames, in recorded steps",
      .recommendation =
          "Find the guard that fails with TORCH_LOGS=recompiles; mark what varies with "
          "torch._dynamo.mark_dynamic or pad it to a few sizes.",
      .command = "rankscope table critical_path_events TRACES",
      .shown_in = {"step_spread"},
      .advice = kRecompilationAdvice,
  };
  return kRule;
}

}  // namespace rankscope
