// Programs: guest code with an entry point, and the names of its registers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "warpjit/result.hpp"
#include "warpjit/types.hpp"

namespace warpjit {

// A name that a program declares.
struct Symbol {
  std::string name;
  std::string reg;     // its first register: "c8"
  unsigned count = 1;  // registers
};

enum class LocationKind : std::uint8_t {
  input,
  output,
  float_uniform,
  int_uniform,
  bool_uniform,
  state,
  uniform
};

// A resolved name. Valid for the program that resolved it.
struct Location {
  LocationKind kind = LocationKind::input;
  std::uint16_t first = 0;       // register number in its file
  std::uint16_t count = 0;       // registers it covers; a register name covers its file from there on
  std::uint16_t components = 4;  // words of a register
  std::uint32_t word = 0;        // internal: place of the first register in the launch's values
};

// Which program of a container: the first that fits all members that are set.
struct Selection {
  std::string entry{};                 // name of the entry point or kernel
  std::optional<std::size_t> index{};  // position in the container
  std::optional<Stage> stage{};
  std::string source_name{};  // for messages
};

// What a program needs of its machine, as its container says.
struct Resources {
  std::uint32_t registers = 0;     // of a thread
  std::uint32_t shared_bytes = 0;  // of a block, launch header and parameters included
  std::uint32_t local_bytes = 0;   // of a thread
};

// Immutable guest code with one entry point. A cheap shared handle; all calls are thread-safe.
class WARPJIT_API Program {
 public:
  // Reads any container that warpjit knows. The bytes may be hostile and are not kept. Modes are the default
  // ones; the headers of the GPUs have functions that take others. Errors: bad_input, naming the place;
  // resource_limit; unsupported.
  static Result<Program> load(std::span<const std::byte> bytes, const Selection& selection);
  static Result<Program> load(std::span<const std::byte> bytes) { return load(bytes, Selection()); }

  Isa isa() const;
  Stage stage() const;
  const std::string& name() const;  // of the entry point; may be empty
  std::uint32_t entry() const;      // guest address, in words or bytes, as the guest counts
  std::size_t code_size() const;    // words of 32 bits of the whole program, reachable or not
  Resources resources() const;
  const std::string& source_name() const;
  std::span<const Symbol> inputs() const;
  std::span<const Symbol> uniforms() const;
  std::span<const Symbol> outputs() const;
  // Words of the state that the program's unit keeps from run to run (Launch::bind_unit); 0 without a unit.
  std::size_t unit_words() const;

  // Resolves a register name or a declared name.
  // The headers of the GPUs list the registers. Errors: bad_input.
  Result<Location> input(std::string_view name) const;
  Result<Location> uniform(std::string_view name) const;
  Result<Location> output(std::string_view name) const;
  Result<Location> state(std::string_view name) const;

  // For warpjit's own modules.
  class State;
  explicit Program(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  const std::shared_ptr<const State>& shared_state() const { return state_; }

 private:
  std::shared_ptr<const State> state_;
};

}  // namespace warpjit
