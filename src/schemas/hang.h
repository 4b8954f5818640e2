// The tables of `rankscope hang` (src/hang): conclusions from Flight Recorder dumps about a job
// that hangs.
#pragma once

#include <string_view>

#include "schemas/columns.h"
#include "table/schema.h"

namespace rankscope {

// Why a call has not ended: the values of FlightCollectives::verdict.
namespace hang_verdict {
inline constexpr std::string_view kMismatch = "mismatch";
inline constexpr std::string_view kCircle = "circle";
inline constexpr std::string_view kMissing = "missing";
inline constexpr std::string_view kNoDump = "no_dump";
inline constexpr std::string_view kUnknown = "unknown";
inline constexpr std::string_view kAllEntered = "all_entered";
inline constexpr std::string_view kWaits = "waits";
}  // namespace hang_verdict

// A rank's state in a call: the values of FlightMembers::state.
namespace hang_state {
inline constexpr std::string_view kMissing = "missing";
inline constexpr std::string_view kNoDump = "no_dump";
inline constexpr std::string_view kOverwritten = "overwritten";
}  // namespace hang_state

struct FlightCollectives : Schema<FlightCollectives> {
  static constexpr std::string_view kName = "flight_collectives";

  IntColumn id = Int("id", "", "of the pending call, by which other tables name it; from 1");
  StringColumn verdict = Text(
      "verdict",
      "why it has not ended: mismatch (its ranks do not call the same); circle (its ranks wait in "
      "each other's calls); missing (ranks have not entered it and wait for nothing); no_dump "
      "(entered by all of which there is a dump); unknown (whether ranks have entered it was "
      "overwritten); all_entered; waits (for the call in waits_for)");
  FlagColumn is_root = Flag("is_root", "it waits for no other call: where to look first");
  IntColumn waits_for =
      Int("waits_for", "", "id of the call that its first late rank stands in; null without one");
  IntColumn held_up = Int("held_up", "", "pending calls that wait for it, over others too");
  StringColumn group = Text("group", "name of the process group");
  StringColumn group_description =
      Text("group_description", "as the user described it; null where he did not");
  StringColumn kind = Text("kind", "collective, or p2p: a send and its receive");
  IntColumn sequence =
      Int("sequence", "",
          "collective_seq_id, the collective's number in its group; of p2p the number of the "
          "message from its sender to its receiver, null where older ones were overwritten");
  StringColumn op = Text("op", "what most of its ranks call, such as all_reduce");
  IntColumn sender = Int("sender", "", "rank that sends; null for collectives");
  IntColumn receiver = Int("receiver", "", "rank that receives; null for collectives");
  StringColumn input_sizes = Text("input_sizes", "shapes of the inputs, of most of its ranks");
  StringColumn output_sizes = Text("output_sizes", "shapes of the outputs");
  StringColumn dtypes = Text("dtypes", "of the inputs");
  IntColumn ranks = Int("ranks", "", "that must take part; null where no dump states the group");
  IntColumn entered = Int("entered", "", "ranks that have called it");
  IntColumn started =
      Int("started", "",
          "of these, ranks on whose device it is known to run; null where none says so, as without "
          "TORCH_NCCL_ENABLE_TIMING");
  IntColumn completed = Int("completed", "", "ranks on which it has ended");
  IntColumn missing = Int("missing", "", "ranks with a dump that have not called it");
  IntColumn no_dump = Int("no_dump", "", "ranks without a dump, of which nothing is known");
  IntColumn overwritten =
      Int("overwritten", "", "ranks of which the dump no longer tells whether they called it");
  IntColumn timed_out = Int("timed_out", "", "ranks whose watchdog gave it up");
  IntColumn timeout_ms = Int("timeout_ms", "ms", "after which watchdogs give it up");
  StringColumn line =
      Text("line",
           "where most ranks called it: the innermost frame that is not PyTorch's; null "
           "without stacks");
};
extern template const FlightCollectives& SchemaOf<FlightCollectives>();

struct FlightMembers : Schema<FlightMembers> {
  static constexpr std::string_view kName = "flight_members";

  IntColumn id = Int("id", "", "of the pending call (flight_collectives)");
  IntColumn rank = Int(column::Rank());
  StringColumn state =
      Text("state",
           "scheduled, started or completed as the rank's dump says; missing: it has not called "
           "it; no_dump; overwritten: its dump no longer tells; unknown");
  IntColumn record_id = Int("record_id", "", "number of the call on its rank; null if not there");
  StringColumn line = Text("line", "where the rank called it; null if not there");
};
extern template const FlightMembers& SchemaOf<FlightMembers>();

struct FlightRanks : Schema<FlightRanks> {
  static constexpr std::string_view kName = "flight_ranks";

  IntColumn rank = Int(column::Rank());
  FlagColumn has_dump = Flag("has_dump", "false: a group names the rank, and nothing else");
  StringColumn file = Text("file", "the dump");
  StringColumn version = Text("version", "of the dump's format");
  IntColumn calls = Int("calls", "", "that the dump holds");
  IntColumn lost = Int("lost", "", "older calls that were overwritten");
  IntColumn pending = Int("pending", "", "calls that have not ended");
  IntColumn stands_in =
      Int("stands_in", "", "id of the first that has not ended; null when all have");
  StringColumn last_op = Text("last_op", "the last call that the rank made");
  StringColumn last_group = Text("last_group", "process group of that");
  IntColumn last_sequence = Int("last_sequence", "", "number of that in its group");
  StringColumn last_state = Text("last_state", "state of that");
  StringColumn last_line = Text("last_line", "where it was made; null without stacks");
  StringColumn last_stack = Text("last_stack", "all its frames, the innermost first");
};
extern template const FlightRanks& SchemaOf<FlightRanks>();

struct FlightMismatches : Schema<FlightMismatches> {
  static constexpr std::string_view kName = "flight_mismatches";

  StringColumn group = Text("group", "name of the process group");
  StringColumn group_description = Text("group_description", "as the user described it");
  IntColumn sequence =
      Int("sequence", "", "number of the call in its group, of p2p as in flight_collectives");
  IntColumn rank = Int("rank", "", "the rank that calls something else than most");
  StringColumn what =
      Text("what",
           "what differs: op, order (it calls now what others call next, or before), "
           "input_sizes, output_sizes, dtypes");
  StringColumn found = Text("found", "of this rank");
  StringColumn expected = Text("expected", "of most ranks");
  IntColumn agreeing = Int("agreeing", "", "ranks that call what is expected");
  FlagColumn is_tie = Flag("is_tie", "as many ranks call something else, so that either may err");
  FlagColumn is_pending = Flag("is_pending", "the call has not ended on some rank");
  StringColumn line = Text("line", "where this rank called it");
  StringColumn expected_line = Text("expected_line", "where the others did");
  IntColumn later =
      Int("later", "", "later calls of the group that differ too, which may follow from this one");
};
extern template const FlightMismatches& SchemaOf<FlightMismatches>();

struct FlightNotes : Schema<FlightNotes> {
  static constexpr std::string_view kName = "flight_notes";

  StringColumn note = Text("note", "one sentence: what the dumps do not say, or say oddly");
};
extern template const FlightNotes& SchemaOf<FlightNotes>();

}  // namespace rankscope
