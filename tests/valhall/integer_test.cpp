#include "valhall/evaluate.h"

namespace warpjit::valhall {
namespace {

TEST(ValhallInteger, PartsOfSources) {
  constexpr std::uint32_t a = 0x8481f203;
  EXPECT_EQ(run("IADD.u32 r0, r1, r2", {a, 0}), a);
  EXPECT_EQ(run("IADD.u32 r0, r1.h0, r2", {a, 0}), 0xf203U);
  EXPECT_EQ(run("IADD.s32 r0, r1.h0, r2", {a, 0}), 0xfffff203U);
  EXPECT_EQ(run("IADD.s32 r0, r1.h1, r2", {a, 0}), 0xffff8481U);
  EXPECT_EQ(run("IADD.u32 r0, r1.b3, r2", {a, 0}), 0x84U);
  EXPECT_EQ(run("IADD.s32 r0, r1, r2.b2", {0, a}), 0xffffff81U);
  EXPECT_EQ(run("IADD.s32 r0, r1, r2.b0", {0, a}), 3U);
  // The first digit is the low element's.
  EXPECT_EQ(run("IADD.v2u16 r0, r1, r2", {a, 0}), a);
  EXPECT_EQ(run("IADD.v2u16 r0, r1.h10, r2", {a, 0}), 0xf2038481U);
  EXPECT_EQ(run("IADD.v2u16 r0, r1.h00, r2", {a, 0}), 0xf203f203U);
  EXPECT_EQ(run("IADD.v2u16 r0, r1.b20, r2", {a, 0}), 0x00030081U);
  EXPECT_EQ(run("IADD.v2s16 r0, r1.b31, r2", {a, 0}), 0xfff2ff84U);
  EXPECT_EQ(run("IADD.v4u8 r0, r1.b3210, r2", {a, 0}), 0x03f28184U);
  EXPECT_EQ(run("IADD.v4u8 r0, r1.b0011, r2", {a, 0}), 0xf2f20303U);
  constexpr std::uint64_t wide = 0x80000001'fffffffe;
  EXPECT_EQ(run("IADD.u64 r0, r2, r4", {wide, 0}), wide);
  EXPECT_EQ(run("IADD.u64 r0, r2.w1, r4", {wide, 0}), 0x80000001U);
  EXPECT_EQ(run("IADD.s64 r0, r2.w1, r4", {wide, 0}), 0xffffffff'80000001U);
  EXPECT_EQ(run("IADD.s64 r0, r2, r4.h0", {1, wide}), 0xffffffff'ffffffffU);
  EXPECT_EQ(run("IADD.u64 r0, r2, r4.b1", {1, wide}), 0x100U);
}

TEST(ValhallInteger, WriteMasks) {
  const FloatMode mode;
  EXPECT_EQ(run("IADD.v2u16 r0.h0, r1, r2", {0x00010002, 0x00100020}, mode, 0xaaaabbbb), 0xaaaa0022U);
  EXPECT_EQ(run("IADD.v2u16 r0.h1, r1, r2", {0x00010002, 0x00100020}, mode, 0xaaaabbbb), 0x0011bbbbU);
  EXPECT_EQ(run("MOV.i32 r0.h1, r1", {0x12345678}, mode, 0xaaaabbbb), 0x1234bbbbU);
  EXPECT_EQ(refusal("IADD.u32 r0.none, r1, r2"), "IADD.u32: a result without halves is not defined");
  EXPECT_EQ(refusal("IADD.u64 r0.h0, r2, r4"), "IADD.u64: a mask of a pair is not defined");
}

TEST(ValhallInteger, SumsAndDifferences) {
  EXPECT_EQ(run("IADD.u32 r0, r1, r2", {0xffffffff, 2}), 1U);
  EXPECT_EQ(run("IADD.u32.saturate r0, r1, r2", {0xffffffff, 2}), 0xffffffffU);
  EXPECT_EQ(run("IADD.s32.saturate r0, r1, r2", {0x7fffffff, 1}), 0x7fffffffU);
  EXPECT_EQ(run("IADD.s32.saturate r0, r1, r2", {0x80000000, 0xffffffff}), 0x80000000U);
  EXPECT_EQ(run("ISUB.u32 r0, r1, r2", {1, 2}), 0xffffffffU);
  EXPECT_EQ(run("ISUB.u32.saturate r0, r1, r2", {1, 2}), 0U);
  EXPECT_EQ(run("ISUB.s32.saturate r0, r1, r2", {0x80000000, 1}), 0x80000000U);
  EXPECT_EQ(run("ISUB.s32.saturate r0, r1, r2", {0, 0x80000000}), 0x7fffffffU);
  EXPECT_EQ(run("IADD.v2u16 r0, r1, r2", {0xffff0001, 0x00010001}), 0x00000002U);
  EXPECT_EQ(run("IADD.v2u16.saturate r0, r1, r2", {0xffff0001, 0x00010001}), 0xffff0002U);
  EXPECT_EQ(run("IADD.v2s16.saturate r0, r1, r2", {0x80007fff, 0xffff0001}), 0x80007fffU);
  EXPECT_EQ(run("ISUB.v4u8.saturate r0, r1, r2", {0x01020304, 0x02020202}), 0x00000102U);
  EXPECT_EQ(run("IADD.v4s8.saturate r0, r1, r2", {0x7f80017f, 0x7f80ff01}), 0x7f80007fU);
  EXPECT_EQ(run("IADD.v4s8 r0, r1, r2", {0x7f80017f, 0x7f80ff01}), 0xfe000080U);
  EXPECT_EQ(run("IADD.u64 r0, r2, r4", {0xffffffff'ffffffff, 1}), 0U);
  EXPECT_EQ(run("IADD.u64 r0, r2, r4", {0x00000000'ffffffff, 1}), 0x1'00000000U);
  EXPECT_EQ(run("ISUB.s64 r0, r2, r4.w0", {0, 1}), 0xffffffff'ffffffffU);
  EXPECT_EQ(run("IADD_IMM.i32 r0, r1, #0xFFFFFFFF", {1}), 0U);
  EXPECT_EQ(run("IADD_IMM.v2i16 r0, r1, #0xFFFF0001", {0x00020003}), 0x00010004U);
  EXPECT_EQ(run("IADD_IMM.v4i8 r0, r1, #0xFF010203", {0x01fffffe}), 0x00000101U);
  EXPECT_EQ(refusal("IADD.u64.saturate r0, r2, r4"), "IADD.u64: saturation of 64 bits is not defined");
}

TEST(ValhallInteger, HalvedSums) {
  EXPECT_EQ(run("HADD.u32 r0, r1, r2", {0xffffffff, 0xfffffffe}), 0xfffffffeU);
  EXPECT_EQ(run("HADD.u32.rhadd r0, r1, r2", {0xffffffff, 0xfffffffe}), 0xffffffffU);
  EXPECT_EQ(run("HADD.s32 r0, r1, r2", {0xffffffff, 0}), 0xffffffffU);
  EXPECT_EQ(run("HADD.s32.rhadd r0, r1, r2", {0xffffffff, 0}), 0U);
  EXPECT_EQ(run("HADD.s32 r0, r1, r2", {0x80000000, 0x80000000}), 0x80000000U);
  EXPECT_EQ(run("HADD.v2s16 r0, r1, r2", {0x7fff8000, 0x7fff8001}), 0x7fff8000U);
  EXPECT_EQ(run("HADD.v4u8.rhadd r0, r1, r2", {0xff000102, 0xff010202}), 0xff010202U);
}

TEST(ValhallInteger, Products) {
  EXPECT_EQ(run("IMUL.i32 r0, r1, r2", {0xffffffff, 0xffffffff}), 1U);
  EXPECT_EQ(run("IMUL.i32.saturate r0, r1, r2", {0x10000, 0x10000}), 0xffffffffU);
  EXPECT_EQ(run("IMUL.s32.saturate r0, r1, r2", {0x80000000, 0x80000000}), 0x7fffffffU);
  EXPECT_EQ(run("IMUL.s32.saturate r0, r1, r2", {0x80000000, 2}), 0x80000000U);
  EXPECT_EQ(run("IMUL.s32 r0, r1.b0, r2", {0xff, 7}), 0xfffffff9U);
  EXPECT_EQ(run("IMUL.v2i16 r0, r1, r2", {0xffff0003, 0xffff0005}), 0x0001000fU);
  EXPECT_EQ(run("IMUL.v2s16.saturate r0, r1, r2", {0x80000100, 0x80000100}), 0x7fff7fffU);
  EXPECT_EQ(run("IMUL.v4i8.saturate r0, r1, r2", {0x10ff0203, 0x10020304}), 0xffff060cU);
  EXPECT_EQ(run("IMULD.u64 r0, r2, r4", {0xffffffff, 0xffffffff}), 0xfffffffe'00000001U);
  EXPECT_EQ(run("IMULD.u64 r0, r2.w1, r4.w0", {0x3'00000000, 5}), 15U);
  EXPECT_EQ(run("IDP.v4s8 r0, r1, r2, r3", {0x80ff0102, 0x80010304, 10}), 16384U - 1 + 3 + 8 + 10);
  EXPECT_EQ(run("IDP.v4u8 r0, r1, r2, r3", {0xff000102, 0xffff0304, 0xfffffff0}), 65025U + 3 + 8 - 16);
  EXPECT_EQ(run("IDP.v4u8.saturate r0, r1, r2, r3", {0xff000102, 0xffff0304, 0xfffffff0}), 0xffffffffU);
  EXPECT_EQ(run("IDP.v4s8.saturate r0, r1, r2, r3", {0x7f, 0x7f, 0x7fffffff}), 0x7fffffffU);
}

TEST(ValhallInteger, Addresses) {
  EXPECT_EQ(run("SHADDX.u64 r0, r2, r4.w0, shift:0x3", {0x100, 0xffffffff}), 0x100 + (0xffffffffULL << 3));
  EXPECT_EQ(run("SHADDX.s64 r0, r2, r4.w0, shift:0x2", {0x100, 0xffffffff}), 0xfcU);
  EXPECT_EQ(run("SHADDX.u64 r0, r2, r4, shift:0x0", {1, 0xffffffff'ffffffff}), 0U);
  EXPECT_EQ(run("SEG_ADD.u64 r0, r2, r4.w0", {0x1'00000000, 8}), 0x1'00000008U);
  EXPECT_EQ(run("SEG_ADD.u64.neg r0, r2, r4.w0", {0x1'00000000, 8}), 0xfffffff8U);
  EXPECT_EQ(run("SEG_ADD.u64.preserve_null r0, r2, r4.w0", {0, 8}), 0U);
  EXPECT_EQ(run("SEG_ADD.u64.preserve_null r0, r2, r4.w0", {1, 8}), 9U);
}

TEST(ValhallInteger, Bits) {
  EXPECT_EQ(run("MOV.i32 r0, r1", {0x7fa00001}), 0x7fa00001U);
  EXPECT_EQ(run("NOT_OLD.i32 r0, r1", {0x0f0f0f0f}), 0xf0f0f0f0U);
  EXPECT_EQ(run("NOT_OLD.i64 r0, r2", {1}), 0xffffffff'fffffffeU);
  EXPECT_EQ(run("CLZ.u32 r0, r1", {0}), 32U);
  EXPECT_EQ(run("CLZ.u32 r0, r1", {1}), 31U);
  EXPECT_EQ(run("CLZ.u32 r0, r1", {0x80000000}), 0U);
  EXPECT_EQ(run("CLZ.v2u16 r0, r1", {0x00000001}), 0x0010000fU);
  EXPECT_EQ(run("CLZ.v2u16 r0, r1.h10", {0x00000001}), 0x000f0010U);
  EXPECT_EQ(run("CLZ.v4u8 r0, r1", {0x00018040}), 0x08070001U);
  EXPECT_EQ(run("CLZ.u32.mask_zero r0, r1", {0}), 0xffffffffU);
  EXPECT_EQ(run("CLZ.v4u8.mask_zero r0, r1", {0x00018040}), 0xff070001U);
  EXPECT_EQ(run("IABS.s32 r0, r1", {0xffffffff}), 1U);
  EXPECT_EQ(run("IABS.s32 r0, r1", {0x80000000}), 0x80000000U);
  EXPECT_EQ(run("IABS.s32 r0, r1.b1", {0x0000fe00}), 2U);
  EXPECT_EQ(run("IABS.v2s16 r0, r1", {0x8000ffff}), 0x80000001U);
  EXPECT_EQ(run("IABS.v4s8 r0, r1", {0x80ff017f}), 0x8001017fU);
  EXPECT_EQ(run("POPCOUNT.i32 r0, r1", {0xf0000001}), 5U);
  EXPECT_EQ(run("BITREV.i32 r0, r1", {0x80000003}), 0xc0000001U);
  EXPECT_EQ(run("MKVEC.v2i16 r0, r1.h10, r2.h00", {0x11112222, 0x33334444}), 0x44441111U);
  EXPECT_EQ(run("MKVEC.v2i16 r0, r1, r2.h11", {0x11112222, 0x33334444}), 0x33332222U);
  EXPECT_EQ(run("MKVEC.v2i8 r0, r1.b3, r2.b1, r3", {0x11223344, 0x55667788, 0xaaaabbbb}), 0xbbbb7711U);
}

TEST(ValhallInteger, Shifts) {
  EXPECT_EQ(run("LSHIFT_OR.i32 r0, r1, r2.b00, r3", {1, 4, 0x100}), 0x110U);
  EXPECT_EQ(run("LSHIFT_OR.i32 r0, r1, r2.b02, r3", {1, 0x00ff0004, 0}), 0x10U);  // byte 0
  EXPECT_EQ(run("LSHIFT_OR.i32 r0, r1, r2.b33, r3", {1, 0x04000000, 0}), 0x10U);
  EXPECT_EQ(run("LSHIFT_OR.i32 r0, r1, r2.b00, r3", {1, 33, 0}), 2U);  // modulo the width
  EXPECT_EQ(run("LSHIFT_AND.i32 r0, r1, r2.b00, r3.not", {0xff, 0, 0x0f}), 0xf0U);
  EXPECT_EQ(run("LSHIFT_XOR.i32.not_result r0, r1, r2.b00, r3", {0xff, 0, 0x0f}), ~0xf0U);
  EXPECT_EQ(run("RSHIFT_OR.i32 r0, r1, r2.b00, r3", {0x80000000, 31, 0}), 1U);
  EXPECT_EQ(run("RSHIFT_OR.i32.signed r0, r1, r2.b00, r3", {0x80000000, 31, 0}), 0xffffffffU);
  EXPECT_EQ(run("RSHIFT_OR.i32.signed r0, r1.h0, r2.b00, r3", {0x8000, 4, 0}), 0x800U);  // zero-extended
  EXPECT_EQ(run("RROT_OR.i32 r0, r1, r2.b00, r3", {0x80000001, 4, 0}), 0x18000000U);
  EXPECT_EQ(run("LROT_OR.i32 r0, r1, r2.b00, r3", {0x80000001, 4, 0}), 0x00000018U);
  EXPECT_EQ(run("LROT_OR.i32 r0, r1, r2.b00, r3", {0x80000001, 32, 0}), 0x80000001U);
  EXPECT_EQ(run("LSHIFT_OR.v2i16 r0, r1, r2.b01, r3", {0x00010001, 0x0000020f, 0}), 0x00048000U);
  EXPECT_EQ(run("LSHIFT_OR.v2i16 r0, r1, r2.b02, r3", {0x00010001, 0x00020001, 0}), 0x00040002U);
  EXPECT_EQ(run("RSHIFT_OR.v2i16.signed r0, r1, r2.b11, r3", {0x8000'0100, 0x0400, 0}), 0xf8000010U);
  EXPECT_EQ(run("LSHIFT_OR.v2i16 r0, r1, r2.b00, r3", {0x00010001, 17, 0}), 0x00020002U);
  EXPECT_EQ(run("LSHIFT_OR.v4i8 r0, r1, r2.b02, r3", {0x01010101, 0x04030201, 0}), 0x10080402U);
  EXPECT_EQ(run("LSHIFT_OR.v4i8 r0, r1, r2.b23, r3", {0x01010101, 0x04030201, 0}), 0x10100808U);
  EXPECT_EQ(run("RSHIFT_XOR.v4i8.signed r0, r1, r2.b00, r3", {0x80ff407f, 7, 0x01010101}), 0xfefe0101U);
  EXPECT_EQ(run("LROT_OR.v4i8 r0, r1, r2.b00, r3", {0x81018001, 1, 0}), 0x03020102U);
  EXPECT_EQ(run("LSHIFT_OR.i64 r0, r2, r4.b00, r6", {1, 40, 0x1'00000000}), 0x101'00000000U);
  EXPECT_EQ(run("RSHIFT_OR.i64.signed r0, r2, r4.b00, r6", {0x80000000'00000000, 63, 0}), ~std::uint64_t{0});
  EXPECT_EQ(run("LSHIFT_AND.i64.not_result r0, r2, r4.b00, r6.not", {0xff, 64, ~std::uint64_t{0xf}}),
            ~std::uint64_t{0xf});
  EXPECT_EQ(run("RROT_OR.i64 r0, r2, r4.b00, r6", {1, 1, 0}), 0x80000000'00000000U);
  EXPECT_EQ(refusal("LSHIFT_OR.i32 r0, r1, r2.b01, r3"), "LSHIFT_OR.i32: one element has one shift count");
}

TEST(ValhallInteger, Muxes) {
  EXPECT_EQ(run("MUX.i32.neg r0, r1, r2, r3", {1, 2, 0x80000000}), 1U);
  EXPECT_EQ(run("MUX.i32.neg r0, r1, r2, r3", {1, 2, 0x7fffffff}), 2U);
  EXPECT_EQ(run("MUX.i32 r0, r1, r2, r3", {1, 2, 0}), 1U);
  EXPECT_EQ(run("MUX.i32 r0, r1, r2, r3", {1, 2, 0x80000000}), 2U);
  EXPECT_EQ(run("MUX.i32.fp_zero r0, r1, r2, r3", {1, 2, 0x80000000}), 1U);
  EXPECT_EQ(run("MUX.i32.fp_zero r0, r1, r2, r3", {1, 2, 1}), 2U);
  EXPECT_EQ(run("MUX.i32.bit r0, r1, r2, r3", {0x12345678, 0x9abcdef0, 0x00ffff00}), 0x9a3456f0U);
  EXPECT_EQ(run("MUX.v2i16.fp_zero r0, r1, r2.h10, r3", {0x00010002, 0x00030004, 0x80000001}), 0x00010003U);
  EXPECT_EQ(run("MUX.v4i8 r0, r1, r2, r3", {0x01020304, 0x05060708, 0x00ff0001}), 0x01060308U);
  EXPECT_EQ(refusal("MUX.v4i8.fp_zero r0, r1, r2, r3"), "MUX.v4i8: bytes are no floats");
}

TEST(ValhallInteger, Comparisons) {
  EXPECT_EQ(run("ICMP_OR.u32.gt.m1 r0, r1, r2, r3", {0x80000000, 1, 0}), 0xffffffffU);
  EXPECT_EQ(run("ICMP_OR.s32.gt.m1 r0, r1, r2, r3", {0x80000000, 1, 0}), 0U);
  EXPECT_EQ(run("ICMP_OR.s32.lt.i1 r0, r1, r2, r3", {0x80000000, 1, 0}), 1U);
  EXPECT_EQ(run("ICMP_OR.u32.eq.f1 r0, r1, r2, r3", {5, 5, 0}), bits(1.0F));
  EXPECT_EQ(run("ICMP_OR.u32.ne.i1 r0, r1, r2, r3", {5, 5, 7}), 1U);   // by the third source
  EXPECT_EQ(run("ICMP_AND.u32.eq.i1 r0, r1, r2, r3", {5, 5, 0}), 0U);  // by the third source, too
  EXPECT_EQ(run("ICMP_AND.u32.ge.i1 r0, r1, r2, r3", {5, 5, 2}), 1U);
  EXPECT_EQ(run("ICMP_OR.u32.gtlt.i1 r0, r1, r2, r3", {5, 5, 0}), 0U);
  EXPECT_EQ(run("ICMP_OR.u32.gtlt.i1 r0, r1, r2, r3", {5, 6, 0}), 1U);
  EXPECT_EQ(run("ICMP_OR.v2s16.le.m1 r0, r1, r2, r3", {0x8000ffff, 0x7ffffffe, 0}), 0xffff0000U);
  EXPECT_EQ(run("ICMP_OR.v2u16.le.f1 r0, r1, r2, r3", {0x7fffffff, 0x8000fffe, 0x00000001}), 0x3c003c00U);
  EXPECT_EQ(run("ICMP_OR.v4u8.lt.m1 r0, r1, r2.b3333, r3", {0x00ff7f80, 0x80000000, 0}), 0xff00ff00U);
  EXPECT_EQ(run("ICMP_AND.v4s8.lt.i1 r0, r1, r2, r3", {0x80ff7f80, 0, 0xff0000ff}), 0x01000001U);
  EXPECT_EQ(refusal("ICMP_OR.v4u8.lt.f1 r0, r1, r2, r3"), "ICMP_OR.v4u8: a byte cannot be 1.0");
  EXPECT_EQ(refusal("ICMP_OR.u32.lt.u1 r0, r1, r2, r3"), "ICMP_OR.u32: only ICMP_MULTI gives u1");
  EXPECT_EQ(refusal("ICMP_OR.u32.total.i1 r0, r1, r2, r3"),
            "ICMP_OR.u32: the comparison `total` is not defined");
}

TEST(ValhallInteger, LongComparisons) {
  const auto less = [](std::uint64_t a, std::uint64_t b, const std::string& type) {
    const std::uint64_t low = run("ICMP_MULTI.u32.lt.u1 r0, r1, r2, r3", {a & 0xffffffff, b & 0xffffffff, 0});
    return run("ICMP_MULTI." + type + ".lt.m1 r0, r1, r2, r3", {a >> 32, b >> 32, low});
  };
  const std::uint64_t values[] = {0,
                                  1,
                                  0xffffffff,
                                  0x1'00000000,
                                  0x1'00000001,
                                  0x7fffffff'ffffffff,
                                  0x80000000'00000000,
                                  0xffffffff'ffffffff};
  for (const std::uint64_t a : values)
    for (const std::uint64_t b : values) {
      EXPECT_EQ(less(a, b, "u32"), a < b ? 0xffffffffU : 0U) << a << ' ' << b;
      const bool is_less = static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b);
      EXPECT_EQ(less(a, b, "s32"), is_less ? 0xffffffffU : 0U) << a << ' ' << b;
    }
  EXPECT_EQ(run("ICMP_MULTI.u32.gt.u1 r0, r1, r2, r3", {2, 1, 0}), 1U);
  EXPECT_EQ(run("ICMP_MULTI.u32.gt.u1 r0, r1, r2, r3", {1, 2, 0}), 0xffffffffU);
  EXPECT_EQ(run("ICMP_MULTI.u32.ge.f1 r0, r1, r2, r3", {1, 1, 0}), bits(1.0F));
}

TEST(ValhallInteger, Selects) {
  EXPECT_EQ(run("CSEL.u32.lt r0, r1, r2, r3, r4", {1, 0x80000000, 3, 4}), 3U);
  EXPECT_EQ(run("CSEL.s32.lt r0, r1, r2, r3, r4", {1, 0x80000000, 3, 4}), 4U);
  EXPECT_EQ(run("CSEL.v2s16.gt r0, r1, r2, r3, r4", {0x0001ffff, 0, 0x11112222, 0x33334444}), 0x11114444U);
  EXPECT_EQ(run("CSEL.v2u16.gt r0, r1, r2, r3, r4", {0x0001ffff, 0, 0x11112222, 0x33334444}), 0x11112222U);
  EXPECT_EQ(run("CSEL.f32.le r0, r1, r2, r3, r4", {bits(-0.0F), 0, 0x7f800001, 4}), 0x7f800001U);
  EXPECT_EQ(run("CSEL.f32.ge r0, r1, r2, r3, r4", {0x7fc00000, 0, 3, 4}), 4U);
  EXPECT_EQ(run("CSEL.f32.ne r0, r1, r2, r3, r4", {0x7fc00000, 0x7fc00000, 3, 4}), 3U);
  EXPECT_EQ(run("CSEL.v2f16.lt r0, r1, r2, r3, r4", {0x7e00bc00, 0, 0x11112222, 0x33334444}), 0x33332222U);
}

TEST(ValhallInteger, RefusedByName) {
  EXPECT_EQ(refusal("FPCLASS.f32 r0, r1"), "FPCLASS.f32: its values are not known");
  EXPECT_EQ(refusal("FRCP_APPROX.f32 r0, r1"), "FRCP_APPROX.f32: its values are not known");
  EXPECT_EQ(refusal("FMA_RSCALE_SCALE16.f32 r0, r1, r2, r3, r4"),
            "FMA_RSCALE_SCALE16.f32: its values are not known");
  EXPECT_EQ(refusal("BARRIER.slot7"), "BARRIER: this instruction does not run yet");
  EXPECT_EQ(refusal("LOAD.i32.slot0 @r0, r2, offset:0"), "LOAD.i32: this instruction does not run yet");
  EXPECT_EQ(refusal("MOV.i32 r0, r1 {unused 0x40000000}"), "MOV.i32: bits 0x40000000 have no known meaning");
}

}  // namespace
}  // namespace warpjit::valhall
