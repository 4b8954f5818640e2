#include "app/fleet/kept_answers.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "app/fleet/update_fleet.h"
#include "base/durable.h"
#include "base/file.h"
#include "base/text.h"
#include "store/sha256.h"

namespace rankscope::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostAnswers = 64;

void RemoveOldest(const std::string& folder) {
  std::vector<std::pair<fs::file_time_type, fs::path>> answers;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("answer.") && name.ends_with(".json"))
      answers.emplace_back(entry.last_write_time(error), entry.path());
  }
  if (answers.size() <= kMostAnswers) return;
  std::sort(answers.begin(), answers.end());
  for (std::size_t i = 0; i + kMostAnswers < answers.size(); ++i)
    fs::remove(answers[i].second, error);
}

}  // namespace

Result<std::string> KeptAnswer(const FleetSpec& spec, const std::string& question,
                               Listener& listener,
                               const std::function<Result<std::string>()>& make) {
  RS_ASSIGN_OR_RETURN(const FleetManifest manifest,
                      UpdateFleet(spec.data, spec.catalogue, listener));
  // Days have the generations in which they were written: another one is another answer.
  std::string key = fmt::format("{}\n{}\n{}\n", question, kFleetRowsVersion, manifest.generation);
  for (const auto& [day, generation] : manifest.days)
    key += fmt::format("{} {}\n", day, generation);
  const std::string folder = spec.data + "/fleet";
  const std::string path = fmt::format("{}/answer.{}.json", folder, store::Sha256Of(key));
  std::error_code error;
  if (fs::exists(path, error)) {
    if (auto text = ReadFile(path); text.ok() && !text->empty()) return text;
  }
  RS_ASSIGN_OR_RETURN(std::string text, make());
  // Without rows there is no folder, and nothing that took long.
  if (!manifest.days.empty() && WriteDurably(path, text, folder).ok()) RemoveOldest(folder);
  return text;
}

}  // namespace rankscope::app
