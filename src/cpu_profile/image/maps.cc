#include "cpu_profile/image/maps.h"

#include <fmt/core.h>
#include <unistd.h>

#include <array>

#include <algorithm>
#include <charconv>

namespace rankscope::cpu_profile {
namespace {

constexpr std::size_t kMostMappings = 100'000;

// The number at the front, which goes from `text`, with what ends it.
bool TakeHex(std::string_view& text, char behind, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end == text.data() + text.size() || *end != behind) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  return true;
}

void SkipWord(std::string_view& text) {
  text.remove_prefix(std::min(text.size(), text.find(' ')));
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(' ')));
}

}  // namespace

std::vector<Mapping> ParseMaps(std::string_view text) {
  // 7f1200000000-7f1200001000 r-xp 00002000 08:01 1234    /usr/lib/libc.so.6
  std::vector<Mapping> maps;
  while (!text.empty() && maps.size() < kMostMappings) {
    const std::size_t end = std::min(text.size(), text.find('\n'));
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), end + 1));
    Mapping one;
    if (!TakeHex(line, '-', one.begin) || !TakeHex(line, ' ', one.end) || line.size() < 5) continue;
    one.is_code = line[2] == 'x';
    SkipWord(line);
    if (!TakeHex(line, ' ', one.offset) || one.end <= one.begin) continue;
    SkipWord(line);
    SkipWord(line);
    one.path = line;
    maps.push_back(std::move(one));
  }
  std::ranges::stable_sort(maps, {}, &Mapping::begin);
  return maps;
}

const Mapping* FindMapping(const std::vector<Mapping>& maps, std::uint64_t address) {
  const auto behind = std::ranges::upper_bound(maps, address, {}, &Mapping::begin);
  if (behind == maps.begin()) return nullptr;
  const Mapping& one = *std::prev(behind);
  return address < one.end ? &one : nullptr;
}

std::string ProgramOf(pid_t pid) {
  std::array<char, 4096> path{};
  const ssize_t bytes =
      readlink(fmt::format("/proc/{}/exe", pid).c_str(), path.data(), path.size());
  return bytes > 0 ? std::string(path.data(), static_cast<std::size_t>(bytes)) : std::string();
}

std::string FileOfMapping(pid_t pid, const std::string& path) {
  if (path == ProgramOf(pid)) return fmt::format("/proc/{}/exe", pid);
  return fmt::format("/proc/{}/root{}", pid, path);
}

}  // namespace rankscope::cpu_profile
