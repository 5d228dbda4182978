shapes.ml
main.ml
