#include "app/serving_files.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <string_view>

#include "app/text_of_file.h"
#include "engine/discover.h"
#include "serving/inputs/read_file.h"

namespace rankscope::app {
namespace {

constexpr std::string_view kTuning = "tune.json";

serving::Ns ModifiedAt(const std::string& path) {
  struct stat about {};
  if (stat(path.c_str(), &about) != 0) return std::nullopt;
  return about.st_mtim.tv_sec * std::int64_t{1'000'000'000} + about.st_mtim.tv_nsec;
}

Status ReadText(const std::string& path, const std::string& head, serving::Collection& to) {
  if (head.find('\0') != std::string::npos)
    return Error(StatusCode::kNotFound, "{}: it is no text, and nothing of a serving program",
                 path);
  RS_ASSIGN_OR_RETURN(const UnpackedText file, TextOfFile(path));
  return serving::ReadServingFile(
      {.path = path, .text = file.text, .modified = ModifiedAt(path), .problem = file.problem}, to);
}

bool IsRecording(const std::string& path) {
  serving::Collection scratch;
  bool is_trace = false;
  return ReadServingFile(path, scratch, is_trace).ok() && !is_trace;
}

}  // namespace

Status ReadServingFile(const std::string& path, serving::Collection& to, bool& is_trace) {
  const std::string head = HeadOfFile(path);
  is_trace = serving::KindOf(head) == serving::Kind::kTrace;
  return is_trace ? OkStatus() : ReadText(path, head, to);
}

std::vector<std::string> WithoutTrials(std::vector<std::string> paths,
                                       std::vector<std::string>& notices) {
  std::vector<std::string> folders;
  for (const std::string& path : paths) {
    if ((path == kTuning || path.ends_with("/" + std::string(kTuning))) &&
        serving::KindOf(HeadOfFile(path)) == serving::Kind::kTuning)
      folders.push_back(path.substr(0, path.size() - kTuning.size()));
  }
  for (const std::string& folder : folders) {
    const std::size_t left_out = std::erase_if(paths, [&](const std::string& path) {
      return path.starts_with(folder + "trials/") || path.starts_with(folder + "confirm/");
    });
    std::erase(paths, folder + "lock");
    if (left_out > 0)
      notices.push_back(fmt::format(
          "{}{}: {} file{} of its trials are left out, as each is of other settings; name the "
          "folder of one to see it",
          folder, kTuning, left_out, left_out == 1 ? "" : "s"));
  }
  return paths;
}

Result<ServingFiles> FindServingFiles(const std::vector<std::string>& paths, Listener& listener) {
  RS_ASSIGN_OR_RETURN(const FoundFiles found, FindFiles(paths));
  ServingFiles files;
  for (const auto& unlisted : found.unlisted) files.notices.push_back(unlisted.second.message());
  for (const std::string& path : WithoutTrials(found.paths, files.notices)) {
    if (listener.IsStopped()) return Error(StatusCode::kCancelled, "stopped");
    // Of its own: many files hold more than one.
    serving::Collection scratch;
    bool is_trace = false;
    const Status status = ReadServingFile(path, scratch, is_trace);
    if (is_trace) {
      files.traces.push_back(path);
    } else if (status.ok()) {
      files.recordings.push_back(path);
    } else if (status.code() != StatusCode::kNotFound) {
      files.notices.push_back(status.message());
    }
  }
  return files;
}

bool IsServing(const std::vector<std::string>& paths, Listener& listener) {
  // What ends as a trace may be spans or a benchmark's result.
  if (const auto traces = FindTraceFiles(paths); traces.ok()) {
    if (!std::ranges::all_of(traces->paths, IsRecording)) return false;
  }
  const auto files = FindServingFiles(paths, listener);
  return files.ok() && files->traces.empty() && !files->recordings.empty();
}

}  // namespace rankscope::app
