// hta.events, hta.symbols and hta.traces: HTA's data frame of every rank, its symbol table, and
// what it says of the files.
#include <algorithm>
#include <vector>

#include "hta/analyses.h"
#include "hta/iterations.h"
#include "hta/options.h"
#include "hta/ranks.h"

namespace rankscope::hta {
namespace {

struct EventRows : Schema<EventRows, RowsOfRanks> {
  static constexpr std::string_view kName = "hta.events";

  IntColumn index = Int("index", "", "event in the file");
  StringColumn cat = Text("cat", "category as recorded");
  StringColumn name = Text("name", "name as recorded");
  IntColumn pid = Int("pid", "", "as recorded; the device's number where the file has a text");
  IntColumn tid = Int("tid", "", "as recorded; the stream's number where the file has a text");
  IntColumn ts = Int("ts", "us", "its begin, from the first of all events");
  IntColumn dur = Int("dur", "us", "its duration; -1 for an event that holds no whole microsecond");
  IntColumn stream = Int("stream", "", "argument of any event; -1 without one");
  IntColumn correlation = Int("correlation", "", "id that joins calls and work; -1 without one");
  IntColumn bytes = Int("bytes", "bytes", "of a copy or memset; -1 for other events");
  RealColumn bandwidth = Real("memory_bw_gbps", "GB/s", "as the profiler states it; 0 if unknown");
  IntColumn wait_on_stream = Int("wait_on_stream", "", "of a wait; -1 for other events");
  IntColumn wait_on_record =
      Int("wait_on_cuda_event_record_corr_id", "", "correlation of the record that a wait is for");
  StringColumn input_dims = Text("input_dims", "JSON; -1 where the file has none");
  StringColumn input_type = Text("input_type", "JSON; -1 where the file has none");
  StringColumn input_strides = Text("input_strides", "JSON; -1 where the file has none");
  IntColumn external_id = Int("external_id", "", "joins ops and work; -1 without one");
  IntColumn python_id = Int("python_id", "", "of a Python function; -1 for other events");
  IntColumn python_parent_id = Int("python_parent_id", "", "id of its caller");
  StringColumn collective_name = Text("collective_name", "of a collective's kernel or op");
  IntColumn in_elements = Int("in_msg_nelems", "", "elements in; 0 for other events");
  IntColumn out_elements = Int("out_msg_nelems", "", "elements out; 0 for other events");
  StringColumn dtype = Text("msg_dtype", "type of its elements");
  IntColumn group_size = Int("group_size", "", "ranks of its group; 0 for other events");
  StringColumn in_split = Text("in_split_size", "elements for each rank; [] when even");
  StringColumn out_split = Text("out_split_size", "elements of each rank; [] when even");
  IntColumn partner =
      Int("index_correlation", "",
          "event at the other side of the correlation; 0: not in the file; -1: no correlation");
  IntColumn iteration = Int("iteration", "",
                            "number of the ProfilerStep that it begins in, of device work that its "
                            "launch begins in; -1 outside of all; null for work on stream 0");
  IntColumn end = Int("end", "us", "its end as the file counts time");
};

// The arguments that only events of some kinds have.
struct Arguments {
  const CopyArgs* copy = nullptr;
  const OpArgs* op = nullptr;
  const PythonArgs* python = nullptr;
  const SyncArgs* sync = nullptr;
  const CollectiveArgs* collective = nullptr;
};

Arguments ArgumentsOf(const RankTrace& trace, Row row) {
  Arguments found;
  const std::uint32_t aux = trace.aux[row];
  if (aux == kNoAux) return found;
  std::uint32_t collective = kNoAux;
  switch (trace.kind[row]) {
    case EventKind::kMemcpy:
    case EventKind::kMemset:
      found.copy = &trace.copies[aux];
      break;
    case EventKind::kCpuOp:
      found.op = &trace.ops[aux];
      collective = found.op->collective;
      break;
    case EventKind::kKernel:
      collective = trace.kernels[aux].collective;
      break;
    case EventKind::kPythonFunction:
      found.python = &trace.python[aux];
      break;
    case EventKind::kDeviceSync:
      found.sync = &trace.syncs[aux];
      break;
    default:
      break;
  }
  if (collective != kNoAux) found.collective = &trace.collectives[collective];
  return found;
}

// The steps of events, by all that the file has: the filter may have taken a launch away.
class Steps {
 public:
  explicit Steps(const RankTrace& trace) : whole_(LoadFrame(trace)), steps_(whole_) {}

  Value Of(const Frame& frame, const Event& event) const {
    const bool is_host = !event.on_stream();
    // Triton's ops have a stream of 0, as AMD's default stream does.
    if (is_host || (event.stream == 0 && frame.CategoryOf(event) == "cpu_op"))
      return steps_.At(event.ts);
    if (event.stream == 0) return kNull;
    const Event* const launch = event.partner > 0 ? Find(event.partner) : nullptr;
    return launch == nullptr || launch->on_stream() ? kNone : steps_.At(launch->ts);
  }

 private:
  const Event* Find(std::int64_t index) const {
    const auto found = std::lower_bound(
        whole_.events.begin(), whole_.events.end(), index,
        [this](const Event& event, std::int64_t i) { return whole_.IndexOf(event) < i; });
    return found != whole_.events.end() && whole_.IndexOf(*found) == index ? &*found : nullptr;
  }

  Frame whole_;
  Iterations steps_;
};

void MakeEvents(const Frame& frame, const Options&, TableOf<EventRows>& table) {
  const auto& columns = SchemaOf<EventRows>();
  const RankTrace& trace = *frame.trace;
  const Steps steps(trace);
  const auto text_or = [&](StringId id, std::string_view other) {
    const std::string_view text = trace.strings.Get(id);
    return text.empty() ? other : text;
  };
  for (const Event& event : frame.events) {
    const ProcessIds ids = IdsOf(frame, event);
    const Arguments given = ArgumentsOf(trace, event.row);
    const CopyArgs copy = given.copy == nullptr ? CopyArgs{} : *given.copy;
    const OpArgs op = given.op == nullptr ? OpArgs{} : *given.op;
    const PythonArgs python = given.python == nullptr ? PythonArgs{} : *given.python;
    const SyncArgs sync = given.sync == nullptr ? SyncArgs{} : *given.sync;
    const CollectiveArgs collective =
        given.collective == nullptr ? CollectiveArgs{} : *given.collective;
    table.Add({columns.index = frame.IndexOf(event),
               columns.cat = frame.CategoryOf(event),
               columns.name = frame.NameOf(event),
               columns.pid = ids.pid,
               columns.tid = ids.tid,
               columns.ts = event.ts,
               columns.dur = event.dur,
               columns.stream = event.stream,
               columns.correlation = event.correlation,
               columns.bytes = copy.bytes,
               columns.bandwidth = std::max(0.0, copy.bandwidth_gb_per_s),
               columns.wait_on_stream = std::int64_t{sync.wait_on_stream},
               columns.wait_on_record = sync.record_correlation,
               columns.input_dims = text_or(op.input_dims, "-1"),
               columns.input_type = text_or(op.input_types, "-1"),
               columns.input_strides = text_or(op.input_strides, "-1"),
               columns.external_id = std::int64_t{trace.external_id[event.row]},
               columns.python_id = std::int64_t{python.id},
               columns.python_parent_id = std::int64_t{python.parent_id},
               columns.collective_name = trace.strings.Get(collective.name),
               columns.in_elements = std::max<std::int64_t>(0, collective.in_elements),
               columns.out_elements = std::max<std::int64_t>(0, collective.out_elements),
               columns.dtype = trace.strings.Get(collective.dtype),
               columns.group_size = std::int64_t{std::max(0, collective.group_size)},
               columns.in_split = text_or(collective.in_split, "[]"),
               columns.out_split = text_or(collective.out_split, "[]"),
               columns.partner = event.partner,
               columns.iteration = steps.Of(frame, event),
               columns.end = event.end()});
  }
}

struct SymbolRows : Schema<SymbolRows, RowsOfRanks> {
  static constexpr std::string_view kName = "hta.symbols";

  StringColumn symbol = Text("symbol", "a category, or the name of an event");
};

// Of the whole file, whatever the filter leaves.
void MakeSymbols(const Frame& frame, const Options&, TableOf<SymbolRows>& table) {
  const RankTrace& trace = *frame.trace;
  const Frame whole = LoadFrame(trace);
  std::vector<std::uint8_t> is_symbol(trace.strings.size());
  for (const Event& event : whole.events) {
    is_symbol[trace.name[event.row]] = 1;
    is_symbol[trace.categories[trace.category[event.row]]] = 1;
  }
  const auto& columns = SchemaOf<SymbolRows>();
  for (StringId id = 0; id < is_symbol.size(); ++id) {
    if (is_symbol[id] != 0) table.Add({columns.symbol = trace.strings.Get(id)});
  }
}

struct TraceRows : Schema<TraceRows, RowsOfRanks> {
  static constexpr std::string_view kName = "hta.traces";

  FlagColumn rank_is_stated = Flag("rank_is_stated", "whether the file says which rank it is of");
  IntColumn first_ts = Int("first_ts", "us", "begin of the first event as the file counts time");
  IntColumn base_ns = Int("base_ns", "ns", "baseTimeNanoseconds of the file; null without");
  StringColumn device_type = Text("device_type", "vendor of the device by the calls' names");
  FlagColumn all_have_durations =
      Flag("all_have_durations",
           "whether every record of the file has one; where not, HTA's durations are floats");
};

std::string_view DeviceTypeOf(const Frame& frame) {
  const auto has = [&](std::string_view name) {
    const NameSet set(frame.trace->strings, std::span(&name, 1));
    return std::any_of(frame.events.begin(), frame.events.end(), [&](const Event& event) {
      return set.Contains(frame.trace->name[event.row]);
    });
  };
  if (frame.trace->meta.backend.find("mtia:hccl") != std::string::npos) return "MTIA";
  if (has("cudaLaunchKernel")) return "NVIDIA GPU";
  if (has("hipLaunchKernel")) return "AMD GPU";
  return has("runFunction - job_prep_and_submit_for_execution") ? "MTIA" : "UNKNOWN GPU";
}

// Of the whole file, whatever the filter leaves.
void MakeTraces(const Frame& frame, const Options&, TableOf<TraceRows>& table) {
  const RankTrace& trace = *frame.trace;
  const Frame whole = LoadFrame(trace);
  const auto first = std::min_element(whole.events.begin(), whole.events.end(),
                                      [](const Event& a, const Event& b) { return a.ts < b.ts; });
  const auto with_duration = std::count_if(trace.dur_ns.begin(), trace.dur_ns.end(),
                                           [](std::int64_t dur) { return dur != kNoDuration; });
  const auto& columns = SchemaOf<TraceRows>();
  table.Add({columns.rank_is_stated = trace.meta.rank >= 0,
             columns.first_ts = first == whole.events.end() ? Value(kNull) : Value(first->ts),
             columns.base_ns = trace.meta.has_base ? Value(trace.meta.base_ns) : Value(kNull),
             columns.device_type = DeviceTypeOf(whole),
             columns.all_have_durations =
                 trace.meta.event_count == static_cast<std::uint64_t>(with_duration)});
}

}  // namespace

const Analysis& Events() {
  static const Analysis kAnalysis = JoinedOverRanks<EventRows>(
      {
          .size = Size::kDetail,
          .summary = "HTA's Trace.get_trace: the events that it analyses, with all their columns",
          .definition =
              "Events with a duration and a category, in HTA's order: where there are several "
              "profiler steps device work whose launch is kept, then host events before the last "
              "step. With filter=false everything, in the order of the file, as after "
              "Trace.parse_traces. end counts from where the file does, as in HTA, so that end - "
              "dur - ts is Trace.min_ts.",
          .example = "rankscope table hta.events traces/ --set ranks=0 --format csv",
          .options = {Filter()},
          .job_options = {Ranks()},
          .make = Filling(MakeEvents),
      },
      {SchemaOf<EventRows>().ts});
  return kAnalysis;
}

const Analysis& Symbols() {
  static const Analysis kAnalysis = JoinedOverRanks<SymbolRows>({
      .size = Size::kDetail,
      .summary = "HTA's TraceSymbolTable: categories and names of the events that it loads",
      .definition = "Each text once for every rank, of the whole file.",
      .example = "rankscope table hta.symbols traces/ --set ranks=0",
      .job_options = {Ranks()},
      .make = Filling(MakeSymbols),
  });
  return kAnalysis;
}

const Analysis& Traces() {
  static const Analysis kAnalysis = JoinedOverRanks<TraceRows>({
      .summary = "HTA's Trace: when each rank's file begins, and of which device it is",
      .definition =
          "One row per rank, of the whole file. HTA's min_ts is the least first_ts; a begin as "
          "Unix time is first_ts * 1000 + base_ns.",
      .example = "rankscope table hta.traces traces/",
      .job_options = {Ranks()},
      .make = Filling(MakeTraces),
  });
  return kAnalysis;
}

}  // namespace rankscope::hta
