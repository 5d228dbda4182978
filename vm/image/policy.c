/* policy.c - parses and evaluates policies; see policy.h. */
#include "vm/image/policy.h"

#include "gc/assert.h"
#include "vm/image/image.h"
#include "vm/state/debugger.h"
#include "vm/state/vm.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const names[CAP_COUNT] = {
#define CAP(id, text, meaning) [CAP_##id] = text,
    VM_CAPABILITIES(CAP)
#undef CAP
};

/* What --pure grants: nothing that gives the program information beyond its input. */
static const bool is_pure[CAP_COUNT] = {
    [CAP_PURE] = true,    [CAP_STDIO] = true,  [CAP_CODE] = true,
    [CAP_MARSHAL] = true, [CAP_UNSAFE] = true, [CAP_GC] = true};

static void decide(struct vm_policy *policy, unsigned capability, enum vm_access access,
                   const char *flag, const char *word, size_t length, const char *rest) {
    ASSERT(capability < CAP_COUNT);
    policy->of[capability].access = access;
    snprintf(policy->of[capability].flag, sizeof policy->of[capability].flag, "%s%.*s%s", flag,
             (int)length, word, rest);
}

/* The capability that the first length bytes of word name, or CAP_COUNT. */
static unsigned find(const char *word, size_t length) {
    unsigned c = 0;
    while (c < CAP_COUNT && (strlen(names[c]) != length || memcmp(names[c], word, length) != 0))
        c++;
    return c;
}

static char *absolute(const char *path) {
    char folder[PATH_MAX];
    char *result;
    if (path[0] == '/') return strdup(path);
    if (getcwd(folder, sizeof folder) == NULL) return NULL;
    return asprintf(&result, "%s/%s", folder, path) < 0 ? NULL : result;
}

/* Adds the root that path names. Fails: with a text. */
static const char *add_root(struct vm_policy *policy, unsigned capability, const char *path) {
    struct stat about;
    struct vm_policy_root *roots = realloc(policy->roots, (policy->root_count + 1) * sizeof *roots);
    if (roots == NULL) return "no memory for";
    policy->roots = roots;
    struct vm_policy_root *root = &roots[policy->root_count];
    *root = (struct vm_policy_root){.capability = capability, .fd = open(path, O_PATH | O_CLOEXEC)};
    if (root->fd < 0 || fstat(root->fd, &about) != 0) {
        if (root->fd >= 0) close(root->fd);
        return "no such file or folder:";
    }
    ASSERT(capability == CAP_FS_READ || capability == CAP_FS_WRITE); /* PO2 */
    policy->root_count++;
    root->is_folder = S_ISDIR(about.st_mode);
    root->device = about.st_dev;
    root->inode = about.st_ino;
    root->written = absolute(path);
    root->real = realpath(path, NULL);
    return root->written == NULL || root->real == NULL ? "cannot resolve" : NULL;
}

static const char *grant_below(struct vm_policy *policy, unsigned capability, const char *path,
                               size_t length) {
    if (capability != CAP_FS_READ && capability != CAP_FS_WRITE)
        return "only fs-read and fs-write take a path, not";
    char *copy = strndup(path, length);
    if (copy == NULL) return "no memory for";
    const char *wrong = length == 0 ? "a path is missing after"
                                    : add_root(policy, capability, copy);
    free(copy);
    return wrong;
}

/* One word of a list. */
static const char *take_word(struct vm_policy *policy, const char *word, size_t length,
                             bool grant) {
    const char *equals = memchr(word, '=', length);
    size_t name_length = equals == NULL ? length : (size_t)(equals - word);
    unsigned capability = find(word, name_length);
    if (capability == CAP_COUNT) return "unknown capability";
    if (equals == NULL) {
        decide(policy, capability, grant ? ACCESS_FREE : ACCESS_REFUSED,
               grant ? "" : "--deny=", word, length, "");
        return NULL;
    }
    if (!grant) return "a capability is denied as a whole, not by";
    const char *wrong = grant_below(policy, capability, equals + 1, length - name_length - 1);
    if (wrong == NULL) decide(policy, capability, ACCESS_BELOW, "--allow=", word, length, "");
    return wrong;
}

bool vm_policy_change(struct vm_policy *policy, const char *list, bool grant, const char **word,
                      const char **what) {
    for (;;) {
        size_t length = strcspn(list, ",");
        *word = list;
        *what = take_word(policy, list, length, grant);
        if (*what != NULL) return false;
        if (list[length] == 0) return true;
        list += length + 1;
    }
}

void vm_policy_pure(struct vm_policy *policy) {
    /* The message has the option that permits it, since --pure does not name the capability. */
    for (unsigned c = 0; c < CAP_COUNT; c++)
        if (!is_pure[c])
            decide(policy, c, ACCESS_REFUSED, "--pure (--allow=", names[c], strlen(names[c]),
                   " permits it)");
}

void vm_policy_free(struct vm_policy *policy) {
    for (size_t i = 0; i < policy->root_count; i++) {
        free(policy->roots[i].written);
        free(policy->roots[i].real);
        close(policy->roots[i].fd);
    }
    free(policy->roots);
}

const char *vm_policy_refusal(const struct vm *vm, enum vm_capability capability) {
    const struct vm_policy *policy = vm->options.policy;
    if (policy == NULL || policy->of[capability].access != ACCESS_REFUSED) return NULL;
    return policy->of[capability].flag;
}

const char *vm_policy_restriction(const struct vm *vm, enum vm_capability capability) {
    const struct vm_policy *policy = vm->options.policy;
    bool is_free = policy == NULL || policy->of[capability].access == ACCESS_FREE;
    return is_free ? NULL : policy->of[capability].flag;
}

bool vm_is_own_descriptor(const struct vm *vm, int fd) {
    const struct vm_policy *policy = vm->options.policy;
    for (size_t i = 0; policy != NULL && i < policy->root_count; i++)
        if (policy->roots[i].fd == fd) return true;
    if (vm->image != NULL && vm->image->debug_apart && vm->image->debug_fd == fd) return true;
    const struct vm_debugger *debugger = vm->options.debugger;
    if (debugger != NULL && debugger->owns_descriptor(debugger, fd)) return true;
    const struct vm_profiler *profiler = &vm->profiler;
    return profiler->owns_descriptor != NULL && profiler->owns_descriptor(profiler->state, fd);
}
