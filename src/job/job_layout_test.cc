#include "job/job_layout.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>
#include <string>
#include <utility>

#include "job/collective_partial.h"
#include "job/rank_list.h"

namespace rankscope {
namespace {

using JobLayoutRanks = std::vector<std::int64_t>;

const RankWork kTraining{.ops = 100, .backward = 50, .optimizer = 1, .attention = 4};
constexpr std::int64_t kMegabyte = 1 << 20;

// A job written as what each rank does in two steps.
class JobForLayout {
 public:
  explicit JobForLayout(JobLayoutRanks recorded) : recorded_(std::move(recorded)) {}

  // Every recorded member takes part `count` times per step in collectives of so many elements.
  JobForLayout& Group(const std::string& description, const JobLayoutRanks& ranks, CollectiveOp op,
                      StepPart part, int count, std::int64_t elements) {
    for (const std::int64_t rank : ranks) {
      for (int i = 0; i < 2 * count; ++i)
        events_[rank].push_back({Name(description, ranks), op, part, elements, -1, i % 2});
    }
    return *this;
  }
  // Every member takes part in all-to-alls, one after the other, in which it brings `in` elements
  // and gets `out`, in each of two steps.
  JobForLayout& Exchange(const std::string& description, const JobLayoutRanks& ranks, StepPart part,
                         const std::vector<std::pair<std::int64_t, std::int64_t>>& sizes) {
    for (const std::int64_t rank : ranks) {
      for (std::size_t i = 0; i < 2 * sizes.size(); ++i) {
        const auto& [in, out] = sizes[i % sizes.size()];
        events_[rank].push_back({Name(description, ranks), CollectiveOp::kAllToAll, part, in, -1,
                                 i < sizes.size() ? 0 : 1, out});
      }
    }
    return *this;
  }
  JobForLayout& Sends(const std::string& description, const JobLayoutRanks& ranks,
                      std::int64_t from, std::int64_t to, StepPart part) {
    for (int step = 0; step < 2; ++step) {
      const std::int64_t name = Name(description, ranks);
      events_[from].push_back({name, CollectiveOp::kSend, part, kMegabyte, to, step});
      events_[to].push_back({name, CollectiveOp::kReceive, part, kMegabyte, from, step});
    }
    return *this;
  }

  JobLayout Layout(std::int64_t world, std::map<std::int64_t, RankWork> work) const {
    JobCollectives all;
    std::vector<RankWork> of_ranks;
    for (const std::int64_t rank : recorded_) {
      Capture capture;
      capture.rank = rank;
      EXPECT_TRUE(all.Add(capture, TablesOf(rank)).ok());
      of_ranks.push_back(work.contains(rank) ? work[rank] : kTraining);
    }
    all.Match();
    return LayoutOf(all, of_ranks, world);
  }

  // "tp 2 names, ..." of what is not absent, then every rank's coordinates.
  std::string Solve(std::int64_t world, const std::map<std::int64_t, RankWork>& work = {}) const {
    const JobLayout layout = Layout(world, work);
    std::string text;
    for (const RoleLayout& role : layout.roles) {
      text += std::string(ToString(role.role)) + (role.is_partial() ? " (partial):" : ":");
      for (int i = 0; i < kDimensionCount; ++i) {
        const DimensionFit& fit = role.dimensions[static_cast<std::size_t>(i)];
        if (fit.source != LayoutSource::kAbsent)
          text += " " + std::string(ToString(static_cast<Dimension>(i))) + "=" +
                  std::to_string(fit.degree) + " " + std::string(ToString(fit.source));
        for (const std::string& conflict : fit.conflicts) text += " !" + conflict;
      }
      text += "\n";
    }
    for (std::size_t i = 0; i < layout.places.size(); ++i) {
      const RankPlace& at = layout.places[i];
      text += std::to_string(recorded_[i]) + "@" + std::to_string(at.Of(Dimension::kTensor)) + "," +
              std::to_string(at.Of(Dimension::kContext)) + "," +
              std::to_string(at.Of(Dimension::kExpert)) + "," +
              std::to_string(at.Of(Dimension::kPipeline)) + "," +
              std::to_string(at.Of(Dimension::kData)) + " ";
    }
    return text;
  }

 private:
  struct Event {
    std::int64_t group = 0;
    CollectiveOp op = CollectiveOp::kAllReduce;
    StepPart part = StepPart::kForward;
    std::int64_t elements = 0;
    std::int64_t peer = -1;
    std::int64_t step = 0;
    std::int64_t out = -1;  // as many as it brings
  };

  std::int64_t Name(const std::string& description, const JobLayoutRanks& ranks) {
    const auto [place, is_new] = names_.try_emplace({description, ranks}, groups_.size());
    if (is_new) groups_.emplace_back(description, ranks);
    return static_cast<std::int64_t>(place->second);
  }

  std::vector<Table> TablesOf(std::int64_t rank) const {
    Table groups = GroupsOfCollectives();
    Table events = CollectiveEvents();
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      const std::string name = std::to_string(i);
      const std::string ranks = PackRanks(groups_[i].second);
      groups.AddRow({std::string_view(name), std::string_view(groups_[i].first),
                     std::string_view(ranks), static_cast<std::int64_t>(groups_[i].second.size()),
                     true});
    }
    std::int64_t t = 0;
    const auto found = events_.find(rank);
    if (found == events_.end()) return {groups, events};
    for (const Event& event : found->second) {
      events.AddRow({event.group, static_cast<std::int64_t>(event.op), "Float", event.elements,
                     event.out < 0 ? event.elements : event.out, kNull,
                     event.peer < 0 ? Value(kNull) : Value(event.peer), kNull, kNull, t, 10, t,
                     event.step, true, t, static_cast<std::int64_t>(event.part)});
      t += 20;
    }
    return {groups, events};
  }

  JobLayoutRanks recorded_;
  std::vector<std::pair<std::string, JobLayoutRanks>> groups_;
  std::map<std::pair<std::string, JobLayoutRanks>, std::size_t> names_;
  std::map<std::int64_t, std::vector<Event>> events_;
};

constexpr auto kForward = StepPart::kForward;
constexpr auto kBackward = StepPart::kBackward;
constexpr auto kAfter = StepPart::kAfter;

// tp 2, pp 2, dp 2 with tp fastest and pp slowest; an embedding group joins the stages, too.
JobForLayout ThreeD(const JobLayoutRanks& recorded, bool is_described) {
  const auto name = [&](const char* text) { return is_described ? text : "undefined"; };
  JobForLayout job(recorded);
  for (const std::int64_t first : {0, 2, 4, 6}) {
    const JobLayoutRanks pair{first, first + 1};
    job.Group(name("TENSOR_MODEL_PARALLEL_GROUP"), pair, CollectiveOp::kAllReduce, kForward, 4,
              kMegabyte);
    job.Group(name("TENSOR_MODEL_PARALLEL_GROUP"), pair, CollectiveOp::kAllReduce, kBackward, 4,
              kMegabyte);
  }
  for (const std::int64_t first : {0, 1, 4, 5})
    job.Group(name("DATA_PARALLEL_GROUP"), {first, first + 2}, CollectiveOp::kAllReduce, kBackward,
              3, 7 * kMegabyte);
  for (const std::int64_t first : {0, 1, 2, 3}) {
    const JobLayoutRanks stages{first, first + 4};
    job.Sends(name("PIPELINE_MODEL_PARALLEL_GROUP"), stages, first, first + 4, kForward);
    job.Sends(name("PIPELINE_MODEL_PARALLEL_GROUP"), stages, first + 4, first, kForward);
    job.Group(name("EMBEDDING_GROUP"), stages, CollectiveOp::kAllReduce, kAfter, 1, kMegabyte);
  }
  job.Group(name("default_pg"), {0, 1, 2, 3, 4, 5, 6, 7}, CollectiveOp::kAllReduce, kAfter, 1, 1);
  return job;
}

TEST(JobLayout, ByNames) {
  EXPECT_EQ(ThreeD({0, 1, 2, 3, 4, 5, 6, 7}, true).Solve(8),
            "trainer: tp=2 names pp=2 names dp=2 names\n"
            "0@0,0,0,0,0 1@1,0,0,0,0 2@0,0,0,0,1 3@1,0,0,0,1 "
            "4@0,0,0,1,0 5@1,0,0,1,0 6@0,0,0,1,1 7@1,0,0,1,1 ");
}

TEST(JobLayout, NumberedNamesAreOneDimension) {
  JobForLayout job({0, 1, 2, 3});
  for (const std::int64_t number : {0, 1}) {
    job.Group("tp:" + std::to_string(number), {2 * number, 2 * number + 1},
              CollectiveOp::kAllReduce, kForward, 4, kMegabyte);
    job.Group("dp:" + std::to_string(number), {number, number + 2}, CollectiveOp::kAllReduce,
              kBackward, 4, kMegabyte);
  }
  EXPECT_EQ(job.Solve(4),
            "trainer: tp=2 names dp=2 names\n0@0,0,0,0,0 1@1,0,0,0,0 2@0,0,0,0,1 3@1,0,0,0,1 ");
}

TEST(JobLayout, ByTraffic) {
  EXPECT_EQ(ThreeD({0, 1, 2, 3, 4, 5, 6, 7}, false).Solve(8),
            "trainer: tp=2 traffic pp=2 traffic dp=2 traffic\n"
            "0@0,0,0,0,0 1@1,0,0,0,0 2@0,0,0,0,1 3@1,0,0,0,1 "
            "4@0,0,0,1,0 5@1,0,0,1,0 6@0,0,0,1,1 7@1,0,0,1,1 ");
}

TEST(JobLayout, ThirdOfTheRanksMissing) {
  EXPECT_EQ(ThreeD({0, 2, 3, 6, 7}, false).Solve(8),
            "trainer (partial): tp=2 traffic pp=2 traffic dp=2 traffic\n"
            "0@0,0,0,0,0 2@0,0,0,0,1 3@1,0,0,0,1 6@0,0,0,1,1 7@1,0,0,1,1 ");
}

// Shards of neighbours, replicas across: hybrid sharding is data parallelism all over.
TEST(JobLayout, HybridShards) {
  JobForLayout job({0, 1, 2, 3});
  for (const std::int64_t first : {0, 2}) {
    const JobLayoutRanks pair{first, first + 1};
    job.Group("", pair, CollectiveOp::kAllGather, kForward, 2, kMegabyte);
    job.Group("", pair, CollectiveOp::kAllGather, kBackward, 2, kMegabyte);
    job.Group("", pair, CollectiveOp::kReduceScatter, kBackward, 2, kMegabyte);
  }
  for (const std::int64_t first : {0, 1})
    job.Group("", {first, first + 2}, CollectiveOp::kAllReduce, kBackward, 2, kMegabyte);
  EXPECT_EQ(job.Solve(4),
            "trainer: dp=4 traffic\n0@0,0,0,0,0 1@0,0,0,0,1 2@0,0,0,0,2 3@0,0,0,0,3 ");
}

// What is gathered inside the group that reduces gradients are keys and values.
TEST(JobLayout, ContextGatheredInsideData) {
  JobForLayout job({0, 1, 2, 3});
  for (const std::int64_t first : {0, 2}) {
    const JobLayoutRanks pair{first, first + 1};
    job.Group("", pair, CollectiveOp::kAllGather, kForward, 2, kMegabyte);
    job.Group("", pair, CollectiveOp::kReduceScatter, kBackward, 2, kMegabyte);
  }
  job.Group("", {0, 1, 2, 3}, CollectiveOp::kAllReduce, kBackward, 3, kMegabyte);
  EXPECT_EQ(job.Solve(4),
            "trainer: cp=2 traffic dp=2 traffic\n0@0,0,0,0,0 1@0,1,0,0,0 2@0,0,0,0,1 3@0,1,0,0,1 ");
}

// A ring of sends, in the backward, too.
TEST(JobLayout, ContextInARing) {
  JobForLayout job({0, 1, 2});
  for (const StepPart part : {kForward, kBackward}) {
    for (const std::int64_t rank : {0, 1, 2}) job.Sends("", {0, 1, 2}, rank, (rank + 1) % 3, part);
  }
  EXPECT_EQ(job.Solve(3), "trainer: cp=3 traffic\n0@0,0,0,0,0 1@0,1,0,0,0 2@0,2,0,0,0 ");
}

// Activations go down a chain and gradients come back, both inside of autograd: the last sends
// nothing to the first, so it is no ring.
TEST(JobLayout, StagesThatSendInsideOfAutograd) {
  JobForLayout job({0, 1, 2});
  for (const StepPart part : {kForward, kBackward}) {
    for (const std::int64_t rank : {0, 1}) {
      job.Sends("", {0, 1, 2}, rank, rank + 1, part);
      job.Sends("", {0, 1, 2}, rank + 1, rank, part);
    }
  }
  EXPECT_EQ(job.Solve(3), "trainer: pp=3 traffic\n0@0,0,0,0,0 1@0,0,0,1,0 2@0,0,0,2,0 ");
}

// Two layers of experts over all four ranks: tokens go out and come back, unevenly, and backward
// takes the same ways; gradients are reduced over the same ranks.
TEST(JobLayout, ExpertsByUnevenSizes) {
  JobForLayout job({0, 1, 2, 3});
  const JobLayoutRanks all{0, 1, 2, 3};
  job.Exchange("", all, kForward, {{4000, 4400}, {4400, 4000}, {4000, 3800}, {3800, 4000}})
      .Exchange("", all, kBackward, {{4000, 3800}, {3800, 4000}, {4000, 4400}, {4400, 4000}})
      .Group("default_pg", all, CollectiveOp::kAllReduce, kBackward, 4, kMegabyte);
  EXPECT_EQ(job.Solve(4),
            "trainer: ep=4 traffic dp=4 traffic\n0@0,0,0,0,0 1@0,0,1,0,1 2@0,0,2,0,2 3@0,0,3,0,3 ");
}

// The same in one group.
TEST(JobLayout, ExpertsAndGradientsInOneGroup) {
  JobForLayout job({0, 1});
  job.Exchange("", {0, 1}, kForward, {{4000, 4400}, {4400, 4000}})
      .Exchange("", {0, 1}, kBackward, {{4000, 4400}, {4400, 4000}})
      .Group("", {0, 1}, CollectiveOp::kAllReduce, kBackward, 4, kMegabyte);
  EXPECT_EQ(job.Solve(2), "trainer: ep=2 traffic dp=2 traffic\n0@0,0,0,0,0 1@0,0,1,0,1 ");
}

// Even shares: what goes round before the first attention is the sequence, what goes behind it are
// tokens of experts with a capacity; where that is not known nothing is said.
TEST(JobLayout, EvenExchangesByWhatComesFirst) {
  const auto solve = [](std::optional<FirstAttention> attention) {
    JobForLayout job({0, 1});
    const std::vector<std::pair<std::int64_t, std::int64_t>> even(4, {4000, 4000});
    job.Exchange("", {0, 1}, kForward, even).Exchange("", {0, 1}, kBackward, even);
    RankWork work = kTraining;
    work.first_attention = attention;
    return job.Solve(2, {{0, work}, {1, work}});
  };
  // The exchanges of step 0 begin at 0, 20, 40 and 60.
  EXPECT_EQ(solve(FirstAttention{0, 50}), "trainer: cp=2 traffic\n0@0,0,0,0,0 1@0,1,0,0,0 ");
  EXPECT_EQ(solve(FirstAttention{0, -5}),
            "trainer: ep=2 traffic dp=2 rest\n0@0,0,0,0,0 1@0,0,1,0,1 ");
  EXPECT_EQ(solve(std::nullopt), "trainer: dp=2 rest\n0@0,0,0,0,0 1@0,0,0,0,1 ");
  EXPECT_EQ(solve(FirstAttention{7, 50}), solve(std::nullopt)) << "of a step without exchanges";
}

// Sequences that all ranks share out: their gradients are reduced over the same ranks.
TEST(JobLayout, ContextOfAllRanks) {
  JobForLayout job({0, 1});
  RankWork work = kTraining;
  work.first_attention = FirstAttention{0, 1'000'000};
  job.Exchange("", {0, 1}, kForward, std::vector(4, std::pair<std::int64_t, std::int64_t>{40, 40}))
      .Group("", {0, 1}, CollectiveOp::kAllReduce, kAfter, 4, kMegabyte);
  EXPECT_EQ(job.Solve(2, {{0, work}, {1, work}}),
            "trainer: cp=2 traffic dp=1 traffic\n0@0,0,0,0,0 1@0,1,0,0,0 ");
}

// What tokens and gradients do is no conflict with the names of their groups.
TEST(JobLayout, NamedExpertsAreSureToo) {
  JobForLayout job({0, 1, 2, 3});
  const JobLayoutRanks all{0, 1, 2, 3};
  for (const JobLayoutRanks& half : {JobLayoutRanks{0, 1}, JobLayoutRanks{2, 3}}) {
    job.Exchange("EXPERT_MODEL_PARALLEL_GROUP", half, kForward, {{4000, 4400}, {4400, 4000}})
        .Exchange("EXPERT_MODEL_PARALLEL_GROUP", half, kBackward, {{4000, 4400}, {4400, 4000}});
  }
  job.Group("DATA_PARALLEL_GROUP", all, CollectiveOp::kAllReduce, kBackward, 4, kMegabyte);
  const JobLayout layout = job.Layout(4, {});
  EXPECT_EQ(layout.roles.at(0).Of(Dimension::kExpert).confidence, 0.95);
  EXPECT_EQ(layout.roles.at(0).Of(Dimension::kData).confidence, 0.95);
}

TEST(JobLayout, WhatIsLeftIsDataParallel) {
  JobForLayout job({0, 1, 2, 3});
  for (const std::int64_t first : {0, 2}) {
    job.Group("mesh_tp", {first, first + 1}, CollectiveOp::kAllReduce, kForward, 4, kMegabyte);
    job.Group("mesh_tp", {first, first + 1}, CollectiveOp::kAllReduce, kBackward, 4, kMegabyte);
  }
  EXPECT_EQ(job.Solve(4),
            "trainer: tp=2 names dp=2 rest\n0@0,0,0,0,-1 1@1,0,0,0,-1 2@0,0,0,0,-1 3@1,0,0,0,-1 ");
}

TEST(JobLayout, ConflictsAreStated) {
  JobForLayout job({0, 1, 2, 3});
  // Described as tensor parallel, but neighbours send to each other.
  job.Sends("mesh_tp", {0, 1}, 0, 1, kForward).Sends("mesh_tp", {0, 1}, 1, 0, kForward);
  EXPECT_EQ(job.Solve(4),
            "trainer: tp=2 names !groups described as tp exchange what pp does: sends between "
            "neighbours !2 of 4 ranks belong to no such group dp=2 rest\n"
            "0@0,0,0,0,-1 1@1,0,0,0,-1 2@-1,0,0,0,-1 3@-1,0,0,0,-1 ");
}

TEST(JobLayout, DegreesThatDoNotMakeTheWorld) {
  JobForLayout job({0, 1, 2, 3, 4, 5});
  job.Group("mesh_dp", {0, 1, 2, 3}, CollectiveOp::kAllReduce, kBackward, 3, kMegabyte);
  const std::string text = job.Solve(6);
  EXPECT_NE(text.find("tp 1 x cp 1 x pp 1 x dp 4 = 4, but there are 6 ranks"), std::string::npos)
      << text;
}

// Generators have no backward; they are laid out apart.
TEST(JobLayout, GeneratorsAndTrainers) {
  JobForLayout job({0, 1, 2, 3});
  job.Group("", {0, 1, 2, 3}, CollectiveOp::kBroadcast, kForward, 1, kMegabyte);
  job.Group("", {1, 2, 3}, CollectiveOp::kAllReduce, kBackward, 3, kMegabyte);
  EXPECT_EQ(job.Solve(4, {{0, {.ops = 10, .attention = 3}}}),
            "trainer: dp=3 traffic\ngenerator:\n"
            "0@0,0,0,0,0 1@0,0,0,0,0 2@0,0,0,0,1 3@0,0,0,0,2 ");
}

// Whatever files say, degrees are positive and ranks stand inside of them.
TEST(JobLayout, RandomJobs) {
  std::mt19937 random(7);
  const auto below = [&](int end) {
    return static_cast<int>(random() % static_cast<unsigned>(end));
  };
  const std::array<const char*, 7> names = {
      "", "mesh_tp", "pp", "DATA_PARALLEL_GROUP_WITH_CP", "mesh_ep", "cp", "mesh_dp_replicate"};
  for (int job_number = 0; job_number < 300; ++job_number) {
    const int world = 1 + below(9);
    JobLayoutRanks recorded;
    for (int rank = 0; rank < world; ++rank) {
      if (below(4) > 0) recorded.push_back(rank);
    }
    if (recorded.empty()) continue;
    JobForLayout job(recorded);
    for (int i = below(12); i > 0; --i) {
      JobLayoutRanks members;
      for (int rank = below(world); rank < world; rank += 1 + below(3)) members.push_back(rank);
      const auto part = static_cast<StepPart>(below(kStepPartCount));
      const char* name = names[static_cast<std::size_t>(below(names.size()))];
      if (below(4) == 0) {
        job.Sends(name, members, members.front(), members.back(), part);
      } else {
        job.Group(name, members, static_cast<CollectiveOp>(below(kCollectiveOpCount)), part,
                  1 + below(5), below(2) * kMegabyte);
      }
    }
    const JobLayout layout = job.Layout(below(2) == 0 ? world : -1, {});
    for (const RoleLayout& role : layout.roles) {
      for (const DimensionFit& fit : role.dimensions) {
        EXPECT_GE(fit.degree, 1);
        EXPECT_GE(fit.confidence, 0);
        EXPECT_LE(fit.confidence, 1);
      }
      for (const RankPlace& place : layout.places) {
        for (int i = 0; i < kDimensionCount; ++i)
          EXPECT_LT(place.at[static_cast<std::size_t>(i)],
                    role.dimensions[static_cast<std::size_t>(i)].degree);
      }
    }
  }
}

TEST(JobLayout, NothingIsKnownOfSilentRanks) {
  EXPECT_EQ(JobForLayout({0, 1}).Solve(2), "trainer: dp=2 rest\n0@0,0,0,0,0 1@0,0,0,0,1 ");
  EXPECT_EQ(JobForLayout({}).Solve(-1), "");
}

}  // namespace
}  // namespace rankscope
