// The kinds of a recording's nodes, numbered in order of appearance: rows of the partial
// `node_kinds`.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/op_models/modelled_ops.h"
#include "facts/launch_parts.h"
#include "facts/trace_facts.h"
#include "facts/windows.h"
#include "replay/recording/node_partial.h"
#include "trace/outer_ops.h"
#include "trace/unused_forward.h"

namespace rankscope {

class NodeKinds {
 public:
  // The facts must outlive it.
  explicit NodeKinds(const TraceFacts& facts);

  // The kind number of a host thread's work in `row` (or kNoRow), and of device work. Amortised
  // O(1).
  std::uint32_t OfHost(Row row, Work work);
  std::uint32_t OfDevice(Row row);
  // The op that launched device work: the outermost one with a cost, else the innermost.
  Row OpOf(Row work) const;

  TableOf<NodeKindPartial> Take() { return std::move(table_); }

 private:
  // Data about a kind of device work besides its name.
  struct Details {
    std::string_view op, outer_op, shapes, launch_shape, dtype, cost_family;
    std::optional<std::int64_t> kernel_class, phase;
    std::optional<double> flops, bytes;
    Again again = Again::kNo;
  };
  // The kernels of an op of the class with most of its time.
  struct MainKernels {
    KernelClass of_class = KernelClass::kOther;
    std::uint32_t count = 0;
  };

  void SumOwners();
  std::uint32_t NumberOf(Work work, std::string_view name, const Details& details);
  Again AgainOf(Row row) const;
  // The name of the enclosing op for an op that serves other ops; otherwise, or without one,
  // kEmptyString.
  StringId OuterOpOf(Row op) const;
  // The number of kernels that share the cost of this kernel's op: those of the class with most of
  // the op's time. 0 for other kernels, and without a cost.
  std::uint32_t SharingOf(Row row) const;
  Phase PhaseOf(Row work) const;

  const TraceFacts& facts_;
  const RankTrace& trace_;
  const ModelledOps ops_;
  const Windows windows_;
  const LaunchParts parts_;
  const OuterOps outer_ops_;
  const std::vector<std::uint8_t>& recomputed_;        // by row; empty: none is
  const std::vector<std::uint8_t> repeated_backward_;  // likewise
  const std::vector<ForwardUse> forward_uses_;         // likewise
  std::vector<std::uint8_t> is_optimizer_;             // by name
  std::vector<std::uint8_t> serves_ops_;               // likewise
  std::vector<std::uint8_t> marks_step_;
  boost::unordered_flat_map<Row, MainKernels> owners_;  // of ops with a cost
  TableOf<NodeKindPartial> table_;
  boost::unordered_flat_map<std::string, std::uint32_t> numbers_;
  bool has_devices_ = false;
  boost::unordered_flat_map<std::tuple<StringId, StringId, StringId, std::uint8_t, Again>,
                            std::uint32_t>
      of_hosts_;
  boost::unordered_flat_map<
      std::tuple<StringId, StringId, StringId, StringId, StringId, std::uint8_t, std::uint8_t,
                 std::uint32_t, std::uint64_t, Again>,
      std::uint32_t>
      of_devices_;
};

}  // namespace rankscope
