// The routes of the API by subject, each subject in a file of its own (routes_SUBJECT.cc), with
// what its routes work with. What they are given outlives them. service.cc makes the list of all;
// docs/add-a-route.md says how to add one.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "service/assistant.h"
#include "service/parts.h"
#include "service/route.h"
#include "service/wall_clock.h"

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
struct ServiceOptions;

// Hears of a run that was changed: it may have other tags.
using OnTags = std::function<void(const store::Run& run)>;
std::vector<Route> RunRoutes(Parts& parts, Runs& runs, const OnTags& on_tags);
std::vector<Route> FileRoutes(Parts& parts, Uploads& uploads, Commands& commands,
                              const Limits& limits);
// Of files that their senders put into the store of contents themselves.
std::vector<Route> DirectRoutes(Parts& parts, Uploads& uploads, WaitingWork& work,
                                const Limits& limits);
// `definitions` is a JSON of every table with its columns and what they mean.
std::vector<Route> TableRoutes(Parts& parts, sql::ParquetReader& tables, Commands& commands,
                               const std::string& definitions);
std::vector<Route> ExplainRoutes(const ServiceOptions& options);
std::vector<Route> TimelineRoutes(Parts& parts, Timelines& timelines);
std::vector<Route> WorkRoutes(Parts& parts, Commands& commands);
// Of the store's folder, its catalogue and where copies of its contents lie.
std::vector<Route> FleetRoutes(const ServiceOptions& options, Commands& commands);
std::vector<Route> ActRoutes(Parts& parts, const Repositories& repositories, Commands& commands);
std::vector<Route> AgainRoutes(Parts& parts, Gains& gains, const Launches& launches,
                               const WallClock& now_s);
std::vector<Route> TuningRoutes(Parts& parts, const Launches& launches);
std::vector<Route> NoteRoutes(Parts& parts, const WallClock& now_s);
std::vector<Route> ShareRoutes(Shares& shares);
std::vector<Route> HostRoutes(Agents& agents, Captures& captures, const WallClock& now_s);
// `people` may be null: nobody signs in at a provider.
std::vector<Route> SessionRoutes(Access& access, const People* people);
std::vector<Route> PeopleRoutes(People& people);
std::vector<Route> AuditRoutes(AuditTrail& trail);
// `api` answers what the assistant asks.
std::vector<Route> AssistantRoutes(const Parts& parts, const Assistant& assistant,
                                   http::Handler& api, WaitingWork& work);
// `all` are those that the OpenAPI document describes, `version` is the program's.
std::vector<Route> StateRoutes(Parts& parts, const Numbers& numbers, const Queue& queue,
                               const Agents& agents, const RouteTable& all,
                               const std::string& version);

}  // namespace rankscope::service
