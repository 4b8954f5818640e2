// When sources are read. Changes that meet in one metric come from the same two moments: their
// sources share one schedule, which is theirs that state one.
#include <fmt/format.h>

#include <algorithm>

#include "probe/check/device_checker.h"

namespace rankscope::probe {
namespace {

std::string Every(std::int64_t ns) {
  if (ns == kForever) return "once";
  if (ns % 1'000'000'000 == 0) return fmt::format("every {} s", ns / 1'000'000'000);
  return fmt::format("every {} ms", static_cast<double>(ns) / 1e6);
}

}  // namespace

std::vector<int> DeviceChecker::SourcesOfDeltas(int node) const {
  std::vector<char> seen(made_.nodes.size());
  std::vector<int> waiting = {node}, sources;
  while (!waiting.empty()) {
    const int at = waiting.back();
    waiting.pop_back();
    if (seen[static_cast<std::size_t>(at)]++ != 0) continue;
    const Node& one = At(at);
    if (one.op == Op::kDelta || one.op == Op::kRate) {
      const std::vector<int> below = SourcesOf(made_, at);
      sources.insert(sources.end(), below.begin(), below.end());
      continue;
    }
    if (one.op == Op::kNamed)
      waiting.push_back(made_.names[static_cast<std::size_t>(one.ref)].node);
    waiting.insert(waiting.end(), one.a.begin(), one.a.end());
  }
  std::ranges::sort(sources);
  sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
  return sources;
}

void DeviceChecker::Schedule() {
  std::vector<std::vector<int>> groups;
  for (const Export& one : made_.exports) groups.push_back(SourcesOfDeltas(one.node));
  const auto source = [&](int index) -> Source& {
    return made_.sources[static_cast<std::size_t>(index)];
  };
  // What one metric gives to a source, another may take from it.
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (const std::vector<int>& group : groups) {
      const auto given =
          std::ranges::find_if(group, [&](int one) { return source(one).has_own_schedule; });
      if (given == group.end()) continue;
      for (const int one : group) {
        if (source(one).has_own_schedule) continue;
        source(one).every_ns = source(*given).every_ns;
        source(one).has_own_schedule = has_changed = true;
      }
    }
  }
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (const int one : groups[i]) {
      const Source& first = source(groups[i].front());
      if (source(one).every_ns == kForever) {
        wrong_.Error(source(one).place,
                     fmt::format("`{}` is read once, and `{}` asks for its change",
                                 source(one).name, made_.exports[i].name),
                     "write every= in place of cache=forever");
      } else if (source(one).every_ns != first.every_ns && first.every_ns != kForever) {
        wrong_.Error(made_.exports[i].place,
                     fmt::format("`{}` has changes of `{}`, read {}, and of `{}`, read {}",
                                 made_.exports[i].name, first.name, Every(first.every_ns),
                                 source(one).name, Every(source(one).every_ns)),
                     "give both one every=");
      }
    }
  }
  std::vector<int> waiting;
  for (const Node& one : made_.nodes)
    if (one.op == Op::kDelta || one.op == Op::kRate) waiting.push_back(one.a[0]);
  std::vector<char> seen(made_.nodes.size());
  while (!waiting.empty()) {
    const int at = waiting.back();
    waiting.pop_back();
    if (seen[static_cast<std::size_t>(at)]++ != 0) continue;
    const Node& one = At(at);
    if (one.op == Op::kNamed) {
      made_.names[static_cast<std::size_t>(one.ref)].needs_previous = true;
      waiting.push_back(made_.names[static_cast<std::size_t>(one.ref)].node);
    }
    waiting.insert(waiting.end(), one.a.begin(), one.a.end());
  }
}

}  // namespace rankscope::probe
