// The same for tests (cmake/precompile.cmake).
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "precompiled.h"
