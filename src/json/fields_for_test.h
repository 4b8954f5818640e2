// Declared types with every kind of field, for tests of generated code.
#pragma once

#include "json/fields.h"

namespace rankscope::json_test {

enum class Colour : std::uint8_t { kRed, kGreen };
inline std::span<const std::string_view> WordsOf(Colour) {
  static constexpr std::string_view kWords[] = {"red", "green"};
  return kWords;
}

struct Wheel {
  double size = 1;
  std::string maker;
};
struct Order {
  std::string name = "bike";
  std::int64_t count = 1;
  std::vector<std::int64_t> ids;
  std::string kind = "new";
  bool is_gift = false;
  std::vector<Wheel> wheels;
  std::string buyer;
};
struct Record {
  Colour colour = Colour::kGreen;
  std::uint64_t bytes = 0;
  std::optional<std::int64_t> rank;
  std::map<std::string, std::string> tags;
  std::optional<Wheel> spare;
};
struct Report {
  std::string text = "none";
  std::int64_t number = 7;
  std::vector<std::string> reasons;
  std::optional<double> busy;
  json::RawJson summary;
};
struct LongReport : Report {
  std::optional<std::int64_t> hosts;
};
struct Parcel {
  json::RawOf<Wheel> wheel;
};
struct Call {
  std::int64_t steps = 0;
  std::vector<std::int64_t> pids;
  std::int64_t limit = 9;
};

}  // namespace rankscope::json_test

namespace rankscope::json {

template <>
inline const Fields<json_test::Wheel>& FieldsOf() {
  using json_test::Wheel;
  static const Fields<Wheel> fields =
      Fields<Wheel>("Wheel", "a wheel", Use::kRequest)
          .Add<&Wheel::size>({.name = "size", .doc = "across", .unit = "inch", .least = 0})
          .Add<&Wheel::maker>({.name = "maker", .doc = "who made it", .is_null_when_empty = true});
  return fields;
}

template <>
inline const Fields<json_test::Order>& FieldsOf() {
  using json_test::Order;
  static constexpr std::string_view kKinds[] = {"new", "used"};
  static const Fields<Order> fields =
      Fields<Order>("Order", "what is ordered", Use::kRequest)
          .Add<&Order::name>({.name = "name", .doc = "of the thing", .most_bytes = 10})
          .Add<&Order::count>({.name = "count", .doc = "how many", .least = 1, .most = 9})
          .Add<&Order::ids>({.name = "ids", .doc = "", .least = 0, .most_items = 3})
          .Add<&Order::kind>({.name = "kind", .doc = "", .words = kKinds})
          .Add<&Order::is_gift>({.name = "is_gift", .doc = "to be wrapped"})
          .Add<&Order::wheels>({.name = "wheels", .doc = ""})
          .Add<&Order::buyer>({.name = "buyer", .doc = "", .is_required = true});
  return fields;
}

template <>
inline const Fields<json_test::Record>& FieldsOf() {
  using json_test::Record;
  static const Fields<Record> fields =
      Fields<Record>("Record", "what is kept", Use::kRecord)
          .Add<&Record::colour>({.name = "colour", .doc = ""})
          .Add<&Record::bytes>({.name = "bytes", .doc = ""})
          .Add<&Record::rank>({.name = "rank", .doc = ""})
          .Add<&Record::tags>({.name = "tags", .doc = ""})
          .Add<&Record::spare>({.name = "spare", .doc = "", .since = 2});
  return fields;
}

template <>
inline const Fields<json_test::Report>& FieldsOf() {
  using json_test::Report;
  static const Fields<Report> fields =
      Fields<Report>("Report", "what is told", Use::kReport)
          .Add<&Report::text>({.name = "text", .doc = "", .most_bytes = 5})
          .Add<&Report::number>({.name = "number", .doc = "", .least = 0, .most = 100})
          .Add<&Report::reasons>({.name = "reasons", .doc = "", .most_items = 2})
          .Add<&Report::busy>({.name = "busy", .doc = ""})
          .Add<&Report::summary>({.name = "summary", .doc = ""});
  return fields;
}

template <>
inline const Fields<json_test::LongReport>& FieldsOf() {
  using json_test::LongReport;
  static const Fields<LongReport> fields =
      Fields<LongReport>("LongReport", "what is told at length", Use::kReport)
          .Extends<json_test::Report>()
          .Add<&LongReport::hosts>({.name = "hosts", .doc = "", .is_left_out = true});
  return fields;
}

template <>
inline const Fields<json_test::Parcel>& FieldsOf() {
  using json_test::Parcel;
  static const Fields<Parcel> fields =
      Fields<Parcel>("Parcel", "what is passed on", Use::kReport)
          .Add<&Parcel::wheel>({.name = "wheel", .doc = "unopened"});
  return fields;
}

template <>
inline const Fields<json_test::Call>& FieldsOf() {
  using json_test::Call;
  static const Fields<Call> fields =
      Fields<Call>("Call", "what is asked of another program", Use::kCall)
          .Add<&Call::steps>({.name = "steps", .doc = "to record", .least = 0, .is_left_out = true})
          .Add<&Call::pids>({.name = "pids", .doc = "", .is_left_out = true})
          .Add<&Call::limit>({.name = "limit", .doc = ""});
  return fields;
}

}  // namespace rankscope::json
