#include "formats/columnar/meta_codec.h"

#include "base/bytes.h"

namespace rankscope::columnar {
namespace {

void PutDevice(const DeviceProperties& device, ByteWriter& out) {
  out.Put(device.id);
  out.PutString(device.name);
  out.Put(device.memory_bytes);
  for (const std::int32_t value : {device.sm_count, device.compute_major, device.compute_minor,
                                   device.warp_size, device.max_threads_per_sm}) {
    out.Put(value);
  }
}

DeviceProperties GetDevice(ByteReader& in) {
  DeviceProperties device;
  device.id = in.Get<std::int64_t>();
  device.name = in.GetString();
  device.memory_bytes = in.Get<std::int64_t>();
  for (std::int32_t* value : {&device.sm_count, &device.compute_major, &device.compute_minor,
                              &device.warp_size, &device.max_threads_per_sm}) {
    *value = in.Get<std::int32_t>();
  }
  return device;
}

void PutGroup(const ProcessGroup& group, ByteWriter& out) {
  for (const std::string* text : {&group.name, &group.description, &group.backend})
    out.PutString(*text);
  out.Put(static_cast<std::uint64_t>(group.ranks.size()));
  for (const std::int64_t rank : group.ranks) out.Put(rank);
}

ProcessGroup GetGroup(ByteReader& in) {
  ProcessGroup group;
  for (std::string* text : {&group.name, &group.description, &group.backend})
    *text = in.GetString();
  for (std::uint64_t i = in.GetCount(sizeof(std::int64_t)); i > 0; --i)
    group.ranks.push_back(in.Get<std::int64_t>());
  return group;
}

}  // namespace

std::string EncodeMeta(const RankTrace& trace) {
  const TraceMeta& meta = trace.meta;
  ByteWriter out;
  out.PutString(meta.path);
  out.Put(meta.base_ns);
  out.Put(static_cast<std::uint8_t>(meta.has_base));
  out.Put(meta.rank);
  out.Put(meta.world_size);
  for (const std::string* text :
       {&meta.format, &meta.backend, &meta.host_name, &meta.trace_id, &meta.distributed_info})
    out.PutString(*text);
  for (const std::uint64_t count : {meta.event_count, meta.flow_count, meta.metadata_count,
                                    meta.bad_event_count, meta.text_bytes, meta.file_bytes}) {
    out.Put(count);
  }
  out.Put(static_cast<std::uint64_t>(meta.devices.size()));
  for (const DeviceProperties& device : meta.devices) PutDevice(device, out);
  out.Put(static_cast<std::uint64_t>(meta.process_groups.size()));
  for (const ProcessGroup& group : meta.process_groups) PutGroup(group, out);
  out.Put(static_cast<std::uint64_t>(meta.quality.size()));
  for (const QualityEntry& entry : meta.quality) {
    out.Put(static_cast<std::uint8_t>(entry.code));
    out.Put(entry.byte);
    out.Put(entry.count);
    out.PutString(entry.message);
  }
  out.Put(static_cast<std::uint64_t>(trace.categories.size()));
  for (const StringId id : trace.categories) out.Put(id);
  out.Put(trace.begin_ns);
  out.Put(trace.finish_ns);
  return out.bytes();
}

bool DecodeMeta(std::string_view bytes, RankTrace& trace) {
  TraceMeta& meta = trace.meta;
  ByteReader in(bytes);
  meta.path = in.GetString();
  meta.base_ns = in.Get<std::int64_t>();
  meta.has_base = in.Get<std::uint8_t>() != 0;
  meta.rank = in.Get<std::int64_t>();
  meta.world_size = in.Get<std::int64_t>();
  for (std::string* text :
       {&meta.format, &meta.backend, &meta.host_name, &meta.trace_id, &meta.distributed_info})
    *text = in.GetString();
  for (std::uint64_t* count : {&meta.event_count, &meta.flow_count, &meta.metadata_count,
                               &meta.bad_event_count, &meta.text_bytes, &meta.file_bytes}) {
    *count = in.Get<std::uint64_t>();
  }
  for (std::uint64_t i = in.GetCount(44); i > 0; --i) meta.devices.push_back(GetDevice(in));
  for (std::uint64_t i = in.GetCount(32); i > 0; --i) meta.process_groups.push_back(GetGroup(in));
  for (std::uint64_t i = in.GetCount(25); i > 0; --i) {
    QualityEntry entry;
    const auto code = in.Get<std::uint8_t>();
    if (code > static_cast<std::uint8_t>(QualityCode::kOther)) return false;
    entry.code = static_cast<QualityCode>(code);
    entry.byte = in.Get<std::int64_t>();
    entry.count = in.Get<std::int64_t>();
    entry.message = in.GetString();
    meta.quality.push_back(std::move(entry));
  }
  for (std::uint64_t i = in.GetCount(sizeof(StringId)); i > 0; --i)
    trace.categories.push_back(in.Get<StringId>());
  trace.begin_ns = in.Get<std::int64_t>();
  trace.finish_ns = in.Get<std::int64_t>();
  return in.ok() && in.at_end();
}

}  // namespace rankscope::columnar
