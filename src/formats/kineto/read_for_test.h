// For tests: traces from text, and rows found by name.
#pragma once

#include <gtest/gtest.h>

#include <string_view>

#include "formats/base/byte_source.h"
#include "formats/kineto/reader.h"

namespace rankscope::kineto {

inline Result<RankTrace> ReadText(std::string_view text, const ReadOptions& options = {}) {
  const auto source = OpenByteSource(text);
  return ReadTrace(*source, "file", options);
}

inline Row RowNamed(const RankTrace& trace, std::string_view name) {
  for (Row row = 0; row < trace.row_count(); ++row) {
    if (trace.name_of(row) == name) return row;
  }
  ADD_FAILURE() << "no row named " << name;
  return 0;
}

}  // namespace rankscope::kineto
