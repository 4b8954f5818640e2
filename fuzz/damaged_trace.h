// Traces and columnar files out of the bytes of a fuzzer: any bytes are some trace of many kinds of
// events, and some damage to the file that holds it.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "formats/columnar/cache_file.h"
#include "formats/columnar/layout.h"
#include "source.h"
#include "trace/builder.h"

namespace rankscope::fuzz {

// Names that mean something to some analysis.
inline constexpr std::string_view kNames[] = {
    "ProfilerStep#1",
    "ProfilerStep#2",
    "ProfilerStep#3",
    "aten::mm",
    "aten::linear",
    "aten::add",
    "aten::_scaled_dot_product_flash_attention",
    "autograd::engine::evaluate_function: MmBackward0",
    "CheckpointFunctionBackward",
    "nccl:all_reduce",
    "record_param_comms",
    "DistributedDataParallel.forward",
    "Optimizer.step#AdamW.step",
    "nn.Module: Linear_0",
    "nn.Module: Block_1",
    "torch/utils/checkpoint.py(12): recompute_fn",
    "train.py(10): main",
    "iteration begin",
    "iteration end",
    "cudaLaunchKernel",
    "cudaGraphLaunch",
    "cudaMemcpyAsync",
    "cudaMalloc",
    "cudaFree",
    "cudaDeviceSynchronize",
    "cudaStreamSynchronize",
    "cudaEventSynchronize",
    "cudaEventRecord",
    "cudaStreamWaitEvent",
    "cudaStreamBeginCapture",
    "cudaStreamEndCapture",
    "cudaStreamGetCaptureInfo_v2",
    "ampere_sgemm_128x64_tn",
    "void cutlass::Kernel<cutlass_80_tensorop_bf16_gemm>",
    "flash_fwd_kernel",
    "triton_poi_fused_add_0",
    "ncclDevKernel_AllReduce_Sum_bf16_RING_LL",
    "ncclDevKernel_SendRecv",
    "Memcpy HtoD (Pageable -> Device)",
    "Memcpy DtoD (Device -> Device)",
    "Memset (Device)",
    "Stream Wait Event",
    "Event Sync",
    "[memory]",
    "forward",
    "backward",
    "p2p recv",
};
inline constexpr std::string_view kLists[] = {
    "",
    "[[2,3],[3,4]]",
    "[[4],[],[1048576,1048576]]",
    "[[9223372036854775807,9223372036854775807],[2,2]]",
    "[\"float\",\"c10::BFloat16\"]",
    "[[1,2],[3]]",
    "[\"\",\"2\",\"True\"]",
    "[0,1]",
    "[0, 1, ...]",
    "allreduce",
    "all_to_allv",
    "send",
    "Float",
    "BFloat16",
    "default_pg",
    "0",
};
inline constexpr std::string_view kCategoryOfKind[kEventKindCount] = {"cpu_op",
                                                                      "user_annotation",
                                                                      "python_function",
                                                                      "cuda_runtime",
                                                                      "kernel",
                                                                      "gpu_memcpy",
                                                                      "gpu_memset",
                                                                      "cuda_sync",
                                                                      "gpu_user_annotation",
                                                                      "cpu_instant_event",
                                                                      "cpu_instant_event",
                                                                      "overhead",
                                                                      "cuda_profiler_range",
                                                                      "strange"};

class TraceFromBytes {
 public:
  explicit TraceFromBytes(Source& source) : source_(source) {}

  RankTrace Make() {
    const std::uint32_t events = source_.Below(64);
    for (std::uint32_t i = 0; i < events; ++i) AddEvent();
    TraceMeta meta;
    meta.rank = source_.Byte() % 4;
    meta.world_size = source_.Number();
    meta.base_ns = source_.Byte() % 8 == 0 ? kMaxTimeNs : 1000;
    meta.has_base = true;
    meta.host_name = "host";
    meta.devices.push_back({.id = source_.Byte() % 3,
                            .name = "NVIDIA H100",
                            .memory_bytes = source_.Number(),
                            .sm_count = source_.Number32(),
                            .compute_major = 9,
                            .warp_size = source_.Number32(),
                            .max_threads_per_sm = source_.Number32()});
    meta.process_groups.push_back({"0", "default_pg", "cuda:nccl", {0, 1}});
    TraceBuilder builder;
    builder.Append(batch_, scope_, 0);
    return std::move(builder).Finish(std::move(meta), {});
  }

 private:
  StringId Text(std::string_view text) { return scope_.strings.Intern(text); }
  StringId SomeList() { return Text(kLists[source_.Byte() % std::size(kLists)]); }

  std::uint32_t Track(EventKind kind) {
    const Domain domain = DomainOf(kind);
    const std::uint8_t which = source_.Byte();
    const TrackKey key{.first = domain == Domain::kHost ? 1 : which / 4 % 2,
                       .second = which % 3 + (domain == Domain::kHost ? 100 : 7),
                       .domain = domain};
    const auto [place, is_new] =
        scope_.track_ids.emplace(key, static_cast<std::uint32_t>(scope_.tracks.size()));
    if (is_new) scope_.tracks.push_back(key);
    return place->second;
  }

  void AddEvent() {
    RawRow row;
    row.kind = static_cast<EventKind>(source_.Byte() % kEventKindCount);
    row.track = Track(row.kind);
    row.name = Text(kNames[source_.Byte() % std::size(kNames)]);
    row.category = Text(kCategoryOfKind[static_cast<std::size_t>(row.kind)]);
    row.source = static_cast<std::uint32_t>(batch_.event_count++);
    now_ += source_.Byte();
    row.ts_ns = source_.Byte() % 16 == 0 ? source_.Number() : now_;
    row.ts_ns = std::clamp(row.ts_ns, -kMaxTimeNs, kMaxTimeNs);
    row.dur_ns = std::clamp<std::int64_t>(source_.Number(), kNoDuration, kMaxTimeNs);
    row.dur_ns = std::min(row.dur_ns, kMaxTimeNs - std::max<std::int64_t>(row.ts_ns, 0));
    row.correlation = source_.Byte() % 16;
    if (source_.Byte() % 4 != 0) row.aux = AddArguments(row.kind);
    batch_.rows.push_back(row);
  }

  std::uint32_t AddCollective() {
    if (source_.Byte() % 2 == 0) return kNoAux;
    batch_.collectives.push_back({.in_elements = source_.Number(),
                                  .out_elements = source_.Number(),
                                  .name = SomeList(),
                                  .dtype = SomeList(),
                                  .group_name = SomeList(),
                                  .group_desc = SomeList(),
                                  .group_ranks = SomeList(),
                                  .in_split = SomeList(),
                                  .out_split = SomeList(),
                                  .group_size = source_.Number32(),
                                  .sequence = source_.Number32(),
                                  .source_rank = source_.Number32(),
                                  .destination_rank = source_.Number32()});
    return static_cast<std::uint32_t>(batch_.collectives.size() - 1);
  }

  template <typename Args>
  static std::uint32_t Add(std::vector<Args>& table, Args args) {
    table.push_back(args);
    return static_cast<std::uint32_t>(table.size() - 1);
  }

  std::uint32_t AddArguments(EventKind kind) {
    switch (kind) {
      case EventKind::kCpuOp:
      case EventKind::kUserAnnotation: {
        const std::uint32_t collective = AddCollective();
        return Add(batch_.ops, OpArgs{.input_dims = SomeList(),
                                      .input_types = SomeList(),
                                      .input_strides = SomeList(),
                                      .concrete_inputs = SomeList(),
                                      .sequence_number = source_.Byte() % 8 - 1,
                                      .forward_thread = source_.Byte() % 3 - 1,
                                      .collective = collective});
      }
      case EventKind::kRuntime:
        return Text(kNames[source_.Byte() % std::size(kNames)]);
      case EventKind::kKernel: {
        KernelArgs args;
        for (std::int32_t& size : args.grid) size = source_.Number32();
        for (std::int32_t& size : args.block) size = source_.Number32();
        args.registers_per_thread = source_.Number32();
        args.shared_memory_bytes = source_.Number32();
        args.blocks_per_sm = static_cast<float>(source_.Number());
        args.warps_per_sm = static_cast<float>(source_.Number());
        args.occupancy_pct = static_cast<float>(source_.Number());
        args.collective = AddCollective();
        return Add(batch_.kernels, args);
      }
      case EventKind::kMemcpy:
      case EventKind::kMemset:
        return Add(batch_.copies,
                   CopyArgs{source_.Number(), static_cast<double>(source_.Number())});
      case EventKind::kMemoryInstant:
        return Add(batch_.memory,
                   MemoryArgs{source_.Byte() % 4, source_.Number(), source_.Number(),
                              source_.Number(), source_.Byte() % 2, source_.Byte() % 2});
      case EventKind::kPythonFunction:
        return Add(batch_.python,
                   PythonArgs{source_.Byte() % 8, source_.Byte() % 8, source_.Byte() % 8});
      case EventKind::kDeviceSync:
        return Add(batch_.syncs,
                   SyncArgs{source_.Byte() % 16, source_.Byte() % 3 + 7, source_.Byte()});
      default:
        return kNoAux;
    }
  }

  Source& source_;
  std::int64_t now_ = 0;
  EventBatch batch_;
  NameScope scope_;
};

// Overwrites elements of sections as the source says and makes every checksum right.
inline void DamageFile(Source& source, std::string& file) {
  using columnar::Header;
  using columnar::Section;
  Header header;
  std::memcpy(&header, file.data(), sizeof(header));
  char* const directory = file.data() + sizeof(header);
  const std::uint32_t changes = source.Byte() % 4;
  for (std::uint32_t change = 0; change < changes; ++change) {
    Section section;
    char* const place = directory + source.Below(header.section_count) * sizeof(section);
    std::memcpy(&section, place, sizeof(section));
    if (section.bytes == 0) continue;
    const std::uint8_t how = source.Byte();
    const std::size_t width = std::size_t{1} << (how % 4);
    const std::size_t at = source.Below(static_cast<std::uint32_t>(section.bytes)) / width * width;
    if (at + width > section.bytes) continue;
    char* const to = file.data() + section.offset + at;
    std::int64_t value = 0;
    std::memcpy(&value, to, width);
    switch (how / 4 % 3) {
      case 0:
        value = source.Number();
        break;
      case 1:
        value ^= std::int64_t{1} << (source.Byte() % 63);
        break;
      default:
        value = static_cast<std::int64_t>(static_cast<std::uint64_t>(value) +
                                          static_cast<std::uint64_t>(source.Byte() - 128));
    }
    std::memcpy(to, &value, width);
    section.checksum = Checksum64(file.data() + section.offset, section.bytes);
    std::memcpy(place, &section, sizeof(section));
  }
  header.directory_checksum = Checksum64(directory, header.section_count * sizeof(Section));
  std::memcpy(file.data(), &header, sizeof(header));
}

}  // namespace rankscope::fuzz
