// The C interface: runs, compilations, and their reports.
#include <atomic>

#include "runtime/api/c/boundary.h"

namespace warpjit::c_api {

Result<RunOptions> run_options(const warpjit_run_options* from) {
  WARPJIT_TRY(const warpjit_run_options given, read(from, "options"));
  WARPJIT_CHECK(check_flags(given.flags, WARPJIT_RUN_BACKGROUND | WARPJIT_RUN_GENERIC));
  RunOptions options;
  WARPJIT_TRY(options.engine, enumerator(given.engine, EngineKind::guest, "engine"));
  WARPJIT_TRY(options.target, enumerator(given.target, Target::a64_fp16, "target"));
  options.threads = given.threads;
  if (given.fuel != 0) options.fuel = given.fuel;
  options.background = (given.flags & WARPJIT_RUN_BACKGROUND) != 0;
  options.generic = (given.flags & WARPJIT_RUN_GENERIC) != 0;
  static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));
  options.cancel = reinterpret_cast<const std::atomic<std::uint32_t>*>(given.cancel);
  return options;
}

warpjit_report to_c(const CompileReport& report) {
  warpjit_report result{};
  result.engine = static_cast<std::int32_t>(report.engine);
  result.target = static_cast<std::int32_t>(report.target);
  result.lanes = report.lanes;
  result.threads = 1;
  result.cache_hit = report.cache_hit;
  result.generic = report.generic;
  result.ordered = report.ordered;
  result.code_bytes = report.code_bytes;
  result.compile_ns = nanoseconds(report.compile_time());
  result.translate_ns = nanoseconds(report.translate_time);
  result.passes_ns = nanoseconds(report.passes_time);
  result.backend_ns = nanoseconds(report.backend_time);
  result.place_ns = nanoseconds(report.place_time);
  copy_text(report.interpreted_because, result.interpreted_because);
  return result;
}
warpjit_report to_c(const Report& report) {
  warpjit_report result = to_c(static_cast<const CompileReport&>(report));
  result.work = static_cast<std::int32_t>(report.work);
  result.threads = report.threads;
  result.run_ns = nanoseconds(report.run_time);
  result.vertex_ns = nanoseconds(report.vertex_time);
  result.interpreted = report.interpreted;
  result.invocations = report.invocations;
  result.triangles = report.triangles;
  result.primitives = report.primitives;
  result.groups = report.groups;
  const DrawCounts& draw = report.draw;
  result.draw = {draw.primitives, draw.missing,      draw.not_finite,     draw.outside,
                 draw.culled,     draw.empty,        draw.beside,         draw.covered,
                 draw.discarded,  draw.alpha_failed, draw.stencil_failed, draw.depth_failed};
  if (report.fault) {
    result.fault = 1;
    copy_text(report.fault->where, result.fault_where);
    copy_text(report.fault->what, result.fault_what);
    result.fault_accesses = report.fault->accesses;
  }
  return result;
}

namespace {

// A call that hands a launch to an engine.
template <class Handed>
warpjit_status hand_over(const warpjit_engine* engine, const warpjit_launch* launch,
                         const warpjit_run_options* options, warpjit_report* report, warpjit_error* error,
                         Result<Handed> (Engine::*what)(const Launch&, const RunOptions&) const) {
  return call(error, {{engine, "engine"}, {launch, "launch"}}, [&]() -> Status {
    WARPJIT_CHECK(check_room(report, "report"));
    WARPJIT_TRY(const RunOptions run, run_options(options));
    WARPJIT_TRY(const Handed done, (engine->engine.*what)(launch->launch, run));
    if (report != nullptr) write(to_c(done), report);
    return {};
  });
}

}  // namespace
}  // namespace warpjit::c_api

using namespace warpjit;
using namespace warpjit::c_api;

void warpjit_store(uint32_t* word, uint32_t value) {
  if (word != nullptr) std::atomic_ref<uint32_t>(*word).store(value, std::memory_order_release);
}

warpjit_status warpjit_engine_run(warpjit_engine* engine, const warpjit_launch* launch,
                                  const warpjit_run_options* options, warpjit_report* report,
                                  warpjit_error* error) {
  return hand_over<Report>(engine, launch, options, report, error, &Engine::run);
}

warpjit_status warpjit_engine_compile(warpjit_engine* engine, const warpjit_launch* launch,
                                      const warpjit_run_options* options, warpjit_report* report,
                                      warpjit_error* error) {
  return hand_over<CompileReport>(engine, launch, options, report, error, &Engine::compile);
}

warpjit_status warpjit_engine_warm(warpjit_engine* engine, const warpjit_launch* launch,
                                   const warpjit_run_options* options, warpjit_compilation** compilation,
                                   warpjit_error* error) {
  return call(error, {{engine, "engine"}, {launch, "launch"}}, [&]() -> Status {
    WARPJIT_TRY(const RunOptions run, run_options(options));
    WARPJIT_TRY(Compilation begun, engine->engine.warm(launch->launch, run));
    if (compilation != nullptr) *compilation = new warpjit_compilation{std::move(begun)};
    return {};
  });
}

// ---- Prepared runs -------------------------------------------------------------------------------------

warpjit_status warpjit_engine_prepare(warpjit_engine* engine, const warpjit_launch* launch,
                                      const warpjit_run_options* options, warpjit_prepared_run** prepared,
                                      warpjit_error* error) {
  return call(error, {{engine, "engine"}, {launch, "launch"}, {prepared, "prepared"}}, [&]() -> Status {
    WARPJIT_TRY(const RunOptions run, run_options(options));
    WARPJIT_TRY(PreparedRun made, engine->engine.prepare(launch->launch, run));
    *prepared = new warpjit_prepared_run{std::move(made)};
    return {};
  });
}

warpjit_status warpjit_prepared_run_run(warpjit_prepared_run* prepared, warpjit_error* error) {
  return call(error, {{prepared, "prepared"}}, [&] { return prepared->run.run(); });
}
void warpjit_prepared_run_destroy(warpjit_prepared_run* prepared) { delete prepared; }

// ---- Compilations in the background --------------------------------------------------------------------

warpjit_status warpjit_compilation_wait(const warpjit_compilation* compilation, uint64_t nanoseconds,
                                        warpjit_report* report, warpjit_error* error) {
  bool pending = false;
  const warpjit_status status = call(error, {{compilation, "compilation"}}, [&]() -> Status {
    WARPJIT_CHECK(check_room(report, "report"));
    pending = nanoseconds != WARPJIT_FOREVER &&
              !compilation->compilation.wait_for(std::chrono::nanoseconds(
                  static_cast<std::int64_t>(std::min<std::uint64_t>(nanoseconds, INT64_MAX))));
    if (pending) return {};
    WARPJIT_TRY(const CompileReport done, compilation->compilation.wait());
    write(to_c(done), report);
    return {};
  });
  return pending ? report_error(WARPJIT_PENDING, {}, error) : status;
}

static_assert(same(Compilation::State::waiting, WARPJIT_COMPILATION_WAITING) &&
              same(Compilation::State::cancelled, WARPJIT_COMPILATION_CANCELLED));
int32_t warpjit_compilation_state(const warpjit_compilation* compilation) {
  return compilation != nullptr ? static_cast<std::int32_t>(compilation->compilation.state()) : -1;
}
int warpjit_compilation_cancel(warpjit_compilation* compilation) {
  return compilation != nullptr && compilation->compilation.cancel() ? 1 : 0;
}
void warpjit_compilation_destroy(warpjit_compilation* compilation) { delete compilation; }
