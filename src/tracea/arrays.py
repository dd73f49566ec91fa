# SPDX-License-Identifier: MIT
"""Arrays of other libraries as tracea sees them: shape, strides in elements, type, device, address. No byte is copied.

NumPy arrays and torch tensors are taken as they are (torch is never imported for this: a tensor exists only once torch is); any
other object is taken through DLPack. NumPy has no bfloat16 of its own; arrays of the ``ml_dtypes`` types are understood by name.
"""

from __future__ import annotations

import ctypes
import functools
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from tracea_core.dtypes import DType
from tracea_core.errors import DeviceError, DTypeError, UnsupportedError
from tracea_core.ops.spec import TensorSpec

from tracea.tracing import constant_while_tracing


class Kind(NamedTuple):
    """How arrays of one library are handled.

    `key` is everything about an array that a plan depends on, hashable and cheap; `pointer` its address; `allocator` returns a
    function that makes outputs for arrays like the one it is given (called once for each call of an op, so it decides nothing).
    """

    name: str
    key: Callable[[Any], tuple[Any, ...]]
    pointer: Callable[[Any], int]
    spec: Callable[[Any], TensorSpec]
    device: Callable[[Any], str]
    allocator: Callable[[Any, TensorSpec], Callable[[], Any]]
    writable: Callable[[Any], bool]
    convert: Callable[[Any, DType], Any]


# ---- NumPy


def _numpy_key(x: Any) -> tuple[Any, ...]:
    return x.shape, x.strides, x.dtype


def _interface_pointer(x: Any) -> int:
    return x.__array_interface__["data"][0]  # type: ignore[no-any-return]


def _data_field() -> int | None:
    """The distance from an array object to the field that holds its data pointer, or None if it cannot be told.

    NumPy's C API fixes this field (``PyArrayObject_fields.data`` follows the object's head), and reading it takes a fifth of the
    time of building ``__array_interface__``. It is looked for, on several arrays, so that an interpreter that lays objects out
    otherwise is served by the slow way.
    """
    if sys.implementation.name != "cpython":
        return None
    samples = [np.empty(3), np.empty((2, 2), np.int8)[:, ::-1], np.zeros(1, np.complex128)]
    for distance in range(8, 65, 8):
        if all(ctypes.c_size_t.from_address(id(x) + distance).value == _interface_pointer(x) for x in samples):
            return distance
    return None


def _make_pointer() -> Callable[[Any], int]:
    distance, word = _data_field(), ctypes.c_size_t.from_address
    if distance is None:
        return _interface_pointer
    return lambda x: word(id(x) + distance).value


_numpy_pointer = _make_pointer()


def _numpy_spec(x: Any) -> TensorSpec:
    if not x.dtype.isnative:
        raise DTypeError(
            f"byte order of {x.dtype} is not this machine's", hint="Convert it: x.astype(x.dtype.newbyteorder('='))"
        )
    dtype = DType.parse(x.dtype.name)
    size = x.dtype.itemsize
    if any(stride % size for stride in x.strides):
        raise DTypeError(
            "strides are not whole elements", strides=x.strides, hint="Copy the array: np.ascontiguousarray(x)"
        )
    return TensorSpec(x.shape, dtype, tuple(stride // size for stride in x.strides))


def _numpy_allocator(like: Any, spec: TensorSpec) -> Callable[[], Any]:
    dtype = like.dtype if DType.parse(like.dtype.name) is spec.dtype else spec.dtype.numpy
    if dtype is None:
        dtype = np.dtype({"bf16": "bfloat16"}.get(spec.dtype.value, spec.dtype.value))  # registered by ml_dtypes
    if spec.is_contiguous:
        return functools.partial(np.empty, spec.shape, dtype)
    order = sorted(range(spec.rank), key=lambda axis: -spec.strides[axis])
    shape, back = [spec.shape[axis] for axis in order], np.argsort(order)
    return lambda: np.empty(shape, dtype).transpose(back)


def _numpy_convert(x: Any, dtype: DType) -> Any:
    if dtype.numpy is None:
        return dtype.encode(np.asarray(x, np.float64))
    return np.ascontiguousarray(x).astype(dtype.numpy)


NUMPY = Kind(
    "numpy",
    _numpy_key,
    _numpy_pointer,
    _numpy_spec,
    lambda x: "cpu",
    _numpy_allocator,
    lambda x: bool(x.flags.writeable),
    _numpy_convert,
)

# ---- torch


def _torch_key(x: Any) -> tuple[Any, ...]:
    return x.shape, x.stride(), x.dtype, x.device


def _torch_spec(x: Any) -> TensorSpec:
    return TensorSpec(tuple(x.shape), DType.parse(str(x.dtype)), tuple(x.stride()))


def _torch_device(x: Any) -> str:
    return str(x.device)


def _torch_allocator(like: Any, spec: TensorSpec) -> Callable[[], Any]:
    import torch

    dtype = like.dtype if DType.parse(str(like.dtype)) is spec.dtype else torch_dtype(spec.dtype)
    if spec.is_contiguous:
        return functools.partial(torch.empty, spec.shape, dtype=dtype, device=like.device)
    return functools.partial(torch.empty_strided, spec.shape, spec.strides, dtype=dtype, device=like.device)


def torch_dtype(dtype: DType) -> Any:
    """Return torch's dtype of the same meaning.

    Raises
    ------
    DTypeError
        If torch has none.
    """
    import torch

    names = {DType.TF32: "float32", DType.FP64: "float64", DType.FP32: "float32", DType.BF16: "bfloat16", DType.FP16: "float16",
             DType.INT8: "int8", DType.UINT8: "uint8", DType.INT32: "int32", DType.FP8_E4M3: "float8_e4m3fn",
             DType.FP8_E5M2: "float8_e5m2", DType.FP8_E4M3FNUZ: "float8_e4m3fnuz", DType.FP8_E5M2FNUZ: "float8_e5m2fnuz"}  # fmt: skip
    found = getattr(torch, names[dtype], None)
    if found is None:
        raise DTypeError(f"torch has no {dtype.value}")
    return found


def _torch_convert(x: Any, dtype: DType) -> Any:
    return x.to(torch_dtype(dtype)).contiguous()


def _torch_pointer(x: Any) -> int:
    return x.data_ptr()  # type: ignore[no-any-return]


@functools.lru_cache(maxsize=8)
def _adopter(device: str) -> Callable[[int, int], int]:
    """Return what gives buffers of PyTorch's on `device` addresses, where they have none of their own."""
    from tracea_core.pipeline.runtimes import runtime
    from tracea_core.plugin.select import resolve

    target = resolve(device).target
    adopt = getattr(runtime(target.backend, target.device), "adopt", None)
    if adopt is None:
        raise DeviceError(
            f"the backend {target.backend!r} cannot reach tensors on {device}", hint="Move them to the CPU"
        )
    return adopt  # type: ignore[no-any-return]


def _mps_pointer(x: Any) -> int:
    """Return a tensor's address; on mps its storage names a buffer object, and the distance from it is no address."""
    if not x.is_mps:
        return _torch_pointer(x)
    return _adopter(str(x.device))(x.untyped_storage().data_ptr(), x.storage_offset() * x.element_size())


TORCH = Kind(
    "torch",
    _torch_key,
    _torch_pointer,
    _torch_spec,
    _torch_device,
    _torch_allocator,
    lambda x: True,
    _torch_convert,
)

TORCH_AND_MPS = TORCH._replace(pointer=_mps_pointer)
"""How tensors are handled where PyTorch has Apple's GPU; elsewhere nobody pays for the question."""

_KINDS = {"numpy": NUMPY, "torch": TORCH, "mps": TORCH_AND_MPS}
_libraries: dict[type, str | None] = {}


def kind_of(x: Any) -> Kind | None:
    """Return how arrays of `x`'s type are handled, None if only DLPack can help."""
    library = _library_of(type(x))
    return None if library is None else _KINDS[library]


@constant_while_tracing
def _library_of(kind: type) -> str | None:
    """Return whose arrays those of a type are, a key of `_KINDS`; Dynamo follows neither the bases nor what is remembered."""
    known = _libraries.get(kind, "")
    if known == "":
        known = _libraries[kind] = _library_by_bases(kind)
    return known


def _library_by_bases(kind: type) -> str | None:
    for base in kind.__mro__:
        if base.__module__.startswith("torch.nested"):
            raise UnsupportedError(
                "a nested tensor has no strides", hint="Pad it: torch.nested.to_padded_tensor(x, 0.0)"
            )
        if base is np.ndarray:
            return "numpy"
        if base.__module__ == "torch" and base.__name__ == "Tensor":
            return "mps" if _has_mps() else "torch"
    return None


def _has_mps() -> bool:
    backends: Any = getattr(sys.modules.get("torch"), "backends", None)
    mps = getattr(backends, "mps", None)
    return mps is not None and bool(mps.is_available())


_HOST_MEMORY = (1, 3)
"""DLPack's kDLCPU and kDLCUDAHost (``dlpack.h``, DLDeviceType)."""


def adopt(x: Any, name: str) -> Any:
    """Return `x` as something with a `Kind`: itself, or a view of an object with DLPack or the CUDA Array Interface.

    Objects in host memory become NumPy arrays. Those of a device (CuPy's, JAX's, Numba's) become torch tensors, and PyTorch's current
    stream waits for what their producer has queued; an ``out`` must be a torch tensor, since nobody tells its library's streams.

    Raises
    ------
    DTypeError
        If it is no array.
    DeviceError
        If it lives on a device that neither NumPy nor torch can name.
    """
    if kind_of(x) is not None:
        return x
    if hasattr(x, "__dlpack__"):
        try:
            if x.__dlpack_device__()[0] in _HOST_MEMORY:
                return np.from_dlpack(x)
            return _on_device(x, name, _from_dlpack)
        except DeviceError:
            raise
        except Exception as error:
            raise _unreached(x, name, "DLPack", error) from error
    if hasattr(x, "__cuda_array_interface__"):
        try:
            return _on_device(x, name, _from_interface)
        except DeviceError:
            raise
        except Exception as error:
            raise _unreached(x, name, "the CUDA Array Interface", error) from error
    raise DTypeError(
        f"{name} is a {type(x).__name__}, not an array", hint="Give a NumPy array, a torch tensor, or any DLPack object"
    )


def _unreached(x: Any, name: str, way: str, error: Exception) -> DeviceError:
    return DeviceError(
        f"{name} cannot be reached through {way}: {error}",
        hint="Give a NumPy array or a torch tensor",
        type=type(x).__name__,
    )


def _on_device(x: Any, name: str, view: Callable[[Any], Any]) -> Any:
    if name == "out":
        raise DeviceError(
            f"out is a {type(x).__name__} on a device, and its library would not wait for the result",
            hint="Give a torch tensor as out, or take the result through DLPack",
        )
    try:
        import torch  # noqa: F401 - whether there is one
    except ImportError as error:
        raise DeviceError(
            f"{name} is a {type(x).__name__} on a device, which is reached through PyTorch",
            hint="Install PyTorch for the device",
        ) from error
    return view(x)


def _from_dlpack(x: Any) -> Any:
    from torch.utils import dlpack

    return dlpack.from_dlpack(x)


def _from_interface(x: Any) -> Any:
    """Return a tensor on the memory of an object with ``__cuda_array_interface__``.

    From version 3 on it names the stream whose work the reader waits for (numba.readthedocs.io, *CUDA Array Interface*, Streams).
    """
    import torch

    interface = x.__cuda_array_interface__
    tensor = torch.as_tensor(x, device="cuda")
    if tensor.numel() and tensor.data_ptr() != interface["data"][0]:
        raise DeviceError(
            f"a {type(x).__name__} lies on another GPU than PyTorch's current one, which would copy it",
            hint="Call under torch.cuda.device of its GPU",
        )
    stream = interface.get("stream")
    if stream is not None:
        cuda: Any = torch.cuda
        others = cuda.ExternalStream(stream, device=tensor.device)
        cuda.current_stream(tensor.device).wait_stream(others)
    return tensor
