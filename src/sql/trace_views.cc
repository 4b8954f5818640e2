#include "sql/trace_views.h"

#include <fmt/core.h>

#include <array>
#include <optional>
#include <string>

#include "sql/event_args.h"

namespace rankscope::sql {
namespace {

using OptionalInt = std::optional<std::int64_t>;
using OptionalText = std::optional<std::string_view>;

// --- fillers, from functions that give one cell ---

template <std::int64_t (*kGet)(const OpenedTrace&, std::uint32_t)>
void Ints(const RowBatch& batch, ColumnWriter& out) {
  auto* cells = out.cells<std::int64_t>();
  for (const std::uint32_t row : batch.rows) *cells++ = kGet(batch.opened, row);
}

template <OptionalInt (*kGet)(const OpenedTrace&, std::uint32_t)>
void OptionalInts(const RowBatch& batch, ColumnWriter& out) {
  auto* cells = out.cells<std::int64_t>();
  for (std::size_t i = 0; i < batch.rows.size(); ++i) {
    if (const OptionalInt value = kGet(batch.opened, batch.rows[i])) {
      cells[i] = *value;
    } else {
      out.SetNull(i);
    }
  }
}

template <std::string_view (*kGet)(const OpenedTrace&, std::uint32_t)>
void Texts(const RowBatch& batch, ColumnWriter& out) {
  auto* cells = out.cells<duckdb_string_t>();
  for (const std::uint32_t row : batch.rows) *cells++ = ViewOf(kGet(batch.opened, row));
}

template <OptionalText (*kGet)(const OpenedTrace&, std::uint32_t)>
void OptionalTexts(const RowBatch& batch, ColumnWriter& out) {
  auto* cells = out.cells<duckdb_string_t>();
  for (std::size_t i = 0; i < batch.rows.size(); ++i) {
    if (const OptionalText text = kGet(batch.opened, batch.rows[i])) {
      cells[i] = ViewOf(*text);
    } else {
      out.SetNull(i);
    }
  }
}

void StepNumbers(const RowBatch& batch, ColumnWriter& out) {
  auto* cells = out.cells<std::int64_t>();
  for (std::size_t i = 0; i < batch.rows.size(); ++i) {
    if (const Step* step = batch.opened.StepOf(batch.rows[i])) {
      cells[i] = step->number;
    } else {
      out.SetNull(i);
    }
  }
}

// --- cells of all views ---

std::int64_t Rank(const OpenedTrace& opened, std::uint32_t) { return opened.rank(); }
std::int64_t CaptureIndex(const OpenedTrace& opened, std::uint32_t) { return opened.capture(); }

// --- cells of rows ---

OptionalInt SourceOf(const RankTrace& trace, Row row) {
  return row == kNoRow ? OptionalInt() : OptionalInt(trace.source[row]);
}
OptionalText KnownText(const RankTrace& trace, StringId text) {
  return text == kEmptyString ? OptionalText() : OptionalText(trace.strings.Get(text));
}

std::int64_t Event(const OpenedTrace& opened, std::uint32_t row) {
  return opened.trace().source[row];
}
std::int64_t Time(const OpenedTrace& opened, std::uint32_t row) {
  return opened.trace().ts_ns[row] + opened.shift_ns();
}
OptionalInt Duration(const OpenedTrace& opened, std::uint32_t row) {
  const std::int64_t duration = opened.trace().dur_ns[row];
  return duration == kNoDuration ? OptionalInt() : OptionalInt(duration);
}
std::string_view Name(const OpenedTrace& opened, std::uint32_t row) {
  return opened.trace().name_of(row);
}
OptionalText CategoryText(const OpenedTrace& opened, std::uint32_t row) {
  const RankTrace& trace = opened.trace();
  return KnownText(trace, trace.categories[trace.category[row]]);
}
std::string_view TrackName(const OpenedTrace& opened, std::uint32_t row) {
  return opened.track_names()[opened.trace().track[row]];
}
OptionalInt Parent(const OpenedTrace& opened, std::uint32_t row) {
  return SourceOf(opened.trace(), opened.trace().parent[row]);
}
OptionalInt Correlation(const OpenedTrace& opened, std::uint32_t row) {
  const std::int64_t correlation = opened.trace().correlation[row];
  return correlation == kNoCorrelation ? OptionalInt() : OptionalInt(correlation);
}
std::int64_t TrackFirst(const OpenedTrace& opened, std::uint32_t row) {
  return opened.trace().track_of(row).first;
}
std::int64_t TrackSecond(const OpenedTrace& opened, std::uint32_t row) {
  return opened.trace().track_of(row).second;
}

// Device work links to the call that launched it.
OptionalInt LaunchEvent(const OpenedTrace& opened, std::uint32_t row) {
  return SourceOf(opened.trace(), opened.trace().link[row]);
}
std::string_view Class(const OpenedTrace& opened, std::uint32_t row) {
  return ToString(opened.classifier().ClassOf(row));
}
std::string_view Work(const OpenedTrace& opened, std::uint32_t row) {
  return ToString(opened.classifier().Of(row));
}
OptionalText TextOf(std::string_view text) {
  return text.empty() ? OptionalText() : OptionalText(text);
}
// Where in the program it was launched.
OptionalText OpName(const OpenedTrace& opened, std::uint32_t row) {
  const Row op = opened.places().Of(row).op;
  return op == kNoRow ? OptionalText() : OptionalText(opened.trace().name_of(op));
}
OptionalText Module(const OpenedTrace& opened, std::uint32_t row) {
  return TextOf(opened.places().module(opened.places().Of(row)));
}
OptionalText Line(const OpenedTrace& opened, std::uint32_t row) {
  return TextOf(opened.places().line(opened.places().Of(row)));
}
OptionalText Phase(const OpenedTrace& opened, std::uint32_t row) {
  const std::uint8_t phase = opened.places().Of(row).phase;
  return phase < kPhaseCount ? OptionalText(ToString(static_cast<HostPhase>(phase)))
                             : OptionalText();
}
OptionalText GroupName(const OpenedTrace& opened, std::uint32_t row) {
  return KnownText(opened.trace(), ProcessGroupOf(opened.trace(), row));
}
OptionalInt CopiedBytes(const OpenedTrace& opened, std::uint32_t row) {
  const RankTrace& trace = opened.trace();
  if (trace.kind[row] == EventKind::kKernel || trace.aux[row] == kNoAux) return std::nullopt;
  const std::int64_t bytes = trace.copies[trace.aux[row]].bytes;
  return bytes < 0 ? OptionalInt() : OptionalInt(bytes);
}

OptionalText Shapes(const OpenedTrace& opened, std::uint32_t row) {
  const RankTrace& trace = opened.trace();
  if (trace.aux[row] == kNoAux) return std::nullopt;
  return KnownText(trace, trace.ops[trace.aux[row]].input_dims);
}
OptionalText Dtypes(const OpenedTrace& opened, std::uint32_t row) {
  const RankTrace& trace = opened.trace();
  if (trace.aux[row] == kNoAux) return std::nullopt;
  return KnownText(trace, trace.ops[trace.aux[row]].input_types);
}

OptionalInt ExternalId(const OpenedTrace& opened, std::uint32_t row) {
  const std::int32_t id = opened.trace().external_id[row];
  return id == kNoId ? OptionalInt() : OptionalInt(id);
}

// The launch's shape, where the row is a kernel that has one.
const KernelArgs* KernelArgsOf(const OpenedTrace& opened, std::uint32_t row) {
  const RankTrace& trace = opened.trace();
  const bool has_any = trace.kind[row] == EventKind::kKernel && trace.aux[row] != kNoAux;
  return has_any ? &trace.kernels[trace.aux[row]] : nullptr;
}
OptionalInt Registers(const OpenedTrace& opened, std::uint32_t row) {
  const KernelArgs* args = KernelArgsOf(opened, row);
  return args == nullptr || args->registers_per_thread < 0
             ? OptionalInt()
             : OptionalInt(args->registers_per_thread);
}
OptionalInt SharedMemory(const OpenedTrace& opened, std::uint32_t row) {
  const KernelArgs* args = KernelArgsOf(opened, row);
  return args == nullptr || args->shared_memory_bytes < 0 ? OptionalInt()
                                                          : OptionalInt(args->shared_memory_bytes);
}
void Occupancies(const RowBatch& batch, ColumnWriter& out) {
  auto* cells = out.cells<double>();
  for (std::size_t i = 0; i < batch.rows.size(); ++i) {
    const KernelArgs* args = KernelArgsOf(batch.opened, batch.rows[i]);
    if (args == nullptr || args->occupancy_pct < 0) {
      out.SetNull(i);
    } else {
      cells[i] = static_cast<double>(args->occupancy_pct);
    }
  }
}
template <std::array<std::int32_t, 3> KernelArgs::*kShape>
void Shape(const RowBatch& batch, ColumnWriter& out) {
  for (std::size_t i = 0; i < batch.rows.size(); ++i) {
    const KernelArgs* args = KernelArgsOf(batch.opened, batch.rows[i]);
    if (args == nullptr || (args->*kShape)[0] < 0) {
      out.SetNull(i);
    } else {
      const auto& [x, y, z] = args->*kShape;
      out.SetCopy(i, fmt::format("[{},{},{}]", x, y, z));
    }
  }
}
void Args(const RowBatch& batch, ColumnWriter& out) {
  std::string text;
  for (std::size_t i = 0; i < batch.rows.size(); ++i) {
    text.clear();
    AppendEventArgs(text, batch.opened.trace(), batch.rows[i]);
    if (text.empty()) {
      out.SetNull(i);
    } else {
      out.SetCopy(i, text);
    }
  }
}

// --- cells of steps ---

std::int64_t StepNumber(const OpenedTrace& opened, std::uint32_t step) {
  return opened.trace().steps[step].number;
}
std::int64_t StepStart(const OpenedTrace& opened, std::uint32_t step) {
  return opened.trace().steps[step].begin_ns + opened.shift_ns();
}
std::int64_t StepEnd(const OpenedTrace& opened, std::uint32_t step) {
  return opened.trace().steps[step].end_ns + opened.shift_ns();
}
void Inferred(const RowBatch& batch, ColumnWriter& out) {
  bool* cells = out.cells<bool>();
  for (const std::uint32_t step : batch.rows)
    *cells++ = batch.opened.trace().steps[step].inferred != 0;
}

// --- the views ---

constexpr duckdb_type kInt = DUCKDB_TYPE_BIGINT;
constexpr duckdb_type kText = DUCKDB_TYPE_VARCHAR;
constexpr duckdb_type kReal = DUCKDB_TYPE_DOUBLE;
constexpr Spread kFew = Spread::kFew;
constexpr Spread kMany = Spread::kMany;

// Columns that mean the same in several views.
constexpr ViewColumn kRank = {"rank", kInt, Ints<Rank>, "rank", kFew};
constexpr ViewColumn kCapture = {"capture", kInt, Ints<CaptureIndex>,
                                 "counts the rank's recordings in time order", kFew};
constexpr ViewColumn kEvent = {"event", kInt, Ints<Event>, "index in the file's traceEvents"};
constexpr ViewColumn kTime = {"ts_ns",    kInt,
                              Ints<Time>, "begin, from the job's origin, by the rank's own clock",
                              kMany,      "ns"};
constexpr ViewColumn kDuration = {
    "dur_ns", kInt, OptionalInts<Duration>, "duration; null when unknown", kMany, "ns"};
constexpr ViewColumn kName = {"name", kText, Texts<Name>, "the file's name"};
constexpr ViewColumn kParent = {"parent", kInt, OptionalInts<Parent>,
                                "the event that encloses it on its track"};
constexpr ViewColumn kExternalId = {"external_id", kInt, OptionalInts<ExternalId>,
                                    "joins ops, calls and device work of one op"};
constexpr ViewColumn kArgs = {"args", kText, Args,
                              "JSON of the arguments that are kept of the event, under the file's "
                              "own names; null without any"};

constexpr ViewColumn kEventColumns[] = {
    kRank,
    kCapture,
    kEvent,
    kTime,
    kDuration,
    kName,
    {"cat", kText, OptionalTexts<CategoryText>, "the file's category"},
    {"track", kText, Texts<TrackName>,
     "pid 123 tid 456, gpu 0 stream 7, or the latter with (waits) or (annotations) behind it"},
    {"step", kInt, StepNumbers,
     "of device work the step that launched it, of others the one in which they begin, by the "
     "host's marks; null outside of all",
     kFew},
    kParent,
    {"correlation", kInt, OptionalInts<Correlation>, "joins calls and the device work they launch"},
    kExternalId,
    kArgs,
};

constexpr ViewColumn kKernelColumns[] = {
    kRank,
    kCapture,
    kEvent,
    kTime,
    kDuration,
    kName,
    {"device", kInt, Ints<TrackFirst>, "device, as the rank numbers them", kFew},
    {"stream", kInt, Ints<TrackSecond>, "stream of the device", kFew},
    {"step", kInt, StepNumbers, "the step that launched it; null outside of all", kFew},
    {"launch_event", kInt, OptionalInts<LaunchEvent>, "the call that launched it"},
    {"class", kText, Texts<Class>, "what it is for: gemm, attention, nccl, ... (kernel_classes)"},
    {"work", kText, Texts<Work>, "compute, communication or copy"},
    {"bytes", kInt, OptionalInts<CopiedBytes>, "of copies and memsets", kMany, "bytes"},
    {"op", kText, OptionalTexts<OpName>, "innermost op around the launching call"},
    {"module", kText, OptionalTexts<Module>,
     "classes of the nn.Modules around the call, of backward work those of its forward op"},
    {"line", kText, OptionalTexts<Line>,
     "innermost function of the user's code around the call, of backward work that of its forward "
     "op"},
    {"phase", kText, OptionalTexts<Phase>,
     "of the call: data loading, forward, backward, optimizer, other"},
    {"process_group", kText, OptionalTexts<GroupName>,
     "of communication, as described, else its name"},
    {"grid", kText, Shape<&KernelArgs::grid>, "blocks of the launch, [x,y,z]"},
    {"block", kText, Shape<&KernelArgs::block>, "threads of a block, [x,y,z]"},
    {"registers", kInt, OptionalInts<Registers>, "registers per thread"},
    {"shared_memory_bytes", kInt, OptionalInts<SharedMemory>, "shared memory of a block", kMany,
     "bytes"},
    {"occupancy_pct", kReal, Occupancies, "occupancy as the profiler estimates it", kMany, "%"},
    kExternalId,
    kArgs,
};

constexpr ViewColumn kOpColumns[] = {
    kRank,
    kCapture,
    kEvent,
    kTime,
    kDuration,
    kName,
    {"thread", kInt, Ints<TrackSecond>, "id of the host thread", kFew},
    {"step", kInt, StepNumbers, "the step in which it begins, by the host's marks", kFew},
    kParent,
    {"shapes", kText, OptionalTexts<Shapes>, "shapes of the inputs, as JSON"},
    {"dtypes", kText, OptionalTexts<Dtypes>, "types of the inputs, as JSON"},
    kExternalId,
    kArgs,
};

constexpr ViewColumn kStepColumns[] = {
    kRank,
    kCapture,
    {"step", kInt, Ints<StepNumber>, "number of the step", kFew},
    {"start_ns", kInt, Ints<StepStart>, "the mark's begin, from the job's origin", kMany, "ns"},
    {"end_ns", kInt, Ints<StepEnd>, "the next mark's begin, or the end of the last step", kMany,
     "ns"},
    {"inferred", DUCKDB_TYPE_BOOLEAN, Inferred, "found by its period: there was no mark"},
};

constexpr std::uint32_t Bit(EventKind kind) { return 1U << static_cast<unsigned>(kind); }
constexpr std::uint32_t kDeviceWork =
    Bit(EventKind::kKernel) | Bit(EventKind::kMemcpy) | Bit(EventKind::kMemset);

}  // namespace

std::span<const TraceView> TraceViews() {
  static constexpr TraceView kViews[] = {
      {"events", "every event with a place on a timeline",
       "A row for each event of the selected captures that has a begin and a track: ops, calls and "
       "annotations of host threads, work of devices. (rank, capture, event) names it in every "
       "view. Times are those of the file, counted from the job's origin; steps clip nothing.",
       ViewSource::kRows, ~0U, 100, kEventColumns},
      {"kernels", "what occupies a device: kernels, copies, memsets",
       "The rows of events that are kernels, copies or memsets of a device, with what was recorded "
       "of their launch. class and work are told as kernel_classes tells them, by the user's rules "
       "where --kernel-classes gives some.",
       ViewSource::kRows, kDeviceWork, 20, kKernelColumns},
      {"ops", "operators of the framework on the host",
       "The rows of events that are ops of host threads. dur_ns of an op includes the ops inside, "
       "whose parent it is.",
       ViewSource::kRows, Bit(EventKind::kCpuOp), 30, kOpColumns},
      {"steps", "steps by the host's marks; the table device_steps has the devices' windows",
       "A row for each step of a capture, [start_ns, end_ns): from the begin of its mark "
       "(ProfilerStep) to the begin of the next one. Without marks steps are inferred from the "
       "period of the thread that launches most work.",
       ViewSource::kSteps, 0, 0, kStepColumns},
  };
  return kViews;
}

std::vector<ColumnSpec> ColumnsOf(const TraceView& view) {
  const auto type = [](duckdb_type of) {
    switch (of) {
      case DUCKDB_TYPE_BOOLEAN:
        return ColumnType::kBool;
      case DUCKDB_TYPE_DOUBLE:
        return ColumnType::kDouble;
      case DUCKDB_TYPE_BIGINT:
        return ColumnType::kInt64;
      default:
        return ColumnType::kString;
    }
  };
  std::vector<ColumnSpec> columns;
  for (const ViewColumn& column : view.columns)
    columns.push_back(
        {.name = column.name, .type = type(column.type), .unit = column.unit, .doc = column.doc});
  return columns;
}

std::size_t SourceSize(const TraceView& view, const RankTrace& trace) {
  return view.source == ViewSource::kSteps ? trace.steps.size() : trace.row_count();
}

std::size_t SelectRows(const TraceView& view, const OpenedTrace& opened, const StepFilter& steps,
                       std::size_t& begin, std::size_t end, std::span<std::uint32_t> out) {
  const RankTrace& trace = opened.trace();
  std::size_t count = 0;
  for (; begin < end && count < out.size(); ++begin) {
    out[count] = static_cast<std::uint32_t>(begin);
    if (view.source == ViewSource::kSteps) {
      count += Wants(steps, trace.steps[begin].number);
      continue;
    }
    if ((view.kinds >> static_cast<unsigned>(trace.kind[begin]) & 1U) == 0) continue;
    if (steps) {
      const Step* step = opened.StepOf(out[count]);
      if (step == nullptr || !steps->contains(step->number)) continue;
    }
    ++count;
  }
  return count;
}

}  // namespace rankscope::sql
