/* profile.c - records a profile for `bactrian prof`, and watches samples itself. */
#include <bactrian.h>
#include <stdio.h>

struct watch {
    struct bactrian *machine;
    int seen, known;
};

static void note(void *context, const struct bactrian_sample *sample) {
    struct watch *watch = context;
    struct bactrian_location place;
    watch->seen++;
    if (sample->depth > 0 &&
        bactrian_find_location(watch->machine, sample->call_stack[sample->depth - 1], &place))
        watch->known++;
}

int main(int argc, char **argv) {
    struct bactrian_error error;
    struct bactrian_statistics figures;
    struct bactrian_recording recording;
    struct bactrian *m = bactrian_open(argv[1], NULL, &error);
    if (m == NULL) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    struct watch watch = {.machine = m};
    struct bactrian_tracking tracking = {.allocated = note, .context = &watch};
    bactrian_record(m, "profile.bprof", 0.01); /* each word with probability 1 % */
    bactrian_track(m, 0.001, 10, &tracking);
    if (bactrian_run(m) != BACTRIAN_OK) puts(bactrian_error_text(m));
    if (bactrian_stop_recording(m, &recording) == BACTRIAN_OK && !recording.failed)
        puts("recorded: read it by bactrian prof summary profile.bprof");
    bactrian_read_statistics(m, &figures);
    if (watch.seen > 0 && watch.known > 0 && figures.minor_words > 100000)
        puts("samples were seen, with their locations");
    bactrian_close(m);
    return 0;
}
