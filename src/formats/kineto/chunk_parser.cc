#include "formats/kineto/chunk_parser.h"
#include "formats/kineto/tokens/read_event.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "base/hash.h"
#include "formats/kineto/kinds.h"
#include "formats/kineto/tokens/decimal.h"
#include "formats/kineto/tokens/pieces.h"
#include "formats/kineto/tokens/text.h"

namespace rankscope::kineto {
namespace {

namespace od = simdjson::ondemand;

std::int64_t Int(std::string_view token, std::int64_t unknown) {
  std::int64_t value = 0;
  return !token.empty() && ParseInteger(Unquote(token), value) ? value : unknown;
}

std::int32_t Int32(std::string_view token, std::int32_t unknown = -1) {
  const std::int64_t value = Int(token, unknown);
  const bool fits = value >= std::numeric_limits<std::int32_t>::min() &&
                    value <= std::numeric_limits<std::int32_t>::max();
  return fits ? static_cast<std::int32_t>(value) : unknown;
}

double Number(std::string_view token, double unknown) {
  token = Unquote(token);
  double value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  const bool is_number =
      error == std::errc() && end == token.data() + token.size() && std::isfinite(value);
  return is_number && !token.empty() ? value : unknown;
}

std::uint64_t ThreadOf(const RawEvent& event) {
  const std::uint64_t ids[] = {Checksum64(event.pid.data(), event.pid.size()),
                               Checksum64(event.tid.data(), event.tid.size())};
  return Checksum64(ids, sizeof(ids));
}

float Float(std::string_view token) {
  const double value = Number(token, -1);
  return std::abs(value) <= std::numeric_limits<float>::max() ? static_cast<float>(value) : -1.0F;
}

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

}  // namespace

void ChunkParser::Parse(Chunk& chunk, EventBatch& batch) {
  batch.Clear();
  if (chunk.losses().empty() && ParseArray(chunk.AsArray(), batch)) return;
  batch.Clear();
  ParsePieces(chunk, batch);
}

bool ChunkParser::ParseArray(std::string_view array, EventBatch& batch) {
  od::document document;
  // The chunk keeps readable bytes behind its text.
  if (parser_.iterate(array.data(), array.size(), array.size() + simdjson::SIMDJSON_PADDING)
          .get(document))
    return false;
  od::array events;
  if (document.get_array().get(events)) return false;
  for (auto result : events) {
    auto object = result.get_object();
    if (object.error() || ReadEvent(object.value_unsafe(), event_)) return false;
    AddEvent(event_, batch);
  }
  return true;
}

void ChunkParser::ParsePieces(Chunk& chunk, EventBatch& batch) {
  ForEachPiece(chunk, [&](const Piece& piece) {
    switch (piece.kind) {
      case Piece::Kind::kObject:
        if (ParsePiece(piece.text, piece.place, batch)) return;
        [[fallthrough]];
      case Piece::Kind::kBroken:
        batch.quality.Add(QualityCode::kInvalidJson, piece.place,
                          "an event that is not valid JSON was skipped");
        break;
      case Piece::Kind::kTooDeep:
        batch.quality.Add(QualityCode::kTooLarge, piece.place,
                          "an event nested deeper than 1000 levels was skipped");
        break;
      case Piece::Kind::kLost:
        break;
    }
    batch.event_count += piece.count;
    batch.bad_event_count += piece.count;
  });
}

bool ChunkParser::ParsePiece(std::string_view text, std::int64_t place, EventBatch& batch) {
  const Repairs repairs = RepairText(text, padded_);
  const std::size_t size = padded_.size();
  padded_.append(simdjson::SIMDJSON_PADDING, ' ');
  od::document document;
  if (parser_.iterate(padded_.data(), size, padded_.size()).get(document)) return false;
  od::object object;
  if (document.get_object().get(object)) return false;
  if (ReadEvent(object, event_)) return false;
  AddEvent(event_, batch);
  if (repairs.utf8) {
    batch.quality.Add(QualityCode::kInvalidUtf8, place,
                      "bytes that are not UTF-8 in an event were replaced by U+FFFD");
  }
  if (repairs.control) {
    batch.quality.Add(QualityCode::kInvalidJson, place,
                      "control characters inside a string were replaced by spaces");
  }
  return true;
}

StringId ChunkParser::InternString(std::string_view token) {
  std::string_view text = Unquote(token);
  if (text.empty()) return kEmptyString;
  if (std::memchr(text.data(), '\\', text.size()) != nullptr) {
    Unescape(text, scratch_);
    text = scratch_;
  }
  return InternText(text);
}

StringId ChunkParser::InternText(std::string_view text) {
  if (text.size() > kMaxStringBytes) {
    batch_->quality.Add(QualityCode::kTooLarge, -1, "strings longer than 64 KiB were cut");
    std::size_t end = kMaxStringBytes;  // not inside of a character
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    text = text.substr(0, end);
  }
  return scope_.strings.Intern(text);
}

StringId ChunkParser::InternCategory(std::string_view token) {
  if (token != last_category_text_) {
    last_category_ = InternString(token);
    last_category_text_ = token;
  }
  return last_category_;
}

StringId ChunkParser::InternList(std::string_view json) {
  if (json.empty()) return kEmptyString;
  if (json.size() > kMaxStringBytes) {
    batch_->quality.Add(QualityCode::kTooLarge, -1,
                        "argument lists longer than 64 KiB were left out");
    return kEmptyString;
  }
  const StringId raw = raw_lists_.Intern(json);
  if (raw >= minified_.size()) minified_.resize(raw + 1, kNoAux);
  if (minified_[raw] == kNoAux) {
    Minify(json, scratch_);
    minified_[raw] = scope_.strings.Intern(scratch_);
  }
  return minified_[raw];
}

const ChunkParser::Category& ChunkParser::CategoryOf(StringId id) {
  if (id >= categories_.size()) {
    categories_.resize(id + 1);
    category_known_.resize(id + 1, false);
  }
  if (!category_known_[id]) {
    const std::string_view name = scope_.strings.Get(id);
    categories_[id] = {KindOfCategory(name), name == "mtia_ccp_events", name == "Trace",
                       IsLaunchFlow(name), name == "fwdbwd"};
    category_known_[id] = true;
  }
  return categories_[id];
}

std::uint32_t ChunkParser::AddTrack(const TrackKey& key) {
  const auto [place, is_new] =
      scope_.track_ids.emplace(key, static_cast<std::uint32_t>(scope_.tracks.size()));
  if (is_new) scope_.tracks.push_back(key);
  return place->second;
}

std::uint32_t ChunkParser::TrackOf(const RawEvent& event, Domain domain) {
  // What tells tracks of a domain apart, as text: events of a track often follow each other.
  const bool of_device = domain == Domain::kDevice || domain == Domain::kDeviceSync;
  const std::string_view first =
      of_device && !event.args.device.empty() ? event.args.device : event.pid;
  const std::string_view second =
      of_device && !event.args.stream.empty() ? event.args.stream : event.tid;
  LastTrack& last = last_tracks_[static_cast<std::size_t>(domain)];
  if (last.track != kNoAux && last.first == first && last.second == second) return last.track;
  last.first = first;
  last.second = second;
  last.track = FindTrack(first, second, domain);
  return last.track;
}

std::uint32_t ChunkParser::FindTrack(std::string_view first, std::string_view second,
                                     Domain domain) {
  TrackKey key;
  key.domain = domain;
  if (!ParseInteger(Unquote(first), key.first)) {
    key.first = -1;
    key.first_text = InternString(first);
    if (domain == Domain::kHost && !first.empty())
      key.domain = Domain::kOther;  // pid "Traces", "Spans": the profiler's own
  }
  if (!ParseInteger(Unquote(second), key.second)) {
    key.second = -1;
    key.second_text = InternString(second);
  }
  return AddTrack(key);
}

void ChunkParser::AddEvent(const RawEvent& event, EventBatch& batch) {
  batch_ = &batch;
  const char phase = event.phase.size() == 1 ? event.phase[0] : '\0';
  switch (phase) {
    case '\0':
      ++batch.bad_event_count;
      batch.quality.Add(QualityCode::kBadEvent, -1, "an event without a phase (ph) was skipped");
      break;
    case 's':
    case 't':
    case 'f':
      ++batch.flow_count;
      AddFlow(event, phase == 's', batch);
      break;
    case 'M':
      ++batch.metadata_count;
      AddMetadata(event, batch);
      break;
    default:
      AddRow(event, phase, batch);
  }
  ++batch.event_count;
}

void ChunkParser::AddFlow(const RawEvent& event, bool start, EventBatch& batch) {
  const Category& category = CategoryOf(InternCategory(event.category));
  if (category.is_launch_flow) return;
  FlowPoint flow;
  if (!ParseInteger(event.id, flow.id) || !ParseMicros(event.ts, flow.ts_ns)) return;
  flow.track = TrackOf(event, Domain::kHost);
  flow.category = InternCategory(event.category);
  flow.start = start;
  flow.forward_backward = category.is_forward_backward;
  batch.flows.push_back(flow);
}

void ChunkParser::AddMetadata(const RawEvent& event, EventBatch& batch) {
  const std::string_view what = Unquote(event.name);
  const bool of_process = what == "process_name";
  if (!of_process && what != "thread_name") return;
  TrackName name;
  name.of_process = of_process;
  if (!ParseInteger(event.pid, name.first)) return;
  if (!of_process && !ParseInteger(event.tid, name.second)) return;
  name.text = InternString(event.args.name);
  batch.names.push_back(name);
}

void ChunkParser::AddRow(const RawEvent& event, char phase, EventBatch& batch) {
  const auto skip = [&](std::string_view why) {
    batch.rows.pop_back();
    ++batch.bad_event_count;
    batch.quality.Add(QualityCode::kBadEvent, -1, why);
  };
  RawRow& row =
      batch.rows.emplace_back();  // filled in place: copying it would wait for each of its stores
  if (!ParseMicros(event.ts, row.ts_ns) || std::abs(row.ts_ns) > kMaxTimeNs) {
    return skip("an event without a usable timestamp (ts) was skipped");
  }
  row.source = static_cast<std::uint32_t>(batch.event_count);
  row.name = InternString(event.name);
  row.category = InternCategory(event.category);
  const Category& category = CategoryOf(row.category);
  row.kind = category.kind;
  Domain domain = category.is_profiler ? Domain::kOther : DomainOf(row.kind);
  switch (phase) {
    case 'X':
      if (!event.dur.empty()) {
        if (!ParseMicros(event.dur, row.dur_ns) || row.dur_ns < 0) {
          row.dur_ns = kNoDuration;
          batch.quality.Add(
              QualityCode::kBadEvent, -1,
              "a duration (dur) that is negative or not a number was taken as unknown");
        }
      }
      if (category.is_mtia_work) {
        row.kind = KindOfMtiaWork(Unquote(event.name));
        domain = DomainOf(row.kind);
      }
      break;
    case 'B':
    case 'E':
      row.phase = phase == 'B' ? EventPhase::kBegin : EventPhase::kEnd;
      batch.brackets.push_back({row.source, ThreadOf(event)});
      break;
    case 'C':
      row.phase = EventPhase::kOther;
      row.kind = EventKind::kCounter;
      domain = DomainOf(row.kind);
      break;
    default:
      row.phase = EventPhase::kOther;
      row.kind =
          Unquote(event.name) == "[memory]" ? EventKind::kMemoryInstant : EventKind::kInstant;
      domain = Domain::kHost;
  }
  if (row.dur_ns > kMaxTimeNs - std::max<std::int64_t>(row.ts_ns, 0)) {
    return skip("an event that ends beyond the range of time was skipped");
  }
  row.track = TrackOf(event, domain);
  AddIds(event, row, domain, batch);
  if (event.has_args) {
    row.correlation = Int(event.args.correlation, kNoCorrelation);
    if (row.kind == EventKind::kOther) AddHint(event, row, batch);
    row.external_id = Int32(event.args.external_id, kNoId);
    if (ids_ == RecordIds::kKept && !event.args.record_id.empty())
      batch.record_ids.push_back({row.source, Int(event.args.record_id, 0)});
    row.aux = AddSideTable(event, row.kind, batch);
  }
}

void ChunkParser::AddHint(const RawEvent& event, RawRow& row, EventBatch& batch) {
  const RawArgs& args = event.args;
  if (row.correlation == kNoCorrelation) row.correlation = Int(args.connection, kNoCorrelation);
  if (args.task_type.empty() && args.data_type.empty() && args.algorithm.empty() &&
      args.count.empty() && args.peer.empty() && args.details.empty() && args.step.empty())
    return;
  batch.hints.push_back({.source = row.source,
                         .task = InternString(args.task_type),
                         .dtype = InternString(args.data_type),
                         .algorithm = InternString(args.algorithm),
                         .details = InternString(args.details),
                         .elements = Int(args.count, -1),
                         .peer = Int(args.peer, -1),
                         .step = Int(args.step, -1)});
}

void ChunkParser::AddIds(const RawEvent& event, const RawRow& row, Domain domain,
                         EventBatch& batch) {
  const bool of_device = domain == Domain::kDevice || domain == Domain::kDeviceSync;
  const bool has_stream = event.has_args && !event.args.stream.empty();
  if (!of_device && !has_stream) return;  // the track has the file's own ids
  const TrackKey& track = scope_.tracks[row.track];
  RowIds ids;
  ids.source = row.source;
  ids.stream = has_stream ? Int(event.args.stream, kNoId) : kNoId;
  if (!ParseInteger(event.pid, ids.pid)) ids.pid = track.first;
  if (!ParseInteger(event.tid, ids.tid)) ids.tid = track.second;
  const bool same_stream = ids.stream == (of_device ? track.second : kNoId);
  if (same_stream && ids.pid == track.first && ids.tid == track.second) return;
  batch.row_ids.push_back(ids);
}

std::uint32_t ChunkParser::AddCollective(const RawArgs& args, EventBatch& batch) {
  if (args.collective.empty()) return kNoAux;
  CollectiveArgs collective;
  collective.in_elements = Int(args.in_elements, -1);
  collective.out_elements = Int(args.out_elements, -1);
  collective.name = InternString(args.collective);
  collective.dtype = InternString(args.dtype);
  collective.group_name = InternString(args.group_name);
  collective.group_desc = InternString(args.group_desc);
  collective.group_ranks = InternString(args.group_ranks);
  collective.in_split = InternString(args.in_split);
  collective.out_split = InternString(args.out_split);
  collective.group_size = Int32(args.group_size);
  collective.sequence = Int32(args.sequence);
  collective.source_rank = Int32(args.source_rank);
  collective.destination_rank = Int32(args.destination_rank);
  batch.collectives.push_back(collective);
  return static_cast<std::uint32_t>(batch.collectives.size() - 1);
}

std::uint32_t ChunkParser::AddOp(const RawArgs& args, EventBatch& batch) {
  if (args.input_dims.empty() && args.input_types.empty() && args.sequence_number.empty() &&
      args.collective.empty() && args.concrete_inputs.empty()) {
    return kNoAux;
  }
  const std::uint32_t collective = AddCollective(args, batch);
  OpArgs& op = batch.ops.emplace_back();
  op.input_dims = InternList(args.input_dims);
  op.input_types = InternList(args.input_types);
  op.input_strides = InternList(args.input_strides);
  op.concrete_inputs = InternList(args.concrete_inputs);
  op.sequence_number = Int(args.sequence_number, -1);
  op.forward_thread = Int32(args.forward_thread);
  op.collective = collective;
  return static_cast<std::uint32_t>(batch.ops.size() - 1);
}

std::uint32_t ChunkParser::AddCounters(const RawEvent& event, EventBatch& batch) {
  const std::size_t first = batch.counters.size();
  for (const auto& [name, token] : event.counters) {
    const double value = Number(token, kNotANumber);
    if (!std::isfinite(value)) continue;
    batch.counters.push_back({.value = value, .name = InternText(name), .is_last = 0});
  }
  if (batch.counters.size() == first) return kNoAux;
  batch.counters.back().is_last = 1;
  return static_cast<std::uint32_t>(first);
}

std::uint32_t ChunkParser::AddSideTable(const RawEvent& event, EventKind kind, EventBatch& batch) {
  const RawArgs& args = event.args;
  switch (kind) {
    case EventKind::kCpuOp:
    case EventKind::kUserAnnotation:
      return AddOp(args, batch);
    case EventKind::kRuntime:
      return args.kernel.empty() ? kNoAux : InternString(args.kernel);
    case EventKind::kKernel: {
      const std::uint32_t collective = AddCollective(args, batch);
      KernelArgs& kernel = batch.kernels.emplace_back();
      for (std::size_t i = 0; i < 3; ++i) {
        kernel.grid[i] = Int32(args.grid[i]);
        kernel.block[i] = Int32(args.block[i]);
      }
      kernel.registers_per_thread = Int32(args.registers);
      kernel.shared_memory_bytes = Int32(args.shared_memory);
      kernel.blocks_per_sm = Float(args.blocks_per_sm);
      kernel.warps_per_sm = Float(args.warps_per_sm);
      kernel.occupancy_pct = Float(args.occupancy);
      kernel.context = Int32(args.context);
      kernel.collective = collective;
      return static_cast<std::uint32_t>(batch.kernels.size() - 1);
    }
    case EventKind::kMemcpy:
    case EventKind::kMemset:
      batch.copies.push_back({Int(args.bytes, -1), Number(args.bandwidth, -1)});
      return static_cast<std::uint32_t>(batch.copies.size() - 1);
    case EventKind::kMemoryInstant:
      batch.memory.push_back({Int(args.address, 0), Int(args.bytes, 0),
                              Int(args.total_allocated, -1), Int(args.total_reserved, -1),
                              Int32(args.device_type), Int32(args.device_id)});
      return static_cast<std::uint32_t>(batch.memory.size() - 1);
    case EventKind::kPythonFunction:
      batch.python.push_back(
          {Int32(args.python_id), Int32(args.python_parent), Int32(args.python_module)});
      return static_cast<std::uint32_t>(batch.python.size() - 1);
    case EventKind::kDeviceSync:
      batch.syncs.push_back(
          {Int(args.wait_record, -1), Int32(args.wait_stream), Int32(args.wait_event)});
      return static_cast<std::uint32_t>(batch.syncs.size() - 1);
    case EventKind::kProfilerRange:
    case EventKind::kCounter:
      return AddCounters(event, batch);
    default:
      return kNoAux;
  }
}

}  // namespace rankscope::kineto
