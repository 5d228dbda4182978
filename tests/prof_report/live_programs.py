"""Programs whose reachable memory is known, for test_live.py.

Most end with a collection, or call one at the moment at which most is reachable."""
WORD = 8
LIST = 3 * WORD  # an element of a list of integers, header included

# Name: program, bytes reachable at the peak (None: unknown), bytes reachable at the end.
TRUTH = {
    'nothing': ('', 0, 0),
    'a list kept to the end': (
        'let kept = List.init 100_000 Fun.id', 100_000 * LIST, 100_000 * LIST),
    'a list dropped after a collection': (
        'let kept = ref (List.init 100_000 Fun.id)\n'
        'let () = Gc.full_major (); kept := []; Gc.full_major ()', 100_000 * LIST, 0),
    'a ring of arrays': (
        'let ring = Array.make 4_000 [||]\n'
        'let () = for i = 0 to 399_999 do ring.(i mod 4_000) <- Array.make 30 i done',
        (4_001 + 4_000 * 31) * 8, (4_001 + 4_000 * 31) * 8),
    'a queue of constant length': (
        'let q = Queue.create ()\n'
        'let () = for i = 1 to 10_000 do Queue.add i q done;\n'
        '  for i = 1 to 500_000 do Queue.add i q; ignore (Queue.pop q) done',
        10_000 * LIST, 10_000 * LIST),
    'a cache that forgets': (
        'let cache = Hashtbl.create 4_096\n'
        'let () = for i = 0 to 499_999 do Hashtbl.replace cache (i land 1023) (Bytes.create 80)\n'
        'done', (4_097 + 1_024 * (12 + 4)) * 8, (4_097 + 1_024 * (12 + 4)) * 8),
    'two phases, the second larger': (
        'let rec build n = if n = 0 then [] else n :: build (n - 1)\n'
        'let a = ref (build 50_000) let () = Gc.full_major (); a := []\n'
        'let b = ref (build 80_000) let () = Gc.full_major (); b := []; Gc.full_major ()',
        80_000 * LIST, 0),
    'garbage only': (
        'let () = for i = 1 to 2_000_000 do ignore (Sys.opaque_identity (ref i)) done', 0, 0),
    'large arrays, one at a time': (
        'let a = ref [||]\n'
        'let () = for i = 1 to 200 do a := Array.make 100_000 i done', 2 * 800_008, 800_008),
    'bigarrays, one at a time': (
        'let a = ref (Bigarray.Array1.create Bigarray.char Bigarray.c_layout 1)\n'
        'let () = for _ = 1 to 100 do\n'
        '  a := Bigarray.Array1.create Bigarray.char Bigarray.c_layout 1_000_000 done',
        1_000_000, 1_000_000),
    'bigarrays kept by a part': (
        'let keep = ref []\n'
        'let make () = Bigarray.Array1.create Bigarray.char Bigarray.c_layout 1_000_000\n'
        'let () = for _ = 1 to 5 do keep := Bigarray.Array1.sub (make ()) 0 10 :: !keep done;\n'
        '  Gc.full_major (); Gc.full_major ()', 5_000_000, 5_000_000),
    'parts of bigarrays, all dropped': (
        'let keep = ref []\n'
        'let make () = Bigarray.Array1.create Bigarray.char Bigarray.c_layout 1_000_000\n'
        'let part a = Bigarray.Array1.sub a 0 10\n'
        'let () = for _ = 1 to 5 do let a = make () in keep := part a :: part (part a) :: !keep\n'
        '  done; Gc.full_major (); keep := []; Gc.full_major ()', 5_000_000, 0),
    'a channel with many blocks': (
        'let c = open_out "/dev/null"\n'
        'let () = for _ = 1 to 50 do output_char c \'x\'; flush_all () done', 65_599, 65_599),
    'closures': (
        'let fs = Array.init 50_000 (fun i () -> i)', (50_001 + 50_000 * 5) * 8,
        (50_001 + 50_000 * 5) * 8),
    'finalised blocks': (
        'let () = for i = 1 to 20_000 do Gc.finalise ignore (ref i) done; Gc.full_major ();\n'
        '  Gc.full_major ()', 20_000 * (16 + 24), 0),
    'a stack that grows and shrinks': (
        'let s = Stack.create ()\n'
        'let () = for _ = 1 to 5 do for i = 1 to 20_000 do Stack.push i s done; Gc.full_major ();\n'
        '  for _ = 1 to 20_000 do ignore (Stack.pop s) done done; Gc.full_major ()',
        20_000 * LIST, 0),
    'a queue that is drained': (
        'let q = Queue.create ()\n'
        'let () = for i = 1 to 50_000 do Queue.add i q done; Gc.full_major ();\n'
        '  while not (Queue.is_empty q) do ignore (Queue.pop q) done; Gc.full_major ()',
        50_000 * LIST, 0),
    'a table that grows': (
        'let t = Hashtbl.create 16\n'
        'let () = for i = 1 to 10_000 do Hashtbl.add t i i done; Gc.full_major ()',
        (10_000 * 4 + 8_193) * WORD, (10_000 * 4 + 8_193) * WORD),
    'a table that is reset': (
        'let t = Hashtbl.create 16\n'
        'let () = for i = 1 to 10_000 do Hashtbl.add t i i done; Gc.full_major ();\n'
        '  Hashtbl.reset t; Gc.full_major ()', (10_000 * 4 + 8_193) * WORD, 0),
    'a cache that forgets the oldest': (
        'let t = Hashtbl.create 256\n'
        'let () = for i = 1 to 50_000 do Hashtbl.replace t i (Array.make 30 i);\n'
        '  Hashtbl.remove t (i - 100) done; Gc.full_major ()',
        (257 + 100 * (4 + 31)) * WORD, (257 + 100 * (4 + 31)) * WORD),
    'a balanced tree': (
        'module M = Map.Make (Int)\n'
        'let m = ref M.empty\n'
        'let () = for i = 1 to 10_000 do m := M.add i i !m done; Gc.full_major ()',
        10_000 * 6 * WORD, 10_000 * 6 * WORD),
    'closures that hold arrays': (
        'let fs = ref []\n'
        'let () = for i = 1 to 5_000 do let a = Array.make 20 i in\n'
        '  fs := (fun () -> a.(0)) :: !fs done; Gc.full_major ()',
        5_000 * (21 + 4 + 3) * WORD, 5_000 * (21 + 4 + 3) * WORD),
    'handlers that are never removed': (
        'let handlers = ref []\n'
        'let on_event f = handlers := f :: !handlers\n'
        'let () = for i = 1 to 30_000 do on_event (fun x -> x + i) done',
        30_000 * (4 + 3) * WORD, 30_000 * (4 + 3) * WORD),
    'an array that doubles': (
        'let a = ref (Array.make 16 0) and n = ref 0\n'
        'let add x = if !n = Array.length !a then a := Array.append !a (Array.make !n 0);\n'
        '  !a.(!n) <- x; incr n\n'
        'let () = for i = 1 to 100_000 do add i done; Gc.full_major ()',
        131_073 * WORD, 131_073 * WORD),
    'a buffer that was cleared': (
        'let b = Buffer.create 16\n'
        'let () = for _ = 1 to 100_000 do Buffer.add_char b \'x\' done; Buffer.clear b;\n'
        '  Gc.full_major ()', 131_072 + 2 * WORD, 131_072 + 2 * WORD),
    'strings': (
        'let kept = List.init 10_000 (fun _ -> String.make 50 \'x\')\n'
        'let () = Gc.full_major ()', 10_000 * (8 + 3) * WORD, 10_000 * (8 + 3) * WORD),
    'boxed floats': (
        'let kept = ref (List.init 20_000 float_of_int)\n'
        'let () = Gc.full_major (); kept := []; Gc.full_major ()', 20_000 * (3 + 2) * WORD, 0),
    'an array of floats': (
        'let kept = Array.init 50_000 float_of_int\n'
        'let () = Gc.full_major ()', 50_001 * WORD, 50_001 * WORD),
    'boxed integers': (
        'let kept = List.init 20_000 Int64.of_int\n'
        'let () = Gc.full_major ()', 20_000 * (3 + 3) * WORD, 20_000 * (3 + 3) * WORD),
    'a cycle that is dropped': (
        'type t = {mutable next : t; v : int}\n'
        'let make n = let rec first = {next = first; v = 0} in\n'
        '  for i = 2 to n do first.next <- {next = first.next; v = i} done; first\n'
        'let ring = ref (Some (make 10_000))\n'
        'let () = Gc.full_major (); ring := None; Gc.full_major ()', 10_000 * LIST, 0),
    'weak pointers': (
        'let w = Weak.create 10\n'
        'let hold = ref []\n'
        'let () = for i = 0 to 9 do let a = Array.make 1_000 i in\n'
        '  Weak.set w i (Some a); hold := a :: !hold done;\n'
        '  Gc.full_major (); hold := []; Gc.full_major ()', 10 * 1_001 * WORD, 0),
    'finalisers that bring values back': (
        'let saved = ref []\n'
        'let make i = Gc.finalise (fun a -> saved := a :: !saved) (Array.make 100 i)\n'
        'let () = for i = 1 to 1_000 do make i done; Gc.full_major (); Gc.full_major ()',
        None, 1_000 * (101 + 3) * WORD),
    'deep recursion': (
        'let rec down n = if n = 0 then Gc.full_major () else begin\n'
        '  let x = ref n in down (n - 1); ignore (Sys.opaque_identity x) end\n'
        'let () = down 20_000; Gc.full_major ()', 20_000 * 2 * WORD, 0),
    'a value that was read': (
        'let read () = Marshal.from_string (Marshal.to_string (List.init 10_000 Fun.id) []) 0\n'
        'let v : int list = read () let () = Gc.full_major ()', None, 10_000 * LIST),
    'bigarrays, all dropped': (
        'let make _ = Bigarray.Array1.create Bigarray.char Bigarray.c_layout 1_000_000\n'
        'let kept = ref (List.init 10 make)\n'
        'let () = Gc.full_major (); kept := []; Gc.full_major ()', 10_000_000, 0),
    'lists of threads': (
        'let kept = Array.make 4 []\n'
        'let build i = kept.(i) <- List.init 20_000 Fun.id\n'
        'let () = List.iter Thread.join (List.init 4 (Thread.create build)); Gc.full_major ()',
        4 * 20_000 * LIST, 4 * 20_000 * LIST),
    'what ended threads held': (
        'let build i = let l = List.init 20_000 Fun.id in Gc.full_major ();\n'
        '  ignore (Sys.opaque_identity l)\n'
        'let () = for i = 1 to 4 do Thread.join (Thread.create build i) done; Gc.full_major ()',
        20_000 * LIST, 0),
    'a pipeline of two threads': (
        'let q = Queue.create () and m = Mutex.create ()\n'
        'let locked f = Mutex.lock m; let v = f () in Mutex.unlock m; v\n'
        'let send () = for i = 1 to 10_000 do\n'
        '  locked (fun () -> Queue.add (Bytes.create 40) q) done\n'
        'let receive () = let n = ref 0 in while !n < 10_000 do\n'
        '  if locked (fun () -> Queue.take_opt q) = None then Thread.yield () else incr n done\n'
        'let () = let t = Thread.create send () in receive (); Thread.join t; Gc.full_major ()',
        None, 0),
}
