#include "sql/trace_views.h"

#include <array>
#include <optional>

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
constexpr Spread kFew = Spread::kFew;

// Every event with a place on a timeline. event: index in the file's traceEvents; parent: the event
// that encloses it on its track; ts_ns: from the job's origin, by the rank's own clock; dur_ns:
// null when unknown; cat: the file's category; track: see job_reader.cc; step: of device work the
// step that launched it, of other events the one in which they begin, by the host's marks.
constexpr ViewColumn kEventColumns[] = {
    {"rank", kInt, Ints<Rank>, kFew},
    {"capture", kInt, Ints<CaptureIndex>, kFew},
    {"event", kInt, Ints<Event>},
    {"ts_ns", kInt, Ints<Time>},
    {"dur_ns", kInt, OptionalInts<Duration>},
    {"name", kText, Texts<Name>},
    {"cat", kText, OptionalTexts<CategoryText>},
    {"track", kText, Texts<TrackName>},
    {"step", kInt, StepNumbers, kFew},
    {"parent", kInt, OptionalInts<Parent>},
    {"correlation", kInt, OptionalInts<Correlation>},
};

// Work that occupies a device: kernels, copies, memsets. launch_event: the call that launched it;
// class: what it is for, "gemm" (kernel_class.h); work: compute, communication or copy; bytes: of
// copies and memsets.
constexpr ViewColumn kKernelColumns[] = {
    {"rank", kInt, Ints<Rank>, kFew},
    {"capture", kInt, Ints<CaptureIndex>, kFew},
    {"event", kInt, Ints<Event>},
    {"ts_ns", kInt, Ints<Time>},
    {"dur_ns", kInt, OptionalInts<Duration>},
    {"name", kText, Texts<Name>},
    {"device", kInt, Ints<TrackFirst>, kFew},
    {"stream", kInt, Ints<TrackSecond>, kFew},
    {"step", kInt, StepNumbers, kFew},
    {"launch_event", kInt, OptionalInts<LaunchEvent>},
    {"class", kText, Texts<Class>},
    {"work", kText, Texts<Work>},
    {"bytes", kInt, OptionalInts<CopiedBytes>},
};

// Operators of the framework on the host. thread: its id; shapes, dtypes: of the inputs, as JSON.
constexpr ViewColumn kOpColumns[] = {
    {"rank", kInt, Ints<Rank>, kFew},
    {"capture", kInt, Ints<CaptureIndex>, kFew},
    {"event", kInt, Ints<Event>},
    {"ts_ns", kInt, Ints<Time>},
    {"dur_ns", kInt, OptionalInts<Duration>},
    {"name", kText, Texts<Name>},
    {"thread", kInt, Ints<TrackSecond>, kFew},
    {"step", kInt, StepNumbers, kFew},
    {"parent", kInt, OptionalInts<Parent>},
    {"shapes", kText, OptionalTexts<Shapes>},
    {"dtypes", kText, OptionalTexts<Dtypes>},
};

// Steps by the host's marks; the table device_steps has the devices' windows.
constexpr ViewColumn kStepColumns[] = {
    {"rank", kInt, Ints<Rank>, kFew},       {"capture", kInt, Ints<CaptureIndex>, kFew},
    {"step", kInt, Ints<StepNumber>, kFew}, {"start_ns", kInt, Ints<StepStart>},
    {"end_ns", kInt, Ints<StepEnd>},        {"inferred", DUCKDB_TYPE_BOOLEAN, Inferred},
};

constexpr std::uint32_t Bit(EventKind kind) { return 1U << static_cast<unsigned>(kind); }
constexpr std::uint32_t kDeviceWork =
    Bit(EventKind::kKernel) | Bit(EventKind::kMemcpy) | Bit(EventKind::kMemset);

}  // namespace

std::span<const TraceView> TraceViews() {
  static constexpr std::array<TraceView, 4> kViews = {{
      {"events", ViewSource::kRows, ~0U, 100, kEventColumns},
      {"kernels", ViewSource::kRows, kDeviceWork, 20, kKernelColumns},
      {"ops", ViewSource::kRows, Bit(EventKind::kCpuOp), 30, kOpColumns},
      {"steps", ViewSource::kSteps, 0, 0, kStepColumns},
  }};
  return kViews;
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
