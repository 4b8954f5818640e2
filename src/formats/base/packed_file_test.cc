#include "formats/base/packed_file.h"

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <string>

#include "formats/base/byte_source.h"

namespace rankscope {
namespace {

namespace fs = std::filesystem;

std::string PathOf(std::string_view name) {
  return (fs::temp_directory_path() / ("rankscope_packed_" + std::to_string(getpid()) + "_"))
      .string()
      .append(name);
}

std::string TextOf(const std::string& path, std::size_t* problems = nullptr) {
  auto source = OpenByteSource(path);
  EXPECT_TRUE(source.ok()) << source.status().message();
  std::string text;
  std::string buffer(1000, '\0');
  while (const std::size_t got = (*source)->Read(buffer.data(), buffer.size()))
    text.append(buffer, 0, got);
  if (problems != nullptr) {
    *problems = (*source)->problems().entries().size();
  } else {
    EXPECT_TRUE((*source)->problems().entries().empty());
  }
  return text;
}

std::string SomeText() {
  std::string text;
  for (int i = 0; i < 40'000; ++i) text += "{\"ts\":" + std::to_string(i * 7919 % 5003) + "},";
  return text;
}

// Blocks of all sizes, one of them empty.
void WriteBlocks(const std::string& path, std::string_view text) {
  auto file = PackedFile::Create(path);
  ASSERT_TRUE(file.ok());
  BlockPacker packer((*file)->packing());
  PackedBlock block;
  std::size_t size = 0;
  for (std::size_t at = 0; at < text.size(); at += size, size = size * 3 + 1) {
    ASSERT_TRUE(packer.Pack(text.substr(at, size), block).ok());
    ASSERT_TRUE((*file)->Append(block).ok());
    if (size == 1) {
      ASSERT_TRUE((*file)->Write("<here>").ok());
    }
  }
  ASSERT_TRUE((*file)->Finish().ok());
}

TEST(PackedFile, EveryPackingReadsBack) {
  const std::string text = SomeText();
  for (const char* name : {"a.json", "a.json.gz", "a.json.zst"}) {
    const std::string path = PathOf(name);
    WriteBlocks(path, text);
    EXPECT_EQ(TextOf(path), text.substr(0, 1) + "<here>" + text.substr(1)) << name;
    EXPECT_LE(fs::file_size(path), text.size() / (PackingOf(path) == Packing::kPlain ? 1 : 2) + 6);
    fs::remove(path);
  }
}

// Readers that stop at the end of a first member exist: there is one only, and zlib agrees on it.
TEST(PackedFile, GzipIsOneMemberForZlib) {
  const std::string text = SomeText();
  const std::string path = PathOf("b.json.gz");
  WriteBlocks(path, text);
  const auto packed = ReadFile(path);
  ASSERT_TRUE(packed.ok());
  z_stream stream{};
  ASSERT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  std::string out(text.size() + 100, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed->data()));
  stream.avail_in = static_cast<uInt>(packed->size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);  // the checksum and the size fit
  EXPECT_EQ(stream.avail_in, 0U);
  EXPECT_EQ(stream.total_out, text.size() + 6);
  inflateEnd(&stream);
  fs::remove(path);
}

TEST(PackedFile, NothingIsAnEmptyFileOfItsKind) {
  for (const char* name : {"c.json", "c.json.gz", "c.json.zst"}) {
    const std::string path = PathOf(name);
    auto file = PackedFile::Create(path);
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE((*file)->Finish().ok());
    EXPECT_EQ(TextOf(path), "") << name;
    fs::remove(path);
  }
}

TEST(PackedFile, WithoutFinishNothingIsLeft) {
  const std::string path = PathOf("d.json.gz");
  {
    auto file = PackedFile::Create(path);
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE((*file)->Write("text").ok());
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(ZstdSource, DamageIsReportedAndWhatIsBeforeIsRead) {
  const std::string text = SomeText();
  const std::string path = PathOf("e.json.zst");
  WriteBlocks(path, text);
  std::string packed = *ReadFile(path);
  std::size_t problems = 0;
  ASSERT_TRUE(
      WriteFileAtomically(path, std::string_view(packed).substr(0, packed.size() / 2)).ok());
  const std::string half = TextOf(path, &problems);
  EXPECT_EQ(problems, 1U);
  EXPECT_GT(half.size(), text.size() / 20);
  EXPECT_TRUE(text.starts_with(half.substr(7)) ||
              half.substr(7) == text.substr(1, half.size() - 7));
  packed[packed.size() - 20] ^= 0x55;
  ASSERT_TRUE(WriteFileAtomically(path, packed).ok());
  TextOf(path, &problems);
  EXPECT_EQ(problems, 1U);
  fs::remove(path);
}

}  // namespace
}  // namespace rankscope
