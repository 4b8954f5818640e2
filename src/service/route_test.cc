#include "service/route.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "json/reader.h"

namespace rankscope::service {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(FindRoute, TakesArgumentsAndTheRest) {
  const Match file = FindRoute(AllRoutes(), "PUT", "/api/v1/runs/12/files/a/b c");
  ASSERT_NE(file.route, nullptr);
  EXPECT_THAT(file.arguments, ElementsAre("12", "a/b c"));
  EXPECT_EQ(FindRoute(AllRoutes(), "GET", "/api/v1/runs/12/files").route->pattern,
            "/api/v1/runs/{id}/files");
  EXPECT_EQ(FindRoute(AllRoutes(), "GET", "/api/v1/runs/12/nothing").route, nullptr);
  EXPECT_EQ(FindRoute(AllRoutes(), "GET", "/api/v1/runs/").route->pattern, "/api/v1/runs/{id}");
}

TEST(FindRoute, KnowsMethods) {
  const Match wrong = FindRoute(AllRoutes(), "PUT", "/api/v1/runs");
  EXPECT_EQ(wrong.route, nullptr);
  EXPECT_EQ(wrong.allowed, "POST, GET");
  EXPECT_EQ(FindRoute(AllRoutes(), "HEAD", "/healthz").route->pattern, "/healthz");
  EXPECT_EQ(FindRoute(AllRoutes(), "HEAD", "/api/v1/runs/1/files/x").route->method, "HEAD");
}

TEST(AllRoutes, AreEachThereOnceAndSayWhatTheyAre) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const Route& route : AllRoutes()) {
    EXPECT_TRUE(seen.emplace(route.method, route.pattern).second) << route.pattern;
    EXPECT_FALSE(route.summary.empty()) << route.pattern;
    // What changes something takes more than the right to read; what a body says is read.
    const bool changes = route.method != "GET" && route.method != "HEAD";
    const bool computes = route.pattern.ends_with("/query") || route.pattern.ends_with("/whatif") ||
                          route.pattern.ends_with("/session") || route.pattern.ends_with("/shares");
    EXPECT_TRUE(!changes || computes || route.role >= Role::kUpload) << route.pattern;
    EXPECT_EQ(route.body.empty() && route.takes == nullptr, route.most_body == 0) << route.pattern;
  }
}

TEST(OpenApi, IsADocumentOfAllRoutes) {
  const std::string text = OpenApi(AllRoutes(), "1.2.3");
  const Result<json::Reader> document = json::Reader::Parse(text);
  ASSERT_TRUE(document.ok()) << text;
  std::size_t operations = 0;
  for (const json::Member& path : document->root()["paths"].Members())
    operations += path.value.Members().size();
  EXPECT_EQ(operations, AllRoutes().size());
  EXPECT_THAT(text, HasSubstr("/api/v1/runs/{id}/files/{name}"));
  // What is referred to is there.
  constexpr std::string_view kReference = "\"#/components/schemas/";
  for (std::size_t at = text.find(kReference); at != std::string::npos;
       at = text.find(kReference, at + 1)) {
    const std::size_t begin = at + kReference.size();
    const std::string name = text.substr(begin, text.find('"', begin) - begin);
    EXPECT_TRUE(document->root()["components"]["schemas"][name].IsObject()) << name;
  }
}

}  // namespace
}  // namespace rankscope::service
