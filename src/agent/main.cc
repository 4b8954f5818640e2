// rankscope-agent: the daemon of a host.
#include <CLI/CLI.hpp>

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <iostream>
#include <mutex>
#include <sstream>

#include "agent/agent.h"
#include "agent/base/now.h"
#include "agent/try_config.h"
#include "probe/library/worker.h"
#include "snoop/command.h"
#include "snoop/helper.h"

namespace rankscope::agent {
namespace {

constexpr int kDone = 0;
constexpr int kCouldNot = 1;
constexpr int kBadUsage = 2;

// A line each, with its time: to the journal, or whoever started it.
void Say(std::string_view sentence) {
  static std::mutex mutex;
  std::string line;
  // What comes from outside may have anything in it.
  for (const char c : sentence) line += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  const std::scoped_lock lock(mutex);
  fmt::print(stderr, "{} {}\n", UtcText(NowOfHost().unix_ms()), line);
}

int Fail(const Status& status) {
  fmt::print(stderr, "rankscope-agent: {}\n", status.message());
  return status.code() == StatusCode::kInvalidArgument ? kBadUsage : kCouldNot;
}

// Traces on their way and folders that are looked into are open: what is usual is 1,024.
void AllowManyFiles() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

int Run(const AgentConfig& config) {
  AllowManyFiles();
  // Signals are waited for by this thread alone.
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  const Result<std::unique_ptr<Agent>> agent = Agent::Start(config, RANKSCOPE_VERSION, Say);
  if (!agent.ok()) return Fail(agent.status());
  fmt::print("{}\n", (*agent)->AddressesJson());
  std::fflush(stdout);
  int signal = 0;
  sigwait(&ends, &signal);
  Say("ends");
  // A driver that hangs is waited for no longer than that.
  constexpr unsigned kPatienceS = 5;
  std::signal(SIGALRM, [](int) { _exit(kDone); });
  alarm(kPatienceS);
  return kDone;
}

// All that is wrong, a line each.
int Check(const AgentConfig& config, const std::vector<Status>& wrong) {
  std::vector<std::string> problems;
  problems.reserve(wrong.size());
  for (const Status& one : wrong) problems.push_back(one.message());
  for (const Status& one : ProblemsOf(config)) problems.push_back(one.message());
  const ConfigTrial trial = TryConfig(config);
  problems.insert(problems.end(), trial.problems.begin(), trial.problems.end());
  for (const std::string& problem : problems) fmt::print(stderr, "rankscope-agent: {}\n", problem);
  for (const std::string& note : trial.notes) fmt::print("{}\n", note);
  if (!problems.empty()) return kBadUsage;
  fmt::print("the settings make sense, and work on this host\n");
  return kDone;
}

int Main(int count, char** words) {
  CLI::App app(
      "The daemon of a host: profiles running PyTorch processes, reads telemetry, and brings "
      "traces to the server.",
      "rankscope-agent");
  app.set_version_flag("--version", std::string("rankscope-agent ") + RANKSCOPE_VERSION);
  std::string file;
  bool check = false;
  app.add_option("--config", file, "the settings, a TOML file")->type_name("FILE");
  app.add_flag("--check-config", check,
               "only look whether the settings make sense and work on this host: addresses, files, "
               "folders, names of metrics; all that is wrong is told");
  std::vector<std::vector<std::string>> texts(Settings().size());
  for (std::size_t i = 0; i < Settings().size(); ++i) {
    const Setting& setting = Settings()[i];
    CLI::Option* const option =
        app.add_option("--" + std::string(setting.key), texts[i], std::string(setting.doc))
            ->type_name("VALUE")
            ->allow_extra_args(false);
    // A list is given one by one: --triggers.rules A --triggers.rules B.
    if (!IsList(setting)) option->expected(1);
  }
  app.footer(
      "Example:\n  rankscope-agent --config /etc/rankscope/agent.toml\n\n"
      "Commands, which say their options with --help:\n"
      "  rankscope-agent snoop --pid N   what a running process allocates, launches and waits for\n"
      "  rankscope-agent offcpu --pid N  where its threads wait while they do not run\n"
      "  rankscope-agent snoop-service   both for this daemon, which has no privileges for that");
  try {
    app.parse(count, words);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kBadUsage;
  }
  AgentConfig config;
  std::vector<Status> wrong;
  if (!file.empty()) wrong = ReadConfigFile(file, config);
  for (std::size_t i = 0; i < Settings().size(); ++i) {
    const std::string key(Settings()[i].key);
    if (app.count("--" + key) == 0) continue;
    const Status set = SetValues(key, texts[i], config);
    if (!set.ok()) wrong.push_back(set);
  }
  if (check) return Check(config, wrong);
  if (!wrong.empty()) return Fail(wrong.front());
  const Status checked = CheckConfig(config);
  if (!checked.ok()) return Fail(checked);
  return Run(config);
}

}  // namespace
}  // namespace rankscope::agent

int main(int count, char** words) {
  if (count == 2 && words[1] == rankscope::agent::kProbeWorker)
    return rankscope::probe::ServeLibrary();
  if (count == 2 && words[1] == rankscope::snoop::kHelperWord)
    return rankscope::snoop::ServeHelper(3);
  if (count >= 2 && words[1] == std::string_view("snoop"))
    return rankscope::snoop::SnoopCommand(count, words);
  if (count >= 2 && words[1] == std::string_view("offcpu"))
    return rankscope::snoop::OffCpuCommand(count, words);
  if (count >= 2 && words[1] == std::string_view("snoop-service"))
    return rankscope::snoop::ServiceCommand(count, words);
  return rankscope::agent::Main(count, words);
}
