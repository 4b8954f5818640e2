#include "capi/arrow_columns.h"

#include <limits>
#include <unordered_map>
#include <utility>

#include "table/column_names.h"
#include "table/table_columns.h"

namespace rankscope::capi {
namespace {

Bitmap EmptyBitmap(std::size_t rows) { return Bitmap((rows + 63) / 64 * 8, 0); }

void Set(Bitmap& bits, std::size_t row) {
  bits[row / 8] = static_cast<std::uint8_t>(bits[row / 8] | (1U << (row % 8)));
}

bool IsSet(const Bitmap& bits, std::size_t row) { return ((bits[row / 8] >> (row % 8)) & 1U) != 0; }

std::int64_t CountOf(const std::vector<bool>& null) {
  std::int64_t count = 0;
  for (const bool is_null : null) count += is_null;
  return count;
}

Bitmap ValidityOf(const std::vector<bool>& null) {
  Bitmap bits = EmptyBitmap(null.size());
  for (std::size_t row = 0; row < null.size(); ++row) {
    if (!null[row]) Set(bits, row);
  }
  return bits;
}

Bitmap FlagsOf(const std::vector<std::int64_t>& ints) {
  Bitmap bits = EmptyBitmap(ints.size());
  for (std::size_t row = 0; row < ints.size(); ++row) {
    if (ints[row] != 0) Set(bits, row);
  }
  return bits;
}

// Ends of texts become their offsets, in their own memory.
std::vector<std::uint64_t> OffsetsOf(std::vector<std::uint64_t> ends) {
  ends.reserve(ends.size() + 1);
  ends.insert(ends.begin(), 0);
  return ends;
}

ArrowColumn ColumnOf(TakenColumn taken, std::string name) {
  ArrowColumn column{.name = std::move(name),
                     .type = taken.spec.type,
                     .unit = std::move(taken.spec.unit),
                     .doc = std::move(taken.spec.doc),
                     .null_count = CountOf(taken.null)};
  if (column.null_count > 0) column.validity = ValidityOf(taken.null);
  switch (column.type) {
    case ColumnType::kInt64:
      column.ints = std::move(taken.ints);
      break;
    case ColumnType::kDouble:
      column.doubles = std::move(taken.doubles);
      break;
    case ColumnType::kString:
      column.offsets = OffsetsOf(std::move(taken.text_end));
      column.text = std::move(taken.text);
      break;
    case ColumnType::kBool:
      column.flags = FlagsOf(taken.ints);
      break;
  }
  return column;
}

Result<ArrowDictionary> MakeDictionary(const ArrowColumn& column, std::size_t rows) {
  ArrowDictionary made;
  made.codes.reserve(rows);
  made.offsets.push_back(0);
  std::unordered_map<std::string_view, std::int32_t> codes;  // views into the column
  for (std::size_t row = 0; row < rows; ++row) {
    if (column.null_count > 0 && !IsSet(column.validity, row)) {
      made.codes.push_back(0);
      continue;
    }
    const std::string_view text = TextAt(column.offsets, column.text, row);
    const auto [known, is_new] = codes.emplace(text, static_cast<std::int32_t>(codes.size()));
    if (is_new) {
      if (codes.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
        return Error(StatusCode::kResource, "column {} has too many different texts", column.name);
      made.text.append(text);
      made.offsets.push_back(made.text.size());
    }
    made.codes.push_back(known->second);
  }
  return made;
}

}  // namespace

ArrowColumns::ArrowColumns(Table table) : name_(table.name()), row_count_(table.row_count()) {
  std::vector<std::string> names = UniqueNames(table.columns());
  std::vector<TakenColumn> taken = TableColumns::Take(std::move(table));
  columns_.reserve(taken.size());
  for (std::size_t i = 0; i < taken.size(); ++i)
    columns_.push_back(ColumnOf(std::move(taken[i]), std::move(names[i])));
  dictionaries_.resize(columns_.size());
}

Result<const ArrowDictionary*> ArrowColumns::DictionaryOf(std::size_t column) const {
  const std::lock_guard lock(mutex_);
  if (dictionaries_[column] == nullptr) {
    RS_ASSIGN_OR_RETURN(ArrowDictionary made, MakeDictionary(columns_[column], row_count_));
    dictionaries_[column] = std::make_unique<const ArrowDictionary>(std::move(made));
  }
  return dictionaries_[column].get();
}

std::string_view TextAt(const std::vector<std::uint64_t>& offsets, const std::string& text,
                        std::size_t row) {
  return std::string_view(text).substr(offsets[row], offsets[row + 1] - offsets[row]);
}

}  // namespace rankscope::capi
