// The one part of snoop that needs privileges, in a process of its own: it loads the BPF programs,
// attaches them, hands descriptors of maps and links over, and ends. The rest reads maps that it
// was given. What it needs: CAP_BPF and CAP_PERFMON (or CAP_SYS_ADMIN), from Linux 5.15 on.
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

// The word by which the agent's program becomes the helper; its socket is descriptor 3.
inline constexpr std::string_view kHelperWord = "snoop-helper";

// What the helper hands over: maps by their names in bpf/, and links, which hold the probes: they
// end with them.
struct Attached {
  std::map<std::string, Descriptor, std::less<>> maps;
  std::vector<Descriptor> links;

  // -1: there is none.
  int Map(std::string_view name) const {
    const auto found = maps.find(name);
    return found == maps.end() ? -1 : found->second.number();
  }
};

// Starts `program` as the helper, and waits for it to end. kIo: what the kernel did not permit, in
// one sentence that says what to do.
Result<Attached> AttachByHelper(const std::string& program, const HelperRequest& request);

// The helper's main function: the exit code of the process.
int ServeHelper(int socket);

// From here on this process has no privilege but those to read another's memory and files. Of all
// threads that are begun later.
void DropPrivileges();

}  // namespace rankscope::snoop
