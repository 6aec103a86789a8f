#include "random/valhall/random.h"

#include "frontend/valhall/interpret/attribute.h"
#include "random/valhall/generator.h"

namespace warpjit::valhall {
namespace {

// Registers after those of RandomCode.
constexpr unsigned kLocal = 29;   // the thread's number in its workgroup
constexpr unsigned kShared = 30;  // a pair: its words of the workgroup's memory
constexpr std::uint32_t kInputWords = 256;
constexpr std::uint32_t kOwnWords = 32, kSharedBytes = 64;  // of a thread

class Generator final : public RandomCode {
 public:
  Generator(std::uint64_t seed, const RandomOptions& options) : RandomCode(seed, options) {}

  RandomKernel run() {
    RandomKernel kernel;
    make_launch(kernel);
    prologue(kernel);
    statements(options_.size, 0);
    for (unsigned k = 0; k < kValues; k += 4)
      emit(Text{"STORE.i128.slot0 @r", k, ":r", k + 1, ":r", k + 2, ":r", k + 3, ", r", kOutput,
                ", offset:", 4 * k});
    emit("NOP.end");
    kernel.program.code = take_code();
    return kernel;
  }

 private:
  void make_launch(RandomKernel& kernel) {
    kernel.program.source_name = "random";
    kernel.program.address = 0x7'4000'0000;
    kernel.program.local_bytes = kLocalBytes;
    constexpr std::array<std::array<std::uint32_t, 3>, 6> kBlocks = {
        {{16, 1, 1}, {64, 1, 1}, {8, 4, 1}, {5, 3, 2}, {20, 1, 1}, {4, 4, 4}}};
    kernel.block = kBlocks[random_.below(kBlocks.size())];
    kernel.grid = {1 + random_.below(3), 1 + random_.below(2), 1 + random_.below(2)};
    const std::uint32_t threads = kernel.block[0] * kernel.block[1] * kernel.block[2];
    const std::uint32_t blocks = kernel.grid[0] * kernel.grid[1] * kernel.grid[2];
    kernel.program.shared_bytes = threads * kSharedBytes + 64;
    counters_ = threads * kSharedBytes;
    kernel.output_words = blocks * ((threads + 15) / 16 * 16) * kOwnWords + 16;
    if (random_.one_in(4))
      kernel.program.mode = {random_.one_in(2), random_.one_in(2), random_.one_in(3), random_.one_in(3)};
    kernel.uniforms.resize(kUniforms);
    kernel.buffer.resize(kBufferWords);
    kernel.input.resize(kInputWords);
    for (auto* words : {&kernel.uniforms, &kernel.buffer, &kernel.input})
      for (std::uint32_t& word : *words) word = value();
    // What 32 bits add to an address of the input reaches the next high word at most.
    constexpr std::uint64_t kFirst = 0x7'0000'1000, kSecond = 0x9'0010'0000;
    const bool input_first = random_.one_in(2);
    kernel.input_address = input_first ? kFirst : kSecond;
    kernel.output_address = input_first ? kSecond : kFirst;
    const std::uint64_t atomics = kernel.output_address + 4 * (kernel.output_words - 16);
    const std::uint64_t pairs[] = {kernel.output_address, kernel.input_address, atomics};
    for (unsigned k = 0; k < 3; ++k) {
      kernel.uniforms[2 * k] = static_cast<std::uint32_t>(pairs[k]);
      kernel.uniforms[2 * k + 1] = static_cast<std::uint32_t>(pairs[k] >> 32);
    }
    kernel.uniforms[6] = 4 * (kInputWords - 4);  // a mask of addresses of words
    kernel.uniforms[7] = 0x3c;
    set_image_uniforms(kernel.uniforms);
    constexpr std::uint32_t kRows = 16;  // of the input
    kernel.images = {rows_image(kernel.output_address, (kernel.output_words - 16) / kOwnWords, 4 * kOwnWords),
                     rows_image(kernel.input_address, kRows, 4 * kInputWords / kRows)};
    if (find_vertex_format(kernel.images[1].format)->bytes() == 4 && random_.one_in(2)) {
      kernel.images[1].interleaved = true;  // one tile
      kernel.images[1].width = kRows - 1;
    } else if (random_.one_in(2)) {
      ImageSource& image = kernel.images[1];  // the rows as slices or layers
      image.height /= 2;
      image.depth = 2;
      image.slice_stride = image.height * image.row_stride;
    }
    kernel.images[1].is_3d = random_.one_in(2);
    // Table 6: the output; two of the input, one of which ends within a word; an empty one; and none.
    const auto bytes = static_cast<std::uint32_t>(4 * kernel.output_words);
    kernel.buffers = {{kBufferTable, 0, kernel.output_address, bytes},
                      {kBufferTable, kFirstChosen, kernel.input_address, 4 * kInputWords},
                      {kBufferTable, kFirstChosen + 1, kernel.input_address + 64, 102},
                      {kBufferTable, kFirstChosen + 2, kernel.input_address, 0}};
    barriers_ = options_.barriers && random_.one_in(2);
  }

  void prologue(const RandomKernel& kernel) {
    emit(Text{"MOV.i32 r", kThread, ", lane_id.w0"});
    emit(Text{"LSHIFT_OR.i32 r", kThread, ", warp_id.w0, 0x7060504.b00, r", kThread});
    emit(Text{"SHADDX.u64 r", kOutput, ", u0, r", kThread, ".w0, shift:0x7"});
    emit(Text{"MOV.i32 r", kInput, ", u2"});
    emit(Text{"MOV.i32 r", kInput + 1, ", u3"});
    emit(Text{"MOV.i32 r", kCounters, ", u4"});
    emit(Text{"MOV.i32 r", kCounters + 1, ", u5"});
    // x + size_x (y + size_y z)
    emit(Text{"IADD_IMM.i32 r", kTemporary, ", 0x0, #", hex(kernel.block[1])});
    emit(Text{"IMUL.i32 r", kLocal, ", r56, r", kTemporary});
    emit(Text{"IADD.u32 r", kLocal, ", r", kLocal, ", r55.h1"});
    emit(Text{"IADD_IMM.i32 r", kTemporary, ", 0x0, #", hex(kernel.block[0])});
    emit(Text{"IMUL.i32 r", kLocal, ", r", kLocal, ", r", kTemporary});
    emit(Text{"IADD.u32 r", kLocal, ", r", kLocal, ", r55.h0"});
    emit(Text{"LSHIFT_OR.i32 r", kShared, ", r", kLocal, ", 0x7060504.b22, 0x0"});
    emit(Text{"MOV.i32 r", kShared + 1, ", workgroup_local_pointer.w1"});
    emit(Text{"MOV.i32 r", kPrivate, ", thread_local_pointer.w0"});
    emit(Text{"MOV.i32 r", kPrivate + 1, ", thread_local_pointer.w1"});
    for (unsigned k = 0; k < kValues; k += 4) {
      if (random_.one_in(3)) {
        emit(Text{"LOAD.i128.unsigned.slot0 @r", k, ":r", k + 1, ":r", k + 2, ":r", k + 3, ", r", kInput,
                  ", offset:", 16 * random_.below(kInputWords / 4)});
        continue;
      }
      for (unsigned n = k; n < k + 4; ++n) switch (random_.below(4)) {
          case 0:
            emit(Text{"IADD.u32 r", n, ", r", kThread, ", u", random_.below(kUniforms)});
            break;
          case 1:
            emit(Text{"IADD_IMM.i32 r", n, ", r", kLocal, ", #", hex(value())});
            break;
          case 2:
            emit(Text{"U32_TO_F32 r", n, ", r", kLocal});
            break;
          default:
            emit(Text{"MOV.i32 r", n, ", u", random_.below(kUniforms)});
            break;
        }
    }
  }

  // A pair: the address in a pair plus a masked register.
  void indexed(unsigned base, const char* mask) {
    emit(Text{"LSHIFT_AND.i32 r", kTemporary, ", r", any(), ", 0x0.b00, ", mask});
    emit(Text{"SHADDX.u64 r", kTemporary, ", r", base, ", r", kTemporary, ".w0, shift:0x0"});
  }

  void memory() override {
    const Width w = width();
    const auto offset = [&](std::uint32_t bytes) {
      const std::uint32_t at = random_.below(bytes - w.bytes + 1);
      return static_cast<std::int32_t>(random_.one_in(20) ? at : at / w.alignment * w.alignment);
    };
    const auto store = [&](unsigned base, std::int32_t at) {
      emit(Text{"STORE.", w.type, ".slot0 ", staging(w.words), ", r", base, ", offset:", at});
    };
    switch (random_.below(12)) {
      case 9:
        return texel(2);
      case 10:
        return table_buffer(w, 6);
      case 11: {
        own_address(0);
        const std::int32_t at = offset(4 * kOwnWords);
        return random_.one_in(2) ? store(kTemporary, at) : load(w, kTemporary, at);
      }
      case 0:  // the input
        indexed(kInput, random_.one_in(20) ? "u8" : "u6");
        return load(w, kTemporary, random_.one_in(3) ? offset(16) : 0);
      case 1:
        return load(w, kInput, offset(4 * kInputWords));
      case 2:
        return store(kOutput, offset(4 * kOwnWords));
      case 3:
        return load(w, kOutput, offset(4 * kOwnWords));
      case 4:
        return store(kShared, offset(kSharedBytes));
      case 5: {  // of this lane or its neighbour
        if (random_.one_in(2)) return load(w, kShared, offset(kSharedBytes));
        emit(Text{"IADD_IMM.i32 r", kTemporary + 1, ", 0x0, #0x40"});
        emit(Text{"LSHIFT_XOR.i32 r", kTemporary, ", r", kShared, ", 0x0.b00, r", kTemporary + 1});
        emit(Text{"MOV.i32 r", kTemporary + 1, ", r", kShared + 1});
        return load(w, kTemporary, offset(kSharedBytes));
      }
      case 6:  // its own memory, the same place or another one for each lane
        if (random_.one_in(2))
          return random_.one_in(2) ? store(kPrivate, offset(kLocalBytes))
                                   : load(w, kPrivate, offset(kLocalBytes));
        indexed(kPrivate, "u7");
        return random_.one_in(2) ? store(kTemporary, 0) : load(w, kTemporary, 0);
      case 7:
        return atomic();
      default:
        emit(Text{"LSHIFT_AND.i32 r", kTemporary, ", r", any(), ", 0x0.b00, u6"});
        emit(Text{"LD_BUFFER.", w.type, ".unsigned.slot0 ", staging(w.words), ", ",
                  random_.one_in(2) ? Text{"r", kTemporary} : std::string("0x0"), ", 0x0"});
        return;
    }
  }

  // Sums at counters of the launch, which nobody reads; anything at those of the workgroup.
  void atomic() {
    static constexpr const char* kFunctions[] = {"aadd",  "aaddu", "aadds", "asmin", "asmax", "aumin",
                                                 "aumax", "aand",  "aor",   "axor",  "axchg"};
    if (random_.one_in(2)) {
      emit(Text{"ATOM.i32.slot0.aadd @r", any(), ", r", kCounters, ", offset:", hex(4 * random_.below(16))});
      return;
    }
    emit(Text{"IADD_IMM.i32 r", kTemporary, ", 0x0, #", hex(counters_ + 8 * random_.below(4))});
    emit(Text{"MOV.i32 r", kTemporary + 1, ", r", kShared + 1});
    const char* const function = kFunctions[random_.below(std::size(kFunctions))];
    switch (random_.below(4)) {
      case 0:
        emit(Text{"ATOM_RETURN.i32.slot0.", function, " ", staging(1), ", ", staging(1), ", r", kTemporary,
                  ", offset:0x0"});
        return;
      case 1:
        emit(Text{"ATOM_RETURN.i32.slot0.axchg.compare ", staging(1), ", ", staging(2), ", r", kTemporary,
                  ", offset:0x4"});
        return;
      case 2:
        emit(Text{"ATOM_RETURN.i64.slot0.", function, " ", staging(2), ", ", staging(2), ", r", kTemporary,
                  ", offset:0x0"});
        return;
      default:
        emit(Text{"ATOM1_RETURN.i32.slot0.ainc ", staging(1), ", r", kTemporary, ", offset:0x4"});
        return;
    }
  }

  bool at_top() override {
    if (!barriers_ || !options_.memory) return false;
    share();
    return true;
  }

  // Words of the workgroup that other warps wrote.
  void share() {
    emit("BARRIER.slot7.wait");
    emit(Text{"IADD_IMM.i32 r", kTemporary, ", 0x0, #", hex(random_.below(16) * 4)});
    emit(Text{"MOV.i32 r", kTemporary + 1, ", r", kShared + 1});
    load({"i32", 1, 4, 4}, kTemporary, static_cast<std::int32_t>(random_.below(4) * kSharedBytes));
    emit("BARRIER.slot7.wait");
  }

  std::uint32_t counters_ = 0;
  bool barriers_ = false;
};

}  // namespace

RandomKernel random_kernel(std::uint64_t seed, const RandomOptions& options) {
  return Generator(seed, options).run();
}

}  // namespace warpjit::valhall
