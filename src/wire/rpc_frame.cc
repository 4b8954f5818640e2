#include "wire/rpc_frame.h"

#include "base/bytes.h"

namespace rankscope::wire {

std::string ToFrame(std::string_view json) {
  ByteWriter out;
  out.Put(static_cast<std::int32_t>(json.size()));
  return out.bytes() + std::string(json);
}

Result<std::optional<std::string_view>> FrameIn(std::string_view bytes, std::size_t most) {
  if (bytes.size() < 4) return std::optional<std::string_view>();
  const auto length = ByteReader(bytes.substr(0, 4)).Get<std::int32_t>();
  if (length < 0 || static_cast<std::size_t>(length) > most)
    return Error(StatusCode::kBadData, "a frame of {} bytes: there are 0 to {}", length, most);
  const auto size = static_cast<std::size_t>(length);
  if (bytes.size() - 4 < size) return std::optional<std::string_view>();
  return std::optional<std::string_view>(bytes.substr(4, size));
}

}  // namespace rankscope::wire
