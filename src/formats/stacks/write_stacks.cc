#include "formats/stacks/write_stacks.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/saturating.h"

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

// Names are valid UTF-8 as all text of a trace.
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

std::string Speedscope(const Profile& profile, const Chosen& chosen, Weight weight,
                       std::string_view title) {
  std::string out =
      R"({"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":"rankscope","name":)";
  AppendText(out, title);
  out += R"(,"activeProfileIndex":0,"shared":{"frames":[)";
  for (const std::string& name : profile.names) {
    out += R"({"name":)";
    AppendText(out, name);
    out += "},\n";
  }
  out += fmt::format(R"({{"name":"{}"}}]}},"profiles":[{{"type":"sampled","name":)", kOthers);
  AppendText(out, title);
  std::string samples;
  std::string weights;
  std::int64_t total = 0;
  for (const std::uint32_t frame : chosen.frames) {
    fmt::format_to(std::back_inserter(samples), "[{}],\n", fmt::join(PathOf(profile, frame), ","));
    const std::int64_t ns = WeightOf(profile, frame, weight);
    fmt::format_to(std::back_inserter(weights), "{},", ns);
    AddSaturating(total, ns);
  }
  if (chosen.others_ns > 0) {
    samples += fmt::format("[{}],\n", profile.names.size());
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

std::string Write(const Profile& profile, Format format, Weight weight, std::size_t most,
                  std::string_view title) {
  const Chosen chosen = Choose(profile, weight, most);
  return format == Format::kCollapsed ? Collapsed(profile, chosen, weight)
                                      : Speedscope(profile, chosen, weight, title);
}

}  // namespace rankscope::stacks
