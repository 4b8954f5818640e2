// Opens the audit log of a server's data folder for reading, wherever it is stored.
#pragma once

#include <memory>
#include <string>

#include "audit/log.h"
#include "base/status.h"

namespace rankscope::audit {

// In the folder, or, if `catalogue` (postgresql://...) is given, in that database. kNotFound if
// there is none.
Result<std::unique_ptr<Lines>> OpenLines(const std::string& data, const std::string& catalogue);

}  // namespace rankscope::audit
