#include "cli/run_arguments.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "cli/messages.h"
#include "engine/discover.h"

namespace rankscope::cli {
namespace {

namespace fs = std::filesystem;

// NAME=VALUE, or NAME alone.
Result<std::map<std::string, std::string>> ParseTags(const std::vector<std::string>& tags) {
  std::map<std::string, std::string> parsed;
  for (const std::string& tag : tags) {
    const std::size_t equals = tag.find('=');
    const std::string name = tag.substr(0, equals);
    if (name.empty())
      return Error(StatusCode::kInvalidArgument, "--tag {}: a tag is NAME=VALUE or NAME", tag);
    parsed[name] = equals == std::string::npos ? std::string() : tag.substr(equals + 1);
  }
  return parsed;
}

// The folder above all of these files.
fs::path CommonFolder(const std::vector<std::string>& paths) {
  fs::path common = fs::absolute(paths.front()).lexically_normal().parent_path();
  for (const std::string& path : paths) {
    const fs::path folder = fs::absolute(path).lexically_normal().parent_path();
    const auto [end, other] =
        std::mismatch(common.begin(), common.end(), folder.begin(), folder.end());
    fs::path shared;
    for (auto part = common.begin(); part != end; ++part) shared /= *part;
    common = shared;
  }
  return common;
}

}  // namespace

void RunArguments::AddTo(CommandSpec& app) {
  app.AddOption("--name", run_.name, "of the run (default: the folder's)");
  app.AddOption("--user", run_.user, "whose job it is");
  app.AddOption("--team", run_.team, "of which team");
  app.AddOption("--model", run_.model, "what it trains or serves");
  app.AddOption("--product", run_.product, "what that is for");
  app.AddOption("--framework", run_.framework, "such as PyTorch 2.9");
  app.AddOption("--hardware", run_.hardware, "(default: the first device's name)");
  app.AddOption("--tag", tags_, "NAME=VALUE; the tag keep: never removed by gc").OneEach();
}

Result<store::Run> RunArguments::Read(const std::vector<std::string>& paths) const {
  store::Run run = run_;
  RS_ASSIGN_OR_RETURN(run.tags, ParseTags(tags_));
  if (!run.name.empty()) return run;
  RS_ASSIGN_OR_RETURN(const FoundFiles found, FindTraceFiles(paths));
  if (!found.paths.empty()) run.name = CommonFolder(found.paths).filename().string();
  return run;
}

Result<std::vector<client::LocalFile>> FindRunFiles(const std::vector<std::string>& named) {
  RS_ASSIGN_OR_RETURN(const FoundFiles found, FindTraceFiles(named));
  for (const auto& unlisted : found.unlisted) Tell(unlisted.second.message());
  if (found.paths.empty())
    return Error(StatusCode::kNotFound, "there is no trace file in what was named");
  std::vector<std::string> paths = found.paths;
  paths.insert(paths.end(), found.telemetry.begin(), found.telemetry.end());
  std::ranges::copy(FindMemorySnapshots(named), std::back_inserter(paths));
  const fs::path folder = CommonFolder(paths);
  std::vector<client::LocalFile> files;
  for (const std::string& path : paths) {
    std::string name = fs::absolute(path).lexically_normal().lexically_relative(folder).string();
    RS_RETURN_IF_ERROR(store::CheckFileName(name));
    files.push_back({std::move(name), path});
  }
  std::ranges::sort(files, {}, &client::LocalFile::name);
  return files;
}

}  // namespace rankscope::cli
