// Loops of a training program.
#pragma once

#include <string>
#include <vector>

#include "fix/python/names.h"
#include "fix/python/syntax.h"

namespace rankscope::fix {

// A loop that goes through the training steps: the innermost around a call of `backward`.
struct StepLoop {
  Node loop;      // for_statement or while_statement
  Node body;      // its block
  Node backward;  // the first such call
};
std::vector<StepLoop> StepLoops(const Syntax& syntax);

// The outermost loop around a loop (itself, where it is that) in the same function or module.
Node OutermostLoop(const Node& loop);

// What a for_statement or for_in_clause goes through, below enumerate, tqdm and islice.
Node LoopSource(const Node& loop, const Names& names);
// `i` of `for i, x in enumerate(source)`; "" where it counts nothing.
std::string LoopIndex(const Node& loop);

// Whether a call of `backward` is somewhere inside.
bool Trains(const Node& node);

// Whether a node lies in a function that is defined inside of `outer`.
bool IsInInnerFunction(const Node& node, const Node& outer);

// All identifiers inside of `node` with that name.
std::vector<Node> UsesOf(std::string_view name, const Node& node);
// Whether an identifier is given a value by `=` or `+=` and its like, alone or as one of several.
bool IsTarget(const Node& identifier);

}  // namespace rankscope::fix
