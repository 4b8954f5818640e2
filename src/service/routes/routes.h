// The routes of the API by subject, each subject in its own file, with the objects that its routes
// need. These objects outlive the routes. service.cc makes the list of all; docs/add-a-route.md
// says how to add one.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "service/base/wall_clock.h"
#include "service/requests/assistant.h"
#include "service/requests/route.h"
#include "service/runs/parts.h"

namespace rankscope::sql {
class ParquetReader;
}

namespace rankscope::service {

class Agents;
class AuditTrail;
class Captures;
class Commands;
class Gains;
class Launches;
class Numbers;
class People;
class Queue;
class Repositories;
class Runs;
class Shares;
class Timelines;
class Uploads;
class WaitingWork;

struct Limits;

// Called for a changed run: its tags may be different.
using OnTags = std::function<void(const store::Run& run)>;
std::vector<Route> RunRoutes(Parts& parts, Runs& runs, const OnTags& on_tags);
std::vector<Route> FileRoutes(Parts& parts, Uploads& uploads, Commands& commands,
                              const Limits& limits);
// For files that their senders put into the store of contents themselves.
std::vector<Route> DirectRoutes(Parts& parts, Uploads& uploads, WaitingWork& work,
                                const Limits& limits);
// `definitions` is a JSON of every table with its columns and their meaning.
std::vector<Route> TableRoutes(Parts& parts, sql::ParquetReader& tables, Commands& commands,
                               const std::string& definitions);
// What a finding or a verdict on recordings means, in Markdown. Null: this server explains nothing.
using ExplanationOf = Result<std::string_view> (*)(std::string_view id);
std::vector<Route> ExplainRoutes(ExplanationOf explanation_of);
std::vector<Route> TimelineRoutes(Parts& parts, Timelines& timelines);
std::vector<Route> WorkRoutes(Parts& parts, Commands& commands);
// Where a command finds the store.
struct StorePlace {
  std::string data;
  std::string catalogue;  // "": the folder
  std::string copies;     // of contents that lie in S3
};
std::vector<Route> FleetRoutes(const StorePlace& place, Commands& commands);
std::vector<Route> ActRoutes(Parts& parts, const Repositories& repositories, Commands& commands);
std::vector<Route> AgainRoutes(Parts& parts, Gains& gains, const Launches& launches,
                               const WallClock& now_s);
std::vector<Route> TuningRoutes(Parts& parts, const Launches& launches);
std::vector<Route> NoteRoutes(Parts& parts, const WallClock& now_s);
std::vector<Route> ShareRoutes(Shares& shares);
std::vector<Route> HostRoutes(Agents& agents, Captures& captures, const WallClock& now_s);
// `people` may be null: no sign-in at a provider.
std::vector<Route> SessionRoutes(Access& access, const People* people);
std::vector<Route> PeopleRoutes(People& people);
std::vector<Route> AuditRoutes(AuditTrail& trail);
// `api` answers the assistant's requests.
std::vector<Route> AssistantRoutes(const Parts& parts, const Assistant& assistant,
                                   http::Handler& api, WaitingWork& work);
// `all` are those that the OpenAPI document describes, `version` is the program's.
std::vector<Route> StateRoutes(Parts& parts, const Numbers& numbers, const Queue& queue,
                               const Agents& agents, const RouteTable& all,
                               const std::string& version);

}  // namespace rankscope::service
