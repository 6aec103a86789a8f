warpjit::Status record(warpjit::CaptureSink sink, void* context, const warpjit::Engine& engine,
                       const warpjit::Launch& launch) {
  // the block
  return {};
}
