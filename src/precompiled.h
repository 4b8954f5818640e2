// What nearly every file includes of others' headers, parsed once a build (cmake/precompile.cmake).
// Nothing of our own: a change of ours compiles only what uses it. Files include what they use all
// the same.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>
