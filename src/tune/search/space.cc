#include "tune/search/space.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace rankscope::tune {
namespace {

constexpr int kMostValues = 1000;

double Span(const Parameter& one) {
  switch (one.scale) {
    case Scale::kLog2:
      return std::log2(one.most / one.least);
    case Scale::kLinear:
      return one.most - one.least;
    case Scale::kChoice:
      break;
  }
  return static_cast<double>(one.choices.size() - 1);
}

// From the unit interval.
double ValueAt(const Parameter& one, double unit) {
  unit = std::clamp(unit, 0.0, 1.0);
  const double along = unit * Span(one);
  switch (one.scale) {
    case Scale::kLog2: {
      const double octaves = std::round(along * one.resolution) / one.resolution;
      return std::clamp(std::round(one.least * std::exp2(octaves)), one.least, one.most);
    }
    case Scale::kLinear:
      return std::min(one.most, one.least + std::round(along / one.resolution) * one.resolution);
    case Scale::kChoice:
      break;
  }
  return std::round(along);
}

double UnitOf(const Parameter& one, double value) {
  const double span = Span(one);
  if (span <= 0) return 0;
  switch (one.scale) {
    case Scale::kLog2:
      return std::log2(value / one.least) / span;
    case Scale::kLinear:
      return (value - one.least) / span;
    case Scale::kChoice:
      break;
  }
  return value / span;
}

Status CheckParameter(const Parameter& one) {
  const auto wrong = [&one](std::string_view what) {
    return Error(StatusCode::kInvalidArgument, "parameter {}: {}", one.name, what);
  };
  if (one.name.empty()) return Error(StatusCode::kInvalidArgument, "a parameter needs a name");
  if (one.scale == Scale::kChoice) {
    if (one.choices.empty()) return wrong("a choice needs something to choose from");
    const auto most = static_cast<double>(one.choices.size() - 1);
    if (!(one.standard >= 0 && one.standard <= most && std::floor(one.standard) == one.standard))
      return wrong("the default is none of the choices");
    return OkStatus();
  }
  if (!(std::isfinite(one.least) && std::isfinite(one.most) && one.least <= one.most))
    return wrong("the bounds are not in order");
  if (!(one.resolution > 0 && std::isfinite(one.resolution)))
    return wrong("the resolution has to be above 0");
  if (one.scale == Scale::kLog2 && one.least < 1)
    return wrong("its least value has to be 1 or more");
  if (!(one.standard >= one.least && one.standard <= one.most))
    return wrong("the default is out of bounds");
  return OkStatus();
}

}  // namespace

Result<Space> Space::Make(std::vector<Parameter> parameters, std::vector<Order> orders) {
  if (parameters.empty())
    return Error(StatusCode::kInvalidArgument, "there is no parameter to tune");
  std::set<std::string_view> names;
  for (const Parameter& one : parameters) {
    RS_RETURN_IF_ERROR(CheckParameter(one));
    if (!names.insert(one.name).second)
      return Error(StatusCode::kInvalidArgument, "parameter {} stands there twice", one.name);
  }
  for (const Order& order : orders) {
    for (const std::string& name : {order.greater, order.lesser}) {
      if (!names.contains(name)) {
        return Error(StatusCode::kInvalidArgument, "an order names {}, which is no parameter",
                     name);
      }
    }
  }
  Space space(std::move(parameters), std::move(orders));
  if (!space.KeepsOrders(space.Standard()))
    return Error(StatusCode::kInvalidArgument, "the defaults do not keep the orders: {}",
                 space.Text(space.Standard()));
  return space;
}

std::optional<std::size_t> Space::IndexOf(std::string_view name) const {
  const auto found = std::ranges::find(parameters_, name, &Parameter::name);
  if (found == parameters_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - parameters_.begin());
}

Point Space::Standard() const {
  Point point;
  for (const Parameter& one : parameters_) point.push_back(one.standard);
  return point;
}

Point Space::FromUnit(const std::vector<double>& unit) const {
  Point point;
  for (std::size_t i = 0; i < size(); ++i) point.push_back(ValueAt(parameters_[i], unit[i]));
  return point;
}

std::vector<double> Space::ToUnit(const Point& point) const {
  std::vector<double> unit;
  for (std::size_t i = 0; i < size(); ++i) unit.push_back(UnitOf(parameters_[i], point[i]));
  return unit;
}

std::vector<double> Space::Features(const Point& point) const {
  std::vector<double> features;
  for (std::size_t i = 0; i < size(); ++i) {
    const Parameter& one = parameters_[i];
    if (one.scale != Scale::kChoice || one.choices.size() <= 2) {
      features.push_back(UnitOf(one, point[i]));
      continue;
    }
    for (std::size_t choice = 0; choice < one.choices.size(); ++choice)
      features.push_back(static_cast<std::size_t>(point[i]) == choice ? 1 : 0);
  }
  return features;
}

bool Space::KeepsOrders(const Point& point) const {
  return std::ranges::all_of(orders_, [&](const Order& order) {
    return point[*IndexOf(order.greater)] >= order.factor * point[*IndexOf(order.lesser)];
  });
}

std::vector<double> Space::Values(std::size_t parameter) const {
  const Parameter& one = parameters_[parameter];
  const double steps = one.scale == Scale::kLog2     ? Span(one) * one.resolution
                       : one.scale == Scale::kLinear ? Span(one) / one.resolution
                                                     : Span(one);
  const int count = static_cast<int>(std::min<double>(std::ceil(steps), kMostValues - 1));
  std::set<double> values;
  for (int i = 0; i <= count; ++i)
    values.insert(ValueAt(one, count == 0 ? 0 : static_cast<double>(i) / count));
  return {values.begin(), values.end()};
}

std::string Space::Text(const Point& point) const {
  std::string text;
  for (std::size_t i = 0; i < size(); ++i) {
    const Parameter& one = parameters_[i];
    text += (i == 0 ? "" : ", ") + one.name + "=";
    text += one.scale == Scale::kChoice ? one.choices[static_cast<std::size_t>(point[i])]
                                        : fmt::format("{:.10g}", point[i]);
  }
  return text;
}

}  // namespace rankscope::tune
