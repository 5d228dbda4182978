(* ocaml5: no: at most 244 constructors with arguments *)
(* A type may have 246 constructors with arguments: the tags 0 to 245. *)
type t = Constant | C0 of int | C1 of int | C2 of int | C3 of int | C4 of int | C5 of int | C6 of
  int | C7 of int | C8 of int | C9 of int | C10 of int | C11 of int | C12 of int | C13 of int | C14
  of int | C15 of int | C16 of int | C17 of int | C18 of int | C19 of int | C20 of int | C21 of int
  | C22 of int | C23 of int | C24 of int | C25 of int | C26 of int | C27 of int | C28 of int | C29
  of int | C30 of int | C31 of int | C32 of int | C33 of int | C34 of int | C35 of int | C36 of int
  | C37 of int | C38 of int | C39 of int | C40 of int | C41 of int | C42 of int | C43 of int | C44
  of int | C45 of int | C46 of int | C47 of int | C48 of int | C49 of int | C50 of int | C51 of int
  | C52 of int | C53 of int | C54 of int | C55 of int | C56 of int | C57 of int | C58 of int | C59
  of int | C60 of int | C61 of int | C62 of int | C63 of int | C64 of int | C65 of int | C66 of int
  | C67 of int | C68 of int | C69 of int | C70 of int | C71 of int | C72 of int | C73 of int | C74
  of int | C75 of int | C76 of int | C77 of int | C78 of int | C79 of int | C80 of int | C81 of int
  | C82 of int | C83 of int | C84 of int | C85 of int | C86 of int | C87 of int | C88 of int | C89
  of int | C90 of int | C91 of int | C92 of int | C93 of int | C94 of int | C95 of int | C96 of int
  | C97 of int | C98 of int | C99 of int | C100 of int | C101 of int | C102 of int | C103 of int |
  C104 of int | C105 of int | C106 of int | C107 of int | C108 of int | C109 of int | C110 of int |
  C111 of int | C112 of int | C113 of int | C114 of int | C115 of int | C116 of int | C117 of int |
  C118 of int | C119 of int | C120 of int | C121 of int | C122 of int | C123 of int | C124 of int |
  C125 of int | C126 of int | C127 of int | C128 of int | C129 of int | C130 of int | C131 of int |
  C132 of int | C133 of int | C134 of int | C135 of int | C136 of int | C137 of int | C138 of int |
  C139 of int | C140 of int | C141 of int | C142 of int | C143 of int | C144 of int | C145 of int |
  C146 of int | C147 of int | C148 of int | C149 of int | C150 of int | C151 of int | C152 of int |
  C153 of int | C154 of int | C155 of int | C156 of int | C157 of int | C158 of int | C159 of int |
  C160 of int | C161 of int | C162 of int | C163 of int | C164 of int | C165 of int | C166 of int |
  C167 of int | C168 of int | C169 of int | C170 of int | C171 of int | C172 of int | C173 of int |
  C174 of int | C175 of int | C176 of int | C177 of int | C178 of int | C179 of int | C180 of int |
  C181 of int | C182 of int | C183 of int | C184 of int | C185 of int | C186 of int | C187 of int |
  C188 of int | C189 of int | C190 of int | C191 of int | C192 of int | C193 of int | C194 of int |
  C195 of int | C196 of int | C197 of int | C198 of int | C199 of int | C200 of int | C201 of int |
  C202 of int | C203 of int | C204 of int | C205 of int | C206 of int | C207 of int | C208 of int |
  C209 of int | C210 of int | C211 of int | C212 of int | C213 of int | C214 of int | C215 of int |
  C216 of int | C217 of int | C218 of int | C219 of int | C220 of int | C221 of int | C222 of int |
  C223 of int | C224 of int | C225 of int | C226 of int | C227 of int | C228 of int | C229 of int |
  C230 of int | C231 of int | C232 of int | C233 of int | C234 of int | C235 of int | C236 of int |
  C237 of int | C238 of int | C239 of int | C240 of int | C241 of int | C242 of int | C243 of int |
  C244 of int | C245 of int

let make i n =
  match i with
  | 0 -> C0 n | 1 -> C1 n | 2 -> C2 n | 3 -> C3 n | 4 -> C4 n | 5 -> C5 n | 6 -> C6 n | 7 -> C7 n |
  8 -> C8 n | 9 -> C9 n | 10 -> C10 n | 11 -> C11 n | 12 -> C12 n | 13 -> C13 n | 14 -> C14 n | 15
  -> C15 n | 16 -> C16 n | 17 -> C17 n | 18 -> C18 n | 19 -> C19 n | 20 -> C20 n | 21 -> C21 n | 22
  -> C22 n | 23 -> C23 n | 24 -> C24 n | 25 -> C25 n | 26 -> C26 n | 27 -> C27 n | 28 -> C28 n | 29
  -> C29 n | 30 -> C30 n | 31 -> C31 n | 32 -> C32 n | 33 -> C33 n | 34 -> C34 n | 35 -> C35 n | 36
  -> C36 n | 37 -> C37 n | 38 -> C38 n | 39 -> C39 n | 40 -> C40 n | 41 -> C41 n | 42 -> C42 n | 43
  -> C43 n | 44 -> C44 n | 45 -> C45 n | 46 -> C46 n | 47 -> C47 n | 48 -> C48 n | 49 -> C49 n | 50
  -> C50 n | 51 -> C51 n | 52 -> C52 n | 53 -> C53 n | 54 -> C54 n | 55 -> C55 n | 56 -> C56 n | 57
  -> C57 n | 58 -> C58 n | 59 -> C59 n | 60 -> C60 n | 61 -> C61 n | 62 -> C62 n | 63 -> C63 n | 64
  -> C64 n | 65 -> C65 n | 66 -> C66 n | 67 -> C67 n | 68 -> C68 n | 69 -> C69 n | 70 -> C70 n | 71
  -> C71 n | 72 -> C72 n | 73 -> C73 n | 74 -> C74 n | 75 -> C75 n | 76 -> C76 n | 77 -> C77 n | 78
  -> C78 n | 79 -> C79 n | 80 -> C80 n | 81 -> C81 n | 82 -> C82 n | 83 -> C83 n | 84 -> C84 n | 85
  -> C85 n | 86 -> C86 n | 87 -> C87 n | 88 -> C88 n | 89 -> C89 n | 90 -> C90 n | 91 -> C91 n | 92
  -> C92 n | 93 -> C93 n | 94 -> C94 n | 95 -> C95 n | 96 -> C96 n | 97 -> C97 n | 98 -> C98 n | 99
  -> C99 n | 100 -> C100 n | 101 -> C101 n | 102 -> C102 n | 103 -> C103 n | 104 -> C104 n | 105 ->
  C105 n | 106 -> C106 n | 107 -> C107 n | 108 -> C108 n | 109 -> C109 n | 110 -> C110 n | 111 ->
  C111 n | 112 -> C112 n | 113 -> C113 n | 114 -> C114 n | 115 -> C115 n | 116 -> C116 n | 117 ->
  C117 n | 118 -> C118 n | 119 -> C119 n | 120 -> C120 n | 121 -> C121 n | 122 -> C122 n | 123 ->
  C123 n | 124 -> C124 n | 125 -> C125 n | 126 -> C126 n | 127 -> C127 n | 128 -> C128 n | 129 ->
  C129 n | 130 -> C130 n | 131 -> C131 n | 132 -> C132 n | 133 -> C133 n | 134 -> C134 n | 135 ->
  C135 n | 136 -> C136 n | 137 -> C137 n | 138 -> C138 n | 139 -> C139 n | 140 -> C140 n | 141 ->
  C141 n | 142 -> C142 n | 143 -> C143 n | 144 -> C144 n | 145 -> C145 n | 146 -> C146 n | 147 ->
  C147 n | 148 -> C148 n | 149 -> C149 n | 150 -> C150 n | 151 -> C151 n | 152 -> C152 n | 153 ->
  C153 n | 154 -> C154 n | 155 -> C155 n | 156 -> C156 n | 157 -> C157 n | 158 -> C158 n | 159 ->
  C159 n | 160 -> C160 n | 161 -> C161 n | 162 -> C162 n | 163 -> C163 n | 164 -> C164 n | 165 ->
  C165 n | 166 -> C166 n | 167 -> C167 n | 168 -> C168 n | 169 -> C169 n | 170 -> C170 n | 171 ->
  C171 n | 172 -> C172 n | 173 -> C173 n | 174 -> C174 n | 175 -> C175 n | 176 -> C176 n | 177 ->
  C177 n | 178 -> C178 n | 179 -> C179 n | 180 -> C180 n | 181 -> C181 n | 182 -> C182 n | 183 ->
  C183 n | 184 -> C184 n | 185 -> C185 n | 186 -> C186 n | 187 -> C187 n | 188 -> C188 n | 189 ->
  C189 n | 190 -> C190 n | 191 -> C191 n | 192 -> C192 n | 193 -> C193 n | 194 -> C194 n | 195 ->
  C195 n | 196 -> C196 n | 197 -> C197 n | 198 -> C198 n | 199 -> C199 n | 200 -> C200 n | 201 ->
  C201 n | 202 -> C202 n | 203 -> C203 n | 204 -> C204 n | 205 -> C205 n | 206 -> C206 n | 207 ->
  C207 n | 208 -> C208 n | 209 -> C209 n | 210 -> C210 n | 211 -> C211 n | 212 -> C212 n | 213 ->
  C213 n | 214 -> C214 n | 215 -> C215 n | 216 -> C216 n | 217 -> C217 n | 218 -> C218 n | 219 ->
  C219 n | 220 -> C220 n | 221 -> C221 n | 222 -> C222 n | 223 -> C223 n | 224 -> C224 n | 225 ->
  C225 n | 226 -> C226 n | 227 -> C227 n | 228 -> C228 n | 229 -> C229 n | 230 -> C230 n | 231 ->
  C231 n | 232 -> C232 n | 233 -> C233 n | 234 -> C234 n | 235 -> C235 n | 236 -> C236 n | 237 ->
  C237 n | 238 -> C238 n | 239 -> C239 n | 240 -> C240 n | 241 -> C241 n | 242 -> C242 n | 243 ->
  C243 n | 244 -> C244 n | 245 -> C245 n
  | _ -> Constant

let number = function
  | Constant -> -1, -1
  | C0 n -> 0, n | C1 n -> 1, n | C2 n -> 2, n | C3 n -> 3, n | C4 n -> 4, n | C5 n -> 5, n | C6 n
  -> 6, n | C7 n -> 7, n | C8 n -> 8, n | C9 n -> 9, n | C10 n -> 10, n | C11 n -> 11, n | C12 n ->
  12, n | C13 n -> 13, n | C14 n -> 14, n | C15 n -> 15, n | C16 n -> 16, n | C17 n -> 17, n | C18 n
  -> 18, n | C19 n -> 19, n | C20 n -> 20, n | C21 n -> 21, n | C22 n -> 22, n | C23 n -> 23, n |
  C24 n -> 24, n | C25 n -> 25, n | C26 n -> 26, n | C27 n -> 27, n | C28 n -> 28, n | C29 n -> 29,
  n | C30 n -> 30, n | C31 n -> 31, n | C32 n -> 32, n | C33 n -> 33, n | C34 n -> 34, n | C35 n ->
  35, n | C36 n -> 36, n | C37 n -> 37, n | C38 n -> 38, n | C39 n -> 39, n | C40 n -> 40, n | C41 n
  -> 41, n | C42 n -> 42, n | C43 n -> 43, n | C44 n -> 44, n | C45 n -> 45, n | C46 n -> 46, n |
  C47 n -> 47, n | C48 n -> 48, n | C49 n -> 49, n | C50 n -> 50, n | C51 n -> 51, n | C52 n -> 52,
  n | C53 n -> 53, n | C54 n -> 54, n | C55 n -> 55, n | C56 n -> 56, n | C57 n -> 57, n | C58 n ->
  58, n | C59 n -> 59, n | C60 n -> 60, n | C61 n -> 61, n | C62 n -> 62, n | C63 n -> 63, n | C64 n
  -> 64, n | C65 n -> 65, n | C66 n -> 66, n | C67 n -> 67, n | C68 n -> 68, n | C69 n -> 69, n |
  C70 n -> 70, n | C71 n -> 71, n | C72 n -> 72, n | C73 n -> 73, n | C74 n -> 74, n | C75 n -> 75,
  n | C76 n -> 76, n | C77 n -> 77, n | C78 n -> 78, n | C79 n -> 79, n | C80 n -> 80, n | C81 n ->
  81, n | C82 n -> 82, n | C83 n -> 83, n | C84 n -> 84, n | C85 n -> 85, n | C86 n -> 86, n | C87 n
  -> 87, n | C88 n -> 88, n | C89 n -> 89, n | C90 n -> 90, n | C91 n -> 91, n | C92 n -> 92, n |
  C93 n -> 93, n | C94 n -> 94, n | C95 n -> 95, n | C96 n -> 96, n | C97 n -> 97, n | C98 n -> 98,
  n | C99 n -> 99, n | C100 n -> 100, n | C101 n -> 101, n | C102 n -> 102, n | C103 n -> 103, n |
  C104 n -> 104, n | C105 n -> 105, n | C106 n -> 106, n | C107 n -> 107, n | C108 n -> 108, n |
  C109 n -> 109, n | C110 n -> 110, n | C111 n -> 111, n | C112 n -> 112, n | C113 n -> 113, n |
  C114 n -> 114, n | C115 n -> 115, n | C116 n -> 116, n | C117 n -> 117, n | C118 n -> 118, n |
  C119 n -> 119, n | C120 n -> 120, n | C121 n -> 121, n | C122 n -> 122, n | C123 n -> 123, n |
  C124 n -> 124, n | C125 n -> 125, n | C126 n -> 126, n | C127 n -> 127, n | C128 n -> 128, n |
  C129 n -> 129, n | C130 n -> 130, n | C131 n -> 131, n | C132 n -> 132, n | C133 n -> 133, n |
  C134 n -> 134, n | C135 n -> 135, n | C136 n -> 136, n | C137 n -> 137, n | C138 n -> 138, n |
  C139 n -> 139, n | C140 n -> 140, n | C141 n -> 141, n | C142 n -> 142, n | C143 n -> 143, n |
  C144 n -> 144, n | C145 n -> 145, n | C146 n -> 146, n | C147 n -> 147, n | C148 n -> 148, n |
  C149 n -> 149, n | C150 n -> 150, n | C151 n -> 151, n | C152 n -> 152, n | C153 n -> 153, n |
  C154 n -> 154, n | C155 n -> 155, n | C156 n -> 156, n | C157 n -> 157, n | C158 n -> 158, n |
  C159 n -> 159, n | C160 n -> 160, n | C161 n -> 161, n | C162 n -> 162, n | C163 n -> 163, n |
  C164 n -> 164, n | C165 n -> 165, n | C166 n -> 166, n | C167 n -> 167, n | C168 n -> 168, n |
  C169 n -> 169, n | C170 n -> 170, n | C171 n -> 171, n | C172 n -> 172, n | C173 n -> 173, n |
  C174 n -> 174, n | C175 n -> 175, n | C176 n -> 176, n | C177 n -> 177, n | C178 n -> 178, n |
  C179 n -> 179, n | C180 n -> 180, n | C181 n -> 181, n | C182 n -> 182, n | C183 n -> 183, n |
  C184 n -> 184, n | C185 n -> 185, n | C186 n -> 186, n | C187 n -> 187, n | C188 n -> 188, n |
  C189 n -> 189, n | C190 n -> 190, n | C191 n -> 191, n | C192 n -> 192, n | C193 n -> 193, n |
  C194 n -> 194, n | C195 n -> 195, n | C196 n -> 196, n | C197 n -> 197, n | C198 n -> 198, n |
  C199 n -> 199, n | C200 n -> 200, n | C201 n -> 201, n | C202 n -> 202, n | C203 n -> 203, n |
  C204 n -> 204, n | C205 n -> 205, n | C206 n -> 206, n | C207 n -> 207, n | C208 n -> 208, n |
  C209 n -> 209, n | C210 n -> 210, n | C211 n -> 211, n | C212 n -> 212, n | C213 n -> 213, n |
  C214 n -> 214, n | C215 n -> 215, n | C216 n -> 216, n | C217 n -> 217, n | C218 n -> 218, n |
  C219 n -> 219, n | C220 n -> 220, n | C221 n -> 221, n | C222 n -> 222, n | C223 n -> 223, n |
  C224 n -> 224, n | C225 n -> 225, n | C226 n -> 226, n | C227 n -> 227, n | C228 n -> 228, n |
  C229 n -> 229, n | C230 n -> 230, n | C231 n -> 231, n | C232 n -> 232, n | C233 n -> 233, n |
  C234 n -> 234, n | C235 n -> 235, n | C236 n -> 236, n | C237 n -> 237, n | C238 n -> 238, n |
  C239 n -> 239, n | C240 n -> 240, n | C241 n -> 241, n | C242 n -> 242, n | C243 n -> 243, n |
  C244 n -> 244, n | C245 n -> 245, n

let all = Array.init 247 (fun i -> make i (i * i))
let last = [ C243 3; C244 4; C245 5 ]
let lazy_last = lazy (make (Sys.opaque_identity 244) 1)

let () =
  Array.iter (fun v ->
      let constructor, n = number v in
      Printf.printf "%d %d %d %d %b\n" (Obj.tag (Obj.repr v)) constructor n (Hashtbl.hash v)
        (v = make constructor n)) all;
  List.iter (fun v -> Printf.printf "%d %d\n" (fst (number v)) (snd (number v))) last;
  Printf.printf "%b\n" (Obj.last_non_constant_constructor_tag = 245);
  let text = Marshal.to_string all [] in
  Printf.printf "%s %b\n" (Digest.to_hex (Digest.string text)) (Marshal.from_string text 0 = all);
  let text = Marshal.to_string (make 245 7, make 244 7) [ Marshal.No_sharing ] in
  let a, b = (Marshal.from_string text 0 : t * t) in
  Printf.printf "%d %d %S\n" (fst (number a)) (fst (number b)) text;
  let sorted = List.sort compare (List.rev (Array.to_list all)) in
  List.iter (fun v -> Printf.printf "%d " (fst (number v))) sorted;
  print_newline ();
  List.iter (fun tag ->
      let b = Obj.new_block tag 2 in
      let c = Obj.with_tag tag (Obj.repr (1, 2)) in
      Printf.printf "%d %d %d %d\n" (Obj.tag b) (Obj.size b) (Obj.tag c) (Obj.tag (Obj.dup c));
      Printf.printf "%d %b\n" (Obj.reachable_words c) (compare c (Obj.repr (1, 2)) > 0))
    [ 243; 244; 245 ];
  ignore (Lazy.force lazy_last);
  Gc.full_major ();
  Printf.printf "%d\n" (fst (number (Lazy.force lazy_last)));
  Array.iteri (fun i v -> if number v <> number (make i (i * i)) then print_endline "changed") all
