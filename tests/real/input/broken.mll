rule x = parse
  | "unterminated { 1 }
