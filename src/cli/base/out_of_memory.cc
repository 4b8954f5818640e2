#include "cli/base/out_of_memory.h"

#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <new>

#include "base/file.h"
#include "cli/base/command.h"
#include "cli/base/messages.h"

namespace rankscope::cli {
namespace {

const char* hint = "";

}  // namespace

void HintAtMemory(const char* what_helps) { hint = what_helps; }

int SayOutOfMemory(const char* what) {
  RemoveUnfinishedFiles();
  for (const char* part : {"rankscope: out of memory or another limit: ", what, hint, "\n"})
    WriteToStderr(part);
  return kCouldNot;
}

void EndForLackOfMemory() {
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc& error) {
    _exit(SayOutOfMemory(error.what()));
  } catch (...) {  // NOLINT(bugprone-empty-catch): a defect, which is not hidden
  }
  std::abort();
}

}  // namespace rankscope::cli
