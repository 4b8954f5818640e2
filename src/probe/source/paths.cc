#include "probe/source/paths.h"

#include <dirent.h>
#include <fnmatch.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "base/text.h"

namespace rankscope::probe {
namespace {

constexpr std::size_t kMostMatches = 4096;
constexpr std::string_view kWildcards = "*?[";

std::vector<std::string_view> Parts(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    if (end > 0) parts.push_back(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return parts;
}

// Runs of digits are compared as numbers of any length.
bool IsNaturallyBefore(std::string_view a, std::string_view b) {
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (!IsDigit(a[i]) || !IsDigit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i, ++j;
      continue;
    }
    std::size_t end_a = i, end_b = j;
    while (end_a < a.size() && IsDigit(a[end_a])) ++end_a;
    while (end_b < b.size() && IsDigit(b[end_b])) ++end_b;
    std::string_view first = a.substr(i, end_a - i), second = b.substr(j, end_b - j);
    while (first.size() > 1 && first[0] == '0') first.remove_prefix(1);
    while (second.size() > 1 && second[0] == '0') second.remove_prefix(1);
    if (first.size() != second.size()) return first.size() < second.size();
    if (first != second) return first < second;
    i = end_a, j = end_b;
  }
  if ((i == a.size()) != (j == b.size())) return i == a.size();
  return a < b;
}

std::vector<std::string> NamesIn(const std::string& folder, const std::string& pattern) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> open(opendir(folder.c_str()), closedir);
  if (open == nullptr) return names;
  while (const dirent* entry = readdir(open.get())) {
    const std::string name = entry->d_name;
    if (name != "." && name != ".." && fnmatch(pattern.c_str(), name.c_str(), FNM_PERIOD) == 0)
      names.push_back(name);
    if (names.size() >= kMostMatches) break;
  }
  return names;
}

std::string Real(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(realpath(path.c_str(), nullptr), std::free);
  return real == nullptr ? std::string() : std::string(real.get());
}

}  // namespace

std::vector<std::string> Matches(const std::string& root, std::string_view pattern) {
  std::vector<std::string> found = {""};
  for (const std::string_view part : Parts(pattern)) {
    std::vector<std::string> next;
    for (const std::string& folder : found) {
      if (part.find_first_of(kWildcards) == std::string_view::npos) {
        next.push_back(folder + "/" + std::string(part));
        continue;
      }
      for (const std::string& name : NamesIn(root + folder + "/", std::string(part)))
        if (next.size() < kMostMatches) next.push_back(folder + "/" + name);
    }
    found = std::move(next);
  }
  std::erase_if(found, [&](const std::string& path) {
    struct stat status {};
    return stat((root + path).c_str(), &status) != 0;
  });
  std::ranges::sort(found, IsNaturallyBefore);
  return found;
}

bool IsAllowed(const std::string& root, const std::string& path) {
  const std::string real = Real(root + path);
  const std::string base = root.empty() ? "" : Real(root);
  if (real.empty() || (!root.empty() && base.empty())) return false;
  return real.starts_with(base + "/sys/") || real.starts_with(base + "/proc/");
}

std::string NameOfMatch(std::string_view folder, std::string_view pattern) {
  const auto parts = Parts(folder), patterns = Parts(pattern);
  for (std::size_t i = std::min(parts.size(), patterns.size()); i > 0; --i)
    if (patterns[i - 1].find_first_of(kWildcards) != std::string_view::npos)
      return std::string(parts[i - 1]);
  return parts.empty() ? std::string(folder) : std::string(parts.back());
}

}  // namespace rankscope::probe
