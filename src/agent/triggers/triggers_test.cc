// Triggers by a clock and telemetry that the test moves.
#include "agent/triggers/triggers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "agent/triggers/rule_set.h"

namespace rankscope::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(Rule, WhatPeopleWrite) {
  const auto whole =
      ParseRule(" device_power_watts{ device=\"0\" , name=\"a \\\"b\\\"\"} < 2e2 for 1.5min ");
  ASSERT_TRUE(whole.ok()) << whole.status().message();
  EXPECT_EQ(whole->selector.name, "rankscope_device_power_watts");
  EXPECT_THAT(whole->selector.labels,
              ElementsAre(std::pair("device", "0"), std::pair("name", "a \"b\"")));
  EXPECT_FALSE(whole->is_above);
  EXPECT_EQ(whole->threshold, 200);
  EXPECT_EQ(whole->hold_ms, 90'000);
  const auto rate = ParseRule("rate(rankscope_network_drops_total{})>-3");
  ASSERT_TRUE(rate.ok()) << rate.status().message();
  EXPECT_EQ(rate->value, RuleValue::kRate);
  EXPECT_EQ(rate->selector.name, "rankscope_network_drops_total");
  EXPECT_TRUE(rate->is_above);
  EXPECT_EQ(rate->hold_ms, 0);
  EXPECT_EQ(ParseRule("increase(x)>0 for 500ms")->hold_ms, 500);
  EXPECT_EQ(ParseRule("x>0 for 24h")->hold_ms, 86'400'000);
}

TEST(Rule, ErrorsNameTheColumnAndTheRemedy) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"", "column 1: the name of a metric is expected, such as device_power_watts, not the end"},
      {"a 5", "column 3: < or > is expected, not '5'"},
      {"a{device=0} < 5", "column 10: a label's value stands in double quotes, not '0'"},
      {"a{device=\"0} < 5", "column 10: the quote is not closed"},
      {"a{device \"0\"} < 5", "column 10: = is expected behind the label 'device'"},
      {"a{x=\"0\" y=\"1\"} < 5", "column 9: a comma or } is expected"},
      {"a{=\"0\"} < 5", "column 3: a label is expected"},
      {"a < many", "column 5: a number is expected behind '<', not 'many'"},
      {"a < nan", "a number is expected"},
      {"a < 5 for", "column 10: a duration is expected behind 'for', such as 60s, not the end"},
      {"a < 5 for 60", "column 13: a duration ends in ms, s, min or h, not the end"},
      {"a < 5 for 60 days", "a duration ends in ms, s, min or h, not 'days'"},
      {"a < 5 for -1s", "0 to 24 hours"},
      {"a < 5 or b", "column 7: 'for 60s' or nothing is expected, not 'or b'"},
      {"rat(a) < 5", "functions are rate, increase and relative (rate?)"},
      {"rate(a < 5", "column 8: the function's ) is expected, not '< 5'"},
  };
  for (const auto& [text, said] : cases) {
    const auto rule = ParseRule(text);
    ASSERT_FALSE(rule.ok()) << text;
    EXPECT_THAT(rule.status().message(), HasSubstr(said));
  }
  EXPECT_THAT(ParseRules({"a 5"}, {}).status().message(),
              HasSubstr("triggers.rules: 'a 5': column 3"));
  EXPECT_THAT(ParseRules({}, {"oom_kil"}).status().message(), HasSubstr("did you mean oom_kill?"));
  EXPECT_THAT(*ParseRules({"a > 5"}, {"oom_kill", "xid", "slow_steps"}), SizeIs(4));
}

constexpr Metric kPower = {"rankscope_device_power_watts", quantity::Kind::kGauge, ""};
constexpr Metric kKills = {"rankscope_oom_kills_total", quantity::Kind::kCounter, ""};

Snapshot Of(std::vector<Reading> readings, std::int64_t at_ms) {
  return *MakeSnapshot("s", std::move(readings), {.steady_ms = at_ms});
}

// How often it fires when the numbers come one after the other.
std::vector<int> Fired(std::string_view rule, std::vector<std::optional<double>> values,
                       std::int64_t every_ms = 10'000) {
  Watch watch(*ParseRule(rule));
  std::vector<int> at;
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::vector<Reading> readings;
    if (values[i]) readings.push_back({&kPower, {{"device", "0"}}, *values[i]});
    for (std::size_t k = 0;
         k < watch.See(Of(readings, every_ms * static_cast<std::int64_t>(i))).size(); ++k)
      at.push_back(static_cast<int>(i));
  }
  return at;
}

TEST(Watch, FiresOnceForEachCrossingThatLasts) {
  constexpr std::string_view kRule = "device_power_watts < 200 for 20s";
  EXPECT_THAT(Fired(kRule, {300, 100, 100, 300}), IsEmpty()) << "10 s are no 20 s";
  EXPECT_THAT(Fired(kRule, {100, 100, 100, 100, 100}), ElementsAre(2));
  EXPECT_THAT(Fired(kRule, {200, 200, 200, 200}), IsEmpty()) << "not below";
  // Back for a moment is not back: it has to be so for as long.
  EXPECT_THAT(Fired(kRule, {100, 100, 100, 300, 100, 100, 100}), ElementsAre(2));
  EXPECT_THAT(Fired(kRule, {100, 100, 100, 300, 300, 300, 100, 100, 100}), ElementsAre(2, 8));
  EXPECT_THAT(Fired("device_power_watts > 200", {300, 300, 100, 300}), ElementsAre(0, 3));
}

TEST(Watch, TheUnknownIsNeitherAboveNorBelow) {
  constexpr std::string_view kRule = "device_power_watts < 200 for 20s";
  EXPECT_THAT(Fired(kRule, {100, 100, std::nullopt, 100, 100}), IsEmpty())
      << "the time begins anew";
  EXPECT_THAT(
      Fired(kRule, {100, 100, 100, std::nullopt, std::nullopt, std::nullopt, 100, 100, 100}),
      ElementsAre(2))
      << "it did not come back meanwhile";
}

TEST(Watch, CountersByTheirRateAndTheirRise) {
  EXPECT_THAT(Fired("rate(device_power_watts) > 1", {5, 15, 26, 27}), ElementsAre(2))
      << "10 in 10 s is not above 1 per second, 11 is";
  EXPECT_THAT(Fired("increase(device_power_watts) > 0", {5, 5, 6, 6, 7, 8}), ElementsAre(2, 4));
  EXPECT_THAT(Fired("increase(device_power_watts) > 0", {9, 1, 1}), IsEmpty()) << "it began anew";
}

TEST(Watch, AgainstItsOwnMedian) {
  std::vector<std::optional<double>> steps(12, 1.0);
  steps.insert(steps.end(), {1.2, 1.4, 1.4});
  EXPECT_THAT(Fired("relative(device_power_watts) > 1.3", steps), ElementsAre(13));
  EXPECT_THAT(Fired("relative(device_power_watts) > 1.3", {1, 1, 9, 9}), IsEmpty())
      << "too few to tell";
}

TEST(Watch, EachSeriesByItself) {
  Watch watch(*ParseRule("device_power_watts{rack=\"a\"} < 200"));
  const auto crossings = watch.See(Of({{&kPower, {{"device", "0"}, {"rack", "a"}}, 10},
                                       {&kPower, {{"device", "1"}, {"rack", "a"}}, 500},
                                       {&kPower, {{"device", "2"}, {"rack", "b"}}, 10},
                                       {&kPower, {{"device", "3"}, {"rack", "a"}}, 20}},
                                      0));
  ASSERT_THAT(crossings, SizeIs(2));
  EXPECT_EQ(crossings[1].labels.front().second, "3");
  EXPECT_EQ(crossings[1].value, 20);
}

TEST(Budget, OfTheHostAndOfEachJob) {
  Budget budget({.most_per_hour = 3, .job_most_per_hour = 2});
  budget.Spend("a", {.steady_ms = 0});
  budget.Spend("a", {.steady_ms = 1000});
  EXPECT_THAT(budget.Refusal("a", {.steady_ms = 2000}), HasSubstr("triggers.job_most_per_hour"));
  EXPECT_EQ(budget.Refusal("b", {.steady_ms = 2000}), "");
  budget.Spend("b", {.steady_ms = 2000});
  EXPECT_THAT(budget.Refusal("c", {.steady_ms = 3'600'000}), HasSubstr("triggers.most_per_hour"));
  EXPECT_EQ(budget.Refusal("a", {.steady_ms = 3'600'001}), "") << "the first is an hour ago";
}

class TriggersTest : public ::testing::Test {
 protected:
  TriggersTest() {
    options_ = {.iterations = 3,
                .settle_s = 10,
                .round_up = 10,
                .most_per_hour = 100,
                .job_most_per_hour = 100,
                .job_pause_s = 60,
                .folder = "/tmp",
                .shapes = true};
  }
  void Begin() {
    triggers_.emplace(
        options_, captures_, decisions_,
        TriggerSurroundings{.host = "node1",
                            .telemetry = [this] { return snapshots_; },
                            .on_device = [this](int) { return on_device_; },
                            .said = [this](std::string_view text) { said_.emplace_back(text); }});
    triggers_->Tick(now_);
  }
  void Pass(std::int64_t ms) {
    now_.steady_ms += ms;
    now_.unix_us += 1000 * ms;
  }
  std::string Poll(pid_t pid, std::int64_t job) {
    return captures_.OnPoll({.address = "a", .pid = pid}, {.type = 2, .job = job, .pids = {pid}},
                            now_);
  }
  void Tell(std::vector<Reading> readings) {
    snapshots_ = {MakeSnapshot("s", std::move(readings), now_)};
    triggers_->Tick(now_);
  }
  const Decision& Last() {
    last_ = decisions_.All().back();
    return last_;
  }

  TriggerOptions options_;
  Captures captures_{"/nowhere", {.forget_ms = 100'000'000}};
  Decisions decisions_;
  Snapshots snapshots_;
  std::vector<pid_t> on_device_;
  std::vector<std::string> said_;
  std::optional<Triggers> triggers_;
  Now now_{.steady_ms = 1'000'000, .unix_us = 1'700'000'130'000'000};
  Decision last_;
};

TEST_F(TriggersTest, RanksThatBeginOneAfterTheOtherAreOneCapture) {
  options_.iteration = 550;
  options_.settle_s = 10;
  Begin();
  for (pid_t pid = 1; pid <= 4; ++pid) {
    Poll(pid, 7);
    Pass(3000);
    Poll(pid, 7);
    triggers_->Tick(now_);
  }
  EXPECT_THAT(captures_.All(), IsEmpty()) << "the last has not settled";
  Pass(7000);
  triggers_->Tick(now_);
  ASSERT_THAT(captures_.All(), SizeIs(1));
  EXPECT_THAT(captures_.All()[0].members, SizeIs(4));
  EXPECT_THAT(captures_.All()[0].config, HasSubstr("PROFILE_START_ITERATION=550"));
  EXPECT_EQ(captures_.All()[0].terms.occasion, "");
  Pass(60'000);
  triggers_->Tick(now_);
  EXPECT_THAT(captures_.All(), SizeIs(1)) << "once";
  EXPECT_TRUE(Last().is_taken);
  EXPECT_EQ(Last().processes, 4U);
}

TEST_F(TriggersTest, AnAgentThatIsYoungerThanTheJobsLeavesThemAlone) {
  const std::string root = testing::TempDir() + "/ages" + std::to_string(getpid());
  const auto begin_process = [&](int pid, int ticks) {
    std::filesystem::create_directories(fmt::format("{}/proc/{}", root, pid));
    std::ofstream(fmt::format("{}/proc/{}/stat", root, pid))
        << fmt::format("{} (a) S 1 1 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 {}", pid, ticks);
  };
  begin_process(1, 999);
  begin_process(2, 1001);
  options_.iteration = 550;
  options_.settle_s = 0;
  Captures captures(root, {});
  Triggers triggers(options_, captures, decisions_,
                    {.host = "node1",
                     .telemetry = {},
                     .on_device = {},
                     .said = [](std::string_view) {},
                     .began_ticks = 1000});
  for (int polls = 0; polls < 2; ++polls) {
    for (const pid_t pid : {1, 2})
      captures.OnPoll({.address = "a", .pid = pid}, {.type = 2, .pids = {pid}}, now_);
  }
  triggers.Tick(now_);
  ASSERT_THAT(captures.All(), SizeIs(1));
  ASSERT_THAT(captures.All()[0].members, SizeIs(1));
  EXPECT_EQ(captures.All()[0].members[0].pid, 2);
  EXPECT_THAT(captures.All()[0].config, HasSubstr("PROFILE_START_ITERATION_ROUNDUP=10\n"))
      << "its peers begin at the same one when they are beyond it";
  std::filesystem::remove_all(root);
}

TEST_F(TriggersTest, WhatIsRefusedAtAnIterationIsSaidOnce) {
  options_.iteration = 550;
  options_.settle_s = 0;
  options_.most_per_hour = 0;
  Begin();
  for (int i = 0; i < 5; ++i) {
    Poll(1, 7);
    Pass(250);
    triggers_->Tick(now_);
  }
  EXPECT_THAT(decisions_.All(), SizeIs(1));
  EXPECT_FALSE(Last().is_taken);
  EXPECT_THAT(Last().reason, HasSubstr("triggers.most_per_hour"));
  EXPECT_THAT(said_, SizeIs(1));
}

TEST_F(TriggersTest, OnAScheduleByTheWallsClock) {
  options_.every_minutes = 10;
  Begin();
  Poll(1, 7);
  Poll(2, 8);
  Poll(3, 7);
  // 1700000130 s is 5 min 30 s behind a tenth minute.
  Pass(269'999);
  triggers_->Tick(now_);
  EXPECT_THAT(captures_.All(), IsEmpty());
  Pass(1);
  triggers_->Tick(now_);
  triggers_->Tick(now_);
  ASSERT_THAT(captures_.All(), SizeIs(2)) << "one for each job";
  EXPECT_THAT(captures_.All()[0].members, SizeIs(2));
  EXPECT_EQ(captures_.All()[0].terms.occasion, "schedule 2023-11-14T22:20:00Z");
  EXPECT_THAT(captures_.All()[0].config, HasSubstr("PROFILE_START_ITERATION_ROUNDUP=10"));
  // Set back, the clock makes nothing due twice at once.
  now_.unix_us -= 700'000'000;
  triggers_->Tick(now_);
  EXPECT_THAT(captures_.All(), SizeIs(2));
}

TEST_F(TriggersTest, ARuleProfilesTheJobOfTheDevice) {
  options_.rules = {"device_power_watts < 200 for 20s"};
  Begin();
  Poll(1, 7);
  Poll(2, 8);
  Poll(3, 8);
  on_device_ = {2};
  for (int i = 0; i < 3; ++i) {
    Tell({{&kPower, {{"device", "5"}}, 150}});
    Pass(10'000);
  }
  ASSERT_THAT(captures_.All(), SizeIs(1));
  EXPECT_THAT(captures_.All()[0].members, SizeIs(2)) << "with its peers";
  EXPECT_EQ(captures_.All()[0].source, "rule");
  EXPECT_THAT(captures_.All()[0].terms.occasion, HasSubstr("on node1"));
  EXPECT_TRUE(Last().is_taken);
  EXPECT_EQ(Last().job, "8");
  EXPECT_EQ(Last().cause,
            "rankscope_device_power_watts{device=\"5\"} is 150 (device_power_watts < 200 for 20s)");
  EXPECT_THAT(ToJson(decisions_.All()), HasSubstr("\"decision\":\"taken\""));
}

TEST_F(TriggersTest, AnEventIsRefusedDuringThePauseWhoeverProfiled) {
  options_.events = {"oom_kill"};
  Begin();
  Tell({{&kKills, {}, 3}});
  Pass(1000);
  Tell({{&kKills, {}, 4}});
  EXPECT_EQ(Last().reason, "no process trains here");
  Poll(1, 7);
  captures_.Trigger({}, "ACTIVITIES_LOG_FILE=/tmp/t.json\n", "rpc", now_);
  captures_.Cancel(captures_.All()[0].id);
  Pass(30'000);
  Tell({{&kKills, {}, 4}});
  Pass(1000);
  Tell({{&kKills, {}, 5}});
  EXPECT_EQ(Last().reason, "it was asked for a capture 31 s ago (triggers.job_pause_s)");
  Pass(30'000);
  Tell({{&kKills, {}, 5}});
  Tell({{&kKills, {}, 6}});
  EXPECT_FALSE(Last().is_taken) << "two readings of one moment tell no rise";
  Pass(1000);
  Tell({{&kKills, {}, 7}});
  EXPECT_TRUE(Last().is_taken);
  EXPECT_EQ(Last().trigger, "event");
  Pass(61'000);
  Tell({{&kKills, {}, 7}});
  Pass(1000);
  Tell({{&kKills, {}, 8}});
  EXPECT_EQ(Last().reason, "all of its processes record, or are to, for somebody else");
}

TEST_F(TriggersTest, ARuleOfANameThatNobodyTellsIsSaidOnce) {
  options_.rules = {"device_powr_watts < 200"};
  Begin();
  for (int i = 0; i < 3; ++i) {
    Pass(100'000);
    Tell({{&kPower, {}, 1}});
  }
  ASSERT_THAT(said_, SizeIs(1));
  EXPECT_THAT(said_[0], HasSubstr("no number is meant by 'device_powr_watts < 200'"));
}

TEST_F(TriggersTest, DecisionsAreBounded) {
  for (int i = 0; i < 600; ++i)
    decisions_.Add(
        {.unix_ms = i, .trigger = "", .cause = "", .job = "", .reason = "", .capture = ""});
  ASSERT_THAT(decisions_.All(), SizeIs(Decisions::kMost));
  EXPECT_EQ(decisions_.All().front().unix_ms, 100);
}

}  // namespace
}  // namespace rankscope::agent
