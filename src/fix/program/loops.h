// Loops of a training program.
#pragma once

#include <string>
#include <vector>

#include "fix/python/names.h"
#include "fix/python/syntax.h"

namespace rankscope::fix {

// The loop over the training steps: the innermost one around a call of `backward`.
struct StepLoop {
  Node loop;      // for_statement or while_statement
  Node body;      // its block
  Node backward;  // the first such call
};
std::vector<StepLoop> StepLoops(const Syntax& syntax);

// The outermost loop around a loop (possibly itself) in the same function or module.
Node OutermostLoop(const Node& loop);

// What a for_statement or for_in_clause iterates over, inside enumerate, tqdm and islice.
Node LoopSource(const Node& loop, const Names& names);
// `i` of `for i, x in enumerate(source)`; "" if nothing is counted.
std::string LoopIndex(const Node& loop);

// Whether it contains a call of `backward`.
bool Trains(const Node& node);

// Whether a node is inside a function that is defined inside `outer`.
bool IsInInnerFunction(const Node& node, const Node& outer);

// All identifiers inside of `node` with that name.
std::vector<Node> UsesOf(std::string_view name, const Node& node);
// Whether an identifier gets a value by `=`, `+=` or similar, alone or as one of several targets.
bool IsTarget(const Node& identifier);

}  // namespace rankscope::fix
