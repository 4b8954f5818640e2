// One thing that the API does: where, for whom, with what. The list of routes is the only one: what
// is answered, what is refused and the OpenAPI document follow from it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"
#include "service/access.h"

namespace rankscope::json {
class FieldList;
}

namespace rankscope::service {

struct Parts;

// A request to a route, its body read.
struct Call {
  const http::Head& head;
  Principal who;
  std::vector<std::string> arguments;  // of the path, in their order
  std::string body;

  // A parameter of the query, "" without it.
  std::string_view Query(std::string_view name) const {
    return http::Find(head.query, name).value_or(std::string_view());
  }
};

using Answer = http::Reply (*)(Parts& parts, const Call& call);

struct Parameter {
  std::string_view name;
  std::string_view place;  // "query" or "header"; those of the path are in the pattern
  std::string_view type;   // "string", "integer", "boolean"
  std::string_view doc;
  bool is_repeatable = false;
};

struct Route {
  std::string_view method;
  std::string_view pattern;  // "/api/v1/runs/{id}/files/{name...}": the last takes all that is left
  Role role = Role::kRead;
  Answer answer = nullptr;  // null: the file is taken as it comes (upload.h)
  std::string_view summary;
  std::vector<Parameter> parameters = {};
  std::string_view body = {};  // a JSON schema; "" when none is taken, or `takes` says it
  const json::FieldList* takes = nullptr;  // as which type the body is declared
  const json::FieldList* gives = nullptr;  // and the answer, where it is
  std::string_view statuses = "200";       // of success
  std::uint64_t most_body = 0;             // bytes
};

// By subject, each in its file; together every route of the API.
std::vector<Route> RunRoutes();
std::vector<Route> FileRoutes();
std::vector<Route> TableRoutes();
std::vector<Route> TimelineRoutes();
std::vector<Route> WorkRoutes();
std::vector<Route> NoteRoutes();
std::vector<Route> HostRoutes();
std::vector<Route> SessionRoutes();
std::vector<Route> StateRoutes();
const std::vector<Route>& AllRoutes();

struct Match {
  const Route* route = nullptr;
  std::vector<std::string> arguments;
  std::string allowed;  // methods of this path, when none fits: "GET, PUT"
};
// HEAD is GET where there is no HEAD.
Match FindRoute(std::span<const Route> routes, std::string_view method, std::string_view path);

// The OpenAPI 3.1 document of the routes.
std::string OpenApi(std::span<const Route> routes, std::string_view version);

}  // namespace rankscope::service
