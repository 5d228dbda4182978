#use "topfind";;
#thread;;
#require "lwt.unix";;
open Lwt.Infix
let step name = Lwt.pause () >>= fun () -> Lwt_io.printl name
let () = Lwt_main.run (Lwt_list.iter_s step ["first"; "second"; "third"] >>= fun () -> Lwt_io.(flush stdout))
