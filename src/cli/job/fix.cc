#include <fmt/core.h>

#include "app/fix_job.h"
#include "base/shell_words.h"
#include "cli/base/command.h"
#include "cli/base/listener.h"
#include "cli/base/messages.h"
#include "cli/base/output.h"
#include "cli/base/several_runs.h"
#include "fix/output/json.h"
#include "fix/output/sarif.h"
#include "fix/output/unified_diff.h"

namespace rankscope::cli {
namespace {

struct FixCommandLine {
  JobArguments job;
  std::string source;
  std::string commit;
  std::vector<std::string> findings;
  bool apply = false;
  std::string format = "diff";
  std::string output;
};

std::string WriteFix(const app::SourceFix& made, const FixCommandLine& arguments) {
  if (arguments.format == "sarif") return fix::WriteSarif(made.patches, ProgramVersion());
  if (arguments.format == "json") return fix::WriteJson(made.patches, made.nothing);
  return fix::WriteDiff(made.patches);
}

// What is left to the user, and how to go on.
void TellLeft(const app::SourceFix& made) {
  for (const fix::Left& left : made.patches.left) Tell(fix::LeftWords(left));
  if (!made.nothing.empty()) Tell(made.nothing);
}

Status Apply(const app::SourceFix& made, const FixCommandLine& arguments) {
  RS_RETURN_IF_ERROR(app::ApplyFix(made, arguments.source));
  const std::size_t count = made.patches.files.size();
  const std::string files = count == 1 ? "1 file" : fmt::format("{} files", count);
  if (made.has_git)
    Tell(fmt::format("patched {} in {}; git -C {} diff shows it, git -C {} restore . undoes it",
                     files, arguments.source, arguments.source, arguments.source));
  else
    Tell(
        fmt::format("patched {} in {}; with what is printed in a file P, patch -R -p1 -d {} < P "
                    "undoes it",
                    files, arguments.source, arguments.source));
  return OkStatus();
}

Result<ExitCode> RunFix(const FixCommandLine& arguments) {
  if (arguments.apply && arguments.format != "diff")
    return Error(StatusCode::kInvalidArgument,
                 "--apply prints the diff that it makes: no --format");
  if (arguments.apply && !arguments.commit.empty())
    return Error(StatusCode::kInvalidArgument,
                 "--apply changes the files that are there: check the commit out first, or leave "
                 "--commit away");
  RS_ASSIGN_OR_RETURN(const app::JobSpec spec, arguments.job.Spec());
  TerminalListener listener;
  const Result<app::SourceFix> made =
      app::FixJob(spec, {arguments.source, arguments.commit}, arguments.findings,
                  arguments.apply ? app::FixUse::kApply : app::FixUse::kShow, listener);
  if (!made.ok() && !listener.runs().empty()) {
    TellRuns(listener.runs(), "rankscope fix --source " + ShellWord(arguments.source), "");
    return kCouldNot;
  }
  if (!made.ok()) return made.status();
  // First what undoes it, then the files.
  RS_RETURN_IF_ERROR(WriteOutput(arguments.output, WriteFix(*made, arguments)));
  TellLeft(*made);
  if (arguments.apply && !made->patches.files.empty()) RS_RETURN_IF_ERROR(Apply(*made, arguments));
  return kDone;
}

}  // namespace

void AddFix(CommandSpec& app) {
  CommandSpec& command =
      app.AddCommand("fix", "patch the program's code for findings that lines of code mend");
  auto arguments = std::make_shared<FixCommandLine>();
  arguments->job.AddTo(command);
  command
      .AddOption("--source", arguments->source,
                 "the program's Python code, or such code as push --source packs it")
      .Type(kFolderType)
      .Required();
  command.AddOption("--commit", arguments->commit,
                    "as git has it at this commit (default: as it lies there)");
  command
      .AddOption("--finding", arguments->findings,
                 "for this finding alone; repeatable (default: for all)")
      .Type(kFindingType)
      .OneEach();
  command.AddFlag("--apply", arguments->apply,
                  "change the files, too; refused where git has changes that are not committed");
  command
      .AddOption("--format", arguments->format,
                 "diff (for git apply and patch -p1), sarif (for code hosts) or json")
      .OneOf({"diff", "sarif", "json"})
      .ShowDefault();
  command.AddOption("-o,--output", arguments->output, "write to this file").Type(kFileType);
  command.Footer(
      "Example:\n  rankscope fix traces/ --source src/ > fix.patch\n"
      "Nothing is changed without --apply. What cannot be patched safely is told with file and "
      "line.");
  command.SetRun(MakeActionWithCode([arguments] { return RunFix(*arguments); }));
}

}  // namespace rankscope::cli
