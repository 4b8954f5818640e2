#include "sim/model/cause.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>

namespace rankscope::sim {
namespace {

// What the jobs have that causes need, and the sentence for jobs that have not.
constexpr unsigned kEveryJob = ~0U;
constexpr unsigned kPipeline = Bit(JobKind::kThreeD);
constexpr std::string_view kPipelineNot = "it has no pipeline";
constexpr unsigned kExperts = Bit(JobKind::kMoe);
constexpr std::string_view kExpertsNot = "it has no experts";
constexpr unsigned kTables = Bit(JobKind::kDlrm);
constexpr std::string_view kTablesNot = "it has no embedding tables that are shared out";
constexpr unsigned kOwnModel = Bit(JobKind::kSingle) | Bit(JobKind::kPostTraining);
constexpr unsigned kDataParallel = Bit(JobKind::kDdp) | Bit(JobKind::kFsdp) | Bit(JobKind::kHsdp);
constexpr unsigned kHasLayers = kDataParallel | kPipeline | kOwnModel;
constexpr std::string_view kHasLayersNot = "it has no transformer layers";
constexpr unsigned kLoadsData =
    kDataParallel | kPipeline | kTables | kExperts | Bit(JobKind::kSingle);
constexpr std::string_view kLoadsDataNot = "it loads no batches of data";
constexpr unsigned kHasSequences = kDataParallel | Bit(JobKind::kPostTraining);
constexpr std::string_view kHasSequencesNot = "its ranks cannot differ in the length of sequences";
constexpr unsigned kCommunicates =
    kDataParallel | kPipeline | kTables | kExperts | Bit(JobKind::kPostTraining);
constexpr std::string_view kCommunicatesNot = "its rank communicates with nobody";
constexpr unsigned kBroadcasts = kDataParallel | kPipeline | kTables | kExperts;
constexpr std::string_view kBroadcastsNot = "it broadcasts no buffers";
constexpr unsigned kReducesBuckets = Bit(JobKind::kDdp) | kPipeline;
constexpr std::string_view kReducesBucketsNot =
    "only ddp and 3d jobs can cut their buckets in pieces";
constexpr unsigned kHidesCommunication = kDataParallel | kPipeline;
constexpr std::string_view kHidesCommunicationNot = "its collectives are where they must be";

constexpr std::array<CauseInfo, kCauseCount> kTable = {{
    {.id = CauseId::kSlowGpu,
     .name = "slow-gpu",
     .what = "the device of a rank runs the same kernels slower",
     .severity = "share of time added to every compute kernel",
     .default_severity = 0.5,
     .max_severity = 1000,
     .scope = Scope::kOneRank,
     .jobs = kEveryJob,
     .why_not = ""},
    {.id = CauseId::kSlowHost,
     .name = "slow-host",
     .what = "the processor of a rank is slower",
     .severity = "share of time added to everything that the host does",
     .default_severity = 5,
     .max_severity = 1000,
     .scope = Scope::kOneRank,
     .jobs = kEveryJob,
     .why_not = ""},
    {.id = CauseId::kDataStarvation,
     .name = "data-starvation",
     .what = "the data workers of all ranks are slower than the training",
     .severity = "share of a healthy step by which a batch takes longer than a step",
     .default_severity = 0.3,
     .max_severity = 100,
     .scope = Scope::kAllRanks,
     .jobs = kLoadsData,
     .why_not = kLoadsDataNot},
    {.id = CauseId::kDataStraggler,
     .name = "data-straggler",
     .what = "the data workers of a rank are slower than the training",
     .severity = "share of a healthy step by which a batch takes longer than a step",
     .default_severity = 0.3,
     .max_severity = 100,
     .scope = Scope::kOneRank,
     .jobs = kLoadsData,
     .why_not = kLoadsDataNot},
    {.id = CauseId::kHostSync,
     .name = "host-sync",
     .what = "the host reads a value of the device (item) again and again",
     .severity = "values read per layer of the forward",
     .default_severity = 8,
     .max_severity = 10,
     .scope = Scope::kAllRanks,
     .jobs = kHasLayers,
     .why_not = kHasLayersNot},
    {.id = CauseId::kLaunchBound,
     .name = "launch-bound",
     .what = "many short kernels in place of few",
     .severity = "short kernels added to every operation of a layer's forward",
     .default_severity = 12,
     .max_severity = 100,
     .scope = Scope::kAllRanks,
     .jobs = kHasLayers,
     .why_not = kHasLayersNot},
    {.id = CauseId::kExposedCommunication,
     .name = "exposed-communication",
     .what = "collectives begin late: gradients are reduced when the backward is over (ddp), "
             "parameters are gathered when they are needed (fsdp, hsdp)",
     .severity = "share of the buckets or layers",
     .default_severity = 1,
     .max_severity = 1,
     .scope = Scope::kWholeJob,
     .jobs = kHidesCommunication,
     .why_not = kHidesCommunicationNot,
     .needs_ranks = true},
    {.id = CauseId::kSlowLink,
     .name = "slow-link",
     .what = "all transfers of a rank are slower",
     .severity = "share of time added to transfers that the rank takes part in",
     .default_severity = 2,
     .max_severity = 1000,
     .scope = Scope::kOneRank,
     .jobs = kCommunicates,
     .why_not = kCommunicatesNot,
     .needs_ranks = true},
    {.id = CauseId::kNetworkJitter,
     .name = "network-jitter",
     .what = "single transfers are far slower than their like, one in 8",
     .severity = "share of time added to such a transfer",
     .default_severity = 30,
     .max_severity = 10000,
     .scope = Scope::kAllRanks,
     .jobs = kCommunicates,
     .why_not = kCommunicatesNot,
     .needs_ranks = true},
    {.id = CauseId::kShardingImbalance,
     .name = "sharding-imbalance",
     .what = "a rank has more of the embedding tables than the others",
     .severity = "share of tables added",
     .default_severity = 1,
     .max_severity = 100,
     .scope = Scope::kOneRank,
     .jobs = kTables,
     .why_not = kTablesNot},
    {.id = CauseId::kExpertImbalance,
     .name = "expert-imbalance",
     .what = "the router prefers the experts of one rank, another one for every layer",
     .severity = "their load beyond an even share, as a multiple of it",
     .default_severity = 1,
     .max_severity = 100,
     .scope = Scope::kWholeJob,
     .jobs = kExperts,
     .why_not = kExpertsNot,
     .needs_ranks = true},
    {.id = CauseId::kSequenceImbalance,
     .name = "sequence-imbalance",
     .what = "batches have uneven lengths, another one for every rank and step",
     .severity = "from the shortest to the longest, as a share of the mean",
     .default_severity = 0.6,
     .max_severity = 1.5,
     .scope = Scope::kAllRanks,
     .jobs = kHasSequences,
     .why_not = kHasSequencesNot},
    {.id = CauseId::kPipelineBubble,
     .name = "pipeline-bubble",
     .what = "there are too few micro-batches, each of them larger",
     .severity = "share added to the size of a micro-batch, a whole number",
     .default_severity = 3,
     .max_severity = 63,
     .scope = Scope::kWholeJob,
     .jobs = kPipeline,
     .why_not = kPipelineNot},
    {.id = CauseId::kPipelineStageImbalance,
     .name = "pipeline-stage-imbalance",
     .what = "a stage of the pipeline has more layers",
     .severity = "share of layers added to the stage",
     .default_severity = 0.5,
     .max_severity = 10,
     .scope = Scope::kStage,
     .jobs = kPipeline,
     .why_not = kPipelineNot},
    {.id = CauseId::kAllocatorThrash,
     .name = "allocator-thrash",
     .what = "memory is asked from the driver and given back (cudaMalloc, cudaFree) in every step",
     .severity = "segments asked for and given back per layer of the forward",
     .default_severity = 1,
     .max_severity = 10,
     .scope = Scope::kAllRanks,
     .jobs = kHasLayers,
     .why_not = kHasLayersNot},
    {.id = CauseId::kMemoryLeak,
     .name = "memory-leak",
     .what = "memory is allocated in every step and never freed; costs no time to speak of",
     .severity = "share of the device's memory leaked per step",
     .default_severity = 0.01,
     .max_severity = 0.5,
     .scope = Scope::kAllRanks,
     .jobs = kEveryJob,
     .why_not = ""},
    {.id = CauseId::kMemoryPressure,
     .name = "memory-pressure",
     .what = "the device's memory is nearly full: allocations fail, the cache is given back, and "
             "they are tried again",
     .severity = "failures per layer of the forward",
     .default_severity = 0.5,
     .max_severity = 10,
     .scope = Scope::kAllRanks,
     .jobs = kHasLayers,
     .why_not = kHasLayersNot},
    {.id = CauseId::kNoTensorCores,
     .name = "no-tensor-cores",
     .what = "matrix products are computed in fp32 without tensor cores",
     .severity = "share of layers that do so",
     .default_severity = 0.25,
     .max_severity = 1,
     .scope = Scope::kAllRanks,
     .jobs = kHasLayers,
     .why_not = kHasLayersNot},
    {.id = CauseId::kLowRoofline,
     .name = "low-roofline",
     .what = "the kernels of the layers' matrix products do not suit the shapes",
     .severity = "share of time added to them",
     .default_severity = 1,
     .max_severity = 100,
     .scope = Scope::kAllRanks,
     .jobs = kHasLayers,
     .why_not = kHasLayersNot},
    {.id = CauseId::kPageableCopy,
     .name = "pageable-copy",
     .what = "input is copied from pageable memory, which blocks the host",
     .severity = "such copies per batch, as a share of the batch",
     .default_severity = 1,
     .max_severity = 100,
     .scope = Scope::kAllRanks,
     .jobs = kLoadsData,
     .why_not = kLoadsDataNot},
    {.id = CauseId::kRedundantCopies,
     .name = "redundant-copies",
     .what = "activations are copied for nothing",
     .severity = "copies per layer of the forward",
     .default_severity = 8,
     .max_severity = 100,
     .scope = Scope::kAllRanks,
     .jobs = kHasLayers,
     .why_not = kHasLayersNot},
    {.id = CauseId::kUnfusedOptimizer,
     .name = "unfused-optimizer",
     .what = "the optimizer updates parameters one by one",
     .severity = "share of the layers whose parameters are",
     .default_severity = 0.5,
     .max_severity = 1,
     .scope = Scope::kAllRanks,
     .jobs = kHasLayers,
     .why_not = kHasLayersNot},
    {.id = CauseId::kGcPause,
     .name = "gc-pause",
     .what = "Python collects garbage, on every rank in one step of four",
     .severity = "length of a pause as a share of a healthy step",
     .default_severity = 0.5,
     .max_severity = 100,
     .scope = Scope::kAllRanks,
     .jobs = kHasLayers,
     .why_not = kHasLayersNot},
    {.id = CauseId::kCheckpointStall,
     .name = "checkpoint-stall",
     .what = "a checkpoint is written while the training waits",
     .severity = "its time as a share of a healthy step",
     .default_severity = 2,
     .max_severity = 1000,
     .scope = Scope::kAllRanks,
     .once = true,
     .jobs = kEveryJob,
     .why_not = ""},
    {.id = CauseId::kRecompilation,
     .name = "recompilation",
     .what = "the model is compiled anew",
     .severity = "its time as a share of a healthy step",
     .default_severity = 2,
     .max_severity = 1000,
     .scope = Scope::kAllRanks,
     .once = true,
     .jobs = kHasLayers,
     .why_not = kHasLayersNot},
    {.id = CauseId::kSmallCollectives,
     .name = "small-collectives",
     .what = "gradients are reduced in many small pieces",
     .severity = "pieces added per bucket",
     .default_severity = 24,
     .max_severity = 1000,
     .scope = Scope::kWholeJob,
     .jobs = kReducesBuckets,
     .why_not = kReducesBucketsNot,
     .needs_ranks = true},
    {.id = CauseId::kRedundantCollectives,
     .name = "redundant-collectives",
     .what = "the same buffers are broadcast again before every forward",
     .severity = "broadcasts of 64 MB each",
     .default_severity = 4,
     .max_severity = 1000,
     .scope = Scope::kWholeJob,
     .jobs = kBroadcasts,
     .why_not = kBroadcastsNot,
     .needs_ranks = true},
    {.id = CauseId::kPowerThrottle,
     .name = "power-throttle",
     .what = "heat holds the clock of a rank's device down, which telemetry shows",
     .severity = "share of time added to every compute kernel",
     .default_severity = 0.3,
     .max_severity = 1000,
     .scope = Scope::kOneRank,
     .jobs = kEveryJob,
     .why_not = ""},
    {.id = CauseId::kCpuContention,
     .name = "cpu-contention",
     .what = "threads wait for cores, which telemetry shows",
     .severity = "share of time added to everything that the host does",
     .default_severity = 3,
     .max_severity = 1000,
     .scope = Scope::kAllRanks,
     .jobs = kEveryJob,
     .why_not = ""},
}};

Status Bad(std::string_view text, std::string_view why) {
  return Error(StatusCode::kInvalidArgument,
               "plant: '{}': {}; it should read ID[:rank=3,steps=2-4,severity=0.3]", text, why);
}

template <typename T>
std::optional<T> Number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string_view TakeUpTo(char separator, std::string_view* rest) {
  const std::size_t at = std::min(rest->find(separator), rest->size());
  const std::string_view first = rest->substr(0, at);
  rest->remove_prefix(std::min(at + 1, rest->size()));
  return first;
}

std::optional<std::vector<int>> Numbers(std::string_view text) {
  constexpr int kMost = 100'000;
  constexpr std::size_t kMostNamed = 1'000'000;  // ranges may overlap
  std::vector<int> numbers;
  while (!text.empty()) {
    std::string_view part = TakeUpTo('+', &text);
    const bool range = part.find('-') != std::string_view::npos;
    const auto first = Number<int>(TakeUpTo('-', &part));
    const auto last = range ? Number<int>(part) : first;
    if (!first || !last || *first < 0 || *last < *first || *last > kMost) return std::nullopt;
    if (numbers.size() + static_cast<std::size_t>(*last - *first) >= kMostNamed)
      return std::nullopt;
    for (int number = *first; number <= *last; ++number) numbers.push_back(number);
  }
  if (numbers.empty()) return std::nullopt;
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

Status ParseSetting(std::string_view text, std::string_view setting, PlantedCause* planted) {
  std::string_view value = setting;
  const std::string_view key = TakeUpTo('=', &value);
  if (key == "severity") {
    const auto severity = Number<double>(value);
    if (!severity) return Bad(text, "the severity is no number");
    planted->severity = *severity;
    return OkStatus();
  }
  const bool ranks = key == "rank" || key == "ranks";
  if (!ranks && key != "step" && key != "steps") {
    return Bad(text, "only rank, steps and severity can be set");
  }
  const auto numbers = Numbers(value);
  if (!numbers) return Bad(text, "ranks and steps are numbers and ranges joined by '+'");
  (ranks ? planted->ranks : planted->steps) = *numbers;
  return OkStatus();
}

}  // namespace

Result<std::vector<int>> ParseNumbers(std::string_view text) {
  auto numbers = Numbers(text);
  if (numbers) return *std::move(numbers);
  return Error(StatusCode::kInvalidArgument, "'{}' should be numbers and ranges joined by '+'",
               text);
}

std::span<const CauseInfo> CauseTable() { return kTable; }

const CauseInfo& InfoOf(CauseId cause) { return kTable[static_cast<std::size_t>(cause)]; }

bool PlantedCause::StrikesRank(int rank) const {
  return severity > 0 && (ranks.empty() || std::binary_search(ranks.begin(), ranks.end(), rank));
}

bool PlantedCause::StrikesAt(int rank, int step) const {
  return StrikesRank(rank) &&
         (steps.empty() || std::binary_search(steps.begin(), steps.end(), step));
}

Result<PlantedCause> ParsePlantedCause(std::string_view text) {
  std::string_view rest = text;
  const std::string_view name = TakeUpTo(':', &rest);
  const auto info =
      std::find_if(kTable.begin(), kTable.end(), [&](const auto& i) { return i.name == name; });
  if (info == kTable.end()) {
    std::string names;
    for (const CauseInfo& known : kTable) {
      fmt::format_to(std::back_inserter(names), "{}{}", names.empty() ? "" : ", ", known.name);
    }
    return Error(StatusCode::kInvalidArgument, "plant: there is no cause '{}'; there are: {}", name,
                 names);
  }
  PlantedCause planted{
      .cause = info->id, .severity = info->default_severity, .ranks = {}, .steps = {}};
  while (!rest.empty()) {
    RS_RETURN_IF_ERROR(ParseSetting(text, TakeUpTo(',', &rest), &planted));
  }
  if (planted.ranks.empty() && info->scope == Scope::kOneRank) planted.ranks = {0};
  return planted;
}

std::string_view DefaultPlace(Scope scope) {
  switch (scope) {
    case Scope::kAllRanks:
      return "all";
    case Scope::kOneRank:
      return "0";
    case Scope::kWholeJob:
      return "always all";
    case Scope::kStage:
      break;
  }
  return "the middle stage";
}

std::string CauseTableMarkdown() {
  std::string text =
      "| id | what happens | severity | default | ranks | steps |\n|---|---|---|---|---|---|\n";
  for (const CauseInfo& info : kTable) {
    fmt::format_to(std::back_inserter(text), "| {} | {} | {} | {} | {} | {} |\n", info.name,
                   info.what, info.severity, info.default_severity, DefaultPlace(info.scope),
                   info.once ? "the middle one" : "all");
  }
  return text;
}

void ActiveCauses::Add(CauseId cause, double severity, std::uint8_t tag) {
  severities_[static_cast<std::size_t>(cause)] += severity;
  tags_[static_cast<std::size_t>(cause)] = tag;
}

}  // namespace rankscope::sim
