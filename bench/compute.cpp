// Throughput of compute kernels: engines, targets, fast-fmad, hand-written AVX-512 loops, in one run.
// Items are results, as in hand.h. `KERNEL/ENGINE[/fast_fmad]`, `KERNEL/hand`, `KERNEL/two_threads`, the same
// of Valhall programs, `KERNEL/valhall/ENGINE`, and the same kernel on other CPU engines, `KERNEL/pocl` and
// `KERNEL/lavapipe` (peers/peer.h).
#include <benchmark/benchmark.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <new>
#include <sstream>
#include <stdexcept>

#include "hand.h"
#include "peers/peer.h"
#include "warpjit/tesla.hpp"
#include "warpjit/valhall.hpp"

namespace warpjit::bench {
namespace {

constexpr std::uint32_t kFirst = 0x10000;  // guest address of the memory

// Words that begin at a page. Engines that run one after the other, but lavapipe, get the same pages, and so
// the same luck in the caches: other pages change the rate of a kernel that streams by up to a tenth.
class Words {
 public:
  explicit Words(std::size_t count) : words_(take()), count_(count) {
    if (count > kMost) throw std::length_error("a kernel with more words than kMost");
    std::memset(words_, 0, count * 4);
  }
  ~Words() { left().push_back(words_); }
  Words(const Words&) = delete;
  Words& operator=(const Words&) = delete;
  std::uint32_t* at(std::size_t k) { return words_ + k; }
  float* floats(std::size_t k) { return reinterpret_cast<float*>(words_ + k); }
  std::size_t bytes() const { return count_ * 4; }

 private:
  static constexpr std::size_t kMost = std::size_t{2} << 22;  // of saxpy
  static std::vector<std::uint32_t*>& left() {
    static std::vector<std::uint32_t*> words;
    return words;
  }
  static std::uint32_t* take() {
    if (left().empty())
      return static_cast<std::uint32_t*>(::operator new (kMost * 4, std::align_val_t{4096}));
    std::uint32_t* const last = left().back();
    left().pop_back();
    return last;
  }

  std::uint32_t* words_;
  std::size_t count_;
};

std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }
std::uint32_t address(std::size_t word) { return kFirst + static_cast<std::uint32_t>(4 * word); }

struct Kernel {
  const char* name;
  const char* source;
  std::array<std::uint32_t, 2> grid;
  std::array<std::uint32_t, 3> block;
  std::size_t words;  // of memory
  double items;
  bool has_fmad;
  std::function<void(Words&)> fill;
  std::vector<std::uint32_t> parameters;
  std::function<void(Words&)> hand;
  // On the peers: work groups, work items of one, buffers (words from, how many); the last one is the result.
  std::array<std::uint32_t, 2> peer_groups, peer_group;
  std::vector<std::array<std::size_t, 2>> peer_buffers;
  // The same work of a Valhall program, whose memory is at the same low words of addresses; none: "".
  const char* valhall_source = "";
  std::array<std::uint32_t, 2> valhall_grid{}, valhall_block{};
  std::vector<std::uint32_t> valhall_parameters{};
};

constexpr std::size_t kSaxpy = std::size_t{1} << 22, kSums = std::size_t{1} << 22,
                      kHashes = std::size_t{1} << 20;
constexpr std::size_t kMatrix = std::size_t{kMatrixSide} * kMatrixSide;
constexpr std::size_t kPixels = std::size_t{kMandelbrotSide} * kMandelbrotSide;

void count_up(Words& memory, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) *memory.at(k) = static_cast<std::uint32_t>(k * 7 & 15);
}

const std::vector<Kernel>& kernels() {
  static const std::vector<Kernel> kKernels = {
      {"mandelbrot",
       "examples/tesla/mandelbrot.tesla",
       {kMandelbrotSide / 16, kMandelbrotSide / 8},
       {16, 8, 1},
       kPixels,
       static_cast<double>(kPixels),
       true,
       [](Words&) {},
       {address(0), kMandelbrotSide, bits(-2), bits(-1.25F), bits(2.5F / kMandelbrotSide), kMandelbrotLimit},
       [](Words& m) { hand_mandelbrot(m.at(0)); },
       {kMandelbrotSide / 16, kMandelbrotSide / 16},
       {16, 16},
       {{0, kPixels}},
       "examples/valhall/mandelbrot.valhall",
       {kMandelbrotSide / 16, kMandelbrotSide / 16},
       {16, 16},
       {address(0), 0, bits(2.5F / kMandelbrotSide), bits(-2), bits(-1.25F), kMandelbrotSide,
        kMandelbrotLimit}},
      {"saxpy",
       "examples/tesla/saxpy.tesla",
       {kSaxpy / 256, 1},
       {256, 1, 1},
       2 * kSaxpy,
       static_cast<double>(kSaxpy),
       true,
       [](Words& m) {
         for (std::size_t k = 0; k < kSaxpy; ++k)
           *m.floats(k) = static_cast<float>(k & 1023), *m.floats(kSaxpy + k) = 1;
       },
       {address(0), address(kSaxpy), bits(1e-3F), kSaxpy},
       [](Words& m) { hand_saxpy(1e-3F, m.floats(0), m.floats(kSaxpy), kSaxpy); },
       {kSaxpy / 256, 1},
       {256, 1},
       {{0, kSaxpy}, {kSaxpy, kSaxpy}}},
      {"matmul",
       "examples/tesla/matmul.tesla",
       {kMatrixSide / 16, kMatrixSide / 16},
       {16, 16, 1},
       3 * kMatrix,
       static_cast<double>(kMatrix),
       true,
       [](Words& m) {
         for (std::size_t k = 0; k < 2 * kMatrix; ++k)
           *m.floats(k) = static_cast<float>((k * 2654435761U >> 8) & 0xffff) / 65536.0F + 0.001F;
       },
       {address(0), address(kMatrix), address(2 * kMatrix), kMatrixSide},
       [](Words& m) { hand_matmul(m.floats(0), m.floats(kMatrix), m.floats(2 * kMatrix)); },
       {kMatrixSide / 16, kMatrixSide / 16},
       {16, 16},
       {{0, kMatrix}, {kMatrix, kMatrix}, {2 * kMatrix, kMatrix}}},
      {"reduce",
       "examples/tesla/reduce.tesla",
       {kSums / 256, 1},
       {128, 1, 1},
       kSums + kSums / 256,
       static_cast<double>(kSums),
       false,
       [](Words& m) { count_up(m, kSums); },
       {address(0), address(kSums)},
       [](Words& m) { hand_reduce(m.at(0), m.at(kSums), kSums); },
       {kSums / 256, 1},
       {256, 1},
       {{0, kSums}, {kSums, kSums / 256}},
       "examples/valhall/reduce.valhall",
       {kSums / 256, 1},
       {256, 1},
       {address(0), 0, address(kSums), 0}},
      {"scan",
       "examples/tesla/scan.tesla",
       {kSums / 256, 1},
       {256, 1, 1},
       2 * kSums,
       static_cast<double>(kSums),
       false,
       [](Words& m) { count_up(m, kSums); },
       {address(0)},
       [](Words& m) { hand_scan(m.at(0), m.at(kSums), kSums); },
       {kSums / 256, 1},
       {256, 1},
       {{0, kSums}, {kSums, kSums}}},
      {"hash",
       "bench/tesla/k9.tesla",
       {kHashes / 256, 1},
       {256, 1, 1},
       2 * kHashes,
       static_cast<double>(kHashes),
       false,
       [](Words& m) { count_up(m, kHashes); },
       {address(0), address(kHashes)},
       [](Words& m) { hand_hash(m.at(0), m.at(kHashes), kHashes); },
       {kHashes / 256, 1},
       {256, 1},
       {{0, kHashes}, {kHashes, kHashes}}},
  };
  return kKernels;
}

const Engine& engine() {
  static const Engine kEngine;
  return kEngine;
}

[[noreturn]] void give_up(const Error& error) {
  std::fprintf(stderr, "%s\n", to_string(error).c_str());
  std::exit(2);
}

std::string read_source(const char* name) {
  std::stringstream text;
  text << std::ifstream(std::string(WARPJIT_SOURCE_DIR "/") + name).rdbuf();
  return text.str();
}

void require(const Status& status) {
  if (!status) give_up(status.error());
}

// `apart`: each buffer is a range of its own.
Launch make_launch(const Kernel& kernel, Words& memory, const tesla::Modes& modes = {}, bool apart = false) {
  auto program = tesla::load_assembly(read_source(kernel.source), {.source_name = kernel.source}, modes);
  if (!program) give_up(program.error());
  Launch launch(*program);
  require(launch.set_grid(kernel.grid[0], kernel.grid[1]));
  require(launch.set_block(kernel.block[0], kernel.block[1], kernel.block[2]));
  require(launch.set_parameters(std::as_bytes(std::span(kernel.parameters))));
  const auto map = [&](std::size_t first, std::size_t bytes) {
    require(launch.map_memory("g14", address(first), memory.at(first), bytes));
  };
  if (!apart) map(0, memory.bytes());
  for (const auto& [first, count] : kernel.peer_buffers)
    if (apart) map(first, 4 * count);
  return launch;
}

Launch make_valhall_launch(const Kernel& kernel, Words& memory) {
  auto program =
      valhall::load_assembly(read_source(kernel.valhall_source), {.source_name = kernel.valhall_source});
  if (!program) give_up(program.error());
  Launch launch(*program);
  require(launch.set_grid(kernel.valhall_grid[0], kernel.valhall_grid[1]));
  require(launch.set_block(kernel.valhall_block[0], kernel.valhall_block[1]));
  require(launch.set_parameters(std::as_bytes(std::span(kernel.valhall_parameters))));
  require(launch.map_memory("mem", kFirst, memory.at(0), memory.bytes()));
  return launch;
}

// `make` makes a launch of the memory.
template <class Make>
void run_launch(benchmark::State& state, const Kernel& kernel, const RunOptions& options,
                std::uint32_t columns, std::uint32_t rows, const Make& make) {
  Words memory(kernel.words);
  kernel.fill(memory);
  Launch launch = make(memory);
  if (options.engine == EngineKind::guest) require(launch.set_grid(std::max(1U, columns / 16), rows));
  const double share = options.engine == EngineKind::guest ? 1.0 / 16 : 1;
  for (auto _ : state) {
    const auto report = engine().run(launch, options);
    if (!report) give_up(report.error());
    if (report->fault) give_up({ErrorCode::fault, report->fault->what, report->fault->where});
  }
  state.counters["items"] =
      benchmark::Counter(kernel.items * share, benchmark::Counter::kIsIterationInvariantRate);
}

void run_kernel(benchmark::State& state, const Kernel& kernel, const RunOptions& options, bool fast_fmad,
                bool apart) {
  run_launch(state, kernel, options, kernel.grid[0], kernel.grid[1],
             [&](Words& memory) { return make_launch(kernel, memory, {.fast_fmad = fast_fmad}, apart); });
}
void run_valhall(benchmark::State& state, const Kernel& kernel, const RunOptions& options) {
  run_launch(state, kernel, options, kernel.valhall_grid[0], kernel.valhall_grid[1],
             [&](Words& memory) { return make_valhall_launch(kernel, memory); });
}

void run_hand(benchmark::State& state, const Kernel& kernel) {
  Words memory(kernel.words);
  kernel.fill(memory);
  for (auto _ : state) {
    kernel.hand(memory);
    benchmark::ClobberMemory();
  }
  state.counters["items"] = benchmark::Counter(kernel.items, benchmark::Counter::kIsIterationInvariantRate);
}

// The cost of a launch with almost no work: one block of 64 threads, its kernel in the cache.
void launch_one_block(benchmark::State& state, const Kernel& kernel) {
  Words memory(kernel.words);
  kernel.fill(memory);
  Launch launch = make_launch(kernel, memory);
  require(launch.set_grid(1));
  require(launch.set_block(64));
  RunOptions options;
  options.threads = 1;
  for (auto _ : state)
    if (const auto report = engine().run(launch, options); !report) give_up(report.error());
}

// The same numbers as the hand-written loop, up to rounding, which may end an orbit a step earlier or later.
bool is_right(const Kernel& kernel, const std::vector<std::uint32_t>& got) {
  if (!has_hand_kernels()) return true;
  Words memory(kernel.words);
  kernel.fill(memory);
  kernel.hand(memory);
  const std::size_t first = kernel.peer_buffers.back()[0];
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < got.size(); ++k) {
    const float a = std::bit_cast<float>(got[k]), b = *memory.floats(first + k);
    const bool near = kernel.has_fmad && std::abs(a - b) <= 1e-3F * std::abs(b);
    wrong += got[k] != *memory.at(first + k) && !near ? 1 : 0;
  }
  return wrong <= got.size() / 100;
}

void run_peer(benchmark::State& state, const Kernel& kernel, MakePeer make) {
  Words memory(kernel.words);
  kernel.fill(memory);
  PeerLaunch launch{kernel.name, kernel.peer_groups, kernel.peer_group, {}};
  for (const auto& [first, count] : kernel.peer_buffers) launch.words.emplace_back(memory.at(first), count);
  std::string why_not;
  const std::unique_ptr<PeerKernel> peer = make(launch, why_not);
  if (peer == nullptr) return state.SkipWithError(why_not.c_str());
  peer->run();
  if (!is_right(kernel, peer->read(launch.words.size() - 1))) return state.SkipWithError("wrong results");
  for (auto _ : state) peer->run();
  state.counters["items"] = benchmark::Counter(kernel.items, benchmark::Counter::kIsIterationInvariantRate);
}

void compile_kernel(benchmark::State& state, const Kernel& kernel, RunOptions options, bool valhall = false) {
  Words memory(kernel.words);
  const Launch launch = valhall ? make_valhall_launch(kernel, memory) : make_launch(kernel, memory);
  for (auto _ : state) {
    engine().clear_cache();
    if (const auto report = engine().compile(launch, options); !report) give_up(report.error());
  }
}

void add_all() {
  const auto add = [](const Kernel& kernel, const std::string& name, RunOptions options, bool fast,
                      bool apart = false) {
    benchmark::RegisterBenchmark(
        (std::string(kernel.name) + "/" + name).c_str(),
        [=, &kernel](benchmark::State& state) { run_kernel(state, kernel, options, fast, apart); })
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
  };
  for (const Kernel& kernel : kernels()) {
    if (std::string_view(kernel.name) == "saxpy")
      benchmark::RegisterBenchmark("saxpy/one_block", [&kernel](benchmark::State& state) {
        launch_one_block(state, kernel);
      })->Unit(benchmark::kNanosecond);
    if (has_hand_kernels())
      benchmark::RegisterBenchmark((std::string(kernel.name) + "/hand").c_str(),
                                   [&kernel](benchmark::State& state) { run_hand(state, kernel); })
          ->Unit(benchmark::kMillisecond)
          ->UseRealTime();
    [[maybe_unused]] const auto add_peer = [&](const char* name, MakePeer make) {
      benchmark::RegisterBenchmark(
          (std::string(kernel.name) + "/" + name).c_str(),
          [&kernel, make](benchmark::State& state) { run_peer(state, kernel, make); })
          ->Unit(benchmark::kMillisecond)
          ->UseRealTime();
    };
#if defined(WARPJIT_BENCH_OPENCL)
    add_peer("pocl", make_opencl);
#endif
#if defined(WARPJIT_BENCH_VULKAN)
    add_peer("lavapipe", make_vulkan);
#endif
    const bool has_valhall = *kernel.valhall_source != 0;
    const auto add_valhall = [&](const std::string& name, const RunOptions& with) {
      benchmark::RegisterBenchmark(
          (std::string(kernel.name) + "/valhall/" + name).c_str(),
          [&kernel, with](benchmark::State& state) { run_valhall(state, kernel, with); })
          ->Unit(benchmark::kMillisecond)
          ->UseRealTime();
    };
    RunOptions options;
    options.threads = 1;
    for (const Target target : engine().info().targets) {
      options.target = target;
      if (has_valhall) {
        add_valhall(name(target), options);
        benchmark::RegisterBenchmark(
            (std::string(kernel.name) + "/valhall/compile/" + name(target)).c_str(),
            [&kernel, options](benchmark::State& state) { compile_kernel(state, kernel, options, true); })
            ->Unit(benchmark::kMicrosecond);
      }
      add(kernel, name(target), options, false);
      if (kernel.peer_buffers.size() > 1)
        add(kernel, std::string(name(target)) + "/apart", options, false, true);
      if (kernel.has_fmad) add(kernel, std::string(name(target)) + "/fast_fmad", options, true);
      benchmark::RegisterBenchmark(
          (std::string(kernel.name) + "/compile/" + name(target)).c_str(),
          [&kernel, options](benchmark::State& state) { compile_kernel(state, kernel, options); })
          ->Unit(benchmark::kMicrosecond);
    }
    options.threads = 2;
    add(kernel, "two_threads", options, false);
    options = {};
    options.engine = EngineKind::guest;
    options.threads = 1;
    add(kernel, "guest", options, false);
    if (has_valhall) add_valhall("guest", options);
  }
}

}  // namespace
}  // namespace warpjit::bench

int main(int argc, char** argv) {
  warpjit::bench::add_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
