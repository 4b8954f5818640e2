// The destination of a command's data: standard output, or a file.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"

namespace rankscope::cli {

// Takes data in parts. A regular file is written beside its name and renamed on Finish, so that
// partial output is never visible. A link is followed. Anything else (a device, a pipe) is written
// directly, like standard output.
class Output {
 public:
  // An empty `path` or "-" is standard output.
  static Result<std::unique_ptr<Output>> Open(const std::string& path);
  virtual ~Output() = default;

  virtual Status Write(std::string_view data) = 0;
  // Completes the output. Without Finish a regular file stays as it was.
  virtual Status Finish() = 0;
};

// Writes everything at once.
Status WriteOutput(const std::string& path, std::string_view data);

// Whether standard output is a terminal.
bool IsTerminal();
// Its columns; 0 (any width) if it is not a terminal.
std::size_t TerminalWidth();
// --color: "always", "never", or "auto", which decides by the terminal.
void WishColour(std::string_view when);
// Whether standard output gets colour: by the option, otherwise on a terminal unless NO_COLOR is
// set.
bool TakesColour();

}  // namespace rankscope::cli
