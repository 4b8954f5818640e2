// Reads what `nsys export --type sqlite` makes of an Nsight Systems report: kernels, copies, CUDA
// and system calls, NVTX ranges, waits.
//
// Meaning of the tables: the exporter's schema (EXPORT_SCHEMA_VERSION 2.9 and later; data that
// other versions lack is unknown). A global id contains the process id in bits 24 to 47 and the
// thread id in bits 0 to 23. Times count from the start of the session; its UTC is the trace's
// base. A CUDA graph that was traced as a whole is one row, "CUDA graph N". Names of calls lose the
// version of the entry point ("cudaLaunchKernel_v7000").
//
// Every process with device work is a rank. The rank's number comes from the variables of torchrun,
// Slurm and MPI in the environment in which nsys was started; if a report has only one process,
// that is the environment of the process.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "formats/base/read_options.h"
#include "formats/nsys/database.h"
#include "trace/trace.h"

namespace rankscope::nsys {

// Accepts any SQLite database; only its tables tell later whether it is from Nsight Systems.
bool IsTrace(std::string_view head);

// Names of the processes with device work in the order of their ids, if there are several.
std::vector<std::string> Processes(const std::string& path);

// Reads one of these processes; for the whole file, the one with the most device work.
Result<RankTrace> ReadTrace(const std::string& path, const ReadOptions& options = {});
Result<RankTrace> ReadTrace(const Database& database, const std::string& path,
                            int part = kWholeFile);

}  // namespace rankscope::nsys
