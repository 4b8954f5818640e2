#include "formats/kineto/tokens/structure.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace rankscope::kineto {
namespace {

struct Found {
  std::vector<std::uint32_t> braces;
  std::size_t first_control = kNone;
  friend bool operator==(const Found&, const Found&) = default;
};

// Byte by byte, in the plainest way.
Found Reference(const std::string& text, std::uint32_t base, StringState& state) {
  Found found;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const bool is_escaped = state.escaped;
    state.escaped = c == '\\' && !is_escaped;
    if (c == '"' && !is_escaped) state.in_string = !state.in_string;
    if ((c == '{' || c == '}') && !state.in_string)
      found.braces.push_back(base + static_cast<std::uint32_t>(at));
    if (state.in_string && static_cast<unsigned char>(c) < 0x20 && found.first_control == kNone)
      found.first_control = at;
  }
  return found;
}

using Scan = void (*)(const char*, std::size_t, std::uint32_t, StringState&, BraceList&);

Found Find(Scan scan, const std::string& text, std::uint32_t base, StringState& state) {
  // On the heap in its exact size, so that a sanitizer sees any byte too far.
  const std::vector<char> exact(text.begin(), text.end());
  std::vector<std::uint32_t> offsets(text.size() + 1, 0xDEAD);
  BraceList list{offsets.data(), 77, 88};
  scan(exact.data(), exact.size(), base, state, list);
  EXPECT_EQ(offsets.back(), 0xDEADU);
  return {{offsets.begin(), offsets.begin() + static_cast<std::ptrdiff_t>(list.count)},
          list.first_control};
}

class FindBracesTest : public testing::TestWithParam<Scan> {};

TEST_P(FindBracesTest, ByHand) {
  StringState state;
  const std::string text = R"({"a}{":{"b\"}":"\\"},"c":[{}]})";
  //                         0123456789012345678901234567890
  EXPECT_EQ(Find(GetParam(), text, 0, state), (Found{{0, 7, 19, 26, 27, 29}, kNone}));
  EXPECT_FALSE(state.in_string);
  EXPECT_FALSE(state.escaped);
}

TEST_P(FindBracesTest, AddsTheBaseAndCarriesAnOpenString) {
  StringState state;
  EXPECT_EQ(Find(GetParam(), "{\"ab{", 1000, state), (Found{{1000}, kNone}));
  EXPECT_TRUE(state.in_string);
  EXPECT_EQ(Find(GetParam(), "}\\", 2000, state), (Found{{}, kNone}));
  EXPECT_TRUE(state.escaped);
  EXPECT_EQ(Find(GetParam(), "\"}\"}", 3000, state), (Found{{3003}, kNone}));
  EXPECT_FALSE(state.in_string);
}

TEST_P(FindBracesTest, ReportsTheFirstControlCharacterInsideAString) {
  for (std::size_t at = 1; at < 150; ++at) {
    std::string text = "\"" + std::string(160, 'x') + "\"\n\t{\x01}";
    text[at] = '\x1F';
    text[at + 5] = '\n';
    StringState state;
    EXPECT_EQ(Find(GetParam(), text, 0, state), (Found{{164, 166}, at}));
  }
  StringState outside;
  EXPECT_EQ(Find(GetParam(), std::string(200, '\n'), 0, outside), (Found{{}, kNone}));
}

// Characters from 0x80 on are not control characters, whatever a signed comparison thinks.
TEST_P(FindBracesTest, HighBytesAreText) {
  StringState state;
  EXPECT_EQ(Find(GetParam(), "\"" + std::string(100, '\xFF') + std::string(100, '\x80') + "\"{}", 0,
                 state),
            (Found{{202, 203}, kNone}));
}

// Runs of backslashes of every length, ending at every place of a block, before a quote.
TEST_P(FindBracesTest, BackslashRunsAtBlockBorders) {
  for (std::size_t front = 0; front < 70; ++front) {
    for (std::size_t run = 0; run < 70; ++run) {
      const std::string text =
          "\"" + std::string(front, 'a') + std::string(run, '\\') + "\"{" + std::string(70, ' ');
      StringState state;
      StringState expected_state;
      const Found expected = Reference(text, 0, expected_state);
      // An even run escapes itself, so the quote closes the string and the brace counts.
      ASSERT_EQ(expected.braces.size(), run % 2 == 0 ? 1U : 0U);
      ASSERT_EQ(Find(GetParam(), text, 0, state), expected) << front << " " << run;
      ASSERT_EQ(state.in_string, expected_state.in_string);
    }
  }
}

TEST_P(FindBracesTest, EqualsReferenceOnRandomTextsCutAnywhere) {
  std::mt19937 random(5);
  const std::string kinds[] = {"\"\\{}", "\"\\\\\\\\{}", "\"{}abc:, ", "\"\\{}\n\x01 \x7F\xFFx"};
  for (int round = 0; round < 4000; ++round) {
    const std::string& alphabet = kinds[random() % 4];
    std::string text(random() % 400, ' ');
    for (char& c : text) c = alphabet[random() % alphabet.size()];
    StringState state;
    StringState expected_state;
    std::uint32_t base = 0;
    while (!text.empty()) {
      const std::string piece = text.substr(0, random() % (random() % 2 == 0 ? 16 : 200) + 1);
      text.erase(0, piece.size());
      ASSERT_EQ(Find(GetParam(), piece, base, state), Reference(piece, base, expected_state));
      ASSERT_EQ(state.in_string, expected_state.in_string);
      ASSERT_EQ(state.escaped, expected_state.escaped);
      base += static_cast<std::uint32_t>(piece.size());
    }
  }
}

// FindBraces takes the AVX2 path where there is one.
INSTANTIATE_TEST_SUITE_P(Best, FindBracesTest, testing::Values(&FindBraces));
INSTANTIATE_TEST_SUITE_P(Sse2, FindBracesTest, testing::Values(&FindBracesSse2));

}  // namespace
}  // namespace rankscope::kineto
