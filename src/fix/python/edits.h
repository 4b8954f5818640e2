// Edits: changes of a text by byte ranges, all applied at once.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::fix {

// `text` replaces the bytes [begin, end); an empty range is an insertion.
struct Edit {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string text;
};

// Sorted by position; insertions at one position keep the order of the list. nullopt if two of them
// change the same bytes, or one is outside a text of `size` bytes.
std::optional<std::vector<Edit>> InOrder(std::vector<Edit> edits, std::size_t size);

// `edits` must come from InOrder.
std::string Edited(std::string_view text, const std::vector<Edit>& edits);

// For each line of the edited text, its line before the edit; `lines` are the numbers of the lines
// before. An inserted line gets the number of the line where it was inserted.
std::vector<std::int64_t> EditedLines(std::string_view text, const std::vector<Edit>& edits,
                                      const std::vector<std::int64_t>& lines);

}  // namespace rankscope::fix
