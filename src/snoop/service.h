// Service: the helper of snoop on a host, a process with its own privileges (a systemd unit), so
// that the agent's daemon needs none. The kernel identifies who asks (SO_PEERCRED): only one user,
// and root, may. Requests are narrow (snoop_file/request.h) and only concern processes that use an
// accelerator. Every window is a new process of this program, as `snoop` or `offcpu`, which writes
// its document into the connection.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "snoop_file/request.h"

namespace rankscope::snoop {

struct ServiceOptions {
  std::string socket{snoop_file::kServiceSocket};
  std::string user = "rankscope-agent";  // user who may send requests; root may, too
  std::vector<std::string> of_users;     // owners of the allowed processes; empty: any user
};

// Runs until SIGINT or SIGTERM, which the caller must have blocked, then ends the running windows.
// Up to kMostWindows at a time, one thread each. kIo: the socket cannot be created.
inline constexpr int kMostWindows = 16;
Status Serve(const ServiceOptions& options);

// The uid for a user name, or for a number as text; nullopt: no such user (yet).
std::optional<uid_t> UserOf(const std::string& name);
// Whether that user may send requests. A user unknown on this host may not.
bool MayAsk(uid_t uid, const std::string& user);
// Why the process must not be inspected, a sentence; "" if it may: it exists, has mapped one of the
// libraries that snoop knows, and belongs to one of `of_users`.
std::string WhyNot(pid_t pid, const std::vector<std::string>& of_users);
// The arguments after the program's name that run the window.
std::vector<std::string> WordsFor(const snoop_file::WindowRequest& request);

}  // namespace rankscope::snoop
