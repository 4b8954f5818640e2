// The parts of a trace that exist once: the header's keys and the metadata records.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>

#include "formats/kineto/writer.h"

namespace rankscope::kineto {
namespace {

// Kineto's sort index for the profiler's own process: at the bottom.
constexpr std::int64_t kSpansSortIndex = 0x20000000;

void AppendDevice(const DeviceHeader& device, std::string* out) {
  fmt::format_to(std::back_inserter(*out),
                 "\n    {{\n"
                 "      \"id\": {}, \"name\": \"{}\", \"totalGlobalMem\": {},\n"
                 "      \"computeMajor\": {}, \"computeMinor\": {},\n"
                 "      \"maxThreadsPerBlock\": {}, \"maxThreadsPerMultiprocessor\": {},\n"
                 "      \"regsPerBlock\": {}, \"warpSize\": {},\n"
                 "      \"sharedMemPerBlock\": {}, \"numSms\": {}\n"
                 "    , \"regsPerMultiprocessor\": {}, \"sharedMemPerBlockOptin\": {}, "
                 "\"sharedMemPerMultiprocessor\": {}\n"
                 "    }}",
                 device.id, Escaped(device.name), device.total_memory_bytes, device.compute_major,
                 device.compute_minor, device.max_threads_per_block, device.max_threads_per_sm,
                 device.registers_per_block, device.warp_size, device.shared_memory_per_block_bytes,
                 device.sm_count, device.registers_per_block,
                 device.shared_memory_per_block_optin_bytes, device.shared_memory_per_sm_bytes);
}

std::string DistributedInfoJson(const TraceHeader& header) {
  std::string out;
  fmt::format_to(std::back_inserter(out),
                 "{{\"backend\": \"{}\", \"rank\": {}, \"world_size\": {}, \"pg_count\": {}, "
                 "\"pg_config\": [",
                 Escaped(header.backend), header.rank, header.world_size, header.groups.size());
  for (std::size_t i = 0; i < header.groups.size(); ++i) {
    const ProcessGroupHeader& group = header.groups[i];
    fmt::format_to(std::back_inserter(out),
                   "{}{{\"pg_name\": \"{}\", \"pg_desc\": \"{}\", \"backend_config\": \"{}\", "
                   "\"pg_size\": {}, \"ranks\": [{}]}}",
                   i == 0 ? "" : ", ", Escaped(group.name), Escaped(group.description),
                   Escaped(group.backend_config), group.ranks.size(), fmt::join(group.ranks, ", "));
  }
  fmt::format_to(std::back_inserter(out), "], \"nccl_version\": \"{}\"}}",
                 Escaped(header.nccl_version));
  return out;
}

std::string HeaderJson(const TraceHeader& header) {
  std::string out = "\n{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [";
  for (std::size_t i = 0; i < header.devices.size(); ++i) {
    if (i > 0) out += ",";
    AppendDevice(header.devices[i], &out);
  }
  out += "\n  ],";
  if (header.rank >= 0) out += "\n  \"distributedInfo\": " + DistributedInfoJson(header) + ",";
  if (header.record_shapes) out += "\n  \"record_shapes\": 1,";
  if (header.profile_memory) out += "\n  \"profile_memory\": 1,";
  if (header.with_stack) out += "\n  \"with_stack\": 1,";
  if (!header.host_name.empty()) out += "\n  \"host_name\": \"" + Escaped(header.host_name) + "\",";
  if (!header.trace_id.empty()) out += "\n  \"trace_id\": \"" + Escaped(header.trace_id) + "\",";
  out += fmt::format(
      "\n  \"displayTimeUnit\": \"ms\",\n  \"baseTimeNanoseconds\": {},\n  \"traceEvents\": [",
      header.base_ns);
  return out;
}

}  // namespace

void Writer::Header(const TraceHeader& header) { status_ = sink_->Write(HeaderJson(header)); }

void Writer::MetadataHead(std::string_view what, std::int64_t pid, std::int64_t tid,
                          std::int64_t ts_ns) {
  text_.Literal("\"name\": \"");
  text_.Raw(what);
  text_.Literal("\", \"ph\": \"M\", \"ts\": ");
  text_.Micros(ts_ns);
  text_.Literal(", \"pid\": ");
  text_.Int(pid);
  text_.Literal(", \"tid\": ");
  text_.Int(tid);
  text_.Literal(",\n    \"args\": {\n      ");
}

void Writer::NameRecord(std::string_view what, std::int64_t pid, std::int64_t tid,
                        std::int64_t ts_ns, std::string_view key, std::string_view value) {
  Begin(value.size());
  MetadataHead(what, pid, tid, ts_ns);
  text_.Literal("\"");
  text_.Raw(key);
  text_.Literal("\": \"");
  text_.Escaped(value);
  text_.Literal("\"\n    }");
  End();
}

void Writer::SortRecord(std::string_view what, std::int64_t pid, std::int64_t tid,
                        std::int64_t ts_ns, std::int64_t sort_index) {
  Begin(0);
  MetadataHead(what, pid, tid, ts_ns);
  text_.Literal("\"sort_index\": ");
  text_.Int(sort_index);
  text_.Literal("\n    }");
  End();
}

void Writer::Process(std::int64_t pid, std::int64_t ts_ns, std::string_view name,
                     std::string_view label, std::int64_t sort_index) {
  NameRecord("process_name", pid, 0, ts_ns, "name", name);
  NameRecord("process_labels", pid, 0, ts_ns, "labels", label);
  SortRecord("process_sort_index", pid, 0, ts_ns, sort_index);
}

void Writer::Thread(std::int64_t pid, std::int64_t tid, std::int64_t ts_ns, std::string_view name,
                    std::int64_t sort_index) {
  NameRecord("thread_name", pid, tid, ts_ns, "name", name);
  SortRecord("thread_sort_index", pid, tid, ts_ns, sort_index);
}

void Writer::ProfilerSpan(std::int64_t ts_ns, std::int64_t dur_ns, std::string_view name,
                          int iteration) {
  Begin(2 * name.size());
  text_.Literal("\"ph\": \"X\", \"cat\": \"Trace\", \"ts\": ");
  text_.Micros(ts_ns);
  text_.Literal(", \"dur\": ");
  text_.Micros(dur_ns);
  text_.Literal(",\n    \"pid\": \"Spans\", \"tid\": \"");
  text_.Escaped(name);
  text_.Literal("\",\n    \"name\": \"");
  text_.Escaped(name);
  text_.Literal(" (");
  text_.Int(iteration);
  text_.Literal(")\",\n    \"args\": {\n      \"Op count\": 0\n    }");
  End();

  Begin(0);
  text_.Literal("\"name\": \"process_sort_index\", \"ph\": \"M\", \"ts\": ");
  text_.Micros(ts_ns);
  text_.Literal(",\n    \"pid\": \"Spans\", \"tid\": 0,\n    \"args\": {\n      \"sort_index\": ");
  text_.Int(kSpansSortIndex);
  text_.Literal("\n    }");
  End();

  Begin(2 * name.size());
  text_.Literal("\"name\": \"Iteration Start: ");
  text_.Escaped(name);
  text_.Literal("\", \"ph\": \"i\", \"s\": \"g\",\n    \"pid\": \"Traces\", \"tid\": \"Trace ");
  text_.Escaped(name);
  text_.Literal("\", \"ts\": ");
  text_.Micros(ts_ns);
  End();
}

void Writer::RecordWindowEnd(std::int64_t ts_ns) {
  Begin(0);
  text_.Literal(
      "\"name\": \"Record Window End\", \"ph\": \"i\", \"s\": \"g\",\n"
      "    \"pid\": \"\", \"tid\": \"\", \"ts\": ");
  text_.Micros(ts_ns);
  End();
}

}  // namespace rankscope::kineto
