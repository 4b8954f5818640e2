// Space: what may be tuned: parameters with bounds and a default, and what has to hold between
// them.
//
//   Space space = Space::Make({{.name = "max_num_seqs", .scale = Scale::kLog2, .least = 16,
//                               .most = 1024, .standard = 256, .resolution = 2},
//                              ...},
//                             {{.greater = "max_num_batched_tokens", .lesser = "max_num_seqs"}});
//
// A point is a value of each parameter, in their order and units; of a choice the index. Values lie
// on a grid, so that two points are the same or differ by something.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace rankscope::tune {

enum class Scale : std::uint8_t {
  kLog2,    // whole numbers, `resolution` of them from one to twice as much
  kLinear,  // numbers in steps of `resolution` from the least
  kChoice,  // one of `choices`
};

struct Parameter {
  std::string name;
  Scale scale = Scale::kLinear;
  double least = 0, most = 1;  // both included; of a choice without meaning
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
  // kInvalidArgument: no parameters, two of one name, bounds or defaults that do not fit, an order
  // of what does not exist or that the defaults do not keep.
  static Result<Space> Make(std::vector<Parameter> parameters, std::vector<Order> orders = {});

  const std::vector<Parameter>& parameters() const { return parameters_; }
  const std::vector<Order>& orders() const { return orders_; }
  std::size_t size() const { return parameters_.size(); }
  std::optional<std::size_t> IndexOf(std::string_view name) const;

  Point Standard() const;
  // Of numbers from 0 to 1, one a parameter: the nearest point of the grid, whatever the orders.
  Point FromUnit(const std::vector<double>& unit) const;
  // Where the values lie between their bounds, 0 to 1, by their scale. FromUnit gives the point
  // back when it is on the grid.
  std::vector<double> ToUnit(const Point& point) const;
  // For a model of distances: as ToUnit, but that any two choices are equally far from each other,
  // by a coordinate for each.
  std::vector<double> Features(const Point& point) const;

  bool KeepsOrders(const Point& point) const;
  // The values of a parameter, rising; of one that is finer than 1,000 values, so many.
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
