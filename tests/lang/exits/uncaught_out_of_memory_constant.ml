let () = raise Out_of_memory
