let () = failwith "failure text"
