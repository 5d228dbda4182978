open Printed
let pair ppf p = Format.fprintf ppf "<pair %s>" p.name
let channel ppf (c : out_channel) = Format.fprintf ppf "<channel %b>" (c == c)
