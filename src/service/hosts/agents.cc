#include "service/hosts/agents.h"

#include <openssl/rand.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>

#include "json/check_text.h"
#include "json/fields.h"
#include "json/writer.h"
#include "service/requests/reply.h"

namespace rankscope::service {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// After its last word an agent has so long to come back.
constexpr std::int64_t kHereMs = 5'000;
constexpr std::int64_t kForgetMs = 600'000;
constexpr std::size_t kAgentsMostText = 300;
constexpr std::string_view kTeamless =
    "the host's certificate names no team: the host reports and nothing else, and later releases "
    "refuse it; rankscope certs --team makes one with a team";

// Nobody guesses one: who knows it was given it.
std::int64_t NewRequestId() {
  std::uint64_t number = 0;
  RAND_bytes(reinterpret_cast<unsigned char*>(&number), sizeof(number));
  // What JSON's readers keep.
  constexpr std::uint64_t kExact = (std::uint64_t{1} << 53) - 1;
  return static_cast<std::int64_t>(number & kExact);
}

std::int64_t SteadyMs() {
  return std::chrono::duration_cast<milliseconds>(Clock::now().time_since_epoch()).count();
}
std::int64_t UnixUs() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// What agents say is shown to people: without controls, and bounded.
api::HostProcess ProcessOf(api::ReportedProcess one) {
  // The number is what the process says itself, 0 without Slurm.
  std::string job =
      !one.job_id.empty() || one.job == 0 ? std::move(one.job_id) : std::to_string(one.job);
  return {.pid = one.pid,
          .recording = one.recording,
          .rank = one.rank,
          .world_size = one.world_size,
          .job = std::move(job),
          .job_name = std::move(one.job_name),
          .user = std::move(one.user),
          .command = std::move(one.command),
          .container = std::move(one.container),
          .pod = one.pod.empty() ? std::move(one.pod_uid) : std::move(one.pod)};
}

api::HostDevice DeviceOf(api::ReportedDevice one) {
  return {.index = one.index,
          .name = std::move(one.name),
          .verdict = std::move(one.verdict),
          .reasons = std::move(one.reasons),
          .busy = one.busy,
          .power_watts = one.power_watts,
          .temperature_celsius = one.temperature_celsius,
          .memory_used_bytes = one.memory_used_bytes,
          .memory_total_bytes = one.memory_total_bytes};
}

// [[unix_ms,device,"name",value],...], by the host's clock.
std::vector<HostSample> SamplesOf(const json::Value& root, const capture::HostClock& clock) {
  constexpr std::size_t kMostSamples = 20'000;
  std::vector<HostSample> samples;
  for (const json::Value& one : root["samples"].Items()) {
    if (samples.size() >= kMostSamples) break;
    const auto time = one.At(0).Integer();
    const auto name = one.At(2).Text();
    const auto value = one.At(3).Number();
    if (!time || !name || !value) continue;
    HostSample sample{.device = one.At(1).IntegerOr(-1),
                      .name = std::string(name->substr(0, kAgentsMostText)),
                      .value = *value};
    // A time that is none does not become one by being corrected.
    if (__builtin_sub_overflow(*time, clock.ahead_us / 1000, &sample.unix_ms)) continue;
    samples.push_back(std::move(sample));
  }
  return samples;
}

template <typename Shown, typename Reported>
std::vector<Shown> ListOf(std::optional<std::vector<Reported>>& reported, Shown (*of)(Reported)) {
  std::vector<Shown> items;
  if (!reported) return items;
  items.reserve(reported->size());
  for (Reported& one : *reported) items.push_back(of(std::move(one)));
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
  for (auto& [key, known] : hosts_) {
    if (known.waiting) known.waiting->Wake();
  }
  answered_.notify_all();
}

bool Agents::IsHereLocked(const Known& known) const {
  return known.waiting != nullptr || SteadyMs() - known.host.seen_ms < kHereMs;
}

std::string Agents::MetricsKey(const AgentHost& host) { return host.team + "\n" + host.name; }

std::optional<http::Reply> Agents::TakeReportLocked(const Principal& who, std::string_view report,
                                                    Key& key, milliseconds& wait) {
  const auto no_report = [](std::string_view why) { return ErrorReply(400, "no_report", why); };
  const Result<json::Reader> reader = json::Reader::Parse(report);
  api::HostReport told;
  if (!reader.ok() || !json::FieldsOf<api::HostReport>().Read(reader->root(), told).ok())
    return no_report("the report is no JSON object");
  const std::string& name = told.host;
  const std::string& instance = told.instance;
  if (name.empty() || instance.empty()) return no_report("the report has no host, or no instance");
  wait = std::clamp(milliseconds(told.wait_ms.value_or(0)), milliseconds(0), kLongestWait);
  if (!who.host.empty() && who.host != name)
    return ErrorReply(403, "another_host",
                      fmt::format("the certificate is of host '{}', and the agent reports as '{}': "
                                  "give it host.name = \"{}\", or a certificate of its own",
                                  who.host, name, who.host));
  // Whose token it is says whose host it is; one that sees all teams is of none.
  key = {who.team == kAllTeams ? "" : who.team, name};
  std::erase_if(hosts_, [this](const auto& one) {
    const AgentHost& host = one.second.host;
    const bool is_gone = one.second.waiting == nullptr && SteadyMs() - host.seen_ms > kForgetMs;
    if (is_gone) metrics_.Drop(MetricsKey(host));
    return is_gone;
  });
  auto found = hosts_.find(key);
  if (found == hosts_.end()) {
    const auto of_team = std::distance(hosts_.lower_bound({key.first, ""}),
                                       hosts_.upper_bound({key.first, std::string(1, '\xff')}));
    if (static_cast<std::size_t>(of_team) >= most_hosts_)
      return ErrorReply(
          429, "too_many",
          fmt::format("this server knows {} hosts of the team, and takes no more", most_hosts_));
    found = hosts_.emplace(key, Known{}).first;
    if (who.sees_nothing && said_) said_(fmt::format("host '{}': {}", name, kTeamless));
  }
  Known& known = found->second;
  const bool is_another = !known.instance.empty() && known.instance != instance;
  if (is_another && IsHereLocked(known))
    return ErrorReply(
        409, "host_name_taken",
        fmt::format("another agent reports as host '{}'; give this one another host.name", name));
  if (is_another) known.requests.clear();
  known.instance = instance;
  known.host.name = name;
  known.host.team = key.first;
  known.host.version = told.version.value_or("");
  known.host.rack = told.rack.value_or("");
  known.host.seen_ms = SteadyMs();
  known.host.rtt_us = told.rtt_us;
  known.host.clock = {.ahead_us = told.ahead_us.value_or(0),
                      .uncertainty_us = known.host.rtt_us.value_or(0) / 2 + 1000};
  known.host.processes = ListOf(told.processes, ProcessOf);
  known.host.devices = ListOf(told.devices, DeviceOf);
  known.host.takes_settings = told.settings.has_value();
  const api::SettingsTaken settings = told.settings.value_or(api::SettingsTaken());
  known.host.settings = settings.id;
  known.host.settings_refused = settings.refused;
  known.host.settings_problem = settings.problem;
  metrics_.Take(MetricsKey(known.host), SamplesOf(reader->root(), known.host.clock),
                UnixUs() / 1000);
  if (told.answers) {
    for (api::AgentAnswer& one : *told.answers) {
      const auto waits = answers_.find(one.id);
      if (one.answer && waits != answers_.end() && waits->second.from == key)
        waits->second.text = std::move(one.answer);
    }
  }
  answered_.notify_all();
  return std::nullopt;
}

http::Reply Agents::Exchange(const Principal& who, std::string_view report) {
  const std::int64_t received_us = UnixUs();
  Key key;
  milliseconds wait{0};
  auto waiting = std::make_shared<Waiting>();
  if (waiting->event() < 0)
    return ErrorReply(503, "no_room", "too many agents wait; ask again later");
  bool has_work = false;
  AgentHost told;  // what is read of it below alone
  {
    const std::scoped_lock lock(mutex_);
    if (auto refused = TakeReportLocked(who, report, key, wait)) return *std::move(refused);
    Known& known = hosts_.at(key);
    // It came back while its last request still waits here: that one has nobody to tell.
    if (known.waiting) known.waiting->Wake();
    known.waiting = waiting;
    told = {.name = known.host.name,
            .team = known.host.team,
            .takes_settings = known.host.takes_settings,
            .settings = known.host.settings,
            .settings_refused = known.host.settings_refused};
    has_work = !known.requests.empty() || wait.count() == 0 || is_stopped_;
  }
  http::Reply reply;
  const std::string_view warning = who.sees_nothing ? kTeamless : "";
  if (has_work || !NewSettings(told).empty())
    return JsonReply(200, RequestsOf(key, waiting, received_us, warning, told));
  const auto finish = [this, key, waiting, received_us, warning, told] {
    return JsonReply(200, RequestsOf(key, waiting, received_us, warning, told));
  };
  const auto cancel = [this, key, waiting] {
    waiting->Wake();
    const std::scoped_lock lock(mutex_);
    const auto found = hosts_.find(key);
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

std::string Agents::RequestsOf(const Key& key, const std::shared_ptr<Waiting>& waiting,
                               std::int64_t received_us, std::string_view warning,
                               const AgentHost& told) {
  std::string json;
  json::Writer writer(json);
  writer.BeginObject().Member("received_us", received_us);
  if (!warning.empty()) writer.Member("warning", warning);
  writer.Key("requests").BeginArray();
  {
    const std::scoped_lock lock(mutex_);
    const auto found = hosts_.find(key);
    if (found != hosts_.end() && found->second.waiting == waiting) {
      found->second.waiting.reset();
      found->second.host.seen_ms = SteadyMs();
      for (const Request& request : found->second.requests) {
        writer.BeginObject().Member("id", request.id).Member("request", request.text);
        writer.EndObject();
      }
      found->second.requests.clear();
    }
  }
  writer.EndArray();
  const std::string settings = NewSettings(told);
  if (!settings.empty()) writer.Key("settings").Raw(settings);
  writer.Member("replied_us", UnixUs()).EndObject();
  return json;
}

std::string Agents::NewSettings(const AgentHost& told) const {
  if (!settings_ || !told.takes_settings) return {};
  SettingsOfHost given = settings_(told.team, told.name);
  const bool has_them = given.id == told.settings && told.settings_refused.empty();
  const bool refused_them = !given.id.empty() && given.id == told.settings_refused;
  return has_them || refused_them ? "" : std::move(given.json);
}

std::vector<AgentHost> Agents::Hosts() const {
  const std::scoped_lock lock(mutex_);
  std::vector<AgentHost> hosts;
  for (const auto& [key, known] : hosts_) {
    if (!IsHereLocked(known) && SteadyMs() - known.host.seen_ms > kForgetMs) continue;
    hosts.push_back(known.host);
    hosts.back().is_here = IsHereLocked(known);
    if (known.waiting) hosts.back().seen_ms = SteadyMs();
    hosts.back().silent_ms = std::max<std::int64_t>(0, SteadyMs() - hosts.back().seen_ms);
  }
  return hosts;
}

Result<std::string> Agents::Call(const std::string& team, const std::string& host,
                                 std::string request, milliseconds time) {
  const Key key{team, host};
  std::unique_lock lock(mutex_);
  const auto found = hosts_.find(key);
  if (found == hosts_.end() || !IsHereLocked(found->second))
    return Error(StatusCode::kNotFound, "{}: its agent does not report any more", host);
  const std::int64_t id = NewRequestId();
  found->second.requests.push_back({id, std::move(request)});
  answers_[id] = {.from = key, .text = std::nullopt};
  if (found->second.waiting) found->second.waiting->Wake();
  const auto is_answered = [&] { return is_stopped_ || answers_.at(id).text.has_value(); };
  answered_.wait_for(lock, time, is_answered);
  std::optional<std::string> answer = std::move(answers_.at(id).text);
  answers_.erase(id);
  if (answer) return *std::move(answer);
  // It is not to do later what nobody waits for.
  if (const auto again = hosts_.find(key); again != hosts_.end())
    std::erase_if(again->second.requests, [id](const Request& one) { return one.id == id; });
  return Error(StatusCode::kIo, "{}: its agent did not answer within {} s", host,
               std::chrono::duration_cast<std::chrono::seconds>(time).count());
}

}  // namespace rankscope::service
