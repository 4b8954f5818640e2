#include "formats/xplane/device_line.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace rankscope::xplane {
namespace {

using namespace std::string_view_literals;

constexpr std::array kWork = {"XLA Ops"sv, "Sparse Core Ops"sv};

}  // namespace

bool IsStream(std::string_view line) { return line.starts_with("Stream #"); }

LineRole RoleOfLine(std::string_view line, bool has_streams) {
  if (line == "Steps") return LineRole::kSteps;
  const bool is_work =
      has_streams ? IsStream(line) : std::find(kWork.begin(), kWork.end(), line) != kWork.end();
  return is_work ? LineRole::kWork : LineRole::kSummary;
}

DeviceName ParseDeviceName(std::string_view plane) {
  DeviceName name;
  const std::string_view text = plane.substr(plane.rfind(':') + 1);
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, name.number);
  if (error != std::errc() || rest == end) return name;
  std::int64_t core = 0;
  const std::size_t space = text.rfind(' ');
  std::from_chars(text.data() + space + 1, end, core);
  constexpr std::int64_t kMostCores = 1'000'000;
  name.part = std::clamp<std::int64_t>(core, 0, kMostCores) + 1;
  return name;
}

std::optional<std::int64_t> StepNumberOf(std::string_view name) {
  const std::string_view text = name.substr(name.rfind(' ') + 1);
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end || number < 0) return std::nullopt;
  return number;
}

}  // namespace rankscope::xplane
