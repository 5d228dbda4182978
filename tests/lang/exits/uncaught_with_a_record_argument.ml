exception Inline of { code : int; text : string }
let () = raise (Inline { code = 5; text = "five" })
