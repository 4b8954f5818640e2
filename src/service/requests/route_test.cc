#include "service/requests/route.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <set>
#include <vector>

#include "json/reader.h"
#include "json/schema.h"
#include "service/service.h"

namespace rankscope::service {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

RouteTable Table(std::initializer_list<std::pair<std::string_view, std::string_view>> routes) {
  std::vector<Route> all;
  for (const auto& [method, pattern] : routes)
    all.push_back({.method = method, .pattern = pattern});
  return RouteTable(std::move(all));
}

TEST(RouteTable, TakesArgumentsAndTheRest) {
  const RouteTable table = Table(
      {{"GET", "/runs/{id}"}, {"GET", "/runs/{id}/files"}, {"PUT", "/runs/{id}/files/{name...}"}});
  const Match file = table.Find("PUT", "/runs/12/files/a/b c");
  ASSERT_NE(file.route, nullptr);
  EXPECT_THAT(file.arguments, ElementsAre("12", "a/b c"));
  EXPECT_EQ(table.Find("GET", "/runs/12/files").route->pattern, "/runs/{id}/files");
  EXPECT_EQ(table.Find("GET", "/runs/12/nothing").route, nullptr);
  EXPECT_EQ(table.Find("GET", "/runs/").route->pattern, "/runs/{id}");
}

TEST(RouteTable, KnowsMethods) {
  const RouteTable table = Table(
      {{"POST", "/runs"}, {"GET", "/runs"}, {"HEAD", "/file/{name}"}, {"GET", "/file/{name}"}});
  const Match wrong = table.Find("PUT", "/runs");
  EXPECT_EQ(wrong.route, nullptr);
  EXPECT_EQ(wrong.allowed, "POST, GET");
  EXPECT_EQ(table.Find("HEAD", "/runs").route->method, "GET");
  EXPECT_EQ(table.Find("HEAD", "/file/x").route->method, "HEAD");
}

// All routes of a server.
class AllRoutes : public ::testing::Test {
 protected:
  AllRoutes() : folder_(mkdtemp(name_)) {
    ServiceOptions options{.data_folder = folder_ + "/data"};
    options.http.port = 0;
    auto service = Service::Start(std::move(options));
    EXPECT_TRUE(service.ok()) << service.status().message();
    service_ = std::move(*service);
  }
  ~AllRoutes() override {
    service_.reset();
    std::filesystem::remove_all(folder_);
  }
  std::span<const Route> routes() const { return service_->routes().routes(); }

 private:
  char name_[32] = "/tmp/rankscope_routes_XXXXXX";
  const std::string folder_;
  std::unique_ptr<Service> service_;
};

TEST_F(AllRoutes, AreEachThereOnceAndSayWhatTheyAre) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const Route& route : routes()) {
    EXPECT_TRUE(seen.emplace(route.method, route.pattern).second) << route.pattern;
    EXPECT_FALSE(route.summary.empty()) << route.pattern;
    EXPECT_NE(static_cast<bool>(route.answer), static_cast<bool>(route.receive)) << route.pattern;
    // What changes something takes more than the right to read; what a body says is read.
    const bool changes = route.method != "GET" && route.method != "HEAD";
    const bool computes = route.pattern.ends_with("/query") || route.pattern.ends_with("/whatif") ||
                          route.pattern.ends_with("/session") || route.pattern.ends_with("/shares");
    EXPECT_TRUE(!changes || computes || route.role >= Role::kUpload) << route.pattern;
    // What changes something is told to the audit log; but for what comes all the time (files of a
    // run, numbers of a job, agents) or answers alone.
    const bool is_file =
        route.pattern.ends_with("/direct/{name...}") || route.pattern.ends_with("/sent/{name...}");
    const bool is_told_otherwise = computes || is_file || route.pattern.ends_with("/mcp") ||
                                   route.pattern.ends_with("/metrics") ||
                                   route.pattern == "/api/v1/hosts" || route.receive != nullptr;
    EXPECT_TRUE(!changes || is_told_otherwise || !route.act.empty()) << route.pattern;
    EXPECT_TRUE(route.act.empty() || (changes && route.answer)) << route.pattern;
    EXPECT_EQ(route.takes == nullptr, route.most_body == 0) << route.pattern;
    // What an answer holds is declared: its type, or the media types that it may have.
    const bool has_content = route.statuses != "204" && route.statuses != "303";
    EXPECT_EQ((route.gives != nullptr) + !route.sends.empty(), has_content ? 1 : 0)
        << route.method << " " << route.pattern;
  }
}

TEST_F(AllRoutes, SayWhatEachFieldIs) {
  std::vector<const json::FieldList*> lists;
  for (const Route& route : routes()) {
    if (route.takes != nullptr) lists.push_back(route.takes);
    if (route.gives != nullptr) lists.push_back(route.gives);
  }
  for (const json::FieldList* const list : json::WithNested(lists)) {
    EXPECT_FALSE(list->doc().empty()) << list->name();
    for (const json::Field& field : list->fields())
      EXPECT_FALSE(field.doc.empty()) << list->name() << ": " << field.name;
  }
}

TEST_F(AllRoutes, MakeAnOpenApiDocument) {
  const std::string text = OpenApi(routes(), "1.2.3");
  const Result<json::Reader> document = json::Reader::Parse(text);
  ASSERT_TRUE(document.ok()) << text;
  std::size_t operations = 0;
  for (const json::Member& path : document->root()["paths"].Members())
    operations += path.value.Members().size();
  EXPECT_EQ(operations, routes().size());
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
