// rankscope.h as a caller meets it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "app/small_job_for_test.h"
#include "capi/rankscope.h"

namespace {

using ::testing::HasSubstr;

struct Told {
  std::vector<std::string> notices;
  int readings = 0;
};

void Note(void* user, const char* sentence) {
  static_cast<Told*>(user)->notices.emplace_back(sentence);
}
void Progress(void* user, const rankscope_progress* progress) {
  EXPECT_LE(progress->files_done, progress->files);
  ++static_cast<Told*>(user)->readings;
}

class InterfaceTest : public rankscope::app::SmallJobTest {
 protected:
  void SetUp() override {
    SmallJobTest::SetUp();
    path_ = folder_.string();
  }
  void TearDown() override {
    rankscope_close(job_);
    SmallJobTest::TearDown();
  }

  rankscope_status Open(const rankscope_call* call = nullptr) {
    const char* const paths[] = {path_.c_str()};
    const rankscope_option options[] = {{"no_cache", "1"}, {"jobs", "1"}};
    return rankscope_open(paths, 1, options, 2, call, &job_);
  }
  std::uint64_t RowsOf(const char* name, const rankscope_call* call = nullptr) {
    rankscope_table* table = nullptr;
    EXPECT_EQ(rankscope_job_table(job_, name, nullptr, 0, call, &table), RANKSCOPE_OK)
        << rankscope_last_error();
    const std::uint64_t rows = rankscope_table_row_count(table);
    rankscope_table_free(table);
    return rows;
  }

  std::string path_;
  rankscope_job* job_ = nullptr;
};

TEST_F(InterfaceTest, Versions) {
  EXPECT_EQ(rankscope_abi_version(), std::uint32_t{RANKSCOPE_ABI_VERSION});
  EXPECT_THAT(rankscope_version(), HasSubstr("."));
}

TEST_F(InterfaceTest, TablesOutliveTheirJob) {
  ASSERT_EQ(Open(), RANKSCOPE_OK) << rankscope_last_error();
  rankscope_table* table = nullptr;
  ASSERT_EQ(rankscope_job_table(job_, "step_times", nullptr, 0, nullptr, &table), RANKSCOPE_OK);
  rankscope_close(job_);
  job_ = nullptr;
  EXPECT_EQ(rankscope_table_row_count(table), 4U);
  ArrowArrayStream stream{};
  ASSERT_EQ(rankscope_table_stream(table, 0, &stream), RANKSCOPE_OK);
  rankscope_table_free(table);
  ArrowArray batch{};
  EXPECT_EQ(stream.get_next(&stream, &batch), 0);
  stream.release(&stream);
  EXPECT_EQ(batch.length, 4);
  batch.release(&batch);
}

TEST_F(InterfaceTest, OptionsOfATable) {
  ASSERT_EQ(Open(), RANKSCOPE_OK);
  rankscope_table* table = nullptr;
  const rankscope_option one[] = {{"top", "1"}};
  ASSERT_EQ(rankscope_job_table(job_, "kernels_by_name", one, 1, nullptr, &table), RANKSCOPE_OK)
      << rankscope_last_error();
  EXPECT_EQ(rankscope_table_row_count(table), 1U);
  rankscope_table_free(table);
  table = nullptr;
  const rankscope_option none[] = {{"tpo", "1"}};
  EXPECT_EQ(rankscope_job_table(job_, "kernels_by_name", none, 1, nullptr, &table),
            RANKSCOPE_INVALID_ARGUMENT);
  EXPECT_EQ(table, nullptr);
}

TEST_F(InterfaceTest, Query) {
  ASSERT_EQ(Open(), RANKSCOPE_OK);
  const auto ask = [&](const char* sql) {
    rankscope_table* table = nullptr;
    EXPECT_EQ(rankscope_job_query(job_, sql, nullptr, 0, nullptr, &table), RANKSCOPE_OK)
        << rankscope_last_error();
    const std::uint64_t rows = rankscope_table_row_count(table);
    rankscope_table_free(table);
    return rows;
  };
  EXPECT_EQ(ask("SELECT * FROM kernels"), 4U);
  // What statements create stays.
  ask("CREATE TABLE kept AS SELECT 1 AS one");
  EXPECT_EQ(ask("SELECT * FROM kept"), 1U);
  rankscope_table* table = nullptr;
  EXPECT_EQ(rankscope_job_query(job_, "SELEKT 1", nullptr, 0, nullptr, &table),
            RANKSCOPE_INVALID_ARGUMENT);
  const rankscope_option select_only[] = {{"select_only", "1"}};
  EXPECT_EQ(rankscope_job_query(job_, "CREATE TABLE t (a INT)", select_only, 1, nullptr, &table),
            RANKSCOPE_INVALID_ARGUMENT);
  EXPECT_EQ(table, nullptr);
}

TEST_F(InterfaceTest, Reports) {
  ASSERT_EQ(Open(), RANKSCOPE_OK);
  for (const auto& [format, part] : std::vector<std::pair<const char*, const char*>>{
           {"json", R"("schema":"rankscope.report/1")"},
           {"text", "2 ranks"},
           {"full", "2 ranks"},
           {"markdown", "2 ranks"},
           {"html", "<html"},
           {"view", "{"}}) {
    char* text = nullptr;
    std::size_t size = 0;
    ASSERT_EQ(rankscope_job_report(job_, format, nullptr, &text, &size), RANKSCOPE_OK) << format;
    EXPECT_NE(std::string_view(text).find(part), std::string_view::npos) << format;
    EXPECT_EQ(std::string(text).size(), size);
    rankscope_text_free(text);
  }
  char* text = nullptr;
  ASSERT_EQ(rankscope_job_findings(job_, nullptr, &text, nullptr), RANKSCOPE_OK);
  EXPECT_THAT(std::string(text), HasSubstr(R"("not_evaluated":[)"));
  rankscope_text_free(text);
  ASSERT_EQ(rankscope_job_info(job_, &text, nullptr), RANKSCOPE_OK);
  EXPECT_STREQ(text, R"({"recordings":2,"ranks":[0,1],"ranks_are_stated":true})");
  rankscope_text_free(text);
  text = nullptr;
  EXPECT_EQ(rankscope_job_report(job_, "pdf", nullptr, &text, nullptr), RANKSCOPE_INVALID_ARGUMENT);
  EXPECT_THAT(rankscope_last_error(), HasSubstr("no report format 'pdf'"));
  EXPECT_EQ(text, nullptr);
}

TEST_F(InterfaceTest, TwoJobs) {
  ASSERT_EQ(Open(), RANKSCOPE_OK);
  rankscope_job* const base = job_;
  job_ = nullptr;
  ASSERT_EQ(Open(), RANKSCOPE_OK);
  for (rankscope_job* other : {base, job_}) {  // with another one, and with itself
    char* text = nullptr;
    ASSERT_EQ(rankscope_diff(job_, other, "json", nullptr, &text, nullptr), RANKSCOPE_OK)
        << rankscope_last_error();
    EXPECT_THAT(std::string(text), HasSubstr(R"("schema":"rankscope.diff/1")"));
    rankscope_text_free(text);
  }
  for (const char* name : {"diff_ops", "hta.trace_diff"}) {
    rankscope_table* table = nullptr;
    EXPECT_EQ(rankscope_diff_table(base, job_, name, nullptr, &table), RANKSCOPE_OK)
        << rankscope_last_error();
    rankscope_table_free(table);
  }
  rankscope_table* table = nullptr;
  EXPECT_EQ(rankscope_diff_table(base, job_, "diff_opps", nullptr, &table),
            RANKSCOPE_INVALID_ARGUMENT);
  EXPECT_THAT(rankscope_last_error(), HasSubstr("diff_ops"));
  rankscope_close(base);
}

TEST_F(InterfaceTest, WhatIf) {
  ASSERT_EQ(Open(), RANKSCOPE_OK);
  const char* const changes[] = {"no such change"};
  rankscope_table* table = nullptr;
  EXPECT_EQ(rankscope_job_what_if(job_, changes, 1, nullptr, &table), RANKSCOPE_INVALID_ARGUMENT);
  EXPECT_EQ(rankscope_job_what_if(job_, changes, 0, nullptr, &table), RANKSCOPE_INVALID_ARGUMENT);
  EXPECT_EQ(table, nullptr);
}

TEST_F(InterfaceTest, WhatThereIs) {
  char* text = nullptr;
  ASSERT_EQ(rankscope_catalog(&text, nullptr), RANKSCOPE_OK);
  EXPECT_THAT(std::string(text), HasSubstr(R"("name":"step_times")"));
  rankscope_text_free(text);
  ASSERT_EQ(rankscope_explain("host-sync", &text, nullptr), RANKSCOPE_OK);
  EXPECT_THAT(std::string(text), HasSubstr("host-sync"));
  rankscope_text_free(text);
  text = nullptr;
  EXPECT_EQ(rankscope_explain("host-sink", &text, nullptr), RANKSCOPE_INVALID_ARGUMENT);
  EXPECT_EQ(text, nullptr);
}

TEST_F(InterfaceTest, TellsHowFarItIsAndWhatWasLeftOut) {
  std::ofstream(folder_ / "broken.json.gz") << "\x1f\x8bnothing";
  Told told;
  rankscope_call call{};
  call.size = sizeof(call);
  call.user = &told;
  call.on_progress = Progress;
  call.on_notice = Note;
  ASSERT_EQ(Open(&call), RANKSCOPE_OK) << rankscope_last_error();
  EXPECT_GT(told.readings, 0);
  ASSERT_EQ(told.notices.size(), 1U);
  EXPECT_THAT(told.notices[0], HasSubstr("broken.json.gz"));
}

TEST_F(InterfaceTest, CanBeStoppedAndAskedAgain) {
  rankscope_cancel* cancel = nullptr;
  ASSERT_EQ(rankscope_cancel_new(&cancel), RANKSCOPE_OK);
  rankscope_cancel_set(cancel);
  rankscope_call call{};
  call.size = sizeof(call);
  call.cancel = cancel;
  EXPECT_EQ(Open(&call), RANKSCOPE_CANCELLED);
  EXPECT_EQ(job_, nullptr);
  rankscope_cancel_clear(cancel);
  ASSERT_EQ(Open(&call), RANKSCOPE_OK);

  // Stopped while it reads: the first thing that it tells stops it.
  call.user = cancel;
  call.on_progress = [](void* user, const rankscope_progress*) {
    rankscope_cancel_set(static_cast<rankscope_cancel*>(user));
  };
  rankscope_table* table = nullptr;
  EXPECT_EQ(rankscope_job_table(job_, "kernels_by_name", nullptr, 0, &call, &table),
            RANKSCOPE_CANCELLED);
  EXPECT_EQ(table, nullptr);
  // Nothing is lost by that.
  Told told;
  rankscope_call again{};
  again.size = sizeof(again);
  again.user = &told;
  again.on_notice = Note;
  EXPECT_EQ(RowsOf("kernels_by_name", &again), 1U);
  EXPECT_TRUE(told.notices.empty());
  EXPECT_EQ(RowsOf("step_times"), 4U);
  rankscope_cancel_free(cancel);
}

TEST_F(InterfaceTest, AStatementCanBeStopped) {
  ASSERT_EQ(Open(), RANKSCOPE_OK);
  rankscope_cancel* cancel = nullptr;
  ASSERT_EQ(rankscope_cancel_new(&cancel), RANKSCOPE_OK);
  rankscope_call call{};
  call.size = sizeof(call);
  call.cancel = cancel;
  std::atomic<rankscope_status> ended{-1};
  std::thread asking([&] {
    rankscope_table* table = nullptr;
    ended = rankscope_job_query(
        job_, "SELECT sum(a.range * b.range) FROM range(4000000) a, range(4000000) b", nullptr, 0,
        &call, &table);
  });
  rankscope_cancel_set(cancel);
  asking.join();
  EXPECT_EQ(ended, RANKSCOPE_CANCELLED);
  rankscope_cancel_free(cancel);
}

TEST_F(InterfaceTest, SeveralThreadsAsk) {
  ASSERT_EQ(Open(), RANKSCOPE_OK);
  std::vector<std::thread> threads;
  std::atomic<std::uint64_t> rows{0};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 5; ++k) rows += RowsOf("step_times");
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(rows, 80U);
}

TEST_F(InterfaceTest, ErrorsAreOfTheirThread) {
  const char* const paths[] = {"/no/such/folder"};
  EXPECT_EQ(rankscope_open(paths, 1, nullptr, 0, nullptr, &job_), RANKSCOPE_NOT_FOUND);
  EXPECT_THAT(rankscope_last_error(), HasSubstr("/no/such/folder"));
  std::thread([] { EXPECT_STREQ(rankscope_last_error(), ""); }).join();
}

TEST_F(InterfaceTest, WhatIsMissingIsSaid) {
  const char* const paths[] = {path_.c_str(), nullptr};
  EXPECT_EQ(rankscope_open(paths, 1, nullptr, 0, nullptr, nullptr), RANKSCOPE_INVALID_ARGUMENT);
  EXPECT_STREQ(rankscope_last_error(), "the argument job is NULL");
  EXPECT_EQ(rankscope_open(paths, 2, nullptr, 0, nullptr, &job_), RANKSCOPE_INVALID_ARGUMENT);
  EXPECT_EQ(rankscope_open(nullptr, 1, nullptr, 0, nullptr, &job_), RANKSCOPE_INVALID_ARGUMENT);
  EXPECT_EQ(rankscope_open(paths, 0, nullptr, 0, nullptr, &job_), RANKSCOPE_INVALID_ARGUMENT);
  for (const rankscope_option option :
       {rankscope_option{"rnaks", "0"}, rankscope_option{"ranks", "x"},
        rankscope_option{"jobs", "0"}, rankscope_option{"jobs", "two"},
        rankscope_option{"no_cache", "maybe"}, rankscope_option{"capture", "1,2"},
        rankscope_option{"ranks", nullptr}, rankscope_option{nullptr, "1"}}) {
    EXPECT_EQ(rankscope_open(paths, 1, &option, 1, nullptr, &job_), RANKSCOPE_INVALID_ARGUMENT);
  }
  const rankscope_option misspelled{"rnaks", "0"};
  rankscope_open(paths, 1, &misspelled, 1, nullptr, &job_);
  EXPECT_STREQ(rankscope_last_error(), "there is no option 'rnaks'; did you mean ranks?");
  const rankscope_call without_size{};
  EXPECT_EQ(Open(&without_size), RANKSCOPE_INVALID_ARGUMENT);
  EXPECT_EQ(job_, nullptr);
  EXPECT_EQ(rankscope_job_table(nullptr, "a", nullptr, 0, nullptr, nullptr),
            RANKSCOPE_INVALID_ARGUMENT);
  EXPECT_EQ(rankscope_table_stream(nullptr, 0, nullptr), RANKSCOPE_INVALID_ARGUMENT);
  EXPECT_EQ(rankscope_table_row_count(nullptr), 0U);
  rankscope_close(nullptr);
  rankscope_table_free(nullptr);
  rankscope_text_free(nullptr);
  rankscope_cancel_free(nullptr);
  rankscope_cancel_set(nullptr);
}

TEST_F(InterfaceTest, AFlagThatIsUnknownIsRefused) {
  ASSERT_EQ(Open(), RANKSCOPE_OK);
  rankscope_table* table = nullptr;
  ASSERT_EQ(rankscope_job_table(job_, "step_times", nullptr, 0, nullptr, &table), RANKSCOPE_OK);
  ArrowArrayStream stream{};
  EXPECT_EQ(rankscope_table_stream(table, 2, &stream), RANKSCOPE_INVALID_ARGUMENT);
  EXPECT_EQ(stream.release, nullptr);
  ArrowSchema schema{};
  EXPECT_EQ(rankscope_table_schema(table, RANKSCOPE_TEXT_AS_DICTIONARY, &schema), RANKSCOPE_OK);
  schema.release(&schema);
  rankscope_table_free(table);
}

}  // namespace
