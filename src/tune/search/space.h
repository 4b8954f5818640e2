// Space: the tunable parameters with bounds and a default, and the constraints between
// them.
//
//   Space space = Space::Make({{.name = "max_num_seqs", .scale = Scale::kLog2, .least = 16,
//                               .most = 1024, .standard = 256, .resolution = 2},
//                              ...},
//                             {{.greater = "max_num_batched_tokens", .lesser = "max_num_seqs"}});
//
// A point has a value for each parameter, in their order and units; for a choice, its index. Values
// lie on a grid, so two points are either equal or clearly different.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace rankscope::tune {

enum class Scale : std::uint8_t {
  kLog2,    // whole numbers, `resolution` values per factor of 2
  kLinear,  // numbers in steps of `resolution` from the least value
  kChoice,  // one of `choices`
};

struct Parameter {
  std::string name;
  Scale scale = Scale::kLinear;
  double least = 0, most = 1;  // both inclusive; unused for a choice
  double standard = 0;         // the default
  double resolution = 1;
  std::vector<std::string> choices = {};

  friend bool operator==(const Parameter&, const Parameter&) = default;
};

// value(greater) >= factor * value(lesser)
struct Order {
  std::string greater, lesser;
  double factor = 1;

  friend bool operator==(const Order&, const Order&) = default;
};

using Point = std::vector<double>;

class Space {
 public:
  // kInvalidArgument: no parameters, two with the same name, invalid bounds or defaults, an order
  // of unknown parameters or one that the defaults break.
  static Result<Space> Make(std::vector<Parameter> parameters, std::vector<Order> orders = {});

  const std::vector<Parameter>& parameters() const { return parameters_; }
  const std::vector<Order>& orders() const { return orders_; }
  std::size_t size() const { return parameters_.size(); }
  std::optional<std::size_t> IndexOf(std::string_view name) const;

  Point Standard() const;
  // From numbers between 0 and 1, one per parameter: the nearest grid point, ignoring the orders.
  Point FromUnit(const std::vector<double>& unit) const;
  // The positions of the values between their bounds, 0 to 1, by their scale. For a point on the
  // grid, FromUnit is the inverse.
  std::vector<double> ToUnit(const Point& point) const;
  // For models based on distances: like ToUnit, but a choice has one coordinate per option, so that
  // any two options are equally far apart.
  std::vector<double> Features(const Point& point) const;

  bool KeepsOrders(const Point& point) const;
  // The values of a parameter, ascending; at most 1,000 for a parameter with a finer grid.
  std::vector<double> Values(std::size_t parameter) const;
  // "max_num_seqs=128, eager=off"
  std::string Text(const Point& point) const;

 private:
  Space(std::vector<Parameter> parameters, std::vector<Order> orders)
      : parameters_(std::move(parameters)), orders_(std::move(orders)) {}

  std::vector<Parameter> parameters_;
  std::vector<Order> orders_;
};

}  // namespace rankscope::tune
