// The C interface, for its tests: structs with their sizes, a launch that moves rows.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>

#include "warpjit/warpjit.h"

namespace warpjit::test {

// A struct with its size set, the rest 0.
template <class Struct>
Struct sized() {
  Struct result{};
  result.size = sizeof result;
  return result;
}

// A handle that ends with the test.
template <class Handle, void (*kDestroy)(Handle*)>
class Owned {
 public:
  Owned() = default;
  Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owned() { kDestroy(handle_); }
  operator Handle*() const { return handle_; }
  Handle** out() { return &handle_; }

 private:
  Handle* handle_ = nullptr;
};
using OwnedEngine = Owned<warpjit_engine, warpjit_engine_destroy>;
using OwnedProgram = Owned<warpjit_program, warpjit_program_destroy>;
using OwnedLaunch = Owned<warpjit_launch, warpjit_launch_destroy>;

// mov o0, v0; end
inline constexpr std::uint32_t kCode[] = {0x4C000000, 0x88000000};
inline constexpr std::uint32_t kDescriptors[] = {0x36F};

// A program of these words, with one operand descriptor.
template <std::size_t count>
warpjit_program_words program_words(const std::uint32_t (&code)[count], const std::uint32_t* descriptor) {
  auto words = sized<warpjit_program_words>();
  words.code = code;
  words.code_count = count;
  words.descriptors = descriptor;
  words.descriptor_count = 1;
  return words;
}

struct Handles {
  warpjit_error error = sized<warpjit_error>();
  warpjit_engine* engine = nullptr;
  warpjit_program* program = nullptr;
  warpjit_launch* launch = nullptr;
  float in[40] = {}, out[40] = {};

  explicit Handles(const warpjit_engine_options* options = nullptr) {
    EXPECT_EQ(warpjit_engine_create(options, &engine, &error), WARPJIT_OK) << error.message;
    auto words = program_words(kCode, kDescriptors);
    words.source_name = "move";
    EXPECT_EQ(warpjit_program_from_words(&words, &program, &error), WARPJIT_OK) << error.message;
    EXPECT_EQ(warpjit_launch_create(program, &launch, &error), WARPJIT_OK);
    auto rows = sized<warpjit_attribute>();
    rows.data = in;
    rows.byte_count = sizeof in;
    rows.stride = 16;
    rows.components = 4;
    const warpjit_location v0 = find(WARPJIT_INPUT, "v0"), o0 = find(WARPJIT_OUTPUT, "o0");
    EXPECT_EQ(warpjit_launch_bind_input(launch, &v0, &rows, &error), WARPJIT_OK) << error.message;
    auto results = sized<warpjit_output_buffer>();
    results.data = out;
    results.byte_count = sizeof out;
    results.stride = 16;
    results.components = 4;
    EXPECT_EQ(warpjit_launch_bind_output(launch, &o0, &results, &error), WARPJIT_OK) << error.message;
    EXPECT_EQ(warpjit_launch_set_count(launch, 10, nullptr), WARPJIT_OK);
    for (int n = 0; n < 40; ++n) in[n] = static_cast<float>(n);
  }
  ~Handles() {
    warpjit_launch_destroy(launch);
    warpjit_program_destroy(program);
    warpjit_engine_destroy(engine);
  }
  warpjit_location find(std::int32_t kind, const char* name) {
    warpjit_location location{};
    EXPECT_EQ(warpjit_program_find(program, kind, name, &location, &error), WARPJIT_OK) << error.message;
    return location;
  }
  bool moved() const { return std::memcmp(in, out, sizeof in) == 0; }
};

}  // namespace warpjit::test
