#include "cli/job/statements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rankscope::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(StatementsTest, EachEndsWithItsSemicolon) {
  const Statements statements = SplitStatements("SELECT 1;;\n SELECT 2 ;FROM k");
  EXPECT_THAT(statements.complete, ElementsAre("SELECT 1;", "\n SELECT 2 ;"));
  EXPECT_EQ(statements.rest, "FROM k");
}

TEST(StatementsTest, QuotesAndCommentsHideSemicolons) {
  for (const char* sql :
       {"SELECT ';'", "SELECT 'it''s; so'", "SELECT \"a;b\"", "SELECT 1 -- ;",
        "SELECT /* ; /* ; */ ; */ 1", "SELECT $$a;b$$", "SELECT $x$a;$$;b$x$", "SELECT a$b"}) {
    EXPECT_THAT(SplitStatements(sql).complete, IsEmpty()) << sql;
    EXPECT_EQ(SplitStatements(sql).rest, sql);
    const std::string ended = std::string(sql) + "\n;";
    EXPECT_THAT(SplitStatements(ended).complete, ElementsAre(ended));
    EXPECT_EQ(SplitStatements(ended).rest, "");
  }
}

TEST(StatementsTest, WhatIsOpenWaitsForMore) {
  for (const char* sql : {"SELECT ';", "SELECT \";", "SELECT /* ;", "SELECT $$;", "SELECT $a$;$$"})
    EXPECT_THAT(SplitStatements(sql).complete, IsEmpty()) << sql;
}

TEST(StatementsTest, DollarInsideAWordQuotesNothing) {
  EXPECT_THAT(SplitStatements("SELECT a$$;").complete, ElementsAre("SELECT a$$;"));
  EXPECT_THAT(SplitStatements("SELECT $1;").complete, ElementsAre("SELECT $1;"));
}

}  // namespace
}  // namespace rankscope::cli
