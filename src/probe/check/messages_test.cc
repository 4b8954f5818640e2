// What is said of every mistake: tests/golden/probe/messages.txt has a specification and its
// messages for each. RANKSCOPE_UPDATE_GOLDEN=1 writes the messages anew.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "base/file.h"
#include "probe/check/spec.h"

namespace rankscope::probe {
namespace {

using ::testing::HasSubstr;

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

std::string Repeated(std::size_t count, const std::string& head,
                     const std::function<std::string(std::size_t)>& line) {
  std::string text = head;
  for (std::size_t i = 0; i < count; ++i) text += line(i);
  return text;
}

TEST(Messages, BoundsAreTold) {
  const std::string head = "@requires(\"1\")\nclass Chip(Device):\n    vendor = \"acme\"\n";
  const auto name = [](std::size_t i) { return "x" + std::to_string(i); };
  EXPECT_THAT(Said(Repeated(51, "",
                            [&](std::size_t i) {
                              return "@requires(\"1\")\nclass " + name(i) +
                                     "(Device):\n    vendor = \"a\"\n    model = \"m\"\n";
                            })),
              HasSubstr("this file has more than 50 classes; split it in several files"));
  EXPECT_THAT(Said(Repeated(501, head, [&](std::size_t i) { return "    " + name(i) + " = 1\n"; })),
              HasSubstr("this class has more than 500 names; split it in several classes"));
  EXPECT_THAT(Said(Repeated(400, head,
                            [&](std::size_t i) {
                              return "    " + name(i) +
                                     " = file(\"/sys/a\", i64) + file(\"/sys/b\", i64) + "
                                     "file(\"/sys/c\", i64)\n";
                            })),
              HasSubstr("this class has more than 1000 sources; split it in several classes"));
  EXPECT_THAT(Said(Repeated(450, head,
                            [&](std::size_t i) {
                              return "    " + name(i) + " = 1" +
                                     Repeated(60, "",
                                              [](std::size_t) { return std::string(" + 1"); }) +
                                     "\n";
                            })),
              HasSubstr("this class has more than 20000 operations; split it in several classes"));
  EXPECT_THAT(Said(Repeated(210'000, head + "    x = [", [](std::size_t) { return "1,"; })),
              HasSubstr("this file has more than 200000 expressions; split it in several files"));
  // Each name builds on the one before it.
  EXPECT_THAT(Said(head + Repeated(400, "    x0 = file(\"/sys/a\", i64)\n",
                                   [&](std::size_t i) {
                                     return "    " + name(i + 1) + " = " + name(i) +
                                            " + 1 + 1 + 1\n";
                                   })),
              HasSubstr("names build on each other more than 1000 deep"));
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
