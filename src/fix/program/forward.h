// The forward pass of a step: the statements from the model's call to `backward`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fix/base/source_file.h"
#include "fix/program/loops.h"
#include "fix/python/syntax.h"

namespace rankscope::fix {

// A plain run of statements of one block: nothing in it branches, returns or defines.
struct Forward {
  std::string model;    // the name that is called
  Node first;           // calls the model, the first that does
  Node last;            // the last before `backward`
  Node backward;        // the statement of `backward`
  std::string why_not;  // why it is none that can be moved, as a sentence; "" where it can
};

// Of a step's loop; `first` is missing where the loop does not call a known model by its name.
Forward ForwardOf(const SourceFile& file, const StepLoop& step);

}  // namespace rankscope::fix
