// Requests whose body is a file of a run: PUT of a whole one, PATCH of a part.
#pragma once

#include <memory>
#include <variant>

#include "http/message.h"
#include "service/parts.h"
#include "service/route.h"

namespace rankscope::service {

// Looks at what can be seen before the body comes: the run and its state, the name, who else
// writes, the offset. A Reply is a refusal. `call` has an empty body; `parts` outlives it.
std::variant<http::Reply, std::unique_ptr<http::Exchange>> BeginUpload(Parts& parts,
                                                                       const Call& call);

}  // namespace rankscope::service
