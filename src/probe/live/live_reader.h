// Sources of this machine: files of sysfs and procfs, libraries of makers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "probe/source/reading.h"

namespace rankscope::probe {

struct ReaderOptions {
  std::string root;  // stands before every path: "" but for tests
  // A command that runs ServeLibrary() (library/worker.h), in which libraries are loaded. {}: none
  // are.
  std::vector<std::string> worker;
  Clock clock = MonotonicNow;  // of timeouts
};
// Of this machine. Not for several threads; blocks for as long as the kernel's driver, or a
// library's timeout, does.
std::unique_ptr<SourceReader> OpenReader(ReaderOptions options);

}  // namespace rankscope::probe
