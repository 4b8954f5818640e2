#include "serving/binned_tables.h"

#include "schemas/serving.h"
#include "serving/over_time.h"
#include "serving/requests/batch_sizes.h"

namespace rankscope::serving {
namespace {

Value Of(const std::optional<Quantiles>& quantiles, double Quantiles::*what) {
  return quantiles ? Value((*quantiles).*what) : Value(kNull);
}

}  // namespace

Table OverTimeTable(const Analysis& analysis, std::int64_t origin) {
  const auto& schema = SchemaOf<ServingOverTime>();
  auto table = schema.NewTable(std::string(ServingOverTime::kName));
  const std::vector<TimeBin> bins = OverTime(analysis);
  for (const TimeBin& bin : bins) {
    // Of a clock of its own the first bin begins with the first arrival.
    const std::int64_t from = bin.has_wall_clock ? origin : bins.front().begin;
    table.Add({schema.begin_ns = bin.begin - from, schema.end_ns = bin.end - from,
               schema.level = bin.level >= 0 ? Value(std::int64_t{bin.level}) : Value(kNull),
               schema.requests = bin.requests, schema.failed = bin.failed,
               schema.ttft_p50_ns = Of(bin.ttft, &Quantiles::p50),
               schema.ttft_p90_ns = Of(bin.ttft, &Quantiles::p90),
               schema.ttft_p99_ns = Of(bin.ttft, &Quantiles::p99),
               schema.tpot_p50_ns = Of(bin.tpot, &Quantiles::p50),
               schema.tpot_p90_ns = Of(bin.tpot, &Quantiles::p90),
               schema.tpot_p99_ns = Of(bin.tpot, &Quantiles::p99),
               schema.e2e_p50_ns = Of(bin.e2e, &Quantiles::p50),
               schema.e2e_p90_ns = Of(bin.e2e, &Quantiles::p90),
               schema.e2e_p99_ns = Of(bin.e2e, &Quantiles::p99),
               schema.slowest_request =
                   bin.slowest ? Value(static_cast<std::int64_t>(*bin.slowest)) : Value(kNull)});
  }
  return table;
}

Table BatchSizesTable(const Analysis& analysis) {
  const auto& schema = SchemaOf<ServingBatchSizes>();
  auto table = schema.NewTable(std::string(ServingBatchSizes::kName));
  for (const SizeRow& row : BySize(analysis.data.iterations)) {
    table.Add({schema.kind = ToString(row.kind), schema.least = row.least, schema.most = row.most,
               schema.iterations = row.iterations, schema.requests = row.requests,
               schema.mean_ns = row.mean_ns, schema.p50_ns = row.p50_ns, schema.p99_ns = row.p99_ns,
               schema.context_tokens = row.context_tokens, schema.tokens_per_s = row.tokens_per_s});
  }
  return table;
}

}  // namespace rankscope::serving
