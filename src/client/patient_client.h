// PatientClient: retries requests while a server is unreachable or busy.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "base/status.h"
#include "client/wait.h"
#include "http/client.h"

namespace rankscope::client {

// Whether the same request may succeed later: no connection, or a server that is busy or starting
// (423, 429, 5xx).
bool MayPass(const Result<http::ClientReply>& reply);

struct Patience {
  std::chrono::seconds time{300};  // for each request; 0: every request is sent once
  std::function<void(const Status& why)> on_first_wait;  // before the first retry
};

// Retries requests for which MayPass is true, after 0.25 s and then twice as long each time, up to
// 30 s, until `patience` ends; the last reply is the answer. A request with a part of a file is not
// retried, since some of it may have arrived: its reply after the first pause is the answer, and
// the uploader asks where to continue. kCancelled if `wait` is stopped. `wait` must outlive the
// client.
std::unique_ptr<http::Client> MakePatientClient(std::shared_ptr<http::Client> client, Wait& wait,
                                                Patience patience);

}  // namespace rankscope::client
