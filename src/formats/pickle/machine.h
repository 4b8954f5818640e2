// The stack machine of pickles, for plain data only: None, bools, numbers, text, bytes, lists,
// tuples, dicts and sets of protocols 0 to 5. It refuses anything that names a class, calls a
// function or needs an object from outside, and reports the byte offset. It never executes
// anything.
//
// Streaming: 256 KiB of input at a time, 8 bytes per container, per memo entry and per item. A
// Shaper may take over containers as soon as they are complete, so that a pickle much larger than
// memory is reduced to what the caller needs. Everything counts against Limits::memory_bytes. Not
// thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/chunks.h"
#include "base/status.h"
#include "formats/base/byte_source.h"
#include "formats/pickle/value.h"
#include "trace/interner.h"

namespace rankscope::pickle {

// Recognises a pickle of protocol 2 or later by its first bytes.
bool IsPickle(std::string_view head);

struct Limits {
  std::uint64_t memory_bytes = std::uint64_t{256} << 20;
  std::uint64_t text_bytes = std::uint64_t{16} << 20;  // per text or bytes value
  int depth = 100;                                     // nesting of containers (Document)
};

struct ReadOptions {
  Limits limits;
  // Advice for a file with more than plain data, after "rankscope carries nothing out: ".
  std::string_view remedy = "write the file again with plain values alone";
  // Called from time to time with the fraction of the file read and the bytes of the pickle so far;
  // returning false stops the reading.
  std::function<bool(double fraction, std::uint64_t bytes)> progress;
};

class Machine;

// Takes over dicts. Pickles fill a dict at once (Python in pieces of 1,000 items), so the first
// items of a dict with a known shape are all its items; a pickle that adds more later is refused.
class Shaper {
 public:
  virtual ~Shaper() = default;
  // Keys and values alternate; the dict was empty before. Wherever the dict is used, the returned
  // number of 60 bits replaces it (Kind::kRecord); nullopt leaves the dict as it is.
  virtual Result<std::optional<std::uint64_t>> Shape(std::span<const Value> items,
                                                     Machine& machine) = 0;
};

class Machine {
 public:
  Machine(ByteSource& source, std::string path, ReadOptions options, Shaper* shaper = nullptr);

  // Runs until STOP and returns the result. The rest of the file is not read.
  Result<Value> Run();

  // Contents of values. Views are valid as long as the machine; spans until the next container
  // changes.
  std::string_view Text(Value value) const {
    return texts_.Get(TextId(value));
  }  // of kText, kBytes
  static StringId TextId(Value value) { return static_cast<StringId>(value.payload()); }
  // Call before Run, for a Shaper that identifies its keys by number: 1, 2, ...
  StringId InternText(std::string_view text) { return texts_.Intern(text); }
  // All texts, by number; do not use the machine afterwards.
  Interner TakeTexts() { return std::move(texts_); }
  const Interner& texts() const { return texts_; }
  std::optional<std::int64_t> Int(Value value) const;  // bools are 0 and 1; nullopt for other kinds
  std::optional<double> Real(Value value) const;       // also of ints
  // Keys and values of a dict alternate.
  std::span<const Value> Items(Value container) const;
  std::uint64_t container_count() const { return container_count_; }
  // The record that replaced a container; other values unchanged.
  Value Resolve(Value value) const;
  // Turns a container into a record and drops its items.
  void Replace(Value container, std::uint64_t record);

  // Adds memory that a Shaper holds to the amount that Run checks against the limit.
  void Count(std::uint64_t bytes) { used_bytes_ += bytes; }
  std::uint64_t used_bytes() const { return used_bytes_; }
  std::uint64_t position() const { return before_ + at_; }  // in the pickle
  // An error "PATH: byte N: " plus the sentence.
  Status Bad(std::string_view sentence) const;
  const Limits& limits() const { return options_.limits; }

 private:
  struct Lists {
    std::vector<std::vector<Value>> items;
    std::vector<std::uint32_t> unused;
  };

  bool Refill();                 // reads more bytes behind the remaining ones
  bool Need(std::size_t count);  // makes `count` bytes contiguous
  Status CutOff() const;
  template <typename T>
  Result<T> Number();
  Result<std::string_view> Line();  // without its line end
  Result<std::string_view> Bytes(std::uint64_t size);

  Status Step(unsigned char opcode);
  Status Refuse(unsigned char opcode);
  Status CheckMemory() const;
  Status Progress();

  Status Push(Value value);
  Status PushText(Kind kind, std::uint64_t size);
  Status PushReal(double value);
  Status PushLong(std::string_view little_endian);
  Status PushDecimal(std::string_view digits);
  Status PushUnicodeLine();
  Status PushNew(Kind kind, std::size_t first_item);  // items from there to the stack's top
  Status MakeTuple(std::size_t count);
  Result<std::size_t> PopMark();  // returns where its items begin
  Status Append(std::size_t first_item, Kind kind);
  Status Put(std::uint64_t index);
  Status Get(std::uint64_t index);

  ByteSource& source_;
  std::string path_;
  ReadOptions options_;
  Shaper* shaper_;
  std::string buffer_;
  std::size_t at_ = 0;        // in the buffer
  std::size_t end_ = 0;       // of the data in the buffer
  std::uint64_t before_ = 0;  // bytes of the pickle before the buffer
  std::uint64_t opcode_at_ = 0;
  std::string scratch_;

  std::vector<Value> stack_;
  std::vector<std::size_t> marks_;
  using Memo = Chunks<Value, 65536>;  // a pickle may name any of 2^32 places
  Memo memo_;
  std::uint64_t memo_next_ = 0;
  // Per container: its kind and position in lists_, or the record that it became.
  Chunks<Value> containers_;
  std::uint64_t container_count_ = 0;
  Lists lists_;
  Interner texts_;
  std::vector<std::int64_t> wide_ints_;
  std::vector<double> reals_;
  std::uint64_t used_bytes_ = 0;
  std::uint64_t told_at_ = 0;
  bool is_done_ = false;
};

}  // namespace rankscope::pickle
