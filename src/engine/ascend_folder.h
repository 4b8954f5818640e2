// Folders that torch_npu writes, one for each rank:
//
//   NAME_ascend_pt/profiler_info_3.json                            of rank 3
//   NAME_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json          the trace
//   NAME_ascend_pt/ASCEND_PROFILER_OUTPUT/communication.json ...   tables made of it
//   NAME_ascend_pt/PROF_.../...                                    what the trace was made of
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace rankscope {

// Whether a file lies in such a folder and is no trace.
bool IsBesideAscendTrace(const std::filesystem::path& path);

// The rank that is stated beside a trace of such a folder; nullopt for any other file.
std::optional<std::int64_t> RankBesideAscendTrace(const std::filesystem::path& trace);

}  // namespace rankscope
