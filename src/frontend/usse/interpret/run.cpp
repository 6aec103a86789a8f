#include "frontend/usse/interpret/run.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "base/bits.h"
#include "base/compiler.h"
#include "frontend/usse/facts/checks.h"
#include "frontend/usse/facts/slots.h"
#include "frontend/usse/facts/texels.h"
#include "frontend/usse/interpret/sample.h"

namespace warpjit::usse {
namespace {

// True if a lane reads what others of its quad have (section 8.2).
bool sees_others(const Instruction& i) {
  switch (i.group) {
    case Group::smp:
      return true;
    case Group::tst:
      return i.alu == Alu::dsx || i.alu == Alu::dsy;
    default:
      break;
  }
  if (i.opcode == Opcode::br || i.opcode == Opcode::ba || i.opcode == Opcode::ret) return i.any || i.all;
  return i.opcode == Opcode::dsx || i.opcode == Opcode::dsy;
}

Result<std::vector<Instruction>> decode_all(const Program& program, bool secondary) {
  const std::vector<std::uint64_t>& words = secondary ? program.secondary : program.primary;
  std::vector<Instruction> code;
  for (std::size_t k = 0; k < words.size(); ++k) {
    const auto fail = [&](const Error& error) {
      return Error{error.code, error.message, program.where(secondary, k)};
    };
    const auto decoded = decode(words[k]);
    if (!decoded) return fail(decoded.error());
    Status runs = check_instruction(*decoded, k + 1 == words.size(), program, secondary);
    if (runs && !secondary) runs = check_not_shared(*decoded);
    if (!runs) return fail(runs.error());
    code.push_back(*decoded);
  }
  return code;
}

}  // namespace

// One run of one of the programs.
class Interpreter::Execution {
 public:
  Execution(const Program& program, const std::vector<Instruction>& code, bool secondary, Quad& quad,
            const RegisterFile& file, QuadRun& run, bool dead_go_on = true)
      : program_(program),
        code_(code),
        secondary_(secondary),
        dead_go_on_(dead_go_on),
        quad_(quad),
        run_(run),
        alu_(quad, file) {
    if (run.observer != nullptr) alu_.observe(*run.observer, run.shown);
  }

  Status run(unsigned lanes) {
    // Lanes may take no backward branch.
    if (is_cancelled()) return failed(ErrorCode::cancelled, kCancelledMessage, 0);
    for (unsigned lane = 0; lane < kLanes; ++lane) lanes_[lane].running = (lanes >> lane & 1) != 0;
    while (true) {
      std::uint32_t pc = UINT32_MAX;
      for (const Lane& lane : lanes_)
        if (lane.running) pc = std::min(pc, lane.pc);
      if (pc == UINT32_MAX) return {};
      unsigned group = 0;
      for (unsigned lane = 0; lane < kLanes; ++lane)
        if (lanes_[lane].running && lanes_[lane].pc == pc) group |= 1U << lane;
      if (run_.observer == nullptr) [[likely]] {
        WARPJIT_CHECK(step(pc, group));
      } else {
        WARPJIT_CHECK(observed_step(pc, group));
      }
    }
  }

 private:
  bool is_cancelled() const { return run_.cancel->load(std::memory_order_relaxed) != 0; }
  Error failed(ErrorCode code, std::string message, std::uint32_t pc) const {
    return {code, std::move(message), program_.where(secondary_, pc)};
  }

  // The number of a word, as Shader::where takes it.
  std::uint32_t address_of(std::uint32_t pc) const {
    return pc + (secondary_ ? static_cast<std::uint32_t>(program_.primary.size()) : 0);
  }

  unsigned running() const {
    unsigned lanes = 0;
    for (unsigned lane = 0; lane < kLanes; ++lane) lanes |= (lanes_[lane].running ? 1U : 0U) << lane;
    return lanes;
  }
  // step(), of which the observer is told.
  WARPJIT_COLD Status observed_step(std::uint32_t pc, unsigned group) {
    interpret::Observer& observer = *run_.observer;
    observer.begin(address_of(pc), group & run_.shown);
    const Instruction& i = code_[pc];
    if (i.group != Group::moe) alu_.show_predicate(i.predicate, group);
    if (i.group == Group::smp && (group & run_.shown & alu_.holds(i.predicate)) != 0)
      observer.happened(interpret::kSampled);
    const unsigned waited = group & ~std::exchange(last_group_, group), dead = run_.dead;
    const bool fault = std::exchange(quad_.fault, false);
    const std::array<MoeState, kLanes> moe = quad_.moe;
    const Status status = step(pc, group);
    if (i.group == Group::moe) alu_.show_increments(i, moe);
    const unsigned rest = group & running(), killed = run_.dead & ~dead;
    if (waited != 0) observer.happened(interpret::kJoined);
    if (killed != 0) observer.happened(interpret::kDiscarded);
    if ((group & ~rest & ~killed) != 0) observer.happened(interpret::kEnded);
    std::uint32_t to = UINT32_MAX;
    for_lanes(rest, [&](unsigned lane) { to = std::min(to, lanes_[lane].pc); });
    for_lanes(rest, [&](unsigned lane) {
      if (lanes_[lane].pc != to) observer.happened(interpret::kDiverged);
    });
    if (quad_.fault || !status) observer.happened(interpret::kFaulted);
    quad_.fault |= fault;
    // Operands are read in the order that the compiler takes.
    std::ranges::sort(observer.event().reads, {},
                      [](const interpret::Event::Read& read) { return std::pair(read.word, read.lane); });
    const bool goes_on = (group & run_.shown) == 0 || observer.step();
    return status && !goes_on ? failed(ErrorCode::cancelled, kCancelledMessage, pc) : status;
  }
  void show_access(const std::byte* at, std::uint32_t address, unsigned bytes, unsigned lane,
                   const std::uint32_t* stored) {
    if ((run_.shown >> lane & 1) == 0) return;
    interpret::Event::Memory access{.address = address,
                                    .bytes = static_cast<std::uint8_t>(bytes),
                                    .lane = static_cast<std::uint8_t>(lane),
                                    .store = stored != nullptr,
                                    .faulted = at == nullptr,
                                    .place = at};
    std::uint32_t word = 0;
    if (at != nullptr) std::memcpy(&word, at, bytes);
    (stored != nullptr ? access.before : access.value) = word;
    if (stored != nullptr) access.value = *stored & low_mask<std::uint32_t>(8 * bytes);
    run_.observer->event().memory.push_back(access);
    if (at == nullptr) run_.observer->happened(interpret::kFaulted);
  }

  Status step(std::uint32_t pc, unsigned group) {
    const Instruction& i = code_[pc];
    unsigned stay = group;  // lanes that go on after it
    if (run_.executed != nullptr) for_lanes(group, [&](unsigned lane) { ++(*run_.executed)[lane]; });
    switch (i.group) {
      case Group::flow:
        WARPJIT_CHECK(flow(i, pc, group, stay));
        break;
      case Group::moe:
        for_lanes(group, [&](unsigned lane) { set_moe(i, quad_.moe[lane]); });
        break;
      case Group::memory:
        access(i, pc, group);
        break;
      case Group::smp:
        WARPJIT_CHECK(sample(i, pc, group));
        break;
      case Group::depthf:
        for_lanes(group & alu_.holds(i.predicate), [&](unsigned lane) {
          run_.depth_replaced |= 1U << lane;
          run_.depth[lane] = to_float(alu_.read_word(i.s[0], 0, lane));
        });
        break;
      default:
        alu_.execute(i, group);
        break;
    }
    const bool more = pc + 1 < code_.size();
    const bool ends = i.end && !(more && !secondary_ && code_[pc + 1].opcode == Opcode::phas);
    for_lanes(stay, [&](unsigned lane) {
      lanes_[lane].pc = pc + 1;
      if (ends || !more) lanes_[lane].running = false;
    });
    return {};
  }

  static void set_moe(const Instruction& i, MoeState& moe) {
    const std::array<std::int32_t, 4> values{i.value(Immediate::d), i.value(Immediate::s0),
                                             i.value(Immediate::s1), i.value(Immediate::s2)};
    if (i.opcode == Opcode::smbo) {
      moe.offset = values;
      return;
    }
    moe.increment = values;
    moe.swizzled = {i.swizzled_d, i.swizzled_0, i.swizzled_1, i.swizzled_2};
  }

  Status flow(const Instruction& i, std::uint32_t pc, unsigned group, unsigned& stay) {
    unsigned taken = group & alu_.holds(i.predicate);
    switch (i.opcode) {
      case Opcode::kill:
        run_.dead |= taken;
        if (dead_go_on_) return {};
        stay = group & ~taken;
        for_lanes(taken, [&](unsigned lane) { lanes_[lane].running = false; });
        return {};
      case Opcode::emit:
        run_.emitted = true;
        return {};
      case Opcode::br:
      case Opcode::ba:
      case Opcode::ret:
        break;
      default:
        return {};
    }
    if (i.all && taken != group) taken = 0;
    if (i.any && taken != 0) taken = group;
    stay = group & ~taken;
    for (unsigned n = 0; n < kLanes; ++n) {
      if ((taken >> n & 1) == 0) continue;
      Lane& lane = lanes_[n];
      std::int64_t target = i.value(Immediate::offset);
      if (i.opcode == Opcode::ret) {
        if (lane.depth == 0) return failed(ErrorCode::fault, "a return without a call", pc);
        target = lane.returns[--lane.depth];
      } else {
        if (i.opcode == Opcode::br) target += pc;
        if (i.link) {
          if (lane.depth == lane.returns.size()) return failed(ErrorCode::fault, "more than eight calls", pc);
          lane.returns[lane.depth++] = pc + 1;
        }
      }
      if (target < 0 || target > static_cast<std::int64_t>(code_.size()))
        return failed(ErrorCode::fault, "control leaves the program", pc);
      if (target <= pc && is_cancelled()) return failed(ErrorCode::cancelled, kCancelledMessage, pc);
      if (target <= pc && ++lane.backward > run_.fuel)
        return failed(ErrorCode::out_of_fuel, "a thread ran out of fuel", pc);
      lane.pc = static_cast<std::uint32_t>(target);
      if (target == static_cast<std::int64_t>(code_.size())) lane.running = false;
    }
    return {};
  }

  std::byte* find(std::uint32_t address, unsigned bytes, bool store, std::uint32_t pc, unsigned lane) {
    for (const MemoryPiece& piece : run_.memory) {
      const std::uint32_t offset = address - piece.address;
      if (offset < piece.bytes.size() && bytes <= piece.bytes.size() - offset && (!store || piece.written))
        return piece.bytes.data() + offset;
    }
    run_.fault = true;
    if (!run_.access) run_.access = {address, address_of(pc), lane, store};
    return nullptr;
  }

  void access(const Instruction& i, std::uint32_t pc, unsigned group) {
    const unsigned bytes = 4U >> i.size;
    const bool store = i.opcode == Opcode::st;
    for_lanes(group & alu_.holds(i.predicate), [&](unsigned lane) {
      std::uint32_t address = alu_.read_word(i.s[0], 0, lane);
      if (i.s[1].bank == Bank::immediate) {
        address += i.s[1].number * bytes;
      } else {
        const std::uint32_t offset = alu_.read_word(i.s[1], 0, lane);
        address += (offset & 0xffff) * (offset >> 16);
      }
      if (!store) address += alu_.read_word(i.s[2], 0, lane);
      for (unsigned k = 0; k <= i.repeat; ++k) {
        const std::uint32_t at = address + bytes * (i.moe ? k : k + 1);
        if (store && ((run_.covered & ~run_.dead) >> lane & 1) == 0) continue;
        std::byte* const place = find(at, bytes, store, pc, lane);
        std::uint32_t word = store ? alu_.read_word(i.s[2], k, lane, low_mask<std::uint32_t>(8 * bytes)) : 0;
        if (run_.observer != nullptr) show_access(place, at, bytes, lane, store ? &word : nullptr);
        if (!store) {
          if (place != nullptr) std::memcpy(&word, place, bytes);
          alu_.write_word(i.d[0], k, lane, word);
        } else if (place != nullptr) {
          std::memcpy(place, &word, bytes);
        }
      }
    });
    alu_.commit();
  }

  // ---- Textures

  Coordinates coordinates(const Instruction& i, unsigned lane) {
    Coordinates at{};
    const unsigned count = coordinate_count(i);
    for (unsigned k = 0; k < count; ++k) at[k] = alu_.raw_component(i.s[0], i.source_type, k, lane);
    return at;
  }

  float level(const Instruction& i, const TextureSampler& sampler, unsigned lane) {
    const auto operand = [&](unsigned k) { return alu_.raw_component(i.s[2], i.source_type, k, lane); };
    if (i.lod_mode == LodMode::replace) return operand(0);
    float result = 0;
    if (i.lod_mode == LodMode::gradients) {
      const unsigned count = coordinate_count(i);
      Coordinates dx{}, dy{};
      for (unsigned k = 0; k < count; ++k) dx[k] = operand(k), dy[k] = operand(count + k);
      result = sampler.level_of_gradients(coordinates(i, lane), dx, dy);
    } else if (!secondary_) {
      std::array<Coordinates, kLanes> places;
      for (unsigned n = 0; n < kLanes; ++n) places[n] = coordinates(i, n);
      result = sampler.level_of_quad(places);
    }
    result += sampler.bias();
    return i.lod_mode == LodMode::bias ? result + operand(0) : result;
  }

  Status sample(const Instruction& i, std::uint32_t pc, unsigned group) {
    const unsigned unit = *sampled_unit(program_, i);
    const textures::TextureView* const texture =
        run_.textures == nullptr ? nullptr : run_.textures->texture(unit);
    const Sampler* const state = run_.textures == nullptr ? nullptr : run_.textures->sampler(unit);
    if (texture == nullptr || state == nullptr)
      return failed(ErrorCode::bad_input, "smp: no texture is bound to unit " + std::to_string(unit), pc);
    TextureSampler sampler(*texture, *state, i.type == Type::native);
    std::optional<interpret::SeenTexels> seen;
    for_lanes(group & alu_.holds(i.predicate), [&](unsigned lane) {
      if (run_.observer != nullptr) [[unlikely]]
        sampler.show_to((run_.shown >> lane & 1) == 0
                            ? nullptr
                            : &seen.emplace(run_.observer->event().texels, unit, lane));
      unsigned word = 0;
      const auto write = [&](const TexelWords& texel, unsigned count) {
        for (unsigned k = 0; k < count; ++k)
          if (texel.mask[k] != 0) alu_.write_word(i.d[0], word + k, lane, texel.words[k], texel.mask[k]);
        word += count;
      };
      const Coordinates at = coordinates(i, lane);
      const unsigned components = texel_components(texture->swizzle);
      if (i.gather == Gather::none) {
        write(pack_texel(*texture, i.type, sampler.sample(at, level(i, sampler, lane)), components), 4);
      } else if (i.gather == Gather::info) {
        const auto bytes = sampler.query(at, level(i, sampler, lane));
        std::uint32_t packed = 0;
        for (unsigned k = 0; k < 4; ++k) packed |= std::uint32_t{bytes[k]} << 8 * k;
        alu_.write_word(i.d[0], 0, lane, packed);
      } else {
        const auto gathered =
            sampler.gather(at, i.lod_mode == LodMode::replace ? level(i, sampler, lane) : 0.0F);
        for (const Texels& texel : gathered.texels)
          write(pack_texel(*texture, i.type, texel, components),
                words_of_texel(*texture, i.type, components));
        if (i.gather == Gather::texels_and_weights)
          write(pack_texel(*texture, Type::f16, gathered.weights, 4), 2);
      }
    });
    alu_.commit();
    return {};
  }

  const Program& program_;
  const std::vector<Instruction>& code_;
  bool secondary_;
  bool dead_go_on_;
  Quad& quad_;
  QuadRun& run_;
  QuadAlu alu_;
  std::array<Lane, kLanes> lanes_;
  unsigned last_group_ = 15;  // of an observed step
};

Result<Interpreter> Interpreter::prepare(const Program& program) {
  Interpreter interpreter;
  interpreter.program_ = program;
  if (program.texture_buffer_samplers != 0)
    return Error{ErrorCode::unsupported, "textures of a texture buffer are not supported",
                 program.source_name};
  WARPJIT_TRY(interpreter.primary_, decode_all(program, false));
  WARPJIT_TRY(interpreter.secondary_, decode_all(program, true));
  interpreter.samples_ = unit_samples(program);
  for (const FragmentInput& input : program.fragment.inputs)
    interpreter.sees_others_ |= input.sampled.has_value();
  for (const Instruction& i : interpreter.primary_) {
    interpreter.gives_depth_ |= i.group == Group::depthf;
    interpreter.sees_others_ |= sees_others(i);
  }
  return interpreter;
}

Status Interpreter::check_textures(const frontend::BoundTextures& textures) const {
  for (const UnitSample& sample : samples_)
    if (const textures::TextureView* const texture = textures.texture(sample.unit))
      WARPJIT_CHECK(check_dimension(program_, sample, texture->dimension));
  return {};
}

RegisterFile Interpreter::own_registers(std::span<std::uint32_t> sa) const {
  return {.sa = own_attributes(sa),
          .r = std::min(program_.temporaries, kMaxRegisters),
          .pa = std::min(program_.primary_attributes, kMaxRegisters)};
}

Status Interpreter::run_secondary(std::span<std::uint32_t> sa, QuadRun& run) const {
  if (secondary_.empty()) return {};
  Quad quad;
  RegisterFile file = own_registers(sa);
  file.secondary = true;
  if (interpret::Observer* const observer = std::exchange(run.observer, nullptr))
    show(*observer, {.kind = interpret::ObservedGroup::Kind::launch, .lanes = 1}, {}, quad, file.sa, run);
  const Status status = Execution(program_, secondary_, true, quad, file, run).run(1);
  run.fault = run.fault || quad.fault;
  return status;
}

Status Interpreter::run_primary(Quad& quad, std::span<std::uint32_t> sa, QuadRun& run) const {
  const RegisterFile file = own_registers(sa);
  const Status status = Execution(program_, primary_, false, quad, file, run, runs_helpers())
                            .run(runs_helpers() ? 15 : run.covered);
  run.fault = run.fault || quad.fault;
  return status;
}

}  // namespace warpjit::usse
