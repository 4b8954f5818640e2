// Reads what `nsys export --type sqlite` makes of a report of Nsight Systems: kernels, copies,
// calls of CUDA and of the system, NVTX ranges, waits.
//
// Meaning of the tables: the exporter's schema (EXPORT_SCHEMA_VERSION 2.9 and later; what other
// versions lack is unknown). Ids of threads and processes are parts of a global id: its bits 24 to
// 47 and 0 to 23. Times count from the start of the session, whose UTC is the trace's base.
// A CUDA graph that was traced as a whole is one row, "CUDA graph N". Names of calls lose the
// version of the entry point ("cudaLaunchKernel_v7000").
//
// Every process with work on devices is a rank. What a report says of its rank are the variables of
// torchrun, Slurm and MPI in the environment that nsys was started in, which is its process's where
// a report has one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "formats/base/read_options.h"
#include "formats/nsys/database.h"
#include "trace/trace.h"

namespace rankscope::nsys {

// Any SQLite database: its tables tell only later whether it is one of Nsight Systems.
bool IsTrace(std::string_view head);

// Names of the processes with device work, in the order of their ids, where there are several.
std::vector<std::string> Processes(const std::string& path);

// One of these processes; of the whole file that with the most device work.
Result<RankTrace> ReadTrace(const std::string& path, const ReadOptions& options = {});
Result<RankTrace> ReadTrace(const Database& database, const std::string& path,
                            int part = kWholeFile);

}  // namespace rankscope::nsys
