#include "capi/arrow_array.h"

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace rankscope::capi {
namespace {

// What an ArrowArray points to. A child that a reader moved away has no `release` here any more.
struct ArrayOwner {
  std::shared_ptr<const ArrowColumns> columns;  // the memory of the buffers
  std::array<const void*, 3> buffers{};
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> pointers;
  std::optional<ArrowArray> dictionary;

  explicit ArrayOwner(std::shared_ptr<const ArrowColumns> of) : columns(std::move(of)) {}
  ArrayOwner(const ArrayOwner&) = delete;
  ArrayOwner& operator=(const ArrayOwner&) = delete;
  ~ArrayOwner() {
    for (ArrowArray& child : children) {
      if (child.release != nullptr) child.release(&child);
    }
    if (dictionary && dictionary->release != nullptr) dictionary->release(&*dictionary);
  }
};

void Release(ArrowArray* array) {
  delete static_cast<ArrayOwner*>(array->private_data);
  array->release = nullptr;
}

// Cannot fail: who owns the parts hands them over last.
ArrowArray ArrayOf(std::unique_ptr<ArrayOwner> owner, std::size_t length, std::int64_t null_count,
                   std::int64_t buffer_count) {
  ArrowArray array{};
  array.length = static_cast<std::int64_t>(length);
  array.null_count = null_count;
  array.n_buffers = buffer_count;
  array.buffers = owner->buffers.data();
  array.n_children = static_cast<std::int64_t>(owner->children.size());
  array.children = owner->pointers.empty() ? nullptr : owner->pointers.data();
  array.dictionary = owner->dictionary ? &*owner->dictionary : nullptr;
  array.release = Release;
  array.private_data = owner.release();
  return array;
}

// Readers may look for a buffer of a table without rows: theirs is this.
template <typename Container>
const void* BufferOf(const Container& container) {
  alignas(64) static constexpr std::array<std::uint8_t, 64> kNothing{};
  if (container.empty()) return kNothing.data();
  return container.data();
}

const void* ValidityOf(const ArrowColumn& column) {
  return column.null_count == 0 ? nullptr : column.validity.data();
}

ArrowArray TextsOf(const std::shared_ptr<const ArrowColumns>& columns,
                   const ArrowDictionary& dictionary) {
  auto owner = std::make_unique<ArrayOwner>(columns);
  owner->buffers = {nullptr, dictionary.offsets.data(), BufferOf(dictionary.text)};
  return ArrayOf(std::move(owner), dictionary.offsets.size() - 1, 0, 3);
}

Result<ArrowArray> CodesOf(const std::shared_ptr<const ArrowColumns>& columns, std::size_t index) {
  RS_ASSIGN_OR_RETURN(const ArrowDictionary* dictionary, columns->DictionaryOf(index));
  const ArrowColumn& column = columns->columns()[index];
  auto owner = std::make_unique<ArrayOwner>(columns);
  owner->buffers = {ValidityOf(column), BufferOf(dictionary->codes), nullptr};
  owner->dictionary = TextsOf(columns, *dictionary);
  return ArrayOf(std::move(owner), columns->row_count(), column.null_count, 2);
}

ArrowArray CellsOf(const std::shared_ptr<const ArrowColumns>& columns, std::size_t index) {
  const ArrowColumn& column = columns->columns()[index];
  auto owner = std::make_unique<ArrayOwner>(columns);
  owner->buffers[0] = ValidityOf(column);
  switch (column.type) {
    case ColumnType::kInt64:
      owner->buffers[1] = BufferOf(column.ints);
      break;
    case ColumnType::kDouble:
      owner->buffers[1] = BufferOf(column.doubles);
      break;
    case ColumnType::kString:
      owner->buffers[1] = column.offsets.data();
      owner->buffers[2] = BufferOf(column.text);
      break;
    case ColumnType::kBool:
      owner->buffers[1] = BufferOf(column.flags);
      break;
  }
  return ArrayOf(std::move(owner), columns->row_count(), column.null_count,
                 column.type == ColumnType::kString ? 3 : 2);
}

}  // namespace

Result<ArrowArray> ExportArray(const std::shared_ptr<const ArrowColumns>& columns, TextForm form) {
  auto owner = std::make_unique<ArrayOwner>(columns);
  const std::size_t count = columns->columns().size();
  owner->children.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_coded =
        form == TextForm::kDictionary && columns->columns()[i].type == ColumnType::kString;
    if (is_coded) {
      RS_ASSIGN_OR_RETURN(const ArrowArray child, CodesOf(columns, i));
      owner->children.push_back(child);
    } else {
      owner->children.push_back(CellsOf(columns, i));
    }
  }
  owner->pointers.reserve(count);
  for (ArrowArray& child : owner->children) owner->pointers.push_back(&child);
  return ArrayOf(std::move(owner), columns->row_count(), 0, 1);
}

}  // namespace rankscope::capi
