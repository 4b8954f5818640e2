// Asks the helper of snoop on this host (rankscope-agent snoop-service) for a window.
#pragma once

#include <functional>
#include <string>

#include "base/status.h"
#include "snoop_file/request.h"

namespace rankscope::agent {

// Blocks for the window and what reading it takes. The document, as it is. kNotFound: no helper
// runs there, in a sentence that says what to enable; kInvalidArgument: it refuses, with its
// sentence; kCancelled: `stopped` says so, which is asked several times a second; kIo, kResource.
Result<std::string> AskForWindow(const std::string& socket_path,
                                 const snoop_file::WindowRequest& request,
                                 const std::function<bool()>& stopped);

}  // namespace rankscope::agent
