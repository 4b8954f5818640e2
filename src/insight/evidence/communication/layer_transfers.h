// What layers exchange: transfers of tensor, context and expert parallel groups, by kind.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "insight/evidence/communication/exchanges.h"

namespace rankscope {

struct LayerTransferKind {
  Dimension of = Dimension::kTensor;
  bool spans = false;     // hosts
  bool has_room = false;  // some host, for a whole group
  bool is_little = false;

  auto operator<=>(const LayerTransferKind&) const = default;
  // Experts are spread over hosts to have memory for them; the others need not be.
  bool IsMisplaced() const { return spans && (has_room || of != Dimension::kExpert); }
  bool IsOfLatency() const { return is_little && !spans; }
};

// Those whose latency decides are at most 512 kB, or take at most 100 us where the size is not
// known, as inside of graphs; of groups that are of layers by name, or the only ones by name; but
// not what kernels for small exchanges do (vLLM's and SGLang's own all-reduce). Others are larger
// than what small-collectives tells.
class LayerTransfers {
 public:
  // O(exchanges).
  explicit LayerTransfers(const RuleInput& input);

  // That which takes most, of those that bandwidth decides or of those that latency does.
  std::optional<LayerTransferKind> Largest(bool of_latency) const;
  const std::vector<const Exchange*>& Of(const LayerTransferKind& kind) const {
    return by_kind_.at(kind);
  }

 private:
  std::map<LayerTransferKind, std::vector<const Exchange*>> by_kind_;
  std::map<LayerTransferKind, std::int64_t> ns_of_;
};

}  // namespace rankscope
