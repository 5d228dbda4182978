let x = 3;;
x +
