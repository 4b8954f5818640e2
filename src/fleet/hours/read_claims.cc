#include "fleet/hours/read_claims.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "fleet/hours/host_list.h"
#include "fleet/hours/lines.h"
#include "json/reader.h"

namespace rankscope::fleet {
namespace {

constexpr std::int64_t kEver = std::numeric_limits<std::int64_t>::max() / 4;
constexpr std::int64_t kMostDevices = 1'000'000;  // of a job
constexpr std::int64_t kMostDevicesOfNode = 10'000;

std::optional<std::int64_t> NumberOf(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0 ||
      number > kMostDevices)
    return std::nullopt;
  return number;
}

// Of a slice such as "1g.10gb" or "mig-3g.40gb": how many of a device's seven.
std::optional<std::int64_t> SeventhsOf(std::string_view slice) {
  if (slice.starts_with("mig-")) slice.remove_prefix(4);
  if (slice.size() < 3 || slice[1] != 'g' || slice[2] != '.' || slice[0] < '1' || slice[0] > '7')
    return std::nullopt;
  return slice[0] - '0';
}

// "billing=8,cpu=64,gres/gpu:h100=8,gres/gpu=8,node=1".
Result<std::int64_t> UnitsOf(std::string_view tres) {
  std::int64_t all = -1, typed = 0, slices = 0, parts = 0;
  while (!tres.empty()) {
    const std::size_t comma = tres.find(',');
    const std::string_view one = tres.substr(0, comma);
    tres.remove_prefix(comma == std::string_view::npos ? tres.size() : comma + 1);
    const std::size_t sign = one.find('=');
    const std::string_view what = one.substr(0, sign);
    if (what != "gres/gpu" && !what.starts_with("gres/gpu:") && what != "gres/mps") continue;
    const std::optional<std::int64_t> count =
        sign == std::string_view::npos ? std::nullopt : NumberOf(one.substr(sign + 1));
    if (!count) return Error(StatusCode::kBadData, "'{}' says no number of devices", one);
    if (what == "gres/gpu") {
      all = *count;
    } else if (what == "gres/mps") {
      parts += *count * (kDeviceUnits / 100);
    } else if (const auto sevenths = SeventhsOf(what.substr(9))) {
      slices += *count * *sevenths * (kDeviceUnits / 7);
    } else {
      typed += *count;
    }
  }
  // gres/gpu counts the typed ones once more, slices among them.
  if (slices > 0) return slices + parts + typed * kDeviceUnits;
  return (all >= 0 ? all : typed) * kDeviceUnits + parts;
}

Outcome OutcomeOf(std::string_view state) {
  const auto begins = [&](std::string_view word) { return state.starts_with(word); };
  if (begins("COMPLETED") || begins("COMPLETING")) return Outcome::kCompleted;
  if (begins("CANCELLED")) return Outcome::kCancelled;
  if (begins("RUNNING") || begins("SUSPENDED")) return Outcome::kRunning;
  for (const std::string_view word :
       {"FAILED", "NODE_FAIL", "TIMEOUT", "OUT_OF_MEMORY", "BOOT_FAIL", "DEADLINE"}) {
    if (begins(word)) return Outcome::kFailed;
  }
  if (begins("PREEMPTED")) return Outcome::kPreempted;
  if (begins("REQUEUED") || begins("REVOKED")) return Outcome::kRequeued;
  return Outcome::kOther;
}

Status ReadSacctRow(const TextRow& row, const ReadOptions& options, std::vector<Claim>& claims) {
  const std::string_view id = row.Get("JobIDRaw");
  if (id.find('.') != std::string_view::npos) return OkStatus();
  const auto time = [&](std::string_view column) -> Result<std::optional<std::int64_t>> {
    const std::string_view text = row.Get(column);
    if (text.empty() || text == "Unknown" || text == "None") return std::optional<std::int64_t>();
    const auto known = ReadTime(text, options.offset_s);
    if (!known) return Error(StatusCode::kBadData, "{} '{}' is no time", column, text);
    return known;
  };
  RS_ASSIGN_OR_RETURN(const auto start, time("Start"));
  RS_ASSIGN_OR_RETURN(const auto end, time("End"));
  RS_ASSIGN_OR_RETURN(const std::int64_t units, UnitsOf(row.Get("AllocTRES")));
  const std::string_view nodes_text = row.Get("NodeList");
  if (!start || units == 0 || nodes_text.empty() || nodes_text == "None assigned")
    return OkStatus();
  RS_ASSIGN_OR_RETURN(const std::vector<std::string> nodes, ExpandHostList(nodes_text));
  Claim claim;
  claim.from_ms = *start;
  claim.until_ms = end.value_or(options.now_ms);
  claim.outcome = end ? OutcomeOf(row.Get("State")) : Outcome::kRunning;
  for (const auto& [name, column] :
       std::initializer_list<std::pair<const char*, const char*>>{{"job", "JobIDRaw"},
                                                                  {"name", "JobName"},
                                                                  {"user", "User"},
                                                                  {"account", "Account"},
                                                                  {"partition", "Partition"},
                                                                  {"qos", "QOS"}}) {
    if (!row.Get(column).empty()) claim.owner[name] = std::string(row.Get(column));
  }
  // Whole devices where it is devices that there are.
  const std::int64_t grain = units % kDeviceUnits == 0 ? kDeviceUnits : 1;
  const auto count = static_cast<std::int64_t>(nodes.size());
  const std::int64_t each = units / grain / count, left = units / grain % count;
  for (std::int64_t i = 0; i < count; ++i) {
    claim.node = nodes[static_cast<std::size_t>(i)];
    claim.units = (each + (i < left ? 1 : 0)) * grain;
    if (claim.units > 0 && claim.until_ms > claim.from_ms) claims.push_back(claim);
  }
  return OkStatus();
}

// Of one of a resource; nothing for what is no device. Pods that share a device by time have all of
// it, and DivideHours shares it among them.
std::optional<std::int64_t> UnitsOfResource(std::string_view name) {
  if (name == "nvidia.com/gpu" || name == "nvidia.com/gpu.shared" || name == "amd.com/gpu")
    return kDeviceUnits;
  if (!name.starts_with("nvidia.com/mig-")) return std::nullopt;
  if (name.ends_with(".shared")) name.remove_suffix(7);
  const auto sevenths = SeventhsOf(name.substr(15));
  return sevenths ? std::optional(*sevenths * (kDeviceUnits / 7)) : std::nullopt;
}

// Whether it is a device all the same, of a kind that is not counted.
bool IsDevice(std::string_view name) {
  return name.starts_with("nvidia.com/") || name.starts_with("amd.com/") ||
         name.starts_with("gpu.intel.com/") || name.starts_with("habana.ai/") ||
         name.starts_with("google.com/") || name.starts_with("aws.amazon.com/neuron");
}

// What the pod holds of each resource: its containers together, or the one that prepares them and
// takes more.
std::map<std::string, std::int64_t> ResourcesOf(const json::Value& pod) {
  const auto visit = [](const json::Value& containers, const auto& take) {
    for (const json::Value& container : containers.Items()) {
      for (const auto& [name, value] : container["resources"]["limits"].Members()) {
        const std::optional<std::int64_t> count = NumberOf(value.TextOr(value.ToString()));
        if (count) take(std::string(name), *count);
      }
    }
  };
  std::map<std::string, std::int64_t> held;
  visit(pod["spec"]["containers"],
        [&](const std::string& name, std::int64_t count) { held[name] += count; });
  visit(pod["spec"]["initContainers"], [&](const std::string& name, std::int64_t count) {
    held[name] = std::max(held[name], count);
  });
  return held;
}

std::int64_t UnitsOfPod(const json::Value& pod, std::set<std::string>& uncounted) {
  std::int64_t units = 0;
  for (const auto& [name, count] : ResourcesOf(pod)) {
    if (const auto of_one = UnitsOfResource(name)) {
      units += count * *of_one;
    } else if (count > 0 && IsDevice(name)) {
      uncounted.insert(name);
    }
  }
  return units;
}

std::optional<std::int64_t> TimeOf(const json::Value& value) {
  const std::optional<std::string_view> text = value.Text();
  return text ? ReadTime(*text) : std::nullopt;
}

// The last of its containers to end; nothing while one goes on.
std::optional<std::int64_t> EndOfPod(const json::Value& pod) {
  const std::string phase = pod["status"]["phase"].TextOr("");
  if (phase != "Succeeded" && phase != "Failed") return std::nullopt;
  std::optional<std::int64_t> end;
  for (const json::Value& status : pod["status"]["containerStatuses"].Items()) {
    const auto at = TimeOf(status["state"]["terminated"]["finishedAt"]);
    if (at && (!end || *at > *end)) end = at;
  }
  return end;
}

}  // namespace

std::string_view OutcomeName(Outcome outcome) {
  switch (outcome) {
    case Outcome::kCompleted:
      return "completed";
    case Outcome::kFailed:
      return "failed";
    case Outcome::kCancelled:
      return "cancelled";
    case Outcome::kRunning:
      return "running";
    case Outcome::kPreempted:
      return "preempted";
    case Outcome::kRequeued:
      return "requeued";
    case Outcome::kOther:
      break;
  }
  return "other";
}

Status ReadSacct(const std::string& name, std::string_view text, const ReadOptions& options,
                 std::vector<Claim>& claims) {
  return ReadRows(name, text, '|', {"JobIDRaw", "State", "Start", "End", "NodeList", "AllocTRES"},
                  [&](const TextRow& row) { return ReadSacctRow(row, options, claims); });
}

Status ReadPods(const std::string& name, std::string_view text, const ReadOptions& options,
                PodClaims& found) {
  const auto reader = json::Reader::Parse(text);
  if (!reader.ok()) return Error(StatusCode::kBadData, "{}: {}", name, reader.status().message());
  const json::Value items = reader->root()["items"];
  if (!items.IsArray())
    return Error(StatusCode::kBadData, "{}: no list of pods (kubectl get pods -A -o json)", name);
  for (const json::Value& pod : items.Items()) {
    Claim claim;
    claim.node = pod["spec"]["nodeName"].TextOr("");
    claim.units = UnitsOfPod(pod, found.uncounted);
    const auto start = TimeOf(pod["status"]["startTime"]);
    if (claim.node.empty() || claim.units == 0 || !start) continue;
    const auto end = EndOfPod(pod);
    claim.from_ms = *start;
    claim.until_ms = end.value_or(options.now_ms);
    const bool has_succeeded = pod["status"]["phase"].TextOr("") == "Succeeded";
    claim.outcome = !end            ? Outcome::kRunning
                    : has_succeeded ? Outcome::kCompleted
                                    : Outcome::kFailed;
    claim.owner["namespace"] = pod["metadata"]["namespace"].TextOr("");
    claim.owner["name"] = pod["metadata"]["name"].TextOr("");
    for (const auto& [key, value] : pod["metadata"]["labels"].Members()) {
      claim.owner["label:" + std::string(key)] = value.TextOr("");
      if (key == "batch.kubernetes.io/job-name" || key == "training.kubeflow.org/job-name" ||
          key == "job-name")
        claim.owner["job"] = value.TextOr("");
    }
    if (claim.until_ms > claim.from_ms) found.claims.push_back(std::move(claim));
  }
  return OkStatus();
}

Status ReadDevices(const std::string& name, std::string_view text, const ReadOptions& options,
                   std::vector<Capacity>& capacity) {
  struct Told {
    std::int64_t from_ms, until_ms;
    std::size_t line;
  };
  std::map<std::string, std::vector<Told>> told_of;
  return ReadRows(name, text, ',', {"node", "devices"}, [&](const TextRow& row) -> Status {
    const std::optional<std::int64_t> devices = NumberOf(row.Get("devices"));
    if (!devices)
      return Error(StatusCode::kBadData, "devices '{}' is no number", row.Get("devices"));
    if (*devices > kMostDevicesOfNode)
      return Error(StatusCode::kBadData, "{} devices are more than a node has", *devices);
    Capacity one{.node = "", .devices = *devices, .from_ms = -kEver, .until_ms = kEver};
    for (const auto& [column, at] : {std::pair("from", &one.from_ms), {"until", &one.until_ms}}) {
      if (row.Get(column).empty()) continue;
      const auto time = ReadTime(row.Get(column), options.offset_s);
      if (!time) return Error(StatusCode::kBadData, "{} '{}' is no time", column, row.Get(column));
      *at = *time;
    }
    RS_ASSIGN_OR_RETURN(const std::vector<std::string> nodes, ExpandHostList(row.Get("node")));
    for (const std::string& node : nodes) {
      one.node = node;
      std::vector<Told>& told = told_of[node];
      for (const Told& other : told) {
        if (one.from_ms < other.until_ms && other.from_ms < one.until_ms)
          return Error(StatusCode::kBadData,
                       "line {} tells of the devices of {} at the same time; end it there with "
                       "until, or leave one out",
                       other.line, node);
      }
      told.push_back({one.from_ms, one.until_ms, row.line()});
      if (one.devices > 0 && one.until_ms > one.from_ms) capacity.push_back(one);
    }
    return OkStatus();
  });
}

Status ReadAbsences(const std::string& name, std::string_view text, const ReadOptions& options,
                    std::vector<Absence>& absences) {
  return ReadRows(
      name, text, ',', {"node", "from", "until", "state"}, [&](const TextRow& row) -> Status {
        const auto from = ReadTime(row.Get("from"), options.offset_s);
        const auto until = row.Get("until").empty() ? std::optional(options.now_ms)
                                                    : ReadTime(row.Get("until"), options.offset_s);
        if (!from || !until)
          return Error(StatusCode::kBadData, "from '{}', until '{}': no times", row.Get("from"),
                       row.Get("until"));
        const std::string_view state = row.Get("state");
        if (state != "down" && state != "drained" && state != "reserved")
          return Error(StatusCode::kBadData, "state '{}' is not down, drained or reserved", state);
        RS_ASSIGN_OR_RETURN(const std::vector<std::string> nodes, ExpandHostList(row.Get("node")));
        for (const std::string& node : nodes) {
          if (*until > *from) absences.push_back({node, *from, *until, state == "reserved"});
        }
        return OkStatus();
      });
}

}  // namespace rankscope::fleet
