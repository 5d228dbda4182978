let () = print_endline (Digest.BLAKE128.(to_hex (string "")))
