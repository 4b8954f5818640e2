#include "probe/tool/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/nearest_name.h"
#include "probe/run/evaluate.h"
#include "probe/run/interpreter.h"
#include "probe/run/lines.h"

namespace rankscope::probe {
namespace {

std::string Period(std::int64_t ns) {
  if (ns == kForever) return "once";
  if (ns % 1'000'000'000 == 0) return fmt::format("every {} s", ns / 1'000'000'000);
  return fmt::format("every {} ms", static_cast<double>(ns) / 1e6);
}

std::string SourceText(const DeviceSpec& device, const Source& source) {
  if (source.kind == SourceKind::kClock) return "the clock of the round";
  if (source.kind == SourceKind::kCall)
    return fmt::format("{}() of {}", source.function,
                       device.libraries[static_cast<std::size_t>(source.library)].files[0]);
  std::string text = source.path;
  if (!source.key.empty()) text += fmt::format(", word {} behind {}", source.column, source.key);
  return text;
}

// What stands in the file; parts that go over several lines end with "...".
std::string TextAt(const Spec& spec, const Place& place) {
  std::size_t begin = 0;
  for (int line = 1; line < place.line; ++line) begin = spec.text.find('\n', begin) + 1;
  begin += static_cast<std::size_t>(place.column - 1);
  std::string text = spec.text.substr(begin, static_cast<std::size_t>(place.length));
  // A call's first line has its name alone where its arguments follow on others.
  if (text.ends_with('(') || text.ends_with('[')) text += "...";
  return text;
}

class TreeWriter {
 public:
  TreeWriter(const Spec& spec, const DeviceSpec& device, const InstanceState* state,
             std::int64_t now_ns)
      : spec_(spec), device_(device), state_(state), now_ns_(now_ns) {}

  std::string Write(const Export& metric) {
    // Numbers of no dimension are all one to the checker; the metric's own name of it tells more.
    const std::optional<Unit> unit = FindUnit(metric.unit);
    if (unit && *unit == Plain()) plain_ = metric.unit;
    std::string about = metric.unit;
    if (!metric.help.empty()) about += (about.empty() ? "" : ", ") + metric.help;
    out_ = metric.name + (about.empty() ? "" : " (" + about + ")") + "\n";
    WriteNode(metric.node, 1);
    return std::move(out_);
  }

 private:
  std::string ValueAt(int node) {
    if (state_ == nullptr) return "";
    FaultCounts faults;
    Evaluator evaluator(device_, state_->samples, state_->instance.index, faults);
    const auto& memory = static_cast<const InterpreterMemory&>(*state_->memory);
    evaluator.SetNames(memory.names, memory.names_before);
    return " = " + ValueText(evaluator.Of(node));
  }

  void WriteNode(int index, int depth) {
    const Node& node = device_.nodes[static_cast<std::size_t>(index)];
    // Turns of a list differ by their number.
    const bool has_value = !in_loop_;
    std::string unit = node.unit.is_known ? " " + TextOf(node.unit) : "";
    out_ += fmt::format("{:{}}{}{}  [{}{}]", "", 2 * depth, TextAt(spec_, node.place),
                        has_value ? ValueAt(index) : "", TypeText(device_, node.type), unit);
    if (node.op == Op::kSource) WriteSource(node.ref);
    out_ += '\n';
    if (node.op == Op::kNamed && shown_.insert(node.ref).second)
      WriteNode(device_.names[static_cast<std::size_t>(node.ref)].node, depth + 1);
    const bool was_in_loop = in_loop_;
    in_loop_ = in_loop_ || node.op == Op::kComprehension;
    for (const int one : node.a) {
      const Op op = device_.nodes[static_cast<std::size_t>(one)].op;
      if (op != Op::kConstant && op != Op::kLoop && op != Op::kAbsent) WriteNode(one, depth + 1);
    }
    in_loop_ = was_in_loop;
  }

  std::string TextOf(const Unit& unit) const { return unit == Plain() ? plain_ : UnitText(unit); }

  // Why a source has no value: its own fault, or that of what its call needs.
  std::string WhyAbsent(int index) const {
    const auto at = static_cast<std::size_t>(index);
    if (!state_->samples.now[at].value.is_absent()) return "";
    if (!state_->costs[at].why.empty()) return "; " + state_->costs[at].why;
    for (const CallArgument& argument : device_.sources[at].arguments)
      for (const int needed : argument.sources)
        if (const std::string why = WhyAbsent(needed); !why.empty())
          return fmt::format("; not called, for {} is absent{}",
                             device_.sources[static_cast<std::size_t>(needed)].name, why);
    return "";
  }

  void WriteSource(int index) {
    const Source& source = device_.sources[static_cast<std::size_t>(index)];
    out_ += fmt::format("  {}, {}", SourceText(device_, source), Period(source.every_ns));
    if (state_ == nullptr) return;
    const SourceCost& cost = state_->costs[static_cast<std::size_t>(index)];
    const std::int64_t time = state_->samples.now[static_cast<std::size_t>(index)].time_ns;
    if (cost.reads == 0) return;
    out_ += fmt::format(", {:.3f} s old, {:.1f} us a reading",
                        static_cast<double>(now_ns_ - time) / 1e9,
                        static_cast<double>(cost.sum_ns) / 1e3 / static_cast<double>(cost.reads));
    out_ += WhyAbsent(index);
  }

  const Spec& spec_;
  const DeviceSpec& device_;
  const InstanceState* state_;
  std::int64_t now_ns_;
  std::set<int> shown_;  // names are taken apart once
  bool in_loop_ = false;
  std::string plain_ = "ratio";
  std::string out_;
};

// Also through names.
bool HasChange(const DeviceSpec& device, int index, std::set<int>& seen) {
  if (!seen.insert(index).second) return false;
  const Node& node = device.nodes[static_cast<std::size_t>(index)];
  if (node.op == Op::kDelta || node.op == Op::kRate) return true;
  if (node.op == Op::kNamed &&
      HasChange(device, device.names[static_cast<std::size_t>(node.ref)].node, seen))
    return true;
  return std::ranges::any_of(node.a, [&](int one) { return HasChange(device, one, seen); });
}

}  // namespace

bool WantsAnotherRound(const Spec& spec, const Host& host, std::string_view metric) {
  for (std::size_t i = 0; i < spec.devices.size(); ++i) {
    const DeviceSpec& device = spec.devices[i];
    const Module& module = host.modules()[i];
    const auto found = std::ranges::find(device.exports, metric, &Export::name);
    std::set<int> seen;
    if (found == device.exports.end() || module.instances().empty()) continue;
    if (!HasChange(device, found->node, seen)) continue;
    const std::vector<SourceCost>& costs = module.instances()[0].costs;
    for (const int source : found->sources) {
      const auto at = static_cast<std::size_t>(source);
      if (device.sources[at].every_ns != kForever && costs[at].reads < 2) return true;
    }
  }
  return false;
}

std::string ScheduleText(const Spec& spec) {
  std::string text;
  for (const DeviceSpec& device : spec.devices) {
    text += fmt::format("{}{}\n", text.empty() ? "" : "\n", device.name);
    std::map<std::string, std::string> rounds;  // in their order: the title of each has it in front
    for (std::size_t i = 0; i < device.sources.size(); ++i) {
      const Source& source = device.sources[i];
      const bool finds = !source.is_needed;
      const std::string title =
          finds ? fmt::format("1 instances, every {} s", Module::kDiscoverEvery_ns / 1'000'000'000)
                : fmt::format("{:020}{}", source.every_ns, Period(source.every_ns));
      std::vector<std::string> metrics;
      for (const Export& one : device.exports)
        if (std::ranges::binary_search(one.sources, static_cast<int>(i)))
          metrics.push_back(one.name);
      rounds[title] +=
          fmt::format("    {}: {}{}\n", source.name, SourceText(device, source),
                      metrics.empty() ? "" : fmt::format(" -> {}", fmt::join(metrics, ", ")));
    }
    for (const auto& [title, lines] : rounds)
      text += fmt::format("  {}\n{}", title.substr(title.starts_with("1 ") ? 2 : 20), lines);
  }
  return text;
}

Result<std::string> MetricTree(const Spec& spec, const Host& host, std::string_view metric,
                               std::int64_t now_ns) {
  std::string text;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < spec.devices.size(); ++i) {
    const DeviceSpec& device = spec.devices[i];
    const Module& module = host.modules()[i];
    const InstanceState* const state =
        module.instances().empty() ? nullptr : &module.instances()[0];
    for (const Export& one : device.exports) {
      names.push_back(one.name);
      if (one.name != metric) continue;
      const std::string& trouble = module.trouble();
      text += state == nullptr ? fmt::format("{} has no instance here{}{}\n", device.name,
                                             trouble.empty() ? "" : ": ", trouble)
                               : fmt::format("{} {}\n", device.name, state->instance.name);
      text += TreeWriter(spec, device, state, now_ns).Write(one);
    }
  }
  if (!text.empty()) return text;
  const std::string_view nearest = NearestName(metric, names);
  return Error(StatusCode::kNotFound, "{}: there is no metric {}; {}", spec.file, metric,
               nearest.empty() ? fmt::format("there are {}", fmt::join(names, ", "))
                               : fmt::format("did you mean {}?", nearest));
}

}  // namespace rankscope::probe
