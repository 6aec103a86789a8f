void example(const warpjit::Launch& launch) {
  // the block
}
