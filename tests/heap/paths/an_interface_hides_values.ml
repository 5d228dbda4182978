let hidden = Array.make 100 'x'
let last = Array.make 600 'z'
let shown = (hidden, Array.make 300 'y')
let count = 3
