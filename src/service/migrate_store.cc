#include "service/migrate_store.h"

#include <algorithm>

#include "audit/carry_over.h"
#include "service/access/shares.h"
#include "service/changes/gains.h"
#include "store/postgres_catalogue.h"

namespace rankscope::service {

Result<MigratedStore> MigrateStore(const std::string& data_folder, const std::string& catalogue) {
  // With the folder's lock: nobody changes what is being copied. Once a cluster has the folder,
  // nobody takes its own runs any more, and that goes without.
  auto opened = store::Store::Open(data_folder, {});
  if (opened.status().code() == StatusCode::kInvalidArgument)
    opened = store::Store::Open(data_folder, {.read_only = true, .was_carried_over = true});
  RS_ASSIGN_OR_RETURN(const auto from, std::move(opened));
  RS_ASSIGN_OR_RETURN(const auto to, store::PostgresCatalogue::Open(catalogue, {}));
  RS_RETURN_IF_ERROR(from->CheckGivable(*to));
  MigratedStore done{.to = to->database().shown()};
  RS_ASSIGN_OR_RETURN(const auto unreadable, from->catalogue().Unreadable());
  for (const auto& [path, why] : unreadable) done.problems.push_back({path, why.message()});
  RS_ASSIGN_OR_RETURN(std::vector<store::Run> runs, from->catalogue().All());
  std::ranges::reverse(runs);  // the oldest first
  for (const store::Run& run : runs) {
    ++done.runs;
    RS_ASSIGN_OR_RETURN(const bool is_new, to->Import(run));
    done.new_runs += is_new ? 1 : 0;
    if (is_new) continue;
    const auto there = to->Look(run.id);
    if (there.ok()) continue;
    if (there.status().code() != StatusCode::kNotFound) return there.status();
    done.problems.push_back(
        {"run " + run.id, "the database has another run with its key, so it is left out"});
  }
  const bool has_all_runs = done.problems.empty();
  const auto tell = [&](std::string_view message) {
    const std::size_t end = message.find(": ");
    done.problems.push_back(
        {std::string(message.substr(0, end)),
         std::string(end == std::string_view::npos ? message : message.substr(end + 2))});
  };
  RS_ASSIGN_OR_RETURN(done.shares, CopyShares(data_folder + "/shares", to->database(), tell));
  RS_ASSIGN_OR_RETURN(done.gains, CopyGains(data_folder + "/gains", to->database(), tell));
  const auto log = audit::OpenFolderLines(data_folder + "/audit");
  if (!log.ok() && log.status().code() != StatusCode::kNotFound) return log.status();
  if (log.ok()) {
    RS_ASSIGN_OR_RETURN(const audit::CarriedLog carried, audit::CarryOver(**log, to->database()));
    done.audit_lines = carried.lines;
    done.why_no_audit = carried.why_not;
  }
  // The last step: what was interrupted before is repeated.
  if (!has_all_runs) return done;
  RS_RETURN_IF_ERROR(from->GiveTo(*to));
  done.is_given = true;
  return done;
}

}  // namespace rankscope::service
