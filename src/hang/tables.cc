#include "hang/tables.h"

#include <fmt/core.h>

#include <utility>
#include <vector>

#include "schemas/hang.h"

namespace rankscope {
namespace {

template <typename T>
TableEntry Of(std::string summary, std::string definition) {
  return {.name = std::string(T::kName),
          .summary = std::move(summary),
          .definition = std::move(definition),
          .example = fmt::format("rankscope hang dumps/ --table {}", T::kName),
          .subject = Subject::kDumps,
          .columns = SchemaOf<T>().columns()};
}

}  // namespace

std::span<const TableEntry> HangTableList() {
  static const std::vector<TableEntry> kTables = {
      Of<FlightCollectives>(
          "calls that have not ended, and why; where to look first comes first",
          "A row for each pending call: one that a rank has made and that has not ended there. "
          "Calls of ranks are one when process group and number agree (collectives), or sender, "
          "receiver and place in the order of their messages. A rank stands in the first of its "
          "pending calls, or its batch. A call waits for those in which the ranks stand that have "
          "not made it, or have made it and not started it; one that all have made waits for the "
          "calls of its batch that not all have. is_root: it waits for no other, or for those of "
          "its own circle alone. ranks = entered + missing + no_dump + overwritten. Roots come "
          "first, in the order mismatch, circle, missing, no_dump, unknown, all_entered; then by "
          "held_up. Source: dumps of PyTorch's Flight Recorder, format 2.x."),
      Of<FlightMembers>(
          "how each rank stands to each of these calls",
          "A row for each pending call of flight_collectives and each rank that takes part in it. "
          "state is the dump's own for a rank that made the call. One that did not is missing when "
          "its dump would hold the call, overwritten when it may have lost it: the dump was cut "
          "off, holds a later collective of the group, or holds none of it and has lost older "
          "calls. Without a dump it is no_dump."),
      Of<FlightRanks>(
          "where each rank stands and what it called last",
          "A row for each rank that has a dump or is in a process group that some dump states. "
          "pending counts its calls that have not ended; stands_in is the first of them. The last "
          "call is the newest in the dump; what closes a batch counts only where there is nothing "
          "else."),
      Of<FlightMismatches>(
          "the first call of each process group that is not the same on all",
          "A row for each rank that calls something else than most ranks do, in the first call of "
          "its process group (of messages: of its sender and receiver) that differs. Op, sizes of "
          "inputs, sizes of outputs and types are compared in this order, and the first that "
          "differs is told; what may differ between ranks is not compared (sizes of all_to_all and "
          "of ops with _v in their name, inputs of a scatter, outputs of a gather). Of a message "
          "what the receiver takes is compared with what the sender sends. In an all_to_all, what "
          "all ranks send must be what all receive: then the "
          "row is of no rank. what is order when the rank calls next what the others call now, and "
          "now what one of them calls next. later counts further calls that differ, which may only "
          "follow from this one, since calls are matched by their numbers."),
      Of<FlightNotes>(
          "what the dumps do not say, or say oddly",
          "A sentence for each thing that limits the other tables: a dump without calls, one that "
          "was cut off or has entries that cannot be read, one whose rank is not in a process "
          "group that it states, dumps without stacks or of different formats, batches of messages "
          "of which only the end is left."),
  };
  return kTables;
}

const TableEntry* FindHangTable(std::string_view name) { return FindEntry(HangTableList(), name); }

}  // namespace rankscope
