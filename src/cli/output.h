// Where a command's data goes: standard output, or a file.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"

namespace rankscope::cli {

// Takes data in parts. A regular file is written beside and renamed on Finish, so that nobody sees
// half of it; a link is followed to what it points to; what is no regular file (a device, a pipe)
// is written straight into, as standard output is.
class Output {
 public:
  // `path` "" is standard output.
  static Result<std::unique_ptr<Output>> Open(const std::string& path);
  virtual ~Output() = default;

  virtual Status Write(std::string_view data) = 0;
  // All data is where it belongs. Without it a regular file is left as it was.
  virtual Status Finish() = 0;
};

// The whole of it at once.
Status WriteOutput(const std::string& path, std::string_view data);

// What standard output is.
bool IsTerminal();
// Its columns; 0 (any width) when it is no terminal.
std::size_t TerminalWidth();
// --color: "always", "never", or "auto", which leaves it to the terminal.
void WishColour(std::string_view when);
// Whether what goes there has colour: as was wished, else on a terminal whose user has not set
// NO_COLOR.
bool TakesColour();

}  // namespace rankscope::cli
