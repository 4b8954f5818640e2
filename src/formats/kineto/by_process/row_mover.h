// Moves rows of an unsorted trace to other tracks.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "trace/builder.h"

namespace rankscope::kineto {

class RowMover {
 public:
  explicit RowMover(RankTrace& trace);
  // Sorts the notes about the moved rows.
  ~RowMover();
  RowMover(const RowMover&) = delete;
  RowMover& operator=(const RowMover&) = delete;

  // The track with these ids; a new one gets the name of `like`.
  std::uint32_t TrackOf(Domain domain, std::int64_t first, std::int64_t second, std::uint32_t like);
  // Keeps the file's pid and tid of the row (RankTrace::row_ids).
  void Move(Row row, EventKind kind, std::uint32_t track);

 private:
  using Key = std::tuple<Domain, std::int64_t, std::int64_t>;

  RankTrace& trace_;
  std::map<Key, std::uint32_t> tracks_;
};

}  // namespace rankscope::kineto
