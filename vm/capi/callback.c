/* callback.c - from C stubs back into OCaml. Any number of entries may be nested; an exception that
 * no OCaml code in between catches goes on through the stubs' frames by longjmp. */
#include "vm/capi/capi_internal.h"
#include "vm/engine/callback.h"
#include "vm/engine/slow.h"
#include "vm/stack/raise.h"
#include "vm/state/domain.h"

/* Arguments of one call: more are given in parts, so that they fit below the deepest frame. */
enum { MOST_ARGUMENTS = 32 };

value caml_callbackN_exn(value f, int count, value arguments[]) {
    struct domain *d = self();
    if (count <= MOST_ARGUMENTS) return vm_callback_exn(d, f, count, arguments);
    struct gc_local_roots given = {d->gc.local_roots, 1, count, {arguments}};
    d->gc.local_roots = &given;
    for (int done = 0, n; done < count && !is_exn_result(f); done += n) {
        n = count - done < MOST_ARGUMENTS ? count - done : MOST_ARGUMENTS;
        f = vm_callback_exn(d, f, n, arguments + done);
    }
    d->gc.local_roots = given.next;
    return f;
}

value caml_callback_exn(value f, value a) { return vm_callback_exn(self(), f, 1, &a); }
value caml_callback2_exn(value f, value a, value b) {
    value arguments[] = {a, b};
    return vm_callback_exn(self(), f, 2, arguments);
}
value caml_callback3_exn(value f, value a, value b, value c) {
    value arguments[] = {a, b, c};
    return vm_callback_exn(self(), f, 3, arguments);
}

value caml_callback(value f, value a) { return vm_callback(self(), f, a); }
value caml_callback2(value f, value a, value b) { return vm_callback2(self(), f, a, b); }
value caml_callback3(value f, value a, value b, value c) {
    return vm_callback3(self(), f, a, b, c);
}
value caml_callbackN(value f, int count, value arguments[]) {
    return vm_value_or_raise(self(), caml_callbackN_exn(f, count, arguments));
}

const value *caml_named_value(const char *name) { return vm_named_value(self()->vm, name); }

value caml_get_public_method(value object, value tag) {
    return vm_slow_public_method(object, tag, NULL);
}
