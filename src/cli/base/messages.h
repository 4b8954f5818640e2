// Messages to the user on standard error. Nothing here fails: a message that cannot be written
// (standard error is closed, its disk is full) is lost, and the work continues.
#pragma once

#include <string_view>

namespace rankscope::cli {

// "rankscope: <sentence>". Sentences may contain names of files and events, so control bytes are
// escaped before they reach the terminal.
void Tell(std::string_view sentence);

// Unchanged, including terminal controls; only for texts that the program itself made.
void WriteToStderr(std::string_view text);

}  // namespace rankscope::cli
