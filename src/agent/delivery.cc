#include "agent/delivery.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <memory>

#include "agent/cpu_events.h"
#include "agent/cpu_profiles.h"
#include "base/file.h"
#include "cpu_profile/frame_runs.h"
#include "http/client.h"
#include "table/json_text.h"

namespace rankscope::agent {
namespace {

constexpr std::chrono::seconds kNetworkTime{60};
constexpr std::size_t kPieceBytes = 256 << 10;
constexpr std::size_t kMostDelivered = 1000;
constexpr std::chrono::milliseconds kLongestPause{60'000};
const std::vector<cpu_profile::Profile> kNoProfiles;

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

// The text between quotes behind a key of a small JSON answer of the server's.
std::string TextIn(std::string_view json, std::string_view key) {
  const std::string wanted = fmt::format("\"{}\":\"", key);
  const std::size_t at = json.find(wanted);
  if (at == std::string_view::npos) return {};
  const std::size_t begin = at + wanted.size();
  return std::string(json.substr(begin, json.find('"', begin) - begin));
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
  return Error(StatusCode::kIo, "{}: the server answers {}: {}", what, reply->status,
               reply->body.substr(0, 300));
}

// Behind the brace with which a trace begins.
std::string HeadOf(std::string_view front, const CaptureMember& member,
                   const std::string& sidecar) {
  const std::string_view head = front.substr(0, front.find("\"traceEvents\""));
  std::string added;
  if (member.rank && head.find("\"distributedInfo\"") == std::string_view::npos) {
    added += fmt::format("\"distributedInfo\":{{\"rank\":{}", *member.rank);
    if (member.world_size) added += fmt::format(",\"world_size\":{}", *member.world_size);
    added += "},";
  }
  return added + "\"rankscope_capture\":" + sidecar + ",";
}

// Its last bytes, where Kineto says what it recorded when.
std::string TailOf(int file, std::int64_t bytes) {
  std::string tail(static_cast<std::size_t>(std::min<std::int64_t>(bytes, kPieceBytes)), '\0');
  const ssize_t got =
      pread(file, tail.data(), tail.size(), bytes - static_cast<std::int64_t>(tail.size()));
  tail.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return tail;
}

}  // namespace

std::string SidecarJson(const std::string& capture, const CaptureMember& member,
                        std::string_view host) {
  std::string json = "{\"capture\":";
  AppendJsonString(json, capture);
  json += ",\"host\":";
  AppendJsonString(json, host);
  json += fmt::format(
      ",\"pid\":{},\"inside\":{},\"rank\":{},\"world_size\":{},\"written_unix_ms\":{}", member.pid,
      member.inside, member.rank ? std::to_string(*member.rank) : "null",
      member.world_size ? std::to_string(*member.world_size) : "null", member.written_unix_ms);
  if (member.cpu) json += ",\"cpu\":" + CpuJson(*member.cpu);
  // Of a trace the times are those of the host's own clock.
  return json + ",\"clock\":\"CLOCK_REALTIME\"}";
}

Status PackTrace(const std::string& from, const std::string& to, const CaptureMember& member,
                 const std::string& sidecar, const std::vector<cpu_profile::Profile>& profiles) {
  const Descriptor in(open(from.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  struct stat status {};
  if (in.number() < 0 || fstat(in.number(), &status) != 0 || !S_ISREG(status.st_mode))
    return Error(StatusCode::kIo, "{}: cannot be read: {}", from, std::strerror(errno));
  RS_ASSIGN_OR_RETURN(const std::unique_ptr<AtomicFile> out, AtomicFile::Create(to));
  constexpr int kGzip = 15 + 16;
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    return Error(StatusCode::kResource, "{}: no memory to pack it", from);
  const auto end_it = [](z_stream* one) { deflateEnd(one); };
  const std::unique_ptr<z_stream, decltype(end_it)> ends(&stream, end_it);
  std::string packed(kPieceBytes, '\0');
  const auto put = [&](std::string_view bytes, int flush) -> Status {
    stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    do {
      stream.next_out = reinterpret_cast<Bytef*>(packed.data());
      stream.avail_out = static_cast<uInt>(packed.size());
      deflate(&stream, flush);
      RS_RETURN_IF_ERROR(out->Write(packed.data(), packed.size() - stream.avail_out));
    } while (stream.avail_out == 0);
    return OkStatus();
  };
  std::string piece(kPieceBytes, '\0');
  for (bool is_first = true;; is_first = false) {
    const ssize_t got = read(in.number(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Error(StatusCode::kIo, "{}: {}", from, std::strerror(errno));
    if (got == 0 && is_first) return Error(StatusCode::kBadData, "{}: it is empty", from);
    if (got == 0) break;
    std::string_view bytes(piece.data(), static_cast<std::size_t>(got));
    if (is_first) {
      const std::size_t brace = bytes.find_first_not_of(" \t\r\n");
      if (brace == std::string_view::npos || bytes[brace] != '{')
        return Error(StatusCode::kBadData, "{}: is no trace: it does not begin with a brace", from);
      RS_RETURN_IF_ERROR(put("{", Z_NO_FLUSH));
      RS_RETURN_IF_ERROR(put(HeadOf(bytes, member, sidecar), Z_NO_FLUSH));
      bytes.remove_prefix(brace + 1);
      std::string head(bytes);
      if (!profiles.empty() &&
          AddCpuEvents(head, TailOf(in.number(), status.st_size), member.inside, profiles)) {
        RS_RETURN_IF_ERROR(put(head, Z_NO_FLUSH));
        continue;
      }
    }
    RS_RETURN_IF_ERROR(put(bytes, Z_NO_FLUSH));
  }
  RS_RETURN_IF_ERROR(put("", Z_FINISH));
  return out->Commit();
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
                   std::shared_ptr<cpu_profile::ProcessSampler> cpu) {
  {
    const std::scoped_lock lock(mutex_);
    if (delivered_.size() >= kMostDelivered) delivered_.erase(delivered_.begin());
    delivered_[fmt::format("{}/{}", capture, member.pid)] = {.run = run};
    queue_.push_back({.capture = capture,
                      .member = member,
                      .run = run,
                      .job = job,
                      .samples = std::move(samples),
                      .cpu = std::move(cpu),
                      .is_own = run.empty()});
  }
  wake_.notify_all();
}

std::map<std::string, Delivered> Delivery::All() const {
  const std::scoped_lock lock(mutex_);
  return delivered_;
}

void Delivery::Run() {
  for (;;) {
    Parcel parcel;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return is_ending_ || !queue_.empty(); });
      if (is_ending_) return;
      parcel = std::move(queue_.front());
      queue_.pop_front();
    }
    TakeProfiles(parcel);
    const Status sent = options_.server.url.empty() ? WriteSidecar(parcel) : Send(parcel);
    ++parcel.attempts;
    const bool is_last = parcel.attempts >= kMostAttempts;
    {
      std::unique_lock lock(mutex_);
      Delivered& state = delivered_[fmt::format("{}/{}", parcel.capture, parcel.member.pid)];
      state.run = parcel.run;
      state.problem = sent.message();
      state.state = sent.ok() ? Delivered::State::kSent
                    : is_last ? Delivered::State::kFailed
                              : Delivered::State::kQueued;
      if (!sent.ok() && !is_last) {
        // The others have their turn first.
        const auto pause = std::min(
            kLongestPause, std::chrono::milliseconds(500 << std::min(parcel.attempts, 10)));
        queue_.push_back(parcel);
        if (wake_.wait_for(lock, pause, [this] { return is_ending_; })) return;
      }
    }
    if (!sent.ok() && said_)
      said_(fmt::format("{}: {}{}", parcel.member.file, sent.message(),
                        is_last ? "; it stays there" : "; it is tried again"));
  }
}

// Waits until what still samples has ended.
void Delivery::TakeProfiles(Parcel& parcel) {
  if (!parcel.cpu) return;
  parcel.profiles = std::make_shared<const std::vector<cpu_profile::Profile>>(parcel.cpu->Take());
  parcel.member.cpu = parcel.cpu->State();
  parcel.cpu.reset();
}

Status Delivery::WriteSidecar(const Parcel& parcel) const {
  // The trace stays as Kineto wrote it: what was sampled lies beside it, as text.
  std::string stacks;
  if (parcel.profiles) {
    for (const cpu_profile::Profile& profile : *parcel.profiles)
      stacks += cpu_profile::CollapsedText(profile);
  }
  if (!stacks.empty())
    RS_RETURN_IF_ERROR(WriteFileAtomically(parcel.member.file + ".cpu_stacks.txt", stacks));
  return WriteFileAtomically(parcel.member.file + ".rankscope.json",
                             SidecarJson(parcel.capture, parcel.member, options_.host) + "\n");
}

Status Delivery::Send(Parcel& parcel) {
  RS_ASSIGN_OR_RETURN(const std::unique_ptr<http::Client> client,
                      options_.server.Client(kNetworkTime));
  const auto post = [&](const std::string& target, std::string_view body,
                        const http::Fields& fields) {
    return client->Send({.method = "POST", .target = target, .fields = fields, .text = body});
  };
  if (parcel.run.empty()) {
    std::string json = "{\"name\":";
    AppendJsonString(json, parcel.job);
    json += ",\"tags\":{\"capture\":";
    AppendJsonString(json, parcel.capture);
    json += "}}";
    const Result<http::ClientReply> made =
        post("/api/v1/runs", json,
             {{"Content-Type", "application/json"}, {"Idempotency-Key", Plain(parcel.job)}});
    RS_RETURN_IF_ERROR(Answered(made, "a run"));
    parcel.run = TextIn(made->body, "id");
    if (parcel.run.empty()) return Error(StatusCode::kIo, "the server made a run without an id");
  }
  std::error_code error;
  std::filesystem::create_directories(options_.spool_dir, error);
  const std::string name = fmt::format(
      "{}{}-{}.json.gz", parcel.member.rank ? fmt::format("rank{}-", *parcel.member.rank) : "",
      Plain(options_.host), parcel.member.inside);
  const std::string packed = options_.spool_dir + "/" + Plain(parcel.capture) + "-" + name;
  RS_RETURN_IF_ERROR(PackTrace(parcel.member.file, packed, parcel.member,
                               SidecarJson(parcel.capture, parcel.member, options_.host),
                               parcel.profiles ? *parcel.profiles : kNoProfiles));
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
  const auto put = [&] {
    return client->Send({.method = "PUT",
                         .target = base + "/files/" + name,
                         .file = {.path = packed, .bytes = bytes}});
  };
  Result<http::ClientReply> reply = put();
  // Another host's traces were there first, and the run is on its way.
  if (reply.ok() && reply->status == 409) {
    RS_RETURN_IF_ERROR(Answered(post(base + "/reopen", "", {}), "reopening the run"));
    reply = put();
  }
  RS_RETURN_IF_ERROR(Answered(reply, name));
  if (parcel.is_own)
    RS_RETURN_IF_ERROR(
        Answered(post(base + "/finish", "{}", {{"Content-Type", "application/json"}}), "the run"));
  if (!options_.keeps_files) unlink(parcel.member.file.c_str());
  return OkStatus();
}

}  // namespace rankscope::agent
