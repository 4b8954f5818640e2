// Queues and locks of a service, of requests that are small enough to check by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/units_for_test.h"
#include "serving/base/moment_for_test.h"
#include "serving/causes/cause.h"
#include "serving/causes/workers.h"

namespace rankscope::serving {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Service {
  ServingData data;

  Service() {
    data.sources.push_back({.path = "requests.jsonl", .format = "requests of a service"});
  }

  // Times in ms: arrival since the begin, queue, handler.
  Request& Add(std::int64_t arrival, std::int64_t queue, std::int64_t handler,
               std::int64_t thread = 1, std::int64_t connection = 0) {
    data.requests.push_back({.arrival = kBegin + arrival * kMs,
                             .e2e = (queue + handler) * kMs,
                             .queue = queue * kMs,
                             .method = "rank",
                             .read = 0,
                             .handler = handler * kMs,
                             .send = 0,
                             .thread = thread,
                             .connection = connection});
    return data.requests.back();
  }
  // One worker that takes requests as they come: their arrivals and how long each takes.
  void Serve(const std::vector<std::pair<std::int64_t, std::int64_t>>& requests) {
    std::int64_t free = 0;
    for (const auto& [arrival, takes] : requests) {
      const std::int64_t begin = std::max(arrival, free);
      Add(arrival, begin - arrival, takes);
      free = begin + takes;
    }
  }
  Causes Find() const { return FindCauses(Analyse(data)); }
};

std::vector<std::string> IdsServiceCauses(const Causes& causes) {
  std::vector<std::string> ids;
  for (const Finding& finding : causes.findings) ids.push_back(finding.id);
  return ids;
}

TEST(ServiceCauses, AnIdleServiceHasNone) {
  Service service;
  for (int i = 0; i < 60; ++i) service.Add(20 * i, 0, 10).lock = 0;
  const Causes causes = service.Find();
  EXPECT_THAT(IdsServiceCauses(causes), IsEmpty());
  EXPECT_THAT(causes.unchecked, IsEmpty());
}

// Every 20 ms two come at once and each takes 9 ms: one of two waits 9 ms.
TEST(ServiceCauses, TooFewWorkers) {
  Service service;
  std::vector<std::pair<std::int64_t, std::int64_t>> requests;
  for (int i = 0; i < 60; ++i) requests.emplace_back(20 * (i / 2), 9);
  service.Serve(requests);
  const auto workers = WorkersOf(Analyse(service.data));
  ASSERT_TRUE(workers);
  EXPECT_EQ(workers->workers, 1);
  EXPECT_EQ(workers->waiting_ns, 30 * 9 * kMs);
  EXPECT_EQ(workers->full_ns, workers->waiting_ns);
  // 60 x 9 ms of 29 x 20 + 18.
  EXPECT_NEAR(workers->busy_share, 540.0 / 598, 1e-9);
  EXPECT_FALSE(workers->grows);
  const Causes causes = service.Find();
  ASSERT_THAT(IdsServiceCauses(causes), ElementsAre("queueing"));
  EXPECT_THAT(causes.findings[0].title,
              HasSubstr("The only worker is taken: requests wait 4.50 ms"));
  EXPECT_NEAR(*causes.findings[0].lost_pct, 100.0 / 3, 1e-6);
}

TEST(ServiceCauses, TheRateIsToldWhereTheQueueGrows) {
  Service service;
  std::vector<std::pair<std::int64_t, std::int64_t>> requests;
  for (int i = 0; i < 60; ++i) requests.emplace_back(8 * i, 10);
  service.Serve(requests);
  EXPECT_THAT(service.Find().findings.at(0).title, HasSubstr("faster than they are served"));
}

// Ten at once, then 300 ms of nothing.
TEST(ServiceCauses, BurstsAreToldWhereWorkersAreMostlyIdle) {
  Service service;
  std::vector<std::pair<std::int64_t, std::int64_t>> requests;
  for (int i = 0; i < 60; ++i) requests.emplace_back(300 * (i / 10), 10);
  service.Serve(requests);
  const Causes causes = service.Find();
  EXPECT_THAT(causes.findings.at(0).title, HasSubstr("Requests come in bursts"));
}

// One of twenty takes 200 ms, and those that come meanwhile wait for it.
TEST(ServiceCauses, LongRequestsAreToldWithTheirMethod) {
  Service service;
  std::vector<std::pair<std::int64_t, std::int64_t>> requests;
  for (int i = 0; i < 80; ++i) requests.emplace_back(25 * i, i % 20 == 0 ? 200 : 4);
  service.Serve(requests);
  for (std::size_t i = 0; i < service.data.requests.size(); i += 20)
    service.data.requests[i].method = "report";
  EXPECT_THAT(service.Find().findings.at(0).title, HasSubstr("A few long requests (report)"));
}

// Two workers have a connection each, over which a request comes every 50 ms; those of others wait
// for one of them.
TEST(ServiceCauses, ConnectionsThatHoldWorkers) {
  Service service;
  for (int i = 0; i < 40; ++i) {
    service.Add(50 * i, 0, 5, 1, 1);
    service.Add(50 * i, 0, 5, 2, 2);
  }
  service.Add(10, 1980, 5, 3, 3);
  const Causes causes = service.Find();
  ASSERT_THAT(IdsServiceCauses(causes), ElementsAre("queueing"));
  EXPECT_THAT(causes.findings[0].title, HasSubstr("Connections hold the workers"));
}

TEST(ServiceCauses, LocksExplainTheQueueBehindThem) {
  Service service;
  for (int i = 0; i < 60; ++i) {
    Request& request = service.Add(10 * i, 30, 40);
    request.lock = 30 * kMs;
    request.held = 10 * kMs;
    request.lock_name = "index";
  }
  const Causes causes = service.Find();
  ASSERT_THAT(IdsServiceCauses(causes), ElementsAre("lock-contention"));
  const Finding& finding = causes.findings[0];
  EXPECT_THAT(finding.title, HasSubstr("30.0 ms on average for the lock 'index', 42.9%"));
  EXPECT_THAT(finding.evidence, HasSubstr("60 of 60 requests waited for a lock"));
  EXPECT_THAT(finding.evidence, HasSubstr("requests queue for 30.0 ms"));
  EXPECT_NEAR(*finding.lost_pct, 100 * 60.0 / 70, 1e-6);
}

TEST(ServiceCauses, AQueueThatNoHookSeesIsUnknown) {
  Service service;
  for (int i = 0; i < 60; ++i) {
    Request& request = service.Add(10 * i, 0, 5);
    request.queue.reset();
    request.e2e.reset();
  }
  const Causes causes = service.Find();
  EXPECT_THAT(IdsServiceCauses(causes), IsEmpty());
  EXPECT_THAT(causes.unchecked, ElementsAre(HasSubstr("lock-contention: no handler"),
                                            HasSubstr("queueing: needs arrivals")));
}

// By hand: one server, C = rho. Two at rho = 1/2: 1/3.
TEST(ErlangC, IsTheShareThatWaits) {
  EXPECT_NEAR(ErlangC(1, 0.7), 0.7, 1e-12);
  EXPECT_NEAR(ErlangC(2, 0.5), 1.0 / 3, 1e-12);
}

}  // namespace
}  // namespace rankscope::serving
