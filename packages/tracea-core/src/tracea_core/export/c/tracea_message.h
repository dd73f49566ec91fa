/* SPDX-License-Identifier: MIT */
/* How a message is handed out, for whoever serves tracea.h. */
#ifndef TRACEA_MESSAGE_H
#define TRACEA_MESSAGE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* What tracea_get_last_error does with this thread's message. */
static inline int32_t tracea_copy_message(const char *message, uint8_t *buf, size_t len) {
    const size_t length = strlen(message);
    if (buf != NULL && len) {
        const size_t kept = length < len - 1 ? length : len - 1;
        memcpy(buf, message, kept);
        buf[kept] = 0;
    }
    return (int32_t)length;
}
#endif
