/* origin.c - see origin.h. */
#include "memprof/recorder/origin.h"

#include "vm/code/version.h"
#include "vm/state/vm.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* argv, each with its NUL. NULL: out of memory. */
static char *join_arguments(char **argv, size_t *length) {
    *length = 0;
    for (char **at = argv; *at != NULL; at++) *length += strlen(*at) + 1;
    char *joined = malloc(*length + 1), *to = joined;
    for (char **at = argv; joined != NULL && *at != NULL; at++) to = stpcpy(to, *at) + 1;
    return joined;
}

bool mp_write_origin(struct mp_writer *w, const struct vm *vm, struct mp_record_start *record) {
    struct timespec now;
    char host[256] = "";
    size_t length;
    char *arguments = join_arguments(vm->options.argv, &length);
    if (arguments == NULL) return false;
    gethostname(host, sizeof host - 1);
    clock_gettime(CLOCK_REALTIME, &now);
    record->word_bits = 64;
    if (record->pid == 0) record->pid = (uint64_t)getpid();
    record->started_us = (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
    record->arguments = (struct mp_text){arguments, length};
    record->host = mp_text_of(host);
    record->ocaml = mp_text_of(vm->version->name);
    mp_write_start(w, record);
    free(arguments);
    return true;
}
