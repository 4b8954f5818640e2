// Sentences without the paths of this machine: what the server tells others names files as they lie
// below its data folder.
#pragma once

#include <string>
#include <string_view>

namespace rankscope::service {

// `text` with "FOLDER/" taken away wherever it stands, and FOLDER alone replaced by "the data
// folder". `folder` is absolute; "" changes nothing.
std::string WithoutFolder(std::string_view text, std::string_view folder);

}  // namespace rankscope::service
