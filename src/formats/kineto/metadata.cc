#include "formats/kineto/metadata.h"

#include <fmt/core.h>

#include <cstdlib>
#include <string>

#include "formats/kineto/tokens/decimal.h"
#include "formats/kineto/tokens/text.h"
#include "json/reader.h"

namespace rankscope::kineto {
namespace {

// Integers appear as numbers and as strings holding numbers.
std::int64_t Int(const json::Value& object, std::string_view key, std::int64_t unknown) {
  const json::Value value = object[key];
  std::int64_t number = 0;
  if (const auto text = value.Text()) return ParseInteger(*text, number) ? number : unknown;
  return value.IntegerOr(unknown);
}

std::int32_t Int32(const json::Value& object, std::string_view key) {
  const std::int64_t value = Int(object, key, -1);
  return value >= INT32_MIN && value <= INT32_MAX ? static_cast<std::int32_t>(value) : -1;
}

std::string Text(const json::Value& object, std::string_view key) { return object[key].TextOr(""); }

std::vector<DeviceProperties> ReadDevices(const json::Value& value) {
  std::vector<DeviceProperties> devices;
  for (const json::Value& entry : value.Items()) {
    DeviceProperties device;
    device.id = Int(entry, "id", 0);
    device.name = Text(entry, "name");
    device.memory_bytes = Int(entry, "totalGlobalMem", -1);
    device.sm_count = Int32(entry, "numSms");
    device.compute_major = Int32(entry, "computeMajor");
    device.compute_minor = Int32(entry, "computeMinor");
    device.warp_size = Int32(entry, "warpSize");
    device.max_threads_per_sm = Int32(entry, "maxThreadsPerMultiprocessor");
    devices.push_back(std::move(device));
  }
  return devices;
}

// distributedInfo.pg_config. A list of ranks with anything else in it ("...") is not known.
std::vector<ProcessGroup> ReadGroups(const json::Value& info) {
  std::vector<ProcessGroup> groups;
  for (const json::Value& entry : info["pg_config"].Items()) {
    ProcessGroup group;
    group.name = Text(entry, "pg_name");
    if (const std::int64_t number = Int(entry, "pg_name", -1); group.name.empty() && number >= 0)
      group.name = std::to_string(number);
    group.description = Text(entry, "pg_desc");
    group.backend = Text(entry, "backend_config");
    for (const json::Value& rank : entry["ranks"].Items()) {
      const auto number = rank.Integer();
      if (!number) {
        group.ranks.clear();
        break;
      }
      group.ranks.push_back(*number);
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace

void ReadMetadata(const std::vector<std::pair<std::string, std::string>>& values, TraceMeta& meta,
                  QualityLog& quality) {
  const auto report = [&](std::string_view key) {
    quality.Add(QualityCode::kMissingMetadata, -1,
                fmt::format("the value of {} cannot be read and was ignored", key));
  };
  for (const auto& [key, text] : values) {
    if (key == "baseTimeNanoseconds") {
      const bool quoted = text.size() >= 2 && text.front() == '"';
      if (ParseInteger(quoted ? std::string_view(text).substr(1, text.size() - 2) : text,
                       meta.base_ns) &&
          meta.base_ns >= -kMaxTimeNs && meta.base_ns <= kMaxTimeNs) {
        meta.has_base = true;
      } else {
        meta.base_ns = 0;
        meta.has_base = false;
        report(key);
      }
    }
    if (key != "distributedInfo" && key != "deviceProperties" && key != "host_name" &&
        key != "trace_id")
      continue;
    const auto reader = json::Reader::Parse(text);
    if (!reader.ok()) {
      report(key);
      continue;
    }
    const json::Value value = reader->root();
    if (key == "distributedInfo") {
      meta.rank = Int(value, "rank", -1);
      meta.world_size = Int(value, "world_size", -1);
      meta.backend = Text(value, "backend");
      meta.process_groups = ReadGroups(value);
      Minify(text, meta.distributed_info);
    } else if (key == "deviceProperties") {
      meta.devices = ReadDevices(value);
    } else if (const auto string = value.Text()) {
      (key == "host_name" ? meta.host_name : meta.trace_id) = *string;
    }
  }
}

}  // namespace rankscope::kineto
