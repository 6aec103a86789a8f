// The draws of the shared corpus, whole: every engine gives the same pixels, and these are what other drivers
// drew, within the tolerances that the corpus names.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/unpacked.h"
#include "valhall/draw_page.h"
#include "valhall/listing.h"

namespace warpjit::valhall {
namespace {

struct MemoryRecord {
  std::uint64_t address = 0;
  std::vector<std::byte> bytes;
};
std::vector<MemoryRecord> records_in(std::span<const std::byte> file) {
  std::vector<MemoryRecord> records;
  const auto number = [&](std::size_t at) {
    std::uint64_t value = 0;
    for (std::size_t k = 0; k < 8; ++k) value |= std::to_integer<std::uint64_t>(file[at + k]) << 8 * k;
    return value;
  };
  for (std::size_t at = 0; at + 16 <= file.size();) {
    const std::uint64_t size = number(at + 8);
    const auto bytes = file.subspan(at + 16, size);
    records.push_back({number(at), {bytes.begin(), bytes.end()}});
    at += 16 + size;
  }
  return records;
}

// The records of a capture with others laid over.
std::vector<std::byte> laid_over(std::span<const std::byte> base, std::span<const std::byte> above) {
  const std::vector<MemoryRecord> over = records_in(above);
  std::vector<std::byte> all(above.begin(), above.end());
  for (const MemoryRecord& record : records_in(base)) {
    std::vector<std::uint8_t> covered(record.bytes.size());
    for (const MemoryRecord& top : over)
      for (std::size_t k = 0; k < top.bytes.size(); ++k)
        if (const std::uint64_t at = top.address + k - record.address; at < covered.size()) covered[at] = 1;
    for (std::size_t begin = 0; begin < covered.size();) {
      std::size_t end = begin;
      while (end < covered.size() && covered[end] == covered[begin]) ++end;
      if (covered[begin] == 0)
        append_record(all, record.address + begin, std::span(record.bytes).subspan(begin, end - begin));
      begin = end;
    }
  }
  return all;
}

// The addresses of the chains: "jobs" of meta.json.
std::vector<std::uint64_t> chains_of(const std::string& folder) {
  std::ifstream stream(folder + "/meta.json");
  std::stringstream text;
  text << stream.rdbuf();
  const std::string meta = text.str();
  std::vector<std::uint64_t> chains;
  const std::size_t end = meta.find(']', meta.find("\"jobs\""));
  for (std::size_t at = meta.find("\"jobs\""); (at = meta.find("\"address\": \"", at)) < end; ++at)
    chains.push_back(std::strtoull(meta.c_str() + at + 12, nullptr, 16));
  return chains;
}

// "0:0xf7ffa000+4096 1:0xf7ff8000+4096": buffers and where they lie.
struct NamedBuffer {
  std::string number;
  std::uint64_t address = 0, size = 0;
};
std::vector<NamedBuffer> buffers_of(const std::string& text) {
  std::vector<NamedBuffer> buffers;
  std::stringstream stream(text);
  for (std::string one; stream >> one;) {
    const std::size_t colon = one.find(':'), plus = one.find('+');
    buffers.push_back({one.substr(0, colon), std::stoull(one.substr(colon + 1), nullptr, 16),
                       std::stoull(one.substr(plus + 1))});
  }
  return buffers;
}

struct DrawnCapture {
  std::map<unsigned, std::vector<std::byte>> pictures;
  std::vector<std::vector<std::byte>> buffers;
  bool failed = false, unavailable = false;
};
DrawnCapture drawn_on(std::span<const std::byte> records, const std::vector<std::uint64_t>& chains,
                      const std::vector<NamedBuffer>& buffers, EngineKind kind, Target target) {
  DrawnCapture drawn;
  auto capture = Capture::load(records, "capture");
  EXPECT_TRUE(capture.ok());
  for (const std::uint64_t chain : chains) EXPECT_TRUE(capture->add_chain({chain}).ok());
  SeenCapture seen;
  RunOptions options;
  options.engine = kind;
  options.target = target;
  options.threads = 1;
  const Status status = capture->run(Engine(), seen, options);
  if (!status && status.error().code == ErrorCode::target_unavailable) {
    drawn.unavailable = true;
    return drawn;
  }
  EXPECT_TRUE(status.ok()) << name(kind) << ": " << to_string(status.error());
  drawn.failed = !status;
  for (const CaptureDraw& draw : seen.draws) {
    EXPECT_TRUE(draw.drawn);
    for (const auto* report : {&draw.position, &draw.varying, &draw.fragment}) {
      if (!*report) continue;
      EXPECT_EQ((*report)->engine, kind) << (*report)->interpreted_because;
      EXPECT_FALSE((*report)->fault) << (*report)->fault->what;
    }
  }
  for (const auto& [target, picture] : seen.pictures) drawn.pictures[target] = picture.pixels;
  for (const NamedBuffer& buffer : buffers) {
    EXPECT_TRUE(capture->read_memory(buffer.address, drawn.buffers.emplace_back(buffer.size)).ok());
  }
  return drawn;
}

// All engines and targets must agree; the pictures of the guest interpreter.
DrawnCapture drawn_everywhere(std::span<const std::byte> records, const std::vector<std::uint64_t>& chains,
                              const std::vector<NamedBuffer>& buffers = {}) {
  const DrawnCapture first = drawn_on(records, chains, buffers, EngineKind::guest, Target::automatic);
  if (first.failed) return first;
  struct Way {
    EngineKind kind;
    Target target;
  };
  for (const Way& way : {Way{EngineKind::ir, Target::automatic}, Way{EngineKind::jit, Target::v3},
                         Way{EngineKind::jit, Target::v4}, Way{EngineKind::jit, Target::a64},
                         Way{EngineKind::jit, Target::v4_fp16}, Way{EngineKind::jit, Target::a64_fp16}}) {
    const DrawnCapture other = drawn_on(records, chains, buffers, way.kind, way.target);
    if (!other.failed && !other.unavailable) {
      EXPECT_TRUE(other.pictures == first.pictures) << name(way.kind) << ' ' << name(way.target);
      EXPECT_TRUE(other.buffers == first.buffers) << name(way.kind) << ' ' << name(way.target);
    }
  }
  return first;
}

struct Tolerance {
  double soft = 0;
  unsigned count = 0, most = 255;
  bool ulp = false;
};
void expect_close(std::span<const std::byte> got, std::span<const std::byte> wanted, const Tolerance& limit) {
  ASSERT_LE(wanted.size(), got.size());
  unsigned beyond = 0;
  std::uint64_t largest = 0;
  for (std::size_t at = 0; at + 4 <= wanted.size(); at += 4) {
    std::uint64_t difference = 0;
    if (limit.ulp) {
      std::int32_t a = 0, b = 0;
      std::memcpy(&a, got.data() + at, 4);
      std::memcpy(&b, wanted.data() + at, 4);
      difference = static_cast<std::uint64_t>(std::abs(std::int64_t{a} - b));
    } else {
      for (std::size_t k = 0; k < 4; ++k)
        difference = std::max<std::uint64_t>(
            difference, static_cast<std::uint64_t>(std::abs(std::to_integer<int>(got[at + k]) -
                                                            std::to_integer<int>(wanted[at + k]))));
    }
    largest = std::max(largest, difference);
    if (static_cast<double>(difference) > limit.soft) ++beyond;
  }
  EXPECT_LE(beyond, limit.count) << "largest " << largest;
  EXPECT_LE(largest, limit.most) << "pixels beyond: " << beyond;
}

// In the whole collection, or in what this repository has of it.
std::string real(const std::string& path) { return tests::corpus_file("valhall/" + path); }

std::vector<std::vector<std::string>> rows_of(const std::string& path) {
  std::vector<std::vector<std::string>> rows;
  std::ifstream stream(path);
  for (std::string line; std::getline(stream, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> row;
    std::stringstream cells(line);
    for (std::string cell; std::getline(cells, cell, '\t');) row.push_back(cell);
    rows.push_back(std::move(row));
  }
  return rows;
}

TEST(ValhallSharedCaptures, Draws) {
  std::map<std::string, DrawnCapture> drawn;
  std::size_t compared = 0;
  for (const auto& row : rows_of(real("tolerances.tsv"))) {
    if (row[0] == "program" || !row[2].starts_with("rt")) continue;
    SCOPED_TRACE(row[0] + " against " + row[1]);
    const std::string folder = real(row[0]);
    if (!drawn.contains(row[0]))
      drawn[row[0]] = drawn_everywhere(tests::unpacked(folder + "/mem.pages.xz"), chains_of(folder));
    const DrawnCapture& pictures = drawn[row[0]];
    if (pictures.failed) continue;
    const auto wanted = tests::unpacked(folder + "/" + row[1] + ".raw.xz");
    const Tolerance limit{std::stod(row[4]), static_cast<unsigned>(std::stoul(row[5])),
                          static_cast<unsigned>(std::stoul(row[6])), row[3] == "ulp"};
    const unsigned targets = row[2].find("rt1") != std::string::npos ? 2 : 1;
    constexpr std::size_t kBytes = 64 * 64 * 4;
    ASSERT_EQ(wanted.size(), kBytes * targets);
    for (unsigned n = 0; n < targets; ++n, ++compared)
      expect_close(pictures.pictures.at(n), std::span(wanted).subspan(kBytes * n, kBytes), limit);
  }
  EXPECT_EQ(drawn.size(), tests::has_whole_corpus() ? 18U : 4U);
  EXPECT_GE(compared, tests::has_whole_corpus() ? 27U : 7U);
}

TEST(ValhallSharedCaptures, Variants) {
  std::size_t compared = 0;
  for (const auto& row : rows_of(real("variants/index.tsv"))) {
    if (row[0] == "name") continue;
    SCOPED_TRACE(row[0] + ": " + row[6]);
    const std::string folder = real(row[1]), variant = real("variants/" + row[0]);
    const auto records =
        laid_over(tests::unpacked(folder + "/mem.pages.xz"), tests::unpacked(variant + ".pages.xz"));
    const DrawnCapture drawn = drawn_everywhere(records, chains_of(folder));
    if (drawn.failed) continue;
    expect_close(drawn.pictures.at(0), tests::unpacked(variant + ".ref.raw.xz"),
                 {std::stod(row[2]), static_cast<unsigned>(std::stoul(row[3])),
                  static_cast<unsigned>(std::stoul(row[4])), false});
    ++compared;
  }
  EXPECT_EQ(compared, tests::has_whole_corpus() ? 18U : 2U);
}

// Words of integers are the same; floats may be special functions, which have 4 ulp.
void expect_words(std::span<const std::byte> got, std::span<const std::byte> wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  std::size_t differ = 0;
  for (std::size_t at = 0; at + 4 <= got.size(); at += 4) {
    std::int32_t a = 0, b = 0;
    std::memcpy(&a, got.data() + at, 4);
    std::memcpy(&b, wanted.data() + at, 4);
    if (a != b) ++differ;
    EXPECT_LE(std::abs(std::int64_t{a} - b), 4) << "byte " << at;
  }
  EXPECT_LE(differ, 1U);
}

// Refused by name: the program counts samples that are not there.
constexpr std::string_view kSmoothLines = "25.0.7-gl_smoothline";

// Frames of a newer driver.
TEST(ValhallSharedCaptures, Drivers) {
  std::size_t compared = 0;
  for (const auto& row : rows_of(real("drivers/index.tsv"))) {
    if (row[0] == "frame") continue;
    SCOPED_TRACE(row[0]);
    const std::string folder = real("drivers/" + row[0]);
    if (row[0] == kSmoothLines) {
      auto capture = Capture::load(tests::unpacked(folder + "/frame.wjcap.xz"), "capture");
      ASSERT_TRUE(capture.ok());
      SeenCapture seen;
      EXPECT_NE(capture->run(Engine(), seen).error().message.find("smooth lines"), std::string::npos);
      continue;
    }
    const std::vector<NamedBuffer> buffers = buffers_of(row[2]);
    const DrawnCapture drawn = drawn_everywhere(tests::unpacked(folder + "/frame.wjcap.xz"), {}, buffers);
    if (drawn.failed) continue;
    for (std::size_t n = 0; n < buffers.size(); ++n)
      expect_words(drawn.buffers[n], tests::unpacked(folder + "/ssbo." + buffers[n].number + ".ref.xz"));
    if (const std::string path = folder + "/ref.0.raw.xz"; std::filesystem::exists(path)) {
      const std::vector<std::byte> reference = tests::unpacked(path);
      const auto header = std::ranges::find(reference, std::byte{'\n'}) + 1 - reference.begin();
      const auto wanted = std::span(reference).subspan(static_cast<std::size_t>(header));
      ASSERT_EQ(wanted.size(), drawn.pictures.at(0).size());
      expect_close(drawn.pictures.at(0), wanted, {2, static_cast<unsigned>(std::stoul(row[1])), 255, false});
    }
    ++compared;
  }
  EXPECT_EQ(compared, tests::has_whole_corpus() ? 26U : 3U);
}

}  // namespace
}  // namespace warpjit::valhall
