// PartShares: common columns of tables that divide a whole into parts, over all devices or ranks of
// a job and for each of them.
#pragma once

#include <string>

#include "table/schema.h"

namespace rankscope {

struct PartShares : Schema<PartShares> {
  StringColumn part;
  IntColumn duration_ns;
  RealColumn share_pct;
  RealColumn min_pct;
  RealColumn median_pct;
  RealColumn max_pct;
  IntColumn min_rank;
  IntColumn max_rank;

 protected:
  // `parts` lists the parts; `one` is their owner: "device", "rank".
  PartShares(const std::string& parts, const std::string& one)
      : part(Text("part", parts)),
        duration_ns(
            Int("duration_ns", "ns", "time of the part, over every " + one + " of the job")),
        share_pct(Real("share_pct", "%", "duration_ns of all parts")),
        min_pct(Real("min_pct", "%", "smallest share of a " + one)),
        median_pct(Real("median_pct", "%", "median share over every " + one)),
        max_pct(Real("max_pct", "%", "largest share of a " + one)),
        min_rank(Int("min_rank", "", "where the share is smallest: the rank")),
        max_rank(Int("max_rank", "", "where it is largest")) {}
};

}  // namespace rankscope
