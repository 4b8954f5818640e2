#include "analysis/merged_stacks.h"

namespace rankscope {

bool IsStackFrame(EventKind kind) {
  return kind == EventKind::kPythonFunction || kind == EventKind::kCpuOp ||
         kind == EventKind::kUserAnnotation || kind == EventKind::kRuntime;
}

std::vector<Table> TablesOfTree(const WeightedTree& tree) {
  Table names("names", {{"name", ColumnType::kString}});
  for (const std::string& name : tree.names()) names.AddRow({std::string_view(name)});
  Table frames("frames",
               {{"parent"}, {"name"}, {"kind"}, {"count"}, {"host_self_ns"}, {"device_self_ns"}});
  for (const WeightedTree::Frame& frame : tree.frames()) {
    frames.AddRow(
        {frame.parent == WeightedTree::kRoot ? Value(kNull) : Value(std::int64_t{frame.parent}),
         std::int64_t{frame.name}, static_cast<std::int64_t>(frame.kind), frame.own.count,
         frame.own.host_ns, frame.own.device_ns});
  }
  return {names, frames};
}

Status MergeTables(const std::vector<Table>& tables, std::uint32_t root, std::string_view owner,
                   WeightedTree& tree) {
  const Table& names = tables[0];
  const Table& frames = tables[1];
  std::vector<std::uint32_t> number_of_name;
  number_of_name.reserve(names.row_count());
  for (std::size_t row = 0; row < names.row_count(); ++row)
    number_of_name.push_back(tree.Name(names.String(row, 0)));
  std::vector<std::uint32_t> merged;
  merged.reserve(frames.row_count());
  for (std::size_t row = 0; row < frames.row_count(); ++row) {
    const auto parent = frames.IsNull(row, 0) ? -1 : frames.Int(row, 0);
    const auto name = frames.Int(row, 1);
    const auto kind = frames.Int(row, 2);
    if (parent >= std::ssize(merged) || name < 0 || name >= std::ssize(number_of_name) ||
        kind < 0 || kind >= kFrameKindCount)
      return Error(StatusCode::kBadData, "a cached partial of {} is damaged", owner);
    merged.push_back(tree.Child(parent < 0 ? root : merged[static_cast<std::size_t>(parent)],
                                number_of_name[static_cast<std::size_t>(name)],
                                static_cast<FrameKind>(kind)));
    tree.Add(merged.back(), {.count = frames.Int(row, 3),
                             .host_ns = frames.Int(row, 4),
                             .device_ns = frames.Int(row, 5)});
  }
  return OkStatus();
}

}  // namespace rankscope
