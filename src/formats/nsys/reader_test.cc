// Exports of Nsight Systems made by hand, with the tables and columns that a test is about.
#include "formats/nsys/reader.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <zlib.h>

#include <filesystem>
#include <string>

#include "base/check.h"
#include "base/file.h"
#include "formats/format.h"
#include "formats/nsys/environment.h"

namespace rankscope::nsys {
namespace {

using ::testing::HasSubstr;
using namespace std::string_view_literals;

// Process 1000 (of the machine with id 1), thread 1001.
constexpr std::int64_t kProcess = (std::int64_t{1} << 48) + (std::int64_t{1000} << 24);
constexpr std::int64_t kThread = kProcess + 1001;
constexpr std::int64_t kOther = (std::int64_t{1} << 48) + (std::int64_t{2000} << 24);

// The bytes of a database in which `sql` was run; {P}, {T} and {O} are the ids above.
std::string Export(std::string sql) {
  for (const auto& [word, id] : {std::pair("{P}", kProcess), {"{T}", kThread}, {"{O}", kOther}}) {
    for (std::size_t at = 0; (at = sql.find(word)) != std::string::npos;)
      sql.replace(at, 3, std::to_string(id));
  }
  sqlite3* database = nullptr;
  RS_CHECK(sqlite3_open(":memory:", &database) == SQLITE_OK, "no database");
  char* message = nullptr;
  EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &message), SQLITE_OK) << message;
  sqlite3_int64 size = 0;
  unsigned char* const bytes = sqlite3_serialize(database, "main", &size, 0);
  std::string copy(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  sqlite3_free(bytes);
  sqlite3_close(database);
  return copy;
}

constexpr std::string_view kSession = R"sql(
CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
INSERT INTO StringIds VALUES (1,'add(float*)'),(2,'cudaLaunchKernel_v7000'),(3,'main'),
  (4,'forward'),(5,'cudaMemcpyAsync_v3020'),(6,'read');
CREATE TABLE TARGET_INFO_SESSION_START_TIME(utcEpochNs INTEGER);
INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1700000000000000000);
CREATE TABLE TARGET_INFO_SYSTEM_ENV(name TEXT, value TEXT);
)sql";

constexpr std::string_view kWork = R"sql(
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start,end,deviceId,contextId,streamId,correlationId,
  globalPid,demangledName,registersPerThread,gridX,gridY,gridZ,blockX,blockY,blockZ,
  staticSharedMemory,dynamicSharedMemory);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (100,350,0,1,7,41,{P},1,26,4,2,1,256,1,1,16,1024);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start,end,deviceId,streamId,correlationId,globalPid,bytes,
  copyKind,srcKind,dstKind);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (400,500,0,7,42,{P},4096,1,0,2);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start,end,eventClass,globalTid,correlationId,nameId);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (9,21,67,{T},41,2),(10,20,0,{T},41,2),
  (30,40,1,{T},42,5);
CREATE TABLE NVTX_EVENTS(start,end,eventType,text,globalTid,textId);
INSERT INTO NVTX_EVENTS VALUES (5,50,59,NULL,{T},4),(6,NULL,34,'here',{T},NULL),
  (7,600,60,'async',{T},NULL),(8,NULL,59,'open',{T},NULL),(0,NULL,75,'domain',{T},NULL);
)sql";

Result<RankTrace> Read(std::string_view bytes) {
  RS_ASSIGN_OR_RETURN(const Database database, Database::Open(bytes, "out.sqlite"));
  return ReadTrace(database, "out.sqlite");
}
Result<RankTrace> ReadSql(std::string_view first, std::string_view second = "") {
  return Read(Export(std::string(first) + std::string(second)));
}

Row Find(const RankTrace& trace, std::string_view name) {
  for (Row row = 0; row < trace.row_count(); ++row) {
    if (trace.name_of(row) == name) return row;
  }
  return kNoRow;
}

TEST(Nsys, KernelsCopiesCallsAndRanges) {
  const auto trace = ReadSql(kSession, kWork);
  ASSERT_TRUE(trace.ok()) << trace.status().message();
  EXPECT_EQ(trace->row_count(), 7u);
  EXPECT_EQ(trace->meta.bad_event_count, 1u) << "the range that was never closed";
  EXPECT_EQ(trace->meta.base_ns, 1700000000000000000);
  EXPECT_EQ(trace->meta.rank, -1);

  const Row kernel = Find(*trace, "add(float*)");
  ASSERT_NE(kernel, kNoRow);
  EXPECT_EQ(trace->kind[kernel], EventKind::kKernel);
  EXPECT_EQ(trace->ts_ns[kernel], 100);
  EXPECT_EQ(trace->dur_ns[kernel], 250);
  const KernelArgs& args = trace->kernels[trace->aux[kernel]];
  EXPECT_EQ(args.grid, (std::array<std::int32_t, 3>{4, 2, 1}));
  EXPECT_EQ(args.block, (std::array<std::int32_t, 3>{256, 1, 1}));
  EXPECT_EQ(args.registers_per_thread, 26);
  EXPECT_EQ(args.shared_memory_bytes, 1040);
  EXPECT_EQ(args.occupancy_pct, -1);

  // Once, though two classes of events have it.
  const Row launch = trace->link[kernel];
  ASSERT_NE(launch, kNoRow);
  EXPECT_EQ(trace->name_of(launch), "cudaLaunchKernel");
  EXPECT_EQ(trace->ts_ns[launch], 10);
  EXPECT_EQ(trace->track_of(launch).first, 1000);
  EXPECT_EQ(trace->track_of(launch).second, 1001);
  EXPECT_EQ(trace->name_of(trace->parent[launch]), "forward");

  const Row copy = Find(*trace, "Memcpy HtoD (Pageable -> Device)");
  ASSERT_NE(copy, kNoRow);
  EXPECT_EQ(trace->copies[trace->aux[copy]].bytes, 4096);
  EXPECT_EQ(trace->name_of(trace->link[copy]), "cudaMemcpyAsync");

  const Row across = Find(*trace, "async");
  ASSERT_NE(across, kNoRow);
  EXPECT_EQ(trace->track_of(across).domain, Domain::kOther);
  EXPECT_EQ(trace->kind[Find(*trace, "here")], EventKind::kInstant);
}

TEST(Nsys, MpiCallsAreRangesOfTheirThread) {
  const auto trace = ReadSql(kSession, std::string(kWork) + R"sql(
      INSERT INTO StringIds VALUES (7,'MPI_Send'),(8,'MPI_Allreduce');
      CREATE TABLE MPI_P2P_EVENTS(start,end,globalTid,textId,size,tag,remoteRank);
      INSERT INTO MPI_P2P_EVENTS VALUES (700,800,{T},7,4096,0,1);
      CREATE TABLE MPI_COLLECTIVES_EVENTS(start,end,globalTid,textId,size);
      INSERT INTO MPI_COLLECTIVES_EVENTS VALUES (900,950,{T},8,8);)sql");
  ASSERT_TRUE(trace.ok()) << trace.status().message();
  const Row send = Find(*trace, "MPI_Send");
  ASSERT_NE(send, kNoRow);
  EXPECT_EQ(trace->kind[send], EventKind::kUserAnnotation);
  EXPECT_EQ(trace->ts_ns[send], 700);
  EXPECT_EQ(trace->dur_ns[send], 100);
  EXPECT_EQ(trace->track_of(send).second, 1001);
  EXPECT_NE(Find(*trace, "MPI_Allreduce"), kNoRow);
}

TEST(Nsys, MissingColumnsAreUnknown) {
  const auto trace = ReadSql(kSession, R"sql(
      CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start,end,globalPid,deviceId,streamId);
      INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1,5,{P},0,7),(9,4,{P},0,7),
        ('x',5,{P},0,7),(NULL,NULL,{P},0,7);)sql");
  ASSERT_TRUE(trace.ok()) << trace.status().message();
  ASSERT_EQ(trace->row_count(), 2u);
  EXPECT_EQ(trace->meta.bad_event_count, 2u);
  EXPECT_EQ(trace->name_of(0), "");
  EXPECT_EQ(trace->dur_ns[0], 4);
  EXPECT_EQ(trace->dur_ns[1], kNoDuration);
  const KernelArgs& args = trace->kernels[trace->aux[0]];
  EXPECT_EQ(args.grid[0], -1);
  EXPECT_EQ(args.registers_per_thread, -1);
  EXPECT_EQ(args.shared_memory_bytes, -1);
  EXPECT_EQ(trace->correlation[0], kNoCorrelation);
}

TEST(Nsys, EveryProcessWithWorkIsATrace) {
  const std::string bytes = Export(std::string(kSession) + R"sql(
      CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start,end,globalPid,deviceId,streamId,demangledName);
      INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1,5,{P},0,7,1),(1,5,{O},0,7,3),(6,9,{O},0,7,3);
      INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES
        ('DeviceEnvironment', CAST(x'52414e4b3d3100574f524c445f53495a453d3200' AS TEXT));)sql");
  const auto database = Database::Open(bytes, "out.sqlite");
  ASSERT_TRUE(database.ok());
  const auto first = ReadTrace(*database, "out.sqlite", 0);
  ASSERT_TRUE(first.ok()) << first.status().message();
  ASSERT_EQ(first->row_count(), 1u);
  EXPECT_EQ(first->name_of(0), "add(float*)");
  EXPECT_EQ(first->meta.rank, -1) << "the environment is that of nsys, not of one of both";
  for (const int part : {1, kWholeFile}) {
    const auto second = ReadTrace(*database, "out.sqlite", part);
    ASSERT_TRUE(second.ok());
    EXPECT_EQ(second->row_count(), 2u);
    EXPECT_EQ(second->name_of(0), "main");
  }
}

TEST(Nsys, TheEnvironmentNamesTheRank) {
  const auto trace = ReadSql(kSession, std::string(kWork) + R"sql(
      INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES ('Hostname','box'),
        ('DeviceEnvironment', CAST(x'52414e4b3d3100574f524c445f53495a453d3200' AS TEXT));)sql");
  ASSERT_TRUE(trace.ok()) << trace.status().message();
  EXPECT_EQ(trace->meta.rank, 1);
  EXPECT_EQ(trace->meta.world_size, 2);
  EXPECT_EQ(trace->meta.host_name, "box");
}

TEST(Nsys, Environments) {
  const auto torchrun =
      ReadEnvironment("SLURM_PROCID=0\0SLURM_NTASKS=2\0RANK=5\0WORLD_SIZE=16\0"sv);
  EXPECT_EQ(torchrun.rank, 5);
  EXPECT_EQ(torchrun.world_size, 16);
  EXPECT_EQ(ReadEnvironment("SLURM_PROCID=1\0SLURM_NTASKS=2"sv).rank, 1);
  EXPECT_EQ(ReadEnvironment("RANK=2\0WORLD_SIZE=2\0"sv).rank, -1) << "no such rank";
  EXPECT_EQ(ReadEnvironment("RANK=1x\0WORLD_SIZE=2\0"sv).rank, -1);
  EXPECT_EQ(ReadEnvironment("RANK=1"sv).rank, -1) << "of unknown many";
  EXPECT_EQ(ReadEnvironment("HOSTNAME=box\0=\0\0"sv).host, "box");
  EXPECT_EQ(ReadEnvironment("").rank, -1);
}

TEST(Nsys, OtherDatabasesAreRefused) {
  const auto other = ReadSql("CREATE TABLE t(a); INSERT INTO t VALUES (1);");
  ASSERT_FALSE(other.ok());
  EXPECT_THAT(std::string(other.status().message()), HasSubstr("nsys export --type sqlite"));
  const auto empty = ReadSql(kSession);
  ASSERT_FALSE(empty.ok());
  EXPECT_THAT(std::string(empty.status().message()), HasSubstr("--trace=cuda"));
}

// A view is a program that the file's author wrote.
TEST(Nsys, ViewsAreNoTables) {
  const auto trace = ReadSql(R"sql(
      CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
      CREATE VIEW TARGET_INFO_SESSION_START_TIME AS WITH RECURSIVE n(i) AS
        (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT i AS utcEpochNs FROM n;)sql");
  ASSERT_FALSE(trace.ok());
  EXPECT_THAT(std::string(trace.status().message()), HasSubstr("not one of Nsight Systems"));
}

// Cut anywhere or with a byte flipped: an answer or a sentence.
TEST(Nsys, DamagedDatabases) {
  const std::string whole = Export(std::string(kSession) + std::string(kWork));
  std::size_t read = 0;
  for (std::size_t size = 0; size < whole.size(); size += 511) {
    const auto trace = Read(std::string_view(whole).substr(0, size));
    read += trace.ok();
    EXPECT_THAT(trace.ok() ? "out.sqlite: " : std::string(trace.status().message()),
                HasSubstr("out.sqlite: "));
  }
  for (std::size_t at = 0; at < whole.size(); at += 13) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x5A);
    const auto trace = Read(damaged);
    read += trace.ok();
    EXPECT_THAT(trace.ok() ? "out.sqlite: " : std::string(trace.status().message()),
                HasSubstr("out.sqlite: "));
  }
  EXPECT_GT(read, 0u);
}

TEST(Nsys, FilesPlainAndPacked) {
  namespace fs = std::filesystem;
  std::string folder = (fs::temp_directory_path() / "nsys_test_XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string bytes = Export(std::string(kSession) + std::string(kWork));
  const std::string plain = folder + "/a #1?.sqlite";
  ASSERT_TRUE(WriteFileAtomically(plain, bytes).ok());
  const std::string packed = folder + "/b.sqlite.gz";
  gzFile out = gzopen(packed.c_str(), "wb");
  gzwrite(out, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(out);
  for (const std::string& path : {plain, packed}) {
    const auto trace = ReadTraceFile(path);
    ASSERT_TRUE(trace.ok()) << trace.status().message();
    EXPECT_EQ(trace->meta.format, "Nsight Systems SQLite");
    EXPECT_EQ(trace->row_count(), 7u);
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 2) << "nothing is written beside it";
  fs::remove_all(folder);
}

}  // namespace
}  // namespace rankscope::nsys
