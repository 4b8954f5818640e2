// What the program tells its user on standard error. Nothing here fails: a message that cannot be
// written (standard error is closed, its disk is full) is lost, and the work goes on.
#pragma once

#include <string_view>

namespace rankscope::cli {

// "rankscope: <sentence>". Sentences hold names of files and events, so that no byte of them
// reaches the terminal as a control.
void Tell(std::string_view sentence);

// As it is, controls of the terminal among it; of the program's own making.
void WriteToStderr(std::string_view text);

}  // namespace rankscope::cli
