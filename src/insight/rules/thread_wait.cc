// thread-wait: a thread that launches waits for another one in a lock, a queue or a future.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/text.h"
#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/host_work/host_stretches.h"
#include "insight/evidence/loss/node_sums.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

// Frames of Python in which a thread waits for another thread or process:
// "threading.py(320): wait", "<built-in method acquire of _thread.lock object at 0x..>", "<method
// 'acquire' of '_thread.lock' objects>".
bool IsWait(std::string_view name) {
  struct Known {
    std::string_view file, function;
  };
  constexpr std::array<Known, 9> kKnown = {{{"threading.py", "wait"},
                                            {"threading.py", "join"},
                                            {"threading.py", "acquire"},
                                            {"threading.py", "_wait_for_tstate_lock"},
                                            {"queue.py", "get"},
                                            {"queue.py", "put"},
                                            {"concurrent/futures/_base.py", "result"},
                                            {"multiprocessing/connection.py", "recv"},
                                            {"multiprocessing/queues.py", "get"}}};
  if (name.starts_with("<built-in method acquire of _thread.") ||
      name.starts_with("<method 'acquire' of '_thread."))
    return true;
  const std::size_t line = name.find('('), function = name.rfind(": ");
  if (line == std::string_view::npos || function == std::string_view::npos) return false;
  const std::string_view file = name.substr(0, line);
  return std::any_of(kKnown.begin(), kKnown.end(), [&](const Known& known) {
    if (name.substr(function + 2) != known.function || !file.ends_with(known.file)) return false;
    return file.size() == known.file.size() || file[file.size() - known.file.size() - 1] == '/';
  });
}

std::optional<Cause> FindThreadWait(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  Scenario without = input.recorded();
  NodeSums sums(input);
  for (const NodeId node : input.Shared<HostStretches>().nodes) {
    const CodeSite* const site = graph.SiteOf(node);
    if (!IsWait(graph.KindOf(node).name) && (site == nullptr || !IsWait(site->function))) continue;
    const std::int64_t took = graph.nodes()[node].duration_ns;
    without.SetDuration(node, 0);
    sums.Add(node, static_cast<double>(took));
  }
  if (sums.empty()) return std::nullopt;
  Cause cause;
  sums.TellIn(cause);
  // A part of the waits is hidden by what the device still has to do.
  const bool is_trusted = input.fidelity().refused.empty();
  const double waited_ns = sums.LostPerStep();
  const double lost_ns =
      is_trusted ? std::clamp(input.GainOf(without) * input.step_ns(), 0.0, waited_ns) : waited_ns;
  cause.lost_ns = static_cast<std::int64_t>(lost_ns);
  cause.without = std::move(without);
  const LossWords loss = LossOf(input, cause);
  cause.what = fmt::format("devices wait {} {} for a thread of {} that waits for another one",
                           loss.time, loss.when, WhoText(input, cause.ranks));
  return cause;
}

}  // namespace

const Rule& ThreadWaitRule() {
  static const Rule kRule{
      .id = "thread-wait",
      .summary = "a thread that launches waits for another one",
      .tier = Tier::kExposed,
      .takes = Takes::kHostWork,
      .needs = RuleNeeds::kDevice,
      .find = FindThreadWait,
      .why =
          "frames of locks, queues, futures and pipes in which a thread stays for 100 us and more "
          "while its device has nothing to do; replayed without them",
      .recommendation =
          "Hand over less often and earlier: a queue that is filled ahead, a future that is asked "
          "one step later, no lock around a whole step. What the other thread does meanwhile is in "
          "the timeline.",
      .command = "rankscope table stacks TRACES",
      .shown_in = {"host_breakdown"},
  };
  return kRule;
}

}  // namespace rankscope
