#include "table/codec.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/hash.h"

namespace rankscope {
namespace {

// The encoding is the memory of a little-endian machine, so that columns are copied, not converted.
static_assert(std::endian::native == std::endian::little);

constexpr std::string_view kMagic = "RSTB";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kHeaderBytes = 4 + 4 + 8 + 8;

template <typename T>
void Put(std::string& out, T value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out.append(bytes, sizeof(T));
}

void PutText(std::string& out, std::string_view text) {
  Put(out, static_cast<std::uint32_t>(text.size()));
  out.append(text);
}

template <typename T>
void PutDeltas(std::string& out, const std::vector<std::int64_t>& values, std::uint64_t smallest) {
  const std::size_t begin = out.size();
  out.resize(begin + values.size() * sizeof(T));
  char* to = out.data() + begin;
  for (const std::int64_t value : values) {
    const T delta = static_cast<T>(static_cast<std::uint64_t>(value) - smallest);
    std::memcpy(to, &delta, sizeof(T));
    to += sizeof(T);
  }
}

// How a column of numbers lies in memory when it is packed.
struct Packing {
  std::int64_t smallest = 0;
  std::uint8_t width = 1;  // bytes of each
};
Packing PackingOf(const std::vector<std::int64_t>& values) {
  if (values.empty()) return {};
  const auto [smallest, biggest] = std::minmax_element(values.begin(), values.end());
  // Unsigned, because the distance of two int64 may not fit an int64.
  const std::uint64_t reach =
      static_cast<std::uint64_t>(*biggest) - static_cast<std::uint64_t>(*smallest);
  if (reach <= 0xFF) return {*smallest, 1};
  if (reach <= 0xFFFF) return {*smallest, 2};
  return {*smallest, static_cast<std::uint8_t>(reach <= 0xFFFFFFFF ? 4 : 8)};
}
std::size_t PackedBytes(const std::vector<std::int64_t>& values) {
  return sizeof(std::int64_t) + 1 + values.size() * PackingOf(values).width;
}

void PutPacked(std::string& out, const std::vector<std::int64_t>& values) {
  const Packing packing = PackingOf(values);
  const auto from = static_cast<std::uint64_t>(packing.smallest);
  Put(out, packing.smallest);
  Put(out, packing.width);
  switch (packing.width) {
    case 1:
      return PutDeltas<std::uint8_t>(out, values, from);
    case 2:
      return PutDeltas<std::uint16_t>(out, values, from);
    case 4:
      return PutDeltas<std::uint32_t>(out, values, from);
    default:
      return PutDeltas<std::uint64_t>(out, values, from);
  }
}

std::size_t BitBytes(std::size_t rows) { return rows / 8 + (rows % 8 != 0 ? 1 : 0); }

template <typename Flags>
void PutBits(std::string& out, const Flags& flags) {
  const std::size_t begin = out.size();
  out.resize(begin + BitBytes(flags.size()));
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (flags[i]) out[begin + i / 8] |= static_cast<char>(1U << (i % 8));
  }
}

// Takes values from the front of the payload. The first thing that does not fit sets an error; from
// then on nothing is read.
class Reader {
 public:
  explicit Reader(std::string_view payload) : payload_(payload) {}

  bool ok() const { return error_.empty(); }
  Status status() const {
    return ok() ? OkStatus()
                : Error(StatusCode::kBadData,
                        "the table data is damaged at byte {}: {}; rebuild the file it came from",
                        kHeaderBytes + at_, error_);
  }
  bool Fail(std::string_view why) {
    if (ok()) error_ = why;
    return false;
  }
  std::size_t remaining() const { return payload_.size() - at_; }

  bool Take(std::size_t count, std::string_view* bytes) {
    if (!ok() || count > remaining()) return Fail("it ends too early");
    *bytes = payload_.substr(at_, count);
    at_ += count;
    return true;
  }
  template <typename T>
  bool Get(T* value) {
    std::string_view bytes;
    if (!Take(sizeof(T), &bytes)) return false;
    std::memcpy(value, bytes.data(), sizeof(T));
    return true;
  }
  bool GetText(std::string* text) {
    std::uint32_t size = 0;
    std::string_view bytes;
    if (!Get(&size) || !Take(size, &bytes)) return false;
    text->assign(bytes);
    return true;
  }
  // `rows` is at most 8 * the size of the payload here and below, so that no product overflows.
  bool GetPacked(std::size_t rows, std::vector<std::int64_t>* values) {
    std::int64_t smallest = 0;
    std::uint8_t width = 0;
    if (!Get(&smallest) || !Get(&width)) return false;
    switch (width) {
      case 1:
        return GetDeltas<std::uint8_t>(rows, smallest, values);
      case 2:
        return GetDeltas<std::uint16_t>(rows, smallest, values);
      case 4:
        return GetDeltas<std::uint32_t>(rows, smallest, values);
      case 8:
        return GetDeltas<std::uint64_t>(rows, smallest, values);
      default:
        return Fail("a number cannot have that width");
    }
  }
  bool GetDoubles(std::size_t rows, std::vector<double>* values) {
    std::string_view bytes;
    if (!Take(rows * sizeof(double), &bytes)) return false;
    values->resize(rows);
    if (rows != 0) std::memcpy(values->data(), bytes.data(), bytes.size());
    return true;
  }
  template <typename Flags>
  bool GetBits(std::size_t rows, Flags* flags) {
    std::string_view bytes;
    if (!Take(BitBytes(rows), &bytes)) return false;
    flags->resize(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      (*flags)[i] = ((static_cast<unsigned char>(bytes[i / 8]) >> (i % 8)) & 1) != 0;
    }
    return true;
  }

 private:
  template <typename T>
  bool GetDeltas(std::size_t rows, std::int64_t smallest, std::vector<std::int64_t>* values) {
    std::string_view bytes;
    if (!Take(rows * sizeof(T), &bytes)) return false;
    values->resize(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      T delta;
      std::memcpy(&delta, bytes.data() + i * sizeof(T), sizeof(T));
      (*values)[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(smallest) + delta);
    }
    return true;
  }

  std::string_view payload_;
  std::size_t at_ = 0;
  std::string_view error_;
};

}  // namespace

// Stands between the bytes and the private columns of a Table.
class TableCodec {
 public:
  // At most, and nearly.
  static std::size_t EncodedBytes(const Table& table) {
    std::size_t bytes = 4 + table.name_.size() + 4 + 8;
    for (std::size_t i = 0; i < table.specs_.size(); ++i)
      bytes += EncodedBytes(table.specs_[i], table.data_[i]);
    return bytes;
  }

  // `encoded(i)` is called when column i has been encoded.
  template <typename Encoded>
  static void Encode(const Table& table, std::string& out, const Encoded& encoded) {
    PutText(out, table.name_);
    Put(out, static_cast<std::uint32_t>(table.specs_.size()));
    Put(out, std::uint64_t{table.row_count_});
    for (std::size_t i = 0; i < table.specs_.size(); ++i) {
      EncodeColumn(table.specs_[i], table.data_[i], out);
      encoded(i);
    }
  }

  static void Drop(Table& table, std::size_t column) { table.data_[column] = {}; }

  static bool Decode(Reader& in, Table& table) {
    std::uint32_t columns = 0;
    std::uint64_t rows = 0;
    if (!in.GetText(&table.name_) || !in.Get(&columns) || !in.Get(&rows)) return false;
    if (columns == 0 && rows != 0) return in.Fail("a table without columns has rows");
    // A cell is at least one bit.
    if (rows / 8 > in.remaining()) return in.Fail("it claims more rows than it can hold");
    for (std::uint32_t i = 0; i < columns; ++i) {
      ColumnSpec spec;
      Table::Data data;
      if (!DecodeColumn(in, rows, spec, data)) return false;
      table.specs_.push_back(std::move(spec));
      table.data_.push_back(std::move(data));
    }
    table.row_count_ = rows;
    return true;
  }

 private:
  static std::size_t EncodedBytes(const ColumnSpec& spec, const Table::Data& data) {
    const std::size_t rows = data.null.size();
    const std::size_t head =
        3 * 4 + spec.name.size() + spec.unit.size() + spec.doc.size() + 2 + BitBytes(rows);
    switch (spec.type) {
      case ColumnType::kInt64:
        return head + PackedBytes(data.ints);
      case ColumnType::kBool:
        return head + BitBytes(rows);
      case ColumnType::kDouble:
        return head + rows * sizeof(double);
      case ColumnType::kString:
        return head + PackedBytes(Lengths(data)) + data.text.size();
    }
    return head;
  }

  static void EncodeColumn(const ColumnSpec& spec, const Table::Data& data, std::string& out) {
    PutText(out, spec.name);
    Put(out, static_cast<std::uint8_t>(spec.type));
    PutText(out, spec.unit);
    PutText(out, spec.doc);
    const bool has_nulls = std::find(data.null.begin(), data.null.end(), true) != data.null.end();
    Put(out, std::uint8_t{has_nulls});
    if (has_nulls) PutBits(out, data.null);
    switch (spec.type) {
      case ColumnType::kInt64:
        return PutPacked(out, data.ints);
      case ColumnType::kBool:
        return PutBits(out, data.ints);
      case ColumnType::kDouble:
        for (const double value : data.doubles) Put(out, value);
        return;
      case ColumnType::kString:
        PutPacked(out, Lengths(data));
        out.append(data.text);
        return;
    }
  }

  static std::vector<std::int64_t> Lengths(const Table::Data& data) {
    std::vector<std::int64_t> lengths;
    lengths.reserve(data.text_end.size());
    for (std::size_t row = 0; row < data.text_end.size(); ++row) {
      lengths.push_back(static_cast<std::int64_t>(data.Text(row).size()));
    }
    return lengths;
  }

  static bool DecodeColumn(Reader& in, std::size_t rows, ColumnSpec& spec, Table::Data& data) {
    std::uint8_t type = 0;
    std::uint8_t has_nulls = 0;
    if (!in.GetText(&spec.name) || !in.Get(&type) || !in.GetText(&spec.unit) ||
        !in.GetText(&spec.doc) || !in.Get(&has_nulls)) {
      return false;
    }
    if (type > static_cast<std::uint8_t>(ColumnType::kBool)) return in.Fail("unknown column type");
    if (has_nulls > 1) return in.Fail("a flag is neither 0 nor 1");
    spec.type = static_cast<ColumnType>(type);
    if (has_nulls == 1 && !in.GetBits(rows, &data.null)) return false;
    if (!DecodeCells(in, rows, spec.type, data)) return false;
    data.null.resize(rows);
    return ClearNullCells(in, data);
  }

  static bool DecodeCells(Reader& in, std::size_t rows, ColumnType type, Table::Data& data) {
    switch (type) {
      case ColumnType::kInt64:
        return in.GetPacked(rows, &data.ints);
      case ColumnType::kBool:
        return in.GetBits(rows, &data.ints);
      case ColumnType::kDouble:
        if (!in.GetDoubles(rows, &data.doubles)) return false;
        return std::all_of(data.doubles.begin(), data.doubles.end(),
                           [](double value) { return std::isfinite(value); }) ||
               in.Fail("a number is not finite");
      case ColumnType::kString:
        return DecodeStrings(in, rows, data);
    }
    return false;
  }

  static bool DecodeStrings(Reader& in, std::size_t rows, Table::Data& data) {
    std::vector<std::int64_t> lengths;
    if (!in.GetPacked(rows, &lengths)) return false;
    data.text_end.reserve(rows);
    std::uint64_t end = 0;
    for (const std::int64_t length : lengths) {
      if (length < 0 || static_cast<std::uint64_t>(length) > in.remaining() - end) {
        return in.Fail("a string is longer than the data");
      }
      end += static_cast<std::uint64_t>(length);
      data.text_end.push_back(end);
    }
    std::string_view text;
    if (!in.Take(end, &text)) return false;
    data.text.assign(text);
    return true;
  }

  // Two tables that look the same must be equal, so nothing may hide behind a null.
  static bool ClearNullCells(Reader& in, Table::Data& data) {
    for (std::size_t row = 0; row < data.null.size(); ++row) {
      if (!data.null[row]) continue;
      if (!data.ints.empty()) data.ints[row] = 0;
      if (!data.doubles.empty()) data.doubles[row] = 0;
      if (!data.text_end.empty() && !data.Text(row).empty()) {
        return in.Fail("a null string has text");
      }
    }
    return true;
  }
};

namespace {

// `encoded(i, j)` is called when column j of table i has been encoded.
template <typename Encoded>
std::string Encode(std::span<const Table> tables, const Encoded& encoded) {
  std::size_t bytes = kHeaderBytes + 4;
  for (const Table& table : tables) bytes += TableCodec::EncodedBytes(table);
  std::string out;
  out.reserve(bytes);
  out.resize(kHeaderBytes);
  Put(out, static_cast<std::uint32_t>(tables.size()));
  for (std::size_t i = 0; i < tables.size(); ++i)
    TableCodec::Encode(tables[i], out, [&](std::size_t column) { encoded(i, column); });

  const std::uint64_t payload_bytes = out.size() - kHeaderBytes;
  std::string header(kMagic);
  Put(header, kVersion);
  Put(header, payload_bytes);
  Put(header, Checksum64(out.data() + kHeaderBytes, payload_bytes));
  out.replace(0, kHeaderBytes, header);
  return out;
}

}  // namespace

std::string EncodeTables(std::span<const Table> tables) {
  return Encode(tables, [](std::size_t, std::size_t) {});
}

std::string EncodeAndFree(std::vector<Table> tables) {
  return Encode(tables, [&](std::size_t table, std::size_t column) {
    TableCodec::Drop(tables[table], column);
  });
}

Result<std::vector<Table>> DecodeTables(std::string_view bytes) {
  if (bytes.size() < kHeaderBytes || bytes.substr(0, kMagic.size()) != kMagic) {
    return Error(StatusCode::kBadData, "these {} bytes are not encoded tables", bytes.size());
  }
  std::uint32_t version = 0;
  std::uint64_t payload_bytes = 0;
  std::uint64_t checksum = 0;
  std::memcpy(&version, bytes.data() + 4, sizeof(version));
  std::memcpy(&payload_bytes, bytes.data() + 8, sizeof(payload_bytes));
  std::memcpy(&checksum, bytes.data() + 16, sizeof(checksum));
  if (version != kVersion) {
    return Error(StatusCode::kBadData, "the table data has version {}, this program reads {}",
                 version, kVersion);
  }
  const std::string_view payload = bytes.substr(kHeaderBytes);
  if (payload.size() != payload_bytes) {
    return Error(StatusCode::kBadData, "the table data has {} bytes where its header says {}",
                 payload.size(), payload_bytes);
  }
  if (Checksum64(payload.data(), payload.size()) != checksum) {
    return Error(StatusCode::kBadData, "the table data is damaged: its checksum does not match");
  }

  Reader in(payload);
  std::uint32_t count = 0;
  std::vector<Table> tables;
  if (!in.Get(&count)) return in.status();
  for (std::uint32_t i = 0; i < count; ++i) {
    Table table;
    if (!TableCodec::Decode(in, table)) return in.status();
    tables.push_back(std::move(table));
  }
  if (in.remaining() != 0) {
    in.Fail("bytes are left over");
    return in.status();
  }
  return tables;
}

}  // namespace rankscope
