#include "op_cost/list_dtypes.h"

#include <algorithm>
#include <array>

namespace rankscope {
namespace {

constexpr std::string_view kList = "TensorList";

bool HasLists(const RankTrace& trace, Row row) {
  if (trace.kind[row] != EventKind::kCpuOp || trace.aux[row] == kNoAux) return false;
  return trace.strings.Get(trace.ops[trace.aux[row]].input_types).find(kList) !=
         std::string_view::npos;
}

// Of every row: the innermost op with lists around it. Empty when there is none.
std::vector<Row> ListOps(const RankTrace& trace) {
  std::vector<Row> around;
  const bool has_any = std::ranges::any_of(trace.ops, [&](const OpArgs& args) {
    return trace.strings.Get(args.input_types).find(kList) != std::string_view::npos;
  });
  if (!has_any) return around;
  around.resize(trace.row_count(), kNoRow);
  for (const Track& track : trace.tracks) {
    if (track.domain != Domain::kHost) continue;
    for (Row row = track.begin; row < track.end; ++row) {
      // Parents precede their children.
      if (trace.parent[row] != kNoRow) around[row] = around[trace.parent[row]];
      if (HasLists(trace, row)) around[row] = row;
    }
  }
  return around;
}

}  // namespace

std::string_view DtypeInKernelName(std::string_view kernel) {
  static constexpr std::array<std::string_view, 10> kNames = {
      "c10::BFloat16",  "c10::Half",      "float",          "double",         "long",
      "OpaqueType<1u>", "OpaqueType<2u>", "OpaqueType<4u>", "OpaqueType<8u>", "OpaqueType<16u>"};
  std::size_t first = kernel.size();
  std::string_view dtype;
  for (const std::string_view name : kNames) {
    // A whole template argument, or one in a namespace: "<float,", ", float>", "::OpaqueType<2u>".
    for (std::size_t at = kernel.find(name); at < first; at = kernel.find(name, at + 1)) {
      const char before = at == 0 ? ' ' : kernel[at - 1];
      const std::size_t end = at + name.size();
      const char behind = end < kernel.size() ? kernel[end] : ' ';
      if ((before != '<' && before != ' ' && before != ':') || (behind != ',' && behind != '>'))
        continue;
      first = at;
      dtype = name;
      break;
    }
  }
  return dtype;
}

ListDtypes::ListDtypes(const RankTrace& trace) {
  const std::vector<Row> around = ListOps(trace);
  if (around.empty()) return;
  of_.resize(trace.row_count());
  for (Row row = 0; row < trace.row_count(); ++row) {
    if (trace.kind[row] != EventKind::kKernel || trace.link[row] == kNoRow) continue;
    const Row op = around[trace.link[row]];
    if (op != kNoRow && of_[op].empty()) of_[op] = DtypeInKernelName(trace.name_of(row));
  }
}

}  // namespace rankscope
