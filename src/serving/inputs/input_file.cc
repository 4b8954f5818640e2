#include "serving/inputs/input_file.h"

namespace rankscope::serving {

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

}  // namespace rankscope::serving
