// StringTable: the interned strings of one trace. Id 0 is the empty string; ids are dense and in
// order of first use.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/column.h"

namespace rankscope {

using StringId = std::uint32_t;
inline constexpr StringId kEmptyString = 0;

// Read side: text and offsets, owned or viewed.
class StringTable {
 public:
  StringTable();
  StringTable(Column<char> text, Column<std::uint64_t> ends)
      : text_(std::move(text)), ends_(std::move(ends)) {}

  std::string_view Get(StringId id) const {
    const std::uint64_t begin = id == 0 ? 0 : ends_[id - 1];
    return {text_.data() + begin, ends_[id] - begin};
  }
  std::size_t size() const { return ends_.size(); }
  const Column<char>& text() const { return text_; }
  const Column<std::uint64_t>& ends() const { return ends_; }

  // Appends a string that is not yet in the table (the interner checks) and returns its id.
  StringId Append(std::string_view value);

 private:
  Column<char> text_;
  Column<std::uint64_t> ends_;
};

}  // namespace rankscope
