// Random tables for round-trip tests: every type, nulls, extreme numbers, strings of any bytes.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "table/table.h"

namespace rankscope {

class RandomTables {
 public:
  explicit RandomTables(std::uint32_t seed) : random_(seed) {}

  // Up to 8 columns of random types and up to `max_rows` rows.
  Table Make(std::size_t max_rows) {
    std::vector<ColumnSpec> columns(1 + Below(8));
    for (std::size_t i = 0; i < columns.size(); ++i) {
      columns[i] = {"column_" + std::to_string(i), static_cast<ColumnType>(Below(4)),
                    Below(2) == 0 ? "" : "ns", Below(2) == 0 ? "" : "What it is."};
    }
    Table table("random_" + std::to_string(Below(100)), columns);
    const std::size_t rows = Below(max_rows + 1);
    for (std::size_t row = 0; row < rows; ++row) AddRow(table);
    return table;
  }

  std::size_t Below(std::size_t bound) { return random_() % bound; }

  // Bytes of every kind, quotes, separators and controls more often than others.
  std::string Text() {
    constexpr char kOften[] = "\",\r\n\\ a\xC3\xA9\x1b";
    std::string text(Below(12), '\0');
    for (char& c : text) {
      c = Below(2) == 0 ? kOften[Below(sizeof(kOften) - 1)] : static_cast<char>(random_());
    }
    return text;
  }

  // Of any size: a random number of its low bits is kept.
  std::int64_t Integer() {
    const std::uint64_t bits = random_() >> Below(64);
    return static_cast<std::int64_t>(Below(2) == 0 ? bits : ~bits);
  }

  // Any finite double, by its bits.
  double Number() {
    for (;;) {
      const std::uint64_t bits = random_();
      double value;
      std::memcpy(&value, &bits, sizeof(value));
      if (std::isfinite(value)) return value;
    }
  }

 private:
  void AddRow(Table& table) {
    std::vector<std::string> texts(table.column_count());
    std::vector<Value> row;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      texts[i] = Text();
      row.push_back(Cell(table.columns()[i].type, texts[i]));
    }
    table.AddRow(row);
  }

  Value Cell(ColumnType type, const std::string& text) {
    if (Below(5) == 0) return kNull;
    switch (type) {
      case ColumnType::kInt64:
        return Integer();
      case ColumnType::kDouble:
        return Number();
      case ColumnType::kBool:
        return Below(2) == 0;
      case ColumnType::kString:
        break;
    }
    return text;
  }

  std::mt19937_64 random_;
};

}  // namespace rankscope
