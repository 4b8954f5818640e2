#include "formats/base/byte_source.h"

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>

namespace rankscope {
namespace {

std::string Gzip(std::string_view text, int level = 6) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}

// Text that compresses somewhat, as traces do.
std::string SomeText(std::size_t size, std::uint32_t seed = 1) {
  std::mt19937 random(seed);
  std::string text;
  while (text.size() < size) text += "{\"ts\":" + std::to_string(random() % 5000) + "},";
  text.resize(size);
  return text;
}

std::string Noise(std::size_t size) {
  std::mt19937 random(3);
  std::string noise(size, '\0');
  for (char& c : noise) c = static_cast<char>(random());
  return noise;
}

struct Outcome {
  std::string text;
  std::vector<QualityEntry> problems;
};

Outcome Drain(ByteSource& source, std::size_t step) {
  Outcome outcome;
  std::string buffer(step, '\0');
  double last = 0;
  while (const std::size_t count = source.Read(buffer.data(), step)) {
    EXPECT_LE(count, step);
    outcome.text.append(buffer, 0, count);
    EXPECT_GE(source.fraction(), last);
    last = source.fraction();
  }
  EXPECT_LE(source.fraction(), 1.0);
  EXPECT_EQ(source.Read(buffer.data(), step), 0U);
  outcome.problems = source.problems().entries();
  return outcome;
}

Outcome ReadAll(std::string_view bytes, std::size_t step = 1 << 20, InflateLimits limits = {}) {
  return Drain(*OpenByteSource(bytes, limits), step);
}

void ExpectOneProblem(const Outcome& outcome, QualityCode code) {
  ASSERT_EQ(outcome.problems.size(), 1U);
  EXPECT_EQ(outcome.problems[0].code, code) << outcome.problems[0].message;
  EXPECT_EQ(outcome.problems[0].byte, static_cast<std::int64_t>(outcome.text.size()));
}

TEST(ByteSource, PlainAndEmpty) {
  const std::string text = SomeText(10'000);
  for (const std::size_t step : {1, 7, 4096, 1 << 20}) {
    const Outcome outcome = ReadAll(text, step);
    EXPECT_EQ(outcome.text, text);
    EXPECT_TRUE(outcome.problems.empty());
  }
  const Outcome empty = ReadAll("");
  EXPECT_EQ(empty.text, "");
  EXPECT_TRUE(empty.problems.empty());
  EXPECT_EQ(ReadAll("\x1f").text, "\x1f");
}

TEST(ByteSource, GzipInReadsOfAnySize) {
  const std::string text = SomeText(100'000);
  for (const int level : {0, 1, 9}) {
    const std::string zipped = Gzip(text, level);
    for (const std::size_t step : {1, 3, 64, 1000, 32'768, 65'537, 1 << 20}) {
      const Outcome outcome = ReadAll(zipped, step);
      ASSERT_EQ(outcome.text, text) << level << " " << step;
      EXPECT_TRUE(outcome.problems.empty());
    }
  }
}

TEST(ByteSource, ManyMembers) {
  std::string zipped;
  std::string text;
  for (std::size_t i = 0; i < 200; ++i) {
    const std::string part = SomeText(i * 13 % 997, static_cast<std::uint32_t>(i));  // also empty
    zipped += Gzip(part, static_cast<int>(i % 10));
    text += part;
  }
  for (const std::size_t step : {1, 100, 1 << 20}) {
    const Outcome outcome = ReadAll(zipped, step);
    EXPECT_EQ(outcome.text, text);
    EXPECT_TRUE(outcome.problems.empty());
  }
}

// The inflater gets its input a mebibyte at a time: members end before, at and after that border,
// with the trailer across it.
TEST(ByteSource, MembersAroundTheInputBorder) {
  const std::size_t border = std::size_t{1} << 20;
  const std::string noise = Noise(border + 100);
  const std::size_t overhead = Gzip(std::string_view(noise).substr(0, border), 0).size() - border;
  const std::string second = Gzip("second");
  for (std::size_t early = 0; early < 40; ++early) {
    const std::string_view part = std::string_view(noise).substr(0, border - overhead + 20 - early);
    const Outcome outcome = ReadAll(Gzip(part, 0) + second);
    ASSERT_EQ(outcome.text.size(), part.size() + 6) << early;
    ASSERT_TRUE(outcome.text.ends_with("second"));
    ASSERT_TRUE(outcome.problems.empty());
  }
}

TEST(ByteSource, TruncatedAtEveryByte) {
  const std::string text = SomeText(3000);
  const std::string zipped = Gzip(text);
  for (std::size_t size = 2; size < zipped.size(); ++size) {
    for (const std::size_t step : {17, 1 << 16}) {
      const Outcome outcome = ReadAll(std::string_view(zipped).substr(0, size), step);
      ASSERT_TRUE(text.starts_with(outcome.text)) << size;
      ExpectOneProblem(outcome, QualityCode::kTruncated);
    }
  }
  // All of the data is there when only the trailer is cut.
  EXPECT_EQ(ReadAll(std::string_view(zipped).substr(0, zipped.size() - 8)).text, text);
}

TEST(ByteSource, TruncatedInASecondMember) {
  const std::string first = Gzip("first");
  const std::string both = first + Gzip(SomeText(500));
  for (std::size_t size = first.size() + 2; size < both.size(); ++size) {
    const Outcome outcome = ReadAll(std::string_view(both).substr(0, size));
    ASSERT_TRUE(outcome.text.starts_with("first"));
    ExpectOneProblem(outcome, QualityCode::kTruncated);
  }
}

// Bits that carry nothing (behind the last code, in the header's time and system) may change;
// nothing else may without being seen.
TEST(ByteSource, EverySingleFlippedBitIsSeenOrHarmless) {
  const std::string text = SomeText(1000);
  const std::string zipped = Gzip(text);
  std::size_t seen = 0;
  for (std::size_t bit = 16; bit < zipped.size() * 8; ++bit) {
    std::string damaged = zipped;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    const Outcome outcome = ReadAll(damaged);
    if (outcome.problems.empty()) {
      ASSERT_EQ(outcome.text, text) << bit;
      continue;
    }
    ++seen;
    const QualityCode code = outcome.problems[0].code;
    ASSERT_TRUE(code == QualityCode::kCorruptGzip || code == QualityCode::kTruncated) << bit;
  }
  EXPECT_GE(seen, (zipped.size() - 11) * 8);
}

TEST(ByteSource, WrongChecksumKeepsTheContent) {
  std::string zipped = Gzip("content");
  zipped[zipped.size() - 8] = static_cast<char>(zipped[zipped.size() - 8] ^ 1);
  const Outcome outcome = ReadAll(zipped);
  EXPECT_EQ(outcome.text, "content");
  ExpectOneProblem(outcome, QualityCode::kCorruptGzip);
}

// After this error ISA-L 2.30 states more input left than there was; found by fuzz_gzip.
TEST(ByteSource, ProgressStaysBelowOneAfterAnError) {
  const unsigned char bytes[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 3, 3,    0x1b, 0x8b,
                                 0,    0,    0, 0, 0, 0, 0, 0, 0, 0, 0xfe, 0,    0};
  const auto source =
      OpenByteSource(std::string_view(reinterpret_cast<const char*>(bytes), sizeof(bytes)));
  ExpectOneProblem(Drain(*source, 4161), QualityCode::kCorruptGzip);
  EXPECT_LE(source->fraction(), 1.0);
}

TEST(ByteSource, PaddingIsSilentAndGarbageIsNot) {
  const std::string zipped = Gzip("content");
  const Outcome padded = ReadAll(zipped + std::string(1000, '\0'));
  EXPECT_EQ(padded.text, "content");
  EXPECT_TRUE(padded.problems.empty());
  for (const std::string& garbage : {std::string("x"), std::string(100, '\0') + "x",
                                     std::string("\x1f"), std::string("{\"a\":1}")}) {
    const Outcome outcome = ReadAll(zipped + garbage);
    EXPECT_EQ(outcome.text, "content");
    ExpectOneProblem(outcome, QualityCode::kTrailingGarbage);
  }
}

TEST(ByteSource, StopsABomb) {
  const std::string bomb = Gzip(std::string(std::size_t{8} << 20, ' '));
  const InflateLimits limits{.free_bytes = 1 << 20, .max_ratio = 10};
  const Outcome outcome = ReadAll(bomb, 4096, limits);
  EXPECT_GT(outcome.text.size(), limits.free_bytes);
  EXPECT_LE(outcome.text.size(), limits.free_bytes + 4096);
  ExpectOneProblem(outcome, QualityCode::kInflateLimit);
  // The same bytes pass when they are free or the ratio allows it.
  EXPECT_TRUE(ReadAll(bomb, 4096, {.free_bytes = 8 << 20, .max_ratio = 10}).problems.empty());
  EXPECT_TRUE(ReadAll(bomb, 4096, {.free_bytes = 1 << 20, .max_ratio = 2000}).problems.empty());
}

TEST(ByteSource, FilesAreToldByTheirFirstBytes) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("byte_source_test_" + std::to_string(getpid()) + ".json");
  const std::string text = SomeText(9 << 20);  // more than what is given back at a time
  for (const std::string& content : {text, Gzip(text, 1)}) {
    std::ofstream(path, std::ios::binary) << content;
    auto source = OpenByteSource(path.string());
    ASSERT_TRUE(source.ok());
    EXPECT_EQ((*source)->file_bytes(), content.size());
    const Outcome outcome = Drain(**source, 1 << 20);
    EXPECT_EQ(outcome.text, text);
    EXPECT_EQ((*source)->fraction(), 1.0);
  }
  std::filesystem::remove(path);
  const auto missing = OpenByteSource(path.string());
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.status().code(), StatusCode::kNotFound);
  EXPECT_NE(missing.status().message().find(path.string()), std::string::npos);
}

}  // namespace
}  // namespace rankscope
