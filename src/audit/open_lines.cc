#include "audit/open_lines.h"

#include "postgres/database.h"

namespace rankscope::audit {
namespace {

class OwningLines final : public Lines {
 public:
  explicit OwningLines(std::unique_ptr<postgres::Database> database)
      : database_(std::move(database)), log_(MakeClusterLog(*database_)) {}
  Status FromNewest(const Visit& visit) override { return log_->FromNewest(visit); }
  Status FromOldest(const Visit& visit) override { return log_->FromOldest(visit); }
  Result<Head> Noted() override { return log_->Noted(); }

 private:
  const std::unique_ptr<postgres::Database> database_;
  const std::unique_ptr<Log> log_;
};

}  // namespace

Result<std::unique_ptr<Lines>> OpenLines(const std::string& data, const std::string& catalogue) {
  if (catalogue.empty()) return OpenFolderLines(data + "/audit");
  RS_ASSIGN_OR_RETURN(auto database, postgres::Database::Open(catalogue));
  return std::unique_ptr<Lines>(std::make_unique<OwningLines>(std::move(database)));
}

}  // namespace rankscope::audit
