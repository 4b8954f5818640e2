#include "formats/columnar/cache_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <string>

#include "base/file.h"
#include "formats/columnar/layout.h"
#include "formats/columnar/meta_codec.h"
#include "formats/columnar/sections.h"
#include "formats/kineto/reader.h"
#include "formats/same_trace_for_test.h"

namespace rankscope::columnar {
namespace {

namespace fs = std::filesystem;

constexpr Hash128 kKey{0x1122, 0x3344};

constexpr std::string_view kTrace = R"json({"baseTimeNanoseconds":5,"host_name":"h",
  "deviceProperties":[{"id":0,"name":"GPU","numSms":2}],
  "distributedInfo":{"rank":1,"world_size":2,"pg_config":[
    {"pg_name":"0","pg_desc":"d","backend_config":"cuda:nccl","ranks":[0,1]}]},"traceEvents":[
  {"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":1,"ts":0,"dur":9},
  {"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":1,"dur":5,
   "args":{"Sequence number":4,"Input Dims":[[2]]}},
  {"ph":"X","cat":"cpu_op","name":"opBackward","pid":1,"tid":2,"ts":1,"dur":5,
   "args":{"Sequence number":4,"Fwd thread id":1}},
  {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":2,"dur":1,
   "args":{"correlation":8,"stream":7}},
  {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":4,"dur":2,
   "args":{"device":0,"stream":7,"correlation":8,"Collective name":"allreduce"}},
  {"ph":"X","cat":"gpu_memcpy","name":"c","pid":0,"tid":7,"ts":7,"dur":1,"args":{"bytes":3}},
  {"ph":"X","cat":"cuda_sync","name":"w","pid":0,"tid":7,"ts":7,"dur":1,
   "args":{"stream":7,"wait_on_cuda_event_record_corr_id":8}},
  {"ph":"X","cat":"python_function","name":"f","pid":1,"tid":1,"ts":3,"dur":1,
   "args":{"Python id":1}},
  {"ph":"X","cat":"strange","name":"s","pid":1,"tid":1,"ts":3,"dur":1},
  {"ph":"i","name":"[memory]","cat":"cpu_instant_event","pid":1,"tid":1,"ts":5,
   "args":{"Bytes":64}},
  {"ph":"X","name":"bad","ts":"x"}]})json";

// A folder of its own, gone with the test.
class CacheFileTest : public testing::Test {
 protected:
  CacheFileTest() {
    std::string name = (fs::temp_directory_path() / "cache_file_test_XXXXXX").string();
    RS_CHECK(mkdtemp(name.data()) != nullptr, "no temporary folder");
    folder_ = name;
    const auto source = OpenByteSource(kTrace);
    trace_ = std::move(kineto::ReadTrace(*source, "trace.json")).value();
    EXPECT_TRUE(WriteCacheFile(trace_, kKey, path()).ok());
    bytes_ = ReadFile(path()).value();
  }
  ~CacheFileTest() override { fs::remove_all(folder_); }

  std::string path() const { return (folder_ / "cache").string(); }
  Result<RankTrace> ReadBytes(const std::string& bytes, const Hash128& key = kKey) {
    EXPECT_TRUE(WriteFileAtomically(path(), bytes).ok());
    return ReadCacheFile(path(), key);
  }
  void ExpectRefused(const std::string& bytes, const std::string& what) {
    const Result<RankTrace> trace = ReadBytes(bytes);
    ASSERT_FALSE(trace.ok()) << what;
    EXPECT_EQ(trace.status().code(), StatusCode::kBadData) << what;
    EXPECT_NE(trace.status().message().find("rebuilt"), std::string::npos) << what;
  }
  // The file with one element of a section replaced and every checksum right again.
  template <typename T>
  std::string With(std::uint32_t id, std::size_t index, T value) const {
    std::string bytes = bytes_;
    Header header;
    std::memcpy(&header, bytes.data(), sizeof(header));
    std::vector<Section> sections(header.section_count);
    char* const directory = bytes.data() + sizeof(header);
    std::memcpy(sections.data(), directory, sections.size() * sizeof(Section));
    bool found = false;
    for (Section& section : sections) {
      if (section.id != id) continue;
      EXPECT_EQ(section.element_bytes % sizeof(T), 0U);
      EXPECT_LE((index + 1) * sizeof(T), section.bytes);
      std::memcpy(bytes.data() + section.offset + index * sizeof(T), &value, sizeof(T));
      section.checksum = Checksum64(bytes.data() + section.offset, section.bytes);
      found = true;
    }
    EXPECT_TRUE(found);
    std::memcpy(directory, sections.data(), sections.size() * sizeof(Section));
    header.directory_checksum = Checksum64(directory, sections.size() * sizeof(Section));
    std::memcpy(bytes.data(), &header, sizeof(header));
    return bytes;
  }

  fs::path folder_;
  RankTrace trace_;
  std::string bytes_;
};

TEST_F(CacheFileTest, StepsWithoutMarks) {
  trace_.steps[0].mark = kNoRow;
  ASSERT_TRUE(WriteCacheFile(trace_, kKey, path()).ok());
  const Result<RankTrace> read = ReadCacheFile(path(), kKey);
  ASSERT_TRUE(read.ok()) << read.status().message();
  ASSERT_EQ(read->steps.size(), 1U);
  EXPECT_EQ(read->steps[0].mark, kNoRow);
  EXPECT_EQ(read->steps[0].end_ns, trace_.steps[0].end_ns);
}

TEST_F(CacheFileTest, RoundTrip) {
  ASSERT_EQ(trace_.row_count(), 10U);
  ASSERT_EQ(trace_.forward_backward.size(), 1U);
  ASSERT_EQ(trace_.launch_kernels.size(), 1U);
  ASSERT_EQ(trace_.record_wait.size(), 1U);
  ASSERT_EQ(trace_.steps.size(), 1U);
  const Result<RankTrace> read = ReadCacheFile(path(), kKey);
  ASSERT_TRUE(read.ok()) << read.status().message();
  ExpectSame(*read, trace_);
  EXPECT_NE(read->backing, nullptr);
}

TEST_F(CacheFileTest, ATraceWithoutRows) {
  const auto source = OpenByteSource(std::string_view(R"({"traceEvents":[]})"));
  const RankTrace empty = std::move(kineto::ReadTrace(*source, "empty")).value();
  ASSERT_TRUE(WriteCacheFile(empty, kKey, path()).ok());
  const Result<RankTrace> read = ReadCacheFile(path(), kKey);
  ASSERT_TRUE(read.ok()) << read.status().message();
  ExpectSame(*read, empty);
}

TEST_F(CacheFileTest, TheTraceOutlivesTheFile) {
  const Result<RankTrace> read = ReadCacheFile(path(), kKey);
  fs::remove(path());
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->name_of(0), trace_.name_of(0));
}

TEST_F(CacheFileTest, EqualTracesAreEqualFiles) {
  ASSERT_TRUE(WriteCacheFile(trace_, kKey, path()).ok());
  EXPECT_EQ(ReadFile(path()).value(), bytes_);
  EXPECT_EQ(bytes_.size() % kAlignment, 0U);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(CacheFileTest, TruncatedAtEveryOffset) {
  for (std::size_t size = 0; size < bytes_.size(); size += 7)
    ExpectRefused(bytes_.substr(0, size), "cut at " + std::to_string(size));
  ExpectRefused(bytes_.substr(0, bytes_.size() - 1), "cut at the last byte");
  ExpectRefused(bytes_ + '\0', "one byte more");
}

// Truncation that the header does not tell, since it was cut and patched up.
// A header that promises nothing, with every checksum right.
TEST_F(CacheFileTest, NoSections) {
  Header header;
  std::memcpy(&header, bytes_.data(), sizeof(header));
  header.section_count = 0;
  header.file_bytes = sizeof(header);
  header.directory_checksum = Checksum64("", 0);
  ExpectRefused(std::string(reinterpret_cast<const char*>(&header), sizeof(header)), "no sections");
}

TEST_F(CacheFileTest, SectionsBeyondTheEnd) {
  for (std::size_t size = sizeof(Header); size < bytes_.size(); size += kAlignment) {
    std::string cut = bytes_.substr(0, size);
    const std::uint64_t file_bytes = size;
    std::memcpy(cut.data() + offsetof(Header, file_bytes), &file_bytes, sizeof(file_bytes));
    ExpectRefused(cut, "cut at " + std::to_string(size));
  }
}

TEST_F(CacheFileTest, EverySingleFlippedBitIsSeen) {
  // What lies between the sections and in the reserved words of the header carries nothing.
  std::vector<bool> carries(bytes_.size(), false);
  Header header;
  std::memcpy(&header, bytes_.data(), sizeof(header));
  const std::size_t directory_end = sizeof(header) + header.section_count * sizeof(Section);
  for (std::size_t at = 0; at < directory_end; ++at)
    carries[at] = at < offsetof(Header, reserved) || at >= sizeof(header);
  for (std::size_t i = 0; i < header.section_count; ++i) {
    Section section;
    std::memcpy(&section, bytes_.data() + sizeof(header) + i * sizeof(section), sizeof(section));
    for (std::size_t at = 0; at < section.bytes; ++at) carries[section.offset + at] = true;
  }
  const int file = open(path().c_str(), O_WRONLY);
  ASSERT_GE(file, 0);
  for (std::size_t at = 0; at < bytes_.size(); ++at) {
    const char damaged = static_cast<char>(bytes_[at] ^ (1 << (at % 8)));
    ASSERT_EQ(pwrite(file, &damaged, 1, static_cast<off_t>(at)), 1);
    ASSERT_EQ(ReadCacheFile(path(), kKey).ok(), !carries[at]) << "bit flipped in byte " << at;
    ASSERT_EQ(pwrite(file, &bytes_[at], 1, static_cast<off_t>(at)), 1);
  }
  close(file);
}

TEST_F(CacheFileTest, OtherVersionOtherKeyOtherFile) {
  std::string other = bytes_;
  const std::uint32_t version = kCacheVersion + 1;
  std::memcpy(other.data() + offsetof(Header, version), &version, sizeof(version));
  ExpectRefused(other, "another version");
  EXPECT_EQ(ReadBytes(bytes_, {kKey.high, kKey.low + 1}).status().code(), StatusCode::kBadData);
  EXPECT_EQ(ReadBytes(bytes_, {kKey.low, kKey.high}).status().code(), StatusCode::kBadData);
  ExpectRefused(std::string(4096, 'x'), "something else");
  ExpectRefused("", "an empty file");
  fs::remove(path());
  EXPECT_EQ(ReadCacheFile(path(), kKey).status().code(), StatusCode::kNotFound);
  EXPECT_TRUE(ReadBytes(bytes_).ok());
}

// Checksums find damage; what finds an index out of range is the check behind them.
TEST_F(CacheFileTest, IndexesOutOfRange) {
  EXPECT_TRUE(ReadBytes(With<std::uint32_t>(3, 0, 0)).ok()) << "another name, but a sound one";
  const auto rows = static_cast<std::uint32_t>(trace_.row_count());
  const auto strings = static_cast<std::uint32_t>(trace_.strings.size());
  ExpectRefused(With<std::uint32_t>(3, 0, strings), "name");
  ExpectRefused(With<std::uint32_t>(4, 0, static_cast<std::uint32_t>(trace_.tracks.size())),
                "track");
  ExpectRefused(With<std::uint8_t>(5, 0, kEventKindCount), "kind");
  ExpectRefused(With<std::uint8_t>(6, 0, static_cast<std::uint8_t>(trace_.categories.size())),
                "category");
  ExpectRefused(With<std::uint32_t>(11, 3, rows), "parent");
  ExpectRefused(With<std::uint32_t>(11, 3, 3), "a row that is its own parent");
  ExpectRefused(With<std::uint32_t>(11, 0, 1), "a parent behind its child");
  ExpectRefused(With<std::uint32_t>(12, 0, rows), "link");
  ExpectRefused(With<std::uint32_t>(30, 1, rows), "kernel of a launch");
  ExpectRefused(With<std::uint32_t>(31, 0, rows), "forward op");
  ExpectRefused(With<std::uint32_t>(32, 1, kNoRow), "wait of a record");
  ExpectRefused(With<std::uint32_t>(33, 6, rows), "mark of a step");
  ExpectRefused(With<std::uint32_t>(20, 4, 1), "begin of the first track");
  ExpectRefused(With<std::uint32_t>(20, 5, rows + 1), "end of a track");
  ExpectRefused(With<std::uint32_t>(20, 6, strings), "name of a track");
  ExpectRefused(With<std::uint8_t>(20, 32, 5), "domain of a track");
  ExpectRefused(With<std::uint32_t>(21, 12, 1), "collective of a kernel");
  ExpectRefused(With<std::uint32_t>(22, 4, strings), "name of a collective");
  ExpectRefused(With<std::uint32_t>(22, 15, rows), "row of a collective");
  ExpectRefused(With<std::uint32_t>(24, 0, strings), "input dims of an op");
  ExpectRefused(With<std::uint32_t>(24, 7, 1), "collective of an op");
  // The fourth word is the source with its padding: 3 of the runtime row, before 5 of the copy.
  ExpectRefused(With<std::uint64_t>(28, 3, 100), "ids out of order");
  ExpectRefused(With<std::uint64_t>(102, 0, 1), "the empty string has text");
  ExpectRefused(With<std::uint64_t>(102, strings - 1, trace_.strings.text().size() + 1), "text");
  ExpectRefused(With<std::uint64_t>(102, 2, 0), "ends of strings out of order");
}

TEST_F(CacheFileTest, SideTableIndexesOutOfRange) {
  for (Row row = 0; row < trace_.row_count(); ++row) {
    if (trace_.aux[row] == kNoAux) continue;
    ExpectRefused(With<std::uint32_t>(10, row, 100), std::string(ToString(trace_.kind[row])));
  }
  const auto first = [&](EventKind kind) {
    return static_cast<std::size_t>(std::find(trace_.kind.begin(), trace_.kind.end(), kind) -
                                    trace_.kind.begin());
  };
  const auto strings = static_cast<std::uint32_t>(trace_.strings.size());
  ExpectRefused(With<std::uint32_t>(10, first(EventKind::kRuntime), strings), "a kernel's name");
  ASSERT_LT(first(EventKind::kOther), trace_.row_count());
  ExpectRefused(With<std::uint32_t>(10, first(EventKind::kOther), 0), "a kind that has none");
}

// A value that stands at the right place and is of the right range, but contradicts another one.
TEST_F(CacheFileTest, ColumnsThatDoNotFitTogether) {
  const auto row_of = [&](EventKind kind) {
    return static_cast<std::size_t>(std::find(trace_.kind.begin(), trace_.kind.end(), kind) -
                                    trace_.kind.begin());
  };
  const std::size_t kernel = row_of(EventKind::kKernel);
  const std::size_t call = row_of(EventKind::kRuntime);
  const std::size_t copy = row_of(EventKind::kMemcpy);
  const std::size_t wait = row_of(EventKind::kDeviceSync);
  ASSERT_EQ(trace_.link[kernel], call);
  ASSERT_EQ(trace_.parent[1], 0U);

  EXPECT_TRUE(ReadBytes(With<std::int64_t>(1, copy, 7001)).ok()) << "a later copy is sound";
  ExpectRefused(With<std::int64_t>(1, copy, 0), "rows of a track out of order");
  ExpectRefused(With<std::int64_t>(1, copy, INT64_MAX), "a time beyond all");
  ExpectRefused(With<std::int64_t>(1, 0, INT64_MIN), "a time before all");
  ExpectRefused(With<std::int64_t>(2, copy, -2), "a negative duration");
  ExpectRefused(With<std::int64_t>(2, copy, INT64_MAX), "an end beyond all");
  ExpectRefused(With<std::uint32_t>(4, kernel, 0), "a row on a track that does not hold it");
  ExpectRefused(With<EventKind>(5, copy, EventKind::kCpuOp), "an op on a stream");
  ExpectRefused(With<EventKind>(5, row_of(EventKind::kOther), EventKind::kMemset),
                "device work on a thread");
  ExpectRefused(With<std::uint32_t>(7, 0, static_cast<std::uint32_t>(trace_.meta.event_count)),
                "an event that the file does not have");
  ExpectRefused(With<std::int64_t>(8, kernel, 9), "a launch of another correlation");
  ExpectRefused(With<Row>(11, 1, kNoRow), "a parent that is not told");
  ExpectRefused(With<Row>(11, copy, static_cast<Row>(kernel)), "work inside of work");
  ExpectRefused(With<Row>(12, call, kNoRow), "a call that does not know its kernel");
  ExpectRefused(With<Row>(12, kernel, kNoRow), "a kernel that does not know its call");
  ExpectRefused(With<Row>(12, kernel, 0), "a launch by an op");
  ExpectRefused(With<Row>(12, copy, static_cast<Row>(call)), "work that the pairs do not name");
  ExpectRefused(With<Row>(30, 0, 0), "a pair whose call is an op");
  ExpectRefused(With<Row>(30, 1, static_cast<Row>(copy)), "a pair of work that has another call");
  ExpectRefused(With<Row>(31, 0, static_cast<Row>(kernel)), "a kernel as forward op");
  ExpectRefused(With<Row>(32, 0, 0), "an op that records");
  ExpectRefused(With<Row>(32, 1, static_cast<Row>(kernel)), "a kernel that waits");
  ExpectRefused(With<std::int64_t>(27, 0, 7), "a wait for another record");
  ExpectRefused(With<std::uint32_t>(22, 15, 0), "a collective's row that does not carry it");
  ExpectRefused(With<std::int64_t>(33, 2, -1), "a step that ends before it begins");
  ExpectRefused(With<std::uint8_t>(33, 28, 2), "a flag of a step");
  ExpectRefused(With<Row>(33, 6, static_cast<Row>(kernel)), "a kernel as mark");
  ExpectRefused(With<std::int64_t>(20, 0, INT64_MAX), "tracks out of order");
  ExpectRefused(With<std::uint32_t>(21, 8, 0x7FC00000U), "an occupancy that is no number");
  ExpectRefused(With<char>(101, 0, '\xFF'), "text that is not UTF-8");
  ExpectRefused(With<std::int64_t>(2, wait, 100'000'000), "an end behind the trace's");
}

TEST_F(CacheFileTest, StringsThatDivideACharacter) {
  const auto source =
      OpenByteSource(std::string_view(R"({"traceEvents":[{"ph":"X","name":"é","ts":1,"dur":1},
      {"ph":"X","name":"b","ts":3,"dur":1}]})"));
  trace_ = std::move(kineto::ReadTrace(*source, "trace.json")).value();
  ASSERT_TRUE(WriteCacheFile(trace_, kKey, path()).ok());
  bytes_ = ReadFile(path()).value();
  ASSERT_TRUE(ReadBytes(bytes_).ok());
  const auto& ends = trace_.strings.ends();
  for (std::size_t id = 1; id < ends.size(); ++id) {
    if (trace_.strings.Get(static_cast<StringId>(id)) != "é") continue;
    ASSERT_LT(id + 1, ends.size()) << "another string follows";
    ExpectRefused(With<std::uint64_t>(102, id, ends[id] - 1), "half a character");
  }
}

// The meta record begins with the path; numbers behind it are at known places.
TEST_F(CacheFileTest, MetaThatDoesNotFit) {
  const std::size_t base = 8 + trace_.meta.path.size();
  const auto with = [&](std::size_t at, std::int64_t value) {
    std::string bytes = bytes_;
    for (int byte = 0; byte < 8; ++byte) {
      const std::string other = With<char>(kMetaSection, at + static_cast<std::size_t>(byte),
                                           static_cast<char>(value >> (8 * byte)));
      bytes_ = other;
    }
    return std::exchange(bytes_, bytes);
  };
  ExpectRefused(with(base, INT64_MAX), "a base beyond all times");
  ExpectRefused(with(base, INT64_MIN), "a base before all times");
  const std::size_t end = EncodeMeta(trace_).size();
  ExpectRefused(with(end - 8, trace_.finish_ns + 1), "an end that no row has");
  ExpectRefused(with(end - 16, trace_.begin_ns - 1), "a beginning that no row has");
  std::size_t counts = base + 8 + 1 + 8 + 8;
  for (const std::string* text : {&trace_.meta.format, &trace_.meta.backend, &trace_.meta.host_name,
                                  &trace_.meta.trace_id, &trace_.meta.distributed_info})
    counts += 8 + text->size();
  ExpectRefused(with(counts, 3), "fewer events than rows");
  ExpectRefused(with(counts, -1), "more events than can be counted");
  ExpectRefused(with(counts + 8, INT64_MAX), "more flow points than events");
}

}  // namespace
}  // namespace rankscope::columnar
