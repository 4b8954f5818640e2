// Reports of whole jobs: from the cache to tables, and from tables to text, JSON and HTML.
//
//   bench_reports FOLDER...
//
// Each folder is a job whose results are cached already. CPU time on one core, medians. The page
// has a few more tables than the summaries of the other reports.
#include <benchmark/benchmark.h>
#include <fmt/core.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "engine/job.h"
#include "ratio_table.h"
#include "report/documents/json_report.h"
#include "report/html/html_report.h"
#include "report/html/html_tables.h"
#include "report/text/text_report.h"
#include "training/list.h"

namespace rankscope::bench {
namespace {

std::vector<Request> Summaries() {
  std::vector<Request> requests;
  for (const Analysis* analysis : AllAnalyses()) {
    if (analysis->group == Group::kDefault && analysis->size == Size::kSummary)
      requests.push_back({analysis, {}});
  }
  return requests;
}

std::vector<Request> OfPage() {
  std::vector<Request> requests = Summaries();
  for (const DrawnTable& drawn : DrawnTables()) {
    if (drawn.is_detail) requests.push_back({FindAnalysis(drawn.name).value(), OptionsOf(drawn)});
  }
  return requests;
}

Report Analyse(const std::string& folder, const std::vector<Request>& requests) {
  JobOptions options;
  options.threads = 1;
  if (const char* cache = std::getenv("RANKSCOPE_CACHE_DIR")) options.cache.folder = cache;
  const auto job = Job::Open({folder}, options, requests).value();
  Report report;
  for (const Capture& capture : job->context().captures) {
    if (!capture.selected) continue;
    report.ranks.push_back(capture.rank);
    report.world_size = capture.world_size;
  }
  report.tables = job->RunAll(requests).value();
  return report;
}

struct Case {
  std::string folder;
  Report report;  // of the summaries
  Report page;
};

int Run(const std::vector<std::string>& folders) {
  std::vector<std::unique_ptr<Case>> cases;
  for (const std::string& folder : folders)
    cases.push_back(std::make_unique<Case>(
        Case{folder, Analyse(folder, Summaries()), Analyse(folder, OfPage())}));
  for (const auto& one : cases) {
    const Case& job = *one;
    Register(job.folder + "/tables",
             [&job] { benchmark::DoNotOptimize(Analyse(job.folder, Summaries())); });
    Register(job.folder + "/page",
             [&job] { benchmark::DoNotOptimize(Analyse(job.folder, OfPage())); });
    Register(job.folder + "/text",
             [&job] { benchmark::DoNotOptimize(WriteTextReport(job.report).size()); });
    Register(job.folder + "/json",
             [&job] { benchmark::DoNotOptimize(WriteJsonReport(job.report).size()); });
    Register(job.folder + "/html",
             [&job] { benchmark::DoNotOptimize(WriteHtmlReport(job.page).size()); });
  }
  RatioReporter times;
  RunRegistered(times);
  fmt::print("{:>8} {:>14} {:>14} {:>10} {:>20} {:>20}\n", "ranks", "cached tables",
             "page's tables", "text", "json", "html");
  for (const auto& one : cases) {
    const auto time = [&](const char* part) {
      return fmt::format("{:.1f} ms", 1e3 * times.CpuSeconds(one->folder + "/" + part));
    };
    const auto size = [](const std::string& text) {
      return fmt::format("{:.2f} MB", static_cast<double>(text.size()) / 1e6);
    };
    fmt::print("{:>8} {:>14} {:>14} {:>10} {:>10}{:>10} {:>10}{:>10}\n", one->report.ranks.size(),
               time("tables"), time("page"), time("text"), time("json"),
               size(WriteJsonReport(one->report)), time("html"), size(WriteHtmlReport(one->page)));
  }
  return 0;
}

}  // namespace
}  // namespace rankscope::bench

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: bench_reports FOLDER...\n");
    return 2;
  }
  return rankscope::bench::Run({argv + 1, argv + argc});
}
