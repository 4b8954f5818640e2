#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "fleet/hours/host_list.h"
#include "fleet/hours/lines.h"
#include "fleet/hours/owners.h"
#include "fleet/hours/partition.h"
#include "fleet/hours/read_claims.h"
#include "fleet/hours/read_use.h"

namespace rankscope::fleet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::int64_t kHour = 3'600'000;

TEST(HostList, IsExpandedAsSlurmMeansIt) {
  EXPECT_THAT(*ExpandHostList("gpu[01-03,7],login1"),
              ElementsAre("gpu01", "gpu02", "gpu03", "gpu7", "login1"));
  EXPECT_THAT(*ExpandHostList("r[1-2]n[8-9]-ib"),
              ElementsAre("r1n8-ib", "r1n9-ib", "r2n8-ib", "r2n9-ib"));
  EXPECT_THAT(*ExpandHostList("gpu[098-101]"), ElementsAre("gpu098", "gpu099", "gpu100", "gpu101"));
  for (const char* bad : {"gpu[", "gpu[]", "gpu[1-]", "gpu[3-1]", "gpu]1", "a,,b", "a,", ",a",
                          "gpu[x]", "gpu[1-99999999999]", "g[0-99999][0-99999]"})
    EXPECT_FALSE(ExpandHostList(bad).ok()) << bad;
  EXPECT_TRUE(ExpandHostList("")->empty());
}

TEST(ReadTime, TakesWhatSchedulersWrite) {
  EXPECT_EQ(ReadTime("1764000000"), 1'764'000'000'000);
  EXPECT_EQ(ReadTime("1970-01-02"), 86'400'000);
  EXPECT_EQ(ReadTime("1970-01-01T00:00:01"), 1000);
  EXPECT_EQ(ReadTime("1970-01-01 02:00:00", 7200), 0);
  EXPECT_EQ(ReadTime("1970-01-01T02:00:00+02:00", 3600), 0);
  EXPECT_EQ(ReadTime("1970-01-01T00:00:00.5Z"), 500);
  EXPECT_EQ(ReadTime("1969-12-31T16:00:00-0800"), 0);
  for (const char* bad : {"", "Unknown", "2026-02-30", "2026-11-28T", "2026-11-28T25:00", "12:00",
                          "2026-11-28T10:00:00+", "9999999999999"})
    EXPECT_FALSE(ReadTime(bad)) << bad;
}

constexpr const char* kHead =
    "JobIDRaw|JobName|User|Account|Partition|QOS|State|Start|End|NodeList|AllocTRES\n";

TEST(ReadSacct, JobsHaveTheirDevicesOnTheirNodes) {
  std::vector<Claim> claims;
  const std::string text =
      std::string(kHead) +
      "1|train|ada|nlp|gpu|high|COMPLETED|1970-01-01T00:00:00|1970-01-01T01:00:00|n[1-2]|"
      "billing=8,cpu=4,gres/gpu:h100=12,gres/gpu=12,node=2\n"
      "1.batch|batch||nlp|||COMPLETED|1970-01-01T00:00:00|1970-01-01T01:00:00|n1|gres/gpu=8\n"
      "2|odd|bob|cv|gpu||CANCELLED by "
      "1001|1970-01-01T00:00:00|1970-01-01T00:30:00|n[1-2]|gres/gpu=3\n"
      "3|mig|eve|cv|gpu||FAILED|1970-01-01T00:00:00|1970-01-01T00:30:00|n1|"
      "gres/gpu:3g.40gb=2,gres/gpu=2\n"
      "4|runs|eve|cv|gpu||RUNNING|1970-01-01T00:00:00|Unknown|n2|gres/gpu=1\n"
      "5|waits|eve|cv|gpu||PENDING|Unknown|Unknown|None assigned|\n"
      "6|mps|eve|cv|gpu||TIMEOUT|1970-01-01T00:00:00|1970-01-01T00:30:00|n2|gres/mps=50\n"
      "7|cpu|eve|cv|cpu||COMPLETED|1970-01-01T00:00:00|1970-01-01T00:30:00|n2|cpu=50\n"
      // Requeued: each time counts.
      "8|twice|eve|cv|gpu||NODE_FAIL|1970-01-01T00:00:00|1970-01-01T00:10:00|n1|gres/gpu=1\n"
      "8|twice|eve|cv|gpu||COMPLETED|1970-01-01T00:20:00|1970-01-01T00:30:00|n2|gres/gpu=1\n";
  ASSERT_TRUE(ReadSacct("sacct.txt", text, {.now_ms = 2 * kHour}, claims).ok());
  std::vector<std::string> told;
  for (const Claim& claim : claims)
    told.push_back(claim.owner.at("job") + "@" + claim.node + ":" + std::to_string(claim.units) +
                   "/" + std::to_string((claim.until_ms - claim.from_ms) / 60'000) + " " +
                   std::string(OutcomeName(claim.outcome)));
  EXPECT_THAT(told, ElementsAre("1@n1:4200/60 completed", "1@n2:4200/60 completed",
                                "2@n1:1400/30 cancelled", "2@n2:700/30 cancelled",
                                "3@n1:600/30 failed", "4@n2:700/120 running", "6@n2:350/30 failed",
                                "8@n1:700/10 failed", "8@n2:700/10 completed"));
  EXPECT_EQ(claims[0].owner.at("account"), "nlp");
  EXPECT_FALSE(claims[2].owner.contains("qos"));
}

TEST(ReadSacct, WhatIsWrongIsNamedWithItsLine) {
  std::vector<Claim> claims;
  EXPECT_THAT(ReadSacct("s", "JobIDRaw|State\n", {}, claims).message(),
              HasSubstr("s: line 1 has no column Start"));
  EXPECT_THAT(ReadSacct("s", "", {}, claims).message(), HasSubstr("empty"));
  for (const char* row : {"1|a|b|c|d|e|COMPLETED|yesterday|1970-01-01|n1|gres/gpu=1",
                          "1|a|b|c|d|e|COMPLETED|1970-01-01|1970-01-02|n[1|gres/gpu=1",
                          "1|a|b|c|d|e|COMPLETED|1970-01-01|1970-01-02|n1|gres/gpu=many"})
    EXPECT_THAT(ReadSacct("s", std::string(kHead) + row, {}, claims).message(),
                HasSubstr("s: line 2: "))
        << row;
}

TEST(ReadPods, PodsHaveWhatTheirLimitsSay) {
  PodClaims found;
  const std::vector<Claim>& claims = found.claims;
  const std::string text = R"({"items":[
    {"metadata":{"name":"a-0","namespace":"nlp","labels":{"job-name":"a","team":"x"}},
     "spec":{"nodeName":"k1","containers":[{"resources":{"limits":{"nvidia.com/gpu":"2"}}},
                                           {"resources":{"limits":{"nvidia.com/gpu":1}}}]},
     "status":{"phase":"Succeeded","startTime":"1970-01-01T00:00:00Z",
               "containerStatuses":[{"state":{"terminated":{"finishedAt":"1970-01-01T00:30:00Z"}}},
                                    {"state":{"terminated":{"finishedAt":"1970-01-01T01:00:00Z"}}}]}},
    {"metadata":{"name":"b"},"spec":{"nodeName":"k1","containers":[
       {"resources":{"limits":{"nvidia.com/mig-1g.10gb":"1"}}}]},
     "status":{"phase":"Running","startTime":"1970-01-01T00:00:00Z"}},
    {"metadata":{"name":"waits"},"spec":{"containers":[]},"status":{"phase":"Pending"}}]})";
  ASSERT_TRUE(ReadPods("pods.json", text, {.now_ms = 2 * kHour}, found).ok());
  ASSERT_EQ(claims.size(), 2U);
  EXPECT_EQ(claims[0].units, 2100);
  EXPECT_EQ(claims[0].until_ms, kHour);
  EXPECT_EQ(claims[0].owner.at("job"), "a");
  EXPECT_EQ(claims[0].owner.at("label:team"), "x");
  EXPECT_EQ(claims[1].units, 100);
  EXPECT_EQ(claims[1].until_ms, 2 * kHour);
  EXPECT_FALSE(ReadPods("p", "{}", {}, found).ok());
  EXPECT_FALSE(ReadPods("p", "[", {}, found).ok());
}

TEST(ReadPods, WhatPreparesAPodAndWhatIsSharedCount) {
  const auto pod = [](const std::string& spec) {
    return R"({"metadata":{"name":"a"},"spec":{"nodeName":"k1",)" + spec +
           R"(},"status":{"phase":"Running","startTime":"1970-01-01T00:00:00Z"}})";
  };
  const std::string text =
      R"({"items":[)" + pod(R"("initContainers":[{"resources":{"limits":{"nvidia.com/gpu":"4"}}}],
            "containers":[{"resources":{"limits":{"nvidia.com/gpu":"1"}}}])") +
      "," + pod(R"("containers":[{"resources":{"limits":{"nvidia.com/gpu.shared":"1"}}}])") + "," +
      pod(R"("containers":[{"resources":{"limits":{"nvidia.com/pgpu":"1","cpu":"2"}}}])") + "]}";
  PodClaims found;
  ASSERT_TRUE(ReadPods("pods.json", text, {.now_ms = kHour}, found).ok());
  ASSERT_EQ(found.claims.size(), 2U);
  EXPECT_EQ(found.claims[0].units, 4 * kDeviceUnits);
  EXPECT_EQ(found.claims[1].units, kDeviceUnits);
  EXPECT_THAT(found.uncounted, testing::ElementsAre("nvidia.com/pgpu"));
}

TEST(ReadDevices, ANodeHasItsDevicesOnceAtATime) {
  std::vector<Capacity> capacity;
  const auto read = [&](std::string_view rows) {
    return ReadDevices("d", "node,devices,from,until\n" + std::string(rows), {}, capacity);
  };
  EXPECT_TRUE(read("n1,4,,1970-01-02\nn1,8,1970-01-02,\nn2,4,,\n").ok());
  EXPECT_THAT(read("n[1-2],4,,\n# again\nn2,4,,\n").message(),
              HasSubstr("d: line 4: line 2 tells of the devices of n2 at the same time"));
  EXPECT_FALSE(read("n1,4,,1970-01-03\nn1,8,1970-01-02,\n").ok());
}

TEST(OwnerRules, TheFirstThatFitsSays) {
  const auto rules = OwnerRules::Read("owners.csv",
                                      "field,pattern,team,product,model\n"
                                      "account,^nlp,language,\"assistant, beta\",\n"
                                      "user,.,others,,\n");
  ASSERT_TRUE(rules.ok()) << rules.status().message();
  Claim claim{.owner = {{"account", "nlp-2"}, {"user", "ada"}}};
  rules->Apply(claim);
  EXPECT_EQ(claim.owner.at("team"), "language");
  EXPECT_EQ(claim.owner.at("product"), "assistant, beta");
  EXPECT_FALSE(claim.owner.contains("model"));
  Claim other{.owner = {{"user", "bob"}}};
  rules->Apply(other);
  EXPECT_EQ(other.owner.at("team"), "others");
  EXPECT_THAT(OwnerRules::Read("o", "field,pattern,team\nuser,(,x\n").status().message(),
              HasSubstr("o: line 2: '(' is no regular expression"));
}

Claim ClaimOf(const char* job, const char* node, std::int64_t from, std::int64_t until,
              std::int64_t units, Outcome outcome = Outcome::kCompleted) {
  return {node, from, until, units, outcome, {{"job", job}, {"team", job}}};
}

TEST(DivideHours, JobsAreClippedAtTheHourAndTheRestHasItsReason) {
  const std::vector<Capacity> capacity = {{"n1", 2, 0, 10 * kHour}};
  // One device from 0:30 to 1:30; in the second hour the node is drained.
  const std::vector<Claim> claims = {
      ClaimOf("a", "n1", kHour / 2, kHour + kHour / 2, kDeviceUnits, Outcome::kFailed)};
  const std::vector<Absence> absences = {{"n1", kHour, 2 * kHour, false},
                                         {"n1", 2 * kHour, 3 * kHour, true}};
  const Partition got =
      DivideHours(capacity, claims, absences, {},
                  {.from_ms = 0, .until_ms = 3 * kHour, .every = Every::kHour, .by = "team"});
  ASSERT_EQ(got.periods.size(), 3U);
  EXPECT_EQ(got.periods[0].capacity_ms, 2 * kHour);
  EXPECT_EQ(got.periods[0].values.at("a").allocated_ms, kHour / 2);
  EXPECT_EQ(got.periods[0].values.at("a").failed_ms, kHour / 2);
  EXPECT_EQ(got.periods[0].unallocated_ms, 2 * kHour - kHour / 2);
  EXPECT_EQ(got.periods[1].values.at("a").allocated_ms, kHour / 2);
  EXPECT_EQ(got.periods[1].down_ms, 2 * kHour - kHour / 2);
  EXPECT_EQ(got.periods[2].reserved_ms, 2 * kHour);
}

TEST(DivideHours, MoreClaimsThanDevicesShareThem) {
  const std::vector<Capacity> capacity = {{"n1", 1, 0, kHour}};
  // A whole device and a seventh of it, 1:1/7 for half an hour.
  const std::vector<Claim> claims = {ClaimOf("whole", "n1", 0, kHour, kDeviceUnits),
                                     ClaimOf("slice", "n1", 0, kHour / 2, kDeviceUnits / 7)};
  const Partition got =
      DivideHours(capacity, claims, {}, {}, {.from_ms = 0, .until_ms = kHour, .by = "team"});
  const HoursOfPeriod& hours = got.periods.front();
  EXPECT_EQ(hours.values.at("slice").allocated_ms, kHour / 2 / 8);
  EXPECT_EQ(hours.values.at("slice").shared_ms, kHour / 2 / 8);
  EXPECT_EQ(hours.values.at("whole").allocated_ms, kHour - kHour / 2 / 8);
  EXPECT_EQ(hours.values.at("whole").shared_ms, kHour / 2 / 8 * 7);
  EXPECT_EQ(hours.unallocated_ms, 0);
}

TEST(DivideHours, WhatNobodyKnowsTheCapacityOfIsInNoPeriod) {
  const Partition got = DivideHours({{"n1", 1, 0, kHour}},
                                    {ClaimOf("a", "n2", 0, kHour, 2 * kDeviceUnits),
                                     ClaimOf("b", "n1", 0, 2 * kHour, kDeviceUnits)},
                                    {}, {}, {.from_ms = 0, .until_ms = 2 * kHour, .by = "user"});
  EXPECT_EQ(got.beyond_capacity_ms, 3 * kHour);
  EXPECT_THAT(got.unknown_nodes, ElementsAre("n1", "n2"));
  // A claim that does not say whose it is has a place of its own.
  EXPECT_EQ(got.periods.front().values.at(std::nullopt).allocated_ms, kHour);
}

// A sample a minute of one value.
UseSeries UseOf(const char* node, bool is_of_node, std::int64_t from, std::int64_t until,
                std::int64_t pct) {
  UseSeries series{.node = node, .is_of_node = is_of_node, .samples = {}};
  for (std::int64_t at = from + 60'000; at <= until; at += 60'000)
    series.samples.push_back({at, pct * kWhole / 100});
  return series;
}

TEST(DivideHours, WhatIsBusyIsToldBesideWhatIsAllocated) {
  // Two devices of four for an hour: one is busy, one idle for its second half; the two that nobody
  // has are idle.
  const std::vector<UseSeries> use = {
      UseOf("n1.cluster", false, 0, kHour, 100), UseOf("n1.cluster", false, 0, kHour / 2, 80),
      UseOf("n1.cluster", false, 0, kHour, 0), UseOf("n1.cluster", false, 0, kHour, 0),
      UseOf("n7", false, 0, kHour, 50)};
  const std::vector<Claim> claims = {ClaimOf("a", "n1", 0, kHour, 2 * kDeviceUnits)};
  const PeriodSpec period{.from_ms = 0, .until_ms = kHour, .by = "team"};
  const Partition got = DivideHours({{"n1", 4, 0, kHour}}, claims, {}, use, period);
  const HoursOfValue& a = got.periods.front().values.at("a");
  EXPECT_EQ(a.allocated_ms, 2 * kHour);
  EXPECT_EQ(a.use_known_ms, 2 * (4 * kHour - kHour / 2) / 4);  // of one device half an hour is not
  EXPECT_EQ(a.busy_ms, kHour + kHour / 2 * 8 / 10);
  EXPECT_EQ(a.mixed_ms, 0);
  EXPECT_EQ(got.periods.front().busy_unclaimed_ms, 0);
  EXPECT_THAT(got.nodes_of_use_alone, ElementsAre("n7"));
  EXPECT_TRUE(got.has_use);
  EXPECT_FALSE(DivideHours({{"n1", 4, 0, kHour}}, claims, {}, {}, period).has_use);
}

TEST(DivideHours, ClaimsOfANodeShareWhatIsBusyAndTheRestIsNobodys) {
  // The mean of four devices is 75%; for half an hour two jobs have three of them, then nobody any.
  const Partition got = DivideHours({{"n1", 4, 0, kHour}},
                                    {ClaimOf("a", "n1", 0, kHour / 2, 2 * kDeviceUnits),
                                     ClaimOf("b", "n1", 0, kHour / 2, kDeviceUnits)},
                                    {}, {UseOf("n1", true, 0, kHour, 75)},
                                    {.from_ms = 0, .until_ms = kHour, .by = "team"});
  const HoursOfPeriod& hours = got.periods.front();
  EXPECT_EQ(hours.values.at("a").busy_ms, kHour);  // 3 of 3 busy: 2 of them
  EXPECT_EQ(hours.values.at("b").busy_ms, kHour / 2);
  EXPECT_EQ(hours.values.at("a").mixed_ms, kHour);
  EXPECT_EQ(hours.busy_unclaimed_ms, 3 * kHour / 2);
}

// Before a gap of more than two usual distances nothing is known, nor behind the last sample.
TEST(NodeUse, HoldsForTwoDistances) {
  NodeUse use;
  use.Add({"n", false, {{1000, kWhole}, {2000, kWhole}, {3000, kWhole / 2}, {9000, kWhole}}});
  EXPECT_EQ(use.In(0, 20'000, 1).known_ms, 1000 + 1000 + 1000 + 2000);
  EXPECT_EQ(use.In(0, 20'000, 1).busy_us, 1000 * (1000 + 1000 + 500 + 2000));
  EXPECT_EQ(use.In(1500, 3500, 1).known_ms, 1500);
  EXPECT_EQ(use.In(1500, 3500, 1).busy_us, 1000 * (500 + 500));
  EXPECT_EQ(use.In(9000, 20'000, 1).known_ms, 0);
}

TEST(ReadUse, WhatPrometheusAnswers) {
  const char* const kAnswer = R"({"status":"success","data":{"resultType":"matrix","result":[
    {"metric":{"__name__":"DCGM_FI_DEV_GPU_UTIL","Hostname":"n1","UUID":"GPU-1","gpu":"0"},
     "values":[[60,"50"],[0,"100"],[120,"NaN"]]},
    {"metric":{"__name__":"device_busy_ratio","instance":"n2:9400"},"values":[[0.5,"0.25"]]}]}})";
  std::vector<UseSeries> series;
  ASSERT_TRUE(ReadUse("f", kAnswer, UseUnit::kByName, series).ok());
  ASSERT_EQ(series.size(), 2U);
  EXPECT_EQ(series[0].node, "n1");
  EXPECT_FALSE(series[0].is_of_node);
  ASSERT_EQ(series[0].samples.size(), 2U);
  EXPECT_EQ(series[0].samples[0].at_ms, 0);
  EXPECT_EQ(series[0].samples[0].busy, kWhole);
  EXPECT_EQ(series[0].samples[1].busy, kWhole / 2);
  EXPECT_EQ(series[1].node, "n2");
  EXPECT_TRUE(series[1].is_of_node);
  EXPECT_EQ(series[1].samples[0].busy, kWhole / 4);
  EXPECT_EQ(series[1].samples[0].at_ms, 500);
}

TEST(ReadUse, WhatItCannotTakeItSays) {
  const auto told = [](const std::string& metric, const std::string& value, UseUnit unit) {
    std::vector<UseSeries> series;
    const std::string text =
        R"({"status":"success","data":{"resultType":"matrix","result":[{"metric":{)" + metric +
        R"(},"values":[[1,")" + value + R"("]]}]}})";
    return ReadUse("f", text, unit, series).message();
  };
  EXPECT_THAT(told(R"("node":"n")", "1", UseUnit::kByName), HasSubstr("--use-unit"));
  EXPECT_THAT(told(R"("gpu":"0")", "1", UseUnit::kRatio), HasSubstr("no label says the node"));
  EXPECT_THAT(told(R"("node":"n")", "87", UseUnit::kRatio), HasSubstr("--use-unit percent?"));
  std::vector<UseSeries> series;
  EXPECT_THAT(
      ReadUse("f", R"({"status":"error","error":"bad query"})", UseUnit::kRatio, series).message(),
      HasSubstr("f: Prometheus answered: bad query"));
  EXPECT_THAT(ReadUse("f", R"({"status":"success","data":{"resultType":"vector","result":[]}})",
                      UseUnit::kRatio, series)
                  .message(),
              HasSubstr("query_range"));
}

// Whatever is said, the parts of every period sum to its capacity.
TEST(DivideHours, PartsSumToCapacityToTheMillisecond) {
  std::mt19937 random(7);
  const auto below = [&](std::int64_t most) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
  };
  for (int round = 0; round < 50; ++round) {
    std::vector<Capacity> capacity;
    std::vector<Claim> claims;
    std::vector<Absence> absences;
    const std::int64_t length = 100 * kHour + below(kHour);
    for (int node = 0; node < 4; ++node) {
      const std::string name = "n" + std::to_string(node);
      const std::int64_t from = below(length);
      capacity.push_back({name, 1 + below(8), 0, from});
      capacity.push_back({name, 1 + below(8), from, length});
      for (int i = 0; i < 30; ++i) {
        const std::int64_t begin = below(length);
        claims.push_back(ClaimOf(i % 3 == 0   ? "a"
                                 : i % 3 == 1 ? "b"
                                              : "c",
                                 name.c_str(), begin, begin + below(20 * kHour),
                                 1 + below(3 * kDeviceUnits)));
      }
      const std::int64_t begin = below(length);
      absences.push_back({name, begin, begin + below(10 * kHour), random() % 2 == 0});
    }
    for (const Every every : {Every::kAll, Every::kHour, Every::kDay, Every::kWeek}) {
      const Partition got =
          DivideHours(capacity, claims, absences, {},
                      {.from_ms = 12345, .until_ms = length - 777, .every = every, .by = "team"});
      std::int64_t at = 12345;
      for (const HoursOfPeriod& hours : got.periods) {
        EXPECT_EQ(hours.from_ms, at);
        at = hours.until_ms;
        std::int64_t sum = hours.reserved_ms + hours.down_ms + hours.unallocated_ms;
        for (const auto& [value, of] : hours.values) sum += of.allocated_ms;
        EXPECT_EQ(sum, hours.capacity_ms);
      }
      EXPECT_EQ(at, length - 777);
    }
  }
}

}  // namespace
}  // namespace rankscope::fleet
