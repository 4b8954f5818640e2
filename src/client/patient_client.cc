#include "client/patient_client.h"

#include <algorithm>
#include <utility>

#include "client/server_error.h"

namespace rankscope::client {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstPause{250};
constexpr milliseconds kLongestPause{30'000};

class PatientClient final : public http::Client {
 public:
  PatientClient(std::shared_ptr<http::Client> client, Wait& wait, Patience patience)
      : client_(std::move(client)), wait_(wait), patience_(std::move(patience)) {}

  Result<http::ClientReply> Send(const http::ClientRequest& request) override {
    const Wait::TimePoint end = wait_.Now() + patience_.time;
    for (milliseconds pause = kFirstPause;; pause = std::min(pause * 2, kLongestPause)) {
      Result<http::ClientReply> reply = client_->Send(request);
      if (!MayPass(reply) || wait_.Now() + pause > end) return reply;
      if (patience_.on_first_wait && !std::exchange(was_told_, true))
        patience_.on_first_wait(reply.ok() ? ErrorOf(*reply) : reply.status());
      if (!SleepUnlessStopped(wait_, pause)) return Error(StatusCode::kCancelled, "stopped");
      if (!request.file.path.empty()) return reply;
    }
  }
  void Abort() override { client_->Abort(); }

 private:
  const std::shared_ptr<http::Client> client_;
  Wait& wait_;
  const Patience patience_;
  bool was_told_ = false;
};

}  // namespace

bool MayPass(const Result<http::ClientReply>& reply) {
  if (!reply.ok()) return reply.status().code() == StatusCode::kIo;
  return reply->status == 423 || reply->status == 429 || reply->status >= 500;
}

std::unique_ptr<http::Client> MakePatientClient(std::shared_ptr<http::Client> client, Wait& wait,
                                                Patience patience) {
  return std::make_unique<PatientClient>(std::move(client), wait, std::move(patience));
}

}  // namespace rankscope::client
