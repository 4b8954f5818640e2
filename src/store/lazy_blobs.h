// Blobs that are opened when they are first needed: a command that reads records alone works while
// what keeps the contents is away, and without its keys.
#pragma once

#include <functional>
#include <memory>

#include "base/status.h"
#include "store/blobs.h"

namespace rankscope::store {

// `open` is called once it is needed, and again after it failed.
std::unique_ptr<Blobs> MakeLazyBlobs(std::function<Result<std::unique_ptr<Blobs>>()> open);

}  // namespace rankscope::store
