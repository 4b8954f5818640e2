// What the scripts say; tests/completion_test.py runs them in the shells.
#include "cli/shell/shell_completion.h"

#include <gmock/gmock.h>

namespace rankscope::cli {
namespace {

using ::testing::HasSubstr;

class ShellCompletion : public ::testing::Test {
 protected:
  ShellCompletion() {
    CommandSpec& find = app_.AddCommand("find", "look: it's [quick]");
    find.AddOption("-k,--kind", text_, "what").OneOf({"cat", "dog"});
    find.AddOption("NAME", text_, "").Type("NAMES").Required();
    find.AddOption("PATH", paths_, "");
    root_ = ReadCommandTree(app_, {{"NAMES", {"ann", "bob"}}});
  }

  CommandSpec app_{"prog", ""};
  std::string text_;
  std::vector<std::string> paths_;
  Command root_;
};

TEST_F(ShellCompletion, Bash) {
  const std::string script = BashCompletion(root_);
  EXPECT_THAT(script, HasSubstr("'find|-k' | 'find|--kind') option=$seen ;;"));
  EXPECT_THAT(script, HasSubstr("'find|-k' | 'find|--kind') words='cat dog' ;;"));
  EXPECT_THAT(script, HasSubstr("'find|0') words='ann bob' ;;"));
  EXPECT_THAT(script, HasSubstr("'find|1') compopt -o default ;;"));
  EXPECT_THAT(script, HasSubstr("'find') ((place < 1)) || place=1 ;;"));
}

TEST_F(ShellCompletion, Zsh) {
  const std::string script = ZshCompletion(root_);
  EXPECT_THAT(script, HasSubstr("'find:look\\: it'\\''s \\[quick\\]'"));
  EXPECT_THAT(script, HasSubstr("'(-k --kind)-k+[what]:TEXT:(cat dog)'"));
  EXPECT_THAT(script, HasSubstr("'(-k --kind)--kind=[what]:TEXT:(cat dog)'"));
  EXPECT_THAT(script, HasSubstr("':NAME:(ann bob)'"));
  EXPECT_THAT(script, HasSubstr("'*:PATH:_files'"));
}

TEST(ZshCompletionOfGroups, OffersEachUnderItsTitle) {
  CommandSpec app("prog", "");
  app.AddCommand("find", "one").group = "Look";
  app.AddCommand("list", "all").group = "Look";
  app.AddCommand("drop", "one").group = "Change";
  const std::string script = ZshCompletion(ReadCommandTree(app, {}));
  EXPECT_THAT(script, HasSubstr("'find:one'\n        'list:all'\n      )\n"
                                "      _describe -t commands 'Look' commands"));
  EXPECT_THAT(script, HasSubstr("'drop:one'\n      )\n"
                                "      _describe -t commands 'Change' commands"));
}

TEST_F(ShellCompletion, Fish) {
  const std::string script = FishCompletion(root_);
  EXPECT_THAT(script, HasSubstr(" -a find -d 'look: it'\\''s [quick]'"));
  EXPECT_THAT(script, HasSubstr("'__prog_is \"find|*\"' -s k -l kind -x -a 'cat dog' -d 'what'"));
  EXPECT_THAT(script, HasSubstr("'__prog_is \"find|0\"' -a 'ann bob'"));
  EXPECT_THAT(script, HasSubstr("'__prog_is \"find|1\"' -F"));
}

}  // namespace
}  // namespace rankscope::cli
