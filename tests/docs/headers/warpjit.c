void example(void) {
  // the block
  (void)options;
}
