// The audit log of a server's data folder, to read, wherever it is kept.
#pragma once

#include <memory>
#include <string>

#include "audit/log.h"
#include "base/status.h"

namespace rankscope::audit {

// In the folder, or, where `catalogue` (postgresql://...) is given, in that database. kNotFound
// where there is none.
Result<std::unique_ptr<Lines>> OpenLines(const std::string& data, const std::string& catalogue);

}  // namespace rankscope::audit
