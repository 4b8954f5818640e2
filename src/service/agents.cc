#include "service/agents.h"

#include <simdjson.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>

#include "json/json_text.h"
#include "service/reply.h"
#include "service/request_json.h"

namespace rankscope::service {
namespace {

namespace dom = simdjson::dom;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// After its last word an agent has so long to come back.
constexpr std::int64_t kHereMs = 5'000;
constexpr std::int64_t kForgetMs = 600'000;
constexpr std::size_t kMostText = 300;
constexpr std::size_t kMostListed = 4096;  // processes or devices of a host

std::int64_t SteadyMs() {
  return std::chrono::duration_cast<milliseconds>(Clock::now().time_since_epoch()).count();
}
std::int64_t UnixUs() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// What agents say is shown to people: without controls, and bounded.
std::string TextOf(const dom::element& object, std::string_view name) {
  std::string_view text;
  if (object[name].get(text)) return {};
  std::string clean(text.substr(0, kMostText));
  return CheckText(name, clean, kMostText).ok() ? clean : "";
}
std::optional<std::int64_t> NumberOf(const dom::element& object, std::string_view name) {
  std::int64_t number = 0;
  return object[name].get(number) ? std::nullopt : std::optional(number);
}
std::optional<double> ValueOf(const dom::element& object, std::string_view name) {
  double value = 0;
  return object[name].get(value) ? std::nullopt : std::optional(value);
}

AgentProcess ProcessOf(const dom::element& one) {
  AgentProcess process{.pid = NumberOf(one, "pid").value_or(0),
                       .rank = NumberOf(one, "rank"),
                       .world_size = NumberOf(one, "world_size"),
                       .job = TextOf(one, "job_id"),
                       .job_name = TextOf(one, "job_name"),
                       .user = TextOf(one, "user"),
                       .command = TextOf(one, "command"),
                       .container = TextOf(one, "container")};
  // As the process says it itself, 0 without Slurm.
  const std::int64_t number = NumberOf(one, "job").value_or(0);
  if (process.job.empty() && number != 0) process.job = std::to_string(number);
  bool is_recording = false;
  process.is_recording = !one["recording"].get(is_recording) && is_recording;
  return process;
}

AgentDevice DeviceOf(const dom::element& one) {
  AgentDevice device{.index = NumberOf(one, "index").value_or(0),
                     .name = TextOf(one, "name"),
                     .verdict = TextOf(one, "verdict"),
                     .reasons = {},
                     .busy = ValueOf(one, "busy"),
                     .power_watts = ValueOf(one, "power_watts"),
                     .temperature_celsius = ValueOf(one, "temperature_celsius"),
                     .memory_used_bytes = ValueOf(one, "memory_used_bytes"),
                     .memory_total_bytes = ValueOf(one, "memory_total_bytes")};
  dom::array reasons;
  if (one["reasons"].get(reasons)) return device;
  for (const dom::element reason : reasons) {
    std::string_view text;
    if (!reason.get(text) && CheckText("reasons", text, kMostText).ok())
      device.reasons.emplace_back(text);
  }
  return device;
}

// [[unix_ms,device,"name",value],...], by the host's clock.
std::vector<HostSample> SamplesOf(const dom::element& root, const capture::HostClock& clock) {
  constexpr std::size_t kMostSamples = 20'000;
  std::vector<HostSample> samples;
  dom::array list;
  if (root["samples"].get(list)) return samples;
  for (const dom::element one : list) {
    if (samples.size() >= kMostSamples) break;
    HostSample sample;
    std::string_view name;
    double value = 0;
    std::int64_t time = 0, device = 0;
    if (one.at(0).get(time) || one.at(2).get(name) || one.at(3).get(value)) continue;
    if (!one.at(1).get(device)) sample.device = device;
    // A time that is none does not become one by being corrected.
    if (__builtin_sub_overflow(time, clock.ahead_us / 1000, &sample.unix_ms)) continue;
    sample.name = name.substr(0, kMostText);
    sample.value = value;
    samples.push_back(std::move(sample));
  }
  return samples;
}

template <typename Item>
std::vector<Item> ListOf(const dom::element& object, std::string_view name,
                         Item (*of)(const dom::element&)) {
  std::vector<Item> items;
  dom::array list;
  if (object[name].get(list)) return items;
  for (const dom::element one : list) {
    if (items.size() >= kMostListed) break;
    items.push_back(of(one));
  }
  return items;
}

}  // namespace

// An agent's request that waits: readable when there is something to do.
class Agents::Waiting {
 public:
  Waiting() : event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~Waiting() {
    if (event_ >= 0) close(event_);
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  int event() const { return event_; }
  void Wake() const {
    const std::uint64_t one = 1;
    (void)!write(event_, &one, sizeof(one));
  }

 private:
  const int event_;
};

Agents::~Agents() { Stop(); }

void Agents::Stop() {
  const std::scoped_lock lock(mutex_);
  is_stopped_ = true;
  for (auto& [name, known] : hosts_) {
    if (known.waiting) known.waiting->Wake();
  }
  answered_.notify_all();
}

bool Agents::IsHereLocked(const Known& known) const {
  return known.waiting != nullptr || SteadyMs() - known.host.seen_ms < kHereMs;
}

std::optional<http::Reply> Agents::TakeReportLocked(const Principal& who, std::string_view report,
                                                    std::string& name, milliseconds& wait) {
  const auto no_report = [](std::string_view why) { return ErrorReply(400, "no_report", why); };
  dom::parser parser;
  dom::element root;
  if (parser.parse(simdjson::padded_string(report)).get(root) || !root.is_object())
    return no_report("the report is no JSON object");
  name = TextOf(root, "host");
  const std::string instance = TextOf(root, "instance");
  if (name.empty() || instance.empty()) return no_report("the report has no host, or no instance");
  wait = std::clamp(milliseconds(NumberOf(root, "wait_ms").value_or(0)), milliseconds(0),
                    kLongestWait);
  std::erase_if(hosts_, [](const auto& one) {
    return one.second.waiting == nullptr && SteadyMs() - one.second.host.seen_ms > kForgetMs;
  });
  auto found = hosts_.find(name);
  if (found == hosts_.end() && hosts_.size() >= kMostHosts)
    return ErrorReply(429, "too_many",
                      fmt::format("this server knows {} hosts, and takes no more", kMostHosts));
  if (found == hosts_.end()) found = hosts_.emplace(name, Known{}).first;
  Known& known = found->second;
  const bool is_another = !known.instance.empty() && known.instance != instance;
  if (is_another && IsHereLocked(known))
    return ErrorReply(
        409, "host_name_taken",
        fmt::format("another agent reports as host '{}'; give this one another host.name", name));
  if (is_another) known.requests.clear();
  known.instance = instance;
  known.host.name = name;
  // Whose token it is says whose host it is; one that sees all teams is of none.
  const std::string team = who.team == kAllTeams ? "" : who.team;
  // What was told of another team's host of this name is not for this one.
  if (known.host.team != team) metrics_.Drop(name);
  known.host.team = team;
  known.host.version = TextOf(root, "version");
  known.host.seen_ms = SteadyMs();
  known.host.rtt_us = NumberOf(root, "rtt_us");
  known.host.clock = {.ahead_us = NumberOf(root, "ahead_us").value_or(0),
                      .uncertainty_us = known.host.rtt_us.value_or(0) / 2 + 1000};
  known.host.processes = ListOf(root, "processes", ProcessOf);
  known.host.devices = ListOf(root, "devices", DeviceOf);
  metrics_.Take(name, SamplesOf(root, known.host.clock), UnixUs() / 1000);
  dom::array answers;
  if (root["answers"].get(answers)) return std::nullopt;
  for (const dom::element one : answers) {
    const auto id = NumberOf(one, "id");
    std::string_view text;
    if (!id || one["answer"].get(text)) continue;
    const auto waits = answers_.find(static_cast<std::uint64_t>(*id));
    if (waits != answers_.end()) waits->second = std::string(text);
  }
  answered_.notify_all();
  return std::nullopt;
}

http::Reply Agents::Exchange(const Principal& who, std::string_view report) {
  const std::int64_t received_us = UnixUs();
  std::string name;
  milliseconds wait{0};
  auto waiting = std::make_shared<Waiting>();
  if (waiting->event() < 0)
    return ErrorReply(503, "no_room", "too many agents wait; ask again later");
  bool has_work = false;
  {
    const std::scoped_lock lock(mutex_);
    if (auto refused = TakeReportLocked(who, report, name, wait)) return *std::move(refused);
    Known& known = hosts_.at(name);
    // It came back while its last request still waits here: that one has nobody to tell.
    if (known.waiting) known.waiting->Wake();
    known.waiting = waiting;
    has_work = !known.requests.empty() || wait.count() == 0 || is_stopped_;
  }
  http::Reply reply;
  if (has_work) return JsonReply(200, RequestsOf(name, waiting, received_us));
  const auto finish = [this, name, waiting, received_us] {
    return JsonReply(200, RequestsOf(name, waiting, received_us));
  };
  const auto cancel = [this, name, waiting] {
    waiting->Wake();
    const std::scoped_lock lock(mutex_);
    const auto found = hosts_.find(name);
    if (found == hosts_.end() || found->second.waiting != waiting) return;
    // What it was not given it gets when it comes back.
    found->second.waiting.reset();
    found->second.host.seen_ms = SteadyMs();
  };
  reply.body = http::Pending{.start = [waiting] { return waiting->event(); },
                             .finish = finish,
                             .cancel = cancel,
                             .time = wait};
  return reply;
}

std::string Agents::RequestsOf(const std::string& name, const std::shared_ptr<Waiting>& waiting,
                               std::int64_t received_us) {
  std::string json = fmt::format("{{\"received_us\":{},\"requests\":[", received_us);
  {
    const std::scoped_lock lock(mutex_);
    const auto found = hosts_.find(name);
    if (found != hosts_.end() && found->second.waiting == waiting) {
      found->second.waiting.reset();
      found->second.host.seen_ms = SteadyMs();
      for (const Request& request : found->second.requests) {
        if (json.back() != '[') json += ',';
        json += fmt::format("{{\"id\":{},\"request\":", request.id);
        AppendJsonString(json, request.text);
        json += '}';
      }
      found->second.requests.clear();
    }
  }
  return json + fmt::format("],\"replied_us\":{}}}", UnixUs());
}

std::vector<AgentHost> Agents::Hosts() const {
  const std::scoped_lock lock(mutex_);
  std::vector<AgentHost> hosts;
  for (const auto& [name, known] : hosts_) {
    if (!IsHereLocked(known) && SteadyMs() - known.host.seen_ms > kForgetMs) continue;
    hosts.push_back(known.host);
    hosts.back().is_here = IsHereLocked(known);
    if (known.waiting) hosts.back().seen_ms = SteadyMs();
    hosts.back().silent_ms = std::max<std::int64_t>(0, SteadyMs() - hosts.back().seen_ms);
  }
  return hosts;
}

Result<std::string> Agents::Call(const std::string& host, std::string request, milliseconds time) {
  std::unique_lock lock(mutex_);
  const auto found = hosts_.find(host);
  if (found == hosts_.end() || !IsHereLocked(found->second))
    return Error(StatusCode::kNotFound, "{}: its agent does not report any more", host);
  const std::uint64_t id = next_++;
  found->second.requests.push_back({id, std::move(request)});
  answers_[id] = std::nullopt;
  if (found->second.waiting) found->second.waiting->Wake();
  const auto is_answered = [&] { return is_stopped_ || answers_.at(id).has_value(); };
  answered_.wait_for(lock, time, is_answered);
  std::optional<std::string> answer = std::move(answers_.at(id));
  answers_.erase(id);
  if (answer) return *std::move(answer);
  // It is not to do later what nobody waits for.
  if (const auto again = hosts_.find(host); again != hosts_.end())
    std::erase_if(again->second.requests, [id](const Request& one) { return one.id == id; });
  return Error(StatusCode::kIo, "{}: its agent did not answer within {} s", host,
               std::chrono::duration_cast<std::chrono::seconds>(time).count());
}

}  // namespace rankscope::service
