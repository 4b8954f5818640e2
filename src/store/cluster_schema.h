// The tables of a cluster in PostgreSQL, in their schema `rankscope`:
//
//   run      a record per run as a folder keeps it (run.h), with its checksum, and what lists look
//            for in columns of their own
//   work     a row per run that is to be analysed, and one per shard that a large one is divided
//            into (service/work_rows.h)
//   history  how units of work ended, for a while
//   event    what servers tell their listeners, by numbers without gaps
//   cluster  one row: the folder that all share, the last number of an event, and counts
//   session  of browsers; share, gain: what a server keeps beside runs
//   audit    who did what (audit/log.h), and in audit_head the number and hash of the last line
//   sign_in  sign-ins of people that are under way at a provider
//
// Locks of rows are taken in this order: run, work, cluster. Who keeps to it meets nobody.
#pragma once

#include "base/status.h"
#include "postgres/database.h"

namespace rankscope::store {

// On which servers are told that there are events, workers that there is work.
inline constexpr const char* kEventChannel = "rankscope_event";
inline constexpr const char* kWorkChannel = "rankscope_work";

// Makes the tables, or brings them up to this version.
Status MigrateCluster(postgres::Database& database);

// Of a catalogue in a database, behind what happened to a run of a team: the row that tells all
// servers, in the same transaction. `data` is for kinds that say more than which run it is.
Status AddEvent(postgres::Transaction& transaction, const char* kind, const std::string& team,
                const std::string& run, const std::string& data = "");

}  // namespace rankscope::store
