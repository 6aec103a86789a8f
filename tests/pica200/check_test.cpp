// Warnings about what assembled programs do that the hardware does not.
#include "frontend/pica200/assembly/check.h"

#include <gtest/gtest.h>

#include "frontend/pica200/assembly/disassemble.h"

namespace warpjit::pica200 {
namespace {

using Lines = std::vector<std::string>;  // "line: the message's first words"

Lines warnings_of(std::initializer_list<std::string> texts) {
  std::vector<SourceFile> files;
  for (const std::string& text : texts) files.push_back({"f" + std::to_string(files.size()), text});
  SourceNotes notes;
  const auto container = assemble(files, &notes);
  EXPECT_TRUE(container) << to_string(container.error());
  Lines lines;
  if (!container) return lines;
  for (const Warning& warning : check(*container, notes))
    lines.push_back(warning.where + ": " + warning.message);
  return lines;
}
// Each wanted text begins the warning of its place.
void expect_warnings(const Lines& got, const Lines& wanted) {
  ASSERT_EQ(got.size(), wanted.size()) << (got.empty() ? "none" : got[0]);
  for (std::size_t k = 0; k < got.size(); ++k) EXPECT_TRUE(got[k].starts_with(wanted[k])) << got[k];
}
Lines warnings_in_main(const std::string& body) {
  return warnings_of({".out p position\n.fvec m[4]\n.proc main\n" + body + "\nmov p, r0\nend\n.end\n"});
}

TEST(PicaCheck, AddressRegisters) {
  const std::string twice = "a mova follows a mova: the hardware freezes",
                    used = "is used by the instruction after";
  expect_warnings(warnings_in_main("mova a0.x, v0\nmova a0.y, v0"), {"f0:5:1: " + twice});
  expect_warnings(warnings_in_main("mova a0, v0\nmov r1, m[a0]"), {"f0:5:1: a0.x " + used});
  expect_warnings(warnings_in_main("mova a1, v0\nmad r1, r2, m[a0.y], r3"), {"f0:5:1: a0.y " + used});
  expect_warnings(warnings_in_main("mova a01, v0\ndphi r1, r2, m[a1+1]"), {"f0:5:1: a0.y " + used});
  for (const char* fine : {"mova a0, v0\nnop\nmova a1, v0", "mova a0, v0\nmov r1, m[a1]",
                           "mova a0, v0\nmov r1, m[aL]", "mova a1, v0\nnop\nmov r1, m[a1]",
                           "mova a0, v0\nmov r1, r2", "ifu b0\nmova a0, v0\n.else\nmova a1, v0\n.end"})
    expect_warnings(warnings_in_main(fine), {});
  // Around blocks: the last word of a body and its first; a branch and what follows; a call and its return.
  expect_warnings(warnings_in_main("for i0\nmova a0, v0\nnop\nmova a1, v0\n.end"), {"f0:5:1: " + twice});
  expect_warnings(warnings_in_main("ifu b0\nmova a0, v0\n.else\nnop\n.end\nmova a1, v0"),
                  {"f0:9:1: " + twice});
  expect_warnings(
      warnings_of(
          {".out p position\n.proc main\ncall f\nmova a0, v0\nmov p, r0\nend\n.end\n.proc f\nmova a1, "
           "v0\n.end\n.proc g\nmova a0, v0\n.end\n"}),
      {"f0:4:1: " + twice});
}

TEST(PicaCheck, ProgramsWithoutEnd) {
  const std::string missing = "the program has no `end` here",
                    head = ".out p position\n.proc main\nmov p, v0\n";
  expect_warnings(warnings_of({head + ".end\n"}), {"f0:3:1: " + missing});
  expect_warnings(warnings_of({head + "ifu b0\nend\n.end\n.end\n"}), {"f0:5:1: " + missing});
  expect_warnings(warnings_of({head + "call f\n.end\n.proc f\nnop\n.end\n"}), {"f0:4:1: " + missing});
  expect_warnings(warnings_of({head + "callu b0, f\n.end\n.proc f\nend\n.end\n"}), {"f0:4:1: " + missing});
  expect_warnings(warnings_of({head + "jmpu b0, out\nend\nout:\nnop\n.end\n"}), {"f0:7:1: " + missing});
  expect_warnings(
      warnings_of({".entry go\n.out p position\n.proc go\nmov p, v0\n.end\n.proc main\nend\n.end\n"}),
      {"f0:4:1: " + missing});
  for (const char* fine :
       {"end\n.end\n", "call f\n.end\n.proc f\nend\n.end\n", "ifu b0\nend\n.else\nend\n.end\n.end\n",
        "again:\njmpu b0, again\nend\n.end\n", "call f\nend\n.end\n.proc f\ncallu b0, f\n.end\n",
        "for i0\nbreakc cmp.x\n.end\nend\n.end\n"})
    expect_warnings(warnings_of({head + fine}), {});
  // Each program of several files; a file without one needs no end.
  expect_warnings(warnings_of({head + "call h\nend\n.end\n", ".nodvle\n.proc h\nnop\n.end\n",
                               ".entry other\n.out q color\n.proc other\nmov q, v0\n.end\n"}),
                  {"f2:4:1: " + missing});
}

TEST(PicaCheck, Outputs) {
  // One component of texcoord0w, the first two of other coordinates.
  expect_warnings(
      warnings_of({".out p position\n.out w texcoord0w\n.proc main\nmov p, v0\nmov w.x, v0\nend\n.end\n"}),
      {});
  EXPECT_EQ(warnings_of({".out p position\n.out t texcoord1.zw\n.proc main\nmov p, v0\nend\n.end\n"}).size(),
            1U);
  expect_warnings(warnings_of({".out p position\n.out c color\n.proc main\nmov p, v0\nend\n.end\n"}),
                  {"f0:2:8: the output color, o1, is never written: the hardware hangs where a component "
                   "that is enabled"});
  expect_warnings(
      warnings_of({".out p position\n.out c color\n.proc main\nmov p, v0\nmov c.xy, v0\nend\n.end\n"}),
      {"f0:2:8: the output color, o1.zw, is never written"});
  expect_warnings(
      warnings_of({".out p position\n.out t texcoord0.xy\n.out - texcoord0w t.p\n.proc main\nmov p, "
                   "v0\nmov t.xy, v0\nend\n.end\n"}),
      {"f0:3:8: the output texcoord0w, o1.z, is never written"});
  expect_warnings(
      warnings_of({".out p position\n.proc main\nmov p, v0\nmov o5.x, v0\nmov o5.y, v0\nend\n.end\n"}),
      {"f0:4:1: o5 is written, but no .out of the program enables it"});
  // What the output map has no place for; a part of what goes to a geometry program.
  expect_warnings(
      warnings_of({".out p position\n.out t texcoord0\n.out u texcoord2\n.out w view\n.out d dummy\n.proc "
                   "main\nmov p, v0\nmov t.xy, v0\nmov u.xy, v0\nmov w.xyz, v0\nmov d.x, v0\nend\n.end\n"}),
      {});
  expect_warnings(
      warnings_of({".out p position\n.out t texcoord1\n.out d dummy\n.proc main\nmov p, v0\nmov t.x, "
                   "v0\nend\n.end\n"}),
      {"f0:2:8: the output texcoord1, o1.y, is never written",
       "f0:3:8: the output dummy, o2, is never written"});
  // Once, though two programs come there, by three ways.
  expect_warnings(
      warnings_of({".out p position\n.proc main\nmov p, v0\ncall f\nmova a1, v0\nend\n.end\n.proc f\nmov "
                   "o5, v0\nmova a0, v0\n.end\n",
                   ".out p position\n.entry g\n.proc g\nmov p, v0\ncall f\nmova a1, v0\nend\n.end\n"}),
      {"f0:5:1: a mova follows a mova", "f1:6:1: a mova follows a mova", "f0:9:1: o5 is written"});
  // Written in a procedure; in parts; more than is enabled; after an end.
  expect_warnings(
      warnings_of({".out p position\n.out t texcoord0.xy\n.proc main\nmov p.xy, v0\ncall f\nmov t, "
                   "v0\nend\nmov o9, v0\n.end\n.proc f\nmov p.zw, v0\n.end\n"}),
      {});
}

TEST(PicaCheck, WordsThatAreNotUploaded) {
  std::string body;
  for (int k = 0; k < 511; ++k) body += "nop\n";
  const std::string vertex = ".out p position\n.proc main\n" + body + "mov p, v0\nend\n.end\n";
  expect_warnings(warnings_of({vertex}), {"f0:515:1: word 512 of a vertex program"});
  expect_warnings(warnings_of({".gsh point c0\n" + vertex}), {});
}

TEST(PicaCheck, AreLimited) {
  std::string body;
  for (int k = 0; k < 1200; ++k) body += "mova a0, v0\n";
  const Lines lines =
      warnings_of({".gsh point c0\n.out p position\n.proc main\nmov p, v0\n" + body + "end\n.end\n"});
  ASSERT_EQ(lines.size(), Warnings::kMost + 1);
  EXPECT_EQ(lines.back(), "f0: 199 more warnings are left out");
}

// Source of any kind.
TEST(PicaCheck, WarningsOfHostileTextNameItsLines) {
  const std::string text =
      ".out p position\n.bool b\n.proc main\nmova a0, v0\ncall f\nfor i0\nifc cmp.x\nbreak\n.else\nmova a1, "
      "v0\n"
      ".end\ncallu b, f\n.end\njmpu b, on\nmov p, c0[a0]\non:\ncall g\nend\n.end\n.proc f\ncall "
      "g\n.end\n.proc g\n"
      "call f\n.end\n";
  std::uint32_t random = 1;
  int assembled = 0;
  for (int k = 0; k < 4000; ++k) {
    // Lines in another order, or left out.
    std::string changed = text;
    for (int cuts = 0; cuts < 2; ++cuts) {
      random = random * 1664525 + 1013904223;
      const std::size_t from = changed.find('\n', (random >> 8) % changed.size());
      random = random * 1664525 + 1013904223;
      const std::size_t to = changed.find('\n', (random >> 8) % changed.size());
      if (from == std::string::npos || to == std::string::npos || from >= to) continue;
      const std::string line = changed.substr(from, to - from);
      changed.erase(from, to - from);
      if (random % 2 != 0) changed.insert(changed.find('\n'), line);
    }
    const SourceFile file{"x", changed};
    SourceNotes notes;
    const auto container = assemble(std::span(&file, 1), &notes);
    if (!container) continue;
    ++assembled;
    for (const auto& warning : check(*container, notes))
      EXPECT_TRUE(warning.where.starts_with("x:")) << warning.where;
  }
  EXPECT_GT(assembled, 100);
}

// Listings of anything.
TEST(PicaCheck, TakesListings) {
  Program program;
  std::uint32_t word = 3;
  for (int k = 0; k < 4096; ++k) program.code.push_back(word = word * 1664525 + 1013904223);
  EXPECT_FALSE(warnings_of({disassemble(program)}).empty());
}

}  // namespace
}  // namespace warpjit::pica200
