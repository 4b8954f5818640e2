#include "service/runs/cluster_events.h"

#include <algorithm>
#include <map>

#include "json/writer.h"
#include "store/cluster_schema.h"

namespace rankscope::service {
namespace {

using postgres::Rows;

constexpr std::chrono::milliseconds kClusterEventsBetweenLooks{2'000};
// That a server which begins has for those who listened to another.
constexpr std::int64_t kKeptAtBeginning = 1024;
constexpr const char* kClusterEventsAtOnce = "500";

}  // namespace

Result<std::unique_ptr<ClusterEvents>> ClusterEvents::Open(Parts parts) {
  auto events = std::unique_ptr<ClusterEvents>(new ClusterEvents(std::move(parts)));
  RS_ASSIGN_OR_RETURN(const Rows rows, events->parts_.catalogue.database().Do(
                                           "SELECT began_ms, last_event FROM rankscope.cluster"));
  if (rows.empty())
    return Error(StatusCode::kBadData, "{}: its table rankscope.cluster is empty",
                 events->parts_.catalogue.database().shown());
  events->last_ = std::max<std::int64_t>(0, rows.Integer(0, 1) - kKeptAtBeginning);
  events->hub_ = std::make_unique<EventHub>(
      rows.Integer(0, 0), events->last_,
      [raw = events.get()](std::string_view team, std::string_view type, std::string_view data) {
        raw->Publish(team, type, data);
      });
  return events;
}

void ClusterEvents::Begin() {
  const Status read = Read();
  if (!read.ok()) parts_.on_message(read.message());
  postgres::Database& database = parts_.catalogue.database();
  listener_ = std::make_unique<postgres::Listener>(
      database.address(), database.options().connection,
      postgres::Listener::Options{.channels = {store::kEventChannel},
                                  .at_least_every = kClusterEventsBetweenLooks,
                                  .wake =
                                      [this] {
                                        const Status status = Read();
                                        if (!status.ok()) parts_.on_message(status.message());
                                      },
                                  .on_message = parts_.on_message});
}

Status ClusterEvents::Read() {
  while (true) {
    RS_ASSIGN_OR_RETURN(
        const Rows rows,
        parts_.catalogue.database().Do("SELECT number, kind, team, run, data FROM rankscope.event "
                                       "WHERE number > $1 ORDER BY number LIMIT $2",
                                       {last_, kClusterEventsAtOnce}));
    if (rows.empty()) return OkStatus();
    parts_.before_reading();
    // A run is told as it is now: of several events of one the last says it all.
    std::map<std::string, std::size_t, std::less<>> last_of;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows.Text(i, 1) == "run") last_of[rows.String(i, 3)] = i;
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::string_view kind = rows.Text(i, 1), team = rows.Text(i, 2), id = rows.Text(i, 3);
      std::string_view type = kind;
      std::string data;
      if (kind == "run") {
        const bool is_last = last_of.find(id)->second == i;
        const auto run = is_last
                             ? parts_.catalogue.Look(id)
                             : Result<store::RunPtr>(Error(StatusCode::kNotFound, "told later"));
        if (run.ok()) {
          data = parts_.shown(**run);
        } else if (run.status().code() == StatusCode::kIo) {
          return run.status();  // read again from here
        } else {
          type = "";  // removed since, which is an event of its own
        }
      } else if (kind == "removed") {
        json::Writer(data).BeginObject().Member("id", id).EndObject();
      } else {
        data = rows.String(i, 4);
      }
      last_ = rows.Integer(i, 0);
      hub_->Put(last_, team, type, data);
    }
  }
}

// Runs are told by who changes them.
void ClusterEvents::Publish(std::string_view team, std::string_view type, std::string_view data) {
  if (type == "run" || type == "removed") return;
  const Status told = parts_.catalogue.database().Transact([&](postgres::Transaction& transaction) {
    return store::AddEvent(transaction, std::string(type).c_str(), std::string(team), "",
                           std::string(data));
  });
  if (!told.ok()) parts_.on_message(told.message());
}

Status ClusterEvents::Trim() {
  return parts_.catalogue.database()
      .Do("DELETE FROM rankscope.event WHERE number <= "
          "(SELECT last_event FROM rankscope.cluster) - $1",
          {static_cast<std::int64_t>(EventHub::kKept)})
      .status();
}

}  // namespace rankscope::service
