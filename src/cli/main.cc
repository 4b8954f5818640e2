// rankscope: finds out why an AI job is slow.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "cli/command.h"
#include "cli/default_command.h"
#include "cli/messages.h"
#include "cli/output.h"
#include "table/terminal_text.h"

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

// A standard stream that its user closed is not lent to the next file that is opened. Reading
// nothing and failing to write is what the program then meets, as it would of a closed one.
void KeepStandardStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) != -1) continue;
    // The lowest that is free: this one.
    if (open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) != stream)
      _exit(rankscope::cli::kCouldNot);
  }
}

// What CLI11 has to say: help, the version, or what is wrong with the command line.
int AnswerOf(const CLI::App& app, const CLI::ParseError& error) {
  using namespace rankscope;
  std::ostringstream asked;
  std::ostringstream wrong;
  const bool is_wrong = app.exit(error, asked, wrong) != 0;
  std::istringstream lines(wrong.str());
  for (std::string line; std::getline(lines, line);)
    cli::WriteToStderr(SafeForTerminal(line) + "\n");
  if (is_wrong) return cli::kBadUsage;
  const Status written = cli::WriteOutput("", asked.str());
  return written.ok() ? cli::kDone : cli::Fail(written);
}

int Run(int argc, char** argv) {
  using namespace rankscope::cli;
  CLI::App app("rankscope finds out why an AI job is slow, from the traces of its ranks.",
               "rankscope");
  app.set_version_flag("--version", ProgramVersion());
  app.require_subcommand(1);
  app.footer("Example:\n  rankscope analyze traces/      or short:  rankscope traces/");
  Action action;
  AddAnalyze(app, action);
  AddTable(app, action);
  AddList(app, action);
  AddQuery(app, action);
  AddExplain(app, action);
  AddDiff(app, action);
  AddMemory(app, action);
  AddHang(app, action);
  AddStore(app, action);
  AddServe(app, action);
  AddPush(app, action);
  AddCapture(app, action);
  AddCerts(app, action);
  AddToken(app, action);
  AddWhatIf(app, action);
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
    return AnswerOf(app, error);
  }
  return action();
}

// Allocates nothing: memory may be what is missing.
int FailOf(const std::exception& error) {
  rankscope::RemoveUnfinishedFiles();
  rankscope::cli::WriteToStderr("rankscope: out of memory or another limit: ");
  rankscope::cli::WriteToStderr(error.what());
  rankscope::cli::WriteToStderr("\n");
  return rankscope::cli::kCouldNot;
}

}  // namespace

int main(int argc, char** argv) {
  KeepStandardStreams();
  std::signal(SIGPIPE, SIG_IGN);  // cli/output.h decides
  std::signal(SIGINT, OnInterrupt);
  std::signal(SIGTERM, OnInterrupt);
  std::signal(SIGBUS, OnBusError);
  try {
    return Run(argc, argv);
  } catch (const std::exception& error) {
    return FailOf(error);
  }
}
