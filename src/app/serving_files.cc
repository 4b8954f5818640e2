#include "app/serving_files.h"

#include <sys/stat.h>

#include <algorithm>

#include "app/text_of_file.h"
#include "engine/discover.h"
#include "serving/inputs/read_file.h"

namespace rankscope::app {
namespace {

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

Result<ServingFiles> FindServingFiles(const std::vector<std::string>& paths, Listener& listener) {
  RS_ASSIGN_OR_RETURN(const FoundFiles found, FindFiles(paths));
  ServingFiles files;
  for (const auto& unlisted : found.unlisted) files.notices.push_back(unlisted.second.message());
  for (const std::string& path : found.paths) {
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
