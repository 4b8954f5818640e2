// The pages for browsers: one document, which the app (web/src/app) fills according to its address.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "http/message.h"

namespace rankscope::service {

// "": that of the public site. kInvalidArgument if it is not the address of a page.
Status CheckPerfettoAddress(std::string_view url);

// A page of one sentence, without script, that reports an error to a browser. Texts are shown as
// they are.
std::string ProblemPage(std::string_view title, std::string_view sentence);

// The document at `/`, `/runs/...`, `/compare` and `/hosts`, its script and style sheet under names
// that change with their contents; nullopt for anything else. `perfetto`: where its UI is.
std::function<std::optional<http::Reply>(const http::Head&)> MakePages(std::string_view perfetto);

}  // namespace rankscope::service
