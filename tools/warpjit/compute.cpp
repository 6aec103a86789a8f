#include "compute.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>

#include "base/hash.h"
#include "chart.h"
#include "compute_profile.h"
#include "engines.h"
#include "frontend/tesla/assembly/disassemble.h"
#include "frontend/tesla/container/cubin.h"
#include "frontend/tesla/shader.h"
#include "runtime/engine/engine.h"

namespace warpjit::tool {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// A launch file with its memory bound. `before` is its memory at the start of every run.
class BoundCompute {
 public:
  static Result<BoundCompute> make(ComputeFile file) {
    WARPJIT_TRY(std::shared_ptr<const tesla::Shader> shader, tesla::Shader::make(file.program, file.modes));
    BoundCompute bound(std::move(file), Program(std::move(shader)));
    const ComputeFile& f = bound.file_;
    bound.launch_.set_grid(f.grid[0], f.grid[1]);
    bound.launch_.set_block(f.block[0], f.block[1], f.block[2]);
    bound.launch_.set_shared_bytes(f.shared_bytes);
    bound.launch_.set_parameters(f.parameters);
    for (const ComputeMemory& piece : f.memory) bound.memory_.push_back(piece.bytes);
    for (std::size_t k = 0; k < f.memory.size(); ++k) {
      const ComputeMemory& piece = f.memory[k];
      std::vector<std::byte>& bytes = bound.memory_[k];
      WARPJIT_CHECK(piece.constant
                        ? bound.launch_.bind_constants(piece.name, bytes.data(), bytes.size())
                        : bound.launch_.map_memory(piece.name, piece.address, bytes.data(), bytes.size()));
    }
    return bound;
  }

  const ComputeFile& file() const { return file_; }
  Launch& launch() { return launch_; }

  Result<Report> run(const Engine& engine, const RunOptions& options) {
    reset();
    return engine.run(launch_, options);
  }

  Result<Report> run_profiled(const Engine& engine, Profile& profile, std::optional<std::uint64_t> fuel) {
    reset();
    if (fuel) launch_.set_fuel(*fuel);
    return engine.profile(launch_, profile);
  }

  std::uint32_t word(const ComputeRange& range, std::size_t k) const {
    std::uint32_t result;
    std::memcpy(&result, memory_[range.piece].data() + range.offset + 4 * k, 4);
    return result;
  }
  const std::vector<std::vector<std::byte>>& memory() const { return memory_; }
  std::uint64_t checksum() const {
    std::uint64_t sum = 0;
    for (const std::vector<std::byte>& bytes : memory_) sum = sum * 31 + hash_bytes(bytes);
    return sum;
  }
  // The first word that is not as expected.
  std::optional<std::string> mismatch() const {
    for (const ComputeExpectation& e : file_.expectations)
      for (std::size_t k = 0; k < e.wanted.words.size(); ++k)
        if (const std::uint32_t got = word(e.range, k); !e.wanted.accepts(got, e.wanted.words[k]))
          return fmt::format("{}, word {}: got {}, wanted {}", e.range.name, k, number(e.range.format, got),
                             number(e.range.format, e.wanted.words[k]));
    return std::nullopt;
  }
  static std::string number(Format format, std::uint32_t word) {
    if (format.type == ComponentType::f32)
      return fmt::format("{} ({})", std::bit_cast<float>(word), hex(word));
    return fmt::format("{}", format.type == ComponentType::s32
                                 ? static_cast<std::int64_t>(static_cast<std::int32_t>(word))
                                 : static_cast<std::int64_t>(word));
  }

 private:
  void reset() {
    for (std::size_t k = 0; k < memory_.size(); ++k)
      std::copy_n(file_.memory[k].bytes.begin(), memory_[k].size(), memory_[k].begin());
  }
  BoundCompute(ComputeFile file, Program program) : file_(std::move(file)), launch_(std::move(program)) {}

  ComputeFile file_;
  Launch launch_;
  std::vector<std::vector<std::byte>> memory_;  // what the engines use
};

Result<BoundCompute> load(const RunInput& input) {
  if (input.count)
    return Error{ErrorCode::bad_input, "a kernel's grid and block say how many threads there are", "--count"};
  if (!is_launch_file(input.file))
    return Error{ErrorCode::bad_input,
                 "a kernel needs a launch file, which `warpjit launch` makes a template of", input.file};
  WARPJIT_TRY(ComputeFile file, read_compute_launch(input.file));
  return BoundCompute::make(std::move(file));
}

Json range_json(const BoundCompute& bound, const ComputeRange& range) {
  Json data = Json::array();
  for (std::size_t k = 0; k < range.count; ++k) {
    const std::uint32_t word = bound.word(range, k);
    if (range.format.type == ComponentType::f32)
      data.push_back(hex(word));
    else if (range.format.type == ComponentType::s32)
      data.push_back(static_cast<std::int32_t>(word));
    else
      data.push_back(word);
  }
  return {{"range", range.name}, {"format", warpjit::name(range.format)}, {"data", std::move(data)}};
}

std::uint64_t compile_ns(const CompileReport& report) {
  return report.translate_ns + report.passes_ns + report.backend_ns + report.place_ns;
}

void print_timing(const ComputeFile& file, const Report& report) {
  fmt::print(stderr, "{}: {} x {} blocks of {} x {} x {} threads, engine {}", file.name, file.grid[0],
             file.grid[1], file.block[0], file.block[1], file.block[2], warpjit::name(report.engine));
  if (report.engine == EngineKind::jit)
    fmt::print(stderr, " {} ({} bytes of code)", warpjit::name(report.target), report.code_bytes);
  fmt::print(
      stderr, ", compiled in {:.1f} us, ran in {:.1f} us ({:.2f} M threads/s){}\n",
      static_cast<double>(compile_ns(report)) / 1e3, static_cast<double>(report.run_ns) / 1e3,
      static_cast<double>(file.threads()) * 1e3 / std::max<double>(1, static_cast<double>(report.run_ns)),
      file.modes.fast_fmad ? ", with fast-fmad: not the chip's bits" : "");
  if (!report.interpreted_because.empty())
    fmt::print(stderr, "warpjit: the guest interpreter ran it: {}\n", report.interpreted_because);
}

// Whether it was no fault.
bool report_fault(const Report& report) {
  if (report.fault) fmt::print(stderr, "warpjit: fault: {} at {}\n", report.fault->what, report.fault->where);
  return !report.fault;
}

}  // namespace

int run_compute(const ComputeOptions& options, const RunOptions& run, bool dispatch) {
  auto bound = load(options.input);
  if (!bound) return fail(bound.error());
  const Engine engine;
  engine.state().set_hooks({.dispatch_all = dispatch});
  Profile profile;
  const auto report =
      options.stats ? bound->run_profiled(engine, profile, run.fuel) : bound->run(engine, run);
  if (!report) {  // what was seen may tell why
    if (options.stats && options.json)
      print_json({{"launch", bound->file().name}, {"stats", profile_json(profile)}});
    if (options.stats && !options.json) print_profile(profile);
    return fail(report.error());
  }
  const ComputeFile& file = bound->file();
  print_timing(file, *report);
  const std::optional<std::string> mismatch = bound->mismatch();
  if (options.json) {
    Json json{{"launch", file.name}, {"engine", warpjit::name(report->engine)}};
    if (report->engine == EngineKind::jit) json["target"] = warpjit::name(report->target);
    json["compile_ns"] = compile_ns(*report);
    json["run_ns"] = report->run_ns;
    if (!report->interpreted_because.empty()) json["interpreted_because"] = report->interpreted_because;
    if (report->fault) json["fault"] = {{"what", report->fault->what}, {"where", report->fault->where}};
    if (file.modes.fast_fmad) json["fast_fmad"] = true;
    json["statistics"] = statistics_json(engine.statistics());
    if (options.stats) json["stats"] = profile_json(profile);
    json["checksum"] = fmt::format("{:#018x}", bound->checksum());
    json["outputs"] = Json::array();
    for (const ComputeRange& range : file.outputs) json["outputs"].push_back(range_json(*bound, range));
    if (!file.expectations.empty()) json["expect"] = mismatch ? "mismatch" : "ok";
    if (mismatch) json["mismatch"] = *mismatch;
    if (options.out.empty())
      print_json(json);
    else if (const Status written = write_file(options.out, json.dump(1) + "\n"); !written)
      return fail(written.error());
  } else {
    if (!options.out.empty()) {
      std::vector<std::byte> bytes;
      for (const ComputeRange& range : file.outputs) {
        const auto from = bound->memory()[range.piece].begin() + static_cast<std::ptrdiff_t>(range.offset);
        bytes.insert(bytes.end(), from, from + static_cast<std::ptrdiff_t>(range.count * 4));
      }
      if (const Status written = write_file(options.out, bytes); !written) return fail(written.error());
    }
    constexpr std::size_t kShown = 8;
    for (const ComputeRange& range : file.outputs) {
      const std::size_t count = options.all ? range.count : std::min(kShown, range.count);
      fmt::print("{}\n", range.name);
      for (std::size_t k = 0; k < count; ++k)
        fmt::print("  {:6}  {}\n", k, BoundCompute::number(range.format, bound->word(range, k)));
      if (count < range.count)
        fmt::print("  ... and {} more (--all prints them, --out and --json give them)\n",
                   range.count - count);
    }
    fmt::print("checksum {:#018x}\n", bound->checksum());
    if (options.stats) print_profile(profile);
  }
  const bool sound = report_fault(*report);
  if (mismatch) {
    fmt::print(stderr, "warpjit: mismatch: {}\n", *mismatch);
    return kMismatch;
  }
  return sound ? kOk : kFault;
}

namespace {

// The first byte of memory that differs.
std::optional<std::string> difference(const BoundCompute& bound,
                                      const std::vector<std::vector<std::byte>>& reference) {
  for (std::size_t k = 0; k < reference.size(); ++k) {
    const auto [a, b] = std::mismatch(reference[k].begin(), reference[k].end(), bound.memory()[k].begin());
    if (a != reference[k].end())
      return fmt::format("{}[{:#x}]", bound.file().memory[k].name,
                         bound.file().memory[k].address + (a - reference[k].begin()));
  }
  return std::nullopt;
}

// What the first engine that ran left behind.
struct Reference {
  std::vector<std::vector<std::byte>> memory;
  bool faulted = false;
};

// One engine's line of a verification.
struct Verdict {
  std::string text;
  int exit = kOk;
};

Verdict verify_on(BoundCompute& bound, const Engine& engine, const RunOptions& run,
                  std::optional<Reference>& reference) {
  const auto report = bound.run(engine, run);
  if (!report) {
    const ErrorCode code = report.error().code;
    const std::string text = fmt::format("{}: {}", warpjit::name(code), to_string(report.error()));
    // What only the guest interpreter can run is no disagreement.
    if (code == ErrorCode::unsupported) return {text, kOk};
    return {text, reference ? int{kMismatch} : exit_code(code)};
  }
  Verdict verdict{fmt::format("checksum {:#018x}", bound.checksum()), kOk};
  const auto wrong = [&](const std::string& text) {
    verdict.text += text;
    verdict.exit = kMismatch;
  };
  if (report->fault) verdict.text += "  fault: " + report->fault->what;
  if (const auto mismatch = bound.mismatch()) wrong("  NOT AS EXPECTED: " + *mismatch);
  if (!reference) {
    reference = Reference{bound.memory(), report->fault.has_value()};
    return verdict;
  }
  if (const auto place = difference(bound, reference->memory)) wrong("  DIFFERS at " + *place);
  if (report->fault.has_value() != reference->faulted)
    wrong(reference->faulted ? "  NO FAULT" : "  A FAULT of this engine only");
  return verdict;
}

}  // namespace

int verify_compute(const ComputeOptions& options, const std::vector<std::string>& engines, bool dispatch) {
  auto bound = load(options.input);
  if (!bound) return fail(bound.error());
  const Engine engine;
  const auto choices = choose_engines(engine, engines);
  if (!choices) return fail(choices.error());
  for (const std::string& text : choices->unusable) fmt::print(stderr, "warpjit: skipped {}\n", text);
  if (choices->usable.empty()) return kTargetUnavailable;
  std::optional<Reference> reference;
  Json list = Json::array();
  int exit = kOk;
  for (const EngineChoice& choice : choices->usable)
    for (const bool dispatched : {false, true}) {
      if (dispatched && (!dispatch || choice.engine == EngineKind::guest)) continue;
      RunOptions run = options.input.on(choice.engine, choice.target);
      engine.state().set_hooks({.dispatch_all = dispatched});
      const Verdict verdict = verify_on(*bound, engine, run, reference);
      if (verdict.exit != kOk) exit = verdict.exit;
      const std::string label = name(choice) + (dispatched ? "+dispatch" : "");
      list.push_back({{"engine", label}, {"ok", verdict.exit == kOk}, {"text", verdict.text}});
      if (!options.json) fmt::print("{:16} {}\n", label, verdict.text);
    }
  if (options.json)
    print_json({{"launch", bound->file().name},
                {"ok", exit == kOk},
                {"engines", list},
                {"skipped", choices->unusable}});
  else
    fmt::print("{}\n", exit == kOk         ? "all agree"
                       : exit == kMismatch ? "MISMATCH"
                                           : "the kernel does not run to its end");
  return exit;
}

int bench_compute(const ComputeOptions& options, const std::vector<std::string>& engines, double seconds,
                  const std::string& chart) {
  auto bound = load(options.input);
  if (!bound) return fail(bound.error());
  const Engine engine;
  const auto choices = choose_engines(engine, engines);
  if (!choices) return fail(choices.error());
  for (const std::string& text : choices->unusable) fmt::print(stderr, "warpjit: skipped {}\n", text);
  Json list = Json::array();
  BarChart bars{bound->file().name,
                "M threads/s (log)",
                {},
                {{fmt::format("{} threads", bound->file().threads()), {}}}};
  double first = 0;
  if (!options.json)
    fmt::print("{}: {} threads\n{:10} {:>14} {:>12} {:>10} {:>12}\n", bound->file().name,
               bound->file().threads(), "engine", "M threads/s", "ns/thread", "x first", "compile us");
  for (const EngineChoice& choice : choices->usable) {
    const RunOptions run = options.input.on(choice.engine, choice.target);
    std::vector<double> compiles;
    for (int k = 0; k < 15; ++k) {
      engine.clear_cache();
      const Clock::time_point before = Clock::now();
      const auto compiled = engine.compile(bound->launch(), run);
      if (!compiled) return fail(compiled.error());
      compiles.push_back(seconds_since(before) * 1e6);
    }
    std::nth_element(compiles.begin(), compiles.begin() + 7, compiles.end());
    double best = 1e300;
    const Clock::time_point start = Clock::now();
    do {
      const auto report = bound->run(engine, run);
      if (!report) return fail(report.error());
      best = std::min(best, static_cast<double>(report->run_ns) * 1e-9);
    } while (seconds_since(start) < seconds);
    const double rate = static_cast<double>(bound->file().threads()) / best;
    if (first == 0) first = rate;
    list.push_back({{"engine", name(choice)}, {"threads_per_second", rate}, {"compile_us", compiles[7]}});
    bars.series.push_back(name(choice));
    bars.groups[0].values.push_back(rate / 1e6);
    if (!options.json)
      fmt::print("{:10} {:>14.3f} {:>12.2f} {:>10.2f} {:>12.1f}\n", name(choice), rate / 1e6, 1e9 / rate,
                 rate / first, compiles[7]);
  }
  if (!chart.empty()) {
    if (const Status written = write_chart(bars, chart); !written) return fail(written.error());
    fmt::print(stderr, "chart: {}\n", chart);
  }
  if (options.json)
    print_json({{"launch", bound->file().name},
                {"threads", bound->file().threads()},
                {"results", list},
                {"skipped", choices->unusable}});
  return kOk;
}

namespace {
Result<tesla::Program> load_kernel(const ProgramInput& input) {
  if (!input.entry.empty() && is_launch_file(input.file))
    return Error{ErrorCode::bad_input, "a launch file names its entry itself; --entry is for programs",
                 input.file};
  if (!is_launch_file(input.file)) return read_kernel(input.file, input.entry);
  WARPJIT_TRY(ComputeFile file, read_compute_launch(input.file));
  return std::move(file.program);
}
}  // namespace

int disassemble_compute(const ProgramInput& input, const std::string& out, bool json) {
  const auto program = load_kernel(input);
  if (!program) return fail(program.error());
  const std::string text = tesla::disassemble(*program);
  if (json) {
    print_json({{"kernel", program->name}, {"text", text}});
  } else if (out.empty()) {
    fmt::print("{}", text);
  } else if (const Status written = write_file(out, text); !written) {
    return fail(written.error());
  }
  return kOk;
}

int info_compute(const std::string& file, bool json) {
  tesla::Container container;
  if (is_launch_file(file)) {
    auto program = load_kernel({file, {}});
    if (!program) return fail(program.error());
    container.programs.push_back(std::move(*program));
  } else {
    auto read = read_kernels(file);
    if (!read) return fail(read.error());
    container = std::move(*read);
  }
  Json list = Json::array();
  for (const tesla::Program& program : container.programs) {
    Json constants = Json::array();
    for (const tesla::ConstantSegment& c : program.constants)
      constants.push_back({{"space", fmt::format("c{}", c.space)}, {"offset", c.offset}, {"bytes", c.bytes}});
    list.push_back({{"kernel", program.name},
                    {"words", program.code.size()},
                    {"registers", program.registers},
                    {"shared", program.shared_bytes},
                    {"local", program.local_bytes},
                    {"constants", constants}});
    if (json) continue;
    fmt::print("kernel {}: {} words, {} registers, {} bytes of s[], {} bytes of l[]\n",
               program.name.empty() ? "(unnamed)" : program.name, program.code.size(), program.registers,
               program.shared_bytes, program.local_bytes);
    for (const tesla::ConstantSegment& c : program.constants)
      fmt::print("  c{}[{:#x}]: {} bytes {}\n", c.space, c.offset, c.bytes, c.name);
  }
  if (json) print_json({{"isa", "tesla"}, {"kernels", std::move(list)}});
  return kOk;
}

int assemble_compute(const std::string& file, const std::string& out, bool json) {
  const auto container = read_kernels(file);
  if (!container) return fail(container.error());
  if (!out.empty()) {
    if (const Status written = write_file(out, tesla::write_text_cubin(*container)); !written)
      return fail(written.error());
    fmt::print(stderr, "{}: {} kernel{}\n", out, container->programs.size(),
               container->programs.size() == 1 ? "" : "s");
  }
  if (!json) return kOk;
  const auto program = tesla::select_program(*container, {});
  if (!program) return fail(program.error());
  Json words = Json::array();
  for (const std::uint32_t word : program->code) words.push_back(hex(word));
  print_json({{"kernel", program->name}, {"words", std::move(words)}});
  return kOk;
}

std::string ComputeCode::instruction(std::uint32_t address) const {
  const auto decoded = tesla::decode(program.type, program.code, address);
  return decoded ? tesla::disassemble(*decoded) : std::string();
}

Result<ComputeCode> translate_compute(const ProgramInput& input, bool dispatch) {
  ComputeCode code;
  std::optional<Launch> launch;
  if (is_launch_file(input.file)) {
    WARPJIT_TRY(ComputeFile file, read_compute_launch(input.file));
    WARPJIT_TRY(BoundCompute bound, BoundCompute::make(std::move(file)));
    code.program = bound.file().program;
    launch = std::move(bound.launch());
  } else {
    WARPJIT_TRY(code.program, read_kernel(input.file, input.entry));
    WARPJIT_TRY(auto shader, tesla::Shader::make(code.program));
    launch.emplace(Program(std::move(shader)));
    launch->set_block(256);
  }
  runtime::LaunchState& state = launch->state();
  WARPJIT_CHECK(state.check());
  WARPJIT_TRY(const frontend::Facts facts, state.facts(0));
  WARPJIT_TRY(frontend::Shader::Translation translation, state.shader->translate(facts, dispatch));
  code.function = std::move(translation.function);
  return code;
}

}  // namespace warpjit::tool
