#include "cli/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/shell/command_tree.h"

namespace rankscope::cli {
namespace {

using ::testing::HasSubstr;

class ProgramTest : public ::testing::Test {
 protected:
  ProgramTest() {
    DeclareCommands(program_);
    root_ = ReadCommandTree(program_, {});
  }
  CommandSpec program_{"rankscope", "rankscope finds out why an AI job is slow."};
  Command root_;
};

TEST_F(ProgramTest, EveryCommandThatRunsHasAnExampleOfItself) {
  for (const Command* command : AllCommands(root_)) {
    if (!command->commands.empty()) continue;
    EXPECT_TRUE(command->footer.starts_with("Example")) << command->path;
    EXPECT_THAT(command->footer, HasSubstr("rankscope " + command->path)) << command->path;
  }
}

TEST_F(ProgramTest, EveryCommandSaysWhatItDoes) {
  for (const Command* command : AllCommands(root_)) {
    EXPECT_FALSE(command->about.empty()) << command->path;
    for (const Argument& option : command->options)
      EXPECT_FALSE(option.about.empty()) << command->path << " " << option.names[0];
  }
}

TEST_F(ProgramTest, CommandsOfAGroupStandTogether) {
  std::vector<std::string> groups;
  for (const CommandSpec& command : program_.commands) {
    EXPECT_FALSE(command.group.empty()) << command.name;
    if (groups.empty() || groups.back() != command.group) {
      EXPECT_EQ(std::ranges::count(groups, command.group), 0) << command.group;
      groups.push_back(command.group);
    }
  }
  EXPECT_GT(groups.size(), 1u);
}

}  // namespace
}  // namespace rankscope::cli
