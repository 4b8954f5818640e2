#include "table/codec.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <utility>

#include "base/hash.h"
#include "base/running_checksum.h"
#include "table/packed_ints.h"

namespace rankscope {
namespace {

// The encoding is the memory of a little-endian machine, so that columns are copied, not converted.
static_assert(std::endian::native == std::endian::little);

constexpr std::string_view kMagic = "RSTB";
constexpr std::uint32_t kVersion = 2;
constexpr std::size_t kHeaderBytes = 4 + 4;
constexpr std::size_t kTrailerBytes = 8;

// Where encoded bytes go, some at once.
class Output {
 public:
  using Put = std::function<void(std::string_view)>;

  explicit Output(const Put& put) : put_(put) { waiting_.reserve(kPieceBytes); }
  void Append(std::string_view bytes) {
    if (waiting_.size() + bytes.size() > kPieceBytes) Flush();
    if (bytes.size() > kPieceBytes) {
      HandOn(bytes);
    } else {
      waiting_.append(bytes);
    }
  }
  void Flush() {
    HandOn(waiting_);
    waiting_.clear();
  }
  // Of what was flushed.
  std::uint64_t checksum() const { return checksum_.Value(); }

 private:
  static constexpr std::size_t kPieceBytes = std::size_t{64} << 10;

  void HandOn(std::string_view bytes) {
    checksum_.Add(bytes);
    put_(bytes);
  }

  const Put& put_;
  std::string waiting_;
  RunningChecksum checksum_;
};

template <typename T>
std::string_view BytesOf(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(T)};
}

template <typename T>
void Put(Output& out, T value) {
  out.Append(BytesOf(value));
}

void PutText(Output& out, std::string_view text) {
  Put(out, static_cast<std::uint32_t>(text.size()));
  out.Append(text);
}

constexpr std::size_t kPackedHead = sizeof(std::int64_t) + 1;

std::size_t PackedBytes(const PackedInts& values) {
  std::size_t bytes = 0;
  values.ForEachPacked([&](const Packing&, std::span<const std::uint8_t> deltas) {
    bytes += kPackedHead + deltas.size();
  });
  return bytes;
}

void PutPacked(Output& out, const PackedInts& values) {
  values.ForEachPacked([&](const Packing& packing, std::span<const std::uint8_t> deltas) {
    Put(out, packing.smallest);
    Put(out, packing.width);
    out.Append({reinterpret_cast<const char*>(deltas.data()), deltas.size()});
  });
}

std::size_t BitBytes(std::size_t rows) { return rows / 8 + (rows % 8 != 0 ? 1 : 0); }

template <typename Flags>
void PutBits(Output& out, const Flags& flags) {
  std::string bits(BitBytes(flags.size()), '\0');
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (flags[i]) bits[i / 8] |= static_cast<char>(1U << (i % 8));
  }
  out.Append(bits);
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
  bool GetPacked(std::size_t rows, PackedInts* values) {
    while (values->size() < rows) {
      Packing packing;
      std::string_view deltas;
      if (!Get(&packing.smallest) || !Get(&packing.width)) return false;
      if (packing.width > 8 || !std::has_single_bit(packing.width))
        return Fail("a number cannot have that width");
      const std::size_t count = std::min(rows - values->size(), PackedInts::kBlock);
      if (!Take(count * packing.width, &deltas)) return false;
      values->AddPacked(packing,
                        {reinterpret_cast<const std::uint8_t*>(deltas.data()), deltas.size()});
    }
    return true;
  }
  bool GetDoubles(std::size_t rows, std::vector<double>* values) {
    std::string_view bytes;
    if (!Take(rows * sizeof(double), &bytes)) return false;
    values->resize(rows);
    if (rows != 0) std::memcpy(values->data(), bytes.data(), bytes.size());
    return true;
  }
  // Calls add(flag) for each row.
  template <typename Add>
  bool GetBits(std::size_t rows, const Add& add) {
    std::string_view bytes;
    if (!Take(BitBytes(rows), &bytes)) return false;
    for (std::size_t i = 0; i < rows; ++i)
      add(((static_cast<unsigned char>(bytes[i / 8]) >> (i % 8)) & 1) != 0);
    return true;
  }

 private:
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
  static void Encode(const Table& table, Output& out, const Encoded& encoded) {
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

  static void EncodeColumn(const ColumnSpec& spec, const Table::Data& data, Output& out) {
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
        out.Append(data.text);
        return;
    }
  }

  static PackedInts Lengths(const Table::Data& data) {
    PackedInts lengths;
    for (std::size_t row = 0; row < data.text_end.size(); ++row)
      lengths.PushBack(static_cast<std::int64_t>(data.Text(row).size()));
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
    data.null.reserve(rows);
    if (has_nulls == 1 && !in.GetBits(rows, [&](bool is_null) { data.null.push_back(is_null); }))
      return false;
    if (!DecodeCells(in, rows, spec.type, data)) return false;
    data.null.resize(rows);
    return has_nulls == 0 || CheckNullCells(in, data);
  }

  static bool DecodeCells(Reader& in, std::size_t rows, ColumnType type, Table::Data& data) {
    switch (type) {
      case ColumnType::kInt64:
        return in.GetPacked(rows, &data.ints);
      case ColumnType::kBool:
        return in.GetBits(rows, [&](bool flag) { data.ints.PushBack(flag ? 1 : 0); });
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
    PackedInts lengths;
    if (!in.GetPacked(rows, &lengths)) return false;
    data.text_end.reserve(rows);
    std::uint64_t end = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      const std::int64_t length = lengths[row];
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
  static bool CheckNullCells(Reader& in, const Table::Data& data) {
    for (std::size_t row = 0; row < data.null.size(); ++row) {
      if (!data.null[row]) continue;
      if (!data.ints.empty() && data.ints[row] != 0) return in.Fail("a null number is not 0");
      if (!data.doubles.empty() && std::bit_cast<std::uint64_t>(data.doubles[row]) != 0)
        return in.Fail("a null number is not 0");
      if (!data.text_end.empty() && !data.Text(row).empty())
        return in.Fail("a null string has text");
    }
    return true;
  }
};

namespace {

// `encoded(i, j)` is called when column j of table i has been encoded.
template <typename Encoded>
void Encode(std::span<const Table> tables, const Output::Put& put, const Encoded& encoded) {
  put(kMagic);
  put(BytesOf(kVersion));
  Output out(put);
  Put(out, static_cast<std::uint32_t>(tables.size()));
  for (std::size_t i = 0; i < tables.size(); ++i)
    TableCodec::Encode(tables[i], out, [&](std::size_t column) { encoded(i, column); });
  out.Flush();
  const std::uint64_t checksum = out.checksum();
  put(BytesOf(checksum));
}

}  // namespace

std::string EncodeTables(std::span<const Table> tables) {
  std::size_t bytes = kHeaderBytes + 4 + kTrailerBytes;
  for (const Table& table : tables) bytes += TableCodec::EncodedBytes(table);
  std::string all;
  all.reserve(bytes);
  Encode(
      tables, [&](std::string_view piece) { all.append(piece); }, [](std::size_t, std::size_t) {});
  return all;
}

void EncodeAndFree(std::vector<Table> tables, const std::function<void(std::string_view)>& put) {
  Encode(tables, put,
         [&](std::size_t table, std::size_t column) { TableCodec::Drop(tables[table], column); });
}

Result<std::vector<Table>> DecodeTables(std::string_view bytes) {
  if (bytes.size() < kHeaderBytes + kTrailerBytes || !bytes.starts_with(kMagic)) {
    return Error(StatusCode::kBadData, "these {} bytes are not encoded tables", bytes.size());
  }
  std::uint32_t version = 0;
  std::uint64_t checksum = 0;
  std::memcpy(&version, bytes.data() + kMagic.size(), sizeof(version));
  std::memcpy(&checksum, bytes.data() + bytes.size() - kTrailerBytes, sizeof(checksum));
  if (version != kVersion) {
    return Error(StatusCode::kBadData, "the table data has version {}, this program reads {}",
                 version, kVersion);
  }
  const std::string_view payload =
      bytes.substr(kHeaderBytes, bytes.size() - kHeaderBytes - kTrailerBytes);
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
