#include "formats/kineto/writer.h"

#include <algorithm>
#include <utility>

namespace rankscope::kineto {
namespace {

constexpr std::size_t kBufferBytes = 1 << 20;
// More than the fixed text and numbers of the longest event (a collective's kernel: ~1.4 KB).
constexpr std::size_t kFixedBytes = 4096;
// An escaped byte takes up to six.
constexpr std::size_t kEscapeFactor = 6;

std::size_t BytesOf(const CollectiveEventArgs* args) {
  if (args == nullptr) return 0;
  return args->name.size() + args->dtype.size() + args->in_split.size() + args->out_split.size() +
         args->group_name.size() + args->group_description.size() + args->group_ranks.size();
}

std::size_t BytesOf(const OpShapes* shapes) {
  if (shapes == nullptr) return 0;
  return shapes->input_dims_json.size() + shapes->input_types_json.size() +
         shapes->concrete_inputs_json.size();
}

}  // namespace

Result<std::unique_ptr<Writer>> Writer::Create(const std::string& path, const TraceHeader& header) {
  RS_ASSIGN_OR_RETURN(auto sink, WriterSink::Create(path));
  auto writer = std::unique_ptr<Writer>(new Writer(std::move(sink), header.trace_name));
  writer->Header(header);
  RS_RETURN_IF_ERROR(writer->status());
  return writer;
}

Writer::Writer(std::unique_ptr<WriterSink> sink, std::string trace_name)
    : sink_(std::move(sink)), text_(kBufferBytes), trace_name_(std::move(trace_name)) {}

Status Writer::Finish() {
  if (!text_.Fits(kFixedBytes + kEscapeFactor * trace_name_.size())) Flush();
  text_.Literal("\n  ],\n  \"traceName\": \"");
  text_.Escaped(trace_name_);
  text_.Literal("\"\n}\n");
  Flush();
  RS_RETURN_IF_ERROR(status_);
  return sink_->Finish();
}

void Writer::Flush() {
  if (status_.ok()) status_ = sink_->Write(text_.text());
  text_.Clear();
}

void Writer::Begin(std::size_t string_bytes) {
  const std::size_t need = kFixedBytes + kEscapeFactor * string_bytes;
  if (!text_.Fits(need)) {
    Flush();
    if (!text_.Fits(need)) text_.Grow(need);
  }
  if (event_count_++ == 0) {
    text_.Literal("\n  {\n    ");
  } else {
    text_.Literal(",\n  {\n    ");
  }
}

void Writer::End() { text_.Literal("\n  }"); }

void Writer::CompleteHead(std::string_view category, std::string_view name, std::int64_t pid,
                          std::int64_t tid, std::int64_t ts_ns, std::int64_t dur_ns) {
  text_.Literal("\"ph\": \"X\", \"cat\": \"");
  text_.Raw(category);
  text_.Literal("\", \"name\": \"");
  text_.Escaped(name);
  text_.Literal("\", \"pid\": ");
  text_.Int(pid);
  text_.Literal(", \"tid\": ");
  text_.Int(tid);
  text_.Literal(",\n    \"ts\": ");
  text_.Micros(ts_ns);
  text_.Literal(", \"dur\": ");
  text_.Micros(dur_ns);
  text_.Literal(",\n    \"args\": {\n      ");
}

// Device activities without a linked op have no external id, and Kineto then begins with the next.
void Writer::ExternalId(std::int64_t id) {
  if (id < 0) return;
  text_.Literal("\"External id\": ");
  text_.Int(id);
  text_.Literal(",\n      ");
}

void Writer::Op(const OpEvent& event) {
  Begin(event.category.size() + event.name.size() + BytesOf(event.shapes) +
        BytesOf(event.collective));
  CompleteHead(event.category, event.name, event.pid, event.tid, event.ts_ns, event.dur_ns);
  bool first = true;
  const auto separate = [this, &first] {
    if (!first) text_.Literal(", ");
    first = false;
  };
  if (event.external_id >= 0) {
    separate();
    text_.Literal("\"External id\": ");
    text_.Int(event.external_id);
  }
  if (event.record_function_id >= 0) {
    separate();
    text_.Literal("\"Record function id\": ");
    text_.Int(event.record_function_id);
  }
  if (event.collective != nullptr) {
    separate();
    Collective(*event.collective);
  }
  if (event.shapes != nullptr) {
    separate();
    text_.Literal("\"Concrete Inputs\": ");
    text_.Raw(event.shapes->concrete_inputs_json);
    text_.Literal(", \"Input type\": ");
    text_.Raw(event.shapes->input_types_json);
    text_.Literal(", \"Input Dims\": ");
    text_.Raw(event.shapes->input_dims_json);
  }
  if (event.sequence_number >= 0) {
    separate();
    text_.Literal("\"Sequence number\": ");
    text_.Int(event.sequence_number);
    text_.Literal(", \"Fwd thread id\": ");
    text_.Int(event.forward_thread);
  }
  if (event.event_index >= 0) {
    separate();
    text_.Literal("\"Ev Idx\": ");
    text_.Int(event.event_index);
  }
  text_.Literal("\n    }");
  End();
}

void Writer::Collective(const CollectiveEventArgs& args) {
  text_.Literal("\"Collective name\": \"");
  text_.Escaped(args.name);
  text_.Literal("\", \"In msg nelems\": ");
  text_.Int(args.in_elements);
  text_.Literal(", \"Out msg nelems\": ");
  text_.Int(args.out_elements);
  text_.Literal(", \"Group size\": ");
  text_.Int(args.group_size);
  text_.Literal(", \"dtype\": \"");
  text_.Escaped(args.dtype);
  text_.Literal("\", \"In split size\": \"");
  text_.Escaped(args.in_split);
  text_.Literal("\", \"Out split size\": \"");
  text_.Escaped(args.out_split);
  text_.Literal("\", \"Process Group Name\": \"");
  text_.Escaped(args.group_name);
  text_.Literal("\", \"Process Group Description\": \"");
  text_.Escaped(args.group_description);
  text_.Literal("\", \"Process Group Ranks\": \"");
  text_.Escaped(args.group_ranks);
  text_.Literal("\"");
  if (args.sequence >= 0) {
    text_.Literal(", \"Seq\": ");
    text_.Int(args.sequence);
  }
  if (args.source_rank >= 0) {
    text_.Literal(", \"Src Rank\": ");
    text_.Int(args.source_rank);
  }
  if (args.destination_rank >= 0) {
    text_.Literal(", \"Dst Rank\": ");
    text_.Int(args.destination_rank);
  }
}

void Writer::Runtime(const RuntimeEvent& event) {
  Begin(event.category.size() + event.name.size());
  CompleteHead(event.category, event.name, event.pid, event.tid, event.ts_ns, event.dur_ns);
  ExternalId(event.external_id);
  text_.Literal("\"cbid\": ");
  text_.Int(event.cbid);
  text_.Literal(", \"correlation\": ");
  text_.Int(event.correlation);
  text_.Literal("\n    }");
  End();
}

void Writer::Kernel(const KernelEvent& event) {
  const auto triple = [this](const std::array<int, 3>& values) {
    text_.Int(values[0]);
    text_.Literal(", ");
    text_.Int(values[1]);
    text_.Literal(", ");
    text_.Int(values[2]);
  };
  Begin(event.name.size() + BytesOf(event.collective));
  CompleteHead("kernel", event.name, event.device, event.stream, event.ts_ns, event.dur_ns);
  ExternalId(event.external_id);
  text_.Literal("\"queued\": 0, \"device\": ");
  text_.Int(event.device);
  text_.Literal(", \"context\": ");
  text_.Int(event.context);
  text_.Literal(",\n      \"stream\": ");
  text_.Int(event.stream);
  text_.Literal(", \"correlation\": ");
  text_.Int(event.correlation);
  text_.Literal(",\n      \"registers per thread\": ");
  text_.Int(event.registers_per_thread);
  text_.Literal(",\n      \"shared memory\": ");
  text_.Int(event.shared_memory_bytes);
  text_.Literal(",\n      \"blocks per SM\": ");
  text_.Fixed6(event.blocks_per_sm);
  text_.Literal(",\n      \"warps per SM\": ");
  text_.Fixed6(event.warps_per_sm);
  text_.Literal(",\n      \"grid\": [");
  triple(event.grid);
  text_.Literal("],\n      \"block\": [");
  triple(event.block);
  text_.Literal("],\n      \"est. achieved occupancy %\": ");
  text_.Int(event.occupancy_pct);
  if (event.graph_id >= 0) {
    text_.Literal(",\n      \"graph id\": ");
    text_.Int(event.graph_id);
    text_.Literal(", \"graph node id\": ");
    text_.Int(event.graph_node_id);
  }
  if (event.collective != nullptr) {
    text_.Literal(", ");
    Collective(*event.collective);
  }
  text_.Literal("\n    }");
  End();
}

void Writer::Copy(const CopyEvent& event) {
  Begin(event.category.size() + event.name.size());
  CompleteHead(event.category, event.name, event.device, event.stream, event.ts_ns, event.dur_ns);
  ExternalId(event.external_id);
  text_.Literal("\"device\": ");
  text_.Int(event.device);
  text_.Literal(", \"context\": ");
  text_.Int(event.context);
  text_.Literal(",\n      \"stream\": ");
  text_.Int(event.stream);
  text_.Literal(", \"correlation\": ");
  text_.Int(event.correlation);
  text_.Literal(",\n      \"bytes\": ");
  text_.Int(event.bytes);
  text_.Literal(", \"memory bandwidth (GB/s)\": ");
  if (event.dur_ns > 0) {
    text_.Shortest(static_cast<double>(event.bytes) / static_cast<double>(event.dur_ns));
  } else {
    text_.Literal("\"N/A\"");
  }
  text_.Literal("\n    }");
  End();
}

void Writer::Sync(const SyncEvent& event) {
  Begin(2 * event.name.size());
  CompleteHead("cuda_sync", event.name, event.device, event.stream, event.ts_ns, event.dur_ns);
  ExternalId(event.external_id);
  text_.Literal("\"cuda_sync_kind\": \"");
  text_.Escaped(event.name);
  text_.Literal("\",\n      ");
  if (event.wait_on_stream >= 0) {
    text_.Literal("\"wait_on_stream\": ");
    text_.Int(event.wait_on_stream);
    text_.Literal(",\n      \"wait_on_cuda_event_record_corr_id\": ");
    text_.Int(event.wait_on_record_correlation);
    text_.Literal(",\n      \"wait_on_cuda_event_id\": ");
    text_.Int(event.wait_on_event_id);
    text_.Literal(",\n      ");
  }
  text_.Literal("\"stream\": ");
  text_.Int(event.stream);
  text_.Literal(", \"correlation\": ");
  text_.Int(event.correlation);
  text_.Literal(",\n      \"device\": ");
  text_.Int(event.device);
  text_.Literal(", \"context\": ");
  text_.Int(event.context);
  text_.Literal("\n    }");
  End();
}

void Writer::DeviceAnnotation(const DeviceAnnotationEvent& event) {
  Begin(event.name.size());
  CompleteHead("gpu_user_annotation", event.name, event.device, event.stream, event.ts_ns,
               event.dur_ns);
  text_.Literal("\"External id\": ");
  text_.Int(event.external_id);
  text_.Literal("\n    }");
  End();
}

void Writer::Memory(const MemoryEvent& event) {
  Begin(0);
  text_.Literal(
      "\"ph\": \"i\", \"cat\": \"cpu_instant_event\", \"s\": \"t\", \"name\": \"[memory]\",\n"
      "    \"pid\": ");
  text_.Int(event.pid);
  text_.Literal(", \"tid\": ");
  text_.Int(event.tid);
  text_.Literal(",\n    \"ts\": ");
  text_.Micros(event.ts_ns);
  text_.Literal(",\n    \"args\": {\n      \"Total Reserved\": ");
  text_.Int(event.total_reserved_bytes);
  text_.Literal(", \"Total Allocated\": ");
  text_.Int(event.total_allocated_bytes);
  text_.Literal(", \"Bytes\": ");
  text_.Int(event.bytes);
  text_.Literal(", \"Addr\": ");
  text_.Int(event.address);
  text_.Literal(", \"Device Id\": ");
  text_.Int(event.device);
  text_.Literal(", \"Device Type\": ");
  text_.Int(event.device_type);
  text_.Literal(", \"Ev Idx\": ");
  text_.Int(event.event_index);
  text_.Literal("\n    }");
  End();
}

void Writer::Python(const PythonEvent& event) {
  Begin(event.name.size());
  CompleteHead("python_function", event.name, event.pid, event.tid, event.ts_ns, event.dur_ns);
  text_.Literal("\"Python parent id\": ");
  if (event.parent_id >= 0) {
    text_.Int(event.parent_id);
  } else {
    text_.Literal("null");
  }
  text_.Literal(", \"Python id\": ");
  text_.Int(event.id);
  if (event.module_id >= 0) {
    text_.Literal(", \"Python module id\": ");
    text_.Int(event.module_id);
  }
  text_.Literal(", \"Ev Idx\": ");
  text_.Int(event.event_index);
  text_.Literal("\n    }");
  End();
}

void Writer::FlowStart(const FlowPoint& point) { Flow('s', point); }
void Writer::FlowEnd(const FlowPoint& point) { Flow('f', point); }

void Writer::Flow(char phase, const FlowPoint& point) {
  const std::string_view name = point.kind == FlowKind::kLaunch ? "ac2g" : "fwdbwd";
  Begin(0);
  text_.Literal("\"ph\": \"");
  text_.Raw({&phase, 1});
  text_.Literal("\", \"id\": ");
  text_.Int(point.id);
  text_.Literal(", \"pid\": ");
  text_.Int(point.pid);
  text_.Literal(", \"tid\": ");
  text_.Int(point.tid);
  text_.Literal(", \"ts\": ");
  text_.Micros(point.ts_ns);
  text_.Literal(",\n    \"cat\": \"");
  text_.Raw(name);
  text_.Literal("\", \"name\": \"");
  text_.Raw(name);
  text_.Literal("\"");
  if (phase == 'f') text_.Literal(", \"bp\": \"e\"");
  End();
}

}  // namespace rankscope::kineto
