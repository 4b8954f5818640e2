// Finds the op called by the program around an inner op.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace rankscope {

class OuterOps {
 public:
  // The trace must outlive it. Linear in its rows.
  explicit OuterOps(const RankTrace& trace);

  // The outermost op around `op`, among nested ops without a frame or mark between them: for
  // example "aten::linear" around the aten::copy_ in which autocast casts its input. In the
  // backward of a cast, the op around the forward cast, found by its sequence number; for work of
  // autograd's engine itself, its evaluation; in other backward none. kNoRow: none except itself.
  // O(nesting depth).
  Row Around(Row op) const;

 private:
  Row AroundForward(Row op) const;
  Row CastOf(Row evaluation) const;

  const RankTrace& trace_;
  // By sequence number the casts of forward, in the order of time.
  boost::unordered_flat_map<std::int64_t, std::vector<Row>> casts_;
  std::vector<std::uint8_t> is_engine_;  // by name: an evaluation by autograd's engine
  std::vector<std::uint8_t> is_cast_evaluation_;
};

}  // namespace rankscope
