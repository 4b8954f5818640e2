#include "service/queue/split_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>

namespace rankscope::service {
namespace {

namespace fs = std::filesystem;
using store::Run;
using store::RunFile;

constexpr std::string_view kSetTag = "set";  // as of `rankscope push --all`

bool LiesBelow(std::string_view file, std::string_view path) {
  return file == path ||
         (file.size() > path.size() && file.starts_with(path) && file[path.size()] == '/');
}

// The deepest folder above all of them; "": there is none.
std::string FolderAbove(const std::vector<std::vector<std::string>>& paths) {
  std::string folder = fs::path(paths.front().front()).parent_path().string();
  for (const auto& of_part : paths) {
    for (const std::string& path : of_part) {
      while (!folder.empty() && (path == folder || !LiesBelow(path, folder)))
        folder = fs::path(folder).parent_path().string();
    }
  }
  return folder;
}

// "a/b" of a folder, "rank0" of "rank0.pt.trace.json.gz".
std::string NameOf(const std::string& path, const std::string& above, bool is_file) {
  std::string name = above.empty() ? path : path.substr(above.size() + 1);
  if (!is_file) return name;
  const std::size_t folder = name.rfind('/');
  return name.substr(0, name.find('.', folder == std::string::npos ? 1 : folder + 2));
}

std::optional<std::size_t> PartOfFile(const RunFile& file,
                                      const std::vector<std::vector<std::string>>& paths) {
  for (std::size_t part = 0; part < paths.size(); ++part) {
    if (std::ranges::any_of(paths[part],
                            [&](const std::string& path) { return LiesBelow(file.name, path); }))
      return part;
  }
  return std::nullopt;
}

}  // namespace

std::vector<Run> PartsOf(const Run& run, const std::vector<std::vector<std::string>>& paths) {
  if (paths.size() < 2) return {};
  for (const auto& of_part : paths) {
    // They come from a process that reads what strangers wrote.
    const auto is_name = [](const std::string& path) { return store::CheckFileName(path).ok(); };
    if (of_part.empty() || !std::ranges::all_of(of_part, is_name)) return {};
  }
  std::vector<Run> parts(paths.size(), run);
  const std::string above = FolderAbove(paths);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Run& part = parts[i];
    const std::string& path = paths[i].front();
    const bool is_file = std::ranges::find(run.files, path, &RunFile::name) != run.files.end();
    part.name = run.name + "/" + NameOf(path, above, is_file);
    part.tags.emplace(kSetTag, run.name);
    part.files.clear();
    if (i == 0) continue;
    part.id.clear();
    part.key = fmt::format("part {} of {}", i, run.id);
    part.state = store::RunState::kQueued;
    part.metrics.clear();
    part.notes.clear();
    part.queries.clear();
  }
  std::vector<bool> has_trace(parts.size(), false);
  for (const RunFile& file : run.files) {
    if (file.name == store::kSourceFile) {
      for (Run& part : parts) part.files.push_back(file);
      continue;
    }
    const std::optional<std::size_t> part = PartOfFile(file, paths);
    parts[part.value_or(0)].files.push_back(file);
    if (part) has_trace[*part] = true;
  }
  for (Run& part : parts) {
    std::erase_if(part.set_aside, [&](const store::SetAside& one) {
      return std::ranges::find(part.files, one.file, &RunFile::name) == part.files.end();
    });
  }
  if (std::ranges::find(has_trace, false) != has_trace.end()) return {};
  return parts;
}

}  // namespace rankscope::service
