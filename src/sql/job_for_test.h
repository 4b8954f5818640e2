// A small job of hand-written Kineto traces in a temporary folder, and queries of it as CSV.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "base/file.h"
#include "engine/job.h"
#include "sql/query.h"
#include "table/write_csv.h"
#include "training/list.h"

namespace rankscope::sql {

class TempFolder {
 public:
  TempFolder() {
    std::string path = (std::filesystem::temp_directory_path() / "sql_test.XXXXXX").string();
    EXPECT_NE(mkdtemp(path.data()), nullptr);
    path_ = path;
  }
  ~TempFolder() { std::filesystem::remove_all(path_); }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }
  std::size_t file_count() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_),
                                                  std::filesystem::directory_iterator()));
  }

 private:
  std::filesystem::path path_;
};

// Event numbers count from the first line; times are in microseconds.
inline constexpr const char* kRank0 = R"json({
"baseTimeNanoseconds": 1700000000000000000,
"distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 2},
"traceEvents": [
{"ph":"M","name":"process_name","pid":100,"tid":0,"ts":0,"args":{"name":"python"}},
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#5","pid":100,"tid":-9,"ts":1000,"dur":100},
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":100,"tid":-9,"ts":1010,"dur":30,
 "args":{"External id":1,"Input Dims":[[2, 3], [3, 4]],"Input type":["float","float"]}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":100,"tid":-9,"ts":1020,"dur":5,
 "args":{"External id":1,"correlation":7}},
{"ph":"X","cat":"kernel","name":"sgemm_é","pid":0,"tid":7,"ts":1050.5,"dur":20.25,
 "args":{"device":0,"stream":7,"correlation":7}},
{"ph":"X","cat":"cuda_runtime","name":"cudaMemcpyAsync","pid":100,"tid":-9,"ts":1060,"dur":4,
 "args":{"correlation":8}},
{"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD (Pageable -> Device)",
 "pid":0,"tid":20,"ts":1075,"dur":5,
 "args":{"device":0,"stream":20,"correlation":8,"bytes":4096}},
{"ph":"i","s":"t","cat":"cpu_instant_event","name":"mark","pid":100,"tid":-9,"ts":1080},
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#6","pid":100,"tid":-9,"ts":1100,"dur":50},
{"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce_Sum_f32_RING_LL","pid":0,"tid":13,
 "ts":1110,"dur":10,"args":{"device":0,"stream":13}},
{"ph":"X","cat":"overhead","name":"late","pid":100,"tid":-9,"ts":1200,"dur":1}
]})json";

inline constexpr const char* kRank1 = R"json({
"baseTimeNanoseconds": 1700000000000500000,
"distributedInfo": {"backend": "nccl", "rank": 1, "world_size": 2},
"traceEvents": [
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#5","pid":101,"tid":1,"ts":550,"dur":100},
{"ph":"X","cat":"cpu_op","name":"aten::add","pid":101,"tid":1,"ts":560,"dur":10},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":101,"tid":1,"ts":562,"dur":3,
 "args":{"correlation":7}},
{"ph":"X","cat":"kernel","name":"add_kernel","pid":1,"tid":7,"ts":600,"dur":8,
 "args":{"device":1,"stream":7,"correlation":7}}
]})json";

inline JobOptions OptionsWithoutCache() {
  JobOptions options;
  options.threads = 2;
  options.cache.enabled = false;
  return options;
}

inline std::unique_ptr<Job> OpenJob(const std::string& path, JobOptions options) {
  auto job = Job::Open({path}, std::move(options));
  EXPECT_TRUE(job.ok()) << job.status().message();
  return job.ok() ? std::move(job).value() : nullptr;
}

// The job of the two ranks above.
class TwoRanks : public ::testing::Test {
 protected:
  TwoRanks() {
    EXPECT_TRUE(WriteFileAtomically(folder_ / "rank0.json", kRank0).ok());
    EXPECT_TRUE(WriteFileAtomically(folder_ / "rank1.json", kRank1).ok());
    Reopen(OptionsWithoutCache());
  }
  void Reopen(JobOptions options) { job_ = OpenJob(folder_.path(), std::move(options)); }

  // The rows as CSV with plain line ends and without header; the error's sentence on failure.
  std::string Rows(const std::string& sql, const QueryOptions& options = {}) {
    const std::string csv = Csv(sql, options);
    const std::size_t end = csv.find('\n');
    return end == std::string::npos ? csv : csv.substr(end + 1);
  }
  std::string Csv(const std::string& sql, const QueryOptions& options = {}) {
    const Result<Table> table = RunQuery(*job_, sql, WithAnalyses(options));
    if (!table.ok()) return table.status().message();
    std::string csv = WriteCsv(*table);
    std::erase(csv, '\r');
    return csv;
  }
  Status StatusOf(const std::string& sql, const QueryOptions& options = {}) {
    return RunQuery(*job_, sql, WithAnalyses(options)).status();
  }

  static QueryOptions WithAnalyses(QueryOptions options) {
    options.analyses = AllAnalyses();
    return options;
  }

  TempFolder folder_;
  std::unique_ptr<Job> job_;
};

}  // namespace rankscope::sql
