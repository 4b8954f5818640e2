// Blobs that are opened when they are first needed. So a command that reads only records works
// while the contents are unreachable, and without their keys.
#pragma once

#include <functional>
#include <memory>

#include "base/status.h"
#include "store/blobs.h"

namespace rankscope::store {

// `open` is called when first needed, and again after a failure.
std::unique_ptr<Blobs> MakeLazyBlobs(std::function<Result<std::unique_ptr<Blobs>>()> open);

}  // namespace rankscope::store
