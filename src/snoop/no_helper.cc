// In the place of the helper, where the build had no compiler for BPF.
#include "snoop/helper.h"
#include "snoop/messages.h"

namespace rankscope::snoop {

int ServeHelper(int socket) {
  SendMessage(
      socket,
      "this build of rankscope-agent has no BPF programs, which snoop needs: build it where "
      "clang, libbpf-dev and libelf-dev are installed, for x86-64",
      {});
  return 1;
}

}  // namespace rankscope::snoop
