// Route: one operation of the API: its path, who may use it, and its data. The answers, the
// refusals and the OpenAPI document follow from it.
//
// A route owns its handler, and the handler holds the objects it needs; nothing is passed to all
// routes. routes.h declares the routes and their needs, and service.cc makes them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "http/message.h"
#include "json/fields.h"
#include "service/access/access.h"
#include "service/requests/acted_on.h"

namespace rankscope::service {

// A request to a route.
struct Call {
  const http::Head& head;
  Principal who;
  std::vector<std::string> arguments;  // of the path, in their order
  std::string body;
  // Further data for the audit log, of a route that acts; never null then.
  std::shared_ptr<ActedOn> on = nullptr;

  // A parameter of the query, "" without it.
  std::string_view Query(std::string_view name) const {
    return http::Find(head.query, name).value_or(std::string_view());
  }
};

// The body as a type of src/api; an empty one has no members. kInvalidArgument.
template <typename T>
Result<T> BodyOf(const Call& call) {
  return json::FromJson<T>(call.body.empty() ? "{}" : call.body);
}

// Answers a request whose body is read. Safe for many threads; may block.
using Answer = std::function<http::Reply(const Call& call)>;
// Receives a body as it arrives: the returned object gets the pieces, or is a refusal. Called
// before the body. Safe for many threads.
using Receive =
    std::function<std::variant<http::Reply, std::unique_ptr<http::Exchange>>(const Call& call)>;

// Binds the function's first arguments, which outlive the result.
template <typename Function, typename... Collaborators>
Answer With(Function function, Collaborators&... collaborators) {
  return
      [function, &collaborators...](const Call& call) { return function(collaborators..., call); };
}

struct Parameter {
  std::string_view name;
  std::string_view place;  // "query" or "header"; those of the path are in the pattern
  std::string_view type;   // "string", "integer", "boolean"
  std::string_view doc;
  bool is_repeatable = false;
};

// Has `answer` or `receive`.
struct Route {
  std::string_view method;
  std::string_view pattern;  // "/api/v1/runs/{id}/files/{name...}": the last takes all that is left
  Role role = Role::kRead;
  Answer answer = {};
  Receive receive = {};
  std::string_view summary;
  std::vector<Parameter> parameters = {};
  const json::FieldList* takes = nullptr;    // as which type the body is declared; null: none is
  bool takes_list = false;                   // of these
  const json::FieldList* gives = nullptr;    // and the answer, where it is
  std::vector<std::string_view> sends = {};  // else the media types that the answer may have
  std::string_view statuses = "200";         // of success
  std::uint64_t most_body = 0;               // bytes, with `answer`
  // Its name in the audit log ("run.remove"); "": it is not logged there. Only with `answer`.
  std::string_view act = {};
};

struct Match {
  const Route* route = nullptr;
  std::vector<std::string> arguments;
  std::string allowed;  // methods of this path, when none fits: "GET, PUT"
};

// The routes of a server. Filled before it serves; safe for many threads from then on.
class RouteTable {
 public:
  explicit RouteTable(std::vector<Route> routes = {}) : routes_(std::move(routes)) {}
  void Add(std::vector<Route> routes);
  std::span<const Route> routes() const { return routes_; }

  // The route of a request; HEAD is GET if there is no HEAD. Compares the path with every pattern,
  // so a request is matched once (api.cc).
  Match Find(std::string_view method, std::string_view path) const;

 private:
  std::vector<Route> routes_;
};

// The OpenAPI 3.1 document of the routes.
std::string OpenApi(std::span<const Route> routes, std::string_view version);

}  // namespace rankscope::service
