#include "contract/field_options.h"

#include <gtest/gtest.h>

namespace rankscope {
namespace {

struct Greeting {
  std::string name;
  std::string tone = "warm";
  std::int64_t how_often = 3;
  double pause = 0.5;
  bool aloud = false;
  std::vector<std::int64_t> rooms;
};

}  // namespace

namespace json {

template <>
const Fields<Greeting>& FieldsOf() {
  static constexpr std::string_view kTones[] = {"warm", "cold"};
  static const Fields<Greeting> fields =
      Fields<Greeting>("Greeting", "", Use::kRequest)
          .Add<&Greeting::name>({.name = "name", .doc = "whom to greet", .is_required = true})
          .Add<&Greeting::tone>({.name = "tone", .words = kTones})
          .Add<&Greeting::how_often>({.name = "how_often", .least = 1, .most = 9})
          .Add<&Greeting::pause>({.name = "pause", .least = 0, .most = 2})
          .Add<&Greeting::aloud>({.name = "aloud"})
          .Add<&Greeting::rooms>({.name = "rooms"});
  return fields;
}

}  // namespace json

namespace {

TEST(FieldOptions, SayWhatTheFieldSays) {
  Greeting greeting;
  CommandSpec command("greet", "say hello");
  const CommandOption& name = AddField(command, greeting, "name");
  EXPECT_EQ(name.names, "--name");
  EXPECT_EQ(name.about, "whom to greet");
  EXPECT_TRUE(name.is_required);
  EXPECT_EQ(name.default_text, "");
  const CommandOption& often = AddField(command, greeting, "how_often");
  EXPECT_EQ(often.names, "--how-often");
  EXPECT_EQ(often.default_text, "3");
  EXPECT_EQ(std::get<IntegerRange>(often.check).least, 1);
  EXPECT_EQ(std::get<IntegerRange>(often.check).most, 9);
  EXPECT_EQ(std::get<std::int64_t*>(often.target), &greeting.how_often);
  const CommandOption& tone = AddField(command, greeting, "tone");
  EXPECT_EQ(tone.words, (std::vector<std::string>{"warm", "cold"}));
  EXPECT_EQ(tone.default_text, "warm");
  EXPECT_EQ(std::get<RealRange>(AddField(command, greeting, "pause").check).most, 2);
  EXPECT_TRUE(AddField(command, greeting, "aloud").is_flag);
  const CommandOption& rooms = AddField(command, greeting, "rooms");
  EXPECT_EQ(rooms.separator, ',');
  EXPECT_EQ(std::get<std::vector<std::int64_t>*>(rooms.target), &greeting.rooms);
}

}  // namespace
}  // namespace rankscope
