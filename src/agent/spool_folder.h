// The folder of packed traces on their way to the server.
#pragma once

#include <string>

#include "base/status.h"

namespace rankscope::agent {

// A folder that only this user can read: made with mode 0700, or an existing one of this user
// without rights for others. kIo with a sentence otherwise: a folder made by somebody else may hold
// links. `asked` empty: "spool" in the first STATE_DIRECTORY (systemd.exec(5)); without that
// /tmp/rankscope-spool-UID, or a new one if somebody else has that name.
Result<std::string> OwnSpoolFolder(const std::string& asked);

// Whether that would succeed, without making anything. `asked` empty: it would.
Status CheckSpoolFolder(const std::string& asked);

}  // namespace rankscope::agent
