#include "device/valhall/blend_shaders.h"

#include <algorithm>

#include "frontend/valhall/flow/constants.h"

namespace warpjit::valhall {
namespace {

constexpr std::uint8_t kLink = 48;                              // where a blend shader returns to; 0: nowhere
constexpr std::uint8_t kDescriptors = 16, kCounter = 126;       // special values
constexpr std::uint32_t kCallWords = 4, kMostWords = 1U << 16;  // of a call; of a blend shader

bool is_zero(const Source& source) {
  return source.kind == Source::Kind::constant && kConstants[source.value] == 0 && !source.negate &&
         !source.invert;
}
bool is_special(const Source& source, unsigned value) {
  return source.kind == Source::Kind::special && source.value == value;
}
bool is_register(const Source& source, unsigned number) {
  return source.kind == Source::Kind::gpr && source.value == number;
}

Instruction branch_always(std::int64_t from, std::int64_t to, Flow flow) {
  Instruction branch;
  branch.opcode = Opcode::branchz;
  branch.flow = flow;
  branch.if_zero = true;
  branch.source[0].kind = Source::Kind::constant;
  branch.offset = static_cast<std::int32_t>((to - from) / 8 - 1);
  return branch;
}
Instruction no_operation(Flow flow) {
  Instruction nop;
  nop.flow = flow;
  return nop;
}

class Linker {
 public:
  Linker(const Image& image, const DrawDescriptor& draw, const Framebuffer& framebuffer, JobLaunch& launch,
         DrawState& state)
      : image_(image), draw_(draw), framebuffer_(framebuffer), launch_(launch), state_(state) {}

  Status link() {
    WARPJIT_CHECK(find_calls());
    const auto called = [](const BlendDescriptor& d) { return d.enable && d.mode == BlendMode::shader; };
    if (std::ranges::none_of(draw_.blend, called)) return {};
    // Words that were read after the program's are descriptors, too.
    launch_.descriptors.push_back(
        {draw_.place + ", fragment program's code", program_.address, 8 * program_.code.size()});
    for (const Call& call : calls_) WARPJIT_CHECK(add_shader(call));
    return {};
  }

 private:
  struct Call {
    std::uint32_t address = 0;  // of its branch
    unsigned descriptor = 0;
    std::optional<std::uint32_t> returns_to;
  };

  Error fail(unsigned descriptor, const std::string& what, ErrorCode code = ErrorCode::unsupported) const {
    return {code, draw_.blend[descriptor].place + ": " + what, image_.name()};
  }
  std::optional<unsigned> shader_of(const Instruction& i) const {
    if (i.opcode != Opcode::blend || i.source[0].kind != Source::Kind::special) return std::nullopt;
    const unsigned n = (i.source[0].value - kDescriptors) / 2U;
    if (i.source[0].value < kDescriptors || n >= draw_.blend.size()) return std::nullopt;
    const BlendDescriptor& d = draw_.blend[n];
    return d.enable && d.mode == BlendMode::shader ? std::optional(n) : std::nullopt;
  }

  // The word at a byte of the program, whose code grows to have it.
  std::optional<Instruction> fetch(std::uint32_t address) {
    std::vector<std::uint64_t>& code = program_.code;
    while (code.size() <= address / 8) {
      const auto word = image_.u64(program_.address + 8 * code.size());
      if (!word || code.size() >= kMaxCodeWords) return std::nullopt;
      code.push_back(*word);
    }
    auto decoded = decode(code[address / 8]);
    return decoded ? std::optional(*decoded) : std::nullopt;
  }
  Status put(std::uint32_t address, const Instruction& i) {
    WARPJIT_TRY(program_.code[address / 8], encode(i));
    return {};
  }

  // A BLEND of a blend shader does nothing itself.
  Status find_calls() {
    std::vector<std::uint32_t> work{program_.entry};
    std::vector<bool> seen;
    const auto go = [&](std::int64_t to) {
      if (to < 0 || to >= static_cast<std::int64_t>(8 * kMaxCodeWords)) return;
      const auto word = static_cast<std::size_t>(to / 8);
      if (seen.size() <= word) seen.resize(word + 1);
      if (seen[word]) return;
      seen[word] = true;
      work.push_back(static_cast<std::uint32_t>(to));
    };
    while (!work.empty()) {
      const std::uint32_t address = work.back();
      work.pop_back();
      const auto i = fetch(address);
      if (!i) continue;
      const std::int64_t next = std::int64_t{address} + 8;
      // Which format it stores, only a blend shader's place says.
      if (i->opcode == Opcode::st_tile)
        return Error{ErrorCode::unsupported,
                     draw_.place + ", fragment program: ST_TILE at " + hex_text(program_.address + address) +
                         ", outside of a blend shader",
                     image_.name()};
      if (const auto descriptor = shader_of(*i)) {
        WARPJIT_TRY(const Call call, read_call(address, *descriptor));
        calls_.push_back(call);
        if (call.returns_to) go(*call.returns_to);
        continue;
      }
      if (i->flow == Flow::end) continue;
      const bool branches = i->opcode == Opcode::branchz;
      const std::optional<bool> taken = branches ? always_taken(*i) : std::optional(false);
      if (i->opcode == Opcode::blend) {
        go(next + 8 * std::int64_t{i->target});
        continue;
      }
      if (taken.value_or(true)) go(next + 8 * std::int64_t{i->offset});
      if (!taken.value_or(false)) go(next);
    }
    return {};
  }

  // BLEND, the link in r48, the branch.
  Result<Call> read_call(std::uint32_t blend, unsigned descriptor) {
    WARPJIT_CHECK(put(blend, no_operation(Flow::none)));
    std::optional<std::uint32_t> link;
    for (std::uint32_t address = blend + 8; address <= blend + 8 * kCallWords; address += 8) {
      const auto i = fetch(address);
      if (!i) break;
      const bool sets_link = i->opcode == Opcode::iadd_imm && i->type == Type::i32 &&
                             i->destination == kLink && i->write_mask == 3;
      if (sets_link && i->flow != Flow::end && is_zero(i->source[0])) {
        link = i->constant;
      } else if (sets_link && i->flow != Flow::end && is_special(i->source[0], kCounter)) {
        link = static_cast<std::uint32_t>(program_.address) + address + 8 + i->constant;
      } else if (i->opcode == Opcode::branchzi) {
        const bool calls = i->if_zero && i->absolute_target && is_zero(i->source[0]) &&
                           is_special(i->source[1], kDescriptors + 2 * descriptor + 1);
        if (!calls || !link) break;
        Call call{.address = address, .descriptor = descriptor, .returns_to = {}};
        if (*link == 0) return call;
        const std::uint32_t to = *link - static_cast<std::uint32_t>(program_.address);
        if (to % 8 != 0 || to / 8 >= kMaxCodeWords)
          return fail(descriptor, "the call of the blend shader returns to " + hex_text(*link),
                      ErrorCode::bad_input);
        call.returns_to = to;
        return call;
      } else if (i->opcode != Opcode::nop || i->flow == Flow::end) {
        break;
      }
    }
    return fail(descriptor, "mode is 0, a blend shader, and the program does not call it after its BLEND");
  }

  // The words of a blend shader, from the lowest to the highest that control can reach. Those that return are
  // there to be put in place.
  struct BlendShader {
    std::uint64_t low = 0;
    Program program;
    std::vector<std::uint32_t> returns, writes;  // bytes; writes: BLEND and ST_TILE
  };
  Result<BlendShader> read_shader(unsigned descriptor) {
    const std::uint64_t entry = (program_.address >> 32) << 32 | draw_.blend[descriptor].shader;
    if (!image_.find(entry, 8))
      return fail(descriptor, "shader address " + hex_text(entry) + " is outside of the image",
                  ErrorCode::bad_input);
    std::vector<std::uint64_t> work{entry}, seen{entry}, returns, writes;
    while (!work.empty()) {
      const std::uint64_t address = work.back();
      work.pop_back();
      WARPJIT_TRY(const std::uint64_t word, image_.u64(address));
      const auto i = decode(word);
      if (!i) continue;
      const auto where = [&] { return " at " + hex_text(address) + " in the blend shader"; };
      for (const Source& source : i->source)
        if (is_special(source, kCounter) || is_special(source, kCounter + 1))
          return fail(descriptor, "program_counter" + where());
      if (i->opcode == Opcode::branchzi) {
        if (i->if_zero || !i->absolute_target || !is_register(i->source[0], kLink) ||
            !is_register(i->source[1], kLink))
          return fail(descriptor, "another BRANCHZI than that of r48" + where());
        returns.push_back(address);
      }
      if (i->opcode == Opcode::blend || i->opcode == Opcode::st_tile) writes.push_back(address);
      if (i->flow == Flow::end) continue;
      const auto go = [&](std::uint64_t to) {
        if (to >> 32 != entry >> 32 || !image_.find(to, 8)) return;
        const auto at = std::ranges::lower_bound(seen, to);
        if (at != seen.end() && *at == to) return;
        seen.insert(at, to);
        work.push_back(to);
      };
      const std::uint64_t next = address + 8;
      const auto taken = i->opcode == Opcode::branchz ? always_taken(*i) : std::optional(false);
      if (i->opcode == Opcode::blend) {
        go(next + 8 * std::uint64_t{i->target});
        continue;
      }
      if (taken.value_or(true)) go(next + 8 * static_cast<std::uint64_t>(std::int64_t{i->offset}));
      if (!taken.value_or(false)) go(next);
      if ((seen.back() - seen.front()) / 8 >= kMostWords)
        return fail(descriptor, "the blend shader has more than " + std::to_string(kMostWords) + " words",
                    ErrorCode::resource_limit);
    }
    BlendShader shader;
    shader.low = seen.front();
    for (std::uint64_t address = shader.low; address <= seen.back(); address += 8) {
      WARPJIT_TRY(const std::uint64_t word, image_.u64(address));
      shader.program.code.push_back(word);
    }
    const auto offset = [&](std::uint64_t address) {
      return static_cast<std::uint32_t>(address - shader.low);
    };
    for (const std::uint64_t address : returns) shader.returns.push_back(offset(address));
    for (const std::uint64_t address : writes) shader.writes.push_back(offset(address));
    shader.program.stage = Stage::fragment;
    shader.program.source_name = image_.name();
    shader.program.entry = offset(entry);
    launch_.descriptors.push_back(
        {draw_.blend[descriptor].place + ", shader", shader.low, 8 * shader.program.code.size()});
    return shader;
  }

  // Its BLENDs and ST_TILEs name a target by words of their own, not by the program's descriptor.
  Status bind_targets(unsigned descriptor, BlendShader& shader) {
    Program ends = shader.program;
    for (const std::uint32_t address : shader.returns) {
      WARPJIT_TRY(ends.code[address / 8], encode(no_operation(Flow::end)));
    }
    const auto reached = find_reached(ends);
    if (!reached) return fail(descriptor, "shader: " + to_string(reached.error()), reached.error().code);
    std::vector<std::uint32_t> bound;
    Status status;
    follow_constants(ends, *reached, {}, [&](std::uint32_t address, const RegisterConstants& registers) {
      if (!status || std::ranges::find(shader.writes, address) == shader.writes.end()) return;
      bound.push_back(address);
      status = bind_target(descriptor, shader, address, registers);
    });
    WARPJIT_CHECK(status);
    if (bound.size() != shader.writes.size())
      return fail(descriptor, "the blend shader's constants are not known");
    return {};
  }

  Status bind_target(unsigned descriptor, BlendShader& shader, std::uint32_t address,
                     const RegisterConstants& registers) {
    WARPJIT_TRY(Instruction i, decode(shader.program.code[address / 8]));
    if (i.opcode == Opcode::st_tile) {
      const auto pixel = constant_of(i.source[0], registers), format = constant_of(i.source[2], registers);
      if (!pixel || !format)
        return fail(descriptor, "shader, ST_TILE at " + hex_text(shader.low + address) +
                                    ": its target or its format is no constant");
      return bind_shader_target(image_, draw_, framebuffer_, descriptor, *pixel >> 8 & 0xff,
                                *format & 0x3fffff, state_);
    }
    const auto low = constant_of(i.source[0], registers, 0), high = constant_of(i.source[0], registers, 1);
    const std::string place = "shader, BLEND at " + hex_text(shader.low + address) + ": ";
    if (!low || !high) return fail(descriptor, place + "its descriptor is no constant");
    if (const unsigned mode = *low & 3; mode != static_cast<unsigned>(BlendMode::opaque))
      return fail(descriptor, place + "mode is " + std::to_string(mode) + ", not 1");
    WARPJIT_CHECK(bind_shader_target(image_, draw_, framebuffer_, descriptor, *low >> 16 & 15,
                                     *high & 0x3fffff, state_));
    i.source[0] = {.kind = Source::Kind::special,
                   .value = static_cast<std::uint8_t>(kDescriptors + 2 * descriptor),
                   .wide = true};
    const auto word = encode(i);
    if (!word) return fail(descriptor, place + word.error().message);
    shader.program.code[address / 8] = *word;
    return {};
  }

  Status add_shader(const Call& call) {
    WARPJIT_TRY(BlendShader shader, read_shader(call.descriptor));
    WARPJIT_CHECK(bind_targets(call.descriptor, shader));
    const std::size_t words = program_.code.size();
    if (words + shader.program.code.size() > kMaxCodeWords)
      return fail(call.descriptor, "program and blend shaders have more than 16 MiB",
                  ErrorCode::resource_limit);
    const auto base = static_cast<std::uint32_t>(8 * words);
    program_.code.insert(program_.code.end(), shader.program.code.begin(), shader.program.code.end());
    for (const std::uint32_t offset : shader.returns) {
      WARPJIT_TRY(const Instruction i, decode(program_.code[words + offset / 8]));
      const Flow flow = i.flow == Flow::end && call.returns_to ? Flow::none : i.flow;
      WARPJIT_CHECK(put(base + offset, call.returns_to ? branch_always(base + offset, *call.returns_to, flow)
                                                       : no_operation(flow)));
    }
    return put(call.address, branch_always(call.address, base + shader.program.entry, Flow::none));
  }

  const Image& image_;
  const DrawDescriptor& draw_;
  const Framebuffer& framebuffer_;
  JobLaunch& launch_;
  Program& program_ = launch_.program;
  DrawState& state_;
  std::vector<Call> calls_;
};

}  // namespace

Status link_blend_shaders(const Image& image, const DrawDescriptor& draw, const Framebuffer& framebuffer,
                          JobLaunch& launch, DrawState& state) {
  return Linker(image, draw, framebuffer, launch, state).link();
}

}  // namespace warpjit::valhall
