// The forward pass of a step: the statements from the model's call to `backward`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fix/base/source_file.h"
#include "fix/program/loops.h"
#include "fix/python/syntax.h"

namespace rankscope::fix {

// A sequence of statements in one block without branches, returns or definitions.
struct Forward {
  std::string model;    // name of the called model
  Node first;           // the first statement that calls the model
  Node last;            // the last statement before `backward`
  Node backward;        // the statement with `backward`
  std::string why_not;  // why it cannot be moved, a sentence; "" if it can
};

// For a step's loop; `first` is missing if the loop does not call a known model by its name.
Forward ForwardOf(const SourceFile& file, const StepLoop& step);

}  // namespace rankscope::fix
