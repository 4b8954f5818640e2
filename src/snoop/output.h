// Output of snoop commands, and helpers that these commands share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "snoop/descriptor.h"

namespace rankscope::snoop {

inline constexpr int kDone = 0;
inline constexpr int kCouldNot = 1;
inline constexpr int kBadUsage = 2;

// "1.250 s".
std::string SecondsText(std::int64_t ns);

class Output {
 public:
  // Opened before the window: afterwards the privilege is gone, and an error would waste the
  // window. An empty path: standard output. kIo.
  static Result<Output> Open(const std::string& path);
  Status Write(std::string_view text) const;

 private:
  std::string name_ = "the standard output";
  Descriptor file_;  // of the path
};

// Blocks SIGINT and SIGTERM, which are waited for together with the probes.
void BlockEndSignals();
// Prints a line to standard error.
void Say(std::string_view sentence);
int Fail(std::string_view message, int code);

}  // namespace rankscope::snoop
