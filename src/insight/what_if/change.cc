#include "insight/what_if/change.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <tuple>

#include "analysis/op_models/modelled_ops.h"
#include "base/check.h"
#include "base/nearest_name.h"
#include "insight/all_rules.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/kernels/roof.h"
#include "insight/evidence/loss/absent_waits.h"
#include "insight/evidence/loss/gain_beside_replay.h"
#include "insight/evidence/loss/removal.h"
#include "insight/evidence/peers/kind_speed.h"
#include "insight/job_findings.h"
#include "insight/what_if/micro_batches.h"
#include "op_cost/peak_flops.h"
#include "peaks/device_peaks.h"
#include "schemas/layout.h"

namespace rankscope {
namespace {

constexpr std::array<ChangeForm, 11> kForms = {{
    {"idealise:rank=R", "compute and host work of a rank take what they take its peers"},
    {"idealise:stage=S", "the same of all ranks of a pipeline stage"},
    {"idealise:op=NAME", "work under an op takes its median over ranks and steps"},
    {"idealise:class=NAME", "the same of a class of kernels (table kernel_classes)"},
    {"idealise:rank=R|stage=S|op=NAME|class=NAME,to=roofline",
     "what the device's peaks allow at least, of ops whose cost is known (table roofline)"},
    {"scale:kind=K,factor=F[,rank=R][,op=NAME][,class=NAME]",
     "durations times F; K: compute, communication, copy, host"},
    {"remove:kind=K",
     "takes no time; K: sync, data, gc, checkpoint, compile, allocator, copies, launches"},
    {"cure:finding=ID", "without the cause of a finding of the job (table findings), as its gain"},
    {"overlap", "communication holds up nothing behind it on its stream"},
    {"balance", "every rank computes the mean of its peers in each step"},
    {"microbatches:count=N", "the pipeline does the step in N micro-batches, each smaller"},
}};

constexpr std::array<std::string_view, 4> kScaled = {"compute", "communication", "copy", "host"};
constexpr std::array<std::string_view, 8> kRemoved = {
    "sync", "data", "gc", "checkpoint", "compile", "allocator", "copies", "launches"};

template <typename Names>
Status NotAmong(std::string_view what, std::string_view given, const Names& names) {
  std::string all;
  for (const std::string_view name : names)
    all += fmt::format("{}{}", all.empty() ? "" : ", ", name);
  return Error(StatusCode::kInvalidArgument, "there is no {} '{}'; there are {}", what, given, all);
}

template <typename T>
Result<T> Number(std::string_view key, std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return Error(StatusCode::kInvalidArgument, "{} takes a number, not '{}'", key, text);
  return value;
}

Status Set(std::string_view key, std::string_view value, Change& change) {
  if (key == "kind") {
    change.kind = value;
  } else if (key == "op") {
    change.op = value;
  } else if (key == "class") {
    change.kernel_class = value;
  } else if (key == "finding") {
    if (RuleOf(value) == nullptr)
      return Error(StatusCode::kInvalidArgument, "in traces, {}",
                   NoSuchFinding(value, JobFindingNames()));
    change.finding = value;
  } else if (key == "rank") {
    RS_ASSIGN_OR_RETURN(change.rank, Number<std::int64_t>(key, value));
  } else if (key == "stage") {
    RS_ASSIGN_OR_RETURN(change.stage, Number<std::int64_t>(key, value));
  } else if (key == "count") {
    RS_ASSIGN_OR_RETURN(change.count, Number<std::int64_t>(key, value));
  } else if (key == "to") {
    if (value != "roofline")
      return NotAmong("ideal", value, std::array<std::string_view, 1>{"roofline"});
    change.to_roofline = true;
  } else if (key == "factor") {
    RS_ASSIGN_OR_RETURN(change.factor, Number<double>(key, value));
    if (!std::isfinite(*change.factor) || *change.factor < 0)
      return Error(StatusCode::kInvalidArgument, "factor takes a number of 0 or more, not '{}'",
                   value);
  } else {
    return NotAmong("key", key,
                    std::array<std::string_view, 9>{"kind", "op", "class", "rank", "stage",
                                                    "factor", "count", "to", "finding"});
  }
  return OkStatus();
}

Status Check(const Change& change) {
  const bool selects =
      change.rank || change.stage || !change.op.empty() || !change.kernel_class.empty();
  if (change.verb == "idealise" && !selects)
    return Error(StatusCode::kInvalidArgument, "idealise needs rank=, stage=, op= or class=");
  if (change.to_roofline && change.verb != "idealise")
    return Error(StatusCode::kInvalidArgument, "to=roofline is of idealise, not of {}",
                 change.verb);
  if (change.verb == "microbatches" && !change.count)
    return Error(StatusCode::kInvalidArgument, "microbatches needs count=");
  if (change.verb == "cure" && change.finding.empty())
    return Error(StatusCode::kInvalidArgument, "cure needs finding=");
  if (change.verb == "scale") {
    if (!change.factor) return Error(StatusCode::kInvalidArgument, "scale needs factor=");
    if (std::find(kScaled.begin(), kScaled.end(), change.kind) == kScaled.end())
      return NotAmong("kind to scale", change.kind, kScaled);
  }
  if (change.verb == "remove" &&
      std::find(kRemoved.begin(), kRemoved.end(), change.kind) == kRemoved.end())
    return NotAmong("kind to remove", change.kind, kRemoved);
  return OkStatus();
}

// The dense numbers of the ranks that a change is about; all without rank= and stage=.
Result<std::vector<bool>> RanksOf(const RuleInput& input, const Change& change) {
  const auto& ranks = input.across().collectives().ranks();
  std::vector<bool> chosen(ranks.size(), !change.rank && !change.stage);
  if (change.rank) {
    const auto found = input.across().collectives().NumberOf(*change.rank);
    if (!found)
      return Error(StatusCode::kInvalidArgument, "the recordings have no rank {}", *change.rank);
    chosen[*found] = true;
  }
  if (change.stage) {
    bool any = false;
    for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
      if (input.across().layout().places[rank].Of(Dimension::kPipeline) != *change.stage) continue;
      chosen[rank] = true;
      any = true;
    }
    if (!any)
      return Error(StatusCode::kInvalidArgument, "the job has no pipeline stage {}", *change.stage);
  }
  return chosen;
}

bool Matches(const Change& change, const NodeKind& kind) {
  return (change.op.empty() || kind.op == change.op || kind.name == change.op) &&
         (change.kernel_class.empty() ||
          (IsDevice(kind.work) && ToString(kind.kernel_class) == change.kernel_class));
}

bool IsOfKind(std::string_view name, Work work) {
  if (name == "compute") return work == Work::kCompute;
  if (name == "communication") return work == Work::kCommunication;
  if (name == "copy") return work == Work::kCopy;
  return !IsDevice(work);
}

// A name that nothing has is a slip, not a change without effect.
Status CheckAnyMatches(const Change& change, bool any) {
  if (any || (change.op.empty() && change.kernel_class.empty())) return OkStatus();
  return Error(StatusCode::kInvalidArgument,
               "'{}' changes nothing: no such work has that op, kernel or class (tables "
               "path_over_ranks, kernels_by_name and kernel_classes have their names)",
               change.text);
}

// What a node usually takes: at its place over peers and steps; where peers cannot tell (a rank has
// none, or all of them are slow) what kernels of its kind take other stages.
std::optional<std::int64_t> UsualOf(const RuleInput& input, NodeId node, const NodeKind& kind) {
  const std::int64_t now = input.graph().nodes()[node].duration_ns;
  if (kind.work == Work::kCompute) {
    const std::optional<double> share =
        input.Shared<KindSpeed>().UsualShare(input.RankOf(node), input.graph().nodes()[node].kind);
    if (share) return std::llround(*share * static_cast<double>(now));
  }
  const Typical& typical = IsDevice(kind.work) ? input.same_work() : input.alike();
  const std::int64_t usual = typical.DurationOf(node);
  return usual == Typical::kUnknown ? std::nullopt : std::optional(usual);
}

// Whether any of these ranks has peers, or kernels that other stages run, too.
bool IsComparable(const RuleInput& input, const std::vector<bool>& ranks) {
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
    if (ranks[rank] && input.peers().SizeFor(rank) > 1) return true;
  }
  bool is_comparable = false;
  input.ForEach([&](NodeId node, const NodeKind& kind) {
    const std::uint32_t rank = input.RankOf(node);
    is_comparable = is_comparable ||
                    (ranks[rank] && kind.work == Work::kCompute &&
                     input.Shared<KindSpeed>().UsualShare(rank, input.graph().nodes()[node].kind));
  });
  return is_comparable;
}

Status Idealise(const RuleInput& input, const Change& change, Scenario& scenario) {
  RS_ASSIGN_OR_RETURN(const std::vector<bool> ranks, RanksOf(input, change));
  bool any = false;
  for (NodeId node = 0; node < input.graph().nodes().size(); ++node) {
    const NodeKind& kind = input.graph().KindOf(node);
    // What ranks wait for in communication is not theirs to change.
    if (kind.work == Work::kCommunication || !ranks[input.RankOf(node)] || !Matches(change, kind))
      continue;
    any = true;
    if (const auto usual = UsualOf(input, node, kind)) scenario.SetDuration(node, *usual);
  }
  return CheckAnyMatches(change, any);
}

// Device work whose cost is known takes no longer than the device needs at least.
Status IdealiseToRoof(const RuleInput& input, const Change& change, Scenario& scenario) {
  RS_ASSIGN_OR_RETURN(const std::vector<bool> ranks, RanksOf(input, change));
  const std::vector<const DevicePeaks*> peaks = PeaksOfRanks(input);
  bool any = false;
  for (NodeId node = 0; node < input.graph().nodes().size(); ++node) {
    const NodeKind& kind = input.graph().KindOf(node);
    const std::uint32_t rank = input.RankOf(node);
    if (kind.work != Work::kCompute || !ranks[rank] || !Matches(change, kind) ||
        peaks[rank] == nullptr)
      continue;
    const bool on_matrix_cores = UnitsOfKernel(kind.name) != KernelUnits::kVectorUnits;
    const double roof =
        RoofNs(kind, *peaks[rank], PeakFlops(*peaks[rank], kind.dtype, on_matrix_cores).value);
    if (roof <= 0) continue;
    any = true;
    scenario.SetDuration(node,
                         std::min(scenario.DurationOf(node), std::int64_t{std::llround(roof)}));
  }
  if (any) return OkStatus();
  return Error(StatusCode::kInvalidArgument,
               "of '{}' no cost or no peak of the device is known (tables roofline, device_peaks)",
               change.text);
}

Status Scale(const RuleInput& input, const Change& change, Scenario& scenario) {
  RS_ASSIGN_OR_RETURN(const std::vector<bool> ranks, RanksOf(input, change));
  bool any = false;
  for (NodeId node = 0; node < input.graph().nodes().size(); ++node) {
    const NodeKind& kind = input.graph().KindOf(node);
    if (!ranks[input.RankOf(node)] || !IsOfKind(change.kind, kind.work) || !Matches(change, kind))
      continue;
    any = true;
    scenario.SetDuration(
        node, std::llround(*change.factor * static_cast<double>(scenario.DurationOf(node))));
  }
  return CheckAnyMatches(change, any);
}

void RemoveSyncs(const JobGraph& graph, Scenario& scenario) {
  for (std::size_t edge = 0; edge < graph.edge_count(); ++edge) {
    if (graph.edge(edge).kind == DependencyKind::kSync) scenario.Cut(edge);
  }
}

void RemoveWork(const RuleInput& input, std::string_view kind, Scenario& scenario) {
  const JobGraph& graph = input.graph();
  const auto is_one = [&](const NodeKind& of) {
    if (kind == "data") return of.work == Work::kDataLoading;
    if (kind == "gc") return of.work == Work::kGarbage;
    if (kind == "checkpoint") return of.work == Work::kCheckpoint;
    if (kind == "compile") return of.work == Work::kCompile;
    if (kind == "allocator") return of.work == Work::kAllocator;
    return of.work == Work::kLaunchCall;
  };
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    if (!is_one(graph.KindOf(node))) continue;
    scenario.SetDuration(node, 0);
    const auto edges = graph.EdgesOf(node);
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (edges[i].kind == DependencyKind::kSync) scenario.Cut(graph.nodes()[node].first_edge + i);
    }
  }
}

void Balance(const RuleInput& input, Scenario& scenario) {
  std::map<std::tuple<std::uint32_t, std::uint32_t>, std::vector<double>>
      sums;  // group, step: ranks
  const JobGraph& graph = input.graph();
  const auto key_of = [&](NodeId node) {
    return std::tuple(input.peers().group_of[input.RankOf(node)], graph.StepOf(node));
  };
  const auto for_each = [&](const auto& visit) {
    for (NodeId node = 0; node < graph.nodes().size(); ++node) {
      if (graph.KindOf(node).work == Work::kCompute && graph.StepOf(node) != kNoStep) visit(node);
    }
  };
  for_each([&](NodeId node) {
    std::vector<double>& of_ranks = sums[key_of(node)];
    of_ranks.resize(input.ranks(), 0);
    of_ranks[input.RankOf(node)] += static_cast<double>(scenario.DurationOf(node));
  });
  std::map<std::tuple<std::uint32_t, std::uint32_t>, double> mean;
  for (const auto& [key, of_ranks] : sums) {
    double sum = 0;
    for (const double ns : of_ranks) sum += ns;
    mean[key] = sum / static_cast<double>(input.peers().of[std::get<0>(key)].size());
  }
  for_each([&](NodeId node) {
    const double own = sums[key_of(node)][input.RankOf(node)];
    if (own > 0)
      scenario.SetDuration(node, std::llround(static_cast<double>(scenario.DurationOf(node)) *
                                              mean[key_of(node)] / own));
  });
}

Result<Cause> CauseOfFinding(const RuleInput& input, const Change& change) {
  std::optional<Cause> cause = CauseOf(*RuleOf(change.finding), input);
  if (cause) return *std::move(cause);
  return Error(StatusCode::kInvalidArgument, "the job has no finding {} (table findings)",
               change.finding);
}

}  // namespace

std::span<const ChangeForm> ChangeForms() { return kForms; }

Result<Change> ParseChange(std::string_view text) {
  static constexpr std::array<std::string_view, 7> kVerbs = {
      "idealise", "scale", "remove", "cure", "overlap", "balance", "microbatches"};
  Change change;
  change.text = text;
  const std::size_t colon = text.find(':');
  change.verb = text.substr(0, colon);
  if (std::find(kVerbs.begin(), kVerbs.end(), change.verb) == kVerbs.end()) {
    const std::vector<std::string> verbs(kVerbs.begin(), kVerbs.end());
    const std::string_view nearest = NearestName(change.verb, verbs);
    return Error(StatusCode::kInvalidArgument,
                 "there is no change '{}'; {}rankscope whatif --list has all", change.verb,
                 nearest.empty() ? "" : fmt::format("did you mean {}? ", nearest));
  }
  std::string_view rest = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    const std::string_view word = rest.substr(0, comma);
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos)
      return Error(StatusCode::kInvalidArgument, "'{}' is no KEY=VALUE of a change", word);
    RS_RETURN_IF_ERROR(Set(word.substr(0, equals), word.substr(equals + 1), change));
    rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
  }
  RS_RETURN_IF_ERROR(Check(change));
  return change;
}

Status ApplyChange(const RuleInput& input, const Change& change, Scenario& scenario) {
  const JobGraph& graph = input.graph();
  if (change.verb == "microbatches") return OkStatus();  // SavedBeside
  if (change.verb == "idealise")
    return change.to_roofline ? IdealiseToRoof(input, change, scenario)
                              : Idealise(input, change, scenario);
  if (change.verb == "scale") return Scale(input, change, scenario);
  if (change.verb == "cure") {
    RS_ASSIGN_OR_RETURN(const Cause cause, CauseOfFinding(input, change));
    if (!GainBesideReplay(input, cause) && cause.without) scenario.Apply(*cause.without);
    return OkStatus();
  }
  if (change.verb == "balance") {
    Balance(input, scenario);
  } else if (change.verb == "overlap") {
    for (NodeId node = 0; node < graph.nodes().size(); ++node) {
      if (graph.KindOf(node).work == Work::kCommunication) scenario.Overlap(node);
    }
  } else if (change.kind == "sync") {
    RemoveSyncs(graph, scenario);
  } else if (change.kind == "copies") {
    std::vector<bool> copies(graph.nodes().size(), false);
    for (NodeId node = 0; node < graph.nodes().size(); ++node)
      copies[node] = graph.KindOf(node).work == Work::kCopy;
    Remove(WithLaunches(graph, std::move(copies)), scenario);
  } else {
    RemoveWork(input, change.kind, scenario);
  }
  return OkStatus();
}

Result<std::string_view> NoteOn(const RuleInput& input, const Change& change) {
  if (change.verb != "idealise" || change.to_roofline || (!change.rank && !change.stage))
    return std::string_view();
  RS_ASSIGN_OR_RETURN(const std::vector<bool> ranks, RanksOf(input, change));
  if (IsComparable(input, ranks)) {
    return std::string_view(input.Shared<AbsentWaits>().most < kLowGain
                                ? ""
                                : "some ranks were not recorded, and the others wait for them as "
                                  "recorded, whatever changes: more may be gained");
  }
  return std::string_view(
      "no other rank does the same work: compared with its own other steps alone; "
      "scale:kind=compute,rank=R,factor=F says what a faster device would gain");
}

Result<double> SavedBeside(const RuleInput& input, const Change& change) {
  if (change.verb == "cure") {
    RS_ASSIGN_OR_RETURN(const Cause cause, CauseOfFinding(input, change));
    return GainBesideReplay(input, cause).value_or(0);
  }
  if (change.verb != "microbatches") return 0.0;
  const auto pipeline = input.Find<Pipeline>();
  RS_CHECK(pipeline, "whatif does not list {}", Pipeline::kName);
  return SavedByMicroBatches(*pipeline, input.step_ns(), *change.count);
}

}  // namespace rankscope
