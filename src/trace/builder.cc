#include "trace/builder.h"

#include <algorithm>
#include <boost/sort/spinsort/spinsort.hpp>
#include <numeric>

#include "trace/brackets.h"
#include "trace/link.h"
#include "trace/stray_calls.h"

namespace rankscope {
namespace {

// Puts `column` in the order of `order` (row i of the result was row order[i]).
template <typename T>
void Permute(Column<T>& column, const std::vector<Row>& order) {
  Column<T> sorted;
  T* to = sorted.extend(order.size());
  const T* from = column.data();
  for (std::size_t i = 0; i < order.size(); ++i) to[i] = from[order[i]];
  column = std::move(sorted);
}

template <typename T>
std::uint32_t AppendAll(Column<T>& to, const std::vector<T>& from) {
  const auto base = static_cast<std::uint32_t>(to.size());
  to.append(from);
  return base;
}

}  // namespace

std::size_t TrackKeyHash::operator()(const TrackKey& key) const {
  const std::uint64_t words[4] = {static_cast<std::uint64_t>(key.first),
                                  static_cast<std::uint64_t>(key.second),
                                  (std::uint64_t{key.first_text} << 32) | key.second_text,
                                  static_cast<std::uint64_t>(key.domain)};
  return Checksum64(words, sizeof(words));
}

void EventBatch::Clear() {
  rows.clear();
  kernels.clear();
  collectives.clear();
  copies.clear();
  ops.clear();
  memory.clear();
  python.clear();
  syncs.clear();
  counters.clear();
  row_ids.clear();
  record_ids.clear();
  flows.clear();
  names.clear();
  brackets.clear();
  hints.clear();
  event_count = flow_count = metadata_count = bad_event_count = 0;
  quality = {};
}

StringId TraceBuilder::Intern(std::string_view text) {
  const std::size_t known = strings_.size();
  const StringId id = strings_.Intern(text);
  if (id == known) trace_.strings.Append(text);
  return id;
}

StringId TraceBuilder::MapString(StringId id, const NameScope& scope, Remap& remap) {
  if (id >= remap.strings.size()) remap.strings.resize(scope.strings.size(), kNoAux);
  StringId& mapped = remap.strings[id];
  if (mapped == kNoAux) mapped = Intern(scope.strings.Get(id));
  return mapped;
}

std::uint32_t TraceBuilder::MapTrack(std::uint32_t id, const NameScope& scope, Remap& remap) {
  if (id >= remap.tracks.size()) remap.tracks.resize(scope.tracks.size(), kNoAux);
  std::uint32_t& mapped = remap.tracks[id];
  if (mapped == kNoAux) {
    TrackKey key = scope.tracks[id];
    key.first_text = MapString(key.first_text, scope, remap);
    key.second_text = MapString(key.second_text, scope, remap);
    const auto [place, is_new] =
        track_ids_.emplace(key, static_cast<std::uint32_t>(track_keys_.size()));
    if (is_new) track_keys_.push_back(key);
    mapped = place->second;
  }
  return mapped;
}

std::uint8_t TraceBuilder::CategoryIndex(StringId category) {
  auto& categories = trace_.categories;
  for (std::size_t i = 0; i < categories.size(); ++i) {
    if (categories[i] == category) return static_cast<std::uint8_t>(i);
  }
  if (categories.size() == 255) {
    quality_.Add(QualityCode::kTooLarge, -1,
                 "more than 255 categories; further ones are shown as the last one");
    return 254;
  }
  categories.push_back(category);
  return static_cast<std::uint8_t>(categories.size() - 1);
}

void TraceBuilder::Append(const EventBatch& batch, const NameScope& scope,
                          std::size_t scope_index) {
  if (trace_.row_count() + batch.rows.size() >= kNoRow ||
      trace_.meta.event_count + batch.event_count >= kNoRow) {
    trace_.meta.event_count += batch.event_count;
    trace_.meta.bad_event_count += batch.event_count;
    quality_.Add(QualityCode::kTooLarge, -1, "events beyond the first 4,294,967,294 were left out");
    return;
  }
  if (scope_index >= remaps_.size()) remaps_.resize(scope_index + 1);
  Remap& remap = remaps_[scope_index];

  const std::uint32_t collective_base = static_cast<std::uint32_t>(trace_.collectives.size());
  for (CollectiveArgs args : batch.collectives) {
    for (StringId* text : {&args.name, &args.dtype, &args.group_name, &args.group_desc,
                           &args.group_ranks, &args.in_split, &args.out_split}) {
      *text = MapString(*text, scope, remap);
    }
    trace_.collectives.push_back(args);
  }
  const std::uint32_t kernel_base = static_cast<std::uint32_t>(trace_.kernels.size());
  for (KernelArgs args : batch.kernels) {
    if (args.collective != kNoAux) args.collective += collective_base;
    trace_.kernels.push_back(args);
  }
  const std::uint32_t op_base = static_cast<std::uint32_t>(trace_.ops.size());
  for (OpArgs args : batch.ops) {
    for (StringId* text :
         {&args.input_dims, &args.input_types, &args.input_strides, &args.concrete_inputs}) {
      *text = MapString(*text, scope, remap);
    }
    if (args.collective != kNoAux) args.collective += collective_base;
    trace_.ops.push_back(args);
  }
  std::uint32_t base[kEventKindCount] = {};
  base[static_cast<int>(EventKind::kKernel)] = kernel_base;
  base[static_cast<int>(EventKind::kCpuOp)] = op_base;
  base[static_cast<int>(EventKind::kUserAnnotation)] = op_base;
  const std::uint32_t copy_base = AppendAll(trace_.copies, batch.copies);
  base[static_cast<int>(EventKind::kMemcpy)] = copy_base;
  base[static_cast<int>(EventKind::kMemset)] = copy_base;
  base[static_cast<int>(EventKind::kMemoryInstant)] = AppendAll(trace_.memory, batch.memory);
  base[static_cast<int>(EventKind::kPythonFunction)] = AppendAll(trace_.python, batch.python);
  base[static_cast<int>(EventKind::kDeviceSync)] = AppendAll(trace_.syncs, batch.syncs);
  const auto counter_base = static_cast<std::uint32_t>(trace_.counters.size());
  base[static_cast<int>(EventKind::kProfilerRange)] = counter_base;
  base[static_cast<int>(EventKind::kCounter)] = counter_base;
  for (CounterArgs args : batch.counters) {
    args.name = MapString(args.name, scope, remap);
    trace_.counters.push_back(args);
  }

  const std::size_t count = batch.rows.size();
  std::int64_t* ts = trace_.ts_ns.extend(count);
  std::int64_t* dur = trace_.dur_ns.extend(count);
  StringId* name = trace_.name.extend(count);
  std::uint32_t* track = trace_.track.extend(count);
  EventKind* kind = trace_.kind.extend(count);
  std::uint8_t* category = trace_.category.extend(count);
  std::uint32_t* source = trace_.source.extend(count);
  std::int64_t* correlation = trace_.correlation.extend(count);
  std::int32_t* external_id = trace_.external_id.extend(count);
  std::uint32_t* aux = trace_.aux.extend(count);
  EventPhase* phase = phase_.extend(count);
  StringId last_category = kNoAux;
  std::uint8_t last_category_index = 0;
  const auto source_base = static_cast<std::uint32_t>(trace_.meta.event_count);
  for (RowIds ids : batch.row_ids) {
    ids.source += source_base;
    trace_.row_ids.push_back(ids);
  }
  for (RecordId id : batch.record_ids) {
    id.source += source_base;
    record_ids_.push_back(id);
  }
  for (BracketThread bracket : batch.brackets) {
    bracket.source += source_base;
    brackets_.push_back(bracket);
  }
  for (WorkHint hint : batch.hints) {
    hint.source += source_base;
    hint.task = MapString(hint.task, scope, remap);
    hint.dtype = MapString(hint.dtype, scope, remap);
    hint.algorithm = MapString(hint.algorithm, scope, remap);
    hint.details = MapString(hint.details, scope, remap);
    hints_.push_back(hint);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const RawRow& row = batch.rows[i];
    ts[i] = row.ts_ns;
    dur[i] = row.dur_ns;
    name[i] = MapString(row.name, scope, remap);
    track[i] = MapTrack(row.track, scope, remap);
    kind[i] = row.kind;
    if (row.category != last_category) {
      last_category = row.category;
      last_category_index = CategoryIndex(MapString(row.category, scope, remap));
    }
    category[i] = last_category_index;
    source[i] = source_base + row.source;
    correlation[i] = row.correlation;
    external_id[i] = row.external_id;
    if (row.aux == kNoAux) {
      aux[i] = kNoAux;
    } else if (row.kind == EventKind::kRuntime) {
      aux[i] = MapString(row.aux, scope, remap);
    } else {
      aux[i] = row.aux + base[static_cast<int>(row.kind)];
    }
    phase[i] = row.phase;
    has_begin_end_ |= row.phase == EventPhase::kBegin || row.phase == EventPhase::kEnd;
  }
  for (FlowPoint flow : batch.flows) {
    flow.track = MapTrack(flow.track, scope, remap);
    flow.category = MapString(flow.category, scope, remap);
    flows_.push_back(flow);
  }
  for (TrackName entry : batch.names) {
    entry.text = MapString(entry.text, scope, remap);
    names_.push_back(entry);
  }
  trace_.meta.event_count += batch.event_count;
  trace_.meta.flow_count += batch.flow_count;
  trace_.meta.metadata_count += batch.metadata_count;
  trace_.meta.bad_event_count += batch.bad_event_count;
  quality_.Merge(batch.quality);
}

void TraceBuilder::NameTracks() {
  for (const TrackKey& key : track_keys_) {
    Track track;
    track.first = key.first;
    track.second = key.second;
    track.domain = key.domain;
    if (key.second_text != kEmptyString) track.name = key.second_text;
    if (key.first_text != kEmptyString) track.process = key.first_text;
    trace_.tracks.push_back(track);
  }
  // The last name of a process or thread counts, for every track with its ids.
  boost::unordered_flat_map<std::int64_t, StringId> processes;
  boost::unordered_flat_map<std::pair<std::int64_t, std::int64_t>, StringId> threads;
  for (const TrackName& entry : names_) {
    if (entry.of_process) {
      processes[entry.first] = entry.text;
    } else {
      threads[{entry.first, entry.second}] = entry.text;
    }
  }
  for (Track& track : trace_.tracks) {
    if (const auto found = processes.find(track.first); found != processes.end())
      track.process = found->second;
    if (const auto found = threads.find({track.first, track.second}); found != threads.end())
      track.name = found->second;
  }
}

// Turns B and E into one complete row, and drops the E rows.
void TraceBuilder::MatchBeginEnd() {
  if (!has_begin_end_) return;
  const std::vector<bool> is_end = MatchBrackets(trace_, phase_, brackets_, quality_);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < trace_.row_count(); ++i) {
    if (is_end[i]) continue;
    trace_.ts_ns[kept] = trace_.ts_ns[i];
    trace_.dur_ns[kept] = trace_.dur_ns[i];
    trace_.name[kept] = trace_.name[i];
    trace_.track[kept] = trace_.track[i];
    trace_.kind[kept] = trace_.kind[i];
    trace_.category[kept] = trace_.category[i];
    trace_.source[kept] = trace_.source[i];
    trace_.correlation[kept] = trace_.correlation[i];
    trace_.external_id[kept] = trace_.external_id[i];
    trace_.aux[kept] = trace_.aux[i];
    ++kept;
  }
  trace_.ts_ns.truncate(kept);
  trace_.dur_ns.truncate(kept);
  trace_.name.truncate(kept);
  trace_.track.truncate(kept);
  trace_.kind.truncate(kept);
  trace_.category.truncate(kept);
  trace_.source.truncate(kept);
  trace_.correlation.truncate(kept);
  trace_.external_id.truncate(kept);
  trace_.aux.truncate(kept);
}

// Puts them on tracks of their own outside of the host's, where nothing counts them.
void TraceBuilder::SetStrayCallsAside() {
  const std::vector<Row> stray = FindStrayCalls(trace_);
  if (stray.empty()) return;
  boost::unordered_flat_map<std::uint32_t, std::uint32_t> aside;
  for (const Row row : stray) {
    const auto [place, is_new] =
        aside.emplace(trace_.track[row], static_cast<std::uint32_t>(trace_.tracks.size()));
    if (is_new) {
      Track track = trace_.tracks[trace_.track[row]];
      track.domain = Domain::kOther;
      trace_.tracks.push_back(track);
    }
    trace_.track[row] = place->second;
  }
  quality_.Add(
      QualityCode::kOutsideRecording, -1,
      "calls of the device API long before or behind all ops and device work: the profiler "
      "did not run then, and they count nowhere",
      static_cast<std::int64_t>(stray.size()));
}

// Orders tracks by (domain, first, second, names) and rows by (track, ts, longer first, source).
void TraceBuilder::SortRows() {
  const std::size_t track_count = trace_.tracks.size();
  std::vector<std::uint32_t> track_order(track_count);
  std::iota(track_order.begin(), track_order.end(), 0U);
  std::sort(track_order.begin(), track_order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const Track& x = trace_.tracks[a];
    const Track& y = trace_.tracks[b];
    if (x.domain != y.domain) return x.domain < y.domain;
    if (x.first != y.first) return x.first < y.first;
    if (x.second != y.second) return x.second < y.second;
    return a < b;
  });
  std::vector<std::uint32_t> new_track(track_count);
  for (std::size_t i = 0; i < track_count; ++i)
    new_track[track_order[i]] = static_cast<std::uint32_t>(i);

  const std::size_t rows = trace_.row_count();
  std::vector<std::uint32_t> next(track_count + 1, 0);
  for (std::size_t i = 0; i < rows; ++i) ++next[new_track[trace_.track[i]] + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  Column<Track> tracks;
  for (std::size_t i = 0; i < track_count; ++i) {
    Track track = trace_.tracks[track_order[i]];
    track.begin = next[i];
    track.end = next[i + 1];
    tracks.push_back(track);
  }
  trace_.tracks = std::move(tracks);

  std::vector<Row> order(rows);
  for (std::size_t i = 0; i < rows; ++i)
    order[next[new_track[trace_.track[i]]]++] = static_cast<Row>(i);

  const std::int64_t* ts = trace_.ts_ns.data();
  const std::int64_t* dur = trace_.dur_ns.data();
  const auto before = [&](Row a, Row b) {
    if (ts[a] != ts[b]) return ts[a] < ts[b];
    if (dur[a] != dur[b]) return dur[a] > dur[b];
    return a < b;  // rows are still in file order, so this is the order of `source`
  };
  for (const Track& track : trace_.tracks) {
    const auto begin = order.begin() + track.begin;
    const auto end = order.begin() + track.end;
    // Files are sorted in long runs, which this sort profits from.
    if (!std::is_sorted(begin, end, before)) boost::sort::spinsort(begin, end, before);
  }
  for (std::uint32_t& track : trace_.track) track = new_track[track];
  for (FlowPoint& flow : flows_) flow.track = new_track[flow.track];

  if (!std::is_sorted(order.begin(), order.end())) {
    Permute(trace_.ts_ns, order);
    Permute(trace_.dur_ns, order);
    Permute(trace_.name, order);
    Permute(trace_.track, order);
    Permute(trace_.kind, order);
    Permute(trace_.category, order);
    Permute(trace_.source, order);
    Permute(trace_.correlation, order);
    Permute(trace_.external_id, order);
    Permute(trace_.aux, order);
  }
}

RankTrace TraceBuilder::Finish(TraceMeta meta, QualityLog quality, Adapt adapt) && {
  meta.event_count = trace_.meta.event_count;
  meta.flow_count = trace_.meta.flow_count;
  meta.metadata_count = trace_.meta.metadata_count;
  meta.bad_event_count = trace_.meta.bad_event_count;
  trace_.meta = std::move(meta);
  quality_.Merge(quality);
  NameTracks();
  MatchBeginEnd();
  phase_ = {};
  if (adapt != nullptr) {
    UnsortedTrace unsorted{
        .trace = trace_,
        .flows = flows_,
        .hints = hints_,
        .intern = [this](std::string_view text) { return Intern(text); },
        .category = [this](std::string_view text) { return CategoryIndex(Intern(text)); },
        .state_step = [this](const StatedStep& step) { StateStep(step); }};
    adapt(unsorted);
  }
  SetStrayCallsAside();
  SortRows();
  LinkTrace(trace_, flows_, stated_steps_, quality_);
  trace_.meta.quality = quality_.TakeSorted();
  return std::move(trace_);
}

}  // namespace rankscope
