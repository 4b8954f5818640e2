#include "app/read_hang.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/parallel.h"
#include "engine/discover.h"
#include "formats/base/head.h"
#include "formats/flight/reader.h"
#include "hang/analyse.h"

namespace rankscope::app {
namespace {

struct Dumps {
  std::vector<flight::FlightDump> dumps;  // by rank
  std::vector<std::string> left_out;      // sentences
};

// Files of a folder that are something else are passed over; a file that was named must be a dump.
Result<Dumps> ReadDumps(const std::vector<std::string>& paths, int threads) {
  RS_ASSIGN_OR_RETURN(const FoundFiles found, FindFiles(paths));
  Dumps read;
  for (const auto& unlisted : found.unlisted) read.left_out.push_back(unlisted.second.message());
  std::vector<std::optional<Result<flight::FlightDump>>> results(found.paths.size());
  ParallelFor(found.paths.size(), threads, [&](std::size_t i) {
    if (flight::IsDump(HeadOf(found.paths[i]))) results[i] = flight::ReadDump(found.paths[i]);
  });
  std::map<std::int64_t, std::string> file_of_rank;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string& path = found.paths[i];
    const bool is_named = std::ranges::find(paths, path) != paths.end();
    if (!results[i]) {
      if (is_named)
        return Error(StatusCode::kBadData, "{}: not a dump of PyTorch's Flight Recorder", path);
      continue;
    }
    Result<flight::FlightDump>& dump = *results[i];
    if (!dump.ok()) {
      if (is_named) return dump.status();
      read.left_out.push_back(dump.status().message());
      continue;
    }
    if (dump->rank < 0) {
      read.left_out.push_back(
          path +
          ": neither its name nor its content says of which rank it is; let the name end in "
          "the rank, such as nccl_trace_rank_3");
      continue;
    }
    const auto [other, is_new] = file_of_rank.emplace(dump->rank, path);
    if (!is_new)
      return Error(StatusCode::kInvalidArgument,
                   "rank {} has two dumps, {} and {}: name those of one hang", dump->rank,
                   other->second, path);
    read.dumps.push_back(std::move(*dump));
  }
  if (read.dumps.empty()) {
    return Error(StatusCode::kNotFound, "{}",
                 !read.left_out.empty()
                     ? read.left_out.front()
                     : paths.front() + ": no dump of PyTorch's Flight Recorder there");
  }
  std::sort(read.dumps.begin(), read.dumps.end(),
            [](const auto& a, const auto& b) { return a.rank < b.rank; });
  return read;
}

}  // namespace

Result<HangReport> ReadHang(const std::vector<std::string>& paths, int threads,
                            Listener& listener) {
  RS_ASSIGN_OR_RETURN(const Dumps read, ReadDumps(paths, threads));
  for (const std::string& sentence : read.left_out) listener.OnNotice(sentence);
  HangTables tables = AnalyseHang(read.dumps);
  HangReport report;
  report.tables.push_back(std::move(tables.collectives));
  report.tables.push_back(std::move(tables.members));
  report.tables.push_back(std::move(tables.ranks));
  report.tables.push_back(std::move(tables.mismatches));
  report.tables.push_back(std::move(tables.notes));
  return report;
}

}  // namespace rankscope::app
