// Library: owns what programs point to. Its elements never move. It also says whether programs have
// Python frames, which every part of a program may add.
#pragma once

#include <deque>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/model/catalog.h"
#include "sim/model/expert_catalog.h"
#include "sim/model/program.h"
#include "sim/model/recommendation_catalog.h"

namespace rankscope::sim {

class Library {
 public:
  explicit Library(bool stacks = false) : stacks_(stacks) {}
  bool stacks() const { return stacks_; }

  const PythonFrame* Add(const PythonFrame& frame) { return &frames_.emplace_back(frame); }
  const OpNode* Add(OpNode op) { return &ops_.emplace_back(std::move(op)); }
  const KernelSpec* Add(KernelSpec kernel) { return &kernels_.emplace_back(kernel); }
  const CopySpec* Add(CopySpec copy) { return &copies_.emplace_back(copy); }
  const Communication* Add(Communication communication) {
    return &communications_.emplace_back(communication);
  }
  const CapturedGraph* Add(CapturedGraph graph) { return &graphs_.emplace_back(std::move(graph)); }
  const Segment* Add(Segment segment) { return &segments_.emplace_back(std::move(segment)); }
  // A view that instructions can point to; the text itself must live elsewhere.
  const std::string_view* Add(std::string_view text) { return &texts_.emplace_back(text); }
  const Catalog* AddCatalog(const ModelShape& model, const Arithmetic& arithmetic) {
    return &catalogs_.emplace_back(model, arithmetic);
  }

  const RecommendationCatalog* AddCatalog(const RecommendationShape& shape) {
    return &recommendation_catalogs_.emplace_back(shape);
  }

  const ExpertCatalog* AddCatalog(const ModelShape& model, const ExpertShape& shape) {
    return &expert_catalogs_.emplace_back(model, shape);
  }
  // A selection of a catalogue's operations; the data that they point to stays in the catalogue.
  const std::vector<OpUnit>* Keep(std::vector<OpUnit> units) {
    return &units_.emplace_back(std::move(units));
  }

 private:
  bool stacks_;
  std::deque<PythonFrame> frames_;
  std::deque<OpNode> ops_;
  std::deque<KernelSpec> kernels_;
  std::deque<CopySpec> copies_;
  std::deque<Communication> communications_;
  std::deque<CapturedGraph> graphs_;
  std::deque<Segment> segments_;
  std::deque<std::string_view> texts_;
  std::deque<Catalog> catalogs_;
  std::deque<ExpertCatalog> expert_catalogs_;
  std::deque<std::vector<OpUnit>> units_;
  std::deque<RecommendationCatalog> recommendation_catalogs_;
};

}  // namespace rankscope::sim
