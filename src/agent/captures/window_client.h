// Asks the helper of snoop on this host (rankscope-agent snoop-service) for a window.
#pragma once

#include <functional>
#include <string>

#include "base/status.h"
#include "snoop_file/request.h"

namespace rankscope::agent {

// Blocks for the window and the time to read it. Returns the document as it is. kNotFound: no
// helper runs there; the sentence says what to enable. kInvalidArgument: the helper refuses, with
// its sentence. kCancelled: `stopped`, which is called several times a second, returned true. Also
// kIo and kResource.
Result<std::string> AskForWindow(const std::string& socket_path,
                                 const snoop_file::WindowRequest& request,
                                 const std::function<bool()>& stopped);

}  // namespace rankscope::agent
