#include "sql/error_text.h"

#include <gtest/gtest.h>

namespace rankscope::sql {
namespace {

std::string Sentence(std::string_view message, ErrorHints hints = ErrorHints::kOptions) {
  return StatusOf(message, {"events"}, hints).message();
}
StatusCode Code(std::string_view message) {
  return StatusOf(message, {}, ErrorHints::kOptions).code();
}

TEST(ErrorText, LosesItsClassAndTheQuotation) {
  EXPECT_EQ(Sentence("Parser Error: syntax error at or near \"x\"\n\nLINE 1: x\n        ^"),
            "syntax error at or near \"x\"");
  EXPECT_EQ(Sentence("Binder Error: Ambiguous reference\nLINE 1: x"), "Ambiguous reference");
}

TEST(ErrorText, KeepsHints) {
  EXPECT_EQ(Sentence("Binder Error: Column \"a\" not found!\nCandidate bindings: \"b\"\n\nLINE 1:"),
            "Column \"a\" not found! Candidate bindings: \"b\"");
}

TEST(ErrorText, SuggestsATableOnlyWhenItIsNear) {
  EXPECT_EQ(
      Sentence("Catalog Error: Table with name evnts does not exist!\nDid you mean \"events\"?"),
      "there is no table or view evnts; did you mean events? rankscope list has all");
  EXPECT_EQ(Sentence("Catalog Error: Table with name x does not exist!\nDid you mean \"events\"?"),
            "there is no table or view x; rankscope list has all");
  EXPECT_EQ(Sentence("Catalog Error: Table with name a/b.csv does not exist!\nDid you mean \"e\"?"),
            "there is no table or view a/b.csv; --allow-files lets a query read files");
}

// Of a server's pages: nobody there can give options.
TEST(ErrorText, NamesNoOptionsWhereThereAreNone) {
  EXPECT_EQ(Sentence("Permission Error: no files", ErrorHints::kNone), "no files");
  EXPECT_EQ(Sentence("Out of Memory Error: full", ErrorHints::kNone), "out of memory: full");
  EXPECT_EQ(Sentence("Catalog Error: Table with name a/b.csv does not exist!", ErrorHints::kNone),
            "there is no table or view a/b.csv; files are not read here");
}

TEST(ErrorText, KeepsColonsThatAreNotOfTheClass) {
  EXPECT_EQ(Sentence("what: Error: this"), "what: Error: this");
  EXPECT_EQ(Sentence("no class"), "no class");
  EXPECT_EQ(Sentence(""), "");
}

TEST(ErrorText, ClassDecidesTheCode) {
  EXPECT_EQ(Code("Parser Error: x"), StatusCode::kInvalidArgument);
  EXPECT_EQ(Code("Conversion Error: x"), StatusCode::kInvalidArgument);
  EXPECT_EQ(Code("IO Error: x"), StatusCode::kIo);
  EXPECT_EQ(Code("Out of Memory Error: x"), StatusCode::kResource);
  EXPECT_EQ(Code("INTERRUPT Error: x"), StatusCode::kCancelled);
}

}  // namespace
}  // namespace rankscope::sql
