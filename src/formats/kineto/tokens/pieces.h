// Iterates over the elements of a chunk, exactly but slowly.
#pragma once

#include <cstdint>
#include <string_view>

#include "formats/kineto/tokens/splitter.h"
#include "formats/kineto/tokens/validate.h"

namespace rankscope::kineto {

struct Piece {
  enum class Kind : std::uint8_t {
    kObject,   // an event, if its members are valid
    kBroken,   // not JSON
    kTooDeep,  // nested beyond kMaxNesting
    kLost,     // elements that the splitter could not keep
  };
  Kind kind = Kind::kObject;
  std::string_view text;    // of kObject
  std::int64_t place = 0;   // in the file
  std::uint64_t count = 1;  // elements of the list
};

// Calls visit(piece) for all elements in file order; the sum of `count` gives the index of each.
// Losses after the last chunk are in the splitter's losses_at_end.
template <typename Visit>
void ForEachPiece(const Chunk& chunk, const Visit& visit) {
  const std::string_view text = chunk.text();
  auto loss = chunk.losses().begin();
  const auto losses_before = [&](std::int64_t place) {
    for (; loss != chunk.losses().end() && loss->place < place; ++loss)
      visit(Piece{Piece::Kind::kLost, {}, loss->place, loss->count});
  };
  std::size_t at = 0;
  while (at != std::string_view::npos && (at = text.find('{', at)) != std::string_view::npos) {
    const ObjectExtent extent = MeasureObject(text.substr(at));
    const std::int64_t place = chunk.offset() + static_cast<std::int64_t>(at);
    losses_before(place);
    std::size_t end = at + extent.at;
    if (extent.kind == ObjectExtent::Kind::kComplete) {
      visit(Piece{Piece::Kind::kObject, text.substr(at, extent.at), place});
    } else {
      const bool too_deep = extent.kind == ObjectExtent::Kind::kTooDeep;
      visit(Piece{too_deep ? Piece::Kind::kTooDeep : Piece::Kind::kBroken, {}, place});
      // As in the splitter: the next event may begin right where the damage was noticed.
      const std::size_t close = text.substr(0, end).find_last_of('}');
      end = FindEventStart(text, close != std::string_view::npos && close > at ? close : end);
    }
    at = end;
  }
  losses_before(INT64_MAX);
}

}  // namespace rankscope::kineto
