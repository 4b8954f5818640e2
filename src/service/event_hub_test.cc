#include "service/event_hub.h"

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

}  // namespace
}  // namespace rankscope::service
