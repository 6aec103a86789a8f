// What an emulator does with what a game sends to the GPU: memory fills, command lists and display transfers, one
// after the other, each begun by the interrupt of the one before.
//   emulator [--steps N] [picture.png [folder [frame.wjcap]]]
// draws some frames, the last one as a picture, as a scene of warpjit render, and as a capture; --steps prints what each
// instruction of vertex N of the last draw does.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>
#include <variant>

#include "game.h"
#include "own_list.h"
#include "record.h"
#include "warpjit/pica200.hpp"

using namespace warpjit;

namespace {

class Console {
 public:
  explicit Console(Memory memory) : memory_(std::move(memory)), video_(Video::kSize) {
    list_offset_ = memory_.bytes.size();
    memory_.bytes.resize(list_offset_ + 0x10000);
  }
  Status start() {
    const pica200::GpuMemory ranges[] = {{Memory::kAddress, memory_.bytes.data(), memory_.bytes.size()},
                                         {Video::kAddress, video_.data(), video_.size()}};
    gpu_.set_interrupt([](void* console, pica200::Interrupt) { static_cast<Console*>(console)->next(); },
                       this);
    return gpu_.set_memory(ranges);
  }

  // Draws a frame. Nobody waits for a compiler: what has no code yet is interpreted.
  Status run(const Engine& engine, const std::vector<std::uint32_t>& list) {
    engine_ = &engine;
    std::memcpy(memory_.bytes.data() + list_offset_, list.data(), 4 * list.size());
    list_bytes_ = static_cast<std::uint32_t>(4 * list.size());
    const std::uint32_t size = Video::kWidth | Video::kHeight << 16;
    // The colours are filled with words, the depth with three bytes at a time; the screen has three bytes a pixel.
    jobs_ = {pica200::MemoryFill{Video::kColor, Video::kColor + 4 * Video::kPixels,
                                 Video::kBackground << 8 | 0xFF, 0x201},
             pica200::MemoryFill{Video::kDepth, Video::kDepth + 3 * Video::kPixels, 0, 0x101},
             List{Memory::kAddress + static_cast<std::uint32_t>(list_offset_), list_bytes_},
             pica200::DisplayTransfer{Video::kColor, Video::kScreen, size, size, 1u << 12}};
    done_ = 0;
    status_ = {};
    next();
    return status_;
  }

  // Records what is drawn until end_record() into an open file.
  Status record(std::FILE* file) {
    const auto write = [](void* to, std::span<const std::byte> bytes) {
      return std::fwrite(bytes.data(), 1, bytes.size(), static_cast<std::FILE*>(to)) == bytes.size();
    };
    return gpu_.record(write, file);
  }
  Status end_record() { return gpu_.end_record(); }

  const pica200::GpuReport& report() const { return report_; }
  std::span<const std::uint8_t> screen() const {
    return std::span(video_).subspan(Video::kScreen - Video::kAddress, 3 * Video::kPixels);
  }
  Recording recording() const {
    return {std::span(memory_.bytes).first(list_offset_ + list_bytes_), list_bytes_, screen()};
  }

 private:
  struct List {
    std::uint32_t address = 0, bytes = 0;
  };
  using Job = std::variant<pica200::MemoryFill, List, pica200::DisplayTransfer>;

  // Called by the interrupt of a job that is done.
  void next() {
    if (done_ == jobs_.size()) return;
    const Job& job = jobs_[done_++];
    Status status;
    if (const auto* fill = std::get_if<pica200::MemoryFill>(&job)) status = gpu_.fill(*fill);
    if (const auto* transfer = std::get_if<pica200::DisplayTransfer>(&job)) status = gpu_.transfer(*transfer);
    if (const auto* list = std::get_if<List>(&job)) {
      RunOptions options;
      options.background = true;
      auto report = gpu_.run_commands(*engine_, list->address, list->bytes, options);
      if (report) report_ = *report;
      if (!report) status = report.error();
    }
    if (!status) status_ = status;
  }

  Memory memory_;
  std::vector<std::uint8_t> video_;
  std::size_t list_offset_ = 0;
  std::uint32_t list_bytes_ = 0;
  pica200::Gpu gpu_;
  const Engine* engine_ = nullptr;
  std::vector<Job> jobs_;
  std::size_t done_ = 0;
  Status status_;
  pica200::GpuReport report_;
};

// Pixels of the screen, blue first, in which something was drawn.
std::size_t drawn_pixels(std::span<const std::uint8_t> screen) {
  std::size_t drawn = 0;
  for (std::size_t n = 0; n < screen.size(); n += 3)
    drawn += (screen[n] | screen[n + 1] << 8 | screen[n + 2] << 16) != Video::kBackground;
  return drawn;
}

}  // namespace

int main(int argc, char** argv) {
  std::optional<std::size_t> traced;
  if (argc > 2 && std::strcmp(argv[1], "--steps") == 0) {
    traced = std::strtoull(argv[2], nullptr, 10);
    argc -= 2;
    argv += 2;
  }
  const Game game;
  const Engine engine;
  Console console(game.memory());
  Status status = console.start();
  constexpr unsigned kFrames = 3;
  for (unsigned frame = 0; frame < kFrames && status; ++frame) {
    std::FILE* capture = nullptr;
    if (argc > 3 && frame + 1 == kFrames) {
      capture = std::fopen(argv[3], "wb");
      if (capture == nullptr) {
        std::fprintf(stderr, "emulator: cannot write %s\n", argv[3]);
        return 1;
      }
      status = console.record(capture);
    }
    if (status) status = console.run(engine, game.frame(frame));
    if (capture != nullptr) {
      const Status recorded = status ? console.end_record() : Status();
      if (!recorded) status = recorded;
      std::fclose(capture);
    }
    if (!status) break;
    const std::size_t pixels = drawn_pixels(console.screen());
    std::printf("frame %u: %llu draws, %llu triangles, %zu pixels\n", frame,
                static_cast<unsigned long long>(console.report().draws),
                static_cast<unsigned long long>(console.report().triangles), pixels);
    if (pixels == 0) return 1;
    engine.wait_for_compilations();
  }
  if (!status) {
    std::fprintf(stderr, "emulator: %s\n", to_string(status.error()).c_str());
    return 1;
  }
  if (argc > 1 && !write_picture(argv[1], console.screen())) {
    std::fprintf(stderr, "emulator: cannot write %s\n", argv[1]);
    return 1;
  }
  if (argc > 2 && !write_scene(argv[2], console.recording())) {
    std::fprintf(stderr, "emulator: cannot write to %s\n", argv[2]);
    return 1;
  }
  return show_own_list(engine, game, traced) ? 0 : 1;
}
