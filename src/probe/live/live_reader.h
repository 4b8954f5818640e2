// Reads sources of this machine: files of sysfs and procfs, libraries of makers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "probe/library/client.h"
#include "probe/source/reading.h"

namespace rankscope::probe {

struct ReaderOptions {
  std::string root;  // prefix of every path; "" except in tests
  // A command that runs ServeLibrary() (library/worker.h); that process loads the libraries. {}:
  // no library is loaded.
  std::vector<std::string> worker;
  Clock clock = MonotonicNow;  // for timeouts
  Opening opening = Opening::kIsWaitedFor;
};
// For this machine. Not thread-safe. Blocks as long as the kernel's driver, or a library's timeout,
// takes.
std::unique_ptr<SourceReader> OpenReader(ReaderOptions options);

}  // namespace rankscope::probe
