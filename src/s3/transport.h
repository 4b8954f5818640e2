// The requests of src/fetch, by the names that the client of S3 says.
#pragma once

#include "fetch/transport.h"

namespace rankscope::s3 {

using fetch::FileBody;
using fetch::HttpAnswer;
using fetch::HttpRequest;
using fetch::Outcome;
using fetch::Transport;

}  // namespace rankscope::s3
