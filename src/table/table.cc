#include "table/table.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "base/saturating.h"

namespace rankscope {

std::string_view ToString(ColumnType type) {
  switch (type) {
    case ColumnType::kInt64:
      return "int64";
    case ColumnType::kDouble:
      return "double";
    case ColumnType::kString:
      return "string";
    case ColumnType::kBool:
      return "bool";
  }
  return "unknown";
}

void Table::Data::AddNull(ColumnType type) {
  switch (type) {
    case ColumnType::kInt64:
    case ColumnType::kBool:
      ints.PushBack(0);
      break;
    case ColumnType::kDouble:
      doubles.push_back(0);
      break;
    case ColumnType::kString:
      text_end.push_back(text.size());
      break;
  }
  null.push_back(true);
}

void Table::Data::Add(const ColumnSpec& spec, const Value& value) {
  if (std::holds_alternative<Null>(value)) return AddNull(spec.type);
  const auto* as_int = std::get_if<std::int64_t>(&value);
  const auto* as_double = std::get_if<double>(&value);
  const auto* as_text = std::get_if<std::string_view>(&value);
  const auto* as_bool = std::get_if<bool>(&value);
  if (spec.type == ColumnType::kInt64 && as_int != nullptr) {
    ints.PushBack(*as_int);
  } else if (spec.type == ColumnType::kDouble && as_double != nullptr) {
    if (!std::isfinite(*as_double)) return AddNull(spec.type);
    doubles.push_back(*as_double);
  } else if (spec.type == ColumnType::kDouble && as_int != nullptr) {
    doubles.push_back(static_cast<double>(*as_int));
  } else if (spec.type == ColumnType::kString && as_text != nullptr) {
    text.append(*as_text);
    text_end.push_back(text.size());
  } else {
    RS_CHECK(spec.type == ColumnType::kBool && as_bool != nullptr,
             "column {} holds {} and got a value of another type", spec.name, ToString(spec.type));
    ints.PushBack(*as_bool ? 1 : 0);
  }
  null.push_back(false);
}

std::string_view Table::Data::Text(std::size_t row) const {
  const std::uint64_t begin = row == 0 ? 0 : text_end[row - 1];
  return std::string_view(text).substr(begin, text_end[row] - begin);
}

int Table::Data::Compare(ColumnType type, std::size_t a, std::size_t b) const {
  switch (type) {
    case ColumnType::kInt64:
    case ColumnType::kBool:
      return ints[a] < ints[b] ? -1 : static_cast<int>(ints[a] > ints[b]);
    case ColumnType::kDouble:
      return doubles[a] < doubles[b] ? -1 : static_cast<int>(doubles[a] > doubles[b]);
    case ColumnType::kString:
      return Text(a).compare(Text(b));
  }
  return 0;
}

Table::Data Table::Data::Reordered(ColumnType type, const std::vector<std::size_t>& order) const {
  Data result;
  result.null.reserve(order.size());
  for (const std::size_t row : order) result.null.push_back(null[row]);
  switch (type) {
    case ColumnType::kInt64:
    case ColumnType::kBool:
      for (const std::size_t row : order) result.ints.PushBack(ints[row]);
      break;
    case ColumnType::kDouble:
      result.doubles.reserve(order.size());
      for (const std::size_t row : order) result.doubles.push_back(doubles[row]);
      break;
    case ColumnType::kString:
      result.text.reserve(text.size());
      result.text_end.reserve(order.size());
      for (const std::size_t row : order) {
        result.text.append(Text(row));
        result.text_end.push_back(result.text.size());
      }
      break;
  }
  return result;
}

Table::Table(std::string name, std::vector<ColumnSpec> columns)
    : name_(std::move(name)), specs_(std::move(columns)), data_(specs_.size()) {}

std::optional<std::size_t> Table::Find(std::string_view column) const {
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    if (specs_[i].name == column) return i;
  }
  return std::nullopt;
}

void Table::AddRow(const std::vector<Value>& row) {
  RS_CHECK(row.size() == specs_.size() && !row.empty(),
           "table {} has {} columns and got a row of {} values", name_, specs_.size(), row.size());
  for (std::size_t i = 0; i < row.size(); ++i) data_[i].Add(specs_[i], row[i]);
  ++row_count_;
}

void Table::PutCell(std::size_t column, const Value& value) {
  Data& data = data_[column];
  RS_CHECK(data.null.size() == row_count_, "table {} got two values for column {} in one row",
           name_, specs_[column].name);
  data.Add(specs_[column], value);
}

void Table::EndRow() {
  ++row_count_;
  for (std::size_t i = 0; i < data_.size(); ++i) {
    if (data_[i].null.size() < row_count_) data_[i].AddNull(specs_[i].type);
  }
}

void Table::Append(const Table& other) {
  if (&other == this) return Append(Table(other));
  RS_CHECK(specs_.size() == other.specs_.size(), "table {} of {} columns cannot take {} of {}",
           name_, specs_.size(), other.name_, other.specs_.size());
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    RS_CHECK(specs_[i].name == other.specs_[i].name && specs_[i].type == other.specs_[i].type,
             "table {} column {} cannot take column {} of {}", name_, specs_[i].name,
             other.specs_[i].name, other.name_);
    Data& to = data_[i];
    const Data& from = other.data_[i];
    to.ints.Append(from.ints);
    to.doubles.insert(to.doubles.end(), from.doubles.begin(), from.doubles.end());
    const std::uint64_t text_before = to.text.size();
    to.text.append(from.text);
    to.text_end.reserve(to.text_end.size() + from.text_end.size());
    for (const std::uint64_t end : from.text_end) to.text_end.push_back(text_before + end);
    to.null.insert(to.null.end(), from.null.begin(), from.null.end());
  }
  row_count_ += other.row_count_;
}

const Table::Data& Table::Typed(std::size_t row, std::size_t column, ColumnType type) const {
  RS_CHECK(column < specs_.size() && row < row_count_ && specs_[column].type == type,
           "table {} has no {} at row {}, column {}", name_, ToString(type), row, column);
  return data_[column];
}

bool Table::IsNull(std::size_t row, std::size_t column) const {
  RS_CHECK(column < specs_.size() && row < row_count_, "table {} has no row {}, column {}", name_,
           row, column);
  return data_[column].null[row];
}

std::int64_t Table::Int(std::size_t row, std::size_t column) const {
  return Typed(row, column, ColumnType::kInt64).ints[row];
}

double Table::Double(std::size_t row, std::size_t column) const {
  return Typed(row, column, ColumnType::kDouble).doubles[row];
}

std::string_view Table::String(std::size_t row, std::size_t column) const {
  return Typed(row, column, ColumnType::kString).Text(row);
}

bool Table::Bool(std::size_t row, std::size_t column) const {
  return Typed(row, column, ColumnType::kBool).ints[row] != 0;
}

Value Table::At(std::size_t row, std::size_t column) const {
  if (IsNull(row, column)) return kNull;
  const Data& data = data_[column];
  switch (specs_[column].type) {
    case ColumnType::kInt64:
      return data.ints[row];
    case ColumnType::kDouble:
      return data.doubles[row];
    case ColumnType::kString:
      return data.Text(row);
    case ColumnType::kBool:
      return data.ints[row] != 0;
  }
  return kNull;
}

void Table::Fill(std::size_t column, std::int64_t value) {
  RS_CHECK(column < specs_.size() && specs_[column].type == ColumnType::kInt64,
           "table {} has no int64 column {}", name_, column);
  Data& data = data_[column];
  data.ints = {};
  for (std::size_t row = 0; row < row_count_; ++row) data.ints.PushBack(value);
  data.null.assign(row_count_, false);
}

void Table::Subtract(std::size_t column, std::int64_t less) {
  RS_CHECK(column < specs_.size() && specs_[column].type == ColumnType::kInt64,
           "table {} has no int64 column {}", name_, column);
  Data& data = data_[column];
  PackedInts all;
  for (std::size_t row = 0; row < row_count_; ++row) {
    const std::int64_t value = data.ints[row];
    all.PushBack(data.null[row] ? value : SaturatingSubtract(value, less));
  }
  data.ints = std::move(all);
}

void Table::SortBy(const std::vector<SortKey>& keys) {
  for (const SortKey& key : keys) {
    RS_CHECK(key.column < specs_.size(), "table {} has no column {}", name_, key.column);
  }
  const auto before = [&](std::size_t a, std::size_t b) {
    for (const SortKey& key : keys) {
      const Data& data = data_[key.column];
      if (data.null[a] != data.null[b]) return bool{data.null[b]};
      if (data.null[a]) continue;
      const int order = data.Compare(specs_[key.column].type, a, b);
      if (order != 0) return key.descending ? order > 0 : order < 0;
    }
    return false;
  };
  std::vector<std::size_t> order(row_count_);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (std::is_sorted(order.begin(), order.end(), before)) return;
  std::stable_sort(order.begin(), order.end(), before);
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    data_[i] = data_[i].Reordered(specs_[i].type, order);
  }
}

std::size_t Table::bytes() const {
  std::size_t bytes = 0;
  for (const Data& data : data_) {
    bytes += data.ints.bytes() + data.doubles.size() * sizeof(double) +
             data.text_end.size() * sizeof(std::uint64_t) + data.text.size() + data.null.size() / 8;
  }
  return bytes;
}

void Table::Truncate(std::size_t count) {
  if (count >= row_count_) return;
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    Data& data = data_[i];
    data.null.resize(count);
    data.ints.Truncate(count);
    if (!data.doubles.empty()) data.doubles.resize(count);
    if (!data.text_end.empty()) {
      data.text_end.resize(count);
      data.text.resize(count == 0 ? 0 : data.text_end.back());
    }
  }
  row_count_ = count;
}

bool operator==(const Table& a, const Table& b) {
  return a.name_ == b.name_ && a.row_count_ == b.row_count_ && a.specs_ == b.specs_ &&
         a.data_ == b.data_;
}

}  // namespace rankscope
