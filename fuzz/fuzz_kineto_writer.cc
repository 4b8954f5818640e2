// The writer of Kineto traces: any events, plain or compressed, are read back as they were.
#include <unistd.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "damaged_trace.h"
#include "formats/kineto/reader.h"
#include "formats/kineto/writer.h"
#include "input.h"
#include "source.h"

namespace rankscope::fuzz {
namespace {

using Written = std::tuple<std::string, std::int64_t, std::int64_t>;  // name, ts_ns, dur_ns

// Events of every kind out of the bytes, and what should be read.
class EventsFromBytes {
 public:
  EventsFromBytes(Source& source, kineto::Writer& writer) : source_(source), writer_(writer) {}

  void Write() {
    while (!source_.at_end()) Event(source_.Byte() % 11);
  }
  const std::vector<Written>& rows() const { return rows_; }
  std::uint64_t flows() const { return flows_; }
  std::uint64_t metadata() const { return metadata_; }

 private:
  // Bytes of ASCII with all of its controls, and letters of two bytes.
  std::string Name() {
    std::string name;
    for (const char byte : source_.Text(40)) {
      if (static_cast<unsigned char>(byte) < 0x80) {
        name += byte;
      } else {
        name += "\xC3\xA9";
      }
    }
    return name;
  }
  std::int64_t Time() { return std::clamp(source_.Number(), -kMaxTimeNs / 4, kMaxTimeNs / 4); }
  std::int64_t Duration() { return std::clamp<std::int64_t>(source_.Number(), 0, kMaxTimeNs / 4); }
  std::string_view List() { return kLists[1 + source_.Byte() % 3]; }

  template <typename Event>
  Event Complete(Event event, std::string_view name) {
    event.name = name;
    event.ts_ns = Time();
    event.dur_ns = Duration();
    rows_.emplace_back(name, event.ts_ns, event.dur_ns);
    return event;
  }

  kineto::CollectiveEventArgs Collective(std::string_view text) {
    kineto::CollectiveEventArgs args;
    args.name = text;
    args.in_elements = source_.Number();
    args.out_elements = source_.Number();
    args.group_size = source_.Number();
    args.dtype = "Float";
    args.in_split = List();
    args.group_name = text;
    args.group_description = text;
    args.group_ranks = List();
    args.sequence = source_.Number();
    return args;
  }

  void Event(std::uint8_t what) {
    const std::string name = Name();
    switch (what) {
      case 0: {
        const kineto::OpShapes shapes{List(), List(), List()};
        const kineto::CollectiveEventArgs collective = Collective(name);
        auto op = Complete(kineto::OpEvent{}, name);
        op.external_id = source_.Number();
        op.sequence_number = source_.Number();
        op.shapes = source_.Byte() % 2 == 0 ? &shapes : nullptr;
        op.collective = source_.Byte() % 2 == 0 ? &collective : nullptr;
        return writer_.Op(op);
      }
      case 1: {
        auto call = Complete(kineto::RuntimeEvent{}, name);
        call.correlation = source_.Number();
        return writer_.Runtime(call);
      }
      case 2: {
        const kineto::CollectiveEventArgs collective = Collective(name);
        auto kernel = Complete(kineto::KernelEvent{}, name);
        kernel.correlation = source_.Number();
        kernel.shared_memory_bytes = source_.Number();
        kernel.blocks_per_sm = source_.Byte() / 3.0;
        kernel.graph_id = source_.Number();
        kernel.collective = source_.Byte() % 2 == 0 ? &collective : nullptr;
        return writer_.Kernel(kernel);
      }
      case 3: {
        auto copy = Complete(kineto::CopyEvent{}, name);
        copy.bytes = source_.Number();
        return writer_.Copy(copy);
      }
      case 4: {
        auto sync = Complete(kineto::SyncEvent{}, name);
        sync.wait_on_stream = source_.Number();
        return writer_.Sync(sync);
      }
      case 5:
        return writer_.DeviceAnnotation(Complete(kineto::DeviceAnnotationEvent{}, name));
      case 6: {
        kineto::MemoryEvent memory;
        memory.ts_ns = Time();
        memory.bytes = source_.Number();
        memory.address = source_.Number();
        rows_.emplace_back("[memory]", memory.ts_ns, kNoDuration);
        return writer_.Memory(memory);
      }
      case 7: {
        auto python = Complete(kineto::PythonEvent{}, name);
        python.id = source_.Number();
        python.parent_id = source_.Number();
        return writer_.Python(python);
      }
      case 8:
        ++flows_;
        return writer_.FlowStart({.id = source_.Number(), .ts_ns = Time()});
      case 9:
        metadata_ += 3;
        return writer_.Process(source_.Number(), Time(), name, name, source_.Number());
      default:
        metadata_ += 2;
        return writer_.Thread(source_.Number(), source_.Number(), Time(), name, source_.Number());
    }
  }

  Source& source_;
  kineto::Writer& writer_;
  std::vector<Written> rows_;
  std::uint64_t flows_ = 0;
  std::uint64_t metadata_ = 0;
};

std::vector<Written> RowsOf(const RankTrace& trace) {
  std::vector<Written> rows;
  for (Row row = 0; row < trace.row_count(); ++row)
    rows.emplace_back(trace.name_of(row), trace.ts_ns[row], trace.dur_ns[row]);
  // What cannot be was cut; the file has it as it was written.
  for (const CutWork& cut : trace.cut_work)
    rows[cut.row] = Written(trace.name_of(cut.row), trace.ts_ns[cut.row], cut.stated_ns);
  return rows;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const Input input = Split(bytes, size);
  Source source(input.data);
  const std::string path = fmt::format("/dev/shm/fuzz_kineto_writer_{}.json{}", getpid(),
                                       input.first % 4 == 0 ? ".gz" : "");
  kineto::TraceHeader header;
  header.base_ns = input.second;
  header.rank = input.first % 3;
  header.host_name = header.trace_name = source.Text(8).substr(0, 1) == "h" ? "host\n\"" : "";
  auto writer = kineto::Writer::Create(path, header);
  FUZZ_CHECK(writer.ok());
  EventsFromBytes events(source, **writer);
  events.Write();
  FUZZ_CHECK((*writer)->Finish().ok());

  const Result<RankTrace> trace = kineto::ReadTrace(path);
  unlink(path.c_str());
  FUZZ_CHECK(trace.ok());
  FUZZ_CHECK(trace->meta.event_count == (*writer)->event_count());
  FUZZ_CHECK(trace->meta.bad_event_count == 0);
  FUZZ_CHECK(trace->meta.flow_count == events.flows());
  FUZZ_CHECK(trace->meta.metadata_count == events.metadata());
  FUZZ_CHECK(trace->meta.rank == header.rank);
  std::vector<Written> written = events.rows();
  std::vector<Written> read = RowsOf(*trace);
  std::ranges::sort(written);
  std::ranges::sort(read);
  FUZZ_CHECK(read == written);
  return 0;
}

}  // namespace rankscope::fuzz
