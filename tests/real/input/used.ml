let used_value = 17
let rec power b e = if e = 0 then 1 else b * power b (e - 1);;
print_endline "used";;
