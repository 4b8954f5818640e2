#include "on_demand_baseline.h"

#include <simdjson.h>

namespace rankscope::bench {
namespace {

namespace od = simdjson::ondemand;

simdjson::error_code ReadEvent(od::object object, OnDemandResult& result) {
  for (auto item : object) {
    od::field field;
    if (const auto error = std::move(item).get(field)) return error;
    const od::raw_json_string key = field.key();
    od::value value = field.value();
    if (key == "ph" || key == "cat" || key == "name" || key == "pid" || key == "tid" ||
        key == "ts" || key == "dur") {
      result.fields += !value.raw_json_token().empty();
    } else if (key == "args") {
      od::object args;
      if (value.get_object().get(args)) continue;
      for (auto inner : args) {
        od::field arg;
        if (const auto error = std::move(inner).get(arg)) return error;
        const od::raw_json_string name = arg.key();
        if (name == "correlation" || name == "External id" || name == "stream" ||
            name == "device") {
          result.fields += !arg.value().raw_json_token().empty();
        }
      }
    }
  }
  return simdjson::SUCCESS;
}

}  // namespace

OnDemandResult ReadOnDemand(const std::vector<std::string>& chunks,
                            const std::vector<std::size_t>& sizes) {
  OnDemandResult result;
  od::parser parser;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    od::document document;
    od::array events;
    result.ok &= parser.iterate(chunks[i].data(), sizes[i], chunks[i].size()).get(document) ==
                     simdjson::SUCCESS &&
                 document.get_array().get(events) == simdjson::SUCCESS;
    if (!result.ok) return result;
    for (auto item : events) {
      od::object object;
      result.ok &= item.get_object().get(object) == simdjson::SUCCESS &&
                   ReadEvent(object, result) == simdjson::SUCCESS;
      if (!result.ok) return result;
      ++result.events;
    }
  }
  return result;
}

}  // namespace rankscope::bench
