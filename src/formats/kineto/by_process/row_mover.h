// Puts rows of an unsorted trace on other tracks.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "trace/builder.h"

namespace rankscope::kineto {

class RowMover {
 public:
  explicit RowMover(RankTrace& trace);
  // Puts what was noted of the moved rows in order.
  ~RowMover();
  RowMover(const RowMover&) = delete;
  RowMover& operator=(const RowMover&) = delete;

  // The track with these ids; a new one is named as `like` is.
  std::uint32_t TrackOf(Domain domain, std::int64_t first, std::int64_t second, std::uint32_t like);
  // What the file says of the row's pid and tid stays known (RankTrace::row_ids).
  void Move(Row row, EventKind kind, std::uint32_t track);

 private:
  using Key = std::tuple<Domain, std::int64_t, std::int64_t>;

  RankTrace& trace_;
  std::map<Key, std::uint32_t> tracks_;
};

}  // namespace rankscope::kineto
