// SPDX-License-Identifier: MIT
// Two blocks of a cluster: each writes 128 words to its shared memory, they meet as MEETING says, and each reads the other's words.
// The functions are those of a printed kernel whose clusters divide k.
extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(128, 1) meeting(int* __restrict__ out) {
  extern __shared__ unsigned char shared_memory[];
  const unsigned words = (shared_address(shared_memory) + 1023) & ~1023u, barrier = words + 512;
  const int thread = threadIdx.x, rank = blockIdx.x % 2;
  int phase = 0;
  if (thread == 0) {
    barrier_init(barrier, 2);
    barrier_init_fence();
  }
  cluster_sync();
  at<int>(words + 4 * thread) = 1000 * rank + thread;
#if MEETING == 1
  __syncthreads();
  meet(barrier, 2, thread, phase);
#elif MEETING == 2
  cluster_sync();
#endif
  out[blockIdx.x * 128 + thread] = in_block<int>(1 - rank, words + 4 * (thread ^ 1));
  cluster_sync();  // nobody leaves while its words are read
}
