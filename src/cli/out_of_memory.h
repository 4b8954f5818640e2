// What is said when memory, or another thing that the system gives, ran out.
#pragma once

namespace rankscope::cli {

// Told behind the sentence from now on: what helps, such as "; more with --memory". A literal.
void HintAtMemory(const char* what_helps);

// The sentence on standard error, and the exit code for it. Takes no memory, which may be what is
// missing; what is half written goes.
int SayOutOfMemory(const char* what);

// For std::set_terminate: an exception that nobody could take, since it left a destructor or a
// thread of a library, ends the process with the sentence, where it says that memory is missing.
[[noreturn]] void EndForLackOfMemory();

}  // namespace rankscope::cli
