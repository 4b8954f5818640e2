#include "sql/event_args.h"

#include <array>
#include <string_view>

#include "json/writer.h"

namespace rankscope::sql {
namespace {

// An object that has its first brace only once it has a member.
class ArgsWriter {
 public:
  ArgsWriter(std::string& out, const RankTrace& trace) : writer_(out), trace_(trace) {}
  ~ArgsWriter() {
    if (any_) writer_.EndObject();
  }
  ArgsWriter(const ArgsWriter&) = delete;
  ArgsWriter& operator=(const ArgsWriter&) = delete;

  // Whole numbers; -1 stands for unknown.
  void Known(std::string_view name, std::int64_t value) {
    if (value != -1) Int(name, value);
  }
  void Int(std::string_view name, std::int64_t value) { Name(name).WriteExact(value); }
  void Known(std::string_view name, double value) {
    if (value >= 0) Number(name, value);
  }
  void Number(std::string_view name, double value) { Name(name).Write(value); }
  void Known(std::string_view name, const std::array<std::int32_t, 3>& shape) {
    if (shape[0] < 0) return;
    Name(name).BeginArray();
    for (const std::int32_t extent : shape) writer_.Write(extent);
    writer_.EndArray();
  }
  void Text(std::string_view name, StringId text) {
    if (text == kEmptyString) return;
    Name(name).Write(trace_.strings.Get(text));
  }

 private:
  json::Writer& Name(std::string_view name) {
    if (!any_) writer_.BeginObject();
    any_ = true;
    return writer_.Key(name);
  }

  json::Writer writer_;
  const RankTrace& trace_;
  bool any_ = false;
};

void WriteCollective(ArgsWriter& args, const RankTrace& trace, std::uint32_t index) {
  if (index == kNoAux) return;
  const CollectiveArgs& collective = trace.collectives[index];
  args.Text("Collective name", collective.name);
  args.Known("In msg nelems", collective.in_elements);
  args.Known("Out msg nelems", collective.out_elements);
  args.Known("Group size", std::int64_t{collective.group_size});
  args.Text("dtype", collective.dtype);
  args.Text("In split size", collective.in_split);
  args.Text("Out split size", collective.out_split);
  args.Text("Process Group Name", collective.group_name);
  args.Text("Process Group Description", collective.group_desc);
  args.Text("Process Group Ranks", collective.group_ranks);
  args.Known("Seq", std::int64_t{collective.sequence});
  args.Known("Src Rank", std::int64_t{collective.source_rank});
  args.Known("Dst Rank", std::int64_t{collective.destination_rank});
}

void WriteKernel(ArgsWriter& args, const RankTrace& trace, const KernelArgs& kernel) {
  args.Known("grid", kernel.grid);
  args.Known("block", kernel.block);
  args.Known("registers per thread", std::int64_t{kernel.registers_per_thread});
  args.Known("shared memory", std::int64_t{kernel.shared_memory_bytes});
  args.Known("blocks per SM", static_cast<double>(kernel.blocks_per_sm));
  args.Known("warps per SM", static_cast<double>(kernel.warps_per_sm));
  args.Known("est. achieved occupancy %", static_cast<double>(kernel.occupancy_pct));
  args.Known("context", std::int64_t{kernel.context});
  WriteCollective(args, trace, kernel.collective);
}

void WriteOp(ArgsWriter& args, const RankTrace& trace, const OpArgs& op) {
  args.Text("Input Dims", op.input_dims);
  args.Text("Input type", op.input_types);
  args.Text("Input Strides", op.input_strides);
  args.Text("Concrete Inputs", op.concrete_inputs);
  args.Known("Sequence number", op.sequence_number);
  args.Known("Fwd thread id", std::int64_t{op.forward_thread});
  WriteCollective(args, trace, op.collective);
}

void WriteMemory(ArgsWriter& args, const MemoryArgs& memory) {
  args.Int("Addr", memory.address);
  args.Int("Bytes", memory.bytes);
  args.Known("Total Allocated", memory.total_allocated);
  args.Known("Total Reserved", memory.total_reserved);
  args.Known("Device Type", std::int64_t{memory.device_type});
  args.Known("Device Id", std::int64_t{memory.device});
}

void WriteOfKind(ArgsWriter& args, const RankTrace& trace, Row row) {
  const std::uint32_t aux = trace.aux[row];
  if (aux == kNoAux) return;
  switch (trace.kind[row]) {
    case EventKind::kKernel:
      return WriteKernel(args, trace, trace.kernels[aux]);
    case EventKind::kMemcpy:
    case EventKind::kMemset:
      args.Known("bytes", trace.copies[aux].bytes);
      return args.Known("memory bandwidth (GB/s)", trace.copies[aux].bandwidth_gb_per_s);
    case EventKind::kCpuOp:
    case EventKind::kUserAnnotation:
      return WriteOp(args, trace, trace.ops[aux]);
    case EventKind::kMemoryInstant:
      return WriteMemory(args, trace.memory[aux]);
    case EventKind::kPythonFunction:
      args.Known("Python id", std::int64_t{trace.python[aux].id});
      args.Known("Python parent id", std::int64_t{trace.python[aux].parent_id});
      return args.Known("Python module id", std::int64_t{trace.python[aux].module_id});
    case EventKind::kDeviceSync:
      args.Known("wait_on_cuda_event_record_corr_id", trace.syncs[aux].record_correlation);
      args.Known("wait_on_stream", std::int64_t{trace.syncs[aux].wait_on_stream});
      return args.Known("wait_on_cuda_event_id", std::int64_t{trace.syncs[aux].event_id});
    case EventKind::kProfilerRange:
    case EventKind::kCounter:
      for (const CounterArgs& counter : trace.CountersOf(row))
        args.Number(trace.strings.Get(counter.name), counter.value);
      return;
    case EventKind::kRuntime:
      return args.Text("kernel", aux);
    default:
      return;
  }
}

}  // namespace

void AppendEventArgs(std::string& out, const RankTrace& trace, Row row) {
  ArgsWriter args(out, trace);
  if (trace.external_id[row] != kNoId) args.Int("External id", trace.external_id[row]);
  if (trace.correlation[row] != kNoCorrelation) args.Int("correlation", trace.correlation[row]);
  WriteOfKind(args, trace, row);
}

}  // namespace rankscope::sql
