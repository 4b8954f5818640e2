// For tests: reads back the simulator's files in the simplest way.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "json/reader.h"

namespace rankscope::sim {

struct TestEvent {
  std::string phase, category, name;
  std::int64_t pid = 0, tid = 0, begin_ns = 0, end_ns = 0;
  std::int64_t flow = -1, correlation = -1, external_id = -1, sequence = -1, forward_thread = -1;
  std::int64_t collective = -1;  // "Seq"
  std::size_t group_size = 0;
  std::string group, group_ranks;
  std::int64_t source = -1, destination = -1;  // of a recv, of a send
  std::int64_t waits_for = -1;                 // wait_on_cuda_event_record_corr_id
  std::int64_t waits_on_stream = -1;
  std::int64_t python = -1, python_parent = -1, python_module = -1;
  std::int64_t graph = -1, graph_node = -1;
  std::int64_t bytes = 0, allocated_bytes = -1;

  bool Is(std::string_view wanted) const { return category == wanted; }
  bool IsDeviceWork() const { return Is("kernel") || Is("gpu_memcpy"); }
};

inline json::Reader JsonOf(const std::filesystem::path& path) {
  std::string text = ReadFile(path.string()).value();
  return json::Reader::ParseLarge(text).value();
}

inline std::int64_t Number(const json::Value& object, std::string_view key) {
  return object[key].IntegerOr(-1);
}

// Exact for timestamps below 2^42 us, where a double is off by less than half a nanosecond.
inline std::int64_t Nanoseconds(const json::Value& object, std::string_view key) {
  return std::llround(object[key].Number().value_or(0) * 1000);
}

inline std::string Text(const json::Value& object, std::string_view key) {
  return object[key].TextOr("");
}

inline TestEvent ToTestEvent(const json::Value& from) {
  TestEvent event{.phase = Text(from, "ph"),
                  .category = Text(from, "cat"),
                  .name = Text(from, "name"),
                  .pid = Number(from, "pid"),
                  .tid = Number(from, "tid"),
                  .begin_ns = Nanoseconds(from, "ts"),
                  .flow = Number(from, "id")};
  event.end_ns = event.begin_ns + Nanoseconds(from, "dur");
  const json::Value args = from["args"];
  if (args.IsAbsent()) return event;
  event.correlation = Number(args, "correlation");
  event.external_id = Number(args, "External id");
  event.sequence = Number(args, "Sequence number");
  event.forward_thread = Number(args, "Fwd thread id");
  event.collective = Number(args, "Seq");
  event.group_size = static_cast<std::size_t>(Number(args, "Group size"));
  event.group = Text(args, "Process Group Name");
  event.group_ranks = Text(args, "Process Group Ranks");
  event.source = Number(args, "Src Rank");
  event.destination = Number(args, "Dst Rank");
  event.waits_for = Number(args, "wait_on_cuda_event_record_corr_id");
  event.waits_on_stream = Number(args, "wait_on_stream");
  event.python = Number(args, "Python id");
  event.python_parent = Number(args, "Python parent id");
  event.python_module = Number(args, "Python module id");
  event.graph = Number(args, "graph id");
  event.graph_node = Number(args, "graph node id");
  event.bytes = Number(args, "Bytes");
  event.allocated_bytes = Number(args, "Total Allocated");
  return event;
}

inline std::vector<TestEvent> ReadEvents(const std::filesystem::path& path) {
  const json::Reader reader = JsonOf(path);
  std::vector<TestEvent> events;
  for (const json::Value& event : reader.root()["traceEvents"].Items())
    events.push_back(ToTestEvent(event));
  return events;
}

}  // namespace rankscope::sim
