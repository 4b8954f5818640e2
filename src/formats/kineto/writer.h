// Writer: streams a profiler trace as the JSON that Kineto writes, event by event.
//
//   RS_ASSIGN_OR_RETURN(auto writer, kineto::Writer::Create("rank0.pt.trace.json.gz", header));
//   writer->Op({.name = "aten::mm", .pid = 1, .tid = 1, .ts_ns = 10, .dur_ns = 5});
//   RS_RETURN_IF_ERROR(writer->Finish());
//
// The text follows libkineto's chrome trace logger of 2024 and later: header keys, then
// baseTimeNanoseconds and displayTimeUnit, then traceEvents, then traceName; the same keys in the
// same order with the same line breaks. Events may come in any order. The text is composed by hand
// instead of with json::Writer, for the sake of that layout and of speed.
//
// Times are int64 nanoseconds relative to the header's base and are printed as microseconds with
// three decimals, digit by digit. Unknown is -1 (ids, sizes) or an empty view (text) and is left
// out. Texts are views that need to live only for the call; names are escaped, and parameters
// called `*_json` are JSON text that is copied as it is.
//
// The first error is kept: nothing more is written, and Finish reports it. Without Finish no
// file appears. Cost: ~0.15 us per event, one 1 MiB buffer, no allocation per event. Not
// thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "formats/kineto/tokens/writer_text.h"
#include "formats/kineto/writer_sink.h"

namespace rankscope::kineto {

// One entry of deviceProperties. The defaults are those of all NVIDIA devices since Volta.
struct DeviceHeader {
  std::int64_t id = 0;
  std::string name;
  std::int64_t total_memory_bytes = 0;
  int compute_major = 0;
  int compute_minor = 0;
  int max_threads_per_block = 1024;
  int max_threads_per_sm = 2048;
  int registers_per_block = 65536;
  int warp_size = 32;
  std::int64_t shared_memory_per_block_bytes = 49152;
  std::int64_t shared_memory_per_block_optin_bytes = 0;
  std::int64_t shared_memory_per_sm_bytes = 0;
  int sm_count = 0;
};

// One entry of distributedInfo's pg_config.
struct ProcessGroupHeader {
  std::string name;         // "0"
  std::string description;  // "default_pg"
  std::string backend_config = "cuda:nccl";
  std::vector<std::int64_t> ranks;
};

struct TraceHeader {
  std::int64_t base_ns = 0;  // baseTimeNanoseconds
  std::vector<DeviceHeader> devices;
  std::int64_t rank = -1;  // -1 = not distributed: no distributedInfo
  std::int64_t world_size = -1;
  std::string backend = "nccl";
  std::string nccl_version;
  std::vector<ProcessGroupHeader> groups;
  std::string host_name;  // empty: not written
  std::string trace_name;
  std::string trace_id;
  bool record_shapes = false;
  bool profile_memory = false;
  bool with_stack = false;
};

// What a collective's record_param_comms op and its kernel say about it.
struct CollectiveEventArgs {
  std::string_view name;  // "allreduce"
  std::int64_t in_elements = 0;
  std::int64_t out_elements = 0;
  std::int64_t group_size = 0;
  std::string_view dtype;  // "BFloat16"
  std::string_view in_split = "[]";
  std::string_view out_split = "[]";
  std::string_view group_name;         // "0"
  std::string_view group_description;  // "default_pg"
  std::string_view group_ranks;        // "[0, 1]"
  std::int64_t sequence = -1;          // "Seq"
  std::int64_t source_rank = -1;       // of a recv: "Src Rank"
  std::int64_t destination_rank = -1;  // of a send: "Dst Rank"
};

// Arguments that record_shapes adds to an op, as JSON arrays.
struct OpShapes {
  std::string_view input_dims_json;       // [[8, 16], []]
  std::string_view input_types_json;      // ["c10::BFloat16", "Scalar"]
  std::string_view concrete_inputs_json;  // ["", "1"]
};

// cpu_op and user_annotation.
struct OpEvent {
  std::string_view category = "cpu_op";
  std::string_view name;
  std::int64_t pid = 0;
  std::int64_t tid = 0;
  std::int64_t ts_ns = 0;
  std::int64_t dur_ns = 0;
  std::int64_t external_id = -1;
  std::int64_t record_function_id = -1;
  std::int64_t sequence_number = -1;  // autograd's; printed together with the forward thread
  std::int64_t forward_thread = 0;    // "Fwd thread id": 0 on the forward op itself
  std::int64_t event_index = -1;      // "Ev Idx"
  const OpShapes* shapes = nullptr;
  const CollectiveEventArgs* collective = nullptr;
};

// A call of the device API on a host thread.
struct RuntimeEvent {
  std::string_view category = "cuda_runtime";
  std::string_view name;  // "cudaLaunchKernel"
  std::int64_t pid = 0;
  std::int64_t tid = 0;
  std::int64_t ts_ns = 0;
  std::int64_t dur_ns = 0;
  std::int64_t external_id = -1;
  int cbid = 0;  // CUPTI's number of the call: 211 cudaLaunchKernel, 41 cudaMemcpyAsync, ...
  std::int64_t correlation = 0;
};

struct KernelEvent {
  std::string_view name;
  std::int64_t device = 0;
  std::int64_t stream = 0;
  std::int64_t ts_ns = 0;
  std::int64_t dur_ns = 0;
  std::int64_t external_id = -1;
  std::int64_t correlation = 0;
  int context = 1;
  int registers_per_thread = 0;
  std::int64_t shared_memory_bytes = 0;
  double blocks_per_sm = 0;
  double warps_per_sm = 0;
  std::array<int, 3> grid{1, 1, 1};
  std::array<int, 3> block{1, 1, 1};
  int occupancy_pct = 0;
  std::int64_t graph_id = -1;  // of the CUDA graph that it is a node of; printed with the node's
  std::int64_t graph_node_id = -1;
  const CollectiveEventArgs* collective = nullptr;
};

// gpu_memcpy and gpu_memset. The printed bandwidth is bytes / dur.
struct CopyEvent {
  std::string_view category = "gpu_memcpy";
  std::string_view name;  // "Memcpy HtoD (Pinned -> Device)"
  std::int64_t device = 0;
  std::int64_t stream = 0;
  std::int64_t ts_ns = 0;
  std::int64_t dur_ns = 0;
  std::int64_t external_id = -1;
  std::int64_t correlation = 0;
  int context = 1;
  std::int64_t bytes = 0;
};

// cuda_sync: a wait as the device API saw it. The three wait_* are printed if wait_on_stream is
// known, as for "Stream Wait Event" and "Event Sync".
struct SyncEvent {
  std::string_view name;  // "Stream Sync", "Stream Wait Event", "Event Sync", "Context Sync"
  std::int64_t device = 0;
  std::int64_t stream = -1;  // -1 is printed: a context has no stream
  std::int64_t ts_ns = 0;
  std::int64_t dur_ns = 0;
  std::int64_t external_id = -1;
  std::int64_t correlation = 0;
  int context = 1;
  std::int64_t wait_on_stream = -1;
  std::int64_t wait_on_record_correlation = -1;
  std::int64_t wait_on_event_id = -1;
};

// gpu_user_annotation: an annotation projected on the stream of its kernels. Kineto begins it 1 ns
// before the first kernel and ends it 1 ns after the last; the caller passes those times.
struct DeviceAnnotationEvent {
  std::string_view name;
  std::int64_t device = 0;
  std::int64_t stream = 0;
  std::int64_t ts_ns = 0;
  std::int64_t dur_ns = 0;
  std::int64_t external_id = -1;
};

// cpu_instant_event "[memory]": an allocation (bytes > 0) or release (bytes < 0).
struct MemoryEvent {
  std::int64_t pid = 0;
  std::int64_t tid = 0;
  std::int64_t ts_ns = 0;
  std::int64_t total_reserved_bytes = 0;
  std::int64_t total_allocated_bytes = 0;
  std::int64_t bytes = 0;
  std::int64_t address = 0;
  std::int64_t device = 0;
  int device_type = 1;  // c10::DeviceType: 0 CPU, 1 CUDA
  std::int64_t event_index = -1;
};

enum class FlowKind : std::uint8_t {
  kLaunch,           // "ac2g": host call to device work
  kForwardBackward,  // "fwdbwd"
};

// python_function: a frame of a profile with stacks. Times of a frame lie within its parent's.
struct PythonEvent {
  std::string_view name;  // "train.py(12): main", "nn.Module: Linear_3", "<built-in function len>"
  std::int64_t pid = 0;
  std::int64_t tid = 0;
  std::int64_t ts_ns = 0;
  std::int64_t dur_ns = 0;
  std::int64_t id = 0;          // "Python id", from 1
  std::int64_t parent_id = -1;  // -1 is printed as null
  std::int64_t module_id = -1;  // of an nn.Module: its number among those of its class
  std::int64_t event_index = -1;
};

// An end of a flow arrow, at the start of the event that it is bound to.
struct FlowPoint {
  FlowKind kind = FlowKind::kLaunch;
  std::int64_t id = 0;
  std::int64_t pid = 0;
  std::int64_t tid = 0;
  std::int64_t ts_ns = 0;
};

class Writer {
 public:
  // Creates the (temporary) file and writes the header. Gzip when `path` ends in ".gz".
  static Result<std::unique_ptr<Writer>> Create(const std::string& path, const TraceHeader& header);

  void Op(const OpEvent& event);
  void Runtime(const RuntimeEvent& event);
  void Kernel(const KernelEvent& event);
  void Copy(const CopyEvent& event);
  void Sync(const SyncEvent& event);
  void DeviceAnnotation(const DeviceAnnotationEvent& event);
  void Memory(const MemoryEvent& event);
  void Python(const PythonEvent& event);
  void FlowStart(const FlowPoint& point);
  void FlowEnd(const FlowPoint& point);

  // Metadata records: three for a process (or a device), two for a thread (or a stream).
  void Process(std::int64_t pid, std::int64_t ts_ns, std::string_view name, std::string_view label,
               std::int64_t sort_index);
  void Thread(std::int64_t pid, std::int64_t tid, std::int64_t ts_ns, std::string_view name,
              std::int64_t sort_index);
  // The profiler's own span with its sort index and "Iteration Start" instant: three events.
  void ProfilerSpan(std::int64_t ts_ns, std::int64_t dur_ns, std::string_view name, int iteration);
  void RecordWindowEnd(std::int64_t ts_ns);

  // The first error so far.
  const Status& status() const { return status_; }
  // Writes the end of the document and gives the file its name. Call once, last.
  Status Finish();

  std::uint64_t event_count() const { return event_count_; }
  // Size of the text before compression; complete after Finish.
  std::uint64_t text_bytes() const { return sink_->text_bytes() + text_.size(); }

 private:
  Writer(std::unique_ptr<WriterSink> sink, std::string trace_name);

  void Header(const TraceHeader& header);
  // Makes room for an event whose strings have `string_bytes` and opens it.
  void Begin(std::size_t string_bytes);
  void End();
  void Flush();
  void CompleteHead(std::string_view category, std::string_view name, std::int64_t pid,
                    std::int64_t tid, std::int64_t ts_ns, std::int64_t dur_ns);
  void ExternalId(std::int64_t id);
  void Collective(const CollectiveEventArgs& args);
  void Flow(char phase, const FlowPoint& point);
  void MetadataHead(std::string_view what, std::int64_t pid, std::int64_t tid, std::int64_t ts_ns);
  void NameRecord(std::string_view what, std::int64_t pid, std::int64_t tid, std::int64_t ts_ns,
                  std::string_view key, std::string_view value);
  void SortRecord(std::string_view what, std::int64_t pid, std::int64_t tid, std::int64_t ts_ns,
                  std::int64_t sort_index);

  std::unique_ptr<WriterSink> sink_;
  TextBuffer text_;
  Status status_;
  std::string trace_name_;
  std::uint64_t event_count_ = 0;
};

}  // namespace rankscope::kineto
