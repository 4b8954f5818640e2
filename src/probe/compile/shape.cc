#include "probe/compile/shape.h"

#include <fmt/format.h>

#include <array>

#include "probe/compile/cpp.h"

namespace rankscope::probe {
namespace {

std::string Numbers(const std::vector<int>& numbers) {
  return fmt::format("{{{}}}", fmt::join(numbers, ", "));
}

std::string_view KindOf(MetricKind kind) {
  constexpr std::array<std::string_view, 5> kNames = {"kGauge", "kCounter", "kFlag", "kState",
                                                      "kText"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view KindOf(SourceKind kind) {
  return kind == SourceKind::kFile ? "kFile" : kind == SourceKind::kClock ? "kClock" : "kCall";
}

std::string_view KindOf(InstanceKind kind) {
  return kind == InstanceKind::kOne ? "kOne" : kind == InstanceKind::kGlob ? "kGlob" : "kRange";
}

// What is as it is without being said is left out.
class Lines {
 public:
  void Begin(std::string_view type, std::string_view variable) {
    text_ += fmt::format("  {{\n    {} {};\n", type, variable);
    variable_ = variable;
  }
  void End(std::string_view list) {
    text_ += fmt::format("    device.{}.push_back(std::move({}));\n  }}\n", list, variable_);
  }
  void Set(std::string_view member, const std::string& value) {
    text_ += fmt::format("    {}.{} = {};\n", variable_, member, value);
  }
  void SetText(std::string_view member, const std::string& value) {
    if (!value.empty()) Set(member, Quoted(value));
  }
  void Raw(const std::string& line) { text_ += line + "\n"; }
  std::string Take() && { return std::move(text_); }

 private:
  std::string text_;
  std::string variable_;
};

void DescribeArgument(Lines& lines, const CallArgument& one) {
  if (one.kind == CallArgument::Kind::kOut) {
    lines.Raw(fmt::format(
        "    source.arguments.push_back({{.kind = probe::CallArgument::Kind::kOut, .node = -1, "
        ".is_pointer = false, .sources = {{}}, .layout = {}, .version = {}}});",
        TextOf(one.layout),
        one.version ? fmt::format("{}", *one.version) : std::string("std::nullopt")));
  } else {
    lines.Raw(fmt::format(
        "    source.arguments.push_back({{.kind = probe::CallArgument::Kind::kValue, .node = -1, "
        ".is_pointer = {}, .sources = {}, .layout = {{}}, .version = std::nullopt}});",
        one.is_pointer, Numbers(one.sources)));
  }
}

void DescribeSource(Lines& lines, const Source& one) {
  lines.Begin("probe::Source", "source");
  lines.Set("kind", fmt::format("probe::SourceKind::{}", KindOf(one.kind)));
  lines.SetText("name", one.name);
  lines.Set("type", TextOf(one.type));
  lines.Set("layout", TextOf(one.layout));
  lines.Set("every_ns", fmt::format("{}", one.every_ns));
  if (one.is_optional) lines.Set("is_optional", "true");
  if (one.is_needed) lines.Set("is_needed", "true");
  for (const Value& value : one.not_available)
    lines.Raw(fmt::format("    source.not_available.push_back({});", TextOf(value)));
  lines.SetText("path", one.path);
  lines.SetText("key", one.key);
  if (one.column != 1) lines.Set("column", fmt::format("{}", one.column));
  if (one.library >= 0) lines.Set("library", fmt::format("{}", one.library));
  lines.SetText("function", one.function);
  for (const CallArgument& argument : one.arguments) DescribeArgument(lines, argument);
  if (one.gives_result) lines.Set("gives_result", "true");
  lines.End("sources");
}

void DescribeLibrary(Lines& lines, const Library& one) {
  lines.Begin("probe::Library", "library");
  lines.SetText("name", one.name);
  for (const std::string& file : one.files)
    lines.Raw(fmt::format("    library.files.push_back({});", Quoted(file)));
  lines.SetText("init", one.init);
  lines.SetText("shutdown", one.shutdown);
  lines.Set("ok", fmt::format("{}", one.ok));
  lines.Set("timeout_ns", fmt::format("{}", one.timeout_ns));
  lines.Set("codes", fmt::format("{}", one.codes));
  lines.End("libraries");
}

void DescribeTypes(Lines& lines, const DeviceSpec& device) {
  for (const EnumDef& one : device.enums) {
    lines.Begin("probe::EnumDef", "type");
    lines.SetText("name", one.name);
    for (const EnumDef::Item& item : one.items)
      lines.Raw(fmt::format("    type.items.push_back({{{}, {}}});", Quoted(item.name),
                            LiteralOf({item.value})));
    lines.End("enums");
  }
  for (const StructDef& one : device.structs) {
    lines.Begin("probe::StructDef", "type");
    lines.SetText("name", one.name);
    for (const StructDef::Field& field : one.fields)
      lines.Raw(fmt::format("    type.fields.push_back({{{}, {}, {}}});", Quoted(field.name),
                            TextOf(field.layout), field.offset));
    lines.Set("bytes", fmt::format("{}", one.bytes));
    lines.End("structs");
  }
}

void DescribeMetric(Lines& lines, const Export& one) {
  lines.Begin("probe::Export", "metric");
  lines.SetText("name", one.name);
  lines.Set("kind", fmt::format("probe::MetricKind::{}", KindOf(one.kind)));
  lines.SetText("unit", one.unit);
  lines.SetText("help", one.help);
  lines.Set("type", TextOf(one.type));
  lines.Set("sources", Numbers(one.sources));
  lines.End("exports");
}

}  // namespace

std::string DescribeFunction(const DeviceSpec& device) {
  Lines lines;
  lines.Raw("  probe::DeviceSpec device;");
  for (const auto& [member, text] :
       {std::pair("name", &device.name), std::pair("about", &device.about),
        std::pair("vendor", &device.vendor), std::pair("pattern", &device.pattern)})
    if (!text->empty()) lines.Raw(fmt::format("  device.{} = {};", member, Quoted(*text)));
  lines.Raw(fmt::format("  device.instances = probe::InstanceKind::{};", KindOf(device.instances)));
  if (device.where >= 0) lines.Raw("  device.where = 0;  // there is such a condition");
  lines.Raw(fmt::format("  device.discovery = {};", Numbers(device.discovery)));
  DescribeTypes(lines, device);
  for (const Library& one : device.libraries) DescribeLibrary(lines, one);
  for (const Source& one : device.sources) DescribeSource(lines, one);
  for (const Export& one : device.exports) DescribeMetric(lines, one);
  lines.Raw("  return device;");
  std::string text = "  static probe::DeviceSpec Describe() {\n";
  const std::string body = std::move(lines).Take();
  for (std::size_t at = 0; at < body.size();) {
    const std::size_t end = body.find('\n', at) + 1;
    text += "  " + body.substr(at, end - at);
    at = end;
  }
  return text + "  }\n";
}

}  // namespace rankscope::probe
