// rankscope: finds out why an AI job is slow.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/keep_freed_memory.h"
#include "base/parallel.h"
#include "cli/base/command.h"
#include "cli/base/messages.h"
#include "cli/base/out_of_memory.h"
#include "cli/base/output.h"
#include "cli/default_command.h"
#include "cli/parse.h"
#include "cli/program.h"

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

int Run(int argc, char** argv) {
  using namespace rankscope::cli;
  rankscope::CommandSpec program(
      "rankscope", "rankscope finds out why an AI job is slow, from the traces of its ranks.");
  program.Footer(
      "Example:\n  rankscope analyze traces/      or short:  rankscope traces/\n"
      "rankscope help COMMAND says what a command takes.");
  program
      .AddOption(
          "--color", [](const std::string& when) { WishColour(when); },
          "auto (on a terminal, unless NO_COLOR is set), always or never; before or behind a "
          "command")
      .OneOf({"auto", "always", "never"});
  DeclareCommands(program);
  const auto arguments = WithCommand(program, {argv + 1, argv + argc});
  if (!arguments.ok()) return Fail(arguments.status());
  // A server lives long, and gives back what it needs no longer.
  const bool is_server = !arguments->empty() && arguments->front() == "serve";
  if (is_server) {
    rankscope::ReturnFreedMemory();
  } else {
    rankscope::KeepFreedMemory();
    std::set_terminate(EndForLackOfMemory);
  }
  rankscope::ShareArenasInLittleSpace();
  return RunCommandLine(program, *arguments);
}

}  // namespace

int main(int argc, char** argv) {
  KeepStandardStreams();
  std::signal(SIGPIPE, SIG_IGN);  // cli/base/output.h decides
  std::signal(SIGINT, OnInterrupt);
  std::signal(SIGTERM, OnInterrupt);
  std::signal(SIGBUS, OnBusError);
  // Made now: later there may be no memory for it.
  static const std::string hint = rankscope::AddressSpaceHint();
  rankscope::cli::HintAtMemory(hint.c_str());
  try {
    return Run(argc, argv);
  } catch (const std::exception& error) {
    return rankscope::cli::SayOutOfMemory(error.what());
  }
}
