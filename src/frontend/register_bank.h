// The register files of guests, as those see them who look at a program while it runs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace warpjit::frontend {

// Registers of one name as words of 32 bits. Word `first` + number * components + component of a thread's register
// file is that component; names are "r3.x", or "r3" of one component, or "aL" of one register alone, or "o[0x10]" in
// banks whose registers have addresses.
struct RegisterBank {
  // What a word is.
  enum class Reading : std::uint8_t {
    as_used,  // what an instruction has it as
    f32,      // also of instructions whose floats have another width elsewhere
    word,     // no float
    boolean,
  };
  enum class Of : std::uint8_t {
    thread,   // instructions write it
    launch,   // uniforms: the same for all threads
    varying,  // a slot of the primitive's vertices, at the fragment's place; these banks are the last ones
  };
  std::string_view name;
  std::uint16_t first = 0, registers = 0;
  std::uint8_t components = 1;
  Reading reading = Reading::as_used;
  Of of = Of::thread;
  bool addressed = false;  // by bytes
};

// The number of words that a guest's banks have.
unsigned words_of(std::span<const RegisterBank> banks);
// "r3.x"; "word 900" for one of no bank.
std::string name_of(std::span<const RegisterBank> banks, unsigned word);
// The word of a name; nothing for a name that no register has.
std::optional<unsigned> word_of(std::span<const RegisterBank> banks, std::string_view name);
// Null: it is of none.
const RegisterBank* bank_of(std::span<const RegisterBank> banks, unsigned word);

}  // namespace warpjit::frontend
