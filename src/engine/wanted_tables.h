// WantedTables: the requested tables with all their inputs, each once, inputs first.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/request.h"
#include "table/table.h"

namespace rankscope {

class WantedTables {
 public:
  struct Entry {
    Request request;
    std::vector<std::size_t> inputs;  // of entries()
    std::shared_ptr<const Table> table;
    std::shared_ptr<Table> made;  // the same where it was not remembered
    Status status;
    bool was_known = false;

    void Make(Table finished) {
      made = std::make_shared<Table>(std::move(finished));
      table = made;
    }
  };
  // The table if it exists already, else nullptr.
  using Known = std::function<std::shared_ptr<const Table>(const Request&)>;

  // Inputs of a known table are not among the entries.
  WantedTables(std::span<const Request> requests, const Known& known);

  std::vector<Entry>& entries() { return entries_; }
  const std::vector<Entry>& entries() const { return entries_; }
  const std::vector<std::size_t>& asked() const { return asked_; }  // the entry of each request

 private:
  std::size_t Add(const Request& request, const Known& known);

  std::vector<Entry> entries_;
  std::vector<std::size_t> asked_;
};

}  // namespace rankscope
