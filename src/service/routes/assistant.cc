// Coding assistants: the Model Context Protocol over HTTP.
#include "api/assistant.h"
#include "http/handler_client.h"
#include "service/requests/api.h"
#include "service/requests/assistant.h"
#include "service/requests/reply.h"
#include "service/requests/waiting_work.h"
#include "service/routes/routes.h"
#include "service/runs/runs.h"

namespace rankscope::service {
namespace {

constexpr std::uint64_t kMostBody = std::uint64_t{1} << 20;
// The API's own bounds end what an assistant asks; this is for several questions in one body.
constexpr std::chrono::milliseconds kRoutesAssistantTime{300'000};

// The fields by which the API knows who asks, and by what name.
http::Fields FieldsOf(const http::Head& head) {
  http::Fields fields;
  for (const std::string_view name : {"host", "authorization", "cookie"}) {
    if (const auto value = http::Find(head.fields, name)) fields.emplace_back(name, *value);
  }
  return fields;
}

http::Reply AskAssistant(const Assistant& assistant, http::Handler& api, WaitingWork& work,
                         const Call& call) {
  const std::shared_ptr<http::Client> client =
      http::MakeHandlerClient(api, {.fields = FieldsOf(call.head),
                                    .peer = call.head.peer,
                                    .is_secure = call.head.is_secure,
                                    .client = call.head.client});
  const auto run =
      [&assistant, address = AddressOf(call.head), client,
       id = call.arguments.empty() ? std::string() : call.arguments[0], body = call.body,
       version = std::string(http::Find(call.head.fields, "mcp-protocol-version").value_or(""))] {
        AssistantAnswer answer = assistant(
            {.api = client, .address = address, .run = id, .body = body, .version = version});
        http::Reply reply = JsonReply(answer.status, std::move(answer.body));
        if (answer.status == 202) reply.fields.clear();
        return reply;
      };
  return work.Reply({.run = run, .stop = [client] { client->Abort(); }}, kRoutesAssistantTime);
}

}  // namespace

std::vector<Route> AssistantRoutes(const Parts& parts, const Assistant& assistant,
                                   http::Handler& api, WaitingWork& work) {
  const auto of_newest = [&assistant, &api, &work](const Call& call) {
    return AskAssistant(assistant, api, work, call);
  };
  const auto of_run = [&parts, of_newest](const Call& call) {
    const auto found = LookAtRun(parts, call.who, call.arguments[0]);
    return found.ok() ? of_newest(call) : ErrorReply(found.status());
  };
  const std::vector<Parameter> parameters = {
      {"MCP-Protocol-Version", "header", "string", "2025-03-26 without"}};
  return {
      {.method = "POST",
       .pattern = "/api/v1/mcp",
       .answer = of_newest,
       .summary = "messages of a coding assistant (Model Context Protocol, streamable HTTP without "
                  "sessions) about the newest run that is ready",
       .parameters = parameters,
       .takes = &json::FieldsOf<api::AssistantMessage>(),
       .sends = {"application/json"},
       .most_body = kMostBody},
      {.method = "POST",
       .pattern = "/api/v1/runs/{id}/mcp",
       .answer = of_run,
       .summary = "messages of a coding assistant about this run",
       .parameters = parameters,
       .takes = &json::FieldsOf<api::AssistantMessage>(),
       .sends = {"application/json"},
       .most_body = kMostBody},
  };
}

}  // namespace rankscope::service
