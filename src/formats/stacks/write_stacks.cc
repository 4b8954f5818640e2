#include "formats/stacks/write_stacks.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/saturating.h"

namespace rankscope::stacks {
namespace {

constexpr std::string_view kOthers = "(others)";

struct Chosen {
  std::vector<std::uint32_t> nodes;  // in the order of the tree
  std::int64_t others_ns = 0;
};

std::int64_t WeightOf(const StackTree& tree, std::uint32_t node, Weight weight) {
  const StackTree::Node& at = tree.nodes()[node];
  return weight == Weight::kDevice ? at.device_ns : at.host_ns;
}

Chosen Choose(const StackTree& tree, Weight weight, std::size_t most) {
  Chosen chosen;
  for (std::uint32_t node = 0; node < tree.nodes().size(); ++node) {
    if (WeightOf(tree, node, weight) > 0) chosen.nodes.push_back(node);
  }
  if (chosen.nodes.size() <= most) return chosen;
  const auto middle = chosen.nodes.begin() + static_cast<std::ptrdiff_t>(most);
  std::nth_element(chosen.nodes.begin(), middle, chosen.nodes.end(),
                   [&](std::uint32_t a, std::uint32_t b) {
                     const std::int64_t left = WeightOf(tree, a, weight);
                     const std::int64_t right = WeightOf(tree, b, weight);
                     return left != right ? left > right : a < b;
                   });
  for (auto node = middle; node != chosen.nodes.end(); ++node)
    AddSaturating(chosen.others_ns, WeightOf(tree, *node, weight));
  chosen.nodes.erase(middle, chosen.nodes.end());
  std::sort(chosen.nodes.begin(), chosen.nodes.end());
  return chosen;
}

std::string Collapsed(const StackTree& tree, const Chosen& chosen, Weight weight) {
  std::string out;
  for (const std::uint32_t node : chosen.nodes) {
    out += tree.TextOf(node);
    fmt::format_to(std::back_inserter(out), " {}\n", WeightOf(tree, node, weight));
  }
  if (chosen.others_ns > 0) out += fmt::format("{} {}\n", kOthers, chosen.others_ns);
  return out;
}

// Names are free of control characters, and valid UTF-8 as all text of a trace.
void AppendText(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  out += '"';
}

std::string Speedscope(const StackTree& tree, const Chosen& chosen, Weight weight,
                       std::string_view title) {
  std::string out =
      R"({"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":"rankscope","name":)";
  AppendText(out, title);
  out += R"(,"activeProfileIndex":0,"shared":{"frames":[)";
  for (const std::string& name : tree.names()) {
    out += R"({"name":)";
    AppendText(out, name);
    out += "},\n";
  }
  out += fmt::format(R"({{"name":"{}"}}]}},"profiles":[{{"type":"sampled","name":)", kOthers);
  AppendText(out, title);
  std::string samples;
  std::string weights;
  std::int64_t total = 0;
  for (const std::uint32_t node : chosen.nodes) {
    fmt::format_to(std::back_inserter(samples), "[{}],\n", fmt::join(tree.PathOf(node), ","));
    const std::int64_t ns = WeightOf(tree, node, weight);
    fmt::format_to(std::back_inserter(weights), "{},", ns);
    AddSaturating(total, ns);
  }
  if (chosen.others_ns > 0) {
    samples += fmt::format("[{}],\n", tree.names().size());
    weights += fmt::format("{},", chosen.others_ns);
    AddSaturating(total, chosen.others_ns);
  }
  if (!weights.empty()) {
    samples.resize(samples.size() - 2);
    weights.pop_back();
  }
  out += fmt::format(
      R"(,"unit":"nanoseconds","startValue":0,"endValue":{},"samples":[{}],"weights":[{}]}}]}})",
      total, samples, weights);
  out += '\n';
  return out;
}

}  // namespace

std::string Write(const StackTree& tree, Format format, Weight weight, std::size_t most,
                  std::string_view title) {
  const Chosen chosen = Choose(tree, weight, most);
  return format == Format::kCollapsed ? Collapsed(tree, chosen, weight)
                                      : Speedscope(tree, chosen, weight, title);
}

}  // namespace rankscope::stacks
