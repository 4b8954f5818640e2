#include "probe/run/lines.h"

#include <fmt/format.h>

#include <algorithm>

#include "json/writer.h"

namespace rankscope::probe {
namespace {

// A text of a device is anybody's: it stays one word of one line.
std::string Word(const std::string& text) {
  const bool is_plain = !text.empty() && std::ranges::all_of(text, [](char c) {
    return c > ' ' && c != 0x7F && c != '"' && c != '\\';
  });
  if (is_plain) return text;
  std::string quoted;
  json::Writer(quoted).Write(text);
  return quoted;
}

}  // namespace

std::string MetricText(const DeviceSpec& device, const Export& metric, const Value& value) {
  if (value.is_absent()) return "absent";
  if (metric.type.kind == TypeKind::kEnum) {
    const EnumDef& of = device.enums[static_cast<std::size_t>(metric.type.of)];
    const auto item = std::ranges::find(of.items, *value.If<std::int64_t>(), &EnumDef::Item::value);
    if (item != of.items.end()) return item->name;
  }
  if (const bool* flag = value.If<bool>()) return *flag ? "true" : "false";
  if (const std::string* text = value.If<std::string>()) return Word(*text);
  return ValueText(value);
}

std::string UnitOf(const Export& metric) { return metric.unit.empty() ? "none" : metric.unit; }

std::string MetricLines(const Module& module) {
  const DeviceSpec& device = module.device();
  std::string lines;
  for (const InstanceState& state : module.instances()) {
    for (std::size_t i = 0; i < device.exports.size(); ++i) {
      const Export& metric = device.exports[i];
      lines += fmt::format("{} {} {} {}\n", Word(state.instance.name), metric.name,
                           MetricText(device, metric, state.metrics[i].value), UnitOf(metric));
    }
  }
  return lines;
}

}  // namespace rankscope::probe
