#include "agent/delivery.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>

#include "agent/captures/captures_json.h"
#include "agent/captures/cpu_profiles.h"
#include "agent/pack.h"
#include "base/caught.h"
#include "base/file.h"
#include "cpu_profile/frame_runs.h"
#include "http/client.h"
#include "json/fields.h"
#include "json/reader.h"
#include "json/writer.h"

namespace rankscope::agent {
namespace {

constexpr std::chrono::seconds kDeliveryNetworkTime{60};
constexpr std::size_t kMostDelivered = 1000;
constexpr std::chrono::milliseconds kLongestPause{60'000};
constexpr std::chrono::milliseconds kBetweenWindows{300};

std::string IdIn(std::string_view json) {
  const Result<json::Reader> reader = json::Reader::Parse(json);
  return reader.ok() ? reader->root()["id"].TextOr("") : "";
}

// Letters, digits, dots and dashes: for names of files and keys.
std::string Plain(std::string_view text) {
  std::string plain;
  for (const char c : text) {
    const bool is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                          (c >= 'A' && c <= 'Z') || c == '.' || c == '-';
    plain += is_plain ? c : '-';
  }
  return plain.substr(0, 100);
}

Status Answered(const Result<http::ClientReply>& reply, std::string_view what) {
  if (!reply.ok()) return reply.status();
  if (reply->status < 300) return OkStatus();
  // What is gone or not allowed does not come about by asking again.
  const bool is_final = reply->status == 404 || reply->status == 403;
  return Error(is_final ? StatusCode::kNotFound : StatusCode::kIo, "{}: the server answers {}: {}",
               what, reply->status, reply->body.substr(0, 300));
}

}  // namespace

std::string_view ToString(Delivered::State state) {
  return state == Delivered::State::kSent     ? "sent"
         : state == Delivered::State::kFailed ? "failed"
                                              : "queued";
}

std::string SidecarJson(const std::string& capture, const CaptureMember& member,
                        std::string_view host) {
  std::string json;
  json::Writer writer(json);
  writer.BeginObject().Member("capture", capture).Member("host", host);
  writer.Member("pid", member.pid).Member("inside", member.inside);
  writer.Member("rank", member.rank).Member("world_size", member.world_size);
  json::FieldsOf<api::ProcessPlace>().WriteInto(Reported(member.placed), writer);
  writer.Member("written_unix_ms", member.written_unix_ms);
  if (member.cpu)
    json::FieldsOf<api::CpuSampling>().Write(Reported(*member.cpu), writer.Key("cpu"));
  // Of a trace the times are those of the host's own clock.
  writer.Member("clock", "CLOCK_REALTIME").EndObject();
  return json;
}

Delivery::Delivery(DeliveryOptions options, std::function<void(std::string_view)> said)
    : options_(std::move(options)), said_(std::move(said)), thread_([this] { Run(); }) {}

Delivery::~Delivery() {
  {
    const std::scoped_lock lock(mutex_);
    is_ending_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void Delivery::Add(const std::string& capture, const CaptureMember& member, const std::string& run,
                   const std::string& job, std::string samples,
                   std::shared_ptr<cpu_profile::ProcessSampler> cpu, AskedWindows windows,
                   std::vector<FileBeside> beside) {
  {
    const std::scoped_lock lock(mutex_);
    if (delivered_.size() >= kMostDelivered) delivered_.erase(delivered_.begin());
    Delivered& state = delivered_[fmt::format("{}/{}", capture, member.pid)];
    state = {.run = run};
    const auto of_user = std::ranges::count_if(
        queue_, [&](const Parcel& one) { return one.member.writer.uid == member.writer.uid; });
    if (queue_.size() >= kMostQueued || static_cast<std::size_t>(of_user) >= kMostQueuedOfUser) {
      state.state = Delivered::State::kFailed;
      state.problem = fmt::format(
          "{} traces are on their way, {} of them of its user; it stays "
          "where it is",
          queue_.size(), of_user);
      return;
    }
    queue_.push_back({.capture = capture,
                      .member = member,
                      .run = run,
                      .job = job,
                      .samples = std::move(samples),
                      .cpu = std::move(cpu),
                      .windows = std::move(windows),
                      .beside = std::move(beside),
                      .is_own = run.empty()});
  }
  wake_.notify_all();
}

std::map<std::string, Delivered> Delivery::All() const {
  const std::scoped_lock lock(mutex_);
  return delivered_;
}

bool Delivery::TakeDue(Parcel& parcel) {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (is_ending_) return false;
    const auto first = std::ranges::min_element(queue_, {}, &Parcel::due);
    if (first == queue_.end()) {
      wake_.wait(lock);
    } else if (first->due > std::chrono::steady_clock::now()) {
      const auto due = first->due;
      wake_.wait_until(lock, due);
    } else {
      parcel = std::move(*first);
      queue_.erase(first);
      return true;
    }
  }
}

void Delivery::Run() {
  for (;;) {
    Parcel parcel;
    if (!TakeDue(parcel)) return;
    // Others go meanwhile.
    if (std::ranges::any_of(parcel.windows, [](const auto& one) { return !one->IsOver(); })) {
      parcel.due = std::chrono::steady_clock::now() + kBetweenWindows;
      const std::scoped_lock lock(mutex_);
      queue_.push_back(std::move(parcel));
      continue;
    }
    // A snapshot belongs to a run of traces, and makes none of its own.
    const bool stays =
        options_.server.url.empty() || (parcel.member.is_snapshot && parcel.run.empty());
    const Status sent = Caught([&] {
      TakeProfiles(parcel);
      TakeWindows(parcel);
      return stays ? WriteSidecar(parcel) : Send(parcel);
    });
    ++parcel.attempts;
    const bool is_last = parcel.attempts >= kMostAttempts || sent.code() == StatusCode::kBadData ||
                         sent.code() == StatusCode::kNotFound;
    {
      const std::scoped_lock lock(mutex_);
      Delivered& state = delivered_[fmt::format("{}/{}", parcel.capture, parcel.member.pid)];
      state.run = parcel.run;
      state.problem = sent.message();
      state.state = sent.ok() ? Delivered::State::kSent
                    : is_last ? Delivered::State::kFailed
                              : Delivered::State::kQueued;
      if (!sent.ok() && !is_last) {
        parcel.due = std::chrono::steady_clock::now() +
                     std::min(kLongestPause,
                              std::chrono::milliseconds(500 << std::min(parcel.attempts, 10)));
        queue_.push_back(parcel);
      }
    }
    if (!sent.ok() && said_)
      // Some sentences begin with the file.
      said_(fmt::format(
          "{}{}{}", sent.message().starts_with(parcel.member.path) ? "" : parcel.member.path + ": ",
          sent.message(), is_last ? "; it stays there" : "; it is tried again"));
  }
}

// Waits until what still samples has ended.
void Delivery::TakeProfiles(Parcel& parcel) {
  if (!parcel.cpu) return;
  parcel.profiles = std::make_shared<const std::vector<cpu_profile::Profile>>(parcel.cpu->Take());
  parcel.member.cpu = parcel.cpu->State();
  parcel.cpu.reset();
}

// Of those that are over. Why there is none is a warning of the capture.
void Delivery::TakeWindows(Parcel& parcel) {
  for (const auto& window : parcel.windows) {
    Result<std::string> text = window->Text();
    if (text.ok())
      parcel.beside.push_back({fmt::format(".{}.json", window->what()), *std::move(text)});
  }
  parcel.windows.clear();
}

Status Delivery::WriteSidecar(const Parcel& parcel) const {
  // The trace stays as Kineto wrote it: what was sampled lies beside it, as text.
  std::string stacks;
  if (parcel.profiles) {
    for (const cpu_profile::Profile& profile : *parcel.profiles)
      stacks += cpu_profile::CollapsedText(profile);
  }
  if (!stacks.empty())
    RS_RETURN_IF_ERROR(parcel.member.trace->WriteBeside(".cpu_stacks.txt", stacks));
  for (const FileBeside& one : parcel.beside)
    RS_RETURN_IF_ERROR(parcel.member.trace->WriteBeside(one.ending, one.text));
  return parcel.member.trace->WriteBeside(
      ".rankscope.json", SidecarJson(parcel.capture, parcel.member, options_.host) + "\n");
}

Status Delivery::Pack(const Parcel& parcel, const std::string& to) const {
  const CaptureMember& member = parcel.member;
  if (member.is_snapshot) return PackFile(*member.trace, to);
  const std::string sidecar = SidecarJson(parcel.capture, member, options_.host);
  if (!parcel.profiles) return PackTrace(*member.trace, to, member, sidecar);
  return PackTrace(*member.trace, to, member, sidecar, *parcel.profiles);
}

Status Delivery::Send(Parcel& parcel) {
  RS_ASSIGN_OR_RETURN(const std::unique_ptr<http::Client> client,
                      options_.server.Client(kDeliveryNetworkTime));
  const auto post = [&](const std::string& target, std::string_view body,
                        const http::Fields& fields) {
    return client->Send({.method = "POST", .target = target, .fields = fields, .text = body});
  };
  if (parcel.run.empty()) {
    std::string json;
    json::Writer writer(json);
    writer.BeginObject().Member("name", parcel.job).Key("tags").BeginObject();
    writer.Member("capture", parcel.capture).EndObject().EndObject();
    const Result<http::ClientReply> made =
        post("/api/v1/runs", json,
             {{"Content-Type", "application/json"}, {"Idempotency-Key", Plain(parcel.job)}});
    RS_RETURN_IF_ERROR(Answered(made, "a run"));
    parcel.run = IdIn(made->body);
    if (parcel.run.empty()) return Error(StatusCode::kIo, "the server made a run without an id");
  }
  std::error_code error;
  const std::string stem =
      fmt::format("{}{}-{}", parcel.member.rank ? fmt::format("rank{}-", *parcel.member.rank) : "",
                  Plain(options_.host), parcel.member.inside);
  const std::string name =
      fmt::format("{}.{}.gz", stem, parcel.member.is_snapshot ? "pickle" : "json");
  const std::string packed = options_.spool_dir + "/" + Plain(parcel.capture) + "-" + name;
  RS_RETURN_IF_ERROR(Pack(parcel, packed));
  struct Removed {
    const std::string& path;
    ~Removed() { unlink(path.c_str()); }
  } const removed{packed};
  const std::uint64_t bytes = std::filesystem::file_size(packed, error);
  if (error) return Error(StatusCode::kIo, "{}: {}", packed, error.message());
  const std::string base = "/api/v1/runs/" + parcel.run;
  if (!parcel.samples.empty()) {
    // Before the trace: who waits for that analyses both. A trace without it is one all the same.
    const Status told =
        Answered(post(base + "/metrics", parcel.samples, {{"Content-Type", "application/json"}}),
                 "telemetry");
    if (!told.ok() && said_) said_(told.message());
    parcel.samples.clear();
  }
  bool is_reopened = false;
  const auto put = [&](const std::string& file, const http::ClientRequest& body) -> Status {
    http::ClientRequest request = body;
    request.method = "PUT";
    request.target = base + "/files/" + file;
    Result<http::ClientReply> reply = client->Send(request);
    // Another host's traces were there first, and the run is on its way.
    if (reply.ok() && reply->status == 409) {
      RS_RETURN_IF_ERROR(Answered(post(base + "/reopen", "", {}), "reopening the run"));
      is_reopened = true;
      reply = client->Send(request);
    }
    return Answered(reply, file);
  };
  // Before the trace, too.
  while (!parcel.beside.empty()) {
    const FileBeside& one = parcel.beside.back();
    RS_RETURN_IF_ERROR(put(stem + one.ending, {.text = one.text}));
    parcel.beside.pop_back();
  }
  RS_RETURN_IF_ERROR(put(name, {.file = {.path = packed, .bytes = bytes}}));
  // Who comes late makes a new version of the report.
  if (parcel.is_own || is_reopened)
    RS_RETURN_IF_ERROR(
        Answered(post(base + "/finish", "{}", {{"Content-Type", "application/json"}}), "the run"));
  if (!options_.keeps_files && !parcel.member.keeps_file && !parcel.member.trace->Remove() && said_)
    said_(fmt::format("{}: the server has it, and it stays there: it is not the agent's to remove",
                      parcel.member.path));
  return OkStatus();
}

}  // namespace rankscope::agent
