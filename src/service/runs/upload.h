// Requests whose body is a file of a run: PUT of a whole one, PATCH of a part.
#pragma once

#include <memory>
#include <variant>

#include "http/message.h"
#include "service/requests/route.h"
#include "service/runs/parts.h"
#include "service/runs/uploads.h"

namespace rankscope::service {

struct Limits {
  std::uint64_t most_file_bytes = std::uint64_t{64} << 30;
  std::size_t most_files = 100'000;  // of a run
};

// The objects that an upload needs; all of them outlive the exchange.
struct UploadParts {
  Parts& parts;
  Uploads& uploads;
  Limits limits;
};

// Checks everything known before the body arrives: the run and its state, the name, other writers,
// the offset. A Reply is a refusal. `call` has an empty body.
std::variant<http::Reply, std::unique_ptr<http::Exchange>> BeginUpload(const UploadParts& with,
                                                                       const Call& call);

// Name, size and SHA-256, as JSON.
http::Reply FileReply(int status, const store::RunFile& file);
// The received data becomes a file of the run and replaces a file of that name: 201, or 200 if it
// replaced one; 409 if the run was finished meanwhile.
http::Reply AddToRun(const UploadParts& with, const std::string& run_id,
                     const store::RunFile& file);

}  // namespace rankscope::service
