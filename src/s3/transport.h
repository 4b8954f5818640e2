// The request types of src/fetch, under the names that the S3 client uses.
#pragma once

#include "fetch/transport.h"

namespace rankscope::s3 {

using fetch::FileBody;
using fetch::HttpAnswer;
using fetch::HttpRequest;
using fetch::Outcome;
using fetch::Transport;

}  // namespace rankscope::s3
