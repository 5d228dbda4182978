let length = "m"
let area = length ^ "2"
