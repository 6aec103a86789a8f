#include "ir/verifier.h"

#include <gtest/gtest.h>

#include "ir/barrier.h"
#include "ir/builder.h"

namespace warpjit::ir {
namespace {

// A loop: entry -> header <-> body, header -> end.
struct Loop {
  Function f;
  Block entry, header, body, end;
  I32 counter, next;
  Loop() {
    f.name = "loop";
    f.input_count = f.output_count = 1;
    f.uniform_bytes = 32;
    f.slot_count = 1;
    Builder b(f);
    entry = f.add_block(), header = f.add_block(), body = f.add_block(), end = f.add_block();
    b.set_block(entry);
    const I32 zero = b.constant(0);
    b.jump(header);
    counter = b.phi<I32>(header);
    b.set_block(header);
    b.branch(b.ILtU32(counter, b.constant(8)), body, end);
    b.set_block(body);
    next = b.IAdd32(counter, b.constant(1));
    b.jump(header, true);
    const std::array<Value, 2> arrivals = {zero, next};
    f.set_operands(f.definition(counter), arrivals);
    b.set_block(end);
    b.ret();
  }
  void rejects(const std::string& message) const {
    const Status status = verify(f);
    ASSERT_FALSE(status.ok()) << "expected: " << message;
    EXPECT_NE(to_string(status.error()).find(message), std::string::npos) << to_string(status.error());
    EXPECT_NE(status.error().where.find("\"loop\""), std::string::npos);
  }
};

TEST(Verifier, AcceptsALoop) {
  const Loop loop;
  EXPECT_TRUE(verify(loop.f).ok()) << to_string(verify(loop.f).error());
}

TEST(Verifier, RejectsBrokenStructure) {
  {
    Loop l;
    l.f.remove(l.f.terminator(l.end));
    l.f.append(l.end, l.f.make(Opcode::LoadInput, {}, 0));
    l.rejects("does not end with a terminator");
  }
  {
    Loop l;
    l.f.insert_front(l.end, l.f.make(Opcode::Return, {}));
    l.rejects("terminator before the end");
  }
  {
    Loop l;
    const std::array<Value, 1> one = {l.next};
    l.f.set_operands(l.f.definition(l.counter), one);
    l.rejects("1 operands instead of 2");
  }
  {
    Loop l;
    const Inst phi = l.f.definition(l.counter);
    l.f.remove(phi);
    l.f.insert_before(l.f.terminator(l.header), phi);
    l.rejects("phi after another instruction");
  }
  {
    Loop l;
    l.f.block(l.header).predecessors.push_back(l.end);
    l.rejects("no successor for the predecessor edge b3 to b1");
  }
  {
    Loop l;
    l.f.block(l.header).successors[1] = l.body;
    l.rejects("twice");
  }
  {
    Loop l;
    l.f.block(l.header).predecessors.pop_back();
    l.rejects("no predecessor for the edge b2 to b1");
  }
  {
    Loop l;
    l.f.block(l.end).successors.push_back(l.header);
    l.rejects("successors");
  }
  {
    Loop l;
    l.f.block(l.header).backward = 4;
    l.rejects("edge that is not there");
  }
  {
    Loop l;
    l.f.block(l.entry).successors[0] = Block{77};
    l.rejects("target does not exist");
  }
  {
    Loop l;
    l.f.block(l.body).successors[0] = l.entry;
    l.f.block(l.entry).predecessors.push_back(l.body);
    l.rejects("entry has a predecessor");
  }
  Function empty;
  EXPECT_FALSE(verify(empty).ok());
}

TEST(Verifier, RejectsBadUses) {
  {
    Loop l;
    Builder b(l.f);
    b.set_before(l.f.terminator(l.end));
    b.emit_inst(Opcode::IAdd32, std::array<Value, 2>{l.next, l.next});
    l.rejects("does not dominate");
  }
  {
    Loop l;
    const Inst add = l.f.definition(l.next);
    l.f.set_operand(add, 1, l.next);
    l.rejects("does not dominate");
  }
  {
    Loop l;
    Builder b(l.f);
    l.f.set_operand(l.f.definition(l.next), 1, b.constant(1.0f));
    l.rejects("operand 1 is f32 instead of i32");
  }
  {
    Loop l;
    l.f.set_operand(l.f.definition(l.next), 1, Value{});
    l.rejects("does not exist");
  }
  {
    Loop l;
    l.f.remove(l.f.definition(l.next));
    l.rejects("in no block");
  }
}

TEST(Verifier, RejectsImmediatesAndForms) {
  auto with = [](Form form, auto&& make, const char* message) {
    Loop l;
    l.f.form = form;
    // In group form the loop's own condition must not vary.
    for (std::uint32_t v = 0; v < l.f.value_count(); ++v) l.f.value(Value{v}).uniformity = Uniformity::group;
    Builder b(l.f);
    b.set_before(l.f.terminator(l.end));
    make(b);
    if (message != nullptr)
      l.rejects(message);
    else
      EXPECT_TRUE(verify(l.f).ok()) << to_string(verify(l.f).error());
  };
  const std::uint64_t two_rows = std::uint64_t{2} << 32;
  with(
      Form::thread, [](Builder& b) { b.LoadInput(1); }, "input does not exist");
  with(
      Form::thread, [](Builder& b) { b.LoadUniformI32(30); }, "outside the uniform table");
  with(
      Form::thread, [](Builder& b) { b.LoadUniformI32(32); }, "outside the uniform table");
  with(
      Form::thread, [](Builder& b) { b.LoadUniformI32(28); }, nullptr);
  with(
      Form::thread, [&](Builder& b) { b.LoadUniformRow(b.F32ToI32Sat(b.LoadInput(0)[0]), two_rows); },
      nullptr);
  with(
      Form::thread, [&](Builder& b) { b.LoadUniformRow(b.F32ToI32Sat(b.LoadInput(0)[0]), two_rows + 4); },
      "rows outside");
  with(
      Form::thread, [](Builder& b) { b.LookUpUniform32(b.F32ToI32Sat(b.LoadInput(0)[0]), 0); },
      "words outside");
  with(
      Form::thread, [](Builder& b) { b.StoreUniformI32(b.constant(1), 0); }, "outside a preamble");
  with(
      Form::group, [](Builder& b) { b.StoreUniformI32(b.constant(1), 0); }, "outside a preamble");
  with(
      Form::thread, [](Builder& b) { b.BurnFuel(b.constant(true)); }, "stands in thread form");
  with(
      Form::thread, [](Builder& b) { b.QuadSwizzle1(b.constant(true), 0x1b); }, "stands in thread form");
  with(
      Form::thread, [](Builder& b) { b.QuadSwizzle32(b.LoadSlot(0), 0x1b); }, nullptr);
  with(
      Form::thread, [](Builder& b) { b.LoadFrame(b.constant(0), 0); }, "frame slot does not exist");
  for (const Form form : {Form::thread, Form::group})
    with(
        form, [](Builder& b) { b.LoadSlot(0); }, nullptr);
  with(
      Form::thread, [](Builder& b) { b.Barrier(b.constant(true), BarrierForm{.number = 15}.pack()); },
      nullptr);
  with(
      Form::thread, [](Builder& b) { b.Barrier(b.constant(true), 1 << 6); }, "no possible barrier");
  with(
      Form::group, [](Builder& b) { b.LoadSlot(1); }, "slot does not exist");
  with(
      Form::group, [](Builder& b) { b.MinLaneU32(b.F32ToI32Sat(b.LoadInput(0)[0])); }, "dead");
  with(
      Form::group, [](Builder& b) { b.MinLaneU32(b.LoadSlot(0)); }, nullptr);
  with(
      Form::group,
      [](Builder& b) {
        const F32 x = b.LoadInput(0)[0];
        b.function().value(b.FAdd32(x, x)).uniformity = Uniformity::group;
      },
      "narrower uniformity");
}

TEST(Verifier, RejectsAVaryingBranchInGroupForm) {
  Loop l;
  l.f.form = Form::group;
  l.rejects("branches on a varying value");
}

}  // namespace
}  // namespace warpjit::ir
