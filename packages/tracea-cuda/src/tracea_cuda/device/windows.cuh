// Walks over the windows of images (im2col): c, x, y and n are where the first one begins, right and down which element of each is loaded.
INLINE void windows_load(unsigned target, const BoxMap* map, unsigned barrier, int c, int x, int y, int n, int right, int down) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6}], [%2], {%7, %8};"
      ::"r"(target), "l"(map), "r"(barrier), "r"(c), "r"(x), "r"(y), "r"(n), "h"((unsigned short)right), "h"((unsigned short)down) : "memory");
}
INLINE void windows_load_shared(
    unsigned target, const BoxMap* map, unsigned barrier, unsigned short blocks, int c, int x, int y, int n, int right, int down) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster"
      " [%0], [%1, {%4, %5, %6, %7}], [%2], {%8, %9}, %3;"
      ::"r"(target), "l"(map), "r"(barrier), "h"(blocks), "r"(c), "r"(x), "r"(y), "r"(n), "h"((unsigned short)right), "h"((unsigned short)down)
      : "memory");
}
