// Service: the helper of snoop on a host, a process with privileges of its own (a systemd unit), so
// that the agent's daemon has none of them. Who may ask is the kernel's word (SO_PEERCRED): one
// user, and root. What can be asked is narrow (snoop_file/request.h), of processes that use an
// accelerator, and every window is this program once more, as `snoop` or `offcpu`, which writes its
// document into the connection.
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
  std::string user = "rankscope-agent";  // who may ask, a name or a number; root may, too
  std::vector<std::string> of_users;     // whose processes are looked at; empty: anybody's
};

// Until SIGINT or SIGTERM, which are to be blocked; ends the windows that run. Up to kMostWindows
// at a time, a thread each. kIo: the socket cannot be made.
inline constexpr int kMostWindows = 16;
Status Serve(const ServiceOptions& options);

// The number of a user by his name, or of a number as text; nullopt: there is none (yet).
std::optional<uid_t> UserOf(const std::string& name);
// Whether that user may ask. A user who is not known here may not.
bool MayAsk(uid_t uid, const std::string& user);
// Why the process may not be looked at, a sentence; "" when it may: it is there, has mapped one of
// the libraries that snoop knows, and belongs to one of `of_users`.
std::string WhyNot(pid_t pid, const std::vector<std::string>& of_users);
// The words behind the program's name that make the window.
std::vector<std::string> WordsFor(const snoop_file::WindowRequest& request);

}  // namespace rankscope::snoop
