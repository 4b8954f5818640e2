#include "serving/inputs/input_file.h"

#include <fmt/core.h>

#include <map>

namespace rankscope::serving {
namespace {

std::string WithoutDigits(std::string text) {
  std::erase_if(text, [](char c) { return c >= '0' && c <= '9'; });
  return text;
}

}  // namespace

std::uint32_t Collection::AddSource(const InputFile& file, std::string format) {
  data.sources.push_back({.path = file.path, .format = std::move(format)});
  return static_cast<std::uint32_t>(data.sources.size() - 1);
}

std::uint32_t Collection::LabelsId(const std::string& labels) {
  const auto [at, is_new] =
      ids_of_labels_.emplace(labels, static_cast<std::uint32_t>(data.labels.size()));
  if (is_new) data.labels.push_back(labels);
  return at->second;
}

std::vector<std::string> NotesByKind(std::vector<std::string> notes,
                                     const std::set<std::string>& paths) {
  struct Same {
    std::size_t note = 0;  // index of the first among those kept
    std::string sentence;
    std::int64_t more = 0;
    bool has_other_numbers = false;
  };
  std::map<std::string, Same> kinds;
  std::vector<std::string> kept;
  for (std::string& note : notes) {
    const std::size_t colon = note.find(": ");
    if (colon != std::string::npos && paths.contains(note.substr(0, colon))) {
      std::string sentence = note.substr(colon + 2);
      const auto [at, is_new] = kinds.try_emplace(WithoutDigits(sentence));
      Same& same = at->second;
      if (!is_new) {
        ++same.more;
        same.has_other_numbers |= sentence != same.sentence;
        continue;
      }
      same.note = kept.size();
      same.sentence = std::move(sentence);
    }
    kept.push_back(std::move(note));
  }
  for (const auto& [kind, same] : kinds) {
    if (same.more == 0) continue;
    kept[same.note] += fmt::format(" (and {} file{} more{})", same.more, same.more == 1 ? "" : "s",
                                   same.has_other_numbers ? ", by other numbers" : "");
  }
  return kept;
}

}  // namespace rankscope::serving
