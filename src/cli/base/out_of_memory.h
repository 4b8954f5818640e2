// The message when memory, or another system resource, runs out.
#pragma once

namespace rankscope::cli {

// Sets a hint that follows the sentence, such as "; more with --memory". Must live as long as the
// process.
void HintAtMemory(const char* what_helps);

// Prints the sentence to standard error and returns the exit code. Allocates no memory, since
// memory may be what is missing. Removes half-written files.
int SayOutOfMemory(const char* what);

// For std::set_terminate: an exception that could not be caught, since it left a destructor or a
// thread of a library, ends the process with this sentence if memory ran out.
[[noreturn]] void EndForLackOfMemory();

}  // namespace rankscope::cli
