// For tests: whether two traces are the same, column by column.
#pragma once

#include <gtest/gtest.h>

#include <cstring>

#include "formats/columnar/meta_codec.h"
#include "formats/columnar/sections.h"
#include "trace/trace.h"

namespace rankscope {

inline void ExpectSame(const RankTrace& a, const RankTrace& b) {
  std::vector<std::string_view> columns;
  const auto view = [](const auto& column) {
    return std::string_view(reinterpret_cast<const char*>(column.data()), column.bytes());
  };
  columnar::ForEachColumn(
      a, [&](std::uint32_t, const auto& column) { columns.push_back(view(column)); });
  std::size_t next = 0;
  columnar::ForEachColumn(b, [&](std::uint32_t id, const auto& column) {
    EXPECT_EQ(columns[next++], view(column)) << "column " << id;
  });
  EXPECT_EQ(view(a.strings.text()), view(b.strings.text()));
  EXPECT_EQ(view(a.strings.ends()), view(b.strings.ends()));
  EXPECT_EQ(columnar::EncodeMeta(a), columnar::EncodeMeta(b));
}

}  // namespace rankscope
