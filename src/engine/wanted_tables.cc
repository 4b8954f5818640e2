#include "engine/wanted_tables.h"

#include <utility>

namespace rankscope {

WantedTables::WantedTables(std::span<const Request> requests, const Known& known) {
  for (const Request& request : requests) asked_.push_back(Add(request, known));
}

std::size_t WantedTables::Add(const Request& request, const Known& known) {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Request& other = entries_[i].request;
    if (other.analysis == request.analysis && other.options == request.options) return i;
  }
  Entry entry;
  entry.request = request;
  entry.table = known(request);
  entry.was_known = entry.table != nullptr;
  if (!entry.was_known) {
    for (const Analysis* input : request.analysis->inputs)
      entry.inputs.push_back(Add({input, {}}, known));
  }
  entries_.push_back(std::move(entry));
  return entries_.size() - 1;
}

}  // namespace rankscope
