#include "agent/telemetry/reading_files.h"

#include <algorithm>
#include <filesystem>

#include "agent/base/fields.h"
#include "agent/base/small_file.h"

namespace rankscope::agent {

void AddWord(Readings& readings, const quantity::Quantity& quantity, Labels labels,
             std::string_view word, double factor) {
  if (const auto value = NumberOf(word)) {
    readings.Add(quantity, std::move(labels), *value * factor);
  } else {
    ++readings.unreadable;
  }
}

void AddFile(Readings& readings, const quantity::Quantity& quantity, Labels labels,
             const std::string& path, double factor) {
  const Result<std::string> text = ReadSmallFile(path);
  if (!text.ok()) {
    // Links that are down and ports without a cable refuse to be read.
    if (text.status().code() != StatusCode::kNotFound) ++readings.unreadable;
    return;
  }
  AddWord(readings, quantity, std::move(labels), *text, factor);
}

std::vector<std::string> NamesIn(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (auto one = std::filesystem::directory_iterator(folder, error);
       !error && one != std::filesystem::directory_iterator(); one.increment(error))
    names.push_back(one->path().filename().string());
  std::ranges::sort(names);
  return names;
}

std::string FirstLineOf(const std::string& path) {
  const Result<std::string> text = ReadSmallFile(path);
  return text.ok() ? text->substr(0, text->find('\n')) : std::string();
}

}  // namespace rankscope::agent
