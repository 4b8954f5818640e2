// The command line `rankscope-agent snoop-service`.
#include <CLI/CLI.hpp>

#include "snoop/command.h"
#include "snoop/output.h"
#include "snoop/service.h"

namespace rankscope::snoop {

int ServiceCommand(int count, char** words) {
  ServiceOptions options;
  CLI::App app(
      "The helper of snoop on a host: makes windows of snoop and offcpu for the agent's daemon, "
      "which has no privileges for that. It needs root, or CAP_BPF, CAP_PERFMON, CAP_SYS_PTRACE "
      "and "
      "CAP_DAC_READ_SEARCH.",
      "rankscope-agent snoop-service");
  app.add_option("--socket", options.socket, "where it is asked (/run/rankscope-snoop/socket)")
      ->type_name("PATH");
  app.add_option("--user", options.user,
                 "who may ask beside root, a name or a number (rankscope-agent)")
      ->type_name("USER");
  app.add_option(
         "--of-users", options.of_users,
         "whose processes are looked at, with a comma between them; without, anybody's that "
         "use an accelerator")
      ->delimiter(',')
      ->type_name("USER");
  app.footer("Example:\n  rankscope-agent snoop-service --of-users train,1002");
  try {
    app.parse(count - 1, words + 1);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kBadUsage;
  }
  for (const std::string& user : options.of_users) {
    if (!UserOf(user)) return Fail("--of-users: there is no user '" + user + "'", kBadUsage);
  }
  BlockEndSignals();
  const Status served = Serve(options);
  return served.ok() ? kDone : Fail(served.message(), kCouldNot);
}

}  // namespace rankscope::snoop
