#include "table/int_cells.h"

#include "table/table_columns.h"

namespace rankscope {

IntCells::IntCells(const Table& table, std::size_t column)
    : values_(&TableColumns::Ints(table, column)), null_(&TableColumns::Nulls(table, column)) {}

}  // namespace rankscope
