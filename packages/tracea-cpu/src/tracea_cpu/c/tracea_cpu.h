/* SPDX-License-Identifier: MIT */
/* Launches on the processor, for exported libraries: workers that the first launch starts, and memory that launches borrow.
 *
 * Workers spin and sleep in code that tracea emitted (TRACEA_WORKER and TRACEA_LAUNCH name it in this library). One launch uses them at a
 * time; a caller that finds them busy runs its kernel alone, which is always right because shares only divide the work. There is one worker
 * for each processor that the process may use, or TRACEA_NUM_THREADS of them. The child of a fork has none of its parent's threads, and runs alone.
 */
#ifndef TRACEA_CPU_H
#define TRACEA_CPU_H

#ifndef _GNU_SOURCE
#error "compile with -D_GNU_SOURCE: affinity masks are GNU's"
#endif
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "tracea_library.h"

enum { TRACEA_LINE = 64, TRACEA_POOL_LINES = 7, TRACEA_ORIGIN = 6, TRACEA_BARRIER_BYTES = 2 * TRACEA_LINE };
enum { TRACEA_MOST_WORKERS = 4096, TRACEA_MOST_WORKSPACES = 8, TRACEA_BETWEEN_MOVES_NS = 5000000 };
#define TRACEA_HUGE_PAGE ((size_t)2 << 20)
#define TRACEA_LARGE ((size_t)4 << 20)

typedef void (*TraceaCpuFunction)(void *arguments, int64_t worker, int64_t workers);

typedef struct {
    int64_t (*bytes)(int64_t workers);
    bool per_worker;
} TraceaCpuWorkspace;

/* A kernel with every symbol bound. Its arguments are 8-byte words: pointers, symbols, a barrier, and workspaces. */
typedef struct {
    TraceaCpuFunction run;
    uint32_t pointer_count, symbol_count, workspace_count;
    const int64_t *symbols;
    const TraceaCpuWorkspace *workspaces;
    bool alone;      /* too small for several workers */
    bool meets;      /* its workers wait for each other, so that all have to run at once */
    int64_t shares;  /* parts that are dealt to workers one by one; 0: one for each */
} TraceaCpuKernel;

extern void TRACEA_WORKER(void *pool, int64_t worker);
extern void TRACEA_LAUNCH(void *pool, void *kernel, void *arguments, int64_t workers, int64_t size);
extern void TRACEA_DEAL(void *deal, int64_t worker, int64_t workers);

/* ---- memory that a launch borrows: pieces are kept and used again, the largest first in line */

typedef struct TraceaPiece {
    struct TraceaPiece *next;
    char *begin; /* a multiple of 64 bytes, or of a huge page */
    size_t bytes;
    void *owned;
    size_t mapped; /* bytes of a mapping; 0: malloc's */
} TraceaPiece;

static pthread_mutex_t tracea_arena_lock = PTHREAD_MUTEX_INITIALIZER;
static TraceaPiece *tracea_arena;

static void tracea_free_piece(TraceaPiece *piece) {
    if (piece->mapped) munmap(piece->owned, piece->mapped);
    else free(piece->owned);
    free(piece);
}

/* Memory begins zeroed, as barriers want it; they leave themselves as they were. */
static TraceaPiece *tracea_borrow(size_t bytes) {
    TraceaPiece *piece;
    pthread_mutex_lock(&tracea_arena_lock);
    piece = tracea_arena;
    if (piece != NULL) tracea_arena = piece->next;
    pthread_mutex_unlock(&tracea_arena_lock);
    if (piece != NULL && piece->bytes >= bytes) return piece;
    if (piece != NULL) tracea_free_piece(piece);
    piece = (TraceaPiece *)calloc(1, sizeof *piece);
    if (piece == NULL) return NULL;
    piece->bytes = bytes;
    if (bytes >= TRACEA_LARGE) {
        piece->mapped = bytes + 2 * TRACEA_HUGE_PAGE;
        piece->owned = mmap(NULL, piece->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (piece->owned == MAP_FAILED) piece->owned = NULL;
        if (piece->owned != NULL) {
            madvise(piece->owned, piece->mapped, MADV_HUGEPAGE);
            piece->begin = (char *)(((uintptr_t)piece->owned + TRACEA_HUGE_PAGE - 1) / TRACEA_HUGE_PAGE * TRACEA_HUGE_PAGE);
        }
    } else {
        piece->owned = calloc(1, bytes + TRACEA_LINE);
        piece->begin = (char *)(((uintptr_t)piece->owned + TRACEA_LINE - 1) / TRACEA_LINE * TRACEA_LINE);
    }
    if (piece->owned != NULL) return piece;
    free(piece);
    return NULL;
}

static void tracea_return(TraceaPiece *piece) {
    pthread_mutex_lock(&tracea_arena_lock);
    piece->next = tracea_arena;
    tracea_arena = piece;
    pthread_mutex_unlock(&tracea_arena_lock);
}

/* ---- workers */

static _Alignas(64) char tracea_pool[TRACEA_POOL_LINES * TRACEA_LINE];
static pthread_mutex_t tracea_pool_busy = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t tracea_pool_once = PTHREAD_ONCE_INIT;
static pthread_t tracea_threads[TRACEA_MOST_WORKERS];
static atomic_long tracea_workers = 1;
static int tracea_places[CPU_SETSIZE];
static int tracea_place_count;
static bool tracea_setting_is_wrong;

static long tracea_quota(void) {
    long long quota = 0, period = 0;
    FILE *file = fopen("/sys/fs/cgroup/cpu.max", "r");
    int found = 0;
    if (file != NULL) {
        found = fscanf(file, "%lld %lld", &quota, &period);
        fclose(file);
    }
    return found == 2 && quota > 0 && period > 0 ? (long)((quota + period - 1) / period) : LONG_MAX;
}

static void *tracea_work(void *number) {
    const intptr_t worker = (intptr_t)number;
    if (tracea_place_count) { /* one for each processor: they stay where they are, the first processor is left to callers */
        cpu_set_t place;
        CPU_ZERO(&place);
        CPU_SET(tracea_places[worker], &place);
        (void)pthread_setaffinity_np(pthread_self(), sizeof place, &place);
    }
    TRACEA_WORKER(tracea_pool, worker);
    return NULL;
}

static void tracea_forget_workers(void) {
    atomic_store(&tracea_workers, 1);
    pthread_mutex_init(&tracea_pool_busy, NULL);
    pthread_mutex_init(&tracea_arena_lock, NULL);
}

static void tracea_open_pool(void) {
    const char *text = getenv("TRACEA_NUM_THREADS");
    cpu_set_t mask;
    long wanted = 1, number, usable = 1;
    int processor, count = 0;
    if (sched_getaffinity(0, sizeof mask, &mask) == 0) {
        for (processor = 0; processor < CPU_SETSIZE; ++processor)
            if (CPU_ISSET(processor, &mask)) tracea_places[count++] = processor;
        usable = count;
    }
    wanted = usable < tracea_quota() ? usable : tracea_quota();
    if (text != NULL && *text) {
        char *end;
        const long given = strtol(text, &end, 10);
        tracea_setting_is_wrong = *end != 0 || given < 1 || given > TRACEA_MOST_WORKERS;
        if (!tracea_setting_is_wrong) wanted = given;
    }
    tracea_place_count = wanted == count ? count : 0;
    (void)pthread_atfork(NULL, NULL, tracea_forget_workers);
    for (number = 1; number < wanted; ++number) {
        if (pthread_create(&tracea_threads[number], NULL, tracea_work, (void *)(intptr_t)number) != 0) break; /* a limit on threads */
        atomic_store(&tracea_workers, number + 1);
    }
}

/* Move the worker that shares the caller's processor to the one that was left to callers, unless one was moved just now. Whoever calls
 * holds the pool, and every worker has pinned itself by then. */
static void tracea_make_room(long size) {
    static int64_t moved;
    const int origin = *(const int32_t *)(tracea_pool + TRACEA_ORIGIN * TRACEA_LINE);
    struct timespec now;
    int64_t time;
    long number;
    cpu_set_t place;
    if (!tracea_place_count || origin == tracea_places[0] || clock_gettime(CLOCK_MONOTONIC, &now) != 0) return;
    time = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    if (moved && time - moved < TRACEA_BETWEEN_MOVES_NS) return;
    for (number = 1; number < size && tracea_places[number] != origin; ++number) {}
    if (number == size) return;
    moved = time;
    CPU_ZERO(&place);
    CPU_SET(tracea_places[0], &place);
    if (pthread_setaffinity_np(tracea_threads[number], sizeof place, &place) == 0) {
        tracea_places[number] = tracea_places[0];
        tracea_places[0] = origin;
    }
}

/* Let the workers go before the library's code does. */
__attribute__((destructor)) static void tracea_close_pool(void) {
    long number;
    const long size = atomic_load(&tracea_workers);
    if (size < 2 || pthread_mutex_trylock(&tracea_pool_busy) != 0) return;
    TRACEA_LAUNCH(tracea_pool, NULL, NULL, size, size);
    for (number = 1; number < size; ++number) pthread_join(tracea_threads[number], NULL);
    atomic_store(&tracea_workers, 1);
    pthread_mutex_unlock(&tracea_pool_busy);
}

/* ---- the backend */

#if defined(__x86_64__)
/* Where CPUID tells of a feature: leaf, subleaf, register (eax, ebx, ecx, edx) and bit, and the registers that the system has to save for it
 * (XCR0). Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, CPUID. Compilers have a function for it, which not
 * each of their libraries fills in. */
static const struct {
    const char *name;
    uint32_t leaf, subleaf, place, bit, saved;
} tracea_features[] = {
    {"sse4.2", 1, 0, 2, 20, 0x02},        {"avx", 1, 0, 2, 28, 0x06},           {"fma", 1, 0, 2, 12, 0x06},
    {"bmi", 7, 0, 1, 3, 0x02},            {"bmi2", 7, 0, 1, 8, 0x02},           {"avx2", 7, 0, 1, 5, 0x06},
    {"avx512f", 7, 0, 1, 16, 0xe6},       {"avx512dq", 7, 0, 1, 17, 0xe6},      {"avx512bw", 7, 0, 1, 30, 0xe6},
    {"avx512vl", 7, 0, 1, 31, 0xe6},      {"avx512vnni", 7, 0, 2, 11, 0xe6},    {"avx512bf16", 7, 1, 0, 5, 0xe6},
    {"amx-tile", 7, 0, 3, 24, 0x60000},
};

static bool tracea_processor_has(const char *feature) {
    uint32_t found[4], saved = 0, high;
    size_t i;
    if (!__get_cpuid(1, &found[0], &found[1], &found[2], &found[3]) || !(found[2] >> 27 & 1)) return false; /* no XGETBV */
    __asm__("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
    for (i = 0; i < sizeof tracea_features / sizeof *tracea_features; ++i) {
        if (strcmp(feature, tracea_features[i].name) != 0) continue;
        if (!__get_cpuid_count(tracea_features[i].leaf, tracea_features[i].subleaf, &found[0], &found[1], &found[2], &found[3])) return false;
        if (!(found[tracea_features[i].place] >> tracea_features[i].bit & 1)) return false;
        if ((saved & tracea_features[i].saved) != tracea_features[i].saved) return false;
        /* Linux saves the tiles of a process that has asked for them */
        return strcmp(feature, "amx-tile") != 0 || syscall(SYS_arch_prctl, 0x1023 /* ARCH_REQ_XCOMP_PERM */, 18L /* tile data */) == 0;
    }
    return false;
}
#else
static bool tracea_processor_has(const char *feature) {
    (void)feature;
    return true;
}
#endif

static TraceaStatus tracea_cpu_ready(int32_t device) {
    const char *const *feature;
    if (device != -1) return tracea_fail(TRACEA_INVALID_PARAMS, "the processor is device -1, not %d", device);
    for (feature = tracea_cpu_features; *feature != NULL; ++feature)
        if (!tracea_processor_has(*feature))
            return tracea_fail(TRACEA_UNSUPPORTED_CONFIG, "this processor has no %s, which the library was exported for; export it for this one", *feature);
    pthread_once(&tracea_pool_once, tracea_open_pool);
    if (tracea_setting_is_wrong)
        return tracea_fail(TRACEA_INVALID_PARAMS, "TRACEA_NUM_THREADS is no number of threads; set it to 1 to %d, or unset it", TRACEA_MOST_WORKERS);
    return TRACEA_SUCCESS;
}

static TraceaStatus tracea_cpu_lend(uint64_t bytes, void *stream, void **address) {
    (void)stream;
    *address = aligned_alloc(TRACEA_WORKSPACE_ALIGNMENT, bytes);
    return *address != NULL ? TRACEA_SUCCESS : tracea_fail(TRACEA_CPU_ERROR, "%llu bytes of workspace cannot be allocated", (unsigned long long)bytes);
}

static void tracea_cpu_take_back(void *address, void *stream) {
    (void)stream;
    free(address);
}

static TraceaStatus tracea_cpu_launch(const TraceaStep *step, void *const *addresses, void *stream) {
    const TraceaCpuKernel *kernel = (const TraceaCpuKernel *)step->kernel;
    const long size = atomic_load(&tracea_workers);
    const bool together = size > 1 && !kernel->alone && pthread_mutex_trylock(&tracea_pool_busy) == 0;
    const int64_t planned = kernel->alone ? 1 : size; /* what memory is for, so that it does not depend on who is busy */
    const int64_t shares = planned > 1 && !kernel->meets && kernel->shares > planned ? kernel->shares : 0;
    const uint32_t words = kernel->pointer_count + kernel->symbol_count + 1 + kernel->workspace_count;
    int64_t sizes[TRACEA_MOST_WORKSPACES];
    int64_t *block;
    size_t bytes = TRACEA_BARRIER_BYTES;
    const size_t head = 2 * TRACEA_LINE + sizeof(int64_t) * (5 + TRACEA_MOST_WORKSPACES);
    TraceaPiece *piece;
    char *place;
    uint32_t i;
    (void)stream;
    for (i = 0; i < kernel->workspace_count; ++i) {
        sizes[i] = (kernel->workspaces[i].bytes(shares ? shares : planned) + TRACEA_LINE - 1) / TRACEA_LINE * TRACEA_LINE;
        bytes += (size_t)sizes[i] * (size_t)(kernel->workspaces[i].per_worker ? planned : 1);
    }
    /* behind what the kernel works in: its arguments, and what says how its shares are dealt */
    piece = tracea_borrow(bytes + head + TRACEA_LINE + sizeof(int64_t) * words);
    if (piece == NULL) {
        if (together) pthread_mutex_unlock(&tracea_pool_busy);
        return tracea_fail(TRACEA_CPU_ERROR, "%llu bytes of workspace cannot be allocated", (unsigned long long)bytes);
    }
    block = (int64_t *)(piece->begin + bytes + (head + TRACEA_LINE - 1) / TRACEA_LINE * TRACEA_LINE);
    for (i = 0; i < kernel->pointer_count; ++i) block[i] = (int64_t)(intptr_t)addresses[i];
    memcpy(block + kernel->pointer_count, kernel->symbols, sizeof(int64_t) * kernel->symbol_count);
    place = piece->begin;
    block[words - kernel->workspace_count - 1] = (int64_t)(intptr_t)place;
    place += TRACEA_BARRIER_BYTES;
    for (i = 0; i < kernel->workspace_count; ++i) {
        block[words - kernel->workspace_count + i] = (int64_t)(intptr_t)place;
        place += (size_t)sizes[i] * (size_t)(kernel->workspaces[i].per_worker ? planned : 1);
    }
    if (!together) {
        kernel->run(block, 0, 1);
    } else if (shares) {
        char *deal = piece->begin + bytes;
        int64_t *facts = (int64_t *)(deal + TRACEA_LINE);
        *(int64_t *)deal = 0;
        facts[0] = (int64_t)(intptr_t)kernel->run;
        facts[1] = (int64_t)(intptr_t)block;
        facts[2] = shares;
        facts[3] = words;
        facts[4] = words - kernel->workspace_count;
        for (i = 0; i < kernel->workspace_count; ++i) facts[5 + i] = kernel->workspaces[i].per_worker ? sizes[i] : 0;
        TRACEA_LAUNCH(tracea_pool, (void *)(intptr_t)TRACEA_DEAL, deal, size, size);
    } else {
        TRACEA_LAUNCH(tracea_pool, (void *)(intptr_t)kernel->run, block, size, size);
    }
    if (together) {
        tracea_make_room(size);
        pthread_mutex_unlock(&tracea_pool_busy);
    }
    tracea_return(piece);
    return TRACEA_SUCCESS;
}

static const TraceaBackend tracea_backend = {
    TRACEA_CPU_ERROR, tracea_cpu_ready, tracea_cpu_lend, tracea_cpu_take_back, tracea_cpu_launch};
#endif
