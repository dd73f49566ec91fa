/* SPDX-License-Identifier: MIT */
/* tracea.h for every call, by way of Python: the first call starts an interpreter (or finds the program's), and kernels are planned, certified,
 * compiled and cached as from Python. TRACEA_PYTHON is the interpreter whose packages are used; CMake defines it. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "tracea.h"
#include "tracea_message.h"

static __thread char tracea_message[2048];
static pthread_once_t tracea_once = PTHREAD_ONCE_INIT;
static char tracea_missing[1024]; /* why there is no Python; empty if there is */
static char tracea_number[32] = "";
static PyObject *tracea_module;

static void tracea_keep(char *text, size_t room, const char *what) {
    PyObject *type, *value, *trace, *said;
    PyErr_Fetch(&type, &value, &trace);
    said = value != NULL ? PyObject_Str(value) : NULL;
    snprintf(text, room, "%s: %s", what, said != NULL && PyUnicode_AsUTF8(said) != NULL ? PyUnicode_AsUTF8(said) : "unknown");
    Py_XDECREF(said);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    PyErr_Clear();
}

static void tracea_start(void) {
    PyGILState_STATE held;
    PyObject *version;
    if (!Py_IsInitialized()) {
        PyConfig config;
        PyStatus status;
        PyConfig_InitPythonConfig(&config);
        config.install_signal_handlers = 0;
        config.parse_argv = 0;
        status = PyConfig_SetBytesString(&config, &config.program_name, TRACEA_PYTHON);
        if (!PyStatus_Exception(status)) status = Py_InitializeFromConfig(&config);
        PyConfig_Clear(&config);
        if (PyStatus_Exception(status)) {
            snprintf(tracea_missing, sizeof tracea_missing, "Python does not start: %s", status.err_msg != NULL ? status.err_msg : "unknown");
            return;
        }
        (void)PyEval_SaveThread();
    }
    held = PyGILState_Ensure();
    tracea_module = PyImport_ImportModule("tracea.c_interface");
    if (tracea_module == NULL) tracea_keep(tracea_missing, sizeof tracea_missing, "the package tracea cannot be imported by " TRACEA_PYTHON);
    version = tracea_module != NULL ? PyObject_GetAttrString(tracea_module, "VERSION") : NULL;
    if (version != NULL && PyUnicode_AsUTF8(version) != NULL) snprintf(tracea_number, sizeof tracea_number, "%s", PyUnicode_AsUTF8(version));
    Py_XDECREF(version);
    PyErr_Clear();
    PyGILState_Release(held);
}

/* Call a function of the module with the addresses of what it reads; it returns a status and a message. */
static TraceaStatus tracea_call(const char *function, const void *first, const void *second, const void *third, const void *out, const void *params) {
    PyGILState_STATE held;
    PyObject *result;
    const char *said = NULL;
    int status = TRACEA_CPU_ERROR;
    pthread_once(&tracea_once, tracea_start);
    if (*tracea_missing) {
        snprintf(tracea_message, sizeof tracea_message, "%s", tracea_missing);
        return TRACEA_CPU_ERROR;
    }
    held = PyGILState_Ensure();
    result = PyObject_CallMethod(tracea_module, function, "KKKKK", (unsigned long long)(uintptr_t)first, (unsigned long long)(uintptr_t)second,
                                 (unsigned long long)(uintptr_t)third, (unsigned long long)(uintptr_t)out, (unsigned long long)(uintptr_t)params);
    if (result == NULL || !PyArg_ParseTuple(result, "is", &status, &said)) {
        status = TRACEA_CPU_ERROR;
        tracea_keep(tracea_message, sizeof tracea_message, function);
    } else if (status != TRACEA_SUCCESS) {
        snprintf(tracea_message, sizeof tracea_message, "%s", said);
    }
    Py_XDECREF(result);
    PyGILState_Release(held);
    return (TraceaStatus)status;
}

TRACEA_API TraceaStatus tracea_gemm(TraceaTensorView a, TraceaTensorView b, TraceaTensorView *out, TraceaGemmParams params) {
    return tracea_call("gemm", &a, &b, NULL, out, &params);
}

TRACEA_API TraceaStatus tracea_conv2d(TraceaTensorView x, TraceaTensorView w, const TraceaTensorView *b, TraceaTensorView *out, TraceaConv2dParams params) {
    return tracea_call("conv2d", &x, &w, b, out, &params);
}

TRACEA_API const char *tracea_calls(void) { return ""; }

TRACEA_API int32_t tracea_get_last_error(uint8_t *buf, size_t len) {
    return tracea_copy_message(tracea_message, buf, len);
}

TRACEA_API void tracea_clear_error(void) { tracea_message[0] = 0; }

TRACEA_API const char *tracea_version(void) {
    pthread_once(&tracea_once, tracea_start);
    return tracea_number;
}
