#include "sql/cell_value.h"

#include <cstdint>
#include <vector>

namespace rankscope::sql {
namespace {

// The value of a cell, or an empty handle when its type cannot be made a value.
DuckValue ValueOf(duckdb_vector vector, const LogicalType& type, std::size_t row);

template <typename T>
const T& Cell(duckdb_vector vector, std::size_t row) {
  return static_cast<const T*>(duckdb_vector_get_data(vector))[row];
}

// Values of `count` elements of a vector from `begin`; raw pointers as DuckDB wants them.
struct Elements {
  Elements(duckdb_vector vector, const LogicalType& type, std::size_t begin, std::size_t count) {
    raw.reserve(count + 1);  // DuckDB wants an address even when there is nothing
    for (std::size_t i = 0; i < count; ++i) Add(ValueOf(vector, type, begin + i));
  }
  Elements() = default;
  void Add(DuckValue value) {
    complete = complete && value;
    raw.push_back(value.get());
    owned.push_back(std::move(value));
  }
  std::vector<DuckValue> owned;
  std::vector<duckdb_value> raw;
  bool complete = true;
};

DuckValue ListValue(duckdb_vector vector, const LogicalType& type, std::size_t row) {
  const LogicalType child(duckdb_list_type_child_type(type.get()));
  const auto& entry = Cell<duckdb_list_entry>(vector, row);
  Elements elements(duckdb_list_vector_get_child(vector), child, entry.offset, entry.length);
  if (!elements.complete) return {};
  return DuckValue(duckdb_create_list_value(child.get(), elements.raw.data(), entry.length));
}

DuckValue ArrayValue(duckdb_vector vector, const LogicalType& type, std::size_t row) {
  const LogicalType child(duckdb_array_type_child_type(type.get()));
  const idx_t size = duckdb_array_type_array_size(type.get());
  Elements elements(duckdb_array_vector_get_child(vector), child, row * size, size);
  if (!elements.complete) return {};
  return DuckValue(duckdb_create_array_value(child.get(), elements.raw.data(), size));
}

DuckValue StructValue(duckdb_vector vector, const LogicalType& type, std::size_t row) {
  Elements members;
  for (idx_t i = 0; i < duckdb_struct_type_child_count(type.get()); ++i) {
    const LogicalType child(duckdb_struct_type_child_type(type.get(), i));
    members.Add(ValueOf(duckdb_struct_vector_get_child(vector, i), child, row));
  }
  if (!members.complete) return {};
  return DuckValue(duckdb_create_struct_value(type.get(), members.raw.data()));
}

// A map is a list of structs of key and value.
DuckValue MapValue(duckdb_vector vector, const LogicalType& type, std::size_t row) {
  const LogicalType key_type(duckdb_map_type_key_type(type.get()));
  const LogicalType value_type(duckdb_map_type_value_type(type.get()));
  const auto& entry = Cell<duckdb_list_entry>(vector, row);
  duckdb_vector entries = duckdb_list_vector_get_child(vector);
  Elements keys(duckdb_struct_vector_get_child(entries, 0), key_type, entry.offset, entry.length);
  Elements values(duckdb_struct_vector_get_child(entries, 1), value_type, entry.offset,
                  entry.length);
  if (!keys.complete || !values.complete) return {};
  return DuckValue(
      duckdb_create_map_value(type.get(), keys.raw.data(), values.raw.data(), entry.length));
}

// A union is a struct of the tag and the members.
DuckValue UnionValue(duckdb_vector vector, const LogicalType& type, std::size_t row) {
  const idx_t tag = Cell<std::uint8_t>(duckdb_struct_vector_get_child(vector, 0), row);
  const LogicalType member(duckdb_union_type_member_type(type.get(), tag));
  const DuckValue value = ValueOf(duckdb_struct_vector_get_child(vector, tag + 1), member, row);
  if (!value) return {};
  return DuckValue(duckdb_create_union_value(type.get(), tag, value.get()));
}

DuckValue EnumValue(duckdb_vector vector, const LogicalType& type, std::size_t row) {
  std::uint64_t index = 0;
  switch (duckdb_enum_internal_type(type.get())) {
    case DUCKDB_TYPE_UTINYINT:
      index = Cell<std::uint8_t>(vector, row);
      break;
    case DUCKDB_TYPE_USMALLINT:
      index = Cell<std::uint16_t>(vector, row);
      break;
    default:
      index = Cell<std::uint32_t>(vector, row);
  }
  return DuckValue(duckdb_create_enum_value(type.get(), index));
}

DuckValue DecimalValue(duckdb_vector vector, const LogicalType& type, std::size_t row) {
  return DuckValue(
      duckdb_create_decimal({duckdb_decimal_width(type.get()), duckdb_decimal_scale(type.get()),
                             UnscaledDecimal(duckdb_vector_get_data(vector),
                                             duckdb_decimal_internal_type(type.get()), row)}));
}

// Stored as a signed number whose order is that of the text: the first bit is flipped.
DuckValue UuidValue(duckdb_vector vector, std::size_t row) {
  const auto& stored = Cell<duckdb_hugeint>(vector, row);
  return DuckValue(duckdb_create_uuid(
      {stored.lower, static_cast<std::uint64_t>(stored.upper) ^ (std::uint64_t{1} << 63)}));
}

DuckValue BitValue(duckdb_vector vector, std::size_t row) {
  std::string bytes(TextOf(&Cell<duckdb_string_t>(vector, 0), row));
  return DuckValue(
      duckdb_create_bit({reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size()}));
}

DuckValue ValueOf(duckdb_vector vector, const LogicalType& type, std::size_t row) {
  if (IsNull(vector, row)) return DuckValue(duckdb_create_null_value());
  switch (duckdb_get_type_id(type.get())) {
    case DUCKDB_TYPE_BOOLEAN:
      return DuckValue(duckdb_create_bool(Cell<bool>(vector, row)));
    case DUCKDB_TYPE_TINYINT:
      return DuckValue(duckdb_create_int8(Cell<std::int8_t>(vector, row)));
    case DUCKDB_TYPE_SMALLINT:
      return DuckValue(duckdb_create_int16(Cell<std::int16_t>(vector, row)));
    case DUCKDB_TYPE_INTEGER:
      return DuckValue(duckdb_create_int32(Cell<std::int32_t>(vector, row)));
    case DUCKDB_TYPE_BIGINT:
      return DuckValue(duckdb_create_int64(Cell<std::int64_t>(vector, row)));
    case DUCKDB_TYPE_UTINYINT:
      return DuckValue(duckdb_create_uint8(Cell<std::uint8_t>(vector, row)));
    case DUCKDB_TYPE_USMALLINT:
      return DuckValue(duckdb_create_uint16(Cell<std::uint16_t>(vector, row)));
    case DUCKDB_TYPE_UINTEGER:
      return DuckValue(duckdb_create_uint32(Cell<std::uint32_t>(vector, row)));
    case DUCKDB_TYPE_UBIGINT:
      return DuckValue(duckdb_create_uint64(Cell<std::uint64_t>(vector, row)));
    case DUCKDB_TYPE_HUGEINT:
      return DuckValue(duckdb_create_hugeint(Cell<duckdb_hugeint>(vector, row)));
    case DUCKDB_TYPE_UHUGEINT:
      return DuckValue(duckdb_create_uhugeint(Cell<duckdb_uhugeint>(vector, row)));
    case DUCKDB_TYPE_FLOAT:
      return DuckValue(duckdb_create_float(Cell<float>(vector, row)));
    case DUCKDB_TYPE_DOUBLE:
      return DuckValue(duckdb_create_double(Cell<double>(vector, row)));
    case DUCKDB_TYPE_DECIMAL:
      return DecimalValue(vector, type, row);
    case DUCKDB_TYPE_VARCHAR: {
      const std::string_view text = TextOf(&Cell<duckdb_string_t>(vector, 0), row);
      return DuckValue(duckdb_create_varchar_length(text.data(), text.size()));
    }
    case DUCKDB_TYPE_BLOB: {
      const std::string_view bytes = TextOf(&Cell<duckdb_string_t>(vector, 0), row);
      return DuckValue(
          duckdb_create_blob(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
    }
    case DUCKDB_TYPE_BIT:
      return BitValue(vector, row);
    case DUCKDB_TYPE_UUID:
      return UuidValue(vector, row);
    case DUCKDB_TYPE_DATE:
      return DuckValue(duckdb_create_date(Cell<duckdb_date>(vector, row)));
    case DUCKDB_TYPE_TIME:
      return DuckValue(duckdb_create_time(Cell<duckdb_time>(vector, row)));
    case DUCKDB_TYPE_TIME_NS:
      return DuckValue(duckdb_create_time_ns(Cell<duckdb_time_ns>(vector, row)));
    case DUCKDB_TYPE_TIME_TZ:
      return DuckValue(duckdb_create_time_tz_value(Cell<duckdb_time_tz>(vector, row)));
    case DUCKDB_TYPE_TIMESTAMP:
      return DuckValue(duckdb_create_timestamp(Cell<duckdb_timestamp>(vector, row)));
    case DUCKDB_TYPE_TIMESTAMP_TZ:
      return DuckValue(duckdb_create_timestamp_tz(Cell<duckdb_timestamp>(vector, row)));
    case DUCKDB_TYPE_TIMESTAMP_S:
      return DuckValue(duckdb_create_timestamp_s(Cell<duckdb_timestamp_s>(vector, row)));
    case DUCKDB_TYPE_TIMESTAMP_MS:
      return DuckValue(duckdb_create_timestamp_ms(Cell<duckdb_timestamp_ms>(vector, row)));
    case DUCKDB_TYPE_TIMESTAMP_NS:
      return DuckValue(duckdb_create_timestamp_ns(Cell<duckdb_timestamp_ns>(vector, row)));
    case DUCKDB_TYPE_INTERVAL:
      return DuckValue(duckdb_create_interval(Cell<duckdb_interval>(vector, row)));
    case DUCKDB_TYPE_ENUM:
      return EnumValue(vector, type, row);
    case DUCKDB_TYPE_LIST:
      return ListValue(vector, type, row);
    case DUCKDB_TYPE_ARRAY:
      return ArrayValue(vector, type, row);
    case DUCKDB_TYPE_STRUCT:
      return StructValue(vector, type, row);
    case DUCKDB_TYPE_MAP:
      return MapValue(vector, type, row);
    case DUCKDB_TYPE_UNION:
      return UnionValue(vector, type, row);
    default:
      return {};
  }
}

}  // namespace

bool IsNull(duckdb_vector vector, std::size_t row) {
  std::uint64_t* validity = duckdb_vector_get_validity(vector);
  return validity != nullptr && (validity[row / 64] >> (row % 64) & 1U) == 0;
}

std::string_view TextOf(const duckdb_string_t* cells, std::size_t row) {
  const auto& cell = cells[row].value;
  const bool is_inlined = cell.pointer.length <= sizeof(cell.inlined.inlined);
  return {is_inlined ? cell.inlined.inlined : cell.pointer.ptr, cell.pointer.length};
}

duckdb_hugeint UnscaledDecimal(const void* cells, duckdb_type internal_type, std::size_t row) {
  std::int64_t value = 0;
  switch (internal_type) {
    case DUCKDB_TYPE_SMALLINT:
      value = static_cast<const std::int16_t*>(cells)[row];
      break;
    case DUCKDB_TYPE_INTEGER:
      value = static_cast<const std::int32_t*>(cells)[row];
      break;
    case DUCKDB_TYPE_BIGINT:
      value = static_cast<const std::int64_t*>(cells)[row];
      break;
    default:
      return static_cast<const duckdb_hugeint*>(cells)[row];
  }
  return {static_cast<std::uint64_t>(value), value < 0 ? -1 : 0};
}

Result<std::string> CellText(duckdb_vector vector, const LogicalType& type, std::size_t row) {
  const DuckValue value = ValueOf(vector, type, row);
  const DuckText text(value ? duckdb_get_varchar(value.get()) : nullptr);
  if (!text) {
    return Error(StatusCode::kInvalidArgument,
                 "a column of the result has a type that cannot be shown; cast it to VARCHAR");
  }
  return std::string(text.get());
}

}  // namespace rankscope::sql
