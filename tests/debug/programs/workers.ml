let mutex = Mutex.create ()
let sum = ref 0

let worker k =
  for i = 1 to 3 do
    Mutex.lock mutex;
    sum := !sum + (k * i);
    Mutex.unlock mutex
  done

let () =
  let t = Thread.create worker 2 in
  Thread.join t;
  let u = Thread.create worker 5 in
  Thread.join u;
  print_int !sum;
  print_newline ()
