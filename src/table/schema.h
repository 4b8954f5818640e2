// Schema: the columns of a table as a struct of named handles, declared once. Rows are written and
// read with the handles. So a renamed or removed column, or a handle of another table, breaks its
// users at compile time.
//
//   struct StepSums : Schema<StepSums> {
//     IntColumn step = Int("step", "", "number of the step; null outside of all steps");
//     IntColumn total_ns = Int("total_ns", "ns", "device time");
//     StringColumn name = Text("name", "name of the kernel");
//   };
//   const StepSums& sums = SchemaOf<StepSums>();
//
//   TableOf<StepSums> table = sums.NewTable("step_sums");
//   // What is not named is null.
//   table.Add({sums.step = 5, sums.total_ns = 1200, sums.name = "gemm"});
//   table.Int(row, sums.total_ns);
//
// Members are columns in the order of their declaration. A schema that begins with the columns of
// another derives from it: `struct GemmSums : Schema<GemmSums, StepSums>`; handles of StepSums also
// fit its tables.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "table/column.h"
#include "table/table.h"
#include "table/table_of.h"

namespace rankscope {

// The columns of any schema, for code that is generic over tables.
class SchemaColumns {
 public:
  const std::vector<ColumnSpec>& columns() const { return columns_; }
  // The columns without units and docs, for partials, which would otherwise consist mostly of them.
  std::vector<ColumnSpec> BareColumns() const;
  // True if a table has exactly these columns, by name and type; required of stored tables.
  bool Fits(const Table& table) const;
  // Ends the program unless the table's first columns are these.
  void CheckBegins(const Table& table) const;

 protected:
  // Adds a column and returns its index. Its type must be `type`.
  std::size_t Place(ColumnSpec spec, ColumnType type);
  std::size_t Place(ColumnType type, std::string name, std::string unit, std::string doc);

 private:
  std::vector<ColumnSpec> columns_;
};

// `Self` is the struct that derives from it, `Base` the schema whose columns come first.
template <typename Self, typename Base = SchemaColumns>
class Schema : public Base {
 public:
  using Declared = Self;
  using IntColumn = ColumnHandle<Self, std::int64_t>;
  using RealColumn = ColumnHandle<Self, double>;
  using StringColumn = ColumnHandle<Self, std::string_view>;
  using FlagColumn = ColumnHandle<Self, bool>;

  using Base::Base;
  TableOf<Self> NewTable(std::string called) const {
    return TableOf<Self>(Table(std::move(called), this->columns()));
  }
  TableOf<Self> NewPartial(std::string called) const {
    return TableOf<Self>(Table(std::move(called), this->BareColumns()));
  }

 protected:
  IntColumn Int(std::string called, std::string unit = "", std::string doc = "") {
    return IntColumn(
        this->Place(ColumnType::kInt64, std::move(called), std::move(unit), std::move(doc)));
  }
  RealColumn Real(std::string called, std::string unit = "", std::string doc = "") {
    return RealColumn(
        this->Place(ColumnType::kDouble, std::move(called), std::move(unit), std::move(doc)));
  }
  StringColumn Text(std::string called, std::string doc = "") {
    return StringColumn(this->Place(ColumnType::kString, std::move(called), "", std::move(doc)));
  }
  FlagColumn Flag(std::string called, std::string doc = "") {
    return FlagColumn(this->Place(ColumnType::kBool, std::move(called), "", std::move(doc)));
  }
  // A column shared by many tables (schemas/columns.h); its type must be the handle's.
  IntColumn Int(ColumnSpec shared) {
    return IntColumn(this->Place(std::move(shared), ColumnType::kInt64));
  }
  RealColumn Real(ColumnSpec shared) {
    return RealColumn(this->Place(std::move(shared), ColumnType::kDouble));
  }
  StringColumn Text(ColumnSpec shared) {
    return StringColumn(this->Place(std::move(shared), ColumnType::kString));
  }
  FlagColumn Flag(ColumnSpec shared) {
    return FlagColumn(this->Place(std::move(shared), ColumnType::kBool));
  }
};

// True if names and types agree, in order; units and docs are ignored.
bool HasColumns(const Table& table, std::span<const ColumnSpec> columns);

// The single object of a schema. Its initialisation is slow to compile: a schema in a header has
// `extern template const StepSums& SchemaOf<StepSums>();` after its struct, and a .cc beside it has
// the same without `extern`.
template <typename T>
const T& SchemaOf() {
  static_assert(std::is_same_v<typename T::Declared, T>,
                "a schema derives from Schema<Itself> or Schema<Itself, Base>");
  static const T kSchema;
  return kSchema;
}

}  // namespace rankscope
