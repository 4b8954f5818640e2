// Removes the paths of this machine from sentences: the server names files to clients relative to
// its data folder.
#pragma once

#include <string>
#include <string_view>

namespace rankscope::service {

// `text` with every "FOLDER/" removed, and FOLDER alone replaced by "the data folder". `folder` is
// absolute; "" changes nothing.
std::string WithoutFolder(std::string_view text, std::string_view folder);

}  // namespace rankscope::service
