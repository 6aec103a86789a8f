#include "support/random_ir.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "ir/builder.h"
#include "ir/evaluate.h"
#include "ir/interpret.h"
#include "ir/pass/ssa.h"

namespace warpjit::testing {
namespace {

using namespace warpjit::ir;

constexpr std::uint32_t kSpecial[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x40000000, 0x3f000000,
                                      0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001, 1,
                                      0x007fffff, 0x00800000, 0x7f7fffff, 0x4f000000, 0xcf000000, 0x4b800000,
                                      2,          3,          31,         32,         33,         0xffffffff};

std::uint32_t random_word(Random& random) {
  switch (random.below(4)) {
    case 0:
      return kSpecial[random.below(std::size(kSpecial))];
    case 1:
      return random.below(16);
    case 2: {  // a modest float
      const float value = static_cast<float>(static_cast<std::int32_t>(random.below(4000)) - 2000) / 64.0f;
      return std::bit_cast<std::uint32_t>(value);
    }
    default:
      return static_cast<std::uint32_t>(random.next());
  }
}

class Generator {
 public:
  Generator(std::uint64_t seed, const RandomIrOptions& options)
      : random_(seed), options_(options), builder_(f_), ssa_(builder_, variable_types()) {
    f_.name = "random " + std::to_string(seed);
    f_.input_count = RandomMemory::kInputs;
    f_.output_count = RandomMemory::kOutputs;
    f_.uniform_bytes = RandomMemory::kUniformWords * 4;
    if (options.pixels) {
      f_.pixels = true;
      f_.primitive_bytes = RandomMemory::kPrimitiveWords * 4;
      f_.tile_planes = RandomMemory::kPlanes;
      f_.slot_count = RandomMemory::kSlots;
    }
    for (int k = 0; k < kOpcodeCount; ++k) {
      const auto opcode = static_cast<Opcode>(k);
      const bool transcendental = family(opcode) == Family::transcendental;
      const bool flushes = family(opcode) == Family::float_flush;
      const bool halves =
          family(opcode) == Family::half_arithmetic || opcode == Opcode::CanonicalizeNaNHalves;
      if (info(opcode).lane_wise() && (options.halves || !halves) &&
          (options.transcendentals || !transcendental) && (options.flushes || !flushes))
        opcodes_.push_back(opcode);
    }
  }

  Function run() {
    begin();
    blocks_left_ = options_.blocks;
    if (options_.structured) {
      region(0);
      end();
    } else {
      any_flow();
    }
    (void)ssa_.finish();
    return std::move(f_);
  }

 private:
  // Variables: floats, integers, flags, then counters of loops.
  static constexpr std::uint32_t kFloats = 6, kIntegers = 4, kFlags = 3, kCounters = 4;
  static constexpr std::uint32_t kFirstInteger = kFloats, kFirstFlag = kFirstInteger + kIntegers,
                                 kFirstCounter = kFirstFlag + kFlags, kVariables = kFirstCounter + kCounters;
  static std::vector<Type> variable_types() {
    std::vector<Type> types(kFloats, Type::f32);
    types.resize(kFirstFlag, Type::i32);
    types.resize(kFirstCounter, Type::i1);
    types.resize(kVariables, Type::i32);
    return types;
  }

  Value make(Opcode opcode, std::span<const Value> operands, std::uint64_t immediate = 0) {
    if (options_.fold) return builder_.emit(opcode, operands, immediate);
    return f_.result(builder_.emit_inst(opcode, operands, immediate));
  }
  Value make(Opcode opcode, std::initializer_list<Value> operands, std::uint64_t immediate = 0) {
    return make(opcode, std::span<const Value>(operands.begin(), operands.size()), immediate);
  }

  std::uint32_t random_variable(Type type) {
    switch (type) {
      case Type::f32:
        return random_.below(kFloats);
      case Type::i32:
        return kFirstInteger + random_.below(kIntegers);
      default:
        return kFirstFlag + random_.below(kFlags);
    }
  }
  Value read(std::uint32_t variable) { return ssa_.read(builder_.block(), variable); }
  void write(std::uint32_t variable, Value value) { ssa_.write(builder_.block(), variable, value); }

  Value operand(Type type) {
    const std::uint32_t kind = random_.below(100);
    if (kind < 60) return read(random_variable(type));
    if (type == Type::i1)
      return kind < 65 ? Value(builder_.constant(random_.chance(50))) : read(random_variable(type));
    if (kind < 80) return f_.constant_value(type, random_word(random_));
    if (kind < 90)
      return make(type == Type::f32 ? Opcode::LoadUniformF32 : Opcode::LoadUniformI32, {},
                  random_.below(RandomMemory::kUniformWords) * 4);
    if (type == Type::f32) return input();
    return kind < 95 ? integer_view(input()) : integer_view(read(random_variable(Type::f32)), true);
  }
  Value input() {
    const Inst load = builder_.emit_inst(Opcode::LoadInput, {}, random_.below(RandomMemory::kInputs));
    return f_.result(load, random_.below(4));
  }
  // The bits of a float: as they are if it is an untouched copy.
  Value integer_view(Value value, bool computed = false) {
    if (computed) value = make(Opcode::CanonicalizeNaN32, {value});
    return make(Opcode::BitcastF32ToI32, {value});
  }

  void operation() {
    const std::uint32_t kind = random_.below(100);
    if (kind < 4) {
      const std::uint64_t rows = 1 + random_.below(8), offset = random_.below(8) * 4;
      Value index = operand(Type::i32);
      if (random_.chance(70)) index = make(Opcode::IAnd32, {index, builder_.constant(std::int32_t{7})});
      const auto row = builder_.LoadUniformRow(I32{index}, offset | rows << 32);
      for (F32 word : row) write(random_variable(Type::f32), word);
      if (random_.chance(50))
        write(random_variable(Type::i32), builder_.LookUpUniform32(I32{operand(Type::i32)}, offset));
      return;
    }
    if (kind < 8) return store(random_.below(RandomMemory::kOutputs), operand(Type::i1));
    if (kind < 40 && options_.pixels) return pixel_operation();
    const Opcode opcode = opcodes_[random_.below(static_cast<std::uint32_t>(opcodes_.size()))];
    const OpcodeInfo& row = info(opcode);
    std::vector<Value> operands;
    for (const char letter : row.operands) operands.push_back(operand(type_of_letter(letter)));
    if (opcode == Opcode::BitcastF32ToI32) operands[0] = make(Opcode::CanonicalizeNaN32, {operands[0]});
    if (random_.chance(4) && operands.size() > 1 && row.operands[0] == row.operands[1])
      operands[1] = operands[0];
    Value made = make(opcode, operands);
    // A masked result is unspecified in other lanes.
    if (row.masked) made = make(Opcode::SelectF32, {operands.back(), made, operands[0]});
    // Which NaN it is shows in nothing but more of these.
    const bool is_mask = opcode == Opcode::HalvesLowBytes || opcode == Opcode::HalvesEq ||
                         opcode == Opcode::HalvesLt || opcode == Opcode::HalvesLe;
    if (row.family == Family::half_arithmetic && !is_mask) {
      if (random_.chance(50)) made = make(Opcode::HalvesAdd, {made, operand(Type::i32)});
      made = make(Opcode::CanonicalizeNaNHalves, {made});
    }
    write(random_variable(type_of_letter(row.results[0])), made);
  }
  Value guard() { return random_.chance(60) ? Value(builder_.constant(true)) : operand(Type::i1); }
  void store_slot(Value guard, Value value, std::uint32_t slot) {
    builder_.emit_inst(Opcode::StoreSlot, std::array{guard, value}, slot);
  }
  void pixel_operation() {
    const std::uint32_t lanes = random_.below(256), offset = random_.below(RandomMemory::kPrimitiveWords) * 4,
                        plane = random_.below(RandomMemory::kPlanes),
                        slot = random_.below(RandomMemory::kSlots);
    switch (random_.below(12)) {
      case 0:
        return write(random_variable(Type::f32), make(Opcode::PixelDx, {}));
      case 1:
        return write(random_variable(Type::f32), make(Opcode::PixelDy, {}));
      case 2:
        return write(random_variable(Type::i1), make(Opcode::PixelCovered, {}));
      case 3:
        return write(random_variable(Type::f32), make(Opcode::PrimitiveF32, {}, offset));
      case 4:
        return write(random_variable(Type::i32), make(Opcode::PrimitiveI32, {}, offset));
      case 5:
        return write(random_variable(Type::i32), make(Opcode::LoadTile, {}, plane));
      case 6: {
        const std::array<Value, 2> operands = {guard(), operand(Type::i32)};
        builder_.emit_inst(Opcode::StoreTile, operands, plane);
        return;
      }
      case 7:
        return store_slot(guard(), operand(Type::i32), slot);
      case 8: {
        const Value last = make(Opcode::LoadSlot, {}, slot);
        return write(random_variable(Type::i32), make(Opcode::QuadSwizzle32, {last}, lanes));
      }
      default: {
        const Value active = guard(), value = operand(Type::i32);
        return write(random_variable(Type::i32),
                     make(Opcode::QuadRead, {active, value, operand(Type::i32)}, lanes));
      }
    }
  }
  void operations() {
    builder_.set_guest_address(random_.below(1000));
    for (std::uint32_t k = random_.below(options_.operations) + 1; k > 0; --k) operation();
  }
  void store(std::uint32_t output, Value guard) {
    std::array<Value, 5> operands = {guard};
    for (std::size_t k = 1; k < 5; ++k) operands[k] = read(random_variable(Type::f32));
    builder_.emit_inst(Opcode::StoreOutput, operands, output);
  }
  // A condition: of anything, or of uniform values only, so that every kind of branch occurs.
  I1 condition() {
    if (random_.chance(30)) {
      const Value word = make(Opcode::LoadUniformI32, {}, random_.below(RandomMemory::kUniformWords) * 4);
      return I1{
          make(Opcode::ILtU32, {word, builder_.constant(static_cast<std::int32_t>(random_.below(16)))})};
    }
    return I1{operand(Type::i1)};
  }

  void begin() {
    const Block entry = f_.add_block(0);
    builder_.set_block(entry);
    ssa_.seal(entry);
    for (std::uint32_t v = 0; v < kFloats; ++v) write(v, random_.chance(70) ? input() : operand(Type::f32));
    for (std::uint32_t v = 0; v < kIntegers; ++v) write(kFirstInteger + v, integer_view(input()));
    for (std::uint32_t v = 0; v < kFlags; ++v)
      write(kFirstFlag + v, make(Opcode::FLt32, {read(random_variable(Type::f32)), operand(Type::f32)}));
    for (std::uint32_t v = 0; v < kCounters; ++v) write(kFirstCounter + v, builder_.constant(0));
    for (std::uint32_t slot = 0; slot < f_.slot_count; ++slot)
      store_slot(builder_.constant(true), read(kFirstInteger + slot), slot);
  }
  void end() {
    for (std::uint32_t k = 0; k < RandomMemory::kOutputs; ++k)
      store(k, random_.chance(80) ? Value(builder_.constant(true)) : operand(Type::i1));
    builder_.ret();
  }

  Block new_block() {
    if (blocks_left_ > 0) --blocks_left_;
    return f_.add_block(random_.below(1000));
  }
  void open(Block block) { builder_.set_block(block); }

  // Structured control flow.
  struct LoopBlocks {
    Block exit, latch;
    std::uint32_t counter;  // a variable
  };
  void region(unsigned depth) {
    operations();
    for (std::uint32_t k = 1 + random_.below(3); k > 0 && blocks_left_ > 0; --k) {
      const std::uint32_t kind = random_.below(100);
      if (depth < 4 && kind < 40)
        conditional(depth);
      else if (depth < 4 && kind < 65 && options_.loops)
        loop(depth);
      else if (depth < 4 && kind < 75 && options_.switches)
        choice(depth);
      else if (kind < 90 && !loops_.empty())
        leave_loop(loops_.back());
      else if (kind < 95)
        early_return();
      operations();
    }
  }
  void conditional(unsigned depth) {
    const Block then = new_block(), join = new_block();
    const Block otherwise = random_.chance(60) ? new_block() : join;
    builder_.branch(condition(), then, otherwise);
    open(then);
    region(depth + 1);
    builder_.jump(join);
    if (otherwise != join) {
      open(otherwise);
      region(depth + 1);
      builder_.jump(join);
    }
    open(join);
  }
  void choice(unsigned depth) {
    std::vector<Block> arms;
    for (std::uint32_t k = 2 + random_.below(3); k > 0; --k) arms.push_back(new_block());
    const Block join = new_block();
    const I32 index{operand(Type::i32)};
    builder_.switch_(random_.chance(50) ? index : builder_.IAnd32(index, builder_.constant(3)), arms);
    for (Block arm : arms) {
      open(arm);
      if (random_.chance(50)) region(depth + 1);
      builder_.jump(join);
    }
    open(join);
  }
  void loop(unsigned depth) {
    const std::uint32_t counter = kFirstCounter + std::min(depth, kCounters - 1);
    if (depth >= kCounters) return;
    const I32 limit{make(Opcode::IAnd32, {operand(Type::i32), builder_.constant(std::int32_t{3})})};
    write(counter, builder_.constant(0));
    const Block header = new_block(), body = new_block(), latch = new_block(), exit = new_block();
    builder_.jump(header);
    open(header);
    const bool test_first = random_.chance(60);
    auto more = [&] {
      const I1 counted{make(Opcode::ILtU32, {read(counter), limit})};
      return random_.chance(50) ? counted : I1{make(Opcode::And1, {counted, condition()})};
    };
    if (test_first)
      builder_.branch(more(), body, exit);
    else
      builder_.jump(body);
    loops_.push_back({exit, latch, counter});
    open(body);
    region(depth + 1);
    builder_.jump(latch);
    loops_.pop_back();
    open(latch);
    write(counter, make(Opcode::IAdd32, {read(counter), builder_.constant(1)}));
    if (test_first)
      builder_.jump(header, true);
    else
      builder_.branch(more(), header, exit, 1);
    open(exit);
  }
  void leave_loop(const LoopBlocks& loop) {
    const bool out = random_.chance(60);
    if (out && random_.chance(50)) write(random_variable(Type::i32), read(loop.counter));  // its last turn
    leave(out ? loop.exit : loop.latch);
  }
  void leave(Block target) {
    const Block next = new_block();
    builder_.branch(condition(), target, next);
    open(next);
  }
  void early_return() {
    const Block stop = new_block(), next = new_block();
    builder_.branch(condition(), stop, next);
    open(stop);
    if (random_.chance(50)) store(0, builder_.constant(true));
    builder_.ret();
    open(next);
  }

  // Any control flow graph: forward edges at will, backward ones while a counter lasts.
  void any_flow() {
    const std::uint32_t count = 2 + random_.below(std::max(options_.blocks, 2u));
    std::vector<Block> blocks;
    for (std::uint32_t k = 0; k < count; ++k) blocks.push_back(new_block());
    builder_.jump(blocks[0]);
    auto later = [&](std::uint32_t k) { return blocks[k + 1 + random_.below(std::min(count - k - 1, 4u))]; };
    for (std::uint32_t k = 0; k < count; ++k) {
      open(blocks[k]);
      operations();
      const std::uint32_t kind = random_.below(100);
      if (k + 1 == count || kind < 4) {
        end();
      } else if (kind < 20) {
        builder_.jump(later(k));
      } else if (kind < 40 && options_.loops) {
        const Value turns = read(kFirstCounter);
        const Value few = make(Opcode::ILtU32,
                               {turns, builder_.constant(static_cast<std::int32_t>(2 + random_.below(12)))});
        write(kFirstCounter, make(Opcode::IAdd32, {turns, builder_.constant(1)}));
        const Value again = make(Opcode::And1, {few, condition()});
        const Block back = blocks[random_.below(k + 1)];
        if (random_.chance(70))
          builder_.branch(I1{again}, back, later(k), 1);
        else
          builder_.branch(I1{make(Opcode::Not1, {again})}, later(k), back, 2);
      } else if (kind < 50 && options_.switches) {
        std::vector<Block> arms;
        for (std::uint32_t n = 2 + random_.below(3); n > 0; --n) arms.push_back(later(k));
        std::sort(arms.begin(), arms.end());
        arms.erase(std::unique(arms.begin(), arms.end()), arms.end());
        builder_.switch_(I32{operand(Type::i32)}, arms);
      } else {
        builder_.branch(condition(), later(k), later(k));
      }
    }
  }

  Random random_;
  RandomIrOptions options_;
  Function f_;
  Builder builder_;
  SsaBuilder ssa_;
  std::vector<Opcode> opcodes_;
  std::vector<LoopBlocks> loops_;
  unsigned blocks_left_ = 0;
};

}  // namespace

ir::Function random_function(std::uint64_t seed, const RandomIrOptions& options) {
  return Generator(seed, options).run();
}

ir::Function random_any_function(std::uint64_t seed) {
  Random random(seed ^ 0x5eed);
  RandomIrOptions options;
  options.structured = random.chance(50);
  options.loops = random.chance(80);
  options.switches = random.chance(60);
  options.fold = random.chance(30);
  options.transcendentals = random.chance(50);
  options.flushes = random.chance(30);
  options.blocks = 2 + random.below(24);
  options.operations = 2 + random.below(8);
  options.halves = random.chance(25);
  return random_function(seed, options);
}

ir::Function random_pixel_function(std::uint64_t seed, bool loops) {
  Random random(seed ^ 0x9182);
  RandomIrOptions options;
  options.pixels = true;
  options.loops = loops;
  options.structured = loops || random.chance(50);
  options.switches = random.chance(60);
  options.fold = random.chance(30);
  options.transcendentals = false;
  options.blocks = 2 + random.below(24);
  options.operations = 2 + random.below(8);
  return random_function(seed, options);
}

RandomMemory::RandomMemory(std::uint64_t seed, std::uint32_t thread_count) : threads(thread_count) {
  Random random(seed ^ 0x3e301);
  inputs.resize(kInputs);
  for (auto& input : inputs) {
    input.resize(threads);
    for (Words& words : input)
      for (std::uint32_t& word : words) word = random_word(random);
  }
  uniform.resize(kUniformWords);
  for (std::uint32_t& word : uniform) word = random_word(random);
  if (threads % 4 != 0) return;
  primitive.resize(kPrimitiveWords);
  for (std::uint32_t& word : primitive) word = random_word(random);
  const auto even = [&](std::uint32_t below) { return static_cast<float>(random.below(below) * 2); };
  const pixels::GroupRecord group = {reinterpret_cast<const std::byte*>(primitive.data()), even(100),
                                     -even(100)};
  groups.assign(threads / 4, group);
  // Some groups of any width have consecutive quads.
  std::uint32_t place = random.below(100);
  for (std::uint32_t quad = 0; quad < threads / 4; ++quad) {
    quads.push_back({even(32), even(32), place * 16, random.below(16)});
    place += random.chance(90) ? 1 : 1 + random.below(20);
  }
  tile.resize(kPlanes * pixels::kPlaneBytes / 4);
  for (std::uint32_t& word : tile) word = random_word(random);
}

Result<std::vector<std::uint32_t>> RandomMemory::run(const ir::Function& f, unsigned lanes,
                                                     std::uint64_t fuel, const ir::Function* preamble) const {
  std::vector<std::uint32_t> table = uniform;
  table.resize(std::max<std::size_t>(table.size(), f.uniform_bytes / 4));
  std::vector<Words> out(std::size_t{kOutputs} * threads);
  for (Words& words : out) words.fill(0xcccccccc);
  std::vector<InputBinding> in_bindings;
  std::vector<OutputBinding> out_bindings;
  for (const auto& input : inputs)
    in_bindings.push_back({reinterpret_cast<const std::byte*>(input.data()), 16});
  for (std::uint32_t k = 0; k < kOutputs; ++k)
    out_bindings.push_back({reinterpret_cast<std::byte*>(out.data() + k), 16 * kOutputs});
  Memory memory{in_bindings, out_bindings, table};
  std::vector<std::uint32_t> planes = tile;
  memory.quads = quads.data();
  memory.groups = groups.data();
  memory.tile = reinterpret_cast<std::byte*>(planes.data());
  if (preamble != nullptr) {
    WARPJIT_TRY(const Interpreter first, Interpreter::prepare(*preamble, lanes));
    WARPJIT_CHECK(first.run(memory, 0, 1, 0));
  }
  WARPJIT_TRY(const Interpreter interpreter, Interpreter::prepare(f, lanes));
  WARPJIT_CHECK(interpreter.run(memory, 0, threads, fuel));
  std::vector<std::uint32_t> words;
  for (const Words& four : out)
    for (std::uint32_t word : four) words.push_back((word & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : word);
  if (f.pixels) words.insert(words.end(), planes.begin(), planes.end());
  return words;
}

std::string difference(const std::vector<std::uint32_t>& wanted, const std::vector<std::uint32_t>& got) {
  if (wanted.size() != got.size()) return "different sizes";
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    if (wanted[k] == got[k]) continue;
    char text[96];
    std::snprintf(text, sizeof text, "thread %zu output %zu word %zu: wanted 0x%08x, got 0x%08x",
                  k / (4 * RandomMemory::kOutputs), k / 4 % RandomMemory::kOutputs, k % 4, wanted[k], got[k]);
    return text;
  }
  return "";
}

}  // namespace warpjit::testing
