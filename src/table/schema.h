// Schema: the columns of a table as a struct of named handles, declared once. The handles are how
// its rows are written and read, so that a column that is renamed or taken away breaks its users
// when they compile.
//
//   struct StepSums : Schema {
//     IntColumn step = Int("step", "", "number of the step; null outside of all steps");
//     IntColumn total_ns = Int("total_ns", "ns", "device time");
//     StringColumn name = Text("name", "name of the kernel");
//   };
//   const StepSums& sums = SchemaOf<StepSums>();
//
//   Table table = sums.NewTable("step_sums");
//   // What is not named is null.
//   table.Add({sums.step = 5, sums.total_ns = 1200, sums.name = "gemm"});
//   table.Int(row, sums.total_ns);
//
// Members are columns in the order of their declaration. Handles are one index wide and are only
// good for tables of their schema.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "table/table.h"

namespace rankscope {

class Schema {
 public:
  const std::vector<ColumnSpec>& columns() const { return columns_; }
  // The columns without units and sentences: those of a partial, which would mostly hold them.
  std::vector<ColumnSpec> BareColumns() const;
  Table NewTable(std::string name) const { return {std::move(name), columns_}; }
  Table NewPartial(std::string name) const { return {std::move(name), BareColumns()}; }
  // Whether a table has exactly these columns, by name and type: one that was read must.
  bool Fits(const Table& table) const;

 protected:
  IntColumn Int(std::string name, std::string unit = "", std::string doc = "");
  RealColumn Real(std::string name, std::string unit = "", std::string doc = "");
  StringColumn Text(std::string name, std::string doc = "");
  FlagColumn Flag(std::string name, std::string doc = "");
  // A column that many tables share (schemas/columns.h); its type must be the handle's.
  IntColumn Int(ColumnSpec shared);
  RealColumn Real(ColumnSpec shared);
  StringColumn Text(ColumnSpec shared);
  FlagColumn Flag(ColumnSpec shared);

 private:
  std::size_t Place(ColumnSpec spec, ColumnType type);

  std::vector<ColumnSpec> columns_;
};

// Names and types agree, in order; units and sentences are not looked at.
bool HasColumns(const Table& table, std::span<const ColumnSpec> columns);

// The one object of a schema. Filling its columns in is slow to compile: a schema in a header says
// `extern template const StepSums& SchemaOf<StepSums>();` behind its struct, and a .cc beside it the
// same without `extern`.
template <typename T>
const T& SchemaOf() {
  static const T kSchema;
  return kSchema;
}

}  // namespace rankscope
