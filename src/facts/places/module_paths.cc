#include "facts/places/module_paths.h"

#include <boost/unordered/unordered_flat_map.hpp>

namespace rankscope {
namespace {

constexpr std::string_view kPrefix = "nn.Module: ";
// A path is at most that deep and a name in it that long, so that paths of a hostile trace do not
// grow with the square of its depth. Real models are a dozen deep.
constexpr std::uint32_t kMostLevels = 64;
constexpr std::size_t kMostNameBytes = 200;

}  // namespace

bool IsModule(const RankTrace& trace, Row row) {
  return trace.kind[row] == EventKind::kPythonFunction && trace.name_of(row).starts_with(kPrefix);
}

ModulePaths ModulePathsOf(const RankTrace& trace, const FrameTree& frames) {
  ModulePaths paths;
  paths.groups.of_frame.reserve(frames.size());
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> known;
  for (std::uint32_t frame = 0; frame < frames.size(); ++frame) {
    const std::uint32_t outer = frames.around(frame);
    const std::uint32_t around =
        outer == FrameTree::kNone ? FrameTree::kNone : paths.groups.of_frame[outer];
    if (around != FrameTree::kNone && paths.level[around] + 1 == kMostLevels) {
      paths.groups.of_frame.push_back(around);  // too deep: counts with its 64th ancestor
      continue;
    }
    const StringId name = trace.name[frames.row(frame)];
    const auto [place, is_new] =
        known.emplace(std::uint64_t{around} << 32 | name, paths.groups.count);
    if (is_new) {
      ++paths.groups.count;
      paths.around.push_back(around);
      paths.name.push_back(name);
      paths.level.push_back(around == FrameTree::kNone ? 0 : paths.level[around] + 1);
    }
    paths.groups.of_frame.push_back(place->second);
  }
  return paths;
}

std::string ModulePathText(const RankTrace& trace, const ModulePaths& paths, std::uint32_t path) {
  std::vector<std::string_view> names;
  for (; path != FrameTree::kNone; path = paths.around[path]) {
    std::string_view name = trace.strings.Get(paths.name[path]).substr(kPrefix.size());
    if (name.size() > kMostNameBytes) {
      std::size_t end = kMostNameBytes;
      while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;
      name = name.substr(0, end);
    }
    names.push_back(name);
  }
  std::string text;
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    if (!text.empty()) text += '/';
    for (const char c : *name) text += c == '/' ? '_' : c;  // only the path's own are separators
  }
  return text;
}

}  // namespace rankscope
