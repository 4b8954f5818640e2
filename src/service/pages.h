// The pages that browsers see: one document, which the app (web/src/app) fills by its address.
#pragma once

#include <optional>

#include "http/message.h"

namespace rankscope::service {

// The document at `/`, `/runs/...` and `/compare`, its script and style sheet under names that
// change with their contents; nullopt for anything else.
std::optional<http::Reply> PageOf(const http::Head& head);

}  // namespace rankscope::service
