// KeptPartials: the partials of one trace while a job is open, by stage name.
//
// They are packed as in the cache. Without a cache, small ones stay tables: packing and unpacking
// them would take a twentieth of a run. Copies share the tables.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/partials.h"
#include "table/table.h"

namespace rankscope {

class KeptPartials {
 public:
  KeptPartials() = default;
  explicit KeptPartials(Partials packed) : packed_(std::move(packed)) {}

  bool Contains(std::string_view stage) const {
    return tables_.contains(stage) || packed_.Contains(stage);
  }
  // nullopt if there are none, or if they are damaged.
  std::optional<std::vector<Table>> Get(std::string_view stage) const;
  void Set(const std::string& stage, std::vector<Table> tables) {
    tables_[stage] = std::make_shared<const std::vector<Table>>(std::move(tables));
  }
  // Output of a Packer for EncodeTables' bytes.
  void SetPacked(const std::string& stage, std::string packed) {
    packed_.SetPacked(stage, std::move(packed));
  }
  std::size_t size() const { return tables_.size() + packed_.size(); }
  // Drops the other stages.
  void KeepOnly(const std::function<bool(std::string_view stage)>& is_kept);

  const Partials& packed() const { return packed_; }

 private:
  Partials packed_;
  std::map<std::string, std::shared_ptr<const std::vector<Table>>, std::less<>> tables_;
};

}  // namespace rankscope
