#include "cli/command_tree.h"

#include <gmock/gmock.h>

namespace rankscope::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(CommandTree, ReadsCommandsWithTheirPaths) {
  CLI::App app("a program", "prog");
  auto* trace = app.add_subcommand("trace", "single files");
  trace->add_subcommand("info", "say what is in one")->footer("Example:\n  prog trace info x");
  const Command root = ReadCommandTree(app, {});
  std::vector<std::string> paths;
  for (const Command* command : AllCommands(root)) paths.push_back(command->path);
  EXPECT_THAT(paths, ElementsAre("", "trace", "trace info"));
  EXPECT_EQ(root.name, "prog");
  EXPECT_EQ(root.commands[0].commands[0].about, "say what is in one");
  EXPECT_EQ(root.commands[0].commands[0].footer, "Example:\n  prog trace info x");
}

TEST(CommandTree, ReadsOptions) {
  CLI::App app("", "prog");
  std::string format = "text";
  std::string output;
  std::vector<std::string> settings;
  bool quiet = false;
  app.set_help_flag();
  app.add_option("--format", format, "how")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  app.add_option("-o,--output", output)->type_name("FILE")->required();
  app.add_option("--set", settings)->type_name("NAME");
  app.add_flag("--quiet", quiet);
  const Command root = ReadCommandTree(app, {{"NAME", {"x", "y"}}});
  ASSERT_EQ(root.options.size(), 4U);
  EXPECT_EQ(root.options[0].value, "TEXT");
  EXPECT_EQ(root.options[0].default_value, "text");
  EXPECT_EQ(root.options[0].offer, Offer::kWords);
  EXPECT_THAT(root.options[0].words, ElementsAre("text", "json"));
  EXPECT_FALSE(root.options[0].repeats);
  EXPECT_THAT(root.options[1].names, ElementsAre("-o", "--output"));
  EXPECT_EQ(root.options[1].offer, Offer::kFiles);
  EXPECT_TRUE(root.options[1].is_required);
  EXPECT_THAT(root.options[2].words, ElementsAre("x", "y"));
  EXPECT_TRUE(root.options[2].repeats);
  EXPECT_TRUE(root.options[3].is_flag());
  EXPECT_EQ(root.options[3].offer, Offer::kNothing);
}

TEST(CommandTree, PlacesGoByTypeOrName) {
  CLI::App app("", "prog");
  std::string text;
  std::vector<std::string> paths;
  app.add_option("SQL", text);
  app.add_option("OUT", text)->type_name("FOLDER");
  app.add_option("KIND", text)->type_name("{ddp, 3d}");
  app.add_option("PATH", paths);
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
