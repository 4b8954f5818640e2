// What editors offer to complete in a specification.
#pragma once

#include <string>

#include "probe/syntax/tree.h"

namespace rankscope::probe {

// JSON: {"words": [{"word": "delta", "kind": "function", "form": "delta(x, wrap=)", "about":
// ...}]}. Of the language, its units and standard metrics; and the names of the file's classes
// (kind "name"), where a file is given. While it is written, a file is rarely correct: what can be
// parsed counts.
std::string WordsJson(const SyntaxTree* file);

}  // namespace rankscope::probe
