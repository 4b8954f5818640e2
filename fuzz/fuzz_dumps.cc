// Dumps of Flight Recorders and execution traces: any bytes are one that says what it can, beside a
// sound one, or a sentence.
#include <string>
#include <utility>
#include <vector>

#include "check_trace.h"
#include "formats/base/utf8.h"
#include "formats/et/join.h"
#include "formats/flight/reader.h"
#include "hang/analyse.h"
#include "input.h"
#include "report/hang/hang_report.h"

namespace rankscope::fuzz {
namespace {

constexpr const char* kPath = "fuzzed_1";

// Of rank 0 in groups that the seeds have, too.
constexpr std::string_view kSound = R"({"version":"2.4","entries":[
{"record_id":0,"collective_seq_id":1,"is_p2p":false,"process_group":["0","default_pg"],
 "profiling_name":"nccl:all_reduce","input_sizes":[[8]],"output_sizes":[[8]],"state":"scheduled"},
{"record_id":1,"p2p_seq_id":1,"is_p2p":true,"process_group":["0","default_pg"],
 "profiling_name":"nccl:send 0->1","input_sizes":[[8]],"output_sizes":[[8]],"state":"started"}],
"pg_config":{"0":{"name":"0","desc":"default_pg","ranks":"[0, 1, 2]"}}})";

void CheckSentence(const Status& status) {
  FUZZ_CHECK(status.code() == StatusCode::kBadData || status.code() == StatusCode::kResource);
  FUZZ_CHECK(status.message().starts_with(std::string(kPath) + ": "));
  FUZZ_CHECK(status.message().find('\n') == std::string::npos);
}

void CheckHang(Result<flight::FlightDump> dump) {
  if (!dump.ok()) return CheckSentence(dump.status());
  const auto source = OpenByteSource(kSound);
  auto sound = flight::ReadJson(*source, "rank_0");
  FUZZ_CHECK(sound.ok());
  dump->rank = 1;
  std::vector<flight::FlightDump> dumps;
  dumps.push_back(std::move(*sound));
  dumps.push_back(std::move(*dump));
  HangTables tables = AnalyseHang(dumps);
  // The send of rank 0 has not ended, whatever rank 1 says.
  FUZZ_CHECK(tables.collectives.row_count() >= 2);
  HangReport report;
  for (Table* table :
       {&tables.collectives, &tables.members, &tables.ranks, &tables.mismatches, &tables.notes})
    report.tables.push_back(std::move(*table));
  FUZZ_CHECK(!WriteHangText(report).empty());
  FUZZ_CHECK(IsUtf8(WriteHangJson(report)));
}

// Joins to a trace of the ops that the execution trace has, so that all of it is looked at.
void CheckJoin(const Result<et::ExecutionTrace>& execution, bool by_id) {
  if (!execution.ok()) return CheckSentence(execution.status());
  NameScope scope;
  EventBatch batch;
  scope.tracks.push_back({.first = 1, .second = 1, .domain = Domain::kHost});
  scope.track_ids.emplace(scope.tracks.back(), 0);
  std::vector<RecordId> ids;
  for (const et::Node& node : execution->nodes) {
    RawRow row;
    row.source = static_cast<std::uint32_t>(batch.rows.size());
    row.ts_ns = 10 * row.source;
    row.dur_ns = 5;
    row.kind = EventKind::kCpuOp;
    row.name = scope.strings.Intern(execution->strings.Get(node.name));
    row.category = scope.strings.Intern("cpu_op");
    ids.push_back({row.source, by_id ? node.record_id : -1});
    batch.rows.push_back(row);
  }
  batch.event_count = batch.rows.size();
  TraceBuilder builder;
  builder.Append(batch, scope, 0);
  RankTrace trace = std::move(builder).Finish({}, {});
  const et::Joined joined = et::Join(trace, *execution, ids);
  FUZZ_CHECK(joined.ops <= static_cast<std::int64_t>(trace.row_count()));
  FUZZ_CHECK(!et::JoinedInWords(joined, kPath).empty());
  CheckTrace(trace);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const Input input = Split(bytes, size);
  const auto source = OpenByteSource(input.data);
  switch (input.first % 3) {
    case 0:
      CheckHang(flight::ReadPickle(*source, kPath));
      break;
    case 1:
      CheckHang(flight::ReadJson(*source, kPath));
      break;
    default:
      CheckJoin(et::ReadExecutionTrace(*source, kPath), input.second % 2 == 0);
  }
  return 0;
}

}  // namespace rankscope::fuzz
