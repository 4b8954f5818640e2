#include <fmt/core.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

#include "cli/base/command.h"
#include "cli/base/interrupt.h"
#include "cli/base/listener.h"
#include "cli/base/messages.h"
#include "cli/base/own_program.h"
#include "shards/run_shard.h"

namespace rankscope::cli {
namespace {

struct ShardArguments {
  std::string folder;
  std::string shard;
  std::vector<std::string> files;  // of a child
};

// The number that was given, else what Slurm and Kubernetes say to a task.
Result<std::size_t> ShardOf(const ShardArguments& arguments) {
  std::string text = arguments.shard;
  for (const char* variable : {"SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"}) {
    const char* value = std::getenv(variable);
    if (text.empty() && value != nullptr) text = value;
  }
  const bool is_number =
      !text.empty() && text.size() < 9 && text.find_first_not_of("0123456789") == std::string::npos;
  if (!is_number)
    return Error(StatusCode::kInvalidArgument,
                 "shard: the number of a shard is missing: rankscope shard FOLDER 0, or "
                 "$SLURM_ARRAY_TASK_ID, or $JOB_COMPLETION_INDEX");
  return static_cast<std::size_t>(std::atoll(text.c_str()));
}

Result<int> RunShardCommand(const ShardArguments& arguments) {
  if (!arguments.files.empty()) {
    TerminalListener listener;
    RS_RETURN_IF_ERROR(shards::ReadIntoCache(arguments.folder, arguments.files, listener));
    return static_cast<int>(shards::ShardEnd::kDone);
  }
  RS_ASSIGN_OR_RETURN(const std::size_t shard, ShardOf(arguments));
  RS_ASSIGN_OR_RETURN(const std::string program, OwnProgram());
  std::error_code error;
  const std::string folder = std::filesystem::absolute(arguments.folder, error).string();
  if (error) return Error(StatusCode::kIo, "{}: {}", arguments.folder, error.message());
  const InterruptFlag interrupted;
  RS_ASSIGN_OR_RETURN(
      const shards::ShardEnd end,
      shards::RunShard({.folder = folder,
                        .shard = shard,
                        .child =
                            [&](const std::vector<std::string>& files) {
                              std::vector<std::string> words = {program, "shard", folder};
                              for (const std::string& file : files)
                                words.insert(words.end(), {"--read", file});
                              return words;
                            },
                        .is_stopped = [&] { return interrupted.IsSet(); },
                        .tell = [](const std::string& sentence) { Tell(sentence); }}));
  if (end == shards::ShardEnd::kBadInput)
    Tell(fmt::format("shard {}: no file of it is a trace", shard));
  return static_cast<int>(end);
}

}  // namespace

void AddShard(CommandSpec& app) {
  CommandSpec& command =
      app.AddCommand("shard", "read one part of a job that analyze --runner has divided");
  auto arguments = std::make_shared<ShardArguments>();
  command.AddOption("FOLDER", arguments->folder, "of the job's shards")
      .Type(kFolderType)
      .Required();
  command.AddOption("NUMBER", arguments->shard,
                    "of the shard (default: $SLURM_ARRAY_TASK_ID, else $JOB_COMPLETION_INDEX)");
  command
      .AddOption("--read", arguments->files,
                 "read this file, or folder, alone, in this process; repeatable")
      .Type(kFileType)
      .OneEach();
  command.Footer(
      "Example:\n  rankscope shard /shared/job/shards 3\n"
      "Exit code 0: done, or done before; 64: no file of it is a trace; 75: try again.");
  command.SetRun([arguments] {
    const Result<int> code = RunShardCommand(*arguments);
    return code.ok() ? *code : Fail(code.status());
  });
}

}  // namespace rankscope::cli
