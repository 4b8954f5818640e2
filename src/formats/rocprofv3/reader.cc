#include "formats/rocprofv3/reader.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <limits>
#include <utility>
#include <vector>

#include "formats/base/json_document.h"
#include "formats/base/row_feed.h"

namespace rankscope::rocprofv3 {
namespace {

constexpr std::string_view kRoot = "rocprofiler-sdk-tool";

std::int64_t Int(const json::Value& object, std::string_view key, std::int64_t unknown = -1) {
  return object[key].IntegerOr(unknown);
}

// Of {"handle": 5} and {"internal": 5}.
std::int64_t InnerInt(const json::Value& object, std::string_view key, std::string_view inner,
                      std::int64_t unknown = -1) {
  return object[key][inner].IntegerOr(unknown);
}

struct Agent {
  bool is_device = false;
  std::int64_t index = -1;
};

struct Symbol {
  std::string name;
  std::int32_t registers = -1;
};

struct Kind {
  std::string name;
  std::vector<std::string> operations;
};

// "MEMORY_COPY_HOST_TO_DEVICE" as Kineto names it, by which directions are told.
std::string_view CopyName(std::string_view operation) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"HOST_TO_HOST", "Memcpy HtoH"},
      {"HOST_TO_DEVICE", "Memcpy HtoD"},
      {"DEVICE_TO_HOST", "Memcpy DtoH"},
      {"DEVICE_TO_DEVICE", "Memcpy DtoD"}};
  for (const auto& [end, name] : kNames) {
    if (operation.ends_with(end)) return name;
  }
  return "Memcpy";
}

// One entry of the document: a process.
class Process {
 public:
  Process(RowFeed& feed, TraceMeta& meta) : feed_(feed), meta_(meta) {}

  void Read(const json::Value& tool) {
    ReadMetadata(tool);
    ForEachJsonObject(tool["agents"], [&](const json::Value& agent) { AddAgent(agent); });
    ReadStrings(tool);
    ForEachJsonObject(tool["kernel_symbols"],
                      [&](const json::Value& symbol) { AddSymbol(symbol); });
    for (const json::Member& category : tool["buffer_records"].Members()) {
      ForEachJsonObject(category.value,
                        [&](const json::Value& row) { AddRow(category.name, row); });
    }
  }

 private:
  void ReadMetadata(const json::Value& tool) {
    const json::Value metadata = tool["metadata"];
    if (!metadata.IsObject()) return;
    pid_ = Int(metadata, "pid");
    if (const json::Value node = metadata["node"]; node.IsObject())
      meta_.host_name = node["hostname"].TextOr("");
    std::string command;
    for (const json::Value& word : metadata["command"].Items()) {
      const auto text = word.Text();
      if (!text) break;
      command += (command.empty() ? "" : " ") + std::string(*text);
    }
    if (!command.empty()) feed_.NameProcess(pid_, command);
  }

  void AddAgent(const json::Value& object) {
    constexpr std::int64_t kDeviceType = 2;
    const std::int64_t handle = InnerInt(object, "id", "handle");
    Agent agent;
    agent.is_device = Int(object, "type") == kDeviceType;
    agent.index = Int(object, "gpu_index", Int(object, "logical_node_type_id"));
    agents_[handle] = agent;
    if (!agent.is_device) return;
    DeviceProperties device;
    device.id = agent.index;
    device.name = object["product_name"].TextOr("");
    if (device.name.empty()) device.name = object["name"].TextOr("");
    device.sm_count = Narrow(Int(object, "cu_count"));
    device.warp_size = Narrow(Int(object, "wave_front_size"));
    ForEachJsonObject(object["mem_banks"], [&](const json::Value& bank) {
      device.memory_bytes = std::max(device.memory_bytes, Int(bank, "size_in_bytes"));
    });
    meta_.devices.push_back(std::move(device));
  }

  void ReadStrings(const json::Value& tool) {
    const json::Value strings = tool["strings"];
    ForEachJsonObject(strings["buffer_records"], [&](const json::Value& object) {
      Kind& kind = kinds_.emplace_back();
      kind.name = object["kind"].TextOr("");
      for (const json::Value& operation : object["operations"].Items())
        kind.operations.push_back(operation.TextOr(""));
    });
    ForEachJsonObject(strings["marker_api"], [&](const json::Value& marker) {
      markers_[Int(marker, "key")] = marker["value"].TextOr("");
    });
  }

  void AddSymbol(const json::Value& object) {
    const std::int64_t id = Int(object, "kernel_id");
    Symbol symbol;
    const std::int64_t vector = Int(object, "arch_vgpr_count");
    const std::int64_t matrix = Int(object, "accum_vgpr_count", 0);
    if (vector >= 0 && vector <= 4096 && matrix >= 0 && matrix <= 4096)
      symbol.registers = static_cast<std::int32_t>(vector + matrix);
    symbol.name = object["formatted_kernel_name"].TextOr("");
    if (symbol.name.empty()) symbol.name = object["kernel_name"].TextOr("");
    symbols_[id] = std::move(symbol);
  }

  std::string_view OperationOf(const json::Value& row) const {
    const std::int64_t kind = Int(row, "kind");
    const std::int64_t operation = Int(row, "operation");
    if (kind < 0 || kind >= static_cast<std::int64_t>(kinds_.size())) return {};
    const Kind& of = kinds_[static_cast<std::size_t>(kind)];
    return operation >= 0 && operation < static_cast<std::int64_t>(of.operations.size())
               ? std::string_view(of.operations[static_cast<std::size_t>(operation)])
               : std::string_view(of.name);
  }

  void AddRow(std::string_view category, const json::Value& row) {
    FedRow fed;
    fed.category = category;
    constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::min();
    fed.ts_ns = Int(row, "start_timestamp", kNone);
    fed.end_ns = Int(row, "end_timestamp", kNone);
    if (fed.ts_ns == kNone || fed.end_ns == kNone)
      return feed_.CountBad("a record without its times was skipped");
    fed.correlation = InnerInt(row, "correlation_id", "internal", kNoCorrelation);
    if (category == "kernel_dispatch") return AddKernel(fed, row);
    if (category == "memory_copy") return AddCopy(fed, row);
    fed.track = feed_.Track(Domain::kHost, pid_, Int(row, "thread_id"));
    fed.name = OperationOf(row);
    if (category == "marker_api") {
      fed.kind = EventKind::kUserAnnotation;
      const auto marker = markers_.find(fed.correlation);
      if (marker != markers_.end()) fed.name = marker->second;
      fed.correlation = kNoCorrelation;
    } else if (category == "hip_api") {
      fed.kind = EventKind::kRuntime;
    } else {
      fed.correlation = kNoCorrelation;  // of calls inside of HIP's, which have the same
    }
    feed_.Add(fed);
  }

  // Where the record has no stream, as of early versions, what `otherwise` is.
  std::uint32_t StreamOf(const json::Value& row, std::int64_t otherwise, std::int64_t device) {
    return feed_.Track(Domain::kDevice, device, InnerInt(row, "stream_id", "handle", otherwise));
  }

  std::int64_t DeviceOf(std::int64_t agent) const {
    const auto found = agents_.find(agent);
    return found == agents_.end() ? -1 : found->second.index;
  }

  void AddKernel(FedRow& fed, const json::Value& row) {
    const json::Value dispatch = row["dispatch_info"];
    if (!dispatch.IsObject()) return feed_.CountBad("a dispatch without dispatch_info was skipped");
    KernelArgs args;
    const auto symbol = symbols_.find(Int(dispatch, "kernel_id"));
    fed.name = symbol == symbols_.end() ? std::string_view() : symbol->second.name;
    if (symbol != symbols_.end()) args.registers_per_thread = symbol->second.registers;
    args.shared_memory_bytes = Narrow(Int(dispatch, "group_segment_size"));
    constexpr std::string_view kAxes[] = {"x", "y", "z"};
    for (std::size_t i = 0; i < 3; ++i) {
      const std::int64_t items = InnerInt(dispatch, "grid_size", kAxes[i]);
      const std::int64_t of_group = InnerInt(dispatch, "workgroup_size", kAxes[i]);
      args.block[i] = Narrow(of_group);
      if (items > 0 && of_group > 0) args.grid[i] = Narrow((items - 1) / of_group + 1);
    }
    const std::int64_t device = DeviceOf(InnerInt(dispatch, "agent_id", "handle"));
    fed.kind = EventKind::kKernel;
    fed.track = StreamOf(row, InnerInt(dispatch, "queue_id", "handle"), device);
    feed_.Add(fed, args);
  }

  void AddCopy(FedRow& fed, const json::Value& row) {
    const std::int64_t to = InnerInt(row, "dst_agent_id", "handle");
    const std::int64_t from = InnerInt(row, "src_agent_id", "handle");
    const auto agent = agents_.find(to);
    const bool is_to_device = agent != agents_.end() && agent->second.is_device;
    const std::string_view operation = OperationOf(row);
    CopyArgs args;
    args.bytes = Int(row, "bytes");
    fed.name = CopyName(operation);
    fed.kind = EventKind::kMemcpy;
    fed.track = StreamOf(row, -1, DeviceOf(is_to_device ? to : from));
    feed_.Add(fed, args);
  }

  RowFeed& feed_;
  TraceMeta& meta_;
  std::int64_t pid_ = -1;
  boost::unordered_flat_map<std::int64_t, Agent> agents_;
  boost::unordered_flat_map<std::int64_t, Symbol> symbols_;
  boost::unordered_flat_map<std::int64_t, std::string> markers_;
  std::vector<Kind> kinds_;  // by their number
};

}  // namespace

bool IsTrace(std::string_view head) {
  const std::size_t key = head.find('"');
  return head.starts_with('{') && key != std::string_view::npos &&
         head.substr(key + 1).starts_with(kRoot);
}

Result<RankTrace> ReadTrace(ByteSource& source, const std::string& path) {
  RowFeed feed;
  JsonDocument document;
  RS_RETURN_IF_ERROR(document.Read(source, path, feed.quality()));
  TraceMeta meta;
  meta.path = path;
  meta.file_bytes = source.file_bytes();
  meta.text_bytes = document.text_bytes();
  ForEachJsonObject(document.root()[kRoot],
                    [&](const json::Value& tool) { Process(feed, meta).Read(tool); });
  RankTrace trace = std::move(feed).Finish(std::move(meta));
  if (trace.row_count() > 0) return trace;
  return Error(
      StatusCode::kBadData,
      "{}: there is no record of a kernel, copy or call in this JSON of rocprofv3; profile "
      "with --kernel-trace --memory-copy-trace --hip-trace --marker-trace",
      path);
}

Result<RankTrace> ReadTrace(const std::string& path, const ReadOptions& options) {
  RS_ASSIGN_OR_RETURN(const auto source, OpenByteSource(path, options.inflate));
  return ReadTrace(*source, path);
}

}  // namespace rankscope::rocprofv3
