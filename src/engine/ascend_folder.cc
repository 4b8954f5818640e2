#include "engine/ascend_folder.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

namespace rankscope {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kOutput = "ASCEND_PROFILER_OUTPUT";

bool IsTraceView(const fs::path& path) {
  return path.filename().string().starts_with("trace_view");
}

// "profiler_info_3.json" -> 3.
std::optional<std::int64_t> RankOfInfo(std::string_view name) {
  constexpr std::string_view kBegin = "profiler_info_";
  if (!name.starts_with(kBegin)) return std::nullopt;
  name.remove_prefix(kBegin.size());
  std::int32_t rank = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), rank);
  const bool is_number = error == std::errc() && rank >= 0;
  return is_number && std::string_view(end, name.data() + name.size()) == ".json"
             ? std::optional<std::int64_t>(rank)
             : std::nullopt;
}

}  // namespace

bool IsBesideAscendTrace(const fs::path& path) {
  if (IsTraceView(path)) return false;
  const fs::path folder = path.parent_path();
  return std::any_of(folder.begin(), folder.end(), [](const fs::path& part) {
    const std::string name = part.string();
    return name == kOutput || name.ends_with("_ascend_pt");
  });
}

std::optional<std::int64_t> RankBesideAscendTrace(const fs::path& trace) {
  fs::path folder = trace.parent_path();
  if (!IsTraceView(trace) || folder.filename() != kOutput) return std::nullopt;
  folder = folder.parent_path();
  std::error_code error;
  auto entry = fs::directory_iterator(folder.empty() ? fs::path(".") : folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (const auto rank = RankOfInfo(entry->path().filename().string())) return rank;
  }
  return std::nullopt;
}

}  // namespace rankscope
