// Random fragment programs: varyings, reads of the tile, discards, depth and colours
// beside what RandomCode makes.
#include <algorithm>
#include <bit>
#include <optional>

#include "random/valhall/generator.h"

namespace warpjit::valhall {
namespace {

constexpr std::uint32_t kVaryings = 12;
constexpr std::uint32_t kOwnBytes = kRandomPixelBytes;

class FragmentGenerator final : public RandomCode {
 public:
  FragmentGenerator(std::uint64_t seed, const RandomOptions& options) : RandomCode(seed, options) {
    quads_alone_ = true;
  }

  RandomFragment run() {
    RandomFragment fragment;
    make_launch(fragment);
    targets_ = fragment.targets;
    prologue();
    statements(options_.size, 0);
    if (options_.memory)
      for (unsigned k = 0; k < 8; k += 4)
        emit(Text{"STORE.i128.slot0 @r", k, ":r", k + 1, ":r", k + 2, ":r", k + 3, ", r", kOutput,
                  ", offset:", 4 * k});
    if (random_.one_in(2)) emit("ATEST @r60, r60, 0x0, atest_datum.w0");
    for (unsigned k = 0; k < targets_; ++k) blend(k, k + 1 == targets_);
    fragment.program.code = take_code();
    return fragment;
  }

 private:
  void make_launch(RandomFragment& fragment) {
    Program& program = fragment.program;
    program.stage = Stage::fragment;
    program.source_name = "random";
    program.address = 0x7'4000'0000;
    if (random_.one_in(4))
      program.mode = {random_.one_in(2), random_.one_in(2), random_.one_in(3), random_.one_in(3)};
    program.fragment.points_from_bottom = random_.one_in(2);
    if (random_.one_in(4)) {
      FragmentSetup& setup = program.fragment;
      setup.samples = 4;
      sample_ = random_.below(4);
      setup.sample = static_cast<std::uint8_t>(sample_);
      for (auto& point : setup.sample_points)
        for (std::uint8_t& place : point) place = static_cast<std::uint8_t>(random_.below(256));
    }
    fragment.slots = 4 + kVaryings;
    fragment.targets = 1 + random_.below(random_.one_in(3) ? 4 : 1);
    if (random_.one_in(3))
      for (unsigned k = 0; k < 8; ++k)
        program.fragment.blend_targets[k] =
            static_cast<std::uint8_t>(k < fragment.targets ? fragment.targets - 1 - k : 7);
    if (random_.one_in(8)) program.fragment.blend_targets[0] = FragmentSetup::kNoTarget;
    if (random_.one_in(3)) {
      replaced_descriptor_ = random_.below(fragment.targets);
      replaced_target_ = program.fragment.blend_targets[*replaced_descriptor_];
    }
    fragment.uniforms.resize(kUniforms);
    fragment.buffer.resize(kBufferWords);
    for (auto* words : {&fragment.uniforms, &fragment.buffer})
      for (std::uint32_t& word : *words) word = value();
    const std::uint64_t counters = kRandomPixelAddress + kRandomCounters;
    const std::uint64_t pairs[] = {kRandomPixelAddress, counters};
    for (unsigned k = 0; k < 2; ++k) {
      fragment.uniforms[2 * k] = static_cast<std::uint32_t>(pairs[k]);
      fragment.uniforms[2 * k + 1] = static_cast<std::uint32_t>(pairs[k] >> 32);
    }
    fragment.uniforms[6] = 4 * (kBufferWords - 4);
    fragment.memory = options_.memory;
    fragment.samples = options_.textures;
    set_image_uniforms(fragment.uniforms);
    fragment.uniforms[kLocalMaskUniform] = kLocalBytes - 4;
    has_own_memory_ = options_.memory || random_.one_in(4);
    if (has_own_memory_) program.local_bytes = kLocalBytes;
    if (options_.memory) fragment.buffers = {{kBufferTable, 0, kRandomPixelAddress, kRandomCounters}};
    if (options_.memory)
      fragment.images = {
          rows_image(kRandomPixelAddress, kRandomPixelColumns * kRandomPixelRows, kRandomPixelBytes)};
  }

  void prologue() {
    // The pixel's number, in rows of more pixels than a target has, and its words of memory.
    emit(Text{"U16_TO_U32 r", kTemporary, ", r59.h11"});
    emit(Text{"IADD_IMM.i32 r", kThread, ", 0x0, #", hex(kRandomPixelColumns)});
    emit(Text{"IMUL.i32 r", kThread, ", r", kThread, ", r", kTemporary});
    emit(Text{"IADD.u32 r", kThread, ", r", kThread, ", r59.h0"});
    emit(Text{"SHADDX.u64 r", kOutput, ", u0, r", kThread, ".w0, shift:0x6"});
    emit(Text{"MOV.i32 r", kCounters, ", u2"});
    emit(Text{"MOV.i32 r", kCounters + 1, ", u3"});
    if (has_own_memory_) {
      emit(Text{"MOV.i32 r", kPrivate, ", thread_local_pointer.w0"});
      emit(Text{"MOV.i32 r", kPrivate + 1, ", thread_local_pointer.w1"});
    }
    for (unsigned k = 0; k < kValues; k += 4) {
      if (!random_.one_in(3)) {
        varying(k);
        continue;
      }
      for (unsigned n = k; n < k + 4; ++n) switch (random_.below(3)) {
          case 0:
            emit(Text{"MOV.i32 r", n, ", r", 57 + random_.below(5)});
            break;
          case 1:
            emit(Text{"MOV.i32 r", n, random_.one_in(6) ? ", framebuffer_size.w0" : ", lane_id.w0"});
            break;
          default:
            emit(Text{"MOV.i32 r", n, ", u", random_.below(kUniforms)});
            break;
        }
    }
  }

  // Into registers from an even one on.
  std::string staging_at(unsigned first, unsigned words) {
    std::string list = "@";
    for (unsigned k = 0; k < words; ++k) list += Text{k == 0 ? "" : ":", "r", first + k};
    return list;
  }
  static const char* vector(unsigned count) {
    static constexpr const char* kWords[] = {"", ".v2", ".v3", ".v4"};
    return kWords[count - 1];
  }

  void varying(unsigned first) {
    static constexpr const char* kPlaces[] = {"center", "centroid", "sample", "explicit"};
    const char* const place = kPlaces[random_.below(random_.one_in(2) ? 4 : 1)];
    if (random_.one_in(8)) {
      const unsigned number = random_.below(3) == 0 ? 0 : 2 + random_.below(2), count = number == 0 ? 2 : 1;
      emit(Text{"LD_VAR_SPECIAL", vector(count), ".f32.", place, ".store.slot0 ", staging_at(first, count),
                ", r61, index:", number});
      return;
    }
    if (random_.one_in(4)) return table_varying(first, place);
    static constexpr const char* kSources[] = {"src_flat32", "src_flat16", "src_f32", "src_f16"};
    const unsigned source = random_.below(2) == 0 ? 2 : random_.below(4), count = 1 + random_.below(4);
    const bool half = source != 0 && random_.one_in(3);
    const unsigned size = source % 2 == 0 ? 4 : 2;
    const unsigned byte = random_.below(4 * kVaryings / size - count + 1) * size;
    const unsigned words = half ? (count + 1) / 2 : count;
    emit(Text{"LD_VAR_BUF_IMM.", half ? "f16" : "f32", ".slot0", vector(count), ".", kSources[source], ".",
              place, ".store ", staging_at(first, words), ", r", random_.one_in(2) ? 61 : any(),
              ", index:", byte});
  }

  void table_varying(unsigned first, const char* place) {
    const unsigned format = random_.below(kFormats + 1), count = 1 + random_.below(4);
    const bool automatic = format == kFormats, flat = random_.one_in(3), named = random_.one_in(4);
    std::string line = flat ? "LD_VAR_FLAT" : "LD_VAR";
    line +=
        Text{named ? ".slot0" : "_IMM.slot0", vector(count), ".", automatic ? "auto" : kFormatNames[format]};
    if (!flat) line += Text{".", place, ".store"};
    line += " " + staging_at(first, automatic ? count : words_of(format, count));
    if (!flat) line += Text{", r", random_.one_in(2) ? 61 : any()};
    emit(line + (named ? ", 0x0" : std::string(Text{", table:0x0, index:", random_.below(kVaryings / 4)})));
  }

  // The word or the words of a texture and a sampler, which each lane may compute for itself, or of a table
  // that no launch has. Gives the modifier that they ask for.
  const char* texture_handle() {
    if (!random_.one_in(4)) {
      const std::uint32_t tables = random_.one_in(10) ? 0 : 0x20001800;
      emit(Text{"IADD_IMM.i32 r", kTemporary, ", 0x0, #",
                hex(tables | random_.below(kRandomTextures) << 16 | random_.below(kRandomTextures))});
      emit(Text{"MOV.i32 r", kTemporary + 1, ", 0x0"});
      return "";
    }
    const bool wide = !random_.one_in(4);
    constexpr std::uint32_t kMask = std::bit_ceil(kRandomTextures) - 1;
    // The sampler has the texture's number, or one of its own. Rarely it is one that there is not.
    for (unsigned k = 2; k-- > 0;) {
      const bool own = k == 1 || random_.one_in(3);
      if (own) {
        emit(Text{"IADD_IMM.i32 r", kTemporary + 2, ", 0x0, #",
                  hex(random_.one_in(16) ? 2 * kMask + 1 : kMask)});
        emit(Text{"LSHIFT_AND.i32 r", kTemporary + 3, ", r", any(), ", 0x0.b00, r", kTemporary + 2});
      }
      const std::uint32_t table = random_.one_in(40) ? 5 : k == 1 ? 4 : 3;
      emit(Text{"IADD_IMM.i32 r", kTemporary + 2, ", 0x0, #",
                hex(wide     ? table << 24
                    : k == 1 ? table << 27
                             : table << 11)});
      const std::string shift = wide || k == 0 ? std::string("0x0") : Text{"u", kImageUniforms + 1};
      emit(Text{"LSHIFT_OR.i32 r", kTemporary + k, ", r", kTemporary + 3, ", ", shift, ".b00, r",
                kTemporary + 2});
    }
    if (wide) return ".wide_indices";
    emit(Text{"LSHIFT_OR.i32 r", kTemporary, ", r", kTemporary, ", 0x0.b00, r", kTemporary + 1});
    return "";
  }

  // The result, of coordinates or of gradients, goes to the pair after the handle.
  void gradient(unsigned dimension, bool array, const char* wide) {
    static constexpr const char* kDimensions[] = {".1d", ".2d", ".3d"};
    const bool derivatives = random_.one_in(2);
    const unsigned count = derivatives ? 2 * (dimension + 1) : dimension + 1 + (array ? 1 : 0);
    const unsigned first = random_.below((kValues - count) / 2 + 1) * 2;
    emit(Text{"TEX_GRADIENT.slot0.auto.32.rg", kDimensions[dimension], wide, array ? ".array_enable" : "",
              random_.one_in(4) ? ".force_delta_enable" : "", random_.one_in(2) ? ".lod_bias_disable" : "",
              random_.one_in(2) ? ".lod_clamp_disable" : "", derivatives ? ".derivative_enable " : " ",
              staging_at(kTemporary + 2, 2), ", ", staging_at(first, count), ", r", kTemporary});
  }

  // Samples a texture. Offsets are constants.
  void sample() {
    static constexpr const char* kTypes[] = {".auto", ".f", ".u", ".s"};
    static constexpr const char* kDimensions[] = {".1d", ".2d", ".3d"};
    static constexpr const char* kModes[] = {".zero", ".computed", ".explicit", ".computed_bias", ".grdesc"};
    enum Operation : std::uint8_t { single, fetch, gather };
    const auto operation = random_.one_in(2) ? single : static_cast<Operation>(random_.below(3));
    const unsigned dimension = operation == gather ? 1 : random_.below(3), mode = random_.below(5);
    const bool array = random_.one_in(5), moved = random_.one_in(2), wide = !random_.one_in(3);
    const unsigned levels = operation != single || mode < 2 ? 0 : mode < 4 ? 1 : 2;
    const unsigned before = dimension + 1 + (array ? 1 : 0), count = before + (moved ? 1 : 0) + levels;
    const unsigned first = random_.below((kValues - count) / 2 + 1) * 2;
    const std::uint32_t offsets = (random_.below(17) - 8) & 0xff, more = random_.below(256);
    const char* const indices = texture_handle();
    if (levels == 2 || random_.one_in(8)) {
      gradient(dimension, array, indices);
      if (levels == 2)
        for (unsigned k = 0; k < 2; ++k)
          emit(Text{"MOV.i32 r", first + count - 2 + k, ", r", kTemporary + 2 + k});
      else
        emit(Text{"MOV.i32 r", any(), ", r", kTemporary + 2});
    }
    if (moved)
      emit(Text{"IADD_IMM.i32 r", first + before, ", 0x0, #",
                hex(offsets | more << 8 | (offsets ^ 3) << 16 | random_.below(3) << 24)});
    static constexpr const char* kNames[] = {"TEX_SINGLE", "TEX_FETCH", "TEX_GATHER"};
    std::string line =
        Text{kNames[operation],      ".slot0", kTypes[random_.below(4)],     wide ? ".32" : ".16",
             kDimensions[dimension], indices,  array ? ".array_enable" : "", moved ? ".texel_offset" : ""};
    if (operation == gather) line += Text{".gather4_", std::string(1, "rgba"[random_.below(4)])};
    if (operation == single) line += kModes[mode];
    line += Text{" ", staging(wide ? 4 : 2), ", ", staging_at(first, count), ", r", kTemporary};
    emit(line);
  }

  void memory() override {
    if (options_.textures && random_.one_in(3)) return sample();
    if (has_own_memory_ && random_.one_in(3)) return own_memory();
    switch (random_.below(8)) {
      case 0:
        return varying(random_.below(kValues / 4) * 4);
      case 1: {
        emit(Text{"LSHIFT_AND.i32 r", kTemporary, ", r", any(), ", 0x0.b00, u6"});
        const Width w = width();
        emit(Text{"LD_BUFFER.", w.type, ".unsigned.slot0 ", staging(w.words), ", ",
                  random_.one_in(2) ? Text{"r", kTemporary} : std::string("0x0"), ", 0x0"});
        return;
      }
      case 2:
        return discard();
      case 3: {
        if (replaced_descriptor_ && random_.one_in(3)) return store_tile();
        const unsigned format = random_.below(kFormats), count = 1 + random_.below(4);
        emit(Text{"IADD_IMM.i32 r", kTemporary, ", 0x0, #",
                  hex(0xff000000 | random_.below(targets_ + 1) << 8)});
        emit(Text{"LD_TILE", vector(count), ".", kFormatNames[format], ".slot0 ",
                  staging(words_of(format, count)), ", r", kTemporary, ", r60, 0x0"});
        return;
      }
      case 4:
        if (random_.one_in(3)) {
          const unsigned coverage = random_.one_in(8) ? any() : 60;
          static constexpr const char* kWhat[] = {".z", ".stencil", ".z.stencil"};
          emit(Text{"ZS_EMIT", kWhat[random_.below(3)], ".slot0 @r60, r", any(), ", r", any(), ", r",
                    coverage});
          return;
        }
        return emit(Text{"ATEST @r", any(), ", r", any(), ", 0x0, atest_datum.w0"});
      default:
        break;
    }
    if (!options_.memory) return varying(random_.below(kValues / 4) * 4);
    const Width w = width();
    const std::uint32_t at = random_.below(kOwnBytes - w.bytes + 1) / w.alignment * w.alignment;
    switch (random_.below(6)) {
      case 3:
        return texel(1);
      case 4:
        own_address(0);
        return load(w, kTemporary, static_cast<std::int32_t>(at));
      case 5:  // its own words, of a buffer or of none
        emit(Text{"ISUB.u32 r", kTemporary, ", r", kOutput, ", u0"});
        handle(kTemporary + 2, random_.one_in(6) ? 1 : 0);
        return emit(Text{"LD_BUFFER.", w.type, ".unsigned.slot0 ", staging(w.words), ", r", kTemporary, ", r",
                         kTemporary + 2});
      case 0:
        return load(w, kOutput, static_cast<std::int32_t>(at));
      case 1:
        return emit(Text{"STORE.", w.type, ".slot0 ", staging(w.words), ", r", kOutput, ", offset:", at});
      default:  // sums that nobody reads
        return emit(Text{"ATOM.i32.slot0.aadd @r", any(), ", r", kCounters,
                         ", offset:", hex(4 * random_.below(kRandomCounterWords))});
    }
  }

  // The same place for all lanes, or another one for each.
  void own_memory() {
    const Width w = width();
    unsigned address = kPrivate;
    std::uint32_t at = random_.below(kLocalBytes - w.bytes + 1);
    if (!random_.one_in(20)) at = at / w.alignment * w.alignment;
    if (random_.one_in(3)) {
      emit(Text{"LSHIFT_AND.i32 r", kTemporary, ", r", any(), ", 0x0.b00, u", kLocalMaskUniform});
      emit(Text{"MOV.i32 r", kTemporary + 1, ", r", kPrivate + 1});
      address = kTemporary;
      at = 0;
    }
    if (random_.one_in(2)) return load(w, address, static_cast<std::int32_t>(at));
    emit(Text{"STORE.", w.type, random_.one_in(2) ? ".force" : "", ".slot0 ", staging(w.words), ", r",
              address, ", offset:", at});
  }

  void discard() {
    static constexpr const char* kConditions[] = {"lt", "ge", "eq", "ne", "gt", "le"};
    if (random_.one_in(2)) return emit("NOP.discard");
    emit(Text{"DISCARD.f32.", random_.one_in(3) ? kConditions[random_.below(6)] : "eq",
              random_.one_in(4) ? ".discard" : "", " r", any(), ", r", any()});
  }

  // Sometimes with a colour.
  void end() override {
    if (random_.one_in(2)) return emit("NOP.end");
    blend(0, true);
  }

  static constexpr unsigned kFormats = 7;
  static constexpr const char* kFormatNames[kFormats] = {"f32", "f32", "f16", "s32", "s16", "u32", "u16"};
  static unsigned words_of(unsigned format, unsigned count) {
    return format == 2 || format == 4 || format == 6 ? (count + 1) / 2 : count;
  }
  // Stores to a target that no BLEND writes.
  void store_tile() {
    const unsigned format = random_.below(random_.one_in(2) ? kFormats : 1), count = 1 + random_.below(4);
    const unsigned coverage = random_.one_in(3) ? any() : 60;
    emit(Text{"IADD_IMM.i32 r", kTemporary, ", 0x0, #", hex(0xff000000 | replaced_target_ << 8 | sample_)});
    emit(Text{"ST_TILE", vector(count), ".", kFormatNames[format], ".slot0 ",
              staging(words_of(format, count)), ", r", kTemporary, ", r", coverage, ", 0x0"});
  }
  void blend(unsigned descriptor, bool ends) {
    if (descriptor == replaced_descriptor_) {
      store_tile();
      if (ends) emit("NOP.end");
      return;
    }
    const unsigned format = random_.below(random_.one_in(2) ? kFormats : 1);
    const unsigned count = random_.one_in(2) ? 4 : 1 + random_.below(4), skipped = random_.below(3);
    const unsigned coverage = random_.one_in(6) ? any() : 60;
    emit(Text{"BLEND.slot0", vector(count), ".", kFormatNames[format], ends ? ".end " : " ",
              staging(words_of(format, count)), ", blend_descriptor_", descriptor, ".w0, r", coverage,
              ", target:", ends ? 0 : skipped});
    // What a blend shader's call would be, which is jumped over.
    for (unsigned k = 0; !ends && k < skipped; ++k) emit("BRANCHZI.eq.absolute 0x0, blend_descriptor_0.w1");
  }

  static constexpr unsigned kLocalMaskUniform = 7;
  bool has_own_memory_ = false;
  unsigned targets_ = 1;
  unsigned sample_ = 0;                          // of the program's runs
  std::optional<unsigned> replaced_descriptor_;  // whose target ST_TILE writes
  std::uint32_t replaced_target_ = 0;
};

}  // namespace

RandomFragment random_fragment(std::uint64_t seed, const RandomOptions& options) {
  return FragmentGenerator(seed, options).run();
}

}  // namespace warpjit::valhall
