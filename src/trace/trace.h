// RankTrace: the whole content of one profiler trace file about one rank, in columns.
//
// Layout. Rows are events with a place on a timeline: complete events (ph X, or a matched B/E
// pair), instants and any other events of the format. Flow points and metadata records are not
// rows; they become links, names and counts. Rows are sorted by (track, ts, longer first, source),
// so a track is one contiguous range of rows and parents precede their children. A row's
// user-visible identity is `source`, its index in the file's traceEvents.
//
// Time is int64 nanoseconds relative to `base_ns` (Kineto's baseTimeNanoseconds, 0 in older files
// whose timestamps count from the Unix epoch): absolute = base_ns + ts. A row without a duration
// has kNoDuration.
//
// Ownership and threads: a RankTrace owns its columns, or views a mapped cache file that it keeps
// open. It is immutable after load, so any number of threads may read it. Cost: 54 bytes per row
// plus side tables for the rows that have them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/column.h"
#include "trace/strings.h"

namespace rankscope {

using Row = std::uint32_t;
inline constexpr Row kNoRow = 0xFFFFFFFF;
inline constexpr std::uint32_t kNoAux = 0xFFFFFFFF;
inline constexpr std::int64_t kNoDuration = -1;
// No time is further than 146 years from its base, nor a base from the epoch, so the sum of a base,
// a time and a duration does not overflow.
inline constexpr std::int64_t kMaxTimeNs = INT64_MAX / 2;
inline constexpr std::int64_t kNoCorrelation = -1;
inline constexpr std::int32_t kNoId = -1;

// The kind of an event, across vendors and generations of the format. `category` keeps the file's
// own category string.
enum class EventKind : std::uint8_t {
  kCpuOp,           // cpu_op, Operator
  kUserAnnotation,  // user_annotation: record_function, ProfilerStep#N
  kPythonFunction,  // python_function
  kRuntime,     // cuda_runtime, cuda_driver, hip runtime, mtia_runtime, xpu_runtime: calls of the
                // device API
  kKernel,      // kernel, mtia_ccp_events that execute
  kMemcpy,      // gpu_memcpy
  kMemset,      // gpu_memset
  kDeviceSync,  // cuda_sync: waits as the device API sees them
  kDeviceAnnotation,  // gpu_user_annotation
  kMemoryInstant,     // cpu_instant_event named [memory]
  kInstant,           // any other event without extent
  kOverhead,          // overhead: the profiler's own cost
  kProfilerRange,     // cuda_profiler_range: CUPTI's counters of a kernel or range
  kCounter,           // ph C: counters sampled at a time
  kCpuSample,         // cpu_sample: a frame of sampled stacks, on a track beside the thread's
  kOther,
};
inline constexpr int kEventKindCount = 16;
std::string_view ToString(EventKind kind);
// Work that occupies a device: kernel, memcpy, memset.
constexpr bool IsDeviceWork(EventKind kind) {
  return kind == EventKind::kKernel || kind == EventKind::kMemcpy || kind == EventKind::kMemset;
}

enum class Domain : std::uint8_t {
  kHost,              // a CPU thread: (pid, tid)
  kDevice,            // a stream: (device, stream)
  kDeviceSync,        // device-side waits of a stream; they overlap its kernels
  kDeviceAnnotation,  // annotations projected on a stream
  kOther,             // the profiler's own tracks and anything else
};

// The domain of rows of a kind. Rows of host kinds are in kOther instead if the file puts them on
// the profiler's own track.
constexpr Domain DomainOf(EventKind kind) {
  switch (kind) {
    case EventKind::kKernel:
    case EventKind::kMemcpy:
    case EventKind::kMemset:
      return Domain::kDevice;
    case EventKind::kDeviceSync:
      return Domain::kDeviceSync;
    case EventKind::kDeviceAnnotation:
      return Domain::kDeviceAnnotation;
    case EventKind::kOverhead:
    case EventKind::kProfilerRange:
    case EventKind::kCounter:
    case EventKind::kCpuSample:
      return Domain::kOther;
    default:
      return Domain::kHost;
  }
}

// Whether a row of that kind and domain counts for the bounds of the recording: stack samples and
// stray calls (stray_calls.h) do not.
constexpr bool CountsForBounds(EventKind kind, Domain domain) {
  return kind != EventKind::kCpuSample && (kind != EventKind::kRuntime || domain != Domain::kOther);
}

// A timeline. `first`/`second` are (pid, tid) or (device, stream); text ids (pid "Traces") are kept
// in `label`.
struct Track {
  std::int64_t first = 0;
  std::int64_t second = 0;
  Row begin = 0;  // its rows are [begin, end)
  Row end = 0;
  StringId name = kEmptyString;  // thread_name, or the text of non-numeric ids
  StringId process = kEmptyString;
  Domain domain = Domain::kHost;
  std::uint8_t padding[3] = {};
};
static_assert(sizeof(Track) == 40);

// --- side tables: arguments of only some rows; RankTrace::aux is the index into the table for the
// row's kind. Calls of the device API have none: their aux is the StringId of the launched kernel,
// if the call states it, like HIP's ---

// Launch shape of a kernel. Unknown is -1.
struct KernelArgs {
  std::array<std::int32_t, 3> grid{-1, -1, -1};
  std::array<std::int32_t, 3> block{-1, -1, -1};
  std::int32_t registers_per_thread = -1;
  std::int32_t shared_memory_bytes = -1;
  float blocks_per_sm = -1;
  float warps_per_sm = -1;
  float occupancy_pct = -1;  // "est. achieved occupancy %"
  std::int32_t context = -1;
  std::uint32_t collective = kNoAux;  // index into RankTrace::collectives
};
static_assert(sizeof(KernelArgs) == 52);

// Arguments of a collective, on its kernel or on its record_param_comms op. Unknown is -1 or the
// empty string.
struct CollectiveArgs {
  std::int64_t in_elements = -1;
  std::int64_t out_elements = -1;
  StringId name = kEmptyString;         // "allreduce", "_allgather_base", ...
  StringId dtype = kEmptyString;        // "Float", "BFloat16", ...
  StringId group_name = kEmptyString;   // "Process Group Name"
  StringId group_desc = kEmptyString;   // "Process Group Description"
  StringId group_ranks = kEmptyString;  // "[0, 1, ...]" as text; may be truncated by Kineto
  StringId in_split = kEmptyString;
  StringId out_split = kEmptyString;
  std::int32_t group_size = -1;
  std::int32_t sequence = -1;          // "Seq"
  std::int32_t source_rank = -1;       // "Src Rank"
  std::int32_t destination_rank = -1;  // "Dst Rank"
  Row row = kNoRow;                    // the row with these arguments
};
static_assert(sizeof(CollectiveArgs) == 64);

struct CopyArgs {
  std::int64_t bytes = -1;
  double bandwidth_gb_per_s = -1;  // from the profiler, decimal GB/s
};

struct OpArgs {
  StringId input_dims = kEmptyString;  // JSON text as in the file, "[[2, 3], []]"
  StringId input_types = kEmptyString;
  StringId input_strides = kEmptyString;
  StringId concrete_inputs = kEmptyString;
  std::int64_t sequence_number = -1;  // autograd's; joins forward and backward
  std::int32_t forward_thread = -1;   // "Fwd thread id"
  std::uint32_t collective = kNoAux;  // record_param_comms
};
static_assert(sizeof(OpArgs) == 32);

struct MemoryArgs {
  std::int64_t address = 0;
  std::int64_t bytes = 0;  // negative = freed
  std::int64_t total_allocated = -1;
  std::int64_t total_reserved = -1;
  std::int32_t device_type = -1;  // c10::DeviceType: 0 CPU, 1 CUDA, 6 HIP
  std::int32_t device = -1;
};
static_assert(sizeof(MemoryArgs) == 40);

struct PythonArgs {
  std::int32_t id = -1;
  std::int32_t parent_id = -1;
  std::int32_t module_id = -1;
};

struct SyncArgs {
  std::int64_t record_correlation = -1;  // correlation of the cudaEventRecord waited for
  std::int32_t wait_on_stream = -1;
  std::int32_t event_id = -1;
};

// A number of a counter event. The numbers of an event are adjacent, in file order; its aux is the
// first, and the last is marked.
struct CounterArgs {
  double value = 0;  // finite
  StringId name = kEmptyString;
  std::uint32_t is_last = 1;
};
static_assert(sizeof(CounterArgs) == 16);

// The execution trace node joined with an op (formats/et/join.h).
struct NodeOfRow {
  Row row = kNoRow;
  StringId schema = kEmptyString;  // "aten::mm(Tensor self, Tensor mat2) -> Tensor"
  std::int64_t node = -1;          // its id there
};
static_assert(sizeof(NodeOfRow) == 16);

// The file's stream, pid and tid of an event, if they differ from its track: a CPU op with a
// "stream" argument, device work without one, device work with the pid and tid of a chip's own
// numbering. Text ids are those of the track.
struct RowIds {
  std::int64_t pid = 0;
  std::int64_t tid = 0;
  std::int64_t stream = kNoId;  // kNoId: not stated, or not a number
  std::uint32_t source = 0;     // of the row
  std::uint8_t padding[4] = {};
};
static_assert(sizeof(RowIds) == 32);

// --- links, found at load (trace/link.h) ---

struct RowPair {
  Row from = kNoRow;
  Row to = kNoRow;
  friend bool operator==(const RowPair&, const RowPair&) = default;
};

// The source of step begins (trace/steps.h).
enum class StepSource : std::uint8_t {
  kProfiler,    // ProfilerStep#N
  kDevice,      // stated by the file for its devices: XPlane's line "Steps"
  kEngine,      // an annotation of an inference engine: execute_context_1(512)_generation_3(3)
  kAnnotation,  // a numbered annotation of the program: "step 12"
  kOptimizer,   // Optimizer.step#..., with the data loader's calls, if any
  kLoader,      // only the data loader's calls
  kIteration,   // instants "iteration begin"
  kPeriod,      // periodicity
};
inline constexpr int kStepSourceCount = 8;
std::string_view ToString(StepSource source);

// The kind of work in an engine's step: steps of different phases are not comparable.
enum class StepPhase : std::uint8_t {
  kNone,     // the mark names none
  kPrefill,  // prompts alone
  kDecode,   // generation alone
  kMixed,    // both in one batch
  kVerify,   // of drafted tokens (speculative decoding)
  kDraft,    // of tokens by the draft model
  kIdle,     // without requests, to keep in step with other ranks
  kOther,    // named, but none of those
};
inline constexpr int kStepPhaseCount = 8;
std::string_view ToString(StepPhase phase);  // "" for kNone

// One step: the window [begin, end). A window's end is the next step's begin; the last ends at the
// later of its mark and the end of its last linked kernel.
struct Step {
  std::int64_t number = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  Row mark = kNoRow;          // the row that marks or begins the step; kNoRow: no row does
  std::uint8_t inferred = 0;  // no mark states its number: it was counted from 0
  std::uint8_t complete = 1;  // 0 = cut off by the start or end of the recording, or its start-up
  StepSource source = StepSource::kProfiler;
  StepPhase phase = StepPhase::kNone;
};
static_assert(sizeof(Step) == 32);

// Device work with an impossible stated duration: the next work of its stream begins long before
// its end. The row's duration ends at that begin.
struct CutWork {
  std::int64_t stated_ns = 0;  // the duration in the file
  Row row = kNoRow;
  std::uint8_t padding[4] = {};
};
static_assert(sizeof(CutWork) == 16);

// --- quality ---

enum class QualityCode : std::uint8_t {
  kTruncated,  // the file ends too early
  kCorruptGzip,
  kInvalidJson,  // text that is not JSON was skipped
  kInvalidUtf8,
  kBadEvent,  // an event without usable ts, or with a value out of range
  kTrailingGarbage,
  kTooLarge,  // a bound was hit: event, string or nesting
  kNotATrace,
  kMissingMetadata,   // rank, base time or world size had to be guessed
  kUnmatchedLaunch,   // launches without kernels or kernels without launches: records were dropped
  kUnmatchedBegin,    // B without E or E without B
  kDuplicateCapture,  // two files of one rank overlap in time
  kImpossibleDuration,  // work of one stream that runs far into the next one's
  kOutsideRecording,    // calls long before or behind all that was recorded
  kInflateLimit,        // it inflates beyond all bounds, and reading stopped
  kOther,
};
std::string_view ToString(QualityCode code);

struct QualityEntry {
  QualityCode code = QualityCode::kOther;
  std::int64_t byte = -1;  // offset in the uncompressed text; -1 = concerns the whole file
  std::int64_t count = 1;  // how many times; `byte` is the first
  std::string message;     // one sentence: the problem, and what was done or can be done
};

struct DeviceProperties {
  std::int64_t id = 0;
  std::string name;
  std::int64_t memory_bytes = -1;
  std::int32_t sm_count = -1;
  std::int32_t compute_major = -1;
  std::int32_t compute_minor = -1;
  std::int32_t warp_size = -1;
  std::int32_t max_threads_per_sm = -1;
};

// A process group that the rank belongs to, or knows of.
struct ProcessGroup {
  std::string name;                 // "0", "1", ...: the same on all its ranks
  std::string description;          // "default_pg", "mesh_tp", ...; may be empty or "undefined"
  std::string backend;              // "cuda:nccl"
  std::vector<std::int64_t> ranks;  // global; empty when not stated
};

inline constexpr std::string_view kKinetoFormat = "Kineto JSON";

struct TraceMeta {
  std::string path;    // as it was opened
  std::string format;  // its format, such as kKinetoFormat; "" for a trace made by hand
  std::int64_t base_ns = 0;
  bool has_base = false;
  std::int64_t rank = -1;  // distributedInfo.rank; -1 = not stated
  std::int64_t world_size = -1;
  std::string backend;  // distributedInfo.backend
  std::string host_name;
  std::string trace_id;
  std::string distributed_info;  // JSON text, "" when absent: process groups for later stages
  std::vector<DeviceProperties> devices;
  std::vector<ProcessGroup> process_groups;  // distributedInfo.pg_config
  std::vector<QualityEntry> quality;
  // What the file held, row or not.
  std::uint64_t event_count = 0;     // elements of traceEvents, the unusable included
  std::uint64_t flow_count = 0;      // ph s, t, f
  std::uint64_t metadata_count = 0;  // ph M
  std::uint64_t bad_event_count = 0;
  std::uint64_t text_bytes = 0;  // uncompressed size
  std::uint64_t file_bytes = 0;
};

class RankTrace {
 public:
  TraceMeta meta;
  StringTable strings;
  std::vector<StringId> categories;  // `category` indexes this

  // One entry per row.
  Column<std::int64_t> ts_ns;
  Column<std::int64_t> dur_ns;
  Column<StringId> name;
  Column<std::uint32_t> track;
  Column<EventKind> kind;
  Column<std::uint8_t> category;
  Column<std::uint32_t> source;
  Column<std::int64_t> correlation;  // kNoCorrelation
  Column<std::int32_t> external_id;  // kNoId
  Column<std::uint32_t> aux;         // index into the kind's side table (see there), or kNoAux
  Column<Row> parent;                // enclosing row on the same track; kNoRow
  Column<Row>
      link;  // device work and syncs: the launching call; launching call: its first kernel; kNoRow

  Column<Track> tracks;
  Column<KernelArgs> kernels;
  Column<CollectiveArgs> collectives;
  Column<CopyArgs> copies;
  Column<OpArgs> ops;
  Column<MemoryArgs> memory;
  Column<PythonArgs> python;
  Column<SyncArgs> syncs;
  Column<CounterArgs> counters;
  Column<RowIds> row_ids;   // sorted by source; most traces have none
  Column<NodeOfRow> nodes;  // sorted by row; none without an execution trace

  Column<RowPair> launch_kernels;    // every (launching call, device row), sorted by call then row:
                                     // one launch may have many
  Column<RowPair> forward_backward;  // (forward op, backward op), sorted by forward
  Column<RowPair> record_wait;       // (event record call, wait: device sync row), sorted by record
  Column<Step> steps;                // in time order, disjoint
  Column<CutWork> cut_work;          // sorted by row; most traces have none

  std::size_t row_count() const { return ts_ns.size(); }
  std::int64_t end_ns(Row row) const { return ts_ns[row] + (dur_ns[row] > 0 ? dur_ns[row] : 0); }
  std::string_view name_of(Row row) const { return strings.Get(name[row]); }
  const Track& track_of(Row row) const { return tracks[track[row]]; }
  // First start and last end over all rows except the profiler's own; {0, 0} if there are none.
  std::int64_t begin_ns = 0;
  std::int64_t finish_ns = 0;

  // The kernels of a launching call, in stream order of the file; empty when there are none. O(log
  // n).
  std::span<const RowPair> KernelsOf(Row launch) const;
  // The numbers of a counter event (kProfilerRange, kCounter). O(result).
  std::span<const CounterArgs> CountersOf(Row row) const;
  // Index into `steps` of the window that contains time t, or -1. O(log steps).
  int StepAt(std::int64_t t) const;

  // Keeps the mapped file of the columns alive; null if they own their memory.
  std::shared_ptr<const void> backing;
};

}  // namespace rankscope
