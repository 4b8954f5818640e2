#include "on_demand_baseline.h"

#include <simdjson.h>

#include <array>
#include <cstring>

namespace rankscope::bench {
namespace {

namespace od = simdjson::ondemand;

bool IsOneOf(const char* key, const auto& names) {
  for (const std::string_view name : names) {
    if (key[0] == name[0] && std::memcmp(key, name.data(), name.size()) == 0 &&
        key[name.size()] == '"')
      return true;
  }
  return false;
}

// The kept arguments by their first letter, so that finding one costs about what the reader pays.
constexpr std::array<std::string_view, 4> kElevenArgs = {"correlation", "External id", "stream",
                                                         "device"};
constexpr std::array<std::string_view, 45> kSameArgs = {"Addr",
                                                        "Bytes",
                                                        "Collective name",
                                                        "Concrete Inputs",
                                                        "Device Type",
                                                        "Device Id",
                                                        "Dst Rank",
                                                        "External id",
                                                        "Fwd thread id",
                                                        "Group size",
                                                        "Input Dims",
                                                        "Input dims",
                                                        "Input type",
                                                        "Input Strides",
                                                        "In msg nelems",
                                                        "In split size",
                                                        "Out msg nelems",
                                                        "Out split size",
                                                        "Process Group Name",
                                                        "Process Group Description",
                                                        "Process Group Ranks",
                                                        "Python id",
                                                        "Python parent id",
                                                        "Python module id",
                                                        "Sequence number",
                                                        "Seq",
                                                        "Src Rank",
                                                        "Total Allocated",
                                                        "Total Reserved",
                                                        "bytes",
                                                        "block",
                                                        "blocks per SM",
                                                        "correlation",
                                                        "context",
                                                        "device",
                                                        "dtype",
                                                        "est. achieved occupancy %",
                                                        "grid",
                                                        "memory bandwidth (GB/s)",
                                                        "registers per thread",
                                                        "stream",
                                                        "shared memory",
                                                        "warps per SM",
                                                        "wait_on_stream",
                                                        "wait_on_cuda_event_record_corr_id"};

class ByFirstLetter {
 public:
  template <std::size_t N>
  explicit ByFirstLetter(const std::array<std::string_view, N>& names) {
    for (const std::string_view name : names)
      lists_[static_cast<unsigned char>(name[0])].push_back(name);
  }
  bool Has(const char* key) const {
    return IsOneOf(key, lists_[static_cast<unsigned char>(key[0])]);
  }

 private:
  std::array<std::vector<std::string_view>, 256> lists_;
};

void ReadValue(od::value& value, OnDemandResult& result) {
  switch (od::json_type type = od::json_type::null;
          value.type().get(type) ? od::json_type::null : type) {
    case od::json_type::string: {
      std::string_view text;
      if (!value.get_string().get(text)) result.sum += static_cast<double>(text.size());
      break;
    }
    case od::json_type::number: {
      // As an integer where it is one, the cheaper way.
      std::int64_t integer = 0;
      double number = 0;
      if (!value.get_int64().get(integer)) {
        result.sum += static_cast<double>(integer);
      } else if (!value.get_double().get(number)) {
        result.sum += number;
      }
      break;
    }
    case od::json_type::array: {
      od::array array;
      std::string_view text;
      if (!value.get_array().get(array) && !array.raw_json().get(text))
        result.sum += static_cast<double>(text.size());
      break;
    }
    default:
      break;
  }
}

simdjson::error_code ReadArgs(od::object args, const ByFirstLetter& kept, OnDemandResult& result) {
  for (auto item : args) {
    if (const auto error = item.error()) return error;
    od::field& field = item.value_unsafe();
    if (kept.Has(field.key().raw())) ReadValue(field.value(), result);
  }
  return simdjson::SUCCESS;
}

simdjson::error_code ReadEvent(od::object object, const ByFirstLetter& kept,
                               OnDemandResult& result) {
  static const ByFirstLetter kOuter(
      std::array<std::string_view, 5>{"ph", "cat", "name", "pid", "tid"});
  static const ByFirstLetter kTimes(std::array<std::string_view, 2>{"ts", "dur"});
  for (auto item : object) {
    if (const auto error = item.error()) return error;
    od::field& field = item.value_unsafe();
    const char* key = field.key().raw();
    if (kOuter.Has(key)) {
      ReadValue(field.value(), result);
    } else if (kTimes.Has(key)) {
      double number = 0;
      if (!field.value().get_double().get(number)) result.sum += number;
    } else if (key[0] == 'a' && std::memcmp(key, "args\"", 5) == 0) {
      od::object args;
      if (field.value().get_object().get(args)) continue;
      if (const auto error = ReadArgs(args, kept, result)) return error;
    }
  }
  return simdjson::SUCCESS;
}

}  // namespace

OnDemandResult ReadOnDemand(const std::vector<std::string>& chunks,
                            const std::vector<std::size_t>& sizes, Fields fields) {
  const ByFirstLetter kept =
      fields == Fields::kEleven ? ByFirstLetter(kElevenArgs) : ByFirstLetter(kSameArgs);
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
                   ReadEvent(object, kept, result) == simdjson::SUCCESS;
      if (!result.ok) return result;
      ++result.events;
    }
  }
  return result;
}

}  // namespace rankscope::bench
