// The tables of a cluster in PostgreSQL, in their schema `rankscope`:
//
//   run      a record per run as a folder keeps it (run.h), with its checksum, and what lists look
//            for in columns of their own
//   work     a row per run that is to be analysed, and one per shard that a large one is divided
//            into (service/queue/work_rows.h)
//   team     when a unit of each team was last taken
//   worker   when each process that takes work was last alive
//   history  how units of work ended, for a while
//   event    what servers tell their listeners, by numbers without gaps
//   cluster  one row: the folder that all share, the last number of an event, and counts
//   session  of browsers; share, gain: what a server keeps beside runs
//   audit    who did what (audit/log.h), and in audit_head the number and hash of the last line
//   sign_in  sign-ins of people that are under way at a provider
//
// Locks of rows are taken in this order to avoid deadlocks: run, work, team, cluster. Rows of
// worker are locked alone.
#pragma once

#include "base/status.h"
#include "postgres/database.h"

namespace rankscope::store {

// The channels that notify servers of events and workers of work.
inline constexpr const char* kEventChannel = "rankscope_event";
inline constexpr const char* kWorkChannel = "rankscope_work";

// Makes the tables, or brings them up to this version.
Status MigrateCluster(postgres::Database& database);

// For a catalogue in a database, after a change of a team's run: adds the row that tells all
// servers, in the same transaction. `data` is for kinds that state more than the run.
Status AddEvent(postgres::Transaction& transaction, const char* kind, const std::string& team,
                const std::string& run, const std::string& data = "");

}  // namespace rankscope::store
