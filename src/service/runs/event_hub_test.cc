#include "service/runs/event_hub.h"

#include <gtest/gtest.h>

#include <vector>

namespace rankscope::service {
namespace {

TEST(EventHub, OneClientDoesNotTakeTheOthersPlaces) {
  EventHub hub(1);
  const auto all = [](std::string_view) { return true; };
  std::vector<std::shared_ptr<http::Stream>> streams;
  for (std::size_t i = 0; i < EventHub::kMostOfClient; ++i)
    streams.push_back(hub.Listen("", "greedy", all));
  EXPECT_EQ(hub.Listen("", "greedy", all), nullptr);
  EXPECT_NE(hub.Listen("", "another", all), nullptr);
  streams.pop_back();
  EXPECT_NE(hub.Listen("", "greedy", all), nullptr) << "who leaves makes room";
}

TEST(EventHub, AListenerHearsOfItsTeamsAlone) {
  EventHub hub(1);
  const auto blue = hub.Listen("", "a", [](std::string_view team) { return team == "blue"; });
  hub.Publish("red", "run", "1");
  hub.Publish("blue", "run", "2");
  const std::string text = blue->Take().value();
  EXPECT_EQ(text.find("data: 1"), std::string::npos);
  EXPECT_NE(text.find("data: 2"), std::string::npos);
}

TEST(EventHub, EventsOfAClusterHaveItsNumbers) {
  const auto all = [](std::string_view) { return true; };
  std::string sent;
  EventHub hub(7, 40,
               [&](std::string_view, std::string_view type, std::string_view) { sent += type; });
  const auto stream = hub.Listen("", "a", all);
  hub.Publish("", "capture", "{}");
  EXPECT_EQ(sent, "capture") << "it comes back with a number";
  hub.Put(41, "", "run", "1");
  hub.Put(42, "", "", "");  // nobody hears of it
  hub.Put(43, "", "run", "3");
  hub.Put(43, "", "run", "again");
  const std::string text = stream->Take().value();
  EXPECT_NE(text.find("id: 7-41\nevent: run\ndata: 1"), std::string::npos);
  EXPECT_NE(text.find("id: 7-43\nevent: run\ndata: 3"), std::string::npos);
  EXPECT_EQ(text.find("7-42"), std::string::npos);
  EXPECT_EQ(text.find("again"), std::string::npos);
  // Who saw 42 at another server goes on here.
  EXPECT_EQ(hub.Listen("7-42", "b", all)->Take().value().find("data: 1"), std::string::npos);
  EXPECT_NE(hub.Listen("7-42", "b", all)->Take().value().find("data: 3"), std::string::npos);
  // Who saw 44 and 45 elsewhere hears of neither when they come here.
  const auto ahead = hub.Listen("7-45", "b", all);
  EXPECT_EQ(ahead->Take().value().find("resync"), std::string::npos);
  for (const int number : {44, 45, 46}) hub.Put(number, "", "run", std::to_string(number));
  const std::string next = ahead->Take().value();
  EXPECT_EQ(next.find("data: 45"), std::string::npos);
  EXPECT_NE(next.find("data: 46"), std::string::npos);
  // Where some are missing everybody looks again.
  hub.Put(50, "", "run", "50");
  EXPECT_NE(stream->Take().value().find("event: resync"), std::string::npos);
}

}  // namespace
}  // namespace rankscope::service
