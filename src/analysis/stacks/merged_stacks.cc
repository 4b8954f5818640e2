#include "analysis/stacks/merged_stacks.h"

namespace rankscope {

template const FrameNamePartial& SchemaOf<FrameNamePartial>();
template const FramePartial& SchemaOf<FramePartial>();

bool IsStackFrame(EventKind kind) {
  return kind == EventKind::kPythonFunction || kind == EventKind::kCpuOp ||
         kind == EventKind::kUserAnnotation || kind == EventKind::kRuntime;
}

std::vector<std::vector<ColumnSpec>> TreeColumns() {
  return {SchemaOf<FrameNamePartial>().BareColumns(), SchemaOf<FramePartial>().BareColumns()};
}

std::vector<Table> TablesOfTree(const WeightedTree& tree) {
  const auto& of_name = SchemaOf<FrameNamePartial>();
  const auto& of_frame = SchemaOf<FramePartial>();
  auto names = of_name.NewPartial("names");
  for (const std::string& name : tree.names()) names.Add({of_name.name = name});
  auto frames = of_frame.NewPartial("frames");
  for (const WeightedTree::Frame& frame : tree.frames()) {
    const bool is_top = frame.parent == WeightedTree::kRoot;
    frames.Add({of_frame.parent = is_top ? Value(kNull) : Value(std::int64_t{frame.parent}),
                of_frame.name = frame.name, of_frame.kind = static_cast<std::int64_t>(frame.kind),
                of_frame.count = frame.own.count, of_frame.host_self_ns = frame.own.host_ns,
                of_frame.device_self_ns = frame.own.device_ns});
  }
  return {names, frames};
}

Status MergeTables(const std::vector<Table>& tables, std::uint32_t root, std::string_view owner,
                   WeightedTree& tree) {
  const auto& of_name = SchemaOf<FrameNamePartial>();
  const auto& of_frame = SchemaOf<FramePartial>();
  const ViewOf<FrameNamePartial> names = tables[0];
  const ViewOf<FramePartial> frames = tables[1];
  std::vector<std::uint32_t> number_of_name;
  number_of_name.reserve(names.row_count());
  for (std::size_t row = 0; row < names.row_count(); ++row)
    number_of_name.push_back(tree.Name(names.String(row, of_name.name)));
  std::vector<std::uint32_t> merged;
  merged.reserve(frames.row_count());
  for (std::size_t row = 0; row < frames.row_count(); ++row) {
    const auto parent = frames.IsNull(row, of_frame.parent) ? -1 : frames.Int(row, of_frame.parent);
    const auto name = frames.Int(row, of_frame.name);
    const auto kind = frames.Int(row, of_frame.kind);
    if (parent >= std::ssize(merged) || name < 0 || name >= std::ssize(number_of_name) ||
        kind < 0 || kind >= kFrameKindCount)
      return Error(StatusCode::kBadData, "a cached partial of {} is damaged", owner);
    merged.push_back(tree.Child(parent < 0 ? root : merged[static_cast<std::size_t>(parent)],
                                number_of_name[static_cast<std::size_t>(name)],
                                static_cast<FrameKind>(kind)));
    tree.Add(merged.back(), {.count = frames.Int(row, of_frame.count),
                             .host_ns = frames.Int(row, of_frame.host_self_ns),
                             .device_ns = frames.Int(row, of_frame.device_self_ns)});
  }
  return OkStatus();
}

}  // namespace rankscope
