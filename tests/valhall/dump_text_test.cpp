// Texts of PAN_MESA_DEBUG=trace,dump in both dialects: memory, chains, pictures, and what is wrong with them.
#include "frontend/valhall/container/dump_text.h"

#include <cctype>

#include "device/valhall/capture.h"
#include "device/valhall/dump_capture.h"
#include "support/same_bytes.h"
#include "valhall/draw_page.h"
#include "valhall/dumped_frames.h"

namespace warpjit::valhall {
namespace {

std::vector<std::byte> dump_pattern(std::size_t size, unsigned from) {
  std::vector<std::byte> bytes(size);
  for (std::size_t k = 0; k < size; ++k) bytes[k] = static_cast<std::byte>(from + k * 7 % 251);
  return bytes;
}
void fill_bytes(std::vector<std::byte>& bytes, std::size_t from, std::size_t count, unsigned value) {
  std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(from), count, static_cast<std::byte>(value));
}

std::vector<DumpedChain> chains_in(const std::string& text) {
  DumpTextReader reader;
  const Status status = reader.read(std::as_bytes(std::span(text)), "text");
  EXPECT_TRUE(status.ok()) << (status ? std::string() : to_string(status.error()));
  return reader.take_chains();
}
std::string error_in(const std::string& text, const ImageLimits& limits = {}) {
  DumpTextReader reader(limits);
  const Status status = reader.read(std::as_bytes(std::span(text)), "text");
  return status ? "none" : to_string(status.error());
}

TEST(ValhallDumpText, MemoryOfEachChain) {
  for (const DumpDialect dialect : kDialects) {
    std::vector<std::byte> first = dump_pattern(0x3000, 1), second(0x10000), zeros(0x2000);
    fill_bytes(first, 0x100, 0x1f, 0);
    fill_bytes(first, 0x200, 0x5b, 0);
    fill_bytes(first, 0x1008, 0x1000, 0);
    fill_bytes(first, 0x2100, 0x80, 0x77);
    fill_bytes(first, 0x2ff0, 0x10, 0x77);
    fill_bytes(second, 0x8004, 3, 9);
    DumpTextWriter writer(dialect);
    writer.job(0x200001080, "Malloc vertex");
    writer.job(0x200001180, "Malloc vertex");
    writer.buffer(0x200001000, first);
    writer.buffer(0x200010000, second);
    writer.buffer(0x200020000, zeros);
    writer.job(0x200010080, "Fragment");
    first[7] = std::byte{0};
    writer.buffer(0x200001000, first);
    writer.buffer(0x200010000, zeros);  // the address is another buffer's now
    const std::vector<DumpedChain> chains = chains_in(writer.text());
    ASSERT_EQ(chains.size(), 2U);
    EXPECT_EQ(chains[0].chain.address, 0x200001080U);
    EXPECT_FALSE(chains[0].chain.fragment);
    EXPECT_TRUE(chains[1].chain.fragment);
    ASSERT_EQ(chains[0].jobs.size(), 2U);
    EXPECT_EQ(chains[0].jobs[1].address, 0x200001180U);
    EXPECT_EQ(chains[0].jobs[1].type, "Malloc vertex");
    EXPECT_EQ(chains[0].buffers.size(), 3U);
    const auto image = image_of(chains[0].memory, "image"), after = image_of(chains[1].memory, "image");
    ASSERT_TRUE(image.ok() && after.ok());
    EXPECT_TRUE(tests::same_bytes(*image->bytes(0x200010000, second.size()), second));
    EXPECT_TRUE(tests::same_bytes(*after->bytes(0x200001000, first.size()), first));
    EXPECT_EQ(*after->u8(0x200010000), 0U);
    first[7] = static_cast<std::byte>(1 + 7 * 7);
    EXPECT_TRUE(tests::same_bytes(*image->bytes(0x200001000, first.size()), first));
    // The older dialect has no sizes of zeros.
    EXPECT_EQ(chains[0].buffers[2].size, dialect == DumpDialect::newer ? 0x2000U : 0x1000U);
    EXPECT_EQ(chains[0].buffers[2].open, dialect == DumpDialect::older);
  }
}

// A piece of memory gets what the next chain has otherwise, and keeps what jobs have stored.
TEST(ValhallDumpText, ChangesOfMemory) {
  DumpTextWriter writer(DumpDialect::newer);
  std::vector<std::byte> bytes = dump_pattern(0x2000, 3);
  writer.job(0x1000, "Fragment");
  writer.buffer(0x1000, bytes);
  const auto one = chains_in(writer.text());
  bytes[0x1804] = std::byte{0xee};
  bytes[0x1900] = std::byte{0};
  DumpTextWriter next(DumpDialect::older);
  next.job(0x1000, "Fragment");
  next.buffer(0x1000, bytes);
  const auto two = chains_in(next.text());
  auto image = image_of(one[0].memory, "image");
  ASSERT_TRUE(image.ok());
  (*image->find_writable(0x2805, 1))[0] = std::byte{0x55};
  std::vector<MemoryRange> changed;
  const auto changes = changes_between(one[0].memory, std::make_shared<const ChainMemory>(two[0].memory));
  ASSERT_TRUE(changes.ok());
  apply_changes(*changes, *image, [&](const MemoryRange& range) { changed.push_back(range); });
  EXPECT_EQ(*image->u8(0x2804), 0xeeU);
  EXPECT_EQ(*image->u8(0x2805), 0x55U);
  EXPECT_EQ(*image->u8(0x2900), 0U);
  ASSERT_EQ(changed.size(), 2U);
  EXPECT_EQ(changed[0].address, 0x2804U);
  EXPECT_EQ(changed[1].size, 1U);
  const auto few = changes_between(one[0].memory, std::make_shared<const ChainMemory>(two[0].memory), 1);
  ASSERT_FALSE(few.ok());
  EXPECT_EQ(few.error().code, ErrorCode::resource_limit);
}

TEST(ValhallDumpText, Errors) {
  const std::string job = "Job Header (1000):\n  Type: Fragment\n",
                    buffer = "Buffer: memory_1000 gpu 1000\n\n";
  const std::string bytes = "  01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 \n", line = "000000" + bytes;
  EXPECT_EQ(error_in(job + buffer + line + "\n\n"), "none");
  EXPECT_EQ(
      error_in(job),
      "text, line 1, byte 0x0: the chain of jobs at 0x1000: no memory follows its trace: "
      "expected \"Buffer: NAME gpu ADDRESS\" and a hexdump before the next chain or the end of the text, "
      "as PAN_MESA_DEBUG=trace,dump writes them; trace alone does not");
  EXPECT_EQ(error_in(buffer + line + "\n\n"),
            "text, line 1, byte 0x0: memory without jobs: expected \"Job Header (ADDRESS):\" before "
            "it, which PAN_MESA_DEBUG=dump does not write without trace");
  struct Case {
    std::string after_buffer, place, part;
  };
  const std::string first = "line 5, byte 0x42: ", second = "line 6, byte 0x7b: ",
                    third = "line 7, byte 0x7d: ";
  for (const Case& bad : std::initializer_list<Case>{
           {line, second, "the text ends: expected a line of the hexdump of the buffer at 0x1000"},
           {line.substr(0, 20), "line 5, byte 0x56: ", "the text ends: expected a whole line"},
           {"000000  01 0G \n\n\n", "line 5, byte 0x4d: ", "expected two hexadecimal digits and a space"},
           {line + "000020" + bytes + "\n\n", second, "offset 0x20: expected 0x10"},
           {line + "*\n000018" + bytes + "\n\n", third,
            "offset 0x18: expected a multiple of 0x10 above 0x10"},
           {line + "*\n\n\n", third, "expected the line up to which \"*\" repeats the one before"},
           {"*\n", first, "\"*\" repeats the line before: expected one with 16 bytes before it"},
           {"what\n", first, "expected an offset of six digits or more, two spaces and bytes"},
           {"000000" + bytes.substr(0, 50) + "11 \n\n\n", first, "more than 16 bytes"},
           {"000000  \n\n\n", first, "expected bytes after the offset"},
           {"000000  01 02 \n000002" + bytes + "\n\n", "line 6, byte 0x51: ", "a line after one with less"},
           {"FFFFFFFFFFFFFFF0  *\n\n\n", first, "expected 0x0"},
           {line + "\n\n" + line, "line 8, byte 0x7d: ", "a line of a hexdump is in no buffer"},
           {line + "\n\n" + buffer + line + "\n\n", "line 1, byte 0x0: ", "of line 8 overlaps the one"},
           // What lines claim is not allocated.
           {line + "*\n020000" + bytes + "\n\n", third, "has more than 0x10000 bytes"},
           {line + "*\n00F000" + bytes + "\n\n" + job + buffer + line + "*\n00F000" + bytes + "\n\n",
            "line 16, ", "the lines marked with * stand for more than 0x10000 bytes"},
       }) {
    const std::string error = error_in(job + buffer + bad.after_buffer, {.bytes = 0x10000});
    EXPECT_NE(error.find("text, " + bad.place), std::string::npos) << error << " not at " << bad.place;
    EXPECT_NE(error.find(bad.part), std::string::npos) << error << " without " << bad.part;
  }
  EXPECT_NE(error_in("Job Header (9000):\n" + buffer + line + "\n\n").find("in none of the buffers"),
            std::string::npos);
  EXPECT_NE(error_in("Job Header (zz):\n").find("hexadecimal address"), std::string::npos);
  EXPECT_NE(error_in(job + "Buffer: memory gpu\n").find("expected \"Buffer: NAME gpu ADDRESS\""),
            std::string::npos);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}
// Lines of hexdumps, changed.
template <class Change>
std::string with_lines(const std::string& text, const Change& change) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    std::string line = text.substr(at, end - at);
    if (line.size() > 8 && line.substr(6, 2) == "  " && line.find_first_not_of("0123456789ABCDEF") == 6)
      change(line);
    result += line + "\n";
    at = end + 1;
  }
  return result;
}

// What people and their tools do to texts, and what drivers write besides.
TEST(ValhallDumpText, TextsMayLookOtherwise) {
  for (const DumpDialect dialect : kDialects) {
    std::vector<std::byte> bytes = dump_pattern(0x2000, 0xa1);
    fill_bytes(bytes, 0x100, 0x400, 0);
    fill_bytes(bytes, 0x800, 0x80, 0xee);
    DumpTextWriter writer(dialect);
    writer.job(0x2fab1000, "Malloc vertex");
    writer.buffer(0x2fab1000, bytes);
    writer.job(0x2fab1000, "Fragment");
    writer.buffer(0x2fab1000, bytes);
    const std::string text = writer.text();
    ASSERT_NE(text.find("  *\n") != std::string::npos, text.find("\n*\n") != std::string::npos);
    const std::string texts[] = {
        replaced(text, "\n", "\r\n"),
        text.substr(0, text.size() - 1),
        with_lines(text,
                   [](std::string& line) {
                     for (char& c : line) c = static_cast<char>(std::tolower(c));
                   }),
        with_lines(text,
                   [](std::string& line) {
                     if (line.ends_with(' ')) line.pop_back();
                   }),
        with_lines(text, [](std::string& line) { line = "00" + line; }),
        replaced(replaced(text, "Job Header (2fab1000)", "  Job Header (2FAB1000)"), "gpu 2fab", "gpu 2FAB"),
        replaced(text, "Buffer: memory_2fab1000 gpu", "Buffer: a name gpu of gpu memory gpu"),
        "MESA: warning: a line of something else\n\n" + text + "\nthe end\n",
        replaced(text, "\n\nJob", "\n\n\n\n\nJob"),
        replaced(text, "Primitive:\n",
                 "Primitive:\n  Draw mode: Triangles\n  XXX: unknown flags\n000 of 0x10  *\n\tTab\n"),
    };
    for (const std::string& other : texts) {
      SCOPED_TRACE(other.substr(0, 300));
      const std::vector<DumpedChain> chains = chains_in(other);
      ASSERT_EQ(chains.size(), 2U);
      EXPECT_FALSE(chains[0].chain.fragment);
      EXPECT_TRUE(chains[1].chain.fragment);
      for (const DumpedChain& chain : chains) {
        EXPECT_EQ(chain.chain.address, 0x2fab1000U);
        const auto image = image_of(chain.memory, "image");
        ASSERT_TRUE(image.ok());
        const auto found = image->find(0x2fab1000, bytes.size());
        ASSERT_TRUE(found);
        EXPECT_TRUE(tests::same_bytes(*found, bytes));
      }
    }
  }
}

TEST(ValhallDumpText, CutTextsAreRefused) {
  for (const DumpDialect dialect : kDialects) {
    DumpTextWriter writer(dialect);
    writer.job(0x1000, "Fragment");
    writer.buffer(0x1000, dump_pattern(0x60, 1));
    // The last one of the two empty lines after it is not missed.
    for (std::size_t size = 0; size + 1 < writer.text().size(); ++size)
      EXPECT_NE(error_in(writer.text().substr(0, size)), "none") << size;
    EXPECT_EQ(error_in(writer.text()), "none");
  }
}

using DrawnTexts = std::vector<std::pair<std::uint64_t, std::vector<std::byte>>>;
struct AllPictures final : CaptureVisitor {
  bool picture(const CapturePicture& picture) override {
    drawn.emplace_back(picture.fragment_job,
                       std::vector<std::byte>(picture.pixels.begin(), picture.pixels.end()));
    return true;
  }
  DrawnTexts drawn;
};
DrawnTexts drawn_by(std::span<const CaptureBytes> files) {
  auto capture = Capture::load(files);
  EXPECT_TRUE(capture.ok()) << (capture ? std::string() : to_string(capture.error()));
  if (!capture) return {};
  AllPictures seen;
  const Status status = capture->run(Engine(), seen);
  EXPECT_TRUE(status.ok()) << (status ? std::string() : to_string(status.error()));
  return seen.drawn;
}

TEST(ValhallDumpText, DrawsWhatTheCaptureDraws) {
  for (const char* name : {"triangle.wjcap", "samples.wjcap", "state.wjcap"}) {
    const std::vector<std::byte> bytes = capture_seed(name);
    const CaptureBytes whole{bytes, name};
    const auto wanted = drawn_by(std::span(&whole, 1));
    const auto file = read_capture(bytes, name);
    ASSERT_TRUE(file.ok());
    for (const DumpDialect dialect : kDialects) {
      // One file, and one for each chain.
      DumpTextWriter together(dialect);
      std::vector<DumpTextWriter> apart;
      std::vector<CaptureBytes> files;
      for (const JobChain& chain : file->chains) {
        add_chain(together, file->image, chain);
        add_chain(apart.emplace_back(dialect), file->image, chain);
      }
      for (const DumpTextWriter& one : apart) files.push_back({one.bytes(), "text"});
      const CaptureBytes text{together.bytes(), "text"};
      EXPECT_FALSE(wanted.empty());
      EXPECT_TRUE(drawn_by(std::span(&text, 1)) == wanted) << name;
      EXPECT_TRUE(drawn_by(files) == wanted) << name;
    }
  }
}

// Two frames whose jobs and descriptors lie at the same addresses.
TEST(ValhallDumpText, AddressesAreUsedAgain) {
  const std::vector<std::byte> bytes = capture_seed("triangle.wjcap");
  auto file = read_capture(bytes, "capture"), other = read_capture(bytes, "capture");
  ASSERT_TRUE(file.ok() && other.ok());
  ASSERT_EQ(file->chains.size(), 2U);
  change_clear_color(*other);
  for (const DumpDialect dialect : kDialects) {
    DumpTextWriter writer(dialect), alone(dialect);
    add_chains(writer, *file, file->image);
    add_chains(writer, *file, other->image);
    add_chains(alone, *file, other->image);
    const CaptureBytes whole{bytes, "capture"}, both{writer.bytes(), "both"}, second{alone.bytes(), "alone"};
    auto wanted = drawn_by(std::span(&whole, 1));
    const auto changed = drawn_by(std::span(&second, 1));
    EXPECT_TRUE(changed != wanted);
    wanted.insert(wanted.end(), changed.begin(), changed.end());
    EXPECT_TRUE(drawn_by(std::span(&both, 1)) == wanted);
    auto read = read_captures(std::span(&both, 1));
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(read->changes.size(), 4U);
    EXPECT_EQ(read->gpu, kAssumedGpu);
    EXPECT_FALSE(read->changes[2].list.empty());
  }
}

// Texts of real drivers: the memory that an independent recorder saw, and the pictures of another driver.
TEST(ValhallDumpText, RealTexts) {
  if (!tests::has_whole_corpus()) GTEST_SKIP();
  const std::size_t count = each_real_text([](const std::string& folder, const std::vector<std::byte>& text) {
    const CaptureBytes one{text, "text"};
    auto file = read_captures(std::span(&one, 1));
    ASSERT_TRUE(file.ok()) << to_string(file.error());
    expect_recorded_memory(folder, *file);
    auto capture = Capture::load(text, "text");
    ASSERT_TRUE(capture.ok());
    SeenCapture seen;
    const Status status = capture->run(Engine(), seen);
    ASSERT_TRUE(status.ok()) << to_string(status.error());
    expect_reference(folder, seen.pictures.at(0).pixels);
  });
  EXPECT_EQ(count, 9U);
}

}  // namespace
}  // namespace warpjit::valhall
