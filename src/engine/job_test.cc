#include "engine/job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "base/until.h"
#include "facts/trace_facts.h"
#include "schemas/rank_rows.h"
#include "stage/reduce.h"
#include "table/cells_for_test.h"
#include "table/codec.h"

namespace rankscope {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// What the maps of a test do beside counting; set before a job is opened.
struct Hooks {
  std::atomic<int> maps{0};
  std::atomic<int> inside{0};
  std::atomic<int> most_inside{0};
  std::function<void()> in_map;
};
Hooks& TheHooks() {
  static Hooks hooks;
  return hooks;
}

struct Counted : Schema<Counted, RankRows> {
  IntColumn rows = Int("rows");
};

std::vector<Table> CountRows(const TraceFacts& facts, const MapOptions& options) {
  Hooks& hooks = TheHooks();
  ++hooks.maps;
  const int now = ++hooks.inside;
  int seen = hooks.most_inside;
  while (now > seen && !hooks.most_inside.compare_exchange_weak(seen, now)) continue;
  if (hooks.in_map) hooks.in_map();
  const auto& columns = SchemaOf<Counted>();
  auto table = columns.NewPartial("counted");
  table.Add({columns.rows = static_cast<std::int64_t>(facts.trace().row_count()) +
                            CountOption(options.values, "more")});
  --hooks.inside;
  return {table};
}

// The name must outlive the analysis.
Analysis CountingAnalysis(std::string_view name) {
  const auto& columns = SchemaOf<Counted>();
  const auto more = OptionSpec{"more", "0", "added to the count", OptionType::kCount};
  return {.name = std::string(name),
          .columns = columns.columns(),
          .mapper = {.name = std::string(name),
                     .options = {more},
                     .tables = {columns.BareColumns()},
                     .map = CountRows},
          .reducer = JoinRows({columns, name, columns.capture.index(), {}})};
}

const Analysis& First() {
  static const Analysis kAnalysis = CountingAnalysis("first");
  return kAnalysis;
}
const Analysis& Second() {
  static const Analysis kAnalysis = CountingAnalysis("second");
  return kAnalysis;
}

// The rows of all ranks, from a fact and from the table of another analysis: they must agree.
const JobFact<std::int64_t>& Rows() {
  static const JobFact<std::int64_t> kFact(
      {.name = "rows",
       .mapper = First().mapper,
       .build = [](PartialStream& partials,
                   const JobContext&) -> Result<std::shared_ptr<const std::int64_t>> {
         std::int64_t sum = 0;
         Partial partial;
         while (true) {
           RS_ASSIGN_OR_RETURN(const bool more, partials.Next(partial));
           if (!more) return std::make_shared<const std::int64_t>(sum);
           sum += ViewOf<Counted>(partial.tables[0]).Int(0, SchemaOf<Counted>().rows);
         }
       }});
  return kFact;
}
struct Sums : Schema<Sums> {
  IntColumn by_fact = Int("by_fact");
  IntColumn by_table = Int("by_table");
};
const Analysis& Derived() {
  static const Analysis kAnalysis{
      .name = "derived",
      .columns = SchemaOf<Sums>().columns(),
      .facts = {&Rows()},
      .inputs = {&First()},
      .derive = [](const InputTables& tables, const JobContext& job,
                   const Options&) -> Result<Table> {
        const auto& sums = SchemaOf<Sums>();
        std::int64_t by_table = 0;
        const ViewOf<Counted> first = tables.Named("first");
        for (std::size_t row = 0; row < first.row_count(); ++row)
          by_table += first.Int(row, SchemaOf<Counted>().rows);
        auto table = sums.NewTable("derived");
        table.Add({sums.by_fact = job.Get(Rows()), sums.by_table = by_table});
        return table;
      }};
  return kAnalysis;
}

// Most rows of any rank in whole tens, handed to every rank: what a second map adds to its count.
struct Most : Schema<Most> {
  IntColumn rows = Int("rows");
};
const JobFact<std::int64_t>& MostRows() {
  static const JobFact<std::int64_t> kFact(
      {.name = "most_rows",
       .mapper = First().mapper,
       .build = [](PartialStream& partials,
                   const JobContext&) -> Result<std::shared_ptr<const std::int64_t>> {
         auto most = std::make_shared<std::int64_t>(0);
         Partial partial;
         while (true) {
           RS_ASSIGN_OR_RETURN(const bool more, partials.Next(partial));
           if (!more) return most;
           const std::int64_t rows =
               ViewOf<Counted>(partial.tables[0]).Int(0, SchemaOf<Counted>().rows);
           *most = std::max(*most, rows / 10 * 10);
         }
       },
       .slice =
           [](const std::int64_t& fact, const JobContext&, std::size_t) {
             const auto& most = SchemaOf<Most>();
             auto slice = most.NewPartial("most_rows");
             slice.Add({most.rows = fact});
             return slice;
           }});
  return kFact;
}
const Analysis& AfterFact() {
  static const Analysis kAnalysis = [] {
    Analysis analysis = CountingAnalysis("after_fact");
    analysis.mapper.facts = {&MostRows()};
    analysis.mapper.map = [](const TraceFacts& facts, const MapOptions& options) {
      ++TheHooks().maps;
      const auto& columns = SchemaOf<Counted>();
      auto table = columns.NewPartial("counted");
      table.Add(
          {columns.rows = static_cast<std::int64_t>(facts.trace().row_count()) +
                          ViewOf<Most>(options.SliceOf(MostRows())).Int(0, SchemaOf<Most>().rows)});
      return std::vector<Table>{table};
    };
    return analysis;
  }();
  return kAnalysis;
}

// Kernels that communicate.
const Analysis& Communicating() {
  static const Analysis kAnalysis = [] {
    Analysis analysis = CountingAnalysis("communicating");
    analysis.mapper.map = [](const TraceFacts& facts, const MapOptions&) {
      ++TheHooks().maps;
      std::int64_t count = 0;
      for (Row row = 0; row < facts.trace().row_count(); ++row) {
        count += facts.trace().kind[row] == EventKind::kKernel &&
                         facts.classes().Of(row) == WorkClass::kCommunication
                     ? 1
                     : 0;
      }
      const auto& columns = SchemaOf<Counted>();
      auto table = columns.NewPartial("counted");
      table.Add({columns.rows = count});
      return std::vector<Table>{table};
    };
    return analysis;
  }();
  return kAnalysis;
}

class JobTest : public testing::Test {
 protected:
  JobTest() : folder_(testing::TempDir() + "job_test_XXXXXX") {
    RS_CHECK(mkdtemp(folder_.data()) != nullptr, "no temporary folder");
    fs::create_directory(folder_ + "/traces");
    Hooks& hooks = TheHooks();
    hooks.maps = 0;
    hooks.most_inside = 0;
    hooks.in_map = nullptr;
  }
  ~JobTest() override { fs::remove_all(folder_); }

  std::string PathOf(int rank) const { return fmt::format("{}/traces/rank{}.json", folder_, rank); }
  // A trace of so many ops.
  void Write(int rank, int ops) const {
    std::string text = fmt::format(
        R"({{"schemaVersion":1,"distributedInfo":{{"rank":{},"world_size":4}},"traceEvents":[)",
        rank);
    for (int i = 0; i < ops; ++i) {
      text += fmt::format(
          R"({}{{"ph":"X","cat":"cpu_op","name":"op{}","pid":1,"tid":1,"ts":{},"dur":5}})",
          i == 0 ? "" : ",", i % 7, 10 * i);
    }
    std::ofstream(PathOf(rank)) << text << "]}";
  }
  void WriteRanks(int count) const {
    for (int rank = 0; rank < count; ++rank) Write(rank, 100 + rank);
  }

  JobOptions WithCache(std::uint64_t limit_bytes = 1U << 30) const {
    JobOptions options;
    options.threads = 3;
    options.cache.folder = folder_ + "/cache";
    options.cache.limit_bytes = limit_bytes;
    fs::create_directory(options.cache.folder);
    return options;
  }
  static JobOptions WithoutCache() {
    JobOptions options;
    options.threads = 3;
    options.cache.enabled = false;
    return options;
  }
  std::unique_ptr<Job> Open(JobOptions options, const std::vector<Request>& planned = {}) const {
    auto job = Job::Open({folder_ + "/traces"}, std::move(options), planned);
    RS_CHECK(job.ok(), "{}", job.status().message());
    return std::move(*job);
  }
  static std::string CsvOf(Job& job, const Request& request) {
    const Result<Table> table = job.Run(request);
    return table.ok() ? rankscope::Rows(*table, {"rank", "rows"}) : table.status().message();
  }
  static std::size_t MostReads(const Job& job) {
    std::size_t most = 0;
    for (std::size_t i = 0; i < job.files().size(); ++i)
      most = std::max(most, job.files().times_read(i));
    return most;
  }

  std::string folder_;
};

constexpr const char* kThree = "0,100\n1,101\n2,102\n";

TEST_F(JobTest, RulesForKernelsArePartOfTheKeys) {
  std::ofstream(PathOf(0))
      << R"({"schemaVersion":1,"distributedInfo":{"rank":0,"world_size":1},"traceEvents":[)"
         R"({"ph":"X","cat":"kernel","name":"mine","pid":0,"tid":7,"ts":10,"dur":5,)"
         R"("args":{"device":0,"stream":7}},)"
         R"({"ph":"X","cat":"kernel","name":"mine","pid":0,"tid":7,"ts":20,"dur":5,)"
         R"("args":{"device":0,"stream":7}},)"
         R"({"ph":"X","cat":"kernel","name":"ncclDevKernel","pid":0,"tid":7,"ts":30,"dur":5,)"
         R"("args":{"device":0,"stream":7}}]})";
  const auto count_by = [&](std::string_view text) {
    JobOptions options = WithCache();
    Result<KernelRules> rules = KernelRules::Parse(text, "classes.txt");
    EXPECT_TRUE(rules.ok());
    options.kernel_rules = *rules;
    const auto table = Open(options)->Run({&Communicating(), {}});
    EXPECT_TRUE(table.ok());
    return ViewOf<Counted>(*table).Int(0, SchemaOf<Counted>().rows);
  };
  EXPECT_EQ(count_by(""), 1);
  EXPECT_EQ(TheHooks().maps, 1);
  EXPECT_EQ(count_by("other_communication mine"), 3);
  EXPECT_EQ(TheHooks().maps, 2) << "not those of the built-in rules";
  EXPECT_EQ(count_by("gemm mine nccl"), 0);
  EXPECT_EQ(TheHooks().maps, 3);
  EXPECT_EQ(count_by("# no rule"), 1);
  EXPECT_EQ(count_by("# a comment\nother_communication  MINE"), 3);
  EXPECT_EQ(TheHooks().maps, 3) << "both are stored";
}

TEST_F(JobTest, ReadsAFileOnceForAllThatIsPlanned) {
  WriteRanks(3);
  const auto job = Open(WithCache(), {{&First(), {}}, {&Derived(), {}}, {&Second(), {}}});
  EXPECT_EQ(CsvOf(*job, {&First(), {}}), kThree);
  EXPECT_EQ(CsvOf(*job, {&Second(), {}}), kThree);
  EXPECT_EQ(rankscope::Rows(job->Run({&Derived(), {}}).value(), {"by_fact", "by_table"}),
            "303,303\n");
  EXPECT_EQ(MostReads(*job), 1U);
  EXPECT_EQ(TheHooks().maps, 6);
  const auto again = Open(WithCache(), {{&First(), {}}});
  EXPECT_EQ(CsvOf(*again, {&First(), {}}), kThree);
  EXPECT_EQ(MostReads(*again), 0U);
  EXPECT_EQ(TheHooks().maps, 6);
}

TEST_F(JobTest, ReadsAFileTwiceAtMostWhateverTheCacheHolds) {
  WriteRanks(4);
  for (const std::uint64_t limit : {0U, 100U, 3000U, 20'000U, 60'000U, 1U << 20}) {
    fs::remove_all(folder_ + "/cache");
    const auto job = Open(WithCache(limit), {{&First(), {}}});
    for (int round = 0; round < 3; ++round) {
      EXPECT_THAT(CsvOf(*job, {&First(), {}}), HasSubstr("3,103\n"));
      EXPECT_THAT(CsvOf(*job, {&Second(), {}}), HasSubstr("3,103\n"));
      EXPECT_TRUE(job->Run({&Derived(), {}}).ok());
    }
    EXPECT_LE(MostReads(*job), 2U) << limit;
  }
}

TEST_F(JobTest, AMapperThatNeedsAFactRunsWhenItIsKnown) {
  WriteRanks(3);
  EXPECT_EQ(CsvOf(*Open(WithoutCache()), {&AfterFact(), {}}), "0,200\n1,201\n2,202\n");
  const auto planned = Open(WithCache(), {{&AfterFact(), {}}});
  EXPECT_EQ(CsvOf(*planned, {&AfterFact(), {}}), "0,200\n1,201\n2,202\n");
  EXPECT_LE(MostReads(*planned), 1U) << "the second map takes the columns from the cache";
}

TEST_F(JobTest, OneRankMoreMapsNoOther) {
  WriteRanks(3);
  CsvOf(*Open(WithCache()), {&AfterFact(), {}});
  Write(3, 103);
  TheHooks().maps = 0;
  EXPECT_EQ(CsvOf(*Open(WithCache()), {&AfterFact(), {}}), "0,200\n1,201\n2,202\n3,203\n");
  EXPECT_EQ(TheHooks().maps, 2)
      << "both maps of the new rank: the fact says the same to the others";
  Write(4, 300);
  TheHooks().maps = 0;
  EXPECT_EQ(CsvOf(*Open(WithCache()), {&AfterFact(), {}}), "0,400\n1,401\n2,402\n3,403\n4,600\n");
  EXPECT_EQ(TheHooks().maps, 6) << "the fact changed: one first map, and all second ones";
}

TEST_F(JobTest, ASecondLookMakesNoTable) {
  WriteRanks(3);
  const std::vector<Request> all = {{&First(), {}}, {&Derived(), {}}, {&Second(), {{"more", "1"}}}};
  const auto first = Open(WithCache(), all);
  const std::string bytes = EncodeTables(first->RunAll(all).value());
  EXPECT_EQ(first->tables_made(), 3U);
  const auto again = Open(WithCache(), all);
  EXPECT_EQ(EncodeTables(again->RunAll(all).value()), bytes);
  EXPECT_EQ(again->tables_made(), 0U);
  // What is derived of a table that is there is all that is made.
  EXPECT_TRUE(again->Run({&Second(), {{"more", "2"}}}).ok());
  EXPECT_EQ(again->tables_made(), 1U);
  EXPECT_EQ(CsvOf(*again, {&Second(), {{"more", "2"}}}), "0,102\n1,103\n2,104\n");
  EXPECT_EQ(again->tables_made(), 1U);
}

TEST_F(JobTest, WhatTablesComeFromIsInTheirKey) {
  WriteRanks(3);
  const auto made_with = [&](const std::function<void(JobOptions&)>& change) {
    JobOptions options = WithCache();
    change(options);
    const auto job = Open(options);
    EXPECT_TRUE(job->Run({&Derived(), {}}).ok());
    return job->tables_made();
  };
  const auto nothing = [](JobOptions&) {};
  EXPECT_EQ(made_with(nothing), 2U) << "the table and that of which it is derived";
  EXPECT_EQ(made_with(nothing), 0U);
  EXPECT_EQ(made_with([](JobOptions& options) { options.threads = 1; }), 0U);
  EXPECT_EQ(made_with([](JobOptions& options) { options.steps = std::set<std::int64_t>{1}; }), 2U);
  EXPECT_EQ(made_with([](JobOptions& options) {
              options.kernel_rules = KernelRules::Parse("gemm mine", "classes.txt").value();
            }),
            2U);
  EXPECT_EQ(made_with([](JobOptions& options) {
              options.captures.ranks = std::set<std::int64_t>{0, 2};
            }),
            2U);
  EXPECT_EQ(made_with(nothing), 0U) << "the others stand beside it";
  Write(3, 50);
  EXPECT_EQ(made_with(nothing), 2U) << "one rank more";
  Write(1, 7);
  EXPECT_EQ(made_with(nothing), 2U) << "another recording of a rank";
}

// Others could forge them.
TEST_F(JobTest, NoTablesInASharedFolder) {
  WriteRanks(2);
  fs::create_directories(folder_ + "/cache");
  fs::permissions(folder_ + "/cache", fs::perms::all);
  for (int look = 0; look < 2; ++look) {
    const auto job = Open(WithCache());
    EXPECT_TRUE(job->Run({&Derived(), {}}).ok());
    EXPECT_EQ(job->tables_made(), 2U);
  }
}

TEST_F(JobTest, DamagedTablesAreMadeAgain) {
  WriteRanks(2);
  const auto made = [&] {
    const auto job = Open(WithCache(), {{&Derived(), {}}});
    EXPECT_EQ(rankscope::Rows(job->Run({&Derived(), {}}).value(), {"by_fact", "by_table"}),
              "201,201\n");
    return job->tables_made();
  };
  EXPECT_EQ(made(), 2U);
  EXPECT_EQ(made(), 0U);
  for (const auto& entry : fs::directory_iterator(folder_ + "/cache")) {
    if (entry.path().extension() != ".partials") continue;
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(fs::file_size(entry.path()) - 1));
    file.put('?');
  }
  EXPECT_EQ(made(), 2U);
  EXPECT_EQ(made(), 0U);
}

TEST_F(JobTest, AnyNumberOfThreadsGivesTheSameTables) {
  WriteRanks(7);
  std::string expected;
  for (const int threads : {1, 2, 7}) {
    JobOptions options = WithoutCache();
    options.threads = threads;
    const auto job = Open(options);
    const std::string bytes =
        EncodeTables(job->RunAll(std::vector<Request>{{&Second(), {}}, {&Derived(), {}}}).value());
    if (expected.empty()) expected = bytes;
    EXPECT_EQ(bytes, expected) << threads;
  }
}

TEST_F(JobTest, ARecordingIsKnownByItsContent) {
  WriteRanks(2);
  const std::string before = Open(WithoutCache())->context().captures[1].content;
  EXPECT_EQ(before.size(), 32U);
  fs::copy_file(PathOf(1), folder_ + "/traces/another.json");
  const auto job = Open(WithoutCache());
  ASSERT_EQ(job->context().captures.size(), 3U);
  EXPECT_NE(job->context().captures[0].content, before);
  EXPECT_EQ(job->context().captures[1].content, before);
  EXPECT_EQ(job->context().captures[2].content, before);
}

TEST_F(JobTest, AFileThatVanishesLaterCostsItsRank) {
  WriteRanks(3);
  const auto job = Open(WithoutCache(), {{&First(), {}}});
  fs::remove(PathOf(1));
  EXPECT_EQ(CsvOf(*job, {&Second(), {}}), "0,100\n2,102\n");
  ASSERT_EQ(job->Lost().size(), 1U);
  EXPECT_THAT(job->Lost()[0].second.message(), HasSubstr("rank1.json"));
  // What was mapped before leaves it out, too, from now on: tables of one report agree.
  EXPECT_EQ(CsvOf(*job, {&First(), {}}), "0,100\n2,102\n");
}

TEST_F(JobTest, AFileThatChangesLaterCostsItsRank) {
  WriteRanks(3);
  const auto job = Open(WithoutCache(), {{&First(), {}}});
  Write(1, 50);
  EXPECT_EQ(CsvOf(*job, {&Second(), {}}), "0,100\n2,102\n");
  ASSERT_EQ(job->Lost().size(), 1U);
  EXPECT_THAT(job->Lost()[0].second.message(), HasSubstr("changed"));
}

TEST_F(JobTest, WithoutAnyFileLeftItSaysWhy) {
  WriteRanks(2);
  const auto job = Open(WithoutCache(), {{&First(), {}}});
  fs::remove_all(folder_ + "/traces");
  EXPECT_THAT(CsvOf(*job, {&Second(), {}}), HasSubstr(".json"));
}

TEST_F(JobTest, AnUnusableFileIsNamedAndTheRestAnalysed) {
  WriteRanks(2);
  std::ofstream(folder_ + "/traces/broken.json") << "no trace";
  const auto job = Open(WithCache());
  ASSERT_EQ(job->context().unreadable.size(), 1U);
  EXPECT_THAT(job->context().unreadable[0].first, HasSubstr("broken.json"));
  EXPECT_EQ(CsvOf(*job, {&First(), {}}), "0,100\n1,101\n");
}

TEST_F(JobTest, WhatIsLeftOutIsNotReadAndTold) {
  WriteRanks(2);
  JobOptions options = WithoutCache();
  const std::string left = FindTraceFiles({folder_ + "/traces"})->paths.front();
  options.left_out = {{left, Error(StatusCode::kResource, "it ended its process")},
                      {folder_ + "/nowhere.json", Error(StatusCode::kResource, "nobody asks")}};
  const auto job = Open(options);
  ASSERT_EQ(job->context().unreadable.size(), 1U);
  EXPECT_EQ(job->context().unreadable[0].first, left);
  EXPECT_EQ(CsvOf(*job, {&First(), {}}), "1,101\n");
  // Where nothing else is left, that is why.
  options.left_out.emplace_back(FindTraceFiles({folder_ + "/traces"})->paths.back(),
                                Error(StatusCode::kResource, "this one, too"));
  const auto none = Job::Open({folder_ + "/traces"}, options);
  EXPECT_EQ(none.status().message(), "it ended its process");
}

TEST_F(JobTest, SeveralThreadsAskAtOnce) {
  WriteRanks(5);
  for (const std::uint64_t limit : {0U, 1U << 20}) {
    fs::remove_all(folder_ + "/cache");
    const auto job = Open(WithCache(limit));
    const std::string expected = "0,100\n1,101\n2,102\n3,103\n4,104\n";
    ParallelFor(12, 4, [&](std::size_t i) {
      if (i % 3 == 0) {
        EXPECT_EQ(CsvOf(*job, {&First(), {}}), expected);
      } else if (i % 3 == 1) {
        EXPECT_EQ(CsvOf(*job, {&Second(), {{"more", "0"}}}), expected);
      } else {
        const Result<Table> sums = job->Run({&Derived(), {}});
        ASSERT_TRUE(sums.ok());
        EXPECT_EQ(rankscope::Rows(*sums, {"by_fact", "by_table"}), "510,510\n");
        EXPECT_TRUE(job->OpenTrace(i % 5).ok());
      }
    });
  }
}

TEST_F(JobTest, JobsShareACacheThatIsTooSmall) {
  WriteRanks(4);
  ParallelFor(6, 3, [&](std::size_t) {
    const auto job = Open(WithCache(10'000), {{&First(), {}}});
    EXPECT_THAT(CsvOf(*job, {&First(), {}}), HasSubstr("0,100\n1,101\n"));
    EXPECT_THAT(CsvOf(*job, {&Second(), {}}), HasSubstr("0,100\n1,101\n"));
  });
}

TEST_F(JobTest, AKilledProcessLeavesACacheThatWorks) {
  WriteRanks(4);
  const JobOptions options = WithCache();
  for (int round = 0; round < 5; ++round) {
    int started[2];
    ASSERT_EQ(pipe(started), 0);
    const pid_t child = fork();
    if (child == 0) {
      JobOptions alone = options;
      alone.threads = 1;
      for (int more = 0;; ++more) {
        if (more == round) (void)!write(started[1], "x", 1);
        const auto job = Open(alone, {{&First(), {{"more", std::to_string(more)}}}});
        job->OpenTrace(0).value();
      }
    }
    char byte = 0;
    ASSERT_EQ(read(started[0], &byte, 1), 1);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    close(started[0]);
    close(started[1]);
    const auto job = Open(options, {{&Second(), {}}});
    EXPECT_THAT(CsvOf(*job, {&Second(), {}}), HasSubstr("3,103\n"));
  }
}

TEST_F(JobTest, MapsOfOneFileRunSideBySide) {
  Write(0, 100);
  std::mutex mutex;
  std::condition_variable came;
  int inside = 0;
  // Each waits for the other, or gives up.
  TheHooks().in_map = [&] {
    std::unique_lock lock(mutex);
    ++inside;
    came.notify_all();
    came.wait_for(lock, kTestLimit, [&] { return inside >= 2; });
  };
  Open(WithoutCache(), {{&First(), {}}, {&Second(), {}}});
  EXPECT_EQ(TheHooks().most_inside, 2);
}

TEST_F(JobTest, WorkersFollowMemory) {
  WriteRanks(6);
  JobOptions options = WithoutCache();
  options.threads = 4;
  options.memory_bytes = 1;
  const auto job = Open(options, {{&First(), {}}});
  EXPECT_EQ(TheHooks().most_inside, 1);
  EXPECT_EQ(TheHooks().maps, 6);
}

TEST_F(JobTest, APartialThatDoesNotFitItsSchemaIsMadeAnew) {
  WriteRanks(1);
  Open(WithCache(), {{&First(), {}}});
  // Another version of the mapper left other columns under the same name.
  Analysis other = CountingAnalysis("first");
  other.mapper.tables = {{{"rows"}, {"other"}}};
  other.mapper.map = [](const TraceFacts&, const MapOptions&) {
    Table table("counted", {{"rows"}, {"other"}});
    table.AddRow({std::int64_t{1}, std::int64_t{2}});
    return std::vector<Table>{table};
  };
  other.reducer = [](const Options& options) { return First().reducer(options); };
  fs::remove_all(folder_ + "/cache");
  Open(WithCache(), {{&other, {}}});
  EXPECT_EQ(TheHooks().maps, 1);
  const auto job = Open(WithCache(), {{&First(), {}}});
  EXPECT_EQ(CsvOf(*job, {&First(), {}}), "0,100\n");
  EXPECT_EQ(TheHooks().maps, 2);
}

TEST_F(JobTest, WhatARunUsesIsNotForgotten) {
  WriteRanks(1);
  const auto job = Open(WithCache(), {{&First(), {}}});
  for (int more = 1; more < 300; ++more)
    EXPECT_TRUE(job->Run({&Second(), {{"more", std::to_string(more)}}}).ok());
  const int maps = TheHooks().maps;
  EXPECT_EQ(CsvOf(*job, {&Second(), {{"more", "1"}}}), "0,101\n");
  EXPECT_EQ(CsvOf(*job, {&First(), {}}), "0,100\n");
  EXPECT_EQ(TheHooks().maps, maps);
}

TEST_F(JobTest, StopsWhenProgressSaysSo) {
  WriteRanks(3);
  JobOptions options = WithoutCache();
  options.progress = [](const Progress&) { return false; };
  EXPECT_EQ(Job::Open({folder_ + "/traces"}, options, {}).status().code(), StatusCode::kCancelled);
}

TEST_F(JobTest, WhatProgressStoppedCanBeAskedAgain) {
  WriteRanks(3);
  const auto job = Open(WithoutCache(), {});
  int told = 0;
  job->ReportTo([&](const Progress&) {
    ++told;
    return false;
  });
  EXPECT_EQ(job->Run({&First(), {}}).status().code(), StatusCode::kCancelled);
  EXPECT_GT(told, 0);
  job->ReportTo({});
  const auto table = job->Run({&First(), {}});
  ASSERT_TRUE(table.ok()) << table.status().message();
  EXPECT_EQ(table->row_count(), 3U);
  EXPECT_TRUE(job->Lost().empty());
}

}  // namespace
}  // namespace rankscope
