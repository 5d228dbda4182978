"""Programs of OCaml 5 under --deny and --pure: each capability again, by the names of 5.x."""
import os
import re

from support import Case, ocaml5

WORLD = r"""
let read = Marshal.from_string
external open_library : string -> Obj.t = "caml_dynlink_open_lib"
external symbol : Obj.t -> string -> Obj.t = "caml_dynlink_lookup_symbol"
external sections : unit -> Obj.t = "caml_dynlink_get_bytecode_sections"
external globals : unit -> Obj.t array = "caml_get_global_data"
external set_raw : Obj.t -> int -> nativeint -> unit = "caml_obj_set_raw_field"
external swap : Obj.t -> int -> Obj.t -> Obj.t -> bool = "caml_obj_compare_and_swap"
let block () = Obj.repr (ref 0)
let act = function
  | "caml_sys_system_command" -> ignore (Sys.command "true")
  | "/dev/null" -> close_in (open_in "/dev/null")
  | "made" -> close_out (open_out "made")
  | "caml_sys_time" -> ignore (Sys.time ())
  | "caml_sys_random_seed" -> Random.self_init ()
  | "caml_install_signal_handler" -> Sys.set_signal Sys.sigusr1 Sys.Signal_ignore
  | "caml_input_value_from_bytes" -> ignore (read (Marshal.to_string 1 []) 0 : int)
  | "input_value" ->
    let text = Marshal.to_string (fun x -> x + 1) [Marshal.Closures] in
    assert ((read text 0 : int -> int) 5 = 6)
  | "caml_gc_minor" -> Gc.minor ()
  | "caml_dynlink_open_lib" -> ignore (open_library "dllnone.so")
  | "caml_dynlink_lookup_symbol" -> ignore (symbol (block ()) "system")
  | "caml_get_current_callstack" -> ignore (Printexc.get_callstack 1)
  | "caml_dynlink_get_bytecode_sections" -> ignore (sections ())
  | "caml_get_global_data" -> ignore (globals ())
  | "caml_obj_set_raw_field" -> set_raw (block ()) 0 1n
  | "caml_obj_compare_and_swap" -> assert (swap (block ()) 0 (Obj.repr 0) (Obj.repr 1))
  | "caml_ml_runtime_events_start" -> Runtime_events.start ()
  | "caml_ml_runtime_events_create_cursor" ->
    ignore (Runtime_events.create_cursor (Some (".", 1)))
  | "caml_unix_fork" -> if Unix.fork () = 0 then exit 0
  | "caml_unix_socket" -> ignore (Unix.socket Unix.PF_INET Unix.SOCK_STREAM 0)
  | "caml_unix_stat" -> ignore (Unix.stat "/")
  | "caml_unix_mkdir" -> Unix.mkdir "made" 0o700
  | "caml_unix_open" -> ignore (Unix.openfile "/" [Unix.O_RDONLY] 0)
  | "caml_unix_environment" -> ignore (Unix.environment ())
  | "caml_unix_gettimeofday" -> ignore (Unix.gettimeofday ())
  | "caml_unix_alarm" -> ignore (Unix.alarm 0)
  | "domains" ->
    let a = Atomic.make 0 in
    List.iter Domain.join (List.init 3 (fun _ -> Domain.spawn (fun () -> Atomic.incr a)));
    assert (Atomic.get a = 3)
  | _ -> ()
let () = try act Sys.argv.(1); print_string "done" with Sys_error s | Failure s -> print_string s
"""
DENIED = [
    ('proc', 'caml_sys_system_command'), ('proc', 'caml_unix_fork'),
    ('net', 'caml_unix_socket'),
    ('fs-read', '/dev/null'), ('fs-read', 'caml_unix_stat'), ('fs-read', 'caml_unix_open'),
    ('fs-read', 'caml_ml_runtime_events_create_cursor'),
    ('fs-write', 'made'), ('fs-write', 'caml_unix_mkdir'), ('fs-write', 'caml_unix_open'),
    ('fs-write', 'caml_ml_runtime_events_start'),
    ('env', 'caml_unix_environment'),
    ('time', 'caml_sys_time'), ('time', 'caml_sys_random_seed'),
    ('time', 'caml_unix_gettimeofday'),
    ('signals', 'caml_install_signal_handler'), ('signals', 'caml_unix_alarm'),
    ('marshal', 'caml_input_value_from_bytes'),
    ('gc', 'caml_gc_minor'),
    ('dynlink', 'caml_dynlink_open_lib'), ('dynlink', 'caml_dynlink_lookup_symbol'),
    ('code', 'caml_get_current_callstack'), ('code', 'caml_get_global_data'),
    ('code', 'caml_dynlink_get_bytecode_sections'),
    ('unsafe', 'caml_obj_set_raw_field'), ('unsafe', 'caml_obj_compare_and_swap'),
]
# What --pure permits.
WITHIN = ('marshal', 'gc', 'code', 'unsafe')


class DenialsOfOCaml5(Case):
    def compiled(self, name, text, *options):
        if not os.path.exists(self.place.path(name + '.byte')):
            self.place.write(name + '.ml', text)
            self.place.tool(ocaml5() + '/bin/ocamlc', '-w', '-a', *options, '-o', name + '.byte',
                            name + '.ml')
        return name + '.byte'

    def world(self, *words, **more):
        program = self.compiled('world5', WORLD, '-I', '+unix', '-I', '+runtime_events',
                                'unix.cma', 'runtime_events.cma')
        stubs = {'CAML_LD_LIBRARY_PATH': ocaml5() + '/stubs'}
        return self.bactrian(*words[:-1], program, words[-1], env=stubs, **more)

    def test_each_capability_can_be_denied(self):
        for capability, act in DENIED:
            with self.subTest(capability=capability, act=act):
                flag = '--deny=' + capability
                self.expect(self.world(flag, act), out='%s: refused by %s' % (act, flag))
        self.expect(self.world('--deny=proc,net,env,time,signals', 'caml_unix_stat'), out='done')

    def test_audit_lists_each_under_its_capability(self):
        groups = dict(re.findall(r'(?m)^([\w-]+): .*\n((?:    .*\n)*)',
                                 self.world('--audit', 'nothing').out))
        for capability, act in DENIED:
            if act.startswith('caml_'):
                with self.subTest(capability=capability, act=act):
                    self.assertIn(act, groups[capability].split())

    def test_marshalled_functions_can_be_denied_and_other_data_stays(self):
        refusal = 'input_value: functions are refused by %s'
        self.expect(self.world('input_value'), out='done')
        for options, flag in ((['--deny=marshal-closures'], '--deny=marshal-closures'),
                              (['--pure', '--allow=stub'],
                               '--pure (--allow=marshal-closures permits it)')):
            self.expect(self.world(*options, 'input_value'), out=refusal % flag)
            self.expect(self.world(*options, 'caml_input_value_from_bytes'), out='done')

    def test_standard_channels_can_be_denied(self):
        program = self.compiled('quiet5', 'let () = print_string "ran"')
        done = self.bactrian('--deny=stdio', program)
        self.assertEqual((done.status, done.out), (2, ''), repr(done))
        self.assertIn('caml_ml_open_descriptor_in: refused by --deny=stdio', done.err)

    def test_a_denied_environment_is_empty(self):
        program = self.compiled('home5', 'let () = print_string (Option.value ~default:"none" '
                                '(Sys.getenv_opt "HOME"))')
        self.expect(self.bactrian(program), out=self.place.home)
        self.expect(self.bactrian('--deny=env', program), out='none')

    def test_stubs_of_c_libraries_can_be_denied(self):
        done = self.world('--deny=stub', 'nothing')
        self.assertEqual(done.status, 2, repr(done))
        self.assertRegex(done.err, r'Sys_error\("caml_unix_\w+: refused by --deny=stub"\)')

    def test_a_pure_program_has_no_stubs_unless_they_are_allowed(self):
        done = self.world('--pure', 'nothing')
        self.assertEqual(done.status, 2, repr(done))
        self.assertIn('caml_unix_inet_addr_of_string: refused by --pure', done.err)
        pure = ('--pure', '--allow=stub')
        for capability, act in DENIED:
            done = self.world(*pure, act)
            if capability in WITHIN:
                self.expect(done, out='done')
            else:
                self.expect(done, out='%s: refused by --pure (--allow=%s permits it)' %
                            (act, 'fs-read' if act == 'caml_unix_open' else capability))
        self.expect(self.world(*pure, 'domains'), out='done')

    def test_events_start_only_where_all_files_may_be_written(self):
        for options in (['--deny=fs-write'], ['--pure', '--allow=stub'],
                        ['--allow=fs-write=.']):
            program = self.compiled('quiet5', 'let () = print_string "ran"')
            done = self.bactrian(*options, program, env={'OCAML_RUNTIME_EVENTS_START': '1',
                                                         'OCAML_RUNTIME_EVENTS_PRESERVE': '1'})
            self.expect(done, out='ran')
        self.assertEqual([n for n in os.listdir(self.place.folder) if n.endswith('.events')], [])
        self.expect(self.world('--allow=fs-write=.', 'caml_ml_runtime_events_start'), out='done')

    def test_all_functions_of_the_libraries_are_known(self):
        program = self.compiled('whole5', '', '-linkall', '-I', '+unix', '-I', '+str', '-I',
                                '+runtime_events', 'unix.cma', 'str.cma', 'runtime_events.cma')
        done = self.bactrian('--audit', program)
        self.assertRegex(done.out, r'(?m)^stub: \d+ \(calls C libraries\)')
        self.assertNotIn('dynlink:', done.out)
        for name in ('fs-read', 'fs-write'):
            group = done.out.split('\n' + name + ':')[1].split(':')[0]
            self.assertIn('caml_unix_rename', group)
