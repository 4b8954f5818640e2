#include "analysis/across/collective_events.h"

#include <fmt/core.h>

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <deque>
#include <map>
#include <set>
#include <string>

#include "facts/gloo_transfer.h"
#include "facts/launch_parts.h"
#include "facts/window_pieces.h"
#include "facts/windows.h"
#include "job/collective_op.h"
#include "job/collective_partial.h"
#include "job/rank_list.h"
#include "job/rank_work.h"
#include "table/move_tables.h"

namespace rankscope {
namespace {

// What is known of a kernel's collective.
struct Found {
  const CollectiveArgs* args = nullptr;
  Row op = kNoRow;  // of communication, around the launch
};

class CollectivesOfTrace {
 public:
  CollectivesOfTrace(const TraceFacts& facts, const MapOptions& options)
      : facts_(facts),
        trace_(facts.trace()),
        windows_(Windows::OfHost(facts, options.steps)),
        steps_(options.steps),
        parts_(trace_, windows_),
        groups_(GroupsOfCollectives()),
        events_(CollectiveEvents()),
        exposed_(ExposedStretches()) {
    for (const ProcessGroup& group : trace_.meta.process_groups)
      by_name_.emplace(group.name, &group);
  }

  std::vector<Table> Run() {
    FindCommunicationOps();
    FindQueuers();
    std::vector<Row> rows;
    for (const DeviceTime& device : facts_.devices()) {
      for (const Row row : device.work) {
        if (facts_.classes().Of(row) == WorkClass::kCommunication) rows.push_back(row);
      }
    }
    for (Row row = 0; row < trace_.row_count(); ++row) {
      if (IsCollectiveOfGloo(trace_, row)) rows.push_back(row);
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [&](Row a, Row b) { return trace_.ts_ns[a] < trace_.ts_ns[b]; });
    for (const Row row : rows) AddEvent(row);
    AddSilentGroups();
    AddExposed();
    RankWork work = WorkOf(trace_);
    for (const DeviceTime& device : facts_.devices())
      work.device_rows += static_cast<std::int64_t>(device.work.size());
    return MoveTables(std::move(groups_), std::move(events_), std::move(exposed_),
                      RankWorkTable(work));
  }

 private:
  std::int64_t Absolute(std::int64_t t) const { return trace_.meta.base_ns + t; }

  // The innermost op around each row that is named after a collective, and the innermost with
  // arguments.
  void FindCommunicationOps() {
    std::vector<std::uint8_t> is_op(trace_.strings.size());
    for (StringId id = 0; id < is_op.size(); ++id) {
      const std::string_view name = trace_.strings.Get(id);
      is_op[id] = name.starts_with("c10d::") || name.starts_with("nccl:") ||
                  name.starts_with("record_param_comms");
    }
    named_.assign(trace_.row_count(), kNoRow);
    with_args_.assign(trace_.row_count(), kNoRow);
    for (const Track& track : trace_.tracks) {
      if (track.domain != Domain::kHost) continue;
      for (Row row = track.begin; row < track.end; ++row) {
        if (const Row around = trace_.parent[row]; around != kNoRow) {
          named_[row] = named_[around];
          with_args_[row] = with_args_[around];
        }
        const bool has_ops =
            trace_.kind[row] == EventKind::kCpuOp || trace_.kind[row] == EventKind::kUserAnnotation;
        if (!has_ops) continue;
        if (is_op[trace_.name[row]] != 0 && OpOfName(trace_.name_of(row)) != CollectiveOp::kUnknown)
          named_[row] = row;
        const bool has_args =
            trace_.aux[row] != kNoAux && trace_.ops[trace_.aux[row]].collective != kNoAux;
        if (has_args) with_args_[row] = row;
      }
    }
  }

  Found Find(Row row) const {
    Found found;
    if (trace_.kind[row] == EventKind::kKernel && trace_.aux[row] != kNoAux) {
      const std::uint32_t own = trace_.kernels[trace_.aux[row]].collective;
      if (own != kNoAux) found.args = &trace_.collectives[own];
    }
    const Row call = CallOf(row);
    if (call == kNoRow) return found;
    found.op = named_[call];
    if (found.args == nullptr && with_args_[call] != kNoRow)
      found.args = &trace_.collectives[trace_.ops[trace_.aux[with_args_[call]]].collective];
    return found;
  }

  // The host's row that launched a kernel; an op of the host itself.
  Row CallOf(Row row) const {
    return trace_.kind[row] == EventKind::kKernel ? trace_.link[row] : row;
  }

  CollectiveOp OpOf(Row row, const Found& found) const {
    if (found.args != nullptr) {
      const CollectiveOp op = OpOfName(trace_.strings.Get(found.args->name));
      if (op != CollectiveOp::kUnknown) return op;
    }
    if (!trace_.name_of(row).starts_with("gloo:")) {
      const CollectiveOp by_kernel = OpOfKernel(trace_.name_of(row));
      // NCCL does several ops by sends and receives.
      const bool is_vague =
          by_kernel == CollectiveOp::kUnknown || by_kernel == CollectiveOp::kSendReceive;
      if (!is_vague || found.op == kNoRow) return by_kernel;
    }
    return OpOfName(trace_.name_of(found.op == kNoRow ? row : found.op));
  }

  // The stream of the work; gloo's threads take the collectives of a group in turns.
  std::uint32_t StreamOf(Row row) const {
    constexpr std::uint32_t kOfGloo = kNoAux - 1;
    const bool has_one_group = trace_.meta.process_groups.size() < 2;
    return has_one_group && IsCollectiveOfGloo(trace_, row) ? kOfGloo : trace_.track[row];
  }

  // Of a stated group by its name; else by the stream.
  std::int64_t GroupOf(Row row, const CollectiveArgs* args) {
    const bool has_args =
        args != nullptr && (args->group_name != kEmptyString || args->group_ranks != kEmptyString);
    const StringId name_id = has_args ? args->group_name : kEmptyString;
    const StringId listed = has_args ? args->group_ranks : kEmptyString;
    const std::uint32_t stream = has_args ? kNoAux : StreamOf(row);
    const auto [place, is_new] =
        known_.try_emplace({name_id, listed, stream}, static_cast<std::int64_t>(known_.size()));
    if (!is_new) return place->second;
    // What gloo does states no group; where there is one, it is that.
    const bool is_of_only_group =
        !has_args && trace_.meta.process_groups.size() == 1 && IsCollectiveOfGloo(trace_, row);
    const bool is_stated = has_args || is_of_only_group;
    only_group_is_seen_ |= is_of_only_group;
    const std::string_view name = is_of_only_group
                                      ? std::string_view(trace_.meta.process_groups[0].name)
                                      : trace_.strings.Get(name_id);
    std::string description(has_args ? trace_.strings.Get(args->group_desc) : "");
    std::int64_t size = has_args ? args->group_size : -1;
    std::vector<std::int64_t> ranks = RanksOfText(trace_.strings.Get(listed), -1);
    const auto [first, last] = by_name_.equal_range(is_stated ? name : std::string_view());
    for (auto known = first; is_stated && known != last; ++known) {
      const ProcessGroup& group = *known->second;
      if (description.empty()) description = group.description;
      if (ranks.empty()) ranks = group.ranks;
    }
    if (ranks.empty()) ranks = RanksOfText(trace_.strings.Get(listed), size);
    if (size < 0 && !ranks.empty()) size = static_cast<std::int64_t>(ranks.size());
    // Streams have other numbers on every rank; the order in which they are first used has not.
    const std::string shown = is_stated ? std::string(name) : fmt::format("stream {}", ++streams_);
    const std::string packed = PackRanks(ranks);
    groups_.Add({of_group_.name = shown, of_group_.description = description,
                 of_group_.ranks = packed.empty() ? Value(kNull) : Value(std::string_view(packed)),
                 of_group_.size = size > 0 ? Value(size) : Value(kNull),
                 of_group_.is_stated = is_stated});
    return place->second;
  }

  // Groups that the metadata knows and that exchanged nothing.
  void AddSilentGroups() {
    std::set<std::string_view> seen;
    for (const auto& [key, group] : known_) seen.insert(trace_.strings.Get(std::get<0>(key)));
    if (only_group_is_seen_) return;
    for (const ProcessGroup& group : trace_.meta.process_groups) {
      if (group.ranks.size() < 2 || !seen.insert(group.name).second) continue;
      const std::string packed = PackRanks(group.ranks);
      groups_.Add({of_group_.name = group.name, of_group_.description = group.description,
                   of_group_.ranks = packed,
                   of_group_.size = static_cast<std::int64_t>(group.ranks.size()),
                   of_group_.is_stated = true});
    }
  }

  // Elements of the first input of an op without arguments: "[[6144],[6144],[],[]]" has 6144.
  std::int64_t ElementsOf(Row op) const {
    if (op == kNoRow || trace_.aux[op] == kNoAux) return -1;
    std::string_view dims = trace_.strings.Get(trace_.ops[trace_.aux[op]].input_dims);
    if (!dims.starts_with("[[")) return -1;
    dims = dims.substr(2, dims.find(']') - 2);
    if (dims.empty()) return -1;
    std::int64_t elements = 1;
    std::int64_t size = 0;
    for (const char c : dims) {
      if (c == ',') {
        if (__builtin_mul_overflow(elements, size, &elements)) return -1;
        size = 0;
      } else if (c < '0' || c > '9' || __builtin_mul_overflow(size, 10, &size) ||
                 __builtin_add_overflow(size, c - '0', &size)) {
        return -1;
      }
    }
    return __builtin_mul_overflow(elements, size, &elements) ? -1 : elements;
  }

  // "[\"float\",...]" of that input.
  std::string_view DtypeOf(Row op) const {
    if (op == kNoRow || trace_.aux[op] == kNoAux) return {};
    std::string_view types = trace_.strings.Get(trace_.ops[trace_.aux[op]].input_types);
    if (!types.starts_with("[\"")) return {};
    types = types.substr(2, types.find('"', 2) - 2);
    if (const std::size_t colon = types.rfind(':'); colon != std::string_view::npos)
      types.remove_prefix(colon + 1);
    return BytesOfCollectiveDtype(types) ? types : std::string_view();
  }

  // What queues a collective of gloo: "c10d::allreduce_" of the same input, by begin.
  void FindQueuers() {
    std::vector<Row> rows;
    for (Row row = 0; row < trace_.row_count(); ++row) {
      if (trace_.name_of(row).starts_with("c10d::") && named_[row] == row) rows.push_back(row);
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [&](Row a, Row b) { return trace_.ts_ns[a] < trace_.ts_ns[b]; });
    for (const Row row : rows) queuers_[QueueKeyOf(row, 1)].push_back(row);
  }

  // Op and sizes of the inputs: of "[[[1472]], [], []]", whose first one is a list (`depth` 1), and
  // of "[[1472]]".
  std::pair<CollectiveOp, std::string_view> QueueKeyOf(Row row, std::size_t depth) const {
    std::string_view dims;
    if (trace_.aux[row] != kNoAux)
      dims = trace_.strings.Get(trace_.ops[trace_.aux[row]].input_dims);
    dims = dims.substr(std::min(depth, dims.size()));
    const std::size_t end = dims.find("]]");
    return {OpOfName(trace_.name_of(row)), dims.substr(0, end)};
  }

  // Threads of gloo take up what was queued, two at a time: ranks agree on the order of queueing
  // alone.
  std::int64_t OrderOf(Row row) {
    if (!IsCollectiveOfGloo(trace_, row)) return trace_.ts_ns[row];
    const auto queue = queuers_.find(QueueKeyOf(row, 0));
    if (queue == queuers_.end() || queue->second.empty() ||
        trace_.ts_ns[queue->second.front()] > trace_.ts_ns[row])
      return trace_.ts_ns[row];
    const std::int64_t order = trace_.ts_ns[queue->second.front()];
    queue->second.pop_front();
    return order;
  }

  Interval SpanOf(Row row) const {
    if (IsCollectiveOfGloo(trace_, row)) return ExchangeOfGloo(trace_, row);
    return {trace_.ts_ns[row], trace_.ts_ns[row] + trace_.dur_ns[row]};
  }

  void AddEvent(Row row) {
    const std::size_t window = windows_.OfRow(row);
    if (window == Windows::kNone || trace_.dur_ns[row] < 0) return;
    const Found found = Find(row);
    const CollectiveOp op = OpOf(row, found);
    const CollectiveArgs* args = found.args;
    const auto known = [](std::int64_t value) { return value >= 0 ? Value(value) : Value(kNull); };
    const auto text = [&](StringId id) {
      const std::string_view value = trace_.strings.Get(id);
      return value.empty() || value == "[]" ? Value(kNull) : Value(value);
    };
    const bool has_args = args != nullptr;
    const Row shaped = found.op == kNoRow && IsCollectiveOfGloo(trace_, row) ? row : found.op;
    const Interval span = SpanOf(row);
    const std::int64_t in = has_args ? args->in_elements : ElementsOf(shaped);
    const std::int64_t peer = !has_args                      ? -1
                              : op == CollectiveOp::kSend    ? args->destination_rank
                              : op == CollectiveOp::kReceive ? args->source_rank
                                                             : -1;
    events_.Add(
        {of_event_.group = GroupOf(row, args), of_event_.op = static_cast<std::int64_t>(op),
         of_event_.dtype = has_args ? trace_.strings.Get(args->dtype) : DtypeOf(shaped),
         of_event_.in = known(in), of_event_.out = known(has_args ? args->out_elements : -1),
         of_event_.sequence = known(has_args ? args->sequence : -1), of_event_.peer = known(peer),
         of_event_.in_split = has_args ? text(args->in_split) : Value(kNull),
         of_event_.out_split = has_args ? text(args->out_split) : Value(kNull),
         of_event_.start_ns = Absolute(span.begin), of_event_.dur_ns = span.end - span.begin,
         of_event_.order_ns = Absolute(OrderOf(row)), of_event_.step = windows_[window].StepValue(),
         of_event_.is_step_marked = windows_[window].step && !windows_[window].inferred,
         of_event_.event = static_cast<std::int64_t>(trace_.source[row]),
         of_event_.part = static_cast<std::int64_t>(parts_.Of(CallOf(row), window))});
  }

  void AddExposed() {
    for (const DeviceTime& device : facts_.devices()) {
      const Windows windows = Windows::OfDevice(facts_, device, steps_);
      WindowPieces pieces(windows);
      for (const Interval& interval : device.exposed_communication) {
        pieces.DivideInPlace(interval, [&](std::size_t window, Interval part) {
          exposed_.Add({of_stretch_.begin_ns = Absolute(part.begin),
                        of_stretch_.end_ns = Absolute(part.end),
                        of_stretch_.step = windows[window].StepValue()});
        });
      }
    }
  }

  const TraceFacts& facts_;
  const RankTrace& trace_;
  Windows windows_;  // of the host
  StepFilter steps_;
  LaunchParts parts_;
  const CollectiveGroupPartial& of_group_ = SchemaOf<CollectiveGroupPartial>();
  const CollectiveEventPartial& of_event_ = SchemaOf<CollectiveEventPartial>();
  const ExposedPartial& of_stretch_ = SchemaOf<ExposedPartial>();
  TableOf<CollectiveGroupPartial> groups_;
  TableOf<CollectiveEventPartial> events_;
  TableOf<ExposedPartial> exposed_;
  std::map<std::tuple<StringId, StringId, std::uint32_t>, std::int64_t> known_;
  std::multimap<std::string_view, const ProcessGroup*>
      by_name_;  // those of one name in their order
  std::map<std::pair<CollectiveOp, std::string_view>, std::deque<Row>> queuers_;
  std::int64_t streams_ = 0;
  bool only_group_is_seen_ = false;  // by what gloo does
  std::vector<Row> named_, with_args_;
};

}  // namespace

std::vector<Table> MapCollectives(const TraceFacts& facts, const MapOptions& options) {
  return CollectivesOfTrace(facts, options).Run();
}

Mapper CollectivesMapper() {
  return {.name = "collective_members",
          .version = 6,
          .tables = CollectivePartialColumns(),
          .map = MapCollectives};
}

}  // namespace rankscope
