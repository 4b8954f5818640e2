// What a finding or a verdict on recordings means, as rankscope explain says it.
#include <string>
#include <utility>

#include "api/request.h"
#include "json/fields.h"
#include "service/requests/reply.h"
#include "service/routes/routes.h"

namespace rankscope::service {
namespace {

http::Reply Explain(ExplanationOf explanation_of, const Call& call) {
  const std::string& id = call.arguments[0];
  if (explanation_of == nullptr)
    return ErrorReply(404, "not_found", "this server explains nothing");
  const Result<std::string_view> page = explanation_of(id);
  if (!page.ok()) return ErrorReply(404, "not_found", page.status().message());
  return JsonReply(200, json::ToJson(api::Explanation{.id = id, .markdown = std::string(*page)}));
}

}  // namespace

std::vector<Route> ExplainRoutes(ExplanationOf explanation_of) {
  return {{.method = "GET",
           .pattern = "/api/v1/explanations/{id}",
           .answer = [explanation_of](const Call& call) { return Explain(explanation_of, call); },
           .summary = "what a finding or a verdict on recordings means, in Markdown",
           .gives = &json::FieldsOf<api::Explanation>()}};
}

}  // namespace rankscope::service
