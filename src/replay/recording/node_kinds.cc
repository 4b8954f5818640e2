#include "replay/recording/node_kinds.h"

#include <fmt/core.h>
#include <xxhash.h>

#include <algorithm>
#include <array>

#include "base/saturating.h"
#include "op_cost/base/op_inputs.h"
#include "trace/repeated_backward.h"
#include "trace/step_names.h"
#include "trace/value_reads.h"

namespace rankscope {
namespace {

constexpr std::uint32_t kNoKind = UINT32_MAX;

// Whatever the other inputs are: they are promoted. A copy converts, and computes nothing.
bool ComputesInDouble(std::string_view op, std::string_view shapes, std::string_view types) {
  if (types.find("double") == std::string_view::npos || op == "aten::copy_" ||
      !op.starts_with("aten::"))
    return false;
  const auto inputs = ParseInputs(shapes, types, "");
  return inputs && std::any_of(inputs->begin(), inputs->end(), [](const OpInput& input) {
           return input.is_tensor() &&
                  (input.dtype == "double" || input.dtype == "c10::complex<double>");
         });
}

// x.cumsum(0, dtype=torch.float64) of other inputs: its kernel is made for double
// ("tensor_kernel_scan_innermost_dim<double, ...>").
bool IsMadeForDouble(std::string_view op, std::string_view kernel) {
  return op.starts_with("aten::") && op != "aten::copy_" && op != "aten::_to_copy" &&
         kernel.find("<double") != std::string_view::npos;
}

// Whether ops call it rather than programs, so that the op around it says what it is for.
bool ServesOps(std::string_view op) { return op == "aten::copy_" || ReadsValue(op); }

// Of a kernel whose blocks and threads are known; else null.
const KernelArgs* ArgsOf(const RankTrace& trace, Row row) {
  if (trace.kind[row] != EventKind::kKernel || trace.aux[row] == kNoAux) return nullptr;
  const KernelArgs& args = trace.kernels[trace.aux[row]];
  // How wide a collective runs is the library's choice.
  const bool is_collective = args.collective != kNoAux;
  return is_collective || args.grid[0] < 0 || args.block[0] < 0 ? nullptr : &args;
}
std::uint64_t HashOfShape(const KernelArgs* args) {
  if (args == nullptr) return 0;
  const std::array<std::array<std::int32_t, 3>, 2> both = {args->grid, args->block};
  return XXH3_64bits(both.data(), sizeof both);
}
std::string TextOfShape(const KernelArgs& args) {
  const auto& [grid, block] = std::tie(args.grid, args.block);
  return fmt::format("[{},{},{}] x [{},{},{}]", grid[0], grid[1], grid[2], block[0], block[1],
                     block[2]);
}

}  // namespace

NodeKinds::NodeKinds(const TraceFacts& facts)
    : facts_(facts),
      trace_(facts.trace()),
      ops_(trace_),
      windows_(Windows::OfHost(facts, std::nullopt)),
      parts_(trace_, windows_),
      outer_ops_(trace_),
      recomputed_(facts.recomputed()),
      repeated_backward_(RepeatedBackwardRows(trace_)),
      forward_uses_(ForwardUses(trace_)),
      is_optimizer_(trace_.strings.size(), 0),
      serves_ops_(trace_.strings.size(), 0),
      marks_step_(trace_.strings.size(), 0),
      table_(SchemaOf<NodeKindPartial>().NewPartial("node_kinds")),
      has_devices_(std::any_of(facts.devices().begin(), facts.devices().end(),
                               [](const DeviceTime& device) { return !device.work.empty(); })) {
  for (StringId id = 0; id < is_optimizer_.size(); ++id) {
    const std::string_view name = trace_.strings.Get(id);
    is_optimizer_[id] = name.starts_with("Optimizer.step") || name.starts_with("## optimizer");
    serves_ops_[id] = ServesOps(name);
    marks_step_[id] = MarksStep(name);
  }
  SumOwners();
}

std::uint32_t NodeKinds::OfHost(Row row, Work work) {
  // A step's mark says nothing about what is done in it, and would set each step apart.
  if (row != kNoRow && marks_step_[trace_.name[row]] != 0) row = kNoRow;
  const std::string_view name = row == kNoRow ? "" : trace_.name_of(row);
  const Again again = AgainOf(row);
  // Where the host computes itself, its ops are what kernels are elsewhere.
  const bool computes = !has_devices_ && work == Work::kOp && row != kNoRow &&
                        trace_.kind[row] == EventKind::kCpuOp && trace_.aux[row] != kNoAux;
  const StringId shapes = computes ? trace_.ops[trace_.aux[row]].input_dims : kEmptyString;
  const StringId outer_op = OuterOpOf(row);
  const auto key = std::tuple(row == kNoRow ? kEmptyString : trace_.name[row], outer_op, shapes,
                              static_cast<std::uint8_t>(work), again);
  const auto [found, is_new] = of_hosts_.try_emplace(key, kNoKind);
  if (is_new)
    found->second = NumberOf(work, name,
                             {.outer_op = trace_.strings.Get(outer_op),
                              .shapes = trace_.strings.Get(shapes),
                              .again = again});
  return found->second;
}

std::uint32_t NodeKinds::OfDevice(Row row) {
  const KernelClass kernel_class = facts_.classes().ClassOf(row);
  const Row op = OpOf(row);
  StringId shapes = kEmptyString, types = kEmptyString;
  if (op != kNoRow && trace_.aux[op] != kNoAux && trace_.kind[op] == EventKind::kCpuOp) {
    shapes = trace_.ops[trace_.aux[op]].input_dims;
    types = trace_.ops[trace_.aux[op]].input_types;
  }
  const std::uint32_t sharing = SharingOf(row);
  const Phase phase = PhaseOf(row);
  const KernelArgs* const args = ArgsOf(trace_, row);
  const Again again = AgainOf(trace_.link[row]);
  const StringId outer_op = OuterOpOf(op);
  const auto key = std::tuple(trace_.name[row], op == kNoRow ? kEmptyString : trace_.name[op],
                              outer_op, shapes, types, static_cast<std::uint8_t>(trace_.kind[row]),
                              static_cast<std::uint8_t>(phase), sharing, HashOfShape(args), again);
  const auto [found, is_new] = of_devices_.try_emplace(key, kNoKind);
  if (is_new) {
    const WorkClass work = WorkOf(kernel_class);
    const Work as = work == WorkClass::kCommunication ? Work::kCommunication
                    : work == WorkClass::kCopy        ? Work::kCopy
                                                      : Work::kCompute;
    Details details{.op = op == kNoRow ? "" : trace_.name_of(op),
                    .outer_op = trace_.strings.Get(outer_op),
                    .shapes = trace_.strings.Get(shapes),
                    .launch_shape = {},
                    .dtype = {},
                    .cost_family = {},
                    .kernel_class = static_cast<std::int64_t>(kernel_class),
                    .phase = static_cast<std::int64_t>(phase),
                    .flops = {},
                    .bytes = {},
                    .again = again};
    if (sharing > 0) {
      const OpCost& cost = ops_.CostOfOwner(ops_.OwnerOf(row));
      details.dtype = cost.dtype;
      details.cost_family = ToString(cost.family);
      details.flops = cost.flops / sharing;
      details.bytes = cost.bytes / sharing;
    }
    if (ComputesInDouble(details.op, details.shapes, trace_.strings.Get(types)) ||
        IsMadeForDouble(details.op, trace_.name_of(row)))
      details.dtype = "double";
    const std::string launch_shape = args == nullptr ? "" : TextOfShape(*args);
    details.launch_shape = launch_shape;
    found->second = NumberOf(as, trace_.name_of(row), details);
  }
  return found->second;
}

Row NodeKinds::OpOf(Row work) const {
  if (const Row owner = ops_.OwnerOf(work); owner != kNoRow) return owner;
  Row at = trace_.link[work];
  while (at != kNoRow && trace_.kind[at] != EventKind::kCpuOp) at = trace_.parent[at];
  return at;
}

std::uint32_t NodeKinds::NumberOf(Work work, std::string_view name, const Details& details) {
  std::string key = fmt::format("{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}",
                                static_cast<int>(work), name, details.op, details.outer_op,
                                details.shapes, details.launch_shape, details.phase.value_or(-1),
                                details.flops.value_or(-1), static_cast<int>(details.again));
  const auto [found, is_new] =
      numbers_.try_emplace(std::move(key), static_cast<std::uint32_t>(numbers_.size()));
  if (is_new) {
    const auto& columns = SchemaOf<NodeKindPartial>();
    const auto text = [](std::string_view value) {
      return value.empty() ? Value(kNull) : Value(value);
    };
    table_.Add({columns.work = static_cast<std::int64_t>(work),
                columns.kernel_class = details.kernel_class, columns.name = name,
                columns.op = text(details.op), columns.outer_op = text(details.outer_op),
                columns.shapes = text(details.shapes),
                columns.launch_shape = text(details.launch_shape), columns.phase = details.phase,
                columns.flops = details.flops, columns.bytes = details.bytes,
                columns.dtype = text(details.dtype),
                columns.cost_family = text(details.cost_family),
                columns.again = static_cast<std::int64_t>(details.again)});
  }
  return found->second;
}

Again NodeKinds::AgainOf(Row row) const {
  if (row == kNoRow) return Again::kNo;
  if (!recomputed_.empty() && recomputed_[row] != 0) return Again::kForward;
  if (!repeated_backward_.empty() && repeated_backward_[row] != 0) return Again::kBackward;
  if (forward_uses_.empty()) return Again::kNo;
  switch (forward_uses_[row]) {
    case ForwardUse::kUnused:
      return Again::kUnused;
    case ForwardUse::kWithoutGradients:
      return Again::kWithoutGradients;
    case ForwardUse::kUsed:
      break;
  }
  return Again::kNo;
}

StringId NodeKinds::OuterOpOf(Row op) const {
  const bool is_asked = op != kNoRow && serves_ops_[trace_.name[op]] != 0;
  const Row outer = is_asked ? outer_ops_.Around(op) : kNoRow;
  return outer == kNoRow ? kEmptyString : trace_.name[outer];
}

std::uint32_t NodeKinds::SharingOf(Row row) const {
  const Row owner = ops_.OwnerOf(row);
  if (owner == kNoRow) return 0;
  const auto found = owners_.find(owner);
  if (found == owners_.end()) return 0;
  const MainKernels& main = found->second;
  return main.of_class == facts_.classes().ClassOf(row) ? main.count : 0;
}

void NodeKinds::SumOwners() {
  struct Owned {
    Row owner = kNoRow;
    KernelClass of_class = KernelClass::kOther;
    std::int64_t ns = 0;
  };
  std::vector<Owned> owned;
  for (const DeviceTime& device : facts_.devices()) {
    for (const Row row : device.work) {
      const KernelClass kernel_class = facts_.classes().ClassOf(row);
      const Row owner = ops_.OwnerOf(row);
      if (owner == kNoRow || WorkOf(kernel_class) != WorkClass::kCompute) continue;
      owned.push_back({owner, kernel_class, std::max<std::int64_t>(trace_.dur_ns[row], 0)});
    }
  }
  std::sort(owned.begin(), owned.end(),
            [](const Owned& a, const Owned& b) { return a.owner < b.owner; });
  for (std::size_t first = 0; first < owned.size();) {
    std::array<std::int64_t, kKernelClassCount> ns{};
    std::array<std::uint32_t, kKernelClassCount> count{};
    std::size_t last = first;
    for (; last < owned.size() && owned[last].owner == owned[first].owner; ++last) {
      const auto of_class = static_cast<std::size_t>(owned[last].of_class);
      AddSaturating(ns[of_class], owned[last].ns);
      ++count[of_class];
    }
    const auto largest = std::max_element(ns.begin(), ns.end()) - ns.begin();
    owners_[owned[first].owner] = {static_cast<KernelClass>(largest),
                                   count[static_cast<std::size_t>(largest)]};
    first = last;
  }
}

Phase NodeKinds::PhaseOf(Row work) const {
  const Row call = trace_.link[work];
  for (Row at = call; at != kNoRow; at = trace_.parent[at]) {
    if (is_optimizer_[trace_.name[at]] != 0) return Phase::kOptimizer;
  }
  const std::size_t window = windows_.OfRow(work);
  if (window == Windows::kNone) return Phase::kForward;
  switch (parts_.Of(call, window)) {
    case StepPart::kBackward:
      return Phase::kBackward;
    case StepPart::kAfter:
      return Phase::kAfter;
    default:
      return Phase::kForward;
  }
}

}  // namespace rankscope
