#include "service/queue/worker_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rankscope::service {
namespace {

using testing::HasSubstr;

TEST(WorkerMetrics, TellsEachNumberOnce) {
  const std::string text = WorkerMetrics({.running = 2,
                                          .taken = 9,
                                          .reports = 3,
                                          .shards = 4,
                                          .attempts_failed = 1,
                                          .renewals_failed = 5,
                                          .leases_lost = 6,
                                          .read_bytes = 7'000'000'000,
                                          .busy_seconds = 1.5});
  EXPECT_THAT(text, HasSubstr("# TYPE rankscope_worker_units_running gauge\n"
                              "rankscope_worker_units_running 2\n"));
  EXPECT_THAT(text, HasSubstr("\nrankscope_worker_units_taken_total 9\n"));
  EXPECT_THAT(text, HasSubstr("\nrankscope_worker_reports_total 3\n"));
  EXPECT_THAT(text, HasSubstr("\nrankscope_worker_shards_total 4\n"));
  EXPECT_THAT(text, HasSubstr("\nrankscope_worker_attempts_failed_total 1\n"));
  EXPECT_THAT(text, HasSubstr("\nrankscope_worker_renewals_failed_total 5\n"));
  EXPECT_THAT(text, HasSubstr("\nrankscope_worker_leases_lost_total 6\n"));
  EXPECT_THAT(text, HasSubstr("\nrankscope_worker_read_bytes_total 7000000000\n"));
  EXPECT_THAT(text, HasSubstr("\nrankscope_worker_busy_seconds_total 1.5\n"));
  EXPECT_THAT(text, HasSubstr("\nrankscope_worker_child_peak_bytes "));
}

TEST(WorkerMetrics, ThePageIsThereAndNothingElse) {
  const auto page = MakeMetricsPage([] { return std::string("number 1\n"); });
  const auto ask = [&](const std::string& method, const std::string& path) {
    auto begun = page->Begin({.method = method, .path = path});
    return std::get<http::Reply>(std::move(begun));
  };
  const http::Reply reply = ask("GET", "/metrics");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(std::get<std::string>(reply.body), "number 1\n");
  EXPECT_EQ(ask("POST", "/metrics").status, 405);
  EXPECT_EQ(ask("GET", "/").status, 404);
  EXPECT_EQ(ask("GET", "/api/v1/runs").status, 404);
}

}  // namespace
}  // namespace rankscope::service
