// The only part of snoop that needs privileges, in a process of its own. It loads the BPF programs,
// attaches them, passes on descriptors of maps and links, and ends. The rest only reads the maps
// that it got. It needs CAP_BPF and CAP_PERFMON (or CAP_SYS_ADMIN), and Linux 5.15 or later.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "snoop/descriptor.h"
#include "snoop/messages.h"

namespace rankscope::snoop {

// The argument that turns the agent's program into the helper; its socket is descriptor 3.
inline constexpr std::string_view kHelperWord = "snoop-helper";

// The helper's result: maps by their names in bpf/, and links. The links keep the probes attached;
// the probes end when the links are closed.
struct Attached {
  std::map<std::string, Descriptor, std::less<>> maps;
  std::vector<Descriptor> links;

  // -1: no such map.
  int Map(std::string_view name) const {
    const auto found = maps.find(name);
    return found == maps.end() ? -1 : found->second.number();
  }
};

// Starts `program` as the helper, and waits for it to end. kIo: the kernel refused something; one
// sentence says what to do.
Result<Attached> AttachByHelper(const std::string& program, const HelperRequest& request);

// The helper's main function; returns the exit code.
int ServeHelper(int socket);

// Drops all privileges of this process except those to read another process's memory and files.
// Also holds for all threads that are started later.
void DropPrivileges();

}  // namespace rankscope::snoop
