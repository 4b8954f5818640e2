// Pieces of a split trace, and how to read them as the whole again.
//
// Every event is in one piece, in the original order. A piece's outer key "rankscope.split" names
// its trace, and says how many of its first events are copies of metadata that another piece owns.
// The key "rankscope.order", after the events, gives the positions of the other events: runs of
// (events of other pieces before it, own events), as varints (LEB128) in base64. Tools that drop
// events also drop that key; such pieces are read one after the other.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "formats/base/byte_source.h"
#include "formats/kineto/edit/event_edit.h"

namespace rankscope::tools {

struct PieceInfo {
  std::string id;            // id of the whole trace
  std::uint64_t number = 0;  // in the order of time or of the file
  std::uint64_t copied = 0;  // number of copied events at its begin
  std::uint64_t events = 0;  // number of events of the whole
  bool is_array = false;     // the whole was a bare list
};

std::string DescribePiece(const PieceInfo& piece);

// Positions of a piece's events in the whole; add them in ascending order.
class PieceOrder {
 public:
  void Add(std::uint64_t index);
  std::string Text() const;  // JSON

 private:
  void AddRun();
  std::string varints_;
  std::uint64_t gap_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t next_ = 0;
};

// Describes the piece in a file, from its outer values before the events; nullopt if it is not a
// piece.
Result<std::optional<PieceInfo>> PieceOf(const std::string& path);

// The whole trace from these files, which must be pieces of the same trace. Memory: 3 MB per piece,
// and their orders.
Result<std::unique_ptr<ByteSource>> OpenPieces(const std::vector<std::string>& paths);

}  // namespace rankscope::tools
