#include "cli/shell/command_tree.h"

#include <gmock/gmock.h>

namespace rankscope::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(CommandTree, ReadsCommandsWithTheirPaths) {
  CommandSpec app("prog", "a program");
  CommandSpec& trace = app.AddCommand("trace", "single files");
  trace.AddCommand("info", "say what is in one").Footer("Example:\n  prog trace info x");
  const Command root = ReadCommandTree(app, {});
  std::vector<std::string> paths;
  for (const Command* command : AllCommands(root)) paths.push_back(command->path);
  EXPECT_THAT(paths, ElementsAre("", "trace", "trace info"));
  EXPECT_EQ(root.name, "prog");
  EXPECT_EQ(root.commands[0].commands[0].about, "say what is in one");
  EXPECT_EQ(root.commands[0].commands[0].footer, "Example:\n  prog trace info x");
}

TEST(CommandTree, ReadsOptions) {
  CommandSpec app("prog", "");
  std::string format = "text";
  std::string output;
  std::vector<std::string> settings;
  bool quiet = false;
  app.AddOption("--format", format, "how").OneOf({"text", "json"}).ShowDefault();
  app.AddOption("-o,--output", output, "").Type("FILE").Required();
  app.AddOption("--set", settings, "").Type("NAME");
  app.AddFlag("--quiet", quiet, "");
  const Command root = ReadCommandTree(app, {{"NAME", {"x", "y"}}});
  ASSERT_EQ(root.options.size(), 6U);
  EXPECT_THAT(root.options[0].names, ElementsAre("-h", "--help"));
  EXPECT_THAT(root.options[1].names, ElementsAre("-V", "--version"));
  EXPECT_EQ(root.options[2].value, "TEXT");
  EXPECT_EQ(root.options[2].default_value, "text");
  EXPECT_EQ(root.options[2].offer, Offer::kWords);
  EXPECT_THAT(root.options[2].words, ElementsAre("text", "json"));
  EXPECT_FALSE(root.options[2].repeats);
  EXPECT_THAT(root.options[3].names, ElementsAre("-o", "--output"));
  EXPECT_EQ(root.options[3].offer, Offer::kFiles);
  EXPECT_TRUE(root.options[3].is_required);
  EXPECT_THAT(root.options[4].words, ElementsAre("x", "y"));
  EXPECT_TRUE(root.options[4].repeats);
  EXPECT_TRUE(root.options[5].is_flag());
  EXPECT_EQ(root.options[5].offer, Offer::kNothing);
}

TEST(CommandTree, PlacesGoByTypeOrName) {
  CommandSpec app("prog", "");
  std::string text;
  std::vector<std::string> paths;
  app.AddOption("SQL", text, "");
  app.AddOption("OUT", text, "").Type("FOLDER");
  app.AddOption("KIND", text, "").Offers({"ddp", "3d"});
  app.AddOption("PATH", paths, "");
  const Command root = ReadCommandTree(app, {});
  ASSERT_EQ(root.places.size(), 4U);
  EXPECT_EQ(root.places[0].offer, Offer::kNothing);
  EXPECT_THAT(root.places[0].words, IsEmpty());
  EXPECT_EQ(root.places[1].offer, Offer::kFolders);
  EXPECT_THAT(root.places[2].words, ElementsAre("ddp", "3d"));
  EXPECT_EQ(root.places[3].offer, Offer::kFiles);
  EXPECT_TRUE(root.repeats());
}

}  // namespace
}  // namespace rankscope::cli
