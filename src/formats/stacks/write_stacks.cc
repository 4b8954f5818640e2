#include "formats/stacks/write_stacks.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/saturating.h"
#include "json/writer.h"

namespace rankscope::stacks {
namespace {

constexpr std::string_view kOthers = "(others)";

struct Chosen {
  std::vector<std::uint32_t> frames;  // in the order of the profile
  std::int64_t others_ns = 0;
};

std::int64_t WeightOf(const Profile& profile, std::uint32_t frame, Weight weight) {
  const Profile::Frame& at = profile.frames[frame];
  return weight == Weight::kDevice ? at.device_ns : at.host_ns;
}

// Names from the outermost frame to this one, as indices.
std::vector<std::uint32_t> PathOf(const Profile& profile, std::uint32_t frame) {
  std::vector<std::uint32_t> path;
  for (std::uint32_t at = frame; at != Profile::kNoParent; at = profile.frames[at].parent)
    path.push_back(profile.frames[at].name);
  std::ranges::reverse(path);
  return path;
}

Chosen Choose(const Profile& profile, Weight weight, std::size_t most) {
  Chosen chosen;
  for (std::uint32_t frame = 0; frame < profile.frames.size(); ++frame) {
    if (WeightOf(profile, frame, weight) > 0) chosen.frames.push_back(frame);
  }
  if (chosen.frames.size() <= most) return chosen;
  const auto middle = chosen.frames.begin() + static_cast<std::ptrdiff_t>(most);
  std::nth_element(chosen.frames.begin(), middle, chosen.frames.end(),
                   [&](std::uint32_t a, std::uint32_t b) {
                     const std::int64_t left = WeightOf(profile, a, weight);
                     const std::int64_t right = WeightOf(profile, b, weight);
                     return left != right ? left > right : a < b;
                   });
  for (auto frame = middle; frame != chosen.frames.end(); ++frame)
    AddSaturating(chosen.others_ns, WeightOf(profile, *frame, weight));
  chosen.frames.erase(middle, chosen.frames.end());
  std::sort(chosen.frames.begin(), chosen.frames.end());
  return chosen;
}

std::string Collapsed(const Profile& profile, const Chosen& chosen, Weight weight) {
  std::string out;
  for (const std::uint32_t frame : chosen.frames) {
    std::string_view separator;
    for (const std::uint32_t name : PathOf(profile, frame)) {
      out += separator;
      out += profile.names[name];
      separator = ";";
    }
    fmt::format_to(std::back_inserter(out), " {}\n", WeightOf(profile, frame, weight));
  }
  if (chosen.others_ns > 0) out += fmt::format("{} {}\n", kOthers, chosen.others_ns);
  return out;
}

// Samples and their weights are two lists, in the same order.
std::string Speedscope(const Profile& profile, const Chosen& chosen, Weight weight,
                       std::string_view title) {
  std::string out;
  json::Writer writer(out);
  writer.BeginObject()
      .Member("$schema", "https://www.speedscope.app/file-format-schema.json")
      .Member("exporter", "rankscope")
      .Member("name", title)
      .Member("activeProfileIndex", 0);
  writer.Key("shared").BeginObject().Key("frames").BeginArray();
  for (const std::string& name : profile.names)
    writer.Line().BeginObject().Member("name", name).EndObject();
  writer.Line().BeginObject().Member("name", kOthers).EndObject();
  writer.EndArray().EndObject();
  std::vector<std::int64_t> weights;
  std::int64_t total = 0;
  const auto weigh = [&](std::int64_t ns) {
    weights.push_back(ns);
    AddSaturating(total, ns);
  };
  for (const std::uint32_t frame : chosen.frames) weigh(WeightOf(profile, frame, weight));
  if (chosen.others_ns > 0) weigh(chosen.others_ns);
  writer.Key("profiles").BeginArray().BeginObject();
  writer.Member("type", "sampled").Member("name", title).Member("unit", "nanoseconds");
  writer.Member("startValue", 0).Member("endValue", total);
  writer.Key("samples").BeginArray();
  for (const std::uint32_t frame : chosen.frames) writer.Line().Write(PathOf(profile, frame));
  if (chosen.others_ns > 0) writer.Line().BeginArray().Write(profile.names.size()).EndArray();
  writer.EndArray().Member("weights", weights).EndObject().EndArray().EndObject();
  out += '\n';
  return out;
}

}  // namespace

std::string Write(const Profile& profile, Format format, Weight weight, std::size_t most,
                  std::string_view title) {
  const Chosen chosen = Choose(profile, weight, most);
  return format == Format::kCollapsed ? Collapsed(profile, chosen, weight)
                                      : Speedscope(profile, chosen, weight, title);
}

}  // namespace rankscope::stacks
