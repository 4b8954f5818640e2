// point_to_point and point_to_point_members: sends and the receives that they meet.
#include <algorithm>
#include <map>
#include <optional>

#include "analysis/across/across_fact.h"
#include "analysis/across/analyses.h"
#include "base/saturating.h"
#include "schemas/across.h"
#include "schemas/columns.h"
#include "statistics/statistics.h"
#include "table/schema.h"

namespace rankscope {
namespace {

struct PointToPoint : Schema<PointToPoint> {
  static constexpr std::string_view kName = "point_to_point";

  IntColumn source_rank = Int("source_rank", "", "the rank that sends");
  IntColumn destination_rank = Int("destination_rank", "", "the rank that receives");
  IntColumn bytes = Int("bytes", "bytes", "of each message; null when not known");
  IntColumn count = Int("count", "", "messages");
  IntColumn send_ns = Int("send_ns", "ns", "durations of the sends' kernels");
  IntColumn receive_ns = Int("receive_ns", "ns", "durations of the receives' kernels");
  IntColumn receiver_waits_ns =
      Int("receiver_waits_ns", "ns",
          "part of receive_ns before the send began, of the messages for which the clocks tell; "
          "null when they tell for none, as what follows");
  IntColumn sender_waits_ns =
      Int("sender_waits_ns", "ns", "part of send_ns before the receive began");
  RealColumn median_transfer_ns =
      Real("median_transfer_ns", "ns", "from the later begin to the receive's end");
  RealColumn bandwidth = Real("bandwidth", "bytes/s", "bytes / median_transfer_ns");
};

struct PointToPointSum {
  std::int64_t count = 0;
  std::int64_t send_ns = 0;
  std::int64_t receive_ns = 0;
  std::int64_t receiver_waits_ns = 0;
  std::int64_t sender_waits_ns = 0;
  std::vector<double> transfers;
};

Result<Table> ReducePointToPoint(const InputTables&, const JobContext& job, const Options&) {
  const AcrossFacts& facts = AcrossOf(job);
  const JobCollectives& all = facts.collectives();
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, PointToPointSum> sums;
  for (const SendReceive& pair : all.pairs()) {
    const CollectiveEvent& send = all.events()[pair.send];
    const CollectiveEvent& receive = all.events()[pair.receive];
    const auto element = BytesOfCollectiveDtype(all.text(send.dtype));
    const auto bytes =
        element ? BufferBytes(send.op, send.in, send.out, *element, 2) : std::nullopt;
    PointToPointSum& sum =
        sums[{all.ranks()[send.rank].rank, all.ranks()[receive.rank].rank, bytes.value_or(-1)}];
    ++sum.count;
    AddSaturating(sum.send_ns, send.dur_ns);
    AddSaturating(sum.receive_ns, receive.dur_ns);
    const std::int64_t receiver_waits = facts.WaitOf(pair.receive);
    if (receiver_waits == AcrossFacts::kUnknownWait) continue;
    AddSaturating(sum.receiver_waits_ns, receiver_waits);
    AddSaturating(sum.sender_waits_ns, facts.WaitOf(pair.send));
    // From the later begin to the receive's end.
    const std::int64_t sent = facts.Aligned(send.rank, send.start_ns);
    const std::int64_t received = facts.Aligned(receive.rank, receive.start_ns);
    const std::int64_t transfer =
        SaturatingSubtract(SaturatingAdd(received, receive.dur_ns), std::max(sent, received));
    sum.transfers.push_back(static_cast<double>(std::max<std::int64_t>(transfer, 0)));
  }
  const auto& columns = SchemaOf<PointToPoint>();
  auto table = columns.NewTable(std::string(PointToPoint::kName));
  for (auto& [key, sum] : sums) {
    const auto& [source, destination, bytes] = key;
    std::optional<double> median, bandwidth;
    if (!sum.transfers.empty()) {
      std::sort(sum.transfers.begin(), sum.transfers.end());
      median = Quantile(std::span<const double>(sum.transfers), 0.5);
      if (bytes >= 0 && *median > 0) bandwidth = static_cast<double>(bytes) / *median * 1e9;
    }
    const auto known = [&](std::int64_t ns) { return median ? Value(ns) : Value(kNull); };
    table.Add({columns.source_rank = source, columns.destination_rank = destination,
               columns.bytes = bytes >= 0 ? Value(bytes) : Value(kNull), columns.count = sum.count,
               columns.send_ns = sum.send_ns, columns.receive_ns = sum.receive_ns,
               columns.receiver_waits_ns = known(sum.receiver_waits_ns),
               columns.sender_waits_ns = known(sum.sender_waits_ns),
               columns.median_transfer_ns = median, columns.bandwidth = bandwidth});
  }
  return table;
}

Result<Table> ReduceMembers(const InputTables&, const JobContext& job, const Options&) {
  const AcrossFacts& facts = AcrossOf(job);
  const JobCollectives& all = facts.collectives();
  const auto& columns = SchemaOf<PointToPointMembers>();
  auto table = columns.NewTable(std::string(PointToPointMembers::kName));
  for (std::size_t message = 0; message < all.pairs().size(); ++message) {
    const SendReceive& pair = all.pairs()[message];
    for (const std::uint32_t side : {pair.send, pair.receive}) {
      const CollectiveEvent& event = all.events()[side];
      const std::int64_t wait = facts.WaitOf(side);
      const bool is_known = wait != AcrossFacts::kUnknownWait;
      table.Add(
          {columns.source_rank = all.ranks()[all.events()[pair.send].rank].rank,
           columns.destination_rank = all.ranks()[all.events()[pair.receive].rank].rank,
           columns.rank = all.ranks()[event.rank].rank, columns.op = ToString(event.op),
           columns.step = event.step == CollectiveEvent::kNoStep ? Value(kNull) : Value(event.step),
           columns.start_ns =
               SaturatingSubtract(facts.Aligned(event.rank, event.start_ns), job.origin_ns),
           columns.duration_ns = event.dur_ns,
           columns.wait_ns = is_known ? Value(wait) : Value(kNull),
           columns.transfer_ns = is_known ? Value(event.dur_ns - wait) : Value(kNull),
           columns.event = std::int64_t{event.source},
           columns.message = static_cast<std::int64_t>(message)});
    }
  }
  return table;
}

// How sends find their receives, for both tables.
constexpr std::string_view kPairs =
    "The k-th send from a rank to another one in a process group and step meets the k-th receive "
    "there; where some are missing, those alike in size and nearest in time meet. Sends and "
    "receives without a partner in the traces are left out; kernels that do several at once have "
    "no peer in the trace. Times are aligned (clocks). A kernel waits from its begin to the other "
    "side's, at most its duration; that is known where collectives link the two clocks, or sends "
    "that leave open at most 2% of the longer kernel.";

}  // namespace

const Analysis& PointToPointAnalysis() {
  static const Analysis kAnalysis = {
      .name = "point_to_point",
      .summary = "messages between ranks by pair and size: waiting, transfer, bandwidth",
      .definition = std::string(kPairs),
      .example = "rankscope table point_to_point traces/",
      .columns = SchemaOf<PointToPoint>().columns(),
      .facts = {&AcrossFact()},
      .derive = ReducePointToPoint,
  };
  return kAnalysis;
}

const Analysis& PointToPointMembersAnalysis() {
  static const Analysis kAnalysis = {
      .name = std::string(PointToPointMembers::kName),
      .size = Size::kDetail,
      .summary = "both sides of every message between ranks: when each began, how long it waited",
      .definition = std::string(kPairs),
      .example = "rankscope table point_to_point_members traces/ --format csv",
      .columns = SchemaOf<PointToPointMembers>().columns(),
      .facts = {&AcrossFact()},
      .derive = ReduceMembers,
  };
  return kAnalysis;
}

}  // namespace rankscope
