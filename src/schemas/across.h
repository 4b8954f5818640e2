// The tables of communication between ranks that other code reads.
#pragma once

#include <string_view>

#include "schemas/columns.h"
#include "table/schema.h"

namespace rankscope {

struct Clocks : Schema<Clocks> {
  static constexpr std::string_view kName = "clocks";

  IntColumn rank = Int(column::Rank());
  StringColumn host = Text("host", "host name; null when the trace does not state it");
  FlagColumn aligned =
      Flag("aligned",
           "false: neither collectives nor sends in both directions link the rank with another "
           "one, so its clock is taken as it is");
  IntColumn reference_rank =
      Int("reference_rank", "",
          "the rank whose clock counts for this one, the lowest that collectives (or sends) link "
          "it with; null when not aligned, as all that follows");
  StringColumn linked_by =
      Text("linked_by", "what links it with its reference: collectives, or only sends");
  IntColumn offset_ns = Int("offset_ns", "ns",
                            "its clock less the reference's, at the median end of all collectives");
  RealColumn drift_ppm = Real("drift_ppm", "ppm",
                              "how much faster its clock runs than the reference's; null when "
                              "that is not significant, or less over the recording than the "
                              "uncertainty");
  IntColumn uncertainty_ns =
      Int("uncertainty_ns", "ns",
          "95% of single ends of collectives lie within this of the fit; 2 us at least, what ends "
          "cannot show; of ranks linked by sends what these leave open, too");
  IntColumn collectives = Int("collectives", "", "that the fit goes through");
  IntColumn violations =
      Int("violations", "",
          "collectives that it ends, by these clocks, before their last member begins, by "
          "more than both uncertainties");
  IntColumn worst_violation_ns =
      Int("worst_violation_ns", "ns", "by how much at most; null without any");
  IntColumn send_violations =
      Int("send_violations", "",
          "its sends and receives of which the receive ends, by these clocks, before the "
          "send begins, by more than both uncertainties");
};
extern template const Clocks& SchemaOf<Clocks>();

struct CollectiveRanks : Schema<CollectiveRanks> {
  static constexpr std::string_view kName = "collective_ranks";

  IntColumn rank = Int(column::Rank());
  IntColumn collectives = Int("collectives", "", "in which its waiting is known");
  IntColumn device_ns = Int("device_ns", "ns", "durations of its kernels in these");
  IntColumn wait_ns = Int("wait_ns", "ns", "part of that before the last member came");
  IntColumn transfer_ns =
      Int("transfer_ns", "ns", "the rest, with waiting for ranks that were not recorded");
  RealColumn wait_pct = Real("wait_pct", "%", "wait_ns of device_ns");
  IntColumn last_count = Int(
      "last_count", "", "collectives to which it came last, by more than the clocks leave open");
  RealColumn last_pct =
      Real("last_pct", "%", "last_count of collectives; with equal ranks 100 / members");
  IntColumn lead_ns =
      Int("lead_ns", "ns",
          "how much later than the one before it, summed over the collectives of last_count: what "
          "they would gain if it alone were on time");
  IntColumn caused_wait_ns =
      Int("caused_wait_ns", "ns",
          "waiting of all members in collectives to which it came last; members that come "
          "within 5% of the skew or what clocks leave open of the last share it");
  IntColumn unmatched =
      Int("unmatched", "",
          "collectives of which no other member was found, or whose members do not agree, "
          "or whose clocks are not known");
};
extern template const CollectiveRanks& SchemaOf<CollectiveRanks>();

struct ExposedCommunication : Schema<ExposedCommunication> {
  static constexpr std::string_view kName = "exposed_communication";

  IntColumn rank = Int(column::Rank());
  IntColumn step = Int(column::StepOfDevice());
  IntColumn exposed_ns = Int("exposed_ns", "ns", "communication that no computing hides");
  IntColumn transfer_ns = Int("transfer_ns", "ns",
                              "part of that in which any collective is past its last "
                              "arrival, or any message past the begin of both sides");
  IntColumn wait_ns =
      Int("wait_ns", "ns", "part in which the rank waits for another one, and none of them");
  IntColumn unknown_ns =
      Int("unknown_ns", "ns",
          "the rest: sends, receives and collectives of which no other side was found, whose "
          "clocks are not known, or some of whose ranks were not recorded");
  RealColumn wait_pct = Real("wait_pct", "%", "wait_ns of exposed_ns");
};
extern template const ExposedCommunication& SchemaOf<ExposedCommunication>();

struct ExposedByRank : Schema<ExposedByRank> {
  static constexpr std::string_view kName = "exposed_by_rank";

  IntColumn rank = Int("rank", "", "the rank; null: all ranks together");
  IntColumn exposed_ns = Int("exposed_ns", "ns", "communication that no computing hides");
  IntColumn wait_ns = Int("wait_ns", "ns", "part of that in which it only waits for other ranks");
  IntColumn transfer_ns = Int("transfer_ns", "ns", "part in which something is transferred");
  IntColumn unknown_ns = Int("unknown_ns", "ns", "the rest: waiting or transfer, not known which");
  RealColumn wait_share_pct = Real("wait_share_pct", "%", "waiting, of device time");
  RealColumn transfer_share_pct = Real("transfer_share_pct", "%", "transfer, of device time");
  RealColumn unknown_share_pct =
      Real("unknown_share_pct", "%", "waiting or transfer, not known which, of device time");
};
extern template const ExposedByRank& SchemaOf<ExposedByRank>();

struct PointToPointMembers : Schema<PointToPointMembers> {
  static constexpr std::string_view kName = "point_to_point_members";

  IntColumn source_rank = Int("source_rank", "", "the rank that sends");
  IntColumn destination_rank = Int("destination_rank", "", "the rank that receives");
  IntColumn rank = Int("rank", "", "whose kernel this is: one of the two");
  StringColumn op = Text("op", "send or recv");
  IntColumn step = Int(column::StepOfLaunch());
  IntColumn start_ns = Int("start_ns", "ns", "begin of its kernel from the job's origin, aligned");
  IntColumn duration_ns = Int("duration_ns", "ns", "of its kernel");
  IntColumn wait_ns = Int(
      "wait_ns", "ns", "part before the other side's kernel began; null when clocks do not tell");
  IntColumn transfer_ns = Int(
      "transfer_ns", "ns",
      "the rest of its duration; null as wait_ns, and where ranks of the group are missing, for "
      "which it may wait, too");
  IntColumn event = Int("event", "", "index of the event in its file");
  IntColumn message = Int("message", "", "number of the message: its two rows have the same");
};
extern template const PointToPointMembers& SchemaOf<PointToPointMembers>();

struct CollectiveSizes : Schema<CollectiveSizes> {
  static constexpr std::string_view kName = "collective_sizes";

  StringColumn groups =
      Text("groups", "the process groups' description and size: those alike are one row");
  IntColumn group_count = Int("group_count", "", "so many groups");
  StringColumn op = Text("op", "all_reduce, all_gather, ...");
  StringColumn dtype = Text("dtype", "null when not known");
  IntColumn bytes = Int("bytes", "bytes", "the full buffer of each; null when not known");
  IntColumn count = Int("count", "", "collectives");
  IntColumn incomplete =
      Int("incomplete", "", "of these, those whose members were not all found, or do not agree");
  IntColumn device_ns = Int("device_ns", "ns", "durations on all members, summed");
  RealColumn share_pct = Real("share_pct", "%", "device_ns of all collectives");
  RealColumn wait_pct =
      Real("wait_pct", "%",
           "part of device_ns before the last member came, where that is known; null where "
           "it never is, as what follows");
  RealColumn median_skew_ns =
      Real("median_skew_ns", "ns", "from the first member's begin to the last one's");
  RealColumn median_transfer_ns =
      Real("median_transfer_ns", "ns", "from the last begin to the last end");
  RealColumn max_transfer_ns = Real("max_transfer_ns", "ns", "the longest");
  IntColumn outliers = Int(
      "outliers", "", "transfers at least 3.5 robust deviations above the median and 20% longer");
  RealColumn bus_bandwidth = Real("bus_bandwidth", "bytes/s", "of the median transfer");
  RealColumn fit_latency_ns =
      Real("fit_latency_ns", "ns",
           "transfer of an empty collective of this op in these groups, by a line through "
           "the medians of three sizes or more (Theil and Sen); null without");
  RealColumn fit_bus_bandwidth =
      Real("fit_bus_bandwidth", "bytes/s", "of a very large one, by that line");
  RealColumn link_peak =
      Real("link_peak", "bytes/s",
           "of a device's links to the others of its host, in one direction (device_peaks), "
           "for groups whose members were all recorded, on one host and on one kind of "
           "device; else what the option link says; null without");
  RealColumn link_pct =
      Real("link_pct", "%",
           "bus_bandwidth of link_peak; above 100 where switches reduce (NVLink SHARP)");
};
extern template const CollectiveSizes& SchemaOf<CollectiveSizes>();

struct AllToAll : Schema<AllToAll> {
  static constexpr std::string_view kName = "all_to_all";

  StringColumn groups =
      Text("groups", "the process groups' description and size: those alike are one matrix");
  IntColumn source_rank = Int("source_rank", "", "the rank that sends");
  IntColumn destination_rank =
      Int("destination_rank", "", "the rank that receives, itself among them");
  IntColumn count = Int("count", "", "all-to-alls of which the split sizes are known");
  RealColumn bytes = Real("bytes", "bytes", "sent in these");
  RealColumn share_pct =
      Real("share_pct", "%", "bytes of all that the source sends in these groups");
  RealColumn min_bytes = Real("min_bytes", "bytes", "in the one in which it was least");
  RealColumn max_bytes = Real("max_bytes", "bytes", "in the one in which it was most");
  IntColumn left_out =
      Int("left_out", "", "pairs of ranks that the table does not have, in every row the same");
};
extern template const AllToAll& SchemaOf<AllToAll>();

struct CollectiveMembers : Schema<CollectiveMembers> {
  static constexpr std::string_view kName = "collective_members";

  StringColumn group =
      Text("group", "name of the process group, or the stream in traces without metadata");
  IntColumn ordinal = Int("ordinal", "", "number of the collective in its group, from 0");
  IntColumn rank = Int(column::Rank());
  StringColumn op =
      Text("op", "all_reduce, all_gather, ...; sends and receives are in point_to_point");
  IntColumn step = Int(column::StepOfLaunch());
  IntColumn start_ns = Int("start_ns", "ns", "begin of its kernel from the job's origin, aligned");
  IntColumn duration_ns = Int("duration_ns", "ns", "of its kernel");
  IntColumn wait_ns =
      Int("wait_ns", "ns",
          "part before the last member came; null for a collective of one known member, of "
          "members that do not agree or whose clocks are not known");
  IntColumn transfer_ns = Int(
      "transfer_ns", "ns",
      "the rest of its duration; null as wait_ns, and where ranks of the group are missing, for "
      "which it may wait, too");
  FlagColumn is_last =
      Flag("is_last", "it came last; false for all when the clocks do not tell who did");
  IntColumn event = Int("event", "", "index of the event in its file");
  IntColumn collective = Int("collective", "", "number of the collective over all groups");
};
extern template const CollectiveMembers& SchemaOf<CollectiveMembers>();

struct ExposedByGroup : Schema<ExposedByGroup> {
  static constexpr std::string_view kName = "exposed_by_group";

  StringColumn group =
      Text("group", "process group as described, else its name; null where the trace states none");
  StringColumn op = Text("op", "the collective's name; of a kernel that states none, the kernel's");
  IntColumn ranks = Int("ranks", "", "ranks that took part");
  IntColumn count = Int("count", "", "kernels, on all ranks");
  IntColumn total_ns = Int("total_ns", "ns", "sum of their durations");
  IntColumn exposed_ns =
      Int("exposed_ns", "ns", "time that no computing hides and that is this row's alone");
  RealColumn share_pct = Real("share_pct", "%", "exposed_ns of all exposed communication");
  RealColumn exposed_pct = Real("exposed_pct", "%", "exposed_ns of total_ns");
};
extern template const ExposedByGroup& SchemaOf<ExposedByGroup>();

}  // namespace rankscope
