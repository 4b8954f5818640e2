// TraceMeta, categories and bounds of a trace as one record of bytes.
#pragma once

#include <string>
#include <string_view>

#include "trace/trace.h"

namespace rankscope::columnar {

std::string EncodeMeta(const RankTrace& trace);
// Fills meta, categories, begin_ns and finish_ns; false when the bytes are not such a record.
bool DecodeMeta(std::string_view bytes, RankTrace& trace);

}  // namespace rankscope::columnar
