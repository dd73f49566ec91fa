// SPDX-License-Identifier: MIT
// SYCL for Python: devices, kernels from source, launches, memory that host and device share. Compiled where it runs, against the headers
// of the runtime that is installed, since SYCL has no interface of C. Functions that fail say why in `said` and return null or -1.
#define SYCL_DISABLE_FSYCL_SYCLHPP_WARNING
#include <cstdio>
#include <cstring>
#include <string>

#include <sycl/sycl.hpp>

namespace experimental = sycl::ext::oneapi::experimental;

namespace {

void say(char* said, size_t room, const std::string& text) { std::snprintf(said, room, "%s", text.c_str()); }

template <class Result, class Work>
Result guarded(char* said, size_t room, Result failed, Work work) {
  try {
    return work();
  } catch (const std::exception& error) {
    say(said, room, error.what());
    return failed;
  }
}

std::string described(sycl::device device) {
  namespace info = sycl::info::device;
  std::string lanes;
  for (size_t size : device.get_info<info::sub_group_sizes>()) lanes += (lanes.empty() ? "" : " ") + std::to_string(size);
  const std::string fields[] = {
      device.get_info<info::name>(),
      device.get_info<info::vendor>(),
      device.get_platform().get_info<sycl::info::platform::name>(),
      device.get_info<info::driver_version>(),
      device.is_cpu() ? "1" : "0",
      device.has(sycl::aspect::usm_system_allocations) ? "1" : "0",
      device.has(sycl::aspect::usm_shared_allocations) ? "1" : "0",
      device.ext_oneapi_can_build(experimental::source_language::sycl) ? "1" : "0",
      lanes,
      std::to_string(device.get_info<info::max_compute_units>()),
      std::to_string(device.get_info<info::max_clock_frequency>()),
      std::to_string(device.get_info<info::local_mem_size>()),
      std::to_string(device.get_info<info::max_work_group_size>()),
      std::to_string(device.get_info<info::global_mem_size>()),
  };
  std::string line;
  for (const std::string& field : fields) line += (line.empty() ? "" : "\t") + field;
  return line;
}

}  // namespace

extern "C" {

int tracea_devices(char* said, size_t room) {
  return guarded(said, room, -1, [&] {
    std::string text;
    int count = 0;
    for (const sycl::device& device : sycl::device::get_devices()) text += described(device) + "\n", ++count;
    say(said, room, text);
    return count;
  });
}

void* tracea_open(int number, char* said, size_t room) {
  return guarded<void*>(said, room, nullptr, [&]() -> void* { return new sycl::queue(sycl::device::get_devices().at(number)); });
}

void tracea_close(void* queue) { delete static_cast<sycl::queue*>(queue); }

void* tracea_build(void* opened, const char* text, const char* entry, const char* option, char* said, size_t room) {
  return guarded<void*>(said, room, nullptr, [&]() -> void* {
    auto& queue = *static_cast<sycl::queue*>(opened);
    auto source = experimental::create_kernel_bundle_from_source(queue.get_context(), experimental::source_language::sycl, std::string(text));
    const experimental::properties options{experimental::build_options{std::string(option)}};
    return new sycl::kernel(experimental::build(source, {queue.get_device()}, options).ext_oneapi_get_kernel(entry));
  });
}

void tracea_drop(void* kernel) { delete static_cast<sycl::kernel*>(kernel); }

// Arguments in order: pointers, then integers of 4 (`wide` 0) or 8 bytes, then `chunks` of 16 bytes of local memory where there are any.
int tracea_launch(void* opened, void* kernel, size_t blocks, size_t threads, size_t chunks, int pointers, void** addresses, int integers,
                  const char* wide, const long long* values, char* said, size_t room) {
  return guarded(said, room, -1, [&] {
    static_cast<sycl::queue*>(opened)
        ->submit([&](sycl::handler& handler) {
          int place = 0;
          for (int i = 0; i < pointers; ++i) handler.set_arg(place++, addresses[i]);
          for (int i = 0; i < integers; ++i) {
            if (wide[i]) handler.set_arg(place++, values[i]);
            else handler.set_arg(place++, int(values[i]));
          }
          if (chunks) handler.set_arg(place++, sycl::local_accessor<sycl::vec<unsigned, 4>, 1>(sycl::range<1>(chunks), handler));
          handler.parallel_for(sycl::nd_range<1>(sycl::range<1>(blocks * threads), sycl::range<1>(threads)), *static_cast<sycl::kernel*>(kernel));
        })
        .wait_and_throw();
    return 0;
  });
}

void* tracea_allocate(void* opened, size_t bytes, size_t alignment, char* said, size_t room) {
  return guarded<void*>(said, room, nullptr, [&]() -> void* {
    void* found = sycl::aligned_alloc_shared(alignment, bytes, *static_cast<sycl::queue*>(opened));
    if (!found) say(said, room, "there is not enough memory");
    return found;
  });
}

void tracea_free(void* opened, void* address) { sycl::free(address, *static_cast<sycl::queue*>(opened)); }

}  // extern "C"
