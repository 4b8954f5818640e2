// The op that a program called, of work that another op inside of it does.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace rankscope {

class OuterOps {
 public:
  // The trace outlives it. Linear in its rows.
  explicit OuterOps(const RankTrace& trace);

  // The outermost op around `op`, of ops that lie in one another without a frame or mark between
  // them: "aten::linear" of the aten::copy_ in which autocast casts its input. In the backward of a
  // cast that around the cast, found by its sequence number; of what autograd's engine does itself
  // its evaluation; in other backward none. kNoRow: none but itself. Costs the depth of nesting.
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
