#include "probe/compile/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "probe/compile/cpp.h"
#include "probe/compile/emit.h"
#include "probe/compile/shape.h"

namespace rankscope::probe {
namespace {

// Texts of a specification stand in comments: they end none and begin no other line.
std::string Comment(std::string_view text) {
  std::string line;
  for (const char c : text) line += static_cast<unsigned char>(c) < 0x20 || c == '\\' ? ' ' : c;
  return line;
}

std::string LineOf(const Spec& spec, int number) {
  std::size_t begin = 0;
  for (int line = 1; line < number; ++line) begin = spec.text.find('\n', begin) + 1;
  std::string_view line =
      std::string_view(spec.text).substr(begin, spec.text.find('\n', begin) - begin);
  while (line.starts_with(' ')) line.remove_prefix(1);
  return Comment(line);
}

class ClassWriter {
 public:
  ClassWriter(const Spec& spec, const DeviceSpec& device, const std::string& maker)
      : spec_(spec), device_(device), needed_(NeededOf(device)) {
    head_ = fmt::format(
        "// Made by {} from {}, version {} of the language: change that file, not this one.\n",
        Comment(maker), Comment(spec.file), kLanguageVersion);
  }

  std::string Header() const {
    std::string out =
        head_ + "#pragma once\n\n#include <memory>\n\n#include \"probe/run/monitor.h\"\n";
    out += "\nnamespace rankscope::probes {\n\n";
    out += fmt::format("// {}: {}\n//\n", device_.name,
                       device_.about.empty() ? "a device" : Comment(device_.about));
    for (const Export& one : device_.exports)
      out += fmt::format("//   {} ({}) {}\n", one.name, one.unit.empty() ? "none" : one.unit,
                         Comment(one.help));
    out += fmt::format("std::unique_ptr<const probe::Program> Make{}Program();\n\n", device_.name);
    out +=
        "// Read by `reader`, which outlives it. For several threads: what is due is read once.\n";
    out += fmt::format("std::unique_ptr<probe::Monitor> Open{}(probe::SourceReader& reader);\n\n",
                       device_.name);
    return out + "}  // namespace rankscope::probes\n";
  }

  std::string Source() {
    out_ = head_ +
           fmt::format(
               "#include \"{}.h\"\n\n#include <limits>\n#include <string>\n#include <utility>\n\n",
               device_.name);
    out_ +=
        "#include \"probe/compiled/support.h\"\n\nnamespace rankscope::probes {\nnamespace {\n\n";
    Class();
    out_ += "}  // namespace\n\n";
    out_ += fmt::format(
        "std::unique_ptr<const probe::Program> Make{0}Program() {{ return "
        "std::make_unique<{0}Program>(); }}\n\n",
        device_.name);
    out_ += fmt::format(
        "std::unique_ptr<probe::Monitor> Open{0}(probe::SourceReader& reader) {{\n"
        "  return "
        "std::make_unique<probe::Monitor>(std::make_unique<probe::Module>(Make{0}Program(), "
        "reader));\n}}\n\n",
        device_.name);
    out_ += "}  // namespace rankscope::probes\n";
    return std::move(out_);
  }

 private:
  void Sources() {
    if (device_.sources.empty()) return;
    out_ += "  enum SourceNumber : std::size_t {\n";
    for (std::size_t i = 0; i < device_.sources.size(); ++i)
      out_ += fmt::format("    {},  // {}\n", SourceName(device_, static_cast<int>(i)),
                          LineOf(spec_, device_.sources[i].place.line));
    out_ += "  };\n\n";
  }

  void Names() {
    out_ += "  // Values of one instance.\n  struct Names {\n";
    for (std::size_t i = 0; i < device_.names.size(); ++i)
      if (needed_.names[i] != 0)
        out_ += fmt::format("    {} {}{{}};\n", HeldTypeOf(TypeAt(device_.names[i].node)),
                            NameOf(device_.names[i].name));
    out_ += "  };\n";
  }

  const Type& TypeAt(int node) const { return device_.nodes[static_cast<std::size_t>(node)].type; }

  // Compilers and debuggers show the specification's line, and then this file's again.
  void AtLine(int line, const std::string& code) {
    out_ += fmt::format("#line {} {}\n{}\n", line, Quoted(spec_.file), code);
    out_ += fmt::format("#line {} {}\n", std::ranges::count(out_, '\n') + 2,
                        Quoted(device_.name + ".cc"));
  }

  void Class() {
    out_ += fmt::format(
        "class {0}Program final : public probe::Program {{\n public:\n  {0}Program() : "
        "described(Describe()) {{}}\n",
        device_.name);
    out_ += "  const probe::DeviceSpec& device() const override { return described; }\n";
    out_ +=
        "  std::unique_ptr<Memory> NewMemory() const override { return std::make_unique<Kept>(); "
        "}\n\n";
    ValueFunction("Where", device_.where);
    ValueFunction("Count", device_.count);
    Arguments();
    Evaluate();
    out_ += "\n private:\n";
    Sources();
    Names();
    out_ +=
        "  struct Kept final : Memory {\n    Names now, before;\n    bool is_new = true;\n  };\n\n";
    out_ += DescribeFunction(device_) + "\n";
    out_ += "  const probe::DeviceSpec described;\n};\n\n";
  }

  void Unpack(std::string_view indent) {
    out_ += fmt::format(
        "{0}[[maybe_unused]] const auto& samples = input.samples;\n{0}[[maybe_unused]] const "
        "std::int64_t index = input.index;\n"
        "{0}[[maybe_unused]] probe::FaultCounts& faults = input.faults;\n",
        indent);
  }

  // Names below a node, each before those that build on it.
  std::set<int> NamesBelow(int node) const {
    std::set<int> names;
    std::vector<int> waiting = {node};
    while (!waiting.empty()) {
      const Node& at = device_.nodes[static_cast<std::size_t>(waiting.back())];
      waiting.pop_back();
      waiting.insert(waiting.end(), at.a.begin(), at.a.end());
      if (at.op == Op::kNamed && names.insert(at.ref).second)
        waiting.push_back(device_.names[static_cast<std::size_t>(at.ref)].node);
    }
    return names;
  }

  void ValueOf(int node, std::string_view indent) {
    Emitter emitter(device_, NamesAre::kLocals);
    for (const int name : NamesBelow(node)) {
      const Named& one = device_.names[static_cast<std::size_t>(name)];
      out_ += fmt::format("{}[[maybe_unused]] const auto {} = {};\n", indent, NameOf(one.name),
                          emitter.Of(one.node));
    }
    const std::string value = emitter.Of(node);
    const bool is_value = TypeAt(node).kind == TypeKind::kStruct;
    AtLine(device_.nodes[static_cast<std::size_t>(node)].place.line,
           fmt::format("{}return {};", indent, is_value ? value : "probe::ToValue(" + value + ")"));
  }

  void ValueFunction(std::string_view name, int node) {
    if (node < 0) {
      out_ += fmt::format("  probe::Value {}(const Input&) const override {{ return {{}}; }}\n\n",
                          name);
      return;
    }
    out_ += fmt::format("  probe::Value {}(const Input& input) const override {{\n", name);
    Unpack("    ");
    ValueOf(node, "    ");
    out_ += "  }\n\n";
  }

  void Arguments() {
    out_ +=
        "  probe::Value Argument([[maybe_unused]] int source, [[maybe_unused]] int argument,\n"
        "                        [[maybe_unused]] const Input& input) const override {\n";
    Unpack("    ");
    for (std::size_t i = 0; i < device_.sources.size(); ++i) {
      const auto& arguments = device_.sources[i].arguments;
      for (std::size_t j = 0; j < arguments.size(); ++j) {
        if (arguments[j].node < 0) continue;
        out_ += fmt::format("    if (source == {} && argument == {}) {{\n",
                            SourceName(device_, static_cast<int>(i)), j);
        ValueOf(arguments[j].node, "      ");
        out_ += "    }\n";
      }
    }
    out_ += "    return {};\n  }\n\n";
  }

  void Evaluate() {
    out_ +=
        "  void Evaluate(const Input& input, [[maybe_unused]] const std::vector<char>& is_read, "
        "Memory& memory,\n"
        "                std::vector<probe::Value>& metrics) const override {\n";
    Unpack("    ");
    out_ +=
        "    auto& kept = static_cast<Kept&>(memory);\n    auto& now = kept.now;\n    "
        "[[maybe_unused]] auto& before = kept.before;\n"
        "    [[maybe_unused]] probe::FaultCounts counted;  // of values before: they were counted "
        "then\n";
    Emitter emitter(device_, NamesAre::kMembers);
    for (std::size_t i = 0; i < device_.names.size(); ++i) {
      const Named& one = device_.names[i];
      if (needed_.names[i] == 0) continue;
      std::string condition = "kept.is_new";
      const std::vector<int> sources = SourcesOf(device_, one.node);
      if (!sources.empty()) {
        condition.clear();
        for (const int source : sources)
          condition += (condition.empty() ? "" : ", ") + SourceName(device_, source);
        condition = fmt::format("probe::IsRead(is_read, {{{}}})", condition);
      }
      out_ += fmt::format("    // {}\n    if ({}) {{\n", LineOf(spec_, one.place.line), condition);
      const std::string name = NameOf(one.name);
      if (one.needs_previous)
        AtLine(one.place.line,
               fmt::format("      before.{} = {};", name, emitter.OfBefore(one.node)));
      AtLine(one.place.line, fmt::format("      now.{} = {};", name, emitter.Of(one.node)));
      out_ += "    }\n";
    }
    out_ += "    kept.is_new = false;\n";
    for (std::size_t i = 0; i < device_.exports.size(); ++i)
      out_ += fmt::format("    metrics[{}] = probe::ToValue(now.{});\n", i,
                          NameOf(device_.exports[i].name));
    out_ += "  }\n";
  }

  const Spec& spec_;
  const DeviceSpec& device_;
  const Needed needed_;
  std::string head_, out_;
};

}  // namespace

std::vector<GeneratedFile> Generate(const Spec& spec, const std::string& maker) {
  std::vector<GeneratedFile> files;
  for (const DeviceSpec& device : spec.devices) {
    ClassWriter writer(spec, device, maker);
    files.push_back({device.name + ".h", writer.Header()});
    files.push_back({device.name + ".cc", writer.Source()});
  }
  return files;
}

}  // namespace rankscope::probe
