#include "formats/nsys/reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <filesystem>
#include <limits>
#include <map>
#include <utility>

#include "formats/base/head.h"
#include "formats/base/row_feed.h"
#include "formats/foreign/foreign.h"
#include "formats/nsys/environment.h"

namespace rankscope::nsys {
namespace {

constexpr std::string_view kKernels = "CUPTI_ACTIVITY_KIND_KERNEL";
constexpr std::string_view kCopies = "CUPTI_ACTIVITY_KIND_MEMCPY";
constexpr std::string_view kSets = "CUPTI_ACTIVITY_KIND_MEMSET";
constexpr std::string_view kGraphs = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
constexpr std::string_view kCalls = "CUPTI_ACTIVITY_KIND_RUNTIME";
constexpr std::string_view kWaits = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION";

constexpr std::int64_t kUnknownTime = std::numeric_limits<std::int64_t>::min();

// A global id without its thread.
constexpr std::int64_t ProcessOf(std::int64_t global) { return global >> 24; }
constexpr std::int64_t PidOf(std::int64_t global) { return global >> 24 & 0xFFFFFF; }
constexpr std::int64_t TidOf(std::int64_t global) { return global & 0xFFFFFF; }

// "cudaLaunchKernel_v7000" is cudaLaunchKernel.
std::string_view WithoutVersion(std::string_view name) {
  const std::size_t at = name.rfind("_v");
  if (at == std::string_view::npos || at + 2 == name.size()) return name;
  const std::string_view digits = name.substr(at + 2);
  const bool is_version =
      std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
  return is_version ? name.substr(0, at) : name;
}

// CUpti_ActivityMemcpyKind and CUpti_ActivityMemoryKind, named as Kineto does.
std::string CopyName(std::int64_t kind, std::int64_t from, std::int64_t to) {
  constexpr std::string_view kKinds[] = {"",     "HtoD", "DtoH", "HtoA", "AtoH", "AtoA",
                                         "AtoD", "DtoA", "DtoD", "HtoH", "PtoP"};
  constexpr std::string_view kMemory[] = {"Pageable", "Pinned",  "Device",        "Array",
                                          "Unknown",  "Managed", "Device Static", "Managed Static"};
  const auto named = [&](std::int64_t memory) {
    return memory >= 0 && memory < std::ssize(kMemory);
  };
  std::string name = "Memcpy";
  if (kind > 0 && kind < std::ssize(kKinds))
    name += fmt::format(" {}", kKinds[static_cast<std::size_t>(kind)]);
  if (named(from) && named(to))
    name += fmt::format(" ({} -> {})", kMemory[static_cast<std::size_t>(from)],
                        kMemory[static_cast<std::size_t>(to)]);
  return name;
}

// CUpti_ActivitySynchronizationType, named as Kineto does.
std::string_view WaitName(std::int64_t type) {
  constexpr std::string_view kNames[] = {"Synchronization", "Event Sync", "Stream Wait Event",
                                         "Stream Sync", "Context Sync"};
  return type > 0 && type < std::ssize(kNames) ? kNames[type] : kNames[0];
}

class Report {
 public:
  Report(const Database& database, const std::string& path, int part = kWholeFile)
      : database_(database), part_(part) {
    meta_.path = path;
  }

  // By their ids, of those with device work; without any of those that call CUDA or have ranges.
  std::map<std::int64_t, std::int64_t> WorksOfProcesses() {
    std::map<std::int64_t, std::int64_t> works;
    for (const std::string_view table : {kKernels, kGraphs, kCopies, kSets})
      ForEach(table, {"globalPid"}, [&](const TableRows& row) { ++works[ProcessOf(row.Int(0))]; });
    if (!works.empty()) return works;
    for (const std::string_view table : {kCalls, std::string_view("NVTX_EVENTS")})
      ForEach(table, {"globalTid"}, [&](const TableRows& row) { ++works[ProcessOf(row.Int(0))]; });
    return works;
  }

  Result<RankTrace> Read() {
    if (!database_.HasTable("StringIds") || !database_.HasTable("TARGET_INFO_SESSION_START_TIME")) {
      return Error(StatusCode::kBadData,
                   "{}: a SQLite database, but not one of Nsight Systems: it has no StringIds or "
                   "no session; export a report with: nsys export --type sqlite REPORT.nsys-rep",
                   meta_.path);
    }
    ReadStrings();
    ReadSession();
    ChooseProcess();
    ReadDevices();
    ReadNames();
    ReadKernels();
    ReadGraphs();
    ReadCopies();
    ReadWaits();
    ReadCalls();
    ReadRanges();
    ReadMpiCalls();
    ReadSystemCalls();
    ReadOverhead();
    RankTrace trace = std::move(feed_).Finish(std::move(meta_));
    if (trace.row_count() > 0) return trace;
    return Error(StatusCode::kBadData,
                 "{}: the report has no kernel, call or NVTX range; profile with: nsys profile "
                 "--trace=cuda,nvtx,osrt",
                 trace.meta.path);
  }

 private:
  template <typename Body>
  void ForEach(std::string_view table, std::initializer_list<std::string_view> columns,
               const Body& body) {
    TableRows rows = database_.Read(table, columns);
    while (rows.Next()) body(rows);
    if (rows.status().ok()) return;
    feed_.quality().Add(
        QualityCode::kTruncated, -1,
        fmt::format("table {} of the database is damaged; rows behind that are lost", table));
  }

  void ReadStrings() {
    ForEach("StringIds", {"id", "value"},
            [&](const TableRows& row) { strings_[row.Int(0)] = row.Text(1); });
  }

  std::string_view StringOf(std::int64_t id) const {
    const auto found = strings_.find(id);
    return found == strings_.end() ? std::string_view() : std::string_view(found->second);
  }

  void ReadSession() {
    ForEach("TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"}, [&](const TableRows& row) {
      const std::int64_t base = row.Int(0);
      if (base <= 0 || base > kMaxTimeNs) return;
      meta_.base_ns = base;
      meta_.has_base = true;
    });
    ForEach("TARGET_INFO_SYSTEM_ENV", {"name", "value"}, [&](const TableRows& row) {
      if (row.Text(0) == "Hostname") meta_.host_name = row.Text(1);
      if (row.Text(0) == "DeviceEnvironment") environment_ = ReadEnvironment(row.Text(1));
    });
    if (meta_.host_name.empty()) meta_.host_name = environment_.host;
  }

  void ChooseProcess() {
    const std::map<std::int64_t, std::int64_t> works = WorksOfProcesses();
    if (works.empty()) return;
    if (part_ >= 0 && part_ < std::ssize(works)) {
      process_ = std::next(works.begin(), part_)->first;
    } else {
      process_ = std::max_element(works.begin(), works.end(), [](const auto& a, const auto& b) {
                   return a.second < b.second;
                 })->first;
    }
    if (works.size() > 1) return;  // the environment is that of nsys, not of one of them
    meta_.rank = environment_.rank;
    meta_.world_size = environment_.world_size;
  }

  bool IsOurs(std::int64_t global) const { return ProcessOf(global) == process_; }

  void ReadDevices() {
    ForEach("TARGET_INFO_GPU",
            {"id", "name", "totalMemory", "smCount", "computeMajor", "computeMinor",
             "threadsPerWarp", "maxWarpsPerSm"},
            [&](const TableRows& row) {
              DeviceProperties device;
              device.id = row.Int(0);
              device.name = row.Text(1);
              device.memory_bytes = row.Int(2);
              device.sm_count = Narrow(row.Int(3));
              device.compute_major = Narrow(row.Int(4));
              device.compute_minor = Narrow(row.Int(5));
              device.warp_size = Narrow(row.Int(6));
              const std::int64_t warps = row.Int(7);
              if (warps > 0 && warps <= 1024 && device.warp_size > 0 && device.warp_size <= 1024)
                device.max_threads_per_sm = static_cast<std::int32_t>(warps) * device.warp_size;
              meta_.devices.push_back(std::move(device));
            });
  }

  void ReadNames() {
    ForEach("PROCESSES", {"globalPid", "name"}, [&](const TableRows& row) {
      if (IsOurs(row.Int(0))) feed_.NameProcess(PidOf(row.Int(0)), row.Text(1));
    });
    ForEach("ThreadNames", {"globalTid", "nameId"}, [&](const TableRows& row) {
      const std::int64_t global = row.Int(0);
      if (IsOurs(global)) feed_.NameThread(PidOf(global), TidOf(global), StringOf(row.Int(1)));
    });
  }

  // Columns 0 to 5 of all device work: start, end, globalPid, deviceId, streamId, correlationId.
  FedRow DeviceRow(const TableRows& row, EventKind kind, std::string_view category) {
    FedRow fed;
    fed.kind = kind;
    fed.category = category;
    fed.ts_ns = row.Int(0, kUnknownTime);
    fed.end_ns = row.Int(1, kUnknownTime);
    fed.track = feed_.Track(DomainOf(kind), row.Int(3), row.Int(4));
    fed.correlation = row.Int(5, kNoCorrelation);
    return fed;
  }

  void ReadKernels() {
    ForEach(kKernels,
            {"start", "end", "globalPid", "deviceId", "streamId", "correlationId", "demangledName",
             "gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ", "registersPerThread",
             "staticSharedMemory", "dynamicSharedMemory", "contextId"},
            [&](const TableRows& row) {
              if (!IsOurs(row.Int(2))) return;
              FedRow fed = DeviceRow(row, EventKind::kKernel, "kernel");
              fed.name = StringOf(row.Int(6));
              KernelArgs args;
              for (int axis = 0; axis < 3; ++axis) {
                args.grid[static_cast<std::size_t>(axis)] = Narrow(row.Int(7 + axis));
                args.block[static_cast<std::size_t>(axis)] = Narrow(row.Int(10 + axis));
              }
              args.registers_per_thread = Narrow(row.Int(13));
              const std::int32_t fixed = Narrow(row.Int(14));
              const std::int32_t dynamic = Narrow(row.Int(15));
              if (fixed >= 0 && dynamic >= 0)
                args.shared_memory_bytes = Narrow(std::int64_t{fixed} + dynamic);
              args.context = Narrow(row.Int(16));
              feed_.Add(fed, args);
            });
  }

  void ReadGraphs() {
    ForEach(kGraphs,
            {"start", "end", "globalPid", "deviceId", "streamId", "correlationId", "graphId"},
            [&](const TableRows& row) {
              if (!IsOurs(row.Int(2))) return;
              FedRow fed = DeviceRow(row, EventKind::kKernel, "graph");
              const std::string name = fmt::format("CUDA graph {}", row.Int(6));
              fed.name = name;
              feed_.Add(fed, KernelArgs());
            });
  }

  void ReadCopies() {
    ForEach(kCopies,
            {"start", "end", "globalPid", "deviceId", "streamId", "correlationId", "bytes",
             "copyKind", "srcKind", "dstKind"},
            [&](const TableRows& row) {
              if (!IsOurs(row.Int(2))) return;
              FedRow fed = DeviceRow(row, EventKind::kMemcpy, "gpu_memcpy");
              const std::string name = CopyName(row.Int(7), row.Int(8), row.Int(9));
              fed.name = name;
              feed_.Add(fed, CopyArgs{.bytes = row.Int(6)});
            });
    ForEach(kSets, {"start", "end", "globalPid", "deviceId", "streamId", "correlationId", "bytes"},
            [&](const TableRows& row) {
              if (!IsOurs(row.Int(2))) return;
              FedRow fed = DeviceRow(row, EventKind::kMemset, "gpu_memset");
              fed.name = "Memset (Device)";
              feed_.Add(fed, CopyArgs{.bytes = row.Int(6)});
            });
  }

  void ReadWaits() {
    ForEach(kWaits,
            {"start", "end", "globalPid", "deviceId", "streamId", "correlationId", "syncType"},
            [&](const TableRows& row) {
              if (!IsOurs(row.Int(2))) return;
              FedRow fed = DeviceRow(row, EventKind::kDeviceSync, "cuda_sync");
              fed.name = WaitName(row.Int(6));
              feed_.Add(fed);
            });
  }

  // Columns 0 to 2 of what threads do: start, end, globalTid.
  FedRow HostRow(const TableRows& row, EventKind kind, std::string_view category) {
    FedRow fed;
    fed.kind = kind;
    fed.category = category;
    fed.ts_ns = row.Int(0, kUnknownTime);
    fed.end_ns = row.Int(1, kUnknownTime);
    fed.track = feed_.Track(DomainOf(kind), PidOf(row.Int(2)), TidOf(row.Int(2)));
    return fed;
  }

  // Some calls are there twice: as CUPTI saw them, and as an event of another class around that.
  void ReadCalls() {
    constexpr std::int64_t kRuntime = 0, kDriver = 1;
    const auto is_of_cupti = [](std::int64_t event_class) {
      return event_class == kRuntime || event_class == kDriver;
    };
    boost::unordered_flat_set<std::int64_t> of_cupti;
    ForEach(kCalls, {"globalTid", "correlationId", "eventClass"}, [&](const TableRows& row) {
      if (IsOurs(row.Int(0)) && is_of_cupti(row.Int(2))) of_cupti.insert(row.Int(1));
    });
    ForEach(kCalls, {"start", "end", "globalTid", "correlationId", "nameId", "eventClass"},
            [&](const TableRows& row) {
              if (!IsOurs(row.Int(2))) return;
              if (!is_of_cupti(row.Int(5)) && of_cupti.contains(row.Int(3))) return;
              FedRow fed = HostRow(row, EventKind::kRuntime, "cuda_runtime");
              fed.correlation = row.Int(3, kNoCorrelation);
              fed.name = WithoutVersion(StringOf(row.Int(4)));
              feed_.Add(fed);
            });
  }

  void ReadRanges() {
    constexpr std::int64_t kMark = 34, kPushPop = 59, kStartEnd = 60;
    ForEach("NVTX_EVENTS", {"start", "end", "globalTid", "eventType", "text", "textId"},
            [&](const TableRows& row) {
              const std::int64_t type = row.Int(3);
              if (!IsOurs(row.Int(2)) || (type != kMark && type != kPushPop && type != kStartEnd))
                return;
              // A range from start to end may begin and end anywhere: it is not on its thread.
              FedRow fed = HostRow(
                  row, type == kPushPop ? EventKind::kUserAnnotation : EventKind::kOther, "nvtx");
              if (type == kMark) {
                fed.kind = EventKind::kInstant;
                fed.end_ns = fed.ts_ns;
              } else if (!row.IsKnown(1)) {
                return feed_.CountBad("an NVTX range without an end was skipped");
              }
              if (type == kStartEnd)
                fed.track = feed_.Track(Domain::kOther, PidOf(row.Int(2)), TidOf(row.Int(2)));
              fed.name = row.IsKnown(4) ? row.Text(4) : StringOf(row.Int(5));
              feed_.Add(fed);
            });
  }

  // Of `nsys profile --trace=mpi`: calls of threads, as ranges are.
  void ReadMpiCalls() {
    for (const std::string_view table : {"MPI_COLLECTIVES_EVENTS", "MPI_P2P_EVENTS",
                                         "MPI_START_WAIT_EVENTS", "MPI_OTHER_EVENTS"}) {
      ForEach(table, {"start", "end", "globalTid", "textId"}, [&](const TableRows& row) {
        if (!IsOurs(row.Int(2))) return;
        FedRow fed = HostRow(row, EventKind::kUserAnnotation, "mpi");
        fed.name = StringOf(row.Int(3));
        feed_.Add(fed);
      });
    }
  }

  void ReadSystemCalls() {
    ForEach("OSRT_API", {"start", "end", "globalTid", "nameId"}, [&](const TableRows& row) {
      if (!IsOurs(row.Int(2))) return;
      FedRow fed = HostRow(row, EventKind::kOther, "osrt");
      fed.name = StringOf(row.Int(3));
      feed_.Add(fed);
    });
  }

  void ReadOverhead() {
    ForEach("PROFILER_OVERHEAD", {"start", "end", "globalTid", "nameId"},
            [&](const TableRows& row) {
              if (!IsOurs(row.Int(2))) return;
              FedRow fed = HostRow(row, EventKind::kOverhead, "overhead");
              fed.name = StringOf(row.Int(3));
              feed_.Add(fed);
            });
  }

  const Database& database_;
  int part_;
  RowFeed feed_;
  TraceMeta meta_;
  Environment environment_;
  boost::unordered_flat_map<std::int64_t, std::string> strings_;
  std::int64_t process_ = -1;
};

}  // namespace

bool IsTrace(std::string_view head) { return head.starts_with(kDatabaseMagic); }

std::vector<std::string> Processes(const std::string& path) {
  const Result<Database> database = Database::Open(path);
  if (!database.ok()) return {};
  const auto works = Report(*database, path).WorksOfProcesses();
  std::vector<std::string> names;
  if (works.size() < 2) return names;
  for (const auto& [process, count] : works)
    names.push_back(fmt::format("process {}", PidOf(process << 24)));
  return names;
}

Result<RankTrace> ReadTrace(const Database& database, const std::string& path, int part) {
  return Report(database, path, part).Read();
}

Result<RankTrace> ReadTrace(const std::string& path, const ReadOptions& options) {
  const std::string_view foreign = NameForeignFormat(HeadOf(path, options.inflate), path);
  if (!foreign.empty()) return Error(StatusCode::kBadData, "{}: not a trace: {}", path, foreign);
  RS_ASSIGN_OR_RETURN(const Database database, Database::Open(path, options.inflate));
  RS_ASSIGN_OR_RETURN(RankTrace trace, ReadTrace(database, path, options.part));
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (!error) trace.meta.file_bytes = size;
  return trace;
}

}  // namespace rankscope::nsys
