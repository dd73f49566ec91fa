// SPDX-License-Identifier: MIT
// Two blocks of a cluster: half of the threads of each write 128 words to its shared memory, they meet as MEETING says, and each reads
// the other's words. The functions are those of a printed kernel whose clusters divide k.
extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(256, 1) meeting(int* __restrict__ out) {
  extern __shared__ unsigned char shared_memory[];
  const unsigned words = (shared_address(shared_memory) + 1023) & ~1023u, written = words + 512, read = words + 520;
  const int thread = threadIdx.x, rank = blockIdx.x % 2;
  const bool works = thread < 128;
  int written_phase = 0, read_phase = 0;
  if (thread == 0) {
    barrier_init(written, 2);
    barrier_init(read, 2);
    barrier_init_fence();
  }
  cluster_sync();
#if MEETING == 4
  if (works) at<int>(words + 4 * thread) = 2000 * rank + thread;
  __syncthreads();
  if (works) meet(written, 2, thread, written_phase);
  if (works) out[blockIdx.x * 128 + thread] = in_block<int>(1 - rank, words + 4 * (thread ^ 1));
  __syncthreads();
  if (works) meet(read, 2, thread, read_phase);
  __syncthreads();
#endif
#if MEETING == 5
  for (int round = 0; works && rank == 1 && round < 3000; ++round) *(volatile int*)&at<int>(words + 1024 + 4 * thread) = round;
#endif
  if (works) at<int>(words + 4 * thread) = 1000 * rank + thread;
#if MEETING == 1 || MEETING == 4
  __syncthreads();
  if (works) meet(written, 2, thread, written_phase);
#elif MEETING == 2
  cluster_sync();
#elif MEETING == 3 || MEETING == 5
  if (works) {
    named_barrier(1, 128);
    meet(written, 2, thread, written_phase);
  }
#endif
  if (works) out[blockIdx.x * 128 + thread] = in_block<int>(1 - rank, words + 4 * (thread ^ 1));
  cluster_sync();  // nobody leaves while its words are read
}
