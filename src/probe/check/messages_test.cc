// What is said of every mistake: tests/golden/probe/messages.txt has a specification and its
// messages for each. RANKSCOPE_UPDATE_GOLDEN=1 writes the messages anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "base/file.h"
#include "probe/check/spec.h"

namespace rankscope::probe {
namespace {

struct Case {
  std::string name, text, said;
};

// "=== NAME", the specification, "---", what is said of it.
std::vector<Case> Cases(const std::string& file) {
  std::vector<Case> cases;
  for (std::size_t at = file.find("=== "); at != std::string::npos;) {
    const std::size_t next = file.find("\n=== ", at);
    const std::string block = file.substr(at, next == std::string::npos ? next : next + 1 - at);
    const std::size_t name_end = block.find('\n'), text_end = block.find("\n---\n");
    cases.push_back({block.substr(4, name_end - 4), block.substr(name_end + 1, text_end - name_end),
                     block.substr(text_end + 5)});
    at = next == std::string::npos ? next : next + 1;
  }
  return cases;
}

// Bytes that are no text stand as <00>.
std::string WithBytes(std::string text) {
  for (const auto& [name, byte] :
       {std::pair("<00>", '\0'), std::pair("<0d>", '\r'), std::pair("<e9>", '\xe9')}) {
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name))
      text.replace(at, 4, 1, byte);
  }
  return text;
}

std::string Said(const std::string& text) {
  Diagnostics diagnostics;
  const Spec spec = CheckText("chip.probe", text, diagnostics);
  std::string said;
  for (const Diagnostic& one : diagnostics.Sorted())
    said += FormatDiagnostic(spec.file, spec.text, one);
  return said;
}

TEST(Messages, EveryMistakeHasOne) {
  const char* const root = std::getenv("RANKSCOPE_SOURCE_DIR");
  ASSERT_NE(root, nullptr) << "ctest sets RANKSCOPE_SOURCE_DIR";
  const std::string path = std::string(root) + "/tests/golden/probe/messages.txt";
  const auto file = ReadFile(path);
  ASSERT_TRUE(file.ok());
  std::string anew;
  for (const Case& one : Cases(*file)) {
    const std::string said = Said(WithBytes(one.text));
    EXPECT_NE(said, "") << one.name;
    EXPECT_EQ(said, one.said) << one.name;
    anew += "=== " + one.name + "\n" + one.text + "---\n" + said;
  }
  if (std::getenv("RANKSCOPE_UPDATE_GOLDEN") == nullptr) return;
  ASSERT_TRUE(WriteFileAtomically(path, anew).ok());
}

TEST(Messages, AtMostTwentyAreShownInTheOrderOfTheFile) {
  std::string text = "@requires(\"1\")\nclass Chip(Device):\n    vendor = \"acme\"\n";
  for (int i = 0; i < 30; ++i) text += "    x" + std::to_string(i) + " = nothing\n";
  Diagnostics diagnostics;
  (void)CheckText("chip.probe", text, diagnostics);
  const auto sorted = diagnostics.Sorted();
  ASSERT_EQ(sorted.size(), 20u);
  EXPECT_EQ(diagnostics.LeftOut(), 10u);
  EXPECT_EQ(sorted[0].place.line, 4);
  EXPECT_EQ(sorted[19].place.line, 23);
}

TEST(Messages, TheCaretStandsBelowCharactersOfAnyWidth) {
  const Diagnostic one{.place = {1, 9, 3}, .message = "m", .remedy = "r"};
  EXPECT_EQ(FormatDiagnostic("f", "caf\xC3\xA9 = abc", one),
            "f:1:8: m; r\n    caf\xC3\xA9 = abc\n           ^~~\n");
}

}  // namespace
}  // namespace rankscope::probe
