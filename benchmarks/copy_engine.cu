// SPDX-License-Identifier: MIT
// One block stores a tile of 8 rows of 32 words as STORED says (0: not at all, 1: a word a thread, 2: by the copy engine); another launch
// reads it as READ says (1: a word a thread, 2: by the copy engine). The functions are those of a printed kernel. How many rows are
// stored or read is STORED_ROWS and READ_ROWS, or what the descriptor says.
extern "C" __global__ void __launch_bounds__(256, 1) stores(const __grid_constant__ BoxMap tile_boxes, int* __restrict__ tile, int* __restrict__ out) {
  extern __shared__ unsigned char shared_memory[];
  const unsigned words = (shared_address(shared_memory) + 1023) & ~1023u;
  const int thread = threadIdx.x;
#if STORED == 1
  if (thread / 32 < STORED_ROWS) tile[thread] = 1000 + thread;
#elif STORED == 2
  at<int>(words + 4 * thread) = 1000 + thread;
  proxy_fence();
  __syncthreads();
  if (thread == 0) {
    box_store(&tile_boxes, words, 0, 0);
    store_commit();
    store_wait<0>();
  }
#endif
}
extern "C" __global__ void __launch_bounds__(256, 1) reads(const __grid_constant__ BoxMap tile_boxes, int* __restrict__ tile, int* __restrict__ out) {
  extern __shared__ unsigned char shared_memory[];
  const unsigned words = (shared_address(shared_memory) + 1023) & ~1023u, full = words + 1024;
  const int thread = threadIdx.x;
#if READ == 1
  out[thread] = thread / 32 < READ_ROWS ? tile[thread] : 0;
#elif READ == 2
  if (thread == 0) {
    barrier_init(full, 1);
    barrier_init_fence();
  }
  __syncthreads();
  if (thread == 0) {
    barrier_expect(full, 1024);
    box_load(words, &tile_boxes, full, keep, 0, 0);
  }
  barrier_wait(full, 0);
  out[thread] = at<int>(words + 4 * thread);
#endif
}
