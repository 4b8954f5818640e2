// The side of the helper that has no privileges: starts it and takes what it hands over.
#include <fcntl.h>
#include <linux/capability.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "snoop/helper.h"
#include "snoop/messages.h"

extern char** environ;

namespace rankscope::snoop {
namespace {

Result<pid_t> Spawn(const std::string& program, int socket) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  // Descriptor 3 in the helper, whatever it is here; what is 3 here was made to close there.
  posix_spawn_file_actions_adddup2(&actions, socket, 3);
  std::string name = program, word(kHelperWord);
  std::array<char*, 3> words = {name.data(), word.data(), nullptr};
  pid_t helper = 0;
  const int error = posix_spawn(&helper, program.c_str(), &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    return Error(StatusCode::kIo, "snoop's helper {} cannot be started: {}", program,
                 std::strerror(error));
  return helper;
}

Result<Attached> Talk(int socket, const HelperRequest& request) {
  if (!SendMessage(socket, ToBytes(request), {}))
    return Error(StatusCode::kIo, "snoop's helper takes no request: {}", std::strerror(errno));
  Attached attached;
  while (true) {
    RS_ASSIGN_OR_RETURN(Message message, ReceiveMessage(socket));
    if (message.text.starts_with("map ") && message.descriptors.size() == 1) {
      attached.maps[message.text.substr(4)] = std::move(message.descriptors[0]);
    } else if (message.text == "links") {
      for (Descriptor& one : message.descriptors) attached.links.push_back(std::move(one));
    } else if (message.text == "done") {
      return attached;
    } else {
      return Status(StatusCode::kIo, message.text);
    }
  }
}

}  // namespace

Result<Attached> AttachByHelper(const std::string& program, const HelperRequest& request) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return Error(StatusCode::kIo, "snoop's helper cannot be spoken to: {}", std::strerror(errno));
  const Descriptor here(ends[0]);
  Descriptor there(ends[1]);
  // dup2 to itself would leave it to be closed.
  if (there.number() == 3) there = Descriptor(fcntl(3, F_DUPFD_CLOEXEC, 4));
  RS_ASSIGN_OR_RETURN(const pid_t helper, Spawn(program, there.number()));
  there = Descriptor();
  Result<Attached> attached = Talk(here.number(), request);
  int status = 0;
  while (waitpid(helper, &status, 0) < 0 && errno == EINTR) {
  }
  return attached;
}

void DropPrivileges() {
  constexpr std::uint64_t kKept = (1ULL << CAP_SYS_PTRACE) | (1ULL << CAP_DAC_READ_SEARCH);
  __user_cap_header_struct head{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  __user_cap_data_struct data[2] = {};
  if (syscall(SYS_capget, &head, data) != 0) return;
  for (int half = 0; half < 2; ++half) {
    const auto kept = static_cast<std::uint32_t>(kKept >> (32 * half));
    data[half].permitted &= kept;
    data[half].effective &= kept;
    data[half].inheritable = 0;
  }
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  syscall(SYS_capset, &head, data);
}

}  // namespace rankscope::snoop
