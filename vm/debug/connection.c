/* connection.c - the socket to the debugger.
 *
 * A signal does not interrupt reading: the program's handlers wait until it goes on. The descriptor
 * is closed on exec, so that programs that the debugged one starts do not hold it. */
#include "vm/debug/debug_internal.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

static bool find_host(struct debug_connection *c, const char *address, const char *colon, char *why,
                      size_t size) {
    char host[256];
    struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM}, *found;
    char *end;
    unsigned long port = strtoul(colon + 1, &end, 10);
    if (port == 0 || port > UINT16_MAX || *end != '\0') {
        snprintf(why, size, "the port must be a number from 1 to 65535");
        return false;
    }
    snprintf(host, sizeof host, "%.*s", (int)(colon - address), address);
    int error = getaddrinfo(host, colon + 1, &hints, &found);
    if (error != 0) {
        snprintf(why, size, "unknown host: %s", gai_strerror(error));
        return false;
    }
    memcpy(&c->address, found->ai_addr, found->ai_addrlen);
    c->address_size = found->ai_addrlen;
    freeaddrinfo(found);
    return true;
}

bool debug_find_address(struct debug_connection *c, const char *address, char *why, size_t size) {
    const char *colon = strchr(address, ':');
    if (colon != NULL) return find_host(c, address, colon, why, size);
    struct sockaddr_un *unix_address = (struct sockaddr_un *)&c->address;
    size_t length = strlen(address);
    if (length == 0 || length >= sizeof unix_address->sun_path) {
        snprintf(why, size, "the path of a socket must have 1 to %zu characters",
                 sizeof unix_address->sun_path - 1);
        return false;
    }
    unix_address->sun_family = AF_UNIX;
    memcpy(unix_address->sun_path, address, length + 1);
    c->address_size = (socklen_t)sizeof *unix_address;
    return true;
}

bool debug_open(struct debug_connection *c, bool first) {
    c->read = c->received = c->written = 0;
    c->fd = socket(c->address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (c->fd < 0) return false;
    if (connect(c->fd, (const struct sockaddr *)&c->address, c->address_size) != 0) {
        int error = errno;
        debug_close(c);
        errno = error;
        return false;
    }
    if (first) debug_put_word(c, UINT32_MAX);
    debug_put_word(c, (uint32_t)getpid());
    return true;
}

void debug_close(struct debug_connection *c) {
    if (c->fd >= 0) close(c->fd);
    c->fd = -1;
}

_Noreturn void debug_lost(struct debug_connection *c, const char *why) {
    debug_close(c);
    if (c->is_checkpoint) exit(0);
    c->lost(why);
}

static void debug_flush(struct debug_connection *c) {
    for (size_t sent = 0; sent < c->written;) {
        ssize_t n = send(c->fd, c->out + sent, c->written - sent, MSG_NOSIGNAL);
        if (n < 0 && errno != EINTR) debug_lost(c, strerror(errno));
        if (n > 0) sent += (size_t)n;
    }
    c->written = 0;
}

uint8_t debug_get_byte(struct debug_connection *c) {
    if (c->read == c->received) {
        ssize_t n;
        debug_flush(c);
        do n = read(c->fd, c->in, sizeof c->in);
        while (n < 0 && errno == EINTR);
        if (n < 0) debug_lost(c, strerror(errno));
        if (n == 0) debug_lost(c, "the debugger closed the connection");
        c->read = 0;
        c->received = (size_t)n;
    }
    return c->in[c->read++];
}

uint32_t debug_get_word(struct debug_connection *c) {
    uint32_t word = 0;
    for (int i = 0; i < 4; i++) word = word << 8 | debug_get_byte(c);
    return word;
}

uint64_t debug_get_raw(struct debug_connection *c) {
    uint8_t bytes[8];
    uint64_t raw;
    for (int i = 0; i < 8; i++) bytes[i] = debug_get_byte(c);
    memcpy(&raw, bytes, sizeof raw);
    return raw;
}

void debug_put_bytes(struct debug_connection *c, const void *bytes, size_t n) {
    for (const uint8_t *from = bytes; n > 0;) {
        size_t room = sizeof c->out - c->written, part = n < room ? n : room;
        memcpy(c->out + c->written, from, part);
        c->written += part, from += part, n -= part;
        if (c->written == sizeof c->out) debug_flush(c);
    }
}

void debug_put_byte(struct debug_connection *c, uint8_t byte) { debug_put_bytes(c, &byte, 1); }

void debug_put_word(struct debug_connection *c, uint32_t word) {
    uint8_t bytes[4] = {(uint8_t)(word >> 24), (uint8_t)(word >> 16), (uint8_t)(word >> 8),
                        (uint8_t)word};
    debug_put_bytes(c, bytes, sizeof bytes);
}
