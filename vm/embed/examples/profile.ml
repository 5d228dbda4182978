let kept = ref []

let () =
  for i = 1 to 20_000 do
    kept := String.make 40 'x' :: (if i mod 100 = 0 then [] else !kept)
  done
