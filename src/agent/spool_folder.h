// Where packed traces lie on their way to the server.
#pragma once

#include <string>

#include "base/status.h"

namespace rankscope::agent {

// A folder that only this user can look into: made with mode 0700, or there already and his, with
// no rights for others. kIo with a sentence otherwise: what somebody else made may hold links.
// `asked` empty: "spool" in the first STATE_DIRECTORY (systemd.exec(5)); without that
// /tmp/rankscope-spool-UID, or a new one where somebody else has that name.
Result<std::string> OwnSpoolFolder(const std::string& asked);

// Whether that would be given, without making anything. `asked` empty: it would.
Status CheckSpoolFolder(const std::string& asked);

}  // namespace rankscope::agent
