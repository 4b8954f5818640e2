#include "snoop/document.h"

namespace rankscope::snoop {

snoop_file::Stack StackOf(const Frames& frames) {
  snoop_file::Stack stack;
  stack.reserve(frames.size());
  for (const StackFrame& frame : frames)
    stack.push_back(
        {.function = frame.function,
         .file = frame.file,
         .line = frame.line > 0 ? std::optional<std::int64_t>(frame.line) : std::nullopt,
         .language = frame.is_python ? "python" : "native"});
  return stack;
}

}  // namespace rankscope::snoop
