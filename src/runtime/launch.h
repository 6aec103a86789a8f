// What a Launch holds: bindings with their resolved conversions, values, and the kernels it met.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "frontend/frontend.h"
#include "runtime/binding.h"
#include "runtime/draw.h"
#include "runtime/row_format.h"
#include "runtime/slots.h"

namespace warpjit::runtime {

struct LaunchData;

// What a launch of a geometry program holds besides.
struct LaunchPrimitives {
  GeometryInput input;
  TriangleBuffer triangles;
  std::vector<std::uint32_t> list;           // variable mode
  std::shared_ptr<const LaunchData> vertex;  // null: inputs are bound
  std::uint64_t attributes = 0;              // its outputs: bit n is output register n
  unsigned attribute_count() const { return static_cast<unsigned>(std::popcount(attributes)); }
};

// Copied with the launch.
struct LaunchData {
  struct Input {
    Attribute attribute;
    LoadRows load = nullptr;
  };
  struct Output {
    OutputBuffer buffer;
    StoreRows store = nullptr;
    std::uint8_t number = 0;
  };

  using Primitives = LaunchPrimitives;

  explicit LaunchData(Program with);

  Program program;
  const frontend::Shader* shader;
  frontend::Usage usage;
  frontend::Values values;
  std::array<Input, frontend::kMaxInputs> inputs;
  std::array<Output, frontend::kMaxOutputs> outputs;
  std::uint64_t bound_inputs = 0;
  std::uint32_t output_count = 0;
  std::uint64_t count = 0;
  std::uint64_t fuel = kDefaultFuel;
  bool allow_overlap = false;
  std::optional<Primitives> primitives;
  DrawBindings draw;  // if draw.facts.active, instead of inputs and outputs; checked by who made them

  // Each setter advances what it invalidates: the table, the choice of kernel, the checked bindings.
  std::uint64_t values_generation = 1, facts_generation = 1, bindings_generation = 1;

  // Copies `count` 32-bit words to consecutive registers.
  Status set_words(const Location& location, LocationKind kind, const void* words, std::size_t count);
  Status bind(const Location& location, const Attribute& attribute);
  Status bind(const Location& location, const OutputBuffer& buffer);
  Status set_geometry_input(const GeometryInput& input);

  // Threads that a run has; those of a geometry program are invocations.
  std::uint64_t thread_count() const;
  // Input registers that something gives a value.
  std::uint64_t given_inputs() const;
};

class LaunchState : public LaunchData {
 public:
  using LaunchData::LaunchData;
  explicit LaunchState(const LaunchData& data) : LaunchData(data) {}

  // Every row inside its buffer and, unless allowed, no output over another row. Remembers success.
  Status check_bindings();
  // The facts of this launch; known_bools is `known`. Errors: a declared input that is not bound.
  Result<frontend::Facts> facts(std::uint64_t known) const;

  Slots slots;

 private:
  std::string place(LocationKind kind, unsigned number) const;

  std::atomic<std::uint64_t> checked_generation_{0};
};

}  // namespace warpjit::runtime
