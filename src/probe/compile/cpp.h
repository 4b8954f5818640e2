// C++ spellings of the language's types, literals and names. Internal to generate.cc.
#pragma once

#include <string>
#include <string_view>

#include "probe/check/spec.h"

namespace rankscope::probe {

// "std::int64_t"; double for a value that is always absent.
std::string ScalarOf(TypeKind kind);
// "probe::Maybe<std::int64_t>", "probe::List<double, 8>", "probe::Value" for a struct.
std::string HeldTypeOf(const Type& type);
// With quotes and escapes. `text` is UTF-8.
std::string Quoted(std::string_view text);
// A number, exactly: "std::int64_t{-5}", "0x1.8p+0".
std::string LiteralOf(const Value& value);
// A name that is not a C++ keyword: `new` becomes new_.
std::string NameOf(std::string_view name);
// "kSource3_raw_temp".
std::string SourceName(const DeviceSpec& device, int source);

std::string TextOf(const Type& type);
std::string TextOf(const Layout& layout);
// A value as an initialiser of probe::Value.
std::string TextOf(const Value& value);

}  // namespace rankscope::probe
