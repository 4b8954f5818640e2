#include "cli/base/messages.h"

#include <unistd.h>

#include <cerrno>
#include <string>

#include "table/terminal_text.h"

namespace rankscope::cli {

void WriteToStderr(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void Tell(std::string_view sentence) {
  WriteToStderr("rankscope: " + SafeForTerminal(sentence) + "\n");
}

}  // namespace rankscope::cli
