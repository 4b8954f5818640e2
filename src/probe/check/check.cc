#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/file.h"
#include "base/utf8.h"
#include "probe/check/device_checker.h"

namespace rankscope::probe {
namespace {

constexpr std::size_t kMostClasses = 50;

// Through arguments of calls, too.
std::vector<int> DiscoveryOf(const DeviceSpec& device) {
  std::set<int> found;
  std::vector<int> waiting;
  for (const int node : {device.where, device.count}) {
    if (node < 0) continue;
    const std::vector<int> below = SourcesOf(device, node);
    waiting.insert(waiting.end(), below.begin(), below.end());
  }
  while (!waiting.empty()) {
    const int source = waiting.back();
    waiting.pop_back();
    if (!found.insert(source).second) continue;
    for (const CallArgument& one : device.sources[static_cast<std::size_t>(source)].arguments)
      waiting.insert(waiting.end(), one.sources.begin(), one.sources.end());
  }
  return {found.begin(), found.end()};
}

}  // namespace

DeviceSpec DeviceChecker::Run() {
  CheckHead();
  CollectNames();
  CheckAssignments();
  if (!symbols_.contains("vendor"))
    wrong_.Error(source_.place, fmt::format("class {} has no vendor", source_.name),
                 "add vendor = \"acme\"");
  const bool has_metric = std::ranges::any_of(source_.assignments, [](const Assignment& one) {
    return FindStandard(one.name) != nullptr || one.name.starts_with(kVendorPrefix);
  });
  if (!has_metric && !wrong_.has_errors())
    wrong_.Error(source_.place, fmt::format("class {} has no metric", source_.name),
                 "add one: temperature = gauge(..., unit=celsius)");
  Schedule();
  for (Export& one : made_.exports) one.sources = SourcesOf(made_, one.node);
  const Needed needed = NeededOf(made_);
  for (std::size_t i = 0; i < made_.sources.size(); ++i)
    made_.sources[i].is_needed = needed.sources[i] != 0;
  made_.discovery = DiscoveryOf(made_);
  std::ranges::sort(made_.exports, {}, [](const Export& one) { return one.place.line; });
  WarnOfUnused();
  return std::move(made_);
}

Spec CheckText(std::string file, std::string text, Diagnostics& diagnostics) {
  Spec spec;
  spec.file = std::move(file);
  spec.text = std::move(text);
  const SyntaxTree tree = Parse(spec.text, diagnostics);
  std::set<std::string_view> names;
  for (const ClassDef& one : tree.classes) {
    if (!names.insert(one.name).second)
      diagnostics.Error(one.place, fmt::format("there are two classes {}", one.name),
                        "give one of them another name");
    if (names.size() > kMostClasses) {
      diagnostics.Error(one.place, fmt::format("this file has more than {} classes", kMostClasses),
                        "split it in several files");
      break;
    }
    spec.devices.push_back(DeviceChecker(one, diagnostics).Run());
  }
  if (tree.classes.empty() && !diagnostics.has_errors())
    diagnostics.Error({1, 1, 1}, "this file has no class",
                      "write `class Chip(Device):` and its lines below it");
  return spec;
}

Result<Spec> ReadSpec(const std::string& path) {
  RS_ASSIGN_OR_RETURN(std::string text, ReadFile(path));
  Diagnostics diagnostics;
  Spec spec = CheckText(path, std::move(text), diagnostics);
  if (diagnostics.has_errors()) return FirstError(path, spec.text, diagnostics);
  return spec;
}

Status FirstError(const std::string& file, std::string_view text, const Diagnostics& diagnostics) {
  const std::vector<Diagnostic> sorted = diagnostics.Sorted();
  const auto is_error = [](const Diagnostic& one) { return one.severity == Severity::kError; };
  const auto first = std::ranges::find_if(sorted, is_error);
  const auto more =
      static_cast<std::size_t>(std::ranges::count_if(sorted, is_error)) - 1 + diagnostics.LeftOut();
  std::string message = FormatDiagnostic(file, text, *first);
  message.resize(message.find('\n'));
  if (more > 0) message += fmt::format(" ({} more, which rankscope probe check tells)", more);
  return {StatusCode::kBadData, std::move(message)};
}

}  // namespace rankscope::probe
