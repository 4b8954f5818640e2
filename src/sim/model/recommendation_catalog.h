// The operations of a recommendation model (DLRM): embedding tables that are distributed over
// ranks, and dense layers that every rank holds.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/model/catalog.h"

namespace rankscope::sim {

struct RecommendationShape {
  std::int64_t ranks = 1;
  std::int64_t batch = 2048;  // of a rank
  std::int64_t dense = 512;   // features
  std::int64_t dimension = 128;
  std::int64_t pooling = 20;  // rows summed per lookup
  std::int64_t width = 4096;  // of the dense layers
  std::int64_t tables_per_rank = 8;
  std::int64_t tables = 8;  // on this rank

  std::int64_t layer_parameters() const { return width * width; }
  std::int64_t bottom_parameters() const { return dense * width + width * dimension; }
  // Pooled embeddings that a rank sends: from its tables, for the batches of all ranks.
  std::int64_t pooled_elements() const { return tables * batch * ranks * dimension; }
};

class RecommendationCatalog : public OpFactory {
 public:
  explicit RecommendationCatalog(const RecommendationShape& shape);

  std::vector<OpUnit> lookup;       // of this rank's tables
  std::vector<OpUnit> bottom;       // dense features
  std::vector<OpUnit> interaction;  // of dense features and embeddings
  std::vector<OpUnit> layer;        // a dense layer after the interaction
  std::vector<OpUnit> head;         // prediction and loss

 private:
  OpUnit Lookup(const RecommendationShape& shape);
  OpUnit Interaction(const RecommendationShape& shape);
  OpUnit Relu(const Shape& dims);
};

}  // namespace rankscope::sim
