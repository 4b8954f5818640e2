// rankscope: finds out why an AI job is slow.
#include <unistd.h>

#include <csignal>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "cli/command.h"
#include "cli/default_command.h"

namespace {

// Ctrl-C: leave nothing half written, and end as a shell expects.
void OnInterrupt(int signal) {
  rankscope::RemoveUnfinishedFiles();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// A mapped trace lost pages because somebody cut the file while it was read.
void OnBusError(int) {
  constexpr std::string_view kSentence =
      "rankscope: a trace file became shorter while it was read; run again when it is complete\n";
  rankscope::RemoveUnfinishedFiles();
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kSentence.data(), kSentence.size());
  _exit(rankscope::cli::kCouldNot);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace rankscope::cli;
  std::signal(SIGINT, OnInterrupt);
  std::signal(SIGTERM, OnInterrupt);
  std::signal(SIGBUS, OnBusError);
  CLI::App app("rankscope finds out why an AI job is slow, from the traces of its ranks.",
               "rankscope");
  app.set_version_flag("--version", RANKSCOPE_VERSION);
  app.require_subcommand(1);
  app.footer("Example:\n  rankscope analyze traces/      or short:  rankscope traces/");
  Action action;
  AddAnalyze(app, action);
  AddTable(app, action);
  AddList(app, action);
  AddQuery(app, action);
  AddTrace(app, action);
  AddSimulate(app, action);
  AddCompletion(app, action);
  AddManual(app, action);
  const auto arguments = WithCommand(app, {argv + 1, argv + argc});
  if (!arguments.ok()) return Fail(arguments.status());
  // The last first, as CLI11 wants them.
  std::vector<std::string> reversed(arguments->rbegin(), arguments->rend());
  try {
    app.parse(reversed);
  } catch (const CLI::ParseError& error) {
    const bool asked_for_help = error.get_exit_code() == 0;
    app.exit(error);
    return asked_for_help ? kDone : kBadUsage;
  }
  try {
    return action();
  } catch (const std::exception& error) {
    return Fail(rankscope::Error(rankscope::StatusCode::kResource,
                                 "out of memory or another limit: {}", error.what()));
  }
}
