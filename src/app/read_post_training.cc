#include "app/read_post_training.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "app/read_role_traces.h"
#include "app/text_of_file.h"
#include "engine/discover.h"
#include "post_training/inputs/input_file.h"
#include "post_training/tables.h"

namespace rankscope::app {
namespace {

Status ReadOne(const std::string& path, post_training::PostData& to) {
  RS_ASSIGN_OR_RETURN(const UnpackedText file, TextOfFile(path));
  return post_training::ReadPostTrainingFile(
      {.path = path, .text = file.text, .problem = file.problem}, to);
}

// Folders with traces, each a role. One that cannot be read is a note.
Status ReadAllTraces(const std::map<std::string, std::vector<std::string>>& folders,
                     post_training::PostData& to, Listener& listener) {
  for (const auto& [folder, files] : folders) {
    Result<post_training::RoleTrace> trace = ReadRoleTraces(folder, files, listener);
    if (trace.ok()) {
      to.sources.push_back({.path = folder,
                            .format = "traces of a role",
                            .records = static_cast<std::int64_t>(files.size())});
      to.traces.push_back(std::move(*trace));
    } else if (trace.status().code() == StatusCode::kCancelled) {
      return trace.status();
    } else {
      to.notes.push_back(trace.status().message());
    }
  }
  return OkStatus();
}

Status CheckDevices(const PostTrainingSpec& spec) {
  if (spec.generate_gpus.has_value() == spec.train_gpus.has_value()) return OkStatus();
  return Error(
      StatusCode::kInvalidArgument,
      "--generate-gpus and --train-gpus belong together: the devices of a generator and of a "
      "trainer that share none");
}

}  // namespace

Result<PostTrainingReport> ReadPostTraining(const PostTrainingSpec& spec, Listener& listener) {
  RS_RETURN_IF_ERROR(CheckDevices(spec));
  RS_ASSIGN_OR_RETURN(const FoundFiles found, FindFiles(spec.paths));
  post_training::PostData data{.generate_gpus = spec.generate_gpus, .train_gpus = spec.train_gpus};
  std::vector<std::string> notices;
  for (const auto& unlisted : found.unlisted) notices.push_back(unlisted.second.message());
  std::map<std::string, std::vector<std::string>> traces;
  for (std::size_t i = 0; i < found.paths.size(); ++i) {
    if (listener.IsStopped()) return Error(StatusCode::kCancelled, "stopped");
    listener.OnReading({.files_done = i, .files = found.paths.size()});
    const std::string& path = found.paths[i];
    const std::string head = HeadOfFile(path);
    if (post_training::KindOf(head) == post_training::Kind::kTrace) {
      traces[std::filesystem::path(path).parent_path().string()].push_back(path);
      continue;
    }
    const bool is_named = std::ranges::find(spec.paths, path) != spec.paths.end();
    const Status status =
        head.find('\0') == std::string::npos
            ? ReadOne(path, data)
            : Error(StatusCode::kNotFound, "{}: it is no text, and nothing of a post-training run",
                    path);
    if (status.ok()) continue;
    if (is_named) {
      listener.OnReadingDone();
      return status;
    }
    // Anything else may lie in a folder.
    if (status.code() != StatusCode::kNotFound) notices.push_back(status.message());
  }
  const Status status = ReadAllTraces(traces, data, listener);
  listener.OnReadingDone();
  RS_RETURN_IF_ERROR(status);
  if (data.sources.empty()) {
    if (!notices.empty()) return Error(StatusCode::kBadData, "{}", notices.front());
    if (!data.notes.empty()) return Error(StatusCode::kBadData, "{}", data.notes.front());
    return Error(
        StatusCode::kNotFound,
        "{}: nothing of a post-training run in {} file{}; rankscope post-training reads logs of "
        "veRL, TRL, OpenRLHF and torchforge, their rows as JSON, a record of phases and rollouts, "
        "and folders of traces, one a role",
        spec.paths.front(), found.paths.size(), found.paths.size() == 1 ? "" : "s");
  }
  for (std::string& notice : notices) {
    listener.OnNotice(notice);
    data.notes.push_back(std::move(notice));
  }
  return PostTrainingReport{.tables =
                                post_training::MakeTables(post_training::StudyOf(std::move(data)))};
}

}  // namespace rankscope::app
