#include "tools/perfetto.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/file.h"
#include "formats/base/packed_file.h"
#include "formats/kineto/edit/event_reader.h"
#include "formats/kineto/reader.h"
#include "formats/perfetto/annotations.h"
#include "formats/perfetto/proto.h"
#include "tools/write_traces.h"

namespace rankscope::tools {
namespace {

using perfetto::AnnotationWriter;
using perfetto::Interned;
using perfetto::Message;
using perfetto::NameIds;
using perfetto::Packet;
using perfetto::TrackEvent;

// The annotations of every event, in a file, in the order of the trace.
class ArgumentStore {
 public:
  static Result<std::unique_ptr<ArgumentStore>> Create(const std::string& beside) {
    RS_ASSIGN_OR_RETURN(auto file, AtomicFile::Create(beside + ".args"));
    return std::unique_ptr<ArgumentStore>(new ArgumentStore(std::move(file)));
  }

  // Of the events that follow those added before: where the bytes of each end.
  Status Add(std::string_view bytes, const std::vector<std::uint64_t>& ends) {
    const std::uint64_t begin = file_->written();
    for (const std::uint64_t end : ends) ends_.push_back(begin + end);
    return file_->Write(bytes.data(), bytes.size());
  }
  Status Map() {
    RS_ASSIGN_OR_RETURN(map_, MappedFile::Open(file_->temporary_path()));
    return OkStatus();
  }
  std::string_view Of(std::uint64_t event) const {
    if (event >= ends_.size()) return {};
    const std::uint64_t begin = event == 0 ? 0 : ends_[event - 1];
    return map_->text().substr(begin, ends_[event] - begin);
  }

 private:
  explicit ArgumentStore(std::unique_ptr<AtomicFile> file) : file_(std::move(file)) {}
  std::unique_ptr<AtomicFile> file_;  // never gets its name
  std::vector<std::uint64_t> ends_;
  std::unique_ptr<MappedFile> map_;
};

class ArgumentWorker : public kineto::ChunkWorker {
 public:
  ArgumentWorker(NameIds& names, ArgumentStore& store) : writer_(names), store_(store) {}

  Status Work(kineto::Chunk& chunk) override {
    const auto clear = [&] {
      bytes_.clear();
      ends_.clear();
    };
    clear();
    reader_.Read(chunk, clear, [&](const kineto::EventText& event) {
      while (ends_.size() < event.index) ends_.push_back(bytes_.size());  // unusable elements
      writer_.AppendEvent(event.text, bytes_);
      ends_.push_back(bytes_.size());
    });
    ends_.resize(reader_.count(), bytes_.size());
    return OkStatus();
  }
  Status Deliver(const kineto::Chunk&) override { return store_.Add(bytes_, ends_); }

 private:
  AnnotationWriter writer_;
  ArgumentStore& store_;
  kineto::EventReader reader_;
  std::string bytes_;
  std::vector<std::uint64_t> ends_;
};

// Packets in the order in which a reader must take those of equal time.
class PacketWriter {
 public:
  explicit PacketWriter(std::unique_ptr<PackedFile> file) : file_(std::move(file)) {}

  Status Descriptor(std::uint64_t uuid, std::uint64_t parent, std::string_view name,
                    std::optional<std::int64_t> pid) {
    std::string track;
    Message message(track);
    message.Uint(perfetto::TrackDescriptor::kUuid, uuid);
    if (pid) {
      std::string process;
      Message(process).Int(perfetto::ProcessDescriptor::kPid, *pid);
      Message(process).Bytes(perfetto::ProcessDescriptor::kName, name);
      message.Bytes(perfetto::TrackDescriptor::kProcess, process);
    } else {
      message.Bytes(perfetto::TrackDescriptor::kName, name);
    }
    if (parent != 0) message.Uint(perfetto::TrackDescriptor::kParent, parent);
    std::string packet;
    Message(packet).Bytes(Packet::kTrackDescriptor, track);
    return Add(packet, 0);
  }

  // Interned names that the next event is the first to use.
  void Intern(unsigned kind, std::uint64_t id, std::string_view name) {
    std::string entry;
    Message(entry).Uint(Interned::kId, id);
    Message(entry).Bytes(Interned::kText, name);
    Message(interned_).Bytes(kind, entry);
  }

  Status Event(std::uint64_t ts_ns, std::string_view event) {
    std::string packet;
    Message message(packet);
    message.Uint(Packet::kTimestamp, ts_ns);
    if (!interned_.empty()) message.Bytes(Packet::kInterned, interned_);
    interned_.clear();
    message.Bytes(Packet::kTrackEvent, event);
    return Add(packet, Packet::kNeedsState);
  }

  Status Finish() {
    RS_RETURN_IF_ERROR(file_->Write(out_));
    return file_->Finish();
  }

 private:
  Status Add(std::string& packet, std::uint64_t flags) {
    Message message(packet);
    message.Uint(Packet::kSequence, 1);
    if (is_first_) flags |= Packet::kStateCleared;
    is_first_ = false;
    if (flags != 0) message.Uint(Packet::kFlags, flags);
    Message(out_).Bytes(perfetto::Trace::kPacket, packet);
    constexpr std::size_t kEnough = std::size_t{1} << 20;
    if (out_.size() < kEnough) return OkStatus();
    const Status status = file_->Write(out_);
    out_.clear();
    return status;
  }

  std::unique_ptr<PackedFile> file_;
  std::string out_;
  std::string interned_;
  bool is_first_ = true;
};

// One trace: its tracks, then the events of each in the order of their times.
class TracePackets {
 public:
  TracePackets(const RankTrace& trace, const ArgumentStore& arguments, NameIds& names,
               PacketWriter& out)
      : trace_(trace),
        arguments_(arguments),
        names_(names),
        out_(out),
        is_interned_(trace.strings.size(), false),
        is_category_interned_(trace.strings.size(), false) {
    FindFlows();
  }

  Status Write() {
    for (std::uint32_t track = 0; track < trace_.tracks.size(); ++track)
      RS_RETURN_IF_ERROR(WriteTrack(track));
    return OkStatus();
  }

  // An instant with the outer keys as annotations.
  Status WriteMetadata(const kineto::TopValues& values) {
    AnnotationWriter writer(names_);
    std::string annotations;
    for (const auto& [key, value] : values) writer.AppendValue(key, value, annotations);
    InternArguments();
    const std::uint64_t uuid = next_uuid_++;
    RS_RETURN_IF_ERROR(out_.Descriptor(uuid, 0, "trace metadata", std::nullopt));
    constexpr std::uint64_t kNameId = UINT32_MAX;  // no string of the trace has it
    out_.Intern(Interned::kNames, kNameId, "trace metadata");
    std::string event;
    Message message(event);
    message.Uint(TrackEvent::kType, TrackEvent::kInstant);
    message.Uint(TrackEvent::kTrack, uuid);
    message.Uint(TrackEvent::kName, kNameId);
    event += annotations;
    return out_.Event(TimeOf(trace_.begin_ns), event);
  }

  // Behind the last event's names, so that those of metadata are known, too.
  void InternArguments() {
    const auto& names = names_.names();
    for (; interned_arguments_ < names.size(); ++interned_arguments_)
      out_.Intern(Interned::kAnnotationNames, interned_arguments_ + 1, names[interned_arguments_]);
  }

 private:
  struct Flow {
    Row row = kNoRow;
    std::uint64_t id = 0;
    bool is_end = false;
  };
  // A row of slices none of which reach out of the one that they begin in.
  struct Lane {
    std::uint64_t uuid = 0;
    std::vector<std::int64_t> open;  // ends
  };

  std::uint64_t TimeOf(std::int64_t ts_ns) const {
    const std::int64_t absolute = trace_.meta.base_ns + ts_ns;
    return absolute < 0 ? 0 : static_cast<std::uint64_t>(absolute);
  }

  void FindFlows() {
    std::uint64_t id = 0;
    const auto add = [&](const Column<RowPair>& pairs) {
      for (const RowPair& pair : pairs) {
        ++id;
        flows_.push_back({pair.from, id, false});
        flows_.push_back({pair.to, id, true});
      }
    };
    add(trace_.launch_kernels);
    add(trace_.forward_backward);
    std::stable_sort(flows_.begin(), flows_.end(),
                     [](const Flow& a, const Flow& b) { return a.row < b.row; });
  }

  Result<std::uint64_t> ProcessOf(const Track& track) {
    const bool is_device = track.domain != Domain::kHost && track.domain != Domain::kOther;
    const auto key = std::pair(is_device, track.first);
    const auto known = processes_.find(key);
    if (known != processes_.end()) return known->second;
    const std::uint64_t uuid = next_uuid_++;
    std::string name(trace_.strings.Get(track.process));
    if (is_device) name = fmt::format("device {} {}", track.first, name);
    if (name.empty()) name = track.first < 0 ? "others" : fmt::format("process {}", track.first);
    const bool is_pid = !is_device && track.first > 0 && track.first <= INT32_MAX;
    RS_RETURN_IF_ERROR(
        out_.Descriptor(uuid, 0, name, is_pid ? std::optional(track.first) : std::nullopt));
    processes_.emplace(key, uuid);
    return uuid;
  }

  std::string NameOf(const Track& track) const {
    const std::string_view name = trace_.strings.Get(track.name);
    const std::string_view kind = track.domain == Domain::kDevice       ? "stream"
                                  : track.domain == Domain::kDeviceSync ? "waits of stream"
                                  : track.domain == Domain::kDeviceAnnotation
                                      ? "annotations of stream"
                                      : "thread";
    if (track.second < 0 && !name.empty()) return std::string(name);  // an id that is a text
    return name.empty() ? fmt::format("{} {}", kind, track.second)
                        : fmt::format("{} {} ({})", kind, track.second, name);
  }

  Status WriteTrack(std::uint32_t number) {
    const Track& track = trace_.tracks[number];
    if (track.begin == track.end) return OkStatus();
    RS_ASSIGN_OR_RETURN(const std::uint64_t process, ProcessOf(track));
    std::vector<Lane> lanes;
    const auto new_lane = [&]() -> Status {
      lanes.push_back({next_uuid_++, {}});
      return out_.Descriptor(lanes.back().uuid, process, NameOf(track), std::nullopt);
    };
    for (Row row = track.begin; row < track.end; ++row) {
      const std::int64_t begin = trace_.ts_ns[row];
      const std::int64_t end = trace_.end_ns(row);
      std::size_t lane = 0;
      for (; lane < lanes.size(); ++lane) {
        RS_RETURN_IF_ERROR(CloseUntil(lanes[lane], begin));
        if (lanes[lane].open.empty() || lanes[lane].open.back() >= end) break;
      }
      if (lane == lanes.size()) RS_RETURN_IF_ERROR(new_lane());
      const bool is_slice = trace_.dur_ns[row] != kNoDuration;
      RS_RETURN_IF_ERROR(Begin(lanes[lane].uuid, row, is_slice));
      if (is_slice) lanes[lane].open.push_back(end);
    }
    for (Lane& lane : lanes) RS_RETURN_IF_ERROR(CloseUntil(lane, INT64_MAX));
    return OkStatus();
  }

  Status CloseUntil(Lane& lane, std::int64_t time) {
    for (; !lane.open.empty() && lane.open.back() <= time; lane.open.pop_back()) {
      std::string event;
      Message message(event);
      message.Uint(TrackEvent::kType, TrackEvent::kEnd);
      message.Uint(TrackEvent::kTrack, lane.uuid);
      RS_RETURN_IF_ERROR(out_.Event(TimeOf(lane.open.back()), event));
    }
    return OkStatus();
  }

  Status Begin(std::uint64_t uuid, Row row, bool is_slice) {
    InternArguments();
    const StringId name = trace_.name[row];
    const StringId category = trace_.categories[trace_.category[row]];
    Intern(Interned::kNames, name, is_interned_);
    Intern(Interned::kCategories, category, is_category_interned_);
    std::string event;
    Message message(event);
    message.Uint(TrackEvent::kCategory, category + 1);
    message.Uint(TrackEvent::kType, is_slice ? TrackEvent::kBegin : TrackEvent::kInstant);
    message.Uint(TrackEvent::kName, name + 1);
    message.Uint(TrackEvent::kTrack, uuid);
    event += arguments_.Of(trace_.source[row]);
    for (auto flow = std::lower_bound(flows_.begin(), flows_.end(), row,
                                      [](const Flow&one, Row of) { return one.row < of; });
         flow != flows_.end() && flow->row == row; ++flow)
      message.Fixed64(flow->is_end ? TrackEvent::kFlowEnd : TrackEvent::kFlow, flow->id);
    return out_.Event(TimeOf(trace_.ts_ns[row]), event);
  }

  void Intern(unsigned kind, StringId id, std::vector<bool>& done) {
    if (done[id]) return;
    done[id] = true;
    out_.Intern(kind, id + 1, trace_.strings.Get(id));
  }

  const RankTrace& trace_;
  const ArgumentStore& arguments_;
  NameIds& names_;
  PacketWriter& out_;
  std::uint64_t next_uuid_ = 1;
  std::vector<bool> is_interned_;
  std::vector<bool> is_category_interned_;
  std::size_t interned_arguments_ = 0;
  std::map<std::pair<bool, std::int64_t>, std::uint64_t> processes_;
  std::vector<Flow> flows_;  // by row
};

}  // namespace

Result<PerfettoReport> WritePerfetto(const std::string& from, const std::string& to, int threads) {
  RS_ASSIGN_OR_RETURN(const std::vector<Document> documents, DocumentsOf(from));
  RS_RETURN_IF_ERROR(CheckOutput(to, documents));
  if (documents.size() > 1) {
    return Error(StatusCode::kInvalidArgument,
                 "{}: {} traces were merged into it; choose one with trace filter --rank, or open "
                 "the merged file itself in Perfetto",
                 from, documents.size());
  }
  const Document& document = documents.front();
  PerfettoReport report;
  RS_ASSIGN_OR_RETURN(const Survey survey, SurveyOf(document, {.threads = threads}));
  if (std::string loss = LossOf(document, survey); !loss.empty())
    report.losses.push_back(std::move(loss));
  kineto::ReadOptions options;
  options.threads = threads;
  options.part = document.part;
  RS_ASSIGN_OR_RETURN(const RankTrace trace, kineto::ReadTrace(document.path, options));
  NameIds names;
  RS_ASSIGN_OR_RETURN(const auto store, ArgumentStore::Create(to));
  {
    RS_ASSIGN_OR_RETURN(const auto source, OpenDocument(document));
    const kineto::PassOptions pass{.threads = threads, .split = {}};
    RS_RETURN_IF_ERROR(kineto::ForEachChunk(*source, pass, [&] {
                         return std::make_unique<ArgumentWorker>(names, *store);
                       }).status());
  }
  RS_RETURN_IF_ERROR(store->Map());
  RS_ASSIGN_OR_RETURN(auto file, PackedFile::Create(to));
  PacketWriter packets(std::move(file));
  TracePackets writer(trace, *store, names, packets);
  RS_RETURN_IF_ERROR(writer.Write());
  RS_RETURN_IF_ERROR(writer.WriteMetadata(survey.values));
  RS_RETURN_IF_ERROR(packets.Finish());
  return report;
}

}  // namespace rankscope::tools
