#include "cli/traces/scrub.h"

#include <fmt/core.h>

#include <filesystem>
#include <set>

#include "app/traces/files.h"
#include "base/file.h"
#include "cli/arguments/durations.h"
#include "cli/base/messages.h"
#include "tools/scrub/scrub.h"

namespace rankscope::cli {
namespace {

namespace fs = std::filesystem;

struct TraceScrubArguments {
  std::vector<std::string> paths;
  std::string output;
  std::string key_file;
  std::string map;
  int jobs = 0;
};

Result<tools::SipKey> KeyOf(const TraceScrubArguments& arguments) {
  if (arguments.key_file.empty()) return tools::KeyOf({});
  RS_ASSIGN_OR_RETURN(const std::string secret, ReadFile(arguments.key_file));
  constexpr std::size_t kLeast = 16;
  if (secret.size() < kLeast)
    return Error(StatusCode::kInvalidArgument,
                 "{}: a key has {} bytes at least; make one: head -c 32 /dev/urandom > FILE",
                 arguments.key_file, kLeast);
  return tools::KeyOf(secret);
}

// Where each file goes: one to the output itself, several into it as a folder.
Result<std::vector<std::string>> TargetsOf(const std::vector<std::string>& paths,
                                           const TraceScrubArguments& arguments,
                                           const tools::SipKey& key, tools::ReplacementLog* log) {
  std::error_code error;
  const bool is_folder = paths.size() > 1 || fs::is_directory(arguments.output, error);
  if (!is_folder) return std::vector<std::string>{arguments.output};
  fs::create_directories(arguments.output, error);
  if (error)
    return Error(StatusCode::kIo, "{}: cannot make the folder: {}", arguments.output,
                 error.message());
  std::vector<std::string> targets;
  std::set<std::string> used;
  for (const std::string& path : paths) {
    const std::string name = tools::ScrubFileName(fs::path(path).filename().string(), key, log);
    std::string free = name;
    for (int i = 2; !used.insert(free).second; ++i) free = fmt::format("{}-{}", i, name);
    targets.push_back((fs::path(arguments.output) / free).string());
  }
  return targets;
}

Status RunTraceScrub(const TraceScrubArguments& arguments) {
  RS_ASSIGN_OR_RETURN(const std::vector<std::string> files, app::AllTraceFiles(arguments.paths));
  RS_ASSIGN_OR_RETURN(const tools::SipKey key, KeyOf(arguments));
  tools::ReplacementLog log;
  tools::ReplacementLog* const kept = arguments.map.empty() ? nullptr : &log;
  RS_ASSIGN_OR_RETURN(const std::vector<std::string> targets,
                      TargetsOf(files, arguments, key, kept));
  for (std::size_t i = 0; i < targets.size(); ++i) {
    RS_ASSIGN_OR_RETURN(
        const tools::ScrubReport report,
        tools::ScrubTrace(files[i], targets[i], key, kept, ThreadsFor(arguments.jobs)));
    for (const std::string& loss : report.losses) Tell(loss);
  }
  return kept == nullptr ? OkStatus() : WriteFileAtomically(arguments.map, log.Json());
}

}  // namespace

void AddTraceScrub(CommandSpec& trace) {
  CommandSpec& command = trace.AddCommand(
      "scrub", "replace all names that are not known to be public, to show traces to others");
  auto arguments = std::make_shared<TraceScrubArguments>();
  command.AddOption("PATH", arguments->paths, "trace files, folders or globs").Required();
  command
      .AddOption("-o,--output", arguments->output,
                 "the copy; of several files a folder, where their names are scrubbed, too")
      .Type(kFileType)
      .Required();
  command
      .AddOption("--key-file", arguments->key_file,
                 "16 bytes or more that decide by what a name is replaced (default: new ones "
                 "each time)")
      .Type(kFileType);
  command.AddOption("--map", arguments->map, "write what was replaced by what, for yourself")
      .Type(kFileType);
  command.AddOption("--jobs,-j", arguments->jobs, "threads to use (default: one per core)")
      .Range(1, 1024);
  command.Footer("Example:\n  rankscope trace scrub traces/ -o to_show/ --map replaced.json");
  command.SetRun(MakeAction([arguments] { return RunTraceScrub(*arguments); }));
}

}  // namespace rankscope::cli
