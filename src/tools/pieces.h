// Pieces: what a split trace consists of, and how it is read as the whole again.
//
// Every event is in one piece, in the order of the whole. A piece's outer key "rankscope.split"
// says which trace it is of and how many of its first events are copies of metadata that another
// piece owns; "rankscope.order", behind the events, where the others were: runs of (events of other
// pieces before it, own events), as varints (LEB128) in base64. Tools that leave out events leave
// that key out too; such pieces are read one behind the other.
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
  std::string id;            // of the whole
  std::uint64_t number = 0;  // in the order of time or of the file
  std::uint64_t copied = 0;  // events at its begin
  std::uint64_t events = 0;  // of the whole
  bool is_array = false;     // the whole was a bare list
};

std::string DescribePiece(const PieceInfo& piece);

// Where a piece's events are in the whole; added in ascending order.
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

// The piece that a file is, from its outer values as far as they stand before the events; nullopt
// for one that is none.
Result<std::optional<PieceInfo>> PieceOf(const std::string& path);

// The whole trace that these files are pieces of, all of the same one. Memory: 3 MB per piece, and
// their orders.
Result<std::unique_ptr<ByteSource>> OpenPieces(const std::vector<std::string>& paths);

}  // namespace rankscope::tools
