// The operations of a mixture-of-experts layer apart from attention: router and experts.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/model/catalog.h"

namespace rankscope::sim {

struct ExpertShape {
  std::int64_t experts = 8;   // on all ranks of a group
  std::int64_t here = 1;      // on this rank
  std::int64_t choices = 2;   // experts per token
  std::int64_t inner = 4096;  // width of an expert

  std::int64_t parameters(const ModelShape& model) const { return here * 2 * model.hidden * inner; }
};

class ExpertCatalog : public OpFactory {
 public:
  ExpertCatalog(const ModelShape& model, const ExpertShape& shape);

  std::vector<OpUnit> router;
  std::vector<OpUnit> experts;  // one row per token that the rank received

 private:
  OpUnit Grouped(std::int64_t rows, std::int64_t experts, std::int64_t in, std::int64_t out);
  OpUnit Activation(std::int64_t rows, std::int64_t width);
};

}  // namespace rankscope::sim
