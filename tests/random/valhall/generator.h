// What generators of random programs share: arithmetic, flow and exchange between lanes, in registers whose
// use is fixed.
#pragma once

#include <concepts>
#include <string>
#include <vector>

#include "base/random.h"
#include "frontend/valhall/encoding/encoding.h"
#include "random/valhall/random.h"

namespace warpjit::valhall {

class RandomCode {
 public:
  virtual ~RandomCode() = default;

 protected:
  // r0 to r23 hold random values. Behind them:
  static constexpr unsigned kValues = 24;
  static constexpr unsigned kOutput = 24,
                            kInput = 26;   // pairs: addresses of the thread's words, of the input
  static constexpr unsigned kThread = 28;  // a number of the thread
  static constexpr unsigned kPrivate = 32, kCounters = 34;  // pairs: its own memory, what atomics add to
  static constexpr std::uint32_t kLocalBytes = 64, kBufferWords = 64;
  static constexpr unsigned kTemporary = 36;         // a pair, and two others
  static constexpr unsigned kLoop = 40, kLoops = 6;  // counters
  static constexpr std::uint32_t kUniforms = 64, kImageUniforms = 12, kBufferUniform = 15;
  // Buffers of table 6 from this entry on, of which code computes which.
  static constexpr std::uint32_t kBufferTable = 6, kFirstChosen = 4, kChosen = 4;

  RandomCode(std::uint64_t seed, const RandomOptions& options) : random_(seed), options_(options) {}

  // Loads, stores and what else a stage has; the end of some lanes; something that no nested flow may have
  // around it, false if there is nothing.
  virtual void memory() = 0;
  virtual void end() { emit("NOP.end"); }
  virtual bool at_top() { return false; }

  // Pieces one after the other. In braces they are evaluated in their order, so that numbers drawn among
  // them are the same with every compiler.
  struct Text {
    std::string words;
    template <class... Pieces>
    explicit Text(const Pieces&... pieces) : words((piece(pieces) + ...)) {}
    operator const std::string&() const { return words; }
  };
  static std::string hex(std::uint32_t number);
  // Any word; often a small integer or a float near 1, now and then an edge.
  std::uint32_t value();

  using Label = std::size_t;
  void emit(const std::string& line);
  Label new_label() {
    labels_.push_back(0);
    return labels_.size() - 1;
  }
  void place(Label label) { labels_[label] = code_.size(); }
  void branch(const std::string& line, Label to) {
    branches_.push_back({code_.size(), to});
    emit(line + ", offset:0");
  }
  // The words, with all branches at their targets.
  std::vector<std::uint64_t> take_code();

  unsigned any() { return random_.below(kValues); }
  unsigned any_pair() { return random_.below(kValues / 2) * 2; }
  // Registers for `words` words, from an even one on if they are several.
  std::string staging(unsigned words);
  struct Width {
    const char* type;
    unsigned words, alignment, bytes;
  };
  Width width();
  void load(const Width& width, unsigned address, std::int32_t offset);

  // An image of some format with `rows` rows, as wide as a row has room for.
  ImageSource rows_image(std::uint64_t address, std::uint32_t rows, std::uint32_t row_bytes);
  // Uniforms that image code reads, from kImageUniforms on.
  void set_image_uniforms(std::vector<std::uint32_t>& uniforms) const;
  // Reads or writes a texel of image 0 in the thread's row, or reads any texel of another one.
  void texel(unsigned images);

  // A handle of table 6 into a register.
  void handle(unsigned reg, std::uint32_t entry);
  // Loads from one of the chosen buffers, or from the address that LEA_PKA gives,
  // at the masked byte of any register.
  void table_buffer(const Width& width, unsigned mask_uniform);
  // The address of the thread's own words into the temporary pair, by entry 0 of table 6 and the distance
  // from the address in a pair of uniforms.
  void own_address(unsigned base_uniform);

  void statements(unsigned count, unsigned depth);
  void condition();  // in the temporary
  std::string branch_text(unsigned reg);

  Random random_;
  const RandomOptions options_;
  bool quads_alone_ = false;  // no exchange between more lanes, or with one whose number is computed

 private:
  static std::string piece(std::string_view words) { return std::string(words); }
  static std::string piece(std::integral auto number) { return std::to_string(number); }

  void choice(unsigned count, unsigned depth);
  void loop(unsigned count, unsigned depth);
  void early_end();
  void arithmetic();
  std::uint64_t random_word(const Pattern& pattern);
  bool settle(Instruction& i);
  void exchange();

  std::vector<std::uint64_t> code_;
  std::vector<std::size_t> labels_;
  struct Branch {
    std::size_t place;
    Label label;
  };
  std::vector<Branch> branches_;
};

}  // namespace warpjit::valhall
