// A file's content as one piece, for formats that cannot be read in chunks.
#pragma once

#include <string>

#include "base/status.h"
#include "formats/base/byte_source.h"

namespace rankscope {

// Inflated, at most 2 GiB; a larger text fails, with `path` in the message. The source's problems()
// reports what could not be read. Cost: the text.
Result<std::string> ReadWhole(ByteSource& source, const std::string& path);

}  // namespace rankscope
