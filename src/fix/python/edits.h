// Edits: changes of a text by ranges of its bytes, made all at once.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::fix {

// `text` takes the place of the bytes [begin, end); an insertion where they are none.
struct Edit {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string text;
};

// Sorted by their places, insertions at one place in the order of the list. None where two take the
// same bytes, or one lies outside of a text of `size` bytes.
std::optional<std::vector<Edit>> InOrder(std::vector<Edit> edits, std::size_t size);

// `edits` come from InOrder.
std::string Edited(std::string_view text, const std::vector<Edit>& edits);

// Of each line of the edited text the line that it was before, `lines` being those of the lines
// before. A line that was put in is the line on which that was done.
std::vector<std::int64_t> EditedLines(std::string_view text, const std::vector<Edit>& edits,
                                      const std::vector<std::int64_t>& lines);

}  // namespace rankscope::fix
