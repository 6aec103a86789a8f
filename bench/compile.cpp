// Compile time of the four example vertex shaders and of one of 400 instructions. "stages": the stages called
// one after the other, median microseconds of each as counters. "engine": Engine::compile with an empty
// cache, from guest words to a kernel that can be run.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "backend/host.h"
#include "backend/workspace.h"
#include "frontend/pica200/assembly/assemble.h"
#include "frontend/pica200/container/shbin.h"
#include "frontend/pica200/shader.h"
#include "ir/pipeline.h"
#include "launch/bound_launch.h"
#include "launch/read_launch.h"
#include "runtime/code/code_memory.h"
#include "warpjit/pica200.hpp"

namespace {

using namespace warpjit;
using Clock = std::chrono::steady_clock;

constexpr const char* kShaders[] = {"mvp_light", "skin_loop", "branchy", "breakc_loop"};

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Microseconds of each stage over many compilations. A name that comes again in one compilation is a stage of
// its own ("simplify.2").
class StageTimes {
 public:
  // Begins a compilation; resume() goes on with it after something that does not count.
  void start() {
    seen_.clear();
    resume();
  }
  void resume() { last_ = Clock::now(); }
  void stage(std::string name) {
    const Clock::time_point now = Clock::now();
    if (const unsigned times = ++seen_[name]; times > 1) name += "." + std::to_string(times);
    const auto place =
        std::find_if(stages_.begin(), stages_.end(), [&](const Stage& stage) { return stage.name == name; });
    Stage& stage = place != stages_.end() ? *place : stages_.emplace_back(Stage{name, {}});
    stage.times.push_back(std::chrono::duration<double, std::micro>(now - last_).count());
    resume();
  }
  void report(benchmark::State& state) const {
    unsigned number = 0;  // counters are printed in the order of their names
    for (const Stage& stage : stages_) {
      char name[64];
      std::snprintf(name, sizeof name, "%02u_%s", ++number, stage.name.c_str());
      state.counters[name] = median(stage.times);
    }
  }

 private:
  struct Stage {
    std::string name;
    std::vector<double> times;
  };
  std::vector<Stage> stages_;
  std::map<std::string, unsigned> seen_;
  Clock::time_point last_;
};

// One compilation, stage by stage, as the engine makes it. Lowering and allocation run a second time on their
// own, because backend::compile is one call.
Status compile_once(std::span<const std::byte> bytes, const frontend::Facts& facts, backend::Target target,
                    backend::Workspace::State& scratch, runtime::CodeMemory& memory, StageTimes& times) {
  times.start();
  WARPJIT_TRY(const pica200::Container container, pica200::read_shbin(bytes, "shader"));
  WARPJIT_TRY(pica200::Program program, pica200::select_program(container));
  WARPJIT_TRY(const auto shader, pica200::Shader::make(std::move(program)));
  times.stage("decode");
  WARPJIT_TRY(frontend::Shader::Translation translation, shader->translate(facts, false));
  times.stage("translate");
  ir::PipelineOptions pipeline = backend::pipeline_options(target);
  pipeline.assume_no_zero_inf = true;
  WARPJIT_TRY(const ir::GroupProgram group, ir::run_pipeline(std::move(translation.function), pipeline));
  times.stage("passes");
  WARPJIT_TRY(const backend::MachineCode code, backend::compile(group, target, {}));
  times.stage("backend");
  runtime::CodeLabel label{"shader", code.map};
  WARPJIT_TRY(const runtime::CodeMemory::Block block, memory.place(code.bytes, std::move(label)));
  times.stage("place");

  const backend::Host& host = *backend::find_host(target);
  backend::ConstantPool pool(host.pool_repeat);
  std::vector<backend::CallSite> call_sites;
  std::vector<backend::PointerPlace> pointers;
  times.resume();
  host.lower(group.kernel, host, backend::Role{call_sites, pointers}, pool, code.parts, scratch.kernel.code);
  lir::eliminate_dead_code(scratch.kernel.code);
  times.stage("backend:lower");
  scratch.kernel.allocator.run(scratch.kernel.code, host.register_file(host, 0));
  times.stage("backend:allocate");
  return {};
}

struct Prepared {
  std::vector<std::byte> bytes;
  tool::BoundLaunch bound;
  frontend::Facts facts;
};
Result<Prepared> prepare(const std::string& shader) {
  WARPJIT_TRY(std::vector<std::byte> bytes, tool::read_file(WARPJIT_EXAMPLES + shader + ".shbin"));
  WARPJIT_TRY(tool::LaunchFile file, tool::read_launch(WARPJIT_EXAMPLES + shader + ".json"));
  WARPJIT_TRY(tool::BoundLaunch bound, tool::BoundLaunch::make(std::move(file)));
  WARPJIT_TRY(frontend::Facts facts, bound.facts());
  return Prepared{std::move(bytes), std::move(bound), facts};
}

void measure_stages(benchmark::State& state, const std::string& shader, backend::Target target) {
  const auto prepared = prepare(shader);
  if (!prepared) return state.SkipWithError(to_string(prepared.error()).c_str());
  const auto memory = runtime::CodeMemory::create(CodeMemory::automatic);
  if (!memory) return state.SkipWithError(to_string(memory.error()).c_str());
  backend::Workspace::State scratch;
  StageTimes times;
  for (auto iteration : state) {
    if (const Status status =
            compile_once(prepared->bytes, prepared->facts, target, scratch, **memory, times);
        !status)
      return state.SkipWithError(to_string(status.error()).c_str());
  }
  times.report(state);
}

// Each pass on its own; the observer costs a little, so these are not part of the sum.
void measure_passes(benchmark::State& state, const std::string& shader) {
  const auto prepared = prepare(shader);
  if (!prepared) return state.SkipWithError(to_string(prepared.error()).c_str());
  StageTimes times;
  for (auto iteration : state) {
    auto translation =
        frontend::shader_of(prepared->bound.launch().program()).translate(prepared->facts, false);
    if (!translation) return state.SkipWithError(to_string(translation.error()).c_str());
    times.start();
    const auto group =
        ir::run_pipeline(std::move(translation->function), {},
                         [&](std::string_view name, const ir::Function&) { times.stage(std::string(name)); });
    if (!group) return state.SkipWithError(to_string(group.error()).c_str());
  }
  times.report(state);
}

// Fifty lights, each of a product of two vectors' lengths and a colour:
// eight instructions whose results are all needed.
Result<Launch> four_hundred_instructions() {
  std::string source = ".in position v0\n.in normal v1\n.out clip position\n.out colour color\n.proc main\n";
  for (unsigned light = 0; light < 50; ++light) {
    const std::string first = "c" + std::to_string(light), second = "c" + std::to_string(light + 40);
    source += "add r0, " + first + ", position\n dp3 r1.x, r0, r0\n rsq r1.x, r1.x\n mul r0, r1.xxxx, r0\n" +
              "dp3 r2.x, normal, r0\n max r2.x, " + second + ".wwww, r2.x\n mul r3, " + second +
              ", r2.xxxx\n" + (light == 0 ? "mov r4, r3\n" : "add r4, r3, r4\n");
  }
  source += "mov clip, r0\n mov colour, r4\n end\n.end\n";
  const pica200::SourceFile file{"lights.v.pica", source};
  WARPJIT_TRY(const pica200::Container container, pica200::assemble({&file, 1}));
  WARPJIT_TRY(const Program program, pica200::load_shbin(pica200::write_shbin(container)));
  Launch launch(program);
  static constexpr float kRow[4] = {};
  for (const char* input : {"position", "normal"})
    WARPJIT_CHECK(launch.bind_input(input, {kRow, sizeof kRow, sizeof kRow, f32x4}));
  WARPJIT_CHECK(launch.set_count(1));
  return launch;
}

void measure_engine(benchmark::State& state, const Launch& launch, Target target) {
  const Engine engine;
  RunOptions options;
  options.target = target;
  std::vector<double> times;
  for (auto iteration : state) {
    state.PauseTiming();
    engine.clear_cache();
    const Launch fresh = launch;  // remembers no kernel
    state.ResumeTiming();
    const Clock::time_point before = Clock::now();
    const auto report = engine.compile(fresh, options);
    times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - before).count());
    if (!report) return state.SkipWithError(to_string(report.error()).c_str());
  }
  state.counters["median_us"] = median(times);
}

int fail(const Error& error) {
  std::fprintf(stderr, "%s\n", to_string(error).c_str());
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  const EngineInfo info = Engine().info();
  const auto runs_here = [&](Target target) {
    return info.jit && std::find(info.targets.begin(), info.targets.end(), target) != info.targets.end();
  };
  const auto register_engine = [&](const std::string& name, const Launch& launch, Target target) {
    benchmark::RegisterBenchmark(("engine/" + name + "/" + warpjit::name(target)).c_str(),
                                 [=](benchmark::State& state) { measure_engine(state, launch, target); })
        ->Unit(benchmark::kMicrosecond)
        ->MinTime(0.2);
  };
  for (const std::string shader : kShaders) {
    for (const Target target : kTargets) {
      const std::string name = shader + "/" + warpjit::name(target);
      const backend::Target code_target = *backend::parse_target(warpjit::name(target));
      // Code can be made for a target that this machine does not run.
      benchmark::RegisterBenchmark(("stages/" + name).c_str(), [=](benchmark::State& state) {
        measure_stages(state, shader, code_target);
      })->Unit(benchmark::kMicrosecond);
      if (!runs_here(target)) continue;
      const auto prepared = prepare(shader);
      if (!prepared) return fail(prepared.error());
      register_engine(shader, prepared->bound.launch(), target);
    }
    benchmark::RegisterBenchmark(("passes/" + shader).c_str(), [=](benchmark::State& state) {
      measure_passes(state, shader);
    })->Unit(benchmark::kMicrosecond);
  }
  const auto large = four_hundred_instructions();
  if (!large) return fail(large.error());
  for (const Target target : kTargets)
    if (runs_here(target)) register_engine("400_instructions", *large, target);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
