// For tests: a simulated trace read back from its file, with simdjson and in the plainest way.
#pragma once

#include <gtest/gtest.h>
#include <simdjson.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

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

inline std::int64_t Number(simdjson::dom::element object, std::string_view key) {
  std::int64_t value = -1;
  return object[key].get(value) == simdjson::SUCCESS ? value : -1;
}

// Exact for timestamps below 2^42 us, where a double is off by less than half a nanosecond.
inline std::int64_t Nanoseconds(simdjson::dom::element object, std::string_view key) {
  double us = 0;
  return object[key].get(us) == simdjson::SUCCESS ? std::llround(us * 1000) : 0;
}

inline std::string Text(simdjson::dom::element object, std::string_view key) {
  std::string_view value;
  return object[key].get(value) == simdjson::SUCCESS ? std::string(value) : std::string();
}

inline TestEvent ToTestEvent(simdjson::dom::element json) {
  TestEvent event{.phase = Text(json, "ph"),
                  .category = Text(json, "cat"),
                  .name = Text(json, "name"),
                  .pid = Number(json, "pid"),
                  .tid = Number(json, "tid"),
                  .begin_ns = Nanoseconds(json, "ts"),
                  .flow = Number(json, "id")};
  event.end_ns = event.begin_ns + Nanoseconds(json, "dur");
  simdjson::dom::element args;
  if (json["args"].get(args) != simdjson::SUCCESS) return event;
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
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  EXPECT_EQ(parser.load(path.string()).get(root), simdjson::SUCCESS) << path;
  std::vector<TestEvent> events;
  for (const simdjson::dom::element json : simdjson::dom::array(root["traceEvents"])) {
    events.push_back(ToTestEvent(json));
  }
  return events;
}

}  // namespace rankscope::sim
